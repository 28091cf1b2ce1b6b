"""Queries, keys and values of a whole sequence, rotated by position in few launches (as `engine.layers.rope`)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def rotations(length: int, head_dim: int, max_period: float, device: torch.device) -> Tensor:
    """Unit complex numbers [length, head_dim / 2] by which the interleaved pairs of a head are turned."""
    half = head_dim // 2
    frequencies = torch.exp(torch.arange(half, device=device) * (-math.log(max_period) / half))
    angles = torch.arange(length, device=device)[:, None] * frequencies
    return torch.polar(torch.ones_like(angles), angles)


def rotated_heads(packed: Tensor, heads: int, turns: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """[B, T, 3 * dim] packed q | k | v -> q, k (rotated in float32) and v, each [B, H, T, D] of packed's dtype."""
    parts = packed.unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    pairs = torch.view_as_complex(parts[:2].float().unflatten(-1, (-1, 2)))
    turned = torch.view_as_real(pairs * turns).flatten(-2).to(packed.dtype)
    return turned[0], turned[1], parts[2]


def windowed(q: Tensor, k: Tensor, v: Tensor, context: int) -> Tensor:
    """Causal attention over the last `context` positions, [B, H, T, D] each. Only the positions that the window has
    left behind something need a mask; the others take the faster kernel without one."""
    first = F.scaled_dot_product_attention(q[:, :, :context], k[:, :, :context], v[:, :, :context], is_causal=True)
    if q.shape[2] <= context:
        return first
    positions = torch.arange(q.shape[2], device=q.device)
    later = positions[context:, None]
    mask = (positions <= later) & (positions > later - context)
    rest = F.scaled_dot_product_attention(q[:, :, context:], k, v, attn_mask=mask)
    return torch.cat((first, rest), 2)
