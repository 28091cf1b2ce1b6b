"""Writes a small model that was never trained, in the published checkpoint format, always the same one.

It stands in `assets/mini/` until a trained model takes its place: it has every part of the real architecture at a size
that a slow processor runs in real time, and a program that talks with it does all that it would do with a real one.
What it says means nothing. Run from the project's folder: python -m training.make_untrained [FOLDER]
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
import torch
from safetensors.torch import save_file
from torch import Tensor

from engine.config import LMConfig, MimiConfig
from engine.layout import checkpoint_layout, mimi_layout
from engine.weights import MIMI_NAME, MODEL_NAME, TOKENIZER_NAME

SEED = 20260101
MIMI_CONFIG_NAME = "mimi_config.json"
LICENCE = "MIT"

# A frame in well under 40 ms on two slow processor cores, a few MiB on disk. Context and delays are the real ones.
LM: dict[str, Any] = {
    "dim": 128,
    "num_layers": 4,
    "num_heads": 4,
    "hidden_scale": 4.125,
    "context": 3000,
    "max_period": 10000,
    "text_card": 288,
    "existing_text_padding_id": 3,
    "card": 256,
    "n_q": 16,
    "dep_q": 8,
    "depformer_dim": 64,
    "depformer_num_layers": 2,
    "depformer_num_heads": 2,
    "depformer_dim_feedforward": 264,
    "delays": [0] + ([0] + [1] * 7) * 2,
}
MIMI: dict[str, Any] = {
    "sample_rate": 24000,
    "channels": 1,
    "frame_rate": 12.5,
    "seanet": {"dimension": 64, "n_filters": 8, "ratios": [8, 6, 5, 4], "n_residual_layers": 1, "compress": 2},
    "transformer": {"d_model": 64, "num_heads": 2, "num_layers": 2, "dim_feedforward": 256, "context": 250},
    "quantizer": {"dimension": 32, "n_q": 8, "bins": 256},
}

# Chosen by ear and measured: the reply at about -27 dBFS, no peak over half of full scale, and nine frames in ten
# without a text token, as in a real talk.
INPUT_GAIN = 10.0  # so that speech of usual loudness reaches many codes
OUTPUT_GAIN = 0.05
PADDING_GAIN = 10.5

_TEXT = """
the of and to in is you that it he was for on are as with his they at be this have from or one had by word but not what
all were we when your can said there use an each which she do how their if will up other about out many then them these
so some her would make like him into time has look two more write go see number no way could people my than first water
been call who now find long down day did get come made may part over new sound take only little work know place year
live me back give most very after thing our just name good sentence man think say great where help through much before
line right too mean old any same tell boy follow came want show also around form three small set put end does another
well large must big even such because turn here why ask went men read need land different home us move try kind hand
picture again change off play spell air away animal house point page letter mother answer found study still learn should
world high every near add food between own below country plant last school father keep tree never start city earth eye
light thought head under story saw left few while along might close something seem next hard open example begin life
always those both paper together got group often run important until children side feet car mile night walk white sea
Hello Good morning Goodbye Thank please Sorry yes How What Where Who Monday Tuesday Wednesday Thursday Friday Saturday
zero one two three four five six seven eight nine ten eleven twelve plus minus equals question teacher friendly system
"""
_CHARACTERS = "".join(map(chr, range(33, 127)))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.make_untrained", description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("assets/mini"))
    folder: Path = parser.parse_args(arguments).folder
    make(folder)
    print(f"wrote an untrained model of {sum(p.stat().st_size for p in folder.iterdir()) / 2**20:.1f} MiB to {folder}")
    return 0


def make(folder: Path) -> None:
    """Writes the whole model folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lm, mimi = LMConfig.from_dict(LM), MimiConfig.from_dict(MIMI)
    save_file(_stored(lm_tensors(lm), torch.bfloat16), folder / MODEL_NAME)
    save_file(_stored(mimi_tensors(mimi), torch.float16), folder / MIMI_NAME)
    (folder / TOKENIZER_NAME).write_bytes(tokenizer(lm.text_card))
    _write_json(folder / MIMI_CONFIG_NAME, MIMI)
    names = {
        "trained": False,
        "model_type": "moshi",
        "moshi_name": MODEL_NAME,
        "mimi_name": MIMI_NAME,
        "mimi_config_name": MIMI_CONFIG_NAME,
        "tokenizer_name": TOKENIZER_NAME,
    }
    _write_json(folder / "config.json", {**names, **LM})
    (folder / "README.md").write_text(_CARD, "utf-8")


