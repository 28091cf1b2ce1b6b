"""Sizes of the language model and the codec, as a checkpoint's `config.json` states them.

Owns the names, the published defaults (Moshi 7B and the full Mimi; facts: lm.md 2, mimi.md) and their checks.
Knows nothing of files, tensors or devices. Every error is an `EngineError` that names the key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.config_checks import check_lm, check_mimi, read_fields, section
from engine.errors import EngineError, shown

# Keys whose presence with another value means a different architecture, which would load and talk nonsense.
_LM_FIXED: dict[str, Any] = {
    "causal": True,
    "layer_scale": None,
    "gating": "silu",
    "norm": "rms_norm_f32",
    "positional_embedding": "rope",
    "depformer_layer_scale": None,
    "depformer_multi_linear": True,
    "depformer_gating": "silu",
    "depformer_pos_emb": "none",
    "depformer_weights_per_step": True,
}
_LM_UNSUPPORTED = (
    "depformer_weights_per_step_schedule",
    "depformer_low_rank_embeddings",
    "depformer_norm",
    "conditioners",
    "fuser",
    "cross_attention",
    "demux_second_stream",
    "extra_heads_num_heads",
    "lora_name",
)


def _delays(own: int, user: int) -> tuple[int, ...]:
    """Text and both semantic codebooks undelayed, every acoustic one a frame later (lm.md 1)."""
    return (0,) + (0,) + (1,) * (own - 1) + ((0,) + (1,) * (user - 1) if user else ())


@dataclass(frozen=True)
class LMConfig:
    """Temporal and depth transformer. Field names are those of Moshi's config.json (lm.md 2, 10)."""

    dim: int = 4096
    num_layers: int = 32
    num_heads: int = 32
    hidden_scale: float = 4.125
    context: int = 3000
    max_period: float = 10000.0
    text_card: int = 32000
    existing_text_padding_id: int = 3
    card: int = 2048
    n_q: int = 16
    dep_q: int = 8
    depformer_dim: int = 1024
    depformer_num_layers: int = 6
    depformer_num_heads: int = 16
    depformer_dim_feedforward: int = 0  # 0: int(hidden_scale * depformer_dim), as the published 4224
    delays: tuple[int, ...] = ()  # (): the published pattern for these codebook counts

    @property
    def own(self) -> int:
        """Own codebooks = the depth steps that are run: of PersonaPlex's 16 the last 8 only re-predict the user."""
        return self.dep_q if self.dep_q < self.n_q else self.n_q // 2

    @property
    def user(self) -> int:
        return self.n_q - self.own

    @property
    def streams(self) -> int:
        """Text, own and user streams: 17."""
        return 1 + self.n_q

    @property
    def codebooks(self) -> int:
        """Codebooks the codec must encode and decode."""
        return max(self.own, self.user)

    @property
    def max_delay(self) -> int:
        return max(self.delays)

    @property
    def head_dim(self) -> int:
        return self.dim // self.num_heads

    @property
    def depth_head_dim(self) -> int:
        return self.depformer_dim // self.depformer_num_heads

    @property
    def hidden(self) -> int:
        """SwiGLU hidden size of the temporal stack."""
        return swiglu_hidden(self.dim, int(self.hidden_scale * self.dim))

    @property
    def depth_hidden(self) -> int:
        return swiglu_hidden(self.depformer_dim, self.depformer_dim_feedforward)

    @property
    def initial_tokens(self) -> tuple[int, ...]:
        """The input-only token with which each stream starts."""
        return (self.text_card,) + (self.card,) * self.n_q

    def __post_init__(self) -> None:
        if not self.depformer_dim_feedforward:
            object.__setattr__(self, "depformer_dim_feedforward", int(self.hidden_scale * self.depformer_dim))
        if not self.delays:
            object.__setattr__(self, "delays", _delays(self.own, self.user))
        check_lm(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> LMConfig:
        """From a parsed config.json. Absent keys take the published values; keys that are not the LM's are ignored.

        Raises EngineError for a value of the wrong type or range, or an architecture this engine does not have.
        """
        for key, wanted in _LM_FIXED.items():
            if key in values and values[key] != wanted:
                raise EngineError(f'config.json has "{key}": {shown(values[key])}, but only {wanted!r} is supported.')
        for key in _LM_UNSUPPORTED:
            if values.get(key):
                raise EngineError(
                    f'config.json has "{key}", a part that this program does not have: another model is needed.'
                )
        if values.get("kv_repeat", 1) != 1:
            raise EngineError('config.json has "kv_repeat" other than 1, which is not supported.')
        return cls(**read_fields(cls, values, "config.json"))


@dataclass(frozen=True)
class MimiConfig:
    """The codec (mimi.md). Flat here; the file nests it under seanet, transformer and quantizer."""

    sample_rate: int = 24000
    frame_rate: float = 12.5
    channels: int = 1
    # seanet
    dimension: int = 512
    n_filters: int = 64
    kernel_size: int = 7
    residual_kernel_size: int = 3
    last_kernel_size: int = 3
    n_residual_layers: int = 1
    dilation_base: int = 2
    compress: int = 2
    ratios: tuple[int, ...] = (8, 6, 5, 4)
    # transformer
    num_heads: int = 8
    num_layers: int = 8
    dim_feedforward: int = 2048
    context: int = 250
    max_period: float = 10000.0
    # quantizer
    codebook_dim: int = 256
    n_q: int = 32
    bins: int = 2048

    @property
    def hop(self) -> int:
        """Samples per latent before the last downsampling: 960."""
        return math.prod(self.ratios)

    @property
    def frame_size(self) -> int:
        """Samples per frame: 1920, 80 ms."""
        return round(self.sample_rate / self.frame_rate)

    @property
    def resample_stride(self) -> int:
        """Latents per frame: 2."""
        return self.frame_size // self.hop

    @property
    def head_dim(self) -> int:
        return self.dimension // self.num_heads

    def __post_init__(self) -> None:
        check_mimi(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MimiConfig:
        """From the parsed file that `mimi_config_name` points to; absent keys take the full codec's values."""
        name = "The codec's config"
        seanet, transformer, quantizer = (section(values, key) for key in ("seanet", "transformer", "quantizer"))
        flat: dict[str, Any] = {k: values[k] for k in ("sample_rate", "frame_rate", "channels") if k in values}
        flat |= {k: v for k, v in seanet.items() if k != "channels"}
        flat |= transformer
        flat |= {k: quantizer[k] for k in ("n_q", "bins") if k in quantizer}
        if "dimension" in quantizer:
            flat["codebook_dim"] = quantizer["dimension"]
        config = cls(**read_fields(cls, flat, name))
        for label, value in (
            ("transformer.d_model", transformer.get("d_model", config.dimension)),
            ("transformer.input_dimension", transformer.get("input_dimension", config.dimension)),
            ("quantizer.input_dimension", quantizer.get("input_dimension", config.dimension)),
            ("quantizer.output_dimension", quantizer.get("output_dimension", config.dimension)),
        ):
            if value != config.dimension:
                raise EngineError(
                    f"{name} has {label} {shown(value)} where seanet.dimension is {config.dimension}; they must agree."
                )
        for table, key, wanted in (
            (seanet, "norm", "none"),
            (seanet, "true_skip", True),
            (seanet, "pad_mode", "constant"),
            (seanet, "causal", True),
            (transformer, "gating", "none"),
            (transformer, "norm", "layer_norm"),
            (transformer, "positional_embedding", "rope"),
        ):
            if key in table and table[key] != wanted:
                raise EngineError(f"{name} has {key} {shown(table[key])}, but only {wanted!r} is supported.")
        return config


@dataclass(frozen=True)
class PromptCodes:
    """Codes of 80 ms of silence and of a 440 Hz tone, which fill the prompt phases (personaplex.md).

    They belong to a codec, so a checkpoint may bring its own as `silence_codes` and `sine_codes` in config.json.
    """

    silence: tuple[int, ...] = (948, 243, 1178, 546, 1736, 1030, 1978, 2008)
    sine: tuple[int, ...] = (430, 1268, 381, 1611, 1095, 1495, 56, 472)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], config: LMConfig) -> PromptCodes:
        """Raises EngineError when a list has the wrong length or a code is out of range."""
        found: dict[str, tuple[int, ...]] = {}
        for name, key, count in (("silence", "silence_codes", config.own), ("sine", "sine_codes", config.user)):
            codes = values.get(key)
            if codes is None:
                # The published codes fit the published codec only; a smaller one gets as many, folded into its range.
                codes = [code % config.card for code in getattr(cls, name)[:count]]
                codes += [0] * (count - len(codes))
            if not isinstance(codes, (list, tuple)) or len(codes) != count:
                raise EngineError(f'config.json has "{key}" that is not a list of {count} codes.')
            if not all(isinstance(c, int) and not isinstance(c, bool) and 0 <= c < config.card for c in codes):
                raise EngineError(f'config.json has "{key}" with a code outside 0..{config.card - 1}.')
            found[name] = tuple(codes)
        return cls(**found)


def swiglu_hidden(dim: int, feedforward: int) -> int:
    """Hidden size of a gated feed-forward layer (lm.md 2, "SwiGLU hidden rule")."""
    return 21 * dim // 8 if feedforward == 4 * dim else 2 * feedforward // 3


MOSHI_7B = LMConfig()
MIMI = MimiConfig()
