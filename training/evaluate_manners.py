"""Full-duplex manners of a model folder: quiet when nobody speaks, patient at pauses, silent soon when talked over.

Each part plays made or spoken sound into the engine frame by frame on the CPU and looks at when it speaks.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.duplex import Duplex
from training import augment, checkpoints
from training.bank import Bank
from training.evaluate_talk import FRAME, Listener, Turn, make_prompt, voice_sounds
from training.script import Script

RATE = 24_000
_LONG_KINDS = ("counting", "story")


def run(options: argparse.Namespace) -> None:
    """Measure all three and print."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    engine = Duplex.load(options.model, device="cpu")
    script, bank = Script.load(options.script), Bank.load(options.bank, torch.device("cpu"))
    voices = voice_sounds(script, bank)
    prompt = make_prompt(engine, "", voices[0]) if voices else None
    exchanges = [turn for _, _, turns in script.dialogues for turn in turns if turn[0] < len(bank.entries)]
    figures = {
        "quiet": quiet(engine, prompt, options.minutes),
        "pauses": pauses(engine, prompt, script, bank, exchanges, options.cases),
        "barge_in": barge_in(engine, prompt, bank, exchanges, options.cases),
    }
    print(figures)
    if options.out:
        checkpoints.write_json(figures, options.out)


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


def quiet(engine: Duplex, prompt: Any, minutes: int) -> dict[str, float]:
    """Per cent of minutes in which the model says anything, by kind of background."""
    shares = {}
    for name, make in backgrounds().items():
        spoke = 0
        for minute in range(minutes):
            listener = _begin(engine, prompt, minute)
            sound = make(RATE * 60)[0].numpy()
            spoke += sum(loud for loud, _, _ in listener.play(sound)) > 3
        shares[name] = 100 * spoke / minutes
    return shares


def pauses(
    engine: Duplex, prompt: Any, script: Script, bank: Bank, exchanges: Sequence[tuple[int, str, str]], cases: int
) -> dict[str, float]:
    """Per cent of questions with a pause of 0.5 to 0.9 s inside during which the model starts to speak."""
    rng = random.Random(1)
    chosen = [turn for turn in exchanges if len(script.lines[turn[0]].text.split()) >= 5][:cases]
    started = 0
    for number, (line, _, _) in enumerate(chosen):
        entry, sound = bank.entries[line], bank.sound(line).numpy()
        middle = [w for w in entry.words if 0.35 < w * RATE / entry.length < 0.75] or [
            entry.words[len(entry.words) // 2]
        ]
        cut = round(rng.choice(middle) * RATE)
        gap = np.zeros(round(rng.uniform(0.5, 0.9) * RATE))
        listener = _begin(engine, prompt, number)
        heard = listener.play(np.concatenate((sound[:cut], gap, sound[cut:])))
        started += sum(loud for loud, _, _ in heard[:-2]) > 2
    return {"cases": len(chosen), "false_starts": 100 * started / max(1, len(chosen))}


def barge_in(
    engine: Duplex, prompt: Any, bank: Bank, exchanges: Sequence[tuple[int, str, str]], cases: int
) -> dict[str, float | None]:
    """Interrupt a long reply after a second or so: how soon is the model silent, does it answer the new question?"""
    rng = random.Random(2)
    long_ones = [turn for turn in exchanges if turn[2] in _LONG_KINDS and len(turn[1].split()) >= 6][:cases]
    others = [turn for turn in exchanges if turn[2] == "arithmetic"]
    times, right, tried = [], 0, 0
    for number, (line, _, _) in enumerate(long_ones):
        listener = _begin(engine, prompt, number)
        listener.play(bank.sound(line).numpy())
        waited = 0
        while waited < 40 and not listener.play(np.zeros(FRAME))[0][0]:
            waited += 1
        talking = listener.play(np.zeros(FRAME * rng.randint(10, 18)))
        if waited == 40 or not any(loud for loud, _, _ in talking[-3:]) or not others:
            continue
        tried += 1
        next_line, reply, kind = rng.choice(others)
        turn = Turn("", reply, kind)
        question = bank.sound(next_line).numpy()
        during = listener.play(question)
        times.append(_silent_after(during))
        listener.ask(turn, np.zeros(0))
        right += turn.right
    times.sort()
    return {
        "cases": tried,
        "silent_p50": times[len(times) // 2] if times else None,
        "silent_p95": times[int(0.95 * (len(times) - 1))] if times else None,
        "answered_right": 100 * right / max(1, tried),
    }


def _silent_after(heard: Sequence[tuple[bool, str, np.ndarray]]) -> float:
    """Seconds until the first of three silent frames in a row; the whole length when there are none."""
    for at in range(len(heard) - 2):
        if not any(loud for loud, _, _ in heard[at : at + 3]):
            return at * FRAME / RATE
    return len(heard) * FRAME / RATE


def _begin(engine: Duplex, prompt: Any, seed: int) -> Listener:
    engine.reset(seed)
    if prompt is not None:
        engine.prime(prompt)
    listener = Listener(engine)
    listener.play(np.zeros(FRAME * 8))
    return listener
