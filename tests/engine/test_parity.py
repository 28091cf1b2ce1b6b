"""The engine against upstream's own code on small random checkpoints: the proof that this is the real architecture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from engine.duplex import Duplex
from engine.lm import depth_step
from engine.sampling import SamplingValues
from tests.checkpoints import write_checkpoint
from tests.engine import oracle

GREEDY = SamplingValues(temperature=0, text_temperature=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Contexts short enough to be passed many times in a short test."""
    return write_checkpoint(
        tmp_path_factory.mktemp("parity"), lm={"context": 40}, mimi={"transformer": {"context": 20}}
    )


def compare(duplex: Duplex, wanted: list[oracle.Heard], pcm: np.ndarray, tolerance: float = 1e-5) -> None:
    for index, (frame, heard) in enumerate(zip(pcm.reshape(-1, 1920), wanted, strict=True)):
        answer = duplex.step(frame)
        assert list(answer.user) == heard.user, f"codes heard, frame {index}"
        assert answer.text == heard.text, f"text token, frame {index}"
        assert (answer.own and list(answer.own)) == heard.own, f"own codes, frame {index}"
        if heard.pcm is not None:
            np.testing.assert_allclose(answer.pcm, np.clip(heard.pcm, -1, 1), atol=tolerance)
        else:
            assert not answer.pcm.any(), "silence before the first output"


def assert_close(ours: torch.Tensor, wanted: torch.Tensor) -> None:
    """Within 1e-4 of the tensor's largest value: the oracle adds in another order, over logits of up to 50."""
    assert (ours - wanted).abs().max() <= 1e-4 * wanted.abs().max()


def test_every_token_of_300_greedy_frames_far_past_the_context(folder: Path) -> None:
    pcm = oracle.speechlike(300)
    wanted = oracle.talk(*oracle.lm_and_mimi(folder), pcm)
    assert len({tuple(h.own) for h in wanted if h.own}) > 100, "the oracle's talk must be lively to prove anything"
    duplex = Duplex.load(folder, device="cpu", precision="float32")
    duplex.set_sampling(GREEDY)
    duplex.reset()
    compare(duplex, wanted, pcm)


def test_seeded_sampling_follows_upstreams_random_stream(folder: Path) -> None:
    pcm = oracle.speechlike(80, seed=1)
    wanted = oracle.talk(*oracle.lm_and_mimi(folder), pcm, seed=1234)
    duplex = Duplex.load(folder, device="cpu", precision="float32")
    duplex.reset(1234)
    compare(duplex, wanted, pcm)


def test_a_file_with_16_depth_steps_talks_like_its_first_eight(folder: Path, tmp_path: Path) -> None:
    """PersonaPlex's file layout; the last 8 steps only re-predict the user (facts lm 8b)."""
    sixteen = write_checkpoint(tmp_path, lm={"context": 40}, mimi={"transformer": {"context": 20}}, depth_steps=16)
    pcm = oracle.speechlike(60)
    wanted = oracle.talk(*oracle.lm_and_mimi(folder), pcm)
    duplex = Duplex.load(sixteen, device="cpu", precision="float32")
    duplex.set_sampling(GREEDY)
    duplex.reset()
    compare(duplex, wanted, pcm)


def test_the_personaplex_window_sees_one_entry_less(folder: Path) -> None:
    """That code's rings hide their oldest entry once full: its context n is upstream's n - 1 (facts lm 7)."""
    pcm = oracle.speechlike(150)
    lm, mimi = oracle.lm_and_mimi(folder, context=39, mimi_context=19)
    wanted = oracle.talk(lm, mimi, pcm)
    duplex = Duplex.load(folder, device="cpu", precision="float32", window="personaplex")
    duplex.set_sampling(GREEDY)
    duplex.reset()
    compare(duplex, wanted, pcm)


def test_codec_codes_and_sound_over_20_seconds(tmp_path: Path) -> None:
    """Default context: the rings of the codec wrap after 10 s."""
    folder = write_checkpoint(tmp_path, seed=3)
    _, mimi = oracle.lm_and_mimi(folder)
    duplex = Duplex.load(folder, device="cpu", precision="float32")
    pcm = oracle.speechlike(250, seed=2)
    with torch.inference_mode(), mimi.streaming(1):
        for index, frame in enumerate(pcm.reshape(-1, 1920)):
            sound = torch.from_numpy(frame)[None, None]
            codes = duplex.mimi.encode(sound, duplex.state.tensors, duplex.mimi_config.context)
            assert torch.equal(codes, mimi.encode(sound)), f"frame {index}"
            decoded = duplex.mimi.decode(codes, duplex.state.tensors, duplex.mimi_config.context)
            torch.testing.assert_close(decoded, mimi.decode(codes), atol=1e-5, rtol=0)


def test_teacher_forced_logits(folder: Path) -> None:
    """Text and audio logits over given tokens, to 1e-4, with zero tokens and initial tokens among them."""
    lm, _ = oracle.lm_and_mimi(folder)
    duplex = Duplex.load(folder, device="cpu", precision="float32")
    generator = torch.Generator().manual_seed(5)
    length = 30
    codes = torch.randint(0, 2048, (1, 17, length), generator=generator)
    codes[:, 0] = torch.randint(0, 48, (1, length), generator=generator)
    codes[:, 1:, 0], codes[:, 0, 0] = 2048, 48
    codes[:, 9:, 7] = -1
    following = torch.randint(0, 40, (1, 17, length), generator=generator)
    with torch.inference_mode():
        wanted_hidden, wanted_text = lm.forward_text(codes)
        wanted_audio = lm.forward_depformer_training(following, wanted_hidden)
        ours, state = duplex.lm, duplex.state.tensors
        hidden = ours.temporal(
            ours.temporal.embed(codes), state, torch.zeros(1, dtype=torch.int64), 40, torch.tensor([length])
        )
        assert_close(hidden, wanted_hidden)
        assert_close(ours.temporal.text_logits(hidden), wanted_text[:, 0])
        for position in range(length):
            for step in range(8):
                logits = depth_step(
                    ours.depth.at(step), following[:, step, position], hidden[:, position],
                    state["depth.keys"], state["depth.values"], torch.tensor([step]),
                )  # fmt: skip
                assert_close(logits, wanted_audio[:, step, position])
