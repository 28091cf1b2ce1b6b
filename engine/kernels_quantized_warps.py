"""Triton kernels of a depth layer's 8- and 4-bit products in which warps wait for each other as little as can be.

The depth is a chain of some 200 small kernels, so what counts is how long one takes from its input to its output, not
how many bytes it moves. A row that one warp has whole is added up without waiting for other warps and with the fewest
exchanges between threads (attention's result, which no warp has whole, is multiplied where it is). The norm's factor is
applied to the sums, so that its own sum is no link of the chain; and the vector is made whole numbers
(`engine.kernels_quantized_parts`) in fewer steps: their bytes are gathered straight from the floats in which they were
rounded.

The vector's two halves go separate ways: for 8 bits they are the two halves of a row's bytes, for 4 bits the low and
the high halves of each byte, which become signed bytes of 16 times the number. fp8 stays with `kernels_quantized` and
`kernels_quantized_depth`, whose plain PyTorch is that of these kernels too. Imports Triton: import this module late.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import EPS, Launch, launch_options, wait_for_inputs
from engine.kernels_quantized import load_half, silu
from engine.kernels_quantized_depth import attention, depth_input
from engine.kernels_quantized_parts import (
    FP8,
    NATIVE,
    PIECE,
    as_loaded,
    byte_products,
    group_bytes,
    kind,
    places,
    quarters,
)
from engine.quantize import Quantized


@triton.jit
def load_words(values, rows, lanes, first, inside, W: tl.constexpr):
    """Rows [WARPS, ROWS] at 16 bytes a lane, from piece `first` on: words [LANES, WARPS, ROWS, 4], zeros outside."""
    at = (first + lanes[:, None]) * 4 + tl.arange(0, 4)[None, :]
    at = rows.to(tl.int64)[None, :, :, None] * (W // 4) + at[:, None, None, :]
    return tl.load(values + at, mask=inside[:, :, :, None], other=0)


@triton.jit
def load_halves(values, scales, rows, lanes, N: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr,
                SCALE_ROWS: tl.constexpr):  # fmt: skip
    """Rows' words for both halves of the vector (four bits: twice the same), and their scales: eight bits [WARPS,
    ROWS], four bits [LANES, WARPS, ROWS] of either half."""
    there = rows < N
    if GROUP > 0:
        inside = there[None, :, :] & (lanes * 16 < W)[:, None, None]
        words = load_words(values, rows, lanes, 0, inside, W)
        at = scales + rows[None, :, :] * (2 * W // GROUP) + (lanes * 16 // GROUP)[:, None, None]
        scale = tl.load(at, mask=inside, other=0.0)
        return words, words, scale, tl.load(at + W // GROUP, mask=inside, other=0.0)
    else:
        inside = there[None, :, :] & (lanes * 32 < W)[:, None, None]
        scale = tl.load(scales + rows // SCALE_ROWS, mask=there, other=0.0)
        first = load_words(values, rows, lanes, 0, inside, W)
        return first, load_words(values, rows, lanes, W // 32, inside, W), scale, scale


@triton.jit
def whole_numbers(v):
    """v [LANES, WARPS, 4, 4] float32 in 16 bits: words [LANES, WARPS, 4] of upper bytes, with a sign, and of lower
    ones, without; what a number's unit stands for [LANES, WARPS]. As `kernels_quantized_parts.planes`."""
    largest = tl.max(tl.max(tl.abs(v), axis=3), axis=2)
    finer = 32767.0 / tl.maximum(largest, 1e-30)
    bits = (v * finer[:, :, None, None] + 12582912.0).to(tl.int32, bitcast=True)
    a, b, c, d = quarters(tl.reshape(bits, (v.shape[0], v.shape[1], 4, 2, 2)))
    if NATIVE:
        upper, lower = tl.inline_asm_elementwise(
            """{ .reg .b32 p, q;
            prmt.b32 p, $2, $3, 0x5410; prmt.b32 q, $4, $5, 0x5410;
            prmt.b32 $0, p, q, 0x7531; prmt.b32 $1, p, q, 0x6420; }""",
            "=&r,=&r,r,r,r,r", [a, b, c, d], dtype=(tl.int32, tl.int32), is_pure=True, pack=1,
        )  # fmt: skip
    else:
        upper = ((a >> 8) & 0xFF) | (b & 0xFF00) | ((c & 0xFF00) << 8) | ((d & 0xFF00) << 16)
        lower = (a & 0xFF) | ((b & 0xFF) << 8) | ((c & 0xFF) << 16) | (d << 24)
    return upper, lower, largest * (1.0 / 32767.0)


