"""Attention over the temporal ring with fewer waits than `kernels_attention.ring_attend`, which it agrees with.

A program takes a share of the ring that it can load as one block before it waits for the projection. Programs whose
share is still empty end at once, and the last of the others merges the parts: who takes part follows from the position,
which is on the device, so eager and graph run alike. Meanwhile the memory would idle: the programs ask for the weights
of the next product, which then come from the L2 cache.

Imports Triton: import this module late.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import launch_options, wait_for_inputs


@triton.jit
def ask_for(following, program, BYTES: tl.constexpr, THREADS: tl.constexpr):
    """Has the program-th share of BYTES of what is at `following` brought into the L2 cache; THREADS ask for a piece
    each, of a multiple of 16 bytes."""
    if BYTES > 0:
        piece: tl.constexpr = BYTES // THREADS
        at = following.to(tl.int64) + program.to(tl.int64) * BYTES + tl.arange(0, THREADS) * piece
        size = tl.full((THREADS,), piece, tl.int32)
        tl.inline_asm_elementwise(
            "cp.async.bulk.prefetch.L2.global [$1], $2; mov.b32 $0, 0;", "=r,l,r", [at, size], dtype=tl.int32,
            is_pure=False, pack=1,
        )  # fmt: skip


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
def ring_share_kernel(
    projected, turns, position, keys, values, key_words, value_words, mixes, weights, arrived, out, window, following,
    HEADS: tl.constexpr, HEAD: tl.constexpr, CAPACITY: tl.constexpr, BLOCK: tl.constexpr, SPLITS: tl.constexpr,
    SCALE: tl.constexpr, BYTES: tl.constexpr, THREADS: tl.constexpr, PACKED: tl.constexpr, PDL: tl.constexpr,
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
    ask_for(following, head * SPLITS + split, BYTES, THREADS)
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


class ShareScratch:
    """Memory between the programs of `ring_attend`; one serves all layers, since layers follow one another."""

    def __init__(self, heads: int, head_dim: int, splits: int, device: torch.device | str) -> None:
        assert splits & (splits - 1) == 0, "the splits are merged as one block, so they must be a power of two"
        self.splits = splits
        self.mixes = torch.zeros(heads, splits, head_dim, device=device)
        self.weights = torch.zeros(heads, splits, 2, device=device)
        self.arrived = torch.zeros(heads, dtype=torch.int32, device=device)


def ring_attend(
    projected: Tensor, turns: Tensor, position: Tensor, keys: Tensor, values: Tensor, window: int, out: Tensor,
    scratch: ShareScratch, *, block: int, warps: int, following: Tensor | None = None, fraction: float = 1.0,
    registers: int = 0, pdl: int,
) -> None:  # fmt: skip
    """Rope, the write into the rings, and attention over what they hold, for one position.

    projected [3 * H * D] packed q | k | v; turns [2, D / 2] float32 (`kernels_attention.rope_turns`); position [1]
    int64; keys, values [H, C, D]; window as in `layers.ring_attention` -> out [H * D], in place. `following`: the first
    `fraction` of this tensor is brought into the L2 cache (sm_90 on). registers: at most, of a thread; 0: as compiled.
    """
    heads, capacity, head_dim = keys.shape
    threads, programs, share = 32 * warps, heads * scratch.splits, 0
    if following is not None:
        share = int(following.nbytes * fraction) // programs // (16 * threads) * (16 * threads)
    limit = {"maxnreg": registers} if registers else {}
    ring_share_kernel[(heads, scratch.splits)](
        projected, turns, position, keys, values, keys.view(torch.int32), values.view(torch.int32), scratch.mixes,
        scratch.weights, scratch.arrived, out, window, projected if following is None else following, heads, head_dim,
        capacity, block, scratch.splits, head_dim**-0.5, share, threads, keys.dtype == torch.bfloat16, pdl,
        num_warps=warps, **limit, **launch_options(pdl),
    )  # fmt: skip
