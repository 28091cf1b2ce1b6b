"""Meters that screen readers can read, and a transcript in the order of speech."""

from __future__ import annotations

import math

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QPlainTextEdit,
    QProgressBar,
    QScrollBar,
    QWidget,
)

from app.messages import PhaseChanged, TalkEnded, TalkStarted, TextSpoken, Trouble, UserSpoke
from tests.ui.conftest import Rig
from ui import scripted
from ui.transcript_forms import FORMS
from ui.turns import MODEL, USER, Talk


@pytest.mark.parametrize(("dbfs", "value"), [(-18.2, -18), (-200.0, -60), (3.0, 0), (math.nan, -60)])
def test_meters_have_a_value_that_can_be_read(rig: Rig, dbfs: float, value: int) -> None:
    rig.window.main.microphone.set_level(dbfs)
    seen = QAccessible.queryAccessibleInterface(rig.window.main.microphone.meter)
    assert seen.role() == QAccessible.Role.ProgressBar
    assert seen.text(QAccessible.Text.Name) == "Microphone level"
    assert seen.valueInterface().currentValue() == value
    assert seen.valueInterface().minimumValue() == -60
    assert seen.valueInterface().maximumValue() == 0
    assert seen.text(QAccessible.Text.Description) == rig.window.main.microphone.meter.words


def test_meters_follow_the_frames_and_rest_without_a_talk(rig: Rig) -> None:
    rig.talk()
    record = scripted.frames([("graph", 1)])[0]._replace(input_dbfs=-20.0, output_dbfs=-33.0)
    rig.conversation.history.append(record)
    rig.window.bridge.tick()
    assert rig.window.main.microphone.meter.value() == -20
    assert rig.window.main.microphone.figure.text() == "\N{MINUS SIGN}20 dB, good"
    assert rig.window.main.speaker.meter.value() == -33
    rig.say(PhaseChanged("ready"), TalkEnded("stopped"))
    assert rig.window.main.microphone.meter.value() == -60
    assert rig.window.main.microphone.figure.text() == "no signal yet"


CONTROLS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QPlainTextEdit, QProgressBar)


def nameless(window: QWidget) -> tuple[list[str], int]:
    """Controls that can be seen and have no name, and how many can be seen."""
    seen = [
        widget
        for kind in CONTROLS
        for widget in window.findChildren(kind)
        if widget.isVisibleTo(window) and not isinstance(widget, QScrollBar) and "qt_" not in widget.objectName()
    ]
    names = {widget: QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name) for widget in seen}
    return [f"{type(widget).__name__} {widget.objectName()}" for widget, name in names.items() if not name], len(seen)


def test_every_control_has_a_name_for_screen_readers(rig: Rig) -> None:
    rig.talk()
    rig.say(Trouble("slow", "Slow.", "Engine settings"))
    found, count = nameless(rig.window.main)
    assert found == []
    assert count >= 12
    for page in ("audio", "voice", "engine", "appearance"):
        found, count = nameless(rig.open_settings(page))
        assert found == [], page
        assert count >= 2


# ---------------------------------------------------------------- transcript


def test_turns_are_ordered_by_when_speech_began() -> None:
    """User report U3: user start 1.0, reply 1.4, user final 2.0: order user, reply; one row each."""
    turns = Talk()
    turns.add_piece(MODEL, 1.4, " Yes,")
    turns.add_piece(MODEL, 1.5, " of course.")
    assert turns.add_turn(USER, 1.0, "Can you help me?") == 0  # final only at 2.0
    turns.add_piece(MODEL, 2.1, " Gladly.")
    assert [(turn.speaker, turn.text) for turn in turns.turns] == [
        (USER, "Can you help me?"),
        (MODEL, "Yes, of course. Gladly."),
    ]


def test_blanks_make_no_turns_and_pauses_do() -> None:
    """User report U3: no phantom rows."""
    turns = Talk()
    assert turns.add_piece(MODEL, 0.5, " ") is None
    assert turns.add_piece(MODEL, 0.6, "") is None
    turns.add_piece(MODEL, 1.0, " Hello")
    turns.add_piece(MODEL, 1.2, " there")
    turns.add_piece(MODEL, 9.0, " Still here?")
    assert [(turn.start_s, turn.text) for turn in turns.turns] == [(1.0, "Hello there"), (9.0, "Still here?")]


def test_words_appear_with_their_times(rig: Rig) -> None:
    rig.ready()
    rig.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(1.04, " Hello"), TextSpoken(1.2, " there."))
    rig.say(TextSpoken(65.0, " Still"), TextSpoken(65.2, " here."))
    assert rig.window.main.transcript.as_text() == "0:01  Hello there.\n1:05  Still here."
    assert rig.window.main.transcript.toPlainText() == "0:01\tHello there.\n1:05\tStill here."


def test_what_is_shown_equals_the_turns_however_they_came(rig: Rig) -> None:
    """User report U3: late words of the other side are put where they belong, on screen too."""
    view = rig.window.main.transcript
    view.begin_talk("New talk")
    view.add_piece(MODEL, 1.4, " Yes,")
    view.add_turn(USER, 1.0, "Can you help me?")
    view.add_piece(MODEL, 1.6, " gladly.")
    assert view.toPlainText() == "0:01\tYou: Can you help me?\n0:01\tYes, gladly."
    assert view.toPlainText().replace("\t", "  ") == view.as_text()


