"""Per-frame records: written by the engine thread, copied by whoever shows them.

Owns the record type and the bounded history. One writer (the engine thread); readers call `tail`, which
copies. Percentiles are the reader's work, done with the helpers below. Must not import torch or Qt.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

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


class FrameHistory:
    """The last `capacity` records (default ten minutes of frames)."""

    def __init__(self, capacity: int = 7500):
        self._records: deque[FrameRecord] = deque(maxlen=capacity)

    def append(self, record: FrameRecord) -> None:
        self._records.append(record)

    def tail(self, count: int) -> list[FrameRecord]:
        """A copy of the newest `count` records, oldest first. Safe beside the writer: deque reads retry on a change."""
        while True:
            try:
                records = list(self._records)
            except RuntimeError:  # the writer appended during the copy
                continue
            return records[-count:] if count > 0 else []

    def clear(self) -> None:
        self._records.clear()

    def __len__(self) -> int:
        return len(self._records)


def percentiles(values: Iterable[float], points: tuple[float, ...] = (50, 95, 99)) -> tuple[float, ...]:
    """Percentiles of the values, nan where there are none."""
    array = np.fromiter(values, dtype=np.float64)
    if array.size == 0:
        return tuple(float("nan") for _ in points)
    return tuple(float(p) for p in np.percentile(array, points))
