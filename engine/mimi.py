"""Mimi, the streaming codec: 24 kHz audio to 12.5 Hz codes and back, one frame or several at a time.

Reads like the paper (Moshi, section 3.3; SEANet, Tagliasacchi et al. 2020; facts: mimi.md). Holds weights only: the
tails of the convolutions and the attention rings are in `state`, declared by `slots`. Everything is causal and float32.
Shapes: B talks, C channels, L samples or latents, T frames, Q codebooks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.config import MimiConfig
from engine.layers import merge_heads, ring_attention, rope, split_heads
from engine.state import Slot, Slots

_F32 = torch.float32


def _parameter(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.empty(*shape), requires_grad=False)


class StreamingConv1d(nn.Module):
    """Causal convolution that remembers its last input samples, so that chunks join without a seam."""

    def __init__(
        self, name: str, channels_in: int, channels_out: int, kernel: int, stride: int = 1, dilation: int = 1,
        bias: bool = True, replicate: bool = False,
    ):  # fmt: skip
        super().__init__()
        self.name, self.channels_in, self.stride, self.dilation = name, channels_in, stride, dilation
        self.pad = (kernel - 1) * dilation + 1 - stride
        self.replicate = replicate  # start from the first sample repeated rather than from zeros
        self.weight = _parameter(channels_out, channels_in, kernel)
        self.bias = _parameter(channels_out) if bias else None

    def slots(self) -> Slots:
        slots: Slots = {f"{self.name}.tail": Slot((self.channels_in, self.pad), _F32)} if self.pad else {}
        return slots | {f"{self.name}.started": Slot((1, 1), torch.bool)} if self.replicate else slots

    def forward(self, x: Tensor, state: Mapping[str, Tensor]) -> Tensor:
        """x [B, C_in, L], L a multiple of the stride -> [B, C_out, L / stride]."""
        if self.pad:
            tail = state[f"{self.name}.tail"]
            before = tail
            if self.replicate:
                started = state[f"{self.name}.started"]
                before = torch.where(started, tail, x[..., :1])
                started.fill_(True)
            x = torch.cat((before, x), dim=-1)
            tail.copy_(x[..., -self.pad :])
        return F.conv1d(x, self.weight, self.bias, self.stride, dilation=self.dilation)


class StreamingConvTranspose1d(nn.Module):
    """Causal transposed convolution: the part of the output that later input still adds to is kept back."""

    def __init__(
        self, name: str, channels_in: int, channels_out: int, kernel: int, stride: int, depthwise: bool = False
    ):
        super().__init__()
        self.name, self.channels_out, self.stride = name, channels_out, stride
        self.overlap = kernel - stride
        self.groups = channels_in if depthwise else 1
        self.weight = _parameter(channels_in, 1 if depthwise else channels_out, kernel)
        self.bias = None if depthwise else _parameter(channels_out)

    def slots(self) -> Slots:
        return {f"{self.name}.partial": Slot((self.channels_out, self.overlap), _F32)} if self.overlap else {}

    def forward(self, x: Tensor, state: Mapping[str, Tensor]) -> Tensor:
        """x [B, C_in, L] -> [B, C_out, L * stride]."""
        y = F.conv_transpose1d(x, self.weight, None, self.stride, groups=self.groups)
        if self.overlap:
            partial = state[f"{self.name}.partial"]
            y[..., : self.overlap] += partial
            partial.copy_(y[..., -self.overlap :])
            y = y[..., : -self.overlap]
        return y if self.bias is None else y + self.bias[:, None]


class Residual(nn.Module):
    """x + conv1(ELU(conv3(ELU(x)))), the bottleneck `compress` times narrower."""

    def __init__(self, name: str, channels: int, config: MimiConfig, dilation: int):
        super().__init__()
        inner = channels // config.compress
        self.conv1 = StreamingConv1d(f"{name}.conv1", channels, inner, config.residual_kernel_size, dilation=dilation)
        self.conv2 = StreamingConv1d(f"{name}.conv2", inner, channels, 1)

    def forward(self, x: Tensor, state: Mapping[str, Tensor]) -> Tensor:
        return x + self.conv2(F.elu(self.conv1(F.elu(x), state)), state)


class SEANetEncoder(nn.Module):
    """PCM to latents, `hop` samples each. Layers carry the checkpoint's sequence numbers; the gaps are ELUs."""

    def __init__(self, config: MimiConfig):
        super().__init__()
        self.layers = nn.ModuleDict()
        channels, index = config.n_filters, 1
        self.layers["0"] = StreamingConv1d("encoder.0", config.channels, channels, config.kernel_size)
        for ratio in reversed(config.ratios):
            for repeat in range(config.n_residual_layers):
                self.layers[str(index)] = Residual(f"encoder.{index}", channels, config, config.dilation_base**repeat)
                index += 1
            index += 1  # ELU
            self.layers[str(index)] = StreamingConv1d(f"encoder.{index}", channels, 2 * channels, 2 * ratio, ratio)
            channels, index = 2 * channels, index + 1
        index += 1  # ELU
        self.layers[str(index)] = StreamingConv1d(
            f"encoder.{index}", channels, config.dimension, config.last_kernel_size
        )

    def forward(self, pcm: Tensor, state: Mapping[str, Tensor]) -> Tensor:
        """[B, 1, L] -> [B, dimension, L / hop]."""
        return _run(self.layers, pcm, state)


