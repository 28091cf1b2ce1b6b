"""The outer ends of the rings: what the sound callbacks do, and what can be learned from their clocks.

Owns the two callbacks, which copy once and write down their clocks, and the reading of those notes by the audio
thread: when a sample passed the converter, lateness, the true rate, silence of the driver. Callbacks run on threads of
PortAudio that hold up the sound of the whole computer, so nothing in them may allocate arrays, lock, log, raise or
compute. The rest of this module is called by the audio thread only.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from app.ring import SampleRing

RING_S = 1.0  # of either device ring: far more than is ever in it, so that a held-up audio thread loses nothing
# Columns of the callbacks' notes.
NOW, DEVICE_NOW, CONVERTER, POSITION, COUNT, FRAMES, TOTAL = range(7)

PLAUSIBLE_S = 1.0  # a converter time further away than this from the driver's own "now" is no converter time
LOST_S = 0.05  # a callback later than two blocks and this has lost sound
LEAK = 1e-3  # per second: how fast the schedule that lateness is measured against may move, for clocks that drift
SILENT_S = 0.5  # no callback for so long is suspicious
RATE_WINDOW_S = 1.0
RATE_SETTLE_S = 0.5  # the first callbacks of a stream come in bursts
GROSS, SLIGHT, SLIGHT_WINDOWS = 0.25, 0.06, 3  # a rate off by a quarter is wrong at once, off by 6 % after 3 s
EVEN = 0.3  # spread of callback intervals over their mean: an overloaded computer also gives fewer callbacks, unevenly


class CallbackNotes:
    """What the last 256 callbacks wrote down: rows of seven float64, one writer, one reader."""

    def __init__(self, rows: int = 256) -> None:
        self.count = 0  # callbacks so far; assigned last, which publishes the row
        self._rows = np.zeros((rows, 7))

    def add(self, *row: float) -> None:
        self._rows[self.count % len(self._rows)] = row
        self.count += 1

    def between(self, count: int, newest: int) -> np.ndarray:
        """Copies of the rows from number `count` up to `newest`, [n, 7], oldest first, at most what is kept."""
        first = max(count, newest - len(self._rows) + 1)
        return self._rows[np.arange(first, newest) % len(self._rows)]


class CaptureEnd:
    """The microphone's ring with the callback that fills it. clock: seconds."""

    def __init__(self, rate: float, channels: int, clock: Callable[[], float]) -> None:
        self.ring = SampleRing(round(rate * RING_S), channels)
        self.notes = CallbackNotes()
        self._clock = clock
        self._total = 0
        self._single = channels == 1

    def callback(self, block: np.ndarray, frames: int, time: Any, status: Any) -> None:
        now = self._clock()
        position = self.ring.written
        count = self.ring.write(block[:, 0] if self._single else block)
        self.notes.add(now, time.currentTime, time.inputBufferAdcTime, position, count, frames, self._total)
        self._total += frames


class PlayEnd:
    """The loudspeaker's ring with the callback that empties it; what is missing is silence. clock: seconds."""

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        self.ring = SampleRing(round(rate * RING_S))
        self.notes = CallbackNotes()
        self._clock = clock
        self._total = 0

    def callback(self, block: np.ndarray, frames: int, time: Any, status: Any) -> None:
        now = self._clock()
        position = self.ring.consumed
        count = self.ring.read_into(block)
        if count < frames:
            block[count:] = 0.0
        self.notes.add(now, time.currentTime, time.outputBufferDacTime, position, count, frames, self._total)
        self._total += frames


