"""Change of sample rate: exact counts over long runs, a clean tone, positions that do not move."""

from __future__ import annotations

import numpy as np
import pytest

from app.resample import StreamResampler, mix_down, resample


def tone(hz: float, rate: float, start: int, count: int) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(start, start + count) / rate)).astype(np.float32)


def error_db(signal: np.ndarray, hz: float, rate: float) -> float:
    """What is left of `signal` when the best sine at `hz` is taken away, in dB of that sine."""
    angle = 2 * np.pi * hz * np.arange(len(signal)) / rate
    basis = np.stack([np.sin(angle), np.cos(angle)], axis=1)
    signal = signal.astype(np.float64)
    fit = basis @ np.linalg.lstsq(basis, signal, rcond=None)[0]
    return float(10 * np.log10(np.mean((signal - fit) ** 2) / np.mean(fit**2)))


def test_ten_minutes_of_44100_have_exactly_the_right_number_of_samples():
    """User report A7: 44,100 to 24,000 Hz in 441-sample blocks for 600 s."""
    resampler = StreamResampler(44100, 24000)
    block = tone(1000, 44100, 0, 441)  # ten whole periods
    total, last = 0, np.zeros(0, np.float32)
    for _ in range(60_000):
        last = resampler.process(block)
        total += len(last)
    end = resampler.flush()
    assert total + len(end) == 14_400_000


@pytest.mark.parametrize(
    ("source", "target", "block"),
    [(44100, 24000, 441), (48000, 24000, 480), (16000, 24000, 160), (24000, 48000, 240), (24000, 44100, 240)],
)
def test_a_tone_stays_clean_and_in_place(source, target, block):
    """User report A7: tone error below -60 dB."""
    resampler = StreamResampler(source, target)
    parts = [resampler.process(tone(1000, source, start, block)) for start in range(0, 2 * source, block)]
    out = np.concatenate([*parts, resampler.flush()])
    assert len(out) == 2 * target
    inner = out[target // 4 : -target // 4]
    assert error_db(inner, 1000, target) < -100
    assert np.max(np.abs(inner - tone(1000, target, target // 4, len(inner)))) < 1e-4  # no delay


def test_what_lies_above_the_lower_rate_does_not_fold_back():
    resampler = StreamResampler(48000, 24000)
    out = np.concatenate([resampler.process(tone(14000, 48000, start, 480)) for start in range(0, 48000, 480)])
    assert np.max(np.abs(out[2400:])) < 0.5 * 10 ** (-80 / 20)


def test_a_correction_makes_so_many_more_samples():
    resampler = StreamResampler(48000, 24000)
    block = np.zeros(480, np.float32)
    total = sum(len(resampler.process(block, correction=200e-6)) for _ in range(6000))
    assert total + len(resampler.flush()) == pytest.approx(1_440_000 * 1.0002, abs=1)


def test_after_a_flush_a_new_signal_starts():
    resampler = StreamResampler(16000, 24000)
    for _ in range(2):
        out = np.concatenate([resampler.process(tone(440, 16000, 0, 1601)), resampler.flush()])
        assert len(out) == round(1601 * 1.5)
        assert error_db(out[200:-200], 440, 24000) < -80


@pytest.mark.parametrize("samples", [0, 1, 2, 3001])
def test_whole_signals_of_any_length(samples):
    signal = np.full(samples, 0.25, np.float32)
    assert len(resample(signal, 44100, 24000)) == round(samples * 24000 / 44100)
    same = resample(signal, 24000, 24000)
    assert np.array_equal(same, signal)
    assert same is not signal


def test_channels_are_averaged():
    left, right = tone(440, 48000, 0, 480), tone(660, 48000, 0, 480)
    mono = mix_down(np.stack([left, right], axis=1))
    assert mono.dtype == np.float32
    assert np.allclose(mono, (left + right) / 2, atol=1e-7)
    assert np.array_equal(mix_down(left), left)
    assert np.array_equal(mix_down(left[:, None]), left)
