"""The microphone's sound on its way to the model: re-blocking, noise suppression, automatic gain, telling speech."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from app.input_chain import InputChain
from app.input_level import AutomaticGain, SpeechMeter
from app.noise import MISSING, NoiseSuppressor
from app.playback import PlaybackPolicy
from app.ring import SAMPLE_RATE
from app.talk_sound import TalkSound
from tests.app.rooms import decibels, noise, voice

HOP = 240


def chain(**switches: object) -> InputChain:
    talk = TalkSound(PlaybackPolicy())
    for name, value in switches.items():
        setattr(talk, name, value)
    return InputChain(talk, None)


def speech_level(signal: np.ndarray) -> float:
    """In dB, of what sounds."""
    blocks = signal[: len(signal) // HOP * HOP].reshape(-1, HOP)
    power = np.mean(blocks**2, 1)
    return float(10 * np.log10(np.mean(power[power > 1e-3 * power.max()])))


def run(made: InputChain, signal: np.ndarray) -> np.ndarray:
    return np.concatenate([made.process(signal[s : s + 480], 0.0, 0.0)[0] for s in range(0, len(signal), 480)])


def test_blocks_of_any_length_come_out_whole_and_in_time():
    made = chain()
    signal = np.arange(4800, dtype=np.float32) / 4800
    out, at = [], 0
    for length in (1, 239, 241, 480, 7, 0, 960, 2872):
        given = made.process(signal[at : at + length], 100.0 + at / SAMPLE_RATE, 0.0)
        assert given[1] == pytest.approx(100.0 + sum(map(len, out)) / SAMPLE_RATE)
        out.append(given[0])
        at += length
        assert len(given[0]) % HOP == 0
        assert made.waiting == at - sum(map(len, out)) < HOP
    assert np.array_equal(np.concatenate(out), signal)


@pytest.mark.parametrize(("level", "gain_db"), [(0.02, 12.0), (0.04, 5.0), (0.4, -12.0), (0.08, 0.0)])
def test_the_gain_brings_a_voice_to_one_level_within_bounds(level, gain_db):
    made = chain(auto_gain=True)
    spoken = voice(25, seed=1, level=level)
    out = run(made, spoken)
    assert made.gain_db == pytest.approx(gain_db, abs=3.5)
    assert abs(made.gain_db) <= 12.0
    assert np.max(np.abs(out)) <= max(0.96, np.max(np.abs(spoken)))


def test_the_gain_is_slow_and_never_lifts_the_rooms_noise():
    made = chain(auto_gain=True)
    hum = np.concatenate([noise(3 * SAMPLE_RATE, -70), noise(10 * SAMPLE_RATE, -45)])  # a fan that starts
    run(made, hum)
    assert made.gain_db < 6
    steady = made.gain_db
    run(made, noise(10 * SAMPLE_RATE, -45))
    assert made.gain_db == steady
    made = chain(auto_gain=True)
    run(made, voice(1.0, seed=2, level=0.01))
    assert 0 < made.gain_db < 2.5


def test_a_shout_makes_the_gain_give_way_at_once():
    gain, meter = AutomaticGain(), SpeechMeter()
    gain.gain_db = 12.0
    for _ in range(3):
        block = np.full(HOP, 0.7, np.float32)
        meter.add(block)
        out = gain.process(block, meter, True)
        assert np.max(np.abs(out)) <= 0.96
    assert gain.gain_db < 3.0


def test_the_gain_switched_off_returns_to_nothing():
    made = chain(auto_gain=True)
    run(made, voice(10, seed=3, level=0.02))
    assert made.gain_db > 6
    made._talk.auto_gain = False
    signal = voice(4, seed=4)
    out = run(made, signal)
    assert made.gain_db == 0.0
    assert np.array_equal(out[-SAMPLE_RATE:], signal[-SAMPLE_RATE:])


def test_somebody_talking_is_told_from_noise_and_from_a_cough():
    def talks(signal: np.ndarray) -> bool:
        meter = SpeechMeter()
        for start in range(0, len(signal) - HOP + 1, HOP):
            meter.add(signal[start : start + HOP])
        return meter.talking

    assert talks(voice(4, seed=5, level=0.03) + noise(4 * SAMPLE_RATE, -60))
    assert not talks(noise(20 * SAMPLE_RATE, -35))
    cough = noise(4 * SAMPLE_RATE, -60)
    cough[SAMPLE_RATE : SAMPLE_RATE + 7200] += noise(7200, -20)
    assert not talks(cough)


def test_noise_suppression_without_its_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pywebrtc_audio", None)
    suppressor = NoiseSuppressor()
    block = np.ones(HOP, np.float32)
    assert suppressor.process(block, False) is block
    assert suppressor.trouble == ""
    assert suppressor.process(block, True) is block
    assert suppressor.trouble == MISSING
    assert "pip install" in MISSING
    suppressor.process(block, False)
    assert suppressor.trouble == ""


def test_noise_suppression_that_breaks_does_not_end_the_talk(monkeypatch):
    class Broken:
        def __init__(self, **settings: object) -> None:
            pass

        def process(self, block: np.ndarray) -> np.ndarray:
            raise ValueError("a fault")

    monkeypatch.setitem(sys.modules, "pywebrtc_audio", SimpleNamespace(AudioProcessor=Broken))
    suppressor = NoiseSuppressor()
    block = np.ones(HOP, np.float32)
    assert suppressor.process(block, True) is block
    assert "left out" in suppressor.trouble


def test_noise_suppression_turns_noise_down_and_keeps_the_voice():
    pytest.importorskip("pywebrtc_audio")
    made = chain(noise_suppression=True)
    signal = noise(8 * SAMPLE_RATE, -40)
    signal[4 * SAMPLE_RATE :] += voice(4, seed=6)
    out = run(made, signal)
    assert decibels(out[2 * SAMPLE_RATE : 4 * SAMPLE_RATE]) < -46
    assert speech_level(out[4 * SAMPLE_RATE :]) == pytest.approx(speech_level(signal[4 * SAMPLE_RATE :]), abs=2.0)
