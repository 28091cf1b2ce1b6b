"""A safetensors file, opened with suspicion and read in slices.

Owns the container: its header (checked before it is believed), the sentences for files that are something else, and
the copying of byte ranges into tensors with progress and cancelling. Packed files keep large
matrices in 8 bits: their readers see float tensors like any other. Knows nothing of models. Plain reads instead of a
memory map: the pages of a map count as resident until the system takes them back, and a file cut short under a map
kills the process. Called from the engine thread, or from any one thread.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor

from engine.errors import Cancelled, EngineError

# The header of a 7B model takes 50 kB. Parsing what an evil one could bring must not take a second.
MAX_HEADER_BYTES = 8 << 20
SLOW_READ_S, FAST_READ_S = 0.25, 0.1
SMALLEST_READ, LARGEST_READ = 64 << 10, 16 << 20
_UNPACKED_AT_ONCE = 2 << 20  # numbers: spread out to float32 they, too, take no more than LARGEST_READ
REPORT_EVERY_BYTES, REPORT_EVERY_S = 32 << 20, 0.25

FLOATS: dict[str, torch.dtype] = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
}
# What quantised weights are stored as; read as they are, never cast.
TYPES = FLOATS | {"I8": torch.int8, "U8": torch.uint8, "F8_E4M3": torch.float8_e4m3fn}
_ITEM_BITS = {
    "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "I64": 64, "U64": 64, "I32": 32, "U32": 32, "I16": 16, "U16": 16,
    "I8": 8, "U8": 8, "BOOL": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "C64": 64,
}  # fmt: skip

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Entry:
    """One tensor of the file: `start` and `size` in bytes from the file's beginning.

    scales: of a packed tensor, whose numbers are int8 in the file while `dtype` says what a reader gets:
        [shape[0], groups of a row's numbers], each to be multiplied with its group.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    size: int
    scales: Entry | None = None

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def item_bytes(self) -> int:
        """Bytes of a number in the file, scales left out."""
        return TYPES[self.dtype].itemsize if self.scales is None else 1

    def matrix(self, index: int, count: int) -> Entry:
        """The `index`th of `count` equal parts along the rows."""
        size, shape = self.size // count, (self.shape[0] // count, *self.shape[1:])
        scales = None if self.scales is None else self.scales.matrix(index, count)
        return Entry(self.dtype, shape, self.start + index * size, size, scales)


@dataclass(frozen=True)
class TensorFile:
    """A checked header: every entry lies inside the file, has the size that its shape says, and overlaps no other.

    metadata: what the file says of itself, unchecked but for being texts.
    """

    path: Path
    entries: Mapping[str, Entry]
    metadata: Mapping[str, str] = field(default_factory=dict)


def read_header(path: Path) -> TensorFile:
    """Opens, checks and closes the file. Reads at most MAX_HEADER_BYTES; raises EngineError with one sentence."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            head = file.read(512)
            _refuse_other_kinds(path.name, head, size)
            length = int.from_bytes(head[:8], "little")
            if length > MAX_HEADER_BYTES:
                raise EngineError(
                    f"{path.name} is damaged or no safetensors file: it claims a header of {length} bytes."
                )
            if length > size - 8:
                raise EngineError(f"{path.name} ends inside its header ({size} bytes): {_AGAIN}.")
            file.seek(8)
            raw = file.read(length)
    except OSError as error:
        raise EngineError(f"{path} could not be read: {error.strerror or error}.") from error
    entries, metadata = _parsed(path.name, raw, 8 + length, size)
    return TensorFile(path, _joined(path.name, entries, metadata), metadata)


_AGAIN = "the download is incomplete or damaged, so fetch it again"


def _refuse_other_kinds(name: str, head: bytes, size: int) -> None:
    """The files that people do have under a weights file's name."""
    text = head.lstrip().lower()
    if size < 8:
        raise EngineError(f"{name} is empty or nearly so ({size} bytes): {_AGAIN}.")
    if head.startswith(b"version https://git-lfs"):
        raise EngineError(f"{name} is only a Git LFS pointer to the weights: run `git lfs pull` in its folder.")
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        raise EngineError(f"{name} is a web page saved under this name: download the file itself again.")
    if head.startswith(b"GGUF"):
        raise EngineError(f"{name} is a GGUF file; this program needs the model's PyTorch safetensors file.")
    if head.startswith((b"PK\x03\x04", b"\x80\x02", b"\x80\x04")):
        raise EngineError(f"{name} is a pickled PyTorch file; this program needs the model's safetensors file.")
    if not head[8:].lstrip().startswith(b"{"):
        raise EngineError(f"{name} is not a safetensors file, or it is damaged: download it again.")


def _parsed(name: str, raw: bytes, data_start: int, file_size: int) -> tuple[dict[str, Entry], dict[str, str]]:
    try:
        header = json.loads(raw.decode("utf-8"))
        if not isinstance(header, dict):
            raise ValueError
        metadata = header.pop("__metadata__", None) or {}
        if not all(isinstance(text, str) for text in dict(metadata).values()):
            raise ValueError
        entries = {key: _entry(value, data_start) for key, value in header.items()}
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise EngineError(f"{name} has a damaged header: download it again.") from error
    end = data_start
    for key, entry in sorted(entries.items(), key=lambda item: (item[1].start, item[1].size)):
        if entry.start < end:
            raise EngineError(
                f"{name} has a damaged header, in which {key[:80]!r} overlaps another tensor: download it again."
            )
        end = entry.start + entry.size
    if end > file_size:
        raise EngineError(f"{name} has only {file_size} of {end} bytes: {_AGAIN}.")
    if end < file_size:
        raise EngineError(f"{name} has {file_size - end} bytes that its header does not describe: {_AGAIN}.")
    return entries, metadata


def _entry(value: Any, data_start: int) -> Entry:
    shape, (begin, end) = value["shape"], value["data_offsets"]
    numbers = [*shape, begin, end]
    if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 62 for n in numbers):
        raise ValueError
    if len(shape) > 8 or math.prod(shape) * _ITEM_BITS[value["dtype"]] != (end - begin) * 8:
        raise ValueError
    return Entry(value["dtype"], tuple(shape), data_start + begin, end - begin)


