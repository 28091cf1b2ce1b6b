"""Weights kept in 8 or 4 bits: the formats' arithmetic, and products with such weights in plain PyTorch.

Owns rounding, packing and unpacking, and `QuantizedWeight`, which takes a parameter's place in the language model. What
is kept how is `engine.precision`'s decision; files are not known here. Symmetric formats only: weight = value x scale,
so that a kernel needs one multiplication. Activations stay in the precision in which the model computes.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.errors import EngineError
from engine.precision import QUANTIZED, SPREAD_AT_ONCE, Storage, storage
from engine.toolchain import triton_failure

FP8 = torch.float8_e4m3fn
FP8_LARGEST = 448.0
_FP8_BITS = -(1 << 31) | 0x7F << 20  # sign, and exponent with mantissa, at float32's places
# 4 bits: the largest number of a group is worth giving up some exactness for the sake of the others; tried in turn.
_SHRINKS = (1.0, 0.96, 0.92, 0.88, 0.84, 0.8, 0.76)
_ROWS_AT_ONCE = 1 << 22  # numbers that are rounded at once: what rounding needs beside the matrix stays small
# PyTorch's product with 8-bit rows reads a quarter of float32's bytes, but is fast only where it was written with
# vector instructions, and reads past the ends of rows whose length these do not divide: seen in PyTorch 2.13 with
# AVX-512 at 8 columns more than a multiple of 16. Past so many vectors at once the bytes no longer decide.
_VECTOR_PRODUCT = torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
_VECTOR_COLUMNS = 32
_FEW_VECTORS = 16


class Quantized(NamedTuple):
    """One matrix [rows, columns], or a view of it.

    values: int8 or float8 [rows, columns]; or uint8 [rows, columns / 2], two four-bit numbers each plus 8: the low
        halves are the row's first half, the high ones its second.
    scales: bfloat16 [rows, groups of columns], [rows, 1] or [1, 1].
    """

    values: Tensor
    scales: Tensor


class QuantizedWeight(nn.Module):
    """A parameter of the language model in a quantised format: `Quantized`, or a stack of them by depth steps."""

    def __init__(self, values: Tensor, scales: Tensor):
        super().__init__()
        self.values = nn.Parameter(values, requires_grad=False)
        self.scales = nn.Parameter(scales, requires_grad=False)

    def __getitem__(self, step: int) -> Quantized:
        """One matrix of the stack, as a view."""
        return Quantized(self.values[step], self.scales[step])

    @property
    def shape(self) -> torch.Size:
        """As if it were plain."""
        *stack, columns = self.values.shape
        return torch.Size((*stack, 2 * columns if self.values.dtype == torch.uint8 else columns))


Weight = Tensor | Quantized | QuantizedWeight


def empty(kept: Storage, shape: torch.Size | tuple[int, ...], device: torch.device | str) -> Quantized:
    """Memory for a matrix, or a stack of them, of `shape`."""
    *stack, rows, columns = shape
    dtype = torch.uint8 if kept.bits == 4 else FP8 if kept.floating else torch.int8
    return Quantized(
        torch.empty(*stack, rows, columns * kept.bits // 8, dtype=dtype, device=device),
        torch.empty(*stack, *kept.scales(rows, columns), dtype=torch.bfloat16, device=device),
    )


def make_room(model: nn.Module, precision: str) -> None:
    """Gives the language model's parameters the places and shapes that the precision needs; done on "meta"."""
    if precision not in QUANTIZED:
        return
    for name, parameter in list(model.named_parameters()):
        kept = storage(precision, name, parameter.shape)
        if kept is not None:
            owner, _, attribute = name.rpartition(".")
            module = model.get_submodule(owner)
            delattr(module, attribute)
            setattr(module, attribute, QuantizedWeight(*empty(kept, parameter.shape, "meta")))
    model.precision = precision  # type: ignore[assignment]


# ---------------------------------------------------------------- rounding


