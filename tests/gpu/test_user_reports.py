"""Rows of `tests/user_reports.md` that only a card can show: streams, resets, the first frame, repeatable talks."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.answer import Answer
from engine.config import MIMI, LMConfig
from engine.duplex import Duplex
from engine.persona import Prompt, build_prompt, wrap_text
from tests.checkpoints import write_checkpoint
from tests.gpu.talks import apart, sound, talk

pytestmark = pytest.mark.gpu

DEVICE = "cuda"
ROOT = Path(__file__).resolve().parents[2]
SMALL = LMConfig(dim=1024, num_layers=4, num_heads=8, context=300, depformer_num_layers=2)
BUSY_CYCLES = 100_000_000  # some 50 ms


def made(mode: str = "graph") -> Duplex:
    duplex = Duplex.random(SMALL, MIMI, device=DEVICE, precision="bfloat16")
    if mode == "graph":
        duplex.prepare("graph")
    return duplex


@pytest.fixture(scope="module")
def duplex() -> Iterator[Duplex]:
    duplex = made()
    yield duplex
    duplex.unload()


def test_another_stream_gives_the_same_sound(duplex: Duplex) -> None:
    """User report G14: codec and language model on a stream of their own, 50 frames, against the usual stream."""
    wanted = talk(duplex, ["graph"], 50)
    with torch.cuda.stream(torch.cuda.Stream()):
        other = made()
        got = talk(other, ["graph"], 50)
        other.unload()
    assert [(a.text, a.own, a.user) for a in got] == [(a.text, a.own, a.user) for a in wanted]
    assert max(np.abs(a.pcm - b.pcm).max() for a, b in zip(got, wanted, strict=True)) < 1e-3


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_a_reset_while_the_card_is_busy_is_a_clean_one(duplex: Duplex, mode: str) -> None:
    """User report G15: work of 50 ms is still under way on the engine's stream when the reset comes."""
    clean = talk(duplex, [mode], 20)
    talk(duplex, [mode], 30, seed=9)
    torch.cuda._sleep(BUSY_CYCLES)  # type: ignore[no-untyped-call]
    assert apart(talk(duplex, [mode], 20), clean) == ""


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_a_held_model_says_padding_and_silence_in_the_middle_of_a_talk(duplex: Duplex, mode: str) -> None:
    """User report C11: by the fused kernels and in a graph too, with no new capture; let go, it talks again."""
    talk(duplex, [mode], 10)
    duplex.hold(True)
    held = [duplex.step(frame) for frame in sound(12, seed=2)]
    silence = (duplex.lm_config.existing_text_padding_id, *duplex.prompt_codes.silence)
    assert {(a.text, *(a.own or ())) for a in held[2:]} == {silence}
    assert len({a.user for a in held}) > 6, "it hears"
    duplex.hold(False)
    free = [duplex.step(frame) for frame in sound(12, seed=3)]
    assert all((a.text, *(a.own or ())) != silence for a in free[2:])


def test_the_first_frames_after_a_capture_are_those_of_a_cold_engine() -> None:
    """User report G16: what warm-up and capture left in the codec would be heard in the first frames."""
    cold = made("eager")
    wanted = talk(cold, ["eager"], 6)
    cold.unload()
    captured = made()
    got = talk(captured, ["graph"], 6)
    captured.unload()
    assert max(np.abs(a.pcm - b.pcm).max() for a, b in zip(got, wanted, strict=True)) < 1e-4


def test_the_first_frame_of_a_talk_is_no_slower_than_the_others(duplex: Duplex) -> None:
    """User report R17: once warmed up, at most 1.5 times the median of the next hundred; the best of three talks."""
    ratios = []
    for _ in range(3):
        duplex.reset(1)
        duplex.set_mode("graph")
        costs = []
        for pcm in sound(101):
            began = time.perf_counter()
            duplex.step(pcm)
            costs.append(time.perf_counter() - began)
        ratios.append(costs[0] / statistics.median(costs[1:]))
    assert min(ratios) <= 1.5, ratios


def prompt_of(duplex: Duplex) -> Prompt:
    prompt = build_prompt(duplex.lm_config, duplex.prompt_codes, None, duplex.text_tokens(wrap_text("You are kind.")))
    assert prompt is not None
    return prompt


def persona_talk(duplex: Duplex, mode: str) -> list[Answer]:
    """A talk of a seed and a persona, to a silent microphone at first."""
    duplex.set_mode(mode)
    duplex.reset(42)
    duplex.prime(prompt_of(duplex))
    return [duplex.step(pcm) for pcm in (*np.zeros((25, 1920), np.float32), *sound(25, seed=3))]


FRESH = """
import json, sys
from tests.gpu.test_user_reports import loaded, persona_talk
duplex = loaded(sys.argv[1], sys.argv[2])
print(json.dumps([[a.text, a.own, a.user] for a in persona_talk(duplex, sys.argv[2])]))
"""


def loaded(folder: str, mode: str) -> Duplex:
    duplex = Duplex.load(Path(folder), device=DEVICE, precision="bfloat16")
    if mode == "graph":
        duplex.prepare("graph")
    return duplex


@pytest.mark.parametrize("mode", ["graph", "eager"])
def test_a_seeded_talk_is_that_of_a_fresh_process_whatever_went_before(tmp_path: Path, mode: str) -> None:
    """User reports C8, C10 and C19: four talks of one seed, others between, are token for token that of a process
    which has held no other; what was heard in the warm-up is in none of them."""
    folder = write_checkpoint(tmp_path)
    done = subprocess.run([sys.executable, "-c", FRESH, str(folder), mode], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    fresh = json.loads(done.stdout.splitlines()[-1])
    duplex = loaded(str(folder), mode)
    for seed in range(4):
        talk(duplex, [mode], 10 * seed, seed=seed)
        got = json.loads(json.dumps([[a.text, a.own, a.user] for a in persona_talk(duplex, mode)]))
        assert got == fresh, f"after {10 * seed} frames of another talk"
    duplex.unload()
