"""Stages of a frame in modes that may fail to be built: what is said, and that the frame goes on as before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from engine import stages as stages_module
from engine.errors import Cancelled, EngineError
from engine.graphs import in_cuda_graph
from engine.stages import Handover, Stage, Stages
from engine.state import Slot, State
from tests.engine.cpu_graphs import CpuPool

PTXAS = """ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'
Repro command: /usr/lib/triton/ptxas -lineinfo kernel.ptx"""


@pytest.fixture
def state() -> State:
    return State({"count": Slot((), torch.int64), "sum": Slot((), torch.float32, 1)}, "cpu")


@pytest.fixture(autouse=True)
def _compiler_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages_module, "compile_unavailable_reason", lambda device: None)


def counting(state: State, step: int = 1) -> Callable[[], None]:
    return lambda: (state["count"].add_(step), state["sum"].mul_(1.5))[0]


def make(state: State, compiled: Callable[[], list[Stage]]) -> Stages:
    plain = [Stage("encode", counting(state)), Stage("decode", counting(state))]
    return Stages(plain, torch.device("cpu"), state, compiled=lambda form: compiled())


def test_a_compiler_that_fails_says_why_and_eager_goes_on(state: State) -> None:
    """User report P7: an assembler older than the card; the first line is the reason, the rest is for the log."""

    def broken() -> None:
        state["count"].fill_(99)
        raise RuntimeError(PTXAS)

    stages = make(state, lambda: [Stage("encode", counting(state)), Stage("decode", broken)])
    stages.run("eager")
    with pytest.raises(EngineError) as refusal:
        stages.prepare("compiled")
    assert "sm_121a" in str(refusal.value)
    assert "decode" in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert stages.prepared == ("eager",)
    assert state["count"].item() == 2, "the talk's state is as it was before the attempt"
    stages.run("eager")
    assert state["count"].item() == 4


def test_a_built_mode_leaves_the_state_alone_and_is_another_callable(state: State) -> None:
    stages = make(state, lambda: [Stage("encode", counting(state, 10)), Stage("decode", counting(state, 10))])
    told: list[tuple[int, int]] = []
    stages.prepare("compiled", lambda done, total: told.append((done, total)))
    assert told == [(0, 3), (1, 3), (3, 3)]
    assert (state["count"].item(), state["sum"].item()) == (0, 1)
    for mode in ("compiled", "eager", "compiled"):
        stages.run(mode)
        assert len(stages.spans()) == 2
    assert state["count"].item() == 42


def test_building_stops_when_asked_and_keeps_nothing(state: State) -> None:
    stages = make(state, lambda: [Stage("encode", counting(state)), Stage("decode", counting(state))])
    asked = iter([False, True])
    with pytest.raises(Cancelled):
        stages.prepare("compiled", None, lambda: next(asked))
    assert stages.prepared == ("eager",)
    assert state["count"].item() == 0


def test_what_was_released_must_be_built_again(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    forgotten: list[int] = []
    monkeypatch.setattr(stages_module, "forget_compiled", lambda: forgotten.append(1))

    def compiled() -> list[Stage]:
        made.append(1)
        return [Stage("encode", counting(state)), Stage("decode", counting(state))]

    stages = make(state, compiled)
    for _ in range(2):
        stages.prepare("compiled")
        stages.prepare("compiled")
        stages.release("compiled")
        assert stages.prepared == ("eager",)
    assert len(made) == len(forgotten) == 2
    stages.release("eager")
    assert stages.prepared == ("eager",), "eager always stays"


def graphed(state: State, funcs: list[Callable[[], None]], **options: object) -> Stages:
    """Stages with recordings in the place of CUDA graphs."""
    stages = [Stage(f"stage {index}", func) for index, func in enumerate(funcs)]
    return Stages(stages, torch.device("cpu"), state, pool=CpuPool(), compiled=lambda form: stages, **options)  # type: ignore[arg-type]


def test_what_has_run_on_the_device_is_not_rehearsed_again(state: State) -> None:
    runs: list[int] = []

    def work() -> None:
        runs.append(1)
        state["count"].add_(1)

    new, known = graphed(state, [work]), graphed(state, [work], rehearsed=True)
    new.prepare("eager")
    assert len(runs) == 1
    new.prepare("eager")
    known.prepare("eager")
    assert len(runs) == 1, "once is enough"
    runs.clear()
    new.prepare("graph")
    after_a_rehearsal = len(runs)
    runs.clear()
    graphed(state, [work]).prepare("graph")
    assert len(runs) == after_a_rehearsal + 1
    assert state["count"].item() == 0


def test_graphs_are_held_against_eager_on_lively_inputs(state: State, caplog: pytest.LogCaptureFixture) -> None:
    """A stage that reads zeros alone gives zeros whatever is wrong with it."""

    def wrong_when_replayed() -> None:
        state["sum"].mul_(3.0 if in_cuda_graph() else 2.0)

    state["sum"].fill_(0)
    graphed(state, [wrong_when_replayed]).prepare("graph")  # nobody could see it
    stages = graphed(state, [wrong_when_replayed], liven=lambda: state["sum"].fill_(5))
    with pytest.raises(EngineError, match="do not give the same result as eager"):
        stages.prepare("graph")
    assert "differs from eager in sum" in caplog.text
    assert stages.prepared == ("eager",)
    assert state["sum"].item() == 0


def test_memory_that_runs_out_is_not_the_stages_fault(state: State) -> None:
    def hungry() -> None:
        state["count"].fill_(99)
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    stages = graphed(state, [hungry])
    with pytest.raises(torch.OutOfMemoryError):
        stages.prepare("eager")
    assert state["count"].item() == 0


def test_only_the_programs_own_form_of_compiled_code_is_recorded(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """What PyTorch's own graphs replay is not recorded again, and each frame tells them that it begins."""
    begun: list[int] = []
    monkeypatch.setattr(stages_module, "begin_frame", lambda: begun.append(1))
    for form, recorded, whole in (
        ("compiled", True, False),
        ("compiled-plain", False, False),
        ("compiled-cudagraphs", False, True),
        ("compiled-max-autotune", False, True),
    ):
        stages = graphed(state, [counting(state), counting(state)])
        stages.prepare("compiled", form=form)
        before = len(begun)
        stages.run("compiled")
        assert (len(begun) - before, "compiled" in stages._graphs) == (int(whole), recorded), form


