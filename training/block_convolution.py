"""Causal convolutions as plain matrix products over blocks of samples, channels last.

A convolution with few channels at 24 kHz is bound by memory traffic and poorly served by convolution kernels. A block
of n output samples is one row of a matrix product with a banded weight, which moves each activation once. Weights are
those of the checkpoint ([out, in, kernel], transposed [in, out, kernel]); the band is rebuilt from them every step.
Functions only; any device, any float dtype. Shapes: B items, T samples, C channels.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def banded(weight: Tensor, block: int, stride: int) -> Tensor:
    """Weight [out, in, k] -> [block * out, (k - stride + block * stride) * in]: row group i acts on the samples from
    i * stride on of (tail | block), the tail being the k - stride samples before the block.

    A row repeated with a period one step longer than the width, then cut at the width, moves on by one step a row.
    """
    out, channels, kernel = weight.shape
    step = stride * channels
    width = (kernel - stride) * channels + block * step
    flat = weight.permute(0, 2, 1).flatten(1)
    rows = F.pad(flat, (0, width + step - flat.shape[1])).repeat(1, block)[:, : block * width]
    return rows.view(out, block, width).transpose(0, 1).reshape(block * out, width)


def _outer(left: Tensor, right: Tensor) -> Tensor:
    """left [R, N], right [R, K] -> left^T right [N, K]. Long and thin: done in pieces that run side by side."""
    pieces = 128
    while len(left) % pieces or len(left) // pieces < 64:
        pieces //= 2
        if pieces < 2:
            return left.t() @ right
    parts = torch.bmm(left.unflatten(0, (pieces, -1)).transpose(1, 2), right.unflatten(0, (pieces, -1)))
    return parts.sum(0)


class _Blocks(torch.autograd.Function):
    """rows [B, G, K] -> y [B, G, N] = rows @ whole^T + bias, plus what the end of a row gives to the next row's start:
    y[:, g, :M] += rows[:, g - 1, -P:] @ tail^T, with tail [M, P].

    Written out by hand because autograd would pass over every activation several more times.
    """

    @staticmethod
    def forward(ctx: Any, rows: Tensor, whole: Tensor, tail: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(rows, whole, tail)
        ctx.biased = bias is not None
        y = F.linear(rows, whole, bias)
        if tail.numel():
            reached, pad = tail.shape
            carried = (rows.flatten(0, 1)[:, -pad:] @ tail.t()).view(*rows.shape[:2], reached)
            y[:, 1:, :reached] += carried[:, :-1]
        return y

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        rows, whole, tail = ctx.saved_tensors
        dy = grads[0].contiguous()
        flat_dy, flat_rows = dy.flatten(0, 1), rows.flatten(0, 1)
        d_rows = (flat_dy @ whole).view(rows.shape) if ctx.needs_input_grad[0] else None
        d_whole, d_tail = _outer(flat_dy, flat_rows), None
        if tail.numel():
            reached, pad = tail.shape
            passed = torch.zeros(*rows.shape[:2], reached, dtype=dy.dtype, device=dy.device)
            passed[:, :-1] = dy[:, 1:, :reached]
            flat_passed = passed.flatten(0, 1)
            d_tail = _outer(flat_passed, flat_rows[:, -pad:])
            if d_rows is not None:
                d_rows[..., -pad:] += (flat_passed @ tail).view(*rows.shape[:2], pad)
        d_bias = flat_dy.sum(0) if ctx.biased else None
        return d_rows, d_whole, d_tail, d_bias


def _blocks(rows: Tensor, whole: Tensor, tail: Tensor, bias: Tensor | None) -> Tensor:
    result: Tensor = _Blocks.apply(rows, whole, tail, bias)
    return result


def project(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A linear layer over many positions: x [B, T, C], weight [out, C] -> [B, T, out]."""
    return _blocks(x.contiguous(), weight, weight.new_zeros(0, 0), bias)


def convolve(
    x: Tensor, weight: Tensor, bias: Tensor | None, stride: int = 1, block: int = 1, replicate: bool = False
) -> Tensor:
    """Causal convolution, x [B, T, C] -> [B, T / stride, out], its start padded with zeros or with the first sample.

    T must be a multiple of block * stride, and a block must cover the left padding (kernel - stride samples).
    """
    items, samples, channels = x.shape
    out, _, kernel = weight.shape
    pad, span = kernel - stride, block * stride
    assert samples % span == 0 and pad <= span, "a block must cover the left padding and divide the length"
    band = banded(weight, block, stride)
    rows = x.reshape(items, samples // span, span * channels)
    reached = -(-pad // stride) * out if pad else 0  # outputs of a block that the tail reaches
    tail = band[:reached, : pad * channels]
    y = _blocks(rows, band[:, pad * channels :], tail, None if bias is None else bias.repeat(block))
    if replicate and pad:
        first = F.linear(x[:, :1].repeat(1, pad, 1).flatten(1), tail)
        y = y + F.pad(first[:, None], (0, block * out - reached, 0, y.shape[1] - 1))
    return y.reshape(items, samples // stride, out)


def convolve_wide(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Stride 1, low rates, any kernel: the shifted copies side by side, one product. x [B, T, C] -> [B, T, out]."""
    kernel, samples = weight.shape[2], x.shape[1]
    padded = F.pad(x, (0, 0, kernel - 1, 0))
    rows = torch.cat([padded[:, i : i + samples] for i in range(kernel)], dim=-1)
    return project(rows, weight.permute(0, 2, 1).flatten(1), bias)


def convolve_transposed(x: Tensor, weight: Tensor, bias: Tensor, stride: int) -> Tensor:
    """Causal transposed convolution, kernel 2 * stride: x [B, T, C], weight [C, out, k] -> [B, T * stride, out]."""
    items, samples, channels = x.shape
    out = weight.shape[1]
    assert weight.shape[2] == 2 * stride, "only kernels of twice the stride"
    halves = weight.permute(2, 1, 0).reshape(2, stride * out, channels)  # (now, next), each (sample, out) x in
    pairs = torch.cat((x, F.pad(x, (0, 0, 1, 0))[:, :samples]), dim=-1)
    y = project(pairs, torch.cat((halves[0], halves[1]), dim=-1), bias.repeat(stride))
    return y.reshape(items, samples * stride, out)


def upsample_depthwise(x: Tensor, weight: Tensor, stride: int) -> Tensor:
    """Depth-wise transposed convolution without bias, kernel 2 * stride. x [B, T, C], weight [C, 1, 2 * stride]."""
    items, samples, channels = x.shape
    taps = weight[:, 0].t().reshape(2, stride, channels)
    before = F.pad(x, (0, 0, 1, 0))[:, :samples]
    y = x[:, :, None] * taps[0] + before[:, :, None] * taps[1]
    return y.reshape(items, samples * stride, channels)
