"""A few steps of codec training on made-up sound, and the checkpoint that comes of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch

from engine.config import MimiConfig
from training import checkpoints
from training.bank import Bank, Entry
from training.codec import LABELS_PER_FRAME, Codec
from training.codec_data import CodecClips
from training.losses import Discriminator, reading_loss
from training.script import Line
from training.train_codec import METRICS, CodecPlan, CodecTrainer, falling_rate, train

TINY = MimiConfig(
    n_filters=4, dimension=16, num_heads=2, num_layers=1, dim_feedforward=32, context=8, codebook_dim=8, n_q=4, bins=32
)
PLAN = CodecPlan(clips=4, frames=4, judged_clips=2, judged_samples=4096, warm_steps=1, rate=3e-3)


def _bank() -> tuple[Bank, list[Line]]:
    """Two "phonemes": a low and a high tone, half a second each in turn."""
    at = torch.arange(24_000 * 12) / 24_000
    high = (at * 2).long() % 2 == 1
    sound = 0.3 * torch.sin(2 * torch.pi * torch.where(high, 1200.0, 300.0) * at)
    tape = (sound * 32767).to(torch.int16)
    labels = high[::600].to(torch.uint8) + 1
    entries = [Entry(0, 144_000, (0.0,)), Entry(144_000, 144_000, (0.0,))]
    return Bank(tape, labels, entries, 3), [Line("a", ("a",), 0, "own"), Line("b", ("b",), 9, "user")]


def _trainer(plan: CodecPlan = PLAN) -> tuple[CodecTrainer, CodecClips]:
    torch.manual_seed(1)
    bank, lines = _bank()
    clips = CodecClips(bank, lines, PLAN.frames)
    critic = Discriminator((512, 256), width=4)
    return CodecTrainer(Codec(TINY, bank.classes), critic, plan, torch.device("cpu")), clips


def test_training_lowers_the_distance_and_learns_the_content() -> None:
    """Judged on one fixed batch of clean clips, before and after."""
    trainer, clips = _trainer()
    pcm, labels = clips.draw(8, clean=True)

    @torch.no_grad()
    def judge() -> tuple[float, float]:
        result = trainer.codec.quantise(trainer.codec.encode(pcm), torch.full((8,), TINY.n_q), learn=False)
        logits = trainer.codec.content(result.semantic)
        content = torch.nn.functional.cross_entropy(logits.flatten(0, 2), labels.flatten())
        return trainer.mel(trainer.codec.decode(result.latent), pcm).item(), content.item()

    mel, content = judge()
    for _ in range(40):
        trainer.step(clips, adversarial=False)
    mel_after, content_after = judge()
    assert mel_after < 0.8 * mel
    assert content_after < 0.9 * content


def test_the_discriminator_joins_and_both_sides_learn() -> None:
    trainer, clips = _trainer()
    critic_before = [p.detach().clone() for p in trainer.critic.parameters()]
    codec_before = [p.detach().clone() for p in trainer.trained]
    for _ in range(3):
        trainer.step(clips, adversarial=True)
    values = trainer.metrics(3)
    assert set(values) == set(METRICS)
    assert values["critic"] > 0 and values["features"] > 0
    assert any(not torch.equal(a, b) for a, b in zip(critic_before, trainer.critic.parameters(), strict=True))
    moved = [not torch.equal(a, b) for a, b in zip(codec_before, trainer.trained, strict=True)]
    assert sum(moved) > 0.9 * len(moved)
    assert all(p.requires_grad for p in trainer.critic.parameters())


def test_what_is_read_in_a_decoded_clip_is_to_be_what_is_read_in_the_original() -> None:
    """The reader learns phonemes from the originals alone; what it then misses in other sound is a loss."""
    trainer, clips = _trainer()
    for _ in range(60):
        trainer.step(clips, adversarial=False)
    trainer.metrics(60)
    reader_before = [p.detach().clone() for p in trainer.reader.parameters()]
    trainer.step(clips, adversarial=True)
    values = trainer.metrics(1)
    assert values["reader"] < 0.7  # of ln 3 = 1.1 for three phonemes unknown
    assert values["reading"] > 0.05
    assert any(not torch.equal(a, b) for a, b in zip(reader_before, trainer.reader.parameters(), strict=True))
    pcm, _ = clips.draw(4, clean=True)
    with torch.no_grad():
        read, noise = trainer.reader(pcm), trainer.reader(torch.randn_like(pcm) * 0.1)
    assert read.shape[-1] == PLAN.frames * LABELS_PER_FRAME
    assert reading_loss(read, read) < 1e-6 and reading_loss(read, noise) > 0.1


def test_the_clock_sets_the_speed_of_both_sides(tmp_path: Path) -> None:
    """Warming up sets both rates to nothing; a run must set both again, or the discriminator never learns."""
    trainer, clips = _trainer()
    for rate in trainer.rates:
        rate.fill_(0)
    before = [p.detach().clone() for p in trainer.critic.parameters()]
    train(trainer, lambda: clips, 0.5, tmp_path, critic_at_once=True, report=lambda line: None)
    assert any(not torch.equal(a, b) for a, b in zip(before, trainer.critic.parameters(), strict=True))
    assert all(rate > 0 for rate in trainer.rates)


def test_the_decoder_alone_may_go_on_with_the_codes_unchanged() -> None:
    trainer, clips = _trainer(dataclasses.replace(PLAN, decoder_only=True))
    pcm, _ = clips.draw(4, clean=True)
    codes = trainer.codec.codes(pcm)
    before = {name: value.detach().clone() for name, value in trainer.codec.state_dict().items()}
    for _ in range(3):
        trainer.step(clips, adversarial=True)
    assert torch.equal(trainer.codec.codes(pcm), codes)
    moved = {name for name, value in trainer.codec.state_dict().items() if not torch.equal(value, before[name])}
    assert moved and all(name.startswith(("mimi.decoder", "mimi.upsample")) for name in moved)
    assert {name.split(".")[1] for name in moved} == {"decoder", "decoder_transformer", "upsample"}


def test_a_checkpoint_continues_where_it_was(tmp_path: Path) -> None:
    trainer, clips = _trainer()
    for _ in range(5):
        trainer.step(clips, adversarial=False)
    codec = trainer.averaged_codec()
    checkpoints.save_codec(codec, tmp_path / "codec.safetensors", torch.float32)
    again = checkpoints.load_codec(tmp_path / "codec.safetensors", TINY, 3)
    pcm, _ = clips.draw(2, clean=True)
    assert torch.equal(codec.codes(pcm), again.codes(pcm))
    assert not list(tmp_path.glob("*.partial"))


def test_drawn_labels_lie_forty_milliseconds_behind_the_sound() -> None:
    """Where a frame begins 40 ms after a change of tone, its first target is the new tone's."""
    bank, lines = _bank()
    clips = CodecClips(bank, lines, 2)
    torch.manual_seed(0)
    pcm, labels = clips.draw(64, clean=True)
    # A window of 20 ms whose middle is 40 ms before the target's middle has one tone only, away from its changes.
    matches = total = 0
    for clip, label in zip(pcm, labels.flatten(1), strict=True):
        for spot in range(2, 8):
            piece = clip[(spot - 2) * 480 : (spot - 1) * 480]
            crossings = int((piece[1:] * piece[:-1] < 0).sum())
            heard = 2 if crossings > 30 else 1
            total += 1
            matches += heard == int(label[spot])
    assert matches > 0.93 * total


@pytest.mark.parametrize(("step", "progress", "expected"), [(0, 0.0, 0.5), (5, 0.0, 1.0), (5, 1.0, 0.02)])
def test_rate_rises_then_falls(step: int, progress: float, expected: float) -> None:
    assert falling_rate(step, progress, warm_steps=2, final_share=0.02) == pytest.approx(expected)
