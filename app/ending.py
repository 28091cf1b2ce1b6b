"""The end of the process when something in it cannot be stopped. Main thread; must know nothing of what that is."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import NoReturn


def end_now(status: int) -> NoReturn:
    """End the process without the interpreter's farewells. Everything of the user's must have been written.

    For a build or a driver that cannot be stopped: it would go on while torch and the sound system are taken from
    under it, and the sound system's own farewell waits for ever for a stream that another thread is closing.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, full, or not there at all
            stream.flush()
    os._exit(status)
