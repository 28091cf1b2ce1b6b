"""Small random checkpoints in the published file layout, for tests that need a whole model folder.

Owns a second, independent statement of that layout (facts: lm.md 3, 10; mimi.md tables): it must not import
`engine`, so that a mistake in the loader's tables cannot hide in the files that test it. The weights are lively
(logits spread, codes vary, the codec's transformers matter), unlike freshly initialised ones.
"""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sentencepiece
import torch
from safetensors.torch import save_file
from torch import Tensor

MODEL_NAME = "model.safetensors"
MIMI_NAME = "tokenizer-e351c8d8-checkpoint125.safetensors"
TOKENIZER_NAME = "tokenizer_spm_32k_3.model"
MIMI_CONFIG_NAME = "mimi_config.json"

TINY_LM: dict[str, Any] = {
    "dim": 64,
    "text_card": 48,
    "existing_text_padding_id": 3,
    "n_q": 16,
    "dep_q": 8,
    "card": 2048,
    "num_heads": 4,
    "num_layers": 3,
    "hidden_scale": 4.125,
    "causal": True,
    "layer_scale": None,
    "context": 3000,
    "max_period": 10000,
    "gating": "silu",
    "norm": "rms_norm_f32",
    "positional_embedding": "rope",
    "depformer_dim": 32,
    "depformer_dim_feedforward": 132,
    "depformer_num_heads": 2,
    "depformer_num_layers": 2,
    "depformer_layer_scale": None,
    "depformer_multi_linear": True,
    "depformer_context": 8,
    "depformer_max_period": 10000,
    "depformer_gating": "silu",
    "depformer_pos_emb": "none",
    "depformer_weights_per_step": True,
    "delays": [0] + ([0] + [1] * 7) * 2,
}

TINY_MIMI: dict[str, Any] = {
    "sample_rate": 24000,
    "channels": 1,
    "frame_rate": 12.5,
    "seanet": {
        "channels": 1,
        "dimension": 32,
        "causal": True,
        "n_filters": 4,
        "n_residual_layers": 1,
        "activation": "ELU",
        "compress": 2,
        "dilation_base": 2,
        "disable_norm_outer_blocks": 0,
        "kernel_size": 7,
        "residual_kernel_size": 3,
        "last_kernel_size": 3,
        "norm": "none",
        "pad_mode": "constant",
        "ratios": [8, 6, 5, 4],
        "true_skip": True,
    },
    "quantizer": {"dimension": 16, "n_q": 32, "bins": 2048, "input_dimension": 32, "output_dimension": 32},
    "transformer": {
        "d_model": 32,
        "num_heads": 2,
        "num_layers": 2,
        "causal": True,
        "layer_scale": 0.01,
        "context": 250,
        "conv_layout": True,
        "max_period": 10000,
        "gating": "none",
        "norm": "layer_norm",
        "positional_embedding": "rope",
        "dim_feedforward": 64,
        "input_dimension": 32,
        "output_dimensions": [32],
    },
}

_SENTENCES = (
    "<system> you are a wise and friendly teacher. answer questions in a clear and engaging way. <system>",
    "<system> you enjoy having a good talk about the weather, music and books. <system>",
    "good morning, how are you today?",
    "i am very well, thank you. and you?",
    "what comes after monday?",
    "the day after monday is tuesday.",
    "seven plus five is twelve.",
    "yes, nine is bigger than four.",
    "could you say that once more, please?",
    "the quick brown fox jumps over the lazy dog.",
    "we have just walked along the river and seen six white swans.",
    "it's a mixed bag, isn't it? i don't quite know.",
    "sorry, i did not understand the question.",
    "one, two, three, four, five, six, seven, eight, nine, ten.",
    "my favourite colour is a deep blue, like the sea at night.",
    "please call me back when the job is done.",
    "what a lovely voice you have!",
    "the opposite of hot is cold, and the opposite of big is small.",
    "nobody expects a zebra in the kitchen.",
    "let us talk about the garden, the vegetables and the extra work in spring.",
)


