"""Causal convolutions as plain matrix products over blocks of samples, channels last.

A convolution with few channels at 24 kHz is bound by memory traffic and poorly served by convolution kernels. A block
of n output samples is one row of a matrix product with a banded weight, which moves each activation once. Weights are
those of the checkpoint ([out, in, kernel], transposed [in, out, kernel]); the band is rebuilt from them every step.
Functions only; any device, any float dtype. Shapes: B items, T samples, C channels.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def banded(weight: Tensor, block: int, stride: int) -> Tensor:
    """Weight [out, in, k] -> [block * out, (k - stride + block * stride) * in]: row group i acts on the samples from
    i * stride on of (tail | block), the tail being the k - stride samples before the block."""
    flat = weight.permute(0, 2, 1).flatten(1)
    step = stride * weight.shape[1]
    return torch.cat([F.pad(flat, (i * step, (block - 1 - i) * step)) for i in range(block)])


def convolve(
    x: Tensor, weight: Tensor, bias: Tensor | None, stride: int = 1, block: int = 1, replicate: bool = False
) -> Tensor:
    """Causal convolution, x [B, T, C] -> [B, T / stride, out]. The start is padded with zeros, or with the first sample.

    T must be a multiple of block * stride, and a block must cover the left padding (kernel - stride samples).
    """
    items, samples, channels = x.shape
    out, _, kernel = weight.shape
    pad, span = kernel - stride, block * stride
    assert samples % span == 0 and pad <= span, "a block must cover the left padding and divide the length"
    band = banded(weight, block, stride)
    rows = x.reshape(items, samples // span, span * channels)
    y = F.linear(rows, band[:, pad * channels :], None if bias is None else bias.repeat(block))
    if pad:
        reached = -(-pad // stride) * out  # outputs of a block that the tail reaches
        tail_weight = band[:reached, : pad * channels]
        carried = F.linear(rows[:, :-1, (span - pad) * channels :], tail_weight)
        first = F.linear(x[:, :1].repeat(1, pad, 1).flatten(1), tail_weight)[:, None] if replicate else None
        carried = F.pad(carried, (0, 0, 1, 0)) if first is None else torch.cat((first, carried), dim=1)
        y = y + F.pad(carried, (0, block * out - reached))
    return y.reshape(items, samples // stride, out)


def convolve_wide(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Stride 1 for low rates and any kernel: the shifted copies side by side, one product. x [B, T, C] -> [B, T, out]."""
    kernel, samples = weight.shape[2], x.shape[1]
    padded = F.pad(x, (0, 0, kernel - 1, 0))
    rows = torch.cat([padded[:, i : i + samples] for i in range(kernel)], dim=-1)
    return F.linear(rows, weight.permute(0, 2, 1).flatten(1), bias)


def convolve_transposed(x: Tensor, weight: Tensor, bias: Tensor, stride: int) -> Tensor:
    """Causal transposed convolution with kernel 2 * stride. x [B, T, C], weight [C, out, 2 * stride] -> [B, T * stride, out]."""
    items, samples, channels = x.shape
    out = weight.shape[1]
    assert weight.shape[2] == 2 * stride, "only kernels of twice the stride"
    halves = weight.permute(2, 1, 0).reshape(2, stride * out, channels)  # (now, next), each (sample, out) x in
    pairs = torch.cat((x, F.pad(x, (0, 0, 1, 0))[:, :samples]), dim=-1)
    y = F.linear(pairs, torch.cat((halves[0], halves[1]), dim=-1), bias.repeat(stride))
    return y.reshape(items, samples * stride, out)


def upsample_depthwise(x: Tensor, weight: Tensor, stride: int) -> Tensor:
    """Depth-wise transposed convolution without bias, kernel 2 * stride. x [B, T, C], weight [C, 1, 2 * stride]."""
    items, samples, channels = x.shape
    taps = weight[:, 0].t().reshape(2, stride, channels)
    before = F.pad(x, (0, 0, 1, 0))[:, :samples]
    y = x[:, :, None] * taps[0] + before[:, :, None] * taps[1]
    return y.reshape(items, samples * stride, channels)
