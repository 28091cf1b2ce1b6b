"""Triton kernels for the codec's convolutions, one frame at a time, with tail, ELU, bias and skip fused.

A convolution is a product of its weights [C_out, C_in * taps] with columns gathered from the input; few output columns
(the deep layers: one or two) take the form of a matrix-vector product, more take tiles. Where output tiles are too few
to fill the card, the sum over C_in * taps is split and whoever ends last adds the parts, always in the same order.

No kernel here changes a tail, since other programs may still read it: `kernels_tails` does so for all layers at last.
The plain PyTorch is `engine.mimi`; the tests run both. Everything is float32. Imports Triton: import this module late.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import launch_options, wait_for_inputs
from engine.kernels_tails import Signal, elu


class Tile(NamedTuple):
    """How a convolution is cut: rows and columns of a tile, depth of one step, parts of the sum; and how float32 is
    multiplied: "ieee", or "tf32x3" on tensor cores with three products for one."""

    rows: int
    columns: int
    depth: int = 32
    splits: int = 1
    warps: int = 4
    precision: str = "ieee"


@triton.jit
def samples(
    x, tail, started, channel, at, valid, C: tl.constexpr, T: tl.constexpr, PAD: tl.constexpr, ELU: tl.constexpr,
    REPLICATE: tl.constexpr,
):  # fmt: skip
    """Input values at times `at` of channels `channel`; negative times lie in the tail [channels, PAD]."""
    held = valid
    if not REPLICATE:
        held = valid & (at >= 0)
    now = tl.load(x + channel * C + tl.maximum(at, 0) * T, mask=held, other=0.0)
    if ELU:
        now = elu(now)
    if PAD > 0:
        past = valid & (at < 0)
        if REPLICATE:  # before the first frame the first sample counts as the past
            past = past & (tl.load(started) != 0)
        now = tl.where(past, tl.load(tail + channel * PAD + PAD + at, mask=past, other=0.0), now)
    return now


@triton.jit
def joined(place, arrived, split, total, BM: tl.constexpr, BN: tl.constexpr, SPLITS: tl.constexpr):
    """Leaves a part [BM, BN] of a sum at place; -> whether it was the last of them to come, and then their sum."""
    tl.store(place + split * (BM * BN), total)
    tl.debug_barrier()  # all threads' parts are out before one of them announces it
    last = tl.atomic_add(arrived, 1, sem="acq_rel") == SPLITS - 1
    if last:
        tl.store(arrived, 0)
        total = tl.zeros((BM, BN), tl.float32)
        for part in tl.static_range(SPLITS):  # all asked for at once, past the multiprocessor's own cache
            total += tl.load(place + part * (BM * BN), cache_modifier=".cg")
    return last, total


@triton.jit
def conv_kernel(
    weight, bias, x, tail, skip, out, parts, arrived,
    M: tl.constexpr, K: tl.constexpr, N: tl.constexpr, TAPS: tl.constexpr, STRIDE: tl.constexpr,
    DILATION: tl.constexpr, PAD: tl.constexpr, C: tl.constexpr, T: tl.constexpr, OUT_C: tl.constexpr,
    OUT_T: tl.constexpr, ELU: tl.constexpr, SKIP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr, SPLITS: tl.constexpr, PRECISION: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Tiles [BM, BN] of out = weight [M, K] * columns [K, N] + bias (+ skip)."""
    tile = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    split = tl.program_id(2)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    steps: tl.constexpr = (K + BK * SPLITS - 1) // (BK * SPLITS)
    k = split * steps * BK + tl.arange(0, BK)
    w = tl.load(weight + m[:, None] * K + k[None, :], mask=(m < M)[:, None] & (k < K)[None, :], other=0.0)
    b = tl.load(bias + m, mask=m < M, other=0.0)
    inside = (m < M)[:, None] & (n < N)[None, :]
    wait_for_inputs(PDL)
    total = tl.zeros((BM, BN), tl.float32)
    at = n[None, :] * STRIDE + (k % TAPS)[:, None] * DILATION - PAD
    valid = (k < K)[:, None] & (n < N)[None, :]
    v = samples(x, tail, tail, (k // TAPS)[:, None], at, valid, C, T, PAD, ELU, False)
    if SKIP:
        held = tl.load(skip + m[:, None] * OUT_C + n[None, :] * OUT_T, mask=inside, other=0.0)
    for step in range(steps):
        k += BK
        more = (k < K) & (step + 1 < steps)
        next_w = tl.load(weight + m[:, None] * K + k[None, :], mask=(m < M)[:, None] & more[None, :], other=0.0)
        at = n[None, :] * STRIDE + (k % TAPS)[:, None] * DILATION - PAD
        valid = more[:, None] & (n < N)[None, :]
        next_v = samples(x, tail, tail, (k // TAPS)[:, None], at, valid, C, T, PAD, ELU, False)
        total += tl.dot(w, v, input_precision=PRECISION)
        w, v = next_w, next_v
    last = True
    if SPLITS > 1:
        place = parts + tile * (SPLITS * BM * BN) + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
        last, total = joined(place, arrived + tile, split, total, BM, BN, SPLITS)
    if last:
        y = total + b[:, None]
        if SKIP:
            y += held
        tl.store(out + m[:, None] * OUT_C + n[None, :] * OUT_T, y, mask=inside)


@triton.jit
def residual_kernel(
    weight, bias, out_weight, out_bias, x, tail, out,
    CHANNELS: tl.constexpr, INNER: tl.constexpr, N: tl.constexpr, TAPS: tl.constexpr, DILATION: tl.constexpr,
    PAD: tl.constexpr, C: tl.constexpr, T: tl.constexpr, OUT_C: tl.constexpr, OUT_T: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr, PRECISION: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """A whole residual unit for BN columns: out = x + W' ELU(W ELU(x) + b) + b', its inner channels in registers."""
    K: tl.constexpr = CHANNELS * TAPS
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    m, rows, k = tl.arange(0, INNER), tl.arange(0, CHANNELS), tl.arange(0, BK)
    w = tl.load(weight + m[:, None] * K + k[None, :], mask=(k < K)[None, :], other=0.0)
    b, out_b = tl.load(bias + m), tl.load(out_bias + rows)
    out_w = tl.load(out_weight + rows[:, None] * INNER + m[None, :])
    wait_for_inputs(PDL)
    inner = tl.zeros((INNER, BN), tl.float32)
    at = n[None, :] + (k % TAPS)[:, None] * DILATION - PAD
    v = samples(x, tail, tail, (k // TAPS)[:, None], at, (k < K)[:, None] & (n < N)[None, :], C, T, PAD, True, False)
    inside = (n < N)[None, :]
    held = tl.load(x + rows[:, None] * C + n[None, :] * T, mask=inside, other=0.0)
    for _ in range(0, K, BK):
        k += BK
        next_w = tl.load(weight + m[:, None] * K + k[None, :], mask=(k < K)[None, :], other=0.0)
        at = n[None, :] + (k % TAPS)[:, None] * DILATION - PAD
        valid = (k < K)[:, None] & (n < N)[None, :]
        next_v = samples(x, tail, tail, (k // TAPS)[:, None], at, valid, C, T, PAD, True, False)
        inner += tl.dot(w, v, input_precision=PRECISION)
        w, v = next_w, next_v
    y = tl.dot(out_w, elu(inner + b[:, None]), input_precision=PRECISION) + out_b[:, None] + held
    tl.store(out + rows[:, None] * OUT_C + n[None, :] * OUT_T, y, mask=inside)


@triton.jit
def transposed_kernel(
    weight, bias, x, partial, next_partial, out, parts, arrived,
    CO: tl.constexpr, S: tl.constexpr, K: tl.constexpr, N: tl.constexpr, C: tl.constexpr, T: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLITS: tl.constexpr, PRECISION: tl.constexpr,
    PDL: tl.constexpr,
):  # fmt: skip
    """Transposed convolution of stride S and 2 S taps: out[c, n S + r] = W[:, c, r] . x_n + W[:, c, S + r] . x_(n-1).

    Row m is (c, r); column 0 takes the kept partial sum for x_(-1), and column N is what the next frame will take.
    weight [K, CO, 2 S]; the input passes an ELU.
    """
    M: tl.constexpr = CO * S
    tile = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    split = tl.program_id(2)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    channel, phase = m // S, m % S
    column = channel * (2 * S) + phase
    steps: tl.constexpr = (K + BK * SPLITS - 1) // (BK * SPLITS)
    k = split * steps * BK + tl.arange(0, BK)
    here = (k < K)[:, None] & (m < M)[None, :]
    at = weight + k[:, None] * (CO * 2 * S) + column[None, :]
    now, late = tl.load(at, mask=here, other=0.0), tl.load(at + S, mask=here, other=0.0)
    base, rows = tl.load(bias + channel, mask=m < M, other=0.0), (m < M)[:, None]
    wait_for_inputs(PDL)
    kept = tl.load(partial + m[:, None] + 0 * n[None, :], mask=rows & (n == 0)[None, :], other=0.0)
    total = tl.zeros((BM, BN), tl.float32)
    source = x + k[:, None] * C + n[None, :] * T
    v = tl.load(source, mask=(k < K)[:, None] & (n < N)[None, :], other=0.0)
    before = tl.load(source - T, mask=(k < K)[:, None] & ((n > 0) & (n <= N))[None, :], other=0.0)
    for step in range(steps):
        k += BK
        more = (k < K) & (step + 1 < steps)
        here = more[:, None] & (m < M)[None, :]
        at += BK * CO * 2 * S
        source += BK * C
        next_now, next_late = tl.load(at, mask=here, other=0.0), tl.load(at + S, mask=here, other=0.0)
        next_v = tl.load(source, mask=more[:, None] & (n < N)[None, :], other=0.0)
        next_before = tl.load(source - T, mask=more[:, None] & ((n > 0) & (n <= N))[None, :], other=0.0)
        total += tl.dot(tl.trans(now), elu(v), input_precision=PRECISION)
        total += tl.dot(tl.trans(late), elu(before), input_precision=PRECISION)
        now, late, v, before = next_now, next_late, next_v, next_before
    last = True
    if SPLITS > 1:
        place = parts + tile * (SPLITS * BM * BN) + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
        last, total = joined(place, arrived + tile, split, total, BM, BN, SPLITS)
    if last:
        y = total + kept
        tl.store(next_partial + m[:, None] + 0 * n[None, :], y, mask=rows & (n == N)[None, :])
        y += base[:, None]
        tl.store(out + (channel * (N * S) + phase)[:, None] + n[None, :] * S, y, mask=rows & (n < N)[None, :])


def conv(
    weight: Tensor, bias: Tensor, x: Signal, tail: Tensor, out: Signal, tile: Tile, scratch: Parts, *, stride: int = 1,
    dilation: int = 1, activate: bool = True, skip: Signal | None = None, pdl: int,
) -> None:  # fmt: skip
    """One frame of a causal convolution: weight [C_out, C_in, taps], tail [C_in, pad] -> out, in place.

    `activate`: the input passes an ELU (the tail has passed it already). `skip`: added to the output, whose
    layout it shares; not in place, since the block's input is still wanted for its tail.
    """
    rows, _, taps = weight.shape
    columns = out.length
    grid = (triton.cdiv(rows, tile.rows), triton.cdiv(columns, tile.columns), tile.splits)
    conv_kernel[grid](
        weight, bias, x.data, tail, out.data if skip is None else skip.data, out.data, scratch.parts, scratch.arrived,
        rows, weight[0].numel(), columns,
        taps, stride, dilation, (taps - 1) * dilation + 1 - stride, x.channel, x.time, out.channel, out.time, activate,
        skip is not None, tile.rows, tile.columns, tile.depth, tile.splits, tile.precision, pdl,
        num_warps=tile.warps, **launch_options(pdl),
    )  # fmt: skip


def residual(
    weight: Tensor, bias: Tensor, out_weight: Tensor, out_bias: Tensor, x: Signal, tail: Tensor, out: Signal,
    tile: Tile, *, dilation: int, pdl: int,
) -> None:  # fmt: skip
    """One frame of a residual unit in one launch: weight [inner, C, taps], out_weight [C, inner, 1]; not in place.

    C and inner are powers of two, at least 16. Of the tile: columns, depth, warps and precision.
    """
    inner, channels, taps = weight.shape
    residual_kernel[(triton.cdiv(out.length, tile.columns),)](
        weight, bias, out_weight, out_bias, x.data, tail, out.data, channels, inner, out.length, taps, dilation,
        (taps - 1) * dilation, x.channel, x.time, out.channel, out.time, tile.columns, tile.depth, tile.precision, pdl,
        num_warps=tile.warps, **launch_options(pdl),
    )  # fmt: skip


def conv_transposed(
    weight: Tensor, bias: Tensor, x: Signal, partial: Tensor, next_partial: Tensor, out: Signal, tile: Tile,
    scratch: Parts, *, pdl: int,
) -> None:  # fmt: skip
    """One frame of a transposed convolution after an ELU: weight [C_in, C_out, 2 S] -> out by channel [C_out, L S].

    partial [C_out, S] is what the last frame left for this one; next_partial receives what this one leaves.
    """
    inner, channels, taps = weight.shape
    stride = taps // 2
    grid = (triton.cdiv(channels * stride, tile.rows), triton.cdiv(x.length + 1, tile.columns), tile.splits)
    transposed_kernel[grid](
        weight, bias, x.data, partial, next_partial, out.data, scratch.parts, scratch.arrived, channels, stride, inner,
        x.length, x.channel, x.time, tile.rows, tile.columns, tile.depth, tile.splits, tile.precision, pdl,
        num_warps=tile.warps, **launch_options(pdl),
    )  # fmt: skip


class Parts(NamedTuple):
    """Memory for the split sums of one layer."""

    parts: Tensor  # [tiles * splits * tile] float32
    arrived: Tensor  # [tiles] int32, zero between kernels

    @classmethod
    def of(cls, tile: Tile, rows: int, columns: int, device: torch.device | str) -> Parts:
        """For an output of rows x columns."""
        tiles = triton.cdiv(rows, tile.rows) * triton.cdiv(columns, tile.columns)
        values = tiles * tile.splits * tile.rows * tile.columns if tile.splits > 1 else 1
        return cls(torch.zeros(values, device=device), torch.zeros(tiles, dtype=torch.int32, device=device))
