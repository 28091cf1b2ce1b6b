"""What a profiler sees of the benchmark's frames: a chrome trace of some of them, and a marked section for Nsight.

Owns the recording, not the figures: it happens after the measuring, on frames of its own. Stages and modes have names
in it once the engine was told to (`Duplex.name_ranges`). The benchmark's thread; torch comes late.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from app.recording import write_whole

FRAMES = 20


def trace_path(path: Path, mode: str, precision: str) -> Path:
    """A file for each mode and precision: what.json -> what-graph-bfloat16.json."""
    return path.with_name(f"{path.stem}-{mode}-{precision}{path.suffix}")


def write_trace(engine: Any, path: Path, hear: Callable[[], np.ndarray]) -> None:
    """Some frames in the trace event format, for Perfetto or chrome://tracing. Raises UserError."""
    import torch

    kinds = [torch.profiler.ProfilerActivity.CPU]
    if engine.device.type == "cuda":
        kinds.append(torch.profiler.ProfilerActivity.CUDA)
    engine.step(hear())
    with torch.profiler.profile(activities=kinds) as profile:
        for _ in range(FRAMES):
            engine.step(hear())
    write_whole(path, lambda temporary: profile.export_chrome_trace(str(temporary)))


def mark_for_nsight(engine: Any, hear: Callable[[], np.ndarray]) -> None:
    """Some frames between the marks on which `nsys profile --capture-range=cudaProfilerApi` starts and stops."""
    import torch

    torch.cuda.synchronize(engine.device)
    torch.cuda.profiler.start()  # type: ignore[no-untyped-call]
    for _ in range(FRAMES):
        engine.step(hear())
    torch.cuda.synchronize(engine.device)
    torch.cuda.profiler.stop()  # type: ignore[no-untyped-call]
