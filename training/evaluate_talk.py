"""Does the model talk? Held-out users ask, it answers through the program's own conversation, every reply is judged.

A talk is held as a person would: the next question comes when the reply is over. A case is one dialogue; its result has
every turn (right by the text, waiting time, a start before the question was over, the reply as a recogniser hears it)
and whose voice the replies are in.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import torch

from training import cases, lexicon, listeners
from training.bank import Bank
from training.cases import Case
from training.evaluate_codec import word_errors, words
from training.judged_talk import FRAME, RATE, Reply, Room, Steps, ask, silence
from training.script import Script

BEFORE, BETWEEN = 8, 4  # frames of silence before the first question and between reply and next question
_SHORTEST_VOICE = RATE * 3 // 2  # samples of replies that a speaker can be told from


@dataclass(frozen=True)
class Question:
    """What is asked, the right reply, the kind of question, and its sound [samples] at 24 kHz."""

    text: str
    wanted: str
    kind: str
    sound: np.ndarray

    def right(self, said: str) -> bool:
        """Word for word; a joke may be any."""
        if self.kind == "joke":
            return any(words(said) == words(joke) for joke in lexicon.JOKES)
        return words(said) == words(self.wanted)


class Ears:
    """The listeners that are at hand: what is not installed or not asked for is not judged."""

    def __init__(self, recogniser: Path | None, second: Path | None, voices: Mapping[str, np.ndarray]):
        self.hear = listeners.recogniser(recogniser) if recogniser else None
        self.second = listeners.recogniser(second) if second else None
        self.likeness: Callable[[np.ndarray], dict[str, float]] | None = None
        if voices:
            try:
                self.likeness = listeners.speaker_of(voices)
            except ImportError:
                print("resemblyzer is not installed: voices are not judged")


def run(options: argparse.Namespace) -> None:
    """`python -m training evaluate-talk`."""
    torch.set_num_threads(1)
    room = Room(options.model, options.precision)
    script, bank = Script.load(options.script), Bank.load(options.bank, torch.device("cpu"))
    voices = model_voices(options.model)
    ears = Ears(options.recogniser, options.second_recogniser, voices)
    cases.run(talk_cases(room, dialogues(script, bank), sorted(voices), ears, options.out), options)


Spoken = tuple[str, list[Question]]  # a persona text and the questions of one dialogue


def dialogues(script: Script, bank: Bank) -> list[Spoken]:
    """Those whose questions the bank has."""
    found = []
    for persona, _, turns in script.dialogues:
        if all(line < len(bank.entries) for line, _, _ in turns):
            asked = [
                Question(script.lines[line].text, reply, kind, bank.sound(line).numpy()) for line, reply, kind in turns
            ]
            found.append((persona, asked))
    return found


def model_voices(folder: Path) -> dict[str, np.ndarray]:
    """The voice prompts of a model folder: name -> [samples] at 24 kHz."""
    return {path.stem: soundfile.read(path, dtype="float32")[0] for path in sorted((folder / "voices").glob("*.flac"))}


def talk_cases(
    room: Room, spoken: Sequence[Spoken], voices: Sequence[str], ears: Ears, out: Path | None
) -> Iterator[Case]:
    """One case a dialogue; the model's voices take turns."""
    for number, (persona, questions) in enumerate(spoken):
        voice = voices[number % len(voices)] if voices else ""

        def judge(
            number: int = number, persona: str = persona, questions: Sequence[Question] = questions, voice: str = voice
        ) -> dict[str, Any]:
            replies = room.hold(conversation(questions), voice, persona, seed=number)
            turns = [judged(question, reply, ears) for question, reply in zip(questions, replies, strict=True)]
            if out is not None and number < 12:
                _keep(out / "sounds" / f"talk-{number:02}.flac", questions, replies)
            frames = sorted(room.frame_ms())
            result = {
                "persona": persona,
                "voice": voice,
                "turns": turns,
                "frame_ms": round(frames[len(frames) // 2], 1),
            }
            return result | _speaker(voice, replies, ears) | {"right": sum(turn["right"] for turn in turns)}

        yield Case(f"talk/{number}", judge)


def conversation(questions: Sequence[Question]) -> Steps[list[Reply]]:
    """One question after another."""
    yield from silence(BEFORE)
    replies = []
    for question in questions:
        replies.append((yield from ask(question.sound)))
        yield from silence(BETWEEN)
    return replies


def judged(question: Question, reply: Reply, ears: Ears) -> dict[str, Any]:
    """One turn's result."""
    said = words(reply.said)
    result: dict[str, Any] = {
        "kind": question.kind, "question": question.text, "wanted": question.wanted, "said": reply.said,
        "right": question.right(reply.said), "early": reply.early,
        "waited": None if reply.waited_s != reply.waited_s else round(reply.waited_s, 3),
    }  # fmt: skip
    for name, hear in (("heard", ears.hear), ("heard_second", ears.second)):
        if hear is not None and said:
            heard = hear(reply.sound)
            result |= {name: heard, f"{name}_errors": word_errors(said, words(heard)), "words": len(said)}
    return result


def _speaker(voice: str, replies: Sequence[Reply], ears: Ears) -> dict[str, Any]:
    """Whose voice the replies are in, when there is enough of them."""
    loud = [_spoken_part(reply.sound) for reply in replies]
    sound = np.concatenate(loud) if loud else np.zeros(0, np.float32)
    if ears.likeness is None or not voice or len(sound) < _SHORTEST_VOICE:
        return {}
    likeness = ears.likeness(sound)
    return {"likeness": likeness, "nearest": max(likeness, key=likeness.__getitem__)}


def _spoken_part(sound: np.ndarray) -> np.ndarray:
    frames = sound[: len(sound) // FRAME * FRAME].reshape(-1, FRAME)
    return frames[np.sqrt((frames**2).mean(-1)) > 0.005].reshape(-1)


def _keep(path: Path, questions: Sequence[Question], replies: Sequence[Reply]) -> None:
    """For listening: questions left, replies right."""
    left = [np.pad(q.sound, (0, len(r.sound) - len(q.sound))) for q, r in zip(questions, replies, strict=True)]
    both = np.stack((np.concatenate(left), np.concatenate([reply.sound for reply in replies])), axis=-1)
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, both, RATE, subtype="PCM_16")
