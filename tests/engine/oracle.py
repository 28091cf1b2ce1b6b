"""Upstream's own package (`moshi`, a test dependency) run over the same checkpoint folder, as the tests' oracle.

Owns the bare loop that its documentation shows: encode a frame, step, decode. Facts: parity.md.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

os.environ.setdefault("NO_TORCH_COMPILE", "1")  # read at import: its output norm would else be compiled, even on a CPU
loaders = pytest.importorskip("moshi.models.loaders", reason="the moshi package is the oracle and is not installed")
from moshi.models.lm import LMGen  # noqa: E402

_NOT_FOR_THE_LM = ("moshi_name", "mimi_name", "mimi_config_name", "tokenizer_name", "model_type", "lm_gen_config")
FRAME = 1920


class Heard(NamedTuple):
    """One frame of the oracle's talk; text and own are None before the first output, pcm too."""

    user: list[int]
    text: int | None
    own: list[int] | None
    pcm: np.ndarray | None


def lm_and_mimi(folder: Path, **overrides: Any) -> tuple[Any, Any]:
    """Upstream's model and codec over the folder's files, float32 on the CPU. Overrides: context=…, mimi_context=…"""
    config = {k: v for k, v in json.loads((folder / "config.json").read_text()).items() if k not in _NOT_FOR_THE_LM}
    config.pop("trained", None)
    mimi_config = json.loads((folder / "mimi_config.json").read_text())
    if "mimi_context" in overrides:
        mimi_config["transformer"]["context"] = overrides.pop("mimi_context")
    config.update(overrides)
    lm = loaders.get_moshi_lm(folder / "model.safetensors", lm_kwargs=config, device="cpu", dtype=torch.float32)
    mimi = loaders.get_mimi(str(folder / loaders.MIMI_NAME), mimi_config, num_codebooks=8)
    return lm.eval(), mimi.eval()


def talk(lm: Any, mimi: Any, pcm: np.ndarray, *, seed: int | None = None) -> list[Heard]:
    """The bare loop over whole frames of pcm; seed None = greedy."""
    generator = LMGen(lm, use_sampling=seed is not None, check=True)
    if seed is not None:
        torch.manual_seed(seed)
    frames = []
    with torch.no_grad(), generator.streaming(1), mimi.streaming(1):
        for frame in pcm.reshape(-1, FRAME):
            codes = mimi.encode(torch.from_numpy(frame)[None, None])
            out = generator.step(codes)
            if out is None:
                frames.append(Heard(codes[0, :, 0].tolist(), None, None, None))
            else:
                tokens = out[0, :, 0].tolist()
                frames.append(
                    Heard(codes[0, :, 0].tolist(), tokens[0], tokens[1:], mimi.decode(out[:, 1:])[0, 0].numpy())
                )
    return frames


def speechlike(frames: int, seed: int = 0) -> np.ndarray:
    """Voiced and noisy stretches with pauses, so that codes vary: [frames * 1920] float32."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames * FRAME) / 24000
    pitch = 140 + 60 * np.sin(2 * np.pi * 0.7 * t)
    phase = 2 * np.pi * np.cumsum(pitch) / 24000
    voiced = sum(np.sin(k * phase) / k for k in range(1, 9))
    loudness = np.clip(np.sin(2 * np.pi * 1.3 * t) + 0.3, 0, 1)
    return (0.2 * voiced * loudness + 0.02 * rng.standard_normal(t.size)).astype(np.float32)
