"""The list of all that has to be spoken: dialogues, replies in the own voices, and varied sentences for the codec.

Made offline from the grammar and the pronunciation lexicon, with a seed, and written as one compressed file; the
machine that speaks it needs no lexicon. Knows nothing of sound.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from training import voices
from training.grammar import Speakers
from training.kokoro import MAX_PHONEMES
from training.voices import Voice


class Line(NamedTuple):
    """One utterance. `pieces`: phoneme strings spoken one after another (long texts are split at sentences)."""

    text: str
    pieces: tuple[str, ...]
    voice: int
    role: str  # "user", "own", "varied"


@dataclass
class Script:
    """Voices, lines, and dialogues as (persona prompt, user voice, [(user line, reply text, kind), ...])."""

    voices: list[Voice]
    lines: list[Line]
    dialogues: list[tuple[str, int, list[tuple[int, str, str]]]]

    def save(self, path: Path) -> None:
        content = {"voices": self.voices, "lines": self.lines, "dialogues": self.dialogues}
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(lzma.compress(json.dumps(content, ensure_ascii=False).encode()))
        partial.replace(path)

    @classmethod
    def load(cls, path: Path) -> Script:
        content: dict[str, Any] = json.loads(lzma.decompress(path.read_bytes()))
        return cls(
            [Voice(tuple((n, w) for n, w in blend), speed, rate) for blend, speed, rate in content["voices"]],
            [Line(text, tuple(pieces), voice, role) for text, pieces, voice, role in content["lines"]],
            [(prompt, voice, [(u, r, k) for u, r, k in turns]) for prompt, voice, turns in content["dialogues"]],
        )


class ScriptWriter:
    """Collects lines; the same text in the same voice is spoken once."""

    def __init__(
        self, pronounce: Callable[[str], str], seed: int, held_out: bool = False, limit: int = 20,
        words: Sequence[str] = (), names: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.pronounce, self.held_out = pronounce, held_out
        self.rng = random.Random(seed)
        self.speakers = Speakers(self.rng, held_out, limit, words, names)
        self.script = Script([voices.own_voice(i) for i in range(len(voices.OWN))], [], [])
        self._known: dict[tuple[str, int], int] = {}

    def add_user_voices(self, count: int) -> None:
        self.script.voices += [voices.user_voice(self.rng, self.held_out) for _ in range(count)]

    def line(self, text: str, voice: int, role: str) -> int:
        """Index of the line, new or known."""
        key = (text, voice)
        if key not in self._known:
            self._known[key] = len(self.script.lines)
            self.script.lines.append(Line(text, self._pieces(text), voice, role))
        return self._known[key]

    def dialogues(self, count: int, turns: tuple[int, int] = (3, 6)) -> None:
        """Talks of random users. Every reply is spoken in one own voice, so that all replies are spoken by some and the
        common ones by all; `training/mixing.py` chooses among the voices that have a dialogue's replies."""
        own = len(voices.OWN)
        for index in range(count):
            dialogue = self.speakers.dialogue(self.rng.randint(*turns))
            user = self.rng.randrange(own, len(self.script.voices))
            for turn in dialogue.turns:
                self.line(turn.reply, index % own, "own")
            spoken = [(self.line(turn.user, user, "user"), turn.reply, turn.kind) for turn in dialogue.turns]
            self.script.dialogues.append((dialogue.prompt, user, spoken))

    def replies(self, count: int) -> None:
        """More lines in the own voices, each text by a random one."""
        for _ in range(count):
            reply = self.speakers.turn(self.speakers.persona()).reply
            self.line(reply, self.rng.randrange(len(voices.OWN)), "own")

    def varied(self, count: int, words: list[str], own_share: float = 0.15) -> None:
        """Random words in a row: every sound in every neighbourhood, for the codec."""
        own = len(voices.OWN)
        for _ in range(count):
            text = self.rng.choice(("", "the ")) + " ".join(
                self.rng.choice(words) for _ in range(self.rng.randint(3, 9))
            )
            mark = self.rng.choice((".", "?", ",", "!", "."))
            chosen = (
                self.rng.randrange(own)
                if self.rng.random() < own_share
                else self.rng.randrange(own, len(self.script.voices))
            )
            pieces = self._pieces(text + mark)
            if len(pieces) == 1:
                self.script.lines.append(Line(text + mark, pieces, chosen, "varied"))

    def shuffle(self) -> None:
        """Put the lines in random order, so that any first part of the bank is a fair sample of the whole."""
        script = self.script
        order = list(range(len(script.lines)))
        self.rng.shuffle(order)
        place = {old: new for new, old in enumerate(order)}
        script.lines = [script.lines[old] for old in order]
        script.dialogues = [
            (prompt, voice, [(place[line], reply, kind) for line, reply, kind in turns])
            for prompt, voice, turns in script.dialogues
        ]
        self._known.clear()

    def _pieces(self, text: str) -> tuple[str, ...]:
        whole = self.pronounce(text)
        if len(whole) <= MAX_PHONEMES:
            return (whole,)
        return tuple(self.pronounce(sentence) for sentence in re.findall(r"[^.?!]+[.?!]*", text))


def write(path: Path, pronouncer: Any, seed: int, sizes: dict[str, int], held_out: bool, limit: int,
          turns: tuple[int, int] = (3, 6)) -> Script:  # fmt: skip
    """Make and save a script. sizes: users, dialogues, replies, varied; turns: fewest and most in a dialogue."""
    words, names = ((), ()) if held_out else (pronouncer.common_words(), pronouncer.proper_names())
    writer = ScriptWriter(pronouncer, seed, held_out, limit, words, names)
    writer.add_user_voices(sizes["users"])
    writer.dialogues(sizes["dialogues"], turns)
    writer.replies(sizes["replies"])
    writer.varied(sizes["varied"], pronouncer.common_words())
    writer.shuffle()
    writer.script.save(path)
    return writer.script
