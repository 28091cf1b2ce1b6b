"""Whether a mode that took minutes to build is worth it here: a few frames in it and in the usual one, side by side.

Owns the comparison and its sentence. The talk is afterwards as before. Engine thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

import numpy as np

from app.engine_room import Engine

FRAMES = 12
LIMIT_MS = 1000.0  # in each mode: where frames take seconds a few say enough
WORTH = 0.98  # of the usual mode's time: less of a gain is none
_SILENCE = np.zeros(1920, np.float32)


def no_gain(engine: Engine, built: str, usual: str, clock: Callable[[], int]) -> str:
    """A sentence with the two numbers where the mode `built` is no faster than `usual`, else "". Both are prepared; the
    engine is afterwards in `built`."""
    saved = engine.snapshot()
    try:
        costs = {mode: _frame_ms(engine, mode, clock) for mode in (usual, built)}
    finally:
        engine.restore(saved)
        engine.set_mode(built)
    if costs[built] < WORTH * costs[usual]:
        return ""
    return (
        f"The {built} mode brings nothing over {usual} on this computer: a frame takes {costs[built]:.1f} ms, against "
        f"{costs[usual]:.1f} ms."
    )


def _frame_ms(engine: Engine, mode: str, clock: Callable[[], int]) -> float:
    engine.set_mode(mode)
    costs: list[float] = []
    while len(costs) < FRAMES and sum(costs) < LIMIT_MS:
        began = clock()
        engine.step(_SILENCE)
        costs.append((clock() - began) / 1e6)
    return median(costs[len(costs) // 2 :])  # the first ones still pay for caches and clocks
