"""What the model is given of a talk on scripted devices: echo taken out, silence unless it is to hear, and hints."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from app.ring import FRAME, SAMPLE_RATE
from tests.app.fake_portaudio import FakeDevice, SoundRig, loudspeaker, microphone, tone
from tests.app.rooms import decibels, noise, voice
from tests.app.test_device_audio import kinds, sentences

STARTED_S = 1000.02  # virtual time of the loudspeaker's first callback


class Desktop:
    """A microphone that hears the loudspeaker `lag_s` later, `gain` times as loud, and whatever else is said."""

    def __init__(
        self, gain: float, *, lag_s: float = 0.12, near: np.ndarray | None = None, honest: bool = True, **settings: Any
    ) -> None:
        self.gain, self.lag_s = gain, lag_s
        self.near = near
        self.speaker = loudspeaker(honest_times=honest)
        self.mic = microphone(signal=self._hear, honest_times=honest)
        self.rig = SoundRig(self.mic, self.speaker, **settings)
        self._answers = voice(30, seed=1)
        self._answered = 0

    def _hear(self, seconds: np.ndarray) -> np.ndarray:
        block = len(self.speaker.heard[0]) if self.speaker.heard else 960
        tail = self.speaker.heard[-60:]
        played = np.concatenate(tail) if tail else np.zeros(1, np.float32)
        first = (len(self.speaker.heard) - len(tail)) * block
        places = (seconds - self.lag_s - self.speaker.delay_s - STARTED_S) * 48000 - first
        out = self.gain * np.interp(places, np.arange(len(played)), played, left=0.0, right=0.0)
        if self.near is not None:
            out = out + np.interp((seconds - 1000) * SAMPLE_RATE, np.arange(len(self.near)), self.near, right=0.0)
        return out.astype(np.float32)

    def run(self, seconds: float) -> None:
        self.rig.run(seconds, self._answer)

    def _answer(self, frame: np.ndarray) -> np.ndarray:
        start = self._answered % (len(self._answers) - FRAME)
        self._answered += FRAME
        return self._answers[start : start + FRAME]

    def given(self, seconds: float) -> np.ndarray:
        """What the model was given in the last seconds."""
        return np.concatenate(self.rig.frames[-round(seconds * 12.5) :])


@pytest.mark.parametrize("honest", [True, False])
def test_the_model_is_not_given_its_own_voice(honest):
    """User report C15: on real rings, at 48 kHz, with converter times or without."""
    desktop = Desktop(0.3, honest=honest)
    desktop.rig.audio.open()
    desktop.run(8.0)
    status = desktop.rig.audio.status()
    echo_db = decibels(desktop._answers) + 20 * np.log10(0.3)
    assert decibels(desktop.given(2.5)) < echo_db - 25
    assert status.echo_active
    assert status.echo_removed_db > 20
    assert kinds(desktop.rig) == []


def test_with_cancelling_off_it_is_said_that_the_model_hears_itself():
    """User report C15: the microphone hears 0.3 of the output 120 ms later, for 5 s."""
    desktop = Desktop(0.3, echo="off")
    desktop.rig.audio.open()
    desktop.run(5.0)
    assert kinds(desktop.rig) == ["audio-echo"]
    assert "hears itself" in sentences(desktop.rig)
    assert "turn echo cancelling on" in sentences(desktop.rig)
    assert not desktop.rig.audio.status().echo_active


def test_a_weak_echo_under_noise_is_said_too():
    """User report C16: a cable that couples at -40 dB, under a noise of -55 dBFS."""
    desktop = Desktop(0.01, near=noise(30 * SAMPLE_RATE, -55), echo="off")
    desktop.rig.audio.open()
    desktop.run(20.0)
    assert kinds(desktop.rig) == ["audio-echo"]


def test_a_weak_echo_that_is_being_cancelled_is_no_trouble():
    """User report C16: nothing is said of what no model will answer."""
    desktop = Desktop(0.01, near=noise(30 * SAMPLE_RATE, -55))
    desktop.rig.audio.open()
    for _ in range(20):
        desktop.run(1.0)
        assert kinds(desktop.rig) == []
    assert desktop.rig.audio.status().echo_active


@pytest.mark.parametrize("echo", ["off", "auto"])
def test_a_user_who_only_talks_is_no_echo(echo):
    """User report C15: nothing is said, and nothing of the user's sound is changed."""
    near = voice(12, seed=40, pitch_hz=200)
    rigs = [Desktop(0.0, near=near, echo=mode) for mode in ("off", echo)]
    for desktop in rigs:
        desktop.rig.audio.open()
        desktop.run(12.0)
        assert kinds(desktop.rig) == []
    plain, through = (np.concatenate(desktop.rig.frames) for desktop in rigs)
    assert np.array_equal(plain, through)


