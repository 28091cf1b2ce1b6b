"""Every control of the main window and the command that it sends."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from app.messages import (
    CancelLoad,
    LoadModel,
    ModelSpec,
    MutedChanged,
    NewTalk,
    PersonaChoice,
    PhaseChanged,
    SetMode,
    SetMuted,
    SetSampling,
    Shutdown,
    StartTalk,
    StopTalk,
)
from app.messages import Sampling as SamplingValues
from tests.ui.conftest import MakeRig, Rig
from ui import scripted


def click(button: QToolButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def press(rig: Rig, keys: str) -> None:
    """A shortcut as typed, press and release."""
    chord = QKeySequence(keys)[0]
    QTest.keyClick(rig.window.main, chord.key(), chord.keyboardModifiers())


def test_the_model_is_loaded_as_soon_as_the_window_stands(make_rig: MakeRig) -> None:
    spec = ModelSpec(source="some/model", precision="float32")
    rig = make_rig(spec=spec, sampling=SamplingValues(temperature=0.9))
    rig.window.session.begin(load=True)
    assert rig.sent() == [SetSampling(SamplingValues(temperature=0.9)), LoadModel(spec)]
    assert rig.window.main.progress.isVisible(), "the load is shown before the conversation has said a word"


def test_start_and_stop_are_one_button(make_rig: MakeRig) -> None:
    persona = PersonaChoice("NATF1", "You are kind.")
    rig = make_rig(persona=persona)
    rig.ready()
    click(rig.window.main.start_button)
    assert rig.sent() == [StartTalk(persona)]
    rig.talk()
    assert rig.window.main.start_button.text() == "Stop talk"
    click(rig.window.main.start_button)
    assert rig.sent() == [StopTalk()]


@pytest.mark.parametrize("phase", ["idle", "loading", "failed", "closed"])
def test_start_cannot_be_pressed_without_a_model_and_says_why(rig: Rig, phase: str) -> None:
    """User report U8: a Start that does nothing says why."""
    rig.say(PhaseChanged("loading"), PhaseChanged(phase))
    button = rig.window.main.start_button
    click(button)
    press(rig, "F5")
    assert rig.sent() == []
    assert not button.isEnabled()
    assert "model" in button.toolTip() or "closing" in button.toolTip()
    assert button.accessibleDescription() in button.toolTip()


def test_a_talk_can_be_stopped_while_it_is_prepared_and_while_a_mode_is_built(rig: Rig) -> None:
    rig.ready()
    rig.say(PhaseChanged("priming"))
    click(rig.window.main.start_button)
    rig.talk()
    rig.say(PhaseChanged("building"))
    click(rig.window.main.start_button)
    assert rig.sent() == [StopTalk(), StopTalk()]


def test_new_talk_only_in_a_talk(rig: Rig) -> None:
    rig.ready()
    click(rig.window.main.new_button)
    assert rig.sent() == []
    rig.talk()
    click(rig.window.main.new_button)
    assert rig.sent() == [NewTalk(PersonaChoice())]


def test_mute_shows_at_once_and_follows_the_conversation(rig: Rig) -> None:
    """User report U9: mute with a clear state."""
    rig.talk()
    click(rig.window.main.mute_button)
    assert rig.sent() == [SetMuted(True)]
    assert rig.window.main.mute_button.text() == "Muted"
    assert rig.window.main.phase.text().startswith("Muted")
    rig.say(MutedChanged(True))
    assert rig.window.main.mute_button.isChecked()
    click(rig.window.main.mute_button)
    assert rig.sent() == [SetMuted(False)]
    rig.say(MutedChanged(False))
    assert not rig.window.main.mute_button.isChecked()
    assert rig.window.main.phase.text().startswith("Talking")


def test_cancel_and_load_again(rig: Rig) -> None:
    rig.say(PhaseChanged("loading"))
    click(rig.window.main.progress.cancel)
    assert rig.sent() == [CancelLoad()]
    rig.say(PhaseChanged("idle"))
    click(rig.window.main.progress.load)
    assert rig.sent() == [LoadModel(ModelSpec())]


def test_closing_says_goodbye_to_the_conversation(rig: Rig) -> None:
    rig.open_settings()
    rig.window.main.close()
    assert rig.sent() == [Shutdown()]
    assert rig.window.main.settings is not None
    assert not rig.window.main.settings.isVisible()


SHORTCUTS = {
    "F5": [StopTalk()],
    "Ctrl+D": [SetMuted(True)],
    "Ctrl+N": [NewTalk(PersonaChoice())],
    "Ctrl+2": [SetMode("eager")],
    "Ctrl+3": [SetMode("compiled")],
    "Ctrl+1": [],  # graph runs already
}


@pytest.mark.parametrize("keys", SHORTCUTS)
def test_shortcuts_in_a_talk(rig: Rig, keys: str) -> None:
    rig.talk()
    rig.sent()
    press(rig, keys)
    assert rig.sent() == SHORTCUTS[keys]


@pytest.mark.parametrize("keys", SHORTCUTS)
def test_shortcuts_hold_in_the_settings_window_too(rig: Rig, keys: str) -> None:
    rig.talk()
    window = rig.open_settings("voice")
    rig.sent()
    chord = QKeySequence(keys)[0]
    QTest.keyClick(window, chord.key(), chord.keyboardModifiers())
    assert rig.sent() == SHORTCUTS[keys]


def test_a_held_key_acts_once(rig: Rig) -> None:
    """User report U9: auto-repeat key events toggle once."""
    rig.talk()
    rig.sent()
    for action in rig.window.main.actions_.all():
        assert not action.autoRepeat(), action.text()
    button = rig.window.main.mute_button
    button.setFocus()
    held = [QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", False)]
    held += [QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", True)] * 20
    for event in held:
        QApplication.sendEvent(button, event)
    release = QKeyEvent(QEvent.Type.KeyRelease, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", False)
    QApplication.sendEvent(button, release)
    assert rig.sent() == [SetMuted(True)]


def key_event(kind: QEvent.Type, key: Qt.Key, milliseconds: int, repeated: bool = False) -> QKeyEvent:
    event = QKeyEvent(kind, key, Qt.KeyboardModifier.ControlModifier, "", repeated)
    event.setTimestamp(milliseconds)
    event.ignore()
    return event


@pytest.mark.parametrize("place", ["main", "settings"])
def test_a_held_shortcut_is_seen_through_where_the_system_does_not_say_so(rig: Rig, place: str) -> None:
    """User report U9: some X servers send a repetition as a release and a press at the same millisecond."""
    override, release = QEvent.Type.ShortcutOverride, QEvent.Type.KeyRelease
    window = rig.window.main if place == "main" else rig.open_settings()
    handle = window.windowHandle()
    assert handle is not None

    def overridden(event: QKeyEvent) -> bool:
        """Kept from being taken for a shortcut."""
        QApplication.sendEvent(handle, event)
        return event.isAccepted()

    assert not overridden(key_event(override, Qt.Key.Key_D, 1000)), "the press itself"
    QApplication.sendEvent(handle, key_event(release, Qt.Key.Key_D, 1660))
    assert overridden(key_event(override, Qt.Key.Key_D, 1660)), "a repetition that is not named one"
    assert overridden(key_event(override, Qt.Key.Key_D, 9000, repeated=True)), "a repetition that is"
    QApplication.sendEvent(handle, key_event(release, Qt.Key.Key_D, 2000))
    assert not overridden(key_event(override, Qt.Key.Key_D, 2090)), "a quick second press by hand"
    QApplication.sendEvent(handle, key_event(release, Qt.Key.Key_A, 3000))
    assert not overridden(key_event(override, Qt.Key.Key_A, 3000)), "no shortcut of the program: text may repeat"


def test_every_action_has_words_and_a_shortcut_of_its_own(rig: Rig) -> None:
    actions = rig.window.main.actions_.all()
    assert len(actions) == 22
    shortcuts = [action.shortcut().toString() for action in actions]
    assert all(shortcuts)
    assert len(set(shortcuts)) == len(shortcuts)
    for action in actions:
        assert action.text().strip(), action.objectName()
        assert action.statusTip().strip(), action.objectName()
        assert action.shortcut().toString(QKeySequence.SequenceFormat.NativeText) in action.toolTip()


def test_every_action_can_be_found_in_the_menus(rig: Rig) -> None:
    found = [action for menu in rig.window.main.menuBar().actions() for action in menu.menu().actions()]
    assert set(rig.window.main.actions_.all()) <= set(found)


def test_the_copies_go_to_the_clipboard(make_rig: MakeRig) -> None:
    """User report U14: diagnostics can be copied. What stands in them is the port's business."""
    rig = make_rig(diagnostics=lambda: scripted.done("Parley 1, torch 2"))
    clipboard = QApplication.clipboard()
    rig.talk()
    press(rig, "Ctrl+Shift+C")
    assert clipboard.text().startswith("0:01  Hello, hey,")
    press(rig, "Ctrl+Shift+D")
    rig.window.bridge.tick()
    assert clipboard.text() == "Parley 1, torch 2"


def test_diagnostics_that_fail_are_said_and_not_raised(make_rig: MakeRig) -> None:
    from concurrent.futures import Future

    failed: Future[str] = Future()
    failed.set_exception(OSError("the log could not be read"))
    rig = make_rig(diagnostics=lambda: failed)
    press(rig, "Ctrl+Shift+D")
    rig.window.bridge.tick()
    assert "the log could not be read" in QApplication.clipboard().text()
