"""Trying again, less and less often, until it is no longer wanted.

Owns the delays and that only one attempt is ever on its way. Must not know what is tried. Any thread may call it; the
attempt runs wherever `call_later` runs it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

DELAYS_S = (0.5, 1.0, 1.0, 2.0, 2.0, 3.0, 5.0)  # the last again and again

CallLater = Callable[[float, Callable[[], None]], object]


def call_later(delay_s: float, job: Callable[[], None]) -> None:
    """`job` on a thread of its own after `delay_s` seconds. Nobody waits for it at the end of the program."""
    timer = threading.Timer(delay_s, job)
    timer.daemon = True
    timer.start()


class BackOff:
    """attempt: what to try; it calls `again` when it is to be tried once more."""

    def __init__(self, attempt: Callable[[], None], later: CallLater = call_later) -> None:
        self._attempt = attempt
        self._later = later
        self._round = 0  # of waiting: what was scheduled in an earlier one is ignored
        self._tried = 0
        self.waiting = False

    def begin(self) -> None:
        """Waits and tries, from the shortest delay on."""
        self._tried = 0
        self.again()

    def again(self) -> None:
        self._round += 1
        self.waiting = True
        this_round = self._round
        delay_s = DELAYS_S[min(self._tried, len(DELAYS_S) - 1)]
        self._tried += 1
        self._later(delay_s, lambda: self._due(this_round))

    def stop(self) -> None:
        self._round += 1
        self.waiting = False

    def _due(self, this_round: int) -> None:
        if self.waiting and this_round == self._round:
            self._attempt()
