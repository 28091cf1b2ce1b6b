"""Where the language model's time on a GPU goes, kernel by kernel, against the card's own copy bandwidth.

    python -m tests.gpu.bench_kernels [--plain] [--tune SECONDS] [--out FILE]

Random weights of the published sizes, the temporal ring half full, one stage captured as a CUDA graph and replayed;
medians of GPU time. A kernel's row is a graph of that kernel over all layers' weights, so nothing stays in the cache.
`--tune` tries other launch shapes one entry at a time and keeps what is faster; `--plain` measures plain PyTorch too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from engine import kernels_attention, kernels_linear
from engine.config import LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.fused import FusedFrame, Launches
from engine.kernels_attention import RingScratch
from engine.kernels_linear import Launch
from engine.sampling import SamplingValues

HALF_FULL = 1500
CANDIDATES: dict[str, list[Any]] = {
    "down": [Launch(16, 1, 4), Launch(8), Launch(8, 1, 4), Launch(32, 1, 8), Launch(4, 1, 4)],
    "down_block": [1024, 256, 0],
    "gate": [Launch(2, 22), Launch(4, 11, 16), Launch(2, 11), Launch(2, 44), Launch(2, 4), Launch(4, 22, 16)],
    "project": [Launch(2, 24), Launch(8, 6, 16), Launch(4, 6), Launch(4, 23), Launch(2, 12), Launch(2, 4)],
    "out": [Launch(2, 8), Launch(2, 4), Launch(8, 2, 16), Launch(4, 8), Launch(4, 2)],
    "ring_splits": [4, 16],
    "ring_block": [32, 128],
    "ring_warps": [8, 2],
    "text_head": [Launch(2, 64), Launch(4, 16), Launch(8, 16, 16), Launch(2, 8)],
    "depth_inputs": [Launch(4, 4), Launch(2, 16), Launch(8, 8, 16), Launch(4, 16)],
    "depth_project": [Launch(16), Launch(32), Launch(8, 1, 4), Launch(4, 1, 4), Launch(16, 1, 4), Launch(32, 1, 16)],
    "depth_attend": [Launch(8, 1, 4), Launch(16), Launch(4, 1, 4), Launch(16, 1, 16)],
    "depth_gate": [Launch(16), Launch(16, 1, 16), Launch(8, 1, 4), Launch(4, 1, 4), Launch(32, 1, 16), Launch(4)],
    "depth_down": [Launch(8, 1, 16), Launch(4), Launch(4, 1, 4), Launch(16, 1, 16), Launch(2, 1, 4)],
    "depth_head": [Launch(8), Launch(32), Launch(16, 1, 4), Launch(8, 1, 4)],
}


def graph_time(func: Callable[[], None], *, repeats: int = 25) -> float:
    """Median milliseconds of GPU time of `func` as one graph."""
    func()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        func()
    times = []
    for _ in range(repeats + 5):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    graph.reset()
    return statistics.median(times[5:])


def copy_bandwidth() -> float:
    """Bytes read plus written per second by a large device-to-device copy, in TB/s."""
    source = torch.empty(4 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() / graph_time(lambda: target.copy_(source)) / 1e9  # type: ignore[func-returns-value]


class Bench:
    """A full-size random model and its stages."""

    def __init__(self) -> None:
        self.engine = Duplex.random(LMConfig(), MimiConfig(), device="cuda", precision="bfloat16")
        self.engine.set_sampling(SamplingValues())
        self.engine.reset(seed=1)
        self.frame = self.fused(True)

    def fused(self, pdl: bool) -> FusedFrame:
        e = self.engine
        return FusedFrame(e.lm, e.mimi, e.state, lm_window=3000, mimi_window=250, pdl=pdl)

    def half_full(self) -> None:
        self.engine.state["tokens.position"].fill_(HALF_FULL)

    def stage(self, frame: Any, name: str, repeats: int = 25) -> float:
        self.half_full()
        return graph_time(getattr(frame, name), repeats=repeats)

    def agreement(self) -> None:
        """Greedy tokens of a few frames by both paths from the same state, and how far the text logits are apart."""
        e = self.engine
        e.set_sampling(SamplingValues(0.0, 250, 0.0, 25))
        for name in e.state:
            if name.startswith("temporal."):
                e.state[name].normal_()
        self.half_full()
        start = e.state.snapshot()
        spoken: dict[str, Any] = {}
        for kind, frame in (("plain", e.frame), ("fused", self.frame)):
            e.state.restore(start)
            frame.temporal()
            if kind == "plain":
                logits = e.lm.temporal.text_logits(e.state["frame.hidden"])[0]
            else:
                logits = self.frame._scratch.text_logits.float()
            frame.depth()
            spoken[kind] = (logits.clone(), e.state["tokens.ring"][0, :9, :].tolist())
        apart = (spoken["plain"][0] - spoken["fused"][0]).norm() / spoken["plain"][0].norm()
        print(f"text logits apart by {apart:.2e} of their norm; tokens\n {spoken['plain'][1]}\n {spoken['fused'][1]}")
        e.set_sampling(SamplingValues())
        e.reset(seed=1)

    def repeats_itself(self) -> None:
        """The same frame eager and as a graph, with overlap of kernels: every tensor of the state must agree."""
        e = self.engine
        start = e.state.snapshot()
        results = []

        def both() -> None:
            self.frame.temporal()
            self.frame.depth()

        for run in ("eager", "graph"):
            e.state.restore(start)
            if run == "graph":
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    both()
            e.state.restore(start)
            for _ in range(20):
                graph.replay() if run == "graph" else both()
            torch.cuda.synchronize()
            results.append(e.state.snapshot())
        wrong = [name for name in results[0] if not torch.equal(results[0][name], results[1][name])]
        print("eager and graph agree over 20 frames" if not wrong else f"EAGER AND GRAPH DIFFER in {wrong[:5]}")
        e.reset(seed=1)

    def tune(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        best = {name: self.stage(self.frame, name) for name in ("temporal", "depth")}
        for entry, candidates in CANDIDATES.items():
            stage = "depth" if entry.startswith("depth") else "temporal"
            for candidate in candidates:
                if time.monotonic() > deadline:
                    print("out of time before", entry)
                    return
                before = self.frame.launches
                self._use(before._replace(**{entry: candidate}))
                try:
                    taken = self.stage(self.frame, stage, 15)
                except Exception as error:  # a shape that the card cannot hold is an answer too
                    print(f"{entry:14} {candidate!s:36} {type(error).__name__}")
                    self._use(before)
                    continue
                print(f"{entry:14} {candidate!s:36} {stage} {taken:.4f} ms (best {best[stage]:.4f})", flush=True)
                if taken < best[stage] * 0.998:
                    best[stage] = taken
                else:
                    self._use(before)

    def _use(self, launches: Launches) -> None:
        config = self.engine.lm_config
        self.frame.launches = launches
        self.frame._ring = RingScratch(config.num_heads, config.head_dim, launches.ring_splits, self.engine.device)

    def kernels(self, bandwidth: float) -> list[dict[str, Any]]:
        """Every kernel over all layers (or steps), as a chain."""
        e, frame, b, use = self.engine, self.frame, self.frame._scratch, self.frame.launches
        layers, depth, pdl = e.lm.temporal.layers, e.lm.depth, self.frame.pdl
        s, steps = e.state, range(e.lm_config.own)
        ring_bytes = 2 * HALF_FULL * e.lm_config.dim * 2
        deep = [(layer, step) for step in steps for layer in depth.layers]

        chains: dict[str, tuple[int, float, Callable[[], Any]]] = {
            "norm + q, k, v": (len(layers), layers[0].in_proj.nbytes, lambda: [
                kernels_linear.linear(x.in_proj, b.x, b.projected, use.project, norm=x.norm1, pdl=pdl)
                for x in layers]),
            "rope + ring attention": (len(layers), ring_bytes, lambda: [
                kernels_attention.ring_attend(
                    b.projected, b.turns, s["tokens.position"], s[x.keys][0], s[x.values][0], 3000, b.attended,
                    frame._ring, block=use.ring_block, warps=use.ring_warps, pdl=pdl) for x in layers]),
            "out + residual": (len(layers), layers[0].out_proj.nbytes, lambda: [
                kernels_linear.linear(x.out_proj, b.attended, b.x, use.out, add=True, pdl=pdl) for x in layers]),
            "norm + gate": (len(layers), layers[0].linear_in.nbytes, lambda: [
                kernels_linear.gated(x.linear_in, b.x, x.norm2, b.hidden, use.gate, pdl=pdl) for x in layers]),
            "down + residual": (len(layers), layers[0].linear_out.nbytes, lambda: [
                kernels_linear.linear_add(x.linear_out, b.hidden, b.x, use.down, use.down_block, pdl=pdl)
                for x in layers]),
            "depth gate": (len(deep), depth.layers[0].linear_in[0].nbytes, lambda: [
                kernels_linear.gated(x.linear_in[i], b.depth_x, x.norm2, b.depth_hidden, use.depth_gate, pdl=pdl)
                for x, i in deep]),
            "depth down": (len(deep), depth.layers[0].linear_out[0].nbytes, lambda: [
                kernels_linear.linear(x.linear_out[i], b.depth_hidden, b.depth_x, use.depth_down, add=True, pdl=pdl)
                for x, i in deep]),
            "depth attend + out": (len(deep), depth.layers[0].out_proj[0].nbytes, lambda: [
                kernels_attention.depth_attend_add(
                    x.out_proj[i], b.query, s["depth.keys"][0, x.index], s["depth.values"][0, x.index], b.depth_x, i,
                    rows=use.depth_attend.rows, warps=use.depth_attend.warps, pdl=pdl) for x, i in deep]),
        }  # fmt: skip
        rows = []
        self.half_full()
        for name, (count, size, chain) in chains.items():
            micros = graph_time(chain) * 1000 / count
            rate = size / micros / 1e6
            rows.append({"kernel": name, "micros": micros, "TB/s": rate, "of copy": rate / bandwidth})
            print(f"{name:24} {micros:7.2f} us  {rate:5.2f} TB/s  {100 * rate / bandwidth:4.0f} % of copy", flush=True)
        return rows


@torch.inference_mode()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--tune", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    began = time.monotonic()
    bandwidth = copy_bandwidth()
    torch.cuda.empty_cache()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; copy {bandwidth:.2f} TB/s", flush=True)
    bench = Bench()
    print(f"model ready after {time.monotonic() - began:.0f} s", flush=True)
    stages: dict[str, float] = {}
    if options.plain:
        for name in ("encode", "temporal", "depth", "decode"):
            stages[f"plain {name}"] = bench.stage(bench.engine.frame, name, 10)
            print(f"plain {name:10} {stages[f'plain {name}']:.3f} ms", flush=True)
    bench.agreement()
    bench.repeats_itself()
    for pdl in (False, True):
        frame = bench.fused(pdl)
        for name in ("temporal", "depth"):
            stages[f"fused {name}, overlap {pdl}"] = taken = bench.stage(frame, name)
            print(f"fused {name:10} overlap {pdl!s:5} {taken:.3f} ms", flush=True)
    bench.tune(options.tune)
    print(bench.frame.launches)
    for name in ("temporal", "depth"):
        stages[f"fused {name}"] = bench.stage(bench.frame, name)
        print(f"fused {name:10} {stages[f'fused {name}']:.3f} ms", flush=True)
    rows = bench.kernels(bandwidth)
    if options.out:
        result = {"copy TB/s": bandwidth, "stages ms": stages, "kernels": rows, "launches": str(bench.frame.launches)}
        options.out.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
