"""What `tests.gpu.tune_kernels` tries: launch shapes; and how their kernels are built ahead, for a small model."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch

from engine.config import MIMI, MOSHI_7B
from engine.duplex import Duplex
from engine.frame import STAGES
from engine.fused import FusedFrame, Launches
from engine.fused_codec import CodecCuts
from engine.fused_quantized import QuantizedFrame, QuantizedLaunches, launches_for
from engine.kernels_linear import EARLY, Launch
from engine.kernels_ring import RingLaunch
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.quantize import make_room

L, W = Launch, partial(Launch, whole=True)
Change = dict[str, Any]


class Choice(NamedTuple):
    """How a frame is run: the temporal and depth stages, the codec, and quantised products."""

    launches: Launches
    codec: CodecCuts
    quantized: QuantizedLaunches

    def changed(self, change: Change) -> Choice:
        """With some fields of its parts changed. "codec." before a name: the codec's; "quantized.": the products'."""
        parts: dict[str, Change] = {"launches": {}, "codec": {}, "quantized": {}}
        for name, value in change.items():
            part, _, field = name.rpartition(".")
            parts[part or "launches"][field] = value
        return Choice(*(getattr(self, part)._replace(**fields) for part, fields in parts.items()))


def start_choice(precision: str) -> Choice:
    """What the program runs."""
    return Choice(Launches(), CodecCuts(), launches_for(precision))


def ring(splits: int, *launch: int) -> Change:
    """launch: as `RingLaunch`, rows, ahead, warps."""
    return {"ring_splits": splits, "ring": RingLaunch(*launch)}


def ring8_rows(splits: int, *launch: int) -> Change:
    """A ring in 8 bits by whole positions."""
    return {"ring8_splits": splits, "ring8_rows": RingLaunch(*launch)}


def ring8_blocks(splits: int, block: int, warps: int) -> Change:
    return {"ring8_splits": splits, "ring8_block": block, "ring8_warps": warps, "ring8_rows": None}


def each(stage: str, field: str, *values: Any) -> list[tuple[str, Change]]:
    return [(stage, {field: value}) for value in values]


# Those that came closest.
RINGS = [("temporal", ring(*shape)) for shape in ((32, 4, 2, 2), (16, 8, 1, 4), (8, 4, 2, 8))]
# Those by whole positions were never on a card. Two programs of 8 warps fill a multiprocessor's registers; 8 splits are
# 256 programs for 132 of them.
RING8 = [
    *(
        ("temporal", ring8_rows(*shape))
        for shape in (
            (8, 4, 1, 8), (16, 4, 1, 4), (8, 2, 2, 8), (16, 2, 2, 4), (16, 2, 1, 4), (32, 4, 1, 2), (4, 4, 1, 16),
        )
    ),
    *(("temporal", ring8_blocks(*shape)) for shape in ((16, 32, 4), (64, 16, 2))),
]  # fmt: skip
USUAL_DRAWS: list[tuple[str, Change]] = [("depth", {"quick_heads": False}), ("temporal", {"quick_text": 0})]
# "W": whole rows in a warp. What lost before is in RESULTS.md.
PLAIN = [
    *RINGS,
    *each("depth", "depth_attend", W(8, 1, 4), W(16, 1, 4)),
    *each("depth", "depth_gate", W(4, 1, 2), W(4, 1, 4), W(8, 1, 4)),
    *each("depth", "depth_project", W(8, 1, 2), W(8, 1, 4), W(4, 1, 2), W(4, 1, 4)),
    *each("depth", "depth_down", W(4, 1, 4), W(2, 1, 2), W(8, 1, 8)),
    *each("depth", "depth_head", L(8, 1, 4), L(16, 1, 8)),
    *USUAL_DRAWS,
]


def quantized_depth() -> list[tuple[str, Change]]:
    """The depth's products of whole numbers: which kernel multiplies, and by how many warps a program."""
    forms = [
        {"quantized.attend_in_warps": True, "quantized.depth_attend": L(8)},
        {"quantized.attend_in_warps": True, "quantized.depth_attend": L(8, 1, 4)},
        {"quantized.attend_in_warps": True, "quantized.depth_attend": L(16)},
        {"quantized.attend_in_warps": False, "quantized.depth_attend": L(16)},
        {"quantized.gate_in_warps": False, "quantized.depth_gate": L(8, 1, 4)},
        {"quantized.project_in_warps": False, "quantized.depth_project": L(8, 1, 2)},
    ]
    return [
        *(("depth", form) for form in forms),
        *each("depth", "quantized.depth_gate", L(8, 1, 2), L(16, 1, 4), L(4, 1, 1)),
        *each("depth", "quantized.depth_project", L(16, 1, 4), L(8, 1, 4)),
        *each("depth", "quantized.depth_down", L(8, 1, 4), L(4)),
        *each("depth", "quantized.depth_head", L(8)),
    ]


