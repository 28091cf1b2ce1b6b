"""The words of the talk, with times on the left.

Owns the turns (ordered by when speech began, user report U3), their layout and their text form for copying. Knows
nothing of the conversation but speaker, time and words. Qt thread only.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QTextEdit

from ui.figures import format_clock
from ui.theme import Theme

MODEL, USER = "model", "user"
PAUSE_SECONDS = 1.2  # a longer silence begins a new turn: longer than pauses in a sentence, shorter than waiting
SPEAKER_NAMES = {MODEL: "", USER: "You: "}


@dataclass
class Turn:
    """What one speaker said without a pause. Times in seconds of the talk."""

    speaker: str
    start_s: float
    last_s: float
    text: str


class Turns:
    """The turns of one talk, ordered by their start."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def add_piece(self, speaker: str, time_s: float, piece: str) -> tuple[int, bool] | None:
        """Add a piece of speech as it is spoken. Returns the turn's place and whether it is new; None: no words."""
        if not piece:
            return None
        for place in range(len(self.turns) - 1, -1, -1):
            turn = self.turns[place]
            if turn.speaker == speaker:
                if time_s - turn.last_s <= PAUSE_SECONDS:
                    turn.text += piece
                    turn.last_s = max(turn.last_s, time_s)
                    return place, False
                break
        if not piece.strip():
            return None  # blanks alone are no turn
        return self.add_turn(speaker, time_s, piece), True

    def add_turn(self, speaker: str, start_s: float, text: str) -> int:
        """Add a whole turn where its start belongs, however late it is known. Returns its place."""
        place = bisect_right([turn.start_s for turn in self.turns], start_s)
        self.turns.insert(place, Turn(speaker, start_s, start_s, text.lstrip()))
        return place


class TranscriptView(QTextEdit):
    """Read-only text, one paragraph per turn; earlier talks stay above a dividing line."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._talks: list[tuple[str, Turns]] = []
        self.setReadOnly(True)
        self.setProperty("plain", True)
        self.setAccessibleName("Transcript")
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(2)
        self.document().setUndoRedoEnabled(False)
        theme.changed.connect(self.rebuild)

    def begin_talk(self, heading: str) -> None:
        """Words that follow belong to a new talk. `heading` stands above it when there was one before."""
        if self._talks and not self._talks[-1][1].turns:
            self._talks.pop()
        self._talks.append((heading, Turns()))
        self.rebuild()

    def add_piece(self, speaker: str, time_s: float, piece: str) -> None:
        """Add a piece of speech to the talk that is on."""
        talk = self._current()
        added = talk.add_piece(speaker, time_s, piece)
        if added is None:
            return
        place, new = added
        if place != len(talk.turns) - 1 or (new and len(talk.turns) == 1):
            self.rebuild()
        else:
            self._at_end(lambda cursor: self._insert_turn(cursor, talk.turns[-1]) if new else cursor.insertText(piece))

    def add_turn(self, speaker: str, start_s: float, text: str) -> None:
        """Add a whole turn, where its start belongs."""
        self._current().add_turn(speaker, start_s, text)
        self.rebuild()

    def as_text(self) -> str:
        """All talks as plain text, a line per turn."""
        lines = []
        for number, (heading, talk) in enumerate(self._talks):
            if number:
                lines.append(f"\n--- {heading} ---")
            for turn in talk.turns:
                lines.append(f"{format_clock(turn.start_s)}  {SPEAKER_NAMES[turn.speaker]}{turn.text.strip()}")
        return "\n".join(lines).strip()

    @property
    def empty(self) -> bool:
        return not any(talk.turns for _, talk in self._talks)

    def set_hint(self, hint: str) -> None:
        """What stands in the empty pane."""
        self.setPlaceholderText(hint)

    def rebuild(self) -> None:
        """Lay everything out anew: after a turn in the middle, another theme or text size."""
        self.setFont(self._theme.font("body"))
        self.clear()
        for number, (heading, talk) in enumerate(self._talks):
            if number:
                self._at_end(lambda cursor, heading=heading: self._insert_heading(cursor, heading))
            for turn in talk.turns:
                self._at_end(lambda cursor, turn=turn: self._insert_turn(cursor, turn))

    # ------------------------------------------------------------------ layout

    def _current(self) -> Turns:
        if not self._talks:
            self._talks.append(("", Turns()))
        return self._talks[-1][1]

    def _at_end(self, insert: object) -> None:
        """Insert at the end, and follow it when the reader was at the end already."""
        bar = self.verticalScrollBar()
        following = bar.value() >= bar.maximum() - 4
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        insert(cursor)  # type: ignore[operator]
        if following:
            bar.setValue(bar.maximum())

    def _insert_turn(self, cursor: QTextCursor, turn: Turn) -> None:
        """Time, then words with a hanging indent as wide as the widest time."""
        indent = QFontMetricsF(self._theme.font("body")).horizontalAdvance("0:00:00") + 12
        block = QTextBlockFormat()
        block.setLeftMargin(indent)
        block.setTextIndent(-indent)
        block.setBottomMargin(7)
        block.setLineHeight(122, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        block.setTabPositions([QTextOption.Tab(indent, QTextOption.TabType.LeftTab)])
        if self.document().isEmpty():
            cursor.setBlockFormat(block)
        else:
            cursor.insertBlock(block)
        faint = QTextCharFormat()
        faint.setForeground(QColor(self._theme.colours.muted))
        plain = QTextCharFormat()
        plain.setForeground(QColor(self._theme.colours.text))
        cursor.insertText(format_clock(turn.start_s) + "\t", faint)
        if SPEAKER_NAMES[turn.speaker]:
            cursor.insertText(SPEAKER_NAMES[turn.speaker], faint)
        cursor.insertText(turn.text, plain)

    def _insert_heading(self, cursor: QTextCursor, heading: str) -> None:
        block = QTextBlockFormat()
        block.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        block.setTopMargin(8)
        block.setBottomMargin(10)
        faint = QTextCharFormat()
        faint.setForeground(QColor(self._theme.colours.muted))
        if self.document().isEmpty():
            cursor.setBlockFormat(block)
        else:
            cursor.insertBlock(block)
        cursor.insertText(f"\N{EM DASH} {heading} \N{EM DASH}", faint)
