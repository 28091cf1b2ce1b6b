"""The language model as it is trained: all positions of a talk at once, all depth steps of a frame at once.

The parameters live in an `engine.lm.LanguageModel`; only the forward differs. `tests/training` holds it equal to the
engine's step by step. Shapes: B talks, T positions, K streams, S depth steps, D dim, d depth dim.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.config import LMConfig
from engine.layers import merge_heads, split_heads
from engine.lm import DepthTransformer, LanguageModel, TemporalTransformer
from training.attention import rotated_heads, rotations, windowed
from training.vocabulary import PADDING

IGNORED = -100
EAR_LAYER = 4  # the layer after which the user's words must be known: the layers above it answer with them

# The bundled model: 24 M values, 23 MiB in 8 bits (training/README.md has the budget).
MINI = LMConfig(
    dim=384, num_layers=6, num_heads=6, text_card=1024, card=1024, context=1024, depformer_dim=160,
    depformer_num_layers=2, depformer_num_heads=5,
)  # fmt: skip


class Losses(NamedTuple):
    """Cross-entropies: the own words, first codebook, the other codebooks, the user's words in pieces."""

    text: Tensor
    semantic: Tensor
    acoustic: Tensor
    heard: Tensor


class TrainedLanguage(nn.Module):
    """A language model with its loss.

    The ear is a head for training only: from what the first layers of the temporal transformer have read it must spell
    the user's words. Without it, replies were learnt by heart for a long time before anything was listened to. It sits
    below the top because a layer sees of earlier positions only what lower layers made of them, and it spells, in the
    pieces in which a reply is written, so that a name never met before can be said back.
    """

    def __init__(self, config: LMConfig, dtype: torch.dtype = torch.float32, dropout: float = 0.0):
        super().__init__()
        self.config, self.dtype, self.dropout = config, dtype, dropout
        self.model = LanguageModel(config)
        self.ear = nn.Linear(config.dim, config.text_card)
        for parameter in self.model.parameters():
            parameter.requires_grad_(True)
        initialise(self.model)

    def hidden(self, tokens: Tensor) -> Tensor:
        """Ring columns [B, K, T] -> normed temporal output [B, T, D]."""
        return self._listened(tokens)[0]

    def _listened(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """The same, and what the ear is given [B, T, D]."""
        return _temporal(self.model.temporal, tokens, self.config, self.dtype, self.dropout)

    def depth_logits(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """hidden [N, D] and the columns being predicted [N, 1 + S] (text, own codes) -> logits [N, S, card] float32."""
        return _depth(self.model.depth, hidden, targets, self.config, self.dtype)

    def loss(self, columns: Tensor, weights: Tensor, heard: Tensor, depth_share: float = 1.0) -> Losses:
        """columns [B, K, T + 1] of the token ring; weights [B, T, 2]: how much the text and the sound of each predicted
        column count (0: given, not predicted); heard [B, T]: the piece of the user's words that must be known by then,
        or PADDING; depth_share: the share of positions, taken at random, on which the depth transformer is trained."""
        hidden, listened = self._listened(columns[..., :-1])
        predicted = columns[:, : 1 + self.config.own, 1:].transpose(1, 2)  # [B, T, 1 + S]
        text_logits = F.linear(hidden, self.model.temporal.text_head.to(hidden.dtype)).float()
        text = _weighted(text_logits.flatten(0, 1), predicted[..., 0].flatten(), weights[..., 0].flatten())
        listening = F.linear(listened, self.ear.weight.to(hidden.dtype), self.ear.bias.to(hidden.dtype)).float()
        spoken = torch.where(heard == PADDING, 0.1, 1.0) * (weights[..., 0] > 0)
        ear = _weighted(listening.flatten(0, 1), heard.flatten(), spoken.flatten())
        flat, targets, counted = hidden.flatten(0, 1), predicted.flatten(0, 1), weights[..., 1].flatten()
        if depth_share < 1:
            chosen = torch.randint(len(flat), (int(depth_share * len(flat)),), device=flat.device)
            flat, targets, counted = flat[chosen], targets[chosen], counted[chosen]
        logits = self.depth_logits(flat, targets)
        semantic = _weighted(logits[:, 0], targets[:, 1], counted)
        repeated = counted[:, None].expand(-1, self.config.own - 1)
        acoustic = _weighted(logits[:, 1:].flatten(0, 1), targets[:, 2:].flatten(), repeated.flatten())
        return Losses(text, semantic, acoustic, ear)


def _weighted(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Mean cross-entropy by weight; targets outside the outputs (initial tokens) are never counted."""
    known = (targets >= 0) & (targets < logits.shape[-1])
    loss = F.cross_entropy(logits, torch.where(known, targets, torch.zeros_like(targets)), reduction="none")
    weights = weights * known
    return (loss * weights).sum() / weights.sum().clamp(min=1)


def _embed(table: Tensor, tokens: Tensor, dtype: torch.dtype) -> Tensor:
    return F.embedding(tokens, table).to(dtype)


def _temporal(
    part: TemporalTransformer, tokens: Tensor, config: LMConfig, dtype: torch.dtype, dropout: float
) -> tuple[Tensor, Tensor]:
    """[B, K, T] -> the normed output and, for the ear, the normed output of an earlier layer: [B, T, D] each."""
    x = F.dropout(_embedded(part, tokens, config).to(dtype), dropout)
    turns = rotations(x.shape[1], config.head_dim, config.max_period, x.device)
    listened = x
    layers: Any = part.layers
    for index, layer in enumerate(layers):
        packed = F.linear(rms_norm(x, layer.norm1), layer.in_proj.to(dtype))
        attended = windowed(*rotated_heads(packed, config.num_heads, turns), config.context)
        x = x + F.linear(merge_heads(attended), layer.out_proj.to(dtype))
        gate, value = F.linear(rms_norm(x, layer.norm2), layer.linear_in.to(dtype)).chunk(2, -1)
        x = x + F.linear(F.silu(gate) * value, layer.linear_out.to(dtype))
        if index < EAR_LAYER:
            listened = x
    return rms_norm(x, part.out_norm), F.rms_norm(listened, listened.shape[-1:])


def rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    """As `engine.layers.rms_norm`, in one kernel each way: written out it was a quarter of a step's time."""
    return F.rms_norm(x, x.shape[-1:], weight.to(x.dtype), 1e-8)


def _embedded(part: TemporalTransformer, tokens: Tensor, config: LMConfig) -> Tensor:
    """The sum of the embeddings of a column's tokens, [B, K, T] -> [B, T, D] float32."""
    rows = torch.arange(config.n_q, device=tokens.device)[None, :, None] * (config.card + 1)
    audio = (tokens[:, 1:] + rows).transpose(1, 2).flatten(0, 1)  # [B * T, n_q]
    summed = F.embedding_bag(audio, part.audio_embeddings.flatten(0, 1), mode="sum")
    return summed.view(len(tokens), -1, config.dim) + F.embedding(tokens[:, 0], part.text_embedding)


def _depth(part: DepthTransformer, hidden: Tensor, targets: Tensor, config: LMConfig, dtype: torch.dtype) -> Tensor:
    """All steps side by side; step i has its own weights and sees the steps up to itself. [N, D] -> [N, S, card]"""
    steps = config.own

    def by_step(x: Tensor, weight: Tensor) -> Tensor:
        """x [S, N, in], weight [S, out, in] -> [S, N, out]."""
        return torch.bmm(x, weight.to(dtype).transpose(1, 2))

    previous = [_embed(part.text_embedding, targets[:, 0], dtype)]
    previous += [_embed(part.audio_embeddings[i], targets[:, 1 + i], dtype) for i in range(steps - 1)]
    x = by_step(hidden.to(dtype).expand(steps, -1, -1), part.input_projections) + torch.stack(previous)
    heads = config.depformer_num_heads
    for layer in part.layers:
        packed = by_step(rms_norm(x, layer.norm1), layer.in_proj).transpose(0, 1)  # [N, S, 3d]
        q, k, v = split_heads(packed, heads)
        attended = merge_heads(_small_causal(q, k, v)).transpose(0, 1)
        x = x + by_step(attended, layer.out_proj)
        gate, value = by_step(rms_norm(x, layer.norm2), layer.linear_in).chunk(2, -1)
        x = x + by_step(F.silu(gate) * value, layer.linear_out)
    return by_step(x, part.heads).transpose(0, 1).float()


def _small_causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal attention over eight positions, written out: fused kernels are made for long rows, not huge batches."""
    steps = q.shape[2]
    scores = (q @ k.transpose(-1, -2)).float() / math.sqrt(q.shape[-1])
    future = torch.ones(steps, steps, dtype=torch.bool, device=q.device).triu(1)
    return scores.masked_fill(future, float("-inf")).softmax(-1).to(v.dtype) @ v


def initialise(model: LanguageModel) -> None:
    """Small embeddings, fan-in scaled products, branch outputs scaled down with depth."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            last = name.rpartition(".")[2]
            if "norm" in last:
                parameter.fill_(1)
            elif "embedding" in last:
                parameter.normal_(0, 0.1)
            else:
                depth = model.config.num_layers if name.startswith("temporal") else model.config.depformer_num_layers
                scale = 1 / math.sqrt(2 * depth) if last in ("out_proj", "linear_out") else 1.0
                parameter.normal_(0, scale / math.sqrt(parameter.shape[-1]))
