"""Ctrl-C, being ended and a closed terminal while there is something to lose: noted, and acted upon where it is safe.

Owns the three signals for as long as it is entered. Python raises KeyboardInterrupt between any two instructions, also
in the middle of writing what it should save; here the work looks at `count` instead. Should the work never look again,
because a disk or a network folder hangs, the third signal raises after all, though not within moments of the first: a
key that is held down sends many, and what is being saved would be lost. Main thread only; elsewhere, and for signals
that whoever started the program had ignored (as nohup does), nothing is changed.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from types import FrameType
from typing import Any

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
PATIENCE = 3
SAVING_S = 2.0  # as long saving may take on a disk that answers


def ignore_from_now_on() -> None:
    """All is done, and only the interpreter's own end follows, which takes a while with torch loaded. A signal then
    would change the exit status and print a traceback, for nothing. Not for a process that goes on."""
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, signal.SIG_IGN)


class Interrupts:
    """Use as a context manager."""

    def __init__(self) -> None:
        self.count = 0
        self._first_s = 0.0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for name in SIGNALS:
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            with contextlib.suppress(TypeError):  # one that was not set from Python
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        now_s = time.monotonic()
        if not self.count:
            self._first_s = now_s
        self.count += 1
        if self.count >= PATIENCE and now_s - self._first_s >= SAVING_S:
            raise KeyboardInterrupt
