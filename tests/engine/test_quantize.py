"""Quantised weights: rounding, packing, products and whole models with them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from engine.config import MIMI, MOSHI_7B, LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.errors import EngineError
from engine.lm import LanguageModel
from engine.precision import QUANTIZED, Storage, parameter_bytes, storage
from engine.quantize import (
    Quantized,
    QuantizedWeight,
    dequantized,
    embedding,
    empty,
    fast_on_processor,
    linear,
    make_room,
    quantize,
    widened,
)
from engine.sampling import SamplingValues
from tests.checkpoints import MODEL_NAME, write_checkpoint

# Sizes at which four-bit groups fit, and some at which they do not (`linear_out`: 88 columns).
LM = LMConfig(
    dim=64, num_layers=2, num_heads=2, context=8, text_card=50, card=32, n_q=4, dep_q=2, depformer_dim=32,
    depformer_num_layers=2, depformer_num_heads=2,
)  # fmt: skip
CODEC = MimiConfig(
    dimension=32, n_filters=4, num_heads=2, num_layers=1, dim_feedforward=64, context=10, codebook_dim=16, bins=32
)
LARGEST_ERROR = {"int8": 0.012, "int4": 0.1, "fp8": 0.028, "fp8-row": 0.028}  # of normal weights, relative


def rounded(matrix: torch.Tensor, kept: Storage) -> Quantized:
    into = empty(kept, tuple(matrix.shape), "cpu")
    quantize(matrix, kept, into)
    return into


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def kept_as(precision: str, columns: int = 256) -> Storage:
    kept = storage(precision, "temporal.layers.0.in_proj", (8, columns))
    assert kept is not None
    return kept


@pytest.mark.parametrize("precision", QUANTIZED)
def test_error_and_size_of_a_rounded_matrix(precision: str) -> None:
    matrix, kept = normal(96, 256), kept_as(precision)
    weight = rounded(matrix, kept)
    back = dequantized(weight, torch.float32)
    assert ((back - matrix).norm() / matrix.norm()).item() < LARGEST_ERROR[precision]
    assert sum(part.numel() * part.element_size() for part in weight) == kept.size(matrix.shape)


def test_four_bits_keep_every_number_in_its_place() -> None:
    """Numbers that the format can hold exactly come back exactly, in both halves of a row and of a byte."""
    numbers = torch.randint(-8, 8, (5, 128), generator=torch.Generator().manual_seed(0)).float()
    numbers.unflatten(-1, (-1, 64))[..., 0] = -8
    scales = torch.tensor([0.5, 2.0]).repeat_interleave(64)
    weight = rounded(numbers * scales, kept_as("int4", 128))
    assert weight.values.shape == (5, 64) and weight.scales.shape == (5, 2)
    assert torch.equal(widened(weight.values, torch.int8).float(), numbers)
    assert torch.equal(dequantized(weight, torch.float32), numbers * scales)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_every_float8_is_widened_exactly(dtype: torch.dtype) -> None:
    numbers = torch.arange(256, dtype=torch.uint8).view(torch.float8_e4m3fn)
    numbers = numbers[numbers.float().isfinite()]
    assert len(numbers) == 254
    assert torch.equal(widened(numbers, dtype), numbers.float().to(dtype))


@pytest.mark.parametrize("precision", QUANTIZED)
def test_zeros_huge_and_tiny_weights(precision: str) -> None:
    matrix = torch.zeros(4, 128)
    matrix[1, 3], matrix[2, 100], matrix[3] = 1e30, 1e-30, 3e-5
    back = dequantized(rounded(matrix, kept_as(precision, 128)), torch.float32)
    assert torch.equal(back[0], torch.zeros(128)) and back[1, 3] == pytest.approx(1e30, rel=0.07)
    if precision != "fp8":  # one scale for numbers 60 powers of ten apart keeps the largest
        assert back[2, 100] == pytest.approx(1e-30, rel=0.07)
        torch.testing.assert_close(back[3], matrix[3], rtol=0.07, atol=0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("precision", QUANTIZED)
def test_weights_that_are_no_numbers_are_refused_by_name(precision: str, bad: float) -> None:
    matrix = normal(4, 128)
    matrix[2, 5] = bad
    with pytest.raises(EngineError, match=r"linears\.3\.weight holds values that are no numbers"):
        quantize(matrix, kept_as(precision, 128), empty(kept_as(precision, 128), (4, 128), "cpu"), "linears.3.weight")


@pytest.mark.parametrize("precision", QUANTIZED)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("vectors", [(1,), (2, 3), (1, 40)])
@pytest.mark.parametrize("columns", [128, 88])
def test_products_are_those_of_the_dequantised_matrix(
    precision: str, dtype: torch.dtype, vectors: tuple[int, ...], columns: int
) -> None:
    """What lies in memory behind the vectors takes no part, whatever their length."""
    weight = rounded(normal(50, columns), kept_as(precision, columns))
    size = torch.Size(vectors).numel() * columns
    room = torch.full((size + 64,), torch.nan, dtype=dtype)
    x = room[:size].view(*vectors, columns).copy_(normal(*vectors, columns, seed=1))
    wanted = F.linear(x.float(), dequantized(weight, torch.float32))
    got = linear(x, weight)
    assert got.dtype == dtype and got.shape == wanted.shape
    assert ((got.float() - wanted).norm() / wanted.norm()).item() < 0.006  # bfloat16 vectors on a processor


@pytest.mark.parametrize("precision", QUANTIZED)
def test_a_large_matrix_is_made_plain_in_parts(precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captured graphs keep what a product needs beside its matrix, which at full size would be half a gigabyte."""
    weight, x = rounded(normal(50, 128), kept_as(precision, 128)), normal(20, 128, seed=1)
    whole = linear(x, weight)
    spread: list[int] = []

    def noted(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        wide = widened(values, dtype)
        spread.append(wide.numel())
        return wide

    monkeypatch.setattr("engine.quantize.widened", noted)
    monkeypatch.setattr("engine.quantize.SPREAD_AT_ONCE", 16 * 128)
    torch.testing.assert_close(linear(x, weight), whole)
    assert spread == [16 * 128] * 3 + [2 * 128]


def test_embeddings_are_rows_of_the_dequantised_table() -> None:
    table = rounded(normal(20, 64), kept_as("int8", 64))
    tokens = torch.tensor([[3, 0], [19, 3]])
    rows = embedding(table, tokens, torch.float32)
    assert torch.equal(rows, dequantized(table, torch.float32)[tokens])
    assert embedding(table, tokens, torch.bfloat16).dtype == torch.bfloat16


@pytest.mark.parametrize("precision", QUANTIZED)
def test_a_whole_model_counts_as_many_bytes_as_its_table_says(precision: str) -> None:
    for config in (LM, MOSHI_7B):
        with torch.device("meta"):
            plain, model = LanguageModel(config).bfloat16(), LanguageModel(config).bfloat16()
        make_room(model, precision)
        assert model.precision == precision
        held = sum(p.numel() * p.element_size() for p in model.parameters())
        assert held == sum(parameter_bytes(precision, n, p.shape, 2) for n, p in plain.named_parameters())
        assert all(p.dtype == torch.bfloat16 for n, p in model.named_parameters() if "norm" in n)
        heads = model.get_submodule("depth.heads")
        assert isinstance(heads, QuantizedWeight) and heads.values.dtype == torch.int8
        assert heads.shape == plain.depth.heads.shape
        if config is LM:
            wide = model.get_submodule("temporal.layers.0.linear_out")  # half a row has no group of 16: eight bits
            assert isinstance(wide, QuantizedWeight) and wide.values.dtype != torch.uint8


def spoken(precision: str, frames: int = 6) -> tuple[list[list[int]], torch.Tensor]:
    """Greedy tokens of a few frames, and the first frame's hidden vector."""
    duplex = Duplex.random(LM, CODEC, device="cpu", precision=precision, seed=3)
    duplex.set_sampling(SamplingValues(0.0, 5, 0.0, 5))
    duplex.reset(seed=1)
    generator, tokens, hidden = torch.Generator().manual_seed(0), [], None
    with torch.inference_mode():
        for _ in range(frames):
            duplex.state["frame.heard"].copy_(torch.randint(0, 32, (1, 2), generator=generator))
            duplex.frame.temporal()
            duplex.frame.depth()
            hidden = duplex.state["frame.hidden"].clone() if hidden is None else hidden
            tokens.append(duplex.state["frame.spoken"][0].tolist())
    assert hidden is not None and duplex.precision == precision
    return tokens, hidden


def test_models_in_every_precision_talk_alike_within_its_error() -> None:
    _, plain = spoken("float32")
    for precision in QUANTIZED:
        tokens, hidden = spoken(precision)
        assert hidden.dtype == torch.float32
        assert ((hidden - plain).norm() / plain.norm()).item() < 8 * LARGEST_ERROR[precision]
        assert tokens == spoken(precision)[0]


def test_seven_billion_weights_in_the_room_that_is_wanted() -> None:
    """Bytes of the 7B model: half and a quarter of bfloat16's, scales included."""
    sizes = {}
    with torch.device("meta"):
        shapes = {name: p.shape for name, p in LanguageModel(MOSHI_7B).named_parameters()}
    for precision in ("bfloat16", *QUANTIZED):
        sizes[precision] = sum(parameter_bytes(precision, name, shape, 2) for name, shape in shapes.items()) / 1e9
    assert sizes["bfloat16"] == pytest.approx(15.375, abs=0.001)
    assert sizes["int8"] == pytest.approx(7.69, abs=0.01) and sizes["fp8-row"] == sizes["int8"]
    assert sizes["int4"] == pytest.approx(4.30, abs=0.01)
    assert MIMI.n_q == 32


@pytest.mark.parametrize("precision", QUANTIZED)
def test_a_talk_in_every_precision_from_a_folder(tmp_path: Path, precision: str) -> None:
    """Loading with and without a cache gives the same talk."""
    folder = write_checkpoint(tmp_path / "m", lm={"context": 40}, config={"trained": False})
    said = []
    for cache in (None, tmp_path / "cache", tmp_path / "cache"):
        duplex = Duplex.load(folder, device="cpu", precision=precision, cache=cache)
        assert duplex.precision == precision and duplex.state["temporal.0.keys"].dtype == torch.float32
        duplex.reset(seed=7)
        pcm = np.sin(np.arange(1920, dtype=np.float32) / 20) * 0.3
        answers = [duplex.step(pcm) for _ in range(4)]
        said.append([(answer.text, answer.own) for answer in answers])
        assert "NVIDIA" in str(duplex.plain_reason)
        duplex.unload()
    assert said[0] == said[1] == said[2]


def test_auto_keeps_the_precision_of_the_file(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "m", config={"trained": False})
    Duplex.load(folder, device="cpu", precision="int8", cache=tmp_path / "cache").unload()
    (folder / MODEL_NAME).write_bytes(next((tmp_path / "cache").iterdir()).read_bytes())
    assert Duplex.load(folder, device="cpu").precision == ("int8" if fast_on_processor("int8") else "float32")
    assert Duplex.load(folder, device="cpu", precision="float32").precision == "float32"
    with pytest.raises(EngineError, match="holds int8 weights"):
        Duplex.load(folder, device="cpu", precision="fp8")


def test_a_trained_model_is_judged_by_speech_at_its_first_load(tmp_path: Path) -> None:
    """User report L14: over 1,500 frames, and what says too little the same is not offered."""
    folder, cache = write_checkpoint(tmp_path / "m", lm={"context": 60}), tmp_path / "cache"
    speech = np.random.default_rng(0).normal(0, 0.1, 24000).astype(np.float32)
    with pytest.raises(EngineError, match=r"In int4 this model says the same as before in only \d"):
        Duplex.load(folder, device="cpu", precision="int4", cache=cache, speech=lambda: speech)
    (judgement,) = cache.iterdir()
    assert json.loads(judgement.read_text())["frames"] == 1500


@torch.inference_mode()
def test_compiled_code_takes_the_fp8_row_product_as_one_operation() -> None:
    """One graph without a break, in which the product stands by its name; the result is eager's."""
    matrix = torch.randn(96, 64, generator=torch.Generator().manual_seed(0))
    kept = storage("fp8-row", "temporal.layers.0.in_proj", matrix.shape)
    assert kept is not None
    weight = empty(kept, matrix.shape, "cpu")
    quantize(matrix, kept, weight)
    graphs: list[list[str]] = []

    def note(module: torch.fx.GraphModule, _inputs: object) -> object:
        graphs.append([str(node.target) for node in module.graph.nodes if node.op == "call_function"])
        return module.forward

    def piece(x: torch.Tensor) -> torch.Tensor:
        return linear(x * 2, weight).relu()

    x = torch.randn(1, 1, 64, generator=torch.Generator().manual_seed(1))
    assert torch.equal(torch.compile(piece, backend=note, fullgraph=True)(x), piece(x))
    (named,) = graphs
    assert [name for name in named if "row_scaled_product" in name] == named[1:], "the doubling, and the product"
