"""Scroll areas: one that scrolls up and down only and is never narrower than what it holds, and one for a whole window,
which scrolls sideways where long words in large text would make it wider than the screen.

Owns these rules, and the scrolling to what was just shown. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

LEAST_HEIGHT = 160
FRAME = 16  # what a window's own frame may take of the screen's width
MARGIN = 24


def bring_into_view(widget: QWidget) -> None:
    """Scroll until a widget that was just shown can be seen, once it has its place."""

    def scroll() -> None:
        above = widget.parentWidget()
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        if above is not None and widget.isVisible():
            above.ensureWidgetVisible(widget, 0, MARGIN)

    QTimer.singleShot(0, widget, scroll)


class VerticalScroll(QScrollArea):
    """Scrolls its content where a small screen or large text leaves too little height for it."""

    def __init__(self, content: QWidget):
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)

    def minimumSizeHint(self) -> QSize:
        content = self.widget()
        width = content.minimumSizeHint().width() if content is not None else 0
        bar = self.verticalScrollBar()
        return QSize(width + (bar.sizeHint().width() if bar.isVisible() else 0), LEAST_HEIGHT)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The content was laid out anew: its least width may be another."""
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self.updateGeometry()
        return super().eventFilter(watched, event)


class WithinScreen(QScrollArea):
    """As wide as its content needs, but asks for no more than the screen has."""

    def __init__(self, content: QWidget):
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)
        self._content = content

    def minimumSizeHint(self) -> QSize:
        least = self._content.minimumSizeHint()
        room = self.screen().availableGeometry().width() - FRAME
        if least.width() <= room:
            return least
        return QSize(room, least.height() + self.horizontalScrollBar().sizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The content was laid out anew: its least size may be another."""
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self.updateGeometry()
        return super().eventFilter(watched, event)
