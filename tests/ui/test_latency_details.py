"""Latency details: figures per mode and stage, copies and exports, and the trial of another mode."""

from __future__ import annotations

import csv
import io
import json
import math
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from app.messages import ModeChanged, PhaseChanged, SetMode, TalkEnded, Trouble
from app.telemetry import FrameRecord
from tests.ui.conftest import MakeRig, Rig
from ui import ports as keys
from ui import scripted
from ui.latency_details import LatencyWindow
from ui.latency_forms import as_csv, as_text, as_trace
from ui.latency_report import ROWS, TalkCosts

SWITCHED = [("graph", 200), ("eager", 63), ("graph", 40)]


def press(rig: Rig, shortcut: str) -> None:
    chord = QKeySequence(shortcut)[0]
    QTest.keyClick(rig.window.main, chord.key(), chord.keyboardModifiers())


def feed(rig: Rig, records: list[FrameRecord]) -> None:
    for record in records:
        rig.conversation.history.append(record)
    rig.window.bridge.tick()


def seconds(rig: Rig, count: float) -> None:
    for _ in range(round(count * 30)):
        rig.window.bridge.tick()


def test_each_mode_is_summed_up_with_its_first_frames_apart() -> None:
    records = scripted.frames(SWITCHED, gaps_at=(210, 211), skipped_at=(3,))
    dear = records[263]._replace(total=400.0, late=True)  # the first frame after the return to graph
    records[263] = dear
    records[220:] = [record._replace(silenced=2) for record in records[220:]]
    costs = TalkCosts()
    assert costs.take(records[:150])
    assert costs.take(records)
    assert not costs.take(records), "seen already"
    reports = costs.reports()
    assert list(reports) == ["graph", "eager"]
    graph, eager = reports["graph"], reports["eager"]
    assert (graph.frames, graph.late, graph.gaps, graph.skipped) == (240, 1, 0, 1)
    assert (eager.frames, eager.gaps, eager.silenced, graph.silenced) == (63, 2, 2, 0)
    assert graph.firsts == (records[0].total, 400.0)
    assert graph.first == 400.0
    steady = [record for record in records if record.mode == "graph" and record.number not in (0, 263)]
    for row in ROWS:
        wanted = np.percentile([getattr(record, row) for record in steady], (50, 95, 99, 100))
        assert graph.stages[row] == pytest.approx(tuple(wanted))


def test_another_talk_begins_anew() -> None:
    costs = TalkCosts()
    costs.take(scripted.frames([("graph", 50)]))
    again = [record._replace(clock_ns=record.clock_ns + 10**12) for record in scripted.frames([("eager", 5)])]
    costs.take(again)
    assert {mode: report.frames for mode, report in costs.reports().items()} == {"eager": 5}


def test_the_table_of_frames_holds_every_record() -> None:
    records = scripted.frames([("graph", 3)])
    records[1] = records[1]._replace(mic_to_speaker_ms=math.nan, late=True)
    rows = list(csv.DictReader(io.StringIO(as_csv(records))))
    assert list(rows[0]) == list(FrameRecord._fields)
    assert [row["number"] for row in rows] == ["0", "1", "2"]
    assert (rows[1]["mic_to_speaker_ms"], rows[1]["late"], rows[0]["late"]) == ("", "1", "0")
    assert float(rows[2]["temporal"]) == pytest.approx(records[2].temporal, abs=5e-4)


