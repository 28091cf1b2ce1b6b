"""The codec as it is trained: Mimi's architecture over whole clips, every parameter under the engine's name.

The parameters live in an `engine.mimi.Mimi`, so that what is trained is what is loaded; only the forward differs: no
streaming state, channels last, all frames at once. `tests/training` holds it equal to the engine's streaming step.
Beside it: the quantiser's running sums, the straight-through gradient, and the small head that teaches the first
codebook what is said. Shapes: B clips, L samples, T frames, D dimension, Q codebooks.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.config import MimiConfig
from engine.layers import merge_heads
from engine.mimi import LatentTransformer, Mimi, Residual, SEANetDecoder, SEANetEncoder
from training.attention import rotated_heads, rotations
from training.block_convolution import convolve, convolve_transposed, convolve_wide, project, upsample_depthwise

# The bundled codec: 8.1 M values, 15.5 MiB in 16 bits (training/README.md has the budget).
MINI = MimiConfig(
    n_filters=24, dimension=192, num_heads=4, num_layers=4, dim_feedforward=768, context=64, codebook_dim=64, n_q=8,
    bins=1024,
)  # fmt: skip
LABELS_PER_FRAME = 4  # phoneme targets a frame, 20 ms apart
_WIDE_FROM = 160  # channels from which a stride-1 convolution is cheap enough to be done with shifted copies


class Quantised(NamedTuple):
    """latent [B, T, D] with a straight-through gradient; codes [B, Q, T]; the commitment loss; the semantic code
    vectors [B, T, codebook_dim], straight through too."""

    latent: Tensor
    codes: Tensor
    commitment: Tensor
    semantic: Tensor


class Quantiser(nn.Module):
    """Codebooks as running means of the vectors they stand for, as in VQ-VAE and Mimi."""

    def __init__(self, config: MimiConfig, decay: float = 0.98, revive_below: float = 0.08):
        super().__init__()
        self.decay, self.revive_below = decay, revive_below
        shape = (config.n_q, config.bins, config.codebook_dim)
        self.register_buffer("sums", torch.randn(shape) * 0.5)
        self.register_buffer("usage", torch.ones(shape[:2]))
        self.sums: Tensor
        self.usage: Tensor

    def codebook(self, level: int) -> Tensor:
        return self.sums[level] / self.usage[level].clamp(min=1e-5)[:, None]

    def nearest(self, vectors: Tensor, level: int) -> tuple[Tensor, Tensor]:
        """vectors [N, cd] -> codes [N] and their code vectors [N, cd]; float32."""
        codebook = self.codebook(level)
        codes = (codebook.pow(2).sum(-1) / 2 - vectors @ codebook.t()).argmin(-1)
        return codes, codebook[codes]

    @torch.no_grad()
    def update(self, level: int, vectors: Tensor, codes: Tensor, weight: Tensor) -> None:
        """Move the running sums towards this batch (`weight` [N]: 1 for vectors that count), and let code vectors that
        stand for almost nothing take the place of random vectors of the batch."""
        sums, usage = self.sums[level], self.usage[level]
        count = torch.zeros_like(usage).index_add_(0, codes, weight)
        total = torch.zeros_like(sums).index_add_(0, codes, vectors * weight[:, None])
        usage.lerp_(count, 1 - self.decay)
        sums.lerp_(total, 1 - self.decay)
        threshold = self.revive_below * usage.mean()
        pick = torch.randint(len(vectors), (len(usage),), device=vectors.device)
        dead = usage < threshold
        fresh = usage.mean()
        sums.copy_(torch.where(dead[:, None], vectors[pick] * fresh, sums))
        usage.copy_(torch.where(dead, fresh, usage))


class Codec(nn.Module):
    """Encoder, quantiser and decoder, with the training-only content head."""

    def __init__(self, config: MimiConfig, labels: int, dtype: torch.dtype = torch.float32):
        super().__init__()
        self.config, self.labels, self.dtype = config, labels, dtype  # dtype of activations; weights stay float32
        self.mimi = Mimi(config, config.n_q)
        self.quantiser = Quantiser(config)
        self.content = ContentHead(config.codebook_dim, labels)
        for parameter in self.mimi.parameters():
            parameter.requires_grad_(True)
        self.mimi.quantizer.codebooks.requires_grad_(False)
        initialise(self.mimi)

    def encode(self, pcm: Tensor) -> Tensor:
        """pcm [B, L] -> latent before quantisation [B, T, D]."""
        x = _seanet_encoder(self.mimi.encoder, pcm, self.config, self.dtype)
        x = _transformer(self.mimi.encoder_transformer, x, self.config)
        return convolve(x, self.mimi.downsample.weight.to(x.dtype), None, self.config.resample_stride, replicate=True)

    def decode(self, latent: Tensor) -> Tensor:
        """latent [B, T, D] -> pcm [B, L] float32."""
        latent = latent.to(self.dtype)
        x = upsample_depthwise(latent, self.mimi.upsample.weight.to(latent.dtype), self.config.resample_stride)
        x = _transformer(self.mimi.decoder_transformer, x, self.config)
        return _seanet_decoder(self.mimi.decoder, x, self.config)

    def quantise(self, latent: Tensor, levels: Tensor, learn: bool) -> Quantised:
        """latent [B, T, D]; levels [B]: how many codebooks each clip uses (1..Q), the others add nothing."""
        part, quantiser = self.mimi.quantizer, self.quantiser
        x = latent.float()
        semantic_in, acoustic_in = F.linear(x, part.semantic_in), F.linear(x, part.acoustic_in)
        codes, vectors = quantiser.nearest(semantic_in.flatten(0, 1), 0)
        semantic = vectors.view_as(semantic_in)
        commitment = F.mse_loss(semantic_in, semantic)
        if learn:
            quantiser.update(0, semantic_in.detach().flatten(0, 1), codes, torch.ones_like(codes, dtype=x.dtype))
        found = [codes.view(x.shape[:2])]
        acoustic = torch.zeros_like(acoustic_in)
        for level in range(1, self.config.n_q):
            used = (levels > level).to(x.dtype)[:, None]  # [B, 1]
            residual = acoustic_in - acoustic
            codes, vectors = quantiser.nearest(residual.detach().flatten(0, 1), level)
            vectors = vectors.view_as(residual)
            if learn:
                weight = used.expand(x.shape[:2]).flatten()
                quantiser.update(level, residual.detach().flatten(0, 1), codes, weight)
            commitment = commitment + (used[..., None] * (residual - vectors).pow(2)).mean()
            acoustic = acoustic + used[..., None] * vectors
            found.append(codes.view(x.shape[:2]))
        semantic = semantic_in + (semantic - semantic_in).detach()
        any_acoustic = (levels > 1).to(x.dtype)[:, None, None]
        acoustic = any_acoustic * (acoustic_in + (acoustic - acoustic_in).detach())
        out = F.linear(semantic, part.semantic_out) + F.linear(acoustic, part.acoustic_out)
        return Quantised(out, torch.stack(found, 1), commitment, semantic)

    def latent_of(self, codes: Tensor) -> Tensor:
        """codes [B, Q, T] -> latent [B, T, D] float32, as the decoder gets it."""
        part = self.mimi.quantizer
        vectors = [self.quantiser.codebook(level)[codes[:, level]] for level in range(codes.shape[1])]
        latent = F.linear(vectors[0], part.semantic_out)
        return latent + F.linear(torch.stack(vectors[1:]).sum(0), part.acoustic_out)

    @torch.no_grad()
    def codes(self, pcm: Tensor) -> Tensor:
        """pcm [B, L] -> codes [B, Q, T]."""
        full = torch.full((len(pcm),), self.config.n_q, device=pcm.device)
        return self.quantise(self.encode(pcm), full, learn=False).codes

    def export_codebooks(self) -> None:
        """Copy the running means into the engine's module, from which checkpoints are written."""
        with torch.no_grad():
            for level in range(self.config.n_q):
                self.mimi.quantizer.codebooks[level] = self.quantiser.codebook(level)
            self.mimi.quantizer.precompute()


