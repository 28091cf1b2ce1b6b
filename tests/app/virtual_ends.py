"""A microphone and a loudspeaker in virtual time: sound goes on at 80 ms a frame whatever the engine does.

The real ring with its real bound stands between the microphone and the conversation, so that what is dropped here is
what would be dropped at a sound card.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from app.audio import AudioStatus, AudioTrouble, EndOfInput, InputFrame
from app.errors import UserError
from app.ring import FRAME, SAMPLE_RATE, FrameRing
from tests.app.fake_engine import VirtualClock

FRAME_NS = 80_000_000


class VirtualEnds:
    """frames: how long the microphone lasts, then EndOfInput.

    at_frame: number of the read (from 0, since `open`) -> called before that frame is waited for; how a test sends
    commands in the middle of a talk. open_errors: raised by the first, second... `open`.
    heard: the microphone's frames; without them the pcm of frame n is n / 10000 everywhere, so that a test knows which
    frame arrived.
    """

    def __init__(
        self,
        clock: VirtualClock,
        frames: int,
        *,
        max_lag_ms: float = 240.0,
        at_frame: Mapping[int, Callable[[], object]] | None = None,
        open_errors: tuple[Exception, ...] = (),
        heard: Sequence[np.ndarray] = (),
    ) -> None:
        self.clock = clock
        self.frames = frames
        self.at_frame = dict(at_frame or {})
        self.open_errors = list(open_errors)
        self._heard = heard
        self.troubles: tuple[AudioTrouble, ...] = ()
        self.unplugged = False  # True: no microphone frame comes any more
        self.muted = False
        self.talk_key_held = False
        self.calls: list[str] = []
        self.reads = 0
        self.delays_ms: list[float] = []  # age of each frame when the engine got it
        self.answers: list[np.ndarray] = []
        self._max_waiting = round(max_lag_ms / 1000 * SAMPLE_RATE)
        self._restart()

    def _restart(self) -> None:
        self.ring = FrameRing(capacity_frames=64)
        self.spoken = 0
        self.reads = 0
        self._opened_ns = self.clock()

    @staticmethod
    def number_of(pcm: np.ndarray) -> int:
        """Which microphone frame this is."""
        return round(float(pcm[0]) * 10000)

    def open(self) -> None:
        self.calls.append("open")
        if self.open_errors:
            raise self.open_errors.pop(0)
        self._restart()

    def begin(self) -> None:
        self._speak()
        self.ring.forget()

    def close(self) -> None:
        self.calls.append("close")

    def read_frame(self, timeout: float) -> InputFrame | None:
        action = self.at_frame.pop(self.reads, None)
        if action is not None:
            action()
        self._speak()
        if self.ring.frames_waiting == 0:
            if self.spoken >= self.frames:
                raise EndOfInput
            due_ns = self._opened_ns + (self.spoken + 1) * FRAME_NS
            self.clock.ns = min(due_ns, self.clock.ns + round(timeout * 1e9))
            self._speak()
        frame = None if self.unplugged else self.ring.take(self._max_waiting)
        if frame is None:
            return None
        self.reads += 1
        recorded_ms = (self._opened_ns + (self.number_of(frame.pcm) + 1) * FRAME_NS) / 1e6
        self.delays_ms.append(self.clock.ms - recorded_ms)
        pcm = np.zeros(FRAME, np.float32) if self.muted else frame.pcm
        return InputFrame(pcm, frame.time_s)

    def _speak(self) -> None:
        """The microphone has delivered every frame that is complete by now."""
        complete = min((self.clock() - self._opened_ns) // FRAME_NS, self.frames)
        while self.spoken < complete:
            numbered = np.full(FRAME, self.spoken / 10000, np.float32)
            self.ring.write(self._heard[self.spoken] if self._heard else numbered)
            self.spoken += 1

    def write_frame(self, pcm: np.ndarray) -> None:
        self.answers.append(pcm)

    def status(self) -> AudioStatus:
        return AudioStatus(
            queued_ms=self.ring.samples_waiting / SAMPLE_RATE * 1000,
            skipped=self.ring.dropped,
            mic_to_speaker_ms=math.nan,
            troubles=self.troubles,
        )


def no_microphone() -> UserError:
    return UserError("There is no microphone; plug one in or choose another in Settings.")
