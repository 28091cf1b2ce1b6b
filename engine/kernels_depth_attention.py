"""Triton kernel for the depth's attention over this frame's few steps, with the output projection after it.

The plain PyTorch stands beside it. Imports Triton: import this module late.
"""

from __future__ import annotations

import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import Launch, launch_options, wait_for_inputs


@triton.jit
def depth_attend_kernel(
    weight, query, keys, values, x, step,
    HEADS: tl.constexpr, HEAD: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
    SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """x[n] += W[n] . attention(query, keys, values): every program attends for itself, which is cheaper than a launch.

    query [HEADS, HEAD]; keys, values [HEADS, STEPS, HEAD], filled up to and with `step`; BLOCK: at least step + 1.
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
    weight: Tensor, query: Tensor, keys: Tensor, values: Tensor, x: Tensor, step: int, launch: Launch, *, pdl: int
) -> None:
    """x [d] += weight [d, d] @ attention of query [d] over steps 0..step of keys, values [H, S, d / H], in place.

    No place in the rings after `step` is looked at: there is a kernel for every power of two of steps."""
    heads, steps, head_dim = keys.shape
    assert x.shape[0] % launch.rows == 0, "rows of a tile must divide the rows"
    depth_attend_kernel[(x.shape[0] // launch.rows,)](
        weight, query, keys, values, x, step, heads, head_dim, steps, triton.next_power_of_2(step + 1), launch.rows,
        head_dim**-0.5, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def depth_attend_reference(weight: Tensor, query: Tensor, keys: Tensor, values: Tensor, x: Tensor, step: int) -> Tensor:
    """What `depth_attend_add` leaves in x."""
    heads, _, head_dim = keys.shape
    q = query.view(1, heads, 1, head_dim)
    attended = F.scaled_dot_product_attention(q, keys[None, :, : step + 1], values[None, :, : step + 1])
    return x + F.linear(attended.reshape(-1), weight)
