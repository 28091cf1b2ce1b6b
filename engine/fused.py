"""The frame's language-model stages as few fused GPU kernels: the same slots and the same arithmetic as `engine.frame`.

Owns which kernel runs on which weights in which order, and the scratch memory between them. A stage here is a straight
list of launches on fixed addresses, so it runs launched one by one, captured or replayed, bit for bit the same. One
talk only. Imports Triton: import this module late (`engine.frame_choice` does).
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from engine import (
    kernels_depth_attention,
    kernels_depth_rows,
    kernels_linear,
    kernels_ring,
    kernels_ring8,
    kernels_ring8_rows,
    kernels_sampling,
    kernels_tokens,
)
from engine.config import LMConfig
from engine.frame import Frame
from engine.fused_codec import CodecCuts, FusedCodec
from engine.fused_codec import unsupported as codec_unsupported
from engine.kernels_linear import EARLY, LATE, NO_OVERLAP, Launch
from engine.kernels_ring import RingLaunch
from engine.lm import DepthLayer, LanguageModel, TemporalLayer, ring_of
from engine.mimi import Mimi
from engine.quantize import Quantized
from engine.state import State


class Launches(NamedTuple):
    """How the products are cut. Measured on an H200 (tests/gpu/RESULTS.md); correct for any sizes."""

    project: Launch = Launch(rows=4, tiles=12)
    out: Launch = Launch(rows=4, tiles=4)
    gate: Launch = Launch(rows=2, tiles=22)
    down: Launch = Launch(rows=8)
    down_block: int = 512
    text_head: Launch = Launch(rows=4, tiles=32)
    ring: RingLaunch = RingLaunch(rows=4, ahead=2, warps=4)
    ring_splits: int = 16  # programs of a head
    ring8_splits: int = 32  # the same for a ring in 8 bits
    ring8_block: int = 16
    ring8_warps: int = 2
    ring8_rows: RingLaunch | None = None  # a ring in 8 bits by whole positions, not in blocks (`kernels_ring8_rows`)
    depth_inputs: Launch = Launch(rows=2, tiles=16)
    depth_project: Launch = Launch(rows=8, warps=2)
    depth_attend: Launch = Launch(rows=8, warps=4, whole=True)
    depth_gate: Launch = Launch(rows=4, warps=4, whole=True)
    depth_down: Launch = Launch(rows=4, warps=16)
    depth_head: Launch = Launch(rows=8, warps=4)
    quick_text: int = 1024  # tokens that the quick draw of the text has room for; 0: the usual draw
    quick_heads: bool = True  # the quick draw of the own codes


class _Scratch(NamedTuple):
    """Vectors between kernels; nothing in them outlives a frame."""

    x: Tensor  # [D] residual stream
    projected: Tensor  # [3D]
    attended: Tensor  # [D]
    hidden: Tensor  # [H]
    text_logits: Tensor  # [text_card]
    turns: Tensor  # [2, head_dim / 2]
    inputs: Tensor  # [S, d] depth inputs without the token's part
    depth_x: Tensor  # [d]
    query: Tensor  # [d]
    depth_hidden: Tensor  # [Hd]
    logits: Tensor  # [card]
    marks: Tensor | None  # [card], where codes are drawn the quick way
    found: Tensor | None  # where the text is
    arrived: Tensor  # [1]
    spoken: Tensor  # [1 + S]


def unsupported(config: LMConfig, talks: int = 1) -> str | None:
    """Why these sizes need the plain path, as a sentence; None where the kernels fit."""
    sizes = (config.head_dim, config.depth_head_dim, config.depformer_num_heads, config.depformer_dim, config.card)
    if talks != 1:
        return "The fused kernels serve one talk at a time."
    if any(size & (size - 1) for size in sizes):
        return "The fused kernels need head sizes, the depth width and the codebook size to be powers of two."
    if config.head_dim < 4:
        return "The fused kernels need attention heads of at least four numbers."
    return None


class FusedFrame(Frame):
    """`Frame` with its stages fused (the codec's where its sizes fit). Noise is drawn per token, not per rank."""

    def __init__(
        self, lm: LanguageModel, mimi: Mimi, state: State, *, lm_window: int, mimi_window: int, pdl: int | None = None,
        launches: Launches | None = None, codec_cuts: CodecCuts | None = None,
    ):  # fmt: skip
        """`pdl`: when kernels let their successor start (`kernels_linear`); None = as was fastest here."""
        super().__init__(lm, mimi, state, lm_window=lm_window, mimi_window=mimi_window, counted_noise=True)
        assert unsupported(lm.config, state.talks) is None, "ask `unsupported` first"
        config, device, dtype = lm.config, self.delays.device, lm.temporal.out_norm.dtype
        self.launches = launches or Launches()
        can_overlap = kernels_linear.supports_pdl(device)
        self.pdl = (EARLY if can_overlap else NO_OVERLAP) if pdl is None else pdl
        self._scratch = _scratch(config, self.launches, device, dtype)
        in_eight_bits = isinstance(ring_of(self.state, lm.temporal.layers[0].keys), Quantized)
        splits = self.launches.ring8_splits if in_eight_bits else self.launches.ring_splits
        self._ring = kernels_ring.RingScratch(config.num_heads, config.head_dim, splits, device)
        half = config.head_dim // 2
        steps = torch.arange(half, device=device, dtype=torch.float32)
        self._periods = torch.exp(steps * (-math.log(config.max_period) / half))
        self._codec: FusedCodec | None = None
        if codec_unsupported(mimi.config) is None:
            overlap = LATE if self.pdl else NO_OVERLAP
            self._codec = FusedCodec(mimi, self.state, mimi_window, pdl=overlap, cuts=codec_cuts)

    def encode(self) -> None:
        """As `Frame.encode`."""
        if self._codec is None:
            super().encode()
        else:
            self._codec.encode()

    def decode(self) -> None:
        """As `Frame.decode`."""
        if self._codec is None:
            super().decode()
        else:
            self._codec.decode()

    @property
    def hidden(self) -> Tensor:
        """As `Frame.hidden`, before the last norm."""
        return self._scratch.x

    def temporal(self) -> None:
        """As `Frame.temporal`; the noise counter moves on at the end of `depth`."""
        s, b, temporal = self.state, self._scratch, self.lm.temporal
        kernels_tokens.enter(
            s["frame.heard"][0], s["tokens.ring"][0], s["tokens.position"], self.delays, self.initial,
            temporal.audio_embeddings, temporal.text_embedding, self._periods, b.x, b.turns, self.lm.config.own,
            pdl=NO_OVERLAP,  # so that whatever ran before the stage has ended
        )  # fmt: skip
        for layer in temporal.layers:
            self._temporal_layer(layer)
        self._text_logits()
        kernels_sampling.sample(
            b.text_logits, s["sampling.text_temperature"], s["sampling.text_top_k"], s["sampling.seed"],
            s["sampling.counter"], s["frame.forced"][0, :1], b.spoken[:1], 0, found=b.found, pdl=self.pdl,
        )  # fmt: skip

    def _temporal_layer(self, layer: TemporalLayer) -> None:
        b, launches, pdl = self._scratch, self.launches, self.pdl
        kernels_linear.linear(layer.in_proj, b.x, b.projected, launches.project, norm=layer.norm1, pdl=pdl)
        self._ring_attend(layer)
        kernels_linear.linear(layer.out_proj, b.attended, b.x, launches.out, add=True, pdl=pdl)
        kernels_linear.gated(layer.linear_in, b.x, layer.norm2, b.hidden, launches.gate, pdl=pdl)
        kernels_linear.linear_add(layer.linear_out, b.hidden, b.x, launches.down, launches.down_block, pdl=pdl)

    def _ring_attend(self, layer: TemporalLayer) -> None:
        s, b, use = self.state, self._scratch, self.launches
        keys, values = (ring_of(s, name) for name in (layer.keys, layer.values))
        if not (isinstance(keys, Quantized) and isinstance(values, Quantized)):
            kernels_ring.ring_attend(
                b.projected, b.turns, s["tokens.position"], s[layer.keys][0], s[layer.values][0], self.lm_window,
                b.attended, self._ring, use.ring, pdl=self.pdl,
            )  # fmt: skip
            return
        in_eight_bits = (
            b.projected, b.turns, s["tokens.position"], Quantized(keys.values[0], keys.scales[0]),
            Quantized(values.values[0], values.scales[0]), self.lm_window, b.attended, self._ring,
        )  # fmt: skip
        if use.ring8_rows is not None:
            kernels_ring8_rows.ring_attend(*in_eight_bits, use.ring8_rows, pdl=self.pdl)
        else:
            kernels_ring8.ring_attend(*in_eight_bits, block=use.ring8_block, warps=use.ring8_warps, pdl=self.pdl)

    def _text_logits(self) -> None:
        b, temporal = self._scratch, self.lm.temporal
        kernels_linear.linear(
            temporal.text_head, b.x, b.text_logits, self.launches.text_head, norm=temporal.out_norm, pdl=self.pdl
        )

    def depth(self) -> None:
        """As `Frame.depth`. The part of every step's input that the frame's hidden vector gives is made at once."""
        s, b, depth = self.state, self._scratch, self.lm.depth
        self._depth_inputs()
        for step in range(self.lm.config.own):
            for layer in depth.layers:
                self._depth_layer(layer, step)
            kernels_sampling.sampled_head(
                depth.heads[step], b.depth_x, b.logits, b.arrived, s["sampling.temperature"], s["sampling.top_k"],
                s["sampling.seed"], s["sampling.counter"], s["frame.forced"][0, 1 + step :], b.spoken[1 + step :],
                1 + step, self._depth_head, marks=b.marks, pdl=self.pdl,
            )  # fmt: skip
        kernels_tokens.leave(
            b.spoken, s["tokens.ring"][0], s["tokens.position"], s["sampling.counter"], self.delays,
            s["frame.spoken"][0], self.lm.config.max_delay, pdl=self.pdl,
        )  # fmt: skip

    @property
    def _depth_head(self) -> Launch:
        return self.launches.depth_head

    def _depth_inputs(self) -> None:
        b, launches = self._scratch, self.launches
        kernels_linear.linear(
            self.lm.depth.input_projections.flatten(0, 1), b.x, b.inputs.view(-1), launches.depth_inputs,
            norm=self.lm.temporal.out_norm, pdl=self.pdl,
        )  # fmt: skip

    def _depth_layer(self, layer: DepthLayer, step: int) -> None:
        """One layer of one step; the first takes the step's input and the token before it."""
        b, launches, pdl, depth = self._scratch, self.launches, self.pdl, self.lm.depth
        table = depth.text_embedding if step == 0 else depth.audio_embeddings[step - 1]
        embed = (b.inputs[step], table, b.spoken[step:]) if layer.index == 0 else None
        keys, values = self.state["depth.keys"][0, layer.index], self.state["depth.values"][0, layer.index]
        whole, usual = kernels_depth_rows, partial(kernels_linear.linear, add=True)
        project = whole.project if launches.depth_project.whole else kernels_tokens.depth_project
        attend = whole.attend_add if launches.depth_attend.whole else kernels_depth_attention.depth_attend_add
        gated = whole.gated if launches.depth_gate.whole else kernels_linear.gated
        add = whole.add if launches.depth_down.whole else usual
        project(
            layer.in_proj[step], layer.norm1, b.depth_x, b.query, keys, values, step, launches.depth_project,
            embed=embed, pdl=pdl,
        )  # fmt: skip
        attend(layer.out_proj[step], b.query, keys, values, b.depth_x, step, launches.depth_attend, pdl=pdl)
        gated(layer.linear_in[step], b.depth_x, layer.norm2, b.depth_hidden, launches.depth_gate, pdl=pdl)
        add(layer.linear_out[step], b.depth_hidden, b.depth_x, launches.depth_down, pdl=pdl)


def _scratch(config: LMConfig, use: Launches, device: torch.device, dtype: torch.dtype) -> _Scratch:
    def vector(*shape: int) -> Tensor:
        return torch.zeros(*shape, dtype=dtype, device=device)

    return _Scratch(
        x=vector(config.dim),
        projected=vector(3 * config.dim),
        attended=vector(config.dim),
        hidden=vector(config.hidden),
        text_logits=vector(config.text_card),
        turns=torch.zeros(2, config.head_dim // 2, device=device),
        inputs=vector(config.own, config.depformer_dim),
        depth_x=vector(config.depformer_dim),
        query=vector(config.depformer_dim),
        depth_hidden=vector(config.depth_hidden),
        logits=torch.zeros(config.card, device=device),
        marks=torch.zeros(config.card, device=device) if use.quick_heads else None,
        found=torch.zeros(use.quick_text, dtype=torch.int32, device=device) if use.quick_text else None,
        arrived=torch.zeros(1, dtype=torch.int32, device=device),
        spoken=torch.zeros(1 + config.own, dtype=torch.int64, device=device),
    )