@triton.jit
def signed_products(words, upper, lower):
    """Words [LANES, WARPS, ROWS, 4] of signed bytes . planes [LANES, WARPS, 4] -> [LANES, WARPS, ROWS] float32, exact
    before it is one (`kernels_quantized_parts.piece_products`)."""
    p, q, r, s = quarters(tl.reshape(words, (words.shape[0], words.shape[1], words.shape[2], 2, 2)))
    a, b, c, d = quarters(tl.reshape(upper, (upper.shape[0], upper.shape[1], 2, 2)))
    total = byte_products(p, a[:, :, None], tl.zeros_like(p), True, True)
    total = byte_products(q, b[:, :, None], total, True, True)
    total = byte_products(r, c[:, :, None], total, True, True)
    total = byte_products(s, d[:, :, None], total, True, True) * 256
    a, b, c, d = quarters(tl.reshape(lower, (lower.shape[0], lower.shape[1], 2, 2)))
    total = byte_products(p, a[:, :, None], total, True, False)
    total = byte_products(q, b[:, :, None], total, True, False)
    total = byte_products(r, c[:, :, None], total, True, False)
    return byte_products(s, d[:, :, None], total, True, False).to(tl.float32)


@triton.jit
def dot(first, second, scale, high_scale, a, b, c, e, f, g, GROUP: tl.constexpr):
    """Rows . the vector -> [WARPS, ROWS] float32. a, b, c and e, f, g: `whole_numbers` of its halves."""
    if GROUP > 0:
        mask: tl.constexpr = -0x0F0F0F10
        sign: tl.constexpr = -0x7F7F7F80
        low = signed_products(((first << 4) & mask) ^ sign, a, b)
        high = signed_products((second & mask) ^ sign, e, f)
        low *= (c * 0.0625)[:, :, None] * scale.to(tl.float32)
        return tl.sum(low + high * ((g * 0.0625)[:, :, None] * high_scale.to(tl.float32)), axis=0)
    else:
        sums = signed_products(first, a, b) * c[:, :, None] + signed_products(second, e, f) * g[:, :, None]
        return tl.sum(sums, axis=0) * scale.to(tl.float32)


@triton.jit
def factor(low, high, K: tl.constexpr, EPSILON: tl.constexpr):
    """rms_norm's factor for a vector in two halves [LANES, WARPS, 4, 4], once for every warp: [WARPS, 1]."""
    squares = tl.sum(tl.sum(low * low + high * high, axis=3), axis=2)
    return tl.rsqrt(tl.sum(squares, axis=0) / K + EPSILON)[:, None]


@triton.jit
def places_for_warps(lanes, WARPS: tl.constexpr):
    """Where 16 numbers a lane stand in a half of the vector, the same for all warps: [LANES, WARPS, 4, 4]."""
    every = places(lanes)[:, None, :, :]
    return tl.broadcast_to(every, (lanes.shape[0], WARPS, 4, 4))


