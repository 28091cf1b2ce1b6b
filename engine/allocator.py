"""The system's memory, as glibc hands it out: freed memory goes back to the system, and few pools are kept.

Owns two calls of glibc's. What is freed in pieces below some megabytes, a small model's weights among them, stays in
the allocator's pools until somebody asks for it. Giving back takes milliseconds, in which other threads may wait for
memory. Any thread; needs no torch.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

MOST_POOLS = 4
_M_ARENA_MAX = -8  # of malloc.h


def give_back_freed() -> None:
    """Never raises; does nothing where the system has no such call (musl, macOS, Windows)."""
    trim = _call("malloc_trim")
    if trim is not None:
        trim(0)


def keep_to_few_pools() -> None:
    """Threads share a few pools from now on; to be called before there are many threads.

    Left to itself glibc opens eight for each processor core, and what was once used at the end of one stays there, also
    when freed memory is given back. Each talk has new threads, of the sound system among them: they would fill one pool
    after the other, a megabyte each. Never raises; does nothing where the system has no such call.
    """
    option = _call("mallopt")
    if option is not None:
        option(_M_ARENA_MAX, MOST_POOLS)


def _call(name: str) -> Any:
    """A function of glibc's; None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):
        return None
