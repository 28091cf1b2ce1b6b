"""One Triton kernel for all depth steps of a frame: a program per multiprocessor, resident from the first step's
embedding to the last step's token.

As a chain of launches the depth stage is bound by some two hundred waits, not by its bytes. Here programs hand one
another vectors without a launch between them, and without a barrier: a *word* of 64 bits carries two bfloat16 numbers
and the number of the launch that wrote them, so whoever reads a word knows whether it is this frame's, and asks again
until it is. Every vector of every layer and step has words of its own; none is overwritten while somebody may still
want the older one. While a program waits, its rows of the next product's weights are on their way into registers, and
those of later products into the L2 cache.

All programs must be resident at once (`fitting`), or they wait for one that never starts; so waiting is bounded: after
some seconds a program goes on with what it has, notes it in `stalled`, and the frame's hidden vector becomes no number,
which ends the talk with a sentence (`engine.answer`). Every program draws every token for itself, from the same logits
and the same noise, which saves handing it over.

Phases can run one after another too, a launch each (`run_phases`), with the same arithmetic: in Triton's interpreter,
where programs follow one another, the tests hold them against the chain. Imports Triton: import this module late.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_depth_parts import (
    added,
    attend,
    embedded,
    fetch_ahead,
    gate_rows,
    load_rows,
    pairs,
    product,
    project_rows,
    publish,
    shrink,
    spread,
    take,
    take_heads,
    take_two,
    wide,
    words_of,
)
from engine.kernels_linear import EPS, launch_options, wait_for_inputs
from engine.kernels_sampling import UNFORCED, draw
from engine.lm import DepthTransformer

WAITS = 1 << 21  # looks at words that do not come, some half a microsecond each, before a program goes on without them
LAYER_PHASES, PHASES = 4, 6  # of a layer: project, attend, gate, down; then a step's head and its token
ALL = -1
CHUNK = 128  # words: 16 bytes for each thread of a warp


@triton.jit
def depth_kernel(
    base, layer_table, step_table, inputs, keys, values, words, launches, stalled, order, hidden,
    temperature, top_k, seed, counter, forced, spoken, waits,
    D: tl.constexpr, H: tl.constexpr, HEADS: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr,
    LAYERS: tl.constexpr, CARD: tl.constexpr,
    IN: tl.constexpr, IN_FIRST: tl.constexpr, IN_REST: tl.constexpr,
    OUT: tl.constexpr, OUT_BLOCK: tl.constexpr,
    GATE: tl.constexpr, GATE_FIRST: tl.constexpr, GATE_REST: tl.constexpr,
    DOWN_FIRST: tl.constexpr, DOWN_REST: tl.constexpr, LOGITS: tl.constexpr, LOGITS_BLOCK: tl.constexpr,
    WITHIN: tl.constexpr,
    FIRST_STEP: tl.constexpr, LAST_STEP: tl.constexpr, FIRST_LAYER: tl.constexpr, LAST_LAYER: tl.constexpr,
    ONLY: tl.constexpr, FETCH: tl.constexpr, EPSILON: tl.constexpr, UNFORCED_TOKEN: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Layers FIRST_LAYER to LAST_LAYER of steps FIRST_STEP to LAST_STEP. ONLY: that phase of them; -1: all phases.

    layer_table [STEPS * LAYERS + 1, 6], step_table [STEPS, 2] int64: addresses (`DepthFrame`). inputs, keys, values as
    int32. IN, OUT, GATE, LOGITS: rows of one program; _FIRST, _REST, _BLOCK: the blocks they are taken in. A vector
    of words is taken in chunks of WITHIN.
    """
    W: tl.constexpr = D // 2
    WH: tl.constexpr = H // 2
    HALF: tl.constexpr = D // HEADS // 2
    LAYER_WORDS: tl.constexpr = 3 * W + W + WH + W
    CHUNKS: tl.constexpr = W // WITHIN
    program = tl.program_id(0)
    within, chunks = tl.arange(0, WITHIN), tl.arange(0, CHUNKS)
    columns = chunks[:, None] * WITHIN + within[None, :]
    in_first, in_rest = program * IN + tl.arange(0, IN_FIRST), program * IN + IN_FIRST + tl.arange(0, IN_REST)
    has_in_first, has_in_rest = in_first < 3 * D, (in_rest < 3 * D) & (in_rest < program * IN + IN)
    in_pair, in_rest_pair = program * (IN // 2) + tl.arange(0, IN_FIRST // 2), tl.arange(0, IN_REST // 2)
    in_rest_pair += program * (IN // 2) + IN_FIRST // 2
    has_in_pair = in_pair < 3 * W
    has_in_rest_pair = (in_rest_pair < 3 * W) & (in_rest_pair < program * (IN // 2) + IN // 2)
    out_row, out_pair = program * OUT + tl.arange(0, OUT_BLOCK), program * (OUT // 2) + tl.arange(0, OUT_BLOCK // 2)
    has_out, has_out_pair = (out_row < D) & (out_row < program * OUT + OUT), out_pair < W
    has_out_pair = has_out_pair & (out_pair < program * (OUT // 2) + OUT // 2)
    gate_first, gate_rest = program * GATE + tl.arange(0, GATE_FIRST), tl.arange(0, GATE_REST)
    gate_rest += program * GATE + GATE_FIRST
    has_gate_first, has_gate_rest = gate_first < H, (gate_rest < H) & (gate_rest < program * GATE + GATE)
    gate_pair, gate_rest_pair = program * (GATE // 2) + tl.arange(0, GATE_FIRST // 2), tl.arange(0, GATE_REST // 2)
    gate_rest_pair += program * (GATE // 2) + GATE_FIRST // 2
    has_gate_pair = gate_pair < WH
    has_gate_rest_pair = (gate_rest_pair < WH) & (gate_rest_pair < program * (GATE // 2) + GATE // 2)
    down_first, down_rest = tl.arange(0, DOWN_FIRST), DOWN_FIRST + tl.arange(0, DOWN_REST)
    inside_first = has_out[:, None, None] & ((down_first * WITHIN)[None, :, None] + within[None, None, :] < WH)
    inside_rest = has_out[:, None, None] & ((down_rest * WITHIN)[None, :, None] + within[None, None, :] < WH)
    logit_row = program * LOGITS + tl.arange(0, LOGITS_BLOCK)
    has_logit = (logit_row < CARD) & (logit_row < program * LOGITS + LOGITS)
    logit_pair = program * (LOGITS // 2) + tl.arange(0, LOGITS_BLOCK // 2)
    has_logit_pair = (logit_pair < CARD // 2) & (logit_pair < program * (LOGITS // 2) + LOGITS // 2)
    heads, halves, steps = tl.arange(0, HEADS), tl.arange(0, HALF), tl.arange(0, BLOCK)
    head_at = heads[:, None] * HALF + halves[None, :]
    ring_at = heads[:, None, None] * (STEPS * HALF) + steps[None, :, None] * HALF + halves[None, None, :]

    row = FIRST_STEP * LAYERS + FIRST_LAYER
    w_in, w_out = tl.load(layer_table + row * 6), tl.load(layer_table + row * 6 + 1)
    w_gate, w_down = tl.load(layer_table + row * 6 + 2), tl.load(layer_table + row * 6 + 3)
    norm1, norm2 = tl.load(layer_table + row * 6 + 4), tl.load(layer_table + row * 6 + 5)
    fetch_ahead(w_in, program * IN, IN, 3 * D, 2 * D, FETCH)
    fetch_ahead(w_out, program * OUT, OUT, D, 2 * D, FETCH)
    heat, count, key, frame = tl.load(temperature), tl.load(top_k), tl.load(seed), tl.load(counter)
    launch = tl.load(launches)
    epoch = launch + 1
    waits = tl.where(tl.load(stalled) != 0, 0, waits)
    wait_for_inputs(PDL)
    token = tl.load(spoken + FIRST_STEP)
    for step in range(FIRST_STEP, LAST_STEP):
        step_words = words + STEPS * LAYERS * LAYER_WORDS + step * (W + CARD // 2)
        table, w_head = words_of(base, tl.load(step_table + step * 2)), tl.load(step_table + step * 2 + 1)
        for layer in range(FIRST_LAYER, LAST_LAYER):
            row = step * LAYERS + layer
            projected = words + row * LAYER_WORDS
            middle, gated, left = projected + 3 * W, projected + 4 * W, projected + 4 * W + WH
            following = layer_table + row * 6 + 6
            next_in, next_out = tl.load(following), tl.load(following + 1)
            next_gate, next_down = tl.load(following + 2), tl.load(following + 3)
            next_norm1, next_norm2 = tl.load(following + 4), tl.load(following + 5)
            layer_keys, layer_values = keys + layer * (STEPS * W), values + layer * (STEPS * W)
            entered = projected - W  # what the layer before left
            if layer == 0:
                entered = step_words
            if ONLY < 0 or ONLY == 0:  # norm, q, k, v
                fetch_ahead(w_gate, program * GATE, GATE, H, 2 * D, FETCH)
                fetch_ahead(w_gate + H * D * 2, program * GATE, GATE, H, 2 * D, FETCH)
                if layer == LAYERS - 1:
                    fetch_ahead(w_head, program * LOGITS, LOGITS, CARD, 2 * D, FETCH)
                a = load_rows(words_of(base, w_in), in_first, chunks, within, has_in_first[:, None, None], W)
                if IN > IN_FIRST:
                    b = load_rows(words_of(base, w_in), in_rest, chunks, within, has_in_rest[:, None, None], W)
                scale_even, scale_odd = spread(tl.load(words_of(base, norm1) + columns), CHUNKS, WITHIN)
                if layer == 0:
                    got = embedded(inputs + step * W, table, token, columns, W)
                    publish(entered + columns, got, epoch, columns // (OUT // 2) == program)
                    tl.debug_barrier()  # these rows are asked for again by other threads
                else:
                    got, waits = take(entered + columns, epoch, waits)
                even, odd = spread(got, CHUNKS, WITHIN)
                root = shrink(even, odd, IN_FIRST, D, EPSILON)
                rest_root = shrink(even, odd, IN_REST, D, EPSILON)
                even, odd = even * scale_even, odd * scale_odd
                project_rows(
                    a, in_pair, has_in_pair, even, odd, root, projected, layer_keys, layer_values, step, epoch,
                    IN_FIRST, D, 2 * HALF, STEPS,
                )  # fmt: skip
                if IN > IN_FIRST:
                    project_rows(
                        b, in_rest_pair, has_in_rest_pair, even, odd, rest_root, projected, layer_keys, layer_values,
                        step, epoch, IN_REST, D, 2 * HALF, STEPS,
                    )  # fmt: skip
            if ONLY < 0 or ONLY == 1:  # attention, out, residual
                fetch_ahead(w_down, program * OUT, OUT, D, 2 * H, FETCH)
                a = load_rows(words_of(base, w_out), out_row, chunks, within, has_out[:, None, None], W)
                earlier, now = (steps < step)[None, :, None], (steps == step)[None, :, None]
                k = tl.load(layer_keys + ring_at, mask=earlier, other=0, cache_modifier=".cg")
                v = tl.load(layer_values + ring_at, mask=earlier, other=0, cache_modifier=".cg")
                held = tl.load(entered + out_pair, mask=has_out_pair, other=0, volatile=True)
                q, k_now, v_now, waits = take_heads(projected + head_at, epoch, waits, D)
                k, v = tl.where(now, k_now[:, None, :], k), tl.where(now, v_now[:, None, :], v)
                even, odd = spread(attend(q, k, v, steps, step, (2 * HALF) ** -0.5, CHUNKS, WITHIN), CHUNKS, WITHIN)
                publish(middle + out_pair, added(product(a, even, odd), held, OUT_BLOCK), epoch, has_out_pair)
            if ONLY < 0 or ONLY == 2:  # norm, gate
                fetch_ahead(next_in, program * IN, IN, 3 * D, 2 * D, FETCH)
                w = words_of(base, w_gate)
                a = load_rows(w, gate_first, chunks, within, has_gate_first[:, None, None], W)
                c = load_rows(w + H * W, gate_first, chunks, within, has_gate_first[:, None, None], W)
                if GATE > GATE_FIRST:
                    b = load_rows(w, gate_rest, chunks, within, has_gate_rest[:, None, None], W)
                    d = load_rows(w + H * W, gate_rest, chunks, within, has_gate_rest[:, None, None], W)
                scale_even, scale_odd = spread(tl.load(words_of(base, norm2) + columns), CHUNKS, WITHIN)
                got, waits = take(middle + columns, epoch, waits)
                even, odd = spread(got, CHUNKS, WITHIN)
                root = shrink(even, odd, GATE_FIRST, D, EPSILON)
                rest_root = shrink(even, odd, GATE_REST, D, EPSILON)
                even, odd = even * scale_even, odd * scale_odd
                gate_rows(a, c, gate_pair, has_gate_pair, even, odd, root, gated, epoch, GATE_FIRST)
                if GATE > GATE_FIRST:
                    gate_rows(b, d, gate_rest_pair, has_gate_rest_pair, even, odd, rest_root, gated, epoch, GATE_REST)
            if ONLY < 0 or ONLY == 3:  # down, residual
                fetch_ahead(next_out, program * OUT, OUT, D, 2 * D, FETCH)
                w = words_of(base, w_down)
                a = load_rows(w, out_row, down_first, within, inside_first, WH)
                b = load_rows(w, out_row, down_rest, within, inside_rest, WH)
                held = tl.load(middle + out_pair, mask=has_out_pair, other=0, volatile=True)
                first_at = tl.minimum(down_first[:, None] * WITHIN + within[None, :], WH - 1)
                rest_at = tl.minimum(down_rest[:, None] * WITHIN + within[None, :], WH - 1)
                one, two, waits = take_two(gated + first_at, gated + rest_at, epoch, waits)
                even, odd = spread(one, DOWN_FIRST, WITHIN)
                rest_even, rest_odd = spread(two, DOWN_REST, WITHIN)
                y = product(a, even, odd) + product(b, rest_even, rest_odd)
                publish(left + out_pair, added(y, held, OUT_BLOCK), epoch, has_out_pair)
            w_in, w_out, w_gate, w_down = next_in, next_out, next_gate, next_down
            norm1, norm2 = next_norm1, next_norm2
        left = words + (step * LAYERS + LAYERS) * LAYER_WORDS - W
        if ONLY < 0 or ONLY == 4:  # head
            a = load_rows(words_of(base, w_head), logit_row, chunks, within, has_logit[:, None, None], W)
            # Behind this the step's keys and values are there for all; the logits that follow tell so.
            tl.debug_barrier()
            tl.atomic_add(order, 1, sem="acq_rel")
            got, waits = take(left + columns, epoch, waits)
            even, odd = spread(got, CHUNKS, WITHIN)
            out = pairs(product(a, even, odd), LOGITS_BLOCK)
            publish(step_words + W + logit_pair, out, epoch, has_logit_pair)
        if ONLY < 0 or ONLY == 5:  # the token
            given = tl.load(forced + step)
            got, waits = take(step_words + W + tl.arange(0, CARD // 2)[None, :], epoch, waits)
            even, odd = wide(tl.reshape(got, (CARD // 2,)))
            token = draw(tl.interleave(even, odd), heat, count, key, frame, 1 + step, CARD, CARD, 16)
            token = tl.where(given == UNFORCED_TOKEN, token, given)
            if program == 0:
                tl.store(spoken + 1 + step, token)
    if ONLY < 0 and program == 0:  # all others have read it, or they would not have had a part in the last token
        tl.store(launches, epoch)
    if waits == 0:
        tl.store(stalled, 1)
        tl.store(hidden, float("nan"))


class Cut(NamedTuple):
    """Rows that one program takes, and the two blocks (powers of two) in which it takes them."""

    share: int
    first: int
    rest: int


def cut(rows: int, programs: int) -> Cut:
    """A matrix of so many rows dealt to the programs."""
    share = 2 * triton.cdiv(rows // 2, programs)
    first = triton.next_power_of_2(share + 1) // 2
    return Cut(share, first, triton.next_power_of_2(max(2, share - first)))


class Sampling(NamedTuple):
    """What decides a token, all on the device: each [1], `forced` [S]."""

    temperature: Tensor
    top_k: Tensor
    seed: Tensor
    counter: Tensor
    forced: Tensor


def unfit(depth: DepthTransformer, device: torch.device, programs: int) -> str | None:
    """Why the resident kernel cannot run so, as a sentence; None where it can."""
    if not isinstance(depth.heads, Tensor) or depth.heads.dtype != torch.bfloat16:
        return "The resident depth kernel reads bfloat16 weights."
    _, hidden_rows, dim = depth.layers[0].linear_in.shape
    if dim & (dim - 1) or hidden_rows % 16:
        return "The resident depth kernel needs a width that is a power of two and a hidden size in whole eights."
    if device.type == "cuda":
        card = torch.cuda.get_device_properties(device)
        if card.multi_processor_count < programs:
            return f"The resident depth kernel needs {programs} multiprocessors; the card has less."
        if card.major < 9:
            return "The resident depth kernel needs a card of compute capability 9.0 or later."
    return None


class DepthFrame:
    """The depth stage of one model between its inputs' product and the token ring."""

    def __init__(
        self, depth: DepthTransformer, keys: Tensor, values: Tensor, programs: int, *, warps: int, fetch: bool = True
    ) -> None:
        """keys, values [layers, H, S, d / H] bfloat16. `fetch`: bring later weights into the L2 cache."""
        device = keys.device
        assert unfit(depth, device, programs) is None, "ask `unfit` first"
        layers, heads, steps, _ = keys.shape
        dim, hidden, card = depth.heads.shape[2], depth.layers[0].linear_out.shape[2], depth.heads.shape[1]
        self._base = depth.heads.view(torch.int32)
        self._programs, self._warps, self._layers, self._steps = programs, warps, layers, steps
        self._keys, self._values = keys.view(torch.int32), values.view(torch.int32)
        rows = [_addresses(layer, step) for step in range(steps) for layer in depth.layers]
        self._layer_table = torch.tensor([*rows, rows[-1]], dtype=torch.int64, device=device)
        tables = [depth.text_embedding, *depth.audio_embeddings]
        addresses = [[tables[step].data_ptr(), depth.heads[step].data_ptr()] for step in range(steps)]
        self._step_table = torch.tensor(addresses, dtype=torch.int64, device=device)
        count = steps * (layers * (5 * dim + hidden) + dim + card) // 2
        self.words = torch.zeros(count, dtype=torch.int64, device=device)
        self._launches, self.stalled, self._order = (
            torch.zeros(1, dtype=torch.int32, device=device) for _ in range(3)
        )  # fmt: skip
        inputs, out, gate, head = (cut(rows, programs) for rows in (3 * dim, dim, hidden, card))
        within = min(CHUNK, dim // 2)
        down = triton.cdiv(hidden // 2, within)
        first = triton.next_power_of_2(down + 1) // 2
        self._constants: tuple[Any, ...] = (
            dim, hidden, heads, steps, triton.next_power_of_2(steps), layers, card, *inputs,
            out.share, triton.next_power_of_2(out.share), *gate, first, triton.next_power_of_2(max(1, down - first)),
            head.share, triton.next_power_of_2(head.share), within,
        )  # fmt: skip
        self._fetch = fetch and device.type == "cuda"

    def run(self, inputs: Tensor, hidden: Tensor, spoken: Tensor, sampling: Sampling, *, pdl: int) -> Any:
        """All steps. inputs [S, d] bfloat16: each step's part of the frame's hidden vector; spoken [1 + S]: the text
        token, behind which the own codes are left. hidden: becomes no number if the programs waited in vain."""
        everything = (0, self._steps, 0, self._layers, ALL)
        return self._launch(inputs, hidden, spoken, sampling, everything, WAITS, pdl)

    def run_phases(self, inputs: Tensor, hidden: Tensor, spoken: Tensor, sampling: Sampling) -> None:
        """The same, a launch a phase: no program waits for another."""
        for step in range(self._steps):
            parts = [(layer, layer + 1, phase) for layer in range(self._layers) for phase in range(LAYER_PHASES)]
            parts += [(0, 0, phase) for phase in range(LAYER_PHASES, PHASES)]
            for first, last, phase in parts:
                self._launch(inputs, hidden, spoken, sampling, (step, step + 1, first, last, phase), 1, 0)
        self._launches.add_(1)

    def _launch(
        self, inputs: Tensor, hidden: Tensor, spoken: Tensor, sampling: Sampling, part: Sequence[int], waits: int,
        pdl: int,
    ) -> Any:  # fmt: skip
        return depth_kernel[(self._programs,)](
            self._base, self._layer_table, self._step_table, inputs.view(torch.int32), self._keys, self._values,
            self.words, self._launches, self.stalled, self._order, hidden, *sampling, spoken, waits, *self._constants,
            *part, self._fetch, EPS, UNFORCED, pdl, num_warps=self._warps, **launch_options(pdl),
        )  # fmt: skip


def _addresses(layer: Any, step: int) -> list[int]:
    matrices = (layer.in_proj[step], layer.out_proj[step], layer.linear_in[step], layer.linear_out[step])
    return [tensor.data_ptr() for tensor in (*matrices, layer.norm1, layer.norm2)]
