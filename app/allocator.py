"""Memory that was freed goes back to the system.

Owns one call of glibc's. Sound sessions are built of many short-lived threads and buffers, PortAudio's and the sound
server's among them; what they free stays in the allocator's pools, twenty megabytes after some minutes, until somebody
asks for it. Takes milliseconds, in which other threads may wait for memory: to be called while no sound is open.
"""

from __future__ import annotations

import ctypes
import sys


def give_back_freed() -> None:
    """Never raises; does nothing where the system has no such call (musl, macOS, Windows)."""
    if not sys.platform.startswith("linux"):
        return
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return
    trim(0)
