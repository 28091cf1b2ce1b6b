"""CUDA graphs and `torch.compile`: beside `graph_pool.py` the only file of the program that names either.

It owns the wrapper that replays a function, and the reasons why graphs or compiled code are not available here. It
knows nothing of the model: it is given callables and the object that keeps their state. Wrappers are built and prepared
at load and called between, both by the engine thread; other threads may call them too, one after the other.

A captured graph is a fixed list of kernels on fixed addresses. Three rules follow, and every class here serves one:
inputs are copied to where the graph reads them, outputs are copied out before the next replay overwrites them, and
whatever Python decided during the capture (shapes, numbers, branches) stays decided.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import torch

from engine.errors import EngineError, MemoryFullError
from engine.faults import out_of_memory
from engine.graph_pool import GraphPool, Recorder
from engine.nests import mapped, matched
from engine.toolchain import missing_for_inductor

log = logging.getLogger(__name__)

Piece = TypeVar("Piece", bound=Callable[..., Any])

OFF_VARIABLE = "NO_CUDA_GRAPH"


class SavedState(Protocol):
    """Whatever changes when a wrapped function runs, so that a rehearsal leaves no trace."""

    def snapshot(self) -> Any: ...

    def restore(self, snapshot: Any) -> None: ...


class _ThreadFlags(threading.local):
    inside = False  # this thread is within a wrapper's call: wrappers met there run plainly and are baked in
    off = False  # this thread is within no_cuda_graph()


_flags = _ThreadFlags()


def in_cuda_graph() -> bool:
    """Whether this thread is inside the call of a `CUDAGraphed` (warming up, capturing or replaying)."""
    return _flags.inside


@contextmanager
def no_cuda_graph() -> Iterator[None]:
    """Within it, wrappers called by this thread run their function plainly, whatever the shapes."""
    before, _flags.off = _flags.off, True
    try:
        yield
    finally:
        _flags.off = before


@contextmanager
def _inside() -> Iterator[None]:
    before, _flags.inside = _flags.inside, True
    try:
        yield
    finally:
        _flags.inside = before


class CUDAGraphed:
    """A function that is replayed as one CUDA graph.

    The first `warmup_steps` calls run it plainly. The next call copies its inputs to buffers of the graph, captures
    and replays once. Later calls copy the inputs into those buffers and replay: Python is not run any more, and numbers
    that are not tensors are frozen. Tensors may sit inside tuples, lists and dicts. `prepare` does all this at load.

    It runs plainly, and `reason` says why, when there is no CUDA device, when `disable` is set, when the environment
    variable NO_CUDA_GRAPH is set (read here, once) or after a capture failed; it runs plainly without a reason inside
    `no_cuda_graph()` and inside another wrapper.

    Facts: facts/cuda_graphs.md, first table.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        warmup_steps: int = 1,
        disable: bool = False,
        *,
        state: SavedState | None = None,
        pool: Recorder | None = None,
        keep_outputs: bool = True,
    ) -> None:
        """`state`: restored by `prepare` after its rehearsals. `pool`: shared with other wrappers; None = its own.

        `keep_outputs`: outputs are copies that the caller may keep. False returns the graph's own tensors, which the
        next replay of any graph in the pool may overwrite: for callers that read them at once.
        """
        self.func = func
        self.warmup_steps = warmup_steps
        self.reason = "CUDA graphs are switched off." if disable else _switched_off()
        if self.reason is None and pool is None:
            self.reason = graph_unavailable_reason("cuda")
        self._state = state
        self._pool = pool
        self._keep_outputs = keep_outputs
        self._lock = threading.RLock()
        self._graph: Any = None
        self._inputs: tuple[Any, ...] = ()
        self._outputs: Any = None

    @property
    def captured(self) -> bool:
        """Whether calls replay a graph from now on."""
        return self._graph is not None

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Run once. ValueError when the inputs differ from the captured ones in anything but tensor contents;
        EngineError when this call had to capture and could not (nothing was run; later calls run plainly)."""
        if named:
            raise RuntimeError(f"A CUDA graph takes its inputs by position; got {', '.join(named)} by name.")
        if self.reason is not None or _flags.off or _flags.inside:
            return self.func(*inputs)
        if not inputs:
            with self._lock:
                if self._graph is not None and self._pool is not None and not self._inputs:
                    return self._again(self._pool)
        with self._shared_lock() as pool, _inside():
            pool.follow()
            if self._graph is not None:
                self._copy_in(inputs)
            elif self.warmup_steps > 0:
                self.warmup_steps -= 1
                return self.func(*inputs)
            elif self.reason is not None:  # another thread's capture failed while this one waited
                return self.func(*inputs)
            else:
                self._capture(inputs)
            return self._replay()

    def prepare(self, *inputs: Any) -> None:
        """Warm up, capture and replay once now; `state` and torch's random generators are then put back.

        Does nothing where graphs are off (`reason`). Raises EngineError with the cause if the capture fails: its
        memory is free again and calls run plainly.
        """
        if self.reason is not None:
            return
        rehearsals = max(1, self.warmup_steps)
        self.reset()
        with self._shared_lock() as pool, _inside(), unchanged(self._state):
            try:
                for _ in range(rehearsals):
                    pool.rehearse(self.func, inputs)
            except Exception as error:
                raise self._failed(error) from error
            self._capture(inputs)
            pool.follow()
            self._replay()

    def reset(self, warmup_steps: int = 0) -> None:
        """Drop the graph and its memory; after `warmup_steps` plain calls the next call captures a new one."""
        with self._lock:
            self.warmup_steps = warmup_steps
            graph, self._graph = self._graph, None
            self._inputs, self._outputs = (), None
            if graph is not None and self._pool is not None:
                with self._pool.lock:
                    self._pool.release(graph)

    @contextmanager
    def _shared_lock(self) -> Iterator[Recorder]:
        with self._lock:
            if self._pool is None:
                self._pool = GraphPool()
            with self._pool.lock:
                yield self._pool

    def _capture(self, inputs: tuple[Any, ...]) -> None:
        assert self._pool is not None
        self._inputs = mapped(inputs, torch.Tensor.clone)
        try:
            self._graph, self._outputs = self._pool.record(lambda: self.func(*self._inputs))
        except Exception as error:
            self._inputs = ()
            raise self._failed(error) from error

    def _copy_in(self, inputs: tuple[Any, ...]) -> None:
        pairs = list(matched(self._inputs, inputs, "inputs"))  # all checked before anything is copied
        if pairs:
            with torch.inference_mode():  # the buffers may have been born in that mode
                for buffer, given in pairs:
                    buffer.copy_(given)

    def _replay(self) -> Any:
        assert self._pool is not None
        self._pool.replay(self._graph)
        return mapped(self._outputs, torch.Tensor.clone) if self._keep_outputs else self._outputs

    def _again(self, pool: Recorder) -> Any:
        """One more replay of a graph without inputs: a frame waits for it, and the longer way takes Python some
        microseconds."""
        with pool.lock:
            pool.follow()
            return self._replay()

    def _failed(self, error: BaseException) -> EngineError:
        name = getattr(self.func, "__name__", type(self.func).__name__)
        self.reason = f"The CUDA graph of “{name}” could not be captured: {_cause(error)} Eager mode still works."
        log.warning(self.reason)
        return MemoryFullError(self.reason) if out_of_memory(error) else EngineError(self.reason)


def graph_unavailable_reason(device: torch.device | str) -> str | None:
    """Why graphs cannot be used on `device`, as a sentence; None where they can."""
    if torch.device(device).type != "cuda" or not torch.cuda.is_available():
        return "CUDA graphs need an NVIDIA GPU."
    return _switched_off()


def _switched_off() -> str | None:
    if os.environ.get(OFF_VARIABLE, "").strip().lower() in ("", "0", "n", "no"):
        return None
    return f"CUDA graphs are off because the environment variable {OFF_VARIABLE} is set."


@contextmanager
def unchanged(state: SavedState | None) -> Iterator[None]:
    """Put `state` and torch's own random generators back afterwards, whatever happens in between."""
    saved = state.snapshot() if state is not None else None
    devices = [torch.cuda.current_device()] if torch.cuda.is_available() else []
    try:
        with torch.random.fork_rng(devices=devices):
            yield
    finally:
        if state is not None:
            state.restore(saved)