def quantized_candidates(precision: str) -> list[tuple[str, Change]]:
    """Launch shapes of quantised products. What wins keeps many bytes on their way: all programs of a product at once
    on the card (132 multiprocessors), none left for a second round, each with as many rows as its registers hold."""
    if precision in ("fp8", "fp8-row"):  # multiplied as floats, which take registers; whole rows of `down` too many
        project = [L(2, 12, 4), L(4, 6), L(4, 6, 4), L(2, 24)]
        gate = [L(2, 11), L(2, 22), L(2, 11, 4), L(1, 22)]
        out = [L(4, 2, 4), L(4, 2), L(2, 4), L(2, 2, 4)]
        down = [L(8), L(4), L(8, 1, 4)]
        depth = [
            *each("depth", "quantized.depth_attend", L(8, 1, 4), L(16, 1, 4), L(8, 1, 8), L(16, 1, 8)),
            *each("depth", "quantized.depth_gate", L(8, 1, 4), L(4, 1, 2), L(8, 1, 2), L(4, 1, 4)),
            *each("depth", "quantized.depth_project", L(4, 1, 2), L(8, 1, 2), L(8, 1, 4), L(4, 1, 4)),
            *each("depth", "quantized.depth_down", L(8, 1, 4), L(4, 1, 4), L(8, 1, 8), L(4, 1, 8)),
        ]
    else:  # those that came closest
        project = [L(8, 3, 4), L(8, 4, 4), L(4, 6, 4)]
        gate = [L(2, 11), L(2, 9, 4), L(4, 8), L(4, 6, 4)]
        out = [L(8, 1, 4), L(4, 2)]
        down = [L(4, 4), L(2, 4, 4), L(1, 8, 4)]
        depth = quantized_depth()
    return [
        *depth,
        *each("temporal", "quantized.project", *project),
        *each("temporal", "quantized.gate", *gate),
        *each("temporal", "quantized.down", *down),
        *each("temporal", "quantized.out", *out),
        *each("temporal", "quantized.text_head", L(4, 16), L(4, 16, 4), L(2, 32), L(2, 16, 4)),
    ]


def candidates(precision: str, kv: str) -> list[tuple[str, Change]]:
    """(stage by which it is judged, change), in the order in which they are tried. KV in 8 bits: the ring alone."""
    if kv == "int8":
        return RING8
    if precision == "bfloat16":
        return PLAIN
    return [*RINGS, *quantized_candidates(precision), *USUAL_DRAWS]


def small_model(precision: str, kv: str) -> Duplex:
    """One layer of each kind at full width, without values: enough to build kernels by. On the processor."""
    sizes = replace(MOSHI_7B, num_layers=1, depformer_num_layers=1)
    with torch.device("meta"):
        lm = LanguageModel(sizes).to(torch.bfloat16)
        mimi = Mimi(MIMI, sizes.codebooks)
    make_room(lm, precision)
    lm.to_empty(device="cpu")
    mimi.to_empty(device="cpu")
    mimi.quantizer.precompute()
    return Duplex(lm, mimi, kv=kv, kernels=False)


