"""What the codec's convolutions keep from one frame to the next, renewed for all of them by one Triton kernel.

Everything is float32. Imports Triton: import this module late.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import launch_options, wait_for_inputs


class Signal(NamedTuple):
    """A vector per time step in memory: address of channel c at time t is base + c * channel + t * time."""

    data: Tensor
    channels: int
    length: int
    channel: int
    time: int

    @classmethod
    def by_channel(cls, data: Tensor) -> Signal:
        """From [channels, length], contiguous."""
        return cls(data, data.shape[0], data.shape[1], channel=data.shape[1], time=1)

    @classmethod
    def by_time(cls, data: Tensor) -> Signal:
        """From [length, channels], contiguous."""
        return cls(data, data.shape[1], data.shape[0], channel=1, time=data.shape[1])


@triton.jit
def elu(v):
    return tl.where(v > 0, v, tl.exp(tl.minimum(v, 0.0)) - 1.0)


@triton.jit
def remember_kernel(
    jobs, position, started, ADVANCE: tl.constexpr, STARTS: tl.constexpr, BP: tl.constexpr, BC: tl.constexpr,
    PDL: tl.constexpr,
):  # fmt: skip
    """Jobs [J, 8] int64: addresses of a signal and its tail, channels, length, pad, two strides, ELU or not."""
    job = jobs + tl.program_id(0) * 8
    x = tl.load(job).to(tl.pointer_type(tl.float32))
    tail = tl.load(job + 1).to(tl.pointer_type(tl.float32))
    channels, length, pad = tl.load(job + 2), tl.load(job + 3), tl.load(job + 4)
    by_channel, by_time, kind = tl.load(job + 5), tl.load(job + 6), tl.load(job + 7)
    channel, index = tl.program_id(1) * BC + tl.arange(0, BC), tl.arange(0, BP)
    wait_for_inputs(PDL)
    valid = (channel < channels)[:, None] & (index < pad)[None, :]
    at = length - pad + index  # time of the sample that the tail's place `index` takes; negative: from the old tail
    old = tl.load(tail + channel[:, None] * pad + (pad + at)[None, :], mask=valid & (at < 0)[None, :], other=0.0)
    new = tl.load(x + channel[:, None] * by_channel + at[None, :] * by_time, mask=valid & (at >= 0)[None, :], other=0.0)
    new = tl.where(kind == 1, elu(new), new)
    tl.debug_barrier()  # the old tail is read before any thread writes
    tl.store(tail + channel[:, None] * pad + index[None, :], tl.where((at < 0)[None, :], old, new), mask=valid)
    if (tl.program_id(0) == 0) & (tl.program_id(1) == 0):
        tl.store(position, tl.load(position) + ADVANCE)
        if STARTS:
            tl.store(started, 1)


class Memory:
    """What a frame leaves for the next: tails and partial sums, all renewed by one launch at the end of the frame."""

    def __init__(self, position: Tensor, advance: int, started: Tensor | None = None) -> None:
        """`position` [1] int64 moves on by `advance`; `started` [1] bool becomes true."""
        self._position, self._advance = position, advance
        self.started = None if started is None else started.view(torch.uint8)
        self._rows: list[list[int]] = []
        self._kept: list[Tensor] = []  # the table holds addresses, which does not keep their tensors alive
        self._channels = self._pad = 1
        self._table: Tensor | None = None

    def keep(self, x: Signal, tail: Tensor, *, activate: bool) -> None:
        """The end of x goes to tail [channels, pad], after an ELU if the convolution that reads it has one before."""
        pad = tail.shape[1]
        addresses = [x.data.data_ptr(), tail.data_ptr()]
        self._rows.append([*addresses, x.channels, x.length, pad, x.channel, x.time, int(activate)])
        self._kept += [x.data, tail]
        self._channels, self._pad = max(self._channels, x.channels), max(self._pad, pad)

    def renew(self, *, pdl: int) -> None:
        if self._table is None:
            self._table = torch.tensor(self._rows, dtype=torch.int64, device=self._position.device)
        started = self._position if self.started is None else self.started
        remember_kernel[(len(self._rows), triton.cdiv(self._channels, 64))](
            self._table, self._position, started, self._advance, self.started is not None,
            triton.next_power_of_2(self._pad), 64, pdl, num_warps=4, **launch_options(pdl),
        )  # fmt: skip
