"""Rings: nothing lost, nothing twice, and a bound on what waits."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from app.ring import FRAME, FrameRing, SampleRing

MAX_WAITING = 5760  # 240 ms


def ramp(start: int, count: int) -> np.ndarray:
    return np.arange(start, start + count, dtype=np.float32)


def test_reads_are_filled_from_several_chunks():
    """User report A19: short chunks must not leave an output block half empty while data waits."""
    ring = SampleRing(8192)
    whole = ramp(0, 1920 + 1 + 1919 + 3840 + 7)
    start = 0
    for size in (1920, 1, 1919, 3840, 7):
        assert ring.write(whole[start : start + size]) == size
        start += size
    out = []
    while ring.readable:
        block = np.zeros(512, np.float32)
        count = ring.read_into(block)
        assert count == min(512, len(whole) - 512 * len(out))
        out.append(block[:count])
    assert np.array_equal(np.concatenate(out), whole)


def test_a_full_ring_takes_what_fits_and_says_so():
    ring = SampleRing(10)
    assert ring.write(ramp(0, 7)) == 7
    assert ring.write(ramp(7, 7)) == 3
    block = np.zeros(20, np.float32)
    assert ring.read_into(block) == 10
    assert np.array_equal(block[:10], ramp(0, 10))
    assert ring.free == 10


def test_peek_leaves_the_samples_and_the_writers_room_alone():
    ring = SampleRing(8)
    ring.write(ramp(0, 8))
    block = np.zeros(5, np.float32)
    assert ring.peek_into(block) == 5
    assert ring.free == 0
    assert ring.skip(3) == 3
    assert ring.read_into(block) == 5
    assert np.array_equal(block, ramp(3, 5))


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_channels_survive_the_wrap(channels):
    ring = SampleRing(100, channels)
    signal = np.arange(1000 * channels, dtype=np.float32).reshape(1000, channels)
    signal = signal[:, 0] if channels == 1 else signal
    out = np.zeros_like(signal)
    read = 0
    for start in range(0, 1000, 40):
        assert ring.write(signal[start : start + 40]) == 40
        read += ring.read_into(out[read : read + 41])
    while ring.readable:
        read += ring.read_into(out[read:])
    assert read == 1000
    assert np.array_equal(out, signal)


def test_one_channel_fills_all_channels_of_a_block():
    ring = SampleRing(6)
    ring.write(ramp(0, 4))
    ring.skip(4)
    ring.write(ramp(4, 5))  # wraps
    block = np.zeros((5, 2), np.float32)
    assert ring.read_into(block) == 5
    assert np.array_equal(block, np.stack([ramp(4, 5), ramp(4, 5)], axis=1))


def test_two_threads_exchange_every_sample_in_order():
    ring = SampleRing(777)
    total = 100_000
    received: list[np.ndarray] = []

    def read():
        left = total
        while left:
            block = np.zeros(256, np.float32)
            count = ring.read_into(block)
            received.append(block[:count])
            left -= count

    reader = threading.Thread(target=read)
    reader.start()
    position = 0
    while position < total:
        position += ring.write(ramp(position, min(311, total - position)))
    reader.join(20)
    assert not reader.is_alive()
    assert np.array_equal(np.concatenate(received), ramp(0, total))


def test_frames_are_reblocked_with_the_time_of_their_first_sample():
    ring = FrameRing()
    for start in range(0, 9600, 441):
        ring.write(ramp(start, min(441, 9600 - start)), time_s=5.0 + start / 24000)
    assert ring.frames_waiting == 5
    for index in range(5):
        frame = ring.take(24000)
        assert frame is not None
        assert np.array_equal(frame.pcm, ramp(index * FRAME, FRAME))
        assert frame.time_s == pytest.approx(5.0 + index * 0.08)
    assert ring.take(24000) is None


def test_a_stalled_reader_finds_only_the_newest_frames():
    """User report R7: 50 frames at once after a stall of 4 s: two are processed, 48 counted as dropped."""
    ring = FrameRing()
    for index in range(50):
        ring.write(ramp(index * FRAME, FRAME))
    taken = []
    while (frame := ring.take(MAX_WAITING)) is not None:
        taken.append(frame.pcm[0] // FRAME)
    assert taken == [48, 49]
    assert ring.dropped == 48
    assert ring.frames_in == ring.frames_out + ring.dropped + ring.frames_waiting == 50


def test_no_frame_is_older_than_the_bound_and_all_are_accounted_for():
    """User reports R2 and R11: 101.7 ms of engine per 80 ms of sound, for 120 s."""
    ring = FrameRing()
    now_ms, engine_free_ms, worst_ms = 0.0, 0.0, 0.0
    while now_ms < 120_000:
        now_ms += 10
        ring.write(np.zeros(240, np.float32), time_s=(now_ms - 10) / 1000)
        if now_ms >= engine_free_ms and (frame := ring.take(MAX_WAITING)) is not None:
            worst_ms = max(worst_ms, now_ms - frame.time_s * 1000)
            engine_free_ms = now_ms + 101.7
    counted = (ring.frames_in, ring.frames_out, ring.dropped, ring.frames_waiting)
    assert ring.frames_in == ring.frames_out + ring.dropped + ring.frames_waiting, counted
    assert worst_ms <= 240 + 1e-6
    assert 0.18 < ring.dropped / ring.frames_in < 0.28, counted


def test_drops_in_a_normal_talk_keep_the_sum():
    """User report R11: 346 frames, of which stalls drop some: in = out + dropped, with the numbers in the message."""
    ring = FrameRing()
    out = 0
    for index in range(346):
        ring.write(np.zeros(FRAME, np.float32))
        if index % 70 > 4:  # five stalls of five frames
            while ring.take(MAX_WAITING) is not None:
                out += 1
    counted = (ring.frames_in, ring.frames_out, ring.dropped, ring.frames_waiting)
    assert ring.dropped > 0, counted
    assert out == ring.frames_out
    assert ring.frames_in == ring.frames_out + ring.dropped + ring.frames_waiting == 346, counted
