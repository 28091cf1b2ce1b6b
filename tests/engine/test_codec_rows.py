"""The codec in rows gives the plain codec's codes, sound and state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine.codec_rows import RowCodec, fits
from engine.config import MimiConfig
from engine.duplex import Duplex
from engine.frame import Frame
from engine.mimi import Mimi
from engine.state import State
from engine.weights import find, load_mimi
from tests.checkpoints import write_checkpoint

FRAME = 1920
OTHER_SIZES = MimiConfig(
    n_filters=6, dimension=48, num_heads=3, num_layers=2, dim_feedforward=64, context=9, codebook_dim=16, n_q=8,
    bins=32, n_residual_layers=1, ratios=(8, 6, 5, 4), compress=3,
)  # fmt: skip


@pytest.fixture(scope="module", params=["checkpoint", "other sizes"])
def codec(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mimi]:
    with torch.inference_mode():
        if request.param == "checkpoint":
            files = find(write_checkpoint(tmp_path_factory.mktemp("rows")))
            yield load_mimi(files, MimiConfig.from_dict(files.mimi_config), 8, torch.device("cpu"))
        else:
            mimi, generator = Mimi(OTHER_SIZES, 8), torch.Generator().manual_seed(2)
            for parameter in mimi.parameters():
                spread = (parameter[0].numel() if parameter.ndim > 1 else 4) ** -0.5
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * spread)
            mimi.quantizer.precompute()
            yield mimi


def state_of(codec: Mimi, talks: int) -> dict[str, Tensor]:
    listening, speaking = codec.slots()
    return State(listening | speaking, "cpu", talks).tensors


@pytest.mark.parametrize("talks", [1, 2])
@pytest.mark.parametrize("at_once", [1, 3])
@torch.inference_mode()
def test_both_ways_and_the_state_afterwards(codec: Mimi, talks: int, at_once: int) -> None:
    rows, window = RowCodec(codec), codec.config.context - 1
    plain_state, row_state = state_of(codec, talks), state_of(codec, talks)
    sound = torch.randn(talks, 1, FRAME * 12, generator=torch.Generator().manual_seed(1)) * 0.2
    for piece in sound.split(FRAME * at_once, dim=-1):
        codes = codec.encode(piece, plain_state, window)
        assert torch.equal(rows.encode(piece, row_state, window), codes)
        wanted = codec.decode(codes, plain_state, window)
        torch.testing.assert_close(rows.decode(codes, row_state, window), wanted, atol=2e-6, rtol=1e-5)
    for name, held in plain_state.items():
        scale = float(held.float().abs().max())  # sums of another order, through layers made lively
        torch.testing.assert_close(row_state[name], held, atol=1e-4 * scale, rtol=0, msg=name)


@torch.inference_mode()
def test_a_talk_may_change_over_between_two_frames(codec: Mimi) -> None:
    """The state is the same thing to both, as when the mode changes."""
    rows, window = RowCodec(codec), codec.config.context
    plain_state, mixed_state = state_of(codec, 1), state_of(codec, 1)
    sound = torch.randn(1, 1, FRAME * 8, generator=torch.Generator().manual_seed(1)) * 0.2
    for index, piece in enumerate(sound.split(FRAME, dim=-1)):
        other = (codec, rows)[index % 2]
        codes = codec.encode(piece, plain_state, window)
        assert torch.equal(other.encode(piece, mixed_state, window), codes)
        wanted = codec.decode(codes, plain_state, window)
        torch.testing.assert_close(other.decode(codes, mixed_state, window), wanted, atol=2e-6, rtol=1e-5)


def test_a_codec_with_wider_steps_keeps_to_the_plain_way() -> None:
    with torch.device("meta"):
        assert fits(Mimi(MimiConfig(), 8))
        assert not fits(Mimi(MimiConfig(n_residual_layers=2, dilation_base=2), 8))


def test_only_what_is_launched_piece_by_piece_on_a_processor_runs_in_rows(tmp_path: Path) -> None:
    engine = Duplex.load(write_checkpoint(tmp_path / "m"), device="cpu")
    assert isinstance(engine.frame._encode.__self__, RowCodec)  # type: ignore[attr-defined]
    wrapped = Frame(
        engine.lm, engine.mimi, engine.state, lm_window=9, mimi_window=9, counted_noise=False, wrap=lambda piece: piece
    )
    assert wrapped._encode.__self__ is engine.mimi  # type: ignore[attr-defined]
