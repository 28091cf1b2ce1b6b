"""Triton kernels that stream 8- and 4-bit weights past one vector, as `engine.kernels_linear` does plain ones.

The weights are widened in registers and never written back; scales are applied to sums, not to weights: once a row
where a row (or the matrix) shares one, else once for every 16 bytes that a thread holds. Sums are in float32 and
rounded where the plain kernels round, so a product differs from that of the dequantised matrix by the order of its sum
only. Formats: `engine.quantize.Quantized`.

Each kernel stands beside its plain PyTorch. Imports Triton: import this module late.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import EPS, Launch, launch_options, wait_for_inputs
from engine.layers import rms_norm
from engine.quantize import Quantized, dequantized

SUB = 16  # bytes of a row that are summed before a scale is applied: what one thread loads at once


@triton.jit
def load_tile(values, rows, bytes_at, N: tl.constexpr, W: tl.constexpr, more):
    """Rows [ROWS] of values [N, W] at bytes_at [G, SUB] -> [ROWS, G, SUB]; zeros outside, or where `more` is not."""
    at = rows[:, None, None].to(tl.int64) * W + bytes_at[None, :, :]
    mask = (rows < N)[:, None, None] & (bytes_at < W)[None, :, :] & more
    return tl.load(values + at, mask=mask, other=0.0)


@triton.jit
def load_scales(scales, rows, first, N: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr, HIGH: tl.constexpr):
    """Scales of four-bit groups, for the pieces of SUB bytes that begin at first [G] -> [ROWS, G] float32."""
    column = first // GROUP + HIGH * (W // GROUP)
    at = rows[:, None] * (2 * W // GROUP) + column[None, :]
    return tl.load(scales + at, mask=(rows < N)[:, None] & (first < W)[None, :], other=0.0).to(tl.float32)


@triton.jit
def load_vector(x, alpha, power, at, inside, NORM: tl.constexpr):
    """x at [G, SUB] as float32, normed (and rounded as the norm's result is) where NORM."""
    v = tl.load(x + at, mask=inside, other=0.0)
    if NORM:
        scale = tl.load(alpha + at, mask=inside, other=0.0).to(tl.float32)
        return (v.to(tl.float32) * (scale * power)).to(v.dtype).to(tl.float32)
    return v.to(tl.float32)


@triton.jit
def dots(tile, scales, rows, first, low, high, N: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr):
    """tile [ROWS, G, SUB] . the vector's parts low, high [G, SUB] -> [ROWS, G] float32; GROUP 0: 8 bits, no scales."""
    if GROUP == 0:
        return tl.sum(tile.to(tl.float32) * low[None, :, :], axis=2)
    else:
        # Numbers are stored plus 8: that much of the vector is taken off again, once for all rows.
        lows = tl.sum((tile & 15).to(tl.float32) * low[None, :, :], axis=2) - 8.0 * tl.sum(low, axis=1)[None, :]
        highs = tl.sum((tile >> 4).to(tl.float32) * high[None, :, :], axis=2) - 8.0 * tl.sum(high, axis=1)[None, :]
        return lows * load_scales(scales, rows, first, N, W, GROUP, 0) + highs * load_scales(
            scales, rows, first, N, W, GROUP, 1
        )


@triton.jit
def row_scales(y, scales, rows, N: tl.constexpr, GROUP: tl.constexpr, SCALE_ROWS: tl.constexpr):
    """y [ROWS] times the scale of each row, which SCALE_ROWS of them share; four-bit sums have theirs already."""
    if GROUP == 0:
        y *= tl.load(scales + rows // SCALE_ROWS, mask=rows < N, other=0.0).to(tl.float32)
    return y


@triton.jit
def product_kernel(
    values, scales, x, alpha, out,
    N: tl.constexpr, W: tl.constexpr, ALL: tl.constexpr, GROUP: tl.constexpr, SCALE_ROWS: tl.constexpr,
    X_BLOCK: tl.constexpr, BLOCK: tl.constexpr, PIECE: tl.constexpr, ROWS: tl.constexpr, TILES: tl.constexpr,
    NORM: tl.constexpr, ADD: tl.constexpr, GATED: tl.constexpr, EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out[n] = W[n] . x for N rows of W bytes, BLOCK bytes at a time; x normed first (NORM), the product added to out
    (ADD), or silu of it times that of row N + n (GATED). ALL: rows of the matrix; PIECE: SUB."""
    dtype = out.dtype.element_ty
    K: tl.constexpr = W if GROUP == 0 else 2 * W
    STEPS: tl.constexpr = (W + BLOCK - 1) // BLOCK
    first = tl.arange(0, BLOCK // PIECE) * PIECE
    bytes_at = first[:, None] + tl.arange(0, PIECE)[None, :]
    rows = tl.program_id(0) * (ROWS * TILES) + tl.arange(0, ROWS)
    tile = load_tile(values, rows, bytes_at, N, W, True)
    if GATED:
        other = load_tile(values, rows + N, bytes_at, ALL, W, True)
    wait_for_inputs(PDL)
    power = 0.0
    if NORM:
        columns = tl.arange(0, X_BLOCK)
        whole = tl.load(x + columns, mask=columns < K, other=0.0).to(tl.float32)
        power = tl.rsqrt(tl.sum(whole * whole, axis=0) / K + EPSILON)
    total = tl.zeros((ROWS, BLOCK // PIECE), tl.float32)
    second = total
    start = 0
    for index in range(TILES * STEPS):
        ends = start + BLOCK >= W
        here = first + start
        at = bytes_at + start
        low = load_vector(x, alpha, power, at, at < W, NORM)
        high = low
        if GROUP > 0:
            high = load_vector(x, alpha, power, at + W, at < W, NORM)
        next_start = tl.where(ends, 0, start + BLOCK)
        next_rows = tl.where(ends, rows + ROWS, rows)
        more = index + 1 < TILES * STEPS
        next_tile = load_tile(values, next_rows, bytes_at + next_start, N, W, more)
        if GATED:
            next_other = load_tile(
                values, next_rows + N, bytes_at + next_start, ALL, W, more & (next_rows < N)[:, None, None]
            )
            second += dots(other, scales, rows + N, here, low, high, ALL, W, GROUP)
            other = next_other
        total += dots(tile, scales, rows, here, low, high, N, W, GROUP)
        if ends:
            y = row_scales(tl.sum(total, axis=1), scales, rows, N, GROUP, SCALE_ROWS).to(dtype)
            if GATED:
                u = row_scales(tl.sum(second, axis=1), scales, rows + N, ALL, GROUP, SCALE_ROWS).to(dtype)
                g = y.to(tl.float32)
                y = ((g / (1.0 + tl.exp(-g))).to(dtype).to(tl.float32) * u.to(tl.float32)).to(dtype)
            if ADD:
                held = tl.load(out + rows, mask=rows < N, other=0.0).to(tl.float32)
                y = (held + y.to(tl.float32)).to(dtype)
            tl.store(out + rows, y, mask=rows < N)
            total = tl.zeros((ROWS, BLOCK // PIECE), tl.float32)
            second = tl.zeros((ROWS, BLOCK // PIECE), tl.float32)
        tile = next_tile
        start = next_start
        rows = next_rows


def group_bytes(weight: Quantized) -> int:
    """Bytes of a row that share a four-bit scale; 0 for eight bits, whose rows have one scale each or less."""
    return weight.values.shape[-1] * 2 // weight.scales.shape[-1] if weight.values.dtype == torch.uint8 else 0


def supported(weight: Quantized) -> bool:
    """Whether the kernels can take this matrix: four-bit groups must be whole pieces."""
    return group_bytes(weight) % SUB == 0


def _launch(
    weight: Quantized, x: Tensor, out: Tensor, launch: Launch, block: int, rows: int, *, norm: Tensor | None,
    add: bool, gated: bool, pdl: int,
) -> None:  # fmt: skip
    every, width = weight.values.shape
    group = group_bytes(weight)
    columns = width if group == 0 else 2 * width
    block = max(SUB, min(block, triton.next_power_of_2(width)))
    product_kernel[(triton.cdiv(rows, launch.rows * launch.tiles),)](
        weight.values, weight.scales, x, x if norm is None else norm, out, rows, width, every, group,
        every // weight.scales.shape[0], triton.next_power_of_2(columns), block, SUB, launch.rows, launch.tiles,
        norm is not None, add, gated, EPS, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def linear(
    weight: Quantized, x: Tensor, out: Tensor, launch: Launch, block: int, *, norm: Tensor | None = None,
    add: bool = False, pdl: int,
) -> None:  # fmt: skip
    """out [N] = weight [N, K] @ x [K] in out's dtype, in place; `norm` [K]: of rms_norm(x); `add`: out += instead.

    block: bytes of a row that are taken at once, a power of two."""
    _launch(weight, x, out, launch, block, weight.values.shape[0], norm=norm, add=add, gated=False, pdl=pdl)


def gated(weight: Quantized, x: Tensor, norm: Tensor, out: Tensor, launch: Launch, block: int, *, pdl: int) -> None:
    """out [H] = silu(g) * v with g, v = weight [2H, K] @ rms_norm(x [K], norm), in place."""
    _launch(weight, x, out, launch, block, weight.values.shape[0] // 2, norm=norm, add=False, gated=True, pdl=pdl)


# ---------------------------------------------------------------- the same in plain PyTorch


def linear_reference(
    weight: Quantized, x: Tensor, out: Tensor, *, norm: Tensor | None = None, add: bool = False
) -> Tensor:
    """What `linear` leaves in out, as a new tensor."""
    normed = x if norm is None else rms_norm(x, norm, EPS)
    y = F.linear(normed.float(), dequantized(weight, torch.float32)).to(out.dtype)
    return out + y if add else y


def gated_reference(weight: Quantized, x: Tensor, norm: Tensor) -> Tensor:
    """What `gated` leaves in out."""
    normed = rms_norm(x, norm, EPS).float()
    gate, value = F.linear(normed, dequantized(weight, torch.float32)).to(x.dtype).chunk(2)
    return F.silu(gate) * value
