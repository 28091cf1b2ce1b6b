"""The full-duplex language model: a temporal transformer over frames, a depth transformer over the codebooks of one.

Reads like Moshi (Défossez et al. 2024, section 3; facts: lm.md). Holds weights only: what changes during a talk comes
in as `state`, whose layout `slots` declares. No caching policy, no sampling, no threads, no graphs. A weight may be
quantised (`engine.quantize`), which only `linear` and `embedding` need to know.
Shapes: B talks, T positions, K streams (text, own codebooks, user codebooks), D = dim, d = depformer_dim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.config import LMConfig
from engine.layers import Ring, merge_heads, ring_attention, ring_prefill, rms_norm, rope, split_heads, swiglu
from engine.precision import KV
from engine.quantize import Quantized, Weight, embedding, linear
from engine.state import Slot, Slots

UNGENERATED = -2  # filler of the token ring; must never reach the model


def _parameter(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.empty(*shape), requires_grad=False)


def _embed(table: Weight, tokens: Tensor, dtype: torch.dtype) -> Tensor:
    """Rows of table [cards, dim]; the zero token embeds to 0. tokens [...] -> [..., dim] in dtype"""
    rows = embedding(table, tokens.clamp(min=0), dtype)
    return rows.masked_fill((tokens < 0)[..., None], 0)


def ring_of(state: Mapping[str, Tensor], name: str) -> Ring:
    """A layer's keys or values in the state, in 8 bits where these have scales."""
    scales = f"{name}_scales"
    return Quantized(state[name], state[scales]) if scales in state else state[name]


def plainly(layer: Callable[..., Tensor], *inputs: object) -> Tensor:
    """The plain way to run a layer."""
    return layer(*inputs)


class TemporalLayer(nn.Module):
    """Pre-norm attention over the past frames, then a gated feed-forward. The residual keeps the weights' dtype."""

    def __init__(self, config: LMConfig, index: int):
        super().__init__()
        self.config = config
        self.keys, self.values = f"temporal.{index}.keys", f"temporal.{index}.values"
        self.norm1 = _parameter(config.dim)
        self.in_proj = _parameter(3 * config.dim, config.dim)  # rows q | k | v, head-major
        self.out_proj = _parameter(config.dim, config.dim)
        self.norm2 = _parameter(config.dim)
        self.linear_in = _parameter(2 * config.hidden, config.dim)  # rows gate | value
        self.linear_out = _parameter(config.dim, config.hidden)

    def forward(
        self, x: Tensor, keys: Ring, values: Ring, positions: Tensor, window: int, count: Tensor | None
    ) -> Tensor:
        """x [B, T, D], this layer's rings [B, H, C, D/H], positions [B, T] -> [B, T, D].

        `count` [B] marks a padded prefill chunk, None a step.
        """
        q, k, v = split_heads(linear(rms_norm(x, self.norm1), self.in_proj), self.config.num_heads)
        q, k = rope(q, positions, self.config.max_period), rope(k, positions, self.config.max_period)
        if count is None:
            attended = ring_attention(q, k, v, keys, values, positions, window)
        else:
            attended = ring_prefill(q, k, v, keys, values, positions, count, window)
        x = x + linear(merge_heads(attended), self.out_proj)
        return x + swiglu(rms_norm(x, self.norm2), self.linear_in, self.linear_out)


class TemporalTransformer(nn.Module):
    """One position a frame. Its normed output feeds the text head and every depth step."""

    layers: Sequence[TemporalLayer]  # a ModuleList, which does not say of what

    def __init__(self, config: LMConfig):
        super().__init__()
        self.config = config
        self.audio_embeddings = _parameter(config.n_q, config.card + 1, config.dim)  # own codebooks, then the user's
        self.text_embedding = _parameter(config.text_card + 1, config.dim)
        layers = nn.ModuleList(TemporalLayer(config, index) for index in range(config.num_layers))
        self.layers = layers  # type: ignore[assignment]
        self.out_norm = _parameter(config.dim)
        self.text_head = _parameter(config.text_card, config.dim)

    def embed(self, tokens: Tensor) -> Tensor:
        """tokens [B, K, T] int64 -> [B, T, D]: the sum of all streams, audio first, text last.

        Added one after another in the weights' dtype: in bfloat16 the order decides the last bit (lm.md 2).
        """
        dtype = self.out_norm.dtype
        total = _embed(self.audio_embeddings[0], tokens[:, 1], dtype)
        for codebook in range(1, self.config.n_q):
            total = total + _embed(self.audio_embeddings[codebook], tokens[:, 1 + codebook], dtype)
        return total + _embed(self.text_embedding, tokens[:, 0], dtype)

    def forward(
        self,
        x: Tensor,
        state: Mapping[str, Tensor],
        position: Tensor,
        window: int,
        count: Tensor | None = None,
        run: Callable[..., Tensor] = plainly,
    ) -> Tensor:
        """x [B, T, D] input embeddings from position [B] on -> normed hidden [B, T, D].

        `run` calls a layer; all are alike, so that code compiled for one serves them all.
        """
        positions = position[:, None] + torch.arange(x.shape[1], device=x.device)
        for layer in self.layers:
            x = run(layer, x, ring_of(state, layer.keys), ring_of(state, layer.values), positions, window, count)
        return rms_norm(x, self.out_norm)

    def text_logits(self, hidden: Tensor) -> Tensor:
        """hidden [B, D] -> [B, text_card] float32."""
        return linear(hidden, self.text_head).float()


