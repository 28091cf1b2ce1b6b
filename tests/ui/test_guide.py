"""The first-run guide: microphone, loudspeaker, model."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea

from app.messages import LoadModel, ModelSpec
from tests.ui.conftest import MakeRig, Rig
from ui import ports as keys
from ui.guide import GuideWindow
from ui.ports import CheckState, DeviceChoice
from ui.scripted_voices import ScriptedCheck, ScriptedFits


@dataclass
class Room:
    rig: Rig
    check: ScriptedCheck
    fits: ScriptedFits

    def open(self) -> GuideWindow:
        QTest.keyClick(self.rig.window.main, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
        guide = self.rig.window.main.errands.guide
        assert guide is not None
        assert guide.isVisible()
        QApplication.processEvents()  # until it is the active window, which its Escape key needs
        return guide

    def beat(self) -> None:
        self.rig.window.bridge.tick()


@pytest.fixture
def room(make_rig: MakeRig) -> Room:
    check, fits = ScriptedCheck(), ScriptedFits()
    rig = make_rig({keys.GUIDE_SEEN: False}, check=check, fits=fits)
    rig.ready()
    rig.sent()
    return Room(rig, check, fits)


def test_the_guide_is_remembered_as_seen_once_it_was_shown(room: Room) -> None:
    assert room.rig.settings.values[keys.GUIDE_SEEN] is False
    room.open().close()
    assert room.rig.settings.values[keys.GUIDE_SEEN] is True


def test_three_steps_by_keyboard_there_and_back(room: Room) -> None:
    guide = room.open()
    assert guide.progress.text() == "Step 1 of 3"
    assert not guide.back.isEnabled()
    QTest.keyClick(guide.next, Qt.Key.Key_Space)
    QTest.keyClick(guide.next, Qt.Key.Key_Space)
    assert guide.progress.text() == "Step 3 of 3"
    assert guide.next.text().replace("&", "") == "Done"
    QTest.keyClick(guide.back, Qt.Key.Key_Space)
    assert guide.stack.currentWidget() is guide.speaker
    QTest.keyClick(guide, Qt.Key.Key_Escape)
    assert not guide.isVisible()


def test_the_microphone_is_chosen_recorded_judged_and_heard(room: Room) -> None:
    guide = room.open()
    step = guide.microphone
    row = step.box.findText("Built-in microphone", Qt.MatchFlag.MatchStartsWith)
    step.box.setCurrentIndex(row)
    step.box.activated.emit(row)
    assert room.rig.devices.chosen == [("input", DeviceChoice("Built-in microphone", "ALSA"))]
    step.check.record.click()
    assert room.check.asked == ["record 5"]
    room.check.finish(state=CheckState("", 0.0, math.nan, -50.0, 5.0))
    room.beat()
    assert "Very quiet" in step.check.words.text()
    step.check.listen.click()
    assert room.check.asked[-1] == "play recording"


def test_a_microphone_that_cannot_be_had_is_said_and_taken_back(room: Room) -> None:
    step = room.open().microphone
    room.rig.devices.answer = "Built-in microphone is in use by another program."
    before = step.box.currentText()
    step.box.setCurrentIndex(0)
    step.box.activated.emit(0)
    room.beat()
    assert step.trouble.text() == room.rig.devices.answer
    assert step.box.currentText() == before


def test_the_test_sound_is_played_and_what_to_do_when_nothing_is_heard(room: Room) -> None:
    guide = room.open()
    guide.show_step(1)
    guide.speaker.play.click()
    assert room.check.asked == ["play chime"]
    assert guide.speaker.play.text().replace("&", "") == "Stop"
    room.check.finish()
    room.beat()
    assert "Heard nothing?" in guide.speaker.words.text()
    guide.speaker.play.click()
    room.check.finish("There is no loudspeaker.")
    room.beat()
    assert guide.speaker.words.text() == "There is no loudspeaker."


def test_models_are_listed_with_their_cost_and_loaded_only_with_done(room: Room) -> None:
    guide = room.open()
    assert room.fits.looked == 0, "nothing is asked of the computer before it is wanted"
    guide.show_step(2)
    room.beat()
    assert list(guide.model.choices) == [
        "mini",
        "nvidia/personaplex-7b-v1",
        "kyutai/moshiko-pytorch-bf16",
        "other/large",
    ]
    assert guide.model.choices["mini"].isChecked()
    assert "17.0 GiB of the 24.0 GiB" in guide.model.costs["nvidia/personaplex-7b-v1"].text()
    assert guide.model.costs["other/large"].text().startswith("!!"), "not told by colour alone"
    interface = QAccessible.queryAccessibleInterface(guide.model.choices["other/large"])
    assert "at least 40.2 GiB" in interface.text(QAccessible.Text.Description)
    guide.model.choices["nvidia/personaplex-7b-v1"].click()
    assert room.rig.sent() == []
    guide.next.click()
    assert room.rig.sent() == [LoadModel(ModelSpec(source="nvidia/personaplex-7b-v1"))]
    assert room.rig.settings.values[keys.MODEL_SOURCE] == "nvidia/personaplex-7b-v1"
    assert not guide.isVisible()


def test_the_guide_lies_in_the_middle_of_the_window_and_needs_no_scroll_bar(room: Room) -> None:
    guide = room.open()
    main = room.rig.window.main
    off = guide.geometry().center() - main.frameGeometry().center()
    assert max(abs(off.x()), abs(off.y())) <= 2
    for number in range(len(guide.steps)):
        guide.show_step(number)
        room.beat()
        QApplication.processEvents()
        areas = guide.findChildren(QScrollArea)
        assert areas
        assert [area.verticalScrollBar().maximum() for area in areas] == [0] * len(areas)
    assert len(guide.model.choices) == 4, "as many as are offered"


def test_done_without_another_choice_loads_nothing(room: Room) -> None:
    guide = room.open()
    guide.show_step(2)
    room.beat()
    guide.next.click()
    assert room.rig.sent() == []


def test_later_changes_nothing_and_ends_what_sounds(room: Room) -> None:
    guide = room.open()
    guide.show_step(2)
    room.beat()
    guide.model.choices["other/large"].click()
    guide.later.click()
    assert room.rig.sent() == []
    assert room.check.asked == ["stop"]


def test_in_a_talk_the_checks_wait(room: Room) -> None:
    guide = room.open()
    room.rig.talk()
    for button in (guide.microphone.check.record, guide.speaker.play):
        assert not button.isEnabled()
        assert "talk is running" in button.toolTip()
