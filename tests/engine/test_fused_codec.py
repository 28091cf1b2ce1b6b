"""The whole codec in fused kernels against `engine.mimi`, small: natively on a GPU, else in Triton's interpreter."""

from __future__ import annotations

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next
pytest.importorskip("triton", reason="Triton is not installed")

from engine.config import LMConfig, MimiConfig
from engine.frame import frame_slots
from engine.fused_codec import CodecCuts, FusedCodec
from engine.kernels_codec import Tile
from engine.kernels_linear import EARLY, LATE, NO_OVERLAP, Launch, supports_pdl
from engine.mimi import Mimi
from engine.random_model import fill_random
from engine.state import State

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PDL = LATE if supports_pdl(torch.device(DEVICE)) else NO_OVERLAP
SIZES = MimiConfig(
    dimension=32, n_filters=16, compress=1, ratios=(32, 30), num_heads=2, num_layers=2, dim_feedforward=64, context=3,
    codebook_dim=16, bins=64,
)  # fmt: skip
LM = LMConfig(dim=64, num_heads=2, n_q=8, dep_q=4, card=64, text_card=64)
FRAMES = 2  # in the second the ring wraps
WIDE = Tile(32, 128, 32)
CUTS = CodecCuts(
    few_rows=4, latent_start=EARLY, quantiser_start=EARLY, ring_splits=2, folded_projections=True,
    linear1=Launch(16), ring_warps=4,
    tiles=(
        ("encoder.1", Tile(0, 128, 64)),
        ("encoder.3", Tile(32, 64, 64, 2)),
        ("encoder.4.conv1", WIDE),
        ("encoder.4.conv2", WIDE),
        ("encoder.6", Tile(16, 2, 256)),
        ("decoder.2", Tile(8, 2, 32)),
        ("decoder.3", Tile(0, 64, 64)),
        ("decoder.5", Tile(64, 64, 32)),
        ("decoder.6.conv1", WIDE),
        ("decoder.6.conv2", WIDE),
        ("downsample", Tile(8, 2, 64)),
    ),
)  # fmt: skip


@torch.inference_mode()
def test_codes_sound_and_memories_are_the_plain_codecs() -> None:
    """With few launches, from the start of a talk; every tensor that outlives a frame too."""
    mimi = Mimi(SIZES, LM.codebooks).to(DEVICE)
    fill_random(mimi, torch.Generator(DEVICE).manual_seed(1))
    mimi.quantizer.precompute()
    slots = frame_slots(LM, SIZES, torch.float32)
    for part in mimi.slots():
        slots |= part
    state, plain = State(slots, DEVICE), State(slots, DEVICE)
    codec = FusedCodec(mimi, state.tensors, SIZES.context, pdl=PDL, cuts=CUTS)
    generator = torch.Generator(DEVICE).manual_seed(2)
    for _ in range(FRAMES):
        state["frame.pcm_in"].normal_(0, 0.3, generator=generator)
        state["frame.spoken"].random_(0, SIZES.bins, generator=generator)
        codec.encode()
        codec.decode()
        codes = mimi.encode(state["frame.pcm_in"], plain.tensors, SIZES.context)[:, :, 0]
        sound = mimi.decode(state["frame.spoken"][:, 1:, None], plain.tensors, SIZES.context)
        assert state["frame.heard"].tolist() == codes.tolist()
        torch.testing.assert_close(state["frame.pcm_out"], sound, rtol=0, atol=1e-5)
        for name, tensor in plain.tensors.items():
            if not name.startswith("frame."):
                torch.testing.assert_close(state[name], tensor, rtol=0, atol=1e-5, msg=name)
