"""The words of the talk, with times on the left.

Owns the layout of the turns and their text form for copying. Knows nothing of the conversation but speaker, time and
words. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
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
        self._hint = ""
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
        self._talks.append(Talk(heading))
        self.rebuild()

    def add_piece(self, speaker: str, time_s: float, piece: str) -> None:
        """Add a piece of speech to the talk that is on."""
        talk = self._talk()
        added = talk.add_piece(speaker, time_s, piece)
        if added is None:
            return
        place, new = added
        if new and len(talk.turns) == 1:
            self.rebuild()
        elif place != len(talk.turns) - 1:
            self._lay_out_from(talk, place, len(talk.turns) - place - new)
        else:
            self._at_end(lambda cursor: self._insert_turn(talk.turns[-1], cursor) if new else cursor.insertText(piece))

    def add_turn(self, speaker: str, start_s: float, text: str) -> None:
        """Add a whole turn, where its start belongs."""
        self._talk().add_turn(speaker, start_s, text)
        self.rebuild()

    def put_back(self, talks: Sequence[Talk]) -> None:
        """Add whole earlier talks, laid out once: thousands of turns one by one would hold up the window for hours."""
        self._talks += talks
        self.rebuild()

    def add_words(self, speaker: str, words: Sequence[tuple[float, float, str]], back: int = 0) -> None:
        """Add a whole turn of words (start, end, text) that became known late, where it belongs. back: how many talks
        have begun since."""
        talk = self._talk(back)
        place = talk.add_words(speaker, words)
        if talk is not self._talks[-1] or len(talk.turns) == 1:
            self.rebuild()
        else:
            self._lay_out_from(talk, place, len(talk.turns) - 1 - place)

    def as_text(self) -> str:
        """All talks as plain text, a line per turn."""
        lines = []
        for number, talk in enumerate(self._shown()):
            if number:
                lines.append(f"\n--- {talk.heading} ---")
            for turn in talk.turns:
                lines.append(f"{format_clock(turn.start_s)}  {speaker_name(turn)}{turn.text.strip()}")
        return "\n".join(lines).strip()

    def spoken(self) -> list[Talk]:
        """The talks in which something was said, oldest first."""
        return [talk for talk in self._talks if talk.turns]

    @property
    def hint(self) -> str:
        """What stands in the empty pane."""
        return self._hint

    def set_hint(self, hint: str) -> None:
        """What stands in the empty pane, over as many lines as it needs: Qt's own placeholder has but one."""
        self._hint = hint
        self.setAccessibleDescription(hint)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._hint or not self.document().isEmpty():
            return
        painter = QPainter(self.viewport())
        painter.setFont(self._theme.font("body"))
        painter.setPen(QColor(self._theme.colours.muted))
        room = self.viewport().rect().adjusted(2, 2, -2, -2)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, self._hint)
        painter.end()

    def rebuild(self) -> None:
        """Lay everything out anew: after a turn in an earlier talk, another theme or text size."""
        self.setFont(self._theme.font("body"))
        with self._reading():
            self.clear()
            with self._at_once() as cursor:
                for number, talk in enumerate(self._shown()):
                    if number:
                        self._insert_heading(talk.heading, cursor)
                    for turn in talk.turns:
                        self._insert_turn(turn, cursor)

    # ------------------------------------------------------------------ layout

    def _talk(self, back: int = 0) -> Talk:
        """The talk that is on, or an earlier one; where there are not so many, the oldest."""
        if not self._talks:
            self._talks.append(Talk())
        return self._talks[max(0, len(self._talks) - 1 - max(0, back))]

    def _shown(self) -> list[Talk]:
        """Talks in which something was said, and the last one."""
        return [talk for talk in self._talks[:-1] if talk.turns] + self._talks[-1:]

    def _lay_out_from(self, talk: Talk, place: int, stand: int) -> None:
        """A turn was put into the last talk, or went on: lay out that one and those after it, `stand` of which are
        there already, each as one paragraph."""
        document = self.document()
        with self._reading():
            if stand:
                cursor = QTextCursor(document.findBlockByNumber(document.blockCount() - stand))
                if cursor.atStart():
                    document.clear()
                else:
                    cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
                    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
                    cursor.removeSelectedText()
            with self._at_once() as cursor:
                for turn in talk.turns[place:]:
                    self._insert_turn(turn, cursor)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Whoever reads further up stays there; whoever was at the end is there afterwards."""
        bar = self.verticalScrollBar()
        before, following = bar.value(), bar.value() >= bar.maximum() - 4
        yield
        bar.setValue(bar.maximum() if following else min(before, bar.maximum()))

    @contextmanager
    def _at_once(self) -> Iterator[QTextCursor]:
        """A cursor at the end for many insertions, which are laid out once, together."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        try:
            yield cursor
        finally:
            cursor.endEditBlock()

    def _at_end(self, insert: Callable[[QTextCursor], object]) -> None:
        """Insert at the end."""
        with self._reading():
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            insert(cursor)

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
