"""What values a configuration may hold: types, ranges, and what must fit together.

Owns the sentences; each names the key. Knows nothing of files, tensors or devices. Every error is an `EngineError`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from engine.errors import EngineError, shown

if TYPE_CHECKING:
    from engine.config import LMConfig, MimiConfig


def section(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """One table of the codec's nested file; empty where it is absent."""
    section = values.get(name, {})
    if not isinstance(section, Mapping):
        raise EngineError(f'The codec\'s config has "{name}" that is not a table of values.')
    return section


def read_fields(cls: type, values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The values that are fields of `cls`, checked against the type of the default."""
    chosen: dict[str, Any] = {}
    for entry in fields(cls):
        if entry.name not in values:
            continue
        value = values[entry.name]
        if value is None and entry.name == "depformer_dim_feedforward":
            continue
        chosen[entry.name] = _typed(value, entry.default, f'{name} has "{entry.name}": {shown(value)}')
    return chosen


def _typed(value: Any, default: Any, said: str) -> Any:
    if isinstance(default, tuple):
        if not isinstance(value, (list, tuple)) or not 0 < len(value) <= 256:
            raise EngineError(f"{said}, where a list of whole numbers is needed.")
        return tuple(_typed(v, 0, said) for v in value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise EngineError(f"{said}, where a number is needed.")
    if isinstance(value, float) and not math.isfinite(value):
        raise EngineError(f"{said}, where a finite number is needed.")
    if abs(value) > 1 << 62:
        raise EngineError(f"{said}, where a number of sensible size is needed.")
    if isinstance(default, float):
        return float(value)
    if value != int(value):
        raise EngineError(f"{said}, where a whole number is needed.")
    return int(value)


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise EngineError(sentence)


def _in_range(config: Any, ranges: Mapping[str, tuple[float, float]], name: str) -> None:
    for key, (low, high) in ranges.items():
        value = getattr(config, key)
        _require(low <= value <= high, f'{name} has "{key}": {value}, outside {low:g}..{high:g}.')


def check_lm(c: LMConfig) -> None:
    """Raises EngineError for sizes that are out of range or do not fit each other."""
    name = "config.json"
    _in_range(
        c,
        {
            "dim": (8, 65536),
            "num_layers": (1, 256),
            "num_heads": (1, 1024),
            "hidden_scale": (0.1, 64),
            "context": (2, 1_000_000),
            "max_period": (1, 1e12),
            "text_card": (5, 1_000_000),
            "card": (2, 1_000_000),
            "n_q": (2, 128),
            "dep_q": (1, 128),
            "depformer_dim": (8, 65536),
            "depformer_num_layers": (1, 256),
            "depformer_num_heads": (1, 1024),
            "depformer_dim_feedforward": (6, 1_000_000),
        },
        name,
    )
    _require(
        0 <= c.existing_text_padding_id < c.text_card,
        f'{name} has "existing_text_padding_id" outside the text vocabulary.',
    )
    _require(
        c.dim % (2 * c.num_heads) == 0, f'{name}: "dim" {c.dim} does not divide into {c.num_heads} heads of even size.'
    )
    _require(
        c.depformer_dim % c.depformer_num_heads == 0,
        f'{name}: "depformer_dim" {c.depformer_dim} does not divide into {c.depformer_num_heads} heads.',
    )
    _require(
        len(c.delays) == c.streams,
        f'{name}: "delays" has {len(c.delays)} entries where {c.streams} streams need one each.',
    )
    _require(all(0 <= d <= 64 for d in c.delays), f'{name}: "delays" has an entry outside 0..64.')
    _require(c.user >= 1, f"{name}: no codebook is left for the user's voice.")


def check_mimi(c: MimiConfig) -> None:
    """Raises EngineError for sizes that are out of range or do not fit each other."""
    name = "The codec's config"
    _in_range(
        c,
        {
            "dimension": (4, 8192),
            "n_filters": (1, 1024),
            "kernel_size": (1, 63),
            "residual_kernel_size": (1, 63),
            "last_kernel_size": (1, 63),
            "n_residual_layers": (1, 8),
            "dilation_base": (1, 8),
            "compress": (1, 64),
            "num_heads": (1, 256),
            "num_layers": (1, 128),
            "dim_feedforward": (4, 65536),
            "context": (2, 100_000),
            "max_period": (1, 1e12),
            "codebook_dim": (1, 8192),
            "n_q": (2, 256),
            "bins": (2, 1_000_000),
        },
        name,
    )
    _require(c.sample_rate == 24000 and c.channels == 1, f"{name} is not for 24 kHz mono, the only kind supported.")
    _require(c.frame_rate == 12.5, f"{name} has a frame rate of {c.frame_rate:g} Hz where 12.5 Hz (80 ms) is needed.")
    _require(all(2 <= r <= 64 for r in c.ratios), f"{name} has a ratio outside 2..64.")
    _require(
        c.frame_size % c.hop == 0 and c.resample_stride >= 2,
        f"{name}: ratios {c.ratios} do not fit a frame of {c.frame_size} samples.",
    )
    _require(
        c.dimension % (2 * c.num_heads) == 0,
        f"{name}: dimension {c.dimension} does not divide into {c.num_heads} heads of even size.",
    )
