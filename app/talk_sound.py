"""What a talk keeps while devices come and go: frames for the engine, answers from it, and how the user wants to be
heard.

Owns the two rings in the middle and the switches that may be turned in a talk. Must not know devices. The engine
thread touches the outer ends, the audio thread the inner ones; switches are plain values that any thread may assign.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import NamedTuple

import numpy as np

from app.levels import limit_into
from app.playback import PlaybackPolicy
from app.ring import FRAME, SAMPLE_RATE, FrameRing, SampleRing


class AnswerTag(NamedTuple):
    """An answer frame: where its first sample lies in the queue and when it came; of the frame that it answers, when
    that was heard and its luck (see TimedFrame)."""

    position: int
    arrived_s: float
    adc_s: float
    luck: int


class AnswerQueue:
    """Answers on their way from the engine thread (which writes) to the audio thread (which reads)."""

    def __init__(self) -> None:
        self.ring = SampleRing(2 * SAMPLE_RATE)
        self.tags: deque[AnswerTag] = deque()
        self.limited = 0  # samples beyond full scale or not numbers
        self._block = np.zeros(FRAME, np.float32)

    def write(self, pcm: np.ndarray, now_s: float, adc_s: float, luck: int) -> None:
        """pcm [1920] float32; adc_s and luck of the frame that it answers. Never blocks."""
        self.limited += limit_into(pcm, self._block)
        position = self.ring.written
        self.ring.write(self._block)  # full only when no audio thread has looked for two seconds: then too old to keep
        self.tags.append(AnswerTag(position, now_s, adc_s, luck))


class TalkSound:
    """One talk's sound between devices and engine."""

    def __init__(self, policy: PlaybackPolicy) -> None:
        self.frames = FrameRing()
        self.frame_ready = threading.Event()
        self.answers = AnswerQueue()
        self.policy = policy
        self.muted = False
        self.push_to_talk = False  # True: heard only while the key is held
        self.key_held = False
        self.echo = "auto"  # one of config.ECHO_MODES
        self.noise_suppression = False
        self.auto_gain = False

    @property
    def silent(self) -> bool:
        """The model is given silence."""
        return self.muted or (self.push_to_talk and not self.key_held)

    def interrupted(self) -> None:
        """No audio thread runs and the next one finds other devices: old answers are not worth hearing any more."""
        self.answers.ring.skip(self.answers.ring.readable)
        self.policy.interrupted()
