"""Triton kernels for the codec's convolutions that are no product of matrices: of one or two columns, or one channel.

In the deep layers a frame has one or two columns, and reading the weights is all the time: sums, no tiles. The plain
PyTorch is `engine.mimi`; the tests run both. Everything is float32. Imports Triton: import this module late.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_codec import samples
from engine.kernels_linear import launch_options, wait_for_inputs
from engine.kernels_tails import Signal, elu


@triton.jit
def few_columns_kernel(
    weight, bias, x, tail, started, out,
    M: tl.constexpr, K: tl.constexpr, N: tl.constexpr, TAPS: tl.constexpr, STRIDE: tl.constexpr,
    DILATION: tl.constexpr, PAD: tl.constexpr, C: tl.constexpr, T: tl.constexpr, OUT_C: tl.constexpr,
    OUT_T: tl.constexpr, ELU: tl.constexpr, BIAS: tl.constexpr, REPLICATE: tl.constexpr, ROWS: tl.constexpr,
    BK: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """As `kernels_codec.conv_kernel` for N of one or two columns, where reading the weights is all the time."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    k = tl.arange(0, BK)
    w = tl.load(weight + rows[:, None] * K + k[None, :], mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0)
    base = tl.zeros((ROWS,), tl.float32)
    if BIAS:
        base = tl.load(bias + rows, mask=rows < M, other=0.0)
    wait_for_inputs(PDL)
    first = tl.zeros((ROWS, BK // 4), tl.float32)
    second = tl.zeros((ROWS, BK // 4), tl.float32)
    at = (k % TAPS) * DILATION - PAD
    v = samples(x, tail, started, k // TAPS, at, k < K, C, T, PAD, ELU, REPLICATE)
    u = v
    if N == 2:
        u = samples(x, tail, started, k // TAPS, at + STRIDE, k < K, C, T, PAD, ELU, REPLICATE)
    for _ in range(0, K, BK):
        k += BK
        next_w = tl.load(
            weight + rows[:, None] * K + k[None, :], mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0
        )
        at = (k % TAPS) * DILATION - PAD
        next_v = samples(x, tail, started, k // TAPS, at, k < K, C, T, PAD, ELU, REPLICATE)
        next_u = next_v
        if N == 2:
            next_u = samples(x, tail, started, k // TAPS, at + STRIDE, k < K, C, T, PAD, ELU, REPLICATE)
        first += tl.sum(tl.reshape(w * v[None, :], (ROWS, BK // 4, 4)), axis=2)  # a thread's own: fewer registers
        if N == 2:
            second += tl.sum(tl.reshape(w * u[None, :], (ROWS, BK // 4, 4)), axis=2)
        w, v, u = next_w, next_v, next_u
    tl.store(out + rows * OUT_C, tl.sum(first, axis=1) + base, mask=rows < M)
    if N == 2:
        tl.store(out + rows * OUT_C + OUT_T, tl.sum(second, axis=1) + base, mask=rows < M)


@triton.jit
def few_transposed_kernel(
    weight, bias, x, partial, next_partial, out,
    CO: tl.constexpr, S: tl.constexpr, K: tl.constexpr, C: tl.constexpr, T: tl.constexpr, CHANNELS: tl.constexpr,
    BK: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """`kernels_codec.transposed_kernel` for inputs of two columns: weight [K, CO, 2 S] is streamed once, each of its
    columns summed over K for both inputs; S is a power of two."""
    first = tl.program_id(0) * CHANNELS
    columns = first * (2 * S) + tl.arange(0, CHANNELS * 2 * S)
    k = tl.arange(0, BK)
    at = weight + k[:, None] * (CO * 2 * S) + columns[None, :]
    w = tl.load(at)
    wait_for_inputs(PDL)
    here = (first + tl.arange(0, CHANNELS))[:, None]
    phase = tl.arange(0, S)[None, :]
    kept, base = tl.load(partial + here * S + phase), tl.load(bias + here + 0 * phase)
    v, u = tl.load(x + k * C), tl.load(x + k * C + T)
    total_v = tl.zeros((BK, CHANNELS * 2 * S), tl.float32)
    total_u = tl.zeros((BK, CHANNELS * 2 * S), tl.float32)
    for _ in range(0, K, BK):
        k += BK
        at += BK * CO * 2 * S
        next_w = tl.load(at, mask=(k < K)[:, None], other=0.0)
        next_v, next_u = tl.load(x + k * C, mask=k < K, other=0.0), tl.load(x + k * C + T, mask=k < K, other=0.0)
        total_v += w * elu(v)[:, None]
        total_u += w * elu(u)[:, None]
        w, v, u = next_w, next_v, next_u
    now_v, late_v = halves(tl.sum(total_v, axis=0), CHANNELS, S)
    now_u, late_u = halves(tl.sum(total_u, axis=0), CHANNELS, S)
    place = out + here * (2 * S) + phase
    tl.store(place, (now_v + kept) + base)
    tl.store(place + S, (now_u + late_v) + base)
    tl.store(next_partial + here * S + phase, late_u)


@triton.jit
def halves(sums, CHANNELS: tl.constexpr, S: tl.constexpr):
    """[CHANNELS * 2 * S] -> what the first S taps of each channel give and what the others do, [CHANNELS, S] each."""
    return tl.split(tl.permute(tl.reshape(sums, (CHANNELS, 2, S)), (0, 2, 1)))


@triton.jit
def short_kernel(
    weight, bias, x, tail, out,
    M: tl.constexpr, K: tl.constexpr, N: tl.constexpr, TAPS: tl.constexpr, PAD: tl.constexpr, C: tl.constexpr,
    ELU: tl.constexpr, BK: tl.constexpr, BN: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Stride 1 with one channel out (M 1, the last layer) or one channel in (K = TAPS, the first): sums, no product."""
    row = tl.program_id(0)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    w, base = tl.load(weight + row * K + k, mask=k < K, other=0.0), tl.load(bias + row)
    wait_for_inputs(PDL)
    at = n[None, :] + (k % TAPS)[:, None] - PAD
    valid = (k < K)[:, None] & (n < N)[None, :]
    v = samples(x, tail, tail, (k // TAPS)[:, None], at, valid, C, 1, PAD, ELU, False)
    tl.store(out + row * N + n, tl.sum(w[:, None] * v, axis=0) + base, mask=n < N)


def conv_few(
    weight: Tensor, bias: Tensor | None, x: Signal, tail: Tensor, out: Signal, *, rows: int, depth: int,
    stride: int = 1, activate: bool = True, started: Tensor | None = None, warps: int = 8, pdl: int,
) -> None:  # fmt: skip
    """`conv` for one or two output columns. `started` [1]: while false, the first sample counts as the past."""
    assert out.length in (1, 2), "more columns are a matter for conv"
    count, _, taps = weight.shape
    few_columns_kernel[(triton.cdiv(count, rows),)](
        weight, weight if bias is None else bias, x.data, tail, tail if started is None else started, out.data, count,
        weight[0].numel(), out.length, taps, stride, 1, taps - stride, x.channel, x.time, out.channel, out.time,
        activate, bias is not None, started is not None, rows, depth, pdl, num_warps=warps, **launch_options(pdl),
    )  # fmt: skip


def conv_short(
    weight: Tensor, bias: Tensor, x: Signal, tail: Tensor, out: Signal, *, columns: int, activate: bool, pdl: int
) -> None:
    """`conv` of stride 1 where one side has a single channel. x and out by channel."""
    rows, _, taps = weight.shape
    inner = weight[0].numel()
    short_kernel[(rows, triton.cdiv(out.length, columns))](
        weight, bias, x.data, tail, out.data, rows, inner, out.length, taps, taps - 1, x.channel, activate,
        triton.next_power_of_2(inner), columns, pdl, num_warps=4, **launch_options(pdl),
    )  # fmt: skip


def conv_few_transposed(
    weight: Tensor, bias: Tensor, x: Signal, partial: Tensor, next_partial: Tensor, out: Signal, *, channels: int,
    depth: int, warps: int, pdl: int,
) -> None:  # fmt: skip
    """As `kernels_codec.conv_transposed` for x of two columns: `channels` of the output a program, `depth` of the input
    at once. Both divide what they cut; the stride is a power of two."""
    inner, count, taps = weight.shape
    assert x.length == 2, "more columns are a matter for conv_transposed"
    few_transposed_kernel[(count // channels,)](
        weight, bias, x.data, partial, next_partial, out.data, count, taps // 2, inner, x.channel, x.time, channels,
        depth, pdl, num_warps=warps, **launch_options(pdl),
    )  # fmt: skip
