"""Notices an engine thread that does not come back: from a frame, or from loading, priming or building a mode.

Owns the looking and the words. A thread of its own, since the engine's may never run again: a driver that hangs, a
kernel without an end. Nothing can take a thread out of such a call, so what is offered is to start the program again;
should it come back after all, the trouble is taken down and all goes on. A frame is timed. Longer work is not, since a
large model on a slow disk takes as long as it takes: there the thread must not stand at one place in the code for
minutes without looking for commands, whatever that place is. Must not import torch or Qt.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import NamedTuple, Protocol

from app.messages import Event, Trouble, TroubleCleared
from app.notices import RELAUNCH

log = logging.getLogger("parley.watchdog")

STUCK_S = 8.0  # a hundred frames' time: no computer that can hold a talk takes so long for one
# At one place in the code. A test of the kernel compiler in a child process may take two minutes of a load; a slow
# processor takes a minute for a chunk of a persona; a compiler of C++ may be waited for some minutes.
STANDING_S = {"loading": 180.0, "priming": 120.0, "building": 420.0}
WORDS = {"loading": "loading the model", "priming": "preparing the voice and persona", "building": "building the mode"}
LOOK_S = 0.5
KIND = "stuck"


class Watched(Protocol):
    """As much of a conversation as is looked at."""

    @property
    def stepping_since_ns(self) -> int: ...

    @property
    def phase(self) -> str: ...

    @property
    def engine_ident(self) -> int | None: ...

    @property
    def signs_of_life(self) -> int: ...

    def tell(self, event: Event) -> None: ...


class Work(NamedTuple):
    """What the engine thread is at. place: equal in two looks, it has not moved on."""

    place: object
    patience_s: float
    words: str


class Watchdog:
    """Looks twice a second. `look` may be called by hand with the seconds that have passed since the last time."""

    def __init__(
        self,
        conversation: Watched,
        on_stuck: Callable[[str], object] = lambda where: None,
        stuck_s: float = STUCK_S,
        standing_s: dict[str, float] | None = None,
    ) -> None:
        """on_stuck: called once for each work that hangs, with where every thread stands; it must not raise."""
        self._conversation = conversation
        self._on_stuck = on_stuck
        self._stuck_s = stuck_s
        self._standing_s = STANDING_S if standing_s is None else standing_s
        self._place: object = None
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
        work = self._work()
        if work is None or work.place != self._place:
            self._place, self._waited_s = None if work is None else work.place, 0.0
            if self._told:
                self._told = False
                self._conversation.tell(TroubleCleared(KIND))
            return
        self._waited_s += min(passed_s, 2 * LOOK_S)
        if self._waited_s >= work.patience_s and not self._told:
            self._told = True
            self._conversation.tell(stuck(self._waited_s, work.words))
            log.error("the engine does not come back from %s", work.words)
            self._on_stuck(where_threads_stand())

    def _work(self) -> Work | None:
        """None: nothing, or something that may take as long as it likes."""
        conversation = self._conversation
        since, phase = conversation.stepping_since_ns, conversation.phase
        if since != 0:
            return Work(since, self._stuck_s, "a frame")
        if phase not in self._standing_s:
            return None
        place = phase, conversation.signs_of_life, place_of(conversation.engine_ident)
        return Work(place, self._standing_s[phase], WORDS[phase])

    def _run(self) -> None:
        before = time.monotonic()
        while not self._ended.wait(LOOK_S):
            now = time.monotonic()
            self.look(now - before)
            before = now


def stuck(seconds: float, words: str = "a frame") -> Trouble:
    return Trouble(
        KIND,
        f"The engine has not come back from {words} for {seconds:.0f} s, and cannot be stopped: start Parley again. "
        "Settings and the words of this window are kept.",
        RELAUNCH,
    )


def place_of(ident: int | None) -> tuple[tuple[int, int], ...]:
    """Which calls a thread is in, and how far each has come; () for a thread that is not there."""
    frame = sys._current_frames().get(-1 if ident is None else ident)
    calls = []
    while frame is not None:
        calls.append((id(frame), frame.f_lasti))
        frame = frame.f_back
    return tuple(calls)


def where_threads_stand() -> str:
    """Every thread's calls, newest last: code and line numbers, no values."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    parts = []
    for number, frame in sys._current_frames().items():
        calls = "".join(traceback.format_stack(frame))
        parts.append(f"Thread {names.get(number, number)}:\n{calls}")
    return "\n".join(parts)
