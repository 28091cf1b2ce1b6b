"""Clips for the codec: crops of the bank with their phoneme targets, some through a room or in noise, some not speech.

All on the training device; drawing a batch moves no data to the host. Shapes: B clips, L samples, T frames.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from training import augment
from training.bank import SILENCE, UNIT, Bank
from training.codec import LABELS_PER_FRAME
from training.script import Line

_LOOK_BACK = 960  # targets lie 40 ms in the past: a causal encoder has then heard what makes the phoneme


class CodecClips:
    """Random crops of a bank, or of the first part of one that is still being spoken.

    `own_weight`: how many times more often a line in an own voice is drawn than another; `rough`: the share of clips
    that go through a microphone.
    """

    def __init__(
        self, bank: Bank, lines: Sequence[Line], frames: int, frame_size: int = 1920, own_weight: float = 1.5,
        rough: float = 1.0,
    ):  # fmt: skip
        device = bank.tape.device
        self.bank, self.frames, self.frame_size, self.rough = bank, frames, frame_size, rough
        self.starts = torch.tensor([entry.start for entry in bank.entries], device=device)
        self.lengths = torch.tensor([entry.length for entry in bank.entries], device=device)
        weight = [
            entry.length * (own_weight if line.voice < 4 else 1)
            for entry, line in zip(bank.entries, lines, strict=False)
        ]
        self.share = torch.tensor(weight, device=device, dtype=torch.float32).cumsum(0)
        self.share /= self.share[-1].clone()

    def draw(self, clips: int, clean: bool = False) -> tuple[Tensor, Tensor]:
        """pcm [B, L] float32 and labels [B, T, LABELS_PER_FRAME] int64 (IGNORED where nothing is to be learnt)."""
        device = self.bank.tape.device
        length = self.frames * self.frame_size
        line = torch.searchsorted(self.share, torch.rand(clips, device=device)).clamp(max=len(self.starts) - 1)
        span = (self.lengths[line] + length // 2).float()
        offset = self.starts[line] + (torch.rand(clips, device=device) * span).long() - length // 2
        offset = offset.clamp(0, len(self.bank.tape) - length)
        samples = torch.arange(length, device=device)
        pcm = self.bank.tape[offset[:, None] + samples].float() / 32768
        spots = torch.arange(self.frames * LABELS_PER_FRAME, device=device)
        at = offset[:, None] + ((spots + 0.5) * (self.frame_size / LABELS_PER_FRAME)).long() - _LOOK_BACK
        labels = self.bank.labels[at.clamp(min=0) // UNIT].long().view(clips, self.frames, LABELS_PER_FRAME)
        if clean:
            return pcm, labels
        rough, rough_labels = self._roughen(pcm, labels)
        chosen = torch.rand(clips, 1, device=device) < self.rough
        return torch.where(chosen, rough, pcm), torch.where(chosen[..., None], rough_labels, labels)

    def _roughen(self, pcm: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        clips, length = pcm.shape
        other = torch.rand(clips, 1, device=pcm.device) < 0.4
        pcm = torch.where(other, augment.coloured(pcm), pcm)
        pcm = augment.microphone(pcm, level=(-14, 6), noisy=0.2, roomy=0.15)
        kind = torch.rand(clips, 1, device=pcm.device)
        at = torch.arange(length, device=pcm.device) / 24_000
        noise = augment.colored_noise(clips, length, pcm.device) * augment.decibels(
            -30 - 50 * torch.rand(clips, 1, device=pcm.device)
        )
        tone = 0.2 * torch.sin(2 * math.pi * 440 * at).expand(clips, length)
        hum = 0.1 * augment.music(clips, length, pcm.device)
        pcm = torch.where(kind < 0.03, noise, pcm)
        pcm = torch.where(kind < 0.02, hum, pcm)
        pcm = torch.where(kind < 0.01, tone, pcm)
        pcm = torch.where(kind < 0.006, torch.zeros_like(pcm), pcm)
        return pcm, torch.where(kind[..., None] < 0.03, torch.full_like(labels, SILENCE), labels)


def label_weights(classes: int, device: torch.device) -> Tensor:
    """Silence is a third of all labels and easy; it counts less."""
    weights = torch.ones(classes, device=device)
    weights[SILENCE] = 0.3
    return weights
