"""`parley bench`: what a frame costs in each mode and precision, flat out and paced as in a talk.

Owns the measuring: one engine for each mode and precision, a talk that is already as long as asked, percentiles of the
frame and of its stages, the memory taken, and on a card the bytes each stage reads against what the card copies. Needs
no sound, no window and no hub. Runs in the caller's thread, which is then the engine thread; torch comes late.
"""

from __future__ import annotations

import itertools
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from app import graphics_card, memory
from app.bench_computer import Computer, examine_computer, memory_taken, mode_reasons, with_copy_rate
from app.bench_options import OTHER_COMPILED, RANDOM_MODELS, BenchOptions
from app.bench_profile import mark_for_nsight, trace_path, write_trace
from app.bench_report import print_report
from app.errors import UserError
from app.messages import MODES
from app.paths import user_cache_folder
from app.preflight import choose_precision
from app.recording import write_whole
from app.telemetry import FRAME_MS, percentiles
from app.version import version

if TYPE_CHECKING:
    from engine.config import LMConfig, MimiConfig

STAGES = ("encode", "temporal", "depth", "decode", "host")
FRAME_SAMPLES = 1920
SETTLING_FRAMES = 10  # after the jump to the asked length; clocks and caches find their pace
# A model that a processor runs in a few milliseconds a frame: for trying the benchmark, not for comparing.
TINY_LM = {"dim": 256, "num_layers": 4, "num_heads": 4, "context": 500, "depformer_dim": 128, "depformer_num_layers": 2,
           "depformer_num_heads": 4, "text_card": 2000, "card": 256}  # fmt: skip
TINY_MIMI = {"seanet": {"n_filters": 8, "dimension": 128}, "transformer": {"num_layers": 2, "dim_feedforward": 256},
             "quantizer": {"dimension": 64, "bins": 256}}  # fmt: skip