# A file that says PACKING: PACKING_FORMAT of itself keeps matrices as int8 beside "<key>.scale", and reads as if plain.
PACKING, PACKING_FORMAT, SCALE = "packing", "int8 rows 1", ".scale"
_LONGEST_ROW = 1 << 20


def _joined(name: str, entries: dict[str, Entry], metadata: Mapping[str, str]) -> dict[str, Entry]:
    """Packed matrices and their scales as one float entry each."""
    if PACKING not in metadata:
        return entries
    if metadata[PACKING] != PACKING_FORMAT:
        raise EngineError(
            f"{name} is packed in a way that this version of the program does not know: install a newer one."
        )
    packed = [key for key, entry in entries.items() if entry.dtype == "I8"]
    whole = dict(entries)
    for key in packed:
        values, scales = entries[key], whole.pop(f"{key}{SCALE}", None)
        columns = math.prod(values.shape[1:])
        fits = (
            scales is not None and scales.dtype in FLOATS
            and len(values.shape) > 1 and values.shape[0] > 0 and 0 < columns <= _LONGEST_ROW
            and len(scales.shape) == 2 and scales.shape[0] == values.shape[0] and 0 < scales.shape[1] <= columns
            and columns % scales.shape[1] == 0
        )  # fmt: skip
        if not fits:
            raise EngineError(f"{name} has a damaged header, in which {key[:80]!r} has no fitting scales: {_AGAIN}.")
        whole[key] = Entry("F32", values.shape, values.start, values.size, scales)
    return whole


def open_unbuffered(path: Path) -> BinaryIO:
    return path.open("rb", buffering=0)  # type: ignore[return-value]


