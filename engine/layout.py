"""The published key layout of Moshi's and Mimi's checkpoint files, and which parameter each key fills.

Owns names and shapes (facts: lm.md 3, mimi.md tables) and every quirk in them: packed and split attention, 8 or 16
depth steps, old codebook names, codebooks beyond those used. Knows nothing of files, bytes or devices.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from engine.config import LMConfig, MimiConfig


class Piece(NamedTuple):
    """One key of a checkpoint file.

    parameter, row: what its leading elements fill: the whole parameter, or its row `row`. A key that carries more
    than that (16 packed depth steps of which 8 are kept) is cut. None = checked like the others, but not read.
    dtype: what the file must call the key's type; None = any float type.
    """

    key: str
    shape: tuple[int, ...]
    parameter: str | None
    row: int | None = None
    dtype: str | None = None


# In these two the parameter is codebooks [codebooks, bins, dim] and the usage it is divided by [codebooks, bins].
CODEBOOKS, USAGE = "quantizer.codebooks", "quantizer.usage"


def depth_steps(keys: Collection[str]) -> int:
    """How many depth steps a language model's file holds, whatever its config.json says."""
    steps = 0
    while f"linears.{steps}.weight" in keys:
        steps += 1
    return steps


def checkpoint_layout(config: LMConfig, steps: int | None = None) -> dict[str, tuple[int, ...]]:
    """Key -> shape of a language model's file with `steps` depth steps (None: the own codebooks), packed names."""
    return {piece.key: piece.shape for piece in lm_pieces(config, config.own if steps is None else steps)}


def mimi_layout(config: MimiConfig) -> dict[str, tuple[int, ...]]:
    """Key -> shape of the codec's file, present-day names."""
    return {piece.key: piece.shape for piece in mimi_pieces(config, config.n_q)}


def lm_pieces(config: LMConfig, steps: int, present: Collection[str] = ()) -> Iterator[Piece]:
    """The language model's keys. `present` = the file's keys: where it splits an attention weight, so do the pieces."""
    dim, card, text = config.dim, config.card, config.text_card
    for k in range(config.n_q):
        yield Piece(f"emb.{k}.weight", (card + 1, dim), "temporal.audio_embeddings", k)
    yield Piece("text_emb.weight", (text + 1, dim), "temporal.text_embedding")
    yield Piece("text_linear.weight", (text, dim), "temporal.text_head")
    yield Piece("out_norm.alpha", (1, 1, dim), "temporal.out_norm")
    for layer in range(config.num_layers):
        source, target = f"transformer.layers.{layer}", f"temporal.layers.{layer}"
        yield from _attention(source, target, dim, 1, present)
        yield from _norms(source, target, dim)
        yield Piece(f"{source}.gating.linear_in.weight", (2 * config.hidden, dim), f"{target}.linear_in")
        yield Piece(f"{source}.gating.linear_out.weight", (dim, config.hidden), f"{target}.linear_out")
    yield from _depth(config, steps, present)


def _depth(config: LMConfig, steps: int, present: Collection[str]) -> Iterator[Piece]:
    """The depth transformer. Steps past the own codebooks only re-predict the user (lm.md 8b) and are left unread."""
    dim, hidden, own = config.depformer_dim, config.depth_hidden, config.own

    def kept(step: int, parameter: str, limit: int = own) -> tuple[str | None, int | None]:
        return (parameter, step) if step < limit else (None, None)

    yield Piece("depformer_text_emb.weight", (config.text_card + 1, dim), "depth.text_embedding")
    for step in range(steps):
        yield Piece(f"depformer_in.{step}.weight", (dim, config.dim), *kept(step, "depth.input_projections"))
        yield Piece(f"linears.{step}.weight", (config.card, dim), *kept(step, "depth.heads"))
    for step in range(steps - 1):
        embedding = kept(step, "depth.audio_embeddings", own - 1)
        yield Piece(f"depformer_emb.{step}.weight", (config.card + 1, dim), *embedding)
    for layer in range(config.depformer_num_layers):
        source, target = f"depformer.layers.{layer}", f"depth.layers.{layer}"
        yield from _attention(source, target, dim, steps, present, own)
        yield from _norms(source, target, dim)
        for step in range(steps):
            gating = f"{source}.gating.{step}"
            yield Piece(f"{gating}.linear_in.weight", (2 * hidden, dim), *kept(step, f"{target}.linear_in"))
            yield Piece(f"{gating}.linear_out.weight", (dim, hidden), *kept(step, f"{target}.linear_out"))


def _attention(
    source: str, target: str, dim: int, steps: int, present: Collection[str], own: int = 1
) -> Iterator[Piece]:
    """In and out projection: packed over the steps along the rows, or one key a step as in upstream's live module."""
    for packed, split, rows, parameter in (
        (f"{source}.self_attn.in_proj_weight", f"{source}.self_attn.in_projs", 3 * dim, f"{target}.in_proj"),
        (f"{source}.self_attn.out_proj.weight", f"{source}.self_attn.out_projs", dim, f"{target}.out_proj"),
    ):
        if packed in present or f"{split}.0.weight" not in present:
            yield Piece(packed, (steps * rows, dim), parameter)
            continue
        for step in range(steps):
            kept = (parameter, step if target.startswith("depth.") else None) if step < own else (None, None)
            yield Piece(f"{split}.{step}.weight", (rows, dim), *kept)


def _norms(source: str, target: str, dim: int) -> Iterator[Piece]:
    for norm in ("norm1", "norm2"):
        yield Piece(f"{source}.{norm}.alpha", (1, 1, dim), f"{target}.{norm}")


