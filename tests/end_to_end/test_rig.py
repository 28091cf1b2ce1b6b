"""The rig itself: what is played into the microphone is heard there, and gaps in a recording are found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.end_to_end.rig import RATE, Screen, SoundServer, find_in, silent_runs

LOOP = """
import sys, time, sounddevice
print([device["name"] for device in sounddevice.query_devices()], flush=True)
def copy(heard, spoken, frames, clock, status):
    spoken[:] = heard
with sounddevice.Stream(samplerate=48000, blocksize=960, channels=1, dtype="float32", latency="low", callback=copy):
    print("open", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.sound
def test_microphone_and_loudspeaker_are_joined_by_a_program(sound: SoundServer, tmp_path: Path) -> None:
    noise = np.random.default_rng(5).normal(0, 0.1, 2 * RATE).astype(np.float32)
    soundfile.write(tmp_path / "noise.wav", noise, RATE)
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": sound.environment}
    with subprocess.Popen([sys.executable, "-c", LOOP], **options) as loop:
        names = loop.stdout.readline()
        assert loop.stdout.readline() == "open\n", names
        recording = sound.record(tmp_path / "heard.raw")
        assert sound.say(tmp_path / "noise.wav").wait(20) == 0
        heard = recording.stop().astype(np.float32) / 32768
        loop.communicate("\n", timeout=20)
    # Piece by piece: on a busy computer the sound server slips a few samples, which a single look would not forgive.
    pieces = noise.reshape(10, -1)
    places = [find_in(heard, piece) for piece in pieces]
    assert sum(likeness > 0.5 for likeness, _ in places) >= 8, places


@pytest.mark.sound
def test_the_screen_takes_a_hand(screen: Screen) -> None:
    assert screen.hand("getdisplaygeometry").split() == ["1280", "900"]


def test_silent_runs_are_found_between_sounds_only() -> None:
    sound = np.array([0, 0, 0, 5, 0, 0, 0, 0, -3, 0, 7, 0, 0, 0, 0, 0], dtype=np.int16)
    assert silent_runs(sound, 3) == [(4, 8)]
    assert silent_runs(sound, 1) == [(4, 8), (9, 10)]
    assert silent_runs(np.zeros(9, dtype=np.int16), 1) == []
    assert silent_runs(np.ones(9, dtype=np.int16), 1) == []
