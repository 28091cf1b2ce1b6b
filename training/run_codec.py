"""One run of codec training from the command line: set up while the bank is being spoken, then train by the clock."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from training import checkpoints
from training.bank import Bank, early_path
from training.codec import MINI, Codec
from training.codec_data import CodecClips
from training.losses import Discriminator
from training.script import Line, Script
from training.train_codec import CodecPlan, CodecTrainer, capture_or_not, checked, profile, train

CLASSES = 91  # silence and the 90 phoneme symbols of the voice model
FOR_DECODER = {"own_weight": 6.0, "rough": 0.3}  # in talks the decoder speaks in the own voices, and they are clean
FOR_CODEC = {"own_weight": 1.5, "rough": 1.0}


def run(options: argparse.Namespace) -> None:
    device = torch.device(options.device)
    on_gpu = device.type == "cuda"
    torch.manual_seed(options.seed)
    if on_gpu:
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
        torch.cuda.set_device(device.index or 0)  # captures run on the current device
    plan = dataclasses.replace(
        CodecPlan(), clips=options.clips, frames=options.frames, judged_clips=min(12, options.clips),
        judged_samples=min(24_576, options.frames * 1920), critic_from=options.critic_from, rate=options.rate,
        decoder_only=options.decoder_only,
    )  # fmt: skip
    trainer = _trainer(options.start, plan, device, options.compile and on_gpu)
    if on_gpu:
        _warm(trainer)
        if options.profile:
            print(profile(trainer), flush=True)
            return
    choice = FOR_DECODER if plan.decoder_only else FOR_CODEC
    source = _in_turn([
        _Source(bank, Script.load(script).lines, plan.frames, device, options.wait, choice)
        for script, bank in zip(options.script, options.bank, strict=True)
    ])  # fmt: skip
    codec = trainer.codec
    if options.start is None:
        _seed_codebooks(codec, source())
    else:
        print(f"start: {checked(trainer, source(), codec)}", flush=True)  # to compare the end to
    seconds = options.seconds if options.until is None else options.until - time.time()
    steps = train(trainer, source, seconds, options.out, critic_at_once=plan.critic_from <= 0,
                  report=lambda line: print(line, flush=True))  # fmt: skip
    checkpoints.write_json(checkpoints.codec_config(codec.config), options.out / "mimi_config.json")
    print(f"{steps} steps", flush=True)


def _trainer(start: Path | None, plan: CodecPlan, device: torch.device, compiled: bool) -> CodecTrainer:
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    if start is None:
        codec, critic = Codec(MINI, CLASSES, dtype), Discriminator()
    else:
        codec, critic = checkpoints.load_codec(start / "codec.safetensors", MINI, CLASSES, dtype), Discriminator()
        for module, name in ((codec.content, "content.safetensors"), (critic, "critic.safetensors")):
            if (start / name).is_file():  # helpers of training: without their file they start anew
                checkpoints.load_module(module, start / name)
    return CodecTrainer(codec, critic, plan, device, compiled)


def _warm(trainer: CodecTrainer) -> None:
    """Capture on noise, with the weights put back afterwards: the bank is not there yet."""
    kept = {key: value.clone() for key, value in trainer.codec.state_dict().items()}
    kept_critic = {key: value.clone() for key, value in trainer.critic.state_dict().items()}
    trainer.pcm.normal_(0, 0.05)
    for rate in trainer.rates:
        rate.fill_(0)
    capture_or_not(trainer, lambda line: print(line, flush=True))
    with torch.no_grad():
        for module, saved in ((trainer.codec, kept), (trainer.critic, kept_critic)):
            for key, value in module.state_dict().items():
                value.copy_(saved[key])
        for target, value in zip(trainer.averaged, trainer.trained, strict=True):
            target.copy_(value)
        for optimizer in (trainer.optimizer, trainer.critic_optimizer):
            for state in optimizer.state.values():
                for value in state.values():
                    value.zero_()
        trainer.sums.zero_()


class _Source:
    """The clips to draw from: the whole bank once it is there, until then its first part."""

    def __init__(
        self, path: Path, lines: list[Line], frames: int, device: torch.device, wait: float, choice: dict[str, float]
    ):
        self.path, self.lines, self.frames, self.device, self.choice = path, lines, frames, device, choice
        limit = time.monotonic() + wait
        while not path.is_file() and not early_path(path).is_file():
            if time.monotonic() > limit:
                raise FileNotFoundError(f"There is no bank {path}.")
            time.sleep(0.5)
        self.whole = path.is_file()
        self.clips = self._load(path if self.whole else early_path(path))

    def _load(self, path: Path) -> CodecClips:
        bank = Bank.load(path, self.device)
        if bank.classes != CLASSES:
            raise ValueError(f"The bank has {bank.classes} phoneme classes where {CLASSES} are expected.")
        print(f"bank of {bank.seconds / 3600:.2f} h", flush=True)
        return CodecClips(bank, self.lines, self.frames, **self.choice)

    def __call__(self) -> CodecClips:
        if not self.whole and self.path.is_file():
            self.whole = True
            self.clips = self._load(self.path)
        return self.clips


def _in_turn(sources: Sequence[_Source]) -> Callable[[], CodecClips]:
    """Asks one after another."""
    turns = itertools.cycle(sources)
    return lambda: next(turns)()


@torch.no_grad()
def _seed_codebooks(codec: Codec, clips: CodecClips) -> None:
    """Start every code vector on a vector of real speech, level by level."""
    part, quantiser = codec.mimi.quantizer, codec.quantiser
    need = 4 * codec.config.bins
    latents: list[torch.Tensor] = []
    while sum(len(x) for x in latents) < need:
        pcm, _ = clips.draw(48, clean=True)
        latents.append(codec.encode(pcm).float().flatten(0, 1))
    x = torch.cat(latents)
    semantic, residual = x @ part.semantic_in.t(), x @ part.acoustic_in.t()
    for level in range(codec.config.n_q):
        vectors = semantic if level == 0 else residual
        quantiser.sums[level] = vectors[torch.randperm(len(vectors), device=x.device)[: codec.config.bins]]
        quantiser.usage[level].fill_(1)
        if level:
            residual = residual - quantiser.nearest(residual, level)[1]
