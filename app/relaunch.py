"""Starting the program again at the same place, when the running one cannot be rescued.

Owns the file that carries the window's place (its words and its position) from one process to the next, and the start
of that process. The file is private, read once and removed: words are kept no longer than the restart takes. Main
thread; must not import torch or Qt.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.paths import own_command, packaged, user_log_folder
from app.private_files import private_folder

log = logging.getLogger("parley")

PLACE = "PARLEY_PLACE"  # environment variable of the next process: where the place lies
NO_PLACE = "{}"  # of a restart that could not bring its place along
LONGEST = 64 << 20  # bytes of a place; a day of talking makes two million


def command() -> list[str]:
    """This program with the arguments it was started with, which may name files from where it was started."""
    return own_command(*sys.argv[1:])


def start_again(place: str, start: Sequence[str] | None = None, folder: Path | None = None) -> bool:
    """Start the program anew with the window's place. The caller then ends this process at once.

    A new process rather than `exec` in this one, which would wait for a thread that a driver holds. False: it did not
    start, and the caller should stay.
    """
    environment = dict(os.environ)
    path = save(place, folder)
    environment[PLACE] = "" if path is None else str(path)
    flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    if packaged():
        environment["PYINSTALLER_RESET_ENVIRONMENT"] = "1"  # it is no part of this process and outlives it
    try:
        subprocess.Popen(
            list(start or command()), env=environment, stdin=subprocess.DEVNULL,
            start_new_session=os.name != "nt", creationflags=flags,
        )  # fmt: skip
    except OSError as error:
        log.error("the program could not be started again: %s", error)
        return False
    return True


def save(place: str, folder: Path | None = None) -> Path | None:
    """The place in a private file; None when it could not be written, so that the restart comes without it."""
    try:
        kept = private_folder(user_log_folder().parent if folder is None else folder)
        handle, name = tempfile.mkstemp(dir=kept, prefix="place-", suffix=".json")  # private by birth
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(place)
    except OSError as error:
        log.warning("the window's place could not be kept: %s", error)
        return None
    return Path(name)


def take(environment: Mapping[str, str] = os.environ) -> str:
    """The place that the process before left; "" when this process is no restart. The file is gone afterwards."""
    name = environment.get(PLACE)
    if environment is os.environ:
        os.environ.pop(PLACE, None)  # the processes that this one starts have another
    if name is None:
        return ""
    path = Path(name)
    if not path.name.startswith("place-") or path.suffix != ".json":
        return NO_PLACE
    try:
        if not stat.S_ISREG(path.lstat().st_mode):  # as it was left, and no pipe or link to somewhere
            return NO_PLACE
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(LONGEST) or NO_PLACE
    except (OSError, ValueError):  # the second: a name that no file can have
        return NO_PLACE
    finally:
        with contextlib.suppress(OSError, ValueError):
            path.unlink()
