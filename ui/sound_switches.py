"""Settings, Audio: echo, noise, gain and the talk key, and what they are doing now.

Owns the four switches; each is kept and in force at once, in a talk too. Qt thread only.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.config import ECHO_MODES
from ui import ports as keys
from ui.actions import Actions
from ui.bridge import Bridge
from ui.labels import line_button, wrapped_label
from ui.ports import SettingsPort, SoundNow
from ui.session import Session
from ui.words import marked, tr

ECHO_TEXTS = {
    "auto": marked("When an echo is found"),
    "on": marked("Always"),
    "off": marked("Never"),
}


class SoundSwitches(QWidget):
    """`said` carries a sentence for the page; "" takes it away."""

    said = Signal(str)

    def __init__(
        self, session: Session, bridge: Bridge, settings: SettingsPort, sound: Callable[[], SoundNow], actions: Actions
    ):
        super().__init__()
        self._session = session
        self._settings = settings
        self._sound = sound
        self.echo = QComboBox()
        for name in ECHO_MODES:
            self.echo.addItem(tr(ECHO_TEXTS[name]), name)
        self.echo.setAccessibleName(tr("Remove the loudspeaker's echo"))
        self.noise = QCheckBox(tr("Turn background &noise down"))
        self.gain = QCheckBox(tr("Bring my voice to the usual le&vel by itself"))
        self.push = line_button(actions.push_to_talk)
        self.now = wrapped_label("", "small", "muted")
        self._arrange()
        self.show_choice()
        self.echo.activated.connect(lambda index: self._set(keys.ECHO, self.echo.itemData(index)))
        self.noise.clicked.connect(lambda on: self._set(keys.NOISE, on))
        self.gain.clicked.connect(lambda on: self._set(keys.AUTO_GAIN, on))
        bridge.each_second.connect(self._follow)
        session.phase_changed.connect(lambda _phase: self._follow())
        self._follow()

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(9)
        label = QLabel(tr("Remove the loudspeaker's &echo"))
        label.setBuddy(self.echo)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.echo, 1)
        column.addLayout(row)
        column.addWidget(self.noise)
        column.addWidget(self.gain)
        last = QHBoxLayout()
        last.addWidget(self.now, 1)
        last.addWidget(self.push)
        column.addLayout(last)

    def show_choice(self) -> None:
        """Show what holds."""
        self.echo.setCurrentIndex(max(0, self.echo.findData(self._settings.get(keys.ECHO))))
        self.noise.setChecked(bool(self._settings.get(keys.NOISE)))
        self.gain.setChecked(bool(self._settings.get(keys.AUTO_GAIN)))

    def _set(self, key: str, value: object) -> None:
        self.said.emit(self._settings.set(key, value))
        self.show_choice()

    def _follow(self) -> None:
        words = words_for(self._sound(), self._session.talking, bool(self._settings.get(keys.AUTO_GAIN)))
        if self.now.text() != words:
            self.now.setText(words)


def words_for(sound: SoundNow, talking: bool, gain: bool) -> str:
    """What is being done to the microphone's sound, in words."""
    if not talking:
        return tr("What they do shows while a talk runs.")
    if not sound.echo_active:
        said = tr("No echo is being removed.")
    elif math.isnan(sound.echo_removed_db):
        said = tr("Listening for an echo.")
    else:
        said = tr("The echo is {decibels} dB weaker.").format(decibels=f"{sound.echo_removed_db:.0f}")
    if gain:
        said += " " + tr("Your voice is changed by {decibels} dB.").format(decibels=f"{sound.gain_db:+.0f}")
    return said