def lm_tensors(config: LMConfig) -> dict[str, np.ndarray]:
    """Every tensor of the language model's file: matrices that keep a signal's size, norms that do nothing."""
    random = np.random.default_rng(SEED)
    tensors = {}
    for key, shape in checkpoint_layout(config, config.own).items():
        norm = key.endswith(".alpha")
        tensors[key] = np.ones(shape) if norm else random.standard_normal(shape) * shape[-1] ** -0.5
    _prefer_padding(tensors, config)
    return tensors


def _prefer_padding(tensors: dict[str, np.ndarray], config: LMConfig) -> None:
    """Nine frames in ten are to have no text: random heads would speak twelve pieces a second.

    There is no bias to set. So channel 0 of the residual stream is made a constant, which only the text embedding
    writes and no layer changes, and the padding token's row of the head reads that channel alone.
    """
    for key, tensor in tensors.items():
        if key.startswith("emb."):
            tensor[:, 0] = 0
        elif re.fullmatch(r"transformer\.layers\.\d+\.(self_attn\.out_proj|gating\.linear_out)\.weight", key):
            tensor[0] = 0
    tensors["text_emb.weight"][:, 0] = 1
    tensors["text_linear.weight"][config.existing_text_padding_id] = 0
    tensors["text_linear.weight"][config.existing_text_padding_id, 0] = PADDING_GAIN


def mimi_tensors(config: MimiConfig) -> dict[str, np.ndarray]:
    """Every tensor of the codec's file."""
    random = np.random.default_rng(SEED + 1)
    layout = mimi_layout(config)
    last = max(int(key.split(".")[2]) for key in layout if key.startswith("decoder.model."))
    tensors = {}
    for key, shape in layout.items():
        tensors[key] = _codec_tensor(key, shape, random)
        if key.startswith(f"decoder.model.{last}."):
            tensors[key] = tensors[key] * OUTPUT_GAIN
        elif key.startswith("encoder.model.0."):
            tensors[key] = tensors[key] * INPUT_GAIN
    return tensors


def _codec_tensor(key: str, shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    noise = random.standard_normal(shape)
    if key.endswith(("_initialized", "cluster_usage")) or re.search(r"norm\d\.weight", key):
        return np.ones(shape)
    if key.endswith(".bias"):
        return np.zeros(shape)
    if key.endswith(".scale"):
        return np.full(shape, 0.3)  # not the initial 0.01: the transformers are to matter
    if key.endswith("embedding_sum"):
        return noise
    if key.startswith("upsample."):
        return noise * 0.7
    if ".convtr." in key:  # [in, out, k]: two taps of the kernel reach each output sample
        return noise * (2 * shape[0]) ** -0.5
    return noise * np.prod(shape[1:]) ** -0.5


def tokenizer(vocabulary: int) -> bytes:
    """A SentencePiece model over common words and all of ASCII; ids 0 unknown, 1 BOS, 2 EOS, 3 padding."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(_TEXT.split("\n")[1:-1]),
        model_writer=model,
        vocab_size=vocabulary,
        required_chars=_CHARACTERS,
        character_coverage=1.0,
        unk_id=0,
        bos_id=1,
        eos_id=2,
        pad_id=3,
        num_threads=1,
        minloglevel=2,
    )
    return model.getvalue()


def _stored(tensors: Mapping[str, np.ndarray], dtype: torch.dtype) -> dict[str, Tensor]:
    return {key: torch.from_numpy(tensor.astype(np.float32)).to(dtype) for key, tensor in tensors.items()}


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=2) + "\n", "utf-8")


_CARD = f"""---
license: mit
---
# Mini, untrained

**These weights are random numbers. Nothing was ever trained: the replies are noise, the words mean nothing.**

The folder has the whole architecture of a full-duplex speech model (Moshi's: temporal and depth transformer over 17
token streams, Mimi codec) in the file format of Moshi's own repositories, small enough to run in real time on a
processor. It shows that sound goes in, through the model and out again, and how long that takes; it shows nothing of
what such a model can say. `"trained": false` in `config.json` makes the program say so.

| | |
| --- | --- |
| language model | {LM["num_layers"]} layers of {LM["dim"]}, depth {LM["depformer_num_layers"]} layers of \
{LM["depformer_dim"]}, 8 own and 8 user codebooks of {LM["card"]} codes, context {LM["context"]} frames |
| codec | 24 kHz, 12.5 frames a second, 8 codebooks |
| tokenizer | SentencePiece, {LM["text_card"]} pieces |
| made by | `python -m training.make_untrained`, always the same numbers |
| data | none |
| licence | {LICENCE} |
"""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
