"""Past frames kept in 8 bits: the plain path, the fused kernel (natively on a GPU, else in Triton's interpreter), the
talk, and the gate."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next

from engine.agreement import LEAST_MATCH, teacher_columns
from engine.config import LMConfig, MimiConfig
from engine.conversion import judge
from engine.duplex import Duplex
from engine.errors import EngineError
from engine.kv_agreement import refuse_unlike
from engine.layers import ring_attention, ring_held, ring_prefill, ring_write
from engine.priming import Primer
from engine.quantize import Quantized, in_eight_bits
from engine.sampling import SamplingValues
from engine.weights import ModelFiles, find
from tests.checkpoints import write_checkpoint

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CPU = torch.device("cpu")
LM = LMConfig(
    dim=32, num_layers=2, num_heads=2, context=6, text_card=20, card=16, n_q=4, dep_q=2, depformer_dim=16,
    depformer_num_layers=2, depformer_num_heads=2,
)  # fmt: skip
MIMI = MimiConfig(
    dimension=32, n_filters=4, num_heads=2, num_layers=1, dim_feedforward=64, context=10, codebook_dim=16, bins=16
)


def random(*shape: int, seed: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(DEVICE, dtype)


def empty_ring(heads: int, capacity: int, dim: int) -> Quantized:
    return Quantized(
        torch.zeros(1, heads, capacity, dim, dtype=torch.int8, device=DEVICE),
        torch.zeros(1, heads, capacity, 1, dtype=torch.bfloat16, device=DEVICE),
    )


def test_a_vector_loses_less_than_a_hundredth_and_nothing_is_nothing() -> None:
    rows = random(64, 128, seed=0) * torch.logspace(-6, 6, 64, device=DEVICE)[:, None]
    rows[3] = 0
    kept = in_eight_bits(rows)
    back = kept.values.float() * kept.scales.float()
    assert ((back - rows).norm(dim=-1) <= 0.01 * rows.norm(dim=-1)).all() and (back[3] == 0).all()


def test_attention_over_such_a_ring_is_near_the_plain_one_and_prefill_is_step_by_step() -> None:
    positions = torch.arange(20, device=DEVICE)
    q, k, v = (random(1, 2, 20, 16, seed=seed) for seed in (1, 2, 3))
    plain = [torch.zeros(1, 2, 8, 16, device=DEVICE) for _ in range(2)]
    rings = [empty_ring(2, 8, 16) for _ in range(2)]
    stepped = []
    for at in range(20):
        one = slice(at, at + 1)
        taken = (q[:, :, one], k[:, :, one], v[:, :, one])
        wanted = ring_attention(*taken, plain[0], plain[1], positions[None, one], 8)
        stepped.append(ring_attention(*taken, rings[0], rings[1], positions[None, one], 8))
        torch.testing.assert_close(stepped[-1], wanted, rtol=0, atol=0.05)
    other = [empty_ring(2, 8, 16) for _ in range(2)]
    count = torch.tensor([20], device=DEVICE)
    at_once = ring_prefill(q, k, v, other[0], other[1], positions[None], count, 8)
    torch.testing.assert_close(at_once, torch.cat(stepped, dim=2))
    for ring, again in zip(rings, other, strict=True):
        assert torch.equal(ring.values, again.values) and torch.equal(ring.scales, again.scales)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("window", [50, 49])
def test_the_kernel_does_what_the_plain_path_does(dtype: torch.dtype, window: int) -> None:
    """Before, during and after the ring is full, with fewer programs than blocks, and more."""
    pytest.importorskip("triton", reason="Triton is not installed")
    from engine import kernels_linear, kernels_ring, kernels_ring8
    from engine.layers import rope

    heads, dim, capacity = 2, 16, 50
    pdl = kernels_linear.supports_pdl(torch.device(DEVICE))
    for splits in (4, 8):
        scratch = kernels_ring.RingScratch(heads, dim, splits, DEVICE)
        plain = [empty_ring(heads, capacity, dim) for _ in range(2)]
        for seed, ring in enumerate(plain):
            ring_write(ring, random(1, heads, capacity, dim, seed=seed), torch.arange(capacity, device=DEVICE)[None])
        fused = [Quantized(ring.values[0].clone(), ring.scales[0].clone()) for ring in plain]
        for at in (0, 1, 7, 8, 31, 49, 50, 51, 99, 1237):
            position = torch.tensor([at], device=DEVICE)
            projected = random(3 * heads * dim, seed=at, dtype=dtype)
            q, k, v = projected.view(3, 1, heads, 1, dim)
            q, k = (rope(x, position[None], 10000.0) for x in (q, k))
            wanted = ring_attention(q, k, v, plain[0], plain[1], position[None], window).reshape(-1)
            out = torch.full_like(wanted, torch.nan)
            turns = kernels_ring.rope_turns(position, dim, 10000.0)
            kernels_ring8.ring_attend(
                projected, turns, position, fused[0], fused[1], window, out, scratch, block=8, warps=4, pdl=pdl
            )
            # A number at half a step may round to the other side: a hundredth of its vector.
            torch.testing.assert_close(out.float(), wanted.float(), rtol=0, atol=0.07)
            for ring, other in zip(fused, plain, strict=True):
                held = ring_held(other, torch.float32)[0]
                torch.testing.assert_close(ring.values * ring.scales.float(), held, rtol=0, atol=0.05)
                least = 0.99 if dtype == torch.float32 else 0.97  # the interpreter cuts bfloat16 off, before 8 bits too
                assert (ring.values == other.values[0]).float().mean() > least
        assert scratch.arrived.tolist() == [0, 0]


def talk(engine: Duplex, frames: int) -> list[tuple[int, ...] | None]:
    engine.set_sampling(SamplingValues(0.0, 250, 0.0, 25))
    engine.reset(seed=1)
    noise = np.random.default_rng(0)
    return [engine.step(noise.normal(0, 0.1, 1920).astype(np.float32)).own for _ in range(frames)]


def test_a_talk_in_eight_bits_takes_less_and_says_nearly_the_same() -> None:
    full, small = (Duplex.random(LM, MIMI, device="cpu", seed=3, kv=kv) for kv in ("full", "int8"))
    assert small.kv == "int8" and small.state_bytes < full.state_bytes
    said, other = talk(full, 12), talk(small, 12)  # past the wrap of the ring
    assert other == talk(small, 12), "the same talk, twice"
    assert sum(a == b for a, b in zip(said, other, strict=True)) >= 6
    names = [f"temporal.{layer}.{part}" for layer in range(2) for part in ("keys", "values")]
    held = {
        name: ring_held(Quantized(small.state[name], small.state[f"{name}_scales"]), torch.float32) for name in names
    }
    assert all(tensor.abs().sum() > 0 for tensor in held.values())
    assert any(not torch.equal(held[name], full.state[name]) for name in names), "it is rounded at all"


@torch.inference_mode()
@pytest.mark.parametrize("by_rows", [False, True])
def test_fused_frames_say_what_plain_frames_say(by_rows: bool) -> None:
    pytest.importorskip("triton", reason="Triton is not installed")
    from engine.fused import FusedFrame, Launches
    from engine.kernels_ring import RingLaunch

    plain, fused = (
        Duplex.random(LM, MIMI, device=DEVICE, precision="float32", seed=1, kv="int8", kernels=False) for _ in range(2)
    )
    rows = RingLaunch(1, 2, 2) if by_rows else None
    launches = Launches(down_block=16, ring8_block=2, ring8_splits=2, ring8_rows=rows)
    frame = FusedFrame(fused.lm, fused.mimi, fused.state, lm_window=6, mimi_window=10, launches=launches)
    for engine in (plain, fused):
        engine.set_sampling(SamplingValues(0.0, 250, 0.0, 25))
        engine.reset(seed=1)
    for number in range(3 if by_rows else 9):
        for engine, runs in ((plain, plain.frame), (fused, frame)):
            engine.state["frame.heard"].fill_(number % 5)
            runs.temporal()
            runs.depth()
        assert torch.equal(fused.state["tokens.ring"], plain.state["tokens.ring"])


@torch.inference_mode()
def test_what_is_kept_of_a_voice_has_its_scales() -> None:
    engine = Duplex.random(LM, MIMI, device="cpu", kv="int8")
    talk(engine, 4)
    primer = Primer(engine.frame)
    primer._keep("voice", 3)
    wanted = engine.state.snapshot()
    engine.reset(seed=2)
    assert primer._resume("voice", 3) == 3
    for name in (name for name in wanted if name.startswith("temporal.")):
        assert torch.equal(engine.state[name][:, :, :3], wanted[name][:, :, :3]), name
        assert wanted[name][:, :, :3].any(), name


def test_another_word_is_refused() -> None:
    with pytest.raises(EngineError, match=r"The memory of the talk \(kv\) must be one of full, int8, not 'fp8'"):
        Duplex.random(LM, MIMI, device="cpu", kv="fp8")


# ---------------------------------------------------------------- the gate


@pytest.fixture
def files(tmp_path: Path) -> ModelFiles:
    return replace(find(write_checkpoint(tmp_path / "model")), trained=True)


def test_eight_bits_are_judged_once_by_frames_beyond_the_context_too(
    files: ModelFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, config = tmp_path / "cache", LMConfig.from_dict(files.config)
    frames = config.context + 5
    codes = torch.randint(0, config.card, (9, config.codebooks), generator=torch.Generator().manual_seed(1))
    columns = teacher_columns(config, codes, frames)
    judged = judge(files, files, config, columns, CPU, kv="int8")
    assert judged.frames == frames and 0 < judged.text_error < 0.1
    monkeypatch.setitem(LEAST_MATCH, "int8", judged.match)
    refuse_unlike(files, files, config, "int8", "float32", cache, lambda: columns, CPU)
    monkeypatch.setitem(LEAST_MATCH, "int8", 1.01)

    def not_made() -> Tensor:
        raise AssertionError("the first judgement was kept")

    with pytest.raises(EngineError, match=r"With its memory of the talk in 8 bits .* set model\.kv to full"):
        refuse_unlike(files, files, config, "int8", "float32", cache, not_made, CPU)
    (kept,) = cache.glob("kv-int8-float32-*.json")
    assert json.loads(kept.read_text()) == judged._asdict()


def test_a_trained_model_is_judged_when_it_is_loaded_and_a_random_one_is_not(
    files: ModelFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(cache: Path) -> Duplex:
        speech = np.random.default_rng(0).normal(0, 0.1, 24_000).astype(np.float32)
        return Duplex.load(files.model.parent, device="cpu", kv="int8", cache=cache, speech=lambda: speech)

    monkeypatch.setitem(LEAST_MATCH, "int8", 1.01)
    with pytest.raises(EngineError, match="With its memory of the talk in 8 bits"):
        load(tmp_path / "cache")
    config = files.model.parent / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "trained": False}))
    assert load(tmp_path / "other").kv == "int8"
    assert not (tmp_path / "other").exists()