def test_stages_and_modes_have_names_in_a_profile(state: State) -> None:
    """Modes that were prepared before too; a replayed mode has then a graph for each stage."""
    stages = graphed(state, [counting(state), counting(state, 2)])
    stages.name_ranges()
    stages.prepare("graph")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        stages.run("eager")
        stages.run("graph")
    named = {event.name for event in profile.events()}
    assert {"eager: stage 0", "eager: stage 1", "graph: stage 0", "graph: stage 1"} <= named
    assert len(stages._graphs["graph"]) == 2


def test_first_stages_can_be_a_graph_of_their_own(state: State) -> None:
    """With time stamps inside graphs, as a card has them."""
    stages = graphed(state, [counting(state), counting(state, 2), counting(state, 3)], handover=Handover(apart=1))
    stages._clock.inside_graphs = True
    stages.prepare("graph")
    before = state.snapshot()
    stages.run("eager")
    wanted = state.snapshot()
    state.restore(before)
    stages.run("graph")
    assert all(torch.equal(state[name], wanted[name]) for name in wanted)
    assert len(stages._graphs["graph"]) == 2
    assert len(stages.spans()) == 3 and min(stages.spans()) >= 0


def test_why_there_are_no_graphs_is_what_held_when_they_were_made(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable that is unset afterwards gives no graphs to stages that were made without."""
    monkeypatch.setattr(stages_module, "graph_unavailable_reason", lambda device: "switched off by a variable")
    stages = make(state, list)
    monkeypatch.setattr(stages_module, "graph_unavailable_reason", lambda device: None)
    assert stages.reasons()["graph"] == "switched off by a variable"
    with pytest.raises(EngineError, match="switched off by a variable"):
        stages.prepare("graph")
