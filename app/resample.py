"""Streaming change of sample rate with exact sample counts, and the mixing of channels to one.

Owns the wrapping of `samplerate` (libsamplerate, sinc_medium: flat 2 ms of delay, -116 dB of aliasing). Must not
know about devices or threads; an object belongs to the thread that calls it. soxr lost because its default quality
delivers in bursts of up to 39 ms, which a live talk would hear as latency.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CONVERTER = "sinc_medium"
_FLUSH_BLOCK = 512  # zeros fed per round while flushing; the filter reaches 46 samples of the lower rate


class StreamResampler:
    """One channel from `source_hz` to `target_hz`, block by block.

    The first sample out belongs to the first sample in (the filter's delay shows only as samples still owed), so
    positions map by the ratio alone. After `flush`, exactly round(samples in * ratio) samples have come out.
    """

    def __init__(self, source_hz: float, target_hz: float) -> None:
        assert source_hz > 0
        assert target_hz > 0
        self.source_hz = source_hz
        self.target_hz = target_hz
        self.produced = 0  # samples out
        self._ratio = target_hz / source_hz
        self._due = 0.0  # samples that the input so far is worth
        self._converter = _new_converter()

    @property
    def owed(self) -> float:
        """Samples that the input so far is worth and that have not come out: the filter's delay."""
        return self._due - self.produced

    def process(self, block: np.ndarray, correction: float = 0.0) -> np.ndarray:
        """block [n] float32 -> [about n * ratio] float32, what is ready.

        correction: relative change of the ratio for this block (1e-4 = 100 ppm more samples), to follow the drift of
        a clock; the converter glides to it within the block, so nothing clicks.
        """
        ratio = self._ratio * (1.0 + correction)
        out = np.asarray(self._converter.process(block, ratio, end_of_input=False), np.float32)
        self._due += len(block) * ratio
        self.produced += len(out)
        return out

    def flush(self) -> np.ndarray:
        """The samples still owed. The resampler then starts anew."""
        owed = round(self._due) - self.produced
        parts: list[np.ndarray] = []
        while owed > 0:
            silence = np.zeros(_FLUSH_BLOCK, np.float32)
            part = np.asarray(self._converter.process(silence, self._ratio, end_of_input=False), np.float32)[:owed]
            parts.append(part)
            owed -= len(part)
        self.reset()
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def reset(self) -> None:
        """Forgets the past: the next block starts a new signal."""
        self._converter = _new_converter()
        self._due = 0.0
        self.produced = 0


def resample(signal: np.ndarray, source_hz: float, target_hz: float) -> np.ndarray:
    """A whole signal at once: [n] float32 -> [round(n * target_hz / source_hz)] float32."""
    signal = np.ascontiguousarray(signal, np.float32)
    if source_hz == target_hz:
        return signal.copy()
    resampler = StreamResampler(source_hz, target_hz)
    body = resampler.process(signal)
    return np.concatenate([body, resampler.flush()])[: round(len(signal) * target_hz / source_hz)]


def mix_down(block: np.ndarray) -> np.ndarray:
    """[n] or [n, channels] of any float or integer kind -> [n] float32: the mean of the channels."""
    if block.ndim == 1:
        return np.asarray(block, np.float32)
    if block.shape[1] == 1:
        return np.ascontiguousarray(block[:, 0], np.float32)
    channels = block.shape[1]
    with np.errstate(invalid="ignore"):  # infinities that cancel out: whoever called looks for what is no number
        return block.astype(np.float32, copy=False) @ np.full(channels, 1 / channels, np.float32)


def _new_converter() -> Any:
    import samplerate  # late: only what plays or records needs it

    return samplerate.Resampler(CONVERTER, channels=1)
