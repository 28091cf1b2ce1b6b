"""One model on this computer as a card: where it is, what it takes, and what can be done with it.

Owns the card's controls and its question; the deeds are signals, which the Models page carries out. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.ask_rows import ConfirmRow
from ui.figures import format_bytes
from ui.labels import set_tone, text_label, wrapped_label
from ui.model_ports import ModelLike, ReportLike, VariantLike
from ui.model_words import WHY_KEPT, report_words, state_words, variant_words
from ui.words import tr


class VariantRow(QWidget):
    """A converted file with its Delete button."""

    def __init__(self, variant: VariantLike, ask: ConfirmRow, delete: Callable[[str], None]):
        super().__init__()
        words = variant_words(variant)
        self.button = QPushButton(tr("Delete\N{HORIZONTAL ELLIPSIS}"))
        self.button.setAccessibleName(tr("Delete: {what}").format(what=words))
        question = tr("Delete {what}? It is made anew when it is needed, which takes a while.").format(what=words)
        self.button.clicked.connect(lambda: ask.ask(question, tr("&Delete"), lambda: delete(variant.name)))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(text_label(words, "small"))
        row.addStretch(1)
        row.addWidget(self.button)


class ModelCard(QFrame):
    """The card of one model."""

    use_wanted = Signal()
    download_wanted = Signal()
    check_wanted = Signal()
    repair_wanted = Signal()
    delete_wanted = Signal()
    variant_delete_wanted = Signal(str)

    def __init__(self, model: ModelLike):
        super().__init__()
        self.model = model
        self.setProperty("card", True)
        self.setAccessibleName(f"{model.source}. {state_words(model)}")
        self.heading = text_label(model.source, "label")
        self.in_use = text_label(f"\N{HEAVY CHECK MARK} {tr('in use')}", "small")
        self.place = _selectable(str(model.folder))
        self.report = wrapped_label("", "small")
        self.repair = QPushButton(tr("Fetch the damaged files anew"))
        self.use = QPushButton(tr("Use"))
        self.go_on = QPushButton(tr("Go on"))
        self.check = QPushButton(tr("Check"))
        self.delete = QPushButton(tr("Delete\N{HORIZONTAL ELLIPSIS}"))
        self.confirm = ConfirmRow()
        delete = self.variant_delete_wanted.emit
        self.variants = [VariantRow(variant, self.confirm, delete) for variant in model.variants]
        self._arrange()
        self._name()
        self._connect()

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.heading)
        top.addWidget(self.in_use)
        top.addStretch(1)
        for button in self.buttons():
            top.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 9, 10, 10)
        column.setSpacing(4)
        column.addLayout(top)
        kept = tr(WHY_KEPT[self.model.place]) if self.model.place in WHY_KEPT else ""
        column.addWidget(wrapped_label(f"{state_words(self.model)}. {kept}".strip(), "small"))
        column.addWidget(self.place)
        for row in self.variants:
            column.addWidget(row)
        column.addWidget(self.report)
        mend = QHBoxLayout()
        mend.addWidget(self.repair)
        mend.addStretch(1)
        column.addLayout(mend)
        column.addWidget(self.confirm)
        self.report.hide()
        self.repair.hide()
        self.go_on.setVisible(not self.model.whole)
        self.use.setVisible(self.model.whole)
        self.check.setVisible(self.model.whole)
        self.delete.setVisible(self.model.deletable)

    def buttons(self) -> tuple[QPushButton, ...]:
        return (self.use, self.go_on, self.check, self.delete)

    def _name(self) -> None:
        """Each button says of which model: screen readers come to it without the card."""
        for button in (*self.buttons(), self.repair):
            button.setAccessibleName(f"{button.text()}: {self.model.source}")

    def _connect(self) -> None:
        self.use.clicked.connect(self.use_wanted)
        self.go_on.clicked.connect(self.download_wanted)
        self.check.clicked.connect(self.check_wanted)
        self.repair.clicked.connect(self.repair_wanted)
        self.delete.clicked.connect(self._ask_delete)

    def _ask_delete(self) -> None:
        size = self.model.size + sum(variant.size for variant in self.model.variants)
        words = tr("Delete {model} ({size})? To be used again it must be downloaded again.")
        if self.model.variants:
            words = tr("Delete {model} and what was converted from it ({size})? It must then be downloaded again.")
        sentence = words.format(model=self.model.source, size=format_bytes(size))
        self.confirm.ask(sentence, tr("&Delete"), self.delete_wanted.emit)

    # ------------------------------------------------------------------ what is shown

    def show_state(self, in_use: bool, busy: bool, report: ReportLike | None) -> None:
        """in_use: it is the chosen model. busy: something is being downloaded or checked."""
        self.in_use.setVisible(in_use)
        self.use.setVisible(self.model.whole and not in_use)
        self.use.setToolTip(tr("Talk with this model from now on"))
        waiting = tr("Something is being downloaded or checked; wait for it, or cancel it.")
        for button, words in (
            (self.go_on, tr("Fetch what is missing")),
            (self.check, tr("Compare every byte with what was published, and every tensor with the configuration")),
            (self.repair, tr("Fetch only these files from Hugging Face")),
        ):
            button.setEnabled(not busy)
            button.setToolTip(waiting if busy else words)
        chosen = tr("This model is in use; choose another one before you delete it.")
        self.delete.setEnabled(not in_use and not busy)
        self.delete.setToolTip(chosen if in_use else waiting if busy else tr("Make room on the disk"))
        for button in (*self.buttons(), self.repair):
            button.setAccessibleDescription(button.toolTip())
        self._show_report(report)

    def _show_report(self, report: ReportLike | None) -> None:
        self.report.setVisible(report is not None)
        self.repair.setVisible(report is not None and bool(report.damaged) and self.model.deletable)
        if report is not None:
            words, tone = report_words(report)
            mark = {"": "\N{HEAVY CHECK MARK}", "near": "!", "over": "!!"}[tone]
            self.report.setText(f"{mark}  {words}")
            set_tone(self.report, tone)


def _selectable(text: str) -> QLabel:
    """A path that can be copied, with the mouse and by keyboard."""
    label = wrapped_label(text, "small", "muted")
    label.setTextFormat(Qt.TextFormat.PlainText)
    flags = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    label.setTextInteractionFlags(flags)
    label.setAccessibleName(tr("Folder: {folder}").format(folder=text))
    return label