def fill(name: str, past: torch.Tensor) -> None:
    """A past as it might be: numbers of about one, also where they are kept in 8 bits."""
    if past.dtype == torch.int8:
        past.random_(-127, 128)
    elif name.endswith("_scales"):
        past.fill_(1 / 73)
    else:
        past.normal_()


def make_frame(engine: Duplex, choice: Choice) -> FusedFrame:
    """The frame that a choice stands for."""
    windows = {"lm_window": MOSHI_7B.context, "mimi_window": MIMI.context}
    common = {"pdl": EARLY, "launches": choice.launches, "codec_cuts": choice.codec}
    if engine.lm.precision is None:
        return FusedFrame(engine.lm, engine.mimi, engine.state, **windows, **common)
    return QuantizedFrame(engine.lm, engine.mimi, engine.state, **windows, **common, cuts=choice.quantized)


# ---------------------------------------------------------------- building kernels ahead


@torch.inference_mode()
def warm(part: int, parts: int, precisions: list[str], kv: str, folder: Path) -> None:
    """Builds every parts-th kernel of all candidates, and launches none. The model has no values."""
    began = time.monotonic()
    build_instead_of_launching(part, parts)
    for precision in precisions:
        engine = small_model(precision, kv)
        for stage, choice in every_choice(precision, kv):
            try:
                frame = make_frame(engine, choice)
                for part_of_frame in STAGES if stage == "" else (stage,):
                    getattr(frame, part_of_frame)()
            except Exception as error:
                print(f"  warming {precision}: {first_line(error)}", flush=True)
        (folder / f"{precision}.{part}").touch()
        if part == 0:
            print(f"  (built ahead for {precision} after {time.monotonic() - began:.0f} s)", flush=True)


def build_instead_of_launching(part: int, parts: int) -> None:
    """From here on a launch in this process builds its kernel if that is every parts-th one, and does nothing else."""
    from triton.runtime.jit import JITFunction

    launch, seen = JITFunction.run, set()

    def build(self: Any, *values: Any, grid: Any, warmup: bool, **options: Any) -> None:
        kinds = [kind_of(value, parameter.is_constexpr) for value, parameter in zip(values, self.params, strict=False)]
        key = repr((self.fn.__name__, kinds, sorted(options.items())))
        if key in seen or zlib.crc32(key.encode()) % parts != part:
            return
        seen.add(key)
        try:
            launch(self, *values, grid=grid, warmup=True, **options)
        except Exception as error:
            print(f"  does not build: {self.fn.__name__} {options}: {first_line(error)}", flush=True)

    JITFunction.run = build


def kind_of(value: Any, constant: bool) -> Any:
    """What of an argument decides which kernel is built."""
    if isinstance(value, torch.Tensor):
        return str(value.dtype), value.data_ptr() % 16 == 0
    return value if constant or not isinstance(value, int) else ("int", value == 1, value % 16 == 0)


def every_choice(precision: str, kv: str) -> Iterator[tuple[str, Choice]]:
    """(stage, choice) that are built ahead: the start, whole (""), then every candidate alone."""
    start = start_choice(precision)
    yield "", start
    for stage, change in candidates(precision, kv):
        yield stage, start.changed(change)


def first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    line = lines[-1] if "CompilationError" in type(error).__name__ else lines[0]  # else it is the source
    return f"{type(error).__name__}: {line}"[:200]


def short(change: dict[str, Any]) -> str:
    def cut(value: Any) -> str:
        return str(tuple(value)) if isinstance(value, tuple) else str(value)

    return ", ".join(f"{name}={cut(value)}" for name, value in change.items())


def plain(value: Any) -> Any:
    """NamedTuples as JSON objects, launches as lists."""
    if hasattr(value, "_asdict"):
        fields = value._asdict()
        return list(value) if isinstance(value, Launch) else {k: plain(v) for k, v in fields.items()}
    return value
