"""Triton kernels that stream 8- and 4-bit weights past one vector, as `engine.kernels_linear` does plain ones.

The products are those of whole numbers (`engine.kernels_quantized_parts`; fp8: of floats); scales are applied to sums,
not to weights: once a row where a row (or the matrix) shares one, else once for every 16 bytes that a thread holds. A
row is taken whole where it fits, so that the vector stays in registers, normed and made whole numbers once; the scales
are asked for together with the weights, before anything waits.

Results are rounded where the plain kernels round, so a product differs from that of the dequantised matrix by the order
of its sum and by the vector's 16 bits only: less than bfloat16 can tell. Formats: `engine.quantize.Quantized`. Each
kernel stands beside its plain PyTorch. Imports Triton: import this module late.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import EPS, Launch, launch_options, wait_for_inputs
from engine.kernels_quantized_parts import (
    PIECE,
    as_loaded,
    finished,
    finished_pair,
    group_bytes,
    kind,
    load_pieces,
    load_scales,
    places,
    prepared,
    row_sums,
)
from engine.layers import rms_norm
from engine.quantize import Quantized, dequantized


@triton.jit
def silu(g, dtype: tl.constexpr):
    wide = g.to(tl.float32)
    return (wide / (1.0 + tl.exp(-wide))).to(dtype).to(tl.float32)


@triton.jit
def load_half(x, at, W: tl.constexpr):
    return tl.load(x + at, mask=at < W, other=0.0)


@triton.jit
def held_kernel(
    values, scales, x, alpha, out,
    N: tl.constexpr, W: tl.constexpr, ALL: tl.constexpr, GROUP: tl.constexpr, SCALE_ROWS: tl.constexpr,
    G: tl.constexpr, ROWS: tl.constexpr, TILES: tl.constexpr, KIND: tl.constexpr, NORM: tl.constexpr,
    ADD: tl.constexpr, GATED: tl.constexpr, EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out[n] = W[n] . x for N rows of W bytes, the whole of x in registers: normed (NORM), added to out (ADD), or silu
    of it times row N + n's (GATED). ALL: rows of the matrix. G pieces of 16 bytes cover a row."""
    dtype = out.dtype.element_ty
    K: tl.constexpr = W if GROUP == 0 else 2 * W
    pieces = tl.arange(0, G)
    rows = tl.program_id(0) * (ROWS * TILES) + tl.arange(0, ROWS)
    tile = load_pieces(values, rows, pieces, N, W, True)
    scale = load_scales(scales, rows, pieces, 0, N, W, GROUP, SCALE_ROWS, True)
    high_scale = scale
    if GROUP > 0:
        high_scale = load_scales(scales, rows, pieces, 1, N, W, GROUP, SCALE_ROWS, True)
    if GATED:
        tile2 = load_pieces(values, rows + N, pieces, ALL, W, True)
        scale2 = load_scales(scales, rows + N, pieces, 0, ALL, W, GROUP, SCALE_ROWS, True)
        high_scale2 = scale2
        if GROUP > 0:
            high_scale2 = load_scales(scales, rows + N, pieces, 1, ALL, W, GROUP, SCALE_ROWS, True)
    at = places(pieces)
    if NORM:
        gain = load_half(alpha, at, W)
        high_gain = gain
        if GROUP > 0:
            high_gain = load_half(alpha + W, at, W)
    wait_for_inputs(PDL)
    low = load_half(x, at, W).to(tl.float32)
    high = low
    if GROUP > 0:
        high = load_half(x + W, at, W).to(tl.float32)
    if NORM:
        squares = low * low
        if GROUP > 0:
            squares += high * high
        power = tl.rsqrt(tl.sum(tl.sum(tl.sum(squares, axis=2), axis=1), axis=0) / K + EPSILON)
        low = (low * (gain.to(tl.float32) * power)).to(x.dtype.element_ty).to(tl.float32)
        if GROUP > 0:
            high = (high * (high_gain.to(tl.float32) * power)).to(x.dtype.element_ty).to(tl.float32)
        else:
            high = low
    a, b, c, d = prepared(low, KIND)
    e, f, g, h = a, b, c, d
    if GROUP > 0:
        e, f, g, h = prepared(high, KIND)
    for index in range(TILES):
        more = index + 1 < TILES
        following = rows + ROWS
        next_tile = load_pieces(values, following, pieces, N, W, more)
        next_scale = load_scales(scales, following, pieces, 0, N, W, GROUP, SCALE_ROWS, more)
        next_high_scale = next_scale
        if GROUP > 0:
            next_high_scale = load_scales(scales, following, pieces, 1, N, W, GROUP, SCALE_ROWS, more)
        if GATED:
            more2 = more & (following < N)[None, :]
            next_tile2 = load_pieces(values, following + N, pieces, ALL, W, more2[:, :, None])
            next_scale2 = load_scales(scales, following + N, pieces, 0, ALL, W, GROUP, SCALE_ROWS, more2)
            next_high_scale2 = next_scale2
            if GROUP > 0:
                next_high_scale2 = load_scales(scales, following + N, pieces, 1, ALL, W, GROUP, SCALE_ROWS, more2)
        if ADD:  # asked for before the sum, which hides how long it takes
            held = tl.load(out + rows, mask=rows < N, other=0.0)
        sums = row_sums(tile, a, b, c, d, e, f, g, h, scale, high_scale, KIND)
        if GATED:
            sums2 = row_sums(tile2, a, b, c, d, e, f, g, h, scale2, high_scale2, KIND)
            wide, u = finished_pair(sums, sums2, scale, scale2, GROUP)
            y = (silu(wide.to(dtype), dtype) * u.to(dtype).to(tl.float32)).to(dtype)
            tile2, scale2, high_scale2 = next_tile2, next_scale2, next_high_scale2
        else:
            y = finished(sums, scale, GROUP).to(dtype)
        if ADD:
            y = (held.to(tl.float32) + y.to(tl.float32)).to(dtype)
        tl.store(out + rows, y, mask=rows < N)
        tile, scale, high_scale = next_tile, next_scale, next_high_scale
        rows = following


