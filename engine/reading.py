"""How each key of a checkpoint file comes into its place: copied, rounded or spread out on the way.

Owns the jobs of a load and nothing of files' names or checks. Engine thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from engine.layout import Piece
from engine.quantize import dequantized, empty
from engine.quantized_file import Part, read_quantized
from engine.tensor_file import Entry, Reader

Entries = Mapping[str, Entry]
Tensors = Mapping[str, Tensor]


class Job(NamedTuple):
    """One key's reading. start: where in the file; size: bytes that are read."""

    start: int
    size: int
    run: Callable[[Reader], None]


MakeJobs = Callable[[Entries, Tensors], list[Job]]


def copying(pieces: Sequence[Piece]) -> MakeJobs:
    """Every piece into its parameter, cast at most."""

    def jobs(entries: Entries, tensors: Tensors) -> list[Job]:
        made = []
        for piece in pieces:
            if piece.parameter is not None:
                entry, target = entries[piece.key], _place(tensors, piece.parameter, piece.row)
                size = stored_bytes(entry, target.numel())  # of a packed key the first rows only
                made.append(Job(entry.start, size, partial(Reader.copy, entry=entry, destination=target)))
        return made

    return jobs


def rounding(parts: Sequence[Part], device: torch.device) -> MakeJobs:
    """Plain keys into quantised parameters, each rounded on `device`."""

    def jobs(entries: Entries, tensors: Tensors) -> list[Job]:
        made = copying([part.piece for part in parts if part.kept is None])(entries, tensors)
        for part in parts:
            if part.kept is not None:
                entry = entries[part.piece.key]
                size = stored_bytes(entry, part.matrices * part.rows * part.columns)
                made.append(Job(entry.start, size, partial(_round, entry=entry, part=part, tensors=tensors, on=device)))
        return made

    return jobs


def spreading(parts: Sequence[Part], device: torch.device, dtype: torch.dtype) -> MakeJobs:
    """Quantised keys into plain parameters."""

    def jobs(entries: Entries, tensors: Tensors) -> list[Job]:
        made = copying([part.piece for part in parts if part.kept is None])(entries, tensors)
        for part in parts:
            if part.kept is not None:
                both = entries[part.piece.key], entries[f"{part.piece.key}.scales"]
                run = partial(_spread, both=both, part=part, tensors=tensors, weight_device=device, dtype=dtype)
                made.append(Job(both[0].start, both[0].size + both[1].size, run))
        return made

    return jobs


def stored_bytes(entry: Entry, numbers: int) -> int:
    """What is read for so many of the entry's first numbers."""
    size = numbers * entry.item_bytes
    if entry.scales is not None:
        size += numbers // (entry.elements // entry.scales.elements) * entry.scales.item_bytes
    return size


def _place(tensors: Tensors, parameter: str | None, row: int | None) -> Tensor:
    assert parameter is not None
    return tensors[parameter] if row is None else tensors[parameter][row]


def _round(reader: Reader, *, entry: Entry, part: Part, tensors: Tensors, on: torch.device) -> None:
    for name, tensor in zip(("values", "scales"), read_quantized(reader, entry, part, on), strict=True):
        place = _place(tensors, f"{part.piece.parameter}.{name}", part.piece.row)
        place.view_as(tensor).copy_(tensor)


def _spread(
    reader: Reader, *, both: tuple[Entry, Entry], part: Part, tensors: Tensors, weight_device: torch.device,
    dtype: torch.dtype,
) -> None:  # fmt: skip
    assert part.kept is not None
    weight = empty(part.kept, part.shape, weight_device)
    for entry, tensor in zip(both, weight, strict=True):
        reader.copy(entry, tensor)
    place = _place(tensors, part.piece.parameter, part.piece.row)
    place.view(part.shape).copy_(dequantized(weight, dtype))
