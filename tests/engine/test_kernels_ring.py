"""The temporal ring's attention, in full precision and in 8 bits, against plain PyTorch: natively on a GPU, else in
Triton's interpreter."""

from __future__ import annotations

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next
pytest.importorskip("triton", reason="Triton is not installed")

from engine import kernels_linear, kernels_ring, kernels_ring8_rows
from engine.kernels_ring import RingLaunch
from engine.layers import ring_attention, ring_held, ring_write, rope
from engine.quantize import Quantized

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 0.07}  # bfloat16: sums of another order may round to a neighbour
PDL = kernels_linear.supports_pdl(torch.device(DEVICE))
HEADS, DIM, CAPACITY = 2, 64, 26
POSITIONS = (0, 1, 7, 8, 9, 25, 26, 27, 50, 1237)  # empty, part filled, at the edges of steps, full, wrapped


def random(*shape: int, dtype: torch.dtype, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(DEVICE, dtype)


def assert_near(got: torch.Tensor, wanted: torch.Tensor) -> None:
    assert got.dtype == wanted.dtype
    torch.testing.assert_close(got.float(), wanted.float(), rtol=0, atol=TOLERANCE[got.dtype])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    ("dim", "launch", "splits", "window"),
    [
        (64, RingLaunch(2, 2, 1), 2, CAPACITY),  # steps of 8: more than two for the first program
        (64, RingLaunch(1, 2, 1), 2, CAPACITY - 1),  # of 4: each has both of its steps again and again
        (64, RingLaunch(2, 1, 1), 4, 10),
        (64, RingLaunch(4, 1, 2), 8, CAPACITY - 1),  # of 32: one program has all
        (64, RingLaunch(1, 2, 1), 1, CAPACITY - 1),
        (16, RingLaunch(4, 2, 4), 16, CAPACITY),  # the program's own launch, in a ring smaller than a step
        (4, RingLaunch(1, 1, 1), 1, 9),
    ],
)
def test_it_is_the_plain_path_before_during_and_after_the_ring_is_full(
    dtype: torch.dtype, dim: int, launch: RingLaunch, splits: int, window: int
) -> None:
    """Windows: upstream's, PersonaPlex's, and some that leave whole steps without anything to see."""
    scratch = kernels_ring.RingScratch(HEADS, dim, splits, DEVICE)
    rings = [random(HEADS, CAPACITY, dim, dtype=dtype, seed=seed) for seed in (0, 1)]
    plain = [ring.clone() for ring in rings]
    for at in POSITIONS:
        position = torch.tensor([at], device=DEVICE)
        projected = random(3 * HEADS * dim, dtype=dtype, seed=at)
        wanted = kernels_ring.ring_attend_reference(projected, position, *plain, window, 10000.0)
        out = torch.full_like(wanted, torch.nan)
        turns = kernels_ring.rope_turns(position, dim, 10000.0)
        kernels_ring.ring_attend(projected, turns, position, *rings, window, out, scratch, launch, pdl=PDL)
        assert_near(out, wanted)
        for ring, other in zip(rings, plain, strict=True):
            assert_near(ring, other)
    assert scratch.arrived.tolist() == [0, 0]


def test_scores_far_below_and_above_the_rest_are_no_trouble() -> None:
    """The newest position far ahead of all others, then far behind: shares of one and of nothing."""
    for sign in (60.0, -60.0):
        scratch = kernels_ring.RingScratch(HEADS, DIM, 2, DEVICE)
        rings = [random(HEADS, CAPACITY, DIM, dtype=torch.float32, seed=seed) for seed in (0, 1)]
        plain = [ring.clone() for ring in rings]
        projected = random(3, HEADS * DIM, dtype=torch.float32, seed=3)
        projected[1] = projected[0] * sign
        projected, position = projected.flatten(), torch.tensor([20], device=DEVICE)
        wanted = kernels_ring.ring_attend_reference(projected, position, *plain, CAPACITY, 10000.0)
        out, turns = torch.full_like(wanted, torch.nan), kernels_ring.rope_turns(position, DIM, 10000.0)
        launch = RingLaunch(2, 2, 1)
        kernels_ring.ring_attend(projected, turns, position, *rings, CAPACITY, out, scratch, launch, pdl=PDL)
        assert_near(out, wanted)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    ("launch", "splits", "window"),
    [
        (RingLaunch(2, 2, 1), 2, CAPACITY),  # steps of 16
        (RingLaunch(1, 2, 1), 2, CAPACITY - 1),
        (RingLaunch(4, 1, 2), 4, 10),  # of 64: one program has all
    ],
)
def test_a_ring_in_eight_bits_is_the_plain_path_s(
    dtype: torch.dtype, launch: RingLaunch, splits: int, window: int
) -> None:
    scratch = kernels_ring.RingScratch(HEADS, DIM, splits, DEVICE)
    plain = [
        Quantized(
            torch.zeros(1, HEADS, CAPACITY, DIM, dtype=torch.int8, device=DEVICE),
            torch.zeros(1, HEADS, CAPACITY, 1, dtype=torch.bfloat16, device=DEVICE),
        )
        for _ in range(2)
    ]
    for seed, ring in enumerate(plain):
        vectors = random(1, HEADS, CAPACITY, DIM, dtype=torch.float32, seed=seed)
        ring_write(ring, vectors, torch.arange(CAPACITY, device=DEVICE)[None])
    fused = [Quantized(ring.values[0].clone(), ring.scales[0].clone()) for ring in plain]
    for at in POSITIONS:
        position = torch.tensor([at], device=DEVICE)
        projected = random(3 * HEADS * DIM, dtype=dtype, seed=at)
        q, k, v = projected.view(3, 1, HEADS, 1, DIM)
        q, k = (rope(x, position[None], 10000.0) for x in (q, k))
        wanted = ring_attention(q, k, v, plain[0], plain[1], position[None], window).reshape(-1)
        out, turns = torch.full_like(wanted, torch.nan), kernels_ring.rope_turns(position, DIM, 10000.0)
        kernels_ring8_rows.ring_attend(projected, turns, position, *fused, window, out, scratch, launch, pdl=PDL)
        # A number at half a step may round to the other side: a hundredth of its vector.
        torch.testing.assert_close(out.float(), wanted.float(), rtol=0, atol=0.05 if dtype == torch.bfloat16 else 0.01)
        for ring, other in zip(fused, plain, strict=True):
            held = ring_held(other, torch.float32)[0]
            torch.testing.assert_close(ring.values * ring.scales.float(), held, rtol=0, atol=0.05)
            least = 0.99 if dtype == torch.float32 else 0.95  # the interpreter cuts bfloat16 off, before 8 bits too
            assert (ring.values == other.values[0]).float().mean() > least
    assert scratch.arrived.tolist() == [0, 0]
