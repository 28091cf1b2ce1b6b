"""The devices thread: every call into the sound system that may be slow happens here, each with a time limit.

Owns the command queue and what becomes of a call that hangs. Must not know what the jobs do. Any thread may submit;
nobody is held up longer than the limit that was asked for. While a call hangs, later ones are refused at once: the
sound system is not safe to enter twice, and a second thread in it would turn a slow driver into a crash.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any, Generic, TypeVar

from app.errors import UserError

T = TypeVar("T")


class DriverSilent(UserError):
    """The sound system did not come back within the time limit."""


class _Job(Generic[T]):
    """A call, its future, and what to do with a result that comes after everybody has left."""

    def __init__(self, call: Callable[[], T], what: str, discard: Callable[[T], None] | None) -> None:
        self.call = call
        self.what = what
        self.discard = discard
        self.future: Future[T] = Future()

    def run(self) -> None:
        if self.future.done():  # it waited behind a slow one until its own time was over
            return
        try:
            result = self.call()
        except BaseException as error:  # whoever waits decides; this thread goes on
            self._fail(error)
            return
        try:
            self.future.set_result(result)
        except InvalidStateError:  # too late
            if self.discard is not None:
                self.discard(result)

    def give_up(self, limit_s: float) -> None:
        remedy = "unplug the device or choose another, then try again"
        self._fail(DriverSilent(f"The sound system did not answer within {limit_s:g} s while {self.what}: {remedy}."))

    def _fail(self, error: BaseException) -> None:
        try:
            self.future.set_exception(error)
        except InvalidStateError:  # the result came first, or the time limit did
            return


class DeviceThread:
    """A daemon thread that runs jobs in order. It starts with the first job."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job[Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()  # guards the start of the thread only
        self._thread: threading.Thread | None = None
        self._running: _Job[Any] | None = None  # assigned by the devices thread

    @property
    def stuck(self) -> str:
        """What hangs beyond its time limit now, "" when nothing does."""
        job = self._running
        return job.what if job is not None and job.future.done() else ""

    def submit(
        self, call: Callable[[], T], *, what: str, limit_s: float, discard: Callable[[T], None] | None = None
    ) -> Future[T]:
        """Runs `call` on the devices thread. The future is settled within `limit_s` seconds, whatever the call does.

        what: for the sentence, as in "opening the microphone". discard: given a result that came too late, so that a
        stream opened after all is closed again.
        """
        job = _Job(call, what, discard)
        stuck = self.stuck
        if stuck:
            remedy = "unplug the device, or restart Parley if that does not help"
            sentence = f"The sound system still hangs ({stuck}): {remedy}."
            job.future.set_exception(DriverSilent(sentence))
            return job.future
        self._start()
        self._jobs.put(job)
        timer = threading.Timer(limit_s, job.give_up, (limit_s,))
        timer.daemon = True
        timer.start()
        job.future.add_done_callback(lambda _: timer.cancel())
        return job.future

    def call(
        self, call: Callable[[], T], *, what: str, limit_s: float, discard: Callable[[T], None] | None = None
    ) -> T:
        """As `submit`, and waits. Raises what the call raised, or DriverSilent."""
        assert threading.current_thread() is not self._thread, "a job that waits for another would wait for ever"
        return self.submit(call, what=what, limit_s=limit_s, discard=discard).result()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="devices", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            self._running = job
            job.run()
            self._running = None
