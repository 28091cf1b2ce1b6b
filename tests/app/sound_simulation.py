"""A talk's sound in virtual time: two device clocks, an engine with a given cost, the real lag and playback policies.

Numbers only, no samples are computed, so that half an hour takes about a second.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from app.playback import PlaybackPolicy
from app.ring import FRAME, SAMPLE_RATE, FrameRing

MAX_WAITING = 5760
CAPTURE, PLAY, TICK, DONE = range(4)


@dataclass
class Simulation:
    """cost_ms: what the engine needs for the frame that it takes at a time (seconds). ppm: how much faster than
    nominal a device's clock runs. block_ms: of both devices; tick_ms: of the audio thread."""

    cost_ms: Callable[[float], float] = lambda now: 30.0
    capture_ppm: float = 0.0
    play_ppm: float = 0.0
    block_ms: float = 10.0
    tick_ms: float = 10.0
    policy: PlaybackPolicy = field(default_factory=PlaybackPolicy)

    def __post_init__(self) -> None:
        self.frames = FrameRing()
        self.waiting = 0  # answer samples not handed over
        self.ahead = 0  # samples in the device's ring
        self.underruns = 0  # callbacks that found too little while answers played
        self.silent_samples = 0
        self.drops: list[tuple[float, int]] = []
        self.gap_times: list[float] = []
        self.latencies: list[tuple[float, float]] = []  # (s, ms from the microphone to the ear), one per answer
        self.queues: list[tuple[float, float]] = []  # (s, ms of answers that wait), one per tick
        self.margins: list[tuple[float, float]] = []
        self._handed = 0.0  # microphone samples made, with fractions
        self._played_at = 0.0  # time of the last output callback
        self._heard_s = 0.0  # when the frame in work was recorded
        self._luck = 0
        self._busy = False
        self._now = 0.0
        self._events: list[tuple[float, int]] = []
        for kind, period in ((CAPTURE, self._capture_period), (PLAY, self._play_period), (TICK, self.tick_ms / 1e3)):
            heapq.heappush(self._events, (period, kind))

    @property
    def _capture_period(self) -> float:
        return self.block_ms / 1e3 / (1 + self.capture_ppm * 1e-6)

    @property
    def _play_period(self) -> float:
        return self.block_ms / 1e3 / (1 + self.play_ppm * 1e-6)

    def run(self, until_s: float) -> None:
        while self._now < until_s:
            self._now, kind = heapq.heappop(self._events)
            if kind == CAPTURE:
                self._capture()
            elif kind == PLAY:
                self._play()
            elif kind == TICK:
                self._tick()
            else:
                self._busy = False
                self._answer()
            self._take_frame()

    def between(self, series: list[tuple[float, float]], start_s: float, end_s: float) -> np.ndarray:
        """The values of a series in a stretch of time."""
        return np.array([value for time_s, value in series if start_s <= time_s < end_s])

    def _again(self, delay_s: float, kind: int) -> None:
        heapq.heappush(self._events, (self._now + delay_s, kind))

    def _capture(self) -> None:
        before = int(self._handed)
        self._handed += self.block_ms / 1e3 * SAMPLE_RATE * (1 + self.policy.rate_correction)
        block = np.broadcast_to(np.float32(0), int(self._handed) - before)
        self.frames.write(block, self._now - self.block_ms / 1e3, round(self.block_ms / 1e3 * SAMPLE_RATE))
        self._again(self._capture_period, CAPTURE)

    def _take_frame(self) -> None:
        if not self._busy and (frame := self.frames.take(MAX_WAITING)) is not None:
            self._busy = True
            self._heard_s, self._luck = frame.time_s, frame.luck
            self._again(self.cost_ms(self._now) / 1e3, DONE)

    def _answer(self) -> None:
        level = self.waiting + self.ahead - self._since()
        self.policy.arrived(level, self._luck)
        if self.policy.playing:
            self.latencies.append((self._now, (self._now - self._heard_s + level / SAMPLE_RATE) * 1e3))
        self.waiting += FRAME

    def _since(self) -> int:
        return round((self._now - self._played_at) * SAMPLE_RATE)

    def _tick(self) -> None:
        gaps = self.policy.gaps
        quiet = 2400 if self.policy.wants_quiet else 0
        move = self.policy.step(self._now, self.waiting, self.ahead, self._since(), quiet)
        if move.drop:
            self.drops.append((self._now, move.drop))
        if self.policy.gaps > gaps:
            self.gap_times.append(self._now)
        self.waiting -= move.drop + move.take
        self.ahead += move.silence + move.take
        assert self.waiting >= 0
        self.queues.append((self._now, (self.waiting + self.ahead) / SAMPLE_RATE * 1e3))
        self.margins.append((self._now, self.policy.margin_ms))
        self._again(self.tick_ms / 1e3, TICK)

    def _play(self) -> None:
        block = round(self.block_ms / 1e3 * SAMPLE_RATE)
        if self.ahead < block:
            self.silent_samples += block - self.ahead
            if self.policy.playing:
                self.underruns += 1
                self.policy.starved(self._now)
        self.ahead = max(0, self.ahead - block)
        self._played_at = self._now
        self._again(self._play_period, PLAY)
