"""Triton kernels for attention at one new position: the temporal ring, read only as far as it is filled.

The position is on the device, so the same launch serves the first frame and the thousandth, eager and graph alike. The
number of programs is fixed: the blocks of the ring are dealt to `splits` programs a head in turn, so that a half-full
ring costs half. Whichever program of a head ends last merges its parts, always in the same order.

Each kernel stands beside its plain PyTorch. Imports Triton: import this module late.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import launch_options, wait_for_inputs
from engine.layers import ring_attention, rope


@triton.jit
def rotate(row, cos, sin, HEAD: tl.constexpr):
    """Interleaved pairs of row [HEAD] float32 turned by the angles of cos, sin [HEAD / 2]; in row's order."""
    real, imaginary = tl.split(tl.reshape(row, (HEAD // 2, 2)))
    return tl.interleave(real * cos - imaginary * sin, real * sin + imaginary * cos)


@triton.jit
def ring_kernel(
    projected, turns, position, keys, values, parts, arrived, out, window,
    HEADS: tl.constexpr, HEAD: tl.constexpr, CAPACITY: tl.constexpr, BLOCK: tl.constexpr, SPLITS: tl.constexpr,
    SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """One head, one share of its ring. parts [HEADS, SPLITS, HEAD + 2] float32, arrived [HEADS] int32 zeros."""
    head, split = tl.program_id(0), tl.program_id(1)
    dtype = keys.dtype.element_ty
    dims = tl.arange(0, HEAD)
    pairs = tl.arange(0, HEAD // 2)
    # The rings hold earlier frames, which are long done: the first block is loaded while the projection still runs.
    last = tl.load(position)
    new_slot = (last % CAPACITY).to(tl.int32)
    filled = tl.minimum(last + 1, CAPACITY).to(tl.int32)
    keys += head.to(tl.int64) * CAPACITY * HEAD
    values += head.to(tl.int64) * CAPACITY * HEAD
    slots = split * BLOCK + tl.arange(0, BLOCK)
    at = slots[:, None] * HEAD + dims[None, :]
    k = tl.load(keys + at, mask=(slots < filled)[:, None], other=0.0)
    v = tl.load(values + at, mask=(slots < filled)[:, None], other=0.0)
    wait_for_inputs(PDL)
    cos, sin = tl.load(turns + pairs), tl.load(turns + HEAD // 2 + pairs)
    row = projected + head * HEAD + dims
    query = rotate(tl.load(row).to(tl.float32), cos, sin, HEAD).to(dtype).to(tl.float32) * SCALE
    new_key = rotate(tl.load(row + HEADS * HEAD).to(tl.float32), cos, sin, HEAD).to(dtype)
    new_value = tl.load(row + 2 * HEADS * HEAD).to(dtype)

    best = -float("inf")
    weight = 0.0
    mixed = tl.zeros((HEAD,), tl.float32)
    start = split * BLOCK
    while start < filled:
        is_new = (slots == new_slot)[:, None]
        k = tl.where(is_new, new_key[None, :], k)
        v = tl.where(is_new, new_value[None, :], v)
        age = (new_slot - slots + CAPACITY) % CAPACITY  # frames since the slot was written
        seen = (age <= last) & (age < window) & (slots < CAPACITY)
        score = tl.where(seen, tl.sum(k.to(tl.float32) * query[None, :], axis=1), -float("inf"))
        higher = tl.maximum(best, tl.max(score, axis=0))
        shrink = tl.where(higher == -float("inf"), 1.0, tl.exp(best - higher))
        share = tl.where(seen, tl.exp(score - higher), 0.0)
        weight = weight * shrink + tl.sum(share, axis=0)
        mixed = mixed * shrink + tl.sum(share[:, None] * v.to(tl.float32), axis=0)
        best = higher
        start += SPLITS * BLOCK
        slots += SPLITS * BLOCK
        at = slots[:, None] * HEAD + dims[None, :]
        k = tl.load(keys + at, mask=(slots < filled)[:, None], other=0.0)
        v = tl.load(values + at, mask=(slots < filled)[:, None], other=0.0)
    if (new_slot // BLOCK) % SPLITS == split:
        tl.store(keys + new_slot * HEAD + dims, new_key)
        tl.store(values + new_slot * HEAD + dims, new_value)

    part = parts + (head * SPLITS + split) * (HEAD + 2)
    tl.store(part + dims, mixed)
    tl.store(part + HEAD, best)
    tl.store(part + HEAD + 1, weight)
    tl.debug_barrier()  # all threads' parts are out before one of them announces it
    if tl.atomic_add(arrived + head, 1, sem="acq_rel") == SPLITS - 1:
        every = parts + (head * SPLITS + tl.arange(0, SPLITS)) * (HEAD + 2)
        bests, weights = tl.load(every + HEAD, volatile=True), tl.load(every + HEAD + 1, volatile=True)
        shrinks = tl.exp(bests - tl.max(bests, axis=0))
        mixes = tl.load(every[:, None] + dims[None, :], volatile=True)
        result = tl.sum(mixes * shrinks[:, None], axis=0) / tl.sum(weights * shrinks, axis=0)
        tl.store(out + head * HEAD + dims, result.to(out.dtype.element_ty))
        tl.store(arrived + head, 0)


class RingScratch:
    """Memory between the programs of `ring_attend`; one serves all layers, since layers follow one another."""

    def __init__(self, heads: int, head_dim: int, splits: int, device: torch.device | str) -> None:
        assert splits & (splits - 1) == 0, "the splits are merged as one block, so they must be a power of two"
        self.splits = splits
        self.parts = torch.zeros(heads, splits, head_dim + 2, device=device)
        self.arrived = torch.zeros(heads, dtype=torch.int32, device=device)


def ring_attend(
    projected: Tensor, turns: Tensor, position: Tensor, keys: Tensor, values: Tensor, window: int, out: Tensor,
    scratch: RingScratch, *, block: int = 64, warps: int = 4, pdl: int,
) -> None:  # fmt: skip
    """Rope, the write into the rings, and attention over what they hold, for one position.

    projected [3 * H * D] packed q | k | v; turns [2, D / 2] float32 (`rope_turns`); position [1] int64;
    keys, values [H, C, D]; window as in `layers.ring_attention` -> out [H * D], in place.
    """
    heads, capacity, head_dim = keys.shape
    ring_kernel[(heads, scratch.splits)](
        projected, turns, position, keys, values, scratch.parts, scratch.arrived, out, window, heads, head_dim,
        capacity, block, scratch.splits, head_dim**-0.5, pdl, num_warps=warps, **launch_options(pdl),
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

    query [HEADS, HEAD]; keys, values [HEADS, STEPS, HEAD], filled up to and with `step`; BLOCK = STEPS rounded up.
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
    weight: Tensor,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    x: Tensor,
    step: int,
    *,
    rows: int,
    warps: int,
    tight: bool = False,
    pdl: int,
) -> None:
    """x [d] += weight [d, d] @ attention of query [d] over steps 0..step of keys, values [H, S, d / H], in place.

    `tight`: a kernel for every number of steps, rounded up to a power of two, not one for all."""
    heads, steps, head_dim = keys.shape
    assert x.shape[0] % rows == 0, "rows of a tile must divide the rows"
    block = triton.next_power_of_2(step + 1 if tight else steps)
    depth_attend_kernel[(x.shape[0] // rows,)](
        weight, query, keys, values, x, step, heads, head_dim, steps, block, rows, head_dim**-0.5, pdl, num_warps=warps,
        **launch_options(pdl),
    )  # fmt: skip


def depth_attend_reference(weight: Tensor, query: Tensor, keys: Tensor, values: Tensor, x: Tensor, step: int) -> Tensor:
    """What `depth_attend_add` leaves in x."""
    heads, _, head_dim = keys.shape
    q = query.view(1, heads, 1, head_dim)
    attended = F.scaled_dot_product_attention(q, keys[None, :, : step + 1], values[None, :, : step + 1])
    return x + F.linear(attended.reshape(-1), weight)
