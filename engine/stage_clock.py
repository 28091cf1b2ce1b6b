"""The times between the stages of a frame.

Owns the events, or the kernel, that take them on a card. Knows nothing of the stages. Used by the engine thread only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from time import perf_counter_ns
from typing import Any

import torch
from torch import Tensor

from engine.faults import device_lost, out_of_memory

log = logging.getLogger(__name__)


class StageClock:
    """Times between consecutive marks: CUDA events or kernels on a GPU, the host's clock elsewhere.

    Kernels may be parts of a graph, and so may events where PyTorch has external ones (2.8 on); `inside_graphs` says
    whether these can.
    """

    def __init__(self, marks: int, device: torch.device, *, kernels: bool = False) -> None:
        """kernels: by kernels (imports Triton)."""
        self.inside_graphs = False
        self._events: list[Any] = []
        self._nanoseconds = [0] * marks
        self._stamp: Callable[[int], None] | None = None
        if kernels:
            self._host_stamps = torch.zeros(marks, dtype=torch.int64, pin_memory=device.type == "cuda")
            self._stamp = self._stamping(self._host_stamps.to(device, copy=True))
        if self._stamp is None and device.type == "cuda":
            with suppress(TypeError):  # before PyTorch 2.8 events have no such argument
                self._events = [torch.cuda.Event(enable_timing=True, external=True) for _ in range(marks)]  # type: ignore[no-untyped-call]
            self.inside_graphs = bool(self._events)
            self._events = self._events or [torch.cuda.Event(enable_timing=True) for _ in range(marks)]  # type: ignore[no-untyped-call]

    def _stamping(self, stamps: Tensor) -> Callable[[int], None] | None:
        """The kernel, which has run once; None where it fails."""
        try:
            from engine import kernels_ends, kernels_linear

            pdl = kernels_linear.EARLY if kernels_linear.supports_pdl(stamps.device) else kernels_linear.NO_OVERLAP
            stamp = partial(kernels_ends.stamp, stamps, self._host_stamps, pdl=pdl)
            stamp(0)
            if stamps.device.type == "cuda":
                torch.cuda.synchronize(stamps.device)
        except Exception as error:  # a compiler, a driver and a launch refuse in many ways
            if out_of_memory(error) or device_lost(error):
                raise
            log.warning("the card's clock cannot be read by a kernel, so that events take the times: %s", error)
            return None
        self.inside_graphs = True
        return stamp

    def mark(self, index: int) -> None:
        """Stamp the moment at which the work enqueued so far is done."""
        if self._stamp is not None:
            self._stamp(index)
        elif self._events:
            self._events[index].record()
        else:
            self._nanoseconds[index] = perf_counter_ns()

    def spans(self) -> tuple[float, ...]:
        """Milliseconds between the marks of the last frame; ask after the device has finished it."""
        if self._stamp is not None:
            return tuple((b - a) / 1e6 for a, b in pairwise(self._host_stamps.tolist()))
        if self._events:
            return tuple(a.elapsed_time(b) for a, b in pairwise(self._events))
        return tuple((b - a) / 1e6 for a, b in pairwise(self._nanoseconds))
