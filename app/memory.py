"""How much memory a model takes and how many bytes each stage of a frame must read, from its sizes alone.

Owns the sums (facts: lm.md 3 to 5, mimi.md) and the sentence with which a model that does not fit is refused. Plain
whole numbers: no torch, no file, no device is touched, so that `parley doctor` answers on any machine and a talk is
refused before anything is loaded. Any thread may call it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import UserError

if TYPE_CHECKING:
    from engine.config import LMConfig, MimiConfig

VALUE_BYTES = {"float32": 4, "bfloat16": 2}  # of a weight, and of an entry of the attention rings beside it
SMALLER = ("bfloat16", "int8", "int4")  # what to try, in turn, where the usual precision does not fit
CARDS_GIB = (8, 12, 16, 24, 32)

_FLOAT32 = 4
_INTEGER = 8
# Measured on an H200 as the fall of free memory (tests/gpu/RESULTS.md). What a CUDA program takes before it holds a
# single weight: the driver's context.
_CUDA_CONTEXT = 650_000_000
# Loaded kernels, recorded graphs with their intermediate results, matrix libraries' scratch space.
_CUDA_WORKSPACE = 200_000_000
_HOST_PROGRAM = 450_000_000  # Python, torch and the window; with the bundled model 535 MB are told, 507 were seen
MARGIN = 256_000_000  # what other programs may take in the meantime, and the voice that is kept for the next talk


@dataclass(frozen=True)
class Estimate:
    """Bytes that one loaded model with one talk takes on its device."""

    weights: int  # of the language model; on a card without the tables that the computer's memory keeps
    rings: int  # its attention rings (KV), full length
    codec: int  # weights and state of the codec, float32
    state: int  # all else that changes in a talk
    graphs: int  # recorded graphs and scratch space
    program: int  # the CUDA context, or the program itself on a processor

    @property
    def total(self) -> int:
        return self.weights + self.rings + self.codec + self.state + self.graphs + self.program

    @property
    def needed(self) -> int:
        """What should be free before the program starts: the total and a margin."""
        return self.total + MARGIN

    @property
    def to_come(self) -> int:
        """The same once CUDA, or the program, already runs."""
        return self.needed - self.program


def estimate(lm: LMConfig, mimi: MimiConfig, precision: str, device: str = "cuda", kv: str = "full") -> Estimate:
    """precision: any but "auto"; device: "cuda", "cuda:N" or "cpu"; kv: as in the settings."""
    plain = computes_in(precision, device)
    size = VALUE_BYTES[plain]
    on_card = device.startswith("cuda")
    return Estimate(
        weights=weight_bytes(lm, precision, size) - (table_bytes(lm, precision, size) if on_card else 0),
        rings=ring_bytes_per_position(lm, plain, kv) * lm.context,
        codec=(encode_values(mimi, lm.codebooks) + decode_values(mimi)) * _FLOAT32 + codec_state_bytes(mimi),
        state=_talk_bytes(lm, mimi, size),
        graphs=(_CUDA_WORKSPACE if on_card else 0) + _spread_bytes(lm, precision, size),
        program=_CUDA_CONTEXT if on_card else _HOST_PROGRAM,
    )


def refuse_if_too_large(
    lm: LMConfig, mimi: MimiConfig, precision: str, device: str, free: int, total: int, kv: str = "full"
) -> None:
    """Raises UserError with both numbers, and what would fit, when a model needs more than is free (user report L3).

    free, total: as asked once the program, and CUDA with it, already runs.
    """
    needed = estimate(lm, mimi, precision, device, kv).to_come
    if needed <= free:
        return
    smaller = [other for other in SMALLER if estimate(lm, mimi, other, device, kv).to_come <= min(free, needed - 1)]
    place = "the graphics card" if device.startswith("cuda") else "this computer"
    if smaller:
        remedy = f"Precision {smaller[0]} would fit."
    elif needed <= total:
        remedy = "Close other programs that use it, or choose a smaller model such as mini."
    else:
        remedy = "No precision offered here makes it fit: choose a smaller model such as mini, or another device."
    raise UserError(
        f"This model needs {gib(needed)} of memory in {precision}, but {place} has {gib(free)} free "
        f"of {gib(total)}. {remedy}"
    )


def refuse_if_never(lm: LMConfig, mimi: MimiConfig, precision: str, device: str, total: int, kv: str = "full") -> None:
    """Raises UserError when a model needs more than the device has, whatever is free: known while another one runs."""
    needed = estimate(lm, mimi, precision, device, kv).to_come
    if needed <= total:
        return
    place = "the graphics card" if device.startswith("cuda") else "this computer"
    smaller = [other for other in SMALLER if estimate(lm, mimi, other, device, kv).to_come <= total]
    remedy = (
        f"Precision {smaller[0]} would fit."
        if smaller
        else "No precision offered here makes it fit: choose a smaller model such as mini, or another device."
    )
    raise UserError(
        f"This model needs {gib(needed)} of memory in {precision}, but {place} has {gib(total)} in all. {remedy}"
    )


def fit_table(
    lm: LMConfig, mimi: MimiConfig, precisions: Iterable[str], cards_gib: Iterable[int] = CARDS_GIB
) -> dict[str, dict[int, bool]]:
    """For each precision and each card size in GiB: whether the model fits with the margin."""
    return {
        precision: {card: estimate(lm, mimi, precision).needed <= card << 30 for card in cards_gib}
        for precision in precisions
    }


def gib(size: float) -> str:
    """Bytes for a sentence: "15.6 GiB"."""
    return f"{size / (1 << 30):.1f} GiB"


def computes_in(precision: str, device: str) -> str:
    """The plain precision of activations and attention rings: quantised ones keep weights only."""
    if precision in VALUE_BYTES:
        return precision
    return "bfloat16" if device.startswith("cuda") else "float32"


# ---------------------------------------------------------------- the language model


def lm_shapes(lm: LMConfig) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """Parameters as the engine names them: name, shape, and how many layers have one of it."""
    for name, dim, hidden, layers, steps in (
        ("temporal.layers.{}", lm.dim, lm.hidden, lm.num_layers, ()),
        ("depth.layers.{}", lm.depformer_dim, lm.depth_hidden, lm.depformer_num_layers, (lm.own,)),
    ):
        for norm in ("norm1", "norm2"):
            yield f"{name}.{norm}", (dim,), layers
        shapes = {"in_proj": (3 * dim, dim), "out_proj": (dim, dim), "linear_in": (2 * hidden, dim)}
        for matrix, shape in (shapes | {"linear_out": (dim, hidden)}).items():
            yield f"{name}.{matrix}", (*steps, *shape), layers
    yield "temporal.audio_embeddings", (lm.n_q, lm.card + 1, lm.dim), 1
    yield "temporal.text_embedding", (lm.text_card + 1, lm.dim), 1
    yield "temporal.out_norm", (lm.dim,), 1
    yield "temporal.text_head", (lm.text_card, lm.dim), 1
    yield "depth.input_projections", (lm.own, lm.depformer_dim, lm.dim), 1
    yield "depth.text_embedding", (lm.text_card + 1, lm.depformer_dim), 1
    yield "depth.audio_embeddings", (lm.own - 1, lm.card + 1, lm.depformer_dim), 1
    yield "depth.heads", (lm.own, lm.card, lm.depformer_dim), 1


def weight_bytes(lm: LMConfig, precision: str, value_bytes: int, start: str = "", without: str = "-") -> int:
    """Bytes of the language model's weights, scales included; only those whose names begin so, or lack a word."""
    from engine.precision import parameter_bytes

    return sum(
        count * parameter_bytes(precision, name, shape, value_bytes)
        for name, shape, count in lm_shapes(lm)
        if name.startswith(start) and without not in name
    )


