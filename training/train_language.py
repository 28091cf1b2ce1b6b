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
from torch import Tensor

from training.language import Losses, TrainedLanguage
from training.streams import Studio
from training.train_codec import bounded, falling_rate

METRICS = ("text", "semantic", "acoustic", "gradient")


@dataclass(frozen=True)
class LanguagePlan:
    """Sizes and weights of a run."""

    talks: int = 24
    frames: int = 1024
    pool: int = 1024
    renew: int = 16
    renew_every: int = 8
    rate: float = 8e-4
    final_share: float = 0.03
    warm_steps: int = 200
    weight_decay: float = 0.05
    depth_share: float = 0.35
    text: float = 1.0
    semantic: float = 1.0
    acoustic: float = 0.6
    average: float = 0.998


class Pool:
    """Sequences to draw batches from."""

    def __init__(self, studio: Studio, plan: LanguagePlan, report: Callable[[str], None] = print):
        self.studio, self.plan = studio, plan
        began = time.monotonic()
        parts = [self._fresh(min(plan.renew, plan.pool - at)) for at in range(0, plan.pool, plan.renew)]
        self.columns = torch.cat([columns for columns, _ in parts])
        self.weights = torch.cat([weights for _, weights in parts])
        self.next = 0
        report(f"pool of {len(self.columns)} sequences in {time.monotonic() - began:.0f} s")

    def _fresh(self, count: int) -> tuple[Tensor, Tensor]:
        made = self.studio.sequences(count, self.plan.frames + 1)
        return made.columns, made.weights

    def renew(self) -> None:
        """Replace the oldest few."""
        columns, weights = self._fresh(min(self.plan.renew, len(self.columns)))
        rows = (self.next + torch.arange(len(columns), device=columns.device)) % len(self.columns)
        self.columns[rows], self.weights[rows] = columns, weights
        self.next = (self.next + len(columns)) % len(self.columns)

    def draw(self, count: int) -> tuple[Tensor, Tensor]:
        rows = torch.randint(len(self.columns), (count,), device=self.columns.device)
        return self.columns[rows].long(), self.weights[rows].float()


class LanguageTrainer:
    """The network, its optimiser, its averaged weights; `step` trains on one batch."""

    def __init__(self, language: TrainedLanguage, plan: LanguagePlan, device: torch.device, compiled: bool = False):
        self.language, self.plan, self.device = language.to(device), plan, device
        self.loss: Callable[[Tensor, Tensor, float], Losses] = language.loss
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
        self.sums = torch.zeros(len(METRICS), device=device)
        self._graph: torch.cuda.CUDAGraph | None = None

    def _run(self) -> None:
        plan = self.plan
        losses = self.loss(self.columns, self.weights, plan.depth_share)
        loss = plan.text * losses.text + plan.semantic * losses.semantic + plan.acoustic * losses.acoustic
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
        columns, weights = pool.draw(self.plan.talks)
        self.columns.copy_(columns)
        self.weights.copy_(weights)
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
            report(f"{time.monotonic() - began:.0f} s, step {steps}, {100 / (time.monotonic() - marked):.1f}/s: {line}")
            marked = time.monotonic()
        if time.monotonic() - saved > save_every:
            save()
            saved = time.monotonic()
    trainer.use_average()
    save()
    return steps
