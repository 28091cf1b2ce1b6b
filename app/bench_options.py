"""What `parley bench` was asked to measure. Owns one frozen record; built by the command line, read by the benchmark.

Must not import torch: the command line's help needs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

RANDOM_MODELS = ("random:7b", "random:tiny")


@dataclass(frozen=True)
class BenchOptions:
    """What to measure. The command line has checked every value."""

    model: str = "mini"  # as in the settings, or one of RANDOM_MODELS
    modes: tuple[str, ...] = ()  # () = all that this computer can do
    precisions: tuple[str, ...] = ("auto",)
    context_fill: float = 0.5  # part of the context that the talk already fills, 0 to 1
    frames: int = 250
    paced: bool = True
    json: Path | None = None
    device: str = "auto"
    threads: int = 0
    kv: str = "full"  # what past frames are kept in
