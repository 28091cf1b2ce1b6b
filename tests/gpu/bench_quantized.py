"""What a frame of the full-size language model costs in each quantised precision, against the bytes it must read.

    python -m tests.gpu.bench_quantized [--precisions int8,int4,fp8-row,fp8] [--plain] [--tune SECONDS] [--out FILE]

Random weights of the published sizes, the temporal ring half full, one stage captured as a CUDA graph and replayed;
medians of GPU time. Every precision is first held against the plain path from the same state. `--plain` measures that
path too; `--tune` tries other launch shapes one entry at a time and keeps what is faster.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from pathlib import Path
from typing import Any

import torch

from app import memory
from engine.config import MIMI, MOSHI_7B
from engine.duplex import Duplex
from engine.fused_quantized import QuantizedFrame, QuantizedLaunches
from engine.kernels_linear import Launch
from engine.precision import QUANTIZED
from engine.sampling import SamplingValues
from tests.gpu.bench_kernels import HALF_FULL, copy_bandwidth, graph_time

STAGES = ("temporal", "depth")
# One entry at a time; what begins with "depth" is judged by the depth stage. Loads are whole (16 bytes a thread) where
# rows * block = 16 * 32 * warps.
CANDIDATES: dict[str, list[Any]] = {
    "block": [1024, 4096, 512],
    "project": [Launch(4, 12), Launch(2, 12), Launch(8, 6), Launch(4, 6, 4), Launch(2, 6, 4), Launch(1, 12, 4)],
    "gate": [Launch(1, 22, 4), Launch(2, 22), Launch(1, 22), Launch(2, 11, 4), Launch(4, 6), Launch(1, 11, 2)],
    "out": [Launch(4, 4), Launch(2, 4), Launch(4, 1), Launch(2, 2, 4), Launch(8, 1)],
    "down_block": [512, 2048],
    "down": [Launch(4), Launch(16), Launch(8, 1, 4), Launch(4, 1, 4), Launch(2, 1, 4), Launch(4, 2)],
    "text_head": [Launch(4, 32), Launch(2, 32), Launch(8, 16), Launch(2, 16, 4)],
    "depth_inputs": [Launch(4, 4), Launch(2, 8), Launch(4, 8, 4), Launch(8, 4)],
    "depth_block": [512],
    "depth_project": [Launch(16, 1, 8), Launch(4, 1, 2), Launch(4, 1, 4), Launch(16, 1, 4), Launch(8, 1, 8)],
    "depth_attend": [Launch(8, 1, 8), Launch(16, 1, 8), Launch(8, 1, 16), Launch(4, 1, 4)],
    "depth_gate": [Launch(2, 1, 2), Launch(4, 1, 2), Launch(8, 1, 4), Launch(8, 1, 8), Launch(2, 1, 4)],
    "depth_down": [Launch(4, 1, 4), Launch(8, 1, 4), Launch(4, 1, 8), Launch(2, 1, 4), Launch(16, 1, 8)],
    "depth_head": [Launch(16), Launch(8, 1, 4), Launch(4, 1, 4), Launch(32)],
}


class Bench:
    """A full-size random model in one precision, and its two ways to run."""

    def __init__(self, precision: str) -> None:
        self.precision = precision
        self.engine = Duplex.random(MOSHI_7B, MIMI, device="cuda", precision=precision, kernels=False)
        self.engine.set_sampling(SamplingValues())
        self.engine.reset(seed=1)
        self.frame = self.fused(QuantizedLaunches())

    def fused(self, cuts: QuantizedLaunches) -> QuantizedFrame:
        e = self.engine
        return QuantizedFrame(e.lm, e.mimi, e.state, lm_window=3000, mimi_window=250, cuts=cuts)

    def stage(self, frame: Any, name: str, repeats: int = 25) -> float:
        self.engine.state["tokens.position"].fill_(HALF_FULL)
        return graph_time(getattr(frame, name), repeats=repeats)

    def agreement(self) -> str:
        """Text logits of one frame by both paths from the same past, and the greedy tokens."""
        e = self.engine
        e.set_sampling(SamplingValues(0.0, 250, 0.0, 25))
        for name in e.state:
            if name.startswith("temporal."):
                e.state[name].normal_()
        e.state["tokens.position"].fill_(HALF_FULL)
        start = e.state.snapshot()
        spoken = []
        for frame in (e.frame, self.frame):
            e.state.restore(start)
            frame.temporal()
            fused = frame is self.frame
            hidden = e.state["frame.hidden"]
            logits = self.frame._scratch.text_logits.float() if fused else e.lm.temporal.text_logits(hidden)[0]
            frame.depth()
            spoken.append((logits.clone(), e.state["tokens.ring"][0, :9, (HALF_FULL + 1) % 3].tolist()))
        (plain, tokens), (other, others) = spoken
        e.set_sampling(SamplingValues())
        e.reset(seed=1)
        same = sum(one == two for one, two in zip(tokens, others, strict=True))
        return (
            f"text logits apart by {(plain - other).norm() / plain.norm():.2e} of their norm, {same} of 9 tokens alike"
        )

    def tune(self, seconds: float) -> QuantizedLaunches:
        deadline = time.monotonic() + seconds
        best = {name: self.stage(self.frame, name) for name in STAGES}
        for entry, choices in CANDIDATES.items():
            stage = "depth" if entry.startswith("depth") else "temporal"
            for choice in choices:
                if time.monotonic() > deadline:
                    print("out of time at", entry)
                    return self.frame.cuts
                before = self.frame
                self.frame = self.fused(before.cuts._replace(**{entry: choice}))
                taken = self.stage(self.frame, stage, 15)
                print(f"{entry:14} {choice!s:36} {stage} {taken:.4f} ms (best {best[stage]:.4f})", flush=True)
                if taken < best[stage] * 0.998:
                    best[stage] = taken
                else:
                    self.frame = before
        return self.frame.cuts


@torch.inference_mode()
def measure(precision: str, options: argparse.Namespace, bandwidth: float) -> dict[str, Any]:
    free = torch.cuda.mem_get_info()[0]
    bench = Bench(precision)
    print(f"{precision}: {bench.agreement()}", flush=True)
    row: dict[str, Any] = {"precision": precision, "weights": bench.engine.weights_bytes}
    if options.tune:
        row["cuts"] = [list(cut) if isinstance(cut, tuple) else cut for cut in bench.tune(options.tune)]
        print(f"{precision}: {bench.frame.cuts}")
    needed = memory.stage_bytes(MOSHI_7B, MIMI, precision, HALF_FULL)
    for name in STAGES:
        taken = bench.stage(bench.frame, name)
        rate = needed[name] / taken / 1e9
        row[name] = taken
        print(f"  {name:9} {taken:7.3f} ms  {needed[name] / 1e9:6.2f} GB  {rate:5.2f} TB/s  {rate / bandwidth:5.0%}")
        if options.plain:
            row[f"plain {name}"] = bench.stage(bench.engine.frame, name, 5)
            print(f"  {name:9} {row[f'plain {name}']:7.3f} ms by the plain path")
    row["memory"] = free - torch.cuda.mem_get_info()[0]
    print(f"  device memory taken since the context was there: {row['memory'] / 1e9:.2f} GB", flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--precisions", default=",".join(QUANTIZED))
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--tune", type=float, default=0.0, metavar="SECONDS", help="for each precision")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    bandwidth = copy_bandwidth()
    torch.cuda.empty_cache()
    print(f"{torch.cuda.get_device_name()}: copies at {bandwidth:.2f} TB/s, PyTorch {torch.__version__}")
    rows = []
    for precision in options.precisions.split(","):
        rows.append(measure(precision, options, bandwidth))
        gc.collect()
        torch.cuda.empty_cache()
        if options.out:
            options.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
