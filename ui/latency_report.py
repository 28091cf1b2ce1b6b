"""What each mode cost in a talk, stage by stage.

Owns the collecting of frame records by mode, the first frame after each switch kept apart, and the percentiles over
all of them. Only new records are looked at, so that it stays cheap however long a talk lasts. No Qt; one thread.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.messages import MODES
from app.telemetry import FrameRecord
from ui.figures import COST_STAGES

ROWS = (*COST_STAGES, "total")
POINTS = (50.0, 95.0, 99.0, 100.0)
POINT_NAMES = ("p50", "p95", "p99", "max")


@dataclass(frozen=True)
class ModeReport:
    """One mode's cost. stages: for each of ROWS the milliseconds at POINTS, without the first frames; firsts: total of
    the first frame after each switch to the mode, milliseconds; gaps, skipped, silenced: those of this mode."""

    mode: str
    frames: int
    stages: dict[str, tuple[float, ...]]
    firsts: tuple[float, ...]
    late: int
    gaps: int
    skipped: int
    silenced: int

    @property
    def first(self) -> float:
        """The dearest first frame; nan when there was none."""
        return max(self.firsts, default=float("nan"))


@dataclass
class _Mode:
    values: dict[str, array[float]] = field(default_factory=lambda: {row: array("d") for row in ROWS})
    firsts: list[float] = field(default_factory=list)
    frames: int = 0
    late: int = 0
    gaps: int = 0
    skipped: int = 0
    silenced: int = 0


class TalkCosts:
    """Collects the records of one talk; a record of another talk begins anew."""

    def __init__(self) -> None:
        self._modes: dict[str, _Mode] = {}
        self._last: FrameRecord | None = None

    def take(self, records: Sequence[FrameRecord]) -> bool:
        """Take in those of the records, oldest first, that are new. Returns whether there was one."""
        last = self._last
        if records and last is not None and records[-1].number < last.number:
            self._modes, self._last, last = {}, None, None
        fresh = [record for record in records if last is None or record.clock_ns > last.clock_ns]
        for record in fresh:
            self._add(record)
        return bool(fresh)

    def reports(self) -> dict[str, ModeReport]:
        """A report for each mode that was used."""
        return {mode: _report(mode, self._modes[mode]) for mode in MODES if mode in self._modes}

    def _add(self, record: FrameRecord) -> None:
        before, self._last = self._last, record
        mode = self._modes.setdefault(record.mode, _Mode())
        mode.frames += 1
        mode.late += record.late
        if before is not None:
            mode.gaps += max(0, record.gaps - before.gaps)
            mode.skipped += max(0, record.skipped - before.skipped)
            mode.silenced += max(0, record.silenced - before.silenced)
        if before is None or before.mode != record.mode:
            mode.firsts.append(record.total)
            return
        for row, values in mode.values.items():
            values.append(getattr(record, row))


def _report(name: str, mode: _Mode) -> ModeReport:
    stages = {}
    for row, values in mode.values.items():
        found = np.percentile(np.frombuffer(values), POINTS) if values else np.full(len(POINTS), np.nan)
        stages[row] = tuple(float(value) for value in found)
    counts = (mode.late, mode.gaps, mode.skipped, mode.silenced)
    return ModeReport(name, mode.frames, stages, tuple(mode.firsts), *counts)
