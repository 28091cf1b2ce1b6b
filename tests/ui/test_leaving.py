"""Closing the window: unsaved words are asked about, once, and by nobody when there is nothing to lose or no time."""

from __future__ import annotations

import signal
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

import ui.app
from app.messages import PersonaChoice, PhaseChanged, Shutdown, TalkEnded, TalkStarted, TextSpoken, Trouble, UserSpoke
from tests.ui.conftest import MakeRig, Rig
from ui import scripted
from ui.place import place_of
from ui.turns import MODEL


class Disk:
    """Writes when told to; "" or a sentence is what it comes to."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.waiting: list[Future[str]] = []

    def __call__(self, path: Path, text: str) -> Future[str]:
        self.texts[path.name] = text
        self.waiting.append(Future())
        return self.waiting[-1]

    def finish(self, rig: Rig, sentence: str = "") -> None:
        self.waiting.pop().set_result(sentence)
        rig.window.bridge.tick()


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def talk(make_rig: MakeRig, disk: Disk) -> Rig:
    """A talk in which something was said."""
    rig = make_rig(write_text=disk)
    rig.ready()
    rig.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(1.0, " Hello"))
    rig.sent()
    return rig


def question(rig: Rig) -> QMessageBox:
    found = rig.window.main.leaving.question
    assert found is not None
    assert found.isVisible()
    return found


def button(rig: Rig, text: str) -> QAbstractButton:
    return next(one for one in question(rig).buttons() if one.text().replace("&", "").startswith(text))


def file_dialogs(rig: Rig) -> list[QFileDialog]:
    return [widget for widget in rig.window.main.findChildren(QFileDialog) if widget.isVisible()]


def save(rig: Rig, folder: Path, name: str) -> None:
    """Answer the file dialog that stands."""
    (dialog,) = file_dialogs(rig)
    dialog.setDirectory(str(folder))
    dialog.selectFile(name)
    dialog.accept()


def closed(rig: Rig) -> bool:
    return not rig.window.main.isVisible() and rig.sent() == [Shutdown()]


def stays(rig: Rig) -> bool:
    return rig.window.main.isVisible() and rig.sent() == []


def test_nothing_is_asked_when_nothing_was_said(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(1.0, " "))
    rig.window.main.close()
    assert not rig.window.main.isVisible()
    assert rig.window.main.leaving.question is None


def test_the_shortcut_asks_once_and_the_talk_goes_on(talk: Rig) -> None:
    QTest.keyClick(talk.window.main, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    first = question(talk)
    assert first.windowModality() == Qt.WindowModality.WindowModal
    talk.window.main.close()
    assert question(talk) is first
    talk.say(TextSpoken(1.3, " there"))
    assert "Hello there" in talk.window.main.transcript.as_text()
    assert stays(talk)


def test_cancel_and_the_escape_key_leave_everything_as_it_is(talk: Rig) -> None:
    for answer in (lambda: button(talk, "Cancel").click(), lambda: QTest.keyClick(question(talk), Qt.Key.Key_Escape)):
        talk.window.main.close()
        answer()
        assert talk.window.main.leaving.question is None
        assert stays(talk)
    talk.window.main.close()
    assert question(talk), "the next close asks again"


def test_discard_closes(talk: Rig) -> None:
    talk.window.main.close()
    button(talk, "Discard").click()
    assert closed(talk)


def test_save_closes_once_the_words_have_arrived(talk: Rig, disk: Disk, tmp_path: Path) -> None:
    talk.window.main.close()
    QTest.keyClick(question(talk), Qt.Key.Key_Return)  # the button that stands ready
    save(talk, tmp_path, "talk.txt")
    assert stays(talk), "not before they have"
    talk.say(TextSpoken(1.3, " there"))  # while the disk is at work
    disk.finish(talk)
    assert "Hello" in disk.texts["talk.txt"]
    assert closed(talk)


def test_a_file_dialog_that_is_put_away_and_a_full_disk_keep_the_window(talk: Rig, disk: Disk, tmp_path: Path) -> None:
    talk.window.main.close()
    button(talk, "Save").click()
    file_dialogs(talk)[0].reject()
    assert stays(talk)
    talk.window.main.close()
    button(talk, "Save").click()
    save(talk, tmp_path, "talk.txt")
    disk.finish(talk, "The disk is full.")
    assert stays(talk)
    assert talk.window.main.banner.sentence.text() == "The disk is full."
    talk.window.main.close()
    assert question(talk)


def test_saved_words_are_not_asked_about_until_there_are_new_ones(talk: Rig, disk: Disk, tmp_path: Path) -> None:
    main = talk.window.main
    main.actions_.save_transcript.trigger()
    save(talk, tmp_path, "talk.txt")
    talk.say(TextSpoken(1.3, " more"))  # not in the file
    disk.finish(talk)
    main.close()
    button(talk, "Cancel").click()
    main.actions_.save_transcript.trigger()
    save(talk, tmp_path, "talk.txt")
    disk.finish(talk)
    talk.say(TextSpoken(1.6, " "), PhaseChanged("ready"), TalkEnded("stopped"))  # a blank is no word
    assert stays(talk)
    main.close()
    assert closed(talk)


def test_the_users_late_words_count_too(talk: Rig, disk: Disk, tmp_path: Path) -> None:
    talk.window.main.actions_.save_transcript.trigger()
    save(talk, tmp_path, "talk.md")
    disk.finish(talk)
    talk.say(UserSpoke(1, ((0.2, 0.6, "Hello?"),)))
    talk.window.main.close()
    assert question(talk)


def test_a_new_talk_keeps_the_words_and_subtitles_of_the_last_save_the_last(
    talk: Rig, disk: Disk, tmp_path: Path
) -> None:
    talk.say(TalkEnded("a new talk was begun"), TalkStarted(), TextSpoken(0.5, " Again"))
    assert "Hello" in talk.window.main.transcript.as_text()
    talk.window.main.close()
    button(talk, "Save").click()
    save(talk, tmp_path, "talk.srt")
    disk.finish(talk)
    assert "Hello" not in disk.texts["talk.srt"]
    assert stays(talk), "the first talk is in no file yet"
    button(talk, "Save").click()
    save(talk, tmp_path, "talk.txt")
    disk.finish(talk)
    assert "Hello" in disk.texts["talk.txt"]
    assert closed(talk)


def test_exported_frames_are_no_saved_transcript(talk: Rig, disk: Disk, tmp_path: Path) -> None:
    talk.conversation.history.append(scripted.frames([("graph", 1)])[0])
    talk.window.main.actions_.save_latency.trigger()
    save(talk, tmp_path, "frames.csv")
    disk.finish(talk)
    talk.window.main.close()
    assert question(talk)


def test_an_end_that_is_no_wish_waits_for_no_answer(talk: Rig) -> None:
    talk.window.main.close()
    assert question(talk)
    talk.window.main.leaving.end()  # although the question stands
    assert talk.window.main.leaving.question is None
    assert closed(talk)


def test_signals_and_the_end_of_the_session_do_not_ask(
    make_rig: MakeRig, talk: Rig, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both as `run_window` connects them."""
    handlers: dict[int, object] = {}
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.SIG_DFL)
    ends: list[object] = []

    class Application:
        def __init__(self, arguments: list[str]) -> None:
            self.commitDataRequest = self

        def connect(self, slot: object) -> None:
            ends.append(slot)

        def exec(self) -> int:
            return 0

        def __getattr__(self, name: str) -> object:
            return lambda *values: None

    monkeypatch.setattr(ui.app, "QApplication", Application)
    monkeypatch.setattr(ui.app, "speak", lambda application, language: ())
    monkeypatch.setattr(ui.app, "make_window", lambda application, conversation, ports: talk.window)
    assert ui.app.run_window(talk.conversation, talk.window.ports) == 0
    ends[0](None)  # type: ignore[operator]
    assert talk.window.main.leaving.may_close()
    talk.window.main.leaving._session_end.stop()  # it was called off, and time has passed
    assert not talk.window.main.leaving.may_close()
    handlers[signal.SIGTERM](signal.SIGTERM, None)  # type: ignore[operator]
    qapp.processEvents()
    assert not talk.window.main.isVisible()


