"""Long talks flat out on a card, with the mode changed two hundred times, against the same talk in eager mode alone.

    python3 -m pytest -m "gpu and long" tests/gpu/test_soak.py -o addopts=--import-mode=importlib

prints one line for each size, for RESULTS.md.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
import torch

from engine.config import MIMI, MOSHI_7B, LMConfig
from engine.duplex import Duplex

pytestmark = [pytest.mark.gpu, pytest.mark.long, pytest.mark.timeout(1200)]

SMALL = LMConfig(dim=1024, num_layers=4, num_heads=8, context=500, depformer_num_layers=2)
SWITCHES = 200
SETTLED = 100  # frames after which memory must stay as it is


class Said(NamedTuple):
    """A frame's tokens, and its sound in short."""

    text: int | None
    own: tuple[int, ...] | None
    user: tuple[int, ...]
    sound: int


class Run(NamedTuple):
    said: list[Said]
    seconds: float
    growth: int  # bytes that this process took of the card, at their most: others may use it too


def hearing(frames: int) -> Iterator[np.ndarray]:
    """Noise that swells and fades, the same in every run."""
    generator = np.random.default_rng(0)
    for index in range(frames):
        loud = 0.1 * (1 + np.sin(index / 40)) / 2
        yield (generator.standard_normal(1920) * loud).astype(np.float32)


def run(duplex: Duplex, frames: int, switches: int) -> Run:
    """A fresh talk; `switches` changes of mode, evenly spread, from eager on."""
    duplex.reset(seed=11)
    said, growth, taken = [], 0, 0
    began = time.perf_counter()
    for index, pcm in enumerate(hearing(frames)):
        turn = index * (switches + 1) // frames
        duplex.set_mode(("eager", "graph")[turn % 2])
        answer = duplex.step(pcm)
        assert answer.finite, f"frame {index}"
        said.append(Said(answer.text, answer.own, answer.user, zlib.crc32(answer.pcm.tobytes())))
        if index == SETTLED:
            taken = torch.cuda.memory_reserved()
        elif index > SETTLED and index % 100 == 0:
            growth = max(growth, torch.cuda.memory_reserved() - taken)
    return Run(said, time.perf_counter() - began, growth)


@pytest.mark.parametrize(("name", "config", "frames"), [("full size", MOSHI_7B, 6500), ("small", SMALL, 20_000)])
def test_two_hundred_switches_change_nothing_in_a_talk_far_past_the_context(
    name: str, config: LMConfig, frames: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tokens and sound of every frame, the state at the end, and memory that does not grow."""
    duplex = Duplex.random(config, MIMI, device="cuda", precision="bfloat16")
    duplex.prepare("graph")
    wanted = run(duplex, frames, 0)
    state = {key: duplex.state[key].clone() for key in duplex.state}
    got = run(duplex, frames, SWITCHES)
    apart = next((i for i, (a, b) in enumerate(zip(wanted.said, got.said, strict=True)) if a != b), None)
    different = [key for key, tensor in state.items() if not torch.equal(tensor, duplex.state[key])]
    path = "fused kernels" if duplex.plain_reason is None else "plain path"
    duplex.unload()
    with capsys.disabled():
        print(
            f"\nsoak, {name} bfloat16, {path}: {frames} frames, {SWITCHES} switches, "
            f"{'all frames equal' if apart is None else f'first different frame {apart}'} to eager alone, "
            f"state {'equal' if not different else f'different in {len(different)} tensors'}, "
            f"memory growth {got.growth >> 20} MB, {got.seconds:.0f} s ({wanted.seconds:.0f} s eager), "
            f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
        )
    assert apart is None, (wanted.said[apart], got.said[apart])
    assert different == []
    assert max(got.growth, wanted.growth) <= 4 << 20
    assert len({frame.own for frame in got.said[-500:]}) > 300, "the talk is still alive"