def _cause(error: BaseException) -> str:
    """One sentence for a failed capture: the first exception of the chain, which the end of the capture hides."""
    while error.__context__ is not None:
        error = error.__context__
    if out_of_memory(error) and not isinstance(error, MemoryError):  # whose own words hold the numbers
        return "the GPU memory is full. Close other programs that use the GPU, or choose a smaller precision."
    first_line = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
    if "captur" in first_line:
        return f"it waits for the GPU, or copies from it, in the middle of a frame ({first_line.rstrip('.')})."
    return f"{first_line.rstrip('.')}."


def compile_unavailable_reason(device: torch.device | str) -> str | None:
    """Why `torch.compile` cannot work on `device`, as a sentence; None where nothing is known to be missing.

    Looks for what compilation starts and does not start it, so that every start of the program can ask.
    """
    return missing_for_inductor(torch.device(device).type)


def forget_compiled() -> None:
    """Drop all compiled code: its guards hold the tensors that it was compiled for, weights included."""
    torch.compiler.reset()
    with suppress(ImportError):
        from torch._dynamo.utils import counters

        counters.clear()


class CompiledForm(NamedTuple):
    """A way to compile. whole: stages as one piece each; captured: replayed by this program's graphs where there are
    any; options, mode: `torch.compile`'s."""

    whole: bool = False
    captured: bool = False
    options: dict[str, Any] | None = None
    mode: str | None = None


