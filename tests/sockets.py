"""Which TCP ports a process listens on, read from /proc (Linux): for the tests that the program opens no door."""

from __future__ import annotations

import os
from pathlib import Path

_LISTEN = "0A"  # the kernel's number of that state in /proc/net/tcp


def listening(pid: int | str = "self") -> set[str]:
    """Local address and port, as the kernel writes them, of every TCP socket of the process that accepts callers."""
    process = Path("/proc", str(pid))
    own = {_target(entry) for entry in (process / "fd").iterdir()}
    found = set()
    for table in ("tcp", "tcp6"):
        path = process / "net" / table
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            fields = line.split()
            if fields[3] == _LISTEN and f"socket:[{fields[9]}]" in own:
                found.add(fields[1])
    return found


def _target(descriptor: Path) -> str:
    try:
        return os.readlink(descriptor)
    except OSError:  # closed while the folder was being read
        return ""