def test_an_earlier_talk_stays_readable_above_a_line(rig: Rig) -> None:
    rig.ready()
    rig.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(1.0, " First."))
    rig.say(TalkEnded("a new talk was begun"), TalkStarted(), TextSpoken(2.0, " Second."))
    lines = rig.window.main.transcript.toPlainText().splitlines()
    assert [line for line in lines if "talk at" not in line] == ["0:01\tFirst.", "0:02\tSecond."]
    assert len(lines) == 3
    rig.say(TalkEnded("stopped"), TalkStarted(), TalkStarted(), TextSpoken(3.0, " Third."))
    assert rig.window.main.transcript.toPlainText().count("talk at") == 2, "a talk without words leaves no line"


def test_the_reader_is_not_pulled_away_from_what_they_read(rig: Rig) -> None:
    view = rig.window.main.transcript
    view.begin_talk("New talk")
    for number in range(80):
        view.add_piece(MODEL, number * 5.0, f" Line {number}.")
    bar = view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    bar.setValue(10)
    view.add_piece(MODEL, 500.0, " More.")
    assert bar.value() == 10


def test_the_empty_transcript_says_what_to_do(rig: Rig) -> None:
    rig.ready()
    assert "Start talk" in rig.window.main.transcript.hint


def test_a_long_hint_is_broken_into_lines_and_read_aloud(rig: Rig) -> None:
    """Qt's own placeholder ends at the edge, and the questions to try were cut off there."""
    main = rig.window.main
    rig.ready(scripted.model_info(cuda=False))
    view = main.transcript
    seen = QAccessible.queryAccessibleInterface(view)
    assert seen.text(QAccessible.Text.Description) == view.hint
    metrics = view.fontMetrics()
    assert metrics.horizontalAdvance(view.hint) > 1.5 * view.viewport().width(), "it needs a second line"
    picture = view.viewport().grab().toImage()
    second = range(metrics.height() + 4, 2 * metrics.height())
    inked = {picture.pixel(x, y) for x in range(2, 200) for y in second}
    assert len(inked) > 1, "nothing stands in the second line"
    rig.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(0.5, " Hi."))
    picture = view.viewport().grab().toImage()
    third = range(2 * metrics.height() + 12, 3 * metrics.height() + 12)
    assert len({picture.pixel(x, y) for x in range(2, 200) for y in third}) == 1, "words take its place"


def test_the_bundled_model_says_what_to_ask_it_once_it_is_trained(rig: Rig) -> None:
    """The notice of untrained weights and the questions to try never stand together, and other models have neither."""
    main = rig.window.main
    for info, asks in (
        (scripted.model_info(cuda=False), True),
        (scripted.model_info(cuda=False, trained=False), False),
        (scripted.model_info(), False),
    ):
        rig.ready(info)
        assert ("seven plus five" in main.transcript.hint) == asks
        assert main.untrained.isVisibleTo(main) == (not info.trained)
        assert ("untrained" in main.model.text()) == (not info.trained)
        rig.say(PhaseChanged("talking"))
        assert ("seven plus five" in main.transcript.hint) == asks


def spoke(talk: int, *words: tuple[float, str]) -> UserSpoke:
    return UserSpoke(talk, tuple((start_s, start_s + 0.2, word) for start_s, word in words))


def test_what_the_user_said_stands_where_it_was_said(rig: Rig) -> None:
    """User report U3: it is written down late, while the model answers already."""
    view = rig.window.main.transcript
    rig.ready()
    rig.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(0.5, " Hello."), TextSpoken(4.0, " Seven"))
    rig.say(spoke(1, (2.0, "three"), (2.4, "plus"), (2.8, "four?")), TextSpoken(4.2, " it is."))
    assert view.as_text() == "0:00  Hello.\n0:02  You: three plus four?\n0:04  Seven it is."
    rig.say(spoke(1, (4.1, "Thanks.")), TextSpoken(4.4, " Yes,"), TextSpoken(4.6, " seven."))
    assert view.as_text().splitlines()[2:] == ["0:04  Seven it is. Yes, seven.", "0:04  You: Thanks."]
    assert view.toPlainText().replace("\t", "  ") == view.as_text()
    shown = view.toPlainText()
    view.rebuild()
    assert view.toPlainText() == shown
    srt = next(form for form in FORMS if form.ending == ".srt").make(view.spoken())
    assert "00:00:02,000 --> 00:00:03,000\nYou: three plus four?" in srt


def test_words_that_come_after_the_next_talk_has_begun_stand_in_their_own(rig: Rig) -> None:
    view = rig.window.main.transcript
    rig.ready()
    rig.say(PhaseChanged("talking"), TalkStarted(), TalkEnded("a new talk was begun"), TalkStarted())
    rig.say(TextSpoken(1.0, " Hello."), spoke(1, (9.0, "Goodbye.")), spoke(2, (2.0, "Hello.")))
    lines = view.toPlainText().splitlines()
    assert lines[0] == "0:09\tYou: Goodbye."
    assert "talk at" in lines[1]
    assert lines[2:] == ["0:01\tHello.", "0:02\tYou: Hello."]


def test_a_late_line_does_not_pull_the_reader_away(rig: Rig) -> None:
    view = rig.window.main.transcript
    rig.say(TalkStarted())
    for number in range(80):
        view.add_piece(MODEL, number * 5.0, f" Line {number}.")
    bar = view.verticalScrollBar()
    rig.say(spoke(1, (393.0, "Late.")))
    assert bar.value() == bar.maximum() > 0
    bar.setValue(10)
    rig.say(spoke(1, (388.0, "Later.")))
    assert bar.value() == 10
    assert view.toPlainText().replace("\t", "  ") == view.as_text()
