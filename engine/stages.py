"""The stages of one frame, run in a chosen mode and timed.

Owns which callable runs in which mode, and the proof that replayed graphs do what the eager kernels do. Knows nothing
of what a stage computes: a stage takes and returns nothing and works on fixed slots. Used by the engine thread only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import cycle, pairwise
from typing import NamedTuple

import torch

from engine.errors import Cancelled, EngineError
from engine.faults import device_lost, out_of_memory
from engine.graph_pool import Recorder
from engine.graphs import (
    COMPILED,
    COMPILED_FORMS,
    CompiledForm,
    CUDAGraphed,
    begin_frame,
    compile_unavailable_reason,
    forget_compiled,
    graph_unavailable_reason,
    unchanged,
)
from engine.stage_clock import StageClock
from engine.state import State

log = logging.getLogger(__name__)

MODES = ("graph", "eager", "compiled")


def check_mode(mode: str) -> None:
    """Raises EngineError for what is no mode."""
    if mode not in MODES:
        raise EngineError(f"The mode must be one of {', '.join(MODES)}, not {mode!r}.")


class Stage(NamedTuple):
    """One part of a frame, by the name under which its time is shown."""

    name: str
    func: Callable[[], None]


class Handover(NamedTuple):
    """How a frame goes to the card and its results come back. All ways give the same frames, bit for bit.

    ends: "copies" before and after the frame's graph, one by one; "inside": the same copies as parts of the graph;
        "kernels": one kernel at either end of the graph reads and writes the host's memory (where there are fused
        kernels, else "inside").
    apart: so many first stages are a graph of their own, at work while the rest is handed to the card.
    stamps: what takes the time between stages: "events" of CUDA, or "kernels", each of which notes the card's clock,
        and over which neighbours may overlap as over any other (where there are fused kernels, else "events").
    timed_every: one frame of so many, when it is replayed, has time stamps between its stages; the others show its
        times. 0: none has.
    """

    ends: str = "inside"
    apart: int = 1
    stamps: str = "events"
    timed_every: int = 1

    def without_kernels(self) -> Handover:
        return self._replace(ends="inside" if self.ends == "kernels" else self.ends, stamps="events")


class Ends(NamedTuple):
    """What stands before the first stage and behind the last, out of their times. leave: is told the mode."""

    enter: Callable[[], None]
    leave: Callable[[str], None]


HANDOVER = Handover()
NO_ENDS = Ends(lambda: None, lambda mode: None)


class Stages:
    """A sequence of stages, in any of the modes that were prepared.

    Switching is a choice of another callable: nothing is captured, copied or moved, so it may happen at any frame
    boundary. `graph` replays one graph for the whole where its time stamps can be part of it, else one a stage.
    """

    def __init__(
        self, stages: Sequence[Stage], device: torch.device, state: State, *,
        pool: Recorder | None = None, compiled: Callable[[CompiledForm], Sequence[Stage]], rehearsed: bool = False,
        liven: Callable[[], None] = lambda: None, ends: Ends = NO_ENDS, handover: Handover = HANDOVER,
    ) -> None:  # fmt: skip
        """`state`: all that the stages change; it is put back after every rehearsal. `pool`: where graphs are recorded;
        None where there are none. `compiled`: makes the same stages out of code that compiles itself when first run, in
        a form.
        `rehearsed`: the stages have run on this device. `liven`: gives them inputs that could show a difference.
        `ends`: run before and behind the stages, as part of their graph if `handover` says so."""
        self.names = tuple(stage.name for stage in stages)
        self._funcs = tuple(stage.func for stage in stages)
        self._device, self._state, self._pool, self._compiled = device, state, pool, compiled
        self._rehearsed, self._liven = rehearsed, liven
        self._no_graphs = None if pool is not None else graph_unavailable_reason(device)
        self._clock = StageClock(len(stages) + 1, device, kernels=handover.stamps == "kernels")
        self._graphs: dict[str, list[CUDAGraphed]] = {}
        self._ends = ends
        self._runs: dict[str, Callable[[], None]] = {"eager": self._timed("eager", self._funcs)}
        self._ranges = False
        self.handover = handover

    def name_ranges(self) -> None:
        """From now on every stage and its mode is a named range, for profilers (PyTorch's, and NVTX on a card).

        Modes that are prepared afterwards have a graph for each stage, since nothing can be named within one.
        """
        self._ranges = True

    def reasons(self) -> dict[str, str | None]:
        """For every mode None, or the sentence why this computer cannot run it."""
        return {
            "graph": self._no_graphs,
            "eager": None,
            "compiled": compile_unavailable_reason(self._device),
        }

    @property
    def prepared(self) -> tuple[str, ...]:
        """The modes that `run` accepts now."""
        return tuple(mode for mode in MODES if mode in self._runs)

    def prepare(
        self,
        mode: str,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        form: str = COMPILED,
    ) -> None:
        """Warm up, compile and capture what `mode` needs; the state is as before afterwards. `form`: of compiled code.

        EngineError with the reason if the mode cannot be had here, Cancelled if asked to stop; nothing is then kept.
        """
        if reason := self.reasons()[mode]:
            raise EngineError(reason)
        if mode in self._graphs or (mode in self._runs and (mode != "eager" or self._rehearsed)):
            return
        way = COMPILED_FORMS[form]
        funcs = tuple(stage.func for stage in self._compiled(way)) if mode == "compiled" else self._funcs
        try:
            with unchanged(self._state):
                for done, func in enumerate(funcs):
                    if cancelled is not None and cancelled():
                        raise Cancelled
                    if progress is not None:
                        progress(done, len(funcs) + 1)
                    if mode == "compiled" or not self._rehearsed:
                        self._rehearse(self.names[done], func)
                self._rehearsed = self._rehearsed or mode != "compiled"
                if mode != "eager":
                    self._runs[mode] = self._made(mode, funcs, way)
            if mode == "graph":
                self._verify()
        except BaseException:
            self.release(mode)
            raise
        if progress is not None:
            progress(len(funcs) + 1, len(funcs) + 1)

    def run(self, mode: str) -> None:
        """Enqueue the stages once (a GPU may still be at work when this returns). KeyError for a mode not prepared."""
        self._runs[mode]()

    def spans(self) -> tuple[float, ...]:
        """Milliseconds of each stage of the last run, in the order of `names`; ask after the frame's sync."""
        return self._clock.spans()

    def release(self, mode: str) -> None:
        """Forget what was prepared for `mode` and free its graphs' memory. Eager always stays."""
        if mode != "eager" and self._runs.pop(mode, None) is not None and mode == "compiled":
            forget_compiled()
        for graph in self._graphs.pop(mode, []):
            graph.reset()

    def _made(self, mode: str, funcs: Sequence[Callable[[], None]], form: CompiledForm) -> Callable[[], None]:
        if self._pool is not None and (mode == "graph" or form.captured):
            return self._captured(mode, funcs)
        return self._timed(mode, funcs, begin_frame if form.whole else None)

    def _timed(
        self, mode: str, calls: Sequence[Callable[[], None]], begin: Callable[[], None] | None = None, first: int = 0,
        *, ends: bool = True, stamped: bool = True,
    ) -> Callable[[], None]:  # fmt: skip
        """The stages from number `first` on, with their time stamps (`stamped`) and the frame's ends (`ends`)."""
        mark: Callable[[int], None] = self._clock.mark if stamped else lambda index: None
        last = first + len(calls)
        first_too, last_too = ends and first == 0, ends and last == len(self.names)

        def run() -> None:
            if begin is not None:
                begin()
            if first_too:
                self._ends.enter()
            for index, call in enumerate(calls, first):
                mark(index)
                if self._ranges:
                    with named_range(f"{mode}: {self.names[index]}", self._device):
                        call()
                else:
                    call()
            if last == len(self.names):  # else the next part begins with this stamp
                mark(last)
            if last_too:
                self._ends.leave(mode)

        return run

    def _captured(self, mode: str, funcs: Sequence[Callable[[], None]]) -> Callable[[], None]:
        made = self._graphs[mode] = []
        if self._ranges or not self._clock.inside_graphs:
            graphs = self._recorded(made, funcs)
            return self._timed(mode, graphs)
        how = self.handover
        inside = how.ends != "copies"
        starts = (0, how.apart) if 0 < how.apart < len(funcs) else (0,)

        def parts(stamped: bool) -> list[CUDAGraphed]:
            cuts = pairwise((*starts, len(funcs)))
            return self._recorded(
                made, [self._timed(mode, funcs[a:b], first=a, ends=inside, stamped=stamped) for a, b in cuts]
            )

        stamped = [parts(True)] if how.timed_every else []
        others = [] if how.timed_every == 1 else [parts(False)] * max(1, how.timed_every - 1)
        turns = cycle(stamped + others)

        def run() -> None:
            if not inside:
                self._ends.enter()
            for graph in next(turns):
                graph()
            if not inside:
                self._ends.leave(mode)

        return run

    def _recorded(self, made: list[CUDAGraphed], parts: Sequence[Callable[[], None]]) -> list[CUDAGraphed]:
        """A graph of each part; they are in `made` even if one fails."""
        graphs = [CUDAGraphed(part, pool=self._pool) for part in parts]
        made += graphs
        for graph in graphs:
            graph.prepare()
        return graphs

    def _rehearse(self, name: str, func: Callable[[], None]) -> None:
        try:
            func()
        except EngineError:
            raise
        except Exception as error:
            if out_of_memory(error) or device_lost(error):  # no fault of the stage
                raise
            first_line = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise EngineError(f"The stage “{name}” could not be built: {first_line.rstrip('.')}.") from error

    def _verify(self) -> None:
        """One eager run against one replayed from the same state; every tensor of the state must agree bit for bit.
        Where frames without time stamps have graphs of their own, these too."""
        before = self._state.snapshot()
        apart: list[str] = []
        try:
            self._liven()
            self.run("eager")
            wanted = self._state.snapshot()
            for _ in range(2 if self.handover.timed_every > 1 else 1):
                self._state.restore(before)
                self._liven()
                self.run("graph")
                now = {name: self._state[name].to(wanted[name].device) for name in wanted}
                apart += [name for name in wanted if not torch.equal(wanted[name], now[name])]
        finally:
            self._state.restore(before)
        if apart:
            log.warning("a replayed graph of %s differs from eager in %s", ", ".join(self.names), ", ".join(apart))
            raise EngineError(
                "CUDA graphs do not give the same result as eager mode on this computer, so they stay off. "
                "Use eager mode, and please report the graphics card and driver."
            )


@contextmanager
def named_range(name: str, device: torch.device) -> Iterator[None]:
    """A range on this thread's line in a profile: PyTorch's own, and on a card that of Nsight Systems."""
    with torch.profiler.record_function(name), torch.cuda.nvtx.range(name) if device.type == "cuda" else nullcontext():  # type: ignore[no-untyped-call]
        yield
