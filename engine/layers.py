"""Layers that the language model and the codec share, in plain torch.

Functions over explicit tensors: weights come from the modules, memory from `state.py`. Nothing here allocates
lasting state, reads a host counter or synchronises with the device. Shapes: B talks, T positions, H heads,
C ring capacity, D head dim.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.quantize import Quantized, Weight, dequantized, in_eight_bits, linear

Ring = Tensor | Quantized  # keys or values of past positions [B, H, C, D]; quantised: int8, a scale for each vector


def rms_norm(x: Tensor, alpha: Tensor, eps: float = 1e-8) -> Tensor:
    """x [..., dim] of any dtype, computed in float32 and cast back; alpha [dim] (lm.md 2, "RMSNorm")."""
    y = x.float()
    variance = y.pow(2).mean(dim=-1, keepdim=True)
    return (y * (alpha.float() * torch.rsqrt(variance + eps))).to(x.dtype)


def rope(x: Tensor, positions: Tensor, max_period: float) -> Tensor:
    """Rotate interleaved pairs of x [B, H, T, D] by positions [B, T], in float32 (lm.md 2, "RoPE")."""
    half = x.shape[-1] // 2
    steps = torch.arange(half, device=x.device, dtype=torch.float32)
    frequencies = torch.exp(steps * (-math.log(max_period) / half))
    angles = positions[:, None, :, None].float() * frequencies  # [B, 1, T, D/2]
    cos, sin = angles.cos(), angles.sin()
    real, imaginary = x.float().unflatten(-1, (half, 2)).unbind(-1)
    rotated = torch.stack((real * cos - imaginary * sin, real * sin + imaginary * cos), dim=-1)
    return rotated.flatten(-2).to(x.dtype)


def split_heads(projected: Tensor, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """[B, T, 3 * dim] packed q | k | v, head-major -> three [B, H, T, D]."""
    q, k, v = projected.unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
    return q, k, v


def merge_heads(x: Tensor) -> Tensor:
    """[B, H, T, D] -> [B, T, H * D]."""
    return x.transpose(1, 2).flatten(2)


def ring_positions(last: Tensor, capacity: int) -> Tensor:
    """Absolute position held by each ring slot once `last` [B] has been written; negative = nothing yet. -> [B, C]"""
    slots = torch.arange(capacity, device=last.device)
    return last[:, None] - (last[:, None] - slots) % capacity


def ring_write(ring: Ring, rows: Tensor, positions: Tensor) -> None:
    """Write rows [B, H, T, D] at positions [B, T] of ring [B, H, C, D], in place."""
    if isinstance(ring, Quantized):
        for part, numbers in zip(ring, in_eight_bits(rows), strict=True):
            ring_write(part, numbers, positions)
        return
    index = (positions % ring.shape[2])[:, None, :, None].expand_as(rows)
    ring.scatter_(2, index, rows.to(ring.dtype))


def ring_held(ring: Ring, dtype: torch.dtype) -> Tensor:
    """What a ring holds, as plain numbers: [B, H, C, D], a copy where the ring is quantised."""
    return dequantized(ring, dtype) if isinstance(ring, Quantized) else ring


def ring_capacity(ring: Ring) -> int:
    """Positions that a ring has room for."""
    return (ring.values if isinstance(ring, Quantized) else ring).shape[2]


def ring_attention(q: Tensor, k: Tensor, v: Tensor, keys: Ring, values: Ring, positions: Tensor, window: int) -> Tensor:
    """Streaming attention: write T new positions into the rings, then attend over what they hold.

    q, k, v [B, H, T, D]; keys, values [B, H, C, D]; positions [B, T] consecutive. A slot is visible when it is not in
    the query's future and among the newest `window` positions written: with T > 1 in a full ring the first
    query therefore sees T - 1 fewer, as in the reference codec (mimi.md "Window in streaming"). Window C is
    upstream's, C - 1 the PersonaPlex code's (lm.md 7).
    """
    ring_write(keys, k, positions)
    ring_write(values, v, positions)
    mask = ring_mask(positions, ring_capacity(keys), window)
    return F.scaled_dot_product_attention(q, ring_held(keys, q.dtype), ring_held(values, q.dtype), attn_mask=mask)


def ring_mask(positions: Tensor, capacity: int, window: int) -> Tensor:
    """Which slots each of the newest positions [B, T] may see once all are written. -> [B, 1, T, C] bool"""
    last = positions[:, -1]
    held = ring_positions(last, capacity)[:, None, None, :]  # [B, 1, 1, C]
    return (held >= 0) & (held > (last - window)[:, None, None, None]) & (held <= positions[:, None, :, None])


def ring_prefill(
    q: Tensor, k: Tensor, v: Tensor, keys: Ring, values: Ring, positions: Tensor, count: Tensor, window: int
) -> Tensor:
    """Many positions at once, each seeing exactly what it would have seen step by step.

    As `ring_attention`, but the first `count` [B] of the T rows are real and the rest padding: those are neither seen
    nor written. Attends before it writes, since in a full ring the chunk overwrites what its first rows still see.
    """
    last = positions[:, 0] - 1
    held = ring_positions(last, ring_capacity(keys))  # [B, C]
    at = torch.cat((held, positions), dim=1)[:, None, None, :]  # [B, 1, 1, C + T]
    query = positions[:, None, :, None]
    mask = (at >= 0) & (at > query - window) & (at <= query)
    every_key, every_value = (
        torch.cat((ring_held(ring, q.dtype), _as_kept(ring, rows)), dim=2) for ring, rows in ((keys, k), (values, v))
    )
    attended = F.scaled_dot_product_attention(q, every_key, every_value, attn_mask=mask)
    # Padding rows repeat the last real one, and a row whose slot a later one takes becomes that one: the same values to
    # the same slot, so the order of writing cannot matter.
    rows = torch.minimum(torch.arange(positions.shape[1], device=positions.device), count[:, None] - 1)  # [B, T]
    capacity = ring_capacity(keys)
    rows = rows + (count[:, None] - 1 - rows) // capacity * capacity
    index = rows[:, None, :, None].expand_as(k)
    written = positions.gather(1, rows)
    ring_write(keys, k.gather(2, index), written)
    ring_write(values, v.gather(2, index), written)
    return attended


def _as_kept(ring: Ring, rows: Tensor) -> Tensor:
    """Rows as a later position would read them from the ring."""
    return dequantized(in_eight_bits(rows), rows.dtype) if isinstance(ring, Quantized) else rows.to(ring.dtype)


def swiglu(x: Tensor, linear_in: Weight, linear_out: Weight) -> Tensor:
    """Gated feed-forward, linear_in [2h, dim] = gate rows then value rows, linear_out [dim, h] (lm.md 2)."""
    gate, value = linear(x, linear_in).chunk(2, dim=-1)
    return linear(F.silu(gate) * value, linear_out)
