"""Weights on disk: the codec in the published key layout (what the engine loads), helpers of training beside it.

The key tables are the engine's own (`engine/layout.py`), turned round. Files are written whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from engine.config import LMConfig, MimiConfig
from engine.layout import CODEBOOKS, USAGE, Piece, lm_pieces, mimi_pieces
from engine.lm import LanguageModel
from training import packing
from training.codec import Codec


def write(tensors: dict[str, Tensor], path: Path) -> None:
    """Save tensors to a safetensors file by way of a temporary one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    save_file({key: value.detach().cpu().contiguous() for key, value in tensors.items()}, partial)
    partial.replace(path)


def save_module(module: nn.Module, path: Path, dtype: torch.dtype = torch.float16) -> None:
    """A training-only module under its own parameter names."""
    write({key: value.to(dtype) for key, value in module.state_dict().items()}, path)


def load_module(module: nn.Module, path: Path) -> None:
    module.load_state_dict(packing.read(path))


def codec_tensors(codec: Codec, dtype: torch.dtype = torch.float16) -> dict[str, Tensor]:
    """The codec in the published layout. Codebooks are written as vectors with a usage of one: sums of thousands of
    vectors would lose their last bits in 16 bits."""
    codec.export_codebooks()
    return _pieces(codec.mimi, mimi_pieces(codec.config, codec.config.n_q), dtype)


def save_codec(codec: Codec, path: Path, dtype: torch.dtype = torch.float16) -> None:
    write(codec_tensors(codec, dtype), path)


def load_codec(path: Path, config: MimiConfig, labels: int, dtype: torch.dtype = torch.float32) -> Codec:
    """A codec to go on training from, or to use; its content head is fresh."""
    codec = Codec(config, labels, dtype)
    stored = packing.read(path)
    targets = dict(codec.mimi.named_parameters())
    with torch.no_grad():
        for piece in mimi_pieces(config, config.n_q, stored.keys()):
            value = stored[piece.key].float()
            if piece.parameter == CODEBOOKS and piece.row is not None:
                codec.quantiser.sums[piece.row] = value
            elif piece.parameter == USAGE and piece.row is not None:
                codec.quantiser.usage[piece.row] = value
            elif piece.parameter is not None:
                targets[piece.parameter].copy_(value.view_as(targets[piece.parameter]))
    codec.export_codebooks()
    return codec


def language_tensors(model: LanguageModel, dtype: torch.dtype) -> dict[str, Tensor]:
    """The language model in the published layout."""
    return _pieces(model, lm_pieces(model.config, model.config.own), dtype)


def load_language(path: Path, config: LMConfig) -> LanguageModel:
    """A language model to go on training from."""
    model = LanguageModel(config)
    stored = packing.read(path)
    targets = dict(model.named_parameters())
    with torch.no_grad():
        for piece in lm_pieces(config, config.own, stored.keys()):
            if piece.parameter is None:
                continue
            whole: Tensor = targets[piece.parameter]
            target = whole if piece.row is None else whole[piece.row]
            target.copy_(stored[piece.key].float().view_as(target))
    return model


def _pieces(module: nn.Module, pieces: Iterator[Piece], dtype: torch.dtype) -> dict[str, Tensor]:
    source = dict(module.named_parameters())
    tensors: dict[str, Tensor] = {}
    for piece in pieces:
        if piece.parameter == USAGE:
            value = torch.ones(piece.shape)
        elif piece.parameter is None:
            value = torch.ones(piece.shape)  # the codebooks' "initialised" marks
        else:
            whole: Tensor = source[piece.parameter]
            value = (whole if piece.row is None else whole[piece.row]).reshape(piece.shape)
        tensors[piece.key] = value.detach().to(dtype)
    return tensors


def codec_config(config: MimiConfig) -> dict[str, Any]:
    """The file that `mimi_config_name` points to."""
    seanet = ("dimension", "n_filters", "kernel_size", "residual_kernel_size", "last_kernel_size", "n_residual_layers",
              "dilation_base", "compress", "ratios")  # fmt: skip
    transformer = ("num_heads", "num_layers", "dim_feedforward", "context", "max_period")
    dim = config.dimension
    return {
        "sample_rate": config.sample_rate,
        "channels": config.channels,
        "frame_rate": config.frame_rate,
        "seanet": {key: getattr(config, key) for key in seanet} | {"channels": config.channels, "norm": "none",
                   "pad_mode": "constant", "causal": True, "true_skip": True, "activation": "ELU"},
        "transformer": {key: getattr(config, key) for key in transformer} | {"d_model": dim, "input_dimension": dim,
                        "output_dimensions": [dim], "causal": True, "gating": "none", "norm": "layer_norm",
                        "positional_embedding": "rope", "layer_scale": 0.01},
        "quantizer": {"dimension": config.codebook_dim, "n_q": config.n_q, "bins": config.bins, "input_dimension": dim,
                      "output_dimension": dim},
    }  # fmt: skip


def write_json(value: dict[str, Any], path: Path) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(value, indent=2) + "\n")
    partial.replace(path)
