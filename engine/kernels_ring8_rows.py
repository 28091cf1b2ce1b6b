"""`kernels_ring` for a ring that is kept in 8 bits: eight lanes have a whole position, four of them a warp.

A position's score is a product of whole numbers (dp4a): the query too is made of 16 bits, with a unit for every lane's
16 numbers, where bfloat16, in which it comes, has 8. Values are widened by placing their bytes in floats. A vector's
scale is applied to its score and to its share of the mix. What is stored is what `kernels_ring8` stores, and used so.
Imports Triton: import this module late.
"""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import launch_options, wait_for_inputs
from engine.kernels_quantized_parts import quarters
from engine.kernels_quantized_warps import signed_products
from engine.kernels_ring import NOTHING, RingLaunch, RingScratch, merge, mixed_with, shares, takers_of
from engine.quantize import Quantized

REGISTERS = 128  # of a thread: two programs of 8 warps on a multiprocessor; the compiler would take more
_TO_WHOLE = tl.constexpr(12582912.0)  # 1.5 * 2^23: what is added to it loses its fraction, halves to the even number
NATIVE = tl.constexpr(isinstance(merge, triton.runtime.JITFunction))  # Triton's interpreter knows no assembly


@triton.jit
def load_rows(ring, start, rows, places, filled, WORDS: tl.constexpr):
    """Slots from `start` on as words [LANES, GROUPS, ROWS, 4]. rows [1, GROUPS, ROWS, 1], places [LANES, 1, 1, 4] in a
    vector of WORDS."""
    slots = start + rows
    return tl.load(ring + slots * WORDS + places, mask=(slots < filled) & (places >= 0), other=0)


@triton.jit
def load_scales(scales, start, neighbours, lanes, filled):
    """Scales of the same slots [LANES, GROUPS, ROWS, 1]. neighbours [1, GROUPS, 1, ROWS]: those of a group are loaded
    as one, by every lane."""
    slots = start + neighbours + 0 * lanes
    loaded = tl.load(scales + slots, mask=slots < filled, other=0.0).to(tl.float32)
    return tl.reshape(loaded, (loaded.shape[0], loaded.shape[1], loaded.shape[3], 1))


@triton.jit
def load_vector(row, lanes, groups, mask):
    """A projected vector as four [LANES, GROUPS, 4] float32: the numbers of each place in a word."""
    four = tl.arange(0, 4)
    at = lanes * 16 + four[None, None, :, None] * 4 + four[None, None, None, :] + 0 * groups
    numbers = tl.load(row + at, mask=mask & (at >= 0), other=0.0).to(tl.float32)
    return quarters(tl.reshape(numbers, (numbers.shape[0], numbers.shape[1], 4, 2, 2)))


@triton.jit
def load_turns(turns, lanes, groups):
    """cos or sin of the two pairs in a word: two [LANES, GROUPS, 4]."""
    at = lanes * 8 + tl.arange(0, 4)[None, None, :, None] * 2 + tl.arange(0, 2)[None, None, None, :] + 0 * groups
    return tl.split(tl.load(turns + at))


@triton.jit
def turned(a, b, c, d, cos, sin, cos_2, sin_2, dtype: tl.constexpr):
    """After the rope, rounded, in float32."""
    p, q = (a * cos - b * sin).to(dtype), (a * sin + b * cos).to(dtype)
    r, s = (c * cos_2 - d * sin_2).to(dtype), (c * sin_2 + d * cos_2).to(dtype)
    return p.to(tl.float32), q.to(tl.float32), r.to(tl.float32), s.to(tl.float32)


@triton.jit
def largest_of(a, b, c, d):
    """[LANES, GROUPS, 1]: the largest size among a lane's 16 numbers."""
    each = tl.maximum(tl.maximum(tl.abs(a), tl.abs(b)), tl.maximum(tl.abs(c), tl.abs(d)))
    return tl.max(each, axis=2, keep_dims=True)


@triton.jit
def in_two_bytes(a, b, c, d):
    """Four [LANES, GROUPS, 4] in 16 bits: words of upper bytes, with a sign, and of lower ones, without, and the unit
    of each lane [LANES, GROUPS, 1]. As `kernels_quantized_parts.planes`."""
    largest = largest_of(a, b, c, d)
    finer = 32767.0 / tl.maximum(largest, 1e-30)
    p = (a * finer + _TO_WHOLE).to(tl.int32, bitcast=True)
    q = (b * finer + _TO_WHOLE).to(tl.int32, bitcast=True)
    r = (c * finer + _TO_WHOLE).to(tl.int32, bitcast=True)
    s = (d * finer + _TO_WHOLE).to(tl.int32, bitcast=True)
    upper = ((p >> 8) & 0xFF) | (q & 0xFF00) | ((r & 0xFF00) << 8) | ((s & 0xFF00) << 16)
    lower = (p & 0xFF) | ((q & 0xFF) << 8) | ((r & 0xFF) << 16) | (s << 24)
    return upper, lower, largest * (1.0 / 32767.0)


