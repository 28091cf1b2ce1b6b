"""Whether a running talk moves, and what it waits for when it does not.

Owns that judgement: a talk whose frames have not come for a second waits, for a device where one is lost. Looks with
the bridge's beat, whose beats it counts instead of reading a clock. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ui.bridge import TICKS_PER_SECOND, Bridge
from ui.session import Session
from ui.words import marked

STILL_TICKS = TICKS_PER_SECOND
WAITING_WORDS = {
    "audio-input": marked("Waiting for the microphone"),
    "audio-output": marked("Waiting for the loudspeaker"),
    "": marked("Waiting for sound"),
}


class TalkFlow(QObject):
    """`changed` when a talk begins or ceases to wait."""

    changed = Signal()

    def __init__(self, session: Session, bridge: Bridge):
        super().__init__()
        self._session = session
        self._still = 0  # beats since the last frame, or since the talk began
        self.waiting = ""  # what is to be shown of it, untranslated; "" while the talk moves or there is none
        bridge.frames.connect(lambda _records: self._move())
        session.phase_changed.connect(lambda _phase: self._move())
        session.troubles_changed.connect(self._judge)
        bridge.ticked.connect(self._beat)

    def _move(self) -> None:
        self._still = 0
        self._judge()

    def _beat(self) -> None:
        self._still += 1
        if self._still == STILL_TICKS:
            self._judge()

    def _judge(self) -> None:
        waits = self._session.phase == "talking" and self._still >= STILL_TICKS
        kinds = {trouble.kind for trouble in self._session.troubles}
        lost = next((kind for kind in ("audio-input", "audio-output") if kind in kinds), "")
        waiting = WAITING_WORDS[lost] if waits else ""
        if waiting != self.waiting:
            self.waiting = waiting
            self.changed.emit()
