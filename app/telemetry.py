"""Per-frame records: written by the engine thread, copied by whoever shows them.

Owns the record type and the bounded history. One writer (the engine thread); readers call `tail`, which
copies. Percentiles are the reader's work, done with the helpers below. Must not import torch or Qt.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, get_type_hints

import numpy as np

FRAME_MS = 80.0
STAGES = ("wait", "encode", "temporal", "depth", "decode", "host")


class FrameRecord(NamedTuple):
    """What one 80 ms frame cost and how the sound around it stood. Times in milliseconds, levels in dBFS."""

    number: int  # of the frame in the talk, from 0
    clock_ns: int  # perf_counter_ns when the frame was done
    mode: str
    wait: float  # blocked for the next microphone frame (not part of the cost)
    encode: float
    temporal: float
    depth: float
    decode: float
    host: float  # total minus the four stages: copies, Python, sync
    total: float  # microphone frame in hand -> answer frame in hand
    queued_ms: float  # microphone audio still waiting when this frame was taken
    mic_to_speaker_ms: float  # measured from ADC and DAC times; nan when unknown
    skipped: int  # microphone frames dropped so far in this talk
    gaps: int  # gaps heard at the loudspeaker so far in this talk
    late: bool  # total > 80 ms
    input_dbfs: float
    output_dbfs: float
    callback_late_ms: float = 0.0  # worst lateness of a sound callback since the last record
    echo_removed_db: float = math.nan  # by how much the loudspeaker's echo became weaker; nan while there is none
    gain_db: float = 0.0  # of the automatic gain
    hearing: bool = True  # False: the model was given silence (muted, or the talk key was not held)
    silenced: int = 0  # answer frames without numbers, replaced by silence so far in this talk


_KINDS = {int: np.int64, float: np.float64, bool: np.bool_, str: np.dtype("U8")}  # str: a mode's name
_ROW = np.dtype([(name, _KINDS[kind]) for name, kind in get_type_hints(FrameRecord).items()])


class FrameHistory:
    """The last `capacity` records (default ten minutes of frames).

    They are rows of one array, whose memory is taken at the beginning: as objects they would grow for ten minutes.
    """

    def __init__(self, capacity: int = 7500):
        blank = np.zeros((), _ROW)
        self._rows = np.full(capacity + 1, blank)  # the one row more is being written while the others are read
        self._written = 0  # since the beginning; record n is in row n modulo their number
        self._first = 0  # record of the talk, as long as it is kept

    def append(self, record: FrameRecord) -> None:
        """The writer's alone, and microseconds: it is on the engine thread's way."""
        self._rows[self._written % self._rows.size] = record
        self._written += 1

    def tail(self, count: int) -> list[FrameRecord]:
        """A copy of the newest `count` records, oldest first. Safe beside the writer."""
        end = self._written
        begin = max(self._oldest(end), end - max(0, count))
        rows = self._rows[np.arange(begin, end) % self._rows.size]
        overwritten = max(0, self._oldest(self._written) - begin)  # by a writer that came round during the copy
        return list(map(FrameRecord._make, rows[overwritten:].tolist()))

    def clear(self) -> None:
        """The writer's alone."""
        self._first = self._written

    def __len__(self) -> int:
        end = self._written
        return max(0, end - self._oldest(end))

    def _oldest(self, written: int) -> int:
        return max(self._first, written - self._rows.size + 1)


def percentiles(values: Iterable[float], points: tuple[float, ...] = (50, 95, 99)) -> tuple[float, ...]:
    """Percentiles of the values, nan where there are none."""
    array = np.fromiter(values, dtype=np.float64)
    if array.size == 0:
        return tuple(float("nan") for _ in points)
    return tuple(float(p) for p in np.percentile(array, points))