# The first is the program's: layers and steps, replayed by its own graphs on a card. The others are to be measured
# beside it: the same started one by one, whole stages replayed by PyTorch's graphs, and those with kernels by trial.
COMPILED = "compiled"
COMPILED_FORMS = {
    COMPILED: CompiledForm(captured=True),
    "compiled-plain": CompiledForm(),
    "compiled-cudagraphs": CompiledForm(whole=True, options={"triton.cudagraphs": True}),
    "compiled-max-autotune": CompiledForm(whole=True, mode="max-autotune"),
}


def compile_piece(piece: Piece, form: CompiledForm = COMPILED_FORMS[COMPILED]) -> Piece:
    """`piece` through `torch.compile` with fixed shapes; its first call compiles.

    The program's own form takes a layer, a step or a codec half rather than a whole stage: code for one temporal layer
    serves all 32, so that a build takes a fraction of the time, and the calls between pieces cost nothing once the
    stages are captured. PyTorch's own graphs (option "triton.cudagraphs") are not its choice: they leave functions that
    change their inputs ungraphed unless these never move (`never_moves`), and they hand out outputs that the next
    replay overwrites, so that a frame begins with `begin_frame`.
    """
    return cast(Piece, torch.compile(piece, dynamic=False, options=form.options, mode=form.mode))


def never_moves(tensors: Iterable[torch.Tensor]) -> None:
    """Tells compiled code that these stay where they are, as weights do: PyTorch's graphs may then change them."""
    for tensor in tensors:
        torch._dynamo.mark_static_address(tensor, guard=False)


def begin_frame() -> None:
    """PyTorch's graphs may overwrite what they returned before."""
    torch.compiler.cudagraph_mark_step_begin()


def compiled_counts() -> dict[str, int]:
    """What was compiled since `forget_compiled`: graphs, breaks between them, and those that PyTorch's CUDA graphs left
    out. Empty where this PyTorch does not count."""
    try:
        from torch._dynamo.utils import counters
    except ImportError:
        return {}
    return {
        "graphs": int(counters["stats"]["unique_graphs"]),
        "breaks": sum(counters["graph_break"].values()),
        "not_graphed": int(counters["inductor"]["cudagraph_skips"]),
    }
