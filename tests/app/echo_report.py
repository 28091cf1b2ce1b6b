"""How well echo cancelling does in simulated rooms, as a table: `python -m tests.app.echo_report`. Not a test.

Without arguments two synthetic voices speak and intelligibility is judged by STOI alone. With real speech it is also
judged by a recogniser: --clips takes an .npz with `tape` (int16, 24 kHz), `starts`, `lengths`, `texts` and `roles`
("own": the loudspeaker's voice, "user": whoever speaks into it), --whisper a folder with a model for faster-whisper.
The results that were measured with it are in ECHO.md.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.ring import SAMPLE_RATE
from tests.app.rooms import decibels, drifting, intelligibility, listen, noise, removed_db, room, through, voice

LEARNING_S = 10.0  # of single talk before somebody speaks into it
GAP_S = 0.5
NOISE_DB = -65.0
FAR_DB = -23.0
DIGITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
Recogniser = Callable[[np.ndarray], str]


@dataclass
class Case:
    delay_ms: float
    over_db: float  # near voice over the echo
    distorts: bool = False
    ppm: float = 0.0
    seed: int = 0


@dataclass
class Material:
    """far: the loudspeaker's speech; near: clips and what they say ("" where nobody knows)."""

    far: np.ndarray
    near: list[tuple[np.ndarray, str]]


CASES = [
    *(Case(delay, over, seed=index) for index, delay in enumerate((60, 120, 200)) for over in (0, 6, 12)),
    *(Case(120, over, distorts=True) for over in (0, 6, 12)),
    *(Case(60, 6, ppm=ppm) for ppm in (30, 100, -150)),
    Case(120, 6, distorts=True, ppm=100),
]


def synthetic(clips: int) -> Material:
    near = [(voice(2.5, seed=500 + index, pitch_hz=200), "") for index in range(clips)]
    return Material(voice(LEARNING_S + clips * 3.2 + 2, seed=1), near)


def recorded(path: Path, clips: int) -> Material:
    stored = np.load(path)
    tape = stored["tape"].astype(np.float32) / 32768
    spoken: dict[str, list[tuple[np.ndarray, str]]] = {"own": [], "user": []}
    for text, role, start, length in zip(
        stored["texts"], stored["roles"], stored["starts"], stored["lengths"], strict=True
    ):
        spoken[str(role)].append((tape[start : start + length], str(text)))
    near = spoken["user"][:clips]
    seconds = LEARNING_S + sum(len(clip) for clip, _ in near) / SAMPLE_RATE + GAP_S * len(near) + 2
    pause = np.zeros(round(0.15 * SAMPLE_RATE), np.float32)
    once = np.concatenate([part for clip, _ in spoken["own"] for part in (clip, pause)])
    return Material(np.resize(once, round(seconds * SAMPLE_RATE)), near)


def measure(case: Case, material: Material, recognise: Recogniser | None) -> str:
    far = material.far * np.float32(10 ** ((FAR_DB - decibels(material.far)) / 20))
    played = np.tanh(far * 4) / 4 if case.distorts else far
    echo = through(played.astype(np.float32), room(case.delay_ms, seed=case.seed))
    if case.ppm:
        echo = drifting(echo, case.ppm)
    near, places = lay_out(material.near, len(far))
    near *= np.float32(10 ** ((decibels(echo) - decibels(near[near != 0]) + case.over_db) / 20))
    room_noise = noise(len(far), NOISE_DB)
    microphone = echo + near + room_noise
    alone = round(25 * SAMPLE_RATE)
    single = listen(far[:alone], (echo + room_noise)[:alone])
    both = listen(far, microphone)
    talk = slice(round(LEARNING_S * SAMPLE_RATE), places[-1][1])
    stoi = [intelligibility(near[talk], signal[talk]) for signal in (microphone, both.out)]
    cells = [
        f"{case.delay_ms:g}",
        f"{case.over_db:g}",
        "tanh" if case.distorts else "linear",
        f"{case.ppm:g}",
        *(f"{removed_db(echo, single.out, *span):.0f}" for span in ((3, 5), (5, 10), (15, 25))),
        *(f"{value:.2f}" for value in stoi),
        f"{both.block_ms:.2f}",
    ]
    if recognise is not None:
        texts = [text for _, text in material.near]
        for signal in (near + room_noise, microphone, both.out):
            cells.append(f"{word_error(texts, [recognise(signal[a:b]) for a, b in places]):.0f}")
    return "| " + " | ".join(cells) + " |"


def lay_out(clips: Sequence[tuple[np.ndarray, str]], length: int) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """The clips one after another, and where each lies with a little of the pauses around it."""
    out = np.zeros(length, np.float32)
    at, places = round(LEARNING_S * SAMPLE_RATE), []
    gap = round(GAP_S * SAMPLE_RATE)
    for clip, _ in clips:
        out[at : at + len(clip)] = clip[: length - at]
        places.append((at - gap // 2, at + len(clip) + gap // 2))
        at += len(clip) + gap
    return out, places


def word_error(said: Sequence[str], understood: Sequence[str]) -> float:
    """Per cent of the words."""
    wrong = words = 0
    for truth, guess in zip(map(normal, said), map(normal, understood), strict=True):
        row = list(range(len(guess) + 1))
        for i, word in enumerate(truth, 1):
            before, row[0] = row[0], i
            for j, other in enumerate(guess, 1):
                before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
        wrong += row[-1]
        words += len(truth)
    return 100 * wrong / max(1, words)


def normal(text: str) -> list[str]:
    text = re.sub(r"\d+", lambda found: f" {_in_words(int(found[0]))} ", text.lower()).replace("+", " plus ")
    return re.sub(r"[^a-z' ]", " ", text).split()


def _in_words(number: int) -> str:
    return DIGITS[number] if number < len(DIGITS) else str(number)


def recogniser(folder: Path) -> Recogniser:
    from faster_whisper import WhisperModel

    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)

    def recognise(pcm: np.ndarray) -> str:
        import samplerate

        loud = pcm * np.float32(10 ** ((-23 - decibels(pcm)) / 20))
        segments, _ = model.transcribe(
            samplerate.resample(loud, 16000 / SAMPLE_RATE, "sinc_medium"), language="en", beam_size=1
        )
        return " ".join(segment.text for segment in segments)

    return recognise


def main() -> None:
    arguments = argparse.ArgumentParser(description="Echo cancelling in simulated rooms, as a table.")
    arguments.add_argument("--clips", type=Path)
    arguments.add_argument("--whisper", type=Path)
    arguments.add_argument("--count", type=int, default=12, help="near clips per case")
    arguments.add_argument("--only", default="", help="numbers of the cases, from 0, with commas; all unless given")
    options = arguments.parse_args()
    material = recorded(options.clips, options.count) if options.clips else synthetic(options.count)
    recognise = recogniser(options.whisper) if options.clips and options.whisper else None
    heads = ["delay ms", "near over echo dB", "loudspeaker", "ppm", "removed 3-5 s", "5-10 s", "15-25 s"]
    heads += ["STOI before", "after", "ms per 10 ms"]
    heads += ["word error clean", "before", "after"] if recognise else []
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads), flush=True)
    chosen = [CASES[int(number)] for number in options.only.split(",")] if options.only else CASES
    for case in chosen:
        print(measure(case, material, recognise), flush=True)


if __name__ == "__main__":
    main()
