"""The precisions by name, and how each keeps a weight: bits, scales, bytes.

Owns the decisions behind the quantised formats, as plain numbers: no torch, so that a table of what fits can be made
anywhere. Any thread may ask.

Relative error of one weight (root mean square against that of the weights; Gaussian / Student-t with 5 degrees, rows of
4096), and bits with scales: int8 a row 0.9 / 2.0 %, 8.0 bits; fp8 (e4m3) 2.7 / 2.6 %, 8.0; int4 in groups of 32, 64,
128: 8.3 / 10.4, 9.1 / 12.3, 9.7 / 14.0 %, 4.5, 4.25, 4.125. Groups of 64 are the finest with which the 7B model and a
full talk stay under 7 GB. Embeddings and heads are 8-bit integers in all of them: at 7B they are 0.46 of 7.7 billion
weights, so that bfloat16 would cost 0.46 GB more and 4 bits save 0.2 GB.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

VALUE_BYTES = {"float32": 4, "bfloat16": 2}  # plain precisions
QUANTIZED = ("int8", "int4", "fp8", "fp8-row")
NAMES = (*VALUE_BYTES, *QUANTIZED)
KV = ("full", "int8")  # what past frames are kept in: as the model computes, or 8 bits and a scale for each vector

SCALE_BYTES = 2  # bfloat16: as wide a range as float32; weights are rounded with the scale as stored, so none is lost
SPREAD_AT_ONCE = 1 << 25  # numbers that are made plain at once for a product: captured graphs keep that memory
SMALLEST_GROUP = 16  # below, the scales weigh more than half of what four bits save: eight bits then


class Storage(NamedTuple):
    """How a matrix is kept. group: columns that share a scale; 0 = all of a row, None = the whole matrix."""

    bits: int
    group: int | None
    floating: bool = False

    def scales(self, rows: int, columns: int) -> tuple[int, int]:
        """Shape of a matrix's scales."""
        return (1, 1) if self.group is None else (rows, columns // (self.group or columns))

    def size(self, shape: Sequence[int]) -> int:
        """Bytes of a matrix, or a stack of them, with its scales."""
        *stack, rows, columns = shape
        scales = math.prod(self.scales(rows, columns))
        return math.prod(stack) * (rows * columns * self.bits // 8 + scales * SCALE_BYTES)


INT8 = Storage(8, 0)
_MATRICES = {"int8": INT8, "int4": Storage(4, 64), "fp8": Storage(8, None, True), "fp8-row": Storage(8, 0, True)}
_EIGHT_BITS = ("embedding", "embeddings", "head", "heads")  # the last word of the parameters' names


def storage(precision: str, parameter: str, shape: Sequence[int]) -> Storage | None:
    """How `parameter` (as named in the language model) of this shape is kept; None = plainly, as all vectors are."""
    if precision not in QUANTIZED or len(shape) == 1:
        return None
    if parameter.rpartition(".")[2].rpartition("_")[2] in _EIGHT_BITS:
        return INT8
    wanted = _MATRICES[precision]
    if wanted.bits == 8:
        return wanted
    # The two halves of a row share its bytes, so a group must divide the half.
    group = math.gcd(shape[-1] // 2, wanted.group or 1)
    return INT8 if shape[-1] % 2 or group < SMALLEST_GROUP else wanted._replace(group=group)


def parameter_bytes(precision: str, parameter: str, shape: Sequence[int], value_bytes: int) -> int:
    """Bytes of one parameter on the device; `value_bytes` of a number that is kept plainly."""
    kept = storage(precision, parameter, shape)
    return math.prod(shape) * value_bytes if kept is None else kept.size(shape)
