"""What the loudspeaker plays, as the microphone's clock sees it.

Owns the record of the samples that the output callback was handed and the reading of it at the moments of the
microphone's samples. Must not know what is done with it. Called by the audio thread only.

The two streams have rates and clocks of their own, and the microphone is resampled with a ratio that follows the
drift of the clocks. So the record stays at the loudspeaker's rate, and each block of 10 ms is read at exactly the
moments at which the microphone's 240 samples were recorded, by a windowed sinc. A second resampler beside the
microphone's lost: two that glide apart by half a sample cost the canceller 10 dB.
"""

from __future__ import annotations

import math
from collections import deque
from statistics import median

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from app.echo_filter import HOP
from app.ring import SAMPLE_RATE
from app.streams import COUNT, FRAMES, POSITION, TOTAL

RECORD = 1 << 17  # samples kept at the loudspeaker's rate: 0.7 s even at 192 kHz
HALF_WIDTH = 16  # zero crossings of the sinc on either side
PHASES = 256  # of the interpolation table; the nearest one is taken
PASS = 0.96  # of the lower band limit
LEAD_S = 0.010  # the reference runs ahead by this, so that converter times may be wrong by as much
CHECK_HOPS = 100  # a second: alignment is judged by the median of so many
OFF_S = 0.030  # an alignment further off than this for a second was lost
OFF_AFTER_LOSS_S = 0.003  # the same after a callback that came so late that sound was lost
CHECK_HOPS_AFTER_LOSS = 30


