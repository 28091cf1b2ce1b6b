"""Triton kernels for the codec's latents: its transformers at two positions a frame.

The weights are read once for both positions. Everything is float32, as the codec is (facts: mimi.md). The plain
PyTorch is `engine.mimi`; the tests run both. Imports Triton: import this module late.
"""

from __future__ import annotations

from typing import NamedTuple

import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import Launch, launch_options, wait_for_inputs

POSITIONS = 2  # latents of a frame


@triton.jit
def rotate(row, cos, sin, HEAD: tl.constexpr):
    """Interleaved pairs of row [HEAD] float32 turned by the angles of cos, sin [HEAD / 2]; in row's order."""
    real, imaginary = tl.split(tl.reshape(row, (HEAD // 2, 2)))
    return tl.interleave(real * cos - imaginary * sin, real * sin + imaginary * cos)


@triton.jit
def layer_norm(v, weight, bias, K: tl.constexpr):
    """v [K] normed as LayerNorm does, eps 1e-5; weight and bias [K] in registers."""
    centred = v - tl.sum(v, axis=0) / K
    return centred * tl.rsqrt(tl.sum(centred * centred, axis=0) / K + 1e-5) * weight + bias


@triton.jit
def two_linear_kernel(
    weight, x, norm_weight, norm_bias, scale, parts, parts_scale, renewed, held, out,
    N: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr, NORM: tl.constexpr, GELU: tl.constexpr, ADD: tl.constexpr,
    PARTS: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out [2, N] = W x for both rows of x [2, K]: normed first (NORM), then GELU, or scaled and added to held (ADD).

    PARTS: to x is first added the scaled sum of so many parts [PARTS, 2, K]; the first program leaves it in renewed.
    """
    k = tl.arange(0, K)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = rows < N
    w = tl.load(weight + rows[:, None] * K + k[None, :], mask=inside[:, None], other=0.0)
    if NORM:
        gain, shift = tl.load(norm_weight + k), tl.load(norm_bias + k)
    if ADD:
        size = tl.load(scale + rows, mask=inside, other=0.0)
    if PARTS > 0:
        parts_size = tl.load(parts_scale + k)
    wait_for_inputs(PDL)
    first, second = tl.load(x + k), tl.load(x + K + k)
    if ADD:
        held_first = tl.load(held + rows, mask=inside, other=0.0)
        held_second = tl.load(held + N + rows, mask=inside, other=0.0)
    if PARTS > 0:
        at = parts + tl.arange(0, PARTS)[:, None] * (2 * K) + k[None, :]
        first += parts_size * tl.sum(tl.load(at), axis=0)
        second += parts_size * tl.sum(tl.load(at + K), axis=0)
        if tl.program_id(0) == 0:
            tl.store(renewed + k, first)
            tl.store(renewed + K + k, second)
    if NORM:
        first, second = layer_norm(first, gain, shift, K), layer_norm(second, gain, shift, K)
    a, b = tl.sum(w * first[None, :], axis=1), tl.sum(w * second[None, :], axis=1)
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
def attend_project_kernel(
    projected, periods, position, keys, values, weight, parts, window,
    HEADS: tl.constexpr, HEAD: tl.constexpr, CAPACITY: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
    SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """As `two_ring_kernel` for both positions, and what the head adds to ROWS rows of the output projection.

    The programs of a head each repeat its attention, whose ring they hold before their inputs are there; the first of
    them writes the new slots, which no other reads."""
    head, part = tl.program_id(0), tl.program_id(1)
    dims, pairs, slots = tl.arange(0, HEAD), tl.arange(0, HEAD // 2), tl.arange(0, BLOCK)
    width: tl.constexpr = HEADS * HEAD
    base = head * (CAPACITY * HEAD)
    at = base + slots[:, None] * HEAD + dims[None, :]
    start = tl.load(position)
    slot, later_slot = (start % CAPACITY).to(tl.int32), ((start + 1) % CAPACITY).to(tl.int32)
    is_new, is_later = slots == slot, slots == later_slot
    here = ((slots < CAPACITY) & (is_new == 0) & (is_later == 0))[:, None]
    k, v = tl.load(keys + at, mask=here, other=0.0), tl.load(values + at, mask=here, other=0.0)
    rows = part * ROWS + tl.arange(0, ROWS)
    w = tl.load(weight + rows[:, None] * width + head * HEAD + dims[None, :])
    frequencies = tl.load(periods + pairs)
    angles, later = start.to(tl.float32) * frequencies, (start + 1).to(tl.float32) * frequencies
    cos, sin, later_cos, later_sin = tl.cos(angles), tl.sin(angles), tl.cos(later), tl.sin(later)
    age = (later_slot - slots + CAPACITY) % CAPACITY  # positions since the newer of the two
    seen = (age <= start + 1) & (age < window) & (slots < CAPACITY)
    wait_for_inputs(PDL)
    row = projected + head * HEAD + dims
    q, later_q = tl.load(row), tl.load(row + 3 * width)
    key, later_key = tl.load(row + width), tl.load(row + 4 * width)
    value, later_value = tl.load(row + 2 * width), tl.load(row + 5 * width)
    q, later_q = rotate(q, cos, sin, HEAD) * SCALE, rotate(later_q, later_cos, later_sin, HEAD) * SCALE
    key, later_key = rotate(key, cos, sin, HEAD), rotate(later_key, later_cos, later_sin, HEAD)
    if part == 0:
        tl.store(keys + base + slot * HEAD + dims, key)
        tl.store(keys + base + later_slot * HEAD + dims, later_key)
        tl.store(values + base + slot * HEAD + dims, value)
        tl.store(values + base + later_slot * HEAD + dims, later_value)
    k = tl.where(is_new[:, None], key[None, :], tl.where(is_later[:, None], later_key[None, :], k))
    v = tl.where(is_new[:, None], value[None, :], tl.where(is_later[:, None], later_value[None, :], v))
    result = attended(k, v, q, seen & (age >= 1))
    tl.store(parts + head * (2 * width) + rows, tl.sum(w * result[None, :], axis=1))
    result = attended(k, v, later_q, seen)
    tl.store(parts + head * (2 * width) + width + rows, tl.sum(w * result[None, :], axis=1))


@triton.jit
def attended(k, v, q, seen):
    """k, v [BLOCK, HEAD] weighed by the softmax of their scores for the scaled q [HEAD] -> [HEAD]"""
    score = tl.where(seen, tl.sum(k * q[None, :], axis=1), -float("inf"))
    share = tl.where(seen, tl.exp(score - tl.max(score, axis=0)), 0.0)
    return tl.sum(share[:, None] * v, axis=0) / tl.sum(share, axis=0)


class Renewal(NamedTuple):
    """What is still to be added to x [2, K] before it is used: scale [K] times the sum of parts [P, 2, K]; where the
    sum goes, not in place."""

    parts: Tensor
    scale: Tensor
    out: Tensor


def two_linear(
    weight: Tensor, x: Tensor, out: Tensor, launch: Launch, *, norm: tuple[Tensor, Tensor] | None = None,
    gelu: bool = False, scale: Tensor | None = None, held: Tensor | None = None, renew: Renewal | None = None, pdl: int,
) -> None:  # fmt: skip
    """out [2, N] = x [2, K] @ weight.T, in place; `norm`: LayerNorm of x first; `scale` [N]: out = held + scale *
    instead, `held` [2, N] being out where not given; `renew`: x is first renewed.

    K and the number of parts are powers of two.
    """
    rows, inner = weight.shape
    gain, shift = norm if norm is not None else (weight, weight)
    parts = renew or Renewal(weight, weight, out)
    two_linear_kernel[(triton.cdiv(rows, launch.rows),)](
        weight, x, gain, shift, weight if scale is None else scale, *parts, out if held is None else held, out, rows,
        inner, launch.rows, norm is not None, gelu, scale is not None, 0 if renew is None else renew.parts.shape[0],
        pdl, num_warps=launch.warps, **launch_options(pdl),
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


def attend_project(
    projected: Tensor, periods: Tensor, position: Tensor, keys: Tensor, values: Tensor, window: int, weight: Tensor,
    parts: Tensor, *, rows: int, warps: int = 16, pdl: int,
) -> None:  # fmt: skip
    """As `two_ring_attend`, then the output projection weight [dim, dim]: what each head adds -> parts [H, 2, dim].

    `rows` of the projection a program; a divisor of dim.
    """
    heads, capacity, head_dim = keys.shape
    assert capacity >= POSITIONS, "both new positions must fit in the ring"
    attend_project_kernel[(heads, weight.shape[0] // rows)](
        projected, periods, position, keys, values, weight, parts, window, heads, head_dim, capacity,
        triton.next_power_of_2(capacity), rows, head_dim**-0.5, pdl, num_warps=warps, **launch_options(pdl),
    )  # fmt: skip
