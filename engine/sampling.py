"""From logits to a token, on the device, with values that may change between two frames.

The noise of a frame is a slot of the state, filled before the frame's stages run, so that the stages themselves are
pure: they can be captured, compiled or launched one by one and give the same token. On CPU the noise follows
upstream's random stream draw for draw (lm.md 6); on CUDA it comes from a counter-based generator (Philox 4x32-10,
Salmon et al. 2011) whose seed and counter are slots too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from engine.errors import EngineError, shown

MAX_TOP_K = 2048  # candidates kept in rank order; a larger live top-k would need another capture


@dataclass(frozen=True)
class SamplingValues:
    """Temperature and top-k of the audio codebooks and of the text. Temperature 0 = greedy."""

    temperature: float = 0.8
    top_k: int = 250
    text_temperature: float = 0.7
    text_top_k: int = 25

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            value = value.item() if hasattr(value, "item") else value  # numpy and torch scalars from a window
            object.__setattr__(self, entry.name, _checked(entry.name, value))

    @classmethod
    def from_config(cls, lm_gen_config: Mapping[str, object]) -> SamplingValues:
        """Upstream's names (temp, temp_text, top_k, top_k_text); absent ones take the published values."""
        names = {"temp": "temperature", "top_k": "top_k", "temp_text": "text_temperature", "top_k_text": "text_top_k"}
        chosen = {
            ours: lm_gen_config[theirs] for theirs, ours in names.items() if lm_gen_config.get(theirs) is not None
        }
        return cls(**chosen)  # type: ignore[arg-type]


def _checked(name: str, value: object) -> float | int:
    words = name.replace("_", " ")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise EngineError(f"The {words} must be a number, not {shown(value)}.")
    if isinstance(value, int) and abs(value) > 1 << 62:  # beyond what a float can be asked about
        raise EngineError(f"The {words} must be a number of sensible size, not {shown(value)}.")
    if name.endswith("temperature"):
        if not math.isfinite(value) or not 0 <= value <= 10:
            raise EngineError(f"The {words} must lie between 0 (always the likeliest) and 10, not {value}.")
        return float(value)
    if not math.isfinite(value) or value != int(value) or not 1 <= value <= MAX_TOP_K:
        raise EngineError(f"The {words} must be a whole number from 1 to {MAX_TOP_K}, not {value}.")
    return int(value)


def sample(logits: Tensor, temperature: Tensor, top_k: Tensor, noise: Tensor) -> Tensor:
    """One token a talk.

    logits [B, card] float32; temperature [B] float32; top_k [B] int64; noise [B, K] ~ Exp(1), by rank.

    argmax(p / q) over the k likeliest with q exponential draws from their distribution without a host
    sync (lm.md 6). -> [B] int64
    """
    greedy = logits.argmax(dim=-1)
    safe = torch.where(temperature > 0, temperature, 1.0)
    probabilities = torch.softmax(logits / safe[:, None], dim=-1)
    kept, tokens = torch.topk(probabilities, noise.shape[-1], dim=-1)  # [B, K], likeliest first
    allowed = torch.arange(noise.shape[-1], device=logits.device) < top_k[:, None]
    choice = torch.where(allowed, kept / noise, -1.0).argmax(dim=-1, keepdim=True)
    return torch.where(temperature > 0, tokens.gather(-1, choice)[:, 0], greedy)


# ---------------------------------------------------------------- noise as upstream draws it (CPU)


def fill_upstream_noise(text: Tensor, audio: Tensor, values: SamplingValues, generator: torch.Generator) -> None:
    """Draw one frame's noise in upstream's order: the text's k values, then k for each own codebook.

    text [1, K_text], audio [1, own, K_audio], in place, by rank; greedy streams draw nothing, as upstream.
    """
    if values.text_temperature > 0:
        _draw(text, values.text_top_k, generator)
    if values.temperature > 0:
        for codebook in range(audio.shape[1]):
            _draw(audio[:, codebook], values.top_k, generator)


def _draw(noise: Tensor, top_k: int, generator: torch.Generator) -> None:
    k = min(top_k, noise.shape[-1])
    noise[:, :k] = torch.empty(noise.shape[0], k).exponential_(1, generator=generator)


# ---------------------------------------------------------------- counter-based noise (CUDA)

_MASK = 0xFFFFFFFF
_ROUND = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)


def _multiply(constant: int, word: Tensor) -> tuple[Tensor, Tensor]:
    """High and low 32 bits of constant * word, in int64 without overflow: the word goes in as two halves."""
    low = constant * (word & 0xFFFF)
    high = constant * (word >> 16)
    return (high + (low >> 16)) >> 16, (low + ((high & 0xFFFF) << 16)) & _MASK


def philox(seed: Tensor, counter: Tensor, count: int) -> Tensor:
    """Philox 4x32-10. seed, counter [B] int64 -> [B, count] int64 words of 32 bits.

    Word i of a frame is output i % 4 of the block with counter (i // 4, frame low, frame high, 0), keyed by the seed.
    """
    blocks = torch.arange((count + 3) // 4, device=seed.device)[None, :].expand(seed.shape[0], -1)
    c = [blocks, (counter & _MASK)[:, None].expand_as(blocks), ((counter >> 32) & _MASK)[:, None].expand_as(blocks)]
    c0, c1, c2, c3 = c[0], c[1], c[2], torch.zeros_like(blocks)
    k0, k1 = (seed & _MASK)[:, None], ((seed >> 32) & _MASK)[:, None]
    for _ in range(10):
        high0, low0 = _multiply(_ROUND[0], c0)
        high1, low1 = _multiply(_ROUND[1], c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + _WEYL[0]) & _MASK, (k1 + _WEYL[1]) & _MASK
    return torch.stack((c0, c1, c2, c3), dim=-1).flatten(1)[:, :count]


def exponential_noise(seed: Tensor, counter: Tensor, count: int) -> Tensor:
    """[B, count] float32 ~ Exp(1), never 0: 23 random bits, so that the half step off both ends is exact in float32."""
    uniform = ((philox(seed, counter, count) >> 9).float() + 0.5) * 2.0**-23
    return -torch.log(uniform)
