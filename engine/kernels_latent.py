"""Triton kernels for the codec's latents: its transformers at two positions a frame.

The weights are read once for both positions. Everything is float32, as the codec is (facts: mimi.md). The plain
PyTorch is `engine.mimi`; the tests run both. Imports Triton: import this module late.
"""

from __future__ import annotations

from typing import NamedTuple

import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import Launch, launch_options, row_sums, wait_for_inputs

POSITIONS = 2  # latents of a frame


@triton.jit
def rotate(row, cos, sin, HEAD: tl.constexpr):
    """Interleaved pairs of row [HEAD] float32 turned by the angles of cos, sin [HEAD / 2]; in row's order."""
    real, imaginary = tl.split(tl.reshape(row, (HEAD // 2, 2)))
    return tl.interleave(real * cos - imaginary * sin, real * sin + imaginary * cos)


@triton.jit
def two_sums(a, b, axis: tl.constexpr):
    """Both sums at once: their programs' warps wait for each other once, not twice."""
    return tl.split(tl.sum(tl.join(a, b), axis=axis))


@triton.jit
def merged(parts, sizes, at, K: tl.constexpr, SPLITS: tl.constexpr):
    """Attention at `at` of K from its parts [SPLITS, K] by slots, each weighed by the exponential of its size."""
    size, value = tl.load(sizes + at), tl.load(parts + at)
    total = tl.full(at.shape, 1.0, tl.float32)
    for split in tl.static_range(1, SPLITS):
        more, part = tl.load(sizes + split * K + at), tl.load(parts + split * K + at)
        top = tl.maximum(size, more)
        old, new = tl.exp(size - top), tl.exp(more - top)
        value, total, size = value * old + part * new, total * old + new, top
    return value / total


@triton.jit
def two_linear_kernel(
    weight, x, sizes, norm_weight, norm_bias, scale, out,
    N: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr, LANES: tl.constexpr, NORM: tl.constexpr, GELU: tl.constexpr,
    ADD: tl.constexpr, SPLITS: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out [2, N] = W x for both rows of x [2, K]: normed first (NORM), then GELU, or scaled and added to out (ADD).

    SPLITS: x and sizes [2, SPLITS, K] are attention in parts, to be merged first. Each warp has whole rows and all of
    x, so that none waits for another; of the norm, LayerNorm with eps 1e-5, what needs no x is done before x is there.
    """
    CHUNKS: tl.constexpr = K // LANES
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = rows < N
    k = (tl.arange(0, CHUNKS) * LANES)[None, :, None] + tl.arange(0, LANES)[None, None, :]
    every = k + 0 * rows[:, None, None]
    w = tl.load(weight + rows[:, None, None] * K + k, mask=inside[:, None, None], other=0.0)
    if NORM:
        base = row_sums(w * tl.load(norm_bias + every))
        w *= tl.load(norm_weight + every)
    if ADD:
        size = tl.load(scale + rows, mask=inside, other=0.0)
    wait_for_inputs(PDL)
    if SPLITS > 0:
        first = merged(x, sizes, every, K, SPLITS)
        second = merged(x + SPLITS * K, sizes + SPLITS * K, every, K, SPLITS)
    else:
        first, second = tl.load(x + every), tl.load(x + K + every)
    if ADD:
        held_first = tl.load(out + rows, mask=inside, other=0.0)
        held_second = tl.load(out + N + rows, mask=inside, other=0.0)
    if NORM:
        first -= (row_sums(first) / K)[:, None, None]
        second -= (row_sums(second) / K)[:, None, None]
    a, b = row_sums(w * first), row_sums(w * second)
    if NORM:
        a = a * tl.rsqrt(row_sums(first * first) / K + 1e-5) + base
        b = b * tl.rsqrt(row_sums(second * second) / K + 1e-5) + base
    if GELU:
        a = 0.5 * a * (1.0 + tl.erf(a * 0.7071067811865476))
        b = 0.5 * b * (1.0 + tl.erf(b * 0.7071067811865476))
    if ADD:
        a = held_first + size * a
        b = held_second + size * b
    tl.store(out + rows, a, mask=inside)
    tl.store(out + N + rows, b, mask=inside)


@triton.jit
def two_ring_kernel(
    projected, periods, position, keys, values, out, window,
    HEADS: tl.constexpr, HEAD: tl.constexpr, CAPACITY: tl.constexpr, BLOCK: tl.constexpr, SCALE: tl.constexpr,
    PDL: tl.constexpr,
):  # fmt: skip
    """Rope, the writes into the rings and attention: one head, one of the two positions, which begin at position [1].

    Both programs of a head take in both new positions; each writes its own, which the other finds in `projected`.
    Reading while it writes is harmless: the slots written are replaced in registers."""
    head, query = tl.program_id(0), tl.program_id(1)
    dims, pairs, slots = tl.arange(0, HEAD), tl.arange(0, HEAD // 2), tl.arange(0, BLOCK)
    width: tl.constexpr = 3 * HEADS * HEAD
    base = head * (CAPACITY * HEAD)
    at = base + slots[:, None] * HEAD + dims[None, :]
    here = (slots < CAPACITY)[:, None]
    k, v = tl.load(keys + at, mask=here, other=0.0), tl.load(values + at, mask=here, other=0.0)
    frequencies = tl.load(periods + pairs)
    start = tl.load(position)
    angles, later = start.to(tl.float32) * frequencies, (start + 1).to(tl.float32) * frequencies
    cos, sin, later_cos, later_sin = tl.cos(angles), tl.sin(angles), tl.cos(later), tl.sin(later)
    slot, later_slot = (start % CAPACITY).to(tl.int32), ((start + 1) % CAPACITY).to(tl.int32)
    own_slot = tl.where(query == 0, slot, later_slot)
    age = (later_slot - slots + CAPACITY) % CAPACITY  # positions since the newer of the two
    seen = (age <= start + 1) & (age < window) & (slots < CAPACITY) & (age >= 1 - query)
    wait_for_inputs(PDL)
    row = projected + head * HEAD + dims
    q = tl.load(row + query * width)
    key, later_key = tl.load(row + HEADS * HEAD), tl.load(row + width + HEADS * HEAD)
    value, later_value = tl.load(row + 2 * HEADS * HEAD), tl.load(row + width + 2 * HEADS * HEAD)
    q = rotate(q, tl.where(query == 0, cos, later_cos), tl.where(query == 0, sin, later_sin), HEAD) * SCALE
    key, later_key = rotate(key, cos, sin, HEAD), rotate(later_key, later_cos, later_sin, HEAD)
    is_new, is_later = (slots == slot)[:, None], (slots == later_slot)[:, None]
    k = tl.where(is_new, key[None, :], tl.where(is_later, later_key[None, :], k))
    v = tl.where(is_new, value[None, :], tl.where(is_later, later_value[None, :], v))
    score = tl.where(seen, tl.sum(k * q[None, :], axis=1), -float("inf"))
    share = tl.where(seen, tl.exp(score - tl.max(score, axis=0)), 0.0)
    result = tl.sum(share[:, None] * v, axis=0) / tl.sum(share, axis=0)
    tl.store(out + query * (HEADS * HEAD) + head * HEAD + dims, result)
    tl.store(keys + base + own_slot * HEAD + dims, tl.where(query == 0, key, later_key))
    tl.store(values + base + own_slot * HEAD + dims, tl.where(query == 0, value, later_value))


@triton.jit
def ring_parts_kernel(
    projected, periods, position, keys, values, parts, sizes, window,
    HEADS: tl.constexpr, HEAD: tl.constexpr, CAPACITY: tl.constexpr, BLOCK: tl.constexpr, SPLITS: tl.constexpr,
    SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """As `two_ring_kernel` for one head and BLOCK slots, both positions: parts [2, SPLITS, HEADS * HEAD] and, for each
    of their numbers, the size of its part, the logarithm of its sum of exponentials. `merged` makes one of them.

    The program whose slots the new positions take writes them. A pair's rotation takes each number and its partner."""
    head, split = tl.program_id(0), tl.program_id(1)
    dims, slots = tl.arange(0, HEAD), split * BLOCK + tl.arange(0, BLOCK)
    width: tl.constexpr = HEADS * HEAD
    base = head * (CAPACITY * HEAD)
    at = base + slots[:, None] * HEAD + dims[None, :]
    start = tl.load(position)
    slot, later_slot = (start % CAPACITY).to(tl.int32), ((start + 1) % CAPACITY).to(tl.int32)
    is_new, is_later = (slots == slot)[:, None], (slots == later_slot)[:, None]
    here = (slots < CAPACITY)[:, None]
    k, v = tl.load(keys + at, mask=here, other=0.0), tl.load(values + at, mask=here, other=0.0)
    frequencies = tl.load(periods + dims // 2)
    angles, later = start.to(tl.float32) * frequencies, (start + 1).to(tl.float32) * frequencies
    cos, later_cos = tl.cos(angles), tl.cos(later)
    sign = tl.where(dims % 2 == 0, -1.0, 1.0)
    sin, later_sin = tl.sin(angles) * sign, tl.sin(later) * sign
    age = (later_slot - slots + CAPACITY) % CAPACITY  # positions since the newer of the two
    seen = (age <= start + 1) & (age < window) & (slots < CAPACITY)
    row, partner = projected + head * HEAD + dims, projected + head * HEAD + (dims ^ 1)
    wait_for_inputs(PDL)
    q = (tl.load(row) * cos + tl.load(partner) * sin) * SCALE
    later_q = (tl.load(row + 3 * width) * later_cos + tl.load(partner + 3 * width) * later_sin) * SCALE
    key = tl.load(row + width) * cos + tl.load(partner + width) * sin
    later_key = tl.load(row + 4 * width) * later_cos + tl.load(partner + 4 * width) * later_sin
    value, later_value = tl.load(row + 2 * width), tl.load(row + 5 * width)
    k = tl.where(is_new, key[None, :], tl.where(is_later, later_key[None, :], k))
    v = tl.where(is_new, value[None, :], tl.where(is_later, later_value[None, :], v))
    score, later_score = two_sums(k * q[None, :], k * later_q[None, :], axis=1)
    score = tl.where(seen & (age >= 1), score, -1e30)  # not infinite: of these slots perhaps none is seen
    later_score = tl.where(seen, later_score, -1e30)
    top, later_top = tl.split(tl.max(tl.join(score, later_score), axis=0))
    share = tl.where(seen & (age >= 1), tl.exp(score - top), 0.0)
    later_share = tl.where(seen, tl.exp(later_score - later_top), 0.0)
    result, later_result = two_sums(share[:, None] * v, later_share[:, None] * v, axis=0)
    total, later_total = two_sums(share, later_share, axis=0)
    total, later_total = tl.maximum(total, 1e-30), tl.maximum(later_total, 1e-30)  # zero where no slot is seen
    place = split * width + head * HEAD + dims
    tl.store(parts + place, result / total)
    tl.store(parts + SPLITS * width + place, later_result / later_total)
    tl.store(sizes + place, top + tl.log(total) + 0.0 * result)
    tl.store(sizes + SPLITS * width + place, later_top + tl.log(later_total) + 0.0 * result)
    if slot // BLOCK == split:
        tl.store(keys + base + slot * HEAD + dims, key)
        tl.store(values + base + slot * HEAD + dims, value)
    if later_slot // BLOCK == split:
        tl.store(keys + base + later_slot * HEAD + dims, later_key)
        tl.store(values + base + later_slot * HEAD + dims, later_value)


class Attended(NamedTuple):
    """Attention in parts by slots, and how much each part counts: the logarithm of its sum of exponentials."""

    parts: Tensor  # [2, S, dim]
    sizes: Tensor  # [2, S, dim]


def two_linear(
    weight: Tensor, x: Tensor | Attended, out: Tensor, launch: Launch, *, norm: tuple[Tensor, Tensor] | None = None,
    gelu: bool = False, scale: Tensor | None = None, pdl: int,
) -> None:  # fmt: skip
    """out [2, N] = x [2, K] @ weight.T, in place; `norm`: LayerNorm of x first; `scale` [N]: out += scale * instead.

    K is a power of two. x may be attention in parts.
    """
    rows, inner = weight.shape
    gain, shift = norm if norm is not None else (weight, weight)
    source, splits = (x, x), 0
    if isinstance(x, Attended):
        source, splits = x, x.parts.shape[1]
    two_linear_kernel[(triton.cdiv(rows, launch.rows),)](
        weight, *source, gain, shift, weight if scale is None else scale, out, rows, inner, launch.rows,
        min(inner, 128), norm is not None, gelu, scale is not None, splits, pdl, num_warps=launch.warps,
        **launch_options(pdl),
    )  # fmt: skip


def two_ring_parts(
    projected: Tensor, periods: Tensor, position: Tensor, keys: Tensor, values: Tensor, window: int, out: Attended, *,
    warps: int = 4, pdl: int,
) -> None:  # fmt: skip
    """Rope, the writes into the rings [H, C, D], and attention in parts, for position and position + 1 -> out.

    Positions are successive: they never share a slot."""
    heads, capacity, head_dim = keys.shape
    splits = out.parts.shape[1]
    assert capacity >= POSITIONS, "both new positions must fit in the ring"
    block = triton.next_power_of_2(triton.cdiv(capacity, splits))
    ring_parts_kernel[(heads, splits)](
        projected, periods, position, keys, values, *out, window, heads, head_dim, capacity, block, splits,
        head_dim**-0.5, pdl, num_warps=warps, **launch_options(pdl),
    )  # fmt: skip


def two_ring_attend(
    projected: Tensor, periods: Tensor, position: Tensor, keys: Tensor, values: Tensor, window: int, out: Tensor, *,
    warps: int = 16, pdl: int,
) -> None:  # fmt: skip
    """Rope, the writes into the rings [H, C, D], and attention, for position and position + 1 -> out [2, H * D].

    Two programs a head, each with the whole ring in registers. Positions are successive: they never share a slot."""
    heads, capacity, head_dim = keys.shape
    assert capacity >= POSITIONS, "both new positions must fit in the ring"
    two_ring_kernel[(heads, POSITIONS)](
        projected, periods, position, keys, values, out, window, heads, head_dim, capacity,
        triton.next_power_of_2(capacity), head_dim**-0.5, pdl, num_warps=warps, **launch_options(pdl),
    )  # fmt: skip
