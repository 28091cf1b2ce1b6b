"""Taking an echo out of the microphone, in two steps: what can be predicted is subtracted, what is left is turned down.

Owns the mathematics: `EchoFilter` follows the path from loudspeaker to microphone, `Suppressor` attenuates what the
filter is not sure about. Pure numpy over blocks of 10 ms; must not know about devices, clocks or settings. Objects
belong to the thread that calls them (the audio thread, once per 10 ms).

Source: Enzner and Vary, "Frequency-domain adaptive Kalman filter for acoustic echo control in hands-free telephones"
(2006), in the partitioned form of Kuech, Mabande and Enzner (2014). A Kalman filter needs no detector of double talk:
what it cannot explain counts as noise of the measurement and slows it down by itself. The usual canceller of
conferencing programs was tried and lost: it removes more echo and mutilates whoever speaks into it, and to be spoken
into is what a full-duplex model is for.
"""

from __future__ import annotations

import numpy as np

HOP = 240  # samples in one block: 10 ms at 24 kHz
BINS = HOP + 1
PARTITIONS = 40  # blocks that the filter spans: 400 ms of delay and room together
STAYS = np.float32(0.9995**2)  # how much of the path is the same after a block
PRIOR_FALL = 3.0  # nepers by which the path is expected to fall along the filter
SMALLEST = np.float32(1e-10)
NOISE_MEMORY = np.float32(0.9)  # of the noise of the measurement, per block
SILENT = 1e-7  # a reference below -140 dBFS has nothing to cancel

ALIKE = 0.7  # two paths that agree less are not the same path grown

SUPPRESS_LEAST = 10 ** (-15 / 20)  # deepest attenuation: below, speech in double talk turns hollow
SUPPRESS_MORE = 1.5  # overestimation of what is left
LEAKAGE = 0.003  # of the predicted echo's power that is taken to be left even when the filter is certain


class EchoFilter:
    """The path from the reference to the microphone, learned while it is used."""

    def __init__(self, partitions: int = PARTITIONS) -> None:
        self.partitions = partitions
        self._prior = np.exp(-PRIOR_FALL * np.arange(partitions, dtype=np.float32) / partitions)[:, None]
        # Newest spectrum first. Every row is kept twice, so that the newest `partitions` rows are always one slice.
        self._spectra = np.zeros((2 * partitions, BINS), np.complex64)
        self._powers = np.zeros((2 * partitions, BINS), np.float32)
        self._path = np.zeros((partitions, BINS), np.complex64)
        self._doubt = np.zeros((partitions, BINS), np.float32)  # variance of the path's error
        self._scaled = np.zeros((partitions, BINS), np.float32)
        self._step = np.zeros((partitions, BINS), np.complex64)
        self._noise = np.zeros(BINS, np.float32)
        self._block = np.zeros(2 * HOP, np.float32)  # two blocks of the reference
        self._error = np.zeros(2 * HOP, np.float32)  # a block of zeros, then the error
        self._head = 0
        self.reset()

    def reset(self) -> None:
        """Forgets the path; the reference of the last 400 ms is kept, it is still true."""
        self._path[:] = 0.0
        self._doubt[:] = self._prior
        self._noise[:] = 1e-4
        self.uncertainty = np.zeros(BINS, np.float32)

    def forget_reference(self) -> None:
        """For a reference that does not continue the former one."""
        self._spectra[:] = 0.0
        self._powers[:] = 0.0
        self._block[:] = 0.0

    def replace_reference(self, blocks: np.ndarray) -> None:
        """The same, and what it was before: blocks [partitions, 240] float32, the newest last."""
        self.forget_reference()
        for block in blocks:
            self._take(block)

    @property
    def path(self) -> np.ndarray:
        """The learned response by blocks, [partitions, 241] complex64. A view: it changes."""
        return self._path

    def predict(self, reference: np.ndarray) -> np.ndarray:
        """reference [240] float32, the next block -> the echo expected with it, [240] float32."""
        self._take(reference)
        total = np.einsum("pk,pk->k", self._spectra[self._rows], self._path)
        return np.fft.irfft(total)[HOP:].astype(np.float32)

    def learn(self, error: np.ndarray) -> None:
        """error [240] float32: the microphone less the prediction of this block. Follows the path."""
        powers, spectra = self._powers[self._rows], self._spectra[self._rows]
        self._error[HOP:] = error
        spectrum = np.fft.rfft(self._error).astype(np.complex64)
        self._noise *= NOISE_MEMORY
        self._noise += (1 - NOISE_MEMORY) * (spectrum.real**2 + spectrum.imag**2)
        np.multiply(self._doubt, powers, out=self._scaled)
        uncertain = 0.5 * self._scaled.sum(0)  # half: the error occupies half of its two blocks
        expected = uncertain + self._noise + SMALLEST
        np.multiply(self._doubt, spectra.conj(), out=self._step)
        self._step *= spectrum / expected
        self._path += _causal(self._step)
        self._scaled *= np.float32(-0.5) / expected
        self._scaled += np.float32(1.0)
        self._scaled *= STAYS
        self._doubt *= self._scaled
        self._doubt += (1 - STAYS) * (self._path.real**2 + self._path.imag**2)
        np.maximum(self._doubt, SMALLEST, out=self._doubt)
        self.uncertainty = uncertain

    def _take(self, reference: np.ndarray) -> None:
        self._block[:HOP] = self._block[HOP:]
        self._block[HOP:] = reference
        self._head = (self._head - 1) % self.partitions
        spectrum = np.fft.rfft(self._block)
        power = spectrum.real**2 + spectrum.imag**2
        for row in (self._head, self._head + self.partitions):
            self._spectra[row] = spectrum
            self._powers[row] = power

    @property
    def _rows(self) -> slice:
        return slice(self._head, self._head + self.partitions)


