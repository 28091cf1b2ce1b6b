"""Sound check and recording in the real program, over virtual devices: what was said and answered is in the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app.audio import to_pcm16
from tests.end_to_end.program import ROOT, Program
from tests.end_to_end.rig import RATE, Screen, SoundServer, wait_until

SPEECH = ROOT / "assets" / "speech" / "hello.wav"
LOUD = 0.01  # of full scale; far above a silent room


@pytest.fixture
def program(sound: SoundServer, screen: Screen, tmp_path: Path) -> Iterator[Program]:
    settings = ["--set", "model.mode=eager", "--set", f"record.folder={tmp_path / 'Gespräche und mehr'}"]
    program = Program(sound, screen, tmp_path, settings)
    yield program
    program.end()


def ended(program: Program) -> dict[str, Any]:
    """How the sound check stands once it has ended."""
    wait_until(lambda: program.ask("check")["doing"] == "", 30, "the check has ended")
    return dict(program.ask("check"))


@pytest.mark.sound
@pytest.mark.timeout(400)
def test_a_check_and_a_recorded_talk(program: Program, sound: SoundServer, tmp_path: Path) -> None:
    program.wait(lambda now: now["phase"] == "ready", 120, "the bundled model is loaded")

    sound.say(SPEECH)
    program.ask("check", what="record", seconds=2.0)
    recorded = ended(program)
    assert recorded["recorded_s"] > 1.9
    assert recorded["loudest_dbfs"] > -40, "the speech was heard"
    heard = sound.record(tmp_path / "chime.raw")
    program.ask("check", what="chime")
    ended(program)
    assert np.abs(heard.stop()).max() > LOUD * 32767, "it came out of the loudspeaker"

    program.press("ctrl+r")
    program.press("F5")
    program.wait(lambda now: now["phase"] == "talking", 30, "the talk has begun")
    sound.say(SPEECH)
    program.wait(lambda now: now["frames"] >= 50, 60, "four seconds of talk")
    program.press("F5")
    end = program.wait(lambda now: now["phase"] == "ready", 20, "the talk has ended")
    answers = program.answers()
    assert program.quit() == 0

    (path,) = (tmp_path / "Gespräche und mehr").iterdir()
    assert path.stat().st_mode & 0o077 == 0, "the owner's alone"
    samples, rate = soundfile.read(str(path), dtype="int16")
    assert rate == RATE / 2
    frames = end["frames"] + end["last"]["skipped"]
    assert abs(len(samples) / 1920 - frames) <= 2
    assert np.abs(samples[:, 0]).max() > LOUD * 32767, "the user on the left"
    spoken = samples[:, 1] if end["last"]["skipped"] == 0 else samples[-1920:, 1]
    said = to_pcm16(answers[-len(spoken) :])
    assert (spoken == said).all(), "the model on the right, as it said it"
