"""Whether a file's bytes are those that a hub published, by the two kinds of checksum that hubs give.

Owns their names and their computing. "sha256:..." is of the bytes; "git:..." is git's own name for a small file. Any
thread may call it; must not import torch or Qt.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

BLOCK_BYTES = 1 << 20
SHA256, GIT = "sha256", "git"
_KNOWN = re.compile(rf"{SHA256}:[0-9a-f]{{64}}|{GIT}:[0-9a-f]{{40}}", re.ASCII)


def named(sha256: object, git: object = None) -> str:
    """The checksum from what a hub tells of a file, the stronger one first; "" where it tells none."""
    found = [f"{kind}:{value}" for kind, value in ((SHA256, sha256), (GIT, git)) if isinstance(value, str)]
    return next((checksum for checksum in found if is_checksum(checksum)), "")


def is_checksum(text: object) -> bool:
    return isinstance(text, str) and _KNOWN.fullmatch(text) is not None


def matches(path: Path, checksum: str, read: Callable[[int], bool] = lambda _size: False) -> bool:
    """Reads the whole file. read: told of each block's bytes; True ends the reading, and the answer is then False.

    Raises OSError.
    """
    assert is_checksum(checksum), checksum
    kind, _, wanted = checksum.partition(":")
    # git's names are made with SHA-1; here it finds damage, and guards against nobody
    digest = hashlib.sha256() if kind == SHA256 else hashlib.sha1(usedforsecurity=False)
    if kind == GIT:
        digest.update(f"blob {path.stat().st_size}\0".encode())
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
            if read(len(block)):
                return False
    return digest.hexdigest() == wanted
