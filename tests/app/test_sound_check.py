"""The sound check: records and plays while no talk runs, and gives way to one that begins."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np

from app.audio import AudioStatus, InputFrame
from app.errors import UserError
from app.recorder import Recorder
from app.ring import FRAME, SAMPLE_RATE
from app.sound_check import INTERRUPTED, TALK_RUNS, SoundCheck, chime
from app.sound_troubles import AudioTrouble
from app.talk_ends import TalkEnds


class Ends:
    """Devices that deliver frames as fast as they are asked for; frame n is n / 100 everywhere."""

    def __init__(self) -> None:
        self.muted = self.talk_key_held = False
        self.calls: list[str] = []
        self.answers: list[np.ndarray] = []
        self.reads = 0
        self.silent = False
        self.lost = "audio-input"
        self.refusal = ""
        self.each_read: Any = lambda: None

    def open(self) -> None:
        self.calls.append("open")
        if self.refusal:
            raise UserError(self.refusal)

    def begin(self) -> None:
        self.calls.append("begin")

    def close(self) -> None:
        self.calls.append("close")

    def read_frame(self, timeout: float) -> InputFrame | None:
        self.each_read()
        if self.silent:
            return None
        self.reads += 1
        return InputFrame(np.full(FRAME, self.reads / 100, np.float32), math.nan)

    def write_frame(self, pcm: np.ndarray) -> None:
        self.answers.append(pcm.copy())

    def status(self) -> AudioStatus:
        kinds = ("audio-echo", self.lost) if self.silent else ()
        troubles = tuple(AudioTrouble(kind, "It is gone, so the talk waits.", "") for kind in kinds)
        return AudioStatus(troubles=troubles)


def test_a_recording_has_its_length_its_sound_and_its_level() -> None:
    ends = Ends()
    check = SoundCheck(lambda: ends)
    assert check.record(0.4).result(5) == ""
    assert len(check.recording) == 5 * FRAME
    assert [round(float(value), 2) for value in check.recording[::FRAME]] == [0.01, 0.02, 0.03, 0.04, 0.05]
    assert check.state.recorded_s == 0.4
    assert abs(check.state.loudest_dbfs - 20 * math.log10(0.05)) < 0.01
    assert check.state.doing == ""
    assert ends.calls == ["open", "close"]
    assert not any(answer.any() for answer in ends.answers), "the loudspeaker is silent meanwhile"


def test_a_recording_can_be_ended_early_and_keeps_what_there_is() -> None:
    ends = Ends()
    check = SoundCheck(lambda: ends)
    ends.each_read = lambda: check.stop() if ends.reads == 3 else None
    assert check.record(60).result(5) == ""
    assert len(check.recording) == 4 * FRAME


def test_a_sound_is_played_whole_and_to_its_end() -> None:
    ends = Ends()
    check = SoundCheck(lambda: ends)
    sound = np.linspace(-0.5, 0.5, 2 * FRAME + 7).astype(np.float32)
    assert check.play(sound).result(5) == ""
    played = np.concatenate(ends.answers)
    assert (played[: len(sound)] == sound).all()
    assert not played[len(sound) :].any()
    assert len(played) - len(sound) > 4 * FRAME, "silence drives the end out of the queue"


def test_the_chime_is_soft_whole_and_begins_and_ends_gently() -> None:
    sound = chime()
    assert 1.0 < len(sound) / SAMPLE_RATE < 2.0
    assert abs(float(np.abs(sound).max()) - 0.25) < 1e-3
    assert abs(float(sound[0])) < 1e-3
    assert abs(float(sound[-1])) < 1e-3
    assert float(np.abs(np.diff(sound)).max()) < 0.06, "no click between its notes"


def test_what_goes_wrong_is_a_sentence_and_the_next_check_works() -> None:
    ends = Ends()
    check = SoundCheck(lambda: ends)
    ends.refusal = "There is no microphone; plug one in."
    assert check.record(1).result(5) == "There is no microphone; plug one in."
    ends.refusal, ends.silent = "", True
    assert check.record(1).result(5).startswith("The microphone moves no sound, so it was broken off")
    ends.lost = "audio-output"
    assert check.play(np.zeros(10, np.float32)).result(5).startswith("The loudspeaker moves no sound"), "no talk waits"
    ends.silent = False
    assert check.record(0.08).result(5) == ""


def test_one_check_at_a_time() -> None:
    ends, goes_on = Ends(), threading.Event()
    check = SoundCheck(lambda: ends)
    ends.each_read = lambda: goes_on.wait(5)
    first = check.record(0.08)
    assert "Another check" in check.play(np.zeros(10, np.float32)).result(5)
    goes_on.set()
    assert first.result(5) == ""


def test_a_talk_takes_the_devices_over_and_the_check_does_not_close_them_again() -> None:
    checked, talks = Ends(), Ends()
    check = SoundCheck(lambda: checked)
    ends = TalkEnds(talks, Recorder(), check)
    checked.each_read = lambda: time.sleep(0.005)
    running = check.record(60)
    while check.state.seconds == 0:
        time.sleep(0.005)
    ends.open()
    assert running.result(5) == INTERRUPTED
    assert checked.calls == ["open"], "closing now would close the talk's sound"
    assert talks.calls == ["open"]
    assert check.play(chime()).result(5) == TALK_RUNS
    ends.close()
    checked.each_read = lambda: None
    assert check.record(0.08).result(5) == ""


def test_a_talk_that_could_not_open_its_sound_leaves_the_devices_to_the_check() -> None:
    checked, talks = Ends(), Ends()
    talks.refusal = "There is no loudspeaker."
    check = SoundCheck(lambda: checked)
    ends = TalkEnds(talks, Recorder(), check)
    try:
        ends.open()
    except UserError:
        assert check.record(0.08).result(5) == ""
    else:
        raise AssertionError("the talk was to be refused")


def test_the_switches_reach_the_ends_below() -> None:
    talks = Ends()
    ends = TalkEnds(talks, Recorder(), SoundCheck(Ends))
    ends.muted = ends.talk_key_held = True
    assert talks.muted
    assert talks.talk_key_held
    assert ends.muted
    assert ends.talk_key_held
