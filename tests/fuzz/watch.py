"""What must not happen while hostile input is read: code run, a file touched elsewhere, memory beyond a bound.

Python's audit events tell of every process, connection and changed file, whoever causes them. A hook cannot be taken
out again, so there is one for the whole run of the tests, which looks only inside `watched`.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows: memory is not watched there
    resource = None  # type: ignore[assignment]

MOST_MEMORY = 600 << 20  # bytes of address space beyond what the process has when a target begins
_PROCESSES = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn", "subprocess.Popen", "pty.spawn")
_NETWORK = ("socket.connect", "socket.bind", "socket.getaddrinfo", "urllib.Request")
_CHANGES = (
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate",
    "shutil.rmtree", "shutil.move",
)  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class _Watch:
    def __init__(self) -> None:
        self.folder = ""  # "": nobody looks
        self.seen: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.folder:
            return
        if event in _PROCESSES or event in _NETWORK:
            self.seen.append(f"{event} {arguments!r:.200}")
        elif event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITING and not isinstance(path, int):
                self._note(event, path)
        elif event in _CHANGES:
            if any(isinstance(number, int) and number > 2 for number in arguments[1:]) and event != "os.chmod":
                return  # a name within an open folder: shutil.rmtree, whose own event tells of the whole
            for path in arguments:
                if isinstance(path, (str, bytes, os.PathLike)):
                    self._note(event, path)

    def _note(self, event: str, path: Any) -> None:
        name = os.path.abspath(os.fsdecode(path))
        if not name.startswith(self.folder + os.sep) and name != os.devnull:
            self.seen.append(f"{event} {name}")


_WATCH = _Watch()
sys.addaudithook(_WATCH)


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[list[str]]:
    """Forbidden deeds done inside are noted in the list: anything but reading, and changes within `folder`."""
    assert not _WATCH.folder, "one look at a time"
    _WATCH.seen = []
    _WATCH.folder = os.path.abspath(folder)
    try:
        yield _WATCH.seen
    finally:
        _WATCH.folder = ""


@contextlib.contextmanager
def little_memory(limit: int = MOST_MEMORY) -> Iterator[None]:
    """Allocations that would take the process `limit` bytes further fail inside, with MemoryError from Python."""
    size = _address_space()
    if resource is None or size is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def peak_bytes() -> int:
    """The most memory that this process ever held; 0 where that is not known."""
    return 0 if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _address_space() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
