"""The latency pane: the numbers are those of the records, judged against their limits, and cost nothing unseen."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from app.messages import Trouble
from app.telemetry import FrameRecord, percentiles
from tests.ui.conftest import MakeRig, Rig
from ui import scripted
from ui.figures import format_ms, last_seconds, level_words, scale_top, verdict
from ui.latency_strip import columns, marks, stretches
from ui.stage_bar import label_left

SLOW = {"eager": scripted.SLOW_COSTS}


def show(rig: Rig, records: list[FrameRecord]) -> None:
    for record in records:
        rig.conversation.history.append(record)
    rig.window.bridge.tick()
    rig.window.main.latency.refresh()


def test_percentiles_shown_are_those_of_the_last_minute(rig: Rig) -> None:
    records = scripted.frames([("graph", 500), ("eager", 400), ("graph", 200)])
    rig.talk()
    show(rig, records)
    newest = records[-1].clock_ns
    for mode in ("graph", "eager"):
        totals = [r.total for r in records if r.mode == mode and newest - r.clock_ns <= 60e9]
        cells = rig.window.main.latency.cells
        for name, value in zip(("p50", "p95", "p99"), percentiles(totals), strict=True):
            assert cells[mode, name].text().split("!")[-1].strip() == format_ms(value)
        assert cells[mode, "late"].text().endswith(f"of {len(totals)}")
    assert rig.window.main.latency.cells["compiled", "p50"].text() == "\N{EN DASH}"


def test_the_table_is_never_more_than_two_frames_behind(rig: Rig) -> None:
    rig.talk()
    shown = rig.window.main.latency.cells["graph", "late"]
    for count, record in enumerate(scripted.frames([("graph", 40)]), start=1):
        rig.conversation.history.append(record)
        rig.window.bridge.tick()
        assert count - int(shown.text().split()[-1]) <= 2


def test_the_tiles_tell_the_newest_state(rig: Rig) -> None:
    records = scripted.frames([("eager", 100)], SLOW, gaps_at=(20, 40), skipped_at=(50, 51, 52))
    rig.talk(mode="eager")
    show(rig, records)
    pane = rig.window.main.latency
    assert pane.speaker.number.text() == f"{records[-1].mic_to_speaker_ms:.0f} ms"
    assert pane.gaps.number.text() == "2"
    assert pane.gaps.note.text() == "in 100 frames"
    assert pane.late.number.text() == "100"
    assert pane.late.note.text() == "of 100, 3 skipped"
    (median,) = percentiles([r.total for r in last_seconds(records, 1.0)], (50,))
    assert pane.frame.number.text() == format_ms(median)


def test_colour_is_never_the_only_sign(rig: Rig) -> None:
    rig.talk(mode="eager")
    show(rig, scripted.frames([("eager", 100)], SLOW))
    pane = rig.window.main.latency
    assert pane.frame.number.property("tone") == "over"
    assert pane.frame.note.text() == "of 80, over the limit"
    assert pane.cells["eager", "p50"].text().startswith("!!")
    assert "over the limit" in pane.bar.accessibleDescription()
    rig.conversation.history.clear()
    rig.window.bridge.tick()
    show(rig, scripted.frames([("eager", 100)], seed=3))
    assert pane.frame.number.property("tone") == "near"
    assert pane.frame.note.text() == "of 80, close to the limit"
    assert pane.cells["eager", "p50"].text().startswith("!  ")


def test_a_new_talk_begins_with_an_empty_pane(rig: Rig) -> None:
    rig.talk()
    show(rig, scripted.frames([("graph", 100)]))
    rig.conversation.history.clear()
    rig.window.bridge.tick()
    assert rig.window.main.latency.frame.number.text() == "\N{EN DASH}"
    assert rig.window.main.latency.cells["graph", "p50"].text() == "\N{EN DASH}"


def test_the_words_for_screen_readers_hold_the_numbers(rig: Rig) -> None:
    records = scripted.frames([("graph", 100)])
    rig.talk()
    show(rig, records)
    pane = rig.window.main.latency
    assert f"temporal {format_ms(records[-1].temporal)}" in pane.bar.accessibleDescription()
    assert pane.strip.accessibleDescription().startswith("graph: 100 frames, median ")
    assert pane.cells["graph", "p95"].accessibleName() == "graph p95"


def test_a_hidden_pane_computes_and_paints_nothing(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.talk()
    show(rig, scripted.frames([("graph", 100)]))
    pane = rig.window.main.latency
    calls: list[object] = []
    monkeypatch.setattr(pane, "refresh", lambda **_: calls.append("refresh"))
    monkeypatch.setattr(type(pane.strip), "paintEvent", lambda *_: calls.append("paint"))
    rig.window.main.hide()
    for record in scripted.frames([("graph", 200)])[100:]:
        rig.conversation.history.append(record)
        rig.window.bridge.tick()
    assert calls == []
    monkeypatch.undo()
    rig.window.main.show()
    assert pane.cells["graph", "late"].text() == "0 of 200", "what came meanwhile is there when it is seen again"


def test_frames_are_handed_on_only_when_there_is_a_new_one(rig: Rig) -> None:
    handed: list[int] = []
    rig.window.bridge.frames.connect(lambda records: handed.append(len(records)))
    rig.conversation.history.append(scripted.frames([("graph", 1)])[0])
    for _ in range(3):
        rig.window.bridge.tick()
    assert handed == [1]


def test_pointing_at_the_strip_tells_the_frame(rig: Rig) -> None:
    records = scripted.frames([("graph", 700)])
    rig.talk()
    show(rig, records)
    strip = rig.window.main.latency.strip
    strip.grab()
    words = strip.words_at(strip._plot.right())
    assert words.startswith("0.0 s ago, graph")
    assert format_ms(records[-1].total) in words
    assert strip.words_at(0) == ""


def test_stretches_part_modes_and_pauses() -> None:
    records = scripted.frames([("graph", 10), ("eager", 5), ("graph", 10)])
    paused = [
        record._replace(clock_ns=record.clock_ns + 10**9) if record.number >= 20 else record for record in records
    ]
    assert [(s.mode, len(s.clocks)) for s in stretches(paused)] == [
        ("graph", 10),
        ("eager", 5),
        ("graph", 5),
        ("graph", 5),
    ]
    assert stretches([]) == []


def test_marks_stand_where_counters_rose_and_not_where_a_talk_began_anew() -> None:
    records = scripted.frames([("graph", 30)], gaps_at=(5,), skipped_at=(9,))
    again = [record._replace(clock_ns=record.clock_ns + 10**10) for record in scripted.frames([("graph", 10)])]
    assert [(m.kind, m.clock_ns) for m in marks(records + again)] == [
        ("gap", records[5].clock_ns),
        ("skipped", records[9].clock_ns),
    ]


def test_no_peak_is_lost_between_pixels() -> None:
    import numpy as np

    across = np.linspace(0, 100, 700)
    totals = np.full(700, 20.0)
    totals[333] = 95.0
    kept, dearest = columns(across, totals)
    assert len(kept) <= 103
    assert dearest.max() == 95.0
    assert kept[0] == 0
    assert kept[-1] == 100


@pytest.mark.parametrize(
    ("milliseconds", "judged"),
    [(23.0, "ok"), (60.0, "ok"), (60.1, "near"), (80.0, "near"), (80.1, "over"), (math.nan, "unknown")],
)
def test_amber_above_three_quarters_and_red_above_the_whole(milliseconds: float, judged: str) -> None:
    assert verdict(milliseconds) == judged


def test_the_limit_is_named_over_its_line() -> None:
    """The words stood at the end of the bar, a hand's breadth from the line that they name."""
    assert label_left(400.0, 40.0, 50.0, 500.0) == 380.0, "in the middle over the line"
    assert label_left(30.0, 40.0, 90.0, 500.0) > 90.0, "but not upon what is said at the left"
    assert label_left(495.0, 40.0, 0.0, 500.0) == 460.0, "and within the bar"
    assert label_left(4.0, 40.0, 0.0, 500.0) == 0.0


