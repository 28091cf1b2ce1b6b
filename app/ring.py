"""Rings of float32 samples between two threads: one writer, one reader, no lock, nothing allocated in use.

Owns the index arithmetic and the storage. Must not know about devices, rates or the model. Each end of a ring
belongs to one thread. It works because of one rule: samples are copied first and the counter that publishes them
is assigned last, and the assignment of a Python integer is atomic. A lock would let a slow Python thread hold up a
sound callback, which is the fault that rings exist to prevent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

SAMPLE_RATE = 24000  # of everything between the resamplers: Mimi's rate
FRAME = 1920  # samples in one 80 ms frame


class SampleRing:
    """A lossless ring: a write takes what fits, a read gives what is there.

    capacity: samples per channel. channels: 1 stores [capacity], more stores [capacity, channels].
    """

    def __init__(self, capacity: int, channels: int = 1) -> None:
        assert capacity > 0
        assert channels > 0
        shape = (capacity,) if channels == 1 else (capacity, channels)
        self.capacity = capacity
        self.channels = channels
        self.written = 0  # samples ever written; assigned by the writer only
        self.consumed = 0  # samples ever read or skipped; assigned by the reader only
        self._samples = np.zeros(shape, np.float32)

    @property
    def readable(self) -> int:
        return self.written - self.consumed

    @property
    def free(self) -> int:
        return self.capacity - (self.written - self.consumed)

    def write(self, block: np.ndarray) -> int:
        """Writer's end. block [n] or [n, channels] float32. Returns how many samples fitted."""
        count = min(len(block), self.free)
        start = self.written % self.capacity
        first = min(count, self.capacity - start)
        self._samples[start : start + first] = block[:first]
        if first < count:
            self._samples[: count - first] = block[first:count]
        self.written += count
        return count

    def read_into(self, out: np.ndarray) -> int:
        """Reader's end: copies up to len(out) samples into the start of `out`, [n] or [n, channels]; returns how many.

        A one-channel ring read into [n, channels] gives every channel the same samples: one copy, no temporary.
        """
        count = self.peek_into(out)
        self.consumed += count
        return count

    def peek_into(self, out: np.ndarray) -> int:
        """Reader's end: as `read_into`, but the samples stay."""
        count = min(len(out), self.readable)
        start = self.consumed % self.capacity
        first = min(count, self.capacity - start)
        source = self._samples[:, None] if self.channels == 1 and out.ndim == 2 else self._samples
        out[:first] = source[start : start + first]
        if first < count:
            out[first:count] = source[: count - first]
        return count

    def skip(self, count: int) -> int:
        """Reader's end: forgets up to `count` samples; returns how many."""
        count = min(count, self.readable)
        self.consumed += count
        return count


class TimedFrame(NamedTuple):
    """pcm [1920] float32 at 24 kHz, a copy; time_s: when its first sample was recorded, nan when unknown; luck: samples
    by which it would have come later if its end lay at the worst place in a device's block (see `FrameRing.write`)."""

    pcm: np.ndarray
    time_s: float
    luck: int = 0


class FrameRing:
    """Re-blocks samples into whole frames, and keeps the newest: a writer that is never held up, a reader with a bound.

    The writer overwrites what is oldest, so that a reader which stalls for any time finds recent sound. The reader
    drops the oldest whole frames beyond its bound and counts them. At every moment
    `frames_in == frames_out + dropped + forgotten + frames_waiting`.
    """

    def __init__(self, frame: int = FRAME, capacity_frames: int = 32) -> None:
        self.frame = frame
        self.frames_out = 0  # taken by the reader
        self.dropped = 0  # given up by the reader
        self.forgotten = 0  # not wanted by the reader
        self._capacity = capacity_frames
        self._written = 0  # samples
        self._samples = np.zeros(frame * capacity_frames, np.float32)
        self._times = np.full(capacity_frames, math.nan)
        self._lucks = np.zeros(capacity_frames, np.int64)

    @property
    def frames_in(self) -> int:
        """Whole frames written so far."""
        return self._written // self.frame

    @property
    def frames_waiting(self) -> int:
        return self.frames_in - self._next

    @property
    def samples_waiting(self) -> int:
        """Samples that the reader has not had, the unfinished frame among them."""
        return self._written - self._next * self.frame

    @property
    def _next(self) -> int:
        return self.frames_out + self.dropped + self.forgotten

    def write(self, block: np.ndarray, time_s: float = math.nan, device_block: int = 0, held: int = 0) -> None:
        """Writer's end. block [n] float32; time_s: when its first sample was recorded.

        device_block: length of one block of the device, in samples of this ring. A frame can be taken only when the
        block with its last sample has come, so where its end lies in that block decides how long it waited, from
        nothing to a whole block; this drifts slowly, and whoever judges punctuality wants to know how lucky it was.
        held: samples of that block which came before this call and are not part of it.
        """
        done = 0
        while done < len(block):
            position = self._written % len(self._samples)
            inside = position % self.frame
            count = min(len(block) - done, self.frame - inside)
            if inside == 0:
                self._times[position // self.frame] = time_s + done / SAMPLE_RATE
            if inside + count == self.frame and device_block:
                waited = (len(block) - done - count + held) % device_block
                self._lucks[position // self.frame] = device_block - waited
            self._samples[position : position + count] = block[done : done + count]
            done += count
            self._written += count

    def forget(self) -> None:
        """Reader's end: the whole frames that wait are not wanted, and are no loss."""
        self.forgotten += self.frames_waiting

    def take(self, max_waiting: int) -> TimedFrame | None:
        """Reader's end: the next frame, or None when no whole one waits.

        max_waiting: samples. When more wait, the oldest whole frames are dropped until at least one frame's room is
        left below the bound: dropping to just below it would drop again at the very next frame.
        """
        if self.samples_waiting > max_waiting:
            keep = max(1, (max_waiting - self.frame) // self.frame)
            self.dropped += max(0, self.frames_waiting - keep)
        if self.frames_waiting < 1:
            return None
        slot = self._next % self._capacity
        pcm = self._samples[slot * self.frame : (slot + 1) * self.frame].copy()
        time_s, luck = float(self._times[slot]), int(self._lucks[slot])
        if self.samples_waiting > len(self._samples):  # the writer came round during the copy
            return self.take(max_waiting)
        self.frames_out += 1
        return TimedFrame(pcm, time_s, luck)
