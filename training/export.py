"""A model folder that the program loads: language model, codec, tokenizer, voices and the two JSON files.

Writes the published key layout. What only this checkpoint has (its own silence and tone codes) goes into config.json
under the keys that the loader reads.
"""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.config import LMConfig
from training import checkpoints
from training.codec import Codec
from training.language import TrainedLanguage
from training.streams import PromptCodes

MODEL, CODEC, TOKENIZER, CODEC_CONFIG = (
    "model.safetensors", "codec.safetensors", "tokenizer.model", "mimi_config.json",
)  # fmt: skip


def language_config(config: LMConfig, fillers: PromptCodes) -> dict[str, Any]:
    """config.json: every size stated, nothing left to the defaults of the published model."""
    sizes = dataclasses.asdict(config) | {"delays": list(config.delays)}
    fixed = {
        "causal": True, "layer_scale": None, "gating": "silu", "norm": "rms_norm_f32", "positional_embedding": "rope",
        "depformer_layer_scale": None, "depformer_multi_linear": True, "depformer_gating": "silu",
        "depformer_pos_emb": "none", "depformer_weights_per_step": True, "model_type": "moshi",
    }  # fmt: skip
    files = {"moshi_name": MODEL, "mimi_name": CODEC, "tokenizer_name": TOKENIZER, "mimi_config_name": CODEC_CONFIG}
    return (
        sizes
        | fixed
        | files
        | {
            "silence_codes": fillers.silence.tolist(),
            "sine_codes": fillers.sine.tolist(),
            "lm_gen_config": {"temp": 0.6, "temp_text": 0.3, "top_k": 100, "top_k_text": 20},
            "trained": True,
        }
    )


def write_model(
    folder: Path, language: TrainedLanguage, codec: Codec, tokenizer: Path, fillers: PromptCodes,
    dtype: torch.dtype = torch.bfloat16,
) -> None:  # fmt: skip
    """The whole folder. Voices are added by `write_voices`."""
    folder.mkdir(parents=True, exist_ok=True)
    checkpoints.write(checkpoints.language_tensors(language.model, dtype), folder / MODEL)
    checkpoints.save_codec(codec, folder / CODEC)
    checkpoints.write_json(checkpoints.codec_config(codec.config), folder / CODEC_CONFIG)
    checkpoints.write_json(language_config(language.config, fillers), folder / "config.json")
    if tokenizer.resolve() != (folder / TOKENIZER).resolve():
        shutil.copyfile(tokenizer, folder / TOKENIZER)


def write_voices(folder: Path, sounds: dict[str, Tensor]) -> None:
    """Voice prompts as recordings: some seconds of each own voice, 24 kHz. name -> [samples] float32"""
    import soundfile

    folder.mkdir(parents=True, exist_ok=True)
    for name, sound in sounds.items():
        soundfile.write(folder / f"{name}.flac", sound.cpu().numpy(), 24_000, subtype="PCM_16")
