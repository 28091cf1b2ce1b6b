"""Triton kernels at the edges of a frame: tokens into vectors, the token ring with its delays, the depth steps' input.

They replace some thirty small launches. The plain PyTorch they agree with is `engine.frame` (the ring) and
`engine.lm` (the embeddings and the depth layer); the tests run both. Imports Triton: import this module late.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import EPS, Launch, launch_options, root_mean_square, wait_for_inputs
from engine.quantize import Weight


@triton.jit
def table_row(table, scales, token, columns, inside, K: tl.constexpr, SCALED: tl.constexpr):
    """Row of an embedding table [tokens, K] as float32; a negative token embeds to zero. SCALED: an 8-bit table, with
    a scale for each row."""
    row = tl.load(table + tl.maximum(token, 0) * K + columns, mask=inside & (token >= 0), other=0.0).to(tl.float32)
    if SCALED:
        row = row * tl.load(scales + tl.maximum(token, 0)).to(tl.float32)
    return row


@triton.jit
def enter_kernel(
    heard, ring, position, delays, initial, audio_tables, audio_scales, text_table, text_scales, periods, x, turns,
    D: tl.constexpr, ROWS_OF_TABLE: tl.constexpr, STREAMS: tl.constexpr, OWN: tl.constexpr, LENGTH: tl.constexpr,
    HALF: tl.constexpr, BLOCK: tl.constexpr, SCALED: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Heard codes into the ring, all streams' tokens out of it, their embeddings' sum, and the position's rope angles.

    Programs share the columns; every one reads the tokens, the first one writes ring and angles. What it writes to the
    ring no other reads: an undelayed user token is taken from `heard`, a delayed one goes to a later slot.
    """
    program = tl.program_id(0)
    columns = program * BLOCK + tl.arange(0, BLOCK)
    inside = columns < D
    wait_for_inputs(PDL)
    now = tl.load(position)
    slot = now % LENGTH
    total = tl.zeros((BLOCK,), tl.float32)
    for index in tl.static_range(STREAMS):
        stream = (index + 1) % STREAMS  # audio first, text last: in bfloat16 the order decides the last bit
        delay = tl.load(delays + stream)
        token = tl.load(ring + stream * LENGTH + slot)
        if stream > OWN:
            fresh = tl.load(heard + stream - 1 - OWN)
            token = tl.where(delay == 0, fresh, token)
            if program == 0:
                tl.store(ring + stream * LENGTH + (now + delay) % LENGTH, fresh)
        token = tl.where(now <= delay, tl.load(initial + stream), token)
        if stream == 0:
            row = table_row(text_table, text_scales, token, columns, inside, D, SCALED)
        else:
            first = (stream - 1) * ROWS_OF_TABLE
            row = table_row(audio_tables + first * D, audio_scales + first, token, columns, inside, D, SCALED)
        row = row.to(x.dtype.element_ty).to(tl.float32)
        total = (total + row).to(x.dtype.element_ty).to(tl.float32)
    tl.store(x + columns, total.to(x.dtype.element_ty), mask=inside)
    if program == 0:
        pairs = tl.arange(0, HALF)
        angles = now.to(tl.float32) * tl.load(periods + pairs)
        tl.store(turns + pairs, tl.cos(angles))
        tl.store(turns + HALF + pairs, tl.sin(angles))


