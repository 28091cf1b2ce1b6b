"""Attention at one new position over a ring that is kept in 8 bits, which it takes in blocks.

The blocks of the ring are dealt to `splits` programs a head in turn. A program takes its first block before it waits
for the projection; one whose share is still empty ends at once; the last of the others merges the parts, always in the
same order. (`kernels_ring8_rows` does without blocks, as `kernels_ring` does for rings in full precision.)

A word of 16 bits holds an even and an odd number of a vector; a vector's scale is applied to its score and to its share
of the mix, not to its numbers. The new key and value are rounded as they are stored and then used so, as a later
position will read them. Its launch shape is what was fastest in blocks for a ring in bfloat16; it was not tuned for
itself. Imports Triton: import this module late.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import launch_options, wait_for_inputs
from engine.kernels_ring import RingScratch
from engine.quantize import Quantized

_TO_WHOLE = tl.constexpr(12582912.0)  # 1.5 * 2^23: what is added to it loses its fraction, halves to the even number


@triton.jit
def load_share(words, scales, slots, pairs, filled, HALF: tl.constexpr):
    """Slots [BLOCK] of a ring: words [BLOCK, HALF], each an even and an odd number, and the slots' scales."""
    inside = slots < filled
    both = tl.load(words + slots[:, None] * HALF + pairs[None, :], mask=inside[:, None], other=0)
    return both.to(tl.int32), tl.load(scales + slots, mask=inside, other=0.0).to(tl.float32)


@triton.jit
def turned(row, pairs, cos, sin, dtype: tl.constexpr):
    """A projected vector after the rope, rounded: its even and its odd numbers [HEAD / 2]."""
    even, odd = tl.load(row + 2 * pairs).to(tl.float32), tl.load(row + 2 * pairs + 1).to(tl.float32)
    return (even * cos - odd * sin).to(dtype), (even * sin + odd * cos).to(dtype)


@triton.jit
def even_numbers(both):
    return ((both << 24) >> 24).to(tl.float32)


@triton.jit
def odd_numbers(both):
    return (both >> 8).to(tl.float32)


@triton.jit
def rounded(even, odd, scale_type: tl.constexpr):
    """A vector's halves in 8 bits, as whole numbers in float32, and its scale as stored."""
    even, odd = even.to(tl.float32), odd.to(tl.float32)
    largest = tl.maximum(tl.max(tl.abs(even), axis=0), tl.max(tl.abs(odd), axis=0))
    bits = (largest / 127).to(tl.int32, bitcast=True)  # to bfloat16 by hand: Triton's interpreter cuts off instead
    wide = ((bits + 0x7FFF + ((bits >> 16) & 1)) & -65536).to(tl.float32, bitcast=True)
    scale = wide.to(scale_type)
    divisor = tl.where(wide == 0, 1.0, wide)
    even = (even / divisor + _TO_WHOLE) - _TO_WHOLE
    odd = (odd / divisor + _TO_WHOLE) - _TO_WHOLE
    return tl.minimum(tl.maximum(even, -127.0), 127.0), tl.minimum(tl.maximum(odd, -127.0), 127.0), scale


@triton.jit
def store_vector(words, scales, slot, pairs, even, odd, scale, HALF: tl.constexpr):
    both = (even.to(tl.int32) & 255) | (odd.to(tl.int32) << 8)
    tl.store(words + slot * HALF + pairs, both.to(tl.int16))
    tl.store(scales + slot, scale)


@triton.jit
def merge(mixes, weights, out, pairs, takers, SPLITS: tl.constexpr, HALF: tl.constexpr):
    """Parts of one head -> out [2 * HALF]: mixes [SPLITS, 2, HALF], weights [SPLITS, 2], the first `takers` of them."""
    every = tl.arange(0, SPLITS)
    took = every < takers
    bests = tl.load(weights + every * 2, mask=took, other=-float("inf"), volatile=True)
    sums = tl.load(weights + every * 2 + 1, mask=took, other=0.0, volatile=True)
    shrinks = tl.exp(bests - tl.max(bests, axis=0))
    whole = tl.sum(sums * shrinks, axis=0)
    at = mixes + every[:, None] * (2 * HALF) + pairs[None, :]
    evens = tl.load(at, mask=took[:, None], other=0.0, volatile=True)
    odds = tl.load(at + HALF, mask=took[:, None], other=0.0, volatile=True)
    dtype: tl.constexpr = out.dtype.element_ty
    tl.store(out + 2 * pairs, (tl.sum(evens * shrinks[:, None], axis=0) / whole).to(dtype))
    tl.store(out + 2 * pairs + 1, (tl.sum(odds * shrinks[:, None], axis=0) / whole).to(dtype))


