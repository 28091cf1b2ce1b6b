"""What a hub tells of a repository, believed only where it has the form of such an answer.

Owns the list of files, and what every number and name in it must be. Instead of a hub, a network's login page, a proxy
or a stranger may answer. Pure; must not import torch or Qt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from app.checksums import named

MOST_BYTES = 1 << 50  # of a file
MOST_FILES = 100_000
_REVISION = re.compile(r"[0-9A-Za-z][\w.-]{0,99}", re.ASCII)

T = TypeVar("T")


class OddAnswerError(OSError):
    """Something answered, and it was no hub."""


class RemoteFile(NamedTuple):
    """size in bytes; checksum as in `app.checksums`, or "" where the hub does not tell."""

    size: int
    checksum: str = ""


class Listing(NamedTuple):
    """A repository's files at one revision."""

    revision: str
    files: Mapping[str, RemoteFile]


def understood(ask: Callable[[], T], foreseen: Callable[[Exception], bool]) -> T:
    """The answer to a question that the hub's library reads. foreseen: whether an error is one of the network, of the
    disk or a refusal; any other comes from reading what is no answer, and is raised as OddAnswerError."""
    try:
        return ask()
    except Exception as error:
        if foreseen(error):
            raise
        raise OddAnswerError(f"{type(error).__name__}: {error}"[:200]) from error


def listing_of(info: Any) -> Listing:
    """The list in a `huggingface_hub.ModelInfo`. Raises OddAnswerError."""
    revision, siblings = info.sha, info.siblings or ()
    if not isinstance(revision, str) or not _REVISION.fullmatch(revision) or len(siblings) > MOST_FILES:
        raise OddAnswerError
    files = {}
    for sibling in siblings:
        name, size = sibling.rfilename, sibling.size or 0
        if not isinstance(name, str) or type(size) is not int or not 0 <= size <= MOST_BYTES:
            raise OddAnswerError
        files[name] = RemoteFile(size, named(sibling.lfs.get("sha256") if sibling.lfs else None, sibling.blob_id))
    return Listing(revision, files)