def quantize(matrix: Tensor, kept: Storage, into: Quantized, name: str = "The weight") -> None:
    """Rounds matrix [rows, columns] of any float type into `into`, on the matrix's device.

    Raises EngineError, naming it, for one that holds infinities or no numbers at all.
    """
    if kept.group is None:
        into.scales.copy_(_largest(matrix) / FP8_LARGEST)
    step = max(1, _ROWS_AT_ONCE // matrix.shape[-1])
    for start in range(0, matrix.shape[0], step):
        rows = slice(start, start + step)
        part = matrix[rows].float()
        if kept.bits == 4:
            _round_to_four_bits(part, into.values[rows], into.scales[rows])
        else:
            if kept.group is not None:
                into.scales[rows].copy_(part.abs().amax(-1, keepdim=True) / (FP8_LARGEST if kept.floating else 127))
            scales = into.scales if kept.group is None else into.scales[rows]
            scaled = part / _divisor(scales)
            if kept.floating:
                into.values[rows].copy_(scaled.clamp_(-FP8_LARGEST, FP8_LARGEST))
            else:
                into.values[rows].copy_(scaled.round_().clamp_(-127, 127))
    if not bool(into.scales.isfinite().all()):
        raise EngineError(f"{name} holds values that are no numbers: the model file is damaged, so fetch it again.")


def _largest(matrix: Tensor) -> Tensor:
    """[1, 1], without a second matrix."""
    low, high = torch.aminmax(matrix)
    return torch.maximum(high.float(), -low.float()).view(1, 1)


def _divisor(scales: Tensor) -> Tensor:
    """Scales as stored, in float32; 1 where nothing but zeros is to be divided."""
    wide = scales.float()
    return wide.masked_fill(wide == 0, 1.0)


def _round_to_four_bits(part: Tensor, values: Tensor, scales: Tensor) -> None:
    """For every group the scale, of a few, with the least squared error. The largest number becomes -8 or close to it,
    whichever its sign: the scale then has the opposite one."""
    grouped = part.unflatten(-1, (scales.shape[-1], -1))
    largest = grouped.gather(-1, grouped.abs().argmax(-1, keepdim=True))
    best = error = rounded = None
    for shrink in _SHRINKS:
        scale = (largest * (shrink / -8)).to(scales.dtype)
        divisor = _divisor(scale)
        numbers = (grouped / divisor).round_().clamp_(-8, 7)
        off = (numbers * divisor).sub_(grouped).square_().sum(-1, keepdim=True)
        if best is None or error is None or rounded is None:
            best, error, rounded = scale, off, numbers
        else:
            better = off < error
            best = torch.where(better, scale, best)
            rounded = torch.where(better, numbers, rounded)
            error = torch.minimum(off, error)
    assert best is not None and rounded is not None
    scales.copy_(best[..., 0])
    low, high = rounded.flatten(-2).add_(8).to(torch.uint8).chunk(2, dim=-1)
    values.copy_(low | (high << 4))


def in_eight_bits(rows: Tensor) -> Quantized:
    """Vectors [..., columns] of any float type, each with a scale of its own [..., 1]: entries of an attention ring."""
    wide = rows.float()
    scales = (wide.abs().amax(-1, keepdim=True) / 127).to(torch.bfloat16)
    return Quantized((wide / _divisor(scales)).round().clamp(-127, 127).to(torch.int8), scales)


# ---------------------------------------------------------------- using


def widened(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Single numbers, unscaled, in dtype. Exact; values float8 finite."""
    if values.dtype == torch.uint8:  # straight to their places: what is needed beside the result stays a quarter of it
        wide = values.new_empty((*values.shape[:-1], 2 * values.shape[-1]), dtype=dtype)
        low, high = wide.chunk(2, dim=-1)
        low.copy_(values & 15)
        high.copy_(values >> 4)
        return wide.sub_(8)
    if values.dtype != FP8 or values.device.type != "cpu":
        return values.to(dtype)
    # PyTorch turns float8 into float32 one number at a time on a processor: 34 ms for 3 million, this 0.8. Shifted into
    # place the bits are those of a float32 with another exponent bias, which a power of two puts right.
    bits = values.view(torch.int8).to(torch.int32).mul_(1 << 20).bitwise_and_(_FP8_BITS)
    return bits.view(torch.float32).mul_(2.0**120).to(dtype)


def dequantized(weight: Quantized | QuantizedWeight, dtype: torch.dtype) -> Tensor:
    """The plain matrix, or stack of them."""
    wide = widened(weight.values, dtype)
    if weight.scales.shape[-1] == 1:
        return wide.mul_(weight.scales)
    grouped = wide.unflatten(-1, (weight.scales.shape[-1], -1))
    return grouped.mul_(weight.scales[..., None]).flatten(-2)


def linear(x: Tensor, weight: Weight) -> Tensor:
    """x [..., columns] @ weight [rows, columns] transposed -> [..., rows], in x's dtype."""
    if isinstance(weight, Tensor):
        return F.linear(x, weight)
    values, scales = weight.values, weight.scales
    fits = scales.shape[-1] == 1 and values.dtype == torch.int8 and values.shape[-1] % _VECTOR_COLUMNS == 0
    if fits and _VECTOR_PRODUCT and x.device.type == "cpu":
        vectors = x.flatten(0, -2)
        if vectors.shape[0] <= _FEW_VECTORS:
            y = torch._weight_int8pack_mm(vectors.to(torch.bfloat16), values, scales[:, 0])
            return y.to(x.dtype).unflatten(0, x.shape[:-1])
    if values.dtype == FP8 and len(scales) == len(values) and torch.compiler.is_compiling():
        product: Tensor = torch.ops.parley.row_scaled_product(x, values, scales)
        return product
    return _in_blocks(x, values, scales)


def _in_blocks(x: Tensor, values: Tensor, scales: Tensor) -> Tensor:
    rows = max(1, SPREAD_AT_ONCE // x.shape[-1])
    if values.shape[0] > rows:
        return torch.cat([_spread_product(x, part) for part in _row_blocks(values, scales, rows)], dim=-1)
    return _spread_product(x, Quantized(values, scales))


# Compiled code calls this product and does not look into it: compilers know little of 8-bit floats, and would write the
# widened matrix to memory first.
@torch.library.custom_op(
    "parley::row_scaled_product", mutates_args=(), schema="(Tensor x, Tensor values, Tensor scales) -> Tensor"
)
def _row_scaled_product(x: Tensor, values: Tensor, scales: Tensor) -> Tensor:
    """x [..., columns] by fp8 values [rows, columns] with a scale for each row; by the fused kernel where it fits."""
    kernel = _kernel(x, Quantized(values, scales))
    return _in_blocks(x, values, scales) if kernel is None else kernel


@_row_scaled_product.register_fake
def _(x: Tensor, values: Tensor, scales: Tensor) -> Tensor:
    return x.new_empty((*x.shape[:-1], values.shape[0]))


def _kernel(x: Tensor, weight: Quantized) -> Tensor | None:
    """The product of one vector on a card; None where the kernel does not fit."""
    if x.device.type != "cuda" or x.numel() != x.shape[-1] or torch.cuda.get_device_capability(x.device) < (8, 9):
        return None
    if triton_failure() is not None:
        return None
    from engine import kernels_linear, kernels_quantized  # these import Triton
    from engine.fused_quantized import FLOATS
    from engine.kernels_quantized_parts import supported

    if not supported(weight):
        return None
    out = x.new_empty(weight.values.shape[0])
    kernels_quantized.linear(weight, x.reshape(-1), out, FLOATS.project, pdl=kernels_linear.NO_OVERLAP)
    return out.view(*x.shape[:-1], -1)


def _row_blocks(values: Tensor, scales: Tensor, rows: int) -> list[Quantized]:
    """As views; one scale for the whole matrix is every block's."""
    blocks = values.split(rows)
    shares = scales.split(rows) if len(scales) == len(values) else [scales] * len(blocks)
    return [Quantized(*pair) for pair in zip(blocks, shares, strict=True)]


def _spread_product(x: Tensor, weight: Quantized) -> Tensor:
    """By the matrix made plain, as far as its scales need it."""
    values, scales = weight
    if scales.shape[-1] > 1:
        return F.linear(x, dequantized(weight, x.dtype))
    return F.linear(x, widened(values, x.dtype)) * scales[:, 0].to(x.dtype)


def fast_on_processor(precision: str) -> bool:
    """Whether a processor runs a frame clearly faster with these weights than with float32: where it need not widen
    them first.

    Both language model stages of a frame, 67 million weights, one busy core with AVX-512, against float32 in the same
    run: int8 0.39 of its time (0.51 on an idle core), fp8 0.77, int4 1.01.
    """
    return precision == "int8" and _VECTOR_PRODUCT


def embedding(table: Weight, tokens: Tensor, dtype: torch.dtype) -> Tensor:
    """Rows of table [cards, dim] for tokens [...] -> [..., dim] in dtype."""
    if isinstance(table, Tensor):
        return F.embedding(tokens, table)
    return table.values[tokens].to(dtype).mul_(table.scales[tokens])
