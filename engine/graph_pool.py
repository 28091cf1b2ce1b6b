"""Where CUDA graphs are recorded: their memory, their stream, and what a failed recording leaves to be undone.

Owns everything that PyTorch and CUDA ask of a capture. Knows nothing of what is captured. Used through
`graphs.CUDAGraphed`, by the engine thread.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import torch


class Recorder(Protocol):
    """What `CUDAGraphed` asks of a pool. `GraphPool` is the real one; the tests bring one that works on a CPU."""

    lock: threading.RLock

    def rehearse(self, func: Callable[..., Any], inputs: tuple[Any, ...]) -> None: ...

    def record(self, func: Callable[[], Any]) -> tuple[Any, Any]: ...

    def follow(self) -> None: ...

    def replay(self, graph: Any) -> None: ...

    def release(self, graph: Any) -> None: ...


class GraphPool:
    """The memory and the side stream that the graphs of one device share.

    Sharing is safe because the pool's graphs never run at the same time (`lock` on the host, stream order on the GPU)
    and because every output is copied out, or was written outside the pool, before another graph of the pool runs.
    Warm-up uses the stream of the capture, so that the library workspaces tied to a stream are not born in the pool.
    """

    def __init__(self, device: torch.device | str = "cuda", *, minimum_free: int = 64 << 20) -> None:
        """`minimum_free`: bytes that must be free on the device before a capture is tried."""
        with torch.cuda.device(torch.device(device)):
            self.device = torch.device("cuda", torch.cuda.current_device())
            self.handle = torch.cuda.graph_pool_handle()
        self.stream = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]
        self.lock = threading.RLock()
        self._minimum_free = minimum_free
        self._last_stream: torch.cuda.Stream | None = None
        self._last_handle: int | None = None
        self._failed: list[torch.cuda.CUDAGraph] = []

    @property
    def failures(self) -> int:
        """Captures that could not be ended: each may have cost a little memory that only a restart gives back."""
        return len(self._failed)

    def rehearse(self, func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
        """Call `func` once without a graph, where the capture will be: libraries and kernels load now."""
        caller = torch.cuda.current_stream(self.device)
        self.stream.wait_stream(caller)
        with torch.cuda.stream(self.stream):
            func(*inputs)
        caller.wait_stream(self.stream)

    def record(self, func: Callable[[], Any]) -> tuple[torch.cuda.CUDAGraph, Any]:
        """Capture `func` into a new graph; returns it with the outputs, which hold nothing until a replay.

        Thread-local capture mode: in the default mode a copy made by any other thread would end the capture.
        """
        self._require_free_memory()
        graph = torch.cuda.CUDAGraph()
        try:
            with (
                torch.cuda.device(self.device),
                torch.cuda.stream(self.stream),  # torch.cuda.graph does not put the stream back when its end fails
                torch.cuda.graph(graph, pool=self.handle, stream=self.stream, capture_error_mode="thread_local"),
            ):
                outputs = func()
        except BaseException:
            self._abandon(graph)
            raise
        return graph, outputs

    def follow(self) -> None:
        """From here on the current stream comes after whatever this pool's graphs did on another one: a graph still
        running must keep its inputs, and its outputs until they are copied."""
        handle = torch._C._cuda_getCurrentRawStream(self.device.index)
        if handle == self._last_handle:  # the usual case, at a tenth of what asking for the stream itself takes
            return
        stream = torch.cuda.current_stream(self.device)
        if self._last_stream is not None and self._last_stream != stream:
            stream.wait_stream(self._last_stream)
        self._last_stream, self._last_handle = stream, handle

    def replay(self, graph: torch.cuda.CUDAGraph) -> None:
        """Enqueue the graph on the current stream; `follow` comes first."""
        graph.replay()

    def release(self, graph: torch.cuda.CUDAGraph) -> None:
        """Drop a graph that may still be running, and give its memory back."""
        torch.cuda.synchronize(self.device)
        graph.reset()
        torch.cuda.empty_cache()

    def _require_free_memory(self) -> None:
        free = torch.cuda.mem_get_info(self.device)[0]
        free += torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(self.device)
        if free < self._minimum_free:
            raise MemoryError(f"{free >> 20} MB of GPU memory are free and {self._minimum_free >> 20} MB are needed")

    def _abandon(self, graph: torch.cuda.CUDAGraph) -> None:
        """Undo a failed capture. A graph that ended all the same (the error came from Python) says so by having a pool.

        Of one that did not, PyTorch leaves the pool open: its memory would be lost until exit, so it is closed by hand.
        The pinned-memory allocator's side of it cannot be closed (a second capture into the pool is refused, and the
        allocator still points at the graph), so later captures get a new pool and the graph object is kept.
        """
        try:
            graph.pool()
        except RuntimeError:
            with suppress(AttributeError, RuntimeError):
                torch._C._cuda_endAllocateToPool(self.device.index, self.handle)
                torch._C._cuda_releasePool(self.device.index, self.handle)
            self._failed.append(graph)
            self.handle = torch.cuda.graph_pool_handle()
            self._settle_generator()
        graph.reset()
        gc.collect()
        with suppress(RuntimeError):
            torch.cuda.synchronize(self.device)
            torch.cuda.empty_cache()

    def _settle_generator(self) -> None:
        """PyTorch's random generator still waits for the failed capture to end, and refuses every draw until then; a
        capture that does end sets it free (seen with 2.11)."""
        empty = torch.cuda.CUDAGraph()
        with (
            suppress(RuntimeError),
            torch.cuda.stream(self.stream),
            torch.cuda.graph(empty, stream=self.stream, capture_error_mode="thread_local"),
        ):
            torch.zeros(1, device=self.device)
        empty.reset()
