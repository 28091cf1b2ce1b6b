"""Sequences made in other processes, on other devices, while this one trains.

A model soon knows by heart what it sees twenty times, and then listens to nobody; so the pool has to be renewed faster
than one device can train and make sequences. Each process builds its own studio and puts what it makes into one queue.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor
from torch import multiprocessing as processes

Batch = tuple[Tensor, Tensor, Tensor]  # columns, weights and heard words, as `training.streams.Sequences` has them


class Maker(Protocol):
    def __call__(self, count: int) -> Batch: ...


def _serve(build: Callable[..., Maker], arguments: tuple[Any, ...], device: str, seed: int, count: int,
           full: processes.Queue, over: Any) -> None:  # fmt: skip
    torch.set_num_threads(1)
    make = build(*arguments, device, seed)
    while not over.is_set():
        batch = tuple(part.cpu() for part in make(count))
        while not over.is_set():
            try:
                full.put(batch, timeout=0.5)
                break
            except queue.Full:
                continue
    full.cancel_join_thread()


class Feeder:
    """`build(*arguments, device, seed)` runs once in each process; what it returns makes `count` sequences a call."""

    def __init__(
        self, build: Callable[..., Maker], arguments: tuple[Any, ...], devices: Sequence[str], count: int, seed: int
    ) -> None:
        context = processes.get_context("spawn")
        self._full: Any = context.Queue(maxsize=4 * len(devices))
        self._over = context.Event()
        self._processes = [
            context.Process(
                target=_serve, args=(build, arguments, device, seed + 1 + i, count, self._full, self._over), daemon=True
            )
            for i, device in enumerate(devices)
        ]
        for process in self._processes:
            process.start()

    def take(self) -> Batch | None:
        """A batch that is ready, on the CPU, or None. Raises RuntimeError when every process has ended."""
        try:
            batch: Batch = self._full.get_nowait()
            return batch
        except queue.Empty:
            if not any(process.is_alive() for process in self._processes):
                raise RuntimeError("Every process that makes sequences has ended.") from None
            return None

    def close(self) -> None:
        self._over.set()
        for process in self._processes:
            process.join(timeout=5)
            if process.is_alive():
                process.kill()
