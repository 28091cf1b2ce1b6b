"""One run of codec training from the command line: set up while the bank is still being spoken, then train by the clock."""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path

import torch

from training import checkpoints
from training.bank import Bank
from training.codec import MINI, Codec
from training.codec_data import CodecClips
from training.losses import Discriminator
from training.script import Script
from training.train_codec import CodecPlan, CodecTrainer, capture_or_not, train

CLASSES = 91  # silence and the 90 phoneme symbols of the voice model


def run(options: argparse.Namespace) -> None:
    device = torch.device(options.device)
    on_gpu = device.type == "cuda"
    torch.manual_seed(options.seed)
    if on_gpu:
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
    plan = dataclasses.replace(
        CodecPlan(), clips=options.clips, frames=options.frames, judged_clips=min(12, options.clips),
        judged_samples=min(24_576, options.frames * 1920), critic_from=options.critic_from, rate=options.rate,
    )  # fmt: skip
    trainer = _trainer(options.start, plan, device, options.compile and on_gpu)
    if on_gpu:
        _warm(trainer)
    bank = Bank.load(_await(options.bank, options.wait), device)
    if bank.classes != CLASSES:
        raise ValueError(f"The bank has {bank.classes} phoneme classes where {CLASSES} are expected.")
    lines = Script.load(options.script).lines
    clips = CodecClips(bank, lines, plan.frames)
    print(f"bank of {bank.seconds / 3600:.2f} h", flush=True)
    codec = trainer.codec
    if options.start is None:
        _seed_codebooks(codec, clips)
    steps = train(trainer, clips, options.seconds, options.out, held_out=clips, critic_at_once=plan.critic_from <= 0,
                  report=lambda line: print(line, flush=True))  # fmt: skip
    checkpoints.write_json(checkpoints.codec_config(codec.config), options.out / "mimi_config.json")
    print(f"{steps} steps", flush=True)


def _trainer(start: Path | None, plan: CodecPlan, device: torch.device, compiled: bool) -> CodecTrainer:
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    if start is None:
        codec, critic = Codec(MINI, CLASSES, dtype), Discriminator()
    else:
        codec, critic = checkpoints.load_codec(start / "codec.safetensors", MINI, CLASSES, dtype), Discriminator()
        checkpoints.load_module(codec.content, start / "content.safetensors")
        checkpoints.load_module(critic, start / "critic.safetensors")
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


def _await(path: Path, seconds: float) -> Path:
    """The path, once the file is there. Raises FileNotFoundError when it does not come."""
    limit = time.monotonic() + seconds
    while not path.is_file():
        if time.monotonic() > limit:
            raise FileNotFoundError(f"There is no bank {path}.")
        time.sleep(0.5)
    return path


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
