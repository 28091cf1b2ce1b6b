"""Notices an engine that does not come back from a frame.

Owns the looking and the words. A thread of its own, since the engine's may never run again: a driver that hangs, a
kernel without an end. Nothing can take a thread out of such a call, so what is offered is to start the program again;
should the frame come back after all, the trouble is taken down and the talk goes on. Must not import torch or Qt.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Protocol

from app.messages import Event, Trouble, TroubleCleared
from app.notices import RELAUNCH

log = logging.getLogger("parley.watchdog")

STUCK_S = 8.0  # a hundred frames' time: no computer that can hold a talk takes so long for one
LOOK_S = 0.5
KIND = "stuck"


class Watched(Protocol):
    """As much of a conversation as is looked at."""

    @property
    def stepping_since_ns(self) -> int: ...

    def tell(self, event: Event) -> None: ...


class Watchdog:
    """Looks twice a second. `look` may be called by hand with the seconds that have passed since the last time."""

    def __init__(
        self, conversation: Watched, on_stuck: Callable[[str], object] = lambda where: None, stuck_s: float = STUCK_S
    ) -> None:
        """on_stuck: called once for each frame that hangs, with where every thread stands; it must not raise."""
        self._conversation = conversation
        self._on_stuck = on_stuck
        self._stuck_s = stuck_s
        self._since = 0
        self._waited_s = 0.0
        self._told = False
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()

    def look(self, passed_s: float) -> None:
        """passed_s counts at most twice LOOK_S: a computer that slept has not waited for the engine."""
        since = self._conversation.stepping_since_ns
        if since == 0 or since != self._since:
            self._since, self._waited_s = since, 0.0
            if self._told:
                self._told = False
                self._conversation.tell(TroubleCleared(KIND))
            return
        self._waited_s += min(passed_s, 2 * LOOK_S)
        if self._waited_s >= self._stuck_s and not self._told:
            self._told = True
            self._conversation.tell(stuck(self._waited_s))
            log.error("the engine does not come back from a frame")
            self._on_stuck(where_threads_stand())

    def _run(self) -> None:
        before = time.monotonic()
        while not self._ended.wait(LOOK_S):
            now = time.monotonic()
            self.look(now - before)
            before = now


def stuck(seconds: float) -> Trouble:
    return Trouble(
        KIND,
        f"The engine has not come back from a frame for {seconds:.0f} s, and cannot be stopped: start Parley again. "
        "Settings and the words of this window are kept.",
        RELAUNCH,
    )


def where_threads_stand() -> str:
    """Every thread's calls, newest last: code and line numbers, no values."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    parts = []
    for number, frame in sys._current_frames().items():
        calls = "".join(traceback.format_stack(frame))
        parts.append(f"Thread {names.get(number, number)}:\n{calls}")
    return "\n".join(parts)
