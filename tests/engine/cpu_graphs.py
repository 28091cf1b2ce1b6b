"""A stand-in for CUDA graphs on a CPU, faithful in what matters to callers.

A recording keeps the tensor operations of a function, not the function. Nothing that existed before is changed while
recording. A replay repeats the operations on the same tensors: Python does not run, constants are frozen, and the
outputs are the same memory every time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Recording(TorchDispatchMode):
    """The operations run inside it, with the tensors that existed before put back at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.operations: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []
        self._originals: list[tuple[torch.Tensor, torch.Tensor]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func._schema.is_mutable:
            self._originals.append((args[0], args[0].clone()))
        result = func(*args, **(kwargs or {}))
        self.operations.append((func, args, kwargs or {}, result))
        return result

    def undo(self) -> None:
        for tensor, original in reversed(self._originals):
            tensor.copy_(original)

    def replay(self) -> None:
        for func, args, kwargs, recorded in self.operations:
            again = func(*args, **kwargs)
            for old, new in zip(tree_leaves(recorded), tree_leaves(again), strict=True):
                if isinstance(old, torch.Tensor) and new.data_ptr() != old.data_ptr():
                    old.copy_(new)


class CpuPool:
    """Takes the place of `engine.graph_pool.GraphPool`. `fail` makes the next recordings fail as CUDA would."""

    def __init__(self, fail: str | None = None) -> None:
        self.lock = threading.RLock()
        self.fail = fail
        self.rehearsals = 0
        self.recorded: list[Recording] = []
        self.released: list[Recording] = []
        self.replays = 0
        self.followed = 0

    def rehearse(self, func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
        self.rehearsals += 1
        func(*inputs)

    def record(self, func: Callable[[], Any]) -> tuple[Any, Any]:
        recording = Recording()
        with recording:
            outputs = func()
        recording.undo()
        if self.fail is not None:
            try:
                raise RuntimeError(self.fail)
            finally:
                raise RuntimeError("capture_end: operation failed due to a previous error during capture")
        self.recorded.append(recording)
        return recording, outputs

    def follow(self) -> None:
        self.followed += 1

    def replay(self, graph: Any) -> None:
        assert self.followed > self.replays, "a replay must come after what the pool did on other streams"
        self.replays += 1
        graph.replay()

    def release(self, graph: Any) -> None:
        self.released.append(graph)


class DictState:
    """Named tensors that change in place, with the two methods that a rehearsal needs."""

    def __init__(self, tensors: dict[str, torch.Tensor]) -> None:
        self.tensors = tensors

    def snapshot(self) -> dict[str, torch.Tensor]:
        return {name: tensor.clone() for name, tensor in self.tensors.items()}

    def restore(self, snapshot: dict[str, torch.Tensor]) -> None:
        for name, tensor in self.tensors.items():
            tensor.copy_(snapshot[name])
