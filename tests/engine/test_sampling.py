"""Sampling: ranges, greedy, the two sources of noise, and the distribution that comes out."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from engine.errors import EngineError
from engine.sampling import MAX_TOP_K, SamplingValues, exponential_noise, fill_upstream_noise, philox, sample


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 99.0, "hot", True, None])
def test_temperatures_out_of_range_are_refused(value: object) -> None:
    """User reports U5, G10."""
    for name in ("temperature", "text_temperature"):
        with pytest.raises(EngineError, match="temperature must"):
            SamplingValues(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -3, MAX_TOP_K + 1, 99999, 2.5, float("nan"), "many"])
def test_top_k_out_of_range_is_refused(value: object) -> None:
    """User report U5."""
    for name in ("top_k", "text_top_k"):
        with pytest.raises(EngineError, match="top k must"):
            SamplingValues(**{name: value})  # type: ignore[arg-type]


def test_numpy_scalars_become_plain_numbers() -> None:
    """User report G24: values from a window may arrive as numpy scalars."""
    values = SamplingValues(np.float32(0.5), np.int64(20), np.float64(0), np.int32(5))  # type: ignore[arg-type]
    assert [type(v) for v in vars(values).values()] == [float, int, float, int]
    assert values == SamplingValues(0.5, 20, 0.0, 5)


def test_config_names_are_upstreams() -> None:
    assert SamplingValues.from_config({"temp": 0.6, "top_k_text": 40}) == SamplingValues(0.6, 250, 0.7, 40)


@pytest.mark.parametrize("temperature", [0.0, 1e-6])
def test_cold_is_greedy_and_finite(temperature: float) -> None:
    """User report G10: temperature 0 must not divide by zero; nearly 0 must agree with it."""
    logits = torch.randn(3, 50, generator=torch.Generator().manual_seed(0)) * 30
    noise = torch.rand(3, 50) + 0.01
    chosen = sample(logits, torch.full((3,), temperature), torch.full((3,), 20), noise)
    assert torch.equal(chosen, logits.argmax(-1))


def test_top_k_bounds_the_choice_and_may_change_between_calls() -> None:
    logits = torch.arange(100.0).flip(0)[None] * 0.01
    generator = torch.Generator().manual_seed(1)
    for k in (1, 5, 60):
        noise = torch.empty(400, 100).exponential_(1, generator=generator)
        chosen = sample(logits.expand(400, -1), torch.ones(400), torch.full((400,), k), noise)
        assert int(chosen.max()) < k
        assert len(set(chosen.tolist())) > 0.6 * k


def test_samples_follow_the_softmax() -> None:
    """20,000 draws with counter-based noise against softmax probabilities, within four standard errors."""
    count, logits = 20000, torch.tensor([1.0, 0.0, 2.0, -1.0, 0.5])
    noise = exponential_noise(torch.arange(count), torch.full((count,), 9), 5)
    chosen = sample(logits.expand(count, -1), torch.full((count,), 0.8), torch.full((count,), 5), noise)
    expected = torch.softmax(logits / 0.8, -1)
    measured = torch.bincount(chosen, minlength=5) / count
    allowed = 4 * (expected * (1 - expected) / count).sqrt()
    assert bool(((measured - expected).abs() < allowed).all()), (measured, expected)


def test_philox_gives_the_published_words() -> None:
    """Known answer of Philox 4x32-10 for counter and key 0 (Random123's test vectors)."""
    words = philox(torch.zeros(1, dtype=torch.int64), torch.zeros(1, dtype=torch.int64), 4)
    assert [f"{word:08x}" for word in words[0].tolist()] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


def test_philox_matches_plain_integers() -> None:
    """Large seeds and counters against Python's own unbounded integers."""
    seed, frame, count = 0xDEADBEEF_12345678 & (2**63 - 1), 0x1_0000_0003, 11
    wanted = []
    for block in range(3):
        c, k = [block, frame & 0xFFFFFFFF, frame >> 32, 0], [seed & 0xFFFFFFFF, seed >> 32]
        for _ in range(10):
            p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        wanted += c
    assert philox(torch.tensor([seed]), torch.tensor([frame]), count)[0].tolist() == wanted[:count]


def test_exponential_noise_is_exponential_and_never_zero() -> None:
    noise = exponential_noise(torch.arange(50), torch.arange(50), 2000).double()
    assert float(noise.min()) > 0
    assert math.isclose(float(noise.mean()), 1, abs_tol=0.02)
    assert math.isclose(float(noise.var()), 1, abs_tol=0.05)


def test_upstream_noise_draws_text_first_and_nothing_for_greedy_streams() -> None:
    text, audio = torch.ones(1, 40), torch.ones(1, 2, 60)
    fill_upstream_noise(text, audio, SamplingValues(top_k=50, text_top_k=25), torch.Generator().manual_seed(3))
    torch.manual_seed(3)
    wanted = [torch.empty(1, k).exponential_(1) for k in (25, 50, 50)]
    assert torch.equal(text, torch.cat((wanted[0], torch.ones(1, 15)), dim=1))
    assert torch.equal(audio[0, :, :50], torch.cat(wanted[1:]))
    generator = torch.Generator().manual_seed(3)
    fill_upstream_noise(text, audio, SamplingValues(temperature=0, text_temperature=0), generator)
    assert torch.equal(generator.get_state(), torch.Generator().manual_seed(3).get_state())