class StreamWatch:
    """One stream's clocks, read from its notes on the audio thread.

    rate: Hz as opened. latency_s: what PortAudio says of the stream, for drivers whose converter times are nonsense.
    sign: -1 for the microphone (converted before the callback), +1 for the loudspeaker (after it).
    """

    def __init__(self, notes: CallbackNotes, rate: float, latency_s: float, sign: int, now_s: float) -> None:
        self.rate = rate
        self.late_callbacks = 0
        self.late_ms = 0.0  # worst lateness seen by the last `update`
        self.measured_rate: float | None = None  # set once it is certain that `rate` is not what the device runs at
        self._notes = notes
        self._latency_s = latency_s
        self._sign = sign
        self._seen = 0
        self._last_s = now_s  # the last callback, or the opening
        self._shift_s = math.nan  # our clock minus the driver's
        self._schedule_s = math.nan  # where callback times minus sample times lie when nothing is late
        self._intervals: list[float] = []
        self._window_frames, self._windows_off = 0.0, 0
        self._settled_s = now_s + RATE_SETTLE_S

    def update(self) -> np.ndarray:
        """Reads the notes that are new since the last call, [n, 7], and brings everything up to date."""
        newest = self._notes.count  # asked once: a callback may come at any moment
        rows = self._notes.between(self._seen, newest)
        self._seen = newest
        self.late_ms = 0.0
        for row in rows.tolist():
            self._measure_rate(row)
            self._measure_lateness(row)
            self._last_s = row[NOW]
        return rows

    def silent_s(self, now_s: float) -> float:
        """Seconds since the last callback."""
        return max(0.0, now_s - self._last_s)

    def converter_s(self, row: np.ndarray, position: float) -> float:
        """When the sample at `position` of the ring passed the converter, in seconds of our clock."""
        start = row[CONVERTER] - row[DEVICE_NOW]  # of the block's first sample, from the callback on
        if not (row[DEVICE_NOW] > 0 and row[CONVERTER] > 0 and -0.001 <= self._sign * start < PLAUSIBLE_S):
            delay = max(self._latency_s, row[FRAMES] / self.rate if self._sign < 0 else 0.0)
            return float(row[NOW] + self._sign * delay + (position - row[POSITION]) / self.rate)
        return float(row[CONVERTER] + self._clock_shift(row) + (position - row[POSITION]) / self.rate)

    def _clock_shift(self, row: np.ndarray) -> float:
        """Our clock minus the driver's: the least of what was seen, since being held up only ever adds to it."""
        shift = row[NOW] - row[DEVICE_NOW]
        if not abs(shift - self._shift_s) < PLAUSIBLE_S:  # the first, or the driver's clock jumped
            self._shift_s = shift
        self._shift_s = float(min(shift, self._shift_s + LEAK * row[FRAMES] / self.rate))
        return self._shift_s

    def _measure_lateness(self, row: list[float]) -> None:
        offset = row[NOW] - row[TOTAL] / self.rate
        if math.isnan(self._schedule_s):
            self._schedule_s = offset
        self._schedule_s = min(offset, self._schedule_s + LEAK * row[FRAMES] / self.rate)
        late_s = offset - self._schedule_s
        self.late_ms = max(self.late_ms, late_s * 1e3)
        if late_s > 2 * row[FRAMES] / self.rate + LOST_S:
            self.late_callbacks += 1
            self._schedule_s = offset  # what was lost is lost: from here on anew

    def _measure_rate(self, row: list[float]) -> None:
        interval = row[NOW] - self._last_s
        if row[NOW] < self._settled_s or interval > SILENT_S / 2 or row[TOTAL] == 0:
            return
        self._intervals.append(interval)
        self._window_frames += row[FRAMES]
        length = sum(self._intervals)
        if length < RATE_WINDOW_S:
            return
        even = statistics.pstdev(self._intervals) < EVEN * length / len(self._intervals)
        measured = self._window_frames / length
        off = abs(measured / self.rate - 1) if even else 0.0
        self._windows_off = self._windows_off + 1 if off > SLIGHT else 0
        if off > GROSS or self._windows_off >= SLIGHT_WINDOWS:
            self.measured_rate = measured
        self._intervals, self._window_frames = [], 0.0