@triton.jit
def rounded(a, b, c, d, scale_type: tl.constexpr):
    """A vector in 8 bits: its numbers, whole, in float32, and its scale [1, GROUPS, 1] as stored and in float32. As
    `kernels_ring8.rounded`."""
    bits = (tl.max(largest_of(a, b, c, d), axis=0, keep_dims=True) / 127).to(tl.int32, bitcast=True)
    wide = ((bits + 0x7FFF + ((bits >> 16) & 1)) & -65536).to(tl.float32, bitcast=True)
    divisor = tl.where(wide == 0, 1.0, wide)
    return (
        whole(a / divisor), whole(b / divisor), whole(c / divisor), whole(d / divisor), wide.to(scale_type), wide
    )  # fmt: skip


@triton.jit
def whole(number):
    return tl.minimum(tl.maximum((number + _TO_WHOLE) - _TO_WHOLE, -127.0), 127.0)


@triton.jit
def store_vector(ring, scales, slot, places, a, b, c, d, scale, once, WORDS: tl.constexpr):
    """places [LANES, 1, 4]; once: which [GROUPS] stores."""
    low = (a.to(tl.int32) & 0xFF) | ((b.to(tl.int32) & 0xFF) << 8)
    high = ((c.to(tl.int32) & 0xFF) << 16) | (d.to(tl.int32) << 24)
    tl.store(ring + slot * WORDS + places + 0 * a.to(tl.int32), low | high, mask=once & (places >= 0))
    tl.store(scales + slot + 0 * scale.to(tl.int32), scale, mask=once)


@triton.jit
def four_numbers(words):
    """Words of four signed bytes -> float32 of every place in the word."""
    if NATIVE:
        a, b, c, d = tl.inline_asm_elementwise(
            """{ .reg .b32 biased; xor.b32 biased, $4, 0x80808080;
            prmt.b32 $0, biased, 0x4B000000, 0x7440; prmt.b32 $1, biased, 0x4B000000, 0x7441;
            prmt.b32 $2, biased, 0x4B000000, 0x7442; prmt.b32 $3, biased, 0x4B000000, 0x7443; }""",
            "=&r,=&r,=&r,=&r,r", [words], dtype=(tl.float32, tl.float32, tl.float32, tl.float32), is_pure=True, pack=1,
        )  # fmt: skip
        return a - 8388736.0, b - 8388736.0, c - 8388736.0, d - 8388736.0
    else:
        return (
            ((words << 24) >> 24).to(tl.float32), ((words << 16) >> 24).to(tl.float32),
            ((words << 8) >> 24).to(tl.float32), (words >> 24).to(tl.float32),
        )  # fmt: skip


@triton.jit
def scores(words, scale, upper, lower, unit, slots, new_slot, filled, window, CAPACITY: tl.constexpr):
    """[1, GROUPS, ROWS, 1]: in powers of two; -inf for slots that hold nothing, or what the newest one replaces."""
    age = new_slot - slots  # frames since the slot was written
    age = tl.where(age <= 0, age + CAPACITY, age)
    products = signed_products(words, upper, lower)[:, :, :, None] * unit[:, :, :, None]
    score = tl.sum(products * scale, axis=0, keep_dims=True)
    return tl.where((slots < filled) & (age < window), score, -float("inf"))


@triton.jit
def five_sums(a, b, c, d, e, f, g, h, i, j):
    return a + f, b + g, c + h, d + i, e + j


