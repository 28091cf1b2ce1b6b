"""A lock between processes, for the few things that two running Parleys both write.

Owns the two systems' ways of locking a file. The lock goes with the process that held it, whatever became of it, so
nothing stale can stay behind; the empty file may. Any thread; must not import torch or Qt.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from app.private_files import FILE, private_folder

RETRY_S = 0.02
_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)  # what the two systems say of a held lock


class FileLock:
    """Held from `take` to `release`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.taken_elsewhere = False  # the last `take` failed because another holder has it
        self._handle: int | None = None

    def take(self) -> bool:
        """True: this process holds it now. False: another one does, or the place allows no locks. Never waits."""
        self.taken_elsewhere = False
        if self._handle is not None:
            return True
        try:
            private_folder(self.path.parent)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, FILE)
        except OSError:
            return False
        try:
            _lock(handle)
        except OSError as error:
            self.taken_elsewhere = error.errno in _HELD
            os.close(handle)
            return False
        self._handle = handle
        return True

    def release(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)  # which gives the lock up


@contextlib.contextmanager
def waited_for(path: Path, seconds: float, sleep: Callable[[float], None] = time.sleep) -> Iterator[bool]:
    """Hold the lock inside, after waiting for it for so long at most. False inside: it was not to be had."""
    lock = FileLock(path)
    gives_up = time.monotonic() + seconds
    while not (held := lock.take()) and time.monotonic() < gives_up:
        sleep(RETRY_S)
    try:
        yield held
    finally:
        lock.release()


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
