"""Training of the language model: sequences from the studio, a pool renewed as training goes, steps by the clock.

The pool holds ready sequences on the device; every few steps some are replaced by new ones, so that no mixing or
encoding is in the step itself. The step is captured as a CUDA graph where there is one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.config import LMConfig
from training.feeding import Batch, Feeder
from training.language import Losses, TrainedLanguage
from training.streams import Studio
from training.train_codec import bounded, falling_rate

METRICS = ("text", "semantic", "acoustic", "heard", "gradient")


@dataclass(frozen=True)
class LanguagePlan:
    """Sizes and weights of a run."""

    talks: int = 24
    frames: int = 1024
    pool: int = 1024
    pool_grown: int = 32768  # sequences that are kept, once they have been made (2 GB)
    renew: int = 16
    renew_every: int = 8
    rate: float = 8e-4
    final_share: float = 0.03
    warm_steps: int = 200
    weight_decay: float = 0.05
    depth_share: float = 0.2
    text: float = 1.0
    semantic: float = 1.0
    acoustic: float = 0.6
    heard: float = 1.0
    dropout: float = 0.1
    disturbed: float = 0.15  # most codes of the user that are replaced by chance
    average: float = 0.998


class Pool:
    """Sequences to draw batches from: with a feeder their number grows first, then the oldest are replaced."""

    def __init__(
        self, studio: Studio, plan: LanguagePlan, report: Callable[[str], None] = print, feeder: Feeder | None = None
    ):
        self.studio, self.plan, self.feeder, self.report = studio, plan, feeder, report
        began = time.monotonic()
        parts = [self._made(min(plan.renew, plan.pool - at)) for at in range(0, plan.pool, plan.renew)]
        size = plan.pool if feeder is None else max(plan.pool, plan.pool_grown)
        self.columns, self.weights, self.heard = (_padded(torch.cat(same), size) for same in zip(*parts, strict=True))
        self.filled, self.next, self.renewed = plan.pool, plan.pool % size, 0
        report(f"pool of {self.filled} sequences in {time.monotonic() - began:.0f} s")

    def _made(self, count: int) -> Batch:
        return self.studio.sequences(count, self.plan.frames + 1).batch

    def renew(self) -> None:
        """Replace the oldest few: by all that other processes have made, or, without them, by some made here."""
        if self.feeder is None:
            self._put(self._made(min(self.plan.renew, len(self.columns))))
            return
        try:
            while (batch := self.feeder.take()) is not None:
                self._put(batch)
        except RuntimeError as error:
            self.report(f"{error} They are made here from now on.")
            self.feeder = None

    def _put(self, batch: Batch) -> None:
        count, device = len(batch[0]), self.columns.device
        rows = (self.next + torch.arange(count, device=device)) % len(self.columns)
        for kept, fresh in zip((self.columns, self.weights, self.heard), batch, strict=True):
            kept[rows] = fresh.to(device)
        self.next = (self.next + count) % len(self.columns)
        self.filled = min(self.filled + count, len(self.columns))
        self.renewed += count

    def draw(self, count: int) -> Batch:
        """Sequences by chance, each time with other codes of the user replaced."""
        rows = torch.randint(self.filled, (count,), device=self.columns.device)
        weights = self.weights[rows].float()
        columns = disturbed(self.columns[rows].long(), weights, self.studio.config, self.plan.disturbed)
        return columns, weights, self.heard[rows].long()


def _padded(rows: Tensor, size: int) -> Tensor:
    """[n, ...] -> [size, ...], the rest zeros."""
    return torch.cat((rows, rows.new_zeros(size - len(rows), *rows.shape[1:])))


def disturbed(columns: Tensor, weights: Tensor, config: LMConfig, most: float) -> Tensor:
    """Replace up to `most` of the user's codes by others, in each talk another share and only where it is a talk: the
    first codebook half as often. columns [B, K, F], weights [B, F - 1, 2]."""
    count, _, frames = columns.shape
    share = torch.rand(count, 1, 1, device=columns.device) * most
    often = torch.ones(config.user, 1, device=columns.device)
    often[0] = 0.5
    hit = torch.rand(count, config.user, frames, device=columns.device) < share * often
    hit &= F.pad(weights[..., 0] > 0, (1, 0))[:, None]
    user = columns[:, 1 + config.own :]
    columns[:, 1 + config.own :] = torch.where(hit, torch.randint_like(user, config.card), user)
    return columns


class LanguageTrainer:
    """The network, its optimiser, its averaged weights; `step` trains on one batch."""

    def __init__(self, language: TrainedLanguage, plan: LanguagePlan, device: torch.device, compiled: bool = False):
        self.language, self.plan, self.device = language.to(device), plan, device
        language.dropout = plan.dropout
        self.loss: Callable[[Tensor, Tensor, Tensor, float], Losses] = language.loss
        if compiled:
            self.loss = torch.compile(language.loss, dynamic=False)
        self.trained = [p for p in language.parameters() if p.requires_grad]
        self.averaged = [p.detach().clone() for p in self.trained]
        on_gpu = device.type == "cuda"
        self.rate = torch.tensor(plan.rate, device=device)
        groups: list[dict[str, Any]] = [
            {"params": [p for p in self.trained if p.dim() > 1]},
            {"params": [p for p in self.trained if p.dim() == 1], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(
            groups, lr=self.rate, betas=(0.9, 0.98), weight_decay=plan.weight_decay, capturable=on_gpu, fused=on_gpu
        )
        streams = language.config.streams
        self.columns = torch.zeros(plan.talks, streams, plan.frames + 1, dtype=torch.long, device=device)
        self.weights = torch.zeros(plan.talks, plan.frames, 2, device=device)
        self.heard = torch.zeros(plan.talks, plan.frames, dtype=torch.long, device=device)
        self.sums = torch.zeros(len(METRICS), device=device)
        self._graph: torch.cuda.CUDAGraph | None = None

    def _run(self) -> None:
        plan = self.plan
        losses = self.loss(self.columns, self.weights, self.heard, plan.depth_share)
        loss = plan.text * losses.text + plan.semantic * losses.semantic + plan.acoustic * losses.acoustic
        loss = loss + plan.heard * losses.heard
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        gradient = bounded(self.trained, 1.0)
        self.optimizer.step()
        torch._foreach_lerp_(self.averaged, [p.detach() for p in self.trained], 1 - plan.average)
        self.sums += torch.stack([x.detach().float() for x in (*losses, gradient)])

    def capture(self) -> None:
        """Warm up without learning and capture the step."""
        self.rate.fill_(0)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self._run()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._run()
        self._graph = graph
        for state in self.optimizer.state.values():
            for value in state.values():
                value.zero_()
        self.sums.zero_()

    def step(self, pool: Pool) -> None:
        for slot, drawn in zip((self.columns, self.weights, self.heard), pool.draw(self.plan.talks), strict=True):
            slot.copy_(drawn)
        if self._graph is not None:
            self._graph.replay()
        else:
            self._run()

    def metrics(self, steps: int) -> dict[str, float]:
        """Means since the last call. Synchronises."""
        means = (self.sums / max(steps, 1)).tolist()
        self.sums.zero_()
        return dict(zip(METRICS, means, strict=True))

    def use_average(self) -> None:
        """Put the averaged weights in place, for good: the end of a run."""
        with torch.no_grad():
            for target, value in zip(self.trained, self.averaged, strict=True):
                target.copy_(value)


def train(
    trainer: LanguageTrainer, pool: Pool, seconds: float, save: Callable[[], None], *, save_every: float = 180.0,
    report: Callable[[str], None] = print,
) -> int:  # fmt: skip
    """Train for this long by the clock; `save` is called now and then and at the end. Returns the number of steps."""
    plan = trainer.plan
    began = saved = marked = time.monotonic()
    steps = 0
    while (elapsed := time.monotonic() - began) < seconds:
        trainer.rate.fill_(plan.rate * falling_rate(steps, elapsed / seconds, plan.warm_steps, plan.final_share))
        trainer.step(pool)
        steps += 1
        if steps % plan.renew_every == 0:
            pool.renew()
        if steps % 100 == 0:
            values = trainer.metrics(100)
            line = " ".join(f"{name} {value:.3f}" for name, value in values.items())
            uses = plan.talks * steps / (plan.pool + pool.renewed)
            pace = 100 / (time.monotonic() - marked)
            report(f"{time.monotonic() - began:.0f} s, step {steps}, {pace:.1f}/s, each seen {uses:.0f} times: {line}")
            marked = time.monotonic()
        if time.monotonic() - saved > save_every:
            save()
            saved = time.monotonic()
    trainer.use_average()
    save()
    return steps
