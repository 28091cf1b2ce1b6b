"""The codec's convolutions as matrix products over rows of samples: what a processor does best with few channels.

Stands for `Mimi.encode` and `Mimi.decode` where stages are launched one by one on a processor; `engine.mimi` is the
reference, whose weights, state and numbers these are (to the rounding of sums). Sounds lie with their channels last,
[B, L, C], so that the window of a convolution is one piece of memory and a strided view of the sound is the matrix to
multiply. PyTorch's own kernels for these shapes took twice the time: for transposed convolutions five times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.layers import merge_heads, ring_mask
from engine.mimi import (
    LatentTransformer,
    Mimi,
    Residual,
    StreamingConv1d,
    StreamingConvTranspose1d,
    TransformerLayer,
)

State = Mapping[str, Tensor]
RowLayer = Callable[[Tensor, State], Tensor]  # x [B, L, C_in] -> [B, L', C_out]


class RowConvolution:
    """`StreamingConv1d` over rows."""

    def __init__(self, source: StreamingConv1d):
        self.source = source
        channels_out, channels_in, self.kernel = source.weight.shape
        self.columns = self.kernel * channels_in
        self.matrix = source.weight.permute(2, 1, 0).reshape(self.columns, channels_out).contiguous()
        self.tail = f"{source.name}.tail"

    def __call__(self, x: Tensor, state: State) -> Tensor:
        source = self.source
        if source.pad:
            tail = state[self.tail].transpose(1, 2)  # [B, pad, C]
            before = tail
            if source.replicate:
                started = state[f"{source.name}.started"]
                before = torch.where(started, tail, x[:, :1])
                started.fill_(True)
            x = torch.cat((before, x), dim=1)
            tail.copy_(x[:, -source.pad :])
        talks, length, channels = x.shape
        if self.kernel > 1:
            x = x.contiguous()
            frames = (length - self.kernel) // source.stride + 1
            x = x.as_strided((talks, frames, self.columns), (length * channels, source.stride * channels, 1))
        rows = x.reshape(-1, self.columns)
        y = rows @ self.matrix if source.bias is None else torch.addmm(source.bias, rows, self.matrix)
        return y.unflatten(0, (talks, -1))


class RowTransposedConvolution:
    """`StreamingConvTranspose1d` over rows, its kernel twice its stride: what each input adds to its own stretch of the
    output and to the next one."""

    def __init__(self, source: StreamingConvTranspose1d):
        self.source = source
        channels_in, channels_out, kernel = source.weight.shape
        self.stride = source.stride
        self.depthwise = source.groups > 1
        if self.depthwise:
            self.matrix = source.weight[:, 0].t().contiguous()  # [kernel, C]
        else:
            self.matrix = source.weight.permute(0, 2, 1).reshape(channels_in, kernel * channels_out).contiguous()
        self.partial = f"{source.name}.partial"

    def __call__(self, x: Tensor, state: State) -> Tensor:
        talks, length, channels = x.shape
        if self.depthwise:
            both = x[:, :, None] * self.matrix
        else:
            both = (x.reshape(-1, channels) @ self.matrix).view(talks, length, 2 * self.stride, -1)
        own, next_one = both.split(self.stride, dim=2)  # [B, L, stride, C] each
        y = own.clone()
        y[:, 1:] += next_one[:, :-1]
        partial = state[self.partial].transpose(1, 2)  # [B, stride, C]
        y[:, 0] += partial
        partial.copy_(next_one[:, -1])
        y = y.flatten(1, 2)
        return y if self.source.bias is None else y.add_(self.source.bias)


class RowResidual:
    """`Residual` over rows."""

    def __init__(self, source: Residual):
        self.conv1, self.conv2 = RowConvolution(source.conv1), RowConvolution(source.conv2)

    def __call__(self, x: Tensor, state: State) -> Tensor:
        return self.conv2(F.elu(self.conv1(F.elu(x), state)), state).add_(x)


def fits(mimi: Mimi) -> bool:
    """Whether every layer has a form in rows: no holes in a kernel, no transposed kernel but twice its stride."""
    for part in mimi.modules():
        if isinstance(part, StreamingConv1d) and part.dilation > 1:
            return False
        if isinstance(part, StreamingConvTranspose1d) and part.weight.shape[-1] != 2 * part.stride:
            return False
    return True


class RowCodec:
    """A loaded codec on a processor. The layouts of the weights are made once; state and results are `Mimi`'s."""

    def __init__(self, mimi: Mimi):
        assert fits(mimi), "a codec without a form in rows"
        self.mimi = mimi
        self._encoder, self._decoder = _stack(mimi.encoder.layers), _stack(mimi.decoder.layers)
        self._listening = RowTransformer(mimi.encoder_transformer)
        self._speaking = RowTransformer(mimi.decoder_transformer)
        self._downsample, self._upsample = RowConvolution(mimi.downsample), RowTransposedConvolution(mimi.upsample)

    def encode(self, pcm: Tensor, state: State, window: int) -> Tensor:
        """As `Mimi.encode`."""
        x = _run(self._encoder, pcm.transpose(1, 2), state)
        x = self._listening(x, state, window)
        return self.mimi.quantizer.encode(self._downsample(x, state).transpose(1, 2))

    def decode(self, codes: Tensor, state: State, window: int) -> Tensor:
        """As `Mimi.decode`."""
        x = self._upsample(self.mimi.quantizer.decode(codes).transpose(1, 2).contiguous(), state)
        x = self._speaking(x, state, window)
        return _run(self._decoder, x, state).transpose(1, 2)