class SEANetDecoder(nn.Module):
    """Latents to PCM, the encoder's mirror image."""

    def __init__(self, config: MimiConfig):
        super().__init__()
        self.layers = nn.ModuleDict()
        channels, index = config.n_filters * 2 ** len(config.ratios), 1
        self.layers["0"] = StreamingConv1d("decoder.0", config.dimension, channels, config.kernel_size)
        for ratio in config.ratios:
            index += 1  # ELU
            self.layers[str(index)] = StreamingConvTranspose1d(
                f"decoder.{index}", channels, channels // 2, 2 * ratio, ratio
            )
            channels, index = channels // 2, index + 1
            for repeat in range(config.n_residual_layers):
                self.layers[str(index)] = Residual(f"decoder.{index}", channels, config, config.dilation_base**repeat)
                index += 1
        index += 1  # ELU
        self.layers[str(index)] = StreamingConv1d(
            f"decoder.{index}", channels, config.channels, config.last_kernel_size
        )

    def forward(self, latent: Tensor, state: Mapping[str, Tensor]) -> Tensor:
        """[B, dimension, L] -> [B, 1, L * hop]."""
        return _run(self.layers, latent, state)


def _run(layers: nn.ModuleDict, x: Tensor, state: Mapping[str, Tensor]) -> Tensor:
    """A SEANet stack: an ELU stands before every convolution but the first; residual blocks bring their own."""
    for index, layer in layers.items():
        if index != "0" and not isinstance(layer, Residual):
            x = F.elu(x)
        x = layer(x, state)
    return x


class TransformerLayer(nn.Module):
    """Pre-norm layer with LayerNorm, GELU and a learnt scale on both branches."""

    def __init__(self, config: MimiConfig, name: str):
        super().__init__()
        self.config = config
        self.keys, self.values = f"{name}.keys", f"{name}.values"
        dim = config.dimension
        self.norm1_weight, self.norm1_bias = _parameter(dim), _parameter(dim)
        self.in_proj, self.out_proj = _parameter(3 * dim, dim), _parameter(dim, dim)
        self.scale1 = _parameter(dim)
        self.norm2_weight, self.norm2_bias = _parameter(dim), _parameter(dim)
        self.linear1, self.linear2 = _parameter(config.dim_feedforward, dim), _parameter(dim, config.dim_feedforward)
        self.scale2 = _parameter(dim)

    def forward(self, x: Tensor, state: Mapping[str, Tensor], positions: Tensor, window: int) -> Tensor:
        """x [B, L, dim], positions [B, L] -> [B, L, dim]."""
        dim, period = (self.config.dimension,), self.config.max_period
        normed = F.layer_norm(x, dim, self.norm1_weight, self.norm1_bias, 1e-5)
        q, k, v = split_heads(F.linear(normed, self.in_proj), self.config.num_heads)
        q, k = rope(q, positions, period), rope(k, positions, period)
        attended = ring_attention(q, k, v, state[self.keys], state[self.values], positions, window)
        x = x + self.scale1 * F.linear(merge_heads(attended), self.out_proj)
        normed = F.layer_norm(x, dim, self.norm2_weight, self.norm2_bias, 1e-5)
        return x + self.scale2 * F.linear(F.gelu(F.linear(normed, self.linear1)), self.linear2)


class LatentTransformer(nn.Module):
    """Causal attention over the latents (25 Hz) of the last 10 s."""

    def __init__(self, config: MimiConfig, name: str):
        super().__init__()
        self.config, self.name = config, name
        self.layers = nn.ModuleList(TransformerLayer(config, f"{name}.{index}") for index in range(config.num_layers))

    def slots(self) -> Slots:
        ring = Slot((self.config.num_heads, self.config.context, self.config.head_dim), _F32)
        names = (f"{self.name}.{index}.{part}" for index in range(len(self.layers)) for part in ("keys", "values"))
        return dict.fromkeys(names, ring) | {f"{self.name}.position": Slot((), torch.int64)}

    def forward(self, x: Tensor, state: Mapping[str, Tensor], window: int) -> Tensor:
        """[B, dim, L] -> [B, dim, L]; the position moves on by L."""
        x = x.transpose(1, 2)
        position = state[f"{self.name}.position"]
        positions = position[:, None] + torch.arange(x.shape[1], device=x.device)
        for layer in self.layers:
            x = layer(x, state, positions, window)
        position.add_(x.shape[1])
        return x.transpose(1, 2)


