"""Errors of a device told apart, and a lack of memory in words: what was half made is let go, the next try may work."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from engine import weights
from engine.duplex import Duplex
from engine.errors import EngineError, MemoryFullError
from engine.faults import device_lost, memory_told, out_of_memory
from engine.frame import Frame
from engine.frame_choice import FrameChoice
from engine.persona import build_prompt
from tests.checkpoints import write_checkpoint
from tests.engine.cpu_graphs import CpuPool

FULL = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 172.00 MiB. GPU 0 has a total capacity of 7.6 GiB")
LOST = RuntimeError("CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be")


@pytest.mark.parametrize(
    ("error", "full", "lost"),
    [
        (FULL, True, False),
        (RuntimeError("CUDA error: out of memory"), True, False),
        (RuntimeError("Triton Error [CUDA]: out of memory"), True, False),
        (RuntimeError("[enforce fail at alloc_cpu.cpp:117] . DefaultCPUAllocator: can't allocate memory"), True, False),
        (RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 8 bytes."), True, False),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), True, False),
        (MemoryError("9 MB of GPU memory are free and 64 MB are needed"), True, False),
        (LOST, False, True),
        (RuntimeError("CUDA driver error: unspecified launch failure"), False, True),
        (RuntimeError("Triton Error [CUDA]: device-side assert triggered"), False, True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx`"), False, True),
        (RuntimeError("CUDA error: uncorrectable ECC error encountered"), False, True),
        (RuntimeError("CUDA error: no kernel image is available for execution on the device"), False, False),
        (RuntimeError("CUDA error: operation not permitted when stream is capturing"), False, False),
        (RuntimeError("Triton Error [CUDA]: invalid argument"), False, False),
        (RuntimeError("shapes do not fit"), False, False),
        (ValueError("a persona that says: CUDA error: out of memory"), False, False),
    ],
)
def test_errors_of_the_device_are_told_apart(error: Exception, full: bool, lost: bool) -> None:
    assert (out_of_memory(error), device_lost(error)) == (full, lost)
    told = EngineError("The mode could not be prepared.")
    told.__cause__ = error
    assert (out_of_memory(told), device_lost(told)) == (full, lost), "also behind a sentence"


def test_memory_that_ran_out_is_told_and_given_back() -> None:
    kept: list[weakref.ref[torch.Tensor]] = []

    def hungry() -> None:
        half = torch.ones(1000)
        kept.append(weakref.ref(half))
        raise FULL

    gc.disable()
    try:
        with pytest.raises(MemoryFullError) as told, memory_told("the model was loaded", "cpu"):
            hungry()
        assert kept[0]() is None, "held by the error's own frames"
    finally:
        gc.enable()
    assert str(told.value).startswith("The computer's memory ran out while the model was loaded: close")
    with pytest.raises(RuntimeError, match="illegal"), memory_told("", "cpu"):
        raise LOST
    with pytest.raises(ValueError, match="other"), memory_told("", "cpu"):
        raise ValueError("other")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_checkpoint(tmp_path)


class _Failing:
    def __init__(self, work: Callable[..., Any], error: Exception, times: int) -> None:
        self.work, self.error, self.left = work, error, times

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.left > 0:
            self.left -= 1
            raise self.error
        return self.work(*arguments, **named)


@pytest.mark.parametrize(
    ("where", "name", "said"),
    [
        (weights, "load_mimi", "ran out while the model was loaded"),
        (weights, "load_lm", "ran out while the model was loaded"),
        (FrameChoice, "best", "ran out while the talk's memory was set up"),
    ],
)
def test_memory_that_runs_out_in_a_load_is_said_and_the_next_load_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch, where: Any, name: str, said: str
) -> None:
    """User report L3."""
    failed = _Failing(getattr(where, name), FULL, 1)
    monkeypatch.setattr(where, name, lambda *a, **n: failed(*a, **n))
    with pytest.raises(EngineError, match=said):
        Duplex.load(folder, device="cpu")
    duplex = Duplex.load(folder, device="cpu")
    assert np.isfinite(duplex.step(np.zeros(1920, np.float32)).pcm).all()


def test_memory_that_runs_out_in_mid_talk_is_said_and_a_new_talk_is_as_ever(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duplex = Duplex.load(folder, device="cpu")
    frames = (np.random.default_rng(0).standard_normal((6, 1920)) * 0.1).astype(np.float32)
    duplex.reset(3)
    wanted = [duplex.step(frame).own for frame in frames]
    duplex.reset(3)
    duplex.step(frames[0])
    work = duplex.lm.temporal.text_logits
    monkeypatch.setattr(duplex.lm.temporal, "text_logits", _Failing(work, FULL, 1))
    with pytest.raises(MemoryFullError, match="memory ran out while the talk went on"):
        duplex.step(frames[1])
    duplex.reset(3)
    assert [duplex.step(frame).own for frame in frames] == wanted


def test_memory_that_runs_out_in_a_capture_is_said_the_talk_goes_on_and_the_next_capture_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = CpuPool()
    monkeypatch.setattr("engine.duplex.graph_unavailable_reason", lambda device: None)
    monkeypatch.setattr("engine.duplex.GraphPool", lambda device: pool)
    duplex = Duplex.load(folder, device="cpu")
    frames = (np.random.default_rng(0).standard_normal((6, 1920)) * 0.1).astype(np.float32)
    duplex.reset(3)
    wanted = [duplex.step(frame).own for frame in frames]
    duplex.reset(3)
    got = [duplex.step(frame).own for frame in frames[:3]]
    record = pool.record
    pool.record = _Failing(record, FULL, 1)  # type: ignore[method-assign]
    with pytest.raises(MemoryFullError, match=r"could not be captured: the GPU memory is full"):
        duplex.prepare("graph")
    with pytest.raises(EngineError, match="has not been prepared"):
        duplex.set_mode("graph")
    got.append(duplex.step(frames[3]).own)
    duplex.prepare("graph")
    duplex.set_mode("graph")
    assert got + [duplex.step(frame).own for frame in frames[4:]] == wanted


def test_memory_that_runs_out_in_a_priming_is_said_and_the_next_one_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duplex = Duplex.load(folder, device="cpu")
    prompt = build_prompt(duplex.lm_config, duplex.prompt_codes, None, duplex.text_tokens("good morning"))
    assert prompt is not None
    duplex.reset(3)
    monkeypatch.setattr(Frame, "depth", _Failing(Frame.depth, FULL, 1))
    with pytest.raises(MemoryFullError, match="while the persona was read"):
        duplex.prime(prompt)
    monkeypatch.undo()
    duplex.reset(3)
    duplex.prime(prompt)
    assert duplex.step(np.zeros(1920, np.float32)).own is not None


def test_fused_kernels_are_not_blamed_for_a_lost_card(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost card must reach whoever can start the program again; the plain path could not run on it either."""
    monkeypatch.setattr("engine.frame_choice.plain_reason", lambda lm, device: None)
    for error, told in ((LOST, RuntimeError), (FULL, MemoryFullError)):

        def refuse(self: FrameChoice, error: Exception = error) -> Any:
            raise error

        monkeypatch.setattr(FrameChoice, "fused", refuse)
        with pytest.raises(told):
            Duplex.load(folder, device="cpu")
