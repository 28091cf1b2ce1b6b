"""The attention ring against attention over everything that was ever written, and the constants of the norms."""

from __future__ import annotations

import inspect

import pytest
import torch
import torch.nn.functional as F

from engine.layers import ring_attention, ring_prefill, rms_norm

CONTEXT, HEADS, DIM = 16, 2, 8


def whole(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, window: int) -> torch.Tensor:
    """Plain attention: nothing forgotten, what lies outside the window masked. q, k, v [1, H, T, D]."""
    at = torch.arange(q.shape[2])
    seen = (at[None, :] <= at[:, None]) & (at[None, :] > at[:, None] - window)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=seen)


@pytest.mark.parametrize("window", [CONTEXT, CONTEXT - 1])
@pytest.mark.parametrize("chunk", [0, 1, 5, CONTEXT])
def test_a_ring_that_wraps_attends_as_if_nothing_were_forgotten(window: int, chunk: int) -> None:
    """User report C3: three times the context, step by step (chunk 0) and in prefilled chunks."""
    length = 3 * CONTEXT
    q, k, v = torch.randn(3, 1, HEADS, length, DIM, generator=torch.Generator().manual_seed(0))
    keys, values = torch.zeros(2, 1, HEADS, CONTEXT, DIM)
    attended = []
    for start in range(0, length, chunk or 1):
        rows = slice(start, min(start + (chunk or 1), length))
        positions = torch.arange(rows.start, rows.stop)[None]
        given = q[:, :, rows], k[:, :, rows], v[:, :, rows], keys, values, positions
        if chunk:
            attended.append(ring_prefill(*given, torch.tensor([rows.stop - rows.start]), window))
        else:
            attended.append(ring_attention(*given, window))
    torch.testing.assert_close(torch.cat(attended, dim=2), whole(q, k, v, window), atol=1e-4, rtol=0)


def test_norm_epsilon() -> None:
    """User report V14: a wrong epsilon breaks parity on quiet input. RMSNorm's is 1e-8, added to the mean square."""
    assert inspect.signature(rms_norm).parameters["eps"].default == 1e-8
    quiet = torch.full((1, 4), 1e-4)
    assert rms_norm(quiet, torch.ones(4))[0, 0].item() == pytest.approx(1e-4 / (1e-8 + 1e-8) ** 0.5, rel=1e-5)
