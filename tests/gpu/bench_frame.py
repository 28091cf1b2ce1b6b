"""Times whole frames, handed to the card and back in different ways, in one process and by turns.

    python -m tests.gpu.bench_frame [--frames 300] [--precision bfloat16]

Full-size random weights, context half full, replayed graphs. The first table has milliseconds of `Duplex.step` and the
middle of its stages; "rest" is what the stages leave of p50; "same" says whether all frames are those of eager mode,
bit for bit. The second table has where the host's time goes, µs: `put` of the sound, `start` of the graphs
(of which the `first`), `wait`, `times` between the stages, and the `answer`. Then there are ways to wait.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from engine.answer import Answer, HostEnds
from engine.config import MIMI, MOSHI_7B
from engine.duplex import Duplex
from engine.frame import STAGES
from engine.sampling import SamplingValues
from engine.stages import Handover, Stages

HALF_FULL = 1500
ROUNDS = 3
WARM = 10
BEST = Handover(ends="kernels", apart=1, stamps="kernels")
WAYS = {
    "copies, one graph": Handover(apart=0),
    "encode apart": Handover(apart=1),
    "encode apart, copies inside": Handover(ends="inside", apart=1),
    "encode apart, kernels at the ends": Handover(ends="kernels", apart=1),
    "encode apart, stamps by kernels": Handover(apart=1, stamps="kernels"),
    "kernels for both, encode apart": BEST,
    "kernels for both, one graph": BEST._replace(apart=0),
    "encode apart, 1 of 16 timed": BEST._replace(timed_every=16),
    "encode apart, none timed": BEST._replace(timed_every=0),
    "one graph, none timed": BEST._replace(apart=0, timed_every=0),
}


class Way(NamedTuple):
    """A prepared way of frames."""

    name: str
    stages: Stages
    host: HostEnds


class Bench:
    @torch.inference_mode()
    def __init__(self, engine: Duplex) -> None:
        self.engine = engine
        engine.reset(seed=1)
        engine.set_sampling(SamplingValues())
        for name in engine.state:
            if name.startswith("temporal."):
                engine.state[name].normal_()
        engine.state["tokens.position"].fill_(min(HALF_FULL, engine.context // 2))
        self._start = engine.snapshot()
        self._sound = np.random.default_rng(0).normal(0, 0.1, (ROUNDS * 1000, 1920)).astype(np.float32)

    def prepared(self, name: str, how: Handover) -> Way:
        e = self.engine
        e._hand_over(how)
        e.prepare("graph")
        return Way(name, e._frame_stages, e._host)

    def choose(self, way: Way | None) -> None:
        """None: eager, in the way that was chosen last."""
        if way is not None:
            self.engine._frame_stages, self.engine._host = way.stages, way.host
        self.engine.set_mode("eager" if way is None else "graph")
        self.engine.restore(self._start)

    def talk(self, frames: int) -> tuple[list[float], list[Answer]]:
        """Milliseconds of each frame, and what it brought."""
        times, answers = [], []
        for pcm in self._sound[:frames]:
            began = time.perf_counter_ns()
            answers.append(self.engine.step(pcm))
            times.append((time.perf_counter_ns() - began) / 1e6)
        return times, answers

    def host_times(self, way: Way, frames: int = 60) -> dict[str, float]:
        """Medians of the host's parts of a frame, µs."""
        spent: dict[str, list[int]] = {name: [] for name in ("put", "start", "first", "wait", "times", "answer")}

        def noted(name: str, func: Callable[..., Any]) -> Callable[..., Any]:
            def run(*args: Any) -> Any:
                began = time.perf_counter_ns()
                result = func(*args)
                spent[name].append(time.perf_counter_ns() - began)
                return result

            return run

        first = way.stages._graphs["graph"][0]
        places: list[tuple[Any, str, str]] = [
            (way.host, "put", "put"), (way.stages, "run", "start"), (first, "_replay", "first"),
            (way.host, "wait", "wait"), (way.stages, "spans", "times"), (way.host, "answer", "answer"),
        ]  # fmt: skip
        for thing, attribute, name in places:
            setattr(thing, attribute, noted(name, getattr(thing, attribute)))
        self.choose(way)
        self.talk(frames)
        for thing, attribute, _ in places:
            delattr(thing, attribute)
        return {name: statistics.median(each or [0]) / 1000 for name, each in spent.items()}

    def waits(self, way: Way, frames: int) -> dict[str, float]:
        """p50 of frames that wait in other ways, ms. Python's own loop keeps all other threads waiting."""
        event = torch.cuda.Event()  # type: ignore[no-untyped-call]

        def by_event() -> None:
            event.record()  # type: ignore[no-untyped-call]
            event.synchronize()  # type: ignore[no-untyped-call]

        def by_asking() -> None:
            stream = torch.cuda.current_stream()
            while not stream.query():
                pass

        times = {}
        for name, wait in (("stream", way.host.wait), ("event", by_event), ("asking again and again", by_asking)):
            way.host.wait = wait  # type: ignore[method-assign]
            self.choose(way)
            times[name] = statistics.median(self.talk(WARM + frames)[0][WARM:])
            del way.host.wait  # type: ignore[method-assign]
        return times


