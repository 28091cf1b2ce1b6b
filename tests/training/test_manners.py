"""Sounds in which nobody speaks, and the manners' exam on an engine that behaves in a known way."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch

from training import augment, bars
from training.bank import Bank, Entry
from training.bars import BARS, table
from training.cases import Case, results, run
from training.evaluate_manners import backgrounds, barge_cases, pause_cases, quiet_cases
from training.evaluate_talk import Question
from training.figures import collected, presets
from training.judged_talk import FRAME, LOUD, Heard, Room, Steps, ask, voiced_s
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


class Stage:
    """Stands for a room with a model in it: talks are held with the parrot."""

    def __init__(self, parrot: Parrot):
        self.parrot = parrot

    def hold(self, steps: Steps[Any], voice: str = "", persona: str = "", seed: int = 0) -> Any:
        self.parrot.reset(seed)
        frame = next(steps)
        while True:
            answer = self.parrot.step(frame)
            loud = float(np.sqrt(np.mean(answer.pcm**2))) > LOUD
            try:
                frame = steps.send(Heard(loud, self.parrot.text_piece(answer.text), answer.pcm))
            except StopIteration as end:
                return end.value


def _room(parrot: Parrot) -> Room:
    return cast(Room, Stage(parrot))


def _judged(found: Iterator[Case]) -> list[dict[str, Any]]:
    return [case.judge() for case in found]


def _world() -> tuple[Script, Bank]:
    """One question of six words in 1.6 s, which is asked for a long reply and for a short one."""
    tape = torch.from_numpy(np.tile((TONE * 32767).astype(np.int16), 20))
    words = tuple(0.02 + i * 0.27 for i in range(6))
    lines = [Line("what is one plus one now", ("x",), 5, "user")]
    turns = [(0, "One, two, three, four, five, six, seven.", "counting"), (0, "Yes.", "arithmetic")]
    return Script([], lines, [("", 5, turns)]), Bank(tape, torch.zeros(1), [Entry(0, len(tape), words)], 2)


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


def test_another_timbre_keeps_the_level_and_sometimes_ends_the_treble() -> None:
    torch.manual_seed(0)
    speech = 0.1 * torch.randn(16, 24_000)
    for narrow in (0, 1):
        made = augment.coloured(speech, narrow)
        level = made.pow(2).mean(-1).sqrt() / speech.pow(2).mean(-1).sqrt()
        assert level.min() > 0.9 and level.max() < 1.1
        spectrum = torch.fft.rfft(made).abs().pow(2)
        treble = spectrum[:, 11_000:].mean(-1) / spectrum[:, 1_000:3_000].mean(-1)
        assert bool((treble < 1e-3).all()) == bool(narrow) and treble.std() > 0
    assert torch.equal(augment.coloured(torch.zeros(2, 100)), torch.zeros(2, 100))


def test_a_reply_is_timed_from_the_end_of_the_question() -> None:
    """Four frames later the parrot starts; its sound is heard a frame after the one it answers."""
    reply = _room(Parrot(after=4)).hold(ask(np.tile(TONE, 5)))
    assert reply.waited_s == pytest.approx(4 * 0.08 + 0.0, abs=0.011) and not reply.early
    assert reply.said == "Yes." and Question("?", "Yes", "x", TONE).right(reply.said)
    late_end = np.concatenate((np.tile(TONE, 5), np.zeros(FRAME * 2, np.float32)))
    assert voiced_s(late_end) == pytest.approx(0.4, abs=0.011)
    assert _room(Parrot(after=10_000)).hold(ask(np.tile(TONE, 5))).waited_s != reply.waited_s


def test_a_start_before_the_end_is_early() -> None:
    assert _room(Parrot(rude=True)).hold(ask(np.tile(TONE, 12))).early


def test_quiet_tells_a_silent_model_from_one_that_answers_noise() -> None:
    polite = _judged(quiet_cases(_room(Parrot(after=10_000)), [], 1, seconds=5))
    rude = _judged(quiet_cases(_room(Parrot(rude=True)), [], 1, seconds=5))
    assert not any(case["speaks"] for case in polite)
    assert {case["background"] for case in rude if case["speaks"]} >= {"loud noise", "music"}
    assert not next(case for case in rude if case["background"] == "silence")["speaks"]


def test_false_starts_in_pauses_are_counted() -> None:
    script, bank = _world()
    for after, early in ((20, False), (2, True)):
        cases = _judged(pause_cases(_room(Parrot(after=after)), [], script, bank, 5))
        assert [case["early"] for case in cases] == [early] * 2


def test_barge_in_measures_how_soon_it_is_silent_and_what_comes_then() -> None:
    script, bank = _world()
    polite, deaf = (
        _judged(barge_cases(_room(Parrot(length=60, stops=stops)), [], script, bank, 1))[0] for stops in (True, False)
    )
    assert polite["silent_after"] <= 0.08 and polite["right"]
    assert deaf["silent_after"] > 1.0
    silent = _judged(barge_cases(_room(Parrot(after=10_000)), [], script, bank, 1))[0]
    assert silent == {"interrupted": False}


def test_figures_are_made_of_cases_and_judged_by_the_bars(tmp_path: Path) -> None:
    turn = {"kind": "persona", "right": True, "early": False, "waited": 0.4, "heard_errors": 1, "words": 4}
    talk = {"turns": [turn, {**turn, "kind": "echo", "right": False, "waited": None}], "voice": "A", "nearest": "A"}
    options = argparse.Namespace(out=tmp_path, part=(1, 1), limit=0)
    done: list[str] = []

    def case(name: str, result: dict[str, Any]) -> Case:
        return Case(name, lambda: done.append(name) or result)  # type: ignore[func-returns-value]

    every = [case("talk/0", talk), case("quiet/hum 0", {"speaks": True}), case("pause/0", {"early": False}),
             case("barge/0", {"interrupted": True, "silent_after": 0.3, "right": True}),
             case("barge/1", {"interrupted": False}), case("human/0", {**turn, "waited": None})]  # fmt: skip
    run(every[:2], options)
    run(every, options)  # goes on
    assert done == [each.name for each in every]
    figures = collected(results(tmp_path), {"own": {"clips": 3, "original_wer": 1, "decoded_wer": 3, "original_mos": 4,
                                                    "decoded_mos": 3.9}})  # fmt: skip
    assert (figures["right"], figures["persona_right"], figures["heard_word_error"]) == (50, 100, 25)
    assert (figures["speaks_in_quiet"], figures["false_starts"], figures["barge_answered"]) == (100, 0, 100)
    assert (figures["codec_word_error_own"], figures["voice_right"], figures["human_answered"]) == (2, 100, 0)
    assert figures["cases"]["barge_silent_p50"] == 1
    text = table(figures)
    assert "| ≤ 1.5 points | 2.00 points | 3 | **missed** |" in text and "codec alone" in text
    assert text.count("holds") + text.count("missed") + text.count("not measured") + 2 == len(BARS)


def test_shares_of_processes_cover_every_case_once(tmp_path: Path) -> None:
    done: list[str] = []
    every = [Case(f"talk/{n}", lambda n=n: done.append(str(n)) or {}) for n in range(7)]  # type: ignore[misc]
    for part in (1, 2):
        run(every, argparse.Namespace(out=tmp_path, part=(part, 2), limit=5))
    assert sorted(done) == ["0", "1", "2", "3", "4"]
    next(tmp_path.glob("results-1-of-2-*.jsonl")).write_text('{"case": "talk/0"}\n{"case": "ta')
    assert set(results(tmp_path)) == {"talk/0", "talk/1", "talk/3"}


def test_another_precision_is_compared_on_the_same_cases(tmp_path: Path) -> None:
    def turn(right: bool) -> dict[str, Any]:
        return {"kind": "echo", "right": right, "early": False, "waited": 0.4}

    usual = {f"talk/{n}": {"turns": [turn(True)]} for n in range(3)} | {"talk/3": {"turns": [turn(False)]}}
    run([Case("talk/0", lambda: {"turns": [turn(True)]}), Case("talk/1", lambda: {"turns": [turn(False)]})],
        argparse.Namespace(out=tmp_path / "int4", part=(1, 1), limit=0))  # fmt: skip
    compared = presets(usual, tmp_path, {"int4": tmp_path / "int4"})
    text = bars.presets({"presets": compared})
    assert "| int4 |" in text and "| 100.0 % | 50.0 % | 2 | **missed** |" in text
    with pytest.raises(ValueError, match="no results of its own"):
        presets(usual, tmp_path, {"int4": tmp_path})