def lm_config(overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The tiny language model's hyper-parameters, complete, so that upstream's model accepts them as keywords."""
    return {**TINY_LM, **(overrides or {})}


def mimi_config(overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The tiny codec's file. Overrides go one level deep: {"transformer": {"context": 16}} changes that value alone."""
    config = {key: dict(value) if isinstance(value, dict) else value for key, value in TINY_MIMI.items()}
    for key, value in (overrides or {}).items():
        config[key] = {**config[key], **value} if isinstance(value, Mapping) else value
    return config


def write_checkpoint(
    folder: Path,
    *,
    seed: int = 0,
    lm: Mapping[str, Any] | None = None,
    mimi: Mapping[str, Any] | None = None,
    depth_steps: int = 8,
    split_names: bool = False,
    dtype: torch.dtype = torch.float32,
    config: Mapping[str, Any] | None = None,
) -> Path:
    """Writes a whole model folder and returns it. Same arguments, same bytes.

    lm, mimi: overrides of the tiny configurations, written to the JSON files too.
    depth_steps: how many depth steps the file holds (8, or 16 as PersonaPlex's); config.json keeps its own `dep_q`.
        The first steps' weights are the same in both.
    split_names: attention under upstream's `in_projs.{i}.weight` names instead of the packed ones.
    dtype: of the language model's tensors; the codec is always float32.
    config: further keys of config.json, such as {"trained": False, "lm_gen_config": {...}}.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lm_values, mimi_values = lm_config(lm), mimi_config(mimi)
    tensors = lm_tensors(lm_values, seed, depth_steps, split_names)
    save_file({key: tensor.to(dtype) for key, tensor in tensors.items()}, folder / MODEL_NAME)
    save_file(mimi_tensors(mimi_values, seed), folder / MIMI_NAME)
    (folder / TOKENIZER_NAME).write_bytes(tokenizer_bytes(lm_values["text_card"]))
    (folder / MIMI_CONFIG_NAME).write_text(json.dumps(mimi_values, indent=2), encoding="utf-8")
    names = {
        "moshi_name": MODEL_NAME,
        "mimi_name": MIMI_NAME,
        "mimi_config_name": MIMI_CONFIG_NAME,
        "tokenizer_name": TOKENIZER_NAME,
        "model_type": "moshi",
    }
    merged = {**lm_values, **names, **(config or {})}
    (folder / "config.json").write_text(json.dumps(merged, indent=2), encoding="utf-8")
    return folder


@functools.lru_cache(maxsize=8)
def tokenizer_bytes(vocabulary: int = 48) -> bytes:
    """A SentencePiece model of at most `vocabulary` lower-cased pieces; ids 0 unknown, 1 BOS, 2 EOS, 3 padding."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(_SENTENCES),
        model_writer=model,
        vocab_size=vocabulary,
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="nmt_nfkc_cf",
        unk_id=0,
        bos_id=1,
        eos_id=2,
        pad_id=3,
        num_threads=1,
        minloglevel=2,
    )
    return model.getvalue()


def _normal(generator: torch.Generator, *shape: int, scale: float) -> Tensor:
    return torch.randn(*shape, generator=generator) * scale


