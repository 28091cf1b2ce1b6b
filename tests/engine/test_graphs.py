"""`CUDAGraphed` on a CPU, with recordings in place of CUDA graphs (cpu_graphs.py); the GPU's own rows: tests/gpu."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import torch

from engine import graphs
from engine.errors import EngineError
from engine.graphs import CUDAGraphed, in_cuda_graph, no_cuda_graph
from tests.engine.cpu_graphs import CpuPool, DictState


@pytest.fixture(autouse=True)
def _graphs_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_CUDA_GRAPH", raising=False)


class Counted:
    """x * 2 + constant, counting how often Python runs it and noting whether it was inside a wrapper."""

    def __init__(self) -> None:
        self.calls = 0
        self.inside: list[bool] = []

    def __call__(self, x: torch.Tensor, constant: Any = 0) -> torch.Tensor:
        self.calls += 1
        self.inside.append(in_cuda_graph())
        return x * 2 + constant


def test_warm_up_then_capture_then_replay() -> None:
    func, pool = Counted(), CpuPool()
    graphed = CUDAGraphed(func, warmup_steps=2, pool=pool)
    for value in range(5):
        assert graphed(torch.full((3,), float(value)), 1).tolist() == [value * 2 + 1] * 3
    assert func.calls == 3  # two warm-up calls and the capture; replays run no Python
    assert len(pool.recorded) == 1
    assert pool.replays == 3
    assert graphed.captured


def test_inputs_are_copied_so_the_caller_keeps_its_tensor() -> None:
    graphed = CUDAGraphed(lambda x: x.add_(1), warmup_steps=0, pool=CpuPool())
    given = torch.zeros(2)
    assert graphed(given).tolist() == [1, 1]
    assert graphed(given).tolist() == [1, 1]
    assert given.tolist() == [0, 0]


def test_outputs_may_be_kept() -> None:
    """User report G8: an output of frame n is unchanged by frame n + 1."""
    graphed = CUDAGraphed(Counted(), warmup_steps=0, pool=CpuPool())
    kept = graphed(torch.ones(2))
    graphed(torch.zeros(2))
    assert kept.tolist() == [2, 2]


def test_outputs_are_the_graphs_own_when_asked() -> None:
    graphed = CUDAGraphed(Counted(), warmup_steps=0, pool=CpuPool(), keep_outputs=False)
    first = graphed(torch.ones(2))
    second = graphed(torch.zeros(2))
    assert first is second
    assert first.tolist() == [0, 0]


def test_nested_structures_pass_through() -> None:
    def func(pair: tuple[torch.Tensor, list[torch.Tensor]], more: dict[str, Any]) -> dict[str, Any]:
        return {"sum": (pair[0] + pair[1][0] + more["x"], [more["name"]])}

    graphed = CUDAGraphed(func, warmup_steps=0, pool=CpuPool())
    for value in (1.0, 5.0):
        one = torch.tensor(value)
        result = graphed((one, [one]), {"x": one, "name": "a"})
        assert result["sum"][0].item() == 3 * value
        assert result["sum"][1] == ["a"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ((torch.ones(4), 1, [torch.ones(1)]), "shape of inputs[0]"),
        ((torch.ones(3, dtype=torch.float64), 1, [torch.ones(1)]), "dtype of inputs[0]"),
        ((torch.ones(3, device="meta"), 1, [torch.ones(1)]), "device of inputs[0]"),
        ((torch.ones(3), 2, [torch.ones(1)]), "constant inputs[1]"),
        ((torch.ones(3), True, [torch.ones(1)]), "type of inputs[1]"),
        ((torch.ones(3), torch.ones(3), [torch.ones(1)]), "type of inputs[1]"),
        ((torch.ones(3), 1), "number of inputs"),
        ((torch.ones(3), 1, [torch.ones(1), torch.ones(1)]), "number of inputs[2]"),
        ((torch.ones(3), 1, [torch.ones(2)]), "shape of inputs[2][0]"),
    ],
)
def test_changed_inputs_are_a_clear_error(changed: tuple[Any, ...], words: str) -> None:
    """User report G2: an input that the graph was not captured for never falls back unseen."""
    seen = torch.zeros(3)
    graphed = CUDAGraphed(lambda x, n, more: seen.copy_(x) + n + more[0], warmup_steps=0, pool=CpuPool())
    graphed(torch.full((3,), 7.0), 1, [torch.ones(1)])
    with pytest.raises(ValueError, match="when this CUDA graph was captured") as caught:
        graphed(*changed)
    assert words in str(caught.value)
    assert seen.tolist() == [7, 7, 7]  # nothing ran
    assert graphed(torch.zeros(3), 1, [torch.ones(1)]).tolist() == [2, 2, 2]


def test_a_constant_that_compares_number_by_number_is_another_one() -> None:
    graphed = CUDAGraphed(lambda x, n: x + float(n[0]), warmup_steps=0, pool=CpuPool())
    held = np.array([1.0, 2.0])
    assert graphed(torch.ones(2), held).tolist() == [2, 2]
    assert graphed(torch.ones(2), held).tolist() == [2, 2]
    with pytest.raises(ValueError, match=r"constant inputs\[1\] was array.*when this CUDA graph was captured"):
        graphed(torch.ones(2), np.array([1.0, 2.0]))


def test_nothing_is_copied_in_when_a_later_input_is_wrong() -> None:
    graphed = CUDAGraphed(lambda a, b: (a + b, a), warmup_steps=0, pool=CpuPool(), keep_outputs=False)
    buffer = graphed(torch.ones(2), torch.ones(2))[1]
    with pytest.raises(ValueError, match=r"shape of inputs\[1\]"):
        graphed(torch.zeros(2), torch.zeros(3))
    assert buffer.tolist() == [1, 1]


def test_named_arguments_are_refused() -> None:
    with pytest.raises(RuntimeError, match="by position"):
        CUDAGraphed(Counted(), pool=CpuPool())(x=torch.ones(1))


def test_another_shape_runs_plainly_inside_no_cuda_graph() -> None:
    func, pool = Counted(), CpuPool()
    graphed = CUDAGraphed(func, warmup_steps=0, pool=pool)
    graphed(torch.ones(3))
    with no_cuda_graph():
        assert graphed(torch.ones(2, 2)).tolist() == [[2, 2], [2, 2]]
    assert (func.calls, pool.replays) == (2, 1)
    assert func.inside == [True, False]
    graphed(torch.ones(3))
    assert pool.replays == 2


def test_nested_wrappers_run_plainly_and_are_baked_in() -> None:
    inner_func, pool = Counted(), CpuPool()
    inner = CUDAGraphed(inner_func, warmup_steps=1, pool=pool)
    outer = CUDAGraphed(lambda x: inner(x) + 1, warmup_steps=1, pool=pool)
    for value in range(4):
        assert outer(torch.tensor([float(value)])).item() == 2 * value + 1
    assert len(pool.recorded) == 1
    assert inner_func.calls == 2  # the outer warm-up and the outer capture
    assert inner.warmup_steps == 1
    assert not inner.captured
    assert not in_cuda_graph()


def test_flags_belong_to_a_thread() -> None:
    """A second thread that calls during the first one's call waits for the graph; it does not run plainly."""
    pool, entered, go = CpuPool(), threading.Event(), threading.Event()

    def slow(x: torch.Tensor) -> torch.Tensor:
        entered.set()
        assert go.wait(5)
        return x + 1

    graphed = CUDAGraphed(slow, warmup_steps=0, pool=pool)
    results: list[float] = []
    first = threading.Thread(target=lambda: results.append(graphed(torch.zeros(1)).item()))
    second = threading.Thread(target=lambda: results.append(graphed(torch.ones(1)).item()))
    first.start()
    assert entered.wait(5)
    assert not in_cuda_graph()  # the first thread is inside, this one is not
    with no_cuda_graph():
        second.start()
    go.set()
    first.join(5)
    second.join(5)
    assert sorted(results) == [1, 2]
    assert (len(pool.recorded), pool.replays) == (1, 2)


