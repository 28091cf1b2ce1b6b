"""Triton kernels for the codec's quantiser: a latent to codes, level by level, and codes to two latents.

Every level waits for the one before it, so each is a launch: one for all, whose programs meet after every level, took
the same time. Everything is float32. The plain PyTorch is `engine.mimi`; the tests run both. Imports Triton: import
this module late.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import launch_options, row_sums, wait_for_inputs


@triton.jit
def nearest_kernel(
    codebook, half_norms, residual, scores, arrived, codes,
    BINS: tl.constexpr, DIM: tl.constexpr, LANES: tl.constexpr, ROWS: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """The nearest of BINS code vectors to residual [DIM], which then loses it. Axis 1 of the grid: several at once."""
    which = tl.program_id(1)
    codebook += which * (BINS * DIM)
    residual += which * DIM
    scores += which * BINS
    rows, dims = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, DIM)
    at = (tl.arange(0, DIM // LANES) * LANES)[None, :, None] + tl.arange(0, LANES)[None, None, :]
    every = at + 0 * rows[:, None, None]
    c = tl.load(codebook + rows[:, None, None] * DIM + at)
    half = tl.load(half_norms + which * BINS + rows)
    wait_for_inputs(PDL)
    r = tl.load(residual + dims)
    tl.store(scores + rows, half - row_sums(c * tl.load(residual + every)))
    tl.debug_barrier()  # all threads' scores are out before one of them announces it
    if tl.atomic_add(arrived + which, 1, sem="acq_rel") == tl.num_programs(0) - 1:
        tl.store(arrived + which, 0)
        code = tl.argmin(tl.load(scores + tl.arange(0, BINS), volatile=True), axis=0, tie_break_left=True)
        tl.store(codes + which, code.to(tl.int64))
        tl.store(residual + dims, r - tl.load(codebook + code * DIM + dims))


@triton.jit
def quantiser_in_kernel(
    semantic, acoustic, x, out,
    N: tl.constexpr, K: tl.constexpr, LANES: tl.constexpr, ROWS: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Both projections of a latent x [K]: out [2, N]."""
    which = tl.program_id(1)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    k = (tl.arange(0, K // LANES) * LANES)[None, :, None] + tl.arange(0, LANES)[None, None, :]
    at = rows[:, None, None] * K + k
    if which == 0:
        w = tl.load(semantic + at)
    else:
        w = tl.load(acoustic + at)
    wait_for_inputs(PDL)
    tl.store(out + which * N + rows, row_sums(w * tl.load(x + k + 0 * rows[:, None, None])))


@triton.jit
def quantiser_out_kernel(
    codes, codebooks, semantic, acoustic, up, partial, out,
    Q: tl.constexpr, BINS: tl.constexpr, DIM: tl.constexpr, LANES: tl.constexpr, N: tl.constexpr, ROWS: tl.constexpr,
    PDL: tl.constexpr,
):  # fmt: skip
    """codes [Q] -> the latent, and from it two latents by the depth-wise transposed convolution: out [2, N].

    up [N, 1, 4]; partial [N, 2] is read and renewed by the program that owns the row.
    """
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    dims = (tl.arange(0, DIM // LANES) * LANES)[None, :, None] + tl.arange(0, LANES)[None, None, :]
    at, every = rows[:, None, None] * DIM + dims, dims + 0 * rows[:, None, None]
    w_semantic, w_acoustic = tl.load(semantic + at), tl.load(acoustic + at)
    wait_for_inputs(PDL)
    # A frame that is not whole yet holds negative fillers; what comes of them is never heard.
    latent = row_sums(w_semantic * tl.load(codebooks + tl.maximum(tl.load(codes), 0) * DIM + every))
    if Q > 1:
        rest = tl.zeros(every.shape, tl.float32)
        for level in tl.static_range(1, Q):
            rest += tl.load(codebooks + (level * BINS + tl.maximum(tl.load(codes + level), 0)) * DIM + every)
        latent += row_sums(w_acoustic * rest)
    for index in tl.static_range(2):
        kept = tl.load(partial + rows * 2 + index)
        tl.store(out + index * N + rows, latent * tl.load(up + rows * 4 + index) + kept)
        tl.store(partial + rows * 2 + index, latent * tl.load(up + rows * 4 + 2 + index))


def quantise(
    x: Tensor | None, semantic: Tensor, acoustic: Tensor, codebooks: Tensor, half_norms: Tensor, residual: Tensor,
    scores: Tensor, arrived: Tensor, codes: Tensor, *, rows: int = 16, pdl: int,
) -> None:  # fmt: skip
    """A latent x [dim] -> codes [Q] int64. residual [2, DIM], scores [2, BINS], arrived [2] int32 zeros: scratch.

    Without x residual holds its two projections already."""
    levels, bins, dim = codebooks.shape
    options = {"num_warps": 4, **launch_options(pdl)}
    if x is not None:
        width = x.shape[0]
        quantiser_in_kernel[(triton.cdiv(dim, 4), 2)](
            semantic, acoustic, x, residual, dim, width, min(width, 128), 4, pdl, **options
        )
    sizes, both = (bins, dim, min(dim, 128), rows, pdl), min(levels, 2)
    nearest_kernel[(bins // rows, both)](codebooks, half_norms, residual, scores, arrived, codes, *sizes, **options)
    for level in range(both, levels):
        nearest_kernel[(bins // rows, 1)](
            codebooks[level], half_norms[level], residual[1], scores, arrived, codes[level:], *sizes, **options
        )


def dequantise(
    codes: Tensor, codebooks: Tensor, semantic: Tensor, acoustic: Tensor, up: Tensor, partial: Tensor, out: Tensor, *,
    pdl: int,
) -> None:  # fmt: skip
    """codes [Q] int64 -> out [2, dim]: codebook sums, output projections, upsampling with its partial [dim, 2]."""
    levels, bins, dim = codebooks.shape
    quantiser_out_kernel[(triton.cdiv(out.shape[1], 4),)](
        codes, codebooks, semantic, acoustic, up, partial, out, levels, bins, dim, min(dim, 128), out.shape[1], 4, pdl,
        num_warps=4, **launch_options(pdl),
    )  # fmt: skip
