"""Full-duplex manners: quiet when nobody speaks, patient at pauses, silent soon when talked over, and recorded people.

Each case is one short talk through the program's own conversation, with made or spoken sound at its ends.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from training import augment, cases
from training.bank import Bank
from training.cases import Case
from training.evaluate_codec import words
from training.evaluate_talk import BEFORE, Ears, Question, judged, model_voices
from training.human_clips import read_human
from training.judged_talk import PATIENCE, RATE, Heard, Reply, Room, Steps, ask, play, silence, silent_after_s
from training.script import Script

_LONG_KINDS = ("counting", "story")
_LONG_WORDS = 6


def run(options: argparse.Namespace) -> None:
    """`python -m training evaluate-manners`."""
    torch.set_num_threads(1)
    room = Room(options.model, options.precision)
    script, bank = Script.load(options.script), Bank.load(options.bank, torch.device("cpu"))
    voices = sorted(model_voices(options.model))
    ears = Ears(options.recogniser, None, {})

    def all_cases() -> Iterator[Case]:
        yield from quiet_cases(room, voices, options.minutes)
        yield from pause_cases(room, voices, script, bank, options.cases)
        yield from barge_cases(room, voices, script, bank, options.cases)
        if options.human:
            yield from human_cases(room, voices, options.human, ears)

    cases.run(all_cases(), options)


def backgrounds() -> dict[str, Callable[[int], Tensor]]:
    """Sounds in which nobody speaks to the model: name -> function from a sample count to [1, samples]."""
    device = torch.device("cpu")

    def noise(level: float) -> Callable[[int], Tensor]:
        return lambda length: augment.colored_noise(1, length, device) * level

    return {
        "silence": lambda length: torch.zeros(1, length),
        "faint noise": noise(0.002),
        "loud noise": noise(0.02),
        "hum": lambda length: augment.hum(1, length, device) * 0.02,
        "music": lambda length: augment.music(1, length, device) * 0.03,
    }


def _voice(voices: Sequence[str], number: int) -> str:
    return voices[number % len(voices)] if voices else ""


def quiet_cases(room: Room, voices: Sequence[str], minutes: int, seconds: int = 60) -> Iterator[Case]:
    """A minute of each background, several times: does it say anything?"""
    for minute in range(minutes):
        for name, make in backgrounds().items():

            def judge(name: str = name, make: Callable[[int], Tensor] = make, minute: int = minute) -> dict[str, Any]:
                torch.manual_seed(minute)
                heard = room.hold(play(make(RATE * seconds)[0].numpy()), _voice(voices, minute), seed=minute)
                loud = sum(frame.loud for frame in heard)
                return {"background": name, "speaks": loud > 3, "said": "".join(frame.text for frame in heard).strip()}

            yield Case(f"quiet/{name} {minute}", judge)


Exchange = tuple[int, str, str]  # line of the question, right reply, kind


def exchanges(script: Script, bank: Bank) -> list[Exchange]:
    """All of the script's that the bank has."""
    return [turn for _, _, turns in script.dialogues for turn in turns if turn[0] < len(bank.entries)]


def pause_cases(room: Room, voices: Sequence[str], script: Script, bank: Bank, count: int) -> Iterator[Case]:
    """Questions with a pause of 0.5 to 0.9 s inside: does the model start to speak before they are over?"""
    long_enough = [turn for turn in exchanges(script, bank) if len(script.lines[turn[0]].text.split()) >= 5]
    for number, (line, _, _) in enumerate(long_enough[:count]):

        def judge(line: int = line, number: int = number) -> dict[str, Any]:
            heard = room.hold(_after_silence(with_pause(bank, line, random.Random(number))), _voice(voices, number),
                              seed=number)  # fmt: skip
            return {"question": script.lines[line].text, "early": sum(frame.loud for frame in heard[:-2]) > 2}

        yield Case(f"pause/{number}", judge)


def with_pause(bank: Bank, line: int, rng: random.Random) -> np.ndarray:
    """A question with a pause between two of its middle words."""
    entry, sound = bank.entries[line], bank.sound(line).numpy()
    middle = [at for at in entry.words if 0.35 < at * RATE / entry.length < 0.75]
    cut = round(rng.choice(middle or [entry.words[len(entry.words) // 2]]) * RATE)
    return np.concatenate((sound[:cut], np.zeros(round(rng.uniform(0.5, 0.9) * RATE), np.float32), sound[cut:]))


def barge_cases(room: Room, voices: Sequence[str], script: Script, bank: Bank, count: int) -> Iterator[Case]:
    """Interrupt a long reply after about a second: how soon is it silent, and does it answer the new question?"""
    every = exchanges(script, bank)
    long_ones = [turn for turn in every if turn[2] in _LONG_KINDS and len(turn[1].split()) >= _LONG_WORDS]
    others = [turn for turn in every if turn[2] == "arithmetic"]
    for number in range(count if long_ones and others else 0):

        def judge(number: int = number) -> dict[str, Any]:
            rng = random.Random(number)
            first, (line, wanted, kind) = long_ones[number % len(long_ones)], rng.choice(others)
            question = Question(script.lines[line].text, wanted, kind, bank.sound(line).numpy())
            steps = interruption(bank.sound(first[0]).numpy(), question.sound, rng.randint(10, 18))
            result = room.hold(steps, _voice(voices, number), seed=number)
            if result is None:
                return {"interrupted": False}
            during, reply = result
            answered = words(reply.said)[-len(words(wanted)) :] == words(wanted)
            return {"interrupted": True, "silent_after": round(silent_after_s(during), 3), "question": question.text,
                    "said": reply.said, "right": answered}  # fmt: skip

        yield Case(f"barge/{number}", judge)


def interruption(first: np.ndarray, second: np.ndarray, after: int) -> Steps[tuple[list[Heard], Reply] | None]:
    """Ask, let the reply go on for `after` frames, ask another thing. None when no reply was going on by then.

    -> what was heard from the interruption on, and the reply to it (its text is what was said after the interruption).
    """
    yield from silence(BEFORE)
    yield from play(first)
    for _ in range(PATIENCE):
        if (yield from silence(1))[0].loud:
            break
    talking = yield from silence(after)
    if not any(frame.loud for frame in talking[-3:]):
        return None
    during: list[Heard] = yield from play(second)
    reply = yield from ask(np.zeros(0, np.float32))
    said = "".join(frame.text for frame in during) + " " + reply.said
    return during, reply._replace(said=said.strip())


def human_cases(room: Room, voices: Sequence[str], path: Path, ears: Ears) -> Iterator[Case]:
    """Recorded people ask."""
    for number, question in enumerate(read_human(path)):

        def judge(number: int = number, question: Question = question) -> dict[str, Any]:
            steps = _asked_once(question.sound)
            return judged(question, room.hold(steps, _voice(voices, number), seed=number), ears)

        yield Case(f"human/{number}", judge)


def _asked_once(sound: np.ndarray) -> Steps[Reply]:
    yield from silence(BEFORE)
    return (yield from ask(sound))


def _after_silence(sound: np.ndarray) -> Steps[list[Heard]]:
    yield from silence(BEFORE)
    return (yield from play(sound))
