"""The transcript as files: layouts, the dialog, and sentences when it does not work."""

from __future__ import annotations

import itertools
import re
from concurrent.futures import Future
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from app.messages import PhaseChanged, TalkStarted, TextSpoken
from tests.ui.conftest import MakeRig, Rig
from ui import scripted
from ui.saving import Kind, dated
from ui.transcript_forms import LINE_CHARACTERS, as_markdown, as_srt, as_text, cues_of
from ui.turns import MODEL, USER, Talk

BEGAN = datetime(2026, 11, 29, 16, 42)


def talk(*pieces: tuple[str, float, str]) -> Talk:
    made = Talk(began=BEGAN)
    for speaker, time_s, piece in pieces:
        made.add_piece(speaker, time_s, piece)
    return made


def alone() -> Talk:
    return talk((MODEL, 1.0, " Hel"), (MODEL, 1.08, "lo"), (MODEL, 1.24, " there."), (MODEL, 65.0, " *Still* here_"))


def test_words_of_one_side_stand_by_themselves() -> None:
    assert as_text([alone()]) == "Talk of 2026-11-29, 16:42\n\n0:01  Hello there.\n1:05  *Still* here_\n"
    assert as_markdown([alone()]) == (
        "# Talk of 2026-11-29, 16:42\n\n`0:01` Hello there.\n\n`1:05` \\*Still\\* here\\_\n"
    )


def test_both_sides_are_named_and_stand_in_the_order_of_speech() -> None:
    """User report U3: the user's words come late from a recogniser and still stand where they were spoken."""
    both = alone()
    both.add_turn(USER, 0.2, "Anybody here?")
    assert as_text([both]).splitlines()[2:] == ["0:00  You: Anybody here?", "0:01  Model: Hello there.",
                                                "1:05  Model: *Still* here_"]  # fmt: skip
    assert "`0:00` **You:** Anybody here?\n\n`0:01` **Model:** Hello there." in as_markdown([both])
    assert [cue.text for cue in cues_of(both)] == ["You: Anybody here?", "Model: Hello there.", "Model: *Still* here_"]


def test_earlier_talks_stand_above_and_subtitles_hold_the_last() -> None:
    first, last = alone(), talk((MODEL, 0.4, " Again."))
    assert as_text([first, last]).count("Talk of") == 2
    assert as_srt([first, last]) == "1\n00:00:00,400 --> 00:00:01,400\nAgain.\n"


def test_subtitles_are_whole_words_short_enough_to_be_read() -> None:
    words = ("It is a long answer, which goes on and on without an end. " * 12).split()
    long = talk(*((MODEL, 3600 + number * 0.32, f" {word}") for number, word in enumerate(words)))
    cues = cues_of(long)
    assert " ".join(cue.text.replace("\n", " ") for cue in cues) == " ".join(words)
    for cue, after in itertools.pairwise(cues):
        assert 0.9 <= cue.end_s - cue.start_s <= 6.0
        assert cue.end_s <= after.start_s + 1e-6
    for cue in cues:
        lines = cue.text.split("\n")
        assert len(lines) <= 2
        assert all(len(line) <= LINE_CHARACTERS for line in lines)
    text = as_srt([long])
    blocks = text.strip().split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == [str(number + 1) for number in range(len(cues))]
    assert re.fullmatch(r"01:00:0\d,\d{3} --> 01:00:0\d,\d{3}", blocks[0].split("\n")[1])


def test_the_name_holds_the_date_and_nothing_forbidden() -> None:
    name = dated("Parley", BEGAN)
    assert name == "Parley 2026-11-29 16.42"
    assert not set(name) & set('\\/:*?"<>|')


class Written:
    """Where texts went. `answer` is what the next one comes to."""

    def __init__(self) -> None:
        self.files: dict[Path, str] = {}
        self.answer = ""

    def __call__(self, path: Path, text: str) -> Future[str]:
        if not self.answer:
            self.files[path] = text
        return scripted.done(self.answer)


@pytest.fixture
def written() -> Written:
    return Written()


@pytest.fixture
def saving(make_rig: MakeRig, written: Written) -> Rig:
    rig = make_rig(write_text=written)
    rig.ready()
    return rig


def shortcut(rig: Rig, keys: str) -> None:
    chord = QKeySequence(keys)[0]
    QTest.keyClick(rig.window.main, chord.key(), chord.keyboardModifiers())


def open_dialog(rig: Rig) -> QFileDialog:
    shortcut(rig, "Ctrl+S")
    found = [widget for widget in rig.window.main.findChildren(QFileDialog) if widget.isVisible()]
    assert len(found) == 1
    return found[0]


def test_the_dialog_proposes_a_dated_name_and_every_form(saving: Rig, written: Written, tmp_path: Path) -> None:
    saving.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(1.0, " Hello"))
    dialog = open_dialog(saving)
    assert not dialog.isModal() or dialog.windowModality() == Qt.WindowModality.WindowModal
    proposed = Path(dialog.selectedFiles()[0]).name
    assert re.fullmatch(r"Parley \d{4}-\d\d-\d\d \d\d\.\d\d\.txt", proposed)
    assert [filter_.split("*")[1] for filter_ in dialog.nameFilters()] == [".txt)", ".md)", ".srt)"]
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile("talk.srt")
    dialog.accept()
    saving.window.bridge.tick()
    assert written.files == {tmp_path / "talk.srt": "1\n00:00:01,000 --> 00:00:02,000\nHello\n"}
    assert saving.window.main.model.text() == "Saved as talk.srt"


@pytest.mark.parametrize(("name", "kept"), [("words", "words.md"), ("v1.2 words", "v1.2 words.md"), ("A.TXT", "A.TXT")])
def test_a_name_without_an_ending_gets_the_chosen_one(
    saving: Rig, written: Written, tmp_path: Path, name: str, kept: str
) -> None:
    kinds = [Kind("Text", ".txt", lambda: "text"), Kind("Markdown", ".md", lambda: "markdown")]
    saving.window.main.errands.saver.save(tmp_path / name, kinds, kinds[1])
    assert written.files == {tmp_path / kept: "text" if kept == "A.TXT" else "markdown"}


def test_an_ending_that_was_added_replaces_no_file(saving: Rig, written: Written, tmp_path: Path) -> None:
    """The dialog asks before it replaces what was typed; "v1.2 words.txt" was not typed."""
    (tmp_path / "v1.2 words.txt").write_text("another talk")
    kinds = [Kind("Text", ".txt", lambda: "text")]
    saving.window.main.errands.saver.save(tmp_path / "v1.2 words", kinds, kinds[0])
    assert list(written.files) == [tmp_path / "v1.2 words 2.txt"]


def test_what_could_not_be_saved_is_said_in_the_banner(saving: Rig, written: Written, tmp_path: Path) -> None:
    """User report U13: never silence."""
    saving.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(1.0, " Hello"))
    written.answer = "There is no folder /gone to write talk.txt in."
    dialog = open_dialog(saving)
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile("talk.txt")
    dialog.accept()
    saving.window.bridge.tick()
    assert saving.window.main.banner.isVisible()
    assert saving.window.main.banner.sentence.text() == written.answer


def test_without_words_nothing_is_asked(saving: Rig, written: Written) -> None:
    shortcut(saving, "Ctrl+S")
    assert not [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QFileDialog)]
    assert saving.window.main.model.text() == "There are no words to save yet"
