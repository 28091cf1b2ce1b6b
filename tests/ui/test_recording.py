"""The record action, its sign, its page, and the sentence when a recording ended on its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from tests.ui.conftest import MakeRig, Rig
from ui import ports as keys
from ui import scripted
from ui.ports import RecordingState, UserWordsNow


@pytest.fixture
def recorder() -> scripted.ScriptedRecorder:
    return scripted.ScriptedRecorder()


@pytest.fixture
def rig(make_rig: MakeRig, recorder: scripted.ScriptedRecorder) -> Rig:
    return make_rig(recorder=recorder)


def press_record(rig: Rig) -> None:
    QTest.keyClick(rig.window.main, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)


def test_recording_is_off_until_asked_for_and_then_always_visible(
    rig: Rig, recorder: scripted.ScriptedRecorder
) -> None:
    sign = rig.window.main.recording
    assert not sign.isVisible()
    press_record(rig)
    assert recorder.asked == [True]
    assert sign.isVisible()
    assert sign.words.text() == "Will record the talk"
    rig.talk()
    recorder.shown = RecordingState(True, Path("/talks/a.wav"), 65.3)
    rig.window.bridge.tick()
    assert sign.words.text() == "Recording, 1:05"
    interface = QAccessible.queryAccessibleInterface(sign)
    assert interface.text(QAccessible.Text.Name) == "Recording, 1:05"
    press_record(rig)
    assert recorder.asked == [True, False]
    assert not sign.isVisible()


def test_a_recording_that_ended_on_its_own_is_said_once(rig: Rig, recorder: scripted.ScriptedRecorder) -> None:
    press_record(rig)
    recorder.wanted = False
    recorder.shown = RecordingState(
        False, Path("/talks/a.wav"), 3.0, "The recording stopped, because the disk is full."
    )
    rig.window.bridge.tick()
    banner = rig.window.main.banner
    assert banner.isVisible()
    assert "disk is full" in banner.sentence.text()
    assert not rig.window.main.actions_.record.isChecked()
    assert not rig.window.main.recording.isVisible()
    banner.close_button.click()
    rig.window.bridge.tick()
    assert not banner.isVisible(), "what was dismissed does not come back"


def test_folder_and_format_are_kept_and_count_at_once(rig: Rig, recorder: scripted.ScriptedRecorder) -> None:
    page = rig.open_settings("recording").recording
    page.format.setCurrentIndex(1)
    page.format.activated.emit(1)
    page.choose_folder("/home/ada/Träume")
    assert rig.settings.values[keys.RECORD_FORMAT] == "flac"
    assert rig.settings.values[keys.RECORD_FOLDER] == "/home/ada/Träume"
    assert page.folder.text() == "/home/ada/Träume"
    assert recorder.asked == []
    recorder.wanted = True
    page.choose_folder("")
    assert recorder.asked == [True], "the next file follows the new choice"


def test_a_refused_folder_is_taken_back_with_a_sentence(rig: Rig) -> None:
    page = rig.open_settings("recording").recording
    rig.settings.refuse[keys.RECORD_FOLDER] = "record.folder holds a control character."
    page.folder.setText("a\x07b")
    page.folder.editingFinished.emit()
    assert page.folder.text() == ""
    assert page.sentence.text() == "record.folder holds a control character."


def test_a_folder_that_is_not_there_yet_is_explained(rig: Rig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = rig.open_settings("recording").recording
    monkeypatch.setattr(page._recorder, "folder", lambda: tmp_path / "talks")
    page.show_folder.click()
    assert "made with the first recording" in page.sentence.text()


def test_the_switch_for_the_users_words_is_kept_and_says_what_is_missing(make_rig: MakeRig) -> None:
    now = [UserWordsNow(sentence="What you say is not written down, because of that.")]
    rig = make_rig(user_words=lambda: now[0])
    page = rig.open_settings("recording").recording
    assert page.user.isChecked()
    assert page.user_note.text() == "What you say is not written down, because of that."
    now[0] = UserWordsNow(ready=True)
    for _ in range(30):  # a second
        rig.window.bridge.tick()
    assert "nothing leaves it" in page.user_note.text()
    page.user.click()
    assert rig.settings.values[keys.TRANSCRIPT_USER] is False
    now[0] = UserWordsNow(sentence="Still missing.")
    page.show_choice()
    assert "Still missing" not in page.user_note.text(), "who does not want it need not know"
