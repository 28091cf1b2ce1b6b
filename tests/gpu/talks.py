"""Engines and talks for the tests on a card, where two talks part, and what an engine takes of the card."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from engine.answer import Answer
from engine.config import LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.graph_pool import GraphPool
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.placement import choose_dtype
from engine.quantize import make_room
from engine.tables import move_tables

if TYPE_CHECKING:
    import pytest  # is not where these are measured with

# Of one width for all tests, since kernels are built for each: the slow part of a first run.
SMALL = LMConfig(dim=1024, num_layers=4, num_heads=8, context=200, depformer_num_layers=2)


def blank(lm: LMConfig, mimi: MimiConfig, precision: str, *, kernels: bool = True, kv: str = "full") -> Duplex:
    """An engine whose weights are zeros: as large as another, and made in no time."""
    device = torch.device("cuda", 0)
    with torch.inference_mode():
        with torch.device("meta"):
            modules = LanguageModel(lm).to(choose_dtype(precision, device)), Mimi(mimi, lm.codebooks)
        make_room(modules[0], precision)
        for module in modules:
            move_tables(module.to_empty(device=device), device)
            for parameter in module.parameters():
                parameter.zero_()
        modules[1].quantizer.precompute()
    return Duplex(*modules, kernels=kernels, kv=kv)


def settled_free_bytes() -> int:
    """Free memory of the card, without what Python or torch only keep for later."""
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    return torch.cuda.mem_get_info()[0]


def captures_counted(monkeypatch: pytest.MonkeyPatch) -> list[GraphPool]:
    """From now on an entry for every graph that is captured."""
    captured: list[GraphPool] = []
    record = GraphPool.record

    def counted(pool: GraphPool, func: Callable[[], Any]) -> Any:
        captured.append(pool)
        return record(pool, func)

    monkeypatch.setattr(GraphPool, "record", counted)
    return captured


def sound(frames: int, seed: int = 0) -> np.ndarray:
    """Noise [frames, 1920], as loud as speech."""
    return (np.random.default_rng(seed).standard_normal((frames, 1920)) * 0.1).astype(np.float32)


def talk(duplex: Duplex, modes: Sequence[str], frames: int, *, every: int = 7, seed: int = 1) -> list[Answer]:
    """A fresh talk that changes to the next of `modes` every so many frames."""
    duplex.reset(seed)
    answers = []
    for index, pcm in enumerate(sound(frames)):
        duplex.set_mode(modes[index // every % len(modes)])
        answers.append(duplex.step(pcm))
    return answers


def same(first: Sequence[Answer], second: Sequence[Answer]) -> bool:
    return apart(first, second) == ""


def apart(first: Sequence[Answer], second: Sequence[Answer]) -> str:
    """Where two talks first differ, in words; "" where they do not."""
    if len(first) != len(second):
        return f"{len(first)} frames against {len(second)}"
    for index, (a, b) in enumerate(zip(first, second, strict=True)):
        for part in ("user", "text", "own"):
            if getattr(a, part) != getattr(b, part):
                return f"frame {index} of {len(first)}, {part}: {getattr(a, part)} against {getattr(b, part)}"
        if not np.array_equal(a.pcm, b.pcm):
            return f"frame {index} of {len(first)}, sound: {np.abs(a.pcm - b.pcm).max():.2e} apart"
    return ""


def copy_of(state: Iterable[str], duplex: Duplex) -> dict[str, Tensor]:
    return {name: duplex.state[name].clone() for name in state}


def parts_apart(wanted: Mapping[str, Tensor], duplex: Duplex) -> list[str]:
    """Tensors of the state that are not as wanted, to the bit, and by how much."""
    found = []
    for name, tensor in wanted.items():
        now = duplex.state[name]
        if not torch.equal(now, tensor):
            count = int((now != tensor).sum())
            found.append(f"{name}: {count} of {now.numel()}, {(now.float() - tensor.float()).abs().max().item():.2e}")
    return found
