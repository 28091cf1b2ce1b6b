"""The list of microphones, or of loudspeakers, that follows the devices thread.

Owns one combo box and its binding to the devices port. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from ui.bridge import Bridge
from ui.ports import DevicesPort
from ui.settings_audio import entries, index_of, side


class DeviceBox(QComboBox):
    """direction: "input" or "output". `answered` carries "" or the sentence when a device could not be had."""

    answered = Signal(str)

    def __init__(self, bridge: Bridge, devices: DevicesPort, direction: str, name: str):
        super().__init__()
        self._bridge = bridge
        self._devices = devices
        self._direction = direction
        self._revision = -1
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(20)
        self.activated.connect(self._choose)
        bridge.ticked.connect(self._follow)
        self.fill()

    def fill(self) -> None:
        """The devices as they are known now, and the one that was chosen."""
        state = self._devices.state()
        self._revision = state.revision
        rows, chosen = side(state, self._direction)
        self.clear()
        for text, choice in entries(rows, chosen, every=False):
            self.addItem(text, choice)
        self.setCurrentIndex(index_of(self, chosen))

    def _follow(self) -> None:
        """Take over a changed list, but never under an open pop-up."""
        if self.isVisible() and self._devices.state().revision != self._revision and not self.view().isVisible():
            self.fill()

    def _choose(self, index: int) -> None:
        self._bridge.when_done(self._devices.choose(self._direction, self.itemData(index)), self._done)

    def _done(self, sentence: str) -> None:
        self.answered.emit(sentence)
        self.fill()
