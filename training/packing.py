"""Model files in half the room: matrices as 8-bit numbers, which the loaders of the program read as if they were plain.

Owns the rounding and the choice of what is rounded; the file's form is `engine.tensor_file`'s ("<key>" int8 beside
"<key>.scale", marked in the header). A row's scale is its largest number / 127, cut to bfloat16: the largest is then
127 times the scale, and the program's own 8-bit precision finds the very same numbers in a packed language model.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import save_file
from torch import Tensor

from engine.tensor_file import PACKING, PACKING_FORMAT, SCALE, Reader, read_header

SMALLEST = 4096  # numbers; below, 16 bits cost next to nothing
GROUP = 64
_BFLOAT16_BITS = -1 << 16  # of a float32


class PackedError(NamedTuple):
    """How far a packed tensor is from the plain one: root mean square against the tensor's own."""

    key: str
    relative: float
    plain_bytes: int
    packed_bytes: int


def rounded(matrix: Tensor, groups: int = 1) -> tuple[Tensor, Tensor]:
    """matrix [rows, ...] -> int8 of its shape and scales bfloat16 [rows, groups]."""
    wide = matrix.float().reshape(matrix.shape[0], groups, -1)
    largest = wide.abs().amax(-1)
    scales = ((largest / 127).view(torch.int32) & _BFLOAT16_BITS).view(torch.float32).to(torch.bfloat16)
    divisor = scales.float().masked_fill(scales == 0, 1)[..., None]
    return (wide / divisor).round().clamp(-127, 127).to(torch.int8).reshape(matrix.shape), scales


def spread(values: Tensor, scales: Tensor) -> Tensor:
    """The numbers that a reader gets: float32 of values' shape."""
    wide = values.float().reshape(*scales.shape, -1)
    return (wide * scales.float()[..., None]).reshape(values.shape)


def packed(
    tensors: dict[str, Tensor], keep: Callable[[str], bool] = lambda key: False, grouped: bool = False,
    dtype: torch.dtype = torch.float16,
) -> tuple[dict[str, Tensor], list[PackedError]]:  # fmt: skip
    """The file's tensors, large ones rounded, the others (and those that `keep` names) in `dtype`; and what it cost.

    grouped: a scale for every 64 numbers of a row, where that divides it, rather than for the row.
    """
    made: dict[str, Tensor] = {}
    errors = []
    for key, tensor in tensors.items():
        columns = tensor[0].numel() if tensor.ndim > 1 else 0
        if tensor.numel() < SMALLEST or columns < 16 or keep(key):
            made[key] = tensor.to(dtype)
            continue
        groups = columns // GROUP if grouped and columns % GROUP == 0 else 1
        values, scales = rounded(tensor, groups)
        made |= {key: values, f"{key}{SCALE}": scales}
        off = (spread(values, scales) - tensor.float()).pow(2).mean().sqrt()
        relative = float(off / tensor.float().pow(2).mean().sqrt().clamp(min=1e-12))
        errors.append(PackedError(key, relative, 2 * tensor.numel(), values.numel() + 2 * scales.numel()))
    return made, errors


def write_packed(tensors: dict[str, Tensor], path: Path) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    save_file({key: value.cpu().contiguous() for key, value in tensors.items()}, partial, {PACKING: PACKING_FORMAT})
    partial.replace(path)


def read(path: Path) -> dict[str, Tensor]:
    """All tensors of a plain or packed file, in float32."""
    file = read_header(path)
    tensors = {key: torch.empty(entry.shape) for key, entry in file.entries.items()}
    with Reader(path, "weights", sum(entry.size for entry in file.entries.values())) as reader:
        for key, entry in file.entries.items():
            reader.copy(entry, tensors[key])
    return tensors
