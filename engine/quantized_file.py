"""Files of quantised language models: what they say of themselves, their keys, and making one from a plain file.

A quantised file has the published keys (`engine.layout`); where a matrix is quantised, its key holds the values and
"<key>.scales" the scales. The header's metadata says in which precision, of which file, and how well the converted
model agrees with it. Conversion reads, rounds and writes one key at a time, so that neither model is ever held whole.
Called from the engine thread.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import torch
from torch import Tensor

from engine.config import LMConfig
from engine.errors import EngineError
from engine.layout import Piece, lm_pieces
from engine.lm import LanguageModel
from engine.precision import QUANTIZED, Storage, storage
from engine.quantize import Quantized, empty, quantize
from engine.tensor_file import FLOATS, TYPES, Entry, Reader, TensorFile

FORMAT = 1
METADATA_KEY = "parley"
_ROOM = 2048  # bytes kept free in a header for what is known only once the weights are written
_TYPE_NAMES = {dtype: name for name, dtype in TYPES.items()}


@dataclass(frozen=True)
class Description:
    """What a quantised file says of itself.

    source: `identity` of the plain file; agreement: `engine.agreement.Agreement`'s fields, None if it was not judged.
    """

    precision: str
    source: str = ""
    agreement: dict[str, float] | None = None

    def metadata(self) -> dict[str, str]:
        return {METADATA_KEY: json.dumps({"format": FORMAT, **self.__dict__})}


def describe(file: TensorFile) -> Description | None:
    """None for a plain file. Raises EngineError for a format that this version of the program does not know."""
    text = file.metadata.get(METADATA_KEY)
    if text is None:
        return None
    try:
        values = json.loads(text)
        agreement = values.get("agreement")
        known = values["format"] == FORMAT and values["precision"] in QUANTIZED
        if agreement is not None:
            agreement = {str(name): float(value) for name, value in agreement.items()}
        description = Description(str(values["precision"]), str(values.get("source", "")), agreement)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        known = False
    if not known:
        raise EngineError(
            f"{file.path.name} holds quantised weights of a kind that this version of the program does not know: "
            "take the plain model, or convert it again."
        )
    return description


class Part(NamedTuple):
    """One key of the plain layout that is kept, and how: `matrices` of [rows, columns]; vectors have no storage."""

    piece: Piece
    kept: Storage | None
    matrices: int
    rows: int
    columns: int

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.matrices, self.rows, self.columns


def parts(config: LMConfig, pieces: Sequence[Piece], precision: str) -> list[Part]:
    """The keys that are read, in the precision's storage."""
    with torch.device("meta"):
        shapes = {name: tuple(parameter.shape) for name, parameter in LanguageModel(config).named_parameters()}
    found = []
    for piece in pieces:
        if piece.parameter is not None:
            shape = shapes[piece.parameter]
            stacked = len(shape) == 3 and piece.row is None
            rows = shape[-2] if len(shape) > 1 else 1
            kept = storage(precision, piece.parameter, shape)
            found.append(Part(piece, kept, shape[0] if stacked else 1, rows, shape[-1]))
    return found


def quantized_pieces(config: LMConfig, precision: str) -> Iterator[Piece]:
    """The keys of a quantised file, and which parts of `QuantizedWeight` they fill."""
    for part in parts(config, list(lm_pieces(config, config.own)), precision):
        piece = part.piece
        if part.kept is None:
            yield piece
            continue
        values, scales = _flat(empty(part.kept, part.shape, "meta"))
        for key, tensor, name in ((piece.key, values, "values"), (f"{piece.key}.scales", scales, "scales")):
            yield Piece(key, tuple(tensor.shape), f"{piece.parameter}.{name}", piece.row, _TYPE_NAMES[tensor.dtype])


def _flat(weight: Quantized) -> Quantized:
    """A stack [matrices, rows, columns] as one matrix, the way packed keys hold it."""
    return Quantized(weight.values.flatten(0, 1), weight.scales.flatten(0, 1))