@triton.jit
def ring8_kernel(
    projected, turns, position, keys, key_scales, values, value_scales, mixes, weights, arrived, out, window,
    HEADS: tl.constexpr, HEAD: tl.constexpr, CAPACITY: tl.constexpr, BLOCK: tl.constexpr, SPLITS: tl.constexpr,
    SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """One head, one share of its ring. keys, values: as int16 [HEADS, CAPACITY, HEAD / 2]; scales [HEADS, CAPACITY].
    mixes [HEADS, SPLITS, 2, HEAD / 2], weights [HEADS, SPLITS, 2] float32 (largest score, sum), arrived [HEADS] int32
    zeros."""
    head, split = tl.program_id(0), tl.program_id(1)
    dtype: tl.constexpr = projected.dtype.element_ty
    scale_type: tl.constexpr = key_scales.dtype.element_ty
    HALF: tl.constexpr = HEAD // 2
    pairs = tl.arange(0, HALF)
    slots = split * BLOCK + tl.arange(0, BLOCK)
    last = tl.load(position)
    filled = tl.minimum(last + 1, CAPACITY).to(tl.int32)
    new_slot = (last % CAPACITY).to(tl.int32)
    wide_head = head.to(tl.int64) * CAPACITY
    keys += wide_head * HALF
    values += wide_head * HALF
    key_scales += wide_head
    value_scales += wide_head
    k_both, k_scale = load_share(keys, key_scales, slots, pairs, filled, HALF)
    v_both, v_scale = load_share(values, value_scales, slots, pairs, filled, HALF)
    if split * BLOCK < filled:
        wait_for_inputs(PDL)
        cos, sin = tl.load(turns + pairs), tl.load(turns + HALF + pairs)
        row = projected + head * HEAD
        q_even, q_odd = turned(row, pairs, cos, sin, dtype)
        q_even, q_odd = q_even.to(tl.float32) * SCALE, q_odd.to(tl.float32) * SCALE
        key_even, key_odd = turned(row + HEADS * HEAD, pairs, cos, sin, dtype)
        key_even, key_odd, new_key_scale = rounded(key_even, key_odd, scale_type)
        value = row + 2 * HEADS * HEAD + 2 * pairs
        value_even, value_odd, new_value_scale = rounded(tl.load(value), tl.load(value + 1), scale_type)
        new_score = tl.sum(key_even * q_even + key_odd * q_odd, axis=0) * new_key_scale.to(tl.float32)
        best, weight = -float("inf"), 0.0
        mixed_even, mixed_odd = tl.zeros((HALF,), tl.float32), tl.zeros((HALF,), tl.float32)
        start = split * BLOCK
        while start < filled:
            is_new = slots == new_slot  # its old key and value are in the blocks still
            age = (new_slot - slots + CAPACITY) % CAPACITY  # frames since the slot was written
            seen = (age <= last) & (age < window) & (slots < CAPACITY)
            dots = even_numbers(k_both) * q_even[None, :] + odd_numbers(k_both) * q_odd[None, :]
            score = tl.sum(dots, axis=1) * k_scale
            score = tl.where(seen, tl.where(is_new, new_score, score), -float("inf"))
            higher = tl.maximum(best, tl.max(score, axis=0))
            shrink = tl.where(higher == -float("inf"), 1.0, tl.exp(best - higher))
            share = tl.where(seen, tl.exp(score - higher), 0.0)
            weight = weight * shrink + tl.sum(share, axis=0)
            new_share = tl.sum(tl.where(is_new, share, 0.0), axis=0) * new_value_scale.to(tl.float32)
            share = (tl.where(is_new, 0.0, share) * v_scale)[:, None]
            mixed_even = mixed_even * shrink + tl.sum(share * even_numbers(v_both), axis=0) + new_share * value_even
            mixed_odd = mixed_odd * shrink + tl.sum(share * odd_numbers(v_both), axis=0) + new_share * value_odd
            best = higher
            start += SPLITS * BLOCK
            slots += SPLITS * BLOCK
            k_both, k_scale = load_share(keys, key_scales, slots, pairs, filled, HALF)
            v_both, v_scale = load_share(values, value_scales, slots, pairs, filled, HALF)
        if (new_slot // BLOCK) % SPLITS == split:
            store_vector(keys, key_scales, new_slot, pairs, key_even, key_odd, new_key_scale, HALF)
            store_vector(values, value_scales, new_slot, pairs, value_even, value_odd, new_value_scale, HALF)
        mixes += head * (SPLITS * HEAD)
        weights += head * (SPLITS * 2)
        tl.store(mixes + split * HEAD + pairs, mixed_even)
        tl.store(mixes + split * HEAD + HALF + pairs, mixed_odd)
        tl.store(weights + split * 2, best)
        tl.store(weights + split * 2 + 1, weight)
        tl.debug_barrier()  # all threads' parts are out before one of them announces it
        takers = tl.minimum(SPLITS, (filled + BLOCK - 1) // BLOCK)
        if tl.atomic_add(arrived + head, 1, sem="acq_rel") == takers - 1:
            merge(mixes, weights, out + head * HEAD, pairs, takers, SPLITS, HALF)
            tl.store(arrived + head, 0)


def ring_attend(
    projected: Tensor, turns: Tensor, position: Tensor, keys: Quantized, values: Quantized, window: int, out: Tensor,
    scratch: RingScratch, *, block: int, warps: int, pdl: int,
) -> None:  # fmt: skip
    """As `kernels_ring.ring_attend`, and as `layers.ring_attention` over such rings: keys, values [H, C, D] int8
    with scales [H, C, 1] bfloat16."""
    heads, capacity, head_dim = keys.values.shape
    ring8_kernel[(heads, scratch.splits)](
        projected, turns, position, keys.values.view(torch.int16), keys.scales, values.values.view(torch.int16),
        values.scales, scratch.mixes, scratch.weights, scratch.arrived, out, window, heads, head_dim, capacity, block,
        scratch.splits, head_dim**-0.5, pdl, num_warps=warps, **launch_options(pdl),
    )  # fmt: skip
