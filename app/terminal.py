"""What the program says, on a terminal, into a file or to nobody: saying it may fail, and the work goes on.

Owns the two output streams of a command. Notes and progress (standard error) that a full disk, a closed terminal or a
reader that left does not take are dropped: a reply and its transcript must not be lost for that. What a command was
asked to print (standard output) is another matter, and its failure is told by the exit status. Main thread.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

_STANDARD = (0, 1, 2)  # input, output, errors


class Notes:
    """A text stream that drops what cannot be written, and everything after it. Else as the stream it is made of."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with self._given_up():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._given_up():
            self._stream.flush()

    @contextlib.contextmanager
    def _given_up(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError):  # the latter: it was closed
            give_up(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def notes_may_fail() -> Iterator[None]:
    """Inside, whatever is printed to standard error may fail without harm."""
    if sys.stderr is None:  # the packaged program on Windows
        yield
        return
    with contextlib.redirect_stderr(Notes(sys.stderr)):  # type: ignore[type-var]
        yield


def give_up(stream: TextIO | None) -> None:
    """Python would write at its end what the stream still holds, and complain again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, no file, or not there at all
        assert stream is not None
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def prepare() -> None:
    """Any terminal will do, and none: one that cannot show a sign shows a question mark, rather than ending the
    program; one without columns would be shown nothing."""
    if os.environ.get("COLUMNS", "").strip() == "0":
        del os.environ["COLUMNS"]
    _fill_standard_files()
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _fill_standard_files() -> None:
    """Where a shell closed one (`2>&-`), the next file opened would take its number, and what a library of C prints
    would be written into a reply."""
    if sys.platform == "win32":
        return
    for number in _STANDARD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
