"""The card of something under way: what it is, how far, a thin bar, and buttons; and the pace from which time is told.

Owns the looks that loads, builds, downloads and checks share. The words are the caller's. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QProgressBar, QVBoxLayout

from ui.labels import text_label
from ui.words import tr

PACE_AFTER_S = 2.0  # before that a pace says little
STEPS = 1000  # a QProgressBar holds 31 bits, a model has more bytes


class ProgressCard(QFrame):
    """heading, detail and bar; `arrange` adds the buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", True)
        self.heading = text_label("", "label")
        self.detail = text_label("", "small", "muted")
        self.bar = QProgressBar()
        self.bar.setProperty("thin", True)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress"))

    def arrange(self, *buttons: QAbstractButton) -> None:
        words = QHBoxLayout()
        words.addWidget(self.heading)
        words.addStretch(1)
        words.addWidget(self.detail)
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addLayout(words)
        column.addWidget(self.bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 12, 12)
        row.setSpacing(16)
        row.addLayout(column, 1)
        for button in buttons:
            row.addWidget(button)


class Pace:
    """How fast one thing after another grows."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began: tuple[str, float, int] | None = None  # what, when, how far then

    def begin(self) -> None:
        """Whatever comes next is new."""
        self._began = None

    def of(self, what: str, done: int) -> float | None:
        """`done` a second since `what` was first asked for; None while that says little."""
        now = self._clock()
        if self._began is None or self._began[0] != what:
            self._began = (what, now, done)
        _, since, first = self._began
        return None if now - since < PACE_AFTER_S or done <= first else (done - first) / (now - since)
