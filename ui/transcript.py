"""The words of the talk, with times on the left.

Owns the layout of the turns and their text form for copying. Knows nothing of the conversation but speaker, time and
words. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QTextEdit

from ui.figures import format_clock
from ui.theme import Theme
from ui.turns import MODEL, USER, Talk, Turn
from ui.words import marked, tr

SPEAKER_NAMES = {MODEL: "", USER: marked("You: ")}


def speaker_name(turn: Turn) -> str:
    """What stands before a turn: nothing before the model's."""
    name = SPEAKER_NAMES[turn.speaker]
    return tr(name) if name else ""


class TranscriptView(QTextEdit):
    """Read-only text, one paragraph per turn; earlier talks stay above a dividing line."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._talks: list[Talk] = []
        self.setReadOnly(True)
        self.setProperty("plain", True)
        self.setAccessibleName(tr("Transcript"))
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
        if self._talks and not self._talks[-1].turns:
            self._talks.pop()
        self._talks.append(Talk(heading))
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
            self._at_end(lambda cursor: self._insert_turn(talk.turns[-1], cursor) if new else cursor.insertText(piece))

    def add_turn(self, speaker: str, start_s: float, text: str) -> None:
        """Add a whole turn, where its start belongs."""
        self._current().add_turn(speaker, start_s, text)
        self.rebuild()

    def as_text(self) -> str:
        """All talks as plain text, a line per turn."""
        lines = []
        for number, talk in enumerate(self._talks):
            if number:
                lines.append(f"\n--- {talk.heading} ---")
            for turn in talk.turns:
                lines.append(f"{format_clock(turn.start_s)}  {speaker_name(turn)}{turn.text.strip()}")
        return "\n".join(lines).strip()

    def spoken(self) -> list[Talk]:
        """The talks in which something was said, oldest first."""
        return [talk for talk in self._talks if talk.turns]

    def set_hint(self, hint: str) -> None:
        """What stands in the empty pane."""
        self.setPlaceholderText(hint)

    def rebuild(self) -> None:
        """Lay everything out anew: after a turn in the middle, another theme or text size."""
        self.setFont(self._theme.font("body"))
        self.clear()
        for number, talk in enumerate(self._talks):
            if number:
                self._at_end(partial(self._insert_heading, talk.heading))
            for turn in talk.turns:
                self._at_end(partial(self._insert_turn, turn))

    # ------------------------------------------------------------------ layout

    def _current(self) -> Talk:
        if not self._talks:
            self._talks.append(Talk())
        return self._talks[-1]

    def _at_end(self, insert: Callable[[QTextCursor], object]) -> None:
        """Insert at the end, and follow it when the reader was at the end already."""
        bar = self.verticalScrollBar()
        following = bar.value() >= bar.maximum() - 4
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        insert(cursor)
        if following:
            bar.setValue(bar.maximum())

    def _insert_turn(self, turn: Turn, cursor: QTextCursor) -> None:
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
        if speaker_name(turn):
            cursor.insertText(speaker_name(turn), faint)
        cursor.insertText(turn.text, plain)

    def _insert_heading(self, heading: str, cursor: QTextCursor) -> None:
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
