"""What happens to the microphone's sound on its way to the model: echo out, noise down, gain, each over 10 ms.

Owns the order and the re-blocking to 240 samples, which costs no time: frames are whole multiples of it. Must not
know devices or frames. Called by the audio thread.
"""

from __future__ import annotations

import numpy as np

from app.echo import EchoCanceller
from app.echo_filter import HOP
from app.input_level import AutomaticGain, SpeechMeter
from app.noise import NoiseSuppressor
from app.ring import SAMPLE_RATE
from app.talk_sound import TalkSound


class InputChain:
    """canceller: None where no loudspeaker is near, as in a recording."""

    def __init__(self, talk: TalkSound, canceller: EchoCanceller | None) -> None:
        self.canceller = canceller
        self.meter = SpeechMeter()
        self.gain = AutomaticGain()
        self.noise = NoiseSuppressor()
        self._talk = talk
        self._left = np.zeros(0, np.float32)  # waits for the rest of its block

    @property
    def waiting(self) -> int:
        """Samples held back until the next call."""
        return len(self._left)

    @property
    def gain_db(self) -> float:
        return self.gain.gain_db

    def process(self, signal: np.ndarray, first_s: float, correction: float) -> tuple[np.ndarray, float]:
        """signal [n] float32 at 24 kHz, recorded from first_s on -> what is ready, [a multiple of 240], and since when
        that was recorded. correction: of the ratio with which it was resampled."""
        first_s -= len(self._left) / SAMPLE_RATE
        signal = np.concatenate([self._left, signal])
        whole = len(signal) // HOP * HOP
        out = np.zeros(whole, np.float32)
        for start in range(0, whole, HOP):
            block = signal[start : start + HOP]
            out[start : start + HOP] = self._block(block, first_s + start / SAMPLE_RATE, correction)
        self._left = signal[whole:].copy()
        return out, first_s

    def _block(self, block: np.ndarray, recorded_s: float, correction: float) -> np.ndarray:
        talk = self._talk
        if self.canceller is not None:
            self.canceller.mode = talk.echo
            block = self.canceller.process(block, recorded_s, correction)
        block = self.noise.process(block, talk.noise_suppression)
        self.meter.add(block)
        return self.gain.process(block, self.meter, talk.auto_gain)
