"""The depth stage as a chain of kernels and as one resident kernel, on the card at hand.

    python -m tests.gpu.bench_depth [--seconds 60]

Full-size random depth weights in bfloat16 beside one temporal layer. Every form is held against the chain from the same
state (codes, keys and values), against itself (eager launches and graph replays must agree bit for bit), then timed.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import torch

from engine.config import MIMI, MOSHI_7B
from engine.duplex import Duplex
from engine.fused import FusedFrame, Launches
from engine.kernels_linear import EARLY, NO_OVERLAP
from engine.sampling import SamplingValues
from tests.gpu.bench_kernels import graph_time

# programs, warps, whether later weights are fetched into the L2 cache, overlap with the kernels around it
FORMS = [
    (128, 8, True, EARLY), (128, 8, False, EARLY), (128, 16, True, EARLY), (128, 8, True, NO_OVERLAP),
    (132, 8, True, EARLY), (128, 4, True, EARLY), (64, 16, True, EARLY),
]  # fmt: skip
KEPT = ("depth.keys", "depth.values", "frame.spoken", "tokens.ring")


class Depth:
    """An engine of which the depth stage alone is of interest."""

    def __init__(self) -> None:
        sizes = replace(MOSHI_7B, num_layers=1)
        self.engine = Duplex.random(sizes, MIMI, device="cuda", precision="bfloat16", kernels=False)
        self.engine.reset(seed=1)
        self.engine.set_sampling(SamplingValues())
        self.state = self.engine.state
        self.frames: list[FusedFrame] = []

    def frame(self, launches: Launches, pdl: int) -> FusedFrame:
        e = self.engine
        return FusedFrame(e.lm, e.mimi, e.state, lm_window=3000, mimi_window=250, launches=launches, pdl=pdl)

    def outcome(self, frame: FusedFrame, frames: int = 4) -> list[dict[str, torch.Tensor]]:
        """What frames from the same start leave."""
        self.engine.reset(seed=1)
        results = []
        generator = torch.Generator("cuda").manual_seed(2)
        for _ in range(frames):
            self.state["frame.heard"].random_(0, MIMI.bins, generator=generator)
            frame.temporal()
            frame.depth()
            results.append({name: self.state[name].clone() for name in KEPT})
        return results

    def form(self, programs: int, warps: int, fetch: bool, pdl: int) -> FusedFrame:
        frame = self.frame(Launches(depth_resident=programs, depth_resident_warps=warps), pdl)
        assert frame._resident is not None, "refused"
        frame._resident._fetch = fetch
        return frame


def apart(got: list[dict[str, torch.Tensor]], wanted: list[dict[str, torch.Tensor]]) -> str:
    """Equal codes of the first frame (later ones follow from it), and how far its keys and values are apart."""
    same = int((got[0]["frame.spoken"] == wanted[0]["frame.spoken"]).sum())
    ring = int((got[0]["tokens.ring"] != wanted[0]["tokens.ring"]).sum())
    parts = [
        ((got[0][name].float() - wanted[0][name].float()).norm() / wanted[0][name].float().norm()).item()
        for name in ("depth.keys", "depth.values")
    ]
    return f"codes apart in the ring {ring}, spoken alike {same}, keys {parts[0]:.4f}, values {parts[1]:.4f}"


def replayed(depth: Depth, frame: FusedFrame) -> bool:
    """Whether graph replays leave bit for bit what eager launches leave."""
    eager = depth.outcome(frame)
    graphs = []
    for stage in (frame.temporal, frame.depth):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            stage()
        graphs.append(graph)
    depth.engine.reset(seed=1)
    generator = torch.Generator("cuda").manual_seed(2)
    for wanted in eager:
        depth.state["frame.heard"].random_(0, MIMI.bins, generator=generator)
        for graph in graphs:
            graph.replay()
        if not all(torch.equal(depth.state[name], value) for name, value in wanted.items()):
            return False
    return True


@torch.inference_mode()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    began = time.monotonic()
    deadline = began + parser.parse_args().seconds
    depth = Depth()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; made in {time.monotonic() - began:.0f} s")
    chain = depth.frame(Launches(), EARLY)
    wanted = depth.outcome(chain)
    print(f"chain {graph_time(chain.depth):.4f} ms", flush=True)
    for shape in FORMS:
        if time.monotonic() > deadline - 5:
            print("out of time")
            break
        try:
            frame = depth.form(*shape)
            far = apart(depth.outcome(frame), wanted)
            assert frame._resident is not None
            if frame._resident.stalled.item():
                print(f"{shape}: STALLED, {far}", flush=True)
                continue
            alike = replayed(depth, frame)
            taken = graph_time(frame.depth)
            print(f"{shape}: {taken:.4f} ms, {far}, eager and graph {'alike' if alike else 'DIFFER'}", flush=True)
        except Exception as error:
            print(f"{shape}: FAILED {str(error)[:200]}", flush=True)
            if "CUDA error" in str(error):
                raise
    print(f"chain again {graph_time(chain.depth):.4f} ms; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
