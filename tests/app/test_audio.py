"""The array ends of a talk: alignment, pacing, mute, limits."""

from __future__ import annotations

import numpy as np
import pytest

from app.audio import AudioEnds, EndOfInput, WavAudio, to_pcm16
from app.levels import dbfs, limit_into
from app.ring import FRAME


class Clock:
    """Nanoseconds that pass only by `sleep`."""

    def __init__(self) -> None:
        self.ns = 5_000_000_000

    def __call__(self) -> int:
        return self.ns

    def sleep(self, seconds: float) -> None:
        self.ns += round(seconds * 1e9)


def echo(ends: AudioEnds, scale: float = 1.0) -> int:
    """Answers every frame with itself; returns how many came."""
    ends.open()
    count = 0
    while True:
        try:
            frame = ends.read_frame(1.0)
        except EndOfInput:
            return count
        assert frame is not None
        assert frame.pcm.shape == (FRAME,)
        ends.write_frame(frame.pcm * np.float32(scale))
        count += 1


@pytest.mark.parametrize(("samples", "frames"), [(0, 0), (1, 1), (1920, 1), (1921, 2), (24000, 13)])
def test_input_is_padded_to_whole_frames_and_the_answer_trimmed(samples, frames):
    pcm = np.linspace(-0.9, 0.9, samples, dtype=np.float32)
    ends = WavAudio(pcm)
    assert echo(ends) == frames
    assert np.array_equal(ends.answers, pcm)
    assert np.array_equal(ends.heard, pcm)


def test_lead_silence_counts_in_the_length_of_the_answer():
    """User report C12: 1 s of silence before 2 s of sound."""
    pcm = np.full(48000, 0.5, np.float32)
    ends = WavAudio(pcm, lead_silence_s=1.0)
    assert echo(ends) == 38
    assert len(ends.answers) == len(ends.heard) == 72000
    assert not ends.heard[:24000].any()
    assert np.array_equal(ends.answers[24000:], pcm)


def test_an_answer_sits_where_its_frame_was_heard():
    ends = WavAudio(np.zeros(FRAME * 4, np.float32))
    ends.open()
    for _ in range(3):
        ends.read_frame(0.0)
    ends.write_frame(np.ones(FRAME, np.float32))
    assert not ends.answers[: 2 * FRAME].any()
    assert ends.answers[2 * FRAME : 3 * FRAME].all()
    assert not ends.answers[3 * FRAME :].any()


def test_opening_again_starts_again():
    ends = WavAudio(np.full(FRAME * 2, 0.25, np.float32))
    assert echo(ends) == 2
    ends.open()
    assert not ends.answers.any()
    assert ends.read_frame(0.0) is not None


def test_muted_frames_are_zeros_while_time_goes_on():
    """User report U9: mute for 10 s gives 125 frames of silence."""
    ends = WavAudio(np.full(FRAME * 130, 0.5, np.float32))
    ends.open()
    ends.muted = True
    silent = [ends.read_frame(0.0) for _ in range(125)]
    assert all(frame is not None and not frame.pcm.any() for frame in silent)
    ends.muted = False
    frame = ends.read_frame(0.0)
    assert frame is not None
    assert np.all(frame.pcm == np.float32(0.5))
    assert ends.frames_read == 126


def test_realtime_frames_come_when_a_microphone_would_deliver_them():
    clock = Clock()
    ends = WavAudio(np.zeros(FRAME * 10, np.float32), realtime=True, clock=clock, sleep=clock.sleep)
    ends.open()
    start = clock.ns
    for index in range(10):
        frame = ends.read_frame(1.0)
        assert frame is not None
        assert clock.ns - start == pytest.approx((index + 1) * 80_000_000, abs=1000)
        assert frame.adc_time_s == pytest.approx(start / 1e9 + index * 0.08, abs=1e-6)


def test_a_short_timeout_returns_without_a_frame():
    clock = Clock()
    ends = WavAudio(np.zeros(FRAME, np.float32), realtime=True, clock=clock, sleep=clock.sleep)
    ends.open()
    assert ends.read_frame(0.05) is None
    assert ends.read_frame(0.05) is not None


def test_status_says_how_far_the_engine_is_behind():
    clock = Clock()
    ends = WavAudio(np.full(FRAME * 100, 0.5, np.float32), realtime=True, clock=clock, sleep=clock.sleep)
    ends.open()
    ends.read_frame(1.0)
    assert ends.status().queued_ms == pytest.approx(0.0, abs=1e-3)
    clock.sleep(0.2)
    assert ends.status().queued_ms == pytest.approx(200.0, abs=1e-3)
    assert ends.status().input_dbfs == pytest.approx(-6.02, abs=0.01)


def test_overshoot_is_limited_once_and_counted():
    """User report A21: peaks of +1.3 and -1.3 flip no sign and stay within 16 bits."""
    block = np.zeros(FRAME, np.float32)
    block[::2], block[1::2] = 1.3, -1.3
    ends = WavAudio(np.zeros(FRAME, np.float32))
    ends.open()
    ends.read_frame(0.0)
    ends.write_frame(block)
    assert ends.status().limited == FRAME
    pcm = to_pcm16(block)
    assert pcm.dtype == np.int16
    assert pcm.max() == 32767
    assert np.array_equal(np.sign(pcm), np.sign(block))
    assert np.array_equal(to_pcm16(ends.answers), pcm)


def test_what_is_not_a_number_becomes_silence():
    block = np.array([np.nan, np.inf, -np.inf, 0.5], np.float32)
    out = np.empty(4, np.float32)
    assert limit_into(block, out) == 3
    assert out.tolist() == [0.0, 1.0, -1.0, 0.5]


def test_levels():
    assert dbfs(1.0) == 0.0
    assert dbfs(0.0) == dbfs(1e-30) == -120.0
