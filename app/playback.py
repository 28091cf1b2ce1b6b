"""When answers sound: the margin in hand, gaps, and how latency is kept from growing.

Owns the playback policy, a pure object in virtual time: it is told of arrivals and levels and says what to move. It
must not know about devices, threads or sound itself, so that tests run hours of it in a second. The audio thread calls
it. All amounts are samples at 24 kHz unless named otherwise; times are seconds.

The rules. Playing starts when one answer frame and the margin are queued: the margin is put in front as silence, since
frames come whole. When the queue runs empty, the last 5 ms fade out; when an answer comes after that, it was a gap,
the margin grows by 5 ms (to 80), and playing starts anew. A queue that is never refilled was a healthy end and no gap.
30 s without a gap shrink the margin again. Three things keep latency down: the microphone's resampler follows the
drift of the clocks (`rate_correction`), surplus is left out where the answer is quiet, and beyond a hard bound it is
left out at once.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from app.ring import FRAME, SAMPLE_RATE

TICK_MS = 10.0  # how often the audio thread looks
FADE_MS = 5.0
START_FADE_MS = 80.0  # of the first answer of a talk: first blocks may be garbage
STEP_MS = 5.0  # by which the margin grows after a gap and shrinks after calm
CALM_S = 30.0
PAUSE_S = 0.5  # a longer interruption is a pause of the engine, about which a margin can do nothing
RECENT_FRAMES = 25  # two seconds: the slack that counts is the smallest of these
SETTLED_FRAMES = 13
FOLLOW_S = 20.0  # time constant of the drift correction: far slower than jitter
MOST_CORRECTION = 500e-6  # quartz is within 100 ppm, so two clocks are within 200


class Move(NamedTuple):
    """What the audio thread does now, in this order: leave out `drop` answer samples, put `silence`, then play `take`
    answer samples, the first `fade_in` of them rising; with `fade_out`, the last 5 ms of them fall to silence."""

    drop: int = 0
    silence: int = 0
    take: int = 0
    fade_in: int = 0
    fade_out: bool = False


class PlaybackPolicy:
    """One talk's playback decisions.

    reserve_ms: device audio that must be in hand at every look, that is one callback block and one wake of the audio
    thread. ahead_ms: how much is handed to the device's ring while there is enough. floor_ms, cap_ms: of the margin.
    surplus_ms: slack beyond the margin and this is left out in a quiet place; less is left to the drift correction.
    max_queue_ms: answers never wait longer than this.
    """

    def __init__(
        self,
        *,
        reserve_ms: float = 20.0,
        ahead_ms: float = 60.0,
        floor_ms: float = 35.0,
        cap_ms: float = 80.0,
        surplus_ms: float = 20.0,
        max_queue_ms: float = 240.0,
    ) -> None:
        self.gaps = 0
        self.shed = 0  # samples left out
        self.playing = False
        self.margin_ms = floor_ms
        self._reserve = samples(reserve_ms)
        self._ahead = samples(max(ahead_ms, reserve_ms))
        self._floor_ms = floor_ms
        self._cap_ms = max(cap_ms, floor_ms)
        self._surplus = samples(surplus_ms)
        self._max_queue = samples(max_queue_ms)
        self._fade = samples(FADE_MS)
        self._first = True
        self._luck = 0  # of the newest answer
        self._ran_empty_s: float | None = None  # since when a gap may have begun
        self._calm_since_s: float | None = None
        self._slack: deque[int] = deque(maxlen=RECENT_FRAMES)

    @classmethod
    def for_blocks(cls, block_ms: float, margin_ms: float) -> PlaybackPolicy:
        """For callback blocks of this length and an audio thread that wakes every 10 ms. The margin is not let under
        what these need, or every frame would end in a gap."""
        reserve_ms = block_ms + TICK_MS
        return cls(
            reserve_ms=reserve_ms, ahead_ms=max(60.0, 2 * reserve_ms), floor_ms=max(margin_ms, reserve_ms + 15.0)
        )

    @property
    def margin(self) -> int:
        return samples(self.margin_ms)

    @property
    def surplus(self) -> int:
        """Smallest slack of the last two seconds beyond the margin; 0 until enough frames have been seen."""
        if len(self._slack) < SETTLED_FRAMES:
            return 0
        return min(self._slack) - self.margin

    @property
    def rate_correction(self) -> float:
        """Relative change of the microphone's resampling ratio. Surplus at the loudspeaker means that more is
        recorded than is played, so the microphone's clock is taken as faster than it says."""
        wanted = -self.surplus / SAMPLE_RATE / FOLLOW_S
        return max(-MOST_CORRECTION, min(MOST_CORRECTION, wanted))

    @property
    def wants_quiet(self) -> bool:
        """True when the surplus should be left out at the next quiet place."""
        return self.playing and self.surplus > self._surplus

    def arrived(self, slack: int, luck: int = 0) -> None:
        """An answer frame came while `slack` samples of earlier answers were left: those that wait and those in the
        device's ring, less the time since the device last took a block.

        luck: samples by which it might as well have come later (see FrameRing.write). Counting as if it had keeps
        latency still while the edges of frames drift across the edges of device blocks.
        """
        if self.playing:
            self._slack.append(slack - luck)
        self._luck = luck

    def starved(self, now_s: float) -> None:
        """The device found too little in its ring although answers were being played."""
        if self.playing:
            self._count_gap(now_s)
            self._stop()

    def interrupted(self) -> None:
        """The devices went away and others come: what waited is forgotten, and the next answer begins anew."""
        self._stop()
        self._ran_empty_s = None
        self._first = True

    def step(self, now_s: float, waiting: int, ahead: int, since: int = 0, quiet: int = 0) -> Move:
        """What to do now.

        waiting: answer samples not yet handed to the device's ring. ahead: samples in that ring. since: time since the
        device last took a block, in samples. quiet: length of the quiet stretch at the head of what waits (0 when it
        was not looked for, see `wants_quiet`).
        """
        silence = fade_in = 0
        if not self.playing:
            if waiting < FRAME:
                return Move()
            fade_in = samples(START_FADE_MS) if self._first else self._fade
            self._start(now_s)
            silence = max(0, self.margin + self._luck + since - ahead)  # the margin as it is after a gap
        self._shrink_after_calm(now_s)
        drop = self._surplus_to_drop(waiting, ahead + silence, quiet)
        take, fade_out = self._portion(waiting - drop, ahead + silence)
        if fade_out:
            self._ran_empty_s = now_s
            self._stop()
        return Move(drop, silence, take, fade_in, fade_out)

    def _portion(self, waiting: int, ahead: int) -> tuple[int, bool]:
        """How much to hand over, and whether it is the end. The last 5 ms are held back while more may come, since
        only what has not been handed over can still fade."""
        take = min(max(0, self._ahead - ahead), max(0, waiting - self._fade))
        if ahead + take < self._reserve:
            return waiting, True
        return take, False

    def _surplus_to_drop(self, waiting: int, ahead: int, quiet: int) -> int:
        droppable = max(0, waiting - 2 * self._fade)  # a join needs 5 ms of either side
        drop = 0
        if waiting + ahead > self._max_queue:
            drop = min(droppable, waiting + ahead - FRAME - self.margin - self._luck)
        elif self.wants_quiet and quiet > 2 * self._fade:
            drop = min(droppable, quiet - 2 * self._fade, self.surplus)
        if drop:
            self.shed += drop
            self._slack = deque((slack - drop for slack in self._slack), maxlen=RECENT_FRAMES)
        return drop

    def _start(self, now_s: float) -> None:
        if self._ran_empty_s is not None:
            self._count_gap(now_s)
        self.playing = True
        self._first = False
        if self._calm_since_s is None:
            self._calm_since_s = now_s

    def _stop(self) -> None:
        self.playing = False
        self._slack.clear()

    def _count_gap(self, now_s: float) -> None:
        self.gaps += 1
        if self._ran_empty_s is None or now_s - self._ran_empty_s < PAUSE_S:
            self.margin_ms = min(self._cap_ms, self.margin_ms + STEP_MS)
        self._ran_empty_s = None
        self._calm_since_s = now_s

    def _shrink_after_calm(self, now_s: float) -> None:
        if self._calm_since_s is not None and now_s - self._calm_since_s >= CALM_S:
            self.margin_ms = max(self._floor_ms, self.margin_ms - STEP_MS)
            self._calm_since_s = now_s


def samples(milliseconds: float) -> int:
    """Milliseconds as samples at 24 kHz."""
    return round(milliseconds * SAMPLE_RATE / 1000)
