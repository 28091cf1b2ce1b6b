"""Settings, Audio: microphone and loudspeaker by name and host API, and the microphone's level in words.

Owns the two lists and what is asked before sound is interrupted. Devices are the port's; nothing here opens one. Qt
thread only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QPushButton

from ui.actions import Actions
from ui.bridge import Bridge
from ui.figures import CLIPPING_DBFS, LOUD_DBFS, QUIET_DBFS, SILENCE_DBFS
from ui.labels import wrapped_label
from ui.meter import LevelPane
from ui.ports import DeviceChoice, DeviceRow, DevicesState, Ports
from ui.session import Session
from ui.settings_page import Page, form_row
from ui.sound_switches import SoundSwitches
from ui.theme import Theme
from ui.words import marked, tr, translated

IDLE_ADVICE = marked("The level shows while a talk runs.")


class AudioPage(Page):
    """Device lists that follow the devices thread."""

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme, actions: Actions):
        super().__init__(tr("Audio"))
        self._session = session
        self._bridge = bridge
        self._devices = ports.devices
        self.switches = SoundSwitches(session, bridge, ports.settings, ports.sound, actions)
        self.switches.said.connect(self.say)
        self._shown_revision = -1
        self._confirming = False
        self.boxes = {"input": QComboBox(), "output": QComboBox()}
        self.every = QCheckBox(tr("Show the same device &under every sound system"))
        self.refresh = QPushButton(tr("&Look for devices again"))
        self.note = wrapped_label("", "small", "muted")
        self.level = LevelPane(theme, tr("Microphone level"), "microphone")
        self.advice = wrapped_label(tr(IDLE_ADVICE), "small", "muted")
        self._arrange()
        for direction, box in self.boxes.items():
            box.activated.connect(lambda index, direction=direction: self._choose(direction, index))
        self.every.toggled.connect(lambda _on: self.fill())
        self.refresh.clicked.connect(self._refresh)
        bridge.ticked.connect(self._follow)
        session.phase_changed.connect(self._phase)
        self.fill()

    def _arrange(self) -> None:
        column = self.section(tr("Devices"))
        form = self.form(column)
        form_row(form, tr("&Microphone"), self.boxes["input"])
        form_row(form, tr("Loud&speaker"), self.boxes["output"])
        column.addWidget(self.every)
        row = QHBoxLayout()
        row.addWidget(self.refresh)
        row.addWidget(self.note, 1)
        column.addLayout(row)
        column = self.section(tr("Microphone level"))
        column.addWidget(self.level)
        column.addWidget(self.advice)
        column = self.section(tr("What the model hears"))
        column.addWidget(self.switches)
        column = self.section(tr("Headphones or loudspeakers"))
        column.addWidget(
            wrapped_label(
                tr("Headphones are best: on loudspeakers the microphone hears the model too, and its echo has to go."),
                "body",
                "muted",
            )
        )
        self.column.addStretch(1)

    # ------------------------------------------------------------------ devices

    def fill(self) -> None:
        """Show the devices as they are known now."""
        state = self._devices.state()
        self._shown_revision = state.revision
        for direction, box in self.boxes.items():
            rows, chosen = side(state, direction)
            box.clear()
            for text, choice in entries(rows, chosen, self.every.isChecked()):
                box.addItem(text, choice)
            box.setCurrentIndex(index_of(box, chosen))
        self.note.setText(translated(state.note))

    def _follow(self) -> None:
        """Take over a changed list, but never under an open pop-up."""
        if not self.isVisible() or self._devices.state().revision == self._shown_revision:
            return
        if not any(box.view().isVisible() for box in self.boxes.values()):
            self.fill()

    def _choose(self, direction: str, index: int) -> None:
        choice = self.boxes[direction].itemData(index)
        self.say("")
        self._bridge.when_done(self._devices.choose(direction, choice), self._answered)

    def _answered(self, sentence: str) -> None:
        self.say(sentence)
        self.fill()

    def _refresh(self) -> None:
        """List anew. In a talk the sound stops for a moment, so a second press is asked for (user report A1)."""
        if self._session.talking and not self._confirming:
            self._confirming = True
            self.refresh.setText(tr("&Interrupt the sound and look"))
            self.note.setText(tr("The talk's sound stops for a moment and goes on."))
            return
        self._calm()
        self.refresh.setEnabled(False)
        self.note.setText(tr("Looking for devices"))
        self._bridge.when_done(self._devices.refresh(), self._refreshed)

    def _refreshed(self, sentence: str) -> None:
        self.refresh.setEnabled(True)
        self._answered(sentence)

    def _calm(self) -> None:
        self._confirming = False
        self.refresh.setText(tr("&Look for devices again"))

    # ------------------------------------------------------------------ level

    def set_level(self, dbfs: float) -> None:
        self.level.set_level(dbfs)
        self.advice.setText(level_advice(dbfs))

    def _phase(self, phase: str) -> None:
        if phase not in ("talking", "building"):
            self.level.set_level(math.nan)
            self.advice.setText(tr(IDLE_ADVICE))
            if self._confirming:
                self._calm()
                self.note.setText("")


def entries(rows: Sequence[DeviceRow], chosen: DeviceChoice, every: bool) -> list[tuple[str, DeviceChoice]]:
    """Text and choice of each line of a list: the system's default first, duplicates only on request, and the chosen
    device even when it is not connected."""
    default = next((row.name for row in rows if row.is_default), "")
    lines = [(tr("System default ({name})").format(name=default) if default else tr("System default"), DeviceChoice())]
    for row in rows:
        choice = DeviceChoice(row.name, row.host_api)
        if every or not row.duplicate or _matches(choice, chosen):
            lines.append((f"{row.name}  \N{BULLET}  {row.host_api}", choice))
    if chosen.name and not any(_matches(choice, chosen) for _, choice in lines):
        system = f"  \N{BULLET}  {chosen.host_api}" if chosen.host_api else ""
        lines.append((f"{chosen.name}{system}  ({tr('not connected')})", chosen))
    return lines


def level_advice(dbfs: float) -> str:
    """What a level means for the talk."""
    if math.isnan(dbfs):
        return tr(IDLE_ADVICE)
    if dbfs <= SILENCE_DBFS:
        return tr("The microphone delivers digital silence: check its mute switch and the system's permission.")
    if dbfs < QUIET_DBFS:
        return tr("Quiet. While you speak, the level should pass the first notch.")
    if dbfs < LOUD_DBFS:
        return tr("The model hears you well.")
    if dbfs < CLIPPING_DBFS:
        return tr("Loud. A little less input gain is safer.")
    return tr("Clipping: lower the input gain in the system's sound settings.")


def side(state: DevicesState, direction: str) -> tuple[tuple[DeviceRow, ...], DeviceChoice]:
    """The devices of one direction, and the one that is chosen."""
    return (state.inputs, state.input_choice) if direction == "input" else (state.outputs, state.output_choice)


def _matches(choice: DeviceChoice, wanted: DeviceChoice) -> bool:
    """A choice without a host API means the name on any of them."""
    return choice.name == wanted.name and wanted.host_api in ("", choice.host_api)


def index_of(box: QComboBox, chosen: DeviceChoice) -> int:
    """The line of a list that stands for a choice; the system's default when none does."""
    return next((index for index in range(box.count()) if _matches(box.itemData(index), chosen)), 0)
