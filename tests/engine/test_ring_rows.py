"""Ring attention by whole positions against plain PyTorch: natively on a GPU, else in Triton's interpreter."""

from __future__ import annotations

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next
pytest.importorskip("triton", reason="Triton is not installed")

import triton
import triton.language as tl

from engine import kernels_attention, kernels_linear, kernels_ring8_rows, kernels_ring_rows
from engine.kernels_linear import ring_share
from engine.kernels_ring_rows import RingRows
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
    ("form", "splits", "warps", "window"),
    [
        (RingRows(2, 2), 2, 1, CAPACITY),  # steps of 8: more than two for the first program
        (RingRows(1, 2, fetch=True), 2, 1, CAPACITY - 1),  # of 4: each has both of its steps again and again
        (RingRows(2, 1, apart=True), 4, 1, 10),
        (RingRows(4, 1, fetch=True, apart=True), 8, 2, CAPACITY - 1),  # of 32: one program has all
    ],
)
def test_it_is_the_plain_path_before_during_and_after_the_ring_is_full(
    dtype: torch.dtype, form: RingRows, splits: int, warps: int, window: int
) -> None:
    """Windows: upstream's, PersonaPlex's, and one that leaves whole steps without anything to see."""
    scratch = kernels_attention.RingScratch(HEADS, DIM, splits, DEVICE)
    rings = [random(HEADS, CAPACITY, DIM, dtype=dtype, seed=seed) for seed in (0, 1)]
    plain = [ring.clone() for ring in rings]
    for at in POSITIONS:
        position = torch.tensor([at], device=DEVICE)
        projected = random(3 * HEADS * DIM, dtype=dtype, seed=at)
        wanted = kernels_attention.ring_attend_reference(projected, position, *plain, window, 10000.0)
        out = torch.full_like(wanted, torch.nan)
        turns = kernels_attention.rope_turns(position, DIM, 10000.0)
        kernels_ring_rows.ring_attend(
            projected, turns, position, *rings, window, out, scratch, form, warps=warps, pdl=PDL
        )
        assert_near(out, wanted)
        for ring, other in zip(rings, plain, strict=True):
            assert_near(ring, other)
    assert scratch.arrived.tolist() == [0, 0]


def test_scores_far_below_and_above_the_rest_are_no_trouble() -> None:
    """The newest position far ahead of all others, then far behind: shares of one and of nothing."""
    for sign in (60.0, -60.0):
        scratch = kernels_attention.RingScratch(HEADS, DIM, 2, DEVICE)
        rings = [random(HEADS, CAPACITY, DIM, dtype=torch.float32, seed=seed) for seed in (0, 1)]
        plain = [ring.clone() for ring in rings]
        projected = random(3, HEADS * DIM, dtype=torch.float32, seed=3)
        projected[1] = projected[0] * sign
        projected, position = projected.flatten(), torch.tensor([20], device=DEVICE)
        wanted = kernels_attention.ring_attend_reference(projected, position, *plain, CAPACITY, 10000.0)
        out, turns = torch.full_like(wanted, torch.nan), kernels_attention.rope_turns(position, DIM, 10000.0)
        kernels_ring_rows.ring_attend(
            projected, turns, position, *rings, CAPACITY, out, scratch, RingRows(2, 2), warps=1, pdl=PDL
        )
        assert_near(out, wanted)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    ("form", "splits", "warps", "window"),
    [
        (RingRows(2, 2, fetch=True), 2, 1, CAPACITY),  # steps of 16
        (RingRows(1, 2), 2, 1, CAPACITY - 1),
        (RingRows(4, 1, apart=True), 4, 2, 10),  # of 64: one program has all
    ],
)
def test_a_ring_in_eight_bits_is_the_plain_path_s(
    dtype: torch.dtype, form: RingRows, splits: int, warps: int, window: int
) -> None:
    scratch = kernels_attention.RingScratch(HEADS, DIM, splits, DEVICE)
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
        out, turns = torch.full_like(wanted, torch.nan), kernels_attention.rope_turns(position, DIM, 10000.0)
        kernels_ring8_rows.ring_attend(
            projected, turns, position, *fused, window, out, scratch, form, warps=warps, pdl=PDL
        )
        # A number at half a step may round to the other side: a hundredth of its vector.
        torch.testing.assert_close(out.float(), wanted.float(), rtol=0, atol=0.05 if dtype == torch.bfloat16 else 0.01)
        for ring, other in zip(fused, plain, strict=True):
            held = ring_held(other, torch.float32)[0]
            torch.testing.assert_close(ring.values * ring.scales.float(), held, rtol=0, atol=0.05)
            least = 0.99 if dtype == torch.float32 else 0.95  # the interpreter cuts bfloat16 off, before 8 bits too
            assert (ring.values == other.values[0]).float().mean() > least
    assert scratch.arrived.tolist() == [0, 0]


@triton.jit
def shares_kernel(position, out, CAPACITY: tl.constexpr, PARTS: tl.constexpr):
    first, rows = ring_share(tl.program_id(0), tl.load(position), CAPACITY, PARTS)
    tl.store(out + 2 * tl.program_id(0), first)
    tl.store(out + 2 * tl.program_id(0) + 1, rows)


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_the_projection_asks_for_each_filled_row_once_and_for_no_other(parts: int) -> None:
    for last in (0, 1, 7, 25, 26, 1237):
        out = torch.zeros(HEADS * parts, 2, dtype=torch.int32, device=DEVICE)
        shares_kernel[(HEADS * parts,)](torch.tensor([last], device=DEVICE), out, CAPACITY, parts)
        asked = [row for first, rows in out.tolist() for row in range(first, first + rows)]
        assert asked == [head * CAPACITY + slot for head in range(HEADS) for slot in range(min(last, CAPACITY))]
