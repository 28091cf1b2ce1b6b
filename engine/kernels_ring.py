"""Triton kernel for attention at one new position: the temporal ring, read only as far as it is filled.

The position is on the device, so the same launch serves the first frame and the thousandth, eager and graph alike. The
number of programs is fixed: the ring is dealt to the programs of a head step by step, in turn; one whose share is still
empty ends at once.

What it is made for is that little waits. A group of lanes has whole keys and whole values and keeps a softmax of its
own, so the loop over the ring has no barrier; groups meet once, at the end. One or two steps of the ring are in
registers before the wait for the projection: only the query and the newest position come after it. The newest position
is never read from the ring: the first program of a head begins with it. The programs leave parts in powers of two; the
last of them merges the parts, always in the same order.

Also what the kernels for rings in 8 bits share with this one. The plain PyTorch stands beside it. Imports Triton:
import this module late.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import launch_options, wait_for_inputs
from engine.layers import ring_attention, rope

NOTHING = tl.constexpr(-1e30)  # below every score, and finite: the difference of two is a number


class RingLaunch(NamedTuple):
    """How the ring is read. rows: positions of a group of lanes at a time; ahead: steps of as many, 1 or 2, that are in
    registers before the wait; warps of one program. How many programs a head has is its scratch's."""

    rows: int
    ahead: int
    warps: int