class Clock(Protocol):
    """The wall clock, or a made-up one in tests."""

    def now(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


class WallClock:
    """Seconds since some moment, and real waiting."""

    def now(self) -> float:
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


OpenEngine = Callable[[str], Any]  # precision -> an engine with nothing prepared


def run_bench(options: BenchOptions, clock: Clock | None = None) -> int:
    """Measure, print, write. Exit status 1 when something that was asked for could not be measured."""
    clock = clock or WallClock()
    cards = tuple(graphics_card.list_cards())
    lm, mimi, open_engine = _model(options)
    computer = examine_computer(options.device, cards)
    reasons = mode_reasons(computer.device)
    rows: list[dict[str, Any]] = []
    failures: list[str] = []
    stopped = False

    def attempt(precision: str, mode: str) -> None:
        try:
            if reason := reasons.get(_base(mode)):
                raise _NotMeasuredError(reason)
            rows.append(_measure_mode(options, precision, mode, open_engine, (lm, mimi), computer, clock))
        except _NotMeasuredError as error:
            failures.append(f"{mode}, {precision}: not measured. {error}")
            return
        if options.json is not None:
            write_rows(options.json, rows)

    try:
        for precision, mode in itertools.product(options.precisions, options.modes or MODES):
            attempt(precision, mode)
    except KeyboardInterrupt:
        stopped = True  # what was measured until now took its time and is shown
    if not rows and not stopped:
        raise UserError(f"Nothing could be measured. {' '.join(failures)}")
    for failure in failures:
        _say(failure)
    if rows:
        print_report(rows)
    if stopped:
        _say("Stopped. The modes above were measured." if rows else "Stopped before anything was measured.")
        return 130
    # Modes that nobody asked for by name are allowed to be impossible here.
    return 1 if failures and options.modes else 0


class _NotMeasuredError(Exception):
    """Why one mode in one precision gave no figures; the rest goes on."""


def _measure_mode(
    options: BenchOptions,
    precision: str,
    mode: str,
    open_engine: OpenEngine,
    sizes: tuple[LMConfig, MimiConfig],
    computer: Computer,
    clock: Clock,
) -> dict[str, Any]:
    import torch

    from engine.errors import EngineError
    from engine.graphs import COMPILED, compiled_counts

    engine = None
    try:
        _say(f"{mode}, {precision}: loading")
        began = clock.now()
        engine = open_engine(precision)
        load_s = clock.now() - began
        if reason := engine.mode_reasons().get(_base(mode), "there is no such mode"):
            raise _NotMeasuredError(reason)
        _say(f"{mode}, {engine.precision}: preparing")
        if options.profiled:
            engine.name_ranges()
        began = clock.now()
        engine.prepare(_base(mode), form=mode if _base(mode) == COMPILED else COMPILED)
        engine.set_mode(_base(mode))
        prepare_s = clock.now() - began
        row = measure(engine, options, clock, lambda: _say(f"{mode}, {engine.precision}: measuring"))
        row |= {"mode": mode, "profiled": options.profiled}
        row["memory_bytes"] = memory_taken(engine, computer)
        if _base(mode) == COMPILED:
            row["compiled"] = compiled_counts()
        _profile(engine, options, mode)
        computer = with_copy_rate(computer)
        row |= _circumstances(options, engine, sizes, computer)
        row |= {"load_s": round(load_s, 3), "prepare_s": round(prepare_s, 3)}
        _add_rates(row, engine, sizes, computer)
        return row
    except (EngineError, UserError) as error:
        raise _NotMeasuredError(str(error)) from None
    except torch.OutOfMemoryError:
        raise _NotMeasuredError("The device ran out of memory: choose a smaller precision or model.") from None
    finally:
        if engine is not None:
            engine.unload()


def _base(mode: str) -> str:
    """The engine's mode: ways to compile are one."""
    return "compiled" if mode in OTHER_COMPILED else mode


def _profile(engine: Any, options: BenchOptions, mode: str) -> None:
    hear = _Hearing()
    if options.trace is not None:
        path = trace_path(options.trace, mode, engine.precision)
        write_trace(engine, path, hear)
        _say(f"written: {path}")
    if options.nsight and engine.device.type == "cuda":
        mark_for_nsight(engine, hear)


def measure(engine: Any, options: BenchOptions, clock: Clock, announce: Callable[[], None]) -> dict[str, Any]:
    """The figures of one prepared engine in its mode: first frame, then flat out, then paced, at the asked length."""
    announce()
    engine.reset(seed=0)
    hear = _Hearing()
    first = engine.step(hear()).spans.total
    filled = round(options.context_fill * engine.context)
    move_to(engine, filled, hear)
    flat = summary([engine.step(hear()).spans for _ in range(options.frames)])
    paced = None
    if options.paced:
        move_to(engine, filled, hear)
        paced = summary(run_paced(engine, options.frames, clock, hear))
    return {
        "mode": engine.mode,
        "precision": engine.precision,
        "kv": engine.kv,
        **flat,
        "frames": options.frames,
        "first_ms": round(first, 3),
        "paced": paced,
        "context_fill": options.context_fill,
        "filled_frames": filled,
    }


def run_paced(engine: Any, frames: int, clock: Clock, hear: Callable[[], np.ndarray]) -> list[Any]:
    """One frame each 80 ms of a fixed timetable, as a microphone would bring them (user report G19)."""
    began = clock.now()
    spans = []
    for index in range(frames):
        wait = began + index * FRAME_MS / 1000 - clock.now()
        if wait > 0:
            clock.sleep(wait)
        spans.append(engine.step(hear()).spans)
    return spans


def move_to(engine: Any, frame: int, hear: Callable[[], np.ndarray]) -> None:
    """Put the talk at a frame, as if it had lasted that long, and let it settle. What it holds does not matter here.

    The token ring is walked in whole turns, so that the tokens in it stay those of the newest frames.
    """
    import torch

    for _ in range(3):  # past the first output, so that the ring holds tokens
        engine.step(hear())
    with torch.inference_mode():
        position, turn = engine.state["tokens.position"], engine.state["tokens.ring"].shape[-1]
        start = max(0, frame - SETTLING_FRAMES)
        slot = int(position) % turn
        position.fill_(slot + max(0, (start - slot) // turn * turn))
        for half in ("encoder_transformer.position", "decoder_transformer.position"):
            engine.state[half].fill_(int(position) * engine.mimi_config.resample_stride)
    for _ in range(SETTLING_FRAMES):
        engine.step(hear())


def summary(spans: Sequence[Any]) -> dict[str, Any]:
    """Percentiles of the whole frame and of each stage, in milliseconds; late: frames over 80 ms."""
    totals = [span.total for span in spans]
    return {
        **_percentiles(totals),
        "late": sum(total > FRAME_MS for total in totals),
        "stages": {stage: _percentiles([getattr(span, stage) for span in spans]) for stage in STAGES},
    }


def _percentiles(values: Iterable[float]) -> dict[str, float]:
    return {f"p{point}_ms": round(value, 4) for point, value in zip((50, 95, 99), percentiles(values), strict=True)}


class _Hearing:
    """Frames of soft noise, the same in every run: silence could be quicker on a processor."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)

    def __call__(self) -> np.ndarray:
        return self._random.normal(0.0, 0.05, FRAME_SAMPLES).astype(np.float32)


# ---------------------------------------------------------------- model and computer


def _model(options: BenchOptions) -> tuple[LMConfig, MimiConfig, OpenEngine]:
    from app import hub
    from app.engine_room import keep_compiled_code, usual_threads

    keep_compiled_code()
    import torch

    from engine import weights
    from engine.config import LMConfig, MimiConfig
    from engine.conversion import own_precision
    from engine.duplex import Duplex
    from engine.placement import choose_device

    device = choose_device(options.device)
    torch.set_num_threads(options.threads or usual_threads())
    if options.model in RANDOM_MODELS:
        tiny = options.model == "random:tiny"
        lm, mimi = LMConfig.from_dict(TINY_LM if tiny else {}), MimiConfig.from_dict(TINY_MIMI if tiny else {})
        held = None
    else:
        folder = hub.resolve(options.model, _show_download, lambda: False)
        files = weights.find(folder)
        lm, mimi = LMConfig.from_dict(files.config), MimiConfig.from_dict(files.mimi_config)
        held = own_precision(files, device)

    def open_engine(precision: str) -> Duplex:
        chosen = choose_precision(lm, mimi, str(device), precision, held, kv=options.kv).precision
        if options.model in RANDOM_MODELS:
            return Duplex.random(lm, mimi, device=str(device), precision=chosen, kv=options.kv)
        cache = user_cache_folder() / "converted"
        return Duplex.load(folder, device=str(device), precision=chosen, kv=options.kv, cache=cache)

    return lm, mimi, open_engine


def _add_rates(row: dict[str, Any], engine: Any, sizes: tuple[LMConfig, MimiConfig], computer: Computer) -> None:
    """The bytes that a stage must read; on a card also how fast it did, and what part of the copy rate that is."""
    needed = memory.stage_bytes(*sizes, engine.precision, row["filled_frames"], computer.device, row["kv"])
    for stage, size in needed.items():
        figures = row["stages"][stage]
        figures["bytes"] = size
        if computer.copy_gb_s and figures["p50_ms"] > 0:
            rate = size / figures["p50_ms"] / 1e6
            figures |= {"gb_s": round(rate, 1), "percent_of_copy": round(100 * rate / computer.copy_gb_s, 1)}


def _circumstances(
    options: BenchOptions, engine: Any, sizes: tuple[LMConfig, MimiConfig], computer: Computer
) -> dict[str, Any]:
    import torch

    return {
        "estimated_bytes": memory.estimate(*sizes, engine.precision, computer.device, options.kv).total,
        "kv_precision": options.kv if options.kv != "full" else memory.computes_in(engine.precision, computer.device),
        "model": options.model,
        "device": computer.device,
        "device_name": computer.device_name,
        "copy_gb_s": computer.copy_gb_s,
        "driver": computer.driver,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "threads": torch.get_num_threads(),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "parley": version(),
        "command": shlex.join(["parley", *sys.argv[1:]]),
    }


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """All rows so far as a JSON list, as a whole new file. Raises UserError."""
    text = json.dumps(rows, indent=1, allow_nan=False) + "\n"
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def _show_download(what: str, done: int, total: int) -> None:
    end = "\n" if done >= total else ""
    print(f"\r{what}: {done / 1e9:.2f} of {total / 1e9:.2f} GB", end=end, file=sys.stderr, flush=True)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