@triton.jit
def rows8_kernel(
    projected, turns, position, keys, key_scales, values, value_scales, mixes, weights, arrived, out, window,
    HEADS: tl.constexpr, HEAD: tl.constexpr, CAPACITY: tl.constexpr, ROWS: tl.constexpr, GROUPS: tl.constexpr,
    SPLITS: tl.constexpr, AHEAD: tl.constexpr, SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """One head, one share of its ring. keys, values: as int32 [HEADS, CAPACITY, HEAD / 4]; scales [HEADS, CAPACITY];
    mixes, weights, arrived as in `kernels_ring.ring_kernel`, but a part's numbers by their place in a word."""
    head, split = tl.program_id(0), tl.program_id(1)
    dtype: tl.constexpr = out.dtype.element_ty
    scale_type: tl.constexpr = key_scales.dtype.element_ty
    WORDS: tl.constexpr = HEAD // 4
    STEP: tl.constexpr = ROWS * GROUPS
    NEXT: tl.constexpr = SPLITS * STEP  # from one step of a program to its next
    lanes = tl.arange(0, HEAD // 16)[:, None, None, None]
    groups = tl.arange(0, GROUPS)[None, :, None, None]
    places = lanes * 4 + tl.arange(0, 4)[None, None, None, :]
    rows = groups * ROWS + tl.arange(0, ROWS)[None, None, :, None]
    neighbours = groups * ROWS + tl.arange(0, ROWS)[None, None, None, :]
    last = tl.load(position)
    filled = tl.minimum(last, CAPACITY).to(tl.int32)  # without the newest position
    new_slot = last.to(tl.int32) % CAPACITY
    wide_head = head.to(tl.int64) * CAPACITY
    keys += wide_head * WORDS
    values += wide_head * WORDS
    key_scales += wide_head
    value_scales += wide_head
    start = split * STEP
    k = load_rows(keys, start, rows, places, filled, WORDS)
    k_scale = load_scales(key_scales, start, neighbours, lanes, filled)
    v = load_rows(values, start, rows, places, filled, WORDS)
    v_scale = load_scales(value_scales, start, neighbours, lanes, filled)
    if AHEAD == 2:
        k_2 = load_rows(keys, start + NEXT, rows, places, filled, WORDS)
        k_scale_2 = load_scales(key_scales, start + NEXT, neighbours, lanes, filled)
        v_2 = load_rows(values, start + NEXT, rows, places, filled, WORDS)
        v_scale_2 = load_scales(value_scales, start + NEXT, neighbours, lanes, filled)
    takers = takers_of(filled, SPLITS, STEP)
    if split < takers:
        wait_for_inputs(PDL)
        first = split == 0
        row = projected + head * HEAD
        cos, cos_2 = load_turns(turns, lanes, groups)
        sin, sin_2 = load_turns(turns + HEAD // 2, lanes, groups)
        q_a, q_b, q_c, q_d = load_vector(row, lanes, groups, True)
        k_a, k_b, k_c, k_d = load_vector(row + HEADS * HEAD, lanes, groups, first)
        v_a, v_b, v_c, v_d = load_vector(row + 2 * HEADS * HEAD, lanes, groups, first)
        q_a, q_b, q_c, q_d = turned(q_a, q_b, q_c, q_d, cos, sin, cos_2, sin_2, dtype)
        q_a, q_b, q_c, q_d = q_a * SCALE, q_b * SCALE, q_c * SCALE, q_d * SCALE
        upper, lower, unit = in_two_bytes(q_a, q_b, q_c, q_d)
        best = tl.full((1, GROUPS, 1, 1), NOTHING, tl.float32)
        weight = tl.zeros((1, GROUPS, 1, 1), tl.float32)
        mixed_a = tl.zeros((HEAD // 16, GROUPS, 1, 4), tl.float32)
        mixed_b, mixed_c, mixed_d = mixed_a, mixed_a, mixed_a
        if first:  # the newest position belongs to the first group of the first program
            k_a, k_b, k_c, k_d = turned(k_a, k_b, k_c, k_d, cos, sin, cos_2, sin_2, dtype)
            k_a, k_b, k_c, k_d, stored, wide = rounded(k_a, k_b, k_c, k_d, scale_type)
            score = tl.sum(k_a * q_a + k_b * q_b + k_c * q_c + k_d * q_d, axis=2, keep_dims=True)
            score = (tl.sum(score, axis=0, keep_dims=True) * wide)[:, :, :, None]
            stores = tl.arange(0, GROUPS)[None, :, None] == 0
            inside = tl.arange(0, HEAD // 16)[:, None, None] * 4 + tl.arange(0, 4)[None, None, :]
            store_vector(keys, key_scales, new_slot, inside, k_a, k_b, k_c, k_d, stored, stores, WORDS)
            v_a, v_b, v_c, v_d, stored, wide = rounded(v_a, v_b, v_c, v_d, scale_type)
            store_vector(values, value_scales, new_slot, inside, v_a, v_b, v_c, v_d, stored, stores, WORDS)
            best, weight = tl.where(groups == 0, score, NOTHING), tl.where(groups == 0, 1.0, 0.0)
            mixed_a = tl.where(groups == 0, (v_a * wide)[:, :, None, :], 0.0)
            mixed_b = tl.where(groups == 0, (v_b * wide)[:, :, None, :], 0.0)
            mixed_c = tl.where(groups == 0, (v_c * wide)[:, :, None, :], 0.0)
            mixed_d = tl.where(groups == 0, (v_d * wide)[:, :, None, :], 0.0)
        while start < filled:
            score = scores(k, k_scale, upper, lower, unit, start + rows, new_slot, filled, window, CAPACITY)
            k = load_rows(keys, start + AHEAD * NEXT, rows, places, filled, WORDS)
            k_scale = load_scales(key_scales, start + AHEAD * NEXT, neighbours, lanes, filled)
            best, weight, shrink, share = shares(score, best, weight, 2)
            share *= v_scale
            a, b, c, d = four_numbers(v)
            mixed_a, mixed_b = mixed_with(mixed_a, shrink, share, a, 2), mixed_with(mixed_b, shrink, share, b, 2)
            mixed_c, mixed_d = mixed_with(mixed_c, shrink, share, c, 2), mixed_with(mixed_d, shrink, share, d, 2)
            v = load_rows(values, start + AHEAD * NEXT, rows, places, filled, WORDS)
            v_scale = load_scales(value_scales, start + AHEAD * NEXT, neighbours, lanes, filled)
            start += NEXT
            if AHEAD == 2:
                if start < filled:
                    score = scores(k_2, k_scale_2, upper, lower, unit, start + rows, new_slot, filled, window, CAPACITY)
                    k_2 = load_rows(keys, start + 2 * NEXT, rows, places, filled, WORDS)
                    k_scale_2 = load_scales(key_scales, start + 2 * NEXT, neighbours, lanes, filled)
                    best, weight, shrink, share = shares(score, best, weight, 2)
                    share *= v_scale_2
                    a, b, c, d = four_numbers(v_2)
                    mixed_a = mixed_with(mixed_a, shrink, share, a, 2)
                    mixed_b = mixed_with(mixed_b, shrink, share, b, 2)
                    mixed_c = mixed_with(mixed_c, shrink, share, c, 2)
                    mixed_d = mixed_with(mixed_d, shrink, share, d, 2)
                    v_2 = load_rows(values, start + 2 * NEXT, rows, places, filled, WORDS)
                    v_scale_2 = load_scales(value_scales, start + 2 * NEXT, neighbours, lanes, filled)
                start += NEXT
        top = tl.max(best, axis=1, keep_dims=True)
        shrink = tl.exp2(best - top)
        weight, mixed_a, mixed_b, mixed_c, mixed_d = tl.reduce(
            (tl.broadcast_to(weight * shrink, mixed_a.shape), mixed_a * shrink, mixed_b * shrink, mixed_c * shrink,
             mixed_d * shrink), 1, five_sums, keep_dims=True,
        )  # fmt: skip
        mixes += (head * SPLITS + split) * HEAD
        once = (groups == 0) & (places >= 0)
        at = places + 0 * groups
        tl.store(mixes + at, tl.broadcast_to(mixed_a, at.shape), mask=once)
        tl.store(mixes + WORDS + at, tl.broadcast_to(mixed_b, at.shape), mask=once)
        tl.store(mixes + 2 * WORDS + at, tl.broadcast_to(mixed_c, at.shape), mask=once)
        tl.store(mixes + 3 * WORDS + at, tl.broadcast_to(mixed_d, at.shape), mask=once)
        weights += (head * SPLITS + split) * 4
        tl.store(weights + at, tl.where(places == 0, top, weight) + 0.0 * groups, mask=once & (places < 2))
        tl.debug_barrier()  # all threads' parts are out before one of them announces it
        if tl.atomic_add(arrived + head, 1, sem="acq_rel") == takers - 1:
            merge(mixes - split * HEAD, weights - split * 4, out + head * HEAD, takers, SPLITS, HEAD, 4)
            tl.store(arrived + head, 0)


def ring_attend(
    projected: Tensor, turns: Tensor, position: Tensor, keys: Quantized, values: Quantized, window: int, out: Tensor,
    scratch: RingScratch, launch: RingLaunch, *, pdl: int,
) -> None:  # fmt: skip
    """As `kernels_ring8.ring_attend`; head dimension at least 16."""
    heads, capacity, head_dim = keys.values.shape
    assert projected.dtype == out.dtype and launch.ahead in (1, 2)
    groups = max(1, launch.warps * 512 // head_dim)  # a lane has 16 numbers of a vector
    rows8_kernel[(heads, scratch.splits)](
        projected, turns, position, keys.values.view(torch.int32), keys.scales, values.values.view(torch.int32),
        values.scales, scratch.mixes, scratch.weights, scratch.arrived, out, min(window, capacity), heads, head_dim,
        capacity, launch.rows, groups, scratch.splits, launch.ahead, head_dim**-0.5 * math.log2(math.e), pdl,
        num_warps=launch.warps, maxnreg=REGISTERS, **launch_options(pdl),
    )  # fmt: skip
