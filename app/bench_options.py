"""What `parley bench` was asked to measure. Owns one frozen record; built by the command line, read by the benchmark.

Must not import torch: the command line's help needs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.messages import MODES

RANDOM_MODELS = ("random:7b", "random:tiny")
# The program's own form of compiled code is "compiled"; these are other ways to compile, to be measured beside it.
OTHER_COMPILED = ("compiled-plain", "compiled-cudagraphs", "compiled-max-autotune")
BENCH_MODES = (*MODES, *OTHER_COMPILED)


@dataclass(frozen=True)
class BenchOptions:
    """What to measure. The command line has checked every value."""

    model: str = "mini"  # as in the settings, or one of RANDOM_MODELS
    modes: tuple[str, ...] = ()  # of BENCH_MODES; () = MODES, as far as this computer can
    precisions: tuple[str, ...] = ("auto",)
    context_fill: float = 0.5  # part of the context that the talk already fills, 0 to 1
    frames: int = 250
    paced: bool = True
    json: Path | None = None
    device: str = "auto"
    threads: int = 0
    kv: str = "full"  # what past frames are kept in
    trace: Path | None = None  # a chrome trace; mode and precision are put into its name
    nsight: bool = False  # mark some frames for Nsight Systems, each stage a named range

    @property
    def profiled(self) -> bool:
        """Whether stages have names, which costs a little and a graph for each stage."""
        return self.nsight or self.trace is not None
