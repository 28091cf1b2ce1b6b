"""Triton kernels of a depth layer whose weights are quantised: its projection with what it reads, and its attention.

As `kernels_tokens.depth_project` and `kernels_depth_attention.depth_attend_add`, on `engine.quantize.Quantized`
weights. The plain PyTorch that they agree with stands beside each. Imports Triton: import this module late.
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
def depth_input(x, table, scales, token, at, inside, K: tl.constexpr, EMBED: tl.constexpr):
    """x at `at` as float32; EMBED: plus the token's row of an 8-bit table, rounded as the plain path rounds."""
    v = tl.load(x + at, mask=inside, other=0.0)
    if EMBED:
        row = tl.load(table + tl.maximum(token, 0) * K + at, mask=inside & (token >= 0), other=0.0).to(tl.float32)
        row = (row * tl.load(scales + tl.maximum(token, 0)).to(tl.float32)).to(v.dtype)
        return (v.to(tl.float32) + row.to(tl.float32)).to(v.dtype).to(tl.float32)
    return v.to(tl.float32)


@triton.jit
def depth_project_kernel(
    values, scales, source, table, table_scales, token_at, alpha, x, query, keys, rows_of_values, step,
    K: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr, SCALE_ROWS: tl.constexpr, G: tl.constexpr,
    HEAD: tl.constexpr, STEPS: tl.constexpr, ROWS: tl.constexpr, KIND: tl.constexpr, EMBED: tl.constexpr,
    EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """q, k, v of one depth layer at one step; k and v go to their place in the step rings [HEADS, STEPS, HEAD].

    EMBED: the layer's input is source + table[token], which the first program also leaves in x; else it is source.
    """
    dtype = query.dtype.element_ty
    pieces = tl.arange(0, G)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    tile = load_pieces(values, rows, pieces, 3 * K, W, True)
    scale = load_scales(scales, rows, pieces, 0, 3 * K, W, GROUP, SCALE_ROWS, True)
    high_scale = scale
    at = places(pieces)
    inside = at < W
    gain = tl.load(alpha + at, mask=inside, other=0.0).to(tl.float32)
    high_gain = gain
    if GROUP > 0:
        high_scale = load_scales(scales, rows, pieces, 1, 3 * K, W, GROUP, SCALE_ROWS, True)
        high_gain = tl.load(alpha + W + at, mask=inside, other=0.0).to(tl.float32)
    wait_for_inputs(PDL)
    token = 0
    if EMBED:
        token = tl.load(token_at)
    low = depth_input(source, table, table_scales, token, at, inside, K, EMBED)
    high = low
    squares = low * low
    if GROUP > 0:
        high = depth_input(source, table, table_scales, token, at + W, inside, K, EMBED)
        squares += high * high
    if EMBED:  # noqa: SIM102 - known while compiling
        if tl.program_id(0) == 0:
            tl.store(x + at, low.to(dtype), mask=inside)
            if GROUP > 0:
                tl.store(x + W + at, high.to(dtype), mask=inside)
    power = tl.rsqrt(tl.sum(tl.sum(tl.sum(squares, axis=2), axis=1), axis=0) / K + EPSILON)
    low = (low * (gain * power)).to(dtype).to(tl.float32)
    a, b, c, d = prepared(low, KIND)
    e, f, g, h = a, b, c, d
    if GROUP > 0:
        high = (high * (high_gain * power)).to(dtype).to(tl.float32)
        e, f, g, h = prepared(high, KIND)
    sums = row_sums(tile, a, b, c, d, e, f, g, h, scale, high_scale, KIND)
    y = finished(sums, scale, GROUP).to(dtype)
    part, row = rows // K, rows % K
    place = (row // HEAD) * (STEPS * HEAD) + step * HEAD + row % HEAD
    tl.store(query + row, y, mask=part == 0)
    tl.store(keys + place, y, mask=part == 1)
    tl.store(rows_of_values + place, y, mask=part == 2)


def depth_project(
    weight: Quantized, norm: Tensor, x: Tensor, query: Tensor, keys: Tensor, values: Tensor, step: int, launch: Launch,
    *, embed: tuple[Tensor, Quantized, Tensor] | None = None, pdl: int,
) -> None:  # fmt: skip
    """query [d] and place `step` of keys, values [H, S, d / H] = weight [3d, d] @ rms_norm(x), in place.

    `embed` (source [d], 8-bit table [tokens, d], token [1]): x is first set to source + table[token].
    """
    _, steps, head_dim = keys.shape
    dim, width, how = x.shape[0], weight.values.shape[1], kind(weight)
    source, (table, table_scales), token = embed if embed is not None else (x, (x, x), x)
    depth_project_kernel[(triton.cdiv(3 * dim, launch.rows),)](
        as_loaded(weight), weight.scales, source, table, table_scales, token, norm, x, query, keys, values, step,
        dim, width, group_bytes(weight), 3 * dim // weight.scales.shape[0], triton.next_power_of_2(width // PIECE),
        head_dim, steps, launch.rows, how, embed is not None, EPS, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def depth_project_reference(weight: Quantized, norm: Tensor, x: Tensor) -> Tensor:
    """The product [3d] that `depth_project` deals out to query, keys and values."""
    return F.linear(rms_norm(x, norm, EPS).float(), dequantized(weight, torch.float32)).to(x.dtype)


@triton.jit
def step_score(q, keys, at, step, s: tl.constexpr, HEAD: tl.constexpr):
    """q [HEADS, HEAD] . the keys of one step -> [HEADS]; -inf for a step yet to come, which is not looked at."""
    k = tl.load(keys + at + s * HEAD, mask=step >= s, other=0.0).to(tl.float32)
    return tl.where(step >= s, tl.sum(k * q, axis=1), -float("inf"))


@triton.jit
def attention(
    query, keys, values, step, first_head, HEADS: tl.constexpr, HEAD: tl.constexpr, STEPS: tl.constexpr,
    BLOCK: tl.constexpr, SCALE: tl.constexpr,
):  # fmt: skip
    """HEADS heads from first_head on over the steps so far -> [HEADS, HEAD] float32, rounded as attention's result.

    Steps are no dimension of a tensor: Triton 3.6 gives them every other bit of a thread's number when there are two,
    and then moves what is left after the sum over them to the wrong threads. What is asked for twice is made once."""
    heads, dims = first_head + tl.arange(0, HEADS)[:, None], tl.arange(0, HEAD)[None, :]
    q = tl.load(query + heads * HEAD + dims).to(tl.float32) * SCALE
    at = heads * (STEPS * HEAD) + dims
    best = step_score(q, keys, at, step, 0, HEAD)
    for s in tl.static_range(1, BLOCK):
        best = tl.maximum(best, step_score(q, keys, at, step, s, HEAD))
    total = tl.zeros_like(best)
    mixed = tl.zeros_like(q)
    for s in tl.static_range(BLOCK):
        share = tl.exp(step_score(q, keys, at, step, s, HEAD) - best)
        v = tl.load(values + at + s * HEAD, mask=step >= s, other=0.0).to(tl.float32)
        total += share
        mixed += share[:, None] * v
    return (mixed / total[:, None]).to(query.dtype.element_ty).to(tl.float32)


@triton.jit
def depth_attend_kernel(
    weight, scales, query, keys, values, x, step,
    N: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr, SCALE_ROWS: tl.constexpr, HEADS: tl.constexpr,
    HEAD: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr, KIND: tl.constexpr,
    SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """x[n] += W[n] . attention(query, keys, values), which every program makes for itself.

    A four-bit row holds the columns of the first half of the heads in its low halves, the others in its high ones.
    """
    dtype = x.dtype.element_ty
    G: tl.constexpr = W // 16
    pieces = tl.arange(0, G)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    tile = load_pieces(weight, rows, pieces, N, W, True)
    scale = load_scales(scales, rows, pieces, 0, N, W, GROUP, SCALE_ROWS, True)
    high_scale = scale
    if GROUP > 0:
        high_scale = load_scales(scales, rows, pieces, 1, N, W, GROUP, SCALE_ROWS, True)
    wait_for_inputs(PDL)
    held = tl.load(x + rows).to(tl.float32)
    some: tl.constexpr = HEADS if GROUP == 0 else HEADS // 2
    low = tl.reshape(attention(query, keys, values, step, 0, some, HEAD, STEPS, BLOCK, SCALE), (G, 4, 4))
    a, b, c, d = prepared(low, KIND)
    e, f, g, h = a, b, c, d
    if GROUP > 0:
        high = tl.reshape(attention(query, keys, values, step, some, some, HEAD, STEPS, BLOCK, SCALE), (G, 4, 4))
        e, f, g, h = prepared(high, KIND)
    sums = row_sums(tile, a, b, c, d, e, f, g, h, scale, high_scale, KIND)
    y = finished(sums, scale, GROUP).to(dtype).to(tl.float32)
    tl.store(x + rows, (held + y).to(dtype))


def depth_attend_add(
    weight: Quantized, query: Tensor, keys: Tensor, values: Tensor, x: Tensor, step: int, launch: Launch, *, pdl: int
) -> None:
    """x [d] += weight [d, d] @ attention of query [d] over steps 0..step of keys, values [H, S, d / H], in place.

    d is a power of two of at least 32; four bits need at least two heads. No place in the rings after `step` is
    looked at: there is a kernel for every power of two of steps."""
    heads, steps, head_dim = keys.shape
    rows, width = weight.values.shape
    assert rows % launch.rows == 0, "rows of a tile must divide the rows"
    how = kind(weight)
    depth_attend_kernel[(rows // launch.rows,)](
        as_loaded(weight), weight.scales, query, keys, values, x, step, rows, width, group_bytes(weight),
        rows // weight.scales.shape[0], heads, head_dim, steps, triton.next_power_of_2(step + 1), launch.rows, how,
        head_dim**-0.5, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def depth_attend_reference(
    weight: Quantized, query: Tensor, keys: Tensor, values: Tensor, x: Tensor, step: int
) -> Tensor:
    """What `depth_attend_add` leaves in x."""
    heads, _, head_dim = keys.shape
    q = query.view(1, heads, 1, head_dim)
    attended = F.scaled_dot_product_attention(q, keys[None, :, : step + 1], values[None, :, : step + 1])
    return x + F.linear(attended.reshape(-1).float(), dequantized(weight, torch.float32)).to(x.dtype)
