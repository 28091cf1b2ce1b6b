"""The words of a talk with their times: pieces become characters, characters words, words turns.

Owns the joining of SentencePiece pieces (byte pieces `<0x..>` included) and the transcript's JSON form. Must not know
the engine, Qt or sound. A `PieceJoiner` belongs to the engine thread, a `Transcript` to whoever collects the events.

JSON form ("parley-transcript/1"), written as UTF-8:

    {"format": "parley-transcript/1",
     "model": "name", "duration_s": 12.4,             duration of the whole talk in seconds
     "turns": [{"speaker": "model", "start_s": 1.04, "end_s": 2.16, "text": "Hello there.",
                "words": [{"start_s": 1.04, "end_s": 1.12, "text": "Hello"}, ...]}, ...]}

Turns are ordered by their start. The model writes down its own words; their times are those of the 80 ms frames in
which the pieces came out, and a pause of `TURN_GAP_S` or more between two of them begins a new turn. The "user" has
turns where a speech recogniser is installed (`app.recogniser`), with its times, an utterance each.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

MODEL, USER = "model", "user"
FORMAT = "parley-transcript/1"
FRAME_S = 0.08
TURN_GAP_S = 1.2  # longer than the pauses inside a spoken sentence, shorter than waiting for an answer

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class PieceJoiner:
    """Turns pieces into text, holding back the bytes of a character until it is complete.

    SentencePiece spells what its vocabulary lacks as one piece per UTF-8 byte; shown piece by piece that is `<0xC3>`.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def feed(self, piece: str) -> str:
        """The text that is complete with this piece; "" while a character is still incomplete or for padding."""
        if not piece:
            return ""  # padding may stand between two bytes of a character
        byte = _BYTE_PIECE.fullmatch(piece)
        if byte is not None:
            return self._decoder.decode(bytes([int(byte.group(1), 16)]))
        return self.finish() + piece

    def finish(self) -> str:
        """What is left of an incomplete character, as a replacement sign; "" if nothing is."""
        return self._decoder.decode(b"", final=True)


@dataclass
class Word:
    """One word; times in seconds of the talk."""

    start_s: float
    end_s: float
    text: str


@dataclass
class Turn:
    """Words of one speaker without a long pause between them."""

    words: list[Word] = field(default_factory=list)
    speaker: str = MODEL

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


class Transcript:
    """Collects (time, text) as the `TextSpoken` events bring them. A text that begins with a space begins a word."""

    def __init__(self) -> None:
        self._words: list[Word] = []
        self._heard: list[Turn] = []  # the user's turns

    def add_user(self, words: Sequence[Word]) -> None:
        """Add an utterance of the user's, however late it is known; without words, none."""
        if words:
            self._heard.append(Turn(list(words), USER))

    def add(self, time_s: float, text: str) -> None:
        """Append text that came out in the frame at `time_s`; it may hold several words or part of one."""
        end_s = time_s + FRAME_S
        for part in re.findall(r"\s+|\S+", text):
            if part.isspace():
                self._words.append(Word(time_s, end_s, ""))
            elif not self._words:
                self._words.append(Word(time_s, end_s, part))
            else:
                self._continue(self._words[-1], time_s, end_s, part)

    @staticmethod
    def _continue(word: Word, start_s: float, end_s: float, part: str) -> None:
        if not word.text:  # only its space was spoken so far: the word begins with its first letter
            word.start_s = start_s
        word.text += part
        word.end_s = end_s

    def words(self) -> list[Word]:
        return [word for word in self._words if word.text]

    def turns(self) -> list[Turn]:
        """The turns of both so far, by their start; the model's words are cut into turns at long pauses."""
        turns: list[Turn] = []
        for word in self.words():
            if not turns or word.start_s - turns[-1].words[-1].end_s >= TURN_GAP_S:
                turns.append(Turn())
            turns[-1].words.append(word)
        return sorted(turns + self._heard, key=lambda turn: turn.words[0].start_s)

    def text(self) -> str:
        return "\n".join(turn.text for turn in self.turns())

    def to_json(self, model: str, duration_s: float) -> dict[str, Any]:
        """The transcript as the module's docstring describes it."""
        return {
            "format": FORMAT,
            "model": model,
            "duration_s": round(duration_s, 3),
            "turns": [_turn_json(turn) for turn in self.turns()],
        }


def _turn_json(turn: Turn) -> dict[str, Any]:
    words = [{"start_s": round(w.start_s, 3), "end_s": round(w.end_s, 3), "text": w.text} for w in turn.words]
    return {
        "speaker": turn.speaker,
        "start_s": words[0]["start_s"],
        "end_s": words[-1]["end_s"],
        "text": turn.text,
        "words": words,
    }
