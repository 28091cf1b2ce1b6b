"""The bundled untrained model: what is in the folder is what its script writes, and it does all that a model must."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch
from safetensors.torch import load_file

from engine.duplex import Duplex
from engine.weights import MIMI_NAME, MODEL_NAME, TOKENIZER_NAME, find
from training import make_untrained

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = ROOT / "assets" / "mini"
SPEECH = ROOT / "assets" / "speech" / "hello.wav"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mini")
    make_untrained.make(folder)
    return folder


def test_the_bundled_folder_says_whether_it_is_trained() -> None:
    """The default model of the program is complete; untrained weights must say so where a person and a program look."""
    files = find(BUNDLED)
    card = (BUNDLED / "README.md").read_text("utf-8")
    assert files.trained != ("untrained" in card)
    assert sum(path.stat().st_size for path in BUNDLED.rglob("*") if path.is_file()) <= 40 << 20
    if files.trained:
        assert len(list((BUNDLED / "voices").glob("*.flac"))) >= 4
        assert "| measure | bar | measured |" in card and "Apache-2.0" in card


def test_the_script_writes_the_bundled_files(made: Path) -> None:
    if find(BUNDLED).trained:
        pytest.skip("a trained model has taken the place of the untrained one")
    for name in (MODEL_NAME, MIMI_NAME):
        ours, bundled = load_file(made / name), load_file(BUNDLED / name)
        assert ours.keys() == bundled.keys()
        assert all(torch.equal(ours[key], bundled[key]) for key in ours)
    for name in ("config.json", "mimi_config.json"):
        assert json.loads((made / name).read_text()) == json.loads((BUNDLED / name).read_text())
    assert (made / "README.md").read_text("utf-8") == (BUNDLED / "README.md").read_text("utf-8")


def test_it_answers_speech_aloud_but_not_painfully(made: Path) -> None:
    engine = Duplex.load(made, device="cpu")
    assert not engine.trained
    assert engine.context == 3000
    engine.reset(seed=0)
    pcm, rate = soundfile.read(SPEECH, dtype="float32")
    assert rate == 24000
    frames = np.pad(pcm, (0, -len(pcm) % 1920)).reshape(-1, 1920)
    answers = [engine.step(frame) for frame in frames]
    reply = np.concatenate([answer.pcm for answer in answers[2:]])
    assert np.abs(reply).max() < 0.5
    assert 0.02 < np.sqrt(np.mean(reply**2)) < 0.1
    own = np.array([answer.own for answer in answers if answer.own is not None])
    heard = np.array([answer.user for answer in answers])
    assert all(len(set(codes)) > 10 for codes in (*own.T, *heard.T))  # both ways through the codec something varies
    words = [answer.text for answer in answers if answer.text not in (None, 0, 3)]
    assert 0 < len(words) < len(frames) / 4
    assert all(engine.text_piece(word) for word in words if word > 3)


def test_its_tokenizer_knows_every_usual_character(made: Path) -> None:
    engine = Duplex.load(made, device="cpu")
    text = '<system> You are John\'s teacher (42 years old) & say: "Hello, how are you?" <system>'
    tokens = engine.text_tokens(text)
    assert 0 not in tokens
    assert "".join(map(engine.text_piece, tokens)).strip() == text
    assert (made / TOKENIZER_NAME).stat().st_size < 1 << 20
