"""What a headless talk leaves on the terminal and in its JSON files.

Owns the latency table and the token list's form. Pure functions over records; knows no engine and no files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from app.engine_room import AnswerLike
from app.messages import ModelInfo
from app.telemetry import FRAME_MS, FrameRecord, percentiles

SHOWN = ("encode", "temporal", "depth", "decode", "host", "total")

UNTRAINED = "These weights are untrained: the reply shows that every part works and how fast; its words mean nothing."


def caution(info: ModelInfo) -> str:
    """What to expect of a model's words, where that is not the best; else ""."""
    return info.limits if info.trained else UNTRAINED


def token_entry(answer: AnswerLike) -> dict[str, Any]:
    """One input frame of `--tokens-out`: the 8 codes heard, the text token and own codes that came out, or null."""
    return {
        "user": [int(code) for code in answer.user],
        "text": None if answer.text is None else int(answer.text),
        "own": None if answer.own is None else [int(code) for code in answer.own],
    }


class TalkFrames:
    """Counts the frames of a talk and keeps what `--tokens-out` says of each, as text: hours of them are a lot."""

    def __init__(self, kept: bool) -> None:
        self.count = 0
        self.lines: list[str] = []
        self._kept = kept

    def add(self, answer: AnswerLike) -> None:
        self.count += 1
        if self._kept:
            self.lines.append(json.dumps(token_entry(answer)))


def token_list(lines: Sequence[str]) -> str:
    """A JSON list with one frame on each line."""
    return "[\n" + ",\n".join(lines) + "\n]\n"


def latency_table(records: Sequence[FrameRecord]) -> Table:
    """Milliseconds of each stage: the first frame apart, then percentiles of the others."""
    table = Table(title=f"Milliseconds a frame (a frame is {FRAME_MS:.0f} ms of sound)", title_justify="left")
    for heading in ("stage", "first frame", "p50", "p95", "p99", "max"):
        table.add_column(heading, justify="left" if heading == "stage" else "right")
    first, steady = records[0], records[1:]
    for stage in SHOWN:
        values = [getattr(record, stage) for record in steady]
        points = [*percentiles(values), max(values)] if values else []
        cells = [f"{value:.2f}" for value in (getattr(first, stage), *points)]
        table.add_row(stage, *cells, *["-"] * (5 - len(cells)), end_section=stage == "host")
    return table


def pace_line(records: Sequence[FrameRecord], elapsed_s: float) -> str:
    spoken_s = len(records) * FRAME_MS / 1000
    late = sum(record.late for record in records)
    return (
        f"{len(records)} frames, {spoken_s:.1f} s of talk in {elapsed_s:.1f} s "
        f"({spoken_s / max(elapsed_s, 1e-9):.2f} times real time); late frames (over {FRAME_MS:.0f} ms): "
        f"{late} of {len(records)}"
    )


def model_line(info: ModelInfo, mode: str) -> str:
    """What talks, and in which precision for what reason."""
    line = f"Model: {info.name} on {info.device_name} ({info.device}), {info.precision}, {mode} mode"
    why = f"Precision {info.precision_reason}" if info.precision_reason else ""
    return "\n".join(filter(None, (line, why, info.agreement)))