class ContentHead(nn.Module):
    """Phonemes from the semantic code vectors of a frame and its neighbours; used in training only.

    The first codebook learns what is said because this head must read it from that codebook alone. The phonemes are
    known exactly for synthetic speech, so no recogniser has to be distilled.
    """

    def __init__(self, inner: int, labels: int, width: int = 256):
        super().__init__()
        self.context = nn.Conv1d(inner, width, 3, padding=1)
        self.out = nn.Linear(width, LABELS_PER_FRAME * labels)
        self.labels = labels

    def forward(self, semantic: Tensor) -> Tensor:
        """[B, T, inner] -> logits [B, T, LABELS_PER_FRAME, labels]."""
        x = F.gelu(self.context(semantic.transpose(1, 2)).transpose(1, 2))
        return self.out(x).unflatten(-1, (LABELS_PER_FRAME, self.labels))


def initialise(mimi: Mimi) -> None:
    """Fan-in scaled weights; transformer branches start small so that the convolutional path is learnt first."""
    with torch.no_grad():
        for name, parameter in mimi.named_parameters():
            last = name.rpartition(".")[2]
            if last in ("norm1_weight", "norm2_weight"):
                parameter.fill_(1)
            elif last.startswith("scale"):
                parameter.fill_(0.1)
            elif "bias" in last:
                parameter.zero_()
            elif name == "upsample.weight":
                parameter.fill_(0.5)  # each latent held for its two positions, smoothed with the one before
            elif parameter.dim() == 3:
                transposed = name.startswith("decoder.") and "conv" not in last and _is_transposed(mimi, name)
                fan_in = parameter.shape[0] * 2 if transposed else parameter[0].numel()
                parameter.normal_(0, (0.05 if parameter.shape[0] == 1 else 1) / math.sqrt(fan_in))  # start near silence
            else:
                parameter.normal_(0, 1 / math.sqrt(parameter.shape[-1]))


