"""Triton kernels that stream a weight matrix past one vector, with what stands before and after it fused in.

At one talk a linear layer is a matrix-vector product: its time is that of reading the matrix, and everything else
(norm, activation, residual) is free if it needs no launch of its own. Each kernel stands beside the plain PyTorch it
replaces; both round where the reference rounds, so they differ by the order of float32 sums only.

Two habits keep the memory busy between kernels. A program loads its first rows of weights before it waits for the
kernel that makes its input (programmatic dependent launch, `pdl`; sm_90 on), and the next kernel may start before this
one ends. Launch shapes are fixed by the caller at load, never chosen by timing at run time: eager and graph run the
very same kernels.

Imports Triton: import this module late, and only where `engine.toolchain` found a compiler.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor

from engine.layers import rms_norm

EPS = 1e-8  # rms_norm's

# When a kernel lets the next one start (programmatic dependent launch): never; at once; when its own inputs are there.
# Early suits chains of small kernels (depth: 0.73 ms against 0.84 late), late suits the codec's wide ones.
NO_OVERLAP, EARLY, LATE = 0, 1, 2


class Launch(NamedTuple):
    """How a product is cut: rows of one tile, tiles of one program, warps of one program; whole: with whole rows in a
    warp, where there is that form (`kernels_depth_rows`)."""

    rows: int
    tiles: int = 1
    warps: int = 8
    whole: bool = False


@triton.jit
def wait_for_inputs(PDL: tl.constexpr):
    """Behind it lies what earlier kernels of this frame wrote. Before it may be loaded what they do not write: weights,
    settings, the past in the rings. The first kernel after a stage boundary of another kind waits for all of them."""
    if PDL == 1:
        tl.extra.cuda.gdc_launch_dependents()
        tl.extra.cuda.gdc_wait()
    if PDL == 2:
        tl.extra.cuda.gdc_wait()
        tl.extra.cuda.gdc_launch_dependents()


@triton.jit
def row_sums(v):
    """[ROWS, CHUNKS, LANES] -> [ROWS]: within a thread, then within a warp, never across warps."""
    return tl.sum(tl.sum(v, axis=1), axis=1)


@triton.jit
def root_mean_square(v, scale, K: tl.constexpr, EPSILON: tl.constexpr):
    """v [BLOCK] float32, zero outside K; scale [BLOCK] in registers -> the normed vector, not yet rounded."""
    return v * (scale.to(tl.float32) * tl.rsqrt(tl.sum(v * v, axis=0) / K + EPSILON))


@triton.jit
def linear_kernel(
    weight, x, alpha, out,
    N: tl.constexpr, K: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr, TILES: tl.constexpr,
    NORM: tl.constexpr, ADD: tl.constexpr, EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out[n] = W[n] . x, with x normed first (NORM) or the product added to out (ADD). The whole of x in one block."""
    columns = tl.arange(0, BLOCK)
    inside = columns < K
    rows = tl.program_id(0) * (ROWS * TILES) + tl.arange(0, ROWS)
    at = weight + rows[:, None].to(tl.int64) * K + columns[None, :]
    tile = tl.load(at, mask=inside[None, :] & (rows < N)[:, None], other=0.0)
    if NORM:
        scale = tl.load(alpha + columns, mask=inside, other=0.0)
    wait_for_inputs(PDL)
    v = tl.load(x + columns, mask=inside, other=0.0).to(tl.float32)
    if NORM:
        v = root_mean_square(v, scale, K, EPSILON).to(weight.dtype.element_ty).to(tl.float32)
    for index in range(TILES):
        following = rows + ROWS
        at += ROWS * K
        more = inside[None, :] & ((following < N) & (index + 1 < TILES))[:, None]
        next_tile = tl.load(at, mask=more, other=0.0)
        if ADD:  # asked for before the sum, which hides how long it takes
            held = tl.load(out + rows, mask=rows < N, other=0.0)
        y = tl.sum(tile.to(tl.float32) * v[None, :], axis=1).to(out.dtype.element_ty)
        if ADD:
            y = (held.to(tl.float32) + y.to(tl.float32)).to(y.dtype)
        tl.store(out + rows, y, mask=rows < N)
        tile = next_tile
        rows = following


@triton.jit
def deep_linear_kernel(
    weight, x, out, N: tl.constexpr, K: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr, PDL: tl.constexpr
):  # fmt: skip
    """out[n] += W[n] . x for rows too long for one block: BLOCK columns at a time, BLOCK a divisor of K."""
    columns = tl.arange(0, BLOCK)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = weight + rows[:, None].to(tl.int64) * K + columns[None, :]
    tile = tl.load(at)
    wait_for_inputs(PDL)
    held = tl.load(out + rows).to(tl.float32)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    for start in range(0, K, BLOCK):
        at += BLOCK
        next_tile = tl.load(at, mask=(columns + start + BLOCK < K)[None, :], other=0.0)
        total += tile.to(tl.float32) * tl.load(x + start + columns).to(tl.float32)[None, :]
        tile = next_tile
    y = tl.sum(total, axis=1).to(out.dtype.element_ty).to(tl.float32)
    tl.store(out + rows, (held + y).to(out.dtype.element_ty))


