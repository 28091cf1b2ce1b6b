"""The whole headless path, real engine included, against a bare loop of upstream's generator on the same recording."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.messages import ModelSpec, Sampling
from app.talk import run_talk
from app.talk_options import TalkOptions
from tests.checkpoints import write_checkpoint
from tests.engine import oracle

FRAMES = 40
SAMPLES = FRAMES * 1920 - 700  # the last frame is filled up with zeros


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("sampling", [Sampling(0.0, None, 0.0, None, 5), Sampling(seed=1234)], ids=["greedy", "seeded"])
def test_files_equal_upstreams_talk(folder: Path, tmp_path: Path, sampling: Sampling) -> None:
    """Each frame encoded once and stepped once, the codec never reset, frame n's answer at n times 80 ms."""
    speech = oracle.speechlike(FRAMES)[:SAMPLES]
    soundfile.write(tmp_path / "in.wav", speech, 24000, subtype="FLOAT")
    options = TalkOptions(
        tmp_path / "in.wav",
        tmp_path / "out.wav",
        ModelSpec(str(folder), device="cpu", precision="float32", threads=1),
        sampling,
        tokens_out=tmp_path / "tokens.json",
    )
    assert run_talk(options) == 0

    heard = np.pad(soundfile.read(tmp_path / "in.wav", dtype="float32")[0], (0, FRAMES * 1920 - SAMPLES))
    greedy = sampling.temperature == 0.0
    wanted = oracle.talk(*oracle.lm_and_mimi(folder), heard, seed=None if greedy else sampling.seed)
    tokens = json.loads((tmp_path / "tokens.json").read_text())
    assert len({tuple(frame["own"]) for frame in tokens if frame["own"]}) > FRAMES / 2, "a lively talk, or no proof"
    assert tokens == [{"user": h.user, "text": h.text, "own": h.own} for h in wanted]

    reply, rate = soundfile.read(tmp_path / "out.wav", dtype="float32")
    silence = np.zeros(1920, np.float32)
    spoken = np.concatenate([silence if h.pcm is None else h.pcm for h in wanted])
    assert rate == 24000
    assert len(reply) == SAMPLES
    np.testing.assert_allclose(reply, np.clip(spoken, -1, 1)[:SAMPLES], atol=1 / 32767 + 1e-5)
