"""The pool of sequences, what is done to them before each step, and the processes that feed it."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import pytest
import torch

from engine.config import LMConfig
from training.feeding import Batch, Feeder, Maker
from training.language import TrainedLanguage
from training.streams import Sequences
from training.train_language import LanguagePlan, LanguageTrainer, Pool, disturbed

SMALL = LMConfig(
    dim=32, num_layers=1, num_heads=2, text_card=20, card=24, context=50, depformer_dim=16, depformer_num_layers=1,
    depformer_num_heads=2,
)  # fmt: skip
PLAN = dataclasses.replace(
    LanguagePlan(), talks=4, frames=30, pool=8, pool_grown=16, renew=4, warm_steps=1, dropout=0.0
)


def made(count: int, mark: int, frames: int = 31) -> Batch:
    """Sequences whose every token is `mark`; the first ten columns are a prompt."""
    weights = torch.ones(count, frames - 1, 2, dtype=torch.float16)
    weights[:, :9] = 0
    columns = torch.full((count, SMALL.streams, frames), mark, dtype=torch.int16)
    return columns, weights, torch.full((count, frames - 1), mark, dtype=torch.int16)


class Studio:
    """Makes sequences marked 1, 2, 3 ..."""

    config = SMALL

    def __init__(self) -> None:
        self.calls = 0

    def sequences(self, count: int, frames: int) -> Any:
        self.calls += 1
        return Sequences(*made(count, self.calls, frames), talks=[], prompts=[10] * count)


def pool_of(feeder: Any = None) -> Pool:
    studio: Any = Studio()
    return Pool(studio, PLAN, lambda line: None, feeder)


def test_the_oldest_sequences_go_first() -> None:
    pool = pool_of()
    assert pool.columns[:, 0, 0].tolist() == [1] * 4 + [2] * 4
    pool.renew()
    pool.renew()
    pool.renew()
    assert pool.columns[:, 0, 0].tolist() == [5] * 4 + [4] * 4
    assert pool.heard[:, 0].tolist() == [5] * 4 + [4] * 4
    assert pool.renewed == 12


def test_with_a_feeder_nothing_is_made_here_and_all_that_is_ready_is_taken() -> None:
    batches = [made(4, 7), made(2, 8)]

    class Ready:
        def take(self) -> Batch | None:
            return batches.pop(0) if batches else None

    pool = pool_of(Ready())
    for _ in range(2):
        pool.renew()
        assert pool.columns[:, 0, 0].tolist() == [1] * 4 + [2] * 4 + [7] * 4 + [8] * 2 + [0] * 2
        assert pool.filled == 14
    assert set(pool.draw(500)[2][:, 0].tolist()) == {1, 2, 7, 8}  # never what is not there yet
    batches.append(made(4, 9))
    pool.renew()
    assert pool.columns[:, 0, 0].tolist() == [9] * 2 + [1] * 2 + [2] * 4 + [7] * 4 + [8] * 2 + [9] * 2


def test_when_nobody_feeds_it_any_more_the_pool_makes_its_own() -> None:
    class Ended:
        def take(self) -> Batch | None:
            raise RuntimeError("Every process that makes sequences has ended.")

    pool = pool_of(Ended())
    pool.renew()
    pool.renew()
    assert pool.renewed == 4 and pool.filled == 12


def test_only_the_user_s_codes_in_the_talk_are_disturbed() -> None:
    torch.manual_seed(0)
    columns, weights, _ = made(200, 5, 31)
    before = columns.long()
    after = disturbed(before.clone(), weights.float(), SMALL, 0.5)
    changed = after != before
    assert not changed[:, : 1 + SMALL.own].any()
    assert not changed[:, :, :10].any()
    user = changed[:, 1 + SMALL.own :, 10:].float()
    assert 0.08 < user[:, 0].mean() < 0.17 and 0.19 < user[:, 1:].mean() < 0.31
    assert user.mean((1, 2)).std() > 0.05  # some talks are nearly clean, others bad
    assert after.min() >= 0 and after.max() < SMALL.card


def test_a_step_learns_from_a_drawn_batch() -> None:
    torch.manual_seed(0)
    pool = pool_of()
    trainer = LanguageTrainer(TrainedLanguage(SMALL), PLAN, torch.device("cpu"))
    trainer.rate.fill_(3e-3)
    trainer.step(pool)
    first = trainer.metrics(1)
    for _ in range(30):
        trainer.step(pool)
    trainer.metrics(30)
    trainer.step(pool)
    last = trainer.metrics(1)
    assert all(last[name] < 0.7 * first[name] for name in ("text", "semantic", "heard"))


def marked(mark: int, device: str, seed: int) -> Maker:
    return lambda count: made(count, mark + seed)


def fails(mark: int, device: str, seed: int) -> Maker:
    raise ValueError("no studio")


def waited(feeder: Feeder) -> Batch:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if (batch := feeder.take()) is not None:
            return batch
        time.sleep(0.05)
    raise AssertionError("nothing came")


def test_other_processes_feed_the_pool() -> None:
    feeder = Feeder(marked, (10,), ["cpu"], count=3, seed=4)
    try:
        columns, weights, heard = waited(feeder)
        assert columns.shape == (3, SMALL.streams, 31) and heard.shape == (3, 30)
        assert int(columns[0, 0, 0]) == 10 + 4 + 1 and weights.dtype == torch.float16
    finally:
        feeder.close()
    assert not any(process.is_alive() for process in feeder._processes)


def test_a_feeder_that_died_is_noticed() -> None:
    feeder = Feeder(fails, (10,), ["cpu"], count=3, seed=4)
    with pytest.raises(RuntimeError, match="has ended"):
        waited(feeder)
    feeder.close()
