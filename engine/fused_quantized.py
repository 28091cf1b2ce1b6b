"""`engine.fused` for quantised language models: the same stages, with kernels that read 8- and 4-bit weights.

Embeddings and heads are 8-bit rows in every quantised precision. Imports Triton: import this module late.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from engine import kernels_quantized, kernels_quantized_depth, kernels_words, kernels_words_depth
from engine.fused import FusedFrame, Launches
from engine.fused_codec import CodecCuts
from engine.kernels_linear import Launch
from engine.lm import DepthLayer, LanguageModel, TemporalLayer
from engine.mimi import Mimi
from engine.quantize import Quantized, QuantizedWeight, Weight
from engine.state import State


class QuantizedLaunches(NamedTuple):
    """How the products are cut: launch, and bytes of a row at once. Correct for any sizes; not tuned yet."""

    project: Launch = Launch(rows=4, tiles=6)
    out: Launch = Launch(rows=4, tiles=2)
    gate: Launch = Launch(rows=2, tiles=11)
    down: Launch = Launch(rows=8)
    text_head: Launch = Launch(rows=4, tiles=16)
    block: int = 2048
    down_block: int = 1024
    depth_inputs: Launch = Launch(rows=4, tiles=8)
    depth_project: Launch = Launch(rows=8, warps=4)
    depth_attend: Launch = Launch(rows=16, warps=16)
    depth_gate: Launch = Launch(rows=4, warps=4)
    depth_down: Launch = Launch(rows=8, warps=8)
    depth_block: int = 1024
    depth_head: Launch = Launch(rows=8)


class WordLaunches(NamedTuple):
    """As `QuantizedLaunches` for `engine.kernels_words`: rows are taken whole, but those of `down`, `down_block` bytes
    at once. `words` False: eight bits are widened one by one."""

    project: Launch = Launch(rows=4, tiles=6)
    out: Launch = Launch(rows=4, tiles=2)
    gate: Launch = Launch(rows=2, tiles=11)
    down: Launch = Launch(rows=8)
    text_head: Launch = Launch(rows=4, tiles=16)
    down_block: int = 512
    depth_inputs: Launch = Launch(rows=4, tiles=8)
    depth_project: Launch = Launch(rows=8, warps=4)
    depth_attend: Launch = Launch(rows=8, warps=4)
    depth_gate: Launch = Launch(rows=4, warps=2)
    depth_down: Launch = Launch(rows=8, warps=8)
    depth_head: Launch = Launch(rows=8)
    words: bool = True


def unsupported(lm: LanguageModel, device: torch.device) -> str | None:
    """Why these weights need the plain path, as a sentence; None where the kernels fit. Beside `fused.unsupported`."""
    if any(not kernels_quantized.supported(_matrix(m)) for m in lm.modules() if isinstance(m, QuantizedWeight)):
        return "The fused kernels need widths that divide into whole groups of four-bit weights."
    if lm.config.depformer_dim < 64 or lm.config.depformer_num_heads < 2:
        return "The fused kernels for quantised weights need a depth width of at least 64 and two heads."
    older = device.type == "cuda" and torch.cuda.get_device_capability(device) < (8, 9)
    if older and str(lm.precision).startswith("fp8"):
        return "The fused kernels for fp8 weights need a card of compute capability 8.9 or later."
    return None


def _matrix(weight: Weight) -> Quantized:
    """A whole parameter as one matrix, a stack's rows one under another."""
    assert isinstance(weight, QuantizedWeight)
    if weight.values.dim() == 2:
        return Quantized(weight.values, weight.scales)
    return Quantized(weight.values.flatten(0, 1), weight.scales.flatten(0, 1))


def _step(weight: Weight, step: int) -> Quantized:
    assert isinstance(weight, QuantizedWeight)
    return weight[step]


