"""Starting again at the same place, and the folder of reports."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from app.engine_faults import STICKY
from app.messages import PhaseChanged, TalkStarted, TextSpoken, Trouble, TroubleCleared
from app.watchdog import stuck
from tests.ui.conftest import MakeRig
from ui.remedies import RELAUNCH, REPORTS, remedy_of
from ui.transcript import TranscriptView
from ui.transcript_forms import FORMS
from ui.turns import MODEL, USER


def test_a_stuck_engine_offers_the_restart_and_the_next_window_shows_the_same_words(make_rig: MakeRig) -> None:
    kept: list[str] = []
    rig = make_rig(relaunch=lambda place: kept.append(place) is None)
    rig.talk()
    transcript = rig.window.main.transcript
    transcript.add_turn(MODEL, 1.0, "Hello th\u00e9re, \u05e9\u05dc\u05d5\u05dd.")
    rig.say(stuck(8.0))
    banner = rig.window.main.banner
    assert banner.trouble is not None
    assert banner.button.text() == "Restart Parley"
    assert rig.window.main.phase.text() == "Stopped by a fault"
    rig.say(TroubleCleared("stuck"))
    assert rig.window.main.phase.text().startswith("Talking"), "it came back"
    rig.say(stuck(8.0))
    banner.button.click()
    assert not rig.window.main.isVisible()
    (place,) = kept
    again = make_rig(place=place)
    again.window.main.rescue.return_to_place()
    assert "Hello th\u00e9re, \u05e9\u05dc\u05d5\u05dd." in again.window.main.transcript.as_text()
    assert again.window.main.banner.trouble is not None
    assert "started again" in again.window.main.banner.trouble.sentence


def test_thousands_of_lines_come_back_in_one_piece_and_with_their_times(
    make_rig: MakeRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Laid out line by line, each new one anew with all before it, they would hold up the new window for hours."""
    kept: list[str] = []
    rig = make_rig(relaunch=lambda place: kept.append(place) is None)
    rig.talk()
    talk = rig.window.main.transcript._talk()
    for number in range(2500):
        talk.add_words(USER, [(4.0 * number, 4.0 * number + 0.3, f"Zahl {number}?"), (4.0 * number + 1, 0, "שלום")])
        talk.add_piece(MODEL, 4.0 * number + 2, f" {number} \N{SLIGHTLY SMILING FACE}\N{RIGHT-TO-LEFT OVERRIDE}")
        talk.add_piece(MODEL, 4.0 * number + 2.9, " well\ud83d")
    talk.began = datetime(2026, 11, 29, 23, 59)
    before = [form.make(rig.window.main.transcript.spoken()) for form in FORMS]
    rig.window.main.rescue.relaunch()
    laid_out: list[object] = []
    rebuild = TranscriptView.rebuild
    monkeypatch.setattr(TranscriptView, "rebuild", lambda view: (laid_out.append(view), rebuild(view)))
    again = make_rig(place=kept[0])
    transcript = again.window.main.transcript
    laid_out.clear()
    again.window.main.rescue.return_to_place()
    assert laid_out == [transcript]
    assert [form.make(transcript.spoken()) for form in FORMS] == before, "to the second, also as subtitles"
    assert transcript.toPlainText().count("Zahl") == 2500
    again.say(PhaseChanged("talking"), TalkStarted(), TextSpoken(1.0, " Hello."))
    assert transcript.as_text().endswith("0:01  Hello.")


@pytest.mark.parametrize("place", ["", "{", "[]", "null", '{"form": "parley-place/2"}', '{"talks": [{"heading": 1}]}',
                                   '{"form": "parley-place/2", "geometry": "zz", "talks": []}',
                                   '{"form": "parley-place/2", "geometry": "", "talks": [{"heading": ""}]}',
                                   '{"form": "x", "geometry": "", "talks": []}', "[" * 5000])  # fmt: skip
def test_a_damaged_place_is_none(make_rig: MakeRig, place: str) -> None:
    rig = make_rig(place=place)
    rig.window.main.rescue.return_to_place()
    assert rig.window.main.transcript.as_text() == ""
    assert rig.window.session.troubles == []


def test_labels_and_deeds() -> None:
    assert remedy_of(stuck(8)).deed == RELAUNCH
    assert remedy_of(Trouble("talk", STICKY, "Restart Parley", fatal=True)).deed == RELAUNCH
    assert remedy_of(Trouble("program", "x", "Open reports")).deed == REPORTS


def test_the_reports_folder_opens_or_a_sentence_says_why_not(
    make_rig: MakeRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or len(opened) == 1)
    rig = make_rig(report_folder=lambda: tmp_path / "crashes")
    rig.window.main.actions_.reports.trigger()
    assert [trouble.sentence for trouble in rig.window.session.troubles] == ["There are no reports of errors."]
    (tmp_path / "crashes").mkdir()
    rig.say(Trouble("program", "x", "Open reports"))
    rig.window.main.banner.button.click()
    assert opened == [str(tmp_path / "crashes")]
    rig.window.main.actions_.reports.trigger()
    assert any("the reports are in" in trouble.sentence for trouble in rig.window.session.troubles)


def test_a_dead_graphics_card_restarts_by_itself_and_only_once(make_rig: MakeRig) -> None:
    """No window may come and go without end, should the next process meet the same fault."""
    kept: list[str] = []
    dead = Trouble("talk", STICKY, "Restart Parley", fatal=True)
    rig = make_rig(relaunch=lambda place: kept.append(place) is None)
    rig.talk()
    rig.window.main.transcript.add_turn(MODEL, 1.0, "Hello there.")
    rig.say(stuck(8.0))
    QApplication.processEvents()
    assert kept == [], "an engine that is late may come back, so that the user decides"
    rig.say(PhaseChanged("failed"), dead)
    QApplication.processEvents()
    assert not rig.window.main.isVisible()
    assert len(kept) == 1
    assert "Hello there." in kept[0]
    for place in (kept[0], "{}"):
        again = make_rig(relaunch=lambda place: kept.append(place) is None, place=place)
        again.window.main.rescue.return_to_place()
        again.say(PhaseChanged("failed"), dead)
        QApplication.processEvents()
        assert again.window.main.isVisible()
        assert again.window.main.banner.button.text() == "Restart Parley"
    assert len(kept) == 1


def test_words_that_cannot_be_kept_for_the_restart_hold_it_up_until_they_are_saved(make_rig: MakeRig) -> None:
    """A full disk and a dead graphics card at once: the window stays, and says what to do."""
    asked: list[str] = []
    rig = make_rig(relaunch=lambda place: asked.append(place) or place == "")
    rig.talk()
    main = rig.window.main
    main.transcript.add_turn(MODEL, 1.0, "Hello there.")
    rig.say(PhaseChanged("failed"), Trouble("talk", STICKY, "Restart Parley", fatal=True))
    QApplication.processEvents()
    assert main.isVisible()
    assert "cannot be kept" in main.banner.sentence.text()
    assert main.banner.button.text() == "Restart Parley"
    main.banner.button.click()
    assert main.isVisible(), "still no room"
    assert "" not in asked
    for spoken in main.transcript.spoken():
        spoken.saved = spoken.size
    main.banner.button.click()
    assert not main.isVisible()
    assert asked[-1] == ""


def test_words_go_into_reports_only_when_ticked(make_rig: MakeRig) -> None:
    rig = make_rig()
    page = rig.open_settings("recording").recording
    assert not page.words.isChecked()
    page.words.click()
    assert rig.settings.get("report.transcript") is True
    page.words.click()
    assert rig.settings.get("report.transcript") is False
    assert page.reports.defaultAction() is rig.window.main.actions_.reports
