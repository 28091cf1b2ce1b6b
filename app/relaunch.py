"""Starting the program again at the same place, when the running one cannot be rescued.

Owns the file that carries the window's place (its words and its position) from one process to the next, and the start
of that process. The file is private, read once and removed: words are kept no longer than the restart takes, or until
the next start where a restart never came about. Main thread; must not import torch or Qt.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.paths import own_command, packaged, user_log_folder
from app.private_files import private_folder

log = logging.getLogger("parley")

PLACE = "PARLEY_PLACE"  # environment variable of the next process: where the place lies
NO_PLACE = "{}"  # of a restart that could not bring its place along
LONGEST = 64 << 20  # bytes of a place; a day of talking makes four million
LEFT_S = 60.0  # a place that lies for longer is no restart's that is on its way


def command() -> list[str]:
    """This program with the arguments it was started with, which may name files from where it was started."""
    return own_command(*sys.argv[1:])


def start_again(path: Path | None, start: Sequence[str] | None = None) -> bool:
    """Start the program anew with the place that was saved, or without one. The caller then ends this process at once.

    A new process rather than `exec` in this one, which would wait for a thread that a driver holds. False: it did not
    start; the next start, by whomever, has the place.
    """
    environment = dict(os.environ)
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
        with contextlib.suppress(OSError):
            if path is not None:
                os.utime(path, (0, 0))  # nobody is on the way to it
        return False
    return True


def save(place: str, folder: Path | None = None) -> Path | None:
    """The place in a private file; None when it could not be written, of which nothing stays."""
    if len(place) > LONGEST:
        return None
    path = None
    try:
        kept = private_folder(_folder() if folder is None else folder)
        handle, name = tempfile.mkstemp(dir=kept, prefix="place-", suffix=".json")  # private by birth
        path = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(place)
    except OSError as error:
        log.warning("the window's place could not be kept: %s", error)
        with contextlib.suppress(OSError):
            if path is not None:
                path.unlink()
        return None
    return path


def left_behind(folder: Path | None = None) -> str:
    """The oldest place whose restart never came about, the computer having been switched off or out of memory; "" when
    there is none. The file is gone afterwards."""
    found = []
    with contextlib.suppress(OSError):
        for path in (_folder() if folder is None else folder).glob("place-*.json"):
            age_s = time.time() - path.lstat().st_mtime
            if abs(age_s) > LEFT_S:  # below zero: the clock was set back
                found.append((age_s, path))
    for _, path in sorted(found, reverse=True):
        place = take({PLACE: str(path)})
        if place != NO_PLACE:
            return place
    return ""


def _folder() -> Path:
    return user_log_folder().parent


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
