"""Triton kernels for attention at one new position: the temporal ring, read only as far as it is filled.

The position is on the device, so the same launch serves the first frame and the thousandth, eager and graph alike. The
number of programs is fixed: the blocks of the ring are dealt to `splits` programs a head in turn. A program takes its
first block before it waits for the projection; one whose share is still empty ends at once; the last of the others
merges the parts, always in the same order.

Each kernel stands beside its plain PyTorch. Imports Triton: import this module late.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import Launch, launch_options, wait_for_inputs
from engine.layers import ring_attention, rope


@triton.jit
def load_share(ring, slots, pairs, filled, HEAD: tl.constexpr, PACKED: tl.constexpr):
    """Slots [BLOCK] of a ring of words as two tensors [BLOCK, HEAD / 2]: the even and the odd numbers of each vector.

    PACKED: a word holds two bfloat16, an even and an odd one, and stands for both: taken apart they would fill twice
    the registers."""
    inside = (slots < filled)[:, None]
    if PACKED:
        both = tl.load(ring + slots[:, None] * (HEAD // 2) + pairs[None, :], mask=inside, other=0)
        return both, both
    else:
        at = ring + slots[:, None] * HEAD + 2 * pairs[None, :]
        return tl.load(at, mask=inside, other=0), tl.load(at + 1, mask=inside, other=0)


@triton.jit
def wide(even, odd, PACKED: tl.constexpr):
    """What `load_share` returned, in float32."""
    if PACKED:
        even, odd = even << 16, odd & -65536
    return even.to(tl.float32, bitcast=True), odd.to(tl.float32, bitcast=True)


@triton.jit
def turned(row, pairs, cos, sin, dtype: tl.constexpr):
    """A projected vector after the rope, rounded: its even and its odd numbers [HEAD / 2]."""
    even, odd = tl.load(row + 2 * pairs).to(tl.float32), tl.load(row + 2 * pairs + 1).to(tl.float32)
    return (even * cos - odd * sin).to(dtype), (even * sin + odd * cos).to(dtype)


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
def ring_kernel(
    projected, turns, position, keys, values, key_words, value_words, mixes, weights, arrived, out, window,
    HEADS: tl.constexpr, HEAD: tl.constexpr, CAPACITY: tl.constexpr, BLOCK: tl.constexpr, SPLITS: tl.constexpr,
    SCALE: tl.constexpr, PACKED: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """One head, one share of its ring. key_words, value_words: keys and values as int32. mixes [HEADS, SPLITS, 2,
    HEAD / 2], weights [HEADS, SPLITS, 2] float32 (largest score, sum), arrived [HEADS] int32 zeros."""
    head, split = tl.program_id(0), tl.program_id(1)
    dtype: tl.constexpr = keys.dtype.element_ty
    HALF: tl.constexpr = HEAD // 2
    pairs = tl.arange(0, HALF)
    slots = split * BLOCK + tl.arange(0, BLOCK)
    # The rings hold earlier frames, which are long done; so is the position of this one.
    last = tl.load(position)
    filled = tl.minimum(last + 1, CAPACITY).to(tl.int32)
    new_slot = (last % CAPACITY).to(tl.int32)
    words = head.to(tl.int64) * (CAPACITY * HALF * (1 if PACKED else 2))
    key_words += words
    value_words += words
    k_even, k_odd = load_share(key_words, slots, pairs, filled, HEAD, PACKED)
    v_even, v_odd = load_share(value_words, slots, pairs, filled, HEAD, PACKED)
    if split * BLOCK < filled:
        wait_for_inputs(PDL)
        cos, sin = tl.load(turns + pairs), tl.load(turns + HALF + pairs)
        row = projected + head * HEAD
        q_even, q_odd = turned(row, pairs, cos, sin, dtype)
        key_even, key_odd = turned(row + HEADS * HEAD, pairs, cos, sin, dtype)
        value = row + 2 * HEADS * HEAD + 2 * pairs
        value_even, value_odd = tl.load(value).to(dtype), tl.load(value + 1).to(dtype)
        q_even, q_odd = q_even.to(tl.float32) * SCALE, q_odd.to(tl.float32) * SCALE
        new_score = tl.sum(key_even.to(tl.float32) * q_even + key_odd.to(tl.float32) * q_odd, axis=0)
        best, weight = -float("inf"), 0.0
        mixed_even, mixed_odd = tl.zeros((HALF,), tl.float32), tl.zeros((HALF,), tl.float32)
        start = split * BLOCK
        while start < filled:
            is_new = slots == new_slot  # its old key and value are in the blocks still
            age = (new_slot - slots + CAPACITY) % CAPACITY  # frames since the slot was written
            seen = (age <= last) & (age < window) & (slots < CAPACITY)
            even, odd = wide(k_even, k_odd, PACKED)
            score = tl.sum(even * q_even[None, :] + odd * q_odd[None, :], axis=1)
            score = tl.where(seen, tl.where(is_new, new_score, score), -float("inf"))
            higher = tl.maximum(best, tl.max(score, axis=0))
            shrink = tl.where(higher == -float("inf"), 1.0, tl.exp(best - higher))
            share = tl.where(seen, tl.exp(score - higher), 0.0)
            weight = weight * shrink + tl.sum(share, axis=0)
            new_share = tl.sum(tl.where(is_new, share, 0.0), axis=0)
            share = tl.where(is_new, 0.0, share)[:, None]
            even, odd = wide(v_even, v_odd, PACKED)
            mixed_even = mixed_even * shrink + tl.sum(share * even, axis=0) + new_share * value_even.to(tl.float32)
            mixed_odd = mixed_odd * shrink + tl.sum(share * odd, axis=0) + new_share * value_odd.to(tl.float32)
            best = higher
            start += SPLITS * BLOCK
            slots += SPLITS * BLOCK
            k_even, k_odd = load_share(key_words, slots, pairs, filled, HEAD, PACKED)
            v_even, v_odd = load_share(value_words, slots, pairs, filled, HEAD, PACKED)
        if (new_slot // BLOCK) % SPLITS == split:
            new = head.to(tl.int64) * CAPACITY * HEAD + new_slot * HEAD + 2 * pairs
            tl.store(keys + new, key_even)
            tl.store(keys + new + 1, key_odd)
            tl.store(values + new, value_even)
            tl.store(values + new + 1, value_odd)
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


class RingScratch:
    """Memory between the programs of `ring_attend`; one serves all layers, since layers follow one another."""

    def __init__(self, heads: int, head_dim: int, splits: int, device: torch.device | str) -> None:
        assert splits & (splits - 1) == 0, "the splits are merged as one block, so they must be a power of two"
        self.splits = splits
        self.mixes = torch.zeros(heads, splits, head_dim, device=device)
        self.weights = torch.zeros(heads, splits, 4, device=device)  # room for either form of the kernel
        self.arrived = torch.zeros(heads, dtype=torch.int32, device=device)


def ring_attend(
    projected: Tensor, turns: Tensor, position: Tensor, keys: Tensor, values: Tensor, window: int, out: Tensor,
    scratch: RingScratch, *, block: int, warps: int, pdl: int,
) -> None:  # fmt: skip
    """Rope, the write into the rings, and attention over what they hold, for one position.

    projected [3 * H * D] packed q | k | v; turns [2, D / 2] float32 (`rope_turns`); position [1] int64;
    keys, values [H, C, D] bfloat16 or float32; window as in `layers.ring_attention` -> out [H * D], in place.
    """
    heads, capacity, head_dim = keys.shape
    ring_kernel[(heads, scratch.splits)](
        projected, turns, position, keys, values, keys.view(torch.int32), values.view(torch.int32), scratch.mixes,
        scratch.weights, scratch.arrived, out, window, heads, head_dim, capacity, block, scratch.splits,
        head_dim**-0.5, keys.dtype == torch.bfloat16, pdl, num_warps=warps, **launch_options(pdl),
    )  # fmt: skip


def ring_attend_reference(
    projected: Tensor, position: Tensor, keys: Tensor, values: Tensor, window: int, max_period: float
) -> Tensor:
    """What `ring_attend` leaves in out; writes the rings alike."""
    heads, _, head_dim = keys.shape
    q, k, v = projected.view(3, 1, heads, 1, head_dim)
    positions = position.view(1, 1)
    q, k = rope(q, positions, max_period), rope(k, positions, max_period)
    return ring_attention(q, k, v, keys[None], values[None], positions, window).reshape(-1)


def rope_turns(position: Tensor, head_dim: int, max_period: float) -> Tensor:
    """cos and sin of a position's angles, once for all layers: position [1] -> [2, head_dim / 2] float32."""
    half = head_dim // 2
    steps = torch.arange(half, device=position.device, dtype=torch.float32)
    angles = position.float() * torch.exp(steps * (-math.log(max_period) / half))
    return torch.stack((angles.cos(), angles.sin()))