def table_bytes(lm: LMConfig, precision: str, value_bytes: int) -> int:
    """Bytes of the tables that a card's model has in the computer's memory (`engine.tables`)."""
    return weight_bytes(lm, precision, value_bytes, "temporal.") - weight_bytes(
        lm, precision, value_bytes, "temporal.", "embedding"
    )


def _spread_bytes(lm: LMConfig, precision: str, value_bytes: int) -> int:
    """Where the rows of a quantised matrix are made plain for a product; twice, since graphs keep pieces of several
    sizes."""
    if precision in VALUE_BYTES:
        return 0
    from engine.precision import SPREAD_AT_ONCE

    largest = max(math.prod(shape[-2:]) for name, shape, _ in lm_shapes(lm) if "embedding" not in name)
    return 2 * value_bytes * min(largest, SPREAD_AT_ONCE)


def ring_bytes_per_position(lm: LMConfig, precision: str, kv: str = "full") -> int:
    """Keys and values of one frame in all temporal layers: 512 KiB at full size in bfloat16, 260 in 8 bits, where each
    head's vector has a scale."""
    row = lm.dim * VALUE_BYTES[precision] if kv == "full" else lm.dim + 2 * lm.num_heads
    return 2 * lm.num_layers * row


def _talk_bytes(lm: LMConfig, mimi: MimiConfig, size: int) -> int:
    """Depth rings, the prefill's rows, noise, tokens and frame buffers: small beside the rest at full size."""
    depth_rings = 2 * lm.depformer_num_layers * lm.own * lm.depformer_dim * size
    prefill_rows = (min(64, lm.context) + 1) * lm.dim * size
    noise = (min(lm.text_card, 2048) + lm.own * min(lm.card, 2048)) * _FLOAT32
    tokens = (lm.streams * (lm.max_delay + 2) + 4 * lm.streams) * _INTEGER
    return depth_rings + prefill_rows + noise + tokens + 2 * mimi.frame_size * _FLOAT32