def test_many_threads_get_their_own_results() -> None:
    graphed = CUDAGraphed(Counted(), warmup_steps=1, pool=CpuPool())
    wrong: list[float] = []

    def work(value: float) -> None:
        for _ in range(50):
            if (got := graphed(torch.full((64,), value))[-1].item()) != 2 * value:
                wrong.append(got)

    threads = [threading.Thread(target=work, args=(float(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_prepare_captures_and_leaves_the_state_as_it_was() -> None:
    """User report G16: what a stage counts and draws is untouched before its first use."""
    count, noise = torch.tensor([5]), torch.zeros(1)
    state, pool = DictState({"count": count, "noise": noise}), CpuPool()

    def stage() -> None:
        count.add_(1)
        noise.copy_(torch.rand(1))

    torch.manual_seed(3)
    expected_next = torch.rand(1)
    torch.manual_seed(3)
    graphed = CUDAGraphed(stage, warmup_steps=2, state=state, pool=pool)
    graphed.prepare()
    assert (count.item(), noise.item()) == (5, 0)
    assert torch.equal(torch.rand(1), expected_next)
    assert (pool.rehearsals, len(pool.recorded)) == (2, 1)
    for frame in range(3):
        graphed()
        assert count.item() == 6 + frame
    assert (pool.rehearsals, len(pool.recorded)) == (2, 1)  # nothing was captured in the talk


def test_each_capture_is_a_new_graph() -> None:
    """User report G7: a graph object is never captured into twice."""
    count, pool = torch.tensor([0]), CpuPool()
    graphed = CUDAGraphed(lambda: count.add_(1), state=DictState({"count": count}), pool=pool)
    for _ in range(20):
        graphed.prepare()
        graphed()
    assert len({id(recording) for recording in pool.recorded}) == 20
    assert pool.released == pool.recorded[:-1]
    assert count.item() == 20
    graphed.reset()
    assert pool.released == pool.recorded
    assert not graphed.captured


def test_reset_captures_again_after_the_asked_warm_up() -> None:
    func, pool = Counted(), CpuPool()
    graphed = CUDAGraphed(func, warmup_steps=0, pool=pool)
    graphed(torch.ones(3))
    graphed.reset(warmup_steps=1)
    graphed(torch.ones(4))
    assert not graphed.captured
    assert graphed(torch.ones(4)).tolist() == [2] * 4
    assert len(pool.recorded) == 2


def test_a_failed_capture_says_why_and_eager_still_works() -> None:
    """User report G12: the cause, not the follow-up error that hides it; then a plain run."""
    count, pool = torch.tensor([0]), CpuPool(fail="CUDA error: operation not permitted when stream is capturing")
    graphed = CUDAGraphed(lambda: count.add_(1).clone(), state=DictState({"count": count}), pool=pool)
    with pytest.raises(EngineError, match=r"waits for the GPU.*not permitted when stream is capturing"):
        graphed.prepare()
    assert count.item() == 0
    assert graphed.reason is not None
    assert "waits for the GPU" in graphed.reason
    assert graphed().item() == 1
    assert not graphed.captured


def test_a_failed_capture_in_a_call_runs_nothing() -> None:
    count, pool = torch.tensor([0]), CpuPool(fail="no kernel image is available")
    graphed = CUDAGraphed(lambda: count.add_(1), warmup_steps=0, pool=pool)
    with pytest.raises(EngineError, match="no kernel image is available"):
        graphed()
    assert count.item() == 0
    graphed()
    assert count.item() == 1


def test_a_failed_warm_up_puts_the_state_back() -> None:
    count = torch.tensor([0])

    def broken() -> None:
        count.add_(1)
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    graphed = CUDAGraphed(broken, state=DictState({"count": count}), pool=CpuPool())
    with pytest.raises(EngineError, match="GPU memory is full"):
        graphed.prepare()
    assert count.item() == 0


@pytest.mark.parametrize(("value", "off"), [("1", True), ("yes", True), ("", False), ("0", False), ("No", False)])
def test_the_environment_variable_is_read_once_at_construction(
    monkeypatch: pytest.MonkeyPatch, value: str, off: bool
) -> None:
    monkeypatch.setenv("NO_CUDA_GRAPH", value)
    pool = CpuPool()
    graphed = CUDAGraphed(Counted(), warmup_steps=0, pool=pool)
    monkeypatch.setenv("NO_CUDA_GRAPH", "" if off else "1")
    graphed.prepare(torch.ones(1))
    assert graphed(torch.ones(1)).item() == 2
    assert (graphed.reason is not None) == off
    assert graphed.captured != off
    if off:
        assert "NO_CUDA_GRAPH" in str(graphed.reason)


def test_disabled_and_without_a_gpu_it_runs_plainly_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for graphed, words in (
        (CUDAGraphed(Counted(), 0, True, pool=CpuPool()), "switched off"),
        (CUDAGraphed(Counted(), 0), "NVIDIA"),
    ):
        assert words in str(graphed.reason)
        assert graphed(torch.ones(2)).tolist() == [2, 2]
        assert graphed(torch.ones(3)).tolist() == [2, 2, 2]
        assert not graphed.captured


def test_reasons_name_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert graphs.graph_unavailable_reason("cpu") == "CUDA graphs need an NVIDIA GPU."
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert graphs.graph_unavailable_reason("cuda") is None
    monkeypatch.setenv("NO_CUDA_GRAPH", "1")
    assert "NO_CUDA_GRAPH" in str(graphs.graph_unavailable_reason("cuda"))
