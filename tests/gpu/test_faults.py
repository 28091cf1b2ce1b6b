"""Faults that only a card can show: its memory runs out at each step, and an error after which it is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from engine.config import MIMI
from engine.duplex import Duplex
from engine.errors import EngineError, MemoryFullError
from engine.graph_pool import GraphPool
from engine.graphs import CUDAGraphed
from engine.persona import build_prompt
from tests.checkpoints import write_checkpoint
from tests.gpu.talks import SMALL, apart, settled_free_bytes, sound, talk

pytestmark = pytest.mark.gpu

# A child process, since none can go on after that.
LOST = """
import torch
from engine.faults import device_lost, out_of_memory
values = torch.zeros(4, device="cuda")
def wrong():
    values[torch.tensor([99], device="cuda")].sum().item()
for attempt in (wrong, torch.cuda.synchronize, lambda: torch.ones(9, device="cuda") + 1):
    try:
        attempt()
    except RuntimeError as error:
        print(device_lost(error), out_of_memory(error), str(error).splitlines()[0])
    else:
        print("no error")
"""


@contextmanager
def memory_left(size: int) -> Iterator[None]:
    """Within, torch may take no more than `size` bytes beside what it has; of that, nothing at all is left with 0."""
    settled_free_bytes()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + size) / total)
    taken = []
    piece = 0 if size else 1 << 30
    while piece >= 512:
        try:
            taken.append(torch.empty(piece, dtype=torch.uint8, device="cuda"))
        except torch.OutOfMemoryError:
            piece //= 2
    try:
        yield
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


@pytest.fixture(scope="module")
def plain() -> Iterator[Duplex]:
    """Without the fused kernels, which allocate nothing in a frame."""
    engine = Duplex.random(SMALL, MIMI, device="cuda", precision="bfloat16", kernels=False)
    yield engine
    engine.unload()


@pytest.mark.parametrize("size", [20 << 20, 1000 << 20])  # in the language model, in the codec
def test_no_memory_at_load_is_said_and_all_of_it_given_back(size: int) -> None:
    """User report L3."""
    before = settled_free_bytes()
    with memory_left(size), pytest.raises(MemoryFullError, match="The GPU's memory ran out while"):
        Duplex.random(SMALL, MIMI, device="cuda", precision="bfloat16", kernels=False)
    assert before - settled_free_bytes() <= 64 << 20  # kernels that were loaded meanwhile stay
    engine = Duplex.random(SMALL, MIMI, device="cuda", precision="bfloat16", kernels=False)
    assert engine.step(sound(1)[0]).finite
    engine.unload()


def test_no_memory_at_a_capture_is_said_and_the_next_one_works(plain: Duplex) -> None:
    wanted = talk(plain, ["eager"], 10)
    with memory_left(0), pytest.raises(MemoryFullError, match=r"GPU memory is full|GPU's memory ran out"):
        plain.prepare("graph")
    assert apart(talk(plain, ["eager"], 10), wanted) == "", "the talk goes on in eager mode"
    plain.prepare("graph")
    assert apart(talk(plain, ["graph", "eager"], 10), wanted) == ""


def test_no_memory_within_a_capture_leaves_the_pool_usable() -> None:
    pool = GraphPool("cuda")

    def hungry(x: torch.Tensor) -> torch.Tensor:
        if torch.cuda.is_current_stream_capturing():
            x = x + torch.empty(1 << 46, dtype=torch.uint8, device="cuda")[0]
        return x * 2

    x = torch.ones(8, device="cuda")
    graphed = CUDAGraphed(hungry, pool=pool)
    with pytest.raises(MemoryFullError, match="GPU memory is full"):
        graphed.prepare(x)
    assert torch.equal(graphed(x), x * 2), "it runs plainly"
    other = CUDAGraphed(lambda y: y + 1, pool=pool)
    other.prepare(x)
    assert other.captured
    assert torch.equal(other(x), x + 1)


def test_no_memory_in_mid_talk_is_said_and_a_new_talk_works(plain: Duplex) -> None:
    wanted = talk(plain, ["eager"], 10)
    talk(plain, ["eager"], 3)
    with memory_left(0), pytest.raises(MemoryFullError, match="GPU's memory ran out while the talk went on"):
        plain.step(sound(1)[0])
    assert apart(talk(plain, ["eager"], 10), wanted) == ""


def test_no_memory_in_a_priming_is_said_and_the_next_one_works(tmp_path: Path) -> None:
    engine = Duplex.load(write_checkpoint(tmp_path), device="cuda", precision="bfloat16", kernels=False)
    prompt = build_prompt(engine.lm_config, engine.prompt_codes, None, engine.text_tokens("good morning"))
    assert prompt is not None
    engine.reset(3)
    with memory_left(0), pytest.raises(MemoryFullError, match="while the persona was read"):
        engine.prime(prompt)
    engine.reset(3)
    engine.prime(prompt)
    assert engine.step(sound(1)[0]).own is not None
    engine.unload()


def test_an_error_that_ends_the_use_of_the_card_is_known_as_such() -> None:
    """Whatever is tried afterwards fails too, and must lead to a restart rather than to another try."""
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, timeout=100, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stderr[-500:]
    assert all(line.startswith("True False ") for line in lines), lines


def test_damaged_weights_are_refused_on_the_card(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = write_checkpoint(tmp_path)
    path = folder / "model.safetensors"
    tensors = load_file(path)
    tensors["linears.7.weight"][5, 3] = float("nan")
    save_file(tensors, path)
    for precision in ("bfloat16", "int8"):
        with pytest.raises(EngineError, match="no numbers"):
            Duplex.load(folder, device="cuda", precision=precision)
