"""The benchmark: its timetable in made-up time, its figures over made-up costs, and real rows of a tiny engine."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from app import bench, bench_computer, bench_profile, bench_report, memory
from app.bench import measure, move_to, run_paced, summary, write_rows
from app.bench_options import OTHER_COMPILED, BenchOptions
from app.errors import UserError
from app.graphics_card import Card
from engine.config import LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.errors import EngineError
from engine.graphs import COMPILED_FORMS


class Spans(NamedTuple):
    encode: float
    temporal: float
    depth: float
    decode: float
    host: float
    total: float


class Answer(NamedTuple):
    spans: Spans


class FakeClock:
    """Time that passes only by sleeping or by an engine's work."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.sleeps: list[float] = []

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.seconds += seconds


class FakeEngine:
    """Costs by frame number; the frame's cost passes on the clock."""

    precision = "bfloat16"
    kv = "full"
    context = 1000

    def __init__(self, clock: FakeClock, cost_ms: Callable[[int], float]) -> None:
        self.clock, self.cost_ms = clock, cost_ms
        self.mode = "graph"
        self.steps = 0
        self.heard: list[np.ndarray] = []
        self.began: list[float] = []

    def reset(self, seed: int | None = None) -> None:
        self.steps = 0

    def step(self, pcm: np.ndarray) -> Answer:
        self.began.append(self.clock.now())
        self.heard.append(pcm)
        cost = self.cost_ms(self.steps)
        self.steps += 1
        self.clock.seconds += cost / 1000
        return Answer(Spans(0.1 * cost, 0.4 * cost, 0.2 * cost, 0.1 * cost, 0.2 * cost, cost))


def hear() -> np.ndarray:
    return np.zeros(1920, np.float32)


