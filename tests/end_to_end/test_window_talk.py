"""A talk in the real window: speech into a virtual microphone, the reply off a virtual loudspeaker, keys and mouse
through a real screen, the bundled model. The recording and two pictures of the screen stay in artifacts/."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.end_to_end.program import ROOT, Program
from tests.end_to_end.rig import ARTIFACTS, RATE, Screen, SoundServer, find_in, silent_runs
from tests.sockets import listening

SPEECH = ROOT / "assets" / "speech" / "hello.wav"
SHORTEST_GAP = RATE // 200  # 5 ms: what can be heard as a gap, and longer than the sound server's own slips
ONE_STUTTER = RATE // 10  # silences closer together than this are one gap to the ear, and one to the program
SPOKEN = 3e-3  # -50 dBFS: what is softer, 16 bits and the room do not leave alone
PIECE_S = 0.4


@pytest.fixture
def program(sound: SoundServer, screen: Screen, tmp_path: Path) -> Iterator[Program]:
    program = Program(sound, screen, tmp_path, [])
    yield program
    program.end()


@pytest.mark.sound
@pytest.mark.timeout(900)
def test_a_talk_through_microphone_and_loudspeaker(program: Program, sound: SoundServer, tmp_path: Path) -> None:
    program.wait(lambda now: now["phase"] == "ready", 120, "the bundled model is loaded")

    # Built beforehand, so that both switches in the talk are switches and nothing else.
    program.press("ctrl+3")
    program.wait(lambda now: now["mode"] == "compiled" and now["phase"] == "ready", 400, "compiled mode is built")
    program.press("ctrl+2")
    program.wait(lambda now: now["mode"] == "eager", 20, "eager mode is back")

    # A room is never digitally silent; a microphone that is would rightly be reported.
    noise = np.random.default_rng(1).normal(0, 2e-4, 120 * RATE)
    soundfile.write(tmp_path / "room.wav", noise, RATE, subtype="PCM_16")
    room = sound.say(tmp_path / "room.wav")
    recording = sound.record(tmp_path / "reply.raw")
    program.press("F5")
    program.wait(lambda now: now["phase"] == "talking", 30, "the talk has begun")
    speaking = sound.say(SPEECH)
    program.wait(lambda now: now["frames"] >= 38, 30, "three seconds of talk")
    assert listening(program.process.pid) == set(), "a desktop program listens on nothing (user report S2)"

    program.press("ctrl+3")
    by_shortcut = program.wait(lambda now: ran(now, "compiled") >= 25, 30, "two seconds of compiled frames")
    assert by_shortcut["checked"]["main"] == ["compiled"]
    program.picture(ARTIFACTS / "talk.png")

    program.press("ctrl+comma")
    program.click("settings", "list:Engine")
    program.click("settings", "radio_eager")
    by_settings = program.wait(
        lambda now: now["mode"] == "eager" and now["runs"][-1][1] >= 25, 30, "two seconds of eager frames"
    )
    assert by_settings["checked"] == {"main": ["eager"], "settings": ["eager"]}
    program.picture(ARTIFACTS / "talk-and-settings.png")

    program.hold_up(0.3)  # so that there is a gap to be found
    speaking.wait(60)
    time.sleep(0.5)
    program.press("F5", window="settings")
    end = program.wait(lambda now: now["phase"] == "ready", 20, "the talk has ended")
    heard = recording.stop()
    soundfile.write(ARTIFACTS / "reply.wav", heard, RATE, subtype="PCM_16")
    (ARTIFACTS / "talk.json").write_text(json.dumps({"state": end, "frames": program.ask("records")}))
    answers = program.answers()
    assert room.poll() is None
    assert program.quit() == 0
    assert "Traceback" not in program.log.read_text(errors="replace")

    assert end["troubles"] == []
    assert [mode for mode, _ in end["runs"]] == ["eager", "compiled", "eager"], "each switch took effect once"
    assert end["heard_dbfs"] > -40, "the speech reached the microphone"
    assert_gaps_are_counted(heard, answers, end["last"]["gaps"])
    assert_length_is_right(heard, answers, frames=end["frames"])
    assert_reply_is_what_was_answered(heard, answers)


def ran(state: dict, mode: str) -> int:
    """Frames that the mode has run in this talk."""
    return sum(count for name, count in state["runs"] if name == mode)


def assert_gaps_are_counted(heard: np.ndarray, answers: np.ndarray, counted: int) -> None:
    """Every silence between sounds of the reply is one that the program knows of, or the model's own."""
    gaps = joined(silent_runs(heard, SHORTEST_GAP))
    own = silent_runs(np.round(answers * 32767).astype(np.int16), SHORTEST_GAP // 2)
    assert max(b - a for a, b in gaps) > 0.1 * RATE, "the program was held up for longer than what it keeps in hand"
    assert len(gaps) <= counted + len(own), f"{len(gaps)} gaps heard {gaps}, {counted} counted, {len(own)} silences"


def joined(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs with only a snippet of sound between them become one."""
    whole: list[tuple[int, int]] = []
    for start, end in runs:
        if whole and start - whole[-1][1] < ONE_STUTTER:
            whole[-1] = (whole[-1][0], end)
        else:
            whole.append((start, end))
    return whole


def assert_length_is_right(heard: np.ndarray, answers: np.ndarray, frames: int) -> None:
    assert len(answers) == frames * 1920, "one answer for every frame"
    assert np.abs(heard).max() > 300, "the reply can be heard"
    sounding = np.flatnonzero(heard)
    paused = sum(b - a for a, b in silent_runs(heard, SHORTEST_GAP)) / RATE
    played = (sounding[-1] - sounding[0]) / RATE - paused
    spoken = np.flatnonzero(np.round(answers * 32767))
    answered = (spoken[-1] - spoken[0]) / 24000
    # What is under way when the talk stops is not played, the first answer is faded in, and by as much as sound came
    # late in a gap, as much is left out of the answers after it, so that the lag does not stay.
    assert answered - 0.6 - paused < played < answered + 0.2


def assert_reply_is_what_was_answered(heard: np.ndarray, answers: np.ndarray) -> None:
    """Pieces of the engine's answers in which it speaks are found in the recording, in their order."""
    sound = heard[: heard.size // 2 * 2].reshape(-1, 2).mean(axis=1)  # to 24 kHz
    size = int(PIECE_S * 24000)
    middle = answers[size : answers.size - 2 * size]
    pieces = middle[: middle.size // size * size].reshape(-1, size)
    found = [find_in(sound, piece) for piece in pieces if np.sqrt(np.mean(piece**2)) > SPOKEN]
    assert found, "the model has spoken"  # how long is its own draw: a greeting takes less than a second
    places = [place for likeness, place in found if likeness > 0.5]
    assert len(places) >= 0.7 * len(found), found
    # What the hold-up leaves of a piece that it tears may be likest to another one; a whole one is found as it was.
    whole = [place for likeness, place in found if likeness > 0.9]
    in_order = sum(b > a for a, b in itertools.pairwise(whole))
    assert in_order >= 0.9 * (len(whole) - 1), found