def _alpha(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.rand(*shape, generator=generator) + 0.5


def _matrix(generator: torch.Generator, rows: int, columns: int) -> Tensor:
    """Twice the variance-keeping scale: logits of untrained stacks are else too flat for greedy choices to differ."""
    return _normal(generator, rows, columns, scale=2 / columns**0.5)


def _swiglu_hidden(dim: int, feedforward: int) -> int:
    return 21 * dim // 8 if feedforward == 4 * dim else 2 * feedforward // 3


def _named(prefix: str, packed: str, parts: list[Tensor], split_names: bool) -> Iterator[tuple[str, Tensor]]:
    """One attention projection, its steps packed along the rows or one key for each."""
    if split_names:
        split = "in_projs" if packed == "in_proj_weight" else "out_projs"
        yield from ((f"{prefix}.self_attn.{split}.{i}.weight", part) for i, part in enumerate(parts))
    else:
        yield f"{prefix}.self_attn.{packed}", torch.cat(parts)


def lm_tensors(config: Mapping[str, Any], seed: int, steps: int, split_names: bool = False) -> dict[str, Tensor]:
    """All tensors of the language model's file by their published names, float32."""
    generator = torch.Generator().manual_seed(seed)
    dim, depth, card, text = (config[k] for k in ("dim", "depformer_dim", "card", "text_card"))
    hidden = _swiglu_hidden(dim, int(config["hidden_scale"] * dim))
    depth_hidden = _swiglu_hidden(depth, config["depformer_dim_feedforward"])
    tensors: dict[str, Tensor] = {}
    for k in range(config["n_q"]):
        tensors[f"emb.{k}.weight"] = _matrix(generator, card + 1, dim)
    tensors["text_emb.weight"] = _matrix(generator, text + 1, dim)
    tensors["text_linear.weight"] = _matrix(generator, text, dim)
    tensors["out_norm.alpha"] = _alpha(generator, 1, 1, dim)
    for layer in range(config["num_layers"]):
        prefix = f"transformer.layers.{layer}"
        tensors.update(_named(prefix, "in_proj_weight", [_matrix(generator, 3 * dim, dim)], split_names))
        tensors.update(_named(prefix, "out_proj.weight", [_matrix(generator, dim, dim)], split_names))
        tensors[f"{prefix}.norm1.alpha"] = _alpha(generator, 1, 1, dim)
        tensors[f"{prefix}.norm2.alpha"] = _alpha(generator, 1, 1, dim)
        tensors[f"{prefix}.gating.linear_in.weight"] = _matrix(generator, 2 * hidden, dim)
        tensors[f"{prefix}.gating.linear_out.weight"] = _matrix(generator, dim, hidden)
    tensors["depformer_text_emb.weight"] = _matrix(generator, text + 1, depth)
    for layer in range(config["depformer_num_layers"]):
        tensors[f"depformer.layers.{layer}.norm1.alpha"] = _alpha(generator, 1, 1, depth)
        tensors[f"depformer.layers.{layer}.norm2.alpha"] = _alpha(generator, 1, 1, depth)
    attention: dict[str, list[Tensor]] = {}
    for step in range(steps):  # step by step, so that a file with more steps begins with the same weights
        tensors[f"depformer_in.{step}.weight"] = _matrix(generator, depth, dim)
        tensors[f"linears.{step}.weight"] = _matrix(generator, card, depth)
        if step > 0:
            tensors[f"depformer_emb.{step - 1}.weight"] = _matrix(generator, card + 1, depth)
        for layer in range(config["depformer_num_layers"]):
            prefix = f"depformer.layers.{layer}"
            attention.setdefault(f"{prefix} in_proj_weight", []).append(_matrix(generator, 3 * depth, depth))
            attention.setdefault(f"{prefix} out_proj.weight", []).append(_matrix(generator, depth, depth))
            tensors[f"{prefix}.gating.{step}.linear_in.weight"] = _matrix(generator, 2 * depth_hidden, depth)
            tensors[f"{prefix}.gating.{step}.linear_out.weight"] = _matrix(generator, depth, depth_hidden)
    for place, parts in attention.items():
        prefix, packed = place.split(" ")
        tensors.update(_named(prefix, packed, parts, split_names))
    return tensors


def _convolution(
    generator: torch.Generator, prefix: str, shape: tuple[int, int, int], fan_in: int
) -> dict[str, Tensor]:
    """Weight that keeps the signal's variance, and a small bias over the output channels."""
    channels = shape[1] if ".convtr" in prefix else shape[0]
    return {
        f"{prefix}.weight": _normal(generator, *shape, scale=fan_in**-0.5),
        f"{prefix}.bias": _normal(generator, channels, scale=0.05 if channels > 1 else 0.005),
    }


def _residual(generator: torch.Generator, prefix: str, channels: int, kernel: int, compress: int) -> dict[str, Tensor]:
    inner = channels // compress
    first = _convolution(generator, f"{prefix}.block.1.conv.conv", (inner, channels, kernel), channels * kernel)
    return first | _convolution(generator, f"{prefix}.block.3.conv.conv", (channels, inner, 1), inner)


def _seanet_tensors(generator: torch.Generator, seanet: Mapping[str, Any]) -> dict[str, Tensor]:
    """Encoder and decoder. Indices as in mimi.md's tables: an activation takes one before each (transposed) conv."""
    filters, dimension, ratios = seanet["n_filters"], seanet["dimension"], seanet["ratios"]
    kernel, last, inner, compress = (
        seanet[k] for k in ("kernel_size", "last_kernel_size", "residual_kernel_size", "compress")
    )
    tensors = _convolution(generator, "encoder.model.0.conv.conv", (filters, 1, kernel), kernel)
    index, channels = 1, filters
    for ratio in reversed(ratios):
        tensors |= _residual(generator, f"encoder.model.{index}", channels, inner, compress)
        shape = (2 * channels, channels, 2 * ratio)
        tensors |= _convolution(generator, f"encoder.model.{index + 2}.conv.conv", shape, channels * 2 * ratio)
        index, channels = index + 3, 2 * channels
    shape = (dimension, channels, last)
    tensors |= _convolution(generator, f"encoder.model.{index + 1}.conv.conv", shape, channels * last)
    tensors |= _convolution(generator, "decoder.model.0.conv.conv", (channels, dimension, kernel), dimension * kernel)
    index = 1
    for ratio in ratios:
        shape = (channels, channels // 2, 2 * ratio)  # two taps of the kernel reach each output sample
        tensors |= _convolution(generator, f"decoder.model.{index + 1}.convtr.convtr", shape, 2 * channels)
        channels //= 2
        tensors |= _residual(generator, f"decoder.model.{index + 2}", channels, inner, compress)
        index += 3
    # A hundredth of the power at the end: the answer stays inside full scale, so that no test compares clipped samples.
    shape = (1, channels, last)
    return tensors | _convolution(generator, f"decoder.model.{index + 1}.conv.conv", shape, channels * last * 100)


def _codec_transformer_tensors(generator: torch.Generator, prefix: str, config: Mapping[str, Any]) -> dict[str, Tensor]:
    dim, feedforward = config["d_model"], config["dim_feedforward"]
    tensors: dict[str, Tensor] = {}
    for layer in range(config["num_layers"]):
        place = f"{prefix}.transformer.layers.{layer}"
        tensors[f"{place}.self_attn.in_proj_weight"] = _matrix(generator, 3 * dim, dim)
        tensors[f"{place}.self_attn.out_proj.weight"] = _matrix(generator, dim, dim)
        tensors[f"{place}.linear1.weight"] = _matrix(generator, feedforward, dim)
        tensors[f"{place}.linear2.weight"] = _matrix(generator, dim, feedforward)
        for norm in ("norm1", "norm2"):
            tensors[f"{place}.{norm}.weight"] = _alpha(generator, dim)
            tensors[f"{place}.{norm}.bias"] = _normal(generator, dim, scale=0.1)
        for scale in ("layer_scale_1", "layer_scale_2"):  # 0.3, not the initial 0.01: the transformers must matter
            tensors[f"{place}.{scale}.scale"] = torch.full((dim,), 0.3)
    return tensors


def _codebook_tensors(generator: torch.Generator, prefix: str, bins: int, dim: int, spread: float) -> dict[str, Tensor]:
    usage = torch.rand(bins, generator=generator) * 1.5 + 0.5
    return {
        f"{prefix}.embedding_sum": _normal(generator, bins, dim, scale=spread) * usage[:, None],
        f"{prefix}.cluster_usage": usage,
        f"{prefix}._initialized": torch.ones(1),
    }


def mimi_tensors(config: Mapping[str, Any], seed: int) -> dict[str, Tensor]:
    """All tensors of the codec's file by their published names, float32."""
    generator = torch.Generator().manual_seed(seed + 1)
    quantizer = config["quantizer"]
    latent, dim, bins = config["seanet"]["dimension"], quantizer["dimension"], quantizer["bins"]
    tensors = _seanet_tensors(generator, config["seanet"])
    for side in ("encoder_transformer", "decoder_transformer"):
        tensors |= _codec_transformer_tensors(generator, side, config["transformer"])
    tensors["downsample.conv.conv.conv.weight"] = _normal(generator, latent, latent, 4, scale=(4 * latent) ** -0.5)
    tensors["upsample.convtr.convtr.convtr.weight"] = _normal(generator, latent, 1, 4, scale=0.7)
    for group, levels in (("rvq_first", 1), ("rvq_rest", quantizer["n_q"] - 1)):
        prefix = f"quantizer.{group}"
        tensors[f"{prefix}.input_proj.weight"] = _normal(generator, dim, latent, 1, scale=2 * latent**-0.5)
        tensors[f"{prefix}.output_proj.weight"] = _normal(generator, latent, dim, 1, scale=dim**-0.5)
        for level in range(levels):  # each level refines what the one before left over
            place = f"{prefix}.vq.layers.{level}._codebook"
            tensors |= _codebook_tensors(generator, place, bins, dim, spread=0.8**level)
    return tensors
