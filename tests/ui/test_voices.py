"""Voices of one's own and saved personas in Settings: adding, names, listening, renaming, deleting."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.messages import PersonaChoice
from tests.ui.conftest import MakeRig, Rig
from ui.own_voices import FILE_NAME
from ui.ports import CheckState
from ui.record_and_listen import judge
from ui.scripted_voices import ScriptedCheck, ScriptedLibrary, ScriptedPreset, ScriptedPresets
from ui.settings_voice import VoicePage
from ui.voice_labels import voice_labels


@dataclass
class Room:
    """The voice page with its stand-ins."""

    rig: Rig
    check: ScriptedCheck
    library: ScriptedLibrary
    presets: ScriptedPresets

    @property
    def page(self) -> VoicePage:
        return self.rig.open_settings("voice").voice

    def beat(self) -> None:
        self.rig.window.bridge.tick()


@pytest.fixture
def room(make_rig: MakeRig) -> Room:
    check, library, presets = ScriptedCheck(), ScriptedLibrary("Ada.wav", "Bob.pt"), ScriptedPresets()
    rig = make_rig(check=check, library=library, presets=presets, voices=lambda: library.own())
    rig.ready()
    return Room(rig, check, library, presets)


def select(room: Room, name: str) -> None:
    own = room.page.own
    own.list.setCurrentRow(list(room.library.own()).index(name))


def test_a_file_becomes_a_voice_under_a_name_and_can_be_chosen(room: Room) -> None:
    page = room.page
    page.own.add_file("/home/ada/Träume 1.flac")
    assert page.own.name.isVisible()
    assert page.own.name.field.text() == "Träume 1", "the file's name is proposed"
    page.own.name.field.setText("Traum")
    QTest.keyClick(page.own.name.field, Qt.Key.Key_Return)
    room.beat()
    assert room.library.asked == [("add", "/home/ada/Träume 1.flac", "Traum")]
    assert page.own.chosen == "Traum.wav"
    assert page.own.note.text() == "Added Traum."
    assert page.voice.findData("Traum.wav") >= 0
    assert not page.own.name.isVisible()


def test_a_name_is_judged_while_it_is_typed(room: Room) -> None:
    """User report U10: the button and the library share one judgement."""
    name = room.page.own.name
    room.page.own.add_file("/home/ada/Ada.flac")
    assert not name.ok.isEnabled()
    assert name.why.text() == room.library.problem("Ada")
    interface = QAccessible.queryAccessibleInterface(name.field)
    assert interface.text(QAccessible.Text.Description) == room.library.problem("Ada")
    QTest.keyClick(name.field, Qt.Key.Key_Return)
    assert room.library.asked == []
    for good in ("my voice", "my_voice.pt", "Voix é"):
        name.field.setText(good)
        assert name.ok.isEnabled(), good
        assert not name.why.isVisible()


def test_escape_puts_the_question_away_and_not_the_window(room: Room) -> None:
    page = room.page
    page.own.add_file("/home/ada/new.flac")
    QTest.keyClick(page.own.name.field, Qt.Key.Key_Escape)
    assert not page.own.name.isVisible()
    assert page.isVisible()
    assert room.library.asked == []


def test_what_the_library_refuses_is_said_on_the_page(room: Room) -> None:
    page = room.page
    room.library.answer = "The recording is silent; a voice needs some seconds of clear speech."
    page.own.add_file("/home/ada/silence.wav")
    page.own.name.ok.click()
    room.beat()
    assert page.sentence.text() == room.library.answer
    assert page.notice.isVisible()
    room.library.answer = ""
    page.own.add_file("/home/ada/speech.wav")
    page.own.name.ok.click()
    room.beat()
    assert not page.notice.isVisible()


def test_a_voice_can_be_recorded_heard_and_kept(room: Room) -> None:
    own = room.page.own
    own.record.click()
    assert own.recorder.isVisible()
    assert not own.keep.isEnabled()
    assert not own.recorder.listen.isEnabled()
    own.recorder.record.click()
    assert room.check.asked == ["record 20"]
    room.check.shown = CheckState("recording", 4.3, -17.0)
    room.beat()
    assert own.recorder.words.text() == "Recording, 4 of 20 s"
    assert own.recorder.level.meter.value() == -17
    own.recorder.record.click()
    assert room.check.asked[-1] == "stop"
    room.check.finish(state=CheckState("", 0.0, math.nan, -12.0, 4.4))
    room.beat()
    assert own.recorder.words.text() == "4.4 s recorded. A good level."
    own.recorder.listen.click()
    assert room.check.asked[-1] == "play recording"
    room.check.finish(state=CheckState("", 0.0, math.nan, -12.0, 4.4))
    room.beat()
    own.keep.click()
    own.name.field.setText("Me")
    own.name.ok.click()
    room.beat()
    assert room.library.asked == [("add recorded", "Me")]
    assert own.chosen == "Me.wav"
    assert not own.recorder.isVisible()


def test_a_recording_that_fails_is_a_sentence_and_can_be_tried_again(room: Room) -> None:
    own = room.page.own
    own.record.click()
    own.recorder.record.click()
    room.check.finish("There is no microphone; plug one in.")
    room.beat()
    assert own.recorder.words.text() == "There is no microphone; plug one in."
    assert not own.recorder.has_recording
    assert own.recorder.record.isEnabled()
    assert own.recorder.record.text().replace("&", "") == "Record"


def test_nothing_is_recorded_or_played_while_a_talk_runs(room: Room) -> None:
    own = room.page.own
    own.record.click()
    select(room, "Ada.wav")
    assert own.listen.isEnabled()
    room.rig.talk()
    for button in (own.recorder.record, own.recorder.listen, own.listen):
        assert not button.isEnabled()
        assert "talk is running" in button.toolTip()
    assert own.rename.isEnabled()


@pytest.mark.parametrize(
    ("dbfs", "word", "tone"),
    [(math.nan, "Nothing was heard", "over"), (-95.0, "Nothing was heard", "over"), (-50.0, "Very quiet", "near"),
     (-20.0, "good", ""), (-3.0, "Loud", ""), (0.0, "clips", "near")],
)  # fmt: skip
def test_levels_are_judged_in_words(qapp: QApplication, dbfs: float, word: str, tone: str) -> None:
    words, judged = judge(dbfs)
    assert word in words
    assert judged == tone


def test_listening_asks_for_the_selected_voice(room: Room) -> None:
    own = room.page.own
    assert not own.listen.isEnabled()
    select(room, "Bob.pt")
    room.library.answer = "Bob.pt is stored as the model's own numbers and can only be heard in a talk."
    own.listen.click()
    room.beat()
    assert room.library.asked == [("listen", "Bob.pt")]
    assert room.page.sentence.text() == room.library.answer


def test_a_renamed_voice_stays_chosen(room: Room) -> None:
    room.rig.window.session.set_persona(PersonaChoice("Ada.wav", "text"))
    own = room.page.own
    select(room, "Ada.wav")
    own.rename.click()
    assert own.name.field.text() == "Ada"
    assert own.name.ok.isEnabled(), "its own name is no obstacle"
    own.name.field.setText("Ada Lovelace")
    own.name.ok.click()
    room.beat()
    assert room.library.asked == [("rename", "Ada.wav", "Ada Lovelace")]
    assert room.rig.window.session.persona == PersonaChoice("Ada Lovelace.wav", "text")
    assert room.page.voice.currentData() == "Ada Lovelace.wav"


def test_a_voice_is_deleted_only_after_a_question(room: Room) -> None:
    room.rig.window.session.set_persona(PersonaChoice("Ada.wav", "text"))
    own = room.page.own
    select(room, "Ada.wav")
    own.delete.click()
    assert "Ada?" in own.confirm.sentence.text()
    assert room.library.asked == []
    own.confirm.no.click()
    assert room.library.asked == []
    own.delete.click()
    own.confirm.yes.click()
    room.beat()
    assert room.library.asked == [("delete", "Ada.wav")]
    assert room.rig.window.session.persona == PersonaChoice("", "text")
    assert room.page.voice.findData("Ada.wav") < 0


def test_a_refused_deletion_leaves_the_choice_alone(room: Room) -> None:
    room.rig.window.session.set_persona(PersonaChoice("Ada.wav", ""))
    room.library.answer = "Ada.wav could not be deleted (Permission denied)."
    select(room, "Ada.wav")
    room.page.own.delete.click()
    room.page.own.confirm.yes.click()
    room.beat()
    assert room.rig.window.session.persona.voice == "Ada.wav"
    assert room.page.sentence.text() == room.library.answer


def test_personas_are_saved_chosen_and_deleted_by_name(room: Room) -> None:
    page, session = room.page, room.rig.window.session
    assert not page.presets.save.isEnabled(), "there is nothing to save"
    session.set_persona(PersonaChoice("Ada.wav", "You are a tutor."))
    page.presets.save.click()
    page.presets.name.field.setText("Tutor")
    page.presets.name.ok.click()
    room.beat()
    assert room.presets.all() == (ScriptedPreset("Tutor", "Ada.wav", "You are a tutor."),)
    assert page.presets.box.currentText() == "Tutor"
    session.set_persona(PersonaChoice("", "Somebody else."))
    assert page.presets.box.currentIndex() == -1
    assert not page.presets.delete.isEnabled()
    page.presets.box.setCurrentIndex(0)
    page.presets.box.activated.emit(0)
    assert session.persona == PersonaChoice("Ada.wav", "You are a tutor.")
    assert page.text.toPlainText() == "You are a tutor."
    page.presets.delete.click()
    page.presets.confirm.yes.click()
    room.beat()
    assert room.presets.all() == ()
    assert session.persona.text == "You are a tutor.", "the persona at hand stays"


def test_personas_that_cannot_be_kept_or_read_are_a_sentence(room: Room, make_rig: MakeRig) -> None:
    """User report U13."""
    room.rig.window.session.set_persona(PersonaChoice("", "text"))
    room.presets.answer = "personas.json cannot be written (No space left on device)."
    page = room.page
    page.presets.save.click()
    page.presets.name.field.setText("a")
    page.presets.name.ok.click()
    room.beat()
    assert page.sentence.text() == room.presets.answer
    broken = ScriptedPresets()
    broken.trouble = "The personas in personas.json cannot be read."
    other = make_rig(presets=broken).open_settings("voice").voice
    assert other.sentence.text() == broken.trouble


def test_every_control_of_the_page_has_a_name_and_can_be_reached_by_keyboard(room: Room) -> None:
    page = room.page
    page.own.record.click()
    page.own.add_file("/home/ada/new.flac")
    select(room, "Ada.wav")
    wanted: list[QWidget] = [page.voice, page.text, page.own.list, page.own.add, page.own.record, page.own.listen,
                             page.own.rename, page.own.delete, page.own.recorder.record, page.own.name.field,
                             page.own.name.ok, page.own.name.cancel, page.presets.box]  # fmt: skip
    for widget in wanted:
        interface = QAccessible.queryAccessibleInterface(widget)
        assert interface.text(QAccessible.Text.Name).strip(), widget
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, widget


def test_voices_are_shown_by_their_names_and_not_by_their_files(room: Room) -> None:
    """With the ending only where two would look the same."""
    own, voice = room.page.own, room.page.voice
    assert [own.list.item(row).text() for row in range(own.list.count())] == ["Ada", "Bob"]
    assert own.list.item(0).data(FILE_NAME) == "Ada.wav"
    assert voice.itemText(voice.findData("Ada.wav")) == "Ada"
    assert voice_labels(["Emma.flac", "emma.wav", "NATF0.pt", "v1.5", "Ünal.mp3"]) == [
        "Emma.flac", "emma.wav", "NATF0", "v1.5", "Ünal",
    ]  # fmt: skip


def test_a_voice_chosen_without_its_ending_is_found(make_rig: MakeRig) -> None:
    rig = make_rig(persona=PersonaChoice("my voice", ""))
    rig.ready()
    page = rig.open_settings("voice").voice
    assert page.voice.currentText() == "my voice"
    assert page.voice.findText("not found", Qt.MatchFlag.MatchContains) < 0
