"""A talk that stands still says so: its state, its levels, and what it waits for."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.messages import ModeBuilding, PhaseChanged, Trouble, TroubleCleared
from tests.ui.conftest import MakeRig, Rig
from ui import scripted
from ui.bridge import TICKS_PER_SECOND
from ui.meter import FLOOR_DBFS
from ui.ports import CheckState, RecordingState
from ui.scripted_voices import ScriptedCheck
from ui.scrolling import WithinScreen

GONE = 'The microphone "USB Headset" is gone, so the talk waits.'


def frames(rig: Rig, count: int, begin: int = 0) -> None:
    for record in scripted.frames([("graph", begin + count)])[begin:]:
        rig.conversation.history.append(record)
    rig.window.bridge.tick()


def beats(rig: Rig, count: int = TICKS_PER_SECOND) -> None:
    for _ in range(count):
        rig.window.bridge.tick()


def levels(rig: Rig) -> list[int]:
    main = rig.window.main
    return [main.microphone.meter.value(), main.speaker.meter.value()]


def test_the_talks_clock_is_that_of_the_transcript(rig: Rig) -> None:
    """Time goes on in microphone frames that are left out, as while a mode is built: words after it stand later."""
    rig.talk()
    records = scripted.frames([("graph", 25)])
    for record in [*records[:-1], records[-1]._replace(skipped=250)]:
        rig.conversation.history.append(record)
    rig.window.bridge.tick()
    assert rig.window.main.phase.text() == "Talking, 0:22"


@pytest.mark.parametrize(
    ("kind", "words"),
    [("audio-input", "Waiting for the microphone"), ("audio-output", "Waiting for the loudspeaker"),
     ("slow", "Waiting for sound"), ("", "Waiting for sound")],
)  # fmt: skip
def test_a_talk_without_frames_waits_and_is_not_called_talking(rig: Rig, kind: str, words: str) -> None:
    rig.talk()
    frames(rig, 30)
    phase = rig.window.main.phase
    assert phase.text() == "Talking, 0:02"
    assert FLOOR_DBFS not in levels(rig)
    if kind:
        rig.say(Trouble(kind, GONE))
    beats(rig, TICKS_PER_SECOND - 3)
    assert phase.text() == "Talking, 0:02", "a hiccup is none"
    beats(rig, 3)
    assert phase.text() == f"{words}, 0:02"
    assert levels(rig) == [FLOOR_DBFS] * 2, "the last level is not what is heard now"
    assert rig.window.main.microphone.meter.words == "no signal yet"
    frames(rig, 30, begin=30)
    assert phase.text() == "Talking, 0:04"
    assert FLOOR_DBFS not in levels(rig)


def test_what_is_waited_for_follows_what_is_lost(rig: Rig) -> None:
    rig.talk()
    frames(rig, 10)
    beats(rig)
    rig.say(Trouble("audio-output", "The loudspeaker is gone."))
    assert rig.window.main.phase.text().startswith("Waiting for the loudspeaker")
    rig.say(TroubleCleared("audio-output"))
    assert rig.window.main.phase.text().startswith("Waiting for sound")


def test_an_engine_that_hangs_is_a_fault_and_no_waiting(rig: Rig) -> None:
    rig.talk()
    frames(rig, 10)
    rig.say(Trouble("stuck", "The engine does not answer."))
    beats(rig)
    assert "fault" in rig.window.main.phase.text()


def test_outside_a_talk_nothing_waits(rig: Rig) -> None:
    rig.ready()
    beats(rig, 2 * TICKS_PER_SECOND)
    assert rig.window.main.phase.text() == "Ready to talk"


def test_levels_fall_while_a_mode_is_built(rig: Rig) -> None:
    rig.talk()
    frames(rig, 30)
    for record in scripted.frames([("graph", 31)])[30:]:
        rig.conversation.history.append(record)  # comes with the same beat
    rig.say(PhaseChanged("building"), ModeBuilding("compiled", 1, 4))
    assert levels(rig) == [FLOOR_DBFS] * 2


@pytest.mark.parametrize("size", [100, 150])
def test_the_sign_of_a_recording_does_not_widen_the_window(make_rig: MakeRig, size: int) -> None:
    recorder = scripted.ScriptedRecorder()
    rig = make_rig(values={"window.text_size": size}, recorder=recorder)
    rig.talk()
    main = rig.window.main
    content = main.findChild(WithinScreen).widget()
    least, width = content.minimumSizeHint().width(), main.width()
    recorder.wanted, recorder.shown = True, RecordingState(True, Path("/x/talk.wav"), 3725.0)
    rig.window.bridge.tick()
    assert main.recording.isVisible()
    assert main.recording.words.text() == "Recording, 1:02:05"
    assert content.minimumSizeHint().width() == least
    assert main.width() == width


def test_large_text_makes_no_window_wider_than_the_screen(make_rig: MakeRig) -> None:
    """It scrolls sideways instead, so that every button can be reached."""
    main = make_rig(values={"window.text_size": 200}).window.main
    room = main.screen().availableGeometry().width()
    area = main.findChild(WithinScreen)
    assert main.minimumSizeHint().width() <= room
    main.resize(room, main.height())
    QApplication.processEvents()
    assert main.width() <= room
    assert area.widget().minimumSizeHint().width() > room, "there is something to scroll"
    assert area.horizontalScrollBar().isVisible()
    area.horizontalScrollBar().setValue(area.horizontalScrollBar().maximum())
    button = main.settings_button
    assert area.viewport().rect().contains(button.mapTo(area.viewport(), button.rect().center()))


def test_the_guide_says_why_nothing_can_be_recorded_or_played_in_a_talk(make_rig: MakeRig) -> None:
    check = ScriptedCheck()
    rig = make_rig(check=check)
    rig.ready()
    rig.window.main.errands.open_guide()
    guide = rig.window.main.errands.guide
    assert guide is not None
    invitation = guide.microphone.check.words.text()
    rig.talk()
    assert guide.microphone.check.words.text() == "A talk is running; end it to record."
    assert guide.speaker.words.text() == "A talk is running; end it to play the test sound."
    assert guide.speaker.play.accessibleDescription() == guide.speaker.words.text()
    rig.say(PhaseChanged("ready"))
    assert guide.microphone.check.words.text() == invitation
    guide.microphone.check.record.click()
    check.finish(state=CheckState("", 0.0, math.nan, -12.0, 4.4))
    rig.window.bridge.tick()
    assert guide.microphone.check.words.text() == "4.4 s recorded. A good level."


def test_the_settings_window_names_itself_once(rig: Rig) -> None:
    """The system adds the program's name."""
    assert rig.open_settings().windowTitle() == "Settings"
