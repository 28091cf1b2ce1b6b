"""Products with quantised weights by words against plain PyTorch: natively on a GPU, else in Triton's interpreter."""

from __future__ import annotations

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next
pytest.importorskip("triton", reason="Triton is not installed")

from engine import kernels_quantized, kernels_quantized_depth, kernels_words, kernels_words_depth
from engine.duplex import Duplex
from engine.fused_quantized import WordFrame, WordLaunches
from engine.kernels_linear import Launch
from engine.quantize import embedding
from tests.engine.test_kernels_quantized import (
    DEVICE,
    DTYPES,
    FORMATS,
    LM,
    MIMI,
    PDL,
    frames_agree,
    random,
    weight,
)

WORDS = pytest.mark.parametrize("words", [True, False])
# Four bits: a bias of at most 2048 under every number costs some of float32's exactness.
TOLERANCE = {torch.float32: 3e-4, torch.bfloat16: 0.07}


def assert_near(got: torch.Tensor, wanted: torch.Tensor) -> None:
    assert got.dtype == wanted.dtype
    torch.testing.assert_close(got.float(), wanted.float(), rtol=0, atol=TOLERANCE[got.dtype])


@FORMATS
@WORDS
@pytest.mark.parametrize(
    ("dtype", "rows", "columns", "block", "normed"),
    [
        (torch.float32, 24, 192, 0, True),  # more pieces than a row has
        (torch.bfloat16, 15, 128, 0, False),  # rows left over
        (torch.float32, 22, 512, 64, False),  # several blocks a row
        (torch.bfloat16, 24, 512, 64, False),
    ],
)
def test_linear(
    precision: str, words: bool, dtype: torch.dtype, rows: int, columns: int, block: int, normed: bool
) -> None:
    """The product of the normed vector, or added to what is there."""
    matrix = weight(precision, rows, columns)
    x, out = random(columns, dtype=dtype, seed=1), random(rows, dtype=dtype, seed=2)
    norm = random(columns, dtype=dtype, seed=3).abs() if normed else None
    wanted = kernels_quantized.linear_reference(matrix, x, out, norm=norm, add=not normed)
    launch = Launch(4, 1 if block else 3, 4)
    kernels_words.linear(matrix, x, out, launch, block, norm=norm, add=not normed, words=words, pdl=PDL)
    assert_near(out, wanted)


@FORMATS
@WORDS
@pytest.mark.parametrize(("dtype", "hidden"), [(torch.float32, 14), (torch.bfloat16, 10)])
def test_gated(precision: str, words: bool, dtype: torch.dtype, hidden: int) -> None:
    matrix = weight(precision, 2 * hidden, 128)
    x, norm = random(128, dtype=dtype, seed=1), random(128, dtype=dtype, seed=2).abs()
    out = torch.full((hidden,), torch.nan, dtype=dtype, device=DEVICE)
    kernels_words.gated(matrix, x, norm, out, Launch(4, 3, 4), words=words, pdl=PDL)
    assert_near(out, kernels_quantized.gated_reference(matrix, x, norm))


@DTYPES
@FORMATS
@pytest.mark.parametrize("embedded", [True, False])
def test_depth_projection(dtype: torch.dtype, precision: str, embedded: bool) -> None:
    matrix = weight(precision, 192, 64)
    x, norm = random(64, dtype=dtype, seed=1), random(64, dtype=dtype, seed=2).abs()
    keys, values = (torch.zeros(4, 8, 16, dtype=dtype, device=DEVICE) for _ in range(2))
    query, embed, wanted_x = torch.zeros(64, dtype=dtype, device=DEVICE), None, x.clone()
    if embedded:
        table, token = weight("int8", 20, 64, seed=5), torch.tensor([7], device=DEVICE)
        embed = (random(64, dtype=dtype, seed=6), table, token)
        wanted_x = embed[0] + embedding(table, token, dtype)[0]
    kernels_words_depth.depth_project(
        matrix, norm, x, query, keys, values, 3, Launch(8, 1, 4), embed=embed, words=True, pdl=PDL
    )
    assert_near(x, wanted_x)
    wanted = kernels_quantized_depth.depth_project_reference(matrix, norm, x)
    assert_near(torch.cat((query, keys[:, 3].flatten(), values[:, 3].flatten())), wanted)
    assert keys[:, :3].eq(0).all() and values[:, 4:].eq(0).all()


@DTYPES
@FORMATS
@pytest.mark.parametrize("step", [0, 5])
def test_depth_attention(dtype: torch.dtype, precision: str, step: int) -> None:
    matrix, query = weight(precision, 64, 64), random(64, dtype=dtype, seed=1)
    keys, values = (random(4, 8, 16, dtype=dtype, seed=seed) for seed in (2, 3))
    x = random(64, dtype=dtype, seed=4)
    wanted = kernels_quantized_depth.depth_attend_reference(matrix, query, keys, values, x, step)
    keys[:, step + 1 :], values[:, step + 1 :] = torch.nan, torch.nan
    kernels_words_depth.depth_attend_add(matrix, query, keys, values, x, step, Launch(8, 1, 4), words=True, pdl=PDL)
    assert_near(x, wanted)


@FORMATS
@torch.inference_mode()
def test_fused_frames_say_what_plain_frames_say(precision: str) -> None:
    fused = Duplex.random(LM, MIMI, device=DEVICE, precision=precision, seed=1, kernels=False)
    whole = Launch(rows=64)  # few programs: the interpreter runs them one by one
    cuts = WordLaunches(*(whole if isinstance(cut, Launch) else cut for cut in WordLaunches()))
    frame = WordFrame(
        fused.lm, fused.mimi, fused.state, lm_window=2, mimi_window=10,
        word_cuts=cuts._replace(depth_head=Launch(rows=32)),
    )  # fmt: skip
    frames_agree(fused, frame, 1e-3)
