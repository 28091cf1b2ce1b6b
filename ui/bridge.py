"""The one timer between the conversation and the window.

Owns the 30 Hz beat: drains the events into the session, copies the tail of the frame history and hands it on when it
is new, polls the futures that ports gave back. Pulling at the screen's pace was taken over queued signals from the
engine thread because a slow window then costs the engine nothing. Qt thread only; never blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.telemetry import FrameRecord
from ui.figures import STRIP_FRAMES
from ui.ports import ConversationPort
from ui.session import Session

INTERVAL_MS = 33
TICKS_PER_SECOND = 30


class Bridge(QObject):
    """Beats at 30 Hz. `frames` carries list[FrameRecord], oldest first, only when there is a new one."""

    frames = Signal(object)
    ticked = Signal()
    each_second = Signal()

    def __init__(self, conversation: ConversationPort, session: Session):
        super().__init__()
        self._conversation = conversation
        self._session = session
        self._last_clock_ns = 0
        self._ticks = 0
        self._waiting: list[tuple[Future[str], Callable[[str], None]]] = []
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.tick)

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def tick(self) -> None:
        """One beat; tests call it by hand."""
        for event in self._conversation.events():
            self._session.handle(event)
        history = self._conversation.history
        newest = history.tail(1)  # most beats bring no frame, and a whole strip takes near a millisecond to copy
        clock_ns = newest[-1].clock_ns if newest else 0
        if clock_ns != self._last_clock_ns:
            self._last_clock_ns = clock_ns
            self.frames.emit(history.tail(STRIP_FRAMES))
        self._poll()
        self._ticks += 1
        self.ticked.emit()
        if self._ticks % TICKS_PER_SECOND == 0:
            self.each_second.emit()

    def talk_records(self) -> list[FrameRecord]:
        """All frame records that are kept of the talk, oldest first: its last ten minutes."""
        history = self._conversation.history
        return history.tail(len(history))

    def when_done(self, future: Future[str], then: Callable[[str], None]) -> None:
        """Call `then` with the future's text on a later beat; a failure arrives as its own sentence."""
        self._waiting.append((future, then))

    def _poll(self) -> None:
        done = [pair for pair in self._waiting if pair[0].done()]
        if not done:
            return
        self._waiting = [pair for pair in self._waiting if pair not in done]
        for future, then in done:
            error = future.exception() if not future.cancelled() else None
            then("" if future.cancelled() else str(error) if error else future.result())
