"""The depth's products with whole rows in a warp: no warp waits for another, and there is one sum less to wait for.

The same four products of a layer as in `engine.kernels_tokens`, `engine.kernels_depth_attention` and
`engine.kernels_linear`, for a chain of small kernels in which waiting is the time. Every warp has all of x and finds
the norm's sum of squares for itself, beside the product: the product is multiplied by the norm afterwards, so the
normed vector is not rounded in between as it is there. The attention's warps have whole heads, and add up their parts
of the output projection once.

The plain PyTorch is theirs. Imports Triton: import this module late.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import EPS, Launch, launch_options, row_sums, wait_for_inputs

THREADS = 32  # of a warp


@triton.jit
def columns_of(rows, CHUNKS: tl.constexpr, LANES: tl.constexpr):
    """Columns [ROWS, CHUNKS, LANES], the same for every row: asked for in this shape, a vector comes to each warp
    whole and as its rows lie."""
    return (tl.arange(0, CHUNKS) * LANES)[None, :, None] + tl.arange(0, LANES)[None, None, :] + 0 * rows[:, None, None]


@triton.jit
def normed_by(v, K: tl.constexpr, EPSILON: tl.constexpr):
    """What rms_norm of v multiplies with, once for every row [ROWS]."""
    return tl.rsqrt(row_sums(v * v) / K + EPSILON)


@triton.jit
def project_kernel(
    weight, source, table, token, alpha, x, query, keys, values, step,
    K: tl.constexpr, CHUNKS: tl.constexpr, LANES: tl.constexpr, HEAD: tl.constexpr, STEPS: tl.constexpr,
    ROWS: tl.constexpr, EMBED: tl.constexpr, EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """As `kernels_tokens.depth_project_kernel`."""
    dtype = query.dtype.element_ty
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    exists = rows < 3 * K
    columns = columns_of(rows, CHUNKS, LANES)
    tile = tl.load(weight + rows[:, None, None] * K + columns, mask=exists[:, None, None], other=0.0).to(tl.float32)
    scale = tl.load(alpha + columns).to(tl.float32)
    part, row = rows // K, rows % K
    place = (row // HEAD) * (STEPS * HEAD) + step * HEAD + row % HEAD
    wait_for_inputs(PDL)
    if EMBED:
        known = tl.load(token)
        entered = tl.load(source + columns).to(tl.float32)
        embedding = tl.load(table + tl.maximum(known, 0) * K + columns)
        v = (entered + tl.where(known >= 0, embedding.to(tl.float32), 0.0)).to(dtype).to(tl.float32)
        if tl.program_id(0) == 0:
            tl.store(x + columns, v.to(dtype))
    else:
        v = tl.load(x + columns).to(tl.float32)
    y = (row_sums(tile * (v * scale)) * normed_by(v, K, EPSILON)).to(dtype)
    tl.store(query + row, y, mask=exists & (part == 0))
    tl.store(keys + place, y, mask=exists & (part == 1))
    tl.store(values + place, y, mask=exists & (part == 2))


@triton.jit
def attend_kernel(
    weight, query, keys, values, x, step,
    HEADS: tl.constexpr, HEAD: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
    SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """As `kernels_depth_attention.depth_attend_kernel`. All is [HEADS, ., HEAD]: a warp has whole heads with all their
    steps, and of every row the part that meets them."""
    dtype = x.dtype.element_ty
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    heads, dims, steps = tl.arange(0, HEADS), tl.arange(0, HEAD), tl.arange(0, BLOCK)
    within = heads[:, None, None] * HEAD + dims[None, None, :]
    tile = tl.load(weight + rows[None, :, None] * (HEADS * HEAD) + within)
    at = heads[:, None, None] * (STEPS * HEAD) + steps[None, :, None] * HEAD + dims[None, None, :]
    seen = (steps <= step)[None, :, None]
    wait_for_inputs(PDL)
    q = tl.load(query + within + 0 * steps[None, :, None]).to(tl.float32) * SCALE
    k = tl.load(keys + at, mask=seen, other=0.0).to(tl.float32)
    v = tl.load(values + at, mask=seen, other=0.0).to(tl.float32)
    held = tl.load(x + rows).to(tl.float32)
    score = tl.where((steps <= step)[None, :], tl.sum(k * q, axis=2), -float("inf"))  # [HEADS, BLOCK]
    share = tl.exp(score - tl.max(score, axis=1)[:, None])
    share = share / tl.sum(share, axis=1)[:, None]
    mixed = tl.sum(share[:, :, None] * v, axis=1).to(dtype).to(tl.float32)  # [HEADS, HEAD]
    y = tl.sum(tl.sum(tile.to(tl.float32) * mixed[:, None, :], axis=2), axis=0).to(dtype).to(tl.float32)
    tl.store(x + rows, (held + y).to(dtype))


@triton.jit
def gated_kernel(
    weight, x, alpha, out,
    H: tl.constexpr, K: tl.constexpr, CHUNKS: tl.constexpr, LANES: tl.constexpr, ROWS: tl.constexpr,
    EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """As `kernels_linear.gated_kernel`."""
    dtype = out.dtype.element_ty
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    exists = rows < H
    columns = columns_of(rows, CHUNKS, LANES)
    at = weight + rows[:, None, None] * K + columns
    gate = tl.load(at, mask=exists[:, None, None], other=0.0)
    value = tl.load(at + H * K, mask=exists[:, None, None], other=0.0)
    scale = tl.load(alpha + columns).to(tl.float32)
    wait_for_inputs(PDL)
    v = tl.load(x + columns).to(tl.float32)
    root, v = normed_by(v, K, EPSILON), v * scale
    g = (row_sums(gate.to(tl.float32) * v) * root).to(dtype).to(tl.float32)
    u = (row_sums(value.to(tl.float32) * v) * root).to(dtype).to(tl.float32)
    active = (g / (1.0 + tl.exp(-g))).to(dtype).to(tl.float32)
    tl.store(out + rows, (active * u).to(dtype), mask=exists)


@triton.jit
def add_kernel(
    weight, x, out,
    N: tl.constexpr, K: tl.constexpr, CHUNKS: tl.constexpr, LANES: tl.constexpr, ROWS: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out[n] += W[n] . x."""
    dtype = out.dtype.element_ty
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    exists = rows < N
    columns = columns_of(rows, CHUNKS, LANES)
    inside = columns < K
    tile = tl.load(weight + rows[:, None, None] * K + columns, mask=inside & exists[:, None, None], other=0.0)
    wait_for_inputs(PDL)
    v = tl.load(x + columns, mask=inside, other=0.0).to(tl.float32)
    held = tl.load(out + rows, mask=exists, other=0.0).to(tl.float32)
    y = row_sums(tile.to(tl.float32) * v).to(dtype).to(tl.float32)
    tl.store(out + rows, (held + y).to(dtype), mask=exists)


