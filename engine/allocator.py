"""Memory that was freed goes back to the system.

Owns one call of glibc's. What is freed in pieces below some megabytes, a small model's weights among them, stays in
the allocator's pools until somebody asks for it. Takes milliseconds, in which other threads may wait for memory. Any
thread; needs no torch.
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
