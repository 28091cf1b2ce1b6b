"""Personas with names in Settings: choose one, save the one at hand, delete one.

Owns the row of controls; a persona is a voice and a text, and choosing one sets both. Qt thread only.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.ask_rows import ConfirmRow, NameRow
from ui.bridge import Bridge
from ui.ports import PresetsPort
from ui.session import Session
from ui.words import tr


class PersonaPresets(QWidget):
    """`said` carries a sentence for the page; "" takes it away."""

    said = Signal(str)

    def __init__(self, session: Session, bridge: Bridge, presets: PresetsPort):
        super().__init__()
        self._session = session
        self._bridge = bridge
        self._presets = presets
        self.box = QComboBox()
        self.save = QPushButton(tr("Sav&e as\N{HORIZONTAL ELLIPSIS}"))
        self.delete = QPushButton(tr("Dele&te\N{HORIZONTAL ELLIPSIS}"))
        self.name = NameRow()
        self.confirm = ConfirmRow()
        label = QLabel(tr("&Saved"))
        label.setBuddy(self.box)
        self.box.setAccessibleName(tr("Saved personas"))
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.box, 1)
        row.addWidget(self.save)
        row.addWidget(self.delete)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.name)
        column.addWidget(self.confirm)
        self.box.activated.connect(self._chosen)
        self.save.clicked.connect(self._ask_name)
        self.delete.clicked.connect(self._ask_delete)
        session.persona_changed.connect(self.fill)
        self.fill()

    def fill(self) -> None:
        """Show those that are kept, and which of them is the persona at hand."""
        presets = self._presets.all()
        if [self.box.itemText(row) for row in range(self.box.count())] != [preset.name for preset in presets]:
            self.box.clear()
            self.box.addItems([preset.name for preset in presets])
        held = self._session.persona
        same = (row for row, preset in enumerate(presets) if (preset.voice, preset.text) == (held.voice, held.text))
        self.box.setCurrentIndex(next(same, -1))
        self.box.setEnabled(bool(presets))
        self.box.setPlaceholderText(tr("Choose a saved one") if presets else tr("None saved yet"))
        self.save.setEnabled(bool(held.voice or held.text.strip()))
        self.delete.setEnabled(self.box.currentIndex() >= 0)

    def _chosen(self, index: int) -> None:
        preset = self._presets.all()[index]
        self.said.emit("")
        self._session.set_persona(replace(self._session.persona, voice=preset.voice, text=preset.text))

    def _ask_name(self) -> None:
        self.confirm.hide()
        self.name.ask(tr("Na&me of the persona"), self.box.currentText(), tr("Save"), self._presets.problem, self._save)

    def _save(self, name: str) -> None:
        persona = self._session.persona
        self._do(self._presets.save(name, persona.voice, persona.text))

    def _ask_delete(self) -> None:
        name = self.box.currentText()
        self.name.hide()
        sentence = tr("Delete the persona {name}? It cannot be brought back.").format(name=name)
        self.confirm.ask(sentence, tr("&Delete"), lambda: self._do(self._presets.delete(name)))

    def _do(self, answer: Future[str]) -> None:
        def finished(sentence: str) -> None:
            self.said.emit(sentence)
            self.fill()

        self._bridge.when_done(answer, finished)