def test_the_switch_for_echo_acts_in_the_talk():
    desktop = Desktop(0.3, echo="off")
    audio = desktop.rig.audio
    audio.open()
    desktop.run(5.0)
    audio.settings = dataclasses.replace(audio.settings, echo="auto")
    desktop.run(8.0)
    assert audio.status().echo_removed_db > 20
    assert kinds(desktop.rig) == []


# ---------------------------------------------------------------- talk key and mute


def test_with_push_to_talk_the_model_hears_only_while_the_key_is_held():
    """User report U9: time goes on meanwhile."""
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker(), talk_key_mode="push")
    rig.audio.open()
    rig.run(1.0)
    assert len(rig.frames) >= 11
    assert not any(frame.any() for frame in rig.frames)
    assert not rig.audio.status().hearing
    rig.audio.talk_key_held = True
    rig.run(0.5)
    assert rig.frames[-1].all()
    assert rig.audio.status().hearing
    rig.audio.muted = True  # mute is mute, whatever the key does
    rig.run(0.5)
    assert not rig.frames[-1].any()
    rig.audio.muted = False
    rig.audio.talk_key_held = False
    rig.run(0.5)
    assert not rig.frames[-1].any()


def test_the_talk_key_means_nothing_with_an_open_microphone():
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.audio.talk_key_held = False
    rig.run(0.5)
    assert rig.frames[-1].any()
    assert rig.audio.status().hearing


def test_talking_while_muted_is_said():
    mic = FakeDevice("Microphone", inputs=1)
    spoken = voice(60, seed=41)
    room_noise = noise(60 * SAMPLE_RATE, -65)
    talks = [False]

    def hear(seconds: np.ndarray) -> np.ndarray:
        at = ((seconds - 1000) * SAMPLE_RATE).astype(int) % len(spoken)
        return room_noise[at] + (spoken[at] if talks[0] else 0.0)

    mic.signal = hear
    rig = SoundRig(mic, loudspeaker())
    rig.audio.open()
    rig.audio.muted = True
    rig.run(4.0)
    assert kinds(rig) == []
    talks[0] = True
    rig.run(3.0)
    assert kinds(rig) == ["audio-muted"]
    assert "unmute" in sentences(rig)
    rig.audio.muted = False
    rig.run(0.1)
    assert kinds(rig) == []
    rig.audio.settings = dataclasses.replace(rig.audio.settings, talk_key_mode="push")
    rig.run(0.5)
    assert "hold the talk key" in sentences(rig)
    talks[0] = False
    rig.run(4.0)
    assert kinds(rig) == []


def test_the_models_own_echo_is_nobody_talking_while_muted():
    desktop = Desktop(0.3)
    desktop.rig.audio.open()
    desktop.run(6.0)
    desktop.rig.audio.muted = True
    desktop.run(5.0)
    assert kinds(desktop.rig) == []


def test_the_gain_is_shown():
    near = voice(20, seed=42, level=0.02)
    desktop = Desktop(0.0, near=near, auto_gain=True)
    desktop.rig.audio.open()
    desktop.run(15.0)
    assert desktop.rig.audio.status().gain_db > 6
