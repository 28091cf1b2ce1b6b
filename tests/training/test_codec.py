"""The codec as trained equals the codec as run: parallel forward against the engine's streaming step."""

from __future__ import annotations

import torch

from engine.config import MimiConfig
from engine.state import State
from training.codec import Codec

SMALL = MimiConfig(
    n_filters=4, dimension=16, num_heads=2, num_layers=2, dim_feedforward=32, context=8, codebook_dim=8, n_q=4, bins=32
)


def _codec(seed: int = 0) -> Codec:
    torch.manual_seed(seed)
    codec = Codec(SMALL, labels=5)
    with torch.no_grad():
        for name, parameter in codec.mimi.named_parameters():
            if "bias" in name:
                parameter.normal_(0, 0.1)  # a bias left out, or added twice, must show
            if "scale" in name:
                parameter.uniform_(0.3, 0.6)
        codec.quantiser.sums.copy_(torch.randn_like(codec.quantiser.sums))
        codec.quantiser.usage.uniform_(0.5, 2)
    codec.export_codebooks()
    return codec


@torch.no_grad()
def test_parallel_forward_equals_the_streaming_step() -> None:
    """Latents, codes and sound, over twice the attention window, one frame at a time in the engine."""
    codec = _codec()
    frames = 10
    pcm = torch.randn(2, frames * SMALL.frame_size) * 0.3
    encode, decode = codec.mimi.slots()
    state = State(encode | decode, "cpu", talks=2).tensors
    codes = codec.codes(pcm)
    sound = codec.decode(codec.latent_of(codes))
    for frame in range(frames):
        piece = pcm[:, None, frame * SMALL.frame_size : (frame + 1) * SMALL.frame_size]
        streamed = codec.mimi.encode(piece, state, SMALL.context)
        assert torch.equal(streamed[..., 0], codes[..., frame])
        heard = codec.mimi.decode(streamed, state, SMALL.context)[:, 0]
        expected = sound[:, frame * SMALL.frame_size : (frame + 1) * SMALL.frame_size]
        torch.testing.assert_close(heard, expected, atol=1e-4, rtol=1e-4)
    assert len(codes.unique()) > 8  # lively codes: equality of constants would prove nothing


def test_quantiser_passes_the_gradient_and_counts_only_used_levels() -> None:
    codec = _codec()
    latent = torch.randn(3, 5, SMALL.dimension, requires_grad=True)
    before = codec.quantiser.usage.clone()
    result = codec.quantise(latent, torch.tensor([1, 1, 1]), learn=True)
    result.latent.sum().backward()
    assert latent.grad is not None and latent.grad.abs().sum() > 0
    assert not torch.equal(codec.quantiser.usage[0], before[0])
    only_semantic = codec.mimi.quantizer.semantic_out @ codec.quantiser.codebook(0)[0]
    assert only_semantic.shape == (SMALL.dimension,)
    full = codec.quantise(latent.detach(), torch.tensor([4, 4, 4]), learn=False)
    torch.testing.assert_close(full.latent, codec.latent_of(full.codes), atol=1e-5, rtol=1e-5)


def test_codebooks_follow_the_vectors_they_stand_for() -> None:
    """Vectors around a few centres: after some updates each centre has a code vector close by."""
    codec = _codec()
    centres = torch.randn(6, SMALL.codebook_dim) * 3
    for _ in range(200):
        vectors = centres[torch.randint(6, (64,))] + 0.01 * torch.randn(64, SMALL.codebook_dim)
        codes, _ = codec.quantiser.nearest(vectors, 1)
        codec.quantiser.update(1, vectors, codes, torch.ones(64))
    _, nearest = codec.quantiser.nearest(centres, 1)
    assert (nearest - centres).norm(dim=-1).max() < 0.2