class PathWatch:
    """How fast the path grows longer: the drift of one clock against the other, as the filter sees it.

    Two clocks that drift make the path longer or shorter all the time, and a filter that has to follow leaves more
    echo the faster it must. The phases of the path tell the drift to a few millionths within seconds; times of
    callbacks need minutes for that.
    """

    def __init__(self) -> None:
        self._bins = np.arange(6, 61, dtype=np.float32)  # 300 to 3000 Hz: higher, a phase might have gone round
        self.reset()

    def reset(self) -> None:
        self._former: np.ndarray | None = None

    def growth(self, path: np.ndarray) -> float:
        """Samples by which the path became longer since the last call; 0.0 at the first and when it is another path."""
        path = path[:, 6:61]
        former, self._former = self._former, path.copy()
        if former is None:
            return 0.0
        product = np.einsum("pk,pk->k", former.conj(), path)
        weights = np.abs(product)
        alike = weights.sum() / (np.linalg.norm(former) * np.linalg.norm(path) + 1e-20)
        if alike < ALIKE:
            return 0.0
        slope = np.sum(weights * self._bins * np.angle(product)) / np.sum(weights * self._bins**2)
        return float(-slope * 2 * HOP / (2 * np.pi))


class Suppressor:
    """Turns down, bin by bin, what is likely to be leftover echo. Adds no delay and leaves full gains untouched.

    A windowed filter bank would add a block of delay. Here the gains become a minimum-phase filter, which acts at
    once, and two consecutive filters are crossed over within a block.
    """

    def __init__(self) -> None:
        window = np.sqrt(np.hanning(2 * HOP + 1)[:-1]).astype(np.float32)
        self._window = window
        self._signal = np.zeros(2 * HOP, np.float32)
        self._echo = np.zeros(2 * HOP, np.float32)
        self._rise = (np.arange(HOP, dtype=np.float32) + 1) / HOP
        # Cepstrum of a magnitude -> of its minimum-phase filter. The taper smooths the gains over frequency, so that
        # the filter is short enough not to wrap around the block.
        self._fold = np.zeros(2 * HOP, np.float32)
        self._fold[:HOP] = 1.0 + np.cos(np.pi * np.arange(HOP) / HOP)
        self._fold[0] = 1.0
        self._fresh = True  # the block before was left alone, so there are no former powers to smooth with
        self._power: np.ndarray = np.zeros(BINS, np.float32)
        self._left: np.ndarray = np.zeros(BINS, np.float32)
        self._filter: np.ndarray | None = None  # of the block before; None lets everything pass

    def process(self, error: np.ndarray, echo: np.ndarray, uncertainty: np.ndarray, strength: float) -> np.ndarray:
        """error, echo: [240] float32, the microphone less the predicted echo, and that. uncertainty: see EchoFilter.

        strength: 0 (leave all as it is) to 1. Returns [240] float32; with strength 0 that is `error` itself.
        """
        self._signal[:HOP] = self._signal[HOP:]
        self._signal[HOP:] = error
        self._echo[:HOP] = self._echo[HOP:]
        self._echo[HOP:] = echo
        new = self._new_filter(uncertainty, strength) if strength > 0.0 else None
        self._fresh = strength <= 0.0
        if new is None and self._filter is None:
            return error
        spectrum = np.fft.rfft(self._signal)
        before = error if self._filter is None else np.fft.irfft(spectrum * self._filter)[HOP:]
        after = error if new is None else np.fft.irfft(spectrum * new)[HOP:]
        self._filter = new
        return (before + (after - before) * self._rise).astype(np.float32)

    def _new_filter(self, uncertainty: np.ndarray, strength: float) -> np.ndarray | None:
        """None: everything passes."""
        signal = np.fft.rfft(self._signal * self._window)
        echo = np.fft.rfft(self._echo * self._window)
        power = signal.real**2 + signal.imag**2
        left = uncertainty + SUPPRESS_MORE * LEAKAGE * (echo.real**2 + echo.imag**2)
        self._power = power if self._fresh else 0.6 * self._power + 0.4 * power
        self._left = left if self._fresh else 0.5 * self._left + 0.5 * left
        gains = np.maximum(1.0 - SUPPRESS_MORE * self._left / (self._power + 1e-12), SUPPRESS_LEAST)
        gains = gains**strength
        if gains.min() > 0.999:
            return None
        cepstrum = np.fft.irfft(np.log(gains))
        return np.exp(np.fft.rfft(cepstrum * self._fold)).astype(np.complex64)


def _causal(step: np.ndarray) -> np.ndarray:
    """Without the half of each partition's response that would wrap around the block."""
    response = np.fft.irfft(step, axis=1)
    response[:, HOP:] = 0.0
    return np.fft.rfft(response, axis=1).astype(np.complex64)
