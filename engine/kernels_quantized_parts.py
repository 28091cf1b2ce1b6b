"""Triton functions of quantised products: weights are loaded as words of four bytes, taken apart, and multiplied.

Numbers become float32 by bit operations, not by a conversion, which is slow on GPUs: put under the bits of 2^23 a
number is the lowest part of that float's mantissa, and a subtraction leaves it exact. A thread takes pieces of 16
bytes of a row; sums of pieces are float32. Formats: `engine.quantize.Quantized`. Imports Triton: import this module
late.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.quantize import Quantized

PIECE = 16  # bytes of a row that one thread loads at once, and that are summed before a scale is applied

# What a word holds: four numbers, or eight of four bits. The KIND of the kernels.
INT8, INT4, FP8 = 1, 2, 3


@triton.jit
def load_pieces(values, rows, pieces, N: tl.constexpr, W: tl.constexpr, more):
    """Rows [ROWS] of values (int32) at pieces [G] of 16 bytes: words [ROWS, G, 4]; zeros outside.

    A row has W bytes, W a multiple of 16."""
    at = rows[:, None, None].to(tl.int64) * (W // 4) + (pieces[:, None] * 4 + tl.arange(0, 4)[None, :])[None, :, :]
    mask = (rows < N)[:, None, None] & (pieces * 16 < W)[None, :, None] & more
    return tl.load(values + at, mask=mask, other=0)


@triton.jit
def load_scales(scales, rows, pieces, half: tl.constexpr, N: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr,
                SCALE_ROWS: tl.constexpr, more):  # fmt: skip
    """Four bits: the scales of pieces [G] in the row's half -> [ROWS, G]; else of rows, [ROWS, 1]."""
    if GROUP > 0:
        column = pieces * 16 // GROUP + half * (W // GROUP)
        inside = (rows < N)[:, None] & (pieces * 16 < W)[None, :] & more
        return tl.load(scales + rows[:, None] * (2 * W // GROUP) + column[None, :], mask=inside, other=0.0)
    else:
        return tl.load(scales + rows[:, None] // SCALE_ROWS, mask=(rows < N)[:, None] & more, other=0.0)


@triton.jit
def parts(v, G: tl.constexpr, KIND: tl.constexpr):
    """v [G, 16] as four vectors [G, 4], one for each place in a word; shrunk where the place leaves numbers 256 times
    too large."""
    even, odd = tl.split(tl.reshape(v, (G, 4, 2, 2)))
    first, third = tl.split(even)
    second, fourth = tl.split(odd)
    if KIND == 1:
        second, fourth = second * (1.0 / 256.0), fourth * (1.0 / 256.0)
    return first, second, third, fourth


@triton.jit
def as_float(words, mask: tl.constexpr, magic: tl.constexpr):
    """(words & mask) ^ magic, read as float32: one instruction, which the compiler makes two of."""
    if NATIVE:
        bits = tl.inline_asm_elementwise(
            "lop3.b32 $0, $1, $2, $3, 0x6A;", "=r,r,r,r", [words, mask, magic], dtype=tl.int32, is_pure=True, pack=1
        )
    else:
        bits = (words & mask) ^ magic
    return bits.to(tl.float32, bitcast=True)


# Triton's interpreter knows no assembly.
NATIVE = tl.constexpr(isinstance(as_float, triton.runtime.JITFunction))


@triton.jit
def products(tile, a, b, c, d):
    """Words [ROWS, G, 4] of four int8 each . four parts of the vector [G, 4] -> [ROWS, G].

    The sign bit is flipped, which adds 128, and with the number the float stands for 2^23 + number + 128; the second
    and the fourth byte stay where they are, so their numbers come out times 256."""
    upper = tile >> 16
    total = (as_float(tile, 0xFF, 0x4B000080) - 8388736.0) * a[None, :, :]
    total += (as_float(tile, 0xFF00, 0x4B008000) - 8421376.0) * b[None, :, :]
    total += (as_float(upper, 0xFF, 0x4B000080) - 8388736.0) * c[None, :, :]
    total += (as_float(upper, 0xFF00, 0x4B008000) - 8421376.0) * d[None, :, :]
    return tl.sum(total, axis=2)


@triton.jit
def low_products(tile, a, b, c, d, whole):
    """Words [ROWS, G, 4]: the low halves of their bytes, less 8, . parts of the vector [G, 4] -> [ROWS, G].

    Bits 16 to 19 under the bits of 128 stand for 128 + number. What is too much is taken off the sum: 136 times that
    of the vector, whole [G]. A bias this small costs no exactness that float32 sums would have had."""
    total = as_float(tile << 16, 0xF0000, 0x43000000) * a[None, :, :]
    total += as_float(tile << 8, 0xF0000, 0x43000000) * b[None, :, :]
    total += as_float(tile, 0xF0000, 0x43000000) * c[None, :, :]
    total += as_float(tile >> 8, 0xF0000, 0x43000000) * d[None, :, :]
    return tl.sum(total, axis=2) - 136.0 * whole[None, :]


@triton.jit
def high_products(tile, a, b, c, d, whole):
    """As `low_products` for the high halves: bits 12 to 15 under those of 2048."""
    total = as_float(tile << 8, 0xF000, 0x45000000) * a[None, :, :]
    total += as_float(tile, 0xF000, 0x45000000) * b[None, :, :]
    total += as_float(tile >> 8, 0xF000, 0x45000000) * c[None, :, :]
    total += as_float(tile >> 16, 0xF000, 0x45000000) * d[None, :, :]
    return tl.sum(total, axis=2) - 2056.0 * whole[None, :]


@triton.jit
def from_half(bits):
    """The lower 16 bits as a half-precision number, in float32."""
    return bits.to(tl.int16).to(tl.float16, bitcast=True).to(tl.float32)


@triton.jit
def four_floats(words):
    """Words of four fp8 (e4m3) each -> float32 of every place in the word."""
    if NATIVE:
        return tl.inline_asm_elementwise(
            """{ .reg .b16 p, q, w, x, y, z; .reg .b32 lower, upper;
            mov.b32 {p, q}, $4; cvt.rn.f16x2.e4m3x2 lower, p; cvt.rn.f16x2.e4m3x2 upper, q;
            mov.b32 {w, x}, lower; mov.b32 {y, z}, upper;
            cvt.f32.f16 $0, w; cvt.f32.f16 $1, x; cvt.f32.f16 $2, y; cvt.f32.f16 $3, z; }""",
            "=r,=r,=r,=r,r", [words], dtype=(tl.float32, tl.float32, tl.float32, tl.float32), is_pure=True, pack=1,
        )  # fmt: skip
    else:
        # With its exponent and mantissa one bit lower a byte is the upper half of a half-precision number, 256 times
        # too small.
        odd = ((words & 0x7F007F00) >> 1) | (words & -0x7FFF8000)
        lifted = words << 8
        even = ((lifted & 0x7F007F00) >> 1) | (lifted & -0x7FFF8000)
        return (
            from_half(even) * 256.0, from_half(odd) * 256.0, from_half(even >> 16) * 256.0, from_half(odd >> 16) * 256.0
        )  # fmt: skip


@triton.jit
def float_products(tile, a, b, c, d):
    """Words [ROWS, G, 4] of four fp8 each . four parts of the vector [G, 4] -> [ROWS, G]."""
    first, second, third, fourth = four_floats(tile)
    total = first * a[None, :, :]
    total += second * b[None, :, :]
    total += third * c[None, :, :]
    total += fourth * d[None, :, :]
    return tl.sum(total, axis=2)


@triton.jit
def row_sums(tile, a, b, c, d, low_whole, e, f, g, h, high_whole, low_scale, high_scale, KIND: tl.constexpr):
    """A tile . the vector -> [ROWS, G] float32; four bits with their scales. a to d: `parts` of the vector, or of its
    first half, low_whole [G] their sum; e to h, high_whole: of the second half (four bits only)."""
    if KIND == 1:
        return products(tile, a, b, c, d)
    elif KIND == 2:
        lows = low_products(tile, a, b, c, d, low_whole) * low_scale.to(tl.float32)
        return lows + high_products(tile, e, f, g, h, high_whole) * high_scale.to(tl.float32)
    else:
        return float_products(tile, a, b, c, d)


@triton.jit
def finished(sums, scale, GROUP: tl.constexpr):
    """[ROWS, G] -> [ROWS], times the rows' scales [ROWS, 1] unless four-bit sums have theirs already."""
    y = tl.sum(sums, axis=1)
    if GROUP == 0:
        y *= tl.sum(scale.to(tl.float32), axis=1)
    return y


def kind(weight: Quantized) -> int:
    """What the words of this matrix hold."""
    if weight.values.dtype == torch.uint8:
        return INT4
    return INT8 if weight.values.dtype == torch.int8 else FP8


def as_loaded(weight: Quantized) -> Tensor:
    """Values as the kernels load them."""
    return weight.values.view(torch.int32)


def group_bytes(weight: Quantized) -> int:
    """Bytes of a row that share a four-bit scale; 0 for eight bits, whose rows have one scale each or less."""
    return weight.values.shape[-1] * 2 // weight.scales.shape[-1] if weight.values.dtype == torch.uint8 else 0


def supported(weight: Quantized) -> bool:
    """Whether the kernels can take this matrix: rows, and four-bit groups, of whole pieces."""
    return weight.values.shape[-1] % PIECE == 0 and group_bytes(weight) % PIECE == 0
