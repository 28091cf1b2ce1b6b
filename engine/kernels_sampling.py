"""Triton kernels that turn logits into a token: temperature, top-k and the random draw in one program.

The draw is argmax(logit / temperature + Gumbel noise) over the k likeliest tokens, which has the same distribution as
the reference's argmax(p / Exp(1)) (facts: lm.md 6). Noise belongs to a token, not to its rank, so nothing is sorted:
a search over the bits of the k-th largest logit finds who takes part. Words of the noise: `engine.sampling.philox` with
the frame's counter times 32 plus the stream, so that every stream of every frame has its own.

That search is a chain of waits of one program. The quick forms of bfloat16 avoid it, with the same token: they look at
the winner of all tokens first, who is the winner of the k likeliest if he is one of them. The head's programs make each
token's score beside its logit; the text's program first sieves out all but some that are surely enough.

The plain PyTorch stands at the end. Imports Triton: import this module late.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_depth_rows import columns_of, cut
from engine.kernels_linear import Launch, launch_options, row_sums, wait_for_inputs
from engine.quantize import Weight
from engine.sampling import exponential_noise

STREAMS_PER_FRAME = 32  # noise streams set aside for a frame: text and at most 31 codebooks
TRIES = 3  # winners of all tokens that are looked at before the likeliest are searched for
UNFORCED = -2  # filler of the forced tokens (engine.lm.UNGENERATED)


@triton.jit
def ordered_bits(logits, BITS: tl.constexpr):
    """Unsigned keys in the order of the logits. BITS 16 keeps the upper half: exact for values that were bfloat16."""
    raw = logits.to(tl.int32, bitcast=True)
    flipped = raw ^ ((raw >> 31) & 0x7FFFFFFF)
    return (flipped.to(tl.uint32, bitcast=True) ^ 0x80000000) >> (32 - BITS)


@triton.jit
def kth_largest(keys, k, BITS: tl.constexpr, LEAST: tl.constexpr = 0):
    """The largest key that at least k of keys reach: two bits a round, three counts packed into one sum. The LEAST bits
    are left zero, which makes it smaller."""
    found = tl.zeros((), tl.uint32)
    for shift in tl.static_range(BITS - 2, LEAST - 1, -2):
        one, two, three = found | (1 << shift), found | (2 << shift), found | (3 << shift)
        reached = (keys >= one).to(tl.int64) + ((keys >= two).to(tl.int64) << 20) + ((keys >= three).to(tl.int64) << 40)
        counts = tl.sum(reached, axis=0)
        if ((counts >> 40) & 0xFFFFF) >= k:
            found = three
        elif ((counts >> 20) & 0xFFFFF) >= k:
            found = two
        elif (counts & 0xFFFFF) >= k:
            found = one
    return found


@triton.jit
def gumbel(seed, counter, stream, BLOCK: tl.constexpr):
    """Gumbel noise [BLOCK] float32, in the order of `engine.sampling.exponential_noise`."""
    blocks = tl.arange(0, BLOCK // 4).to(tl.uint32)
    at = counter * 32 + stream
    low = tl.full((BLOCK // 4,), 0, tl.uint32) + (at & 0xFFFFFFFF).to(tl.uint32)
    high = tl.full((BLOCK // 4,), 0, tl.uint32) + ((at >> 32) & 0xFFFFFFFF).to(tl.uint32)
    a, b, c, d = tl.philox(seed, blocks, low, high, tl.full((BLOCK // 4,), 0, tl.uint32))
    words = tl.interleave(tl.interleave(a, c), tl.interleave(b, d))
    uniform = ((words >> 9).to(tl.float32) + 0.5) * (1.0 / 8388608.0)
    return -tl.log(-tl.log(uniform))


@triton.jit
def draw(logits, temperature, top_k, seed, counter, stream,
         N: tl.constexpr, BLOCK: tl.constexpr, BITS: tl.constexpr):  # fmt: skip
    """One token from logits [BLOCK] float32 (-inf past N); temperature 0 = the first of the likeliest."""
    if temperature > 0:
        keys = ordered_bits(logits, BITS)
        wanted = tl.minimum(top_k, N)
        threshold = kth_largest(keys, wanted, BITS)
        above, level = keys > threshold, keys == threshold
        places = wanted - tl.sum(above.to(tl.int64), axis=0)  # left for those level with the k-th: the first of them
        kept = above | (level & (tl.cumsum(level.to(tl.int32), axis=0) <= places))
        score = tl.where(kept, logits / temperature + gumbel(seed, counter, stream, BLOCK), -float("inf"))
    else:
        score = logits
    return tl.argmax(score, axis=0, tie_break_left=True).to(tl.int64)


@triton.jit
def token_gumbel(seed, counter, stream, tokens):
    """`gumbel` of some tokens, each made for itself."""
    at = counter * 32 + stream
    zeros = tokens.to(tl.uint32) * 0
    low, high = zeros + (at & 0xFFFFFFFF).to(tl.uint32), zeros + ((at >> 32) & 0xFFFFFFFF).to(tl.uint32)
    a, b, c, d = tl.philox(seed, (tokens // 4).to(tl.uint32), low, high, zeros)
    place = tokens % 4
    words = tl.where(place == 0, a, tl.where(place == 1, b, tl.where(place == 2, c, d)))
    uniform = ((words >> 9).to(tl.float32) + 0.5) * (1.0 / 8388608.0)
    return -tl.log(-tl.log(uniform))


@triton.jit
def kept_winner(logits, scores, tokens, top_k, N: tl.constexpr, TRIES: tl.constexpr):
    """Who of the top_k likeliest has the highest score. All [BLOCK], logits of 16 bits in float32, tokens ascending and
    below 65,536. A word that orders as the scores do, then the first token, carries the logit's key too."""
    bits = ordered_bits(logits, 16)
    keys, wanted = bits.to(tl.int32), tl.minimum(top_k, N).to(tl.int32)
    raw = (scores + 0.0).to(tl.int32, bitcast=True)  # of two zeros one
    order = (raw ^ ((raw >> 31) & 0x7FFFFFFF)).to(tl.int64)
    words = (order << 32) | ((65535 - tokens).to(tl.int64) << 16) | keys.to(tl.int64)
    token, tried = wanted * 0 - 1, wanted * 0
    while (token < 0) & (tried < TRIES):
        best = tl.max(words, axis=0)
        key, first = (best & 0xFFFF).to(tl.int32), 65535 - ((best >> 16) & 0xFFFF).to(tl.int32)
        before = (keys > key) | ((keys == key) & (tokens < first))
        token = tl.where(tl.sum(before.to(tl.int32), axis=0) < wanted, first, -1)
        words = tl.where(words == best, -(2**63), words)
        tried += 1
    if token < 0:  # few of those with high scores are likely: find out who is
        threshold = kth_largest(bits, wanted, 16).to(tl.int32)
        above, level = keys > threshold, keys == threshold
        places = wanted - tl.sum(above.to(tl.int32), axis=0)
        kept = above | (level & (tl.cumsum(level.to(tl.int32), axis=0) <= places))
        best = tl.max(tl.where(kept, (order << 32) | (65535 - tokens).to(tl.int64), -(2**63)), axis=0)
        token = 65535 - (best & 0xFFFF).to(tl.int32)
    return token.to(tl.int64)


