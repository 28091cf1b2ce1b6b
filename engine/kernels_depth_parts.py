"""Parts of the resident depth kernel (`engine.kernels_depth_frame`): words that say whose they are, and a program's
share of each phase. Vectors are words of two bfloat16 numbers. Imports Triton: import this module late.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def wide(word):
    """The even and the odd number of words [...] int32, in float32."""
    return (word << 16).to(tl.float32, bitcast=True), (word & -65536).to(tl.float32, bitcast=True)


@triton.jit
def rounded(v):
    return v.to(tl.bfloat16).to(tl.float32)


@triton.jit
def packed(even, odd):
    """Two numbers as one int32."""
    low = even.to(tl.bfloat16).to(tl.int16, bitcast=True).to(tl.int32) & 0xFFFF
    return low | (odd.to(tl.bfloat16).to(tl.int16, bitcast=True).to(tl.int32) << 16)


@triton.jit
def publish(words, pair, epoch, inside):
    """pair [...] int32 -> words that say whose they are."""
    tl.store(words, (pair.to(tl.int64) & 0xFFFFFFFF) | (epoch.to(tl.int64) << 32), mask=inside)


@triton.jit
def ask(words):
    return tl.load(words, volatile=True)  # past the multiprocessor's own cache


@triton.jit
def strange(words, epoch):
    """Where words are not this launch's."""
    return ((words >> 32).to(tl.int32) != epoch).to(tl.int32)


@triton.jit
def take(words, epoch, waits):
    """Words [N] at addresses -> what they hold, int32, once all are this launch's; and the waits left."""
    got = ask(words)
    late = tl.max(strange(got, epoch))
    rounds = waits * 0
    while (late != 0) & (rounds < waits):
        got = ask(words)
        late = tl.max(strange(got, epoch))
        rounds += 1
    return got.to(tl.int32), tl.where(late != 0, 0, waits)


@triton.jit
def take_two(first, second, epoch, waits):
    """As `take`, for two blocks of different sizes."""
    one, two = ask(first), ask(second)
    late = tl.max(strange(one, epoch)) | tl.max(strange(two, epoch))
    rounds = waits * 0
    while (late != 0) & (rounds < waits):
        one, two = ask(first), ask(second)
        late = tl.max(strange(one, epoch)) | tl.max(strange(two, epoch))
        rounds += 1
    return one.to(tl.int32), two.to(tl.int32), tl.where(late != 0, 0, waits)


