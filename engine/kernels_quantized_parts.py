"""Triton functions of quantised products: weights are loaded as words of four bytes and multiplied as whole numbers.

Widening every weight to float32 for a multiplication of its own is what held these products up, not memory; GPUs
multiply four bytes by four and add them up in one instruction. So the vector too is made of whole numbers, once in a
program: 16 bits with a unit of their own for every 16 numbers, kept as one word of upper and one of lower bytes for
every word of weights. That rounds a number by at most 2^-16 of the largest of the 16, where bfloat16, in which vectors
arrive, rounds it by up to 2^-9 of itself. Sums of 16 products are whole numbers and exact; the rest is float32.

fp8 has no such instruction: its weights are widened. A thread takes pieces of 16 bytes of a row. Formats:
`engine.quantize.Quantized`. Imports Triton: import this module late.
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
    """Rows [ROWS] of values (int32) at pieces [G] of 16 bytes: words [G, ROWS, 4]; zeros outside.

    A row has W bytes, W a multiple of 16. Pieces come first, for the compiler then gives neighbours of a row to
    neighbouring threads and a thread the same piece of several rows, for which it needs the vector but once."""
    at = rows[None, :, None].to(tl.int64) * (W // 4) + (pieces[:, None] * 4 + tl.arange(0, 4)[None, :])[:, None, :]
    mask = (rows < N)[None, :, None] & (pieces * 16 < W)[:, None, None] & more
    return tl.load(values + at, mask=mask, other=0)


@triton.jit
def load_scales(scales, rows, pieces, half: tl.constexpr, N: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr,
                SCALE_ROWS: tl.constexpr, more):  # fmt: skip
    """Four bits: the scales of pieces [G] in the row's half -> [G, ROWS]; else of rows, [1, ROWS]."""
    if GROUP > 0:
        column = pieces * 16 // GROUP + half * (W // GROUP)
        inside = (rows < N)[None, :] & (pieces * 16 < W)[:, None] & more
        return tl.load(scales + rows[None, :] * (2 * W // GROUP) + column[:, None], mask=inside, other=0.0)
    else:
        return tl.load(scales + rows[None, :] // SCALE_ROWS, mask=(rows < N)[None, :] & more, other=0.0)


# Triton's interpreter knows no assembly.
NATIVE = tl.constexpr(isinstance(load_pieces, triton.runtime.JITFunction))


@triton.jit
def places(pieces):
    """Where the numbers of pieces [G] stand in the vector: [G, 4, 4], by words and the places in them. In this shape
    a thread is given all 16 numbers of the pieces whose weights it has: nothing is passed between threads."""
    within = tl.arange(0, 4)
    return pieces[:, None, None] * 16 + (within[:, None] * 4 + within[None, :])[None, :, :]


@triton.jit
def quarters(v):
    """v [..., 2, 2] as four [...], in order."""
    even, odd = tl.split(v)
    first, third = tl.split(even)
    second, fourth = tl.split(odd)
    return first, second, third, fourth


@triton.jit
def parts(v):
    """v [G, 4, 4] as four [G, 4], one for each place in a word."""
    return quarters(tl.reshape(v, (v.shape[0], 4, 2, 2)))


@triton.jit
def planes(v):
    """v [G, 4, 4] float32 in 16 bits: the words [G, 4] of the numbers' upper bytes, which have a sign, and of their
    lower ones, which have none; what a number's unit stands for [G]; the numbers' sums [G].

    Adding 1.5 x 2^23 rounds to whole numbers and leaves them in the lowest bits of the float."""
    largest = tl.max(tl.max(tl.abs(v), axis=2), axis=1)
    finer = 32767.0 / tl.maximum(largest, 1e-30)
    numbers = (v * finer[:, None, None] + 12582912.0).to(tl.int32, bitcast=True) - 0x4B400000
    a, b, c, d = parts(numbers)
    upper = ((a >> 8) & 0xFF) | (b & 0xFF00) | ((c & 0xFF00) << 8) | ((d & 0xFF00) << 16)
    lower = (a & 0xFF) | ((b & 0xFF) << 8) | ((c & 0xFF) << 16) | (d << 24)
    return upper, lower, largest * (1.0 / 32767.0), tl.sum(tl.sum(numbers, axis=2), axis=1)


@triton.jit
def prepared(v, KIND: tl.constexpr):
    """v [G, 4, 4] float32 as `row_sums` needs it: its `planes`, or for fp8 its `parts`."""
    if KIND == 3:
        return parts(v)
    else:
        return planes(v)


@triton.jit
def byte_products(words, plane, total, SIGNED: tl.constexpr, UPPER: tl.constexpr):
    """total + words . plane, byte by byte. The words' bytes have a sign if SIGNED, those of an UPPER plane have one."""
    if NATIVE:
        signed: tl.constexpr = "dp4a.s32.s32 $0, $1, $2, $3;" if UPPER else "dp4a.s32.u32 $0, $1, $2, $3;"
        unsigned: tl.constexpr = "dp4a.u32.s32 $0, $1, $2, $3;" if UPPER else "dp4a.u32.u32 $0, $1, $2, $3;"
        form: tl.constexpr = signed if SIGNED else unsigned
        return tl.inline_asm_elementwise(form, "=r,r,r,r", [words, plane, total], dtype=tl.int32, is_pure=True, pack=1)
    else:
        for place in tl.static_range(4):
            a = (words << (24 - 8 * place)) >> 24
            b = (plane << (24 - 8 * place)) >> 24
            total += (a if SIGNED else a & 0xFF) * (b if UPPER else b & 0xFF)
        return total


@triton.jit
def tile_words(tile):
    """[G, ROWS, 4] as four [G, ROWS]."""
    return quarters(tl.reshape(tile, (tile.shape[0], tile.shape[1], 2, 2)))


@triton.jit
def plane_words(plane):
    """[G, 4] as four [G]."""
    return quarters(tl.reshape(plane, (plane.shape[0], 2, 2)))


@triton.jit
def piece_products(p, q, r, s, upper, lower, start, SIGNED: tl.constexpr):
    """start [G, 1] + words [G, ROWS] x 4 of four bytes each . planes [G, 4] -> [G, ROWS] int32, exact: 16 products of
    a byte, at most 240, and of 16 bits are less than 2^27."""
    a, b, c, d = plane_words(upper)
    total = byte_products(p, a[:, None], tl.zeros_like(p), SIGNED, True)
    total = byte_products(q, b[:, None], total, SIGNED, True)
    total = byte_products(r, c[:, None], total, SIGNED, True)
    total = byte_products(s, d[:, None], total, SIGNED, True) * 256 + start
    a, b, c, d = plane_words(lower)
    total = byte_products(p, a[:, None], total, SIGNED, False)
    total = byte_products(q, b[:, None], total, SIGNED, False)
    total = byte_products(r, c[:, None], total, SIGNED, False)
    return byte_products(s, d[:, None], total, SIGNED, False)


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
    """Words [G, ROWS, 4] of four fp8 each . four parts of the vector [G, 4] -> [G, ROWS]."""
    first, second, third, fourth = four_floats(tile)
    total = first * a[:, None, :]
    total += second * b[:, None, :]
    total += third * c[:, None, :]
    total += fourth * d[:, None, :]
    return tl.sum(total, axis=2)


@triton.jit
def row_sums(tile, a, b, c, d, e, f, g, h, low_scale, high_scale, KIND: tl.constexpr):
    """A tile . the vector -> [G, ROWS] float32; four bits with their scales. a to d: the vector, or its first half, as
    `prepared`; e to h: its second half (four bits only).

    Four bits are numbers plus 8, so 8 times the vector's sum is too much; high halves stay where they stand and count
    16 times."""
    if KIND == 1:
        p, q, r, s = tile_words(tile)
        return piece_products(p, q, r, s, a, b, tl.zeros_like(d)[:, None], True).to(tl.float32) * c[:, None]
    elif KIND == 2:
        p, q, r, s = tile_words(tile)
        low: tl.constexpr = 0x0F0F0F0F
        high: tl.constexpr = -0x0F0F0F10
        lows = piece_products(p & low, q & low, r & low, s & low, a, b, -8 * d[:, None], False)
        highs = piece_products(p & high, q & high, r & high, s & high, e, f, -128 * h[:, None], False)
        total = lows.to(tl.float32) * (c[:, None] * low_scale.to(tl.float32))
        return total + highs.to(tl.float32) * ((g * 0.0625)[:, None] * high_scale.to(tl.float32))
    else:
        return float_products(tile, a, b, c, d)


@triton.jit
def finished(sums, scale, GROUP: tl.constexpr):
    """[G, ROWS] -> [ROWS], times the rows' scales [1, ROWS] unless four-bit sums have theirs already."""
    y = tl.sum(sums, axis=0)
    if GROUP == 0:
        y *= tl.sum(scale.to(tl.float32), axis=0)
    return y


@triton.jit
def added(a, b, c, d):
    return a + c, b + d


@triton.jit
def finished_pair(sums, sums2, scale, scale2, GROUP: tl.constexpr):
    """`finished` of two at once, whose warps then wait for each other as often as for one."""
    y, y2 = tl.reduce((sums, sums2), 0, added)
    if GROUP == 0:
        y *= tl.sum(scale.to(tl.float32), axis=0)
        y2 *= tl.sum(scale2.to(tl.float32), axis=0)
    return y, y2


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
