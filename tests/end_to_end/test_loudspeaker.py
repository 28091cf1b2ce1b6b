"""Echo on a real sound system: the microphone hears nothing but the loudspeaker, through the sound server's own delay
and clock, and what the model is given is next to silence."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.end_to_end.program import ROOT
from tests.end_to_end.rig import SoundServer

SPEECH = ROOT / "assets" / "speech" / "hello.wav"


def talk(sound: SoundServer, seconds: float, echo: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.end_to_end.loudspeaker_talk", str(SPEECH), str(seconds), echo]
    environment = {**sound.environment, "PYTHONPATH": str(ROOT), "PULSE_SOURCE": "speaker.monitor"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds + 60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.sound
@pytest.mark.timeout(120)
def test_the_model_is_not_given_what_the_loudspeaker_plays(sound: SoundServer) -> None:
    """User report C15."""
    heard = talk(sound, 15, "auto")
    assert heard["frames"] > 120
    assert heard["active"], heard
    assert heard["given_db"] < heard["answers_db"] - 20, heard
    assert "audio-echo" not in heard["troubles"]


@pytest.mark.sound
@pytest.mark.timeout(120)
def test_without_cancelling_it_is_noticed(sound: SoundServer) -> None:
    """User report C15."""
    heard = talk(sound, 8, "off")
    assert heard["given_db"] == pytest.approx(heard["answers_db"], abs=3), heard
    assert "audio-echo" in heard["troubles"], heard