@dataclass
class Reader:
    """Copies tensors of one file into tensors of any device and float type.

    what, total: the name and the bytes for `progress(what, done, total)`, called at least every REPORT_EVERY_BYTES and,
        however slow the disk, some times a second: reads shrink until one takes SLOW_READ_S at most.
    cancelled: asked after every read; True raises Cancelled.
    """

    path: Path
    what: str
    total: int
    progress: Progress | None = None
    cancelled: Callable[[], bool] | None = None
    clock: Callable[[], float] = time.monotonic
    opener: Callable[[Path], BinaryIO] = open_unbuffered
    done: int = 0
    _read_size: int = 256 << 10
    _reported: tuple[int, float] = field(default=(0, 0.0))
    _staging: Tensor | None = None

    def __enter__(self) -> Reader:
        self._file = self.opener(self.path)
        self._report(force=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._staging = None

    def copy(self, entry: Entry, destination: Tensor) -> None:
        """Fill `destination` (contiguous) with the first elements of `entry`, cast to its type."""
        flat = destination.view(-1)
        source_type = TYPES[entry.dtype]
        assert flat.numel() <= entry.elements, "the destination is larger than the tensor in the file"
        if entry.scales is not None:
            self._unpack(entry, entry.scales, flat)
            return
        self._file.seek(entry.start)
        done = 0
        while done < flat.numel():
            count = min(self._read_size // source_type.itemsize, flat.numel() - done)
            part = flat[done : done + count]
            if part.device.type == "cpu" and part.dtype == source_type:
                self._fill(part)
            else:
                staging = self._stage(count * source_type.itemsize, part.device)
                self._fill(staging)
                part.copy_(staging.view(source_type))
            done += count

    def _unpack(self, entry: Entry, scales: Entry, flat: Tensor) -> None:
        """Whole rows at a time: their 8-bit numbers, then their scales; multiplied in float32 on the host."""
        rows, groups = scales.shape
        columns, scale_type = entry.elements // rows, TYPES[scales.dtype]
        assert flat.numel() % columns == 0, "the destination ends inside a row"
        wanted, done = flat.numel() // columns, 0
        while done < wanted:
            count = min(max(1, min(self._read_size, _UNPACKED_AT_ONCE) // columns), wanted - done)
            values = torch.empty(count, groups, columns // groups, dtype=torch.int8)
            factors = torch.empty(count, groups, 1, dtype=scale_type)
            self._file.seek(entry.start + done * columns)
            self._fill(values)
            self._file.seek(scales.start + done * groups * scale_type.itemsize)
            self._fill(factors)
            part = values.float().mul_(factors.float())
            flat[done * columns : (done + count) * columns].copy_(part.view(-1))
            done += count

    def _stage(self, size: int, device: torch.device) -> Tensor:
        """Host bytes for one read; pinned for a GPU, where a pageable copy would pass through another buffer."""
        pinned = device.type == "cuda"
        if self._staging is None or (pinned and not self._staging.is_pinned()):
            self._staging = torch.empty(LARGEST_READ, dtype=torch.uint8, pin_memory=pinned)
        return self._staging[:size]

    def _fill(self, tensor: Tensor) -> None:
        view = tensor.view(torch.uint8).numpy().data
        started = self.clock()
        filled = 0
        while filled < len(view):
            try:
                got = self._file.readinto(view[filled:])  # type: ignore[attr-defined]
            except OSError as error:
                raise EngineError(f"{self.path} could not be read: {error.strerror or error}.") from error
            if not got:
                raise EngineError(f"{self.path.name} ended while it was read: {_AGAIN}.")
            filled += got
        took = self.clock() - started
        if took > SLOW_READ_S:
            self._read_size = max(SMALLEST_READ, self._read_size // 2)
        elif took < FAST_READ_S and filled >= self._read_size:  # a short tensor says nothing of the disk
            self._read_size = min(LARGEST_READ, self._read_size * 2)
        self.done += filled
        self._report()

    def _report(self, force: bool = False) -> None:
        if self.cancelled is not None and self.cancelled():
            raise Cancelled
        done, when = self._reported
        now = self.clock()
        due = self.done - done >= REPORT_EVERY_BYTES or now - when >= REPORT_EVERY_S or self.done >= self.total
        if force or due:
            self._reported = (self.done, now)
            if self.progress is not None:
                self.progress(self.what, self.done, self.total)
