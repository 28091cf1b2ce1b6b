"""Rights as any user has them, in tests that root runs: a read-only folder is one that root may write to."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_VERSION = 0x20080522  # of the system's interface for capabilities, in 64 bits
_WRITE_AND_READ_EVERYWHERE = (1 << 1) | (1 << 2)

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody may write into the folder, root neither: in this thread and in those that it starts meanwhile."""
    mode = folder.stat().st_mode
    folder.chmod(0o500)
    try:
        with _no_right_to_everything():
            with pytest.raises(PermissionError):  # or the test would prove nothing
                (folder / "x").touch()
            yield
    finally:
        folder.chmod(mode)


@contextlib.contextmanager
def _no_right_to_everything() -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root may write everywhere")
    system = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    rights = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice 32 bits each
    assert system.capget(header, rights) == 0
    held = rights[0]
    rights[0] = held & ~_WRITE_AND_READ_EVERYWHERE
    assert system.capset(header, rights) == 0
    try:
        yield
    finally:
        rights[0] = held
        assert system.capset(header, rights) == 0
