"""Labels in the theme's roles and tones, and buttons and frames made the same way everywhere.

Owns no state. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget


def text_label(text: str, role: str, tone: str = "") -> QLabel:
    """A label in one of the theme's font roles and tones. Its text is never taken for HTML: it may be a stranger's."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    if tone:
        label.setProperty("tone", tone)
    return label


def set_tone(label: QLabel, tone: str) -> None:
    """Another tone for a label; the style is recomputed only when it changes."""
    if (label.property("tone") or "") != tone:
        label.setProperty("tone", tone)
        label.style().unpolish(label)
        label.style().polish(label)


def wrapped_label(text: str, role: str = "body", tone: str = "") -> QLabel:
    """A label that breaks its lines."""
    label = text_label(text, role, tone)
    label.setWordWrap(True)
    return label


class ElidedLabel(QLabel):
    """A label on one line that gives way: what has no room ends in an ellipsis, and stays whole for screen readers."""

    LEAST_CHARACTERS = 12

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), self.LEAST_CHARACTERS * self.fontMetrics().averageCharWidth()), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        room = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(room, self.alignment() | Qt.TextFlag.TextSingleLine, shown)
        painter.end()


def action_button(action: QAction, kind: str = "", text: bool = True) -> QToolButton:
    """A button that is an action: text, icon, tooltip, and whether it can be used all follow it.

    kind: "" | "primary" | "flat". text False: the icon alone is drawn, the name stays for screen readers.
    """
    button = QToolButton()
    button.setDefaultAction(action)
    button.setProperty("kind", kind)
    button.setIconSize(QSize(20, 20))
    style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if text else Qt.ToolButtonStyle.ToolButtonIconOnly
    button.setToolButtonStyle(style)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setObjectName(f"{action.objectName()}_button")

    def follow() -> None:
        button.setAccessibleName(action.text().replace("&", ""))
        button.setAccessibleDescription(action.statusTip())

    action.changed.connect(follow)
    follow()
    return button


def line_button(action: QAction) -> QToolButton:
    """A button that is an action, as high as an ordinary button beside it."""
    button = action_button(action)
    side = button.fontMetrics().height()
    button.setIconSize(QSize(side, side))
    return button


def restyle(widget: QWidget, name: str, value: str) -> None:
    """Set a property the style sheet looks at, and let it take effect."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def heading_row(text: str, *buttons: QWidget) -> QHBoxLayout:
    """A card's heading with buttons at the right; equally high with and without them."""
    row = QHBoxLayout()
    heading = text_label(text, "heading")
    heading.setMinimumHeight(34)
    row.addWidget(heading)
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row
