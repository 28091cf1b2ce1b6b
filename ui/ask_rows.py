"""Small questions asked on the spot: a name, or whether something shall really be done.

Owns the two strips; what is asked, and what follows, is the caller's. No dialogs, so that a talk and its window go on
beside them. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout

from ui.labels import set_tone, text_label, wrapped_label
from ui.scrolling import bring_into_view
from ui.words import tr, translated


class Strip(QFrame):
    """A strip that the Escape key puts away, before the window's own shortcut sees the key."""

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.hide()
                return True
        return super().event(event)


class NameRow(Strip):
    """Asks for a name and says at once, while it is typed, why one cannot be taken."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("notice", "info")
        self._problem: Callable[[str], str] = lambda _name: ""
        self._then: Callable[[str], None] = lambda _name: None
        self.label = QLabel()
        self.field = QLineEdit()
        self.label.setBuddy(self.field)
        self.ok = QPushButton()
        self.cancel = QPushButton(tr("Cancel"))
        self.why = text_label("", "small", "muted")
        row = QHBoxLayout()
        row.addWidget(self.label)
        row.addWidget(self.field, 1)
        row.addWidget(self.cancel)
        row.addWidget(self.ok)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.why)
        self.field.textChanged.connect(self._judge)
        self.field.returnPressed.connect(self._done)
        self.ok.clicked.connect(self._done)
        self.cancel.clicked.connect(self.hide)
        self.hide()

    def ask(self, label: str, name: str, ok: str, problem: Callable[[str], str], then: Callable[[str], None]) -> None:
        """Show the strip. problem: "" for a good name, else a sentence; then: gets the name that was given."""
        self._problem, self._then = problem, then
        self.label.setText(label)
        self.field.setAccessibleName(label.replace("&", ""))
        self.ok.setText(ok)
        self.field.setText(name)
        self._judge()
        self.show()
        bring_into_view(self)
        self.field.selectAll()
        self.field.setFocus()

    def _judge(self) -> None:
        name = self.field.text().strip()
        problem = translated(self._problem(name))
        self.ok.setEnabled(not problem)
        self.why.setText(problem if name else "")
        self.why.setVisible(bool(self.why.text()))
        self.field.setAccessibleDescription(problem)
        set_tone(self.why, "over")

    def _done(self) -> None:
        name = self.field.text().strip()
        if not self._problem(name):
            self.hide()
            self._then(name)


class ConfirmRow(Strip):
    """Asks whether something that cannot be undone shall be done."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("notice", "warning")
        self._then: Callable[[], None] = lambda: None
        self.sentence = wrapped_label("")
        self.yes = QPushButton()
        self.no = QPushButton(tr("&Keep it"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.addWidget(self.sentence, 1)
        row.addWidget(self.no)
        row.addWidget(self.yes)
        self.yes.clicked.connect(self._done)
        self.no.clicked.connect(self.hide)
        self.hide()

    def ask(self, sentence: str, yes: str, then: Callable[[], None]) -> None:
        self._then = then
        self.sentence.setText(sentence)
        self.setAccessibleName(sentence)
        self.yes.setText(yes)
        self.show()
        bring_into_view(self)
        self.no.setFocus()

    def _done(self) -> None:
        self.hide()
        self._then()
