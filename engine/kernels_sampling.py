"""Triton kernels that turn logits into a token: temperature, top-k and the random draw in one program.

The draw is argmax(logit / temperature + Gumbel noise) over the k likeliest tokens, which has the same distribution as
the reference's argmax(p / Exp(1)) (facts: lm.md 6). Noise belongs to a token, not to its rank, so nothing is sorted:
a search over the bits of the k-th largest logit finds who takes part. Words of the noise: `engine.sampling.philox` with
the frame's counter times 32 plus the stream, so that every stream of every frame has its own.

The plain PyTorch stands at the end. Imports Triton: import this module late.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import Launch, launch_options, wait_for_inputs
from engine.quantize import Weight
from engine.sampling import exponential_noise

STREAMS_PER_FRAME = 32  # noise streams set aside for a frame: text and at most 31 codebooks
UNFORCED = -2  # filler of the forced tokens (engine.lm.UNGENERATED)


@triton.jit
def ordered_bits(logits, BITS: tl.constexpr):
    """Unsigned keys in the order of the logits. BITS 16 keeps the upper half: exact for values that were bfloat16."""
    raw = logits.to(tl.int32, bitcast=True)
    flipped = raw ^ ((raw >> 31) & 0x7FFFFFFF)
    return (flipped.to(tl.uint32, bitcast=True) ^ 0x80000000) >> (32 - BITS)


@triton.jit
def kth_largest(keys, k, BITS: tl.constexpr):
    """The largest key that at least k of keys reach: two bits a round, three counts packed into one sum."""
    found = tl.zeros((), tl.uint32)
    for shift in tl.static_range(BITS - 2, -1, -2):
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
    stream: int, *, pdl: int,
) -> None:  # fmt: skip
    """logits [N] -> out [1] int64, in place: `forced` [1] unless that is UNGENERATED.

    temperature [1] float32, top_k, seed, counter [1] int64 stay on the device; `stream` numbers the draw in its frame.
    """
    count = logits.shape[0]
    block = triton.next_power_of_2(count)
    sample_kernel[(1,)](
        logits, temperature, top_k, seed, counter, forced, out, stream, count, block, _bits(logits), UNFORCED, pdl,
        num_warps=32 if block > 8192 else 8, **launch_options(pdl),
    )  # fmt: skip


def sampled_head(
    weight: Weight, x: Tensor, logits: Tensor, arrived: Tensor, temperature: Tensor, top_k: Tensor, seed: Tensor,
    counter: Tensor, forced: Tensor, out: Tensor, stream: int, launch: Launch, *, pdl: int,
) -> None:  # fmt: skip
    """`sample` of weight [N, K] @ x [K]; logits [N] float32 and arrived [1] int32 (zero) are scratch."""
    values, scales = (weight, weight) if isinstance(weight, Tensor) else (weight.values, weight.scales)
    rows, columns = values.shape
    assert rows & (rows - 1) == 0, "the sampling program takes all logits as one block"
    assert columns & (columns - 1) == 0, "the head takes its input as one block"
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
