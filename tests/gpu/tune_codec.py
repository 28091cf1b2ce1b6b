"""Tries the codec kernels' forms and launch shapes on the card at hand, layer by layer, and keeps what is faster.

    python -m tests.gpu.tune_codec [--seconds 90] [--processes 15] --out FILE

The full-size codec alone, with random weights. Several processes first build the kernels (they launch nothing). Then
each candidate is held against the plain codec (codes equal but for rounding, sound) and the half that it changes is
timed as a captured graph, behind a copy that empties the card's L2 cache as the language model does. What is faster is
kept, and FILE then holds it, as `CodecCuts(...)` to be put into `engine/fused_codec.py`.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from engine.config import MIMI, MOSHI_7B
from engine.frame import frame_slots
from engine.fused_codec import CodecCuts, FusedCodec
from engine.kernels_codec import Tile
from engine.kernels_linear import EARLY, LATE, Launch
from engine.mimi import Mimi, Residual, StreamingConv1d, StreamingConvTranspose1d
from engine.placement import fix_kernel_choices
from engine.random_model import fill_random
from engine.state import State
from tests.gpu.candidates import build_instead_of_launching, first_line

HALVES = ("encode", "decode")
SOUND_APART = 4e-6  # of the peak
PASSES = 3
GAIN = 0.3  # microseconds; less is noise
FRAMES = 4
L, X = Launch, "tf32x3"
SHAPES = (  # precision, rows, columns, depth, warps of a tile
    (X, 32, 16, 64, 4), (X, 32, 16, 32, 4), (X, 64, 16, 32, 4), (X, 64, 16, 64, 8), (X, 32, 32, 64, 4),
    (X, 32, 32, 32, 4), (X, 64, 32, 64, 8), ("ieee", 32, 16, 32, 4),
)  # fmt: skip
PROGRAMS = (132, 264, 528)


class Candidate(NamedTuple):
    """A change of the cuts, and the halves by which it is judged."""

    halves: tuple[str, ...]
    fields: dict[str, Any]
    layer: str = ""
    tile: Tile | None = None  # of the layer; None with a layer: as the rule has it

    def applied(self, cuts: CodecCuts) -> CodecCuts:
        if not self.layer:
            return cuts._replace(**self.fields)
        tiles = {name: tile for name, tile in cuts.tiles if name != self.layer}
        if self.tile is not None:
            tiles[self.layer] = self.tile
        return cuts._replace(tiles=tuple(sorted(tiles.items())))

    def __str__(self) -> str:
        return f"{self.layer} {tuple(self.tile) if self.tile else 'by rule'}" if self.layer else str(self.fields)


def candidates(mimi: Mimi) -> list[Candidate]:
    """In the order in which they are tried: what promises most first."""
    rings = ((4, 4), (8, 4), (2, 8), (4, 8), (8, 2), (16, 2))
    general: list[dict[str, Any]] = [
        *({"ring_splits": splits, "ring_warps": warps} for splits, warps in rings),
        {"latent_start": LATE},
        *({"linear1": shape} for shape in (L(16, warps=8), L(4, warps=4), L(16, warps=4), L(8, warps=8))),
        *({"in_proj": shape} for shape in (L(4, warps=4), L(16, warps=8), L(8, warps=8))),
        *({"linear2": shape} for shape in (L(2, warps=2), L(4, warps=4), L(2, warps=4), L(8, warps=8))),
        *({"out_proj": shape} for shape in (L(2, warps=2), L(4, warps=2), L(8, warps=4), L(8, warps=8))),
    ]
    quantiser: list[dict[str, Any]] = [
        {"folded_projections": True},
        {"quantiser_start": EARLY},
        *({"level_rows": rows} for rows in (8, 32)),
    ]
    listed = [Candidate(HALVES, fields) for fields in general]
    listed += [Candidate(("encode",), fields) for fields in quantiser]
    for half, stack in (("encode", mimi.encoder), ("decode", mimi.decoder)):
        for layer in stack.layers.values():
            listed += [Candidate((half,), {}, *named) for named in layer_tiles(layer)]
    return listed + [Candidate(("encode",), {}, "downsample", tile) for tile in few_tiles(512)]


def layer_tiles(layer: Any) -> Iterator[tuple[str, Tile | None]]:
    """Names and tiles of a layer of the stack; the number of its columns follows from its place."""
    if isinstance(layer, Residual):
        unit, channels = layer.conv1.name.removesuffix(".conv1"), layer.conv1.channels_in
        columns = 1920 // {64: 1, 128: 4, 256: 20, 512: 120}[channels]
        if channels <= 128:
            yield from ((unit, tile) for tile in whole_units(channels))
            yield unit, None
        for conv in (layer.conv1, layer.conv2):
            yield from ((conv.name, tile) for tile in tiles(conv.weight.shape[0], columns, conv.weight[0].numel()))
    elif isinstance(layer, StreamingConvTranspose1d):
        inner, channels, _ = layer.weight.shape
        columns = {1024: 2, 512: 16, 256: 96, 128: 480}[inner]
        if columns == 2:
            shapes = ((1, 128, 4), (2, 128, 4), (4, 64, 4), (2, 64, 4), (1, 256, 4), (2, 128, 8), (4, 128, 8))
            yield from ((layer.name, Tile(rows, 2, depth, warps=warps)) for rows, depth, warps in shapes)
        else:
            yield from ((layer.name, tile) for tile in tiles(channels * layer.stride, columns + 1, inner))
    else:
        assert isinstance(layer, StreamingConv1d)
        rows, inner, taps = layer.weight.shape
        if inner >= 512:
            yield from ((layer.name, tile) for tile in few_tiles(rows))
        elif inner > 1 and rows > 1:
            columns = {128: 480, 256: 96, 512: 16}[rows]
            yield from ((layer.name, tile) for tile in tiles(rows, columns, inner * taps))


def tiles(rows: int, columns: int, inner: int) -> list[Tile]:
    """Shapes, each with the splits that make some numbers of programs."""
    found: dict[Tile, None] = {}
    for precision, height, width, depth, warps in SHAPES:
        if height > rows or (width > 16 and columns <= 16):
            continue
        programs = math.ceil(rows / height) * math.ceil(columns / width)
        for wanted in PROGRAMS:
            splits = 1
            while programs * splits < wanted and inner // (2 * splits) >= max(64, depth):
                splits *= 2
            found[Tile(height, width, depth, splits, warps, precision)] = None
    return list(found)


def few_tiles(rows: int) -> list[Tile]:
    """For one or two columns: rows and depth of a program."""
    shapes = (
        (4, 1024, 8), (8, 1024, 8), (2, 1024, 4), (4, 512, 4), (4, 1024, 4), (2, 2048, 8), (2, 1024, 8), (8, 512, 8),
    )  # fmt: skip
    return [Tile(height, 2, depth, warps=warps) for height, depth, warps in shapes if rows // height <= 512]


def whole_units(channels: int) -> list[Tile]:
    shapes = ((X, 16, 64, 4), (X, 16, 64, 8), (X, 32, 64, 8), (X, 16, 32, 4), (X, 32, 32, 4))
    listed = [Tile(0, columns, depth, 1, warps, precision) for precision, columns, depth, warps in shapes]
    return listed + ([Tile(0, 16, 32), Tile(0, 32, 32, warps=8)] if channels == 64 else [])


class Tuner:
    """The codec, the best cuts so far, and what the plain codec makes of some frames."""

    def __init__(self, deadline: float, out: Path) -> None:
        fix_kernel_choices()  # else the plain codec's convolutions round to TF32
        self.mimi, self.state = model("cuda")
        self.cuts, self.deadline, self._out = CodecCuts(), deadline, out
        self._start = self.state.snapshot()
        self._waste = torch.zeros(25 << 20, device="cuda")
        self._empty = self._measured(lambda: None)
        self._wanted = self._made(self._plain)
        self._frame = self._codec(self.cuts)
        print(f"start: {self._apart(self._frame)[1]}", flush=True)
        self.best = {half: self._time(self._frame, half, 40) for half in HALVES}
        print(f"start: {self.times()}", flush=True)

    def _codec(self, cuts: CodecCuts) -> FusedCodec:
        return FusedCodec(self.mimi, self.state.tensors, MIMI.context, pdl=LATE, cuts=cuts)

    def _plain(self) -> None:
        s = self.state
        s["frame.heard"].copy_(self.mimi.encode(s["frame.pcm_in"], s.tensors, MIMI.context)[:, :, 0])
        s["frame.pcm_out"].copy_(self.mimi.decode(s["frame.spoken"][:, 1:, None], s.tensors, MIMI.context))

    def _made(self, run: Callable[[], None]) -> tuple[Tensor, Tensor]:
        """Codes [FRAMES, Q] and sound [FRAMES, samples] from the start of a talk."""
        state, generator = self.state, torch.Generator("cuda").manual_seed(3)
        state.restore(self._start)
        codes, sounds = [], []
        for _ in range(FRAMES):
            state["frame.pcm_in"].normal_(0, 0.1, generator=generator)
            state["frame.spoken"].random_(0, MIMI.bins, generator=generator)
            run()
            codes.append(state["frame.heard"].clone())
            sounds.append(state["frame.pcm_out"].clone())
        return torch.stack(codes), torch.stack(sounds)

    def _apart(self, codec: FusedCodec) -> tuple[bool, str]:
        """Random codebooks lie close together: rounding may tip a code over, and those after it in the frame."""

        def run() -> None:
            codec.encode()
            codec.decode()

        (codes, sound), (wanted_codes, wanted) = self._made(run), self._wanted
        same = int((codes == wanted_codes).flatten(1).all(1).sum())
        apart = ((sound - wanted).abs().max() / wanted.abs().max()).item()
        return same >= FRAMES - 1 and apart <= SOUND_APART, f"{same}/{FRAMES} {apart:.1e}"

    def _measured(self, func: Callable[[], None], repeats: int = 13) -> float:
        """Median microseconds of a graph that copies a lot and then runs func, twice."""
        func()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            for _ in range(2):
                self._waste.add_(1.0)
                func()
        times = []
        for _ in range(repeats + 3):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) * 500)
        graph.reset()
        return statistics.median(times[3:])

    def _time(self, codec: FusedCodec, half: str, repeats: int = 13) -> float:
        return self._measured(getattr(codec, half), repeats) - self._empty

    def times(self) -> str:
        return ", ".join(f"{half} {taken:.1f} µs" for half, taken in self.best.items())

    def again(self) -> None:
        """The best once more, as often as it takes to be sure."""
        self.best = {half: self._time(self._frame, half, 60) for half in HALVES}
        print(f"best: {self._apart(self._frame)[1]}, {self.times()}\n{self.cuts!r}", flush=True)
        self._save()

    def tune(self, listed: list[Candidate]) -> bool:
        """Every candidate once. False where time ran out or nothing was gained."""
        before = self.cuts
        for candidate in listed:
            if time.monotonic() > self.deadline:
                print(f"out of time before {candidate}", flush=True)
                return False
            self._try(candidate)
        return self.cuts != before

    def _try(self, candidate: Candidate) -> None:
        cuts = candidate.applied(self.cuts)
        whole = candidate.layer.rpartition(".conv")[0] in dict(self.cuts.tiles)  # a unit of one launch has no parts
        if cuts == self.cuts or whole:
            return
        try:
            codec = self._codec(cuts)
            agrees, apart = self._apart(codec)
            taken = {half: self._time(codec, half) for half in candidate.halves}
        except Exception as error:
            print(f"  {candidate!s:70} FAILED: {first_line(error)}", flush=True)
            if "CUDA error" in str(error):
                raise
            return
        now, best = sum(taken.values()), sum(self.best[half] for half in candidate.halves)
        kept = agrees and now < best - GAIN and self._confirmed(codec, candidate.halves)
        if kept or not agrees or not candidate.layer:
            note = f"{'' if agrees else '  DISAGREES'}{'  kept' if kept else ''}"
            print(f"  {candidate!s:70} {now:7.1f} (best {best:7.1f}) {apart}{note}", flush=True)
        if kept:
            self.cuts, self._frame = cuts, codec
            self._save()

    def _confirmed(self, codec: FusedCodec, halves: tuple[str, ...]) -> bool:
        """Whether it is faster than the best when both are timed again, and longer."""
        old, new = ({half: self._time(each, half, 40) for half in halves} for each in (self._frame, codec))
        better = sum(new.values()) < sum(old.values()) - GAIN
        self.best.update(new if better else old)
        return better

    def _save(self) -> None:
        self._out.write_text(f"# {self.times()}\n{self.cuts!r}\n")


def model(device: str) -> tuple[Mimi, State]:
    """The codec with random weights, on a processor without values, and the slots of its frame."""
    with torch.device("meta"):
        mimi = Mimi(MIMI, MOSHI_7B.codebooks)
    mimi.to_empty(device=device)
    if device == "cuda":
        fill_random(mimi, torch.Generator(device).manual_seed(1))
    mimi.quantizer.precompute()
    slots = {name: slot for name, slot in frame_slots(MOSHI_7B, MIMI, torch.float32).items() if "prefill" not in name}
    for part in mimi.slots():
        slots |= part
    return mimi, State(slots, device)


@torch.inference_mode()
def warm(part: int, parts: int) -> None:
    """Builds every parts-th kernel of the start and of all candidates."""
    mimi, state = model("cpu")
    build_instead_of_launching(part, parts)
    start = CodecCuts()
    for candidate in (Candidate(HALVES, {}), *candidates(mimi)):
        codec = FusedCodec(mimi, state.tensors, MIMI.context, pdl=LATE, cuts=candidate.applied(start))
        for half in candidate.halves:
            getattr(codec, half)()


@torch.inference_mode()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=90, help="for everything, from the start")
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--warm", type=int, nargs=2, metavar=("PART", "PARTS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.warm:
        warm(*options.warm)
        return
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.gpu.tune_codec", "--out", str(options.out), "--warm"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    helpers = [
        subprocess.Popen([*command, str(part), str(options.processes)], env=environment)
        for part in range(options.processes)
    ]
    try:
        await_helpers(helpers, began + options.seconds / 2)
        print(f"{torch.cuda.get_device_name()}, {torch.__version__}, at {time.monotonic() - began:.0f} s", flush=True)
        tuner = Tuner(began + options.seconds - 3, options.out)
        listed = candidates(tuner.mimi)
        for _ in range(PASSES):
            if not tuner.tune(listed):
                break
            print(f"at {time.monotonic() - began:.0f} s: {tuner.times()}", flush=True)
        tuner.again()
    finally:
        for helper in helpers:
            helper.kill()
            helper.wait()


def await_helpers(helpers: list[subprocess.Popen[bytes]], until: float) -> None:
    try:
        for helper in helpers:
            helper.wait(max(1.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        print("some kernels are not built yet", flush=True)


if __name__ == "__main__":
    main()