@triton.jit
def load_rows(ring, slots, pairs, filled, HEAD: tl.constexpr, PACKED: tl.constexpr):
    """Slots [GROUPS, ROWS, 1] of a ring of words as two tensors [GROUPS, ROWS, HEAD / 2]: the even and the odd numbers
    of each vector.

    PACKED: a word holds two bfloat16, an even and an odd one, and stands for both: taken apart they would fill twice
    the registers."""
    inside = (slots < filled) & (pairs >= 0)
    if PACKED:
        both = tl.load(ring + slots * (HEAD // 2) + pairs, mask=inside, other=0)
        return both, both
    else:
        at = ring + slots * HEAD + 2 * pairs
        return tl.load(at, mask=inside, other=0), tl.load(at + 1, mask=inside, other=0)


@triton.jit
def wide(even, odd, PACKED: tl.constexpr):
    """What `load_rows` returned, in float32."""
    if PACKED:
        even, odd = even << 16, odd & -65536
    return even.to(tl.float32, bitcast=True), odd.to(tl.float32, bitcast=True)


@triton.jit
def load_row(row, places, mask, HEAD: tl.constexpr, PACKED: tl.constexpr):
    """One vector of words, the same for every group: its even and its odd numbers in float32. places [GROUPS, 1,
    HEAD / 2]: asked for in this shape it comes to every lane as the ring's vectors lie."""
    if PACKED:
        both = tl.load(row + places, mask=mask, other=0)
        return wide(both, both, PACKED)
    else:
        even, odd = tl.load(row + 2 * places, mask=mask, other=0), tl.load(row + 2 * places + 1, mask=mask, other=0)
        return wide(even, odd, PACKED)


@triton.jit
def store_row(row, places, even, odd, mask, dtype: tl.constexpr, PACKED: tl.constexpr):
    """Writes what `load_row` reads; even and odd are numbers of dtype in float32."""
    if PACKED:
        low = even.to(dtype).to(tl.int16, bitcast=True).to(tl.int32) & 0xFFFF
        high = odd.to(dtype).to(tl.int16, bitcast=True).to(tl.int32) << 16
        tl.store(row + places, low | high, mask=mask)
    else:
        tl.store(row + 2 * places, even.to(tl.int32, bitcast=True), mask=mask)
        tl.store(row + 2 * places + 1, odd.to(tl.int32, bitcast=True), mask=mask)


@triton.jit
def turned(even, odd, cos, sin, dtype: tl.constexpr):
    """After the rope, rounded, in float32."""
    turned_even, turned_odd = (even * cos - odd * sin).to(dtype), (even * sin + odd * cos).to(dtype)
    return turned_even.to(tl.float32), turned_odd.to(tl.float32)


@triton.jit
def scores(even, odd, q_even, q_odd, slots, new_slot, filled, window, CAPACITY: tl.constexpr):
    """[GROUPS, ROWS, 1]: in powers of two; -inf for slots that hold nothing, or what the newest position replaces."""
    age = new_slot - slots  # frames since the slot was written
    age = tl.where(age <= 0, age + CAPACITY, age)
    score = tl.sum(even * q_even + odd * q_odd, axis=2, keep_dims=True)
    return tl.where((slots < filled) & (age < window), score, -float("inf"))


@triton.jit
def shares(score, best, weight, AXIS: tl.constexpr):
    """A step's scores into the softmax of each group -> its new best, sum, what earlier sums shrink by, and shares."""
    higher = tl.maximum(best, tl.max(score, axis=AXIS, keep_dims=True))
    shrink, share = tl.exp2(best - higher), tl.exp2(score - higher)
    return higher, weight * shrink + tl.sum(share, axis=AXIS, keep_dims=True), shrink, share


@triton.jit
def mixed_with(mixed, shrink, share, numbers, AXIS: tl.constexpr):
    return mixed * shrink + tl.sum(share * numbers, axis=AXIS, keep_dims=True)


@triton.jit
def three_sums(a, b, c, d, e, f):
    return a + d, b + e, c + f


@triton.jit
def merge(mixes, weights, out, takers, SPLITS: tl.constexpr, HEAD: tl.constexpr, PLANES: tl.constexpr):
    """Parts of one head -> out [HEAD], one number to a thread and one part after another: no thread needs another.
    PLANES: numbers of a word; a part has all first ones first."""
    numbers = tl.arange(0, HEAD)
    places = (numbers % PLANES) * (HEAD // PLANES) + numbers // PLANES
    best = NOTHING
    for split in tl.static_range(SPLITS):
        best = tl.maximum(best, tl.load(weights + 4 * split, mask=split < takers, other=NOTHING, volatile=True))
    whole, mixed = 0.0, tl.zeros((HEAD,), tl.float32)
    for split in tl.static_range(SPLITS):
        took = split < takers
        shrink = tl.exp2(tl.load(weights + 4 * split, mask=took, other=NOTHING, volatile=True) - best)
        whole += shrink * tl.load(weights + 4 * split + 1, mask=took, other=0.0, volatile=True)
        mixed += shrink * tl.load(mixes + split * HEAD + places, mask=took, other=0.0, volatile=True)
    tl.store(out + numbers, (mixed / whole).to(out.dtype.element_ty))


@triton.jit
def takers_of(filled, SPLITS: tl.constexpr, STEP: tl.constexpr):
    """How many programs of a head have a part: the first has the newest position if nothing else."""
    return tl.maximum(1, tl.minimum(SPLITS, (filled + STEP - 1) // STEP))


@triton.jit
def ring_kernel(
    projected, turns, position, keys, values, mixes, weights, arrived, out, window,
    HEADS: tl.constexpr, HEAD: tl.constexpr, CAPACITY: tl.constexpr, ROWS: tl.constexpr, GROUPS: tl.constexpr,
    SPLITS: tl.constexpr, AHEAD: tl.constexpr, SCALE: tl.constexpr, PACKED: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """One head, one share of its ring. projected, keys, values: as int32; window at most CAPACITY. mixes [HEADS,
    SPLITS, HEAD], first the even numbers, and weights [HEADS, SPLITS, 4], of which two are used (largest score, sum),
    in float32; arrived [HEADS] int32 zeros."""
    head, split = tl.program_id(0), tl.program_id(1)
    dtype: tl.constexpr = out.dtype.element_ty
    HALF: tl.constexpr = HEAD // 2
    WORDS: tl.constexpr = HALF if PACKED else HEAD  # of a vector
    STEP: tl.constexpr = ROWS * GROUPS
    NEXT: tl.constexpr = SPLITS * STEP  # from one step of a program to its next
    pairs = tl.arange(0, HALF)[None, None, :]
    groups = tl.arange(0, GROUPS)[:, None, None]
    places = pairs + 0 * groups
    within = (tl.arange(0, ROWS) * GROUPS)[None, :, None] + groups  # of a step
    slots = split * STEP + within
    # The rings hold earlier frames, which are long done; so is the position of this one.
    last = tl.load(position)
    filled = tl.minimum(last, CAPACITY).to(tl.int32)  # without the newest position
    new_slot = last.to(tl.int32) % CAPACITY
    keys += head.to(tl.int64) * (CAPACITY * WORDS)
    values += head.to(tl.int64) * (CAPACITY * WORDS)
    k_even, k_odd = load_rows(keys, slots, pairs, filled, HEAD, PACKED)
    v_even, v_odd = load_rows(values, slots, pairs, filled, HEAD, PACKED)
    if AHEAD == 2:
        k_even_2, k_odd_2 = load_rows(keys, slots + NEXT, pairs, filled, HEAD, PACKED)
        v_even_2, v_odd_2 = load_rows(values, slots + NEXT, pairs, filled, HEAD, PACKED)
    takers = takers_of(filled, SPLITS, STEP)
    if split < takers:
        wait_for_inputs(PDL)
        first = split == 0
        row = projected + head * WORDS
        cos, sin = tl.load(turns + places), tl.load(turns + HALF + places)
        q_even, q_odd = load_row(row, places, places >= 0, HEAD, PACKED)
        key_even, key_odd = load_row(row + HEADS * WORDS, places, first & (places >= 0), HEAD, PACKED)
        value_even, value_odd = load_row(row + 2 * HEADS * WORDS, places, first & (places >= 0), HEAD, PACKED)
        q_even, q_odd = turned(q_even, q_odd, cos, sin, dtype)
        q_even, q_odd = q_even * SCALE, q_odd * SCALE
        best, weight = tl.full((GROUPS, 1, 1), NOTHING, tl.float32), tl.zeros((GROUPS, 1, 1), tl.float32)
        mixed_even, mixed_odd = tl.zeros((GROUPS, 1, HALF), tl.float32), tl.zeros((GROUPS, 1, HALF), tl.float32)
        if first:  # the newest position belongs to the first group of the first program
            key_even, key_odd = turned(key_even, key_odd, cos, sin, dtype)
            score = tl.sum(key_even * q_even + key_odd * q_odd, axis=2, keep_dims=True)
            best, weight = tl.where(groups == 0, score, NOTHING), tl.where(groups == 0, 1.0, 0.0)
            mixed_even, mixed_odd = tl.where(groups == 0, value_even, 0.0), tl.where(groups == 0, value_odd, 0.0)
            once = (groups == 0) & (pairs >= 0)
            store_row(keys + new_slot * WORDS, places, key_even, key_odd, once, dtype, PACKED)
            store_row(values + new_slot * WORDS, places, value_even, value_odd, once, dtype, PACKED)
        start = split * STEP
        while start < filled:
            slots = start + within
            even, odd = wide(k_even, k_odd, PACKED)
            score = scores(even, odd, q_even, q_odd, slots, new_slot, filled, window, CAPACITY)
            k_even, k_odd = load_rows(keys, slots + AHEAD * NEXT, pairs, filled, HEAD, PACKED)
            best, weight, shrink, share = shares(score, best, weight, 1)
            even, odd = wide(v_even, v_odd, PACKED)
            mixed_even = mixed_with(mixed_even, shrink, share, even, 1)
            mixed_odd = mixed_with(mixed_odd, shrink, share, odd, 1)
            v_even, v_odd = load_rows(values, slots + AHEAD * NEXT, pairs, filled, HEAD, PACKED)
            start += NEXT
            if AHEAD == 2:
                if start < filled:
                    slots = start + within
                    even, odd = wide(k_even_2, k_odd_2, PACKED)
                    score = scores(even, odd, q_even, q_odd, slots, new_slot, filled, window, CAPACITY)
                    k_even_2, k_odd_2 = load_rows(keys, slots + 2 * NEXT, pairs, filled, HEAD, PACKED)
                    best, weight, shrink, share = shares(score, best, weight, 1)
                    even, odd = wide(v_even_2, v_odd_2, PACKED)
                    mixed_even = mixed_with(mixed_even, shrink, share, even, 1)
                    mixed_odd = mixed_with(mixed_odd, shrink, share, odd, 1)
                    v_even_2, v_odd_2 = load_rows(values, slots + 2 * NEXT, pairs, filled, HEAD, PACKED)
                start += NEXT
        top = tl.max(best, axis=0, keep_dims=True)
        shrink = tl.exp2(best - top)
        weight, mixed_even, mixed_odd = tl.reduce(
            (tl.broadcast_to(weight * shrink, mixed_even.shape), mixed_even * shrink, mixed_odd * shrink),
            0, three_sums, keep_dims=True,
        )  # fmt: skip
        mixes += head * (SPLITS * HEAD) + split * HEAD
        once = (groups == 0) & (pairs >= 0)
        tl.store(mixes + places, tl.broadcast_to(mixed_even, places.shape), mask=once)
        tl.store(mixes + HALF + places, tl.broadcast_to(mixed_odd, places.shape), mask=once)
        weights += head * (SPLITS * 4) + split * 4
        tl.store(weights + places, tl.where(pairs == 0, top, weight) + 0.0 * groups, mask=once & (pairs < 2))
        tl.debug_barrier()  # all threads' parts are out before one of them announces it
        if tl.atomic_add(arrived + head, 1, sem="acq_rel") == takers - 1:
            merge(mixes - split * HEAD, weights - split * 4, out + head * HEAD, takers, SPLITS, HEAD, 2)
            tl.store(arrived + head, 0)


class RingScratch:
    """Memory between the programs of `ring_attend`; one serves all layers, since layers follow one another."""

    def __init__(self, heads: int, head_dim: int, splits: int, device: torch.device | str) -> None:
        assert splits & (splits - 1) == 0, "the kernel in blocks merges them as one, so they must be a power of two"
        self.splits = splits
        self.mixes = torch.zeros(heads, splits, head_dim, device=device)
        self.weights = torch.zeros(heads, splits, 4, device=device)  # the kernel in blocks uses the first half
        self.arrived = torch.zeros(heads, dtype=torch.int32, device=device)


def ring_attend(
    projected: Tensor, turns: Tensor, position: Tensor, keys: Tensor, values: Tensor, window: int, out: Tensor,
    scratch: RingScratch, launch: RingLaunch, *, pdl: int,
) -> None:  # fmt: skip
    """Rope, the write into the rings, and attention over what they hold, for one position.

    projected [3 * H * D] packed q | k | v; turns [2, D / 2] float32 (`rope_turns`); position [1] int64;
    keys, values [H, C, D]; window as in `layers.ring_attention` -> out [H * D], in place. All of one dtype, bfloat16 or
    float32; D a power of two, at least 4.
    """
    heads, capacity, head_dim = keys.shape
    assert projected.dtype == keys.dtype == out.dtype and launch.ahead in (1, 2) and head_dim >= 4
    groups = max(1, launch.warps * 256 // head_dim)  # a lane has four pairs of a vector
    ring_kernel[(heads, scratch.splits)](
        projected.view(torch.int32), turns, position, keys.view(torch.int32), values.view(torch.int32), scratch.mixes,
        scratch.weights, scratch.arrived, out, min(window, capacity), heads, head_dim, capacity, launch.rows, groups,
        scratch.splits, launch.ahead, head_dim**-0.5 * math.log2(math.e), keys.dtype == torch.bfloat16, pdl,
        num_warps=launch.warps, **launch_options(pdl),
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
