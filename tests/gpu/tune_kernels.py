"""Tries the fused kernels' launch shapes on the card at hand and keeps what is faster, a precision at a time.

    python -m tests.gpu.tune_kernels [--seconds 220] [--precisions bfloat16,int8,...] [--processes 15] [--plain]
        [--kv int8] --out FILE

Full-size random weights, context half full. First several processes build the kernels (Triton's cache is shared; they
launch nothing); then, for every precision, each candidate is held against the plain path from the same state and timed
as a captured stage; one that fails to build or does not agree is reported and left. FILE is written again after every
gain, so that a run that is cut off loses nothing. At the end of a precision its stages are held against the bytes that
they must read, and the whole frame is timed. `--plain` times plain PyTorch's stages too.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from app import memory
from engine.config import MIMI, MOSHI_7B
from engine.duplex import Duplex
from engine.frame import STAGES
from engine.fused import FusedFrame
from engine.kernels_sampling import sample, sampled_head
from engine.lm import UNGENERATED
from engine.precision import KV
from engine.sampling import SamplingValues
from engine.stages import HANDOVER
from tests.gpu.bench_kernels import HALF_FULL, copy_bandwidth, graph_time
from tests.gpu.candidates import Choice, candidates, fill, first_line, make_frame, plain, short, start_choice, warm

# What a precision gets of the time, beside the others that are asked for.
SHARES = {"bfloat16": 50, "int8": 18, "int4": 16, "fp8-row": 8, "fp8": 8}
LAYERS_APART = 0.15  # of the norm: two ways to round through 32 layers of bfloat16 are some 0.06 apart
SOUND_APART = 1e-4  # of the peak
DRAWS = 16
DRAWS_ALIKE = {"temporal": DRAWS, "depth": DRAWS - 3}  # a head's sums in another order may tip a logit over
PASSES = 2  # what lost may win beside what has won since
DEVICE = "cuda"


class Tuner:
    """A full-size model in one precision, its best choice so far, and what the plain path makes of the same frame."""

    def __init__(self, precision: str, kv: str, choice: Choice, deadline: float, save: Callable[[], None]) -> None:
        self.precision, self.choice, self.deadline, self._save = precision, choice, deadline, save
        self.engine = Duplex.random(MOSHI_7B, MIMI, device=DEVICE, precision=precision, kv=kv, kernels=False)
        self.engine.reset(seed=1)
        self.engine.set_sampling(SamplingValues(0.0, 250, 0.0, 25))
        for name in self.engine.state:
            if name.startswith("temporal."):
                fill(name, self.engine.state[name])
        forced = torch.arange(1 + self.engine.lm_config.own, device=DEVICE)
        self.engine.state["frame.forced"].copy_(5 + forced)  # so that a token that tips over changes nothing after it
        self.engine.state["tokens.position"].fill_(HALF_FULL)
        self._start = self.engine.state.snapshot()
        self.best: dict[str, float] = {}
        self._wanted: dict[str, Any] = {}
        self._plain = self.engine.frame
        self.frame = make_frame(self.engine, choice)

    def compare(self) -> None:
        """What the plain path makes of a frame, to judge by."""
        self._wanted["temporal"] = self._language(self.engine.frame, "temporal")
        self._wanted["depth"] = self._language(self.engine.frame, "depth")
        self._wanted["codec"] = self._codec(self.engine.frame)

    def _language(self, frame: Any, stage: str) -> torch.Tensor:
        """The temporal stage's text logits; or the keys and values that the depth stage leaves."""
        state = self.engine.state
        state.restore(self._start)
        frame.temporal()
        if stage == "temporal":
            if isinstance(frame, FusedFrame):
                return frame._scratch.text_logits.float().clone()
            return self.engine.lm.temporal.text_logits(state["frame.hidden"])[0].float()
        frame.depth()
        return torch.cat((state["depth.keys"].flatten(), state["depth.values"].flatten())).float()

    def _codec(self, frame: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Codes [8, Q] and sound [8, samples] of some frames from the same past."""
        state, generator = self.engine.state, torch.Generator(DEVICE).manual_seed(3)
        state.restore(self._start)
        codes, sounds = [], []
        for _ in range(8):
            state["frame.pcm_in"].normal_(0, 0.1, generator=generator)
            state["frame.spoken"].random_(0, MIMI.bins, generator=generator)
            frame.encode()
            frame.decode()
            codes.append(state["frame.heard"].clone())
            sounds.append(state["frame.pcm_out"].clone())
        return torch.stack(codes), torch.stack(sounds)

    def judged(self, frame: FusedFrame, stage: str) -> tuple[bool, str]:
        """Whether a frame's stage agrees with the plain path but for rounding, and how far they are apart."""
        if stage == "codec":
            (codes, sound), (wanted_codes, wanted) = self._codec(frame), self._wanted["codec"]
            same = int((codes == wanted_codes).flatten(1).all(1).sum())
            apart = ((sound - wanted).abs().max() / wanted.abs().max()).item()
            return same >= 7 and apart < SOUND_APART, f"{same}/8 {apart:.0e}"
        got, wanted = self._language(frame, stage), self._wanted[stage]
        apart, draws = ((got - wanted).norm() / wanted.norm()).item(), self._draws_alike(frame, stage)
        return apart < LAYERS_APART and draws >= DRAWS_ALIKE[stage], f"{apart:.3f} {draws}/{DRAWS}"

    def _draws_alike(self, frame: FusedFrame, stage: str) -> int:
        """How many of some draws from what the stage left last are those of the usual kernels."""
        s, b, head = self.engine.state, frame._scratch, frame.lm.depth.heads[0]
        seed, forced = s["sampling.seed"], torch.tensor([UNGENERATED], device=DEVICE)
        heat, alike = torch.tensor([0.8], device=DEVICE), 0
        for index in range(DRAWS):
            top_k, counter, *out = (
                torch.tensor([value], device=DEVICE) for value in (25 + 225 * (index % 2), index, 0, 0)
            )
            for drawn, found, marks in ((out[0], None, None), (out[1], b.found, b.marks)):
                how = (heat, top_k, seed, counter, forced, drawn)
                if stage == "temporal":
                    sample(b.text_logits, *how, 0, found=found, pdl=frame.pdl)
                else:
                    shape = frame._depth_head
                    sampled_head(head, b.depth_x, b.logits, b.arrived, *how, 1, shape, marks=marks, pdl=frame.pdl)
            alike += int(torch.equal(*out))
        return alike

    def time(self, frame: FusedFrame, stage: str, repeats: int = 15) -> float:
        self.engine.set_sampling(SamplingValues())  # the draws of a talk; `_language` puts the greedy ones back
        self.engine.state["tokens.position"].fill_(HALF_FULL)
        if stage == "codec":
            return graph_time(frame.encode, repeats=repeats) + graph_time(frame.decode, repeats=repeats)
        return graph_time(getattr(frame, stage), repeats=repeats)

    def begin(self, stages: tuple[str, ...]) -> None:
        for stage in stages:
            agrees, apart = self.judged(self.frame, stage)
            taken = self.time(self.frame, stage)
            if agrees:
                self.best[stage] = taken
            print(f"  start {stage}: {taken:.4f} ms, apart {apart}{'' if agrees else '  DISAGREES'}", flush=True)

    def tune(self, tried: list[tuple[str, dict[str, Any]]]) -> bool:
        """Every candidate once; False when time ran out."""
        for stage, change in tried:
            if time.monotonic() > self.deadline:
                print(f"  out of time before {change}", flush=True)
                return False
            self._candidate(stage, change)
        return True

    def _candidate(self, stage: str, change: dict[str, Any]) -> None:
        choice = self.choice.changed(change)
        if choice == self.choice:
            return
        began = time.monotonic()
        try:
            frame = make_frame(self.engine, choice)
            agrees, apart = self.judged(frame, stage)
            taken = self.time(frame, stage)
        except Exception as error:
            print(f"  {short(change):58} FAILED: {first_line(error)}", flush=True)
            if "CUDA error" in str(error):
                raise
            return
        best, took = self.best.get(stage, float("inf")), time.monotonic() - began
        kept = agrees and taken < best * 0.998
        slow = f"  ({took:.1f} s)" if took > 1 else ""
        note = f"{'' if agrees else '  DISAGREES'}{'  kept' if kept else ''}{slow}"
        print(f"  {short(change):54} {stage:8} {taken:.4f} (best {best:.4f}) {apart}{note}", flush=True)
        if kept:
            self.best[stage], self.choice, self.frame = taken, choice, frame
            self._save()

    def against_memory(self, bandwidth: float, plain_too: bool) -> None:
        """What the language model's stages read and how fast, beside the card's copies in TB/s."""
        needed = memory.stage_bytes(MOSHI_7B, MIMI, self.precision, HALF_FULL)
        for stage in ("temporal", "depth"):
            if stage in self.best:
                rate = needed[stage] / self.best[stage] / 1e9
                size = f"{needed[stage] / 1e9:6.2f} GB"
                print(f"  {stage:9} {self.best[stage]:7.3f} ms {size} {rate:5.2f} TB/s {rate / bandwidth:5.0%}")
            if plain_too:
                self.engine.state["tokens.position"].fill_(HALF_FULL)
                taken = graph_time(getattr(self._plain, stage), repeats=5)
                print(f"  {stage:9} {taken:7.3f} ms by the plain path", flush=True)

    def whole_frame(self, apart: int = 0, count: int = 300) -> dict[str, float]:
        """p50 and p99 of `Duplex.step` in graph mode, the stages' medians, and how long the host takes to start a
        frame's graphs; milliseconds. `apart`: stages in a graph of their own."""
        e = self.engine
        e.state["frame.forced"].fill_(-2)
        e.set_sampling(SamplingValues())
        e.frame = self.frame
        e._hand_over(HANDOVER._replace(apart=apart))
        e.prepare("graph")
        e.set_mode("graph")
        e.state["tokens.position"].fill_(HALF_FULL)
        pcm = np.random.default_rng(0).normal(0, 0.1, 1920).astype(np.float32)
        totals, spans, starts = [], [], []
        for _ in range(count + 20):
            began = time.perf_counter()
            answer = e.step(pcm)
            totals.append((time.perf_counter() - began) * 1000)
            spans.append(answer.spans)
        for _ in range(20):
            torch.cuda.synchronize()
            began = time.perf_counter()
            e._frame_stages.run("graph")
            starts.append((time.perf_counter() - began) * 1000)
        torch.cuda.synchronize()
        totals = sorted(totals[20:])
        result = {"p50": totals[count // 2], "p99": totals[int(count * 0.99)], "start": statistics.median(starts)}
        return result | {name: statistics.median(getattr(s, name) for s in spans[20:]) for name in STAGES}


class Results:
    """What FILE holds: for every precision the best choice so far and its times."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.card: dict[str, Any] = {}
        self._precisions: dict[str, Any] = {}

    def print(self) -> None:
        for precision, row in self._precisions.items():
            print(precision, row["stages"], row.get("frame", "whole frame not timed"), flush=True)

    def note(self, tuner: Tuner, **more: Any) -> None:
        row = self._precisions.setdefault(tuner.precision, {})
        row.update(choice=plain(tuner.choice), stages={k: round(v, 4) for k, v in tuner.best.items()}, **more)
        beside = self._path.with_suffix(".part")
        beside.write_text(json.dumps({"card": self.card, "precisions": self._precisions}, indent=1) + "\n")
        os.replace(beside, self._path)


@torch.inference_mode()
def measure(precision: str, kv: str, start: Choice, deadline: float, results: Results, plain_too: bool) -> Choice:
    """Tunes one precision; returns its best, of which the next ones can take over the rings' and the codec's part."""
    began = time.monotonic()
    holder: list[Tuner] = []
    tuner = Tuner(precision, kv, start, deadline, lambda: results.note(holder[0]))
    holder.append(tuner)
    tuner.compare()
    print(f"{precision}: made in {time.monotonic() - began:.0f} s", flush=True)
    stages = ("temporal", "depth", "codec") if precision == "bfloat16" else ("temporal", "depth")
    tuner.begin(stages)
    lists = candidates(precision, kv)
    for _ in range(PASSES):
        before = tuner.choice
        if not tuner.tune(lists) or tuner.choice == before:
            break
    for stage in stages:
        if stage in tuner.best:
            tuner.best[stage] = tuner.time(tuner.frame, stage, 25)
    print(f"  best {tuner.best}\n  {tuner.choice}", flush=True)
    results.note(tuner)
    tuner.against_memory(results.card["copy TB/s"], plain_too)
    frames = [tuner.whole_frame(apart) for apart in (0, 1)]
    for frame, graphs in zip(frames, ("whole frame", "encode in a graph of its own"), strict=True):
        print(f"{precision}: {graphs} " + ", ".join(f"{k} {v:.3f}" for k, v in frame.items()), flush=True)
    results.note(tuner, frame=frames[0], encode_apart=frames[1])
    tuner.engine.unload()
    return tuner.choice


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=220, help="for everything, from the start")
    parser.add_argument("--precisions", default=",".join(SHARES))
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--kv", choices=KV, default=KV[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--warm", type=int, nargs=2, metavar=("PART", "PARTS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    precisions = options.precisions.split(",")
    if options.warm:
        warm(*options.warm, precisions, options.kv, options.out)
        return
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        helpers = start_helpers(options, Path(folder))
        results = Results(options.out)
        try:
            tune_all(precisions, began, options, results, Path(folder), helpers)
        finally:
            results.print()
            for helper in helpers:
                helper.kill()
                helper.wait()


def start_helpers(options: argparse.Namespace, folder: Path) -> list[subprocess.Popen[bytes]]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "tests.gpu.tune_kernels", "--precisions", options.precisions]
    command += ["--kv", options.kv, "--out", str(folder)]
    return [
        subprocess.Popen([*command, "--warm", str(part), str(options.processes)], env=environment)
        for part in range(options.processes)
    ]


def tune_all(
    precisions: list[str], began: float, options: argparse.Namespace, results: Results, folder: Path,
    helpers: list[subprocess.Popen[bytes]],
) -> None:  # fmt: skip
    bandwidth = copy_bandwidth()
    torch.cuda.empty_cache()
    card = {"name": torch.cuda.get_device_name(), "torch": torch.__version__, "copy TB/s": round(bandwidth, 2)}
    print(card, flush=True)
    results.card = card
    choice, shares, seconds = start_choice(precisions[0]), 0, options.seconds
    for precision in precisions:
        choice = choice._replace(quantized=start_choice(precision).quantized)
        shares += SHARES[precision]
        share = shares / sum(SHARES[each] for each in precisions)
        deadline = began + seconds * share - 6  # the whole frame still comes
        while any(h.poll() is None for h in helpers) and len(list(folder.glob(f"{precision}.*"))) < len(helpers):
            if time.monotonic() > deadline - 15:
                break
            time.sleep(0.2)
        print(f"at {time.monotonic() - began:.0f} s: {precision}", flush=True)
        if time.monotonic() > began + seconds - 15:
            print("out of time", flush=True)
            return
        try:
            choice = measure(precision, options.kv, choice, deadline, results, options.plain)
        except Exception as error:
            print(f"{precision} FAILED: {first_line(error)}", flush=True)
            if "CUDA error" in str(error):
                raise
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
