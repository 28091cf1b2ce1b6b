"""What a profiler sees of the benchmark's frames: a chrome trace of some of them, and a marked section for Nsight.

Owns the recording, not the figures: it happens after the measuring, on frames of its own. Stages and modes have names
in it once the engine was told to (`Duplex.name_ranges`). The benchmark's thread; torch comes late.
"""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from app.recording import write_whole

FRAMES = 20


def trace_path(path: Path, mode: str, precision: str) -> Path:
    """A file for each mode and precision: what.json.gz -> what-graph-bfloat16.json.gz."""
    ending = "".join(path.suffixes[-2:]) if _compressed(path) else path.suffix
    return path.with_name(f"{path.name.removesuffix(ending)}-{mode}-{precision}{ending}")


def write_trace(engine: Any, path: Path, hear: Callable[[], np.ndarray]) -> None:
    """Some frames in the trace event format, for Perfetto or chrome://tracing; compressed where the name ends in .gz,
    which both can read. Raises UserError."""
    import torch

    kinds = [torch.profiler.ProfilerActivity.CPU]
    if engine.device.type == "cuda":
        kinds.append(torch.profiler.ProfilerActivity.CUDA)
    engine.step(hear())
    with torch.profiler.profile(activities=kinds) as profile:
        for _ in range(FRAMES):
            engine.step(hear())
    write_whole(path, lambda temporary: _export(profile, temporary, _compressed(path)))


def _compressed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _export(profile: Any, target: Path, compressed: bool) -> None:
    """PyTorch compresses by the file's name, which is a temporary one here."""
    if not compressed:
        profile.export_chrome_trace(str(target))
        return
    plain = target.with_name(f"{target.name}.json")
    try:
        profile.export_chrome_trace(str(plain))
        with plain.open("rb") as source, gzip.open(target, "wb") as packed:
            shutil.copyfileobj(source, packed)
    finally:
        plain.unlink(missing_ok=True)


def mark_for_nsight(engine: Any, hear: Callable[[], np.ndarray]) -> None:
    """Some frames between the marks on which `nsys profile --capture-range=cudaProfilerApi` starts and stops."""
    import torch

    torch.cuda.synchronize(engine.device)
    torch.cuda.profiler.start()  # type: ignore[no-untyped-call]
    for _ in range(FRAMES):
        engine.step(hear())
    torch.cuda.synchronize(engine.device)
    torch.cuda.profiler.stop()  # type: ignore[no-untyped-call]