def test_the_restart_does_not_ask_and_keeps_what_was_saved(make_rig: MakeRig, talk: Rig) -> None:
    transcript = talk.window.main.transcript
    for saved in (False, True):
        kept: list[str] = []
        rig = make_rig(relaunch=lambda place, kept=kept: kept.append(place) is None)
        rig.talk()
        rig.window.main.transcript.add_turn(MODEL, 1.0, "Hello there.")
        for spoken in rig.window.main.transcript.spoken():
            spoken.saved = spoken.size if saved else 0
        rig.window.main.rescue.relaunch()
        assert not rig.window.main.isVisible()
        again = make_rig(place=kept[0])
        again.window.main.rescue.return_to_place()
        again.window.main.close()
        assert again.window.main.isVisible() is not saved
    assert '"saved": false' in place_of(talk.window.main, transcript)


@pytest.mark.parametrize("kind", ["voice", "start", "sound"])
def test_a_refused_new_talk_leaves_the_running_talks_persona(make_rig: MakeRig, kind: str) -> None:
    """Should the running talk be begun anew by itself, it is still the one it was."""
    rig = make_rig(persona=PersonaChoice("NATF1"))
    rig.ready()
    rig.window.session.start()
    rig.say(PhaseChanged("talking"), TalkStarted())
    rig.window.session.set_persona(PersonaChoice("gone.pt"))
    rig.window.session.new_talk()
    rig.say(Trouble(kind, "No new talk was begun.", "Voice settings"))
    assert rig.window.session.talking
    rig.say(TalkEnded("its numbers fell apart"), TalkStarted())
    assert rig.window.session.talk_persona == PersonaChoice("NATF1")


def test_the_question_in_german_with_a_key_for_each_answer_and_words_for_screen_readers(
    german: None, make_rig: MakeRig, qtbot: QtBot
) -> None:
    rig = make_rig()
    rig.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(1.0, " Hallo"))
    rig.window.main.close()
    box = question(rig)
    assert {one.text() for one in box.buttons()} == {"&Speichern…", "&Verwerfen", "&Abbrechen"}
    assert box.text() == box.accessibleName() == "Die Mitschrift speichern, bevor das Fenster sich schließt?"
    assert box.accessibleDescription() == box.informativeText() != ""
    assert box.defaultButton() is button(rig, "Speichern")
    qtbot.waitUntil(box.isActiveWindow)
    QTest.keyClick(box, Qt.Key.Key_V, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: not rig.window.main.isVisible())  # the button is seen to go down first
