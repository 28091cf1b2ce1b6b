"""Commands on their way to the engine thread, and which of them end the work that the thread is busy with.

Owns the waiting commands. `put` is for any thread; everything else is for the engine thread. Must not know the engine.
"""

from __future__ import annotations

import threading
from collections import deque

from app.messages import (
    CancelLoad,
    Command,
    LoadModel,
    NewTalk,
    SetMode,
    SetSampling,
    Shutdown,
    StopTalk,
)

# What ends the work of a phase while it still waits in the queue.
INTERRUPTS: dict[str, tuple[type, ...]] = {
    "loading": (CancelLoad, LoadModel, Shutdown),
    "priming": (StopTalk, NewTalk, LoadModel, Shutdown),
    "building": (CancelLoad, StopTalk, NewTalk, LoadModel, SetMode, Shutdown),
}


class CommandQueue:
    def __init__(self) -> None:
        self._waiting: deque[Command] = deque()
        self._wake = threading.Event()

    def put(self, command: Command) -> None:
        self._waiting.append(command)
        self._wake.set()

    def take(self) -> Command | None:
        """The oldest waiting command, or None."""
        return self._waiting.popleft() if self._waiting else None

    def wait(self) -> None:
        """Sleep until a command waits."""
        if not self._waiting:
            self._wake.wait()
        self._wake.clear()

    def interrupts(self, phase: str, building_mode: str) -> bool:
        """Does a command wait that ends the work of this phase? Looks without taking.

        building_mode: asking once more for the mode that is being built does not interrupt its building.
        """
        kinds = INTERRUPTS.get(phase, ())
        return any(isinstance(command, kinds) and command != SetMode(building_mode) for command in self._snapshot())

    def drop_wishes(self) -> None:
        """A load was cancelled or failed: forget what was wished for the time after it, up to what ended it.

        What means something without a model stays.
        """
        kept: list[Command] = []
        while self._waiting and not isinstance(self._waiting[0], INTERRUPTS["loading"]):
            command = self._waiting.popleft()
            if isinstance(command, SetSampling):
                kept.append(command)
        self._waiting.extendleft(reversed(kept))
        self._wake.set()

    def clear(self) -> None:
        self._waiting.clear()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def _snapshot(self) -> tuple[Command, ...]:
        while True:
            try:
                return tuple(self._waiting)
            except RuntimeError:  # another thread appended during the copy
                continue
