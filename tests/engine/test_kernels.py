"""Fused kernels against the plain PyTorch beside them: natively on a GPU, else in Triton's interpreter."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next
pytest.importorskip("triton", reason="Triton is not installed")

from engine import kernels_depth_attention, kernels_depth_rows, kernels_linear, kernels_sampling, kernels_tokens
from engine.config import LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.fused import FusedFrame, Launches, unsupported
from engine.kernels_linear import Launch
from engine.kernels_ring import RingLaunch
from engine.sampling import SamplingValues

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 0.07}  # bfloat16: sums of another order may round to a neighbour
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
PDL = kernels_linear.supports_pdl(torch.device(DEVICE))

LM = LMConfig(
    dim=32, num_layers=1, num_heads=2, context=4, text_card=20, card=16, n_q=4, dep_q=2, depformer_dim=16,
    depformer_num_layers=2, depformer_num_heads=2,
)  # fmt: skip
MIMI = MimiConfig(
    dimension=32, n_filters=4, num_heads=2, num_layers=1, dim_feedforward=64, context=10, codebook_dim=16, bins=16
)
WHOLE = {name: Launch(8, 1, 4, whole=True) for name in ("depth_project", "depth_attend", "depth_gate", "depth_down")}


def random(*shape: int, dtype: torch.dtype, seed: int, scale: float = 1.0) -> torch.Tensor:
    values = torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * scale
    return values.to(DEVICE, dtype)


def assert_near(got: torch.Tensor, wanted: torch.Tensor) -> None:
    assert got.dtype == wanted.dtype
    torch.testing.assert_close(got.float(), wanted.float(), rtol=0, atol=TOLERANCE[got.dtype])


@DTYPES
@pytest.mark.parametrize(("rows", "columns"), [(48, 96), (40, 64)])
@pytest.mark.parametrize(("normed", "add"), [(True, False), (False, True), (False, False)])
def test_linear(dtype: torch.dtype, rows: int, columns: int, normed: bool, add: bool) -> None:
    weight = random(rows, columns, dtype=dtype, seed=0, scale=columns**-0.5)
    x, out = random(columns, dtype=dtype, seed=1), random(rows, dtype=dtype, seed=2)
    norm = random(columns, dtype=dtype, seed=3).abs() if normed else None
    wanted = kernels_linear.linear_reference(weight, x, out, norm=norm, add=add)
    kernels_linear.linear(weight, x, out, Launch(4, 3, 4), norm=norm, add=add, pdl=PDL)
    assert_near(out, wanted)


@DTYPES
@pytest.mark.parametrize("block", [0, 32, 40])
def test_linear_add_by_blocks_and_whole(dtype: torch.dtype, block: int) -> None:
    weight = random(48, 96, dtype=dtype, seed=0, scale=0.1)
    x, out = random(96, dtype=dtype, seed=1), random(48, dtype=dtype, seed=2)
    wanted = kernels_linear.linear_reference(weight, x, out, add=True)
    kernels_linear.linear_add(weight, x, out, Launch(8), block, pdl=PDL)
    assert_near(out, wanted)


@DTYPES
def test_gated(dtype: torch.dtype) -> None:
    weight = random(80, 64, dtype=dtype, seed=0, scale=0.125)
    x, norm = random(64, dtype=dtype, seed=1), random(64, dtype=dtype, seed=2).abs()
    out = torch.full((40,), torch.nan, dtype=dtype, device=DEVICE)
    kernels_linear.gated(weight, x, norm, out, Launch(4, 3), pdl=PDL)
    assert_near(out, kernels_linear.gated_reference(weight, x, norm))


@DTYPES
@pytest.mark.parametrize("step", [0, 3, 4, 7])
def test_depth_attention_sees_no_later_step(dtype: torch.dtype, step: int) -> None:
    weight, query = random(64, 64, dtype=dtype, seed=0, scale=0.125), random(64, dtype=dtype, seed=1)
    keys, values = (random(4, 8, 16, dtype=dtype, seed=seed) for seed in (2, 3))
    x = random(64, dtype=dtype, seed=4)
    wanted = kernels_depth_attention.depth_attend_reference(weight, query, keys, values, x, step)
    keys[:, step + 1 :], values[:, step + 1 :] = torch.nan, torch.nan
    kernels_depth_attention.depth_attend_add(weight, query, keys, values, x, step, Launch(8, warps=4), pdl=PDL)
    assert_near(x, wanted)


@DTYPES
@pytest.mark.parametrize(("temperature", "top_k"), [(0.8, 25), (0.8, 250), (0.0, 5), (1.3, 1), (1e-6, 40), (0.7, 2048)])
@pytest.mark.parametrize("count", [2048, 100])
def test_sampling_draws_the_reference_token(dtype: torch.dtype, temperature: float, top_k: int, count: int) -> None:
    """User report G10: temperature 0 is greedy; ties at the k-th place are broken as the reference breaks them."""
    for counter, ties in ((0, False), (2**33 + 5, True)):
        logits = random(count, dtype=torch.float32, seed=count + ties) * 3
        logits = (logits.round() if ties else logits).to(dtype)
        numbers = (torch.tensor([value], device=DEVICE) for value in (top_k, 1234567890123456, counter))
        arguments = (logits, torch.tensor([temperature], device=DEVICE), *numbers)
        unforced, out = torch.tensor([-2], device=DEVICE), torch.tensor([-9], device=DEVICE)
        kernels_sampling.sample(*arguments, unforced, out, 3, pdl=PDL)
        assert out.item() == kernels_sampling.sample_reference(*arguments, unforced, 3).item()
        kernels_sampling.sample(*arguments, torch.tensor([17], device=DEVICE), out, 3, pdl=PDL)
        assert out.item() == 17


@pytest.mark.parametrize(("temperature", "top_k"), [(0.8, 25), (0.8, 250), (0.0, 5), (1.3, 1), (1e-6, 40), (0.7, 2048)])
@pytest.mark.parametrize("count", [2048, 100])
@pytest.mark.parametrize("room", [64, 1024])
def test_the_quick_draw_is_the_reference_token(temperature: float, top_k: int, count: int, room: int) -> None:
    """Whether what the sieve leaves fits into the room or not; peaked logits, flat ones and ties at the k-th place."""
    found = torch.full((room,), -1, dtype=torch.int32, device=DEVICE)
    for counter, kind in ((0, "peaked"), (2**33 + 5, "ties"), (7, "flat"), (8, "alike")):
        logits = random(count, dtype=torch.float32, seed=count + counter % 97) * 3
        logits = {"peaked": logits, "ties": logits.round(), "flat": logits * 0.01, "alike": logits * 0}[kind]
        logits = logits.to(torch.bfloat16)
        numbers = (torch.tensor([value], device=DEVICE) for value in (top_k, 1234567890123456, counter))
        arguments = (logits, torch.tensor([temperature], device=DEVICE), *numbers)
        unforced, out = torch.tensor([-2], device=DEVICE), torch.tensor([-9], device=DEVICE)
        kernels_sampling.sample(*arguments, unforced, out, 3, found=found, pdl=PDL)
        assert out.item() == kernels_sampling.sample_reference(*arguments, unforced, 3).item(), kind
        kernels_sampling.sample(*arguments, torch.tensor([17], device=DEVICE), out, 3, found=found, pdl=PDL)
        assert out.item() == 17


@pytest.mark.parametrize("top_k", [25, 3000])
def test_the_quick_draw_at_full_width(top_k: int) -> None:
    """As many tokens as Moshi's text has; of one k the sieve's finds fit into the room, of the other they do not."""
    found, heat = torch.zeros(1024, dtype=torch.int32, device=DEVICE), torch.tensor([0.7], device=DEVICE)
    unforced, out = torch.tensor([-2], device=DEVICE), torch.tensor([-9], device=DEVICE)
    for counter in range(2):
        logits = random(32000, dtype=torch.bfloat16, seed=counter, scale=2.0)
        numbers = [torch.tensor([value], device=DEVICE) for value in (top_k, 77, counter)]
        kernels_sampling.sample(logits, heat, *numbers, unforced, out, 0, found=found, pdl=PDL)
        assert out.item() == kernels_sampling.sample_reference(logits, heat, *numbers, unforced, 0).item()


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize(("temperature", "top_k"), [(0.8, 25), (0.8, 200), (0.0, 5), (1.3, 1)])
def test_a_head_draws_the_reference_token_of_its_logits(quick: bool, temperature: float, top_k: int) -> None:
    weight, x = random(256, 64, dtype=torch.bfloat16, seed=0, scale=0.3), random(64, dtype=torch.bfloat16, seed=1)
    logits, arrived = torch.zeros(256, device=DEVICE), torch.zeros(1, dtype=torch.int32, device=DEVICE)
    marks = torch.zeros(256, device=DEVICE) if quick else None
    unforced, out = torch.tensor([-2], device=DEVICE), torch.tensor([-9], device=DEVICE)
    for counter in range(6):
        numbers = [torch.tensor([value], device=DEVICE) for value in (top_k, 99, counter)]
        heat = torch.tensor([temperature], device=DEVICE)
        kernels_sampling.sampled_head(
            weight, x, logits, arrived, heat, *numbers, unforced, out, 3, Launch(8, warps=4), marks=marks, pdl=PDL
        )
        assert_near(logits.to(torch.bfloat16), torch.nn.functional.linear(x, weight))
        made = logits.to(torch.bfloat16)
        assert out.item() == kernels_sampling.sample_reference(made, heat, *numbers, unforced, 3).item()
        assert arrived.item() == 0


@DTYPES
@pytest.mark.parametrize("embedded", [False, True])
def test_depth_projection_with_rows_in_warps(dtype: torch.dtype, embedded: bool) -> None:
    """Against the usual kernel; with a token that embeds to zero too."""
    weight, norm = random(192, 64, dtype=dtype, seed=0, scale=0.125), random(64, dtype=dtype, seed=1).abs()
    table, source = random(5, 64, dtype=dtype, seed=2), random(64, dtype=dtype, seed=3)
    for token in (4, -1):
        embed = (source, table, torch.tensor([token], device=DEVICE)) if embedded else None
        made = []
        for project in (kernels_tokens.depth_project, kernels_depth_rows.project):
            x, query = random(64, dtype=dtype, seed=4), torch.full((64,), torch.nan, dtype=dtype, device=DEVICE)
            keys, values = (random(4, 8, 16, dtype=dtype, seed=seed) for seed in (5, 6))
            project(weight, norm, x, query, keys, values, 3, Launch(8, warps=4), embed=embed, pdl=PDL)
            made.append((x, query, keys, values))
        for got, wanted in zip(*reversed(made), strict=True):
            assert_near(got, wanted)


@DTYPES
def test_depth_products_with_rows_in_warps(dtype: torch.dtype) -> None:
    """Also where the rows do not fill the last program, and the columns not the last piece."""
    weight = random(88, 64, dtype=dtype, seed=0, scale=0.125)
    x, norm = random(64, dtype=dtype, seed=1), random(64, dtype=dtype, seed=2).abs()
    hidden = torch.full((44,), torch.nan, dtype=dtype, device=DEVICE)
    kernels_depth_rows.gated(weight, x, norm, hidden, Launch(8, warps=4), pdl=PDL)
    assert_near(hidden, kernels_linear.gated_reference(weight, x, norm))
    weight, x, out = (random(*shape, dtype=dtype, seed=3, scale=0.1) for shape in ((44, 600), (600,), (44,)))
    wanted = kernels_linear.linear_reference(weight, x, out, add=True)
    kernels_depth_rows.add(weight, x, out, Launch(8, warps=4), pdl=PDL)
    assert_near(out, wanted)


@DTYPES
@pytest.mark.parametrize("step", [0, 3, 4, 7])
def test_depth_attention_of_whole_heads_sees_no_later_step(dtype: torch.dtype, step: int) -> None:
    weight, query = random(64, 64, dtype=dtype, seed=0, scale=0.125), random(64, dtype=dtype, seed=1)
    keys, values = (random(4, 8, 16, dtype=dtype, seed=seed) for seed in (2, 3))
    x = random(64, dtype=dtype, seed=4)
    wanted = kernels_depth_attention.depth_attend_reference(weight, query, keys, values, x, step)
    keys[:, step + 1 :], values[:, step + 1 :] = torch.nan, torch.nan
    kernels_depth_rows.attend_add(weight, query, keys, values, x, step, Launch(8, warps=4), pdl=PDL)
    assert_near(x, wanted)


@torch.inference_mode()
@pytest.mark.parametrize("forms", [{"quick_text": 0, "quick_heads": False, "ring": RingLaunch(1, 2, 2)}, WHOLE])
def test_fused_frames_say_what_plain_frames_say(forms: dict[str, Any]) -> None:
    """Greedy, so that both draw alike: tokens, token ring and attention rings over a ring that fills and wraps."""
    made = {"device": DEVICE, "precision": "float32", "seed": 1, "kernels": False}
    plain, fused = (Duplex.random(LM, MIMI, **made) for _ in range(2))
    launches = Launches(down_block=16, ring_splits=2, **forms)
    frame = FusedFrame(fused.lm, fused.mimi, fused.state, lm_window=4, mimi_window=10, launches=launches)
    generator = torch.Generator().manual_seed(0)
    for engine in (plain, fused):
        engine.set_sampling(SamplingValues(0.0, 5, 0.0, 5))
        engine.reset(seed=5)
    for index in range(5):
        heard = torch.randint(0, 16, (1, 2), generator=generator).to(DEVICE)
        for engine in (plain, fused):
            engine.state["frame.heard"].copy_(heard)
            if index == 3:
                engine.state["frame.forced"][:, 2] = 9
        plain.frame.temporal()
        plain.frame.depth()
        frame.temporal()
        frame.depth()
        assert fused.state["frame.spoken"].tolist() == plain.state["frame.spoken"].tolist()
        assert torch.equal(fused.state["tokens.ring"], plain.state["tokens.ring"])
        for name in ("temporal.0.keys", "temporal.0.values", "depth.keys"):
            assert_near(fused.state[name], plain.state[name])


def test_sizes_that_do_not_fit_are_refused_with_a_reason() -> None:
    assert unsupported(LM) is None
    assert "powers of two" in str(unsupported(LMConfig(card=2000)))
    assert "at least four" in str(unsupported(replace(LM, num_heads=16)))
    assert "one talk" in str(unsupported(LM, talks=2))
