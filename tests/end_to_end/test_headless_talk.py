"""`parley talk` as a process of its own, with the bundled model and the bundled recording: what a newcomer without a
screen sees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

ROOT = Path(__file__).resolve().parents[2]
SPEECH = ROOT / "assets" / "speech" / "question.flac"


def test_a_recording_becomes_a_reply_with_words_and_tokens(tmp_path: Path) -> None:
    files = {"--output": "reply.wav", "--transcript": "words.json", "--tokens-out": "tokens.json"}
    outputs = [word for flag, name in files.items() for word in (flag, str(tmp_path / name))]
    command = [sys.executable, "-m", "app.cli", "talk", "--input", str(SPEECH), *outputs, "--seed", "0"]
    environment = dict(os.environ, PYTHONPATH=str(ROOT), HF_HUB_OFFLINE="1")
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    trained = json.loads((ROOT / "assets" / "mini" / "config.json").read_text()).get("trained", True)
    assert ("untrained" in done.stderr) != trained, "what the reply is worth is said plainly"
    for name in files.values():
        assert name in done.stdout.replace("\n", "")

    heard, rate = soundfile.read(SPEECH)
    reply, reply_rate = soundfile.read(tmp_path / "reply.wav", dtype="int16")
    assert reply_rate == 24000
    assert reply.shape == (-(-len(heard) * 24000 // rate),)
    assert not reply[:1920].any(), "frame 0 is silent"
    assert np.abs(reply).max() > 30

    tokens = json.loads((tmp_path / "tokens.json").read_text())
    assert len(tokens) == -(-len(reply) // 1920)
    assert tokens[0]["text"] is None
    assert tokens[0]["own"] is None
    assert all(len(entry["user"]) == 8 and len(entry["own"]) == 8 for entry in tokens[1:])
    words = json.loads((tmp_path / "words.json").read_text())
    assert words["duration_s"] == pytest.approx(len(heard) / rate, abs=0.08)
    assert words["turns"] or not trained, "weights that mean nothing may greedily say nothing"


def test_bad_input_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.wav").write_bytes(b"RIFF but no more than that")
    command = [sys.executable, "-m", "app.cli", "talk", "--input", "in.wav", "--output", "out.wav"]
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert "in.wav" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.wav"]
