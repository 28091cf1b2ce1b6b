"""Push to talk, and the switches for echo, noise and gain."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.messages import HoldTalkKey
from tests.ui.conftest import MakeRig, Rig
from ui import ports as keys
from ui import scripted
from ui.ports import SoundNow
from ui.sound_switches import words_for


def key(widget: QWidget, kind: QEvent.Type, repeated: bool = False) -> None:
    event = QKeyEvent(kind, Qt.Key.Key_F8, Qt.KeyboardModifier.NoModifier, "", repeated)
    QApplication.sendEvent(widget, event)


PRESS, RELEASE = QEvent.Type.KeyPress, QEvent.Type.KeyRelease


@pytest.fixture
def pushing(make_rig: MakeRig) -> Rig:
    rig = make_rig({keys.TALK_KEY_MODE: "push"})
    rig.talk()
    rig.sent()
    return rig


def test_with_an_open_microphone_the_key_does_nothing_and_no_button_stands_in_the_way(rig: Rig) -> None:
    rig.talk()
    rig.sent()
    assert not rig.window.main.talk_button.isVisible()
    key(rig.window.main, PRESS)
    key(rig.window.main, RELEASE)
    assert rig.sent() == []


def test_the_key_is_heard_while_it_is_held_however_it_repeats(pushing: Rig) -> None:
    """User report U9: a held key acts once."""
    button = pushing.window.main.talk_button
    assert button.text() == "Hold to talk (F8)"
    key(pushing.window.main, PRESS)
    for _ in range(20):
        key(pushing.window.main, RELEASE, repeated=True)
        key(pushing.window.main, PRESS, repeated=True)
    assert pushing.sent() == [HoldTalkKey(True)]
    assert button.text() == "You are heard"
    assert QAccessible.queryAccessibleInterface(button).text(QAccessible.Text.Name) == "You are heard"
    key(pushing.window.main, RELEASE)
    assert pushing.sent() == [HoldTalkKey(False)]


def test_the_key_counts_in_every_window_and_while_typing(pushing: Rig) -> None:
    page = pushing.open_settings("voice").voice
    page.text.setFocus()
    key(page.text, PRESS)
    key(page.text, RELEASE)
    assert pushing.sent() == [HoldTalkKey(True), HoldTalkKey(False)]


def test_a_key_whose_release_went_elsewhere_is_let_go(pushing: Rig) -> None:
    key(pushing.window.main, PRESS)
    pushing.window.main.talk_key._focus_changed(Qt.ApplicationState.ApplicationInactive)
    assert pushing.sent() == [HoldTalkKey(True), HoldTalkKey(False)]
    assert not pushing.window.main.talk_key.held


def test_the_button_is_held_by_mouse_and_by_space(pushing: Rig) -> None:
    button = pushing.window.main.talk_button
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    assert pushing.sent() == [HoldTalkKey(True)]
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert pushing.sent() == [HoldTalkKey(False)]
    button.setFocus()
    QTest.keyPress(button, Qt.Key.Key_Space)
    QTest.keyRelease(button, Qt.Key.Key_Space)
    assert pushing.sent() == [HoldTalkKey(True), HoldTalkKey(False)]


def test_the_choice_is_kept_and_a_refusal_taken_back(rig: Rig) -> None:
    rig.ready()
    rig.sent()
    QTest.keyClick(
        rig.window.main, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert rig.settings.values[keys.TALK_KEY_MODE] == "push"
    assert rig.window.main.talk_button.isVisible()
    assert rig.window.main.actions_.push_to_talk.isChecked()
    rig.settings.refuse[keys.TALK_KEY_MODE] = "no"
    page = rig.open_settings("audio").audio
    page.switches.push.click()
    assert rig.window.main.actions_.push_to_talk.isChecked()
    assert page.sentence.text() == "no"


def test_leaving_push_to_talk_lets_the_key_go(pushing: Rig) -> None:
    key(pushing.window.main, PRESS)
    pushing.window.main.actions_.push_to_talk.trigger()
    assert pushing.sent() == [HoldTalkKey(True), HoldTalkKey(False)]
    assert not pushing.window.main.talk_button.isVisible()


def test_the_switches_are_kept_at_once_and_taken_back_when_refused(rig: Rig) -> None:
    page = rig.open_settings("audio").audio
    page.switches.echo.setCurrentIndex(2)
    page.switches.echo.activated.emit(2)
    page.switches.noise.click()
    page.switches.gain.click()
    assert [rig.settings.values[name] for name in (keys.ECHO, keys.NOISE, keys.AUTO_GAIN)] == ["off", True, True]
    rig.settings.refuse[keys.NOISE] = "Noise suppression needs a package."
    page.switches.noise.click()
    assert page.switches.noise.isChecked()
    assert page.sentence.text() == "Noise suppression needs a package."


@pytest.mark.parametrize(
    ("sound", "gain", "words"),
    [(SoundNow(), False, "No echo is being removed."), (SoundNow(True), False, "Listening for an echo."),
     (SoundNow(True, 31.4), False, "The echo is 31 dB weaker."),
     (SoundNow(True, 31.4, -3.2), True, "The echo is 31 dB weaker. Your voice is changed by -3 dB.")],
)  # fmt: skip
def test_what_is_done_to_the_sound_is_said_in_words(sound: SoundNow, gain: bool, words: str) -> None:
    assert words_for(sound, True, gain) == words
    assert "while a talk runs" in words_for(sound, False, gain)


def test_the_words_follow_once_a_second(make_rig: MakeRig) -> None:
    now = [SoundNow(True, math.nan)]
    rig = make_rig(sound=lambda: now[0])
    rig.talk()
    page = rig.open_settings("audio").audio
    now[0] = SoundNow(True, 27.0)
    for _ in range(31):
        rig.window.bridge.tick()
    assert page.switches.now.text() == "The echo is 27 dB weaker."
    assert scripted.DEFAULTS[keys.ECHO] == "auto"