class Reference:
    """rate: of the loudspeaker, Hz."""

    def __init__(self, rate: float) -> None:
        self.offset_s = 0.0  # added to the converters' times when an echo was found elsewhere; see `shift`
        self.drift = 0.0  # by how much faster than it says the loudspeaker's clock runs, against the microphone's
        self._rate = rate
        self._handed = np.zeros(RECORD, np.float32)  # by position in the loudspeaker's ring
        self._handed_end = 0
        self._played = np.zeros(RECORD, np.float32)  # by the number of the sample in the stream
        self._played_end = 0
        self._ring_end = 0  # position in the ring that follows the last sample played
        self._last: tuple[int, float] | None = None  # (number of a sample, when it passes the converter)
        self._position = math.nan  # in the stream, of the next block's first sample
        self._errors: deque[float] = deque(maxlen=CHECK_HOPS)
        self._suspicious = False
        self._usual = 0.0  # by how much what is wanted differs from what is, while all is well: times are not exact
        self._table, self._reach = _interpolation_table(rate)

    def handed(self, position: int, block: np.ndarray) -> None:
        """`block` [n] float32 was written into the loudspeaker's ring at `position`."""
        _put(self._handed, position, block)
        self._handed_end = position + len(block)

    def played(self, row: np.ndarray, converter_s: float) -> bool:
        """A callback's note and when its first sample passes the converter. False: callbacks in between were lost."""
        total, frames, count = int(row[TOTAL]), int(row[FRAMES]), int(row[COUNT])
        block = np.zeros(frames, np.float32)
        block[:count] = _get(self._handed, int(row[POSITION]), count)
        whole = self._last is None or total == self._played_end
        _put(self._played, total, block)
        self._played_end = total + frames
        self._ring_end = int(row[POSITION]) + count
        self._last = (total, converter_s)
        return whole

    def lost_sound(self) -> None:
        """A callback came so late that sound was lost: times are worth looking at now."""
        self._suspicious = True
        self._errors.clear()

    def shift(self, seconds: float) -> None:
        """The echo was found `seconds` later than the reference expects it: read the reference later by that."""
        self.offset_s -= seconds
        self._position = math.nan

    def move(self, samples: float) -> None:
        """The echo comes `samples` (24 kHz) later than it did: read the reference earlier by that from now on."""
        self._position -= samples * self._rate / SAMPLE_RATE
        self.offset_s -= samples / SAMPLE_RATE
        self._errors.clear()

    def past(self, count: int) -> np.ndarray:
        """The `count` blocks before the last one, as they would be with the present alignment, [count, 240]."""
        step = self._rate / SAMPLE_RATE * (1.0 + self.drift)
        starts = [self._position - (count + 1 - index) * HOP * step for index in range(count)]
        return np.stack([self._read(start, step) for start in starts])

    def next_block(self, recorded_s: float, correction: float) -> tuple[np.ndarray, bool]:
        """The reference for the microphone's next 240 samples, [240] float32, and whether it continues the last block.

        recorded_s: when the first of them was recorded; correction: of the ratio that made them (see StreamResampler).
        """
        if self._last is None:
            return np.zeros(HOP, np.float32), True
        continues = self._align(recorded_s)
        step = self._rate / SAMPLE_RATE * (1.0 + self.drift) / (1.0 + correction)
        block = self._read(self._position, step)
        self._position += HOP * step
        return block, continues

    def _align(self, recorded_s: float) -> bool:
        assert self._last is not None
        number, converter_s = self._last
        wanted = number + (recorded_s + LEAD_S + self.offset_s - converter_s) * self._rate
        if math.isnan(self._position):
            self._place(wanted)
            return False
        self._errors.append(wanted - self._position)
        hops, limit_s = (CHECK_HOPS_AFTER_LOSS, OFF_AFTER_LOSS_S) if self._suspicious else (CHECK_HOPS, OFF_S)
        if len(self._errors) < hops:
            return True
        off = median(self._errors)
        if self._suspicious:
            off -= self._usual
        if abs(off) <= limit_s * self._rate:
            self._usual = self._usual if self._suspicious else off
            self._suspicious = False
            self._errors.clear()
            return True
        self._place(self._position + off)
        return False

    def _place(self, wanted: float) -> None:
        """Nothing that is not yet handed to the loudspeaker can have been heard: a driver that says so is wrong."""
        latest = self._played_end - HOP * self._rate / SAMPLE_RATE
        self._position = min(wanted, latest)
        self.offset_s += (self._position - wanted) / self._rate
        self._usual, self._suspicious = 0.0, False
        self._errors.clear()

    def _read(self, position: float, step: float) -> np.ndarray:
        """240 samples, `step` apart, from `position` on."""
        first = math.floor(position) - self._reach + 1
        places = position - first + step * np.arange(HOP)
        whole = places.astype(np.int64)
        phases = ((places - whole) * PHASES).astype(np.int64)
        source = self._samples(first, int(whole[-1]) + self._reach + 1)
        if not source.any():
            return np.zeros(HOP, np.float32)
        windows = sliding_window_view(source, 2 * self._reach)[whole - self._reach + 1]
        return np.einsum("nt,nt->n", windows, self._table[phases])

    def _samples(self, first: int, count: int) -> np.ndarray:
        """From the stream; beyond its end what the next callbacks will find in the ring."""
        out = np.zeros(count, np.float32)
        known = min(max(self._played_end - first, 0), count)
        oldest = max(0, self._played_end - RECORD) - first  # what came before the stream, or is forgotten, is silence
        start = min(max(oldest, 0), known)
        out[start:known] = _get(self._played, first + start, known - start)
        ahead = self._ring_end + first + known - self._played_end
        more = min(count - known, self._handed_end - ahead)
        if more > 0 and ahead >= 0:
            out[known : known + more] = _get(self._handed, ahead, more)
        return out


def _interpolation_table(rate: float) -> tuple[np.ndarray, int]:
    """[phases, 2 * reach] float32: row i weighs the samples around a place that lies i / phases after the one at
    `reach - 1`. Above the lower of the two band limits nothing passes."""
    limit = PASS * min(1.0, SAMPLE_RATE / rate)
    reach = math.ceil(HALF_WIDTH / limit)
    distance = np.arange(2 * reach)[None, :] - (reach - 1) - (np.arange(PHASES)[:, None] + 0.5) / PHASES
    window = np.cos(np.pi / 2 * np.clip(distance / reach, -1, 1)) ** 2
    return (limit * np.sinc(limit * distance) * window).astype(np.float32), reach


def _put(record: np.ndarray, position: int, block: np.ndarray) -> None:
    start = position % len(record)
    first = min(len(block), len(record) - start)
    record[start : start + first] = block[:first]
    record[: len(block) - first] = block[first:]


def _get(record: np.ndarray, position: int, count: int) -> np.ndarray:
    start = position % len(record)
    if start + count <= len(record):
        return record[start : start + count]
    return np.concatenate([record[start:], record[: start + count - len(record)]])
