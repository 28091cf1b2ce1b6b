"""The codec as a stream: frame by frame equals all at once, frames join without a seam, and its numbers are Mimi's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.config import MIMI, MOSHI_7B, MimiConfig
from engine.duplex import Duplex
from engine.errors import EngineError
from engine.mimi import Mimi, TransformerLayer
from engine.state import State
from engine.weights import find, load_mimi
from tests.checkpoints import write_checkpoint

FRAMES, FRAME = 125, 1920


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("codec"))


@pytest.fixture(scope="module")
def codec(folder: Path) -> Mimi:
    with torch.inference_mode():
        return load_mimi(find(folder), MimiConfig.from_dict(find(folder).mimi_config), 8, torch.device("cpu"))


def speech() -> Tensor:
    """[1, 1, samples] noise under a slow envelope, as uneven as speech."""
    noise = np.random.default_rng(0).standard_normal(FRAMES * FRAME)
    envelope = 0.1 * (1.1 + np.sin(np.arange(FRAMES * FRAME) * 20 / 24000))
    return torch.from_numpy((noise * envelope).astype(np.float32))[None, None]


def state_of(codec: Mimi) -> State:
    listening, speaking = codec.slots()
    return State(listening | speaking, "cpu")


@pytest.fixture(scope="module")
def decoded(codec: Mimi) -> tuple[Tensor, Tensor]:
    """The same 125 frames decoded at once and one by one, [samples] each."""
    window = codec.config.context
    with torch.inference_mode():
        codes = codec.encode(speech(), state_of(codec).tensors, window)
        at_once = codec.decode(codes, state_of(codec).tensors, window)[0, 0]
        state = state_of(codec).tensors
        one_by_one = torch.cat([codec.decode(codes[:, :, n : n + 1], state, window)[0, 0] for n in range(FRAMES)])
    return at_once, one_by_one


def test_frame_by_frame_equals_the_whole(codec: Mimi, decoded: tuple[Tensor, Tensor]) -> None:
    """User report A23: 10 s, both ways, well within 1e-3."""
    window, state = codec.config.context, state_of(codec).tensors
    pcm = speech()
    with torch.inference_mode():
        codes = torch.cat(
            [codec.encode(pcm[..., n * FRAME : (n + 1) * FRAME], state, window) for n in range(FRAMES)], dim=2
        )
        assert torch.equal(codes, codec.encode(pcm, state_of(codec).tensors, window))
    at_once, one_by_one = decoded
    assert float(at_once.abs().max()) > 0.01, "silence would prove nothing"
    torch.testing.assert_close(one_by_one, at_once, atol=1e-4, rtol=0)


def test_frames_join_without_a_seam(decoded: tuple[Tensor, Tensor]) -> None:
    """User report A22: no step from one frame to the next is larger than the steps inside frames."""
    steps = decoded[1].diff().abs()
    joins = steps[FRAME - 1 :: FRAME]
    inside = torch.ones_like(steps, dtype=torch.bool)
    inside[FRAME - 1 :: FRAME] = False
    assert len(joins) == FRAMES - 1
    assert joins.max() <= steps[inside].max()


def test_the_numbers_of_a_frame(folder: Path) -> None:
    """User report V14: 1920 samples at 24 kHz, 12.5 frames a second, 17 streams; LayerNorm adds 1e-5."""
    duplex = Duplex.load(folder, device="cpu")
    for config in (MIMI, duplex.mimi_config):
        assert (config.sample_rate, config.frame_rate, config.frame_size) == (24000, 12.5, 1920)
    assert (duplex.sample_rate, duplex.frame_rate, duplex.frame_size) == (24000, 12.5, 1920)
    assert MOSHI_7B.streams == duplex.lm_config.streams == 17
    layer = TransformerLayer(duplex.mimi_config, "x")
    for parameter in layer.parameters():
        torch.nn.init.zeros_(parameter)
    layer.norm2_weight.fill_(1)
    layer.linear1[0, 0] = layer.linear2[0, 0] = layer.scale2[0] = 1
    x = torch.zeros(1, 1, duplex.mimi_config.dimension)
    x[..., ::2], x[..., 1::2] = 3e-3, -3e-3  # so quiet that the epsilon decides
    ring = torch.zeros(1, duplex.mimi_config.num_heads, 250, duplex.mimi_config.head_dim)
    out = layer(x, {"x.keys": ring, "x.values": ring.clone()}, torch.tensor([[0]]), 250)
    normed = torch.tensor(3e-3 / (9e-6 + 1e-5) ** 0.5)
    assert float(out[0, 0, 0] - 3e-3) == pytest.approx(float(torch.nn.functional.gelu(normed)), abs=1e-5)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [("frame_rate", 25, "12.5 Hz"), ("sample_rate", 16000, "24 kHz mono"), ("channels", 2, "24 kHz mono")],
)
def test_another_frame_is_refused_at_load(folder: Path, tmp_path: Path, key: str, value: float, said: str) -> None:
    """User report V14: a frame rate read as 25 Hz would talk nonsense."""
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((tmp_path / "mimi_config.json").read_text())
    (tmp_path / "mimi_config.json").write_text(json.dumps({**config, key: value}))
    with pytest.raises(EngineError, match=said):
        Duplex.load(tmp_path, device="cpu")
