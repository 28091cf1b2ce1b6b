"""The ends of a frame: by copies or by kernels, before and behind its graph or as parts of it, the frames are the same.

Kernels run natively on a GPU, else in Triton's interpreter. Stand-ins take the place of CUDA graphs on a CPU."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported
pytest.importorskip("triton", reason="Triton is not installed")

from engine.answer import Answer, HostEnds, Spans
from engine.config import LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.frame import frame_slots
from engine.stage_clock import StageClock
from engine.stages import Handover, Stage, Stages
from engine.state import State
from tests.checkpoints import write_checkpoint
from tests.engine import oracle
from tests.engine.cpu_graphs import CpuPool

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WAYS = (
    Handover(),
    Handover(ends="inside"),
    Handover(ends="inside", apart=0),
    Handover(ends="kernels", apart=1, stamps="kernels"),
    Handover(ends="inside", apart=2, timed_every=3),
    Handover(apart=1, timed_every=0),
)
LM = LMConfig(dim=64, num_heads=4)
NO_TIME = Spans(0, 0, 0, 0, 0, 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("ends"), lm={"num_layers": 1, "context": 20})


@pytest.fixture(params=[torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
def state(request: pytest.FixtureRequest) -> State:
    made = State(frame_slots(LM, MimiConfig(), request.param), DEVICE)
    generator = torch.Generator().manual_seed(1)
    made["frame.pcm_out"].copy_(torch.randn(1, 1, 1920, generator=generator))
    made["frame.hidden"].copy_(torch.randn(1, 64, generator=generator))
    for name in ("frame.spoken", "frame.heard"):
        made[name].copy_(torch.randint(0, 2048, made[name].shape, generator=generator))
    return made


def through(state: State, kernels: bool, pcm: np.ndarray) -> Answer:
    ends = HostEnds(LM, state, 1920, kernels=kernels)
    ends.put(pcm)
    ends.enter()
    ends.leave(state["frame.hidden"])
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return ends.answer(False, NO_TIME)


def test_kernels_bring_what_copies_bring(state: State) -> None:
    pcm = oracle.speechlike(1).reshape(1920)
    copied = through(state, False, pcm)
    state["frame.pcm_in"].zero_()
    reached = through(state, True, pcm)
    assert np.array_equal(state["frame.pcm_in"].cpu().numpy()[0, 0], pcm)
    assert np.array_equal(reached.pcm, copied.pcm) and np.abs(copied.pcm).max() == 1
    assert reached[1:] == copied[1:]
    assert reached.text == state["frame.spoken"][0, 0].item()
    assert reached.user == tuple(state["frame.heard"][0].tolist())


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_kernels_see_numbers_that_are_none(state: State, wrong: float) -> None:
    """In any place of what the temporal transformer made."""
    state["frame.hidden"][0, 63] = wrong
    answer = through(state, True, np.zeros(1920, np.float32))
    assert not answer.finite
    assert not answer.pcm.any()


@pytest.mark.parametrize("sample", [0, 700, 1919])
def test_kernels_see_samples_that_are_none(state: State, sample: int) -> None:
    state["frame.pcm_out"][0, 0, sample] = -float("inf")
    answer = through(state, True, np.zeros(1920, np.float32))
    assert not answer.finite
    assert not answer.pcm.any()


def test_the_cards_clock_times_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kernel is stood in for: no interpreter has that clock."""
    clock = iter((0, 1_000_000, 1_250_000, 4_250_000))  # the first is a trial

    def stamp(stamps: torch.Tensor, host: torch.Tensor, index: int, *, pdl: int) -> None:
        stamps[index] = next(clock)
        if index == len(stamps) - 1:
            host.copy_(stamps)

    monkeypatch.setattr("engine.kernels_ends.stamp", stamp)
    device = torch.device(DEVICE)
    stages = Stages(
        [Stage("first", lambda: None), Stage("second", lambda: None)], device, State({}, DEVICE),
        compiled=lambda form: [], handover=Handover(stamps="kernels"),
    )  # fmt: skip
    stages.run("eager")
    assert stages.spans() == (0.25, 3.0)


def test_the_hosts_clock_or_events_it_is_where_the_cards_cannot_be_read() -> None:
    """As in the interpreter."""
    if DEVICE == "cuda":
        pytest.skip("a card has a clock")
    clock = StageClock(2, torch.device(DEVICE), kernels=True)
    assert not clock.inside_graphs
    clock.mark(0)
    clock.mark(1)
    assert clock.spans()[0] >= 0


def test_without_kernels_the_nearest_way_is_taken() -> None:
    assert Handover("kernels", 1, "kernels").without_kernels() == Handover("inside", 1)
    assert Handover().without_kernels() == Handover()


def test_copies_it_is_where_kernels_fail(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*tensors: torch.Tensor) -> None:
        raise ValueError("Pointer argument (at 0) cannot be accessed from Triton (cpu tensor?)")

    monkeypatch.setattr("engine.kernels_ends.take_in", refused)
    ends = HostEnds(LM, state, 1920, kernels=True)
    assert not ends.kernels
    ends.put(np.full(1920, 0.5, np.float32))
    ends.enter()
    assert (state["frame.pcm_in"] == 0.5).all()


def talk(duplex: Duplex, mode: str, frames: int = 7) -> list[Answer]:
    duplex.set_mode(mode)
    duplex.reset(3)
    return [duplex.step(pcm) for pcm in oracle.speechlike(frames).reshape(-1, 1920)]


@pytest.mark.skipif(DEVICE == "cuda", reason="with stand-ins for graphs; on a card tests/gpu/bench_frame.py compares")
@pytest.mark.parametrize("way", WAYS)
def test_replayed_frames_are_those_of_eager_in_every_way(
    folder: Path, way: Handover, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = CpuPool()
    monkeypatch.setattr("engine.duplex.graph_unavailable_reason", lambda device: None)
    monkeypatch.setattr("engine.duplex.GraphPool", lambda device: pool)
    duplex = Duplex.load(folder, device="cpu", precision="float32")
    duplex._hand_over(way)
    duplex.frame.counted_noise = True  # as on a card: no random stream of the host
    duplex._frame_stages._clock.inside_graphs = True
    duplex.prepare("graph")
    replays = pool.replays
    replayed = talk(duplex, "graph")
    assert pool.replays == replays + 7 * (2 if way.apart else 1)
    for a, b in zip(replayed, talk(duplex, "eager"), strict=True):
        assert np.array_equal(a.pcm, b.pcm)
        assert (a.text, a.own, a.user) == (b.text, b.own, b.user)
        assert all(span >= 0 for span in a.spans)
    assert replayed[-1].pcm.any()


@pytest.mark.skipif(DEVICE == "cuda", reason="with stand-ins for graphs")
def test_the_ends_are_parts_of_the_graph_where_that_is_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a replay alone brings the sound in and the results out."""
    monkeypatch.setattr("engine.duplex.graph_unavailable_reason", lambda device: None)
    monkeypatch.setattr("engine.duplex.GraphPool", lambda device: CpuPool())
    duplex = Duplex.load(folder, device="cpu", precision="float32")
    for ends, inside in (("copies", False), ("inside", True)):
        duplex._hand_over(Handover(ends=ends))
        duplex.frame.counted_noise = True
        duplex._frame_stages._clock.inside_graphs = True
        duplex.prepare("graph")
        duplex.reset(1)
        duplex._host.put(np.full(1920, 0.25, np.float32))
        with torch.inference_mode():
            for graph in duplex._frame_stages._graphs["graph"]:
                graph()
        assert bool((duplex.state["frame.pcm_in"] == 0.25).all()) is inside
