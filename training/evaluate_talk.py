"""Does the model talk? Held-out users ask, the engine answers frame by frame on the CPU, and every reply is judged.

A talk is held as a person would: the next question comes when the reply is over. Reported by kind of question: right
replies by the text stream, waiting times, starts before the question was over, replies as a recogniser hears them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from engine.config import LMConfig, PromptCodes
from engine.duplex import Duplex
from engine.persona import build_prompt, voice_from_codes, wrap_text
from training import checkpoints, lexicon
from training.bank import Bank
from training.evaluate_codec import recogniser, word_errors, words
from training.script import Script
from training.voices import OWN

FRAME = 1920
_LOUD = 10 ** (-42 / 20)  # RMS of a frame in which the model speaks
_QUIET_FRAMES = 10  # so much silence ends a reply
_PATIENCE = 40  # frames to wait for a reply to begin


@dataclass
class Turn:
    """What became of one question. Times in seconds; `waited` is NaN without a reply."""

    question: str
    wanted: str
    kind: str
    said: str = ""
    waited: float = float("nan")
    early: bool = False
    sound: list[np.ndarray] = field(default_factory=list, repr=False)

    @property
    def right(self) -> bool:
        """Word for word; stories and jokes may be any of their kind."""
        said = words(self.said)
        if self.kind == "joke":
            return any(said == words(joke) for joke in lexicon.JOKES)
        return said == words(self.wanted)


class Listener:
    """One talk with the engine: plays sounds, notes when it speaks and what it says."""

    def __init__(self, engine: Duplex):
        self.engine = engine
        self.frame = 0

    def play(self, sound: np.ndarray) -> list[tuple[bool, str, np.ndarray]]:
        """Feed whole frames; -> per frame: speaking, text piece, sound."""
        padded = np.pad(sound.astype(np.float32), (0, -len(sound) % FRAME)).reshape(-1, FRAME)
        heard = []
        for piece in padded:
            answer = self.engine.step(piece)
            self.frame += 1
            loud = float(np.sqrt(np.mean(answer.pcm**2))) > _LOUD
            heard.append((loud, "" if answer.text is None else self.engine.text_piece(answer.text), answer.pcm))
        return heard

    def ask(self, turn: Turn, sound: np.ndarray) -> None:
        """Play a question and hear the reply out."""
        during = self.play(sound)
        turn.early = sum(loud for loud, _, _ in during[:-2]) > 2
        pieces = [during[-1]] if during else []
        for waited in range(_PATIENCE):
            pieces += self.play(np.zeros(FRAME))
            if pieces[-1][0]:
                turn.waited = (waited + 1) * FRAME / 24_000
                break
        quiet = 0
        while quiet < _QUIET_FRAMES and len(pieces) < 400 and turn.waited == turn.waited:
            pieces += self.play(np.zeros(FRAME))
            quiet = 0 if pieces[-1][0] else quiet + 1
        turn.said = "".join(text for _, text, _ in pieces).strip()
        turn.sound = [pcm for _, _, pcm in pieces]


def hold(engine: Duplex, prompt: Any, turns: list[tuple[Turn, np.ndarray]], seed: int) -> list[Turn]:
    """One whole talk."""
    engine.reset(seed)
    if prompt is not None:
        engine.prime(prompt)
    listener = Listener(engine)
    listener.play(np.zeros(FRAME * 8))
    for turn, sound in turns:
        listener.ask(turn, sound)
        listener.play(np.zeros(FRAME * 4))
    return [turn for turn, _ in turns]


def run(options: argparse.Namespace) -> None:
    """Hold the talks of a held-out script and print the figures."""
    torch.set_num_threads(1)
    engine = Duplex.load(options.model, device="cpu")
    script, bank = Script.load(options.script), Bank.load(options.bank, torch.device("cpu"))
    own_sounds = voice_sounds(script, bank)
    turns: list[Turn] = []
    dialogues = [d for d in script.dialogues if all(line < len(bank.entries) for line, _, _ in d[2])]
    for number, (text, _, exchanges) in enumerate(dialogues[: options.dialogues]):
        sound = own_sounds[number % len(own_sounds)] if own_sounds else None
        prompt = make_prompt(engine, text, sound)
        asked = [
            (Turn(script.lines[line].text, reply, kind), bank.sound(line).numpy()) for line, reply, kind in exchanges
        ]
        turns += hold(engine, prompt, asked, seed=number)
        for turn in turns[-len(asked) :]:
            print(f"{'ok ' if turn.right else '-- '} {turn.waited:5.2f} {turn.question!r}: {turn.said!r}", flush=True)
    figures = summary(turns, recogniser(options.recogniser) if options.recogniser else None)
    print(figures)
    if options.out:
        checkpoints.write_json(figures, options.out)


def voice_sounds(script: Script, bank: Bank, seconds: float = 3.5) -> list[np.ndarray]:
    """Some seconds of each own voice that the bank has."""
    sounds = []
    for voice in range(len(OWN)):
        lines = [i for i, line in enumerate(script.lines[: len(bank.entries)]) if line.voice == voice][:6]
        if lines:
            sounds.append(torch.cat([bank.sound(i) for i in lines]).numpy()[: round(seconds * 12.5) * FRAME])
    return sounds


def make_prompt(engine: Duplex, persona: str, voice: np.ndarray | None) -> Any:
    """The engine's own prompt of a persona text and a voice recording; None for neither."""
    config: LMConfig = engine.lm_config
    codes = PromptCodes.from_dict(engine.files.config if engine.files else {}, config)
    given = None if voice is None else voice_from_codes(config, engine.encode_voice(voice))
    text = wrap_text(persona)
    return build_prompt(config, codes, given, engine.text_tokens(text) if text else ())


def summary(turns: list[Turn], hear: Callable[[np.ndarray], str] | None) -> dict[str, Any]:
    """Shares in per cent and times in seconds, all kinds together and each by itself."""
    waits = sorted(turn.waited for turn in turns if turn.waited == turn.waited)
    result: dict[str, Any] = {
        "questions": len(turns),
        "right": _share([turn.right for turn in turns]),
        "answered": _share([turn.waited == turn.waited for turn in turns]),
        "early": _share([turn.early for turn in turns]),
        "wait_p50": waits[len(waits) // 2] if waits else None,
        "wait_p95": waits[int(0.95 * (len(waits) - 1))] if waits else None,
        "by_kind": {},
    }
    for kind in sorted({turn.kind for turn in turns}):
        result["by_kind"][kind] = _share([turn.right for turn in turns if turn.kind == kind])
    if hear is not None:
        spoken = [(words(turn.said), words(hear(np.concatenate(turn.sound)))) for turn in turns if turn.said]
        errors = sum(word_errors(said, heard) for said, heard in spoken)
        result["heard_word_error"] = 100 * errors / max(1, sum(len(said) for said, _ in spoken))
    return result


def _share(marks: list[bool]) -> float:
    return round(100 * sum(marks) / max(1, len(marks)), 1)
