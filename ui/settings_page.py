"""What every settings page has: a title, a place for a sentence, and sections.

Owns layout only. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from ui.labels import text_label, wrapped_label
from ui.scrolling import VerticalScroll
from ui.words import translated


class Page(VerticalScroll):
    """A scrolling page."""

    def __init__(self, title: str):
        body = QWidget()
        super().__init__(body)
        self.title = title
        self.column = QVBoxLayout(body)
        self.column.setContentsMargins(4, 0, 14, 14)
        self.column.setSpacing(12)
        self.column.addWidget(text_label(title, "title"))
        self.notice = QFrame()
        self.notice.setProperty("notice", "error")
        self.sentence = wrapped_label("")
        inner = QVBoxLayout(self.notice)
        inner.setContentsMargins(12, 8, 12, 8)
        inner.addWidget(self.sentence)
        self.notice.hide()
        self.column.addWidget(self.notice)

    def say(self, sentence: str) -> None:
        """Show one sentence at the top of the page, in the window's language; "" takes it away."""
        sentence = translated(sentence)
        self.sentence.setText(sentence)
        self.notice.setAccessibleName(sentence)
        self.notice.setVisible(bool(sentence))
        if sentence:
            self.ensureWidgetVisible(self.notice)

    def section(self, heading: str) -> QVBoxLayout:
        """A card with a heading; returns its column."""
        card = QFrame()
        card.setProperty("card", True)
        column = QVBoxLayout(card)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(9)
        column.addWidget(text_label(heading, "heading"))
        self.column.addWidget(card)
        return column

    def form(self, column: QVBoxLayout) -> QFormLayout:
        """Rows of label and control in a section."""
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(9)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        column.addLayout(form)
        return form


def form_row(form: QFormLayout, name: str, control: QWidget) -> QLabel:
    """A row whose label names the control, for the eye, the keyboard and the screen reader."""
    label = QLabel(name)
    label.setBuddy(control)
    # A form layout would put the label at the top of its row; one that may grow is centred instead.
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
    control.setAccessibleName(name.replace("&", ""))
    form.addRow(label, control)
    return label