def test_the_scale_always_holds_the_limit_and_the_value() -> None:
    for value in (0.0, 79.0, 100.0, 101.0, 700.0, 7999.0):
        assert scale_top(value) >= max(80.0, value)
    assert scale_top(1e9) == 8000.0, "a monstrous frame does not flatten the rest for good"


@pytest.mark.parametrize(
    ("dbfs", "words"),
    [
        (-120.0, "silent"),
        (-60.0, "quiet"),
        (-20.0, "good"),
        (-3.0, "loud"),
        (0.0, "clipping"),
        (math.nan, "no signal yet"),
    ],
)
def test_levels_in_words(dbfs: float, words: str) -> None:
    assert level_words(dbfs) == words


def test_no_row_is_cut_off_beside_two_notices(make_rig: MakeRig) -> None:
    """At the size at which the window opens."""
    rig = make_rig()
    limits = "This first version speaks clearly and takes turns, but it seldom understands: its answers rarely fit."
    rig.talk(replace(scripted.model_info(cuda=False), limits=limits), "eager")
    rig.say(Trouble("audio-input", 'The microphone "default" gives only digital silence.', "Sound settings"))
    main = rig.window.main
    main.latency.take(scripted.frames([("eager", 100)], gaps_at=(20,)))
    QApplication.processEvents()
    QApplication.processEvents()
    assert main.banner.isVisible() and main.untrained.isVisible() and main.latency.marks.isVisible()
    area: QWidget | None = main.latency
    while not isinstance(area, QScrollArea):
        assert area is not None
        area = area.parentWidget()
    assert area.verticalScrollBar().maximum() == 0