def _stack(layers: nn.ModuleDict) -> list[tuple[bool, RowLayer]]:
    """The layers, and whether an ELU stands before each."""
    made: list[tuple[bool, RowLayer]] = []
    for index, layer in layers.items():
        if isinstance(layer, Residual):
            made.append((False, RowResidual(layer)))
        elif isinstance(layer, StreamingConv1d):
            made.append((index != "0", RowConvolution(layer)))
        else:
            assert isinstance(layer, StreamingConvTranspose1d)
            made.append((True, RowTransposedConvolution(layer)))
    return made


def _run(layers: list[tuple[bool, RowLayer]], x: Tensor, state: State) -> Tensor:
    for activated, layer in layers:
        x = layer(F.elu(x) if activated else x, state)
    return x


class RowTransformer:
    """`LatentTransformer` over rows: what all layers share is made once a frame, and the layers' scales are in their
    weights."""

    def __init__(self, source: LatentTransformer):
        config = source.config
        self.config, self.position = config, f"{source.name}.position"
        half = config.head_dim // 2
        self.layers = [_RowLayer(layer) for layer in source.layers]
        self.frequencies = torch.exp(torch.arange(half, dtype=torch.float32) * (-math.log(config.max_period) / half))

    def __call__(self, x: Tensor, state: State, window: int) -> Tensor:
        """[B, L, dim] -> [B, L, dim]; the position moves on by L."""
        heads, size = self.config.num_heads, self.config.head_dim
        position = state[self.position]
        positions = position[:, None] + torch.arange(x.shape[1], device=x.device)  # [B, L]
        angles = positions[:, :, None, None] * self.frequencies
        turns = torch.polar(torch.ones_like(angles), angles)  # [B, L, 1, D / 2]
        place = (positions % self.config.context)[:, None, :, None].expand(-1, heads, -1, size)
        mask = ring_mask(positions, self.config.context, window)
        for layer in self.layers:
            x = layer(x, state, turns, place, mask, heads)
        position.add_(x.shape[1])
        return x


class _RowLayer:
    """`TransformerLayer`, see `RowTransformer`."""

    def __init__(self, source: nn.Module):
        assert isinstance(source, TransformerLayer)
        self.source = source
        self.out_proj = source.out_proj * source.scale1[:, None]
        self.linear2 = source.linear2 * source.scale2[:, None]

    def __call__(self, x: Tensor, state: State, turns: Tensor, place: Tensor, mask: Tensor, heads: int) -> Tensor:
        source = self.source
        dim, keys, values = (x.shape[-1],), state[source.keys], state[source.values]
        normed = F.layer_norm(x, dim, source.norm1_weight, source.norm1_bias, 1e-5)
        packed = F.linear(normed, source.in_proj).unflatten(-1, (3, heads, -1))  # [B, L, 3, H, D]
        pairs = torch.view_as_complex(packed[:, :, :2].flatten(2, 3).unflatten(-1, (-1, 2)))
        turned = torch.view_as_real(pairs * turns).flatten(-2).transpose(1, 2)  # [B, 2H, L, D]: queries, then keys
        keys.scatter_(2, place, turned[:, heads:])
        values.scatter_(2, place, packed[:, :, 2].transpose(1, 2))
        attended = F.scaled_dot_product_attention(turned[:, :heads], keys, values, attn_mask=mask)
        x = x + F.linear(merge_heads(attended), self.out_proj)
        normed = F.layer_norm(x, dim, source.norm2_weight, source.norm2_bias, 1e-5)
        return x + F.linear(F.gelu(F.linear(normed, source.linear1)), self.linear2)
