"""Every way of a frame to the card and back gives the frames of eager mode, bit for bit, and times for its stages."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from engine.config import MIMI
from engine.duplex import Duplex
from engine.stages import HANDOVER, Handover
from tests.gpu.talks import SMALL, apart, copy_of, parts_apart, talk

pytestmark = pytest.mark.gpu

FRAMES = 60
WAYS = (
    Handover(apart=0),
    Handover(apart=1),
    Handover(ends="inside"),
    Handover(ends="kernels", apart=0),
    Handover(ends="kernels", stamps="kernels"),
    Handover(ends="kernels", apart=2, stamps="kernels", timed_every=3),
    Handover(stamps="kernels", apart=0, timed_every=2),
)


@pytest.fixture(scope="module", params=[True, False], ids=["kernels", "plain"])
def duplex(request: pytest.FixtureRequest) -> Iterator[Duplex]:
    made = Duplex.random(SMALL, MIMI, device="cuda", precision="bfloat16", kernels=request.param)
    assert (made.plain_reason is None) is request.param, made.plain_reason
    yield made
    made.unload()


@pytest.mark.parametrize("way", WAYS)
def test_replayed_and_eager_frames_are_the_same_in_every_way(duplex: Duplex, way: Handover) -> None:
    """As those that are copied one by one, too."""
    duplex._frame_stages.release("graph")
    duplex._hand_over(HANDOVER)
    wanted = talk(duplex, ["eager"], FRAMES)
    state = copy_of(duplex.state, duplex)
    duplex._hand_over(way)
    duplex.prepare("graph")
    assert duplex._host.kernels is (way.ends == "kernels" and duplex.plain_reason is None)
    for modes in (["eager"], ["graph"], ["graph", "eager"]):
        answers = talk(duplex, modes, FRAMES)
        assert apart(answers, wanted) == "", modes
        assert parts_apart(state, duplex) == [], modes
        spans = np.array([answer.spans for answer in answers])
        assert (spans[:, :4] > 0).all(), modes
        if way.timed_every == 1:
            assert (spans[:, :4].sum(axis=1) < spans[:, 5]).all(), modes


def test_numbers_that_are_none_are_seen_by_the_kernels(duplex: Duplex) -> None:
    """A hidden state that is not finite ends the sound, in both modes."""
    duplex._frame_stages.release("graph")
    duplex._hand_over(Handover(ends="kernels", apart=1, stamps="kernels"))
    duplex.prepare("graph")
    for mode in ("eager", "graph"):
        duplex.set_mode(mode)
        duplex.reset(1)
        assert duplex.step(np.zeros(1920, np.float32)).finite
        with torch.inference_mode():
            for name in duplex.state:
                if name.startswith("temporal.") and duplex.state[name].is_floating_point():
                    duplex.state[name].fill_(float("nan"))
        answer = [duplex.step(np.zeros(1920, np.float32)) for _ in range(3)][-1]
        assert not answer.finite, mode
        assert not answer.pcm.any(), mode
        duplex.reset(1)
