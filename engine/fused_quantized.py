"""`engine.fused` for quantised language models: the same stages, with kernels that read 8- and 4-bit weights.

Embeddings and heads are 8-bit rows in every quantised precision. Imports Triton: import this module late.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from engine import kernels_quantized, kernels_quantized_depth, kernels_quantized_warps
from engine.fused import FusedFrame, Launches
from engine.fused_codec import CodecCuts
from engine.kernels_linear import Launch
from engine.kernels_quantized_parts import supported
from engine.lm import DepthLayer, LanguageModel, TemporalLayer
from engine.mimi import Mimi
from engine.quantize import Quantized, QuantizedWeight, Weight
from engine.state import State


class QuantizedLaunches(NamedTuple):
    """How the products are cut, as measured for int8 on an H200 (tests/gpu/RESULTS.md); correct for any sizes.

    down_block: bytes of a row of `down` that are taken at once; 0: whole rows, as in all other products.
    project_in_warps, attend_in_warps, gate_in_warps: the depth's by `kernels_quantized_warps`, where that fits."""

    project: Launch = Launch(rows=8, tiles=4, warps=4)
    out: Launch = Launch(rows=8, warps=4)
    gate: Launch = Launch(rows=4, tiles=8)
    down: Launch = Launch(rows=4, tiles=4)
    down_block: int = 0
    text_head: Launch = Launch(rows=2, tiles=32)
    depth_inputs: Launch = Launch(rows=4, tiles=8)
    depth_project: Launch = Launch(rows=8, warps=2)
    depth_attend: Launch = Launch(rows=16)
    depth_gate: Launch = Launch(rows=8, warps=2)
    depth_down: Launch = Launch(rows=8)
    depth_head: Launch = Launch(rows=4, warps=4)
    project_in_warps: bool = True
    attend_in_warps: bool = False
    gate_in_warps: bool = True


# Of the other precisions four bits alone were measured.
FOUR_BITS = QuantizedLaunches(
    project=Launch(rows=8, tiles=3, warps=4),
    gate=Launch(rows=4, tiles=6, warps=4),
    down=Launch(rows=2, tiles=4, warps=4),
    text_head=Launch(rows=4, tiles=16),
    depth_gate=Launch(rows=4, warps=1),
    depth_down=Launch(rows=4, warps=4),
    depth_head=Launch(rows=8),
    attend_in_warps=True,
)


# fp8 and fp8-row are multiplied as floats, which take more registers: what was fastest for int8 when it was, too.
FLOATS = QuantizedLaunches(
    project=Launch(rows=2, tiles=12),
    out=Launch(rows=2, tiles=4, warps=4),
    gate=Launch(rows=4, tiles=11),
    down=Launch(rows=4, warps=4),
    down_block=1024,
    depth_project=Launch(rows=4, warps=4),
    depth_attend=Launch(rows=8),
    depth_gate=Launch(rows=8, warps=4),
)


def launches_for(precision: str | None) -> QuantizedLaunches:
    """What was fastest for a precision."""
    return {"int8": QuantizedLaunches(), "int4": FOUR_BITS}.get(precision or "", FLOATS)


def unsupported(lm: LanguageModel, device: torch.device) -> str | None:
    """Why these weights need the plain path, as a sentence; None where the kernels fit. Beside `fused.unsupported`."""
    if any(not supported(_matrix(m)) for m in lm.modules() if isinstance(m, QuantizedWeight)):
        return "The fused kernels need quantised weights whose rows and four-bit groups are whole pieces of 16 bytes."
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
    """`FusedFrame` with quantised weights. `cuts`: None = as was fastest for the model's precision."""

    def __init__(
        self, lm: LanguageModel, mimi: Mimi, state: State, *, lm_window: int, mimi_window: int, pdl: int | None = None,
        launches: Launches | None = None, codec_cuts: CodecCuts | None = None, cuts: QuantizedLaunches | None = None,
    ):  # fmt: skip
        super().__init__(
            lm, mimi, state, lm_window=lm_window, mimi_window=mimi_window, pdl=pdl, launches=launches,
            codec_cuts=codec_cuts,
        )  # fmt: skip
        self.cuts = cuts or launches_for(lm.precision)

    def _temporal_layer(self, layer: TemporalLayer) -> None:
        b, cuts, pdl = self._scratch, self.cuts, self.pdl
        in_proj, out_proj, linear_in, linear_out = (
            _matrix(weight) for weight in (layer.in_proj, layer.out_proj, layer.linear_in, layer.linear_out)
        )
        kernels_quantized.linear(in_proj, b.x, b.projected, cuts.project, norm=layer.norm1, pdl=pdl)
        self._ring_attend(layer)
        kernels_quantized.linear(out_proj, b.attended, b.x, cuts.out, add=True, pdl=pdl)
        kernels_quantized.gated(linear_in, b.x, layer.norm2, b.hidden, cuts.gate, pdl=pdl)
        kernels_quantized.linear(linear_out, b.hidden, b.x, cuts.down, cuts.down_block, add=True, pdl=pdl)

    def _text_logits(self) -> None:
        b, temporal = self._scratch, self.lm.temporal
        kernels_quantized.linear(
            _matrix(temporal.text_head), b.x, b.text_logits, self.cuts.text_head, norm=temporal.out_norm, pdl=self.pdl
        )

    @property
    def _depth_head(self) -> Launch:
        return self.cuts.depth_head

    def _depth_inputs(self) -> None:
        b, inputs = self._scratch, _matrix(self.lm.depth.input_projections)
        kernels_quantized.linear(
            inputs, b.x, b.inputs.view(-1), self.cuts.depth_inputs, norm=self.lm.temporal.out_norm, pdl=self.pdl
        )

    def _depth_layer(self, layer: DepthLayer, step: int) -> None:
        """As the plain one."""
        b, cuts, pdl, depth = self._scratch, self.cuts, self.pdl, self.lm.depth
        table = _matrix(depth.text_embedding) if step == 0 else _step(depth.audio_embeddings, step - 1)
        embed = (b.inputs[step], table, b.spoken[step:]) if layer.index == 0 else None
        keys, values = self.state["depth.keys"][0, layer.index], self.state["depth.values"][0, layer.index]
        in_proj, out_proj, linear_in, linear_out = (
            _step(weight, step) for weight in (layer.in_proj, layer.out_proj, layer.linear_in, layer.linear_out)
        )
        in_warps, fits = kernels_quantized_warps, kernels_quantized_warps.fits
        projects = in_warps if cuts.project_in_warps and fits(in_proj) else kernels_quantized_depth
        attends = in_warps if cuts.attend_in_warps and fits(out_proj) else kernels_quantized_depth
        gates = in_warps if cuts.gate_in_warps and fits(linear_in) else kernels_quantized
        projects.depth_project(
            in_proj, layer.norm1, b.depth_x, b.query, keys, values, step, cuts.depth_project, embed=embed, pdl=pdl
        )
        attends.depth_attend_add(out_proj, b.query, keys, values, b.depth_x, step, cuts.depth_attend, pdl=pdl)
        gates.gated(linear_in, b.depth_x, layer.norm2, b.depth_hidden, cuts.depth_gate, pdl=pdl)
        kernels_quantized.linear(linear_out, b.depth_hidden, b.depth_x, cuts.depth_down, add=True, pdl=pdl)
