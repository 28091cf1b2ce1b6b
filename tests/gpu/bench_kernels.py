"""Where a frame's time on a GPU goes, kernel by kernel, against the card's own copy bandwidth.

    python -m tests.gpu.bench_kernels [--plain] [--out FILE]

Random weights of the published sizes, the temporal ring half full, one stage captured as a CUDA graph and replayed;
medians of GPU time. A kernel's row is a graph of that kernel over all layers' weights, so nothing stays in the cache.
`--plain` measures plain PyTorch too. Other launch shapes and other precisions: `tests.gpu.tune_kernels`.
"""

from __future__ import annotations

import argparse
import copy
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from engine import kernels_depth_attention, kernels_linear
from engine.config import MIMI, MOSHI_7B
from engine.duplex import Duplex
from engine.frame import STAGES
from engine.fused import FusedFrame
from engine.kernels_linear import EARLY, LATE
from engine.sampling import SamplingValues
from engine.stages import HANDOVER

HALF_FULL = 1500


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
    source = torch.empty(1 << 30, dtype=torch.int64, device="cuda").random_()
    target, times = torch.empty_like(source), []
    for _ in range(8):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        torch.add(source, 1, out=target)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return 2 * source.nbytes / statistics.median(times) / 1e9


class Bench:
    """A full-size random model and its stages."""

    def __init__(self, layers: int = 32, depth_layers: int = 6) -> None:
        sizes = replace(MOSHI_7B, num_layers=layers, depformer_num_layers=depth_layers)
        self.engine = Duplex.random(sizes, MIMI, device="cuda", precision="bfloat16", kernels=False)
        self.engine.set_sampling(SamplingValues())
        self.engine.reset(seed=1)
        self.frame = self.fused(None)

    def fused(self, pdl: int | None) -> FusedFrame:
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

    def precision(self) -> None:
        """Both paths' text logits against the same frame in float32."""
        e = self.engine
        for name in e.state:
            if name.startswith("temporal."):
                e.state[name].normal_()
        self.half_full()
        start = e.state.snapshot()
        exact = Duplex(copy.deepcopy(e.lm).float(), e.mimi, kernels=False)
        for name, value in start.items():
            exact.state[name].copy_(value)
        exact.frame.temporal()
        wanted = exact.lm.temporal.text_logits(exact.state["frame.hidden"])[0]
        e.frame.temporal()
        plain = e.lm.temporal.text_logits(e.state["frame.hidden"])[0]
        e.state.restore(start)
        self.frame.temporal()
        fused = self.frame._scratch.text_logits.float()
        for name, got in (("plain", plain), ("fused", fused)):
            print(
                f"text logits, {name} bfloat16 against float32: {(got - wanted).norm() / wanted.norm():.3e} of the norm"
            )
        del exact
        torch.cuda.empty_cache()
        e.reset(seed=1)

    def codec_agreement(self) -> None:
        """Codes and sound of a few frames, plain and fused, each from its own past."""
        e = self.engine
        start = e.state.snapshot()
        heard: dict[str, Any] = {}
        for kind, frame in (("plain", e.frame), ("fused", self.frame)):
            e.state.restore(start)
            generator = torch.Generator("cuda").manual_seed(3)
            heard[kind] = []
            for _ in range(8):
                e.state["frame.pcm_in"].normal_(0, 0.1, generator=generator)
                e.state["frame.spoken"].random_(0, 2048, generator=generator)
                frame.encode()
                frame.decode()
                heard[kind].append((e.state["frame.heard"].clone(), e.state["frame.pcm_out"].clone()))
        same = [torch.equal(a[0], b[0]) for a, b in zip(heard["plain"], heard["fused"], strict=True)]
        apart = [
            ((a[1] - b[1]).abs().max() / a[1].abs().max()).item()
            for a, b in zip(heard["plain"], heard["fused"], strict=True)
        ]
        print(f"codec: codes agree in {sum(same)} of 8 frames; sound apart by at most {max(apart):.2e} of its peak")
        e.state.restore(start)

    def codec_steps(self) -> None:
        """Each launch of the codec by itself, from a profile of eager runs."""
        codec = self.frame._codec
        assert codec is not None
        for half in (codec.encode, codec.decode):
            half()
            torch.cuda.synchronize()
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
                half()
                torch.cuda.synchronize()
            kernels = [x for x in profile.events() if x.device_type == torch.autograd.DeviceType.CUDA]
            print(" ".join(f"{x.name.removesuffix('_kernel')}:{x.device_time:.1f}" for x in kernels))

    def whole_frames(self) -> None:
        """`Duplex.step` as the program calls it: graph and eager."""
        e = self.engine
        e.frame = self.frame
        e._hand_over(HANDOVER)
        e.prepare("graph")
        pcm = np.random.default_rng(0).normal(0, 0.1, 1920).astype(np.float32)
        for mode, count in (("graph", 400), ("eager", 60)):
            e.set_mode(mode)
            self.half_full()
            totals, spans = [], []
            for _ in range(count + 10):
                began = time.perf_counter()
                answer = e.step(pcm)
                totals.append((time.perf_counter() - began) * 1000)
                spans.append(answer.spans)
            totals = sorted(totals[10:])
            middle = [statistics.median(getattr(s, name) for s in spans[10:]) for name in STAGES]
            print(
                f"whole frame {mode:5}: p50 {totals[count // 2]:.3f} p99 {totals[int(count * 0.99)]:.3f} ms; "
                + ", ".join(f"{n} {m:.3f}" for n, m in zip(STAGES, middle, strict=True)),
                flush=True,
            )

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
            "rope + ring attention": (len(layers), ring_bytes, lambda: [frame._ring_attend(x) for x in layers]),
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
                kernels_depth_attention.depth_attend_add(
                    x.out_proj[i], b.query, s["depth.keys"][0, x.index], s["depth.values"][0, x.index], b.depth_x, i,
                    use.depth_attend, pdl=pdl) for x, i in deep]),
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
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    bench = Bench()
    bandwidth = copy_bandwidth()
    torch.cuda.empty_cache()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; copy {bandwidth:.2f} TB/s", flush=True)
    stages: dict[str, float] = {}
    if options.plain:
        for name in ("encode", "temporal", "depth", "decode"):
            stages[f"plain {name}"] = bench.stage(bench.engine.frame, name, 10)
            print(f"plain {name:10} {stages[f'plain {name}']:.3f} ms", flush=True)
    bench.repeats_itself()
    bench.codec_agreement()
    bench.precision()
    for pdl in (EARLY, LATE):
        frame = bench.fused(pdl)
        for name in ("temporal", "depth"):
            stages[f"fused {name}, overlap {pdl}"] = taken = bench.stage(frame, name)
            print(f"fused {name:10} overlap {pdl!s:5} {taken:.3f} ms", flush=True)
    for name in ("encode", "temporal", "depth", "decode"):
        stages[f"fused {name}"] = bench.stage(bench.frame, name)
        print(f"fused {name:10} {stages[f'fused {name}']:.3f} ms", flush=True)
    rows = bench.kernels(bandwidth)
    bench.codec_steps()
    bench.whole_frames()
    if options.out:
        result = {"copy TB/s": bandwidth, "stages ms": stages, "kernels": rows, "launches": str(bench.frame.launches)}
        options.out.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
