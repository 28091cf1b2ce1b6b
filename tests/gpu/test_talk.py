"""Whole talks on the GPU: the three ways to run a frame agree, frame by frame, at full size and past every wrap."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import torch

from engine.answer import Answer
from engine.config import MIMI, MOSHI_7B, LMConfig
from engine.duplex import Duplex
from engine.sampling import SamplingValues

pytestmark = pytest.mark.gpu

SMALL = LMConfig(dim=1024, num_layers=4, num_heads=8, context=200, depformer_num_layers=2)


def sound(frames: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal((frames, 1920)) * 0.1).astype(np.float32)


def talk(duplex: Duplex, modes: list[str], frames: int, *, every: int = 7, seed: int = 1) -> list[Answer]:
    """A fresh talk that changes to the next of `modes` every so many frames."""
    duplex.reset(seed)
    answers = []
    for index, pcm in enumerate(sound(frames)):
        duplex.set_mode(modes[index // every % len(modes)])
        answers.append(duplex.step(pcm))
    return answers


def same(first: list[Answer], second: list[Answer]) -> bool:
    return len(first) == len(second) and all(
        (a.text, a.own, a.user) == (b.text, b.own, b.user) and np.array_equal(a.pcm, b.pcm)
        for a, b in zip(first, second, strict=True)
    )


@pytest.fixture(scope="module")
def full() -> Duplex:
    duplex = Duplex.random(MOSHI_7B, MIMI, device="cuda", precision="bfloat16")
    duplex.prepare("graph")
    return duplex


def test_graph_eager_and_switching_agree_for_500_frames_of_the_full_model(full: Duplex) -> None:
    """Tokens, sound and the whole state, random stream included, bit for bit."""
    assert full.plain_reason is None, full.plain_reason
    eager = talk(full, ["eager"], 500)
    wanted = {name: full.state[name].clone() for name in full.state}
    assert len({a.own for a in eager}) > 400
    for modes in (["graph"], ["graph", "eager"]):
        assert same(talk(full, modes, 500), eager), modes
        assert all(torch.equal(full.state[name], wanted[name]) for name in wanted), modes


def test_live_sampling_values_need_no_new_capture(full: Duplex) -> None:
    """User report G11: values changed in mid-talk reach the captured graph."""
    results = []
    for mode in ("graph", "eager"):
        full.set_sampling(SamplingValues())
        answers = talk(full, [mode], 20)
        for top_k, temperature in ((20, 0.8), (2048, 0.5), (250, 0.0)):
            full.set_sampling(SamplingValues(temperature=temperature, top_k=top_k))
            answers += [full.step(pcm) for pcm in sound(20, seed=top_k)]
        results.append(answers)
    full.set_sampling(SamplingValues())
    assert same(*results)


def test_past_the_context_of_the_full_model(full: Duplex) -> None:
    """User report C2: frames 2999, 3000 and 3001 and what follows, in both modes alike."""
    results = []
    for mode in ("graph", "eager"):
        full.reset(3)
        full.set_mode(mode)
        with torch.inference_mode():
            full.state["tokens.position"].fill_(2985)  # a multiple of the token ring's length
        results.append([full.step(pcm) for pcm in sound(40)])
    assert same(*results)
    assert all(np.isfinite(a.pcm).all() for a in results[0])


def test_the_fused_kernels_agree_with_plain_torch_on_greedy_tokens() -> None:
    """Float32, so that rounding cannot decide: the same tokens from both, past the context."""
    answers = []
    for kernels in (True, False):
        duplex = Duplex.random(SMALL, MIMI, device="cuda", precision="float32", kernels=kernels)
        assert (duplex.plain_reason is None) is kernels, duplex.plain_reason
        duplex.set_sampling(SamplingValues(temperature=0, text_temperature=0))
        answers.append(talk(duplex, ["eager"], 300))
    assert [(a.text, a.own, a.user) for a in answers[0]] == [(a.text, a.own, a.user) for a in answers[1]]


def test_memory_is_flat_over_a_long_talk_with_switches() -> None:
    duplex = Duplex.random(SMALL, MIMI, device="cuda", precision="bfloat16")
    duplex.prepare("graph")
    talk(duplex, ["graph", "eager"], 50)
    torch.cuda.synchronize()
    before = torch.cuda.mem_get_info()[0]
    talk(duplex, ["graph", "eager"], 1000, every=10)
    assert before - torch.cuda.mem_get_info()[0] <= 4 << 20


def test_unloading_gives_the_memory_back() -> None:
    """User report L9: five rounds, no growth, at least 95 % back."""
    gc.collect()
    torch.cuda.empty_cache()
    before, left = torch.cuda.memory_reserved(), []
    for _ in range(5):
        duplex = Duplex.random(SMALL, MIMI, device="cuda", precision="bfloat16")
        duplex.prepare("graph")
        duplex.step(sound(1)[0])
        loaded = torch.cuda.memory_reserved() - before
        duplex.unload()
        del duplex
        left.append((torch.cuda.memory_reserved() - before) / loaded)
    assert max(left) < 0.05, left
