"""Whole talks on the GPU: the three ways to run a frame agree, frame by frame, at full size and past every wrap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from engine.config import MIMI, MOSHI_7B, LMConfig
from engine.duplex import Duplex
from engine.sampling import SamplingValues
from tests.gpu.talks import apart, captures_counted, copy_of, parts_apart, sound, talk

pytestmark = pytest.mark.gpu

SMALL = LMConfig(dim=1024, num_layers=4, num_heads=8, context=40, depformer_num_layers=2)


@pytest.fixture(scope="module")
def full() -> Iterator[Duplex]:
    """Shared; every test resets it."""
    duplex = Duplex.random(MOSHI_7B, MIMI, device="cuda", precision="bfloat16")
    duplex.prepare("graph")
    yield duplex
    duplex.unload()


def test_graph_eager_and_switching_agree_for_500_frames_of_the_full_model(full: Duplex) -> None:
    """Tokens, sound and the whole state, random stream included, bit for bit."""
    assert full.plain_reason is None, full.plain_reason
    eager = talk(full, ["eager"], 500)
    wanted = copy_of(full.state, full)
    assert len({a.own for a in eager}) > 400
    for modes in (["graph"], ["graph", "eager"]):
        assert apart(talk(full, modes, 500), eager) == "", modes
        assert parts_apart(wanted, full) == [], modes


def test_live_sampling_values_need_no_new_capture(full: Duplex, monkeypatch: pytest.MonkeyPatch) -> None:
    """User report G11: values changed in mid-talk reach the captured graph."""
    captured = captures_counted(monkeypatch)
    results = []
    for mode in ("graph", "eager"):
        full.set_sampling(SamplingValues())
        answers = talk(full, [mode], 20)
        for top_k, temperature in ((20, 0.8), (2048, 0.5), (250, 0.0)):
            full.set_sampling(SamplingValues(temperature=temperature, top_k=top_k))
            answers += [full.step(pcm) for pcm in sound(20, seed=top_k)]
        results.append(answers)
    full.set_sampling(SamplingValues())
    assert apart(*results) == ""
    assert captured == []


def test_past_the_context_of_the_full_model(full: Duplex) -> None:
    """User report C2: frames 2999, 3000 and 3001 and what follows, in both modes alike."""
    results = []
    for mode in ("graph", "eager"):
        full.reset(3)
        full.set_mode(mode)
        with torch.inference_mode():
            full.state["tokens.position"].fill_(2985)  # a multiple of the token ring's length
        results.append([full.step(pcm) for pcm in sound(40)])
    assert apart(*results) == ""
    assert all(np.isfinite(a.pcm).all() for a in results[0])


def test_the_fused_kernels_agree_with_plain_torch_on_greedy_tokens() -> None:
    """Float32, so that rounding cannot decide: the same tokens from both, past the context."""
    answers = []
    for kernels in (True, False):
        duplex = Duplex.random(SMALL, MIMI, device="cuda", precision="float32", kernels=kernels)
        assert (duplex.plain_reason is None) is kernels, duplex.plain_reason
        duplex.set_sampling(SamplingValues(temperature=0, text_temperature=0))
        answers.append(talk(duplex, ["eager"], 80))
        duplex.unload()
    assert [(a.text, a.own, a.user) for a in answers[0]] == [(a.text, a.own, a.user) for a in answers[1]]
