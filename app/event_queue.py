"""Events on their way from the engine thread to whoever looks, and how often progress is told.

Owns the waiting events. One reader drains; any thread may put. Nothing is ever dropped: a window that was blocked for
minutes still learns all of it, at a dozen small objects a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from app.messages import Event, LoadProgressed, ModeBuilding

PROGRESS_NS = 50_000_000  # load progress is told at most 20 times a second


class EventQueue:
    def __init__(self, clock: Callable[[], int]) -> None:
        """clock: nanoseconds."""
        self._events: deque[Event] = deque()
        self._clock = clock
        self._told = ("", 0)  # what progress was told of last, and when

    def put(self, event: Event) -> None:
        self._events.append(event)

    def drain(self) -> list[Event]:
        """Everything that waits, oldest first."""
        drained: list[Event] = []
        while self._events:
            drained.append(self._events.popleft())
        return drained

    def put_progress(self, what: str, done: int, total: int) -> None:
        """Progress of a load, thinned: a checkpoint has thousands of tensors."""
        told_what, told_at = self._told
        now = self._clock()
        if what != told_what or done >= total or now - told_at >= PROGRESS_NS:
            self._told = (what, now)
            self.put(LoadProgressed(what, done, total))

    def put_preparing(self, mode: str) -> Callable[[int, int], None]:
        """The progress callback of a mode that is made ready within a load; compiling takes minutes and is named."""
        what = "building compiled mode" if mode == "compiled" else "warm-up"
        return lambda done, total: self.put(LoadProgressed(what, done, total))

    def put_building(self, mode: str) -> Callable[[int, int], None]:
        """The progress callback of a mode's building."""
        return lambda done, total: self.put(ModeBuilding(mode, done, total))