def _is_transposed(mimi: Mimi, name: str) -> bool:
    return type(mimi.get_submodule(name.rpartition(".")[0])).__name__ == "StreamingConvTranspose1d"


def _layers(stack: nn.Module) -> list[tuple[str, Any]]:
    """The layers of a SEANet stack by their sequence number."""
    return list(stack.get_submodule("layers").named_children())


def _block(rate: int) -> int:
    """Output samples in a block: wide enough rows for the matrix units at high rates."""
    return 8 if rate >= 480 else 4


def _plain(x: Tensor, layer: Any, per_frame: int) -> Tensor:
    """A stride-1 convolution; `per_frame` samples of x make a frame."""
    weight, bias = layer.weight.to(x.dtype), layer.bias.to(x.dtype)
    block = _block(per_frame)
    if weight.shape[1] >= _WIDE_FROM or weight.shape[2] > block or x.shape[1] % block:
        return convolve_wide(x, weight, bias)
    return convolve(x, weight, bias, 1, block)


def _residual(x: Tensor, layer: Any, per_frame: int) -> Tensor:
    y = _plain(F.elu(x), layer.conv1, per_frame)
    return x + project(F.elu(y), layer.conv2.weight[..., 0].to(x.dtype), layer.conv2.bias.to(x.dtype))


def _seanet_encoder(encoder: SEANetEncoder, pcm: Tensor, config: MimiConfig, dtype: torch.dtype) -> Tensor:
    """[B, L] -> [B, 2T, D]. The first convolution reads the waveform in float32: bfloat16 would be audible."""
    (_, first), *others = _layers(encoder)
    x = convolve(pcm[..., None], first.weight, first.bias, 1, 16).to(dtype)
    per_frame = config.frame_size
    for _, layer in others:
        if isinstance(layer, Residual):
            x = _residual(x, layer, per_frame)
        elif layer.stride > 1:
            x = convolve(F.elu(x), layer.weight.to(x.dtype), layer.bias.to(x.dtype), layer.stride)
            per_frame //= layer.stride
        else:
            x = convolve_wide(F.elu(x), layer.weight.to(x.dtype), layer.bias.to(x.dtype))
    return x


def _seanet_decoder(decoder: SEANetDecoder, x: Tensor, config: MimiConfig) -> Tensor:
    """[B, 2T, D] -> [B, L] float32; the last convolution writes the waveform in float32."""
    per_frame = config.resample_stride
    *others, (_, out) = _layers(decoder)
    for index, layer in others:
        if isinstance(layer, Residual):
            x = _residual(x, layer, per_frame)
        elif index == "0":
            x = convolve_wide(x, layer.weight.to(x.dtype), layer.bias.to(x.dtype))
        else:
            x = convolve_transposed(F.elu(x), layer.weight.to(x.dtype), layer.bias.to(x.dtype), layer.stride)
            per_frame *= layer.stride
    return convolve(F.elu(x).float(), out.weight, out.bias, 1, 16)[..., 0]


def _transformer(transformer: LatentTransformer, x: Tensor, config: MimiConfig) -> Tensor:
    """Windowed causal attention, seeing exactly what the streaming step sees: both latents of a frame are written
    before either attends, so that the window counts back from the frame's second one."""
    length, dim = x.shape[1], (config.dimension,)
    positions = torch.arange(length, device=x.device)
    last = positions // config.resample_stride * config.resample_stride + config.resample_stride - 1
    mask = (positions[None] <= positions[:, None]) & (positions[None] > (last - config.context)[:, None])
    turns = rotations(length, config.head_dim, config.max_period, x.device)
    layers: Any = transformer.layers
    for layer in layers:
        normed = F.layer_norm(x.float(), dim, layer.norm1_weight, layer.norm1_bias, 1e-5).to(x.dtype)
        q, k, v = rotated_heads(F.linear(normed, layer.in_proj.to(x.dtype)), config.num_heads, turns)
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + layer.scale1.to(x.dtype) * F.linear(merge_heads(attended), layer.out_proj.to(x.dtype))
        normed = F.layer_norm(x.float(), dim, layer.norm2_weight, layer.norm2_bias, 1e-5).to(x.dtype)
        inner = F.gelu(F.linear(normed, layer.linear1.to(x.dtype)))
        x = x + layer.scale2.to(x.dtype) * F.linear(inner, layer.linear2.to(x.dtype))
    return x
