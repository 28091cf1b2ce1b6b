"""Latency as text, as a table of frames, and as a trace for a trace viewer.

Owns the three forms. Pure functions of records and reports; no file.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence

from app.telemetry import FRAME_MS, FrameRecord
from ui.figures import COST_STAGES
from ui.latency_report import POINT_NAMES, ROWS, ModeReport

_FRAMES, _STAGES = 1, 2  # rows of the trace


def as_text(reports: Mapping[str, ModeReport], heading: str) -> str:
    """A table per mode in plain text, for a message or a report; milliseconds."""
    lines = [heading, f"Milliseconds per frame; a frame may take {FRAME_MS:.0f}."]
    for report in reports.values():
        counted = ", ".join(f"{getattr(report, name)} {name}" for name in ("late", "gaps", "skipped", "silenced"))
        lines += ["", f"{report.mode}: {report.frames} frames, {counted}, first frame {_figure(report.first)}"]
        lines.append(f"{'':10}" + "".join(f"{name:>9}" for name in POINT_NAMES))
        for row in ROWS:
            lines.append(f"{row:10}" + "".join(f"{_figure(value):>9}" for value in report.stages[row]))
    return "\n".join(lines) + "\n"


def as_csv(records: Sequence[FrameRecord]) -> str:
    """The records as they are, a line each; what is not known is empty, yes is 1."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(FrameRecord._fields)
    for record in records:
        table.writerow([_cell(value) for value in record])
    return text.getvalue()


def as_trace(records: Sequence[FrameRecord]) -> str:
    """The trace event format of chrome://tracing and Perfetto: frames, their stages, counters, and marks for gaps.

    Stages are measured as durations; they are drawn in their order within the frame, the host's share last.
    """
    events: list[dict[str, object]] = [
        _named("process_name", 0, "Parley"),
        _named("thread_name", _FRAMES, "frames"),
        _named("thread_name", _STAGES, "stages"),
    ]
    if records:
        began_us = records[0].clock_ns / 1e3 - records[0].total * 1e3
        before = records[0]
        for record in records:
            events += _frame_events(record, before, began_us)
            before = record
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": events}, allow_nan=False) + "\n"


def _frame_events(record: FrameRecord, before: FrameRecord, began_us: float) -> list[dict[str, object]]:
    start = record.clock_ns / 1e3 - record.total * 1e3 - began_us
    known = {name: value for name, value in record._asdict().items() if _known(value)}
    events = [_span(f"frame, {record.mode}", _FRAMES, start, record.total, known)]
    at = start
    for stage in COST_STAGES:
        events.append(_span(stage, _STAGES, at, getattr(record, stage), {"mode": record.mode}))
        at += getattr(record, stage) * 1e3
    events.append({"name": "queued ms", "ph": "C", "pid": 1, "ts": round(start, 3),
                   "args": {"queued": round(record.queued_ms, 3)}})  # fmt: skip
    for name, counter in (("gap", "gaps"), ("skipped", "skipped"), ("silenced", "silenced")):
        if getattr(record, counter) > getattr(before, counter):
            events.append({"name": name, "ph": "i", "s": "p", "pid": 1, "tid": _FRAMES, "ts": round(start, 3)})
    return events


def _span(name: str, row: int, start_us: float, milliseconds: float, arguments: dict[str, object]) -> dict[str, object]:
    duration = round(max(0.0, milliseconds) * 1e3, 3)
    return {"name": name, "ph": "X", "pid": 1, "tid": row, "ts": round(start_us, 3), "dur": duration, "args": arguments}


def _named(what: str, row: int, name: str) -> dict[str, object]:
    return {"name": what, "ph": "M", "pid": 1, "tid": row, "args": {"name": name}}


def _known(value: object) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return f"{value:.3f}" if math.isfinite(value) else ""
    return value


def _figure(value: float) -> str:
    return f"{value:.1f}" if math.isfinite(value) else "-"
