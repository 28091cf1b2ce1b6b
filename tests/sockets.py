"""Which ports a process can be reached at, read from /proc (Linux): for the tests that the program opens no door."""

from __future__ import annotations

import os
from pathlib import Path

# The kernel's numbers of the states in /proc/net: a TCP socket that accepts callers, a UDP socket that hears anybody.
_OPEN = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}


def listening(pid: int | str = "self") -> set[str]:
    """Protocol, local address and port, as the kernel writes them, of every socket that strangers can reach."""
    process = Path("/proc", str(pid))
    own = {_target(entry) for entry in (process / "fd").iterdir()}
    found = set()
    for table, state in _OPEN.items():
        path = process / "net" / table
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            fields = line.split()
            if fields[3] == state and f"socket:[{fields[9]}]" in own:
                found.add(f"{table} {fields[1]}")
    return found


def _target(descriptor: Path) -> str:
    try:
        return os.readlink(descriptor)
    except OSError:  # closed while the folder was being read
        return ""
