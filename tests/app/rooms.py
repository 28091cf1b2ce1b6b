"""Simulated rooms: what a microphone hears of a loudspeaker, of whoever speaks, and how well the one was taken out.

Everything is at 24 kHz, [n] float32, and follows from its seeds.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from app.echo import EchoCanceller, EchoState
from app.echo_filter import HOP
from app.echo_reference import Reference
from app.ring import SAMPLE_RATE
from app.streams import NOW, TOTAL

BLOCK = 480  # samples in a block of the loudspeaker


def room(delay_ms: float, *, rt60_s: float = 0.35, level_db: float = -6.0, seed: int = 0) -> np.ndarray:
    """A direct sound after `delay_ms`, then a tail that falls by 60 dB in `rt60_s`. level_db: of its energy."""
    rng = np.random.default_rng(seed)
    times = np.arange(int(SAMPLE_RATE * rt60_s * 1.2)) / SAMPLE_RATE
    tail = 0.35 * rng.standard_normal(len(times)) * 10 ** (-3 * times / rt60_s)
    tail[: SAMPLE_RATE // 500] *= 0.3
    tail[0] = 4.0
    response = np.concatenate([np.zeros(round(delay_ms * SAMPLE_RATE / 1000)), tail])
    return (response * 10 ** (level_db / 20) / np.sqrt(np.sum(response**2))).astype(np.float32)


def through(signal: np.ndarray, response: np.ndarray) -> np.ndarray:
    """The signal as heard through a response, as long as the signal."""
    length = 1 << (len(signal) + len(response) - 1).bit_length()
    spectrum = np.fft.rfft(signal, length) * np.fft.rfft(response, length)
    return np.fft.irfft(spectrum, length)[: len(signal)].astype(np.float32)


def voice(seconds: float, *, seed: int, pitch_hz: float = 120.0, level: float = 0.07) -> np.ndarray:
    """Something with the rhythm, the pitch and the formants of speech, for tests that carry no recordings.

    level: root mean square while it sounds.
    """
    rng = np.random.default_rng(seed)
    out = np.zeros(int(seconds * SAMPLE_RATE))
    at = 0
    while at < len(out):
        length = int(SAMPLE_RATE * rng.uniform(0.08, 0.26))
        syllable = _syllable(rng, length, pitch_hz * rng.uniform(0.8, 1.3))
        part = out[at : at + length]
        part += (syllable * rng.uniform(0.4, 1.0))[: len(part)]
        at += length + int(SAMPLE_RATE * (rng.uniform(0.15, 0.5) if rng.random() < 0.2 else rng.uniform(0.0, 0.04)))
    sounding = out[np.abs(out) > 1e-3 * np.abs(out).max()]
    return (out * level / np.sqrt(np.mean(sounding**2))).astype(np.float32)


def _syllable(rng: np.random.Generator, length: int, pitch_hz: float) -> np.ndarray:
    times = np.arange(length) / SAMPLE_RATE
    phase = np.cumsum(pitch_hz * (1 + 0.15 * np.sin(2 * np.pi * rng.uniform(1, 4) * times)) / SAMPLE_RATE)
    if rng.random() < 0.25:
        source = np.diff(rng.standard_normal(length + 1)) * 0.3  # a fricative
    else:
        source = np.diff(np.floor(phase), prepend=0.0) * 4 + 0.05 * rng.standard_normal(length)
    spectrum = np.fft.rfft(source)
    hz = np.fft.rfftfreq(length, 1 / SAMPLE_RATE)
    formants = (rng.uniform(300, 900), rng.uniform(900, 2400), rng.uniform(2400, 3400), 4500.0)
    gain = sum(1 / (1 + ((hz - formant) / (60 + formant / 15)) ** 2) for formant in formants)
    return np.fft.irfft(spectrum * (gain + 0.01), length) * np.hanning(length) ** 0.5


def noise(samples: int, level_db: float, seed: int = 9) -> np.ndarray:
    return (10 ** (level_db / 20) * np.random.default_rng(seed).standard_normal(samples)).astype(np.float32)


def delayed(signal: np.ndarray, ms: float) -> np.ndarray:
    return np.concatenate([np.zeros(round(ms * SAMPLE_RATE / 1000), np.float32), signal])[: len(signal)]


@dataclass
class Heard:
    """out: after the canceller; canceller and states: how it ended and how it was after each block; block_ms: its cost
    per block."""

    out: np.ndarray
    canceller: EchoCanceller
    states: list[EchoState]
    block_ms: float


def listen(
    far: np.ndarray, microphone: np.ndarray, mode: str = "auto", *, early_s: float = 0.0, jitter_s: float = 0.0
) -> Heard:
    """The canceller between a loudspeaker that plays `far` and a microphone.

    early_s: by how much too early the loudspeaker's converter times are. jitter_s: by how much they tremble.
    """
    reference = Reference(SAMPLE_RATE)
    canceller = EchoCanceller(reference, mode)
    rng = np.random.default_rng(5)
    reference.handed(0, far[: 3 * BLOCK])
    out = np.zeros_like(microphone)
    states = []
    spent = 0.0
    for start in range(0, len(microphone) - HOP + 1, HOP):
        if start % BLOCK == 0:
            row = np.array([0.0, 0.0, 0.0, start, BLOCK, BLOCK, start])
            converter_s = row[TOTAL] / SAMPLE_RATE - early_s + rng.uniform(0, jitter_s) + row[NOW]
            reference.played(row, converter_s)
            ahead = start + 3 * BLOCK
            reference.handed(ahead, far[ahead : ahead + BLOCK])
        began = time.thread_time()
        out[start : start + HOP] = canceller.process(microphone[start : start + HOP], start / SAMPLE_RATE, 0.0)
        spent += time.thread_time() - began
        states.append(canceller.state)
    return Heard(out, canceller, states, spent * 1e3 / max(1, len(states)))


def decibels(signal: np.ndarray) -> float:
    """Root mean square."""
    return float(10 * np.log10(np.mean(signal.astype(np.float64) ** 2) + 1e-20))


def removed_db(echo: np.ndarray, left: np.ndarray, start_s: float, end_s: float) -> float:
    """By how much weaker the echo is in a stretch in which nobody else speaks."""
    part = slice(int(start_s * SAMPLE_RATE), int(end_s * SAMPLE_RATE))
    return decibels(echo[part]) - decibels(left[part])


def drifting(signal: np.ndarray, ppm: float) -> np.ndarray:
    """The signal as recorded by a clock that runs faster by so much, as long as the signal."""
    import samplerate

    longer = samplerate.resample(np.concatenate([signal, np.zeros(4800, np.float32)]), 1 + ppm * 1e-6, "sinc_best")
    return np.asarray(longer[: len(signal)], np.float32)


def intelligibility(clean: np.ndarray, heard: np.ndarray) -> float:
    """STOI (Taal, Hendriks, Heusdens and Jensen, 2011), 0 to 1, of 24 kHz signals; simplified in one point: frames
    are taken at 24 kHz rather than 10."""
    size, hop, span = 614, 307, 30  # 25.6 ms, half of it, and 30 of those
    window = np.hanning(size + 2)[1:-1]
    starts = range(0, len(clean) - size, hop)
    clean_frames = np.array([clean[s : s + size] * window for s in starts])
    heard_frames = np.array([heard[s : s + size] * window for s in starts])
    loud = 20 * np.log10(np.linalg.norm(clean_frames, axis=1) + 1e-12)
    keep = loud > loud.max() - 40
    hz = np.fft.rfftfreq(1024, 1 / SAMPLE_RATE)
    centres = 150 * 2 ** (np.arange(15) / 3)
    bands = np.array([(hz >= c * 2 ** (-1 / 6)) & (hz < c * 2 ** (1 / 6)) for c in centres], np.float64)
    x, y = (np.sqrt(bands @ np.abs(np.fft.rfft(frames[keep], 1024)).T ** 2) for frames in (clean_frames, heard_frames))
    scores = []
    for end in range(span, x.shape[1] + 1):
        a, b = x[:, end - span : end], y[:, end - span : end]
        b = b * np.linalg.norm(a, axis=1, keepdims=True) / (np.linalg.norm(b, axis=1, keepdims=True) + 1e-12)
        b = np.minimum(b, a * (1 + 10 ** (15 / 20)))
        a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
        scores.append(np.sum(a * b, 1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1) + 1e-12))
    return float(np.mean(scores))