@triton.jit
def take_heads(words, epoch, waits, D: tl.constexpr):
    """As `take`, for q, k and v, each [HEADS, HALF]."""
    q, k, v = ask(words), ask(words + D // 2), ask(words + D)
    late = tl.max(strange(q, epoch) | strange(k, epoch) | strange(v, epoch))
    rounds = waits * 0
    while (late != 0) & (rounds < waits):
        q, k, v = ask(words), ask(words + D // 2), ask(words + D)
        late = tl.max(strange(q, epoch) | strange(k, epoch) | strange(v, epoch))
        rounds += 1
    return q.to(tl.int32), k.to(tl.int32), v.to(tl.int32), tl.where(late != 0, 0, waits)


@triton.jit
def load_rows(weight, rows, chunks, within, inside, WORDS: tl.constexpr):
    """Rows of a matrix of int32 words -> [ROWS, CHUNKS, WITHIN]: so laid out, a row belongs to one warp alone, which
    adds it up without asking the others."""
    at = weight + rows[:, None, None] * WORDS + chunks[None, :, None] * within.shape[0] + within[None, None, :]
    return tl.load(at, mask=inside, other=0)


@triton.jit
def product(rows, even, odd):
    """Rows (as `load_rows`) times a vector [1, CHUNKS, WITHIN] -> [ROWS]."""
    a, b = wide(rows)
    return tl.sum(tl.sum(a * even + b * odd, axis=1), axis=1)


@triton.jit
def pairs(v, ROWS: tl.constexpr):
    """[ROWS] float32 -> [ROWS / 2] int32."""
    even, odd = tl.split(tl.reshape(v, (ROWS // 2, 2)))
    return packed(even, odd)


@triton.jit
def fetch_ahead(address, row, COUNT: tl.constexpr, ROWS: tl.constexpr, BYTES: tl.constexpr, FETCH: tl.constexpr):
    """Asks for a program's rows of a matrix (COUNT from `row` on, of ROWS) to come into the L2 cache;
    BYTES of a row. One thread asks, for all of them at once."""
    if FETCH:
        first = tl.minimum(row, ROWS - COUNT)
        tl.inline_asm_elementwise(
            "{ .reg .pred first; .reg .u32 thread; mov.u32 thread, %tid.x; setp.eq.u32 first, thread, 0;"
            " @first cp.async.bulk.prefetch.L2.global [$1], $2; mov.u32 $0, 0; }",
            "=r,l,r", [address + first.to(tl.int64) * BYTES, COUNT * BYTES], dtype=tl.int32, is_pure=False,
            pack=1,
        )  # fmt: skip


@triton.jit
def words_of(base, address):
    """Weights at an address, as int32: told as a distance from a tensor, of which the compiler knows how it lies."""
    return base + tl.multiple_of((address - base.to(tl.int64)) // 4, 4)


@triton.jit
def spread(flat, CHUNKS: tl.constexpr, WITHIN: tl.constexpr):
    """A vector of words as `product` takes it: its even and its odd numbers."""
    return wide(flat[None, :, :])


@triton.jit
def shrink(even, odd, ROWS: tl.constexpr, D: tl.constexpr, EPSILON: tl.constexpr):
    """1 / root mean square of a vector, once for each row [ROWS]: so every warp finds it for itself. Products are
    multiplied by it instead of the vector, which is therefore not rounded in between as it is elsewhere."""
    squares = tl.broadcast_to(even * even + odd * odd, (ROWS, even.shape[1], even.shape[2]))
    return tl.rsqrt(tl.sum(tl.sum(squares, axis=1), axis=1) / D + EPSILON)


# ---------------------------------------------------------------- a program's part of each phase


@triton.jit
def project_rows(
    rows, pair, inside, even, odd, root, words, keys, values, step, epoch,
    ROWS: tl.constexpr, D: tl.constexpr, HEAD: tl.constexpr, STEPS: tl.constexpr,
):  # fmt: skip
    """Some rows of q, k, v, as words; k and v also to their places in the step rings [HEADS, STEPS, HEAD]."""
    out = pairs(product(rows, even, odd) * root, ROWS)
    publish(words + pair, out, epoch, inside)
    part, within = pair // (D // 2), pair % (D // 2)
    place = (within // (HEAD // 2)) * (STEPS * HEAD // 2) + step * (HEAD // 2) + within % (HEAD // 2)
    tl.store(keys + place, out, mask=inside & (part == 1))
    tl.store(values + place, out, mask=inside & (part == 2))


@triton.jit
def embedded(source, table, token, columns, WORDS: tl.constexpr):
    """A step's input, int32 words: its part of the frame's hidden vector plus the embedding of the token before."""
    here = (columns >= 0) & (token >= 0)
    a_even, a_odd = wide(tl.load(source + columns))
    b_even, b_odd = wide(tl.load(table + tl.maximum(token, 0) * WORDS + columns, mask=here, other=0))
    return packed(a_even + b_even, a_odd + b_odd)


@triton.jit
def attend(q, k, v, steps, step, SCALE: tl.constexpr, CHUNKS: tl.constexpr, WITHIN: tl.constexpr):
    """q [HEADS, HALF], k, v [HEADS, STEPS, HALF] int32, those after `step` of any value -> words [CHUNKS, WITHIN]."""
    q_even, q_odd = wide(q[:, None, :])
    even, odd = wide(k)
    score = tl.sum(even * q_even + odd * q_odd, axis=2) * SCALE
    score = tl.where((steps <= step)[None, :], score, -float("inf"))
    share = tl.exp(score - tl.max(score, axis=1)[:, None])
    even, odd = wide(v)
    whole = 1.0 / tl.sum(share, axis=1)[:, None]
    even = tl.sum(share[:, :, None] * even, axis=1) * whole
    odd = tl.sum(share[:, :, None] * odd, axis=1) * whole
    return tl.reshape(packed(even, odd), (CHUNKS, WITHIN))


@triton.jit
def gate_rows(gate, value, pair, inside, even, odd, root, words, epoch, ROWS: tl.constexpr):
    """Some of silu(gate) * value, as words."""
    g, v = rounded(product(gate, even, odd) * root), rounded(product(value, even, odd) * root)
    publish(words + pair, pairs(rounded(g / (1.0 + tl.exp(-g))) * v, ROWS), epoch, inside)


@triton.jit
def added(v, held, ROWS: tl.constexpr):
    """A product's rows [ROWS] on top of what was there, words [ROWS / 2] -> int32."""
    even, odd = tl.split(tl.reshape(v, (ROWS // 2, 2)))
    held_even, held_odd = wide(held.to(tl.int32))
    return packed(held_even + rounded(even), held_odd + rounded(odd))
