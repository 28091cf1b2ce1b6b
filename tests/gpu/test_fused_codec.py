"""The full-size codec fused and plain, until the rings have wrapped: codes and sound.

The forms that the program does not use are long: their kernels take minutes to build.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from engine.config import MIMI, MOSHI_7B
from engine.duplex import Duplex
from engine.fused_codec import CodecCuts, FusedCodec

pytest.importorskip("triton", reason="Triton is not installed")
from engine.kernels_linear import EARLY, LATE, NO_OVERLAP

pytestmark = pytest.mark.gpu

SMALL = replace(MOSHI_7B, num_layers=1, depformer_num_layers=1, context=8)
FRAMES = 150  # past the 125 frames after which the rings wrap
USUAL = [("tf32x3", NO_OVERLAP), ("tf32x3", LATE)]
OTHERS = [
    pytest.param(precision, overlap, marks=pytest.mark.long)
    for precision in ("ieee", "tf32x3")
    for overlap in (NO_OVERLAP, EARLY, LATE)
    if (precision, overlap) not in USUAL
]


class Plain(NamedTuple):
    """What the plain codec made of each frame's inputs."""

    heard: Tensor
    sound: Tensor


@pytest.fixture(scope="module")
def codec() -> Iterator[Duplex]:
    duplex = Duplex.random(SMALL, MIMI, device="cuda", seed=2, kernels=False)
    yield duplex
    duplex.unload()


def frames(duplex: Duplex) -> Iterator[int]:
    """Puts each frame's inputs in place, the same ones every time, in a fresh talk."""
    duplex.reset(1)
    generator = torch.Generator("cuda").manual_seed(5)
    for index in range(FRAMES):
        duplex.state["frame.pcm_in"].normal_(0, 0.1, generator=generator)
        duplex.state["frame.spoken"].random_(0, MIMI.bins, generator=generator)
        yield index


@pytest.fixture(scope="module")
def plain(codec: Duplex) -> list[Plain]:
    made = []
    with torch.inference_mode():
        for _ in frames(codec):
            codec.frame.encode()
            codec.frame.decode()
            made.append(Plain(codec.state["frame.heard"].clone(), codec.state["frame.pcm_out"].clone()))
    return made


@torch.inference_mode()
@pytest.mark.parametrize(("precision", "overlap"), [*USUAL, *OTHERS])
def test_codes_and_sound_are_the_plain_codecs(codec: Duplex, plain: list[Plain], precision: str, overlap: int) -> None:
    """Random codebooks lie closer together than trained ones: now and then rounding decides between two neighbours."""
    cuts = CodecCuts(precision=precision)
    fused = FusedCodec(codec.mimi, codec.state.tensors, MIMI.context, pdl=overlap, cuts=cuts)
    agreed = 0
    for index in frames(codec):
        fused.encode()
        fused.decode()
        agreed += torch.equal(plain[index].heard, codec.state["frame.heard"])
        wanted, got = plain[index].sound, codec.state["frame.pcm_out"]
        assert (wanted - got).abs().max() <= 1e-4 * wanted.abs().max(), f"frame {index}"
    assert agreed >= FRAMES - 3
    for half in ("encoder", "decoder"):
        assert codec.state[f"{half}_transformer.position"].item() == FRAMES * MIMI.resample_stride
