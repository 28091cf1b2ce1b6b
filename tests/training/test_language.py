"""The language model as trained equals the language model as run."""

from __future__ import annotations

import torch

from engine.config import LMConfig
from engine.lm import depth_step
from engine.state import State
from training.language import TrainedLanguage
from training.vocabulary import PADDING

SMALL = LMConfig(
    dim=32, num_layers=2, num_heads=2, text_card=20, card=24, context=6, depformer_dim=16, depformer_num_layers=2,
    depformer_num_heads=2,
)  # fmt: skip


def _language() -> TrainedLanguage:
    torch.manual_seed(0)
    language = TrainedLanguage(SMALL)
    with torch.no_grad():
        for name, parameter in language.model.named_parameters():
            if "norm" in name:
                parameter.uniform_(0.5, 1.5)
    return language


def _columns(items: int, length: int) -> torch.Tensor:
    torch.manual_seed(1)
    text = torch.randint(SMALL.text_card, (items, 1, length))
    audio = torch.randint(SMALL.card, (items, SMALL.n_q, length))
    columns = torch.cat((text, audio), 1)
    columns[:, :, 0] = torch.tensor(SMALL.initial_tokens)  # the ring's first column
    return columns


@torch.no_grad()
def test_parallel_forward_equals_the_engine_step_by_step() -> None:
    """Text and depth logits of every position, past the attention window."""
    language = _language()
    length = 15
    columns = _columns(2, length + 1)
    hidden = language.hidden(columns[..., :-1])
    predicted = columns[:, : 1 + SMALL.own, 1:].transpose(1, 2)
    logits = language.depth_logits(hidden.flatten(0, 1), predicted.flatten(0, 1)).unflatten(0, (2, length))
    model, state = language.model, State(language.model.slots(torch.float32), "cpu", talks=2)
    for at in range(length):
        embedded = model.temporal.embed(columns[..., at : at + 1])
        position = torch.full((2,), at)
        step_hidden = model.temporal(embedded, state, position, SMALL.context)[:, 0]
        torch.testing.assert_close(step_hidden, hidden[:, at], atol=1e-4, rtol=1e-4)
        for step in range(SMALL.own):
            rings = state["depth.keys"], state["depth.values"]
            made = depth_step(model.depth.at(step), predicted[:, at, step], step_hidden, *rings, torch.tensor([step]))
            torch.testing.assert_close(made, logits[:, at, step], atol=2e-4, rtol=1e-4)


def test_loss_counts_only_what_is_predicted() -> None:
    language = _language()
    columns = _columns(2, 9)
    weights = torch.ones(2, 8, 2)
    weights[:, :4] = 0
    heard = torch.full((2, 8), PADDING)
    heard[:, 6] = 7
    before = language.loss(columns, weights, heard)
    changed = columns.clone()
    changed[1, 0, 2] = (changed[1, 0, 2] + 1) % SMALL.text_card  # given: as a target it must not matter
    weights_late = weights.clone()
    weights_late[0] = 0
    only_second = language.loss(columns, weights_late, heard)
    assert not torch.isclose(before.text, only_second.text)
    total = before.text + before.semantic + before.acoustic + before.heard
    assert torch.isfinite(total)
    total.backward()
    gradients = [p.grad is not None and bool(p.grad.abs().sum() > 0) for p in language.parameters()]
    assert all(gradients)


def test_it_learns_a_fixed_talk_by_heart() -> None:
    language = _language()
    columns, weights, heard = _columns(2, 9), torch.ones(2, 8, 2), torch.arange(16).view(2, 8)
    optimizer = torch.optim.AdamW(language.parameters(), lr=1e-2)
    for _ in range(100):
        losses = language.loss(columns, weights, heard)
        optimizer.zero_grad()
        sum(losses).backward()
        optimizer.step()
    final = language.loss(columns, weights, heard)
    assert final.text < 0.1 and final.heard < 0.1 and final.semantic < 0.1 and final.acoustic < 0.3
