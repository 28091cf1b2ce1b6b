"""Files that are nobody else's business: made with permissions for their owner alone, whole or not at all.

Owns how such a file and its folder come to be. Any thread may call it. Windows keeps a user's own folders to that user
by itself; there the permissions asked for here change nothing.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import logging.handlers
import os
import stat
import tempfile
import time
from pathlib import Path
from typing import Any

FOLDER, FILE = 0o700, 0o600
_NAME_KEPT = 40  # characters of the name in the temporary file's, which may not be longer than a file system allows
_ENDING = ".unfinished"  # of a temporary file: a name that nobody else gives a file
LEFT_S = 60.0  # a temporary file that lies for longer is nobody's who still writes it


def private_folder(folder: Path) -> Path:
    """Make the folder if need be, for its owner alone. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    if not folder.is_symlink():  # else it may be anybody's
        with contextlib.suppress(OSError):  # a folder of somebody else's making is used as it is
            folder.chmod(FOLDER)
    return folder


def write_private(path: Path, text: str) -> None:
    """Write UTF-8 text for its owner alone, whole or not at all. Raises OSError."""
    replace_private(path, text.encode("utf-8", errors="backslashreplace"))


def replace_private(path: Path, content: bytes) -> None:
    """Write a file for its owner alone, whole or not at all. Raises OSError."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_prefix(path.name), suffix=_ENDING)  # private by birth
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        keep_on_disk(Path(temporary))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def remove_rests(folder: Path, name: str) -> None:
    """Take away what a process that was killed in `replace_private` left of files with names that begin so."""
    beginning = _prefix(name).rstrip(".")
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.startswith(beginning) and entry.name.endswith(_ENDING):
                found = entry.stat(follow_symlinks=False)
                # Below zero: the clock was set back.
                if stat.S_ISREG(found.st_mode) and abs(time.time() - found.st_mtime) > LEFT_S:
                    os.unlink(entry.path)


def _prefix(name: str) -> str:
    return f".{name[:_NAME_KEPT]}."


def keep_on_disk(path: Path) -> None:
    """Wait until a file's content is on the disk, before the file takes another one's place: after a power cut some
    file systems know the new name and not yet what is in it. Raises OSError where it does not get there."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


class PrivateRotatingFile(logging.handlers.RotatingFileHandler):
    """A rotating log that its owner alone can read. Lines that the disk does not take are lost, and nothing else is."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """logging would print a traceback to the terminal, one for each line."""

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what it still held
            super().close()

    def _open(self) -> Any:
        # Without blocking, so that a pipe in the file's place is refused and not waited for.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(self.baseFilename, flags, FILE)
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # a link to /dev/null, whose permissions are everybody's
            os.close(handle)
            raise OSError(errno.EINVAL, "no file", self.baseFilename)
        with contextlib.suppress(OSError, AttributeError):  # one that an earlier version made for everybody
            os.fchmod(handle, FILE)
        return open(handle, "a", encoding="utf-8", errors="backslashreplace")