def read_quantized(reader: Reader, entry: Entry, part: Part, device: torch.device) -> Quantized:
    """One key of a plain file, rounded on `device`: a stack of `part.matrices`."""
    assert part.kept is not None
    plain = torch.empty(part.shape, dtype=FLOATS[entry.dtype], device=device)
    reader.copy(entry, plain)
    weight = empty(part.kept, part.shape, device)
    for matrix, values, scales in zip(plain, weight.values, weight.scales, strict=True):
        quantize(matrix, part.kept, Quantized(values, scales), part.piece.key)
    return weight


# ---------------------------------------------------------------- making one


def write_quantized(
    reader: Reader, file: TensorFile, config: LMConfig, pieces: Sequence[Piece], description: Description,
    target: Path, device: torch.device,
) -> None:  # fmt: skip
    """Converts the plain `file` (its checked `pieces`) into `target`, rounding on `device`.

    Raises EngineError (the disk, weights that are no numbers) and Cancelled; what is in `target` is then of no use.
    """
    order = sorted(parts(config, pieces, description.precision), key=lambda part: file.entries[part.piece.key].start)
    try:
        with target.open("wb") as out:
            _write_header(out, file, order, description)
            for part in order:
                for tensor in _converted(reader, file.entries[part.piece.key], part, device):
                    out.write(tensor.cpu().contiguous().view(-1).view(torch.uint8).numpy().data)
    except OSError as error:
        raise EngineError(
            f"The converted model could not be written to {target}: {error.strerror or error}."
        ) from error


def _converted(reader: Reader, entry: Entry, part: Part, device: torch.device) -> Sequence[Tensor]:
    if part.kept is not None:
        return read_quantized(reader, entry, part, device)
    plain = torch.empty(part.columns, dtype=FLOATS[entry.dtype])
    reader.copy(entry, plain)
    return (plain,)


def _write_header(out: BinaryIO, file: TensorFile, order: Sequence[Part], description: Description) -> None:
    header: dict[str, Any] = {}
    end = 0

    def add(key: str, dtype: str, shape: tuple[int, ...], size: int) -> None:
        nonlocal end
        header[key] = {"dtype": dtype, "shape": list(shape), "data_offsets": [end, end + size]}
        end += size

    for part in order:
        entry = file.entries[part.piece.key]
        if part.kept is None:
            add(part.piece.key, entry.dtype, part.piece.shape, part.columns * FLOATS[entry.dtype].itemsize)
            continue
        for key, tensor in zip(
            (part.piece.key, f"{part.piece.key}.scales"), _flat(empty(part.kept, part.shape, "meta")), strict=True
        ):
            size = tensor.numel() * tensor.element_size()
            add(key, _TYPE_NAMES[tensor.dtype], tuple(tensor.shape), size)
    text = json.dumps({"__metadata__": description.metadata(), **header}).encode()
    length = -(-(len(text) + _ROOM) // 8) * 8
    out.write(length.to_bytes(8, "little") + text.ljust(length))


def rewrite_description(path: Path, description: Description) -> None:
    """Another description in the header's free room; the weights stay where they are."""
    try:
        with path.open("r+b") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(length))
            text = json.dumps({**header, "__metadata__": description.metadata()}).encode()
            assert len(text) <= length, "a description fits into the room left for it"
            file.seek(8)
            file.write(text.ljust(length))
    except OSError as error:
        raise _not_written(path, error) from error


def made_whole(target: Path, make: Callable[[Path], object]) -> None:
    """`make` writes a file beside `target`, which becomes it only once whole. Two programs may do so at once."""
    temporary = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        make(temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise EngineError(
            f"The converted model could not be written to {target}: {error.strerror or error}."
        ) from error
    finally:
        with suppress(OSError):  # its folder may not even be one
            temporary.unlink(missing_ok=True)


def _not_written(target: Path, error: OSError) -> EngineError:
    return EngineError(f"The converted model could not be written to {target}: {error.strerror or error}.")
