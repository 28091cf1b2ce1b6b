"""Ring attention by shares against the plain PyTorch: natively on a GPU, else in Triton's interpreter."""

from __future__ import annotations

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next
pytest.importorskip("triton", reason="Triton is not installed")

from engine import kernels_attention, kernels_ring
from tests.engine.test_kernels import DEVICE, DTYPES, PDL, assert_near, random

AHEAD = [None, 0.5] if DEVICE == "cuda" else [None]  # the interpreter knows no cache


@DTYPES
@pytest.mark.parametrize("ahead", AHEAD)
@pytest.mark.parametrize("window", [50, 49, 20])
def test_before_during_and_after_the_ring_is_full(dtype: torch.dtype, ahead: float | None, window: int) -> None:
    """With fewer programs than blocks, and more."""
    heads, head_dim, capacity = 2, 16, 50
    weights = random(heads * 16 * 64, 64, dtype=dtype, seed=9)
    for splits, block in ((4, 8), (8, 8)):
        scratch = kernels_ring.ShareScratch(heads, head_dim, splits, DEVICE)
        rings = [random(heads, capacity, head_dim, dtype=dtype, seed=seed) for seed in (0, 1)]
        plain = [ring.clone() for ring in rings]
        for at in (0, 1, 7, 8, 31, 49, 50, 51, 99, 1237):
            position = torch.tensor([at], device=DEVICE)
            projected = random(3 * heads * head_dim, dtype=dtype, seed=at)
            wanted = kernels_attention.ring_attend_reference(projected, position, *plain, window, 10000.0)
            out = torch.full_like(wanted, torch.nan)
            turns = kernels_attention.rope_turns(position, head_dim, 10000.0)
            kernels_ring.ring_attend(
                projected, turns, position, *rings, window, out, scratch, block=block, warps=4,
                following=None if ahead is None else weights, fraction=ahead or 0.0, pdl=PDL,
            )  # fmt: skip
            assert_near(out, wanted)
            for ring, other in zip(rings, plain, strict=True):
                assert_near(ring, other)
        assert scratch.arrived.tolist() == [0, 0]
