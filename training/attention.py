"""Queries, keys and values of a whole sequence, rotated by position in few launches (as `engine.layers.rope`)."""

from __future__ import annotations

import math

import torch
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