# ---------------------------------------------------------------- the codec (mimi.md)


def encode_values(mimi: MimiConfig, codebooks: int) -> int:
    """Weights of the encoding half, with the codebooks that are compared and half the square of every code vector."""
    channels = mimi.n_filters
    convolutions = _conv(mimi.channels, channels, mimi.kernel_size)
    for ratio in reversed(mimi.ratios):
        convolutions += _residual(mimi, channels) + _conv(channels, 2 * channels, 2 * ratio)
        channels *= 2
    convolutions += _conv(channels, mimi.dimension, mimi.last_kernel_size)
    downsample = mimi.dimension * mimi.dimension * 2 * mimi.resample_stride
    quantizer = 2 * mimi.codebook_dim * mimi.dimension + codebooks * mimi.bins * (mimi.codebook_dim + 1)
    return convolutions + _transformer(mimi) + downsample + quantizer


def decode_values(mimi: MimiConfig) -> int:
    """Weights of the decoding half; of the codebooks it reads single rows only."""
    channels = mimi.n_filters * 2 ** len(mimi.ratios)
    convolutions = _conv(mimi.dimension, channels, mimi.kernel_size)
    for ratio in mimi.ratios:
        convolutions += _conv(channels, channels // 2, 2 * ratio) + _residual(mimi, channels // 2)
        channels //= 2
    convolutions += _conv(channels, mimi.channels, mimi.last_kernel_size)
    upsample = mimi.dimension * 2 * mimi.resample_stride
    return convolutions + _transformer(mimi) + upsample + 2 * mimi.codebook_dim * mimi.dimension


def codec_ring_bytes(mimi: MimiConfig) -> int:
    """Attention rings of one half, full."""
    return 2 * mimi.num_layers * mimi.context * mimi.dimension * _FLOAT32


def codec_state_bytes(mimi: MimiConfig) -> int:
    """Both halves' attention rings and what their convolutions remember."""
    tails = (mimi.kernel_size - 1) * (mimi.channels + mimi.dimension) + 4 * mimi.resample_stride * mimi.dimension
    for stage, ratio in enumerate(reversed(mimi.ratios)):
        inner = mimi.n_filters * 2**stage
        per_residual = mimi.residual_kernel_size - 1
        repeats = sum(mimi.dilation_base**repeat for repeat in range(mimi.n_residual_layers))
        tails += 2 * inner * per_residual * repeats + 2 * inner * ratio
    tails += (mimi.last_kernel_size - 1) * (mimi.n_filters * 2 ** len(mimi.ratios) + mimi.n_filters)
    return 2 * codec_ring_bytes(mimi) + tails * _FLOAT32


def _conv(channels_in: int, channels_out: int, kernel: int) -> int:
    return channels_in * channels_out * kernel + channels_out


def _residual(mimi: MimiConfig, channels: int) -> int:
    inner = channels // mimi.compress
    one = _conv(channels, inner, mimi.residual_kernel_size) + _conv(inner, channels, 1)
    return mimi.n_residual_layers * one


def _transformer(mimi: MimiConfig) -> int:
    layer = 4 * mimi.dimension**2 + 2 * mimi.dimension * mimi.dim_feedforward + 6 * mimi.dimension
    return mimi.num_layers * layer


# ---------------------------------------------------------------- what a frame must read


def stage_bytes(
    lm: LMConfig, mimi: MimiConfig, precision: str, filled: int, device: str = "cuda", kv: str = "full"
) -> dict[str, int]:
    """Bytes that each stage cannot avoid reading, by stage name; `filled`: frames of the talk so far (lm.md 5)."""
    plain = computes_in(precision, device)
    size = VALUE_BYTES[plain]
    rows, depth_rows = lm.streams * lm.dim, lm.own * lm.depformer_dim
    embedded = size if precision in VALUE_BYTES else 1
    rings = ring_bytes_per_position(lm, plain, kv) * min(filled, lm.context)
    codec_positions = min(filled * mimi.resample_stride, mimi.context)
    codec_rings = codec_ring_bytes(mimi) * codec_positions // mimi.context
    return {
        "encode": encode_values(mimi, lm.codebooks) * _FLOAT32 + codec_rings,
        "temporal": weight_bytes(lm, precision, size, "temporal.", "embedding") + rows * embedded + rings,
        "depth": weight_bytes(lm, precision, size, "depth.", "embedding") + depth_rows * embedded,
        "decode": decode_values(mimi) * _FLOAT32 + codec_rings,
    }