class QuantizedFrame(FusedFrame):
    """`FusedFrame` with quantised weights."""

    def __init__(
        self, lm: LanguageModel, mimi: Mimi, state: State, *, lm_window: int, mimi_window: int, pdl: int | None = None,
        launches: Launches | None = None, codec_cuts: CodecCuts | None = None, cuts: QuantizedLaunches | None = None,
    ):  # fmt: skip
        super().__init__(
            lm, mimi, state, lm_window=lm_window, mimi_window=mimi_window, pdl=pdl, launches=launches,
            codec_cuts=codec_cuts,
        )  # fmt: skip
        self.cuts = cuts or QuantizedLaunches()

    def _temporal_layer(self, layer: TemporalLayer) -> None:
        b, cuts, pdl = self._scratch, self.cuts, self.pdl
        in_proj, out_proj = _matrix(layer.in_proj), _matrix(layer.out_proj)
        kernels_quantized.linear(in_proj, b.x, b.projected, cuts.project, cuts.block, norm=layer.norm1, pdl=pdl)
        self._ring_attend(layer, out_proj.values)
        kernels_quantized.linear(out_proj, b.attended, b.x, cuts.out, cuts.block, add=True, pdl=pdl)
        kernels_quantized.gated(_matrix(layer.linear_in), b.x, layer.norm2, b.hidden, cuts.gate, cuts.block, pdl=pdl)
        down = _matrix(layer.linear_out)
        kernels_quantized.linear(down, b.hidden, b.x, cuts.down, cuts.down_block, add=True, pdl=pdl)

    def _text_logits(self) -> None:
        b, cuts, temporal = self._scratch, self.cuts, self.lm.temporal
        kernels_quantized.linear(
            _matrix(temporal.text_head), b.x, b.text_logits, cuts.text_head, cuts.block, norm=temporal.out_norm,
            pdl=self.pdl,
        )  # fmt: skip

    @property
    def _depth_head(self) -> Launch:
        return self.cuts.depth_head

    def _depth_inputs(self) -> None:
        b, cuts = self._scratch, self.cuts
        kernels_quantized.linear(
            _matrix(self.lm.depth.input_projections), b.x, b.inputs.view(-1), cuts.depth_inputs, cuts.block,
            norm=self.lm.temporal.out_norm, pdl=self.pdl,
        )  # fmt: skip

    def _depth_layer(self, layer: DepthLayer, step: int) -> None:
        """As the plain one."""
        b, cuts, pdl, depth = self._scratch, self.cuts, self.pdl, self.lm.depth
        table = _matrix(depth.text_embedding) if step == 0 else _step(depth.audio_embeddings, step - 1)
        embed = (b.inputs[step], table, b.spoken[step:]) if layer.index == 0 else None
        keys, values = self.state["depth.keys"][0, layer.index], self.state["depth.values"][0, layer.index]
        in_proj, out_proj, linear_in, linear_out = (
            _step(weight, step) for weight in (layer.in_proj, layer.out_proj, layer.linear_in, layer.linear_out)
        )
        kernels_quantized_depth.depth_project(
            in_proj, layer.norm1, b.depth_x, b.query, keys, values, step, cuts.depth_project, embed=embed, pdl=pdl
        )
        kernels_quantized_depth.depth_attend_add(
            out_proj, b.query, keys, values, b.depth_x, step, cuts.depth_attend, pdl=pdl
        )
        block = cuts.depth_block
        kernels_quantized.gated(linear_in, b.depth_x, layer.norm2, b.depth_hidden, cuts.depth_gate, block, pdl=pdl)
        kernels_quantized.linear(linear_out, b.depth_hidden, b.depth_x, cuts.depth_down, block, add=True, pdl=pdl)


class WordFrame(QuantizedFrame):
    """`QuantizedFrame` by `engine.kernels_words`."""

    def __init__(
        self, lm: LanguageModel, mimi: Mimi, state: State, *, lm_window: int, mimi_window: int, pdl: int | None = None,
        launches: Launches | None = None, codec_cuts: CodecCuts | None = None, word_cuts: WordLaunches | None = None,
    ):  # fmt: skip
        super().__init__(
            lm, mimi, state, lm_window=lm_window, mimi_window=mimi_window, pdl=pdl, launches=launches,
            codec_cuts=codec_cuts,
        )  # fmt: skip
        self.word_cuts = word_cuts or WordLaunches()

    def _linear(
        self, weight: Quantized, x: Tensor, out: Tensor, launch: Launch, *, norm: Tensor | None = None,
        add: bool = False, block: int = 0,
    ) -> None:  # fmt: skip
        words = self.word_cuts.words
        kernels_words.linear(weight, x, out, launch, block, norm=norm, add=add, words=words, pdl=self.pdl)

    def _temporal_layer(self, layer: TemporalLayer) -> None:
        b, cuts = self._scratch, self.word_cuts
        out_proj = _matrix(layer.out_proj)
        self._linear(_matrix(layer.in_proj), b.x, b.projected, cuts.project, norm=layer.norm1)
        self._ring_attend(layer, out_proj.values)
        self._linear(out_proj, b.attended, b.x, cuts.out, add=True)
        kernels_words.gated(
            _matrix(layer.linear_in), b.x, layer.norm2, b.hidden, cuts.gate, words=cuts.words, pdl=self.pdl
        )
        self._linear(_matrix(layer.linear_out), b.hidden, b.x, cuts.down, add=True, block=cuts.down_block)

    def _text_logits(self) -> None:
        b, temporal = self._scratch, self.lm.temporal
        head = _matrix(temporal.text_head)
        self._linear(head, b.x, b.text_logits, self.word_cuts.text_head, norm=temporal.out_norm)

    @property
    def _depth_head(self) -> Launch:
        return self.word_cuts.depth_head

    def _depth_inputs(self) -> None:
        b, inputs = self._scratch, _matrix(self.lm.depth.input_projections)
        self._linear(inputs, b.x, b.inputs.view(-1), self.word_cuts.depth_inputs, norm=self.lm.temporal.out_norm)

    def _depth_layer(self, layer: DepthLayer, step: int) -> None:
        """As the plain one."""
        b, cuts, pdl, depth = self._scratch, self.word_cuts, self.pdl, self.lm.depth
        table = _matrix(depth.text_embedding) if step == 0 else _step(depth.audio_embeddings, step - 1)
        embed = (b.inputs[step], table, b.spoken[step:]) if layer.index == 0 else None
        keys, values = self.state["depth.keys"][0, layer.index], self.state["depth.values"][0, layer.index]
        in_proj, out_proj, linear_in, linear_out = (
            _step(weight, step) for weight in (layer.in_proj, layer.out_proj, layer.linear_in, layer.linear_out)
        )
        kernels_words_depth.depth_project(
            in_proj, layer.norm1, b.depth_x, b.query, keys, values, step, cuts.depth_project, embed=embed,
            words=cuts.words, pdl=pdl,
        )  # fmt: skip
        kernels_words_depth.depth_attend_add(
            out_proj, b.query, keys, values, b.depth_x, step, cuts.depth_attend, words=cuts.words, pdl=pdl
        )
        kernels_words.gated(
            linear_in, b.depth_x, layer.norm2, b.depth_hidden, cuts.depth_gate, words=cuts.words, pdl=pdl
        )
        self._linear(linear_out, b.depth_hidden, b.depth_x, cuts.depth_down, add=True)