@triton.jit
def gated_kernel(
    weight, x, alpha, out,
    H: tl.constexpr, K: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr, TILES: tl.constexpr,
    EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out[n] = silu(gate[n] . x) * (value[n] . x) over the normed x; weight [2H, K] = gate rows, then value rows."""
    dtype = out.dtype.element_ty
    columns = tl.arange(0, BLOCK)
    inside = columns < K
    rows = tl.program_id(0) * (ROWS * TILES) + tl.arange(0, ROWS)
    at = weight + rows[:, None].to(tl.int64) * K + columns[None, :]
    now = inside[None, :] & (rows < H)[:, None]
    gate = tl.load(at, mask=now, other=0.0)
    value = tl.load(at + H * K, mask=now, other=0.0)
    scale = tl.load(alpha + columns, mask=inside, other=0.0)
    wait_for_inputs(PDL)
    v = tl.load(x + columns, mask=inside, other=0.0).to(tl.float32)
    v = root_mean_square(v, scale, K, EPSILON).to(weight.dtype.element_ty).to(tl.float32)
    for index in range(TILES):
        following = rows + ROWS
        at += ROWS * K
        more = inside[None, :] & ((following < H) & (index + 1 < TILES))[:, None]
        next_gate = tl.load(at, mask=more, other=0.0)
        next_value = tl.load(at + H * K, mask=more, other=0.0)
        g = tl.sum(gate.to(tl.float32) * v[None, :], axis=1).to(dtype).to(tl.float32)
        u = tl.sum(value.to(tl.float32) * v[None, :], axis=1).to(dtype).to(tl.float32)
        active = (g / (1.0 + tl.exp(-g))).to(dtype).to(tl.float32)
        tl.store(out + rows, (active * u).to(dtype), mask=rows < H)
        gate, value = next_gate, next_value
        rows = following


def linear(
    weight: Tensor, x: Tensor, out: Tensor, launch: Launch, *, norm: Tensor | None = None, add: bool = False, pdl: int
) -> None:
    """out [N] = weight [N, K] @ x [K] in out's dtype, in place; `norm` [K]: of rms_norm(x); `add`: out += instead."""
    rows, columns = weight.shape
    grid = (triton.cdiv(rows, launch.rows * launch.tiles),)
    linear_kernel[grid](
        weight, x, weight if norm is None else norm, out, rows, columns, triton.next_power_of_2(columns), launch.rows,
        launch.tiles, norm is not None, add, EPS, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def linear_add(weight: Tensor, x: Tensor, out: Tensor, launch: Launch, block: int, *, pdl: int) -> None:
    """out [N] += weight [N, K] @ x [K], in place: by blocks of columns, or whole rows where these do not divide evenly
    (or `block` is 0)."""
    rows, columns = weight.shape
    if block == 0 or rows % launch.rows or columns % block:
        linear(weight, x, out, launch, add=True, pdl=pdl)
        return
    deep_linear_kernel[(rows // launch.rows,)](
        weight, x, out, rows, columns, block, launch.rows, pdl, num_warps=launch.warps, **launch_options(pdl)
    )


def gated(weight: Tensor, x: Tensor, norm: Tensor, out: Tensor, launch: Launch, *, pdl: int) -> None:
    """out [H] = silu(g) * v with g, v = weight [2H, K] @ rms_norm(x [K], norm), in place."""
    hidden, columns = weight.shape[0] // 2, weight.shape[1]
    gated_kernel[(triton.cdiv(hidden, launch.rows * launch.tiles),)](
        weight, x, norm, out, hidden, columns, triton.next_power_of_2(columns), launch.rows, launch.tiles, EPS, pdl,
        num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def launch_options(pdl: int) -> dict[str, bool]:
    """Launch attributes that older Tritons do not know must not be named to them."""
    return {"launch_pdl": True} if pdl else {}


# ---------------------------------------------------------------- the same in plain PyTorch


def linear_reference(
    weight: Tensor, x: Tensor, out: Tensor, *, norm: Tensor | None = None, add: bool = False
) -> Tensor:
    """What `linear` (and, with `add`, `linear_add`) leaves in out, as a new tensor."""
    y = F.linear(x if norm is None else rms_norm(x, norm, EPS), weight)
    return out + y if add else y.to(out.dtype)


def gated_reference(weight: Tensor, x: Tensor, norm: Tensor) -> Tensor:
    """What `gated` leaves in out."""
    gate, value = F.linear(rms_norm(x, norm, EPS), weight).chunk(2)
    return F.silu(gate) * value


def supports_pdl(device: torch.device) -> bool:
    """Whether kernels may start before their predecessor has ended: Hopper on, and a Triton that knows how."""
    capable = device.type == "cuda" and torch.cuda.get_device_capability(device) >= (9, 0)
    return capable and hasattr(tl.extra.cuda, "gdc_wait")