@triton.jit
def stepped_kernel(
    values, scales, x, out,
    N: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr, SCALE_ROWS: tl.constexpr, G: tl.constexpr,
    ROWS: tl.constexpr, KIND: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out[n] += W[n] . x for rows too long to hold x: G pieces of 16 bytes at a time, a divisor of W / 16."""
    dtype = out.dtype.element_ty
    pieces = tl.arange(0, G)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    tile = load_pieces(values, rows, pieces, N, W, True)
    scale = load_scales(scales, rows, pieces, 0, N, W, GROUP, SCALE_ROWS, True)
    high_scale = scale
    if GROUP > 0:
        high_scale = load_scales(scales, rows, pieces, 1, N, W, GROUP, SCALE_ROWS, True)
    wait_for_inputs(PDL)
    held = tl.load(out + rows, mask=rows < N, other=0.0).to(tl.float32)
    at = places(pieces)
    total = tl.zeros((G, ROWS), tl.float32)
    for _ in range(0, W // 16, G):
        pieces += G
        next_tile = load_pieces(values, rows, pieces, N, W, True)
        low = load_half(x, at, W).to(tl.float32)
        a, b, c, d = prepared(low, KIND)
        e, f, g, h = a, b, c, d
        next_scale, next_high_scale = scale, high_scale
        if GROUP > 0:
            next_scale = load_scales(scales, rows, pieces, 0, N, W, GROUP, SCALE_ROWS, True)
            next_high_scale = load_scales(scales, rows, pieces, 1, N, W, GROUP, SCALE_ROWS, True)
            high = load_half(x + W, at, W).to(tl.float32)
            e, f, g, h = prepared(high, KIND)
        total += row_sums(tile, a, b, c, d, e, f, g, h, scale, high_scale, KIND)
        tile, scale, high_scale = next_tile, next_scale, next_high_scale
        at += G * 16
    y = finished(total, scale, GROUP).to(dtype).to(tl.float32)
    tl.store(out + rows, (held + y).to(dtype), mask=rows < N)


def linear(
    weight: Quantized, x: Tensor, out: Tensor, launch: Launch, block: int = 0, *, norm: Tensor | None = None,
    add: bool = False, pdl: int,
) -> None:  # fmt: skip
    """out [N] = weight [N, K] @ x [K] in out's dtype, in place; `norm` [K]: of rms_norm(x); `add`: out += instead.

    block: bytes of a row at once, for `add` without norm: fewer where they do not divide a row evenly; 0, or where no
        256 do: whole rows."""
    rows, width = weight.values.shape
    how = kind(weight)
    while block > 256 and width % block:
        block //= 2
    if block and add and norm is None and width % block == 0 and width > block:
        stepped_kernel[(triton.cdiv(rows, launch.rows),)](
            as_loaded(weight), weight.scales, x, out, rows, width, group_bytes(weight),
            rows // weight.scales.shape[0], block // PIECE, launch.rows, how, pdl, num_warps=launch.warps,
            **launch_options(pdl),
        )  # fmt: skip
        return
    _held(weight, x, out, launch, rows, how, norm=norm, add=add, gated=False, pdl=pdl)


def gated(weight: Quantized, x: Tensor, norm: Tensor, out: Tensor, launch: Launch, *, pdl: int) -> None:
    """out [H] = silu(g) * v with g, v = weight [2H, K] @ rms_norm(x [K], norm), in place."""
    how = kind(weight)
    _held(weight, x, out, launch, weight.values.shape[0] // 2, how, norm=norm, add=False, gated=True, pdl=pdl)


def _held(
    weight: Quantized, x: Tensor, out: Tensor, launch: Launch, rows: int, how: int, *, norm: Tensor | None, add: bool,
    gated: bool, pdl: int,
) -> None:  # fmt: skip
    every, width = weight.values.shape
    held_kernel[(triton.cdiv(rows, launch.rows * launch.tiles),)](
        as_loaded(weight), weight.scales, x, x if norm is None else norm, out, rows, width, every,
        group_bytes(weight), every // weight.scales.shape[0], triton.next_power_of_2(width // PIECE), launch.rows,
        launch.tiles, how, norm is not None, add, gated, EPS, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


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