def cut(columns: int, weight: Tensor) -> tuple[int, int]:
    """(chunks, lanes) of a row: 16 bytes of it for each thread of a warp at a time."""
    lanes = min(triton.next_power_of_2(columns), THREADS * 16 // weight.element_size())
    return triton.next_power_of_2(triton.cdiv(columns, lanes)), lanes


def project(
    weight: Tensor, norm: Tensor, x: Tensor, query: Tensor, keys: Tensor, values: Tensor, step: int, launch: Launch, *,
    embed: tuple[Tensor, Tensor, Tensor] | None = None, pdl: int,
) -> None:  # fmt: skip
    """As `kernels_tokens.depth_project`; d is a power of two."""
    _, steps, head_dim = keys.shape
    dim = x.shape[0]
    source, table, token = embed if embed is not None else (x, x, x)
    project_kernel[(triton.cdiv(3 * dim, launch.rows),)](
        weight, source, table, token, norm, x, query, keys, values, step, dim, *cut(dim, weight), head_dim, steps,
        launch.rows, embed is not None, EPS, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def attend_add(
    weight: Tensor, query: Tensor, keys: Tensor, values: Tensor, x: Tensor, step: int, launch: Launch, *, pdl: int
) -> None:
    """As `kernels_depth_attention.depth_attend_add`."""
    heads, steps, head_dim = keys.shape
    assert x.shape[0] % launch.rows == 0, "rows of a tile must divide the rows"
    attend_kernel[(x.shape[0] // launch.rows,)](
        weight, query, keys, values, x, step, heads, head_dim, steps, triton.next_power_of_2(step + 1), launch.rows,
        head_dim**-0.5, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def gated(weight: Tensor, x: Tensor, norm: Tensor, out: Tensor, launch: Launch, *, pdl: int) -> None:
    """As `kernels_linear.gated`; K is a power of two."""
    hidden, columns = weight.shape[0] // 2, weight.shape[1]
    gated_kernel[(triton.cdiv(hidden, launch.rows),)](
        weight, x, norm, out, hidden, columns, *cut(columns, weight), launch.rows, EPS, pdl, num_warps=launch.warps,
        **launch_options(pdl),
    )  # fmt: skip


def add(weight: Tensor, x: Tensor, out: Tensor, launch: Launch, *, pdl: int) -> None:
    """out [N] += weight [N, K] @ x [K], in place."""
    rows, columns = weight.shape
    add_kernel[(triton.cdiv(rows, launch.rows),)](
        weight, x, out, rows, columns, *cut(columns, weight), launch.rows, pdl, num_warps=launch.warps,
        **launch_options(pdl),
    )  # fmt: skip
