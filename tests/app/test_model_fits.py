"""What fits this computer, in words: by the sums that the loading itself is refused by."""

from __future__ import annotations

from app import memory
from app.graphics_card import Card
from app.main import SOURCES
from app.model_fits import ModelFit, ModelFits
from engine.config import MIMI, MOSHI_7B

GIB = 1 << 30


def rows(*sizes_gib: int) -> dict[str, ModelFit]:
    cards = [
        Card(n, f"GPU-{n}", f"Card {n}", "580", size * GIB, size * GIB, (8, 9)) for n, size in enumerate(sizes_gib)
    ]
    fits = ModelFits(SOURCES, lambda: cards)
    assert fits.rows() == ()
    assert fits.look().result(10) == ""
    return {row.source: row for row in fits.rows()}


def test_every_offered_model_is_judged_and_mini_fits_everywhere() -> None:
    found = rows()
    assert tuple(found) == SOURCES
    assert found["mini"].verdict == "fits"
    assert "memory" in found["mini"].cost


def test_without_a_card_a_large_model_is_too_slow() -> None:
    row = rows()["nvidia/personaplex-7b-v1"]
    assert row.verdict == "slow"
    assert memory.gib(memory.estimate(MOSHI_7B, MIMI, "bfloat16").needed) in row.cost


def test_the_largest_card_decides_in_the_best_precision_that_fits() -> None:
    row = rows(8, 24)["kyutai/moshiko-pytorch-bf16"]
    assert row.verdict == "fits"
    assert "in bfloat16" in row.cost
    assert "24.0 GiB of the Card 1" in row.cost
    smaller = rows(12)["kyutai/moshiko-pytorch-bf16"]
    assert smaller.verdict == "fits"
    assert "in int8" in smaller.cost


def test_a_card_that_is_too_small_is_told_with_both_numbers() -> None:
    row = rows(4)["kyutai/moshiko-pytorch-bf16"]
    assert row.verdict == "too large"
    assert "4.0 GiB" in row.cost
    assert memory.gib(memory.estimate(MOSHI_7B, MIMI, "int4").needed) in row.cost