# ---------------------------------------------------------------- depth: this frame's few steps


@triton.jit
def depth_attend_kernel(
    weight, query, keys, values, x, step,
    HEADS: tl.constexpr, HEAD: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
    SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """x[n] += W[n] . attention(query, keys, values): every program attends for itself, which is cheaper than a launch.

    query [HEADS, HEAD]; keys, values [HEADS, STEPS, HEAD], filled up to and with `step`; BLOCK: at least step + 1.
    """
    dtype = x.dtype.element_ty
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, HEADS * HEAD)
    tile = tl.load(weight + rows[:, None] * (HEADS * HEAD) + columns[None, :])
    wait_for_inputs(PDL)
    heads, dims, steps = tl.arange(0, HEADS), tl.arange(0, HEAD), tl.arange(0, BLOCK)
    q = tl.load(query + heads[:, None] * HEAD + dims[None, :]).to(tl.float32) * SCALE
    at = steps[:, None, None] * HEAD + heads[None, :, None] * (STEPS * HEAD) + dims[None, None, :]
    seen = steps <= step
    held = tl.load(x + rows).to(tl.float32)
    k = tl.load(keys + at, mask=seen[:, None, None], other=0.0).to(tl.float32)
    v = tl.load(values + at, mask=seen[:, None, None], other=0.0).to(tl.float32)
    score = tl.where(seen[:, None], tl.sum(k * q[None, :, :], axis=2), -float("inf"))  # [BLOCK, HEADS]
    share = tl.exp(score - tl.max(score, axis=0)[None, :])
    share = share / tl.sum(share, axis=0)[None, :]
    mixed = tl.reshape(tl.sum(share[:, :, None] * v, axis=0), (HEADS * HEAD,)).to(dtype).to(tl.float32)
    y = tl.sum(tile.to(tl.float32) * mixed[None, :], axis=1).to(dtype).to(tl.float32)
    tl.store(x + rows, (held + y).to(dtype))


def depth_attend_add(
    weight: Tensor, query: Tensor, keys: Tensor, values: Tensor, x: Tensor, step: int, launch: Launch, *, pdl: int
) -> None:
    """x [d] += weight [d, d] @ attention of query [d] over steps 0..step of keys, values [H, S, d / H], in place.

    No place in the rings after `step` is looked at: there is a kernel for every power of two of steps."""
    heads, steps, head_dim = keys.shape
    assert x.shape[0] % launch.rows == 0, "rows of a tile must divide the rows"
    depth_attend_kernel[(x.shape[0] // launch.rows,)](
        weight, query, keys, values, x, step, heads, head_dim, steps, triton.next_power_of_2(step + 1), launch.rows,
        head_dim**-0.5, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def depth_attend_reference(weight: Tensor, query: Tensor, keys: Tensor, values: Tensor, x: Tensor, step: int) -> Tensor:
    """What `depth_attend_add` leaves in x."""
    heads, _, head_dim = keys.shape
    q = query.view(1, heads, 1, head_dim)
    attended = F.scaled_dot_product_attention(q, keys[None, :, : step + 1], values[None, :, : step + 1])
    return x + F.linear(attended.reshape(-1), weight)
