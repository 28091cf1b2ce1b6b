"""`engine.graphs` on a real card: the user-report rows that only a GPU can answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import torch

from engine.errors import EngineError
from engine.graph_pool import GraphPool
from engine.graphs import CUDAGraphed
from tests.engine.cpu_graphs import DictState

pytestmark = pytest.mark.gpu


@pytest.fixture
def pool() -> Iterator[GraphPool]:
    made = GraphPool("cuda")
    yield made
    torch.cuda.synchronize()


def some_work(x: torch.Tensor) -> torch.Tensor:
    """A few kernels with allocations of their own."""
    for _ in range(8):
        x = torch.nn.functional.gelu(x @ x.T @ x)
        x = x / x.norm()
    return x


def test_graph_equals_eager_bit_for_bit(pool: GraphPool) -> None:
    graphed = CUDAGraphed(some_work, pool=pool)
    graphed.prepare(torch.randn(64, 64, device="cuda"))
    assert graphed.captured
    for seed in range(5):
        x = torch.randn(64, 64, device="cuda", generator=torch.Generator("cuda").manual_seed(seed))
        assert torch.equal(graphed(x), some_work(x))


def test_outputs_may_be_kept(pool: GraphPool) -> None:
    """User report G8: what frame n gave is unchanged after frame n + 1, also with another graph of the pool between."""
    graphed, other = CUDAGraphed(some_work, pool=pool), CUDAGraphed(lambda x: some_work(x) + 1, pool=pool)
    x = torch.randn(128, 128, device="cuda")
    graphed.prepare(x)
    other.prepare(x)
    kept = graphed(x)
    copy = kept.clone()
    other(x * 3)
    graphed(x * 2)
    assert torch.equal(kept, copy)


def test_copies_of_another_thread_do_not_end_a_capture(pool: GraphPool) -> None:
    """User report G3: twenty captures while a background thread copies to the card."""
    stop, copied = threading.Event(), []

    def copy() -> None:
        stream, host = torch.cuda.Stream(), torch.randn(1 << 20).pin_memory()
        with torch.cuda.stream(stream):
            while not stop.is_set():
                copied.append(host.to("cuda", non_blocking=True)[0])
                stream.synchronize()
                del copied[:-1]

    thread = threading.Thread(target=copy)
    thread.start()
    try:
        x = torch.randn(64, 64, device="cuda")
        for _ in range(20):
            graphed = CUDAGraphed(some_work, pool=pool)
            graphed.prepare(x)
            assert torch.equal(graphed(x), some_work(x))
            graphed.reset()
    finally:
        stop.set()
        thread.join()


def test_failed_captures_cost_no_memory_and_eager_still_works(pool: GraphPool) -> None:
    """User reports G6 and G12: a host wait inside; the reason is given, and ten failures leave nothing behind."""
    x = torch.randn(1 << 22, device="cuda")

    def waits(y: torch.Tensor) -> torch.Tensor:
        z = y * 2 + 1
        return z * z.sum().item()

    def fail() -> CUDAGraphed:
        graphed = CUDAGraphed(waits, pool=pool)
        with pytest.raises(EngineError, match="waits for the GPU"):
            graphed.prepare(x)
        return graphed

    fail()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_reserved()
    for _ in range(10):
        graphed = fail()
    assert torch.equal(graphed(x), waits(x))
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() <= before + (32 << 20)
    after = CUDAGraphed(some_work, pool=pool)  # the pool itself is still good
    after.prepare(torch.randn(32, 32, device="cuda"))
    assert after.captured


def test_capturing_again_twenty_times_keeps_memory_flat(pool: GraphPool) -> None:
    """User report G7."""
    count = torch.zeros(1, dtype=torch.int64, device="cuda")
    x = torch.randn(512, 512, device="cuda")
    out = torch.empty_like(x)

    def stage() -> None:
        out.copy_(some_work(x))
        count.add_(1)

    graphed = CUDAGraphed(stage, state=DictState({"count": count}), pool=pool)
    reserved = []
    for _ in range(20):
        graphed.prepare()
        graphed()
        stage()
        reserved.append(torch.cuda.memory_reserved())
    assert count.item() == 40
    assert reserved[-1] <= reserved[1]


def test_too_little_free_memory_is_said_before_the_capture() -> None:
    """User report G16."""
    graphed = CUDAGraphed(some_work, pool=GraphPool("cuda", minimum_free=1 << 50))
    with pytest.raises(EngineError, match="MB of GPU memory are free"):
        graphed.prepare(torch.randn(8, 8, device="cuda"))
    assert graphed(torch.ones(8, 8, device="cuda")).shape == (8, 8)


def test_other_streams_wait_for_each_other(pool: GraphPool) -> None:
    """Two streams use one graph in turn: the second waits for the first, whose result stays whole."""
    graphed = CUDAGraphed(lambda x: some_work(x) * 1.0, pool=pool)
    x, y = torch.randn(256, 256, device="cuda"), torch.randn(256, 256, device="cuda")
    graphed.prepare(x)
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    torch.cuda.synchronize()
    results = []
    for turn in range(10):
        with torch.cuda.stream(streams[turn % 2]):
            results.append(graphed(x if turn % 2 else y))
    torch.cuda.synchronize()
    for turn, result in enumerate(results):
        assert torch.equal(result, some_work(x if turn % 2 else y))
