"""Sounds in which nobody speaks, and the manners' exam on an engine that behaves in a known way."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch

from engine.duplex import Duplex
from training import augment
from training.bank import Bank, Entry
from training.evaluate_manners import backgrounds, barge_in, pauses, quiet
from training.evaluate_talk import FRAME, Listener, Turn
from training.script import Line, Script

TONE = 0.2 * np.sin(np.arange(FRAME) * 0.2).astype(np.float32)


class Parrot:
    """Speaks for `length` frames, `after` frames after a question has ended, saying one word in the first; with `rude`
    set it speaks at every sound and stops for nothing."""

    def __init__(self, after: int = 4, length: int = 30, stops: bool = True, rude: bool = False):
        self.after, self.length, self.stops, self.rude = after, length, stops, rude

    def reset(self, seed: int) -> None:
        self.heard, self.left, self.waiting = False, 0, 0

    def text_piece(self, token: int) -> str:
        return " Yes." if token == 5 else ""

    def step(self, pcm: np.ndarray) -> Any:
        loud = float(np.abs(pcm).max()) > 0.01
        text = 3
        if loud and self.stops:
            self.left = 0
        if self.rude:
            self.left = 1 if loud else 0
        elif loud:
            self.heard, self.waiting = True, self.after
        elif self.heard:
            self.waiting -= 1
            if self.waiting == 0:
                self.heard, self.left, text = False, self.length, 5
        out = TONE if self.left else np.zeros(FRAME, np.float32)
        self.left = max(0, self.left - 1)
        return SimpleNamespace(pcm=out, text=text)


def _engine(parrot: Parrot) -> Duplex:
    return cast(Duplex, parrot)


def _world() -> tuple[Script, Bank, list[tuple[int, str, str]]]:
    """One question of six words in 1.6 s."""
    tape = torch.from_numpy(np.tile((TONE * 32767).astype(np.int16), 20))
    words = tuple(0.02 + i * 0.27 for i in range(6))
    lines = [Line("what is one plus one now", ("x",), 5, "user")]
    entries = [Entry(0, len(tape), words)]
    reply = "One, two, three, four, five, six, seven."
    return (
        Script([], lines, []),
        Bank(tape, torch.zeros(1), entries, 2),
        [(0, reply, "counting"), (0, "Yes.", "arithmetic")],
    )


@pytest.mark.parametrize("name", list(backgrounds()))
def test_backgrounds_are_finite_and_as_loud_as_meant(name: str) -> None:
    sound = backgrounds()[name](48_000)
    assert sound.shape == (1, 48_000) and sound.isfinite().all() and sound.abs().max() < 1
    assert (sound.std() == 0) == (name == "silence")


def test_microphone_keeps_the_level_and_adds_what_it_should() -> None:
    torch.manual_seed(0)
    speech = 0.1 * torch.randn(24_000).expand(64, -1).clamp(-2, 2)
    same = augment.microphone(speech, level=(0, 0), noisy=0, roomy=0)
    torch.testing.assert_close(same, speech, atol=1e-5, rtol=1e-4)
    noisy = augment.microphone(speech, level=(0, 0), noisy=1, roomy=0)
    added = (noisy - speech).pow(2).mean(-1).sqrt()
    assert added.min() > 0.0005 and added.max() < 0.06
    roomy = augment.microphone(speech, level=(0, 0), noisy=0, roomy=1)
    level = roomy.pow(2).mean(-1).sqrt() / speech.pow(2).mean(-1).sqrt()
    assert level.min() > 0.7 and level.max() < 1.4 and (roomy - speech).abs().max() > 0.01


def test_a_reply_is_timed_from_the_end_of_the_question() -> None:
    parrot = Parrot(after=4)
    parrot.reset(0)
    turn = Turn("?", "Yes.", "x")
    Listener(_engine(parrot)).ask(turn, np.tile(TONE, 5))
    assert turn.waited == pytest.approx(4 * 0.08) and not turn.early
    assert turn.said == "Yes." and turn.right


def test_quiet_tells_a_silent_engine_from_one_that_answers_noise() -> None:
    polite, rude = quiet(_engine(Parrot(after=10_000)), None, 1), quiet(_engine(Parrot(rude=True)), None, 1)
    assert set(polite.values()) == {0.0}
    assert rude["loud noise"] == rude["music"] == 100.0 and rude["silence"] == 0.0


def test_false_starts_in_pauses_are_counted() -> None:
    script, bank, exchanges = _world()
    assert pauses(_engine(Parrot(after=20)), None, script, bank, exchanges, 5)["false_starts"] == 0
    assert pauses(_engine(Parrot(after=2)), None, script, bank, exchanges, 5)["false_starts"] == 100


def test_barge_in_measures_how_soon_it_is_silent() -> None:
    _, bank, exchanges = _world()
    polite = barge_in(_engine(Parrot(length=60)), None, bank, exchanges, 1)
    assert polite["cases"] == 1 and polite["silent_p50"] == pytest.approx(0.0, abs=0.1)
    assert polite["answered_right"] == 100
    deaf = barge_in(_engine(Parrot(length=60, stops=False)), None, bank, exchanges, 1)
    assert deaf["silent_p50"] is not None and deaf["silent_p50"] > 1.0
