"""What a Linux library or program (ELF, 64 bit, little-endian) says of itself: the libraries it is linked with.

For parley.spec and debian_package.py: without running the file or the loader, and without tools that may not be there.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

_DYNAMIC, _LOAD, _NEEDED, _STRINGS = 2, 1, 1, 5


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(6) == b"\x7fELF\x02\x01"


def needed(path: Path) -> set[str]:
    """Names of the libraries that the loader must find for it, such as "libc.so.6"; empty for what is no such file."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        return set()
    start, size, count = (
        struct.unpack_from("<Q", data, 32)[0],
        struct.unpack_from("<H", data, 54)[0],
        struct.unpack_from("<H", data, 56)[0],
    )
    headers = [struct.unpack_from("<IIQQQQQQ", data, start + size * number) for number in range(count)]
    loads = [(address, offset, length) for kind, _, offset, address, _, length, _, _ in headers if kind == _LOAD]
    dynamic = next(((offset, length) for kind, _, offset, _, _, length, _, _ in headers if kind == _DYNAMIC), None)
    if dynamic is None:
        return set()
    entries = [struct.unpack_from("<QQ", data, at) for at in range(dynamic[0], sum(dynamic), 16)]
    table = next((value for tag, value in entries if tag == _STRINGS), None)
    place = next((offset + table - at for at, offset, length in loads if table and at <= table < at + length), None)
    if place is None:
        return set()
    return {_text(data, place + value) for tag, value in entries if tag == _NEEDED}


def newest_glibc(path: Path) -> tuple[int, ...]:
    """The newest version of the C library whose functions it asks for, such as (2, 34); () when it names none."""
    names = re.findall(rb"\0GLIBC_(\d+(?:\.\d+)+)(?=\0)", path.read_bytes())
    return max((tuple(int(part) for part in name.split(b".")) for name in names), default=())


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()
