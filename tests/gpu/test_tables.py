"""Tables in the computer's memory: what kernels read is what a load wrote, and the memory comes back."""

from __future__ import annotations

import gc

import pytest
import torch
import torch.nn.functional as F

from engine import tables
from engine.config import MIMI
from engine.duplex import Duplex
from engine.tables import LOOKED_UP, in_host_memory, place
from tests.gpu.talks import SMALL, settled_free_bytes

pytestmark = pytest.mark.gpu

CARD = torch.device("cuda", 0)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int8, torch.float32])
def test_a_table_is_one_memory_with_two_addresses(dtype: torch.dtype) -> None:
    free = settled_free_bytes()
    table = place(LOOKED_UP[0], (3, 2000, 1024), dtype, CARD)
    assert settled_free_bytes() == free, "the table takes the card's memory"
    assert (table.filled.device.type, table.used.device) == ("cpu", CARD)
    written = torch.randint(-100, 100, table.filled.shape).to(dtype)
    table.filled.copy_(written)
    tokens = torch.tensor([0, 1999, 7], device=CARD)
    if dtype.is_floating_point:
        assert torch.equal(F.embedding(tokens, table.used[2]).cpu(), written[2][tokens.cpu()])
    assert torch.equal(table.used[1][tokens].cpu(), written[1][tokens.cpu()])
    assert torch.equal(table.used.cpu(), written)
    table.used.zero_()
    torch.cuda.synchronize()
    assert not table.filled.any()


def test_all_else_lies_on_the_card() -> None:
    """The depth's tables too, and everything where there is no card."""
    for name in ("temporal.text_head", "depth.text_embedding", "depth.audio_embeddings"):
        assert not in_host_memory(name, CARD)
        assert place(name, (2, 3), torch.float32, CARD).used.is_cuda
    assert not in_host_memory(LOOKED_UP[0], torch.device("cpu"))


@pytest.mark.parametrize(("precision", "parts"), [("bfloat16", 2), ("int8", 4)])
def test_the_memory_goes_with_the_last_tensor(precision: str, parts: int) -> None:
    """int8: a table's numbers and its scales."""
    assert locked() == 0
    engine = Duplex.random(SMALL, MIMI, device="cuda", precision=precision)
    assert locked() == parts
    engine.prepare("graph")
    engine.unload()
    del engine
    settled_free_bytes()
    assert locked() == 0


def locked() -> int:
    return sum(isinstance(thing, tables._Locked) for thing in gc.get_objects())