@triton.jit
def sample_kernel(
    logits, temperature, top_k, seed, counter, forced, out, stream,
    N: tl.constexpr, BLOCK: tl.constexpr, BITS: tl.constexpr, UNFORCED_TOKEN: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    tokens = tl.arange(0, BLOCK)
    # What the caller sets between two frames needs no waiting.
    given, heat, count = tl.load(forced), tl.load(temperature), tl.load(top_k)
    key, frame = tl.load(seed), tl.load(counter)
    wait_for_inputs(PDL)
    values = tl.load(logits + tokens, mask=tokens < N, other=-float("inf")).to(tl.float32)
    token = draw(values, heat, count, key, frame, stream, N, BLOCK, BITS)
    tl.store(out, tl.where(given == UNFORCED_TOKEN, token, given))


@triton.jit
def sieve_kernel(
    logits, found, temperature, top_k, seed, counter, forced, out, stream,
    N: tl.constexpr, BLOCK: tl.constexpr, GROUPS: tl.constexpr, ROOM: tl.constexpr, TRIES: tl.constexpr,
    UNFORCED_TOKEN: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """`sample_kernel` for logits of 16 bits. Of groups of tokens, which threads have whole, the k-th highest top is no
    higher than the k-th highest token: whoever reaches it goes into found [ROOM] int32, and one of them is drawn."""
    tokens, places = tl.arange(0, BLOCK), tl.arange(0, ROOM)
    given, heat, count = tl.load(forced), tl.load(temperature), tl.load(top_k)
    key, frame = tl.load(seed), tl.load(counter)
    wait_for_inputs(PDL)
    keys = ordered_bits(tl.load(logits + tokens, mask=tokens < N, other=-float("inf")).to(tl.float32) + 0.0, 16)
    if heat > 0:
        tops = tl.max(tl.max(tl.reshape(keys, (BLOCK // (8 * GROUPS), GROUPS, 8)), axis=2), axis=0)
        enough = kth_largest(tops, tl.minimum(count, N), 16, 4)
        stays = (keys >= enough) & (tokens < N)
        place = tl.cumsum(stays.to(tl.int32), axis=0)
        stayed = tl.sum(stays.to(tl.int32), axis=0)
        if stayed <= ROOM:
            tl.store(found + place - 1, (tokens << 16) | keys.to(tl.int32), mask=stays)
            tl.debug_barrier()  # all threads' finds are out before they are taken up by others
            here = places < stayed
            word = tl.load(found + places, mask=here, other=0, volatile=True)
            token, bits = tl.where(here, (word >> 16) & 0xFFFF, 65535), (word & 0xFFFF) ^ 0x8000
            bits = tl.where(bits >= 0x8000, bits ^ 0x7FFF, bits) << 16
            some = tl.where(here, bits.to(tl.float32, bitcast=True), -float("inf"))
            scores = some / heat + token_gumbel(key, frame, stream, token)
            taken = kept_winner(some, scores, token, count, N, TRIES)
        else:  # a large k, or very many alike
            values = tl.load(logits + tokens, mask=tokens < N, other=-float("inf")).to(tl.float32) + 0.0
            taken = draw(values, heat, count, key, frame, stream, N, BLOCK, 16)
    else:
        best = tl.max((keys << 16) | (65535 - tokens).to(tl.uint32), axis=0)
        taken = 65535 - (best & 0xFFFF).to(tl.int64)
    tl.store(out, tl.where(given == UNFORCED_TOKEN, taken, given))


@triton.jit
def scored_head_kernel(
    weight, scales, x, logits, marks, arrived, temperature, top_k, seed, counter, forced, out, stream,
    N: tl.constexpr, K: tl.constexpr, CHUNKS: tl.constexpr, LANES: tl.constexpr, ROWS: tl.constexpr,
    TRIES: tl.constexpr, UNFORCED_TOKEN: tl.constexpr, SCALED: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """`head_kernel` for logits of 16 bits, whole rows in a warp. marks [N] float32: the scores by which tokens are
    drawn; each program has made the noise of its own tokens before x is there."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = columns_of(rows, CHUNKS, LANES)
    tile = tl.load(weight + rows[:, None, None] * K + columns)
    given, heat, count = tl.load(forced), tl.load(temperature), tl.load(top_k)
    key, frame = tl.load(seed), tl.load(counter)
    noise = token_gumbel(key, frame, stream, rows)
    wait_for_inputs(PDL)
    y = row_sums(tile.to(tl.float32) * tl.load(x + columns).to(tl.float32))
    if SCALED:  # eight bits, a scale for each row
        y *= tl.load(scales + rows).to(tl.float32)
    y = y.to(x.dtype.element_ty).to(tl.float32) + 0.0
    tl.store(logits + rows, y)
    tl.store(marks + rows, y / heat + noise)
    tl.debug_barrier()  # all threads' logits are out before one of them announces it
    if tl.atomic_add(arrived, 1, sem="acq_rel") == tl.num_programs(0) - 1:
        tokens = tl.arange(0, N)
        values = tl.load(logits + tokens, volatile=True)
        scores = tl.load(marks + tokens, volatile=True)
        if heat > 0:
            taken = kept_winner(values, scores, tokens, count, N, TRIES)
        else:
            best = tl.max((ordered_bits(values, 16) << 16) | (65535 - tokens).to(tl.uint32), axis=0)
            taken = 65535 - (best & 0xFFFF).to(tl.int64)
        tl.store(out, tl.where(given == UNFORCED_TOKEN, taken, given))
        tl.store(arrived, 0)


@triton.jit
def head_kernel(
    weight, scales, x, logits, arrived, temperature, top_k, seed, counter, forced, out, stream,
    N: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr, BITS: tl.constexpr, UNFORCED_TOKEN: tl.constexpr,
    SCALED: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """A head of few logits with its sampling: the program that ends last draws. N, K powers of two."""
    columns, rows = tl.arange(0, K), tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    tile = tl.load(weight + rows[:, None] * K + columns[None, :])
    given, heat, count = tl.load(forced), tl.load(temperature), tl.load(top_k)
    key, frame = tl.load(seed), tl.load(counter)
    wait_for_inputs(PDL)
    v = tl.load(x + columns).to(tl.float32)
    y = tl.sum(tile.to(tl.float32) * v[None, :], axis=1)
    if SCALED:  # eight bits, a scale for each row
        y *= tl.load(scales + rows).to(tl.float32)
    tl.store(logits + rows, y.to(x.dtype.element_ty).to(tl.float32))
    tl.debug_barrier()  # all threads' logits are out before one of them announces it
    if tl.atomic_add(arrived, 1, sem="acq_rel") == tl.num_programs(0) - 1:
        values = tl.load(logits + tl.arange(0, N), volatile=True)
        token = draw(values, heat, count, key, frame, stream, N, N, BITS)
        tl.store(out, tl.where(given == UNFORCED_TOKEN, token, given))
        tl.store(arrived, 0)


def sample(
    logits: Tensor, temperature: Tensor, top_k: Tensor, seed: Tensor, counter: Tensor, forced: Tensor, out: Tensor,
    stream: int, *, found: Tensor | None = None, pdl: int,
) -> None:  # fmt: skip
    """logits [N] -> out [1] int64, in place: `forced` [1] unless that is UNGENERATED.

    temperature [1] float32, top_k, seed, counter [1] int64 stay on the device; `stream` numbers the draw in its frame.
    found [a power of two] int32: scratch of the quick form, which is taken where there is some and the logits allow it.
    """
    count = logits.shape[0]
    block = triton.next_power_of_2(count)
    if found is not None and _bits(logits) == 16 and 8 <= count < 65536:
        sieve_kernel[(1,)](
            logits, found, temperature, top_k, seed, counter, forced, out, stream, count, block, min(1024, block // 8),
            found.shape[0], TRIES, UNFORCED, pdl, num_warps=32 if block > 8192 else 8, **launch_options(pdl),
        )  # fmt: skip
        return
    sample_kernel[(1,)](
        logits, temperature, top_k, seed, counter, forced, out, stream, count, block, _bits(logits), UNFORCED, pdl,
        num_warps=32 if block > 8192 else 8, **launch_options(pdl),
    )  # fmt: skip


def sampled_head(
    weight: Weight, x: Tensor, logits: Tensor, arrived: Tensor, temperature: Tensor, top_k: Tensor, seed: Tensor,
    counter: Tensor, forced: Tensor, out: Tensor, stream: int, launch: Launch, *, marks: Tensor | None = None, pdl: int,
) -> None:  # fmt: skip
    """`sample` of weight [N, K] @ x [K]; logits [N] float32 and arrived [1] int32 (zero) are scratch.

    marks [N] float32: scratch of the quick form, which is taken where there is some and the numbers allow it."""
    values, scales = (weight, weight) if isinstance(weight, Tensor) else (weight.values, weight.scales)
    rows, columns = values.shape
    assert rows & (rows - 1) == 0, "the sampling program takes all logits as one block"
    assert columns & (columns - 1) == 0, "the head takes its input as one block"
    if marks is not None and _bits(x) == 16 and rows < 65536:
        scored_head_kernel[(rows // launch.rows,)](
            values, scales, x, logits, marks, arrived, temperature, top_k, seed, counter, forced, out, stream, rows,
            columns, *cut(columns, values), launch.rows, TRIES, UNFORCED, values is not scales, pdl,
            num_warps=launch.warps, **launch_options(pdl),
        )  # fmt: skip
        return
    head_kernel[(rows // launch.rows,)](
        values, scales, x, logits, arrived, temperature, top_k, seed, counter, forced, out, stream, rows, columns,
        launch.rows, _bits(x), UNFORCED, values is not scales, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def _bits(values: Tensor) -> int:
    return 16 if values.dtype == torch.bfloat16 else 32


# ---------------------------------------------------------------- the same in plain PyTorch


def sample_reference(
    logits: Tensor, temperature: Tensor, top_k: Tensor, seed: Tensor, counter: Tensor, forced: Tensor, stream: int
) -> Tensor:
    """What `sample` leaves in out, as a new tensor [1] int64."""
    scores = logits.float()
    if temperature.item() > 0:
        ranks = scores.sort(descending=True, stable=True).indices.argsort()
        noise = exponential_noise(seed, counter * STREAMS_PER_FRAME + stream, scores.shape[0])[0]
        scores = (scores / temperature - noise.log()).masked_fill(ranks >= top_k, -torch.inf)
    return torch.where(forced == UNFORCED, scores.argmax(dim=-1, keepdim=True), forced)
