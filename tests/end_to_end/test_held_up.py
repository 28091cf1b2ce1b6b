"""A talk in the real window that is held up: its window's thread alone, then the whole process, as a computer that
sleeps holds it up. Sound goes on in the first case, and comes back by itself in the second."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.end_to_end.program import Program
from tests.end_to_end.rig import RATE, Screen, SoundServer

STALL_S = 5.0
ASLEEP_S = 12.0  # longer than the watchdog waits for a frame
FRAME_S = 0.08


@pytest.fixture
def program(sound: SoundServer, screen: Screen, tmp_path: Path) -> Iterator[Program]:
    program = Program(sound, screen, tmp_path, [])
    yield program
    program.end()


@pytest.mark.sound
@pytest.mark.timeout(300)
def test_sound_goes_on_without_the_window_and_comes_back_after_a_sleep(
    program: Program, sound: SoundServer, tmp_path: Path
) -> None:
    """User report R6: the window's thread is blocked for 5 s in the middle of a talk."""
    program.wait(lambda now: now["phase"] == "ready", 120, "the bundled model is loaded")
    noise = np.random.default_rng(1).normal(0, 2e-4, 120 * RATE)
    soundfile.write(tmp_path / "room.wav", noise, RATE, subtype="PCM_16")
    sound.say(tmp_path / "room.wav")
    program.press("F5")
    program.wait(lambda now: now["frames"] >= 38, 60, "three seconds of talk")

    before = program.records()[-1]
    assert program.ask("stall", seconds=STALL_S)
    after = program.records()
    during = [record for record in after if record["clock_ns"] > before["clock_ns"]]
    passed = (during[-1]["clock_ns"] - before["clock_ns"]) / 1e9
    left_out = during[-1]["skipped"] - before["skipped"]
    assert passed >= STALL_S - 1
    assert abs(passed - (len(during) + left_out) * FRAME_S) <= 0.25, "every frame of the stall was answered or counted"
    assert len(during) >= 0.7 * STALL_S / FRAME_S

    program.hold_up(ASLEEP_S)
    frames = program.state()["frames"]
    now = awake(program, frames)
    assert now["phase"] == "talking"
    assert now["last"]["queued_ms"] <= 320, "it hears what is said now, not what was said before"
    assert "stuck" not in now["kinds"]
    program.press("F5")
    program.wait(lambda now: now["phase"] == "ready", 30, "the talk has ended")
    assert program.quit() == 0
    assert "Traceback" not in program.log.read_text(errors="replace")


def awake(program: Program, frames: int) -> dict[str, Any]:
    """Two seconds of frames more than there were; troubles may stand meanwhile, since the sound was away."""
    for _ in range(600):
        now = program.state()
        assert "stuck" not in now["kinds"], now
        if now["frames"] >= frames + 25:
            return now
        time.sleep(0.1)
    raise AssertionError(f"no frames after the sleep: {program.state()}")