class SplitQuantizer(nn.Module):
    """Residual vector quantiser: one semantic codebook beside a chain of acoustic ones, both fed the same latent."""

    def __init__(self, config: MimiConfig, codebooks: int):
        super().__init__()
        inner = config.codebook_dim
        self.semantic_in, self.acoustic_in = (_parameter(inner, config.dimension) for _ in range(2))
        self.semantic_out, self.acoustic_out = (_parameter(config.dimension, inner) for _ in range(2))
        self.codebooks = _parameter(codebooks, config.bins, inner)  # [0] semantic, [1..] acoustic
        self.register_buffer("half_norms", torch.empty(codebooks, config.bins), persistent=False)
        self.half_norms: Tensor

    def precompute(self) -> None:
        """|c|^2 / 2 of every code vector; call once after the codebooks are in place."""
        self.half_norms = self.codebooks.pow(2).sum(-1) / 2

    def _nearest(self, residual: Tensor, codebook: int) -> Tensor:
        """The nearest code in Euclidean distance: argmin |c|^2 / 2 - r.c. residual [B, T, inner] -> [B, T]"""
        return (self.half_norms[codebook] - F.linear(residual, self.codebooks[codebook])).argmin(dim=-1)

    def encode(self, latent: Tensor) -> Tensor:
        """[B, dim, T] -> codes [B, Q, T] int64."""
        x = latent.transpose(1, 2)
        codes = [self._nearest(F.linear(x, self.semantic_in), 0)]
        residual = F.linear(x, self.acoustic_in)
        for codebook in range(1, self.codebooks.shape[0]):
            codes.append(self._nearest(residual, codebook))
            residual = residual - F.embedding(codes[-1], self.codebooks[codebook])
        return torch.stack(codes, dim=1)

    def decode(self, codes: Tensor) -> Tensor:
        """[B, Q, T] -> [B, dim, T]."""
        semantic = F.embedding(codes[:, 0], self.codebooks[0])
        latent = F.linear(semantic, self.semantic_out)
        if codes.shape[1] > 1:
            acoustic = F.embedding(codes[:, 1], self.codebooks[1])
            for codebook in range(2, codes.shape[1]):
                acoustic = acoustic + F.embedding(codes[:, codebook], self.codebooks[codebook])
            latent = latent + F.linear(acoustic, self.acoustic_out)
        return latent.transpose(1, 2)


class Mimi(nn.Module):
    """The whole codec, with `codebooks` of its file's. Uninitialised until a checkpoint is assigned."""

    def __init__(self, config: MimiConfig, codebooks: int):
        super().__init__()
        self.config = config
        stride, dim = config.resample_stride, config.dimension
        self.encoder = SEANetEncoder(config)
        self.encoder_transformer = LatentTransformer(config, "encoder_transformer")
        self.downsample = StreamingConv1d("downsample", dim, dim, 2 * stride, stride, bias=False, replicate=True)
        self.quantizer = SplitQuantizer(config, codebooks)
        self.upsample = StreamingConvTranspose1d("upsample", dim, dim, 2 * stride, stride, depthwise=True)
        self.decoder_transformer = LatentTransformer(config, "decoder_transformer")
        self.decoder = SEANetDecoder(config)

    def encode(self, pcm: Tensor, state: Mapping[str, Tensor], window: int) -> Tensor:
        """pcm [B, 1, frame_size * T] float32 in [-1, 1] -> codes [B, Q, T] int64."""
        latent = self.encoder_transformer(self.encoder(pcm, state), state, window)
        return self.quantizer.encode(self.downsample(latent, state))

    def decode(self, codes: Tensor, state: Mapping[str, Tensor], window: int) -> Tensor:
        """codes [B, Q, T] in 0..bins-1 -> pcm [B, 1, frame_size * T], not clipped."""
        latent = self.upsample(self.quantizer.decode(codes), state)
        return self.decoder(self.decoder_transformer(latent, state, window), state)

    def slots(self) -> tuple[Slots, Slots]:
        """State of the encoding and of the decoding half."""
        encode = _slots_of(self.encoder, self.encoder_transformer, self.downsample)
        return encode, _slots_of(self.upsample, self.decoder_transformer, self.decoder)


def _slots_of(*modules: nn.Module) -> Slots:
    slots: Slots = {}
    for part in _streaming(*modules):
        slots |= part.slots()
    return slots


def _streaming(*modules: nn.Module) -> Iterator[StreamingConv1d | StreamingConvTranspose1d | LatentTransformer]:
    for module in modules:
        for part in module.modules():
            if isinstance(part, (StreamingConv1d, StreamingConvTranspose1d, LatentTransformer)):
                yield part