def test_the_trace_is_what_trace_viewers_read() -> None:
    records = scripted.frames([("graph", 20), ("eager", 10)], gaps_at=(7,))
    records[4] = records[4]._replace(mic_to_speaker_ms=math.nan)
    trace = json.loads(as_trace(records), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    events = trace["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "X", "C", "i"}
    frames = [event for event in events if event["ph"] == "X" and event["name"].startswith("frame")]
    assert [event["name"] for event in frames] == ["frame, graph"] * 20 + ["frame, eager"] * 10
    assert frames[0]["ts"] == 0
    starts = np.diff([event["ts"] + event["dur"] for event in frames])
    assert starts == pytest.approx(np.full(29, 80_000.0))
    assert "mic_to_speaker_ms" not in frames[4]["args"]
    stages = [event for event in events if event["ph"] == "X" and event["tid"] == 2]
    for number, frame in enumerate(frames):
        inside = stages[5 * number : 5 * number + 5]
        assert [event["name"] for event in inside] == ["encode", "temporal", "depth", "decode", "host"]
        assert inside[0]["ts"] == frame["ts"]
        assert inside[-1]["ts"] + inside[-1]["dur"] == pytest.approx(frame["ts"] + frame["dur"], abs=0.1)
    (gap,) = [event for event in events if event["ph"] == "i"]
    assert gap["name"] == "gap"
    assert json.loads(as_trace([]))["traceEvents"]


def open_details(rig: Rig) -> LatencyWindow:
    press(rig, "Ctrl+Shift+L")
    window = rig.window.main.errands.latency
    assert window is not None
    assert window.isVisible()
    return window


def test_the_window_shows_modes_side_by_side_and_reads_them_aloud(rig: Rig) -> None:
    rig.talk()
    feed(rig, scripted.frames([("graph", 1200), ("eager", 63), ("graph", 40)], gaps_at=(1210,)))
    window = open_details(rig)
    assert window.cards["graph"].note.text() == "1240 frames", "those from before it was opened, too"
    assert window.cards["compiled"].note.text() == "not used in this talk"
    assert float(window.cards["eager"].cells["total", "p50"].text().lstrip("! ")) == pytest.approx(65, abs=3)
    assert window.cards["eager"].cells["total", "p50"].text().startswith("! "), "not told by colour alone"
    assert window.cards["eager"].facts["gaps"].text() == "1"
    name = QAccessible.queryAccessibleInterface(window.cards["graph"].cells["depth", "p95"])
    assert name.text(QAccessible.Text.Name) == "graph depth p95"
    described = QAccessible.queryAccessibleInterface(window.cards["graph"].bar)
    assert "of 80 ms, within budget" in described.text(QAccessible.Text.Description)
    assert "now" in window.cards["graph"].heading.text()
    marked_up = [label for label in window.findChildren(QLabel) if "<" in label.text()]
    assert marked_up and all(label.textFormat() == Qt.TextFormat.RichText for label in marked_up)
    assert window.minimumSizeHint().width() <= 1280


def test_a_mode_that_cannot_be_had_says_why(rig: Rig) -> None:
    rig.talk(scripted.model_info(cuda=False), "eager")
    window = open_details(rig)
    assert window.cards["graph"].note.text() == "not on this computer"
    assert window.cards["graph"].note.toolTip() == scripted.NO_CUDA


def test_figures_follow_once_a_second_and_not_while_hidden(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.talk()
    window = open_details(rig)
    records = scripted.frames([("graph", 60)])
    feed(rig, records[:20])
    seconds(rig, 1)
    assert window.cards["graph"].note.text() == "20 frames"
    window.close()
    shown: list[object] = []
    monkeypatch.setattr(window.cards["graph"], "show_report", lambda *given: shown.append(given))
    feed(rig, records[20:])
    seconds(rig, 2)
    assert shown == []
    monkeypatch.undo()
    open_details(rig)
    assert window.cards["graph"].note.text() == "60 frames"


def test_figures_can_be_copied_without_the_window(rig: Rig) -> None:
    press(rig, "Ctrl+Shift+F")
    assert rig.window.main.model.text() == "There are no figures to copy yet"
    rig.talk()
    feed(rig, scripted.frames(SWITCHED))
    press(rig, "Ctrl+Shift+F")
    text = QApplication.clipboard().text()
    assert text.startswith("Parley: personaplex-7b-v1, NVIDIA GeForce RTX 4090, bfloat16")
    assert "eager: 63 frames, " in text
    costs = TalkCosts()
    costs.take(scripted.frames(SWITCHED))
    assert as_text(costs.reports(), "x").splitlines()[1:] == text.splitlines()[1:]


@pytest.mark.parametrize(("ending", "begins"), [(".csv", "number,clock_ns,mode"), (".json", '{"displayTimeUnit"')])
def test_frames_can_be_exported(make_rig: MakeRig, tmp_path: Path, ending: str, begins: str) -> None:
    written: dict[Path, str] = {}

    def write(path: Path, text: str) -> Future[str]:
        written[path] = text
        return scripted.done("")

    rig = make_rig(write_text=write)
    press(rig, "Ctrl+Shift+E")
    assert rig.window.main.model.text() == "There are no frames to export yet"
    rig.talk()
    feed(rig, scripted.frames([("graph", 30)]))
    open_details(rig)
    press(rig, "Ctrl+Shift+E")
    latency = rig.window.main.errands.latency
    assert latency is not None
    (dialog,) = latency.findChildren(QFileDialog)
    assert Path(dialog.selectedFiles()[0]).name.startswith("Parley frames 2")
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile(f"frames{ending}")
    dialog.accept()
    assert written[tmp_path / f"frames{ending}"].startswith(begins)


# ---------------------------------------------------------------- the trial


@pytest.fixture
def talk(rig: Rig) -> Rig:
    rig.talk()
    feed(rig, scripted.frames([("graph", 200)]))
    rig.sent()
    return rig


def switched(rig: Rig, mode: str) -> None:
    rig.say(ModeChanged(mode, dict.fromkeys(("graph", "eager", "compiled"))))


def test_a_trial_runs_eager_for_five_seconds_returns_and_compares(talk: Rig) -> None:
    before = dict(talk.settings.values)
    press(talk, "Ctrl+E")
    assert talk.sent() == [SetMode("eager")]
    seconds(talk, 1)
    switched(talk, "eager")
    assert talk.window.main.actions_.trial.text().replace("&", "") == "Back to graph"
    feed(talk, scripted.frames([("graph", 200), ("eager", 63)])[200:])
    seconds(talk, 4.5)
    assert talk.sent() == [], "five seconds from when the engine has switched"
    seconds(talk, 0.6)
    assert talk.sent() == [SetMode("graph")]
    switched(talk, "graph")
    window = talk.window.main.errands.latency
    assert window is not None
    assert window.isVisible(), "the comparison can be seen"
    comparison = talk.window.main.errands.trial.comparison
    assert comparison is not None
    assert comparison.usual_p50 == pytest.approx(24, abs=1)
    assert comparison.tried_p50 == pytest.approx(65, abs=3)
    assert window.outcome.text() == comparison.sentence()
    assert "2.7 times as long" in window.outcome.text()
    assert talk.settings.values == before, "what is tried is not chosen"
    assert talk.window.session.wanted_mode == "graph"
    seconds(talk, 12)
    assert talk.sent() == []


def test_a_trial_can_be_ended_at_once(talk: Rig) -> None:
    press(talk, "Ctrl+E")
    switched(talk, "eager")
    seconds(talk, 1)
    press(talk, "Ctrl+E")
    assert talk.sent() == [SetMode("eager"), SetMode("graph")]


def test_a_choice_made_during_a_trial_stays(talk: Rig) -> None:
    press(talk, "Ctrl+E")
    switched(talk, "eager")
    press(talk, "Ctrl+3")
    switched(talk, "compiled")
    seconds(talk, 12)
    assert talk.sent() == [SetMode("eager"), SetMode("compiled")]
    assert talk.settings.values[keys.MODE] == "compiled"


def test_eager_chosen_before_the_engine_answered_stays(talk: Rig) -> None:
    press(talk, "Ctrl+E")
    press(talk, "Ctrl+2")
    switched(talk, "eager")
    seconds(talk, 12)
    assert SetMode("graph") not in talk.sent()
    assert talk.settings.values[keys.MODE] == "eager"


def test_a_trial_that_is_refused_or_never_answered_ends(talk: Rig) -> None:
    press(talk, "Ctrl+E")
    talk.say(Trouble("mode", "The eager mode cannot be used."))
    assert not talk.window.main.errands.trial.running
    talk.sent()
    press(talk, "Ctrl+E")
    seconds(talk, 11)
    assert not talk.window.main.errands.trial.running
    assert talk.sent() == [SetMode("eager"), SetMode("graph")]
    window = talk.window.main.errands.latency
    assert window is not None
    assert window.outcome.text() == "The trial ended before it had measured anything."


def test_the_end_of_the_talk_ends_the_trial_and_the_mode_returns(talk: Rig) -> None:
    press(talk, "Ctrl+E")
    switched(talk, "eager")
    talk.say(PhaseChanged("ready"), TalkEnded("stopped"))
    assert talk.sent() == [SetMode("eager"), SetMode("graph")]


@pytest.mark.parametrize("mode", ["eager", ""])
def test_a_trial_that_makes_no_sense_cannot_be_begun_and_says_why(rig: Rig, mode: str) -> None:
    if mode:
        rig.talk(mode=mode)
    else:
        rig.ready()
    rig.sent()
    action = rig.window.main.actions_.trial
    assert not action.isEnabled()
    assert ("runs already" if mode else "must be running") in action.toolTip()
    QTest.keyClick(rig.window.main, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert rig.sent() == []