def mimi_pieces(config: MimiConfig, codebooks: int, present: Collection[str] = ()) -> Iterator[Piece]:
    """The codec's keys; the first `codebooks` codebooks are read. `present` = the file's keys, to find old names."""
    yield from _encoder(config)
    yield from _decoder(config)
    for side in ("encoder_transformer", "decoder_transformer"):
        for layer in range(config.num_layers):
            yield from _codec_layer(config, f"{side}.transformer.layers.{layer}", f"{side}.layers.{layer}")
    dim, kernel = config.dimension, 2 * config.resample_stride
    yield Piece("downsample.conv.conv.conv.weight", (dim, dim, kernel), "downsample.weight")
    yield Piece("upsample.convtr.convtr.convtr.weight", (dim, 1, kernel), "upsample.weight")
    for group, name in (("rvq_first", "semantic"), ("rvq_rest", "acoustic")):
        inner = config.codebook_dim
        yield Piece(f"quantizer.{group}.input_proj.weight", (inner, dim, 1), f"quantizer.{name}_in")
        yield Piece(f"quantizer.{group}.output_proj.weight", (dim, inner, 1), f"quantizer.{name}_out")
    for level in range(config.n_q):
        group, index = ("rvq_first", 0) if level == 0 else ("rvq_rest", level - 1)
        yield from _codebook(config, f"quantizer.{group}.vq.layers.{index}._codebook", level, codebooks, present)


def _convolution(source: str, target: str, shape: tuple[int, int, int]) -> Iterator[Piece]:
    yield Piece(f"{source}.weight", shape, f"{target}.weight")
    channels = shape[1] if source.endswith("convtr") else shape[0]
    yield Piece(f"{source}.bias", (channels,), f"{target}.bias")


def _residual(config: MimiConfig, source: str, target: str, channels: int) -> Iterator[Piece]:
    inner, kernel = channels // config.compress, config.residual_kernel_size
    yield from _convolution(f"{source}.block.1.conv.conv", f"{target}.conv1", (inner, channels, kernel))
    yield from _convolution(f"{source}.block.3.conv.conv", f"{target}.conv2", (channels, inner, 1))


def _encoder(config: MimiConfig) -> Iterator[Piece]:
    """Sequence numbers count the activations: they have no weights and stand before each convolution but the first."""
    channels, index = config.n_filters, 1
    yield from _convolution(
        "encoder.model.0.conv.conv", "encoder.layers.0", (channels, config.channels, config.kernel_size)
    )
    for ratio in reversed(config.ratios):
        for _ in range(config.n_residual_layers):
            yield from _residual(config, f"encoder.model.{index}", f"encoder.layers.{index}", channels)
            index += 1
        place, shape = index + 1, (2 * channels, channels, 2 * ratio)
        yield from _convolution(f"encoder.model.{place}.conv.conv", f"encoder.layers.{place}", shape)
        channels, index = 2 * channels, place + 1
    shape = (config.dimension, channels, config.last_kernel_size)
    yield from _convolution(f"encoder.model.{index + 1}.conv.conv", f"encoder.layers.{index + 1}", shape)


def _decoder(config: MimiConfig) -> Iterator[Piece]:
    channels, index = config.n_filters * 2 ** len(config.ratios), 1
    yield from _convolution(
        "decoder.model.0.conv.conv", "decoder.layers.0", (channels, config.dimension, config.kernel_size)
    )
    for ratio in config.ratios:
        place, shape = index + 1, (channels, channels // 2, 2 * ratio)
        yield from _convolution(f"decoder.model.{place}.convtr.convtr", f"decoder.layers.{place}", shape)
        channels, index = channels // 2, place + 1
        for _ in range(config.n_residual_layers):
            yield from _residual(config, f"decoder.model.{index}", f"decoder.layers.{index}", channels)
            index += 1
    shape = (config.channels, channels, config.last_kernel_size)
    yield from _convolution(f"decoder.model.{index + 1}.conv.conv", f"decoder.layers.{index + 1}", shape)


def _codec_layer(config: MimiConfig, source: str, target: str) -> Iterator[Piece]:
    dim, feedforward = config.dimension, config.dim_feedforward
    names: Sequence[tuple[str, str, tuple[int, ...]]] = (
        ("self_attn.in_proj_weight", "in_proj", (3 * dim, dim)),
        ("self_attn.out_proj.weight", "out_proj", (dim, dim)),
        ("norm1.weight", "norm1_weight", (dim,)),
        ("norm1.bias", "norm1_bias", (dim,)),
        ("norm2.weight", "norm2_weight", (dim,)),
        ("norm2.bias", "norm2_bias", (dim,)),
        ("linear1.weight", "linear1", (feedforward, dim)),
        ("linear2.weight", "linear2", (dim, feedforward)),
        ("layer_scale_1.scale", "scale1", (dim,)),
        ("layer_scale_2.scale", "scale2", (dim,)),
    )
    for key, parameter, shape in names:
        yield Piece(f"{source}.{key}", shape, f"{target}.{parameter}")


def _codebook(config: MimiConfig, source: str, level: int, codebooks: int, present: Collection[str]) -> Iterator[Piece]:
    """A codebook is stored as running sums and counts; beside the present names stand those of older files."""
    bins, used = config.bins, level < codebooks
    for names, shape, parameter in (
        (("embedding_sum", "embed_sum", "embed_avg"), (bins, config.codebook_dim), CODEBOOKS),
        (("cluster_usage", "cluster_size"), (bins,), USAGE),
        (("_initialized", "inited"), (1,), None),
    ):
        key = next((f"{source}.{name}" for name in names if f"{source}.{name}" in present), f"{source}.{names[0]}")
        yield Piece(key, shape, parameter if used else None, level if used and parameter else None)
