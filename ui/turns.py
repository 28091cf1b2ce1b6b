"""Who said what when: the turns of a talk, ordered by when speech began (user report U3).

Owns the joining of pieces into turns. Pure values: no Qt, no file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

MODEL, USER = "model", "user"
PAUSE_SECONDS = 1.2  # a longer silence begins a new turn: longer than pauses in a sentence, shorter than waiting
WORD_SECONDS = 0.3  # of a word whose own time is not known


@dataclass
class Turn:
    """What one speaker said without a pause. Times in seconds of the talk. pieces: what came when, as it came."""

    speaker: str
    start_s: float
    last_s: float
    text: str
    pieces: list[tuple[float, str]] = field(default_factory=list)

    def words(self) -> list[tuple[float, str]]:
        """Each word with the time at which it began. Words that came together are spread over the time they take."""
        words: list[tuple[float, str]] = []
        open_word = False  # the last word may go on in the next piece
        for time_s, piece in self.pieces:
            found = piece.split()
            if found and open_word and not piece[0].isspace():
                words[-1] = (words[-1][0], words[-1][1] + found.pop(0))
            words += [(time_s + number * WORD_SECONDS, word) for number, word in enumerate(found)]
            open_word = bool(words) and not piece[-1].isspace()
        return words


@dataclass
class Talk:
    """The turns of one talk, ordered by their start, with its heading and the time of day at which it began."""

    heading: str = ""
    began: datetime = field(default_factory=datetime.now)
    turns: list[Turn] = field(default_factory=list)
    saved: int = 0  # `size` when it was last saved

    @property
    def size(self) -> int:
        """Pieces with words in them. It only grows."""
        return sum(bool(piece.strip()) for turn in self.turns for _, piece in turn.pieces)

    @property
    def unsaved(self) -> bool:
        return self.size > self.saved

    @property
    def both_speak(self) -> bool:
        return len({turn.speaker for turn in self.turns}) > 1

    def add_piece(self, speaker: str, time_s: float, piece: str) -> tuple[int, bool] | None:
        """Add a piece of speech as it is spoken. Returns the turn's place and whether it is new; None: no words."""
        if not piece:
            return None
        for place in range(len(self.turns) - 1, -1, -1):
            turn = self.turns[place]
            if turn.speaker == speaker:
                if time_s - turn.last_s <= PAUSE_SECONDS:
                    turn.text += piece
                    turn.pieces.append((time_s, piece))
                    turn.last_s = max(turn.last_s, time_s)
                    return place, False
                break
        if not piece.strip():
            return None  # blanks alone are no turn
        return self.add_turn(speaker, time_s, piece), True

    def add_turn(self, speaker: str, start_s: float, text: str) -> int:
        """Add a whole turn where its start belongs, however late it is known. Returns its place."""
        return self._insert(Turn(speaker, start_s, start_s, text.lstrip(), [(start_s, text)]))

    def add_words(self, speaker: str, words: Sequence[tuple[float, float, str]]) -> int:
        """Add a whole turn of words (start, end, text), not empty, where it belongs. Returns its place."""
        pieces = [(start_s, f" {word}") for start_s, _, word in words]
        text = " ".join(word for _, _, word in words)
        return self._insert(Turn(speaker, words[0][0], words[-1][1], text, pieces))

    def _insert(self, turn: Turn) -> int:
        place = bisect_right([other.start_s for other in self.turns], turn.start_s)
        self.turns.insert(place, turn)
        return place
