"""Whether, and how late, what the loudspeaker plays comes back through the microphone.

Owns the search. It listens to two signals for seconds and says nothing of what to do about it. Must not know devices
or the canceller. Called by the audio thread, which pays about 1 ms every 0.7 s for it.

The cross-spectra of long blocks are added up with their magnitudes set to one (Knapp and Carter's phase transform,
1976): an echo adds up in step and stands out of the noise of its correlation, however weak it is, while unrelated
speech adds up at random. Comparing envelopes lost: it takes everyone who answers in time for an echo.
"""

from __future__ import annotations

import math

import numpy as np

from app.ring import SAMPLE_RATE

WINDOW = 32768  # 1.4 s at 24 kHz
STEP = WINDOW // 2
COARSE = 4  # the correlation is made of the bins up to 3 kHz, so its lags are this many samples apart
LOWEST_HZ, HIGHEST_HZ = 150.0, 2900.0
EARLIEST_S, LATEST_S = -0.1, 0.6
MEMORY = 0.96  # of earlier blocks, per block: what was 17 s ago weighs a third
AUDIBLE = 10 ** (-75 / 20)  # root mean square of a block worth looking at
CERTAIN = 13.0  # of 4200 lags of unrelated speech, in strict turns too, the highest reached 10 times their spread
STEADY_S = 0.002  # two looks in a row find an echo at the same place, or it is none
AROUND = 60  # lags (10 ms) around the peak that are no measure of the noise

JUMP_WINDOW = 8192  # a third of a second
JUMP_BLOCKS = 20  # between two searches, so that the window holds what came after the jump
JUMP_MEMORY = 0.93  # per block
JUMP_MATCH = 0.5  # a prediction of which less is found in the microphone is searched for elsewhere
JUMP_REACH = 2400  # samples: 100 ms
JUMP_CERTAIN = 0.45  # of the correlation of equals: whoever speaks into the echo reached 0.32


class EchoFinder:
    def __init__(self) -> None:
        frequencies = np.fft.rfftfreq(WINDOW, 1 / SAMPLE_RATE)[: WINDOW // 2 // COARSE + 1]
        self._band = ((frequencies >= LOWEST_HZ) & (frequencies <= HIGHEST_HZ)).astype(np.float32)
        self._window = np.hanning(WINDOW).astype(np.float32)
        self._reference = np.zeros(WINDOW, np.float32)
        self._heard = np.zeros(WINDOW, np.float32)
        self._spacing_s = COARSE / SAMPLE_RATE
        self.reset()

    def reset(self) -> None:
        self._filled = 0
        self._sum = np.zeros(len(self._band), np.complex64)
        self._former_s = math.nan
        self.certain = False  # an echo was found
        self.strength = 0.0  # height of the correlation's peak over the spread of its noise
        self.lag_s = math.nan  # of that peak: how much later than the reference it was heard

    def add(self, reference: np.ndarray, heard: np.ndarray) -> bool:
        """Both [n] float32 at 24 kHz, n a divisor of the window, at the same time. True: there is a new result."""
        count = len(reference)
        self._reference[self._filled : self._filled + count] = reference[: WINDOW - self._filled]
        self._heard[self._filled : self._filled + count] = heard[: WINDOW - self._filled]
        self._filled += count
        if self._filled < WINDOW:
            return False
        looked = self._look()
        self._reference[:STEP] = self._reference[STEP:]
        self._heard[:STEP] = self._heard[STEP:]
        self._filled = STEP
        return looked

    def _look(self) -> bool:
        if _loudness(self._reference) < AUDIBLE or _loudness(self._heard) < AUDIBLE:
            return False
        bins = len(self._band)
        reference = np.fft.rfft(self._reference * self._window)[:bins]
        heard = np.fft.rfft(self._heard * self._window)[:bins]
        cross = reference.conj() * heard
        self._sum *= MEMORY
        self._sum += self._band * cross / (np.abs(cross) + 1e-12)
        self._judge(np.fft.irfft(self._sum))
        return True

    def _judge(self, correlation: np.ndarray) -> None:
        count = len(correlation)
        early = round(-EARLIEST_S / self._spacing_s)
        lags = np.roll(correlation, early)[: early + round(LATEST_S / self._spacing_s)]
        at = int(np.abs(lags).argmax())
        peak = at - early
        noise = np.roll(correlation, -(peak - AROUND))[2 * AROUND : count]
        self.strength = float(abs(lags[at]) / (np.sqrt(np.mean(noise**2)) + 1e-12))
        self.lag_s = peak * self._spacing_s
        steady = abs(self.lag_s - self._former_s) <= STEADY_S
        self._former_s = self.lag_s
        self.certain = self.strength >= CERTAIN and steady


class JumpFinder:
    """Whether a predicted echo comes earlier or later than predicted, all of a sudden.

    Costs nothing while the prediction is good. When it is not, the microphone is searched for the prediction's shape.
    """

    def __init__(self) -> None:
        self._heard = np.zeros(JUMP_WINDOW, np.float32)
        self._echo = np.zeros(JUMP_WINDOW, np.float32)
        self.reset()

    def reset(self) -> None:
        self._blocks = 0
        self._matched = self._predicted = 0.0

    def add(self, heard: np.ndarray, echo: np.ndarray) -> int:
        """The microphone's block and the echo predicted in it, [n] float32. Returns by how many samples the echo
        comes later than predicted, 0 while that is not certain."""
        count = len(heard)
        self._heard[:-count], self._heard[-count:] = self._heard[count:], heard
        self._echo[:-count], self._echo[-count:] = self._echo[count:], echo
        self._matched = JUMP_MEMORY * self._matched + float(np.dot(heard, echo))
        self._predicted = JUMP_MEMORY * self._predicted + float(np.dot(echo, echo))
        self._blocks += 1
        if self._blocks < JUMP_BLOCKS or self._matched > JUMP_MATCH * self._predicted:
            return 0
        self.reset()
        return self._search()

    def _search(self) -> int:
        length = 2 * JUMP_WINDOW
        spectrum = np.fft.rfft(self._heard, length) * np.fft.rfft(self._echo, length).conj()
        correlation = np.fft.irfft(spectrum, length)
        near = np.concatenate([correlation[-JUMP_REACH:], correlation[: JUMP_REACH + 1]])
        best = int(near.argmax())
        scale = float(np.linalg.norm(self._heard) * np.linalg.norm(self._echo)) + 1e-12
        certain = near[best] > JUMP_CERTAIN * scale and near[best] > 2 * abs(near[JUMP_REACH])
        return best - JUMP_REACH if certain else 0


def _loudness(signal: np.ndarray) -> float:
    return float(np.sqrt(np.mean(signal**2)))