@pytest.fixture
def stays(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Moving inside the talk needs a real engine's state: here it is only noted."""
    moves: list[int] = []
    monkeypatch.setattr(bench, "move_to", lambda engine, frame, hear: moves.append(frame))
    return moves


# ---------------------------------------------------------------- the timetable


def test_paced_frames_begin_every_80_ms() -> None:
    """User report G19: one frame each 80 ms, slept to a fixed timetable, whatever the frames cost."""
    clock = FakeClock()
    engine = FakeEngine(clock, lambda index: 5.0 + index)
    run_paced(engine, 20, clock, hear)
    assert np.diff(engine.began) == pytest.approx(np.full(19, 0.080))
    assert clock.sleeps == pytest.approx([(80 - 5 - index) / 1000 for index in range(19)])


def test_a_slow_frame_does_not_move_the_timetable() -> None:
    clock = FakeClock()
    engine = FakeEngine(clock, lambda index: 200.0 if index == 1 else 10.0)
    run_paced(engine, 6, clock, hear)
    began = [round((moment - 100) * 1000) for moment in engine.began]
    assert began == [0, 80, 280, 290, 320, 400]  # the two behind the slow one follow at once, then all is as planned


def test_both_kinds_come_from_one_run(stays: list[int]) -> None:
    """User report G19."""
    clock = FakeClock()
    engine = FakeEngine(clock, lambda index: 50.0 if index == 0 else 10.0)
    row = measure(engine, BenchOptions(frames=30, context_fill=0.25), clock, lambda: None)
    assert row["first_ms"] == 50.0
    assert (row["p50_ms"], row["p99_ms"]) == (10.0, 10.0)  # the first frame is not among them
    assert row["paced"]["p50_ms"] == 10.0
    assert len(clock.sleeps) == 29  # flat out slept never
    assert stays == [250, 250]
    assert row["filled_frames"] == 250
    assert engine.steps == 1 + 30 + 30
    unpaced = measure(engine, BenchOptions(frames=30, paced=False), clock, lambda: None)
    assert unpaced["paced"] is None


def test_engine_hears_sound_and_no_silence(stays: list[int]) -> None:
    clock = FakeClock()
    engine = FakeEngine(clock, lambda index: 1.0)
    measure(engine, BenchOptions(frames=3, paced=False), clock, lambda: None)
    assert all(pcm.shape == (1920,) and pcm.dtype == np.float32 and np.ptp(pcm) > 0 for pcm in engine.heard)


# ---------------------------------------------------------------- figures


def test_summary() -> None:
    spans = [Spans(1, 2, 3, 4, 5, total) for total in [10.0] * 95 + [90.0] * 5]
    figures = summary(spans)
    assert figures["p50_ms"] == 10.0
    assert figures["p99_ms"] == 90.0
    assert figures["late"] == 5
    assert list(figures["stages"]) == ["encode", "temporal", "depth", "decode", "host"]
    assert figures["stages"]["depth"] == {"p50_ms": 3.0, "p95_ms": 3.0, "p99_ms": 3.0}
    assert summary([Spans(1, 1, 1, 1, 1, 80.0)])["late"] == 0


class _Precision(NamedTuple):
    precision: str


def test_rates_against_the_copy_rate() -> None:
    """13.4 GB in 4 ms are 3354 GB/s, 80 % of 4192."""
    row: dict[str, Any] = summary([Spans(0.1, 4.0, 0.5, 0.1, 0.2, 4.9)]) | {"filled_frames": 0, "kv": "full"}
    computer = bench_computer.Computer("cuda:0", "card", "1", 4192.0, ())
    sizes = (LMConfig(), MimiConfig())
    bench._add_rates(row, _Precision("bfloat16"), sizes, computer)
    temporal = row["stages"]["temporal"]
    assert temporal["bytes"] == memory.stage_bytes(*sizes, "bfloat16", 0)["temporal"]
    assert temporal["gb_s"] == pytest.approx(3354, rel=0.001)
    assert temporal["percent_of_copy"] == pytest.approx(80.0, abs=0.1)
    assert "bytes" not in row["stages"]["host"]
    off_card: dict[str, Any] = summary([Spans(0.1, 4.0, 0.5, 0.1, 0.2, 4.9)]) | {"filled_frames": 0, "kv": "full"}
    bench._add_rates(off_card, _Precision("float32"), sizes, bench_computer.Computer("cpu", "processor", "", None, ()))
    assert "gb_s" not in off_card["stages"]["temporal"]


def test_memory_is_the_fall_since_before_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    card = Card(1, "GPU-x", "card", "1", 1000, 900, (9, 0))
    monkeypatch.setattr(bench_computer, "same_card", lambda device, cards: next(iter(cards)))
    monkeypatch.setattr(bench_computer.graphics_card, "list_cards", lambda: [card._replace(free=250)])
    engine = type("E", (), {"device": "cuda:1"})()
    assert bench_computer.memory_taken(engine, bench_computer.Computer("cuda:1", "card", "1", 10.0, (card,))) == 650


# ---------------------------------------------------------------- a real engine


def test_copying_is_measured_after_the_engines_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What copying makes a driver keep must not be counted as the engine's."""
    tiny(monkeypatch)
    order: list[str] = []
    monkeypatch.setattr(bench, "memory_taken", lambda engine, computer: order.append("memory") or 1)
    monkeypatch.setattr(bench, "with_copy_rate", lambda computer: order.append("copy") or computer)
    bench.run_bench(BenchOptions("random:tiny", ("eager",), frames=2, device="cpu"), FakeClock())
    assert order == ["memory", "copy"]


def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller still than random:tiny."""
    depth = {"depformer_dim": 16, "depformer_num_layers": 1}
    small_lm = bench.TINY_LM | depth | {"dim": 32, "num_layers": 1, "context": 60, "text_card": 50, "card": 16}
    small_mimi = {"seanet": {"n_filters": 2, "dimension": 16}, "transformer": {"num_layers": 1, "dim_feedforward": 16},
                  "quantizer": {"dimension": 8, "bins": 16}}  # fmt: skip
    monkeypatch.setattr(bench, "TINY_LM", small_lm)
    monkeypatch.setattr(bench, "TINY_MIMI", small_mimi)


@pytest.mark.parametrize("frame", [0, 30, 200])
def test_moving_inside_a_talk_leaves_it_sound(monkeypatch: pytest.MonkeyPatch, frame: int) -> None:
    """Forwards and backwards; the tokens at hand are those of the newest frames, so nothing ungenerated is read."""
    tiny(monkeypatch)
    _, _, open_engine = bench._model(BenchOptions(model="random:tiny", device="cpu"))
    engine = open_engine("float32")
    engine.reset(seed=0)
    for _ in range(7):
        engine.step(hear())
    for target in (frame, 20, frame):
        move_to(engine, target, hear)
        position = int(engine.state["tokens.position"])
        assert max(frame if target == frame else 20, 10) - 3 <= position <= max(target, 10) + 3
        answer = engine.step(hear())
        assert answer.own is not None
        assert all(0 <= code < engine.lm_config.card for code in answer.own)
        assert np.isfinite(answer.pcm).all()


def test_rows_of_a_real_engine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny(monkeypatch)
    path = tmp_path / "out.json"
    options = BenchOptions("random:tiny", ("eager",), ("float32", "bfloat16"), frames=4, json=path, device="cpu")
    clock = FakeClock()
    assert bench.run_bench(options, clock) == 0
    rows = json.loads(path.read_text())
    assert [(row["mode"], row["precision"]) for row in rows] == [("eager", "float32"), ("eager", "bfloat16")]
    for row in rows:
        assert {"p50_ms", "p95_ms", "p99_ms", "late", "stages", "memory_bytes", "paced", "first_ms"} <= row.keys()
        assert {
            "device_name",
            "torch",
            "date",
            "context_fill",
            "kv_precision",
            "command",
            "estimated_bytes",
        } <= row.keys()
        assert 0 < row["p50_ms"] <= row["p99_ms"]
        assert row["memory_bytes"] > 10_000_000
        assert row["filled_frames"] == 30
        assert row["stages"]["temporal"]["bytes"] > 0
        assert 0 < sum(stage["p50_ms"] for stage in row["stages"].values()) < 2 * row["p50_ms"]
    assert clock.sleeps  # paced frames waited, in made-up time
    out = capsys.readouterr().out
    assert "random:tiny on " in out
    assert out.count("eager  float32") == 1 + 5


def test_impossible_mode_is_said_and_does_not_stop_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny(monkeypatch)
    options = BenchOptions("random:tiny", ("graph", "eager"), frames=2, paced=False, device="cpu")
    assert bench.run_bench(options, FakeClock()) == 1
    out, err = capsys.readouterr()
    assert "graph, auto: not measured. CUDA graphs need an NVIDIA GPU" in err
    assert "eager" in out
    with pytest.raises(UserError, match=r"Nothing could be measured.*CUDA graphs"):
        bench.run_bench(BenchOptions("random:tiny", ("graph",), frames=2, device="cpu"), FakeClock())


def test_what_was_measured_before_an_interruption_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tiny(monkeypatch)
    real = bench._measure_mode

    def stops(options: BenchOptions, precision: str, mode: str, *rest: Any) -> dict[str, Any]:
        if mode == "compiled":
            raise KeyboardInterrupt
        return real(options, precision, mode, *rest)

    monkeypatch.setattr(bench, "_measure_mode", stops)
    options = BenchOptions("random:tiny", ("eager", "compiled"), frames=2, paced=False, device="cpu")
    assert bench.run_bench(options, FakeClock()) == 130
    out, err = capsys.readouterr()
    assert "eager" in out and "The modes above were measured." in err
    assert bench.run_bench(BenchOptions("random:tiny", ("compiled",), frames=2, device="cpu"), FakeClock()) == 130
    assert "Stopped before anything was measured." in capsys.readouterr().err


def test_model_that_does_not_fit_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """User report L3: both numbers, and nothing allocated."""
    monkeypatch.setattr("engine.free_memory.free_memory", lambda device: (8 << 30, 16 << 30))
    options = BenchOptions("random:7b", ("eager",), ("float32",), frames=2, device="cpu")
    with pytest.raises(UserError, match=r"32\.\d GiB.*8\.0 GiB free of 16\.0 GiB"):
        bench.run_bench(options, FakeClock())


def test_folder_without_a_model_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises((UserError, EngineError)) as caught:
        bench.run_bench(BenchOptions(str(tmp_path), device="cpu"), FakeClock())
    assert str(tmp_path) in str(caught.value)


# ---------------------------------------------------------------- report and file


def made_up_row(**changes: Any) -> dict[str, Any]:
    figures = summary([Spans(0.1, 4.0, 0.5, 0.1, 0.2, 4.9)])
    figures["stages"]["temporal"] |= {"bytes": 13_415_000_000, "gb_s": 3353.8, "percent_of_copy": 80.0}
    about = {"mode": "graph", "precision": "bfloat16", "kv_precision": "int8",
             "paced": None, "first_ms": 9.0, "prepare_s": 1.0, "frames": 250,
             "memory_bytes": 17_900_000_000, "estimated_bytes": 17_500_000_000, "copy_gb_s": 4192.0,
             "model": "random:7b", "device": "cuda:0", "device_name": "NVIDIA H200", "torch": "2.13.0", "cuda": "13.0",
             "driver": "570", "date": "2026-01-02", "filled_frames": 1500, "context_fill": 0.5}  # fmt: skip
    return figures | about | changes


def test_report_is_plain_when_piped() -> None:
    piped = io.StringIO()
    bench_report.print_report(
        [made_up_row(), made_up_row(mode="eager", paced=summary([Spans(1, 1, 1, 1, 1, 90.0)]))], piped
    )
    text = piped.getvalue()
    assert text.isascii()
    assert "random:7b on NVIDIA H200 (cuda:0, copies 4192 GB/s)" in text
    lines = text.splitlines()
    heads = next(line for line in lines if line.startswith("mode"))
    first = next(line for line in lines if line.startswith("graph"))
    for name, value in (("p50", "4.90"), ("memory GB", "17.90"), ("estimated", "17.50")):
        assert first[: heads.index(name) + len(name)].endswith(value)
    assert any(
        line.startswith("graph") and line.split()[2] == "temporal" and line.split()[-2:] == ["3354", "80"]
        for line in lines
    )
    assert any(line.startswith("eager") and "90.00" in line for line in lines)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_report_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "170")
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    bench_report.print_report([made_up_row()], terminal)
    assert "┃" in terminal.getvalue()
    assert "17.90" in terminal.getvalue()


def test_rows_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    write_rows(path, [{"mode": "eager"}])
    assert json.loads(path.read_text()) == [{"mode": "eager"}]
    with pytest.raises(UserError, match="cannot be written"):
        write_rows(tmp_path / "none" / "out.json", [])
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.json"]


# ---------------------------------------------------------------- compiled code, profiles


def test_other_ways_to_compile_are_one_mode_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny(monkeypatch)
    prepared: list[tuple[str, str]] = []
    monkeypatch.setattr(bench, "mode_reasons", lambda device: {})
    monkeypatch.setattr(Duplex, "mode_reasons", lambda engine: {"compiled": None, "eager": None})

    def prepare(engine: Duplex, mode: str, form: str) -> None:
        prepared.append((mode, form))

    monkeypatch.setattr(Duplex, "prepare", prepare)
    monkeypatch.setattr(Duplex, "set_mode", lambda engine, mode: None)
    rows: list[dict[str, Any]] = []
    monkeypatch.setattr(bench, "print_report", rows.extend)
    modes = ("eager", "compiled", "compiled-plain", "compiled-max-autotune")
    bench.run_bench(BenchOptions("random:tiny", modes, frames=2, paced=False, device="cpu"), FakeClock())
    assert prepared == [
        ("eager", "compiled"),
        ("compiled", "compiled"),
        ("compiled", "compiled-plain"),
        ("compiled", "compiled-max-autotune"),
    ]
    assert [row["mode"] for row in rows] == list(modes)
    assert [set(row.get("compiled", ())) for row in rows] == [set()] + [{"graphs", "breaks", "not_graphed"}] * 3


def test_the_other_ways_are_those_of_the_engine() -> None:
    assert ("compiled", *OTHER_COMPILED) == tuple(COMPILED_FORMS)


def test_whether_compiling_pays_is_said_with_both_numbers() -> None:
    counts = {"graphs": 7, "breaks": 0, "not_graphed": 3}
    rows = [made_up_row(), made_up_row(mode="compiled", p50_ms=4.89, compiled=counts)]
    rows += [made_up_row(mode="compiled-plain", p50_ms=3.0, compiled=counts)]
    rows += [made_up_row(mode="compiled", precision="fp8", p50_ms=3.0, compiled=counts)]
    assert bench_report.verdicts(rows) == [
        "compiled brings nothing over graph in bfloat16 here: 4.89 ms a frame against 4.90.",
        "compiled-plain is faster than graph in bfloat16 here: 3.00 ms a frame against 4.90.",
    ]
    piped = io.StringIO()
    bench_report.print_report(rows, piped)
    table = piped.getvalue().split("Compiled code\n")[1].splitlines()
    assert table[1].split() == ["compiled", "bfloat16", "7", "0", "3", "1.0", "9.00", "4.89"]
    assert table[-1].startswith("compiled-plain is faster")
    eager = bench_report.verdicts([made_up_row(mode="eager"), made_up_row(mode="compiled", p50_ms=2.0)])
    assert eager == ["compiled is faster than eager in bfloat16 here: 2.00 ms a frame against 4.90."]


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
def test_a_trace_names_the_stages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ending: str) -> None:
    tiny(monkeypatch)
    monkeypatch.setattr(bench_profile, "FRAMES", 2)
    options = BenchOptions(
        "random:tiny", ("eager",), ("float32",), frames=2, paced=False, device="cpu", trace=tmp_path / f"trace{ending}"
    )
    assert bench.run_bench(options, FakeClock()) == 0
    (written,) = tmp_path.iterdir()
    assert written.name == f"trace-eager-float32{ending}"
    content = written.read_bytes()
    events = json.loads(gzip.decompress(content) if ending.endswith(".gz") else content)["traceEvents"]
    names = [event.get("name") for event in events]
    assert [names.count(f"eager: {stage}") for stage in ("encode", "temporal", "depth", "decode")] == [2, 2, 2, 2]
