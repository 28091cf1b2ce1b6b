"""The token ring: which token of which stream the language model sees on which frame."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.duplex import Duplex
from engine.sampling import SamplingValues
from tests.checkpoints import write_checkpoint

FRAMES = 10
# What enters the model, one row a stream, one column a frame. Text and semantic streams are undelayed, the seven
# acoustic ones of either side come a frame later; T and A are the tokens that stand where nothing has been yet. Own
# tokens are seen on the frame after the one that made them, so that frame 0's acoustic codes are never seen.
T, A = 48, 2048
TABLE = [
    [T, 10, 11, 12, 13, 14, 15, 16, 17, 18],
    [A, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008],
    [A, A, 1101, 1102, 1103, 1104, 1105, 1106, 1107, 1108],
    [A, A, 1201, 1202, 1203, 1204, 1205, 1206, 1207, 1208],
    [A, A, 1301, 1302, 1303, 1304, 1305, 1306, 1307, 1308],
    [A, A, 1401, 1402, 1403, 1404, 1405, 1406, 1407, 1408],
    [A, A, 1501, 1502, 1503, 1504, 1505, 1506, 1507, 1508],
    [A, A, 1601, 1602, 1603, 1604, 1605, 1606, 1607, 1608],
    [A, A, 1701, 1702, 1703, 1704, 1705, 1706, 1707, 1708],
    [A, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    [A, A, 101, 102, 103, 104, 105, 106, 107, 108],
    [A, A, 201, 202, 203, 204, 205, 206, 207, 208],
    [A, A, 301, 302, 303, 304, 305, 306, 307, 308],
    [A, A, 401, 402, 403, 404, 405, 406, 407, 408],
    [A, A, 501, 502, 503, 504, 505, 506, 507, 508],
    [A, A, 601, 602, 603, 604, 605, 606, 607, 608],
    [A, A, 701, 702, 703, 704, 705, 706, 707, 708],
]


@pytest.fixture(scope="module")
def duplex(tmp_path_factory: pytest.TempPathFactory) -> Duplex:
    return Duplex.load(write_checkpoint(tmp_path_factory.mktemp("frame"), lm={"num_layers": 1}), device="cpu")


def test_the_table_of_tokens_with_their_delays(duplex: Duplex, monkeypatch: pytest.MonkeyPatch) -> None:
    """User report C5: ten frames of known codes; a stream in another's place talks fluently of something else."""
    seen: list[list[int]] = []
    embed = duplex.lm.temporal.embed

    def noted(tokens: torch.Tensor) -> torch.Tensor:
        seen.append(tokens[0, :, 0].tolist())
        return embed(tokens)

    monkeypatch.setattr(duplex.lm.temporal, "embed", noted)
    duplex.reset()
    with torch.inference_mode():
        for frame in range(FRAMES):
            duplex.state["frame.heard"][0] = torch.arange(8) * 100 + frame
            duplex.state["frame.forced"][0] = torch.tensor([10 + frame, *(1000 + 100 * k + frame for k in range(8))])
            duplex.frame.temporal()
            duplex.frame.depth()
    assert torch.tensor(seen).T.tolist() == TABLE
    # What comes out is aligned: on frame 9 the text and all own codes of frame 8 (made on frames 8 and 9).
    assert duplex.state["frame.spoken"][0].tolist() == [18, 1008, *(1009 + 100 * k for k in range(1, 8))]


@pytest.mark.parametrize("values", [SamplingValues(1e-6, 2048, 1e-6, 2048), SamplingValues(3, 1, 3, 1)])
def test_the_ends_of_the_ranges_give_tokens_of_the_vocabulary(duplex: Duplex, values: SamplingValues) -> None:
    """User reports U5 and G10: a top k beyond the vocabulary (48 words here) is all of it, and nothing is NaN."""
    duplex.set_sampling(values)
    duplex.reset(1)
    answers = [duplex.step(np.full(1920, 0.1, np.float32)) for _ in range(6)]
    assert all(np.isfinite(answer.pcm).all() for answer in answers)
    for answer in answers[1:]:
        assert answer.text is not None
        assert answer.own is not None
        assert 0 <= answer.text < 48
        assert all(0 <= code < 2048 for code in answer.own)
