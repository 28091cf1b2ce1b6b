"""The tensors of a stored voice (.pt), read without running anything and without believing a length.

Owns the container: a zip archive with a small pickle that says how bytes of other members become tensors. `torch.load`
lost here even with `weights_only`: it takes a storage's length from the pickle without comparing it with the bytes
that are there, and lets the pickle ask for buffers of any size. Knows nothing of what a voice must hold. Engine thread.
"""

from __future__ import annotations

import io
import math
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

MAX_PICKLE_BYTES = 64 << 10  # that of a published voice takes 350 bytes
MAX_MEMBERS = 64
_STORAGES: dict[str, torch.dtype] = {
    "BFloat16Storage": torch.bfloat16,
    "HalfStorage": torch.float16,
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "LongStorage": torch.int64,
    "IntStorage": torch.int32,
    "ShortStorage": torch.int16,
    "CharStorage": torch.int8,
    "ByteStorage": torch.uint8,
    "BoolStorage": torch.bool,
    "ComplexFloatStorage": torch.complex64,
}


class VoiceFileError(Exception):
    """The file is no archive of tensors, or it is damaged."""


class ForbiddenError(Exception):
    """Opening the file the usual way would run something."""


class _Storage(NamedTuple):
    dtype: torch.dtype
    data: bytes


def read_tensors(path: Path, limit: int) -> Any:
    """What was saved: plain containers with tensors on the CPU in them. At most `limit` bytes are held.

    Raises OSError, VoiceFileError or ForbiddenError.
    """
    if path.stat().st_size > limit:
        raise VoiceFileError
    try:
        with zipfile.ZipFile(path) as archive:
            return _unpickled(archive, limit)
    except (OSError, ForbiddenError, VoiceFileError):
        raise
    except Exception as error:  # a damaged archive or pickle fails in many ways
        raise VoiceFileError from error


def _unpickled(archive: zipfile.ZipFile, limit: int) -> Any:
    members = {member.filename: member for member in archive.infolist()}
    if len(members) > MAX_MEMBERS or sum(member.file_size for member in members.values()) > limit:
        raise VoiceFileError  # a small file may unpack to a huge one
    (program,) = [name for name in members if name == "data.pkl" or name.endswith("/data.pkl")]
    prefix = program.removesuffix("data.pkl")
    if members[program].file_size > MAX_PICKLE_BYTES:
        raise VoiceFileError
    if f"{prefix}byteorder" in members and archive.read(f"{prefix}byteorder") != b"little":
        raise VoiceFileError
    reader = _Reader(archive.read(program), lambda key: archive.read(f"{prefix}data/{key}"))
    return reader.load()


class _Reader(pickle._Unpickler):  # type: ignore[name-defined,misc]
    """Python's own unpickler in Python: the one in C takes a slot's number from the file and makes room up to it."""

    def __init__(self, program: bytes, read: Callable[[str], bytes]) -> None:
        super().__init__(io.BytesIO(program))
        self._read = read
        self._storages: dict[str, bytes] = {}

    def find_class(self, module: str, name: str) -> Any:
        """The few names that saved tensors need, each standing for something of ours."""
        if module == "torch" and name in _STORAGES:
            return _STORAGES[name]
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _Rebuild()
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if module == "torch._utils" and name.startswith("_rebuild_"):  # a tensor of another kind: said, not made
            return _other_tensor
        if (module, name) in (("torch.serialization", "_get_layout"), ("torch", "Size")):
            return _other_tensor
        raise ForbiddenError

    def get_extension(self, code: int) -> None:
        raise ForbiddenError

    def persistent_load(self, pid: Any) -> _Storage:
        _, dtype, key, _, count = pid
        if not isinstance(dtype, torch.dtype) or not isinstance(key, str) or not key.isalnum():
            raise VoiceFileError
        if key not in self._storages:
            self._storages[key] = self._read(key)
        data = self._storages[key]
        if not isinstance(count, int) or count * dtype.itemsize != len(data):
            raise VoiceFileError
        return _Storage(dtype, data)


def _other_tensor(*_: Any) -> str:
    return "a tensor of another kind"


class _Rebuild:
    """What a saved tensor calls to be made: a view of a storage, inside its bounds."""

    __slots__ = ()

    def __call__(self, storage: Any, offset: Any, shape: Any, strides: Any, *_: Any) -> Tensor:
        if not isinstance(storage, _Storage) or not isinstance(shape, tuple) or not isinstance(strides, tuple):
            raise VoiceFileError
        numbers = [offset, *shape, *strides]
        if len(shape) != len(strides) or not all(type(number) is int and number >= 0 for number in numbers):
            raise VoiceFileError
        if math.prod(shape) == 0:
            return torch.empty(shape, dtype=storage.dtype)
        last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
        count = len(storage.data) // storage.dtype.itemsize
        if last >= count or math.prod(shape) > count:  # no value twice: a stride of 0 would make much out of little
            raise VoiceFileError
        flat = torch.frombuffer(bytearray(storage.data), dtype=storage.dtype)
        return flat.as_strided(shape, strides, offset)