def digest(answers: list[Answer]) -> str:
    """Of everything but times."""
    told = hashlib.sha256()
    for answer in answers:
        told.update(answer.pcm.tobytes())
        told.update(repr((answer.text, answer.own, answer.user, answer.finite)).encode())
    return told.hexdigest()


@torch.inference_mode()
def measure(bench: Bench, frames: int) -> list[Way]:
    """Prints the tables; returns the ways that could be prepared."""
    ways = []
    for name, how in WAYS.items():
        began = time.perf_counter()
        try:
            ways.append(bench.prepared(name, how))
        except Exception as error:
            print(f"{name}: FAILED: {error}", flush=True)
            continue
        notes = "" if how.ends != "kernels" or ways[-1].host.kernels else ", NO KERNELS"
        print(f"{name}: prepared in {time.perf_counter() - began:.1f} s{notes}", flush=True)
    each = WARM + frames // ROUNDS
    bench.choose(None)
    wanted = digest(bench.talk(each)[1])
    times: dict[str, list[float]] = {way.name: [] for way in ways}
    answers: dict[str, list[Answer]] = {way.name: [] for way in ways}
    same = dict.fromkeys(times, True)
    for _ in range(ROUNDS):
        for way in ways:
            bench.choose(way)
            taken, came = bench.talk(each)
            times[way.name] += taken[WARM:]
            answers[way.name] += came[WARM:]
            same[way.name] &= digest(came) == wanted
    print(f"\n{'way':34}   p50   p99 " + "".join(f"{name:>9}" for name in STAGES) + "   rest  same")
    for name, taken in times.items():
        taken.sort()
        spans = [statistics.median(getattr(a.spans, stage) for a in answers[name]) for stage in STAGES]
        p50, p99 = statistics.median(taken), taken[int(len(taken) * 0.99)]
        print(
            f"{name:34} {p50:5.3f} {p99:5.3f} {''.join(f'{span:9.3f}' for span in spans)} {p50 - sum(spans):6.3f}"
            f"  {'yes' if same[name] else 'NO'}",
            flush=True,
        )
    print(f"\n{'way':34}" + "".join(f"{name:>8}" for name in ("put", "start", "first", "wait", "times", "answer")))
    for way in ways:
        print(f"{way.name:34}" + "".join(f"{value:8.1f}" for value in bench.host_times(way).values()), flush=True)
    return ways


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--precision", default="bfloat16")
    options = parser.parse_args()
    began = time.perf_counter()
    engine = Duplex.random(MOSHI_7B, MIMI, device="cuda", precision=options.precision)
    print(f"made in {time.perf_counter() - began:.0f} s, torch {torch.__version__}, no kernels: {engine.plain_reason}")
    bench = Bench(engine)
    ways = measure(bench, options.frames)
    for way in ways:
        if way.name == "kernels for both, encode apart":
            for name, taken in bench.waits(way, options.frames // 3).items():
                print(f"waiting by {name}: {taken:.3f}")
    print(f"{time.perf_counter() - began:.0f} s in all; {torch.cuda.memory_reserved() / 1e9:.1f} GB reserved")


if __name__ == "__main__":
    main()
