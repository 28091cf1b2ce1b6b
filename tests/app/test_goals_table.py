"""The table of the goals of speed, from what the measuring programs leave: no card is needed to read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.gpu.goals import goals, once, table

SIZE = [
    "15.76 GB written in 17 s",
    'first start {"read s": 8.0, "ready s": 40.0}',
    'start {"read s": 8.0, "ready s": 14.9}',
    '{"prime 400 frames s (graph twice, eager twice)": [0.21, 0.11, 0.37, 0.41]}',
]


def row(mode: str, precision: str, p50: float, p99: float, gigabytes: float) -> dict[str, Any]:
    return {"mode": mode, "precision": precision, "p50_ms": p50, "p99_ms": p99, "memory_bytes": gigabytes * 1e9}


BENCH = [
    row("graph", "bfloat16", 4.76, 4.79, 17.63), row("eager", "bfloat16", 21.3, 61.0, 17.55),
    row("graph", "int8", 3.41, 4.0, 10.32), row("graph", "int4", 2.73, 2.79, 7.04),
]  # fmt: skip


def test_each_goal_is_judged_by_its_own_figure() -> None:
    said = {goal.what: goal.verdict for goal in goals(BENCH, SIZE)}
    missed = {"int8, p50", "int8, p99 / p50", "int4, device memory, KV in bfloat16", "eager, bfloat16, p99"}
    assert {what for what, verdict in said.items() if verdict == "missed"} == missed
    assert len(said) == 13
    assert set(said.values()) == {"missed", "reached"}


def test_the_start_has_the_time_that_reading_takes_and_the_persona_its_first_time() -> None:
    found = {goal.what: goal for goal in goals(BENCH, SIZE)}
    start = found["start: 1.5 x reading the files + 5 s"]
    assert (start.limit, start.measured, start.verdict) == (17.0, 14.9, "reached")
    assert found["persona of 400 frames primed, the first time"].measured == 0.21


def test_what_was_not_measured_is_not_reached() -> None:
    found = goals([], [])
    assert {goal.verdict for goal in found} == {"not measured"}


def test_peers_stand_below_and_a_failed_one_says_why() -> None:
    peers = [{"who": "moshi, its CUDA graphs", "p50 ms": 17.13, "p99 ms": 22.43}, {"who": "other", "failed": "no file"}]
    lines = table(goals(BENCH, SIZE), peers).splitlines()
    assert lines[2] == "| bfloat16, p50 | 5.00 ms | 4.76 ms | reached |"
    assert lines[-2:] == ["| moshi, its CUDA graphs | | p50 17.13 ms, p99 22.43 ms | |", "| other | | no file | |"]


def test_a_part_is_made_once_and_a_failed_one_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_text(json.dumps(len(made)))

    def fail(path: Path) -> None:
        path.write_text("half")
        raise OSError("no card")

    for _ in range(2):
        assert json.loads(once(tmp_path / "part.json", make).read_text()) == 1
    assert not once(tmp_path / "other.json", fail).exists()
    assert "other.json: no card" in capsys.readouterr().err