class DepthLayer(nn.Module):
    """As the temporal layer, but with weights for each step, no positions, and only this frame to look back on."""

    def __init__(self, config: LMConfig, index: int):
        super().__init__()
        self.index = index
        steps, dim, hidden = config.own, config.depformer_dim, config.depth_hidden
        self.norm1 = _parameter(dim)
        self.in_proj = _parameter(steps, 3 * dim, dim)
        self.out_proj = _parameter(steps, dim, dim)
        self.norm2 = _parameter(dim)
        self.linear_in = _parameter(steps, 2 * hidden, dim)
        self.linear_out = _parameter(steps, dim, hidden)

    def at(self, step: int) -> DepthLayerWeights:
        return DepthLayerWeights(
            self.norm1, self.in_proj[step], self.out_proj[step], self.norm2, self.linear_in[step], self.linear_out[step]
        )


class DepthLayerWeights(NamedTuple):
    """One depth layer's weights at one step; shapes as in `DepthLayer` without the leading steps."""

    norm1: Tensor
    in_proj: Weight
    out_proj: Weight
    norm2: Tensor
    linear_in: Weight
    linear_out: Weight


class DepthStep(NamedTuple):
    """The weights of one step: what it reads of the frame and of the token before, its layers, its head."""

    input_projection: Weight  # [d, D]
    embedding: Weight  # [cards, d]
    layers: tuple[DepthLayerWeights, ...]
    head: Weight  # [card, d]


def depth_step(
    weights: DepthStep, previous: Tensor, hidden: Tensor, keys: Tensor, values: Tensor, step: Tensor
) -> Tensor:
    """Predict one own codebook: previous [B], hidden [B, D] -> logits [B, card] float32.

    keys, values [B, layers, H, S, dh] hold this frame's earlier steps; `step` [1] int64 says which one this is, on the
    device, so that one piece of compiled code serves all steps.
    """
    heads, steps = keys.shape[2], keys.shape[3]
    seen = torch.arange(steps, device=keys.device) <= step  # [S]
    x = linear(hidden, weights.input_projection) + _embed(weights.embedding, previous, hidden.dtype)
    for index, layer in enumerate(weights.layers):
        q, k, v = split_heads(linear(rms_norm(x, layer.norm1), layer.in_proj)[:, None], heads)  # [B, H, 1, dh]
        keys[:, index].index_copy_(2, step, k)
        values[:, index].index_copy_(2, step, v)
        attended = F.scaled_dot_product_attention(q, keys[:, index], values[:, index], attn_mask=seen[None])
        x = x + linear(merge_heads(attended)[:, 0], layer.out_proj)
        x = x + swiglu(rms_norm(x, layer.norm2), layer.linear_in, layer.linear_out)
    return linear(x, weights.head).float()


class DepthTransformer(nn.Module):
    """Step i predicts own codebook i from the frame's hidden vector and the token before it. No final norm."""

    layers: Sequence[DepthLayer]

    def __init__(self, config: LMConfig):
        super().__init__()
        steps, dim = config.own, config.depformer_dim
        self.input_projections = _parameter(steps, dim, config.dim)
        self.text_embedding = _parameter(config.text_card + 1, dim)
        self.audio_embeddings = _parameter(max(steps - 1, 0), config.card + 1, dim)
        layers = nn.ModuleList(DepthLayer(config, index) for index in range(config.depformer_num_layers))
        self.layers = layers  # type: ignore[assignment]
        self.heads = _parameter(steps, config.card, dim)

    def at(self, step: int) -> DepthStep:
        """The step's weights, as views. The token before the first step is the frame's text."""
        embedding = self.text_embedding if step == 0 else self.audio_embeddings[step - 1]
        layers = tuple(layer.at(step) for layer in self.layers)
        return DepthStep(self.input_projections[step], embedding, layers, self.heads[step])


class LanguageModel(nn.Module):
    """Both transformers; parameters only, uninitialised until a checkpoint is assigned."""

    precision: str | None = None  # of quantised weights; None: plain ones, and their dtype says it

    def __init__(self, config: LMConfig):
        super().__init__()
        self.config = config
        self.temporal = TemporalTransformer(config)
        self.depth = DepthTransformer(config)

    def slots(self, dtype: torch.dtype, kv: str = KV[0]) -> Slots:
        """Attention rings in the weights' dtype (lm.md 7), the temporal ones as `kv` says (`engine.precision.KV`); the
        token position is the engine's."""
        c = self.config
        ring = {"": Slot((c.num_heads, c.context, c.head_dim), torch.int8 if kv == "int8" else dtype)}
        if kv == "int8":
            ring["_scales"] = Slot((c.num_heads, c.context, 1), torch.bfloat16)
        depth = Slot((c.depformer_num_layers, c.depformer_num_heads, c.own, c.depth_head_dim), dtype)
        slots = {
            f"temporal.{layer}.{name}{part}": slot
            for layer in range(c.num_layers)
            for name in ("keys", "values")
            for part, slot in ring.items()
        }
        return slots | {"depth.keys": depth, "depth.values": depth}
