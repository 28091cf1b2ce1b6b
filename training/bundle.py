"""The folder that comes with the program, made of a trained one: matrices in 8 bits, voices beside them, a model card.

Owns which tensors bear 8 bits and the bound on the folder's size; the numbers' form is `training.packing`'s. What goes
in is a folder of `train-language` (`training.export.write_model`); what comes out loads as any checkpoint does.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.weights import MIMI_NAME, MODEL_NAME, TOKENIZER_NAME, find
from training import checkpoints, packing
from training.bank import Bank
from training.export import CODEC_CONFIG, write_voices
from training.script import Script
from training.voices import OWN, OWN_NAMES

MOST_BYTES = 40 << 20
VOICE_SECONDS = 4.0  # as long as the prompts of training
_GAP = 24_000 // 8  # between the sentences of a prompt, as in training
_SMALL = 30_000  # numbers; the decoder's smaller layers are the ones that 8 bits can be heard in


def codec_keeps(key: str, tensors: dict[str, Tensor]) -> bool:
    """What stays in 16 bits: all that makes codes, so that they are those that the language model learnt, and of the
    decoder the first layer and the small ones. (Figures: training/README.md)"""
    if not key.startswith(("decoder", "upsample")):
        return True
    return key.startswith("decoder.model.0.") or tensors[key].numel() < _SMALL


def run(options: argparse.Namespace) -> None:
    """`python -m training export`."""
    files = find(options.model)
    config = dict(files.config) | {
        "trained": True, "moshi_name": MODEL_NAME, "mimi_name": MIMI_NAME, "tokenizer_name": TOKENIZER_NAME,
        "mimi_config_name": CODEC_CONFIG,
    } | ({"limits": options.limits} if options.limits else {})  # fmt: skip
    made = options.out.with_name(f"{options.out.name}.new")
    if made.exists():
        shutil.rmtree(made)
    made.mkdir(parents=True)
    write_weights(files.model, made / MODEL_NAME, "language model")
    write_weights(files.mimi, made / MIMI_NAME, "codec", codec=True)
    shutil.copyfile(files.tokenizer, made / TOKENIZER_NAME)
    checkpoints.write_json(dict(files.mimi_config), made / CODEC_CONFIG)
    checkpoints.write_json(config, made / "config.json")
    _voices(options, made / "voices")
    _card(options, made)
    size = sum(path.stat().st_size for path in made.rglob("*") if path.is_file())
    print(f"{size / 2**20:.1f} MiB in all")
    if size > MOST_BYTES:
        raise ValueError(f"{made} has {size / 2**20:.1f} MiB, and {MOST_BYTES >> 20} are the most.")
    if options.out.exists():
        shutil.rmtree(options.out)
    made.replace(options.out)


def write_weights(source: Path, target: Path, what: str, codec: bool = False) -> None:
    """Pack a plain file (or pack a packed one anew, which changes nothing)."""
    tensors = packing.read(source)
    broken = [key for key, value in tensors.items() if not bool(value.isfinite().all())]
    if broken:
        raise ValueError(f"{source} holds values that are no numbers, in {', '.join(broken[:3])}.")
    if codec:
        stored, errors = packing.packed(tensors, lambda key: codec_keeps(key, tensors), grouped=True)
    else:
        stored, errors = packing.packed(tensors, dtype=torch.bfloat16)
    packing.write_packed(stored, target)
    worst = max(errors, key=lambda error: error.relative)
    mean = sum(error.relative for error in errors) / len(errors)
    print(
        f"{what}: {target.stat().st_size / 2**20:.1f} MiB; {len(errors)} of {len(tensors)} tensors in 8 bits, relative "
        f"error {100 * mean:.2f} % in the mean, {100 * worst.relative:.2f} % at most ({worst.key})"
    )


def _voices(options: argparse.Namespace, folder: Path) -> None:
    """From a bank that has lines of the own voices, else those that the trained folder brings."""
    if options.bank is not None:
        write_voices(folder, own_voices(Script.load(options.script), Bank.load(options.bank, torch.device("cpu"))))
    elif (options.model / "voices").is_dir():
        shutil.copytree(options.model / "voices", folder)


def own_voices(script: Script, bank: Bank) -> dict[str, Tensor]:
    """Name -> some sentences of each own voice, as training joins them: [samples] float32."""
    sounds = {}
    for voice in range(len(OWN)):
        lines = [i for i, line in enumerate(script.lines[: len(bank.entries)]) if line.voice == voice]
        parts: list[np.ndarray] = []
        for line in lines:
            parts += [bank.sound(line).numpy(), np.zeros(_GAP, np.float32)]
            if sum(map(len, parts)) >= VOICE_SECONDS * 24_000:
                break
        if not parts:
            print(f"The bank has no line of the own voice {OWN[voice]}: there will be no {OWN_NAMES[voice]}.")
            continue
        sound = np.concatenate(parts)[: round(VOICE_SECONDS * 24_000)]
        sound[-480:] *= np.linspace(1, 0, len(sound[-480:]), dtype=np.float32)
        sounds[OWN_NAMES[voice]] = torch.from_numpy(sound)
    if not sounds:
        raise ValueError("The bank has no line of an own voice: take the bank of a script that has replies.")
    return sounds


def _card(options: argparse.Namespace, folder: Path) -> None:
    from training.model_card import write_card

    figures: dict[str, Any] = json.loads(options.evaluation.read_text()) if options.evaluation else {}
    write_card(folder, figures)