@triton.jit
def gated_kernel(
    values, scales, x, alpha, out,
    N: tl.constexpr, K: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr, SCALE_ROWS: tl.constexpr,
    LANES: tl.constexpr, WARPS: tl.constexpr, ROWS: tl.constexpr, EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """out[n] = silu(W[n] . normed x) times W[N + n] . normed x; ROWS rows n a warp."""
    dtype = out.dtype.element_ty
    HALF: tl.constexpr = K // 2
    lanes = tl.arange(0, LANES)
    rows = tl.program_id(0) * (WARPS * ROWS) + tl.arange(0, WARPS)[:, None] * ROWS + tl.arange(0, ROWS)[None, :]
    first, second, scale, high_scale = load_halves(values, scales, rows, lanes, N, W, GROUP, SCALE_ROWS)
    first2, second2, scale2, high_scale2 = load_halves(values, scales, rows + N, lanes, 2 * N, W, GROUP, SCALE_ROWS)
    at = places_for_warps(lanes, WARPS)
    gain, high_gain = load_half(alpha, at, HALF).to(tl.float32), load_half(alpha + HALF, at, HALF).to(tl.float32)
    wait_for_inputs(PDL)
    low, high = load_half(x, at, HALF).to(tl.float32), load_half(x + HALF, at, HALF).to(tl.float32)
    a, b, c = whole_numbers(low * gain)
    e, f, g = whole_numbers(high * high_gain)
    power = factor(low, high, K, EPSILON)
    gate = (dot(first, second, scale, high_scale, a, b, c, e, f, g, GROUP) * power).to(dtype)
    value = (dot(first2, second2, scale2, high_scale2, a, b, c, e, f, g, GROUP) * power).to(dtype)
    tl.store(out + rows, (silu(gate, dtype) * value.to(tl.float32)).to(dtype), mask=rows < N)


@triton.jit
def depth_project_kernel(
    values, scales, source, table, table_scales, token_at, alpha, x, query, keys, rows_of_values, step,
    K: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr, SCALE_ROWS: tl.constexpr, LANES: tl.constexpr,
    HEAD: tl.constexpr, STEPS: tl.constexpr, WARPS: tl.constexpr, ROWS: tl.constexpr, EMBED: tl.constexpr,
    EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """As `kernels_quantized_depth.depth_project_kernel`."""
    dtype = query.dtype.element_ty
    HALF: tl.constexpr = K // 2
    lanes = tl.arange(0, LANES)
    rows = tl.program_id(0) * (WARPS * ROWS) + tl.arange(0, WARPS)[:, None] * ROWS + tl.arange(0, ROWS)[None, :]
    first, second, scale, high_scale = load_halves(values, scales, rows, lanes, 3 * K, W, GROUP, SCALE_ROWS)
    at = places_for_warps(lanes, WARPS)
    inside = at < HALF
    gain, high_gain = load_half(alpha, at, HALF).to(tl.float32), load_half(alpha + HALF, at, HALF).to(tl.float32)
    wait_for_inputs(PDL)
    token = 0
    if EMBED:
        token = tl.load(token_at)
    low = depth_input(source, table, table_scales, token, at, inside, K, EMBED)
    high = depth_input(source, table, table_scales, token, at + HALF, inside, K, EMBED)
    if EMBED:  # noqa: SIM102 - known while compiling
        if tl.program_id(0) == 0:
            tl.store(x + at, low.to(dtype), mask=inside)
            tl.store(x + HALF + at, high.to(dtype), mask=inside)
    a, b, c = whole_numbers(low * gain)
    e, f, g = whole_numbers(high * high_gain)
    power = factor(low, high, K, EPSILON)
    y = (dot(first, second, scale, high_scale, a, b, c, e, f, g, GROUP) * power).to(dtype)
    part, row = rows // K, rows % K
    place = (row // HEAD) * (STEPS * HEAD) + step * HEAD + row % HEAD
    tl.store(query + row, y, mask=part == 0)
    tl.store(keys + place, y, mask=part == 1)
    tl.store(rows_of_values + place, y, mask=part == 2)


@triton.jit
def as_float(words, mask: tl.constexpr, magic: tl.constexpr, bias: tl.constexpr):
    """(words & mask) ^ magic, read as float32, less bias: put under the bits of 2^23 a number is the lowest part of
    that float's mantissa. The first two are one instruction, of which the compiler makes two."""
    if NATIVE:
        bits = tl.inline_asm_elementwise(
            "lop3.b32 $0, $1, $2, $3, 0x6A;", "=r,r,r,r", [words, mask, magic], dtype=tl.int32, is_pure=True, pack=1
        )
    else:
        bits = (words & mask) ^ magic
    return bits.to(tl.float32, bitcast=True) - bias


@triton.jit
def widened(words):
    """Words of four signed bytes as float32 of each place; the second and the fourth stay where they are and count 256
    times. The sign bit is flipped, which adds 128."""
    upper = words >> 16
    return (
        as_float(words, 0xFF, 0x4B000080, 8388736.0), as_float(words, 0xFF00, 0x4B008000, 8421376.0),
        as_float(upper, 0xFF, 0x4B000080, 8388736.0), as_float(upper, 0xFF00, 0x4B008000, 8421376.0),
    )  # fmt: skip


@triton.jit
def depth_attend_kernel(
    weight, scales, query, keys, values, x, step,
    K: tl.constexpr, W: tl.constexpr, GROUP: tl.constexpr, SCALE_ROWS: tl.constexpr, HEADS: tl.constexpr,
    HEAD: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr, EACH: tl.constexpr,
    SCALE: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """As `kernels_quantized_depth.depth_attend_kernel`. The threads share the heads, EACH numbers a thread (4 or 8),
    and each multiplies what it has of the result by its words of all rows: nothing is passed on before the sum, for
    which alone warps wait. Four bits: a thread takes of its words the half that it has numbers for."""
    dtype = x.dtype.element_ty
    PARTS: tl.constexpr = K // EACH
    WORDS: tl.constexpr = EACH // 4
    parts = tl.arange(0, PARTS)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    if GROUP > 0:
        at = rows[None, :] * (W // 4) + (WORDS * (parts % (PARTS // 2)))[:, None]
        scale = tl.load(scales + rows[None, :] * (2 * W // GROUP) + (parts * EACH // GROUP)[:, None]).to(tl.float32)
    else:
        at = rows[None, :] * (W // 4) + WORDS * parts[:, None]
        scale = tl.load(scales + rows // SCALE_ROWS).to(tl.float32)
    # Without the hint threads would be given four words of a row each, and not those that they have numbers for.
    at = tl.max_contiguous(at, (1, 1))
    first = tl.load(weight + at)
    second = first
    if EACH == 8:
        second = tl.load(weight + at + 1)
    if GROUP > 0:
        shift = tl.where(parts < PARTS // 2, 4, 0)[:, None]
        mask: tl.constexpr = -0x0F0F0F10
        sign: tl.constexpr = -0x7F7F7F80
        first, second = ((first << shift) & mask) ^ sign, ((second << shift) & mask) ^ sign
    a, b, c, d = widened(first)
    wait_for_inputs(PDL)
    held = tl.load(x + rows).to(tl.float32)
    mixed = attention(query, keys, values, step, 0, HEADS, HEAD, STEPS, BLOCK, SCALE)
    if EACH == 8:
        p, q, r, s = quarters(tl.reshape(mixed, (PARTS, 2, 2, 2)))
        p, t = tl.split(p)
        q, u = tl.split(q)
        r, v = tl.split(r)
        s, w = tl.split(s)
        e, f, g, h = widened(second)
        total = a * p[:, None] + c * r[:, None] + e * t[:, None] + g * v[:, None]
        total += (b * q[:, None] + d * s[:, None] + f * u[:, None] + h * w[:, None]) * 0.00390625
    else:
        p, q, r, s = quarters(tl.reshape(mixed, (PARTS, 2, 2)))
        total = a * p[:, None] + c * r[:, None] + (b * q[:, None] + d * s[:, None]) * 0.00390625
    if GROUP > 0:
        y = tl.sum(total * (scale * 0.0625), axis=0)
    else:
        y = tl.sum(total, axis=0) * scale
    tl.store(x + rows, (held + y.to(dtype).to(tl.float32)).to(dtype))


def fits(weight: Quantized) -> bool:
    """Whether these kernels can take this matrix: not fp8, and each half of the vector whole pieces."""
    columns = weight.values.shape[-1] * (2 if group_bytes(weight) else 1)
    return kind(weight) != FP8 and columns % (2 * PIECE) == 0


def rows_of_warp(launch: Launch) -> int:
    """A launch's rows are dealt to its warps, at least one to each."""
    return max(1, launch.rows // launch.warps)


def gated(weight: Quantized, x: Tensor, norm: Tensor, out: Tensor, launch: Launch, *, pdl: int) -> None:
    """As `kernels_quantized.gated`."""
    hidden, dim, width, rows = out.shape[0], x.shape[0], weight.values.shape[1], rows_of_warp(launch)
    gated_kernel[(triton.cdiv(hidden, rows * launch.warps),)](
        as_loaded(weight), weight.scales, x, norm, out, hidden, dim, width, group_bytes(weight),
        2 * hidden // weight.scales.shape[0], triton.next_power_of_2(dim // 32), launch.warps, rows, EPS, pdl,
        num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip


def depth_project(
    weight: Quantized, norm: Tensor, x: Tensor, query: Tensor, keys: Tensor, values: Tensor, step: int, launch: Launch,
    *, embed: tuple[Tensor, Quantized, Tensor] | None = None, pdl: int,
) -> None:  # fmt: skip
    """As `kernels_quantized_depth.depth_project`."""
    _, steps, head_dim = keys.shape
    dim, width, rows = x.shape[0], weight.values.shape[1], rows_of_warp(launch)
    source, (table, table_scales), token = embed if embed is not None else (x, (x, x), x)
    depth_project_kernel[(triton.cdiv(3 * dim, rows * launch.warps),)](
        as_loaded(weight), weight.scales, source, table, table_scales, token, norm, x, query, keys, values, step,
        dim, width, group_bytes(weight), 3 * dim // weight.scales.shape[0], triton.next_power_of_2(dim // 32),
        head_dim, steps, launch.warps, rows, embed is not None, EPS, pdl, num_warps=launch.warps,
        **launch_options(pdl),
    )  # fmt: skip


def depth_attend_add(
    weight: Quantized, query: Tensor, keys: Tensor, values: Tensor, x: Tensor, step: int, launch: Launch, *, pdl: int
) -> None:
    """As `kernels_quantized_depth.depth_attend_add`; d is at least 64, and there are at least two heads."""
    heads, steps, head_dim = keys.shape
    dim, width = weight.values.shape
    assert dim % launch.rows == 0, "rows of a tile must divide the rows"
    depth_attend_kernel[(dim // launch.rows,)](
        as_loaded(weight), weight.scales, query, keys, values, x, step, dim, width, group_bytes(weight),
        dim // weight.scales.shape[0], heads, head_dim, steps, triton.next_power_of_2(step + 1), launch.rows,
        4 if launch.warps * 128 >= dim else 8, head_dim**-0.5, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip
