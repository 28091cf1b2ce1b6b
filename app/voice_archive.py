"""The archive of voices that comes with a model, unpacked with suspicion.

Owns the bounds and the order: everything is written to a folder of its own, which takes its place only when whole.
Called from the engine thread.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import tarfile
import tempfile
import zlib
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from app.errors import UserError

MAX_VOICES = 1000
MAX_BYTES = 512 << 20  # unpacked; the published archive holds 18 voices of half a megabyte
MAX_READ = 64 << 20
_BLOCK = 1 << 20


class _TooLargeError(Exception):
    pass


class _Bounded:
    """Reads an unpacked stream up to MAX_BYTES in all, however well it was packed."""

    def __init__(self, stream: BinaryIO):
        self._stream, self._left = stream, MAX_BYTES

    def read(self, size: int) -> bytes:
        if size > MAX_READ or size > self._left:
            raise _TooLargeError
        data = self._stream.read(size)
        self._left -= len(data)
        return data


def unpacked(archive: Path, folder: Path) -> Path:
    """The folder with the archive's voices, unpacked there once for each content. Raises UserError.

    Only plain files of a plain folder are taken: an archive with links or with names that lead elsewhere is refused.
    """
    target = unpacked_folder(archive, folder)
    if target.is_dir():
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=folder, prefix=".unpacking-"))
    except OSError as error:
        raise UserError(f"The voices of {archive} could not be unpacked to {folder} ({error.strerror}).") from error
    try:
        _unpack(archive, work)
        os.replace(work, target)
    except OSError as error:
        if target.is_dir():  # another start of the program was faster
            return target
        raise UserError(f"The voices of {archive} could not be unpacked ({error.strerror or error}).") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def unpacked_folder(archive: Path, folder: Path) -> Path:
    """Where in `folder` the voices of this archive are, or would be. Raises OSError where there is no archive."""
    stamp = archive.stat()
    name = f"{archive.resolve()}\0{stamp.st_size}\0{stamp.st_mtime_ns}"
    return folder / hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _unpack(archive: Path, folder: Path) -> None:
    refusal = f"{archive.name} is not a sound archive of voices"
    try:
        with gzip.open(archive) as stream:
            bounded = cast(BinaryIO, _Bounded(cast(BinaryIO, stream)))
            with tarfile.open(fileobj=bounded, mode="r|") as members:
                for count, member in enumerate(members):
                    if count >= MAX_VOICES:
                        raise _TooLargeError
                    name = _voice_name(member, refusal)
                    if name is not None:
                        _write(members, member, folder / name)
    except _TooLargeError as error:
        raise UserError(f"{refusal}: it unpacks to far more than voices take.") from error
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError, OverflowError) as error:
        raise UserError(f"{refusal}, or it is damaged: fetch it again.") from error


def _voice_name(member: tarfile.TarInfo, refusal: str) -> str | None:
    """The file's name without its folder; None for a folder and for files that other systems add."""
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts or set(member.name) & set("\\:\0"):
        raise UserError(f"{refusal}: the name {member.name[:60]!r} leads out of its folder.")
    if member.isdir():
        return None
    if not member.isreg():
        raise UserError(f"{refusal}: {member.name[:60]!r} is a link or a device.")
    return None if path.name.startswith(".") else path.name


def _write(members: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    source = members.extractfile(member)
    assert source is not None, "a plain file has content"
    with path.open("wb") as file:
        while block := source.read(_BLOCK):
            file.write(block)
