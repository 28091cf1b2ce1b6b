"""Files that are nobody else's business: made with permissions for their owner alone, whole or not at all.

Owns how such a file and its folder come to be. Any thread may call it. Windows keeps a user's own folders to that user
by itself; there the permissions asked for here change nothing.
"""

from __future__ import annotations

import contextlib
import logging.handlers
import os
import tempfile
from pathlib import Path
from typing import Any

FOLDER, FILE = 0o700, 0o600


def private_folder(folder: Path) -> Path:
    """Make the folder if need be, for its owner alone. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):  # a folder of somebody else's making is used as it is
        folder.chmod(FOLDER)
    return folder


def write_private(path: Path, text: str) -> None:
    """Write UTF-8 text for its owner alone, whole or not at all. Raises OSError."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")  # private by birth
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", errors="backslashreplace"))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


class PrivateRotatingFile(logging.handlers.RotatingFileHandler):
    """A rotating log that its owner alone can read."""

    def _open(self) -> Any:
        # Without blocking, so that a pipe in the file's place is refused and not waited for.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(self.baseFilename, flags, FILE)
        with contextlib.suppress(OSError, AttributeError):  # one that an earlier version made for everybody
            os.fchmod(handle, FILE)
        return open(handle, "a", encoding="utf-8", errors="backslashreplace")
