"""Stages of a frame in modes that may fail to be built: what is said, and that the frame goes on as before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from engine import stages as stages_module
from engine.errors import Cancelled, EngineError
from engine.stages import Stage, Stages
from engine.state import Slot, State

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
    return Stages(plain, torch.device("cpu"), state, compiled=compiled)


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
