"""A crash below Python, in a driver, in Qt or in a library of sound: what is written down, and found by the next start.

Such a crash ends the process at once, and no line of Python runs any more. `faulthandler` then writes where every
thread stood, into a private file that was opened beforehand; the next process that keeps the same log finds it there.
Owns that file: of a process that ends in order it is removed, of one that is killed it is empty. Called by the main
thread; must not import torch or Qt.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from app.private_files import FILE

MOST_BYTES = 1 << 18
LINES = 200
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)  # a pipe in the file's place is refused and not waited for
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Crash(NamedTuple):
    """threads: where they stood. log_lines: the last ones of that run."""

    threads: str
    log_lines: tuple[str, ...]


def left_behind(path: Path, log: Path) -> Crash | None:
    """What the last process that had these two files says of its crash; None when it had none."""
    threads = _end_of(path)
    return Crash(threads, tuple(_end_of(log).splitlines()[-LINES:])) if threads.strip() else None


@contextlib.contextmanager
def written_down(path: Path) -> Iterator[None]:
    """A crash inside is written to the file. Raises OSError when there can be no such file. Where Python has been told
    to write crashes elsewhere (as by PYTHONFAULTHANDLER), it does so."""
    if faulthandler.is_enabled():
        yield
        return
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_WAITING | _NO_LINK, FILE), "wb") as file:
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
    with contextlib.suppress(OSError):
        path.unlink()


def _end_of(path: Path) -> str:
    """The last MOST_BYTES; "" where there is no file that can be read."""
    try:
        with open(os.open(path, os.O_RDONLY | _NO_WAITING | _NO_LINK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            file.seek(max(0, os.fstat(file.fileno()).st_size - MOST_BYTES))
            return file.read(MOST_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""