@triton.jit
def leave_kernel(
    spoken, ring, position, counter, delays, finished,
    OWN: tl.constexpr, LENGTH: tl.constexpr, MAX_DELAY: tl.constexpr, BLOCK: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Position and noise counter move on; the frame's tokens enter the ring and the finished frame leaves it."""
    streams = tl.arange(0, BLOCK)
    inside = streams <= OWN
    wait_for_inputs(PDL)
    now = tl.load(position) + 1
    token = tl.load(spoken + streams, mask=inside)
    due = now - MAX_DELAY + tl.load(delays + streams, mask=inside, other=0)
    held = tl.load(ring + streams * LENGTH + due % LENGTH, mask=inside)
    tl.store(finished + streams, tl.where(due == now, token, held), mask=inside)
    tl.store(ring + streams * LENGTH + now % LENGTH, token, mask=inside)
    tl.store(position, now)
    tl.store(counter, tl.load(counter) + 1)


@triton.jit
def depth_project_kernel(
    weight, source, table, token, alpha, x, query, keys, values, step,
    K: tl.constexpr, BLOCK: tl.constexpr, HEAD: tl.constexpr, STEPS: tl.constexpr, ROWS: tl.constexpr,
    EMBED: tl.constexpr, EPSILON: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """q, k, v of one depth layer at one step; k and v go to their place in the step rings [HEADS, STEPS, HEAD].

    EMBED: the layer's input is source + table[token], which the first program also leaves in x; else it is x.
    """
    dtype = query.dtype.element_ty
    columns = tl.arange(0, BLOCK)
    inside = columns < K
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    exists = rows < 3 * K
    tile = tl.load(weight + rows[:, None] * K + columns[None, :], mask=exists[:, None] & inside[None, :], other=0.0)
    scale = tl.load(alpha + columns, mask=inside, other=0.0)
    wait_for_inputs(PDL)
    if EMBED:
        v = tl.load(source + columns, mask=inside, other=0.0).to(tl.float32)
        v += table_row(table, table, tl.load(token), columns, inside, K, False)
        v = v.to(dtype).to(tl.float32)
        if tl.program_id(0) == 0:
            tl.store(x + columns, v.to(dtype), mask=inside)
    else:
        v = tl.load(x + columns, mask=inside, other=0.0).to(tl.float32)
    v = root_mean_square(v, scale, K, EPSILON).to(dtype).to(tl.float32)
    y = tl.sum(tile.to(tl.float32) * v[None, :], axis=1).to(dtype)
    part, row = rows // K, rows % K
    place = (row // HEAD) * (STEPS * HEAD) + step * HEAD + row % HEAD
    tl.store(query + row, y, mask=part == 0)
    tl.store(keys + place, y, mask=part == 1)
    tl.store(values + place, y, mask=part == 2)


def enter(
    heard: Tensor, ring: Tensor, position: Tensor, delays: Tensor, initial: Tensor, audio_tables: Weight,
    text_table: Weight, periods: Tensor, x: Tensor, turns: Tensor, own: int, *, pdl: int,
) -> None:  # fmt: skip
    """One talk's input of a frame. heard [Q], ring [K, CT], position [1], delays and initial [K] int64;
    audio_tables [K - 1, card + 1, D], text_table [text_card + 1, D]; periods [head_dim / 2] float32, the rope
    frequencies -> x [D] and turns [2, head_dim / 2], in place.
    """
    dim, block = x.shape[0], 256
    audio, audio_scales = table_parts(audio_tables)
    text, text_scales = table_parts(text_table)
    enter_kernel[(triton.cdiv(dim, block),)](
        heard, ring, position, delays, initial, audio, audio_scales, text, text_scales, periods, x, turns, dim,
        audio.shape[1], ring.shape[0], own, ring.shape[1], periods.shape[0], block, audio is not audio_scales, pdl,
        num_warps=4, **launch_options(pdl),
    )  # fmt: skip


def table_parts(table: Weight) -> tuple[Tensor, Tensor]:
    """An embedding table's numbers and scales; a plain one stands for both."""
    return (table, table) if isinstance(table, Tensor) else (table.values, table.scales)


def leave(
    spoken: Tensor, ring: Tensor, position: Tensor, counter: Tensor, delays: Tensor, finished: Tensor, max_delay: int,
    *, pdl: int,
) -> None:  # fmt: skip
    """One talk's end of a frame. spoken [1 + own] (text, own codes) -> finished [1 + own], aligned by delay."""
    own = spoken.shape[0] - 1
    leave_kernel[(1,)](
        spoken, ring, position, counter, delays, finished, own, ring.shape[1], max_delay,
        triton.next_power_of_2(own + 1), pdl, num_warps=1, **launch_options(pdl),
    )  # fmt: skip


def depth_project(
    weight: Tensor, norm: Tensor, x: Tensor, query: Tensor, keys: Tensor, values: Tensor, step: int, launch: Launch, *,
    embed: tuple[Tensor, Tensor, Tensor] | None = None, pdl: int,
) -> None:  # fmt: skip
    """query [d] and place `step` of keys, values [H, S, d / H] = weight [3d, d] @ rms_norm(x), in place.

    `embed` (source [d], table [tokens, d], token [1]): x is first set to source + table[token].
    """
    _, steps, head_dim = keys.shape
    dim = x.shape[0]
    source, table, token = embed if embed is not None else (x, x, x)
    depth_project_kernel[(triton.cdiv(3 * dim, launch.rows),)](
        weight, source, table, token, norm, x, query, keys, values, step, dim, triton.next_power_of_2(dim), head_dim,
        steps, launch.rows, embed is not None, EPS, pdl, num_warps=launch.warps, **launch_options(pdl),
    )  # fmt: skip
