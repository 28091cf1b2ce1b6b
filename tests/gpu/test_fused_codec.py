"""The full-size codec fused and plain, until the rings have wrapped: codes and sound."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from engine.config import MIMI, MOSHI_7B
from engine.duplex import Duplex
from engine.fused_codec import CodecCuts, FusedCodec

pytest.importorskip("triton", reason="Triton is not installed")
from engine.kernels_linear import EARLY, LATE, NO_OVERLAP

pytestmark = pytest.mark.gpu

SMALL = replace(MOSHI_7B, num_layers=1, depformer_num_layers=1, context=8)


@torch.inference_mode()
@pytest.mark.parametrize("overlap", [NO_OVERLAP, EARLY, LATE])
@pytest.mark.parametrize("ring_warps", [0, 16])
@pytest.mark.parametrize("precision", ["ieee", "tf32x3"])
def test_codes_and_sound_are_the_plain_codecs(precision: str, ring_warps: int, overlap: int) -> None:
    """Random codebooks lie closer together than trained ones: now and then rounding decides between two neighbours."""
    plain, fused = (Duplex.random(SMALL, MIMI, device="cuda", seed=2, kernels=False) for _ in range(2))
    cuts = CodecCuts(precision=precision, ring_warps=ring_warps)
    codec = FusedCodec(fused.mimi, fused.state.tensors, MIMI.context, pdl=overlap, cuts=cuts)
    generator = torch.Generator("cuda").manual_seed(5)
    frames, agreed = 150, 0  # past the 125 frames after which the rings wrap
    for _ in range(frames):
        for name, high in (("frame.pcm_in", None), ("frame.spoken", MIMI.bins)):
            value = plain.state[name]
            if high is None:
                value.normal_(0, 0.1, generator=generator)
            else:
                value.random_(0, high, generator=generator)
            fused.state[name].copy_(value)
        plain.frame.encode()
        plain.frame.decode()
        codec.encode()
        codec.decode()
        agreed += torch.equal(plain.state["frame.heard"], fused.state["frame.heard"])
        wanted, got = plain.state["frame.pcm_out"], fused.state["frame.pcm_out"]
        assert (wanted - got).abs().max() <= 1e-4 * wanted.abs().max()
    assert agreed >= frames - 3
    assert plain.state["encoder_transformer.position"].item() == fused.state["encoder_transformer.position"].item()
