"""The numbers the latency pane shows, computed from frame records.

Owns the judgement (amber above 75 % of 80 ms, red above 100 %), the percentiles per mode and the words for a
level. Pure functions of records, for any thread; the words are for `tr`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.messages import MODES
from app.telemetry import FRAME_MS, FrameRecord, percentiles
from ui.words import decimal, marked

STRIP_SECONDS = 60.0
STRIP_FRAMES = 800  # 60 s are 750 frames; some room for frames that caught up
NEAR_SHARE = 0.75
BAD_SHARE = 0.01  # of frames: beyond, losses are heard all the time

SCALE_TOPS = (100, 120, 160, 200, 240, 320, 400, 600, 800, 1200, 1600, 2400, 4000, 8000)
COST_STAGES = ("encode", "temporal", "depth", "decode", "host")
# Within a line; on buttons stand those of ui/actions.py. Stages are named as in the exported files, their sum aside.
MODE_WORDS = {"graph": marked("graph"), "eager": marked("eager"), "compiled": marked("compiled")}
TOTAL_WORD = marked("total")

UNKNOWN, OK, NEAR, OVER = "unknown", "ok", "near", "over"
VERDICT_WORDS = {
    UNKNOWN: marked("not measured"),
    OK: marked("within budget"),
    NEAR: marked("close to the limit"),
    OVER: marked("over the limit"),
}

SILENCE_DBFS = -90.0
QUIET_DBFS = -45.0
LOUD_DBFS = -6.0
CLIPPING_DBFS = -0.5


@dataclass(frozen=True)
class ModeFigures:
    """Frame cost in one mode over the strip, in milliseconds."""

    mode: str
    frames: int
    late: int
    p50: float
    p95: float
    p99: float


def verdict(milliseconds: float, budget: float = FRAME_MS) -> str:
    """OK, NEAR or OVER against the budget; UNKNOWN for nan."""
    if math.isnan(milliseconds):
        return UNKNOWN
    if milliseconds > budget:
        return OVER
    return NEAR if milliseconds > NEAR_SHARE * budget else OK


def last_seconds(records: Sequence[FrameRecord], seconds: float = STRIP_SECONDS) -> list[FrameRecord]:
    """The records of the last `seconds` before the newest one, oldest first."""
    if not records:
        return []
    oldest = records[-1].clock_ns - int(seconds * 1e9)
    return [record for record in records if record.clock_ns >= oldest]


def figures_by_mode(records: Sequence[FrameRecord]) -> list[ModeFigures]:
    """One row for each mode that occurs, in the order graph, eager, compiled."""
    rows = []
    for mode in MODES:
        totals = [record.total for record in records if record.mode == mode]
        if totals:
            late = sum(record.late for record in records if record.mode == mode)
            rows.append(ModeFigures(mode, len(totals), late, *percentiles(totals)))
    return rows


def scale_top(milliseconds: float) -> float:
    """Top of a scale that holds the value and always the 80 ms line: the first round figure from 100 ms on."""
    return next((float(top) for top in SCALE_TOPS if milliseconds <= top), float(SCALE_TOPS[-1]))


def share_verdict(count: int, total: int) -> str:
    """OK for none, NEAR for a few, OVER for more than one in a hundred."""
    if count == 0:
        return OK
    return OVER if count > BAD_SHARE * total else NEAR


def format_ms(milliseconds: float) -> str:
    """Such as "23.1 ms"; whole numbers from 1000, an en dash for what is not known."""
    if math.isnan(milliseconds):
        return "\N{EN DASH}"
    return f"{milliseconds:.0f} ms" if milliseconds >= 1000 else decimal(f"{milliseconds:.1f} ms")


def format_bytes(count: int) -> str:
    """A size in decimal units, as shops and disks write it."""
    size = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit in ("bytes", "kB") or size >= 100 else decimal(f"{size:.1f} {unit}")
        size /= 1000
    raise AssertionError("unreachable")


def format_clock(seconds: float) -> str:
    """Such as "2:05" or "1:02:05"."""
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def level_words(dbfs: float) -> str:
    """A level judged in one or two words, for the meter's text and for screen readers."""
    if math.isnan(dbfs):
        return marked("no signal yet")
    if dbfs <= SILENCE_DBFS:
        return marked("silent")
    if dbfs < QUIET_DBFS:
        return marked("quiet")
    if dbfs < LOUD_DBFS:
        return marked("good")
    return marked("loud") if dbfs < CLIPPING_DBFS else marked("clipping")
