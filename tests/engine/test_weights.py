"""Checkpoint files: what is found, what is refused in one sentence, and that each weight lands where it belongs."""

from __future__ import annotations

import itertools
import json
import math
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.config import MIMI, MOSHI_7B, LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.errors import Cancelled, EngineError
from engine.file_check import refuse_non_numbers
from engine.layout import CODEBOOKS, USAGE, Piece, checkpoint_layout, lm_pieces, mimi_layout, mimi_pieces
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.tensor_file import read_header
from engine.weights import Loading, find, load_lm, load_mimi
from tests.checkpoints import MIMI_NAME, MODEL_NAME, TOKENIZER_NAME, write_checkpoint

CPU = torch.device("cpu")
GIB = 1 << 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("checkpoint"))


def load(folder: Path, loading: Loading | None = None, dtype: torch.dtype = torch.float32) -> LanguageModel:
    files = find(folder)
    return load_lm(files, LMConfig.from_dict(files.config), CPU, dtype, loading)


def load_codec(folder: Path, codebooks: int = 8, loading: Loading | None = None) -> Mimi:
    files = find(folder)
    return load_mimi(files, MimiConfig.from_dict(files.mimi_config), codebooks, CPU, loading=loading)


def changed(folder: Path, to: Path, name: str, change: Callable[[dict[str, Tensor]], None]) -> Path:
    """A copy of the folder in which one tensor file has been changed."""
    to.mkdir()
    for path in folder.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    tensors = load_file(to / name)
    change(tensors)
    save_file(tensors, to / name)
    return to


def never_asked(*_: Any) -> Any:
    raise AssertionError("the device or the weights were touched before the key list had been compared")


UNTOUCHED = Loading(ask_memory=never_asked, opener=never_asked)


# ---------------------------------------------------------------- layout


def test_published_sizes() -> None:
    """The full 7B with 8 and 16 depth steps and the full codec: tensors and values as published."""

    def totals(layout: dict[str, tuple[int, ...]]) -> tuple[int, int]:
        return len(layout), sum(math.prod(shape) for shape in layout.values())

    assert totals(checkpoint_layout(MOSHI_7B, 8)) == (355, 7_687_729_152)
    assert totals(checkpoint_layout(MOSHI_7B, 16)) == (475, 8_371_408_896)
    assert totals(mimi_layout(MIMI)) == (318, 96_151_393)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ("emb.15.weight", (2049, 4096)),
        ("text_emb.weight", (32001, 4096)),
        ("text_linear.weight", (32000, 4096)),
        ("out_norm.alpha", (1, 1, 4096)),
        ("transformer.layers.31.self_attn.in_proj_weight", (12288, 4096)),
        ("transformer.layers.31.self_attn.out_proj.weight", (4096, 4096)),
        ("transformer.layers.0.gating.linear_in.weight", (22528, 4096)),
        ("transformer.layers.0.gating.linear_out.weight", (4096, 11264)),
        ("depformer_in.15.weight", (1024, 4096)),
        ("depformer_text_emb.weight", (32001, 1024)),
        ("depformer_emb.14.weight", (2049, 1024)),
        ("depformer.layers.5.self_attn.in_proj_weight", (16 * 3072, 1024)),
        ("depformer.layers.5.self_attn.out_proj.weight", (16 * 1024, 1024)),
        ("depformer.layers.5.norm2.alpha", (1, 1, 1024)),
        ("depformer.layers.5.gating.15.linear_in.weight", (5632, 1024)),
        ("depformer.layers.5.gating.15.linear_out.weight", (1024, 2816)),
        ("linears.15.weight", (2048, 1024)),
    ],
)
def test_published_language_model_keys(key: str, shape: tuple[int, ...]) -> None:
    assert checkpoint_layout(MOSHI_7B, 16)[key] == shape


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ("encoder.model.0.conv.conv.weight", (64, 1, 7)),
        ("encoder.model.1.block.1.conv.conv.weight", (32, 64, 3)),
        ("encoder.model.10.block.3.conv.conv.weight", (512, 256, 1)),
        ("encoder.model.12.conv.conv.weight", (1024, 512, 16)),
        ("encoder.model.14.conv.conv.weight", (512, 1024, 3)),
        ("decoder.model.0.conv.conv.weight", (1024, 512, 7)),
        ("decoder.model.2.convtr.convtr.weight", (1024, 512, 16)),
        ("decoder.model.2.convtr.convtr.bias", (512,)),
        ("decoder.model.11.convtr.convtr.weight", (128, 64, 8)),
        ("decoder.model.14.conv.conv.weight", (1, 64, 3)),
        ("encoder_transformer.transformer.layers.7.self_attn.in_proj_weight", (1536, 512)),
        ("decoder_transformer.transformer.layers.0.layer_scale_2.scale", (512,)),
        ("downsample.conv.conv.conv.weight", (512, 512, 4)),
        ("upsample.convtr.convtr.convtr.weight", (512, 1, 4)),
        ("quantizer.rvq_first.input_proj.weight", (256, 512, 1)),
        ("quantizer.rvq_rest.output_proj.weight", (512, 256, 1)),
        ("quantizer.rvq_rest.vq.layers.30._codebook.embedding_sum", (2048, 256)),
        ("quantizer.rvq_first.vq.layers.0._codebook._initialized", (1,)),
    ],
)
def test_published_codec_keys(key: str, shape: tuple[int, ...]) -> None:
    assert mimi_layout(MIMI)[key] == shape


def covered(pieces: Iterator[Piece], shapes: dict[str, tuple[int, ...]]) -> dict[str, int]:
    """Elements of each parameter that the pieces fill."""
    filled = dict.fromkeys(shapes, 0)
    rows: set[tuple[str, int | None]] = set()
    for piece in pieces:
        if piece.parameter is None:
            continue
        assert (piece.parameter, piece.row) not in rows, "two keys fill the same place"
        rows.add((piece.parameter, piece.row))
        shape = shapes[piece.parameter]
        filled[piece.parameter] += math.prod(shape if piece.row is None else shape[1:])
    return filled


@pytest.mark.parametrize("steps", [8, 16])
def test_every_parameter_of_the_7b_is_filled_exactly(steps: int) -> None:
    with torch.device("meta"):
        shapes = {name: tuple(p.shape) for name, p in LanguageModel(MOSHI_7B).named_parameters()}
    assert covered(lm_pieces(MOSHI_7B, steps), shapes) == {name: math.prod(shape) for name, shape in shapes.items()}


def test_every_parameter_of_the_codec_is_filled_exactly() -> None:
    with torch.device("meta"):
        shapes = {name: tuple(p.shape) for name, p in Mimi(MIMI, 8).named_parameters()}
    shapes[USAGE] = (8, MIMI.bins)
    assert covered(mimi_pieces(MIMI, 8), shapes) == {name: math.prod(shape) for name, shape in shapes.items()}


# ---------------------------------------------------------------- loading


def test_each_weight_lands_in_its_place(folder: Path) -> None:
    file, model = load_file(folder / MODEL_NAME), load(folder)
    temporal, depth = model.temporal, model.depth
    for k in range(16):
        assert torch.equal(temporal.audio_embeddings[k], file[f"emb.{k}.weight"])
    assert torch.equal(temporal.text_embedding, file["text_emb.weight"])
    assert torch.equal(temporal.text_head, file["text_linear.weight"])
    assert torch.equal(temporal.out_norm, file["out_norm.alpha"].flatten())
    for index, layer in enumerate(temporal.layers):
        place = f"transformer.layers.{index}"
        assert torch.equal(layer.in_proj, file[f"{place}.self_attn.in_proj_weight"])
        assert torch.equal(layer.out_proj, file[f"{place}.self_attn.out_proj.weight"])
        assert torch.equal(layer.norm1, file[f"{place}.norm1.alpha"].flatten())
        assert torch.equal(layer.norm2, file[f"{place}.norm2.alpha"].flatten())
        assert torch.equal(layer.linear_in, file[f"{place}.gating.linear_in.weight"])
        assert torch.equal(layer.linear_out, file[f"{place}.gating.linear_out.weight"])
    assert torch.equal(depth.text_embedding, file["depformer_text_emb.weight"])
    for step in range(8):
        assert torch.equal(depth.input_projections[step], file[f"depformer_in.{step}.weight"])
        assert torch.equal(depth.heads[step], file[f"linears.{step}.weight"])
    for step in range(7):
        assert torch.equal(depth.audio_embeddings[step], file[f"depformer_emb.{step}.weight"])
    for index, layer in enumerate(depth.layers):
        place = f"depformer.layers.{index}"
        assert torch.equal(layer.in_proj.flatten(0, 1), file[f"{place}.self_attn.in_proj_weight"])
        assert torch.equal(layer.out_proj.flatten(0, 1), file[f"{place}.self_attn.out_proj.weight"])
        for step in range(8):
            assert torch.equal(layer.linear_in[step], file[f"{place}.gating.{step}.linear_in.weight"])
            assert torch.equal(layer.linear_out[step], file[f"{place}.gating.{step}.linear_out.weight"])


@pytest.mark.parametrize("depth_steps", [8, 16])
@pytest.mark.parametrize("split_names", [False, True])
@pytest.mark.parametrize("dep_q", [8, 16])
def test_every_form_of_the_file_gives_the_same_model(
    folder: Path, tmp_path: Path, depth_steps: int, split_names: bool, dep_q: int
) -> None:
    """8 or 16 steps, packed or split attention, whatever config.json says (user report L2)."""
    other = write_checkpoint(tmp_path / "m", depth_steps=depth_steps, split_names=split_names, lm={"dep_q": dep_q})
    wanted, got = load(folder).state_dict(), load(other).state_dict()
    assert wanted.keys() == got.keys()
    assert all(torch.equal(wanted[name], got[name]) for name in wanted)


@pytest.mark.parametrize("stored", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("wanted", [torch.float32, torch.bfloat16])
def test_weights_are_cast_as_torch_casts(tmp_path: Path, stored: torch.dtype, wanted: torch.dtype) -> None:
    path = write_checkpoint(tmp_path / "m", dtype=stored)
    model = load(path, dtype=wanted)
    file = load_file(path / MODEL_NAME)
    assert all(parameter.dtype == wanted for parameter in model.parameters())
    assert torch.equal(model.temporal.text_head, file["text_linear.weight"].to(wanted))
    assert torch.equal(model.depth.heads[7], file["linears.7.weight"].to(wanted))


def test_codebooks_are_sums_over_counts(folder: Path, tmp_path: Path) -> None:
    """A code that was never used has no count: the floor keeps it finite, as in the reference."""

    def unused(tensors: dict[str, Tensor]) -> None:
        tensors["quantizer.rvq_rest.vq.layers.6._codebook.cluster_usage"][5] = 0

    path = changed(folder, tmp_path / "m", MIMI_NAME, unused)
    file, codec = load_file(path / MIMI_NAME), load_codec(path)
    for level in range(8):
        place = "quantizer.rvq_first.vq.layers.0" if level == 0 else f"quantizer.rvq_rest.vq.layers.{level - 1}"
        sums, usage = file[f"{place}._codebook.embedding_sum"], file[f"{place}._codebook.cluster_usage"]
        assert torch.equal(codec.quantizer.codebooks[level], sums / usage.clamp(min=1e-5)[:, None])
    assert torch.isfinite(codec.quantizer.codebooks).all()
    assert codec.quantizer.semantic_in.equal(file["quantizer.rvq_first.input_proj.weight"][..., 0])
    assert codec.decoder.layers["2"].weight.equal(file["decoder.model.2.convtr.convtr.weight"])
    assert codec.encoder.layers["4"].conv2.bias.equal(file["encoder.model.4.block.3.conv.conv.bias"])
    assert codec.decoder_transformer.layers[1].scale2.equal(
        file["decoder_transformer.transformer.layers.1.layer_scale_2.scale"]
    )
    assert not any(t.is_meta for t in (*codec.parameters(), *codec.buffers()))


@pytest.mark.parametrize("sums", ["embed_sum", "embed_avg"])
def test_old_codebook_names(folder: Path, tmp_path: Path, sums: str) -> None:
    def rename(tensors: dict[str, Tensor]) -> None:
        for key in list(tensors):
            new = key.replace("embedding_sum", sums).replace("cluster_usage", "cluster_size")
            tensors[new.replace("_initialized", "inited")] = tensors.pop(key)

    old = changed(folder, tmp_path / "m", MIMI_NAME, rename)
    assert torch.equal(load_codec(old).quantizer.codebooks, load_codec(folder).quantizer.codebooks)


def test_unused_codebooks_are_checked_but_not_read(folder: Path, tmp_path: Path) -> None:
    totals = []
    for codebooks in (8, 32):
        events: list[tuple[str, int, int]] = []
        load_codec(folder, codebooks, Loading(progress=lambda *event, events=events: events.append(event)))
        assert events[-1][1] == events[-1][2]
        totals.append(events[-1][2])
    assert totals[1] - totals[0] == 24 * 2048 * (16 + 1) * 4
    with pytest.raises(EngineError, match="has 32 codebooks where the language model needs 33"):
        load_codec(folder, 33)
    missing = changed(
        folder, tmp_path / "m", MIMI_NAME, lambda t: t.pop("quantizer.rvq_rest.vq.layers.30._codebook.embedding_sum")
    )
    with pytest.raises(
        EngineError, match=r"1 tensor missing \(quantizer.rvq_rest.vq.layers.30._codebook.embedding_sum"
    ):
        load_codec(missing)


def test_the_unused_depth_steps_are_not_read(folder: Path, tmp_path: Path) -> None:
    def bytes_read(path: Path) -> int:
        events: list[tuple[str, int, int]] = []
        load(path, Loading(progress=lambda *event: events.append(event)))
        assert events[-1][:2] == ("language model", events[-1][2])
        return events[-1][2]

    assert bytes_read(write_checkpoint(tmp_path / "m", depth_steps=16)) == bytes_read(folder)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.pop("linears.0.weight"), "missing (linears.0.weight"),
        (lambda t: t.pop("transformer.layers.1.norm1.alpha"), "1 tensor missing (transformer.layers.1.norm1.alpha)"),
        (lambda t: t.update({"odd.weight": torch.zeros(2)}), "1 tensor not of this model (odd.weight)"),
        (
            lambda t: t.update({"emb.3.weight": torch.zeros(1025, 64)}),
            "1 tensor of another shape (emb.3.weight is [1025, 64] where [2049, 64] is needed)",
        ),
        (
            lambda t: t.update({"out_norm.alpha": torch.zeros(1, 1, 64, dtype=torch.int8)}),
            "of a type that cannot be read (out_norm.alpha is I8)",
        ),
        (
            lambda t: [t.pop(f"depformer_in.{i}.weight") for i in range(2, 8)],
            "6 tensors missing (depformer_in.2.weight",
        ),
    ],
)
def test_a_key_list_that_differs_is_named_before_anything_is_touched(
    folder: Path, tmp_path: Path, change: Callable[[dict[str, Tensor]], None], said: str
) -> None:
    """User report L2."""
    path = changed(folder, tmp_path / "m", MODEL_NAME, change)
    with pytest.raises(EngineError) as refusal:
        load(path, UNTOUCHED)
    assert said in str(refusal.value)
    assert len(str(refusal.value)) < 600


def test_a_file_with_fewer_depth_steps_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"missing .*linears.4.weight|missing .*depformer_in.4.weight"):
        load(write_checkpoint(tmp_path / "m", depth_steps=4), UNTOUCHED)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("transformer.layers.0.gating.linear_in.weight_scb",), "bitsandbytes 8-bit"),
        (("transformer.layers.0.gating.linear_in.scales",), "quantised MLX"),
        (("depformer.slices.0.linear_in.weight",), "for MLX"),
        (("model.layers.0.self_attn.q_proj.linear.weight",), "Hugging Face transformers"),
        (("transformer.layers.0.self_attn.in_proj.lora_A.weight",), "LoRA"),
        (("condition_provider.conditioners.x.embed.weight",), "conditioned model"),
        (("quantizer.rvq_first.input_proj.weight",), "Mimi codec"),
    ],
)
def test_another_kind_of_model_file_is_recognised(tmp_path: Path, keys: tuple[str, ...], said: str) -> None:
    path = write_checkpoint(tmp_path / "m")
    save_file({key: torch.zeros(4) for key in keys}, path / MODEL_NAME)
    with pytest.raises(EngineError, match=said):
        load(path, UNTOUCHED)


def test_without_a_config_the_sizes_taken_are_said(folder: Path, tmp_path: Path) -> None:
    """A small model's folder that lost its config.json is taken for the published 7B, which must not go unsaid."""
    assert find(folder).assumption == ""
    path = changed(folder, tmp_path / "m", MODEL_NAME, lambda tensors: None)
    (path / "config.json").unlink()
    assert "has no config.json" in find(path).assumption
    with pytest.raises(EngineError) as told:
        load_lm(find(path), MOSHI_7B, CPU, torch.float32)
    sentence = str(told.value)
    assert f"{path} has no config.json, so its files are taken for the published 7B model: width 4096, 32" in sentence
    assert "text_linear.weight" in sentence or "of another shape" in sentence
    assert sentence.endswith("Put the config.json that belongs to the model beside it, or fetch the model again.")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("key", ["out_norm.alpha", "linears.7.weight", "decoder.model.0.conv.conv.bias"])
def test_weights_that_are_no_numbers_are_refused_at_load(folder: Path, tmp_path: Path, key: str, bad: float) -> None:
    """The model would talk silence without a word; one bad value is enough, in either file."""
    name = MIMI_NAME if key.startswith("decoder") else MODEL_NAME

    def spoil(tensors: dict[str, Tensor]) -> None:
        tensors[key].view(-1)[-1] = bad

    path = changed(folder, tmp_path / "m", name, spoil)
    with pytest.raises(EngineError, match=f"{name} holds values that are no numbers, in 1 of .* fetch the model again"):
        Duplex.load(path, device="cpu")


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("transformer.layers.1.norm2.alpha", MODEL_NAME),
        ("out_norm.alpha", MODEL_NAME),
        ("depformer.layers.0.norm1.alpha", MODEL_NAME),
        ("decoder_transformer.transformer.layers.0.norm1.weight", MIMI_NAME),
    ],
)
def test_a_file_that_is_empty_in_places_is_refused_at_load(folder: Path, tmp_path: Path, key: str, name: str) -> None:
    """A disk that failed, or a download that was never filled in: the model would talk nonsense without a word."""
    path = changed(folder, tmp_path / "m", name, lambda tensors: tensors[key].zero_())
    with pytest.raises(EngineError, match=f"{name} holds nothing but zeros in 1 of .* norms .*: it is damaged"):
        Duplex.load(path, device="cpu")


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "int8"])
def test_a_file_of_zeros_is_refused_in_every_precision(folder: Path, tmp_path: Path, precision: str) -> None:
    def empty(tensors: dict[str, Tensor]) -> None:
        for tensor in tensors.values():
            tensor.zero_()

    path = changed(folder, tmp_path / "m", MODEL_NAME, empty)
    with pytest.raises(EngineError, match="nothing but zeros"):
        Duplex.load(path, device="cpu", precision=precision)


def test_eight_bit_floats_that_are_no_numbers_are_refused() -> None:
    weight = torch.linspace(-448, 448, 100).to(torch.float8_e4m3fn)
    module = torch.nn.Module()
    module.values = torch.nn.Parameter(weight, requires_grad=False)
    refuse_non_numbers(module, Path("model.safetensors"))
    for bits in (0x7F, -1):
        weight.view(torch.int8)[3] = bits
        with pytest.raises(EngineError, match=r"model.safetensors holds .*\(values\)"):
            refuse_non_numbers(module, Path("model.safetensors"))


def test_swapped_files_are_recognised(folder: Path, tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "m")
    (path / MIMI_NAME).write_bytes((folder / MODEL_NAME).read_bytes())
    with pytest.raises(EngineError, match="a language model, not a codec"):
        load_codec(path)


def header_bytes(header: Any, data: int = 0) -> bytes:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(raw)) + raw + bytes(data)


def tensor(begin: int, end: int, shape: list[Any] | None = None, dtype: str = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": [(end - begin) // 4] if shape is None else shape, "data_offsets": [begin, end]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (struct.pack("<Q", 1 << 63) + b"{}" + bytes(64), "claims a header of"),
        (struct.pack("<Q", 1 << 40) + b"{" + bytes(64), "claims a header of"),
        (struct.pack("<Q", 5000) + b'{"a": {"dtype": "F32", "shape": [1', "ends inside its header"),
        (header_bytes({"a": tensor(0, 8), "b": tensor(4, 12)}, 12), "overlaps"),
        (header_bytes({"a": tensor(0, 8), "b": tensor(0, 8)}, 8), "overlaps"),
        (header_bytes({"a": tensor(0, 8)}, 4), "only"),
        (header_bytes({"a": tensor(0, 8)}, 12), "does not describe"),
        (header_bytes({"a": tensor(0, 8, shape=[3])}, 8), "damaged header"),
        (header_bytes({"a": tensor(0, 8, shape=[-2, -1])}, 8), "damaged header"),
        (header_bytes({"a": tensor(0, 8, shape=[2.0])}, 8), "damaged header"),
        (header_bytes({"a": tensor(0, 8, shape=[True, 2])}, 8), "damaged header"),
        (header_bytes({"a": tensor(0, 8, shape=[1 << 70])}, 8), "damaged header"),
        (header_bytes({"a": tensor(-8, 0)}, 8), "damaged header"),
        (header_bytes({"a": tensor(0, 8, dtype="Q4")}, 8), "damaged header"),
        (header_bytes(b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, NaN]}}', 8), "damaged header"),
        (header_bytes(b'{"a": {"shape": [2], "data_offsets": [0, ' + b"9" * 5000 + b"]}}", 8), "damaged header"),
        (header_bytes(b'{"a": ' + b"[" * 100_000, 8), "damaged header"),
        (header_bytes(b'{"a": \xff}', 8), "damaged header"),
        (header_bytes([1, 2], 8), "not a safetensors file"),
        (b"", "is empty"),
        (b"abc", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 16743000000\n", "Git LFS pointer"),
        (b"<!DOCTYPE html>\n<html><body>Not Found</body></html>", "web page"),
        (b"\n\n<html lang=en>", "web page"),
        (b'{"error":"Repository not found"}', "not a safetensors file"),
        (b"GGUF\x03\x00\x00\x00" + bytes(64), "GGUF"),
        (b"PK\x03\x04" + bytes(64), "pickled PyTorch"),
        (bytes(4096), "not a safetensors file"),
    ],
)
def test_a_damaged_or_other_file_is_one_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    """User report S7, and the files that people have under a weights file's name."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(EngineError, match=said) as refusal:
        read_header(path)
    assert str(refusal.value).count("\n") == 0


def test_a_file_cut_short_is_refused(folder: Path, tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "m")
    whole = (folder / MODEL_NAME).read_bytes()
    (path / MODEL_NAME).write_bytes(whole[: len(whole) * 2 // 5])
    with pytest.raises(EngineError, match=f"has only {len(whole) * 2 // 5} of {len(whole)} bytes.*incomplete"):
        load(path, UNTOUCHED)


def test_a_file_that_shrinks_or_fails_while_it_is_read(folder: Path) -> None:
    class Ending:
        def __init__(self, path: Path, fails: bool):
            self.left, self.fails = 1_000_000, fails

        def seek(self, _: int) -> None:
            pass

        def readinto(self, view: memoryview) -> int:
            if self.fails and not self.left:
                raise OSError(5, "Input/output error")
            got = min(len(view), self.left)
            self.left -= got
            return got

        def close(self) -> None:
            pass

    for fails, said in ((False, "ended while it was read"), (True, "could not be read: Input/output error")):
        with pytest.raises(EngineError, match=said):
            load(folder, Loading(opener=lambda path, fails=fails: Ending(path, fails)))  # type: ignore[arg-type,return-value]


# ---------------------------------------------------------------- memory


@pytest.mark.skipif(sys.platform == "win32", reason="needs sparse files")
def test_the_full_model_is_refused_with_both_numbers(tmp_path: Path) -> None:
    """User report L3: a 16 GB card with 7.6 GiB free and a bfloat16 7B; the file is sparse, so it costs no disk."""
    header, offset = {}, 0
    for key, shape in checkpoint_layout(MOSHI_7B, 16).items():
        size = 2 * math.prod(shape)
        header[key] = {"dtype": "BF16", "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    raw = header_bytes(header)
    with (tmp_path / MODEL_NAME).open("wb") as file:
        file.write(raw)
        file.truncate(len(raw) + offset)
    for name in (MIMI_NAME, TOKENIZER_NAME):
        (tmp_path / name).write_bytes(b"-")
    asked = []

    def ask(device: torch.device) -> tuple[int, int]:
        asked.append(device)
        return round(7.6 * GIB), 16 * GIB

    gpu = torch.device("cuda", 0)  # no such device is touched: the refusal comes before any allocation
    with pytest.raises(EngineError, match=r"needs 13\.8 GiB of memory, but the GPU has 7\.6 GiB free of 16\.0 GiB"):
        load_lm(find(tmp_path), MOSHI_7B, gpu, torch.bfloat16, Loading(ask_memory=ask, opener=never_asked))
    assert asked == [gpu]


def test_the_reserve_counts_as_needed(folder: Path) -> None:
    def ask(_: torch.device) -> tuple[int, int]:
        return GIB, 4 * GIB

    load(folder, Loading(ask_memory=ask))
    with pytest.raises(EngineError, match=r"needs 1\.0 GiB .* this computer has 1\.0 GiB free of 4\.0 GiB"):
        load(folder, Loading(ask_memory=ask, reserve=GIB))


_MEASURE = """
import resource, sys, torch
from pathlib import Path
from engine.config import LMConfig
from engine.weights import Loading, find, load_lm
torch.set_num_threads(1)

def status(name):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) << 10

def load(folder):
    files = find(Path(folder))
    return load_lm(files, LMConfig.from_dict(files.config), torch.device("cpu"), getattr(torch, sys.argv[2]))

load(sys.argv[3])  # a small one: from now on the pages of the libraries are there
files = find(Path(sys.argv[1]))
limit = status("VmSize") + 2 * files.model.stat().st_size
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
Path("/proc/self/clear_refs").write_text("5")  # the peak starts here
before = status("VmRSS")
model = load(sys.argv[1])
print(status("VmHWM") - before, sum(p.numel() * p.element_size() for p in model.parameters()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
@pytest.mark.parametrize("precision", ["bfloat16", "float32"])
def test_peak_memory_of_a_load(tmp_path: Path, precision: str) -> None:
    """User reports L1 and L15: a toy of 64 MB and more loads under a 2x limit, with 1.15 times the file at its peak."""
    dtype = torch.float32 if precision == "float32" else torch.float16  # the second is cast on the way
    sizes = {"dim": 384, "num_heads": 4, "num_layers": 5 if precision == "float32" else 14}
    path = write_checkpoint(tmp_path / "m", lm=sizes, dtype=dtype)
    small = write_checkpoint(tmp_path / "small", lm={**sizes, "dim": 64}, dtype=dtype)
    size = (path / MODEL_NAME).stat().st_size
    assert size > 64e6
    command = [sys.executable, "-c", _MEASURE, str(path), precision, str(small)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=_ROOT)
    peak, loaded = map(int, run.stdout.split())
    assert 0.95 * loaded < peak <= 1.15 * size


_ROOT = Path(__file__).resolve().parents[2]

# ---------------------------------------------------------------- progress and cancelling


class SlowDisk:
    """A file on a disk of so many bytes a second, in virtual time."""

    def __init__(self, speed: float):
        self.speed, self.now, self.file = speed, 0.0, None

    def clock(self) -> float:
        return self.now

    def open(self, path: Path) -> BinaryIO:
        self.file = path.open("rb", buffering=0)
        return self  # type: ignore[return-value]

    def seek(self, offset: int) -> None:
        self.file.seek(offset)

    def close(self) -> None:
        self.file.close()

    def readinto(self, view: memoryview) -> int:
        got = self.file.readinto(view)
        self.now += got / self.speed
        return got


@pytest.mark.parametrize("speed", [10e6, 1e6, 3e9])
def test_progress_comes_often_enough_on_any_disk(folder: Path, speed: float) -> None:
    """User report L11: at least two events a second, and one every 64 MB."""
    disk, events = SlowDisk(speed), [(0.0, 0)]

    def progress(what: str, done: int, total: int) -> None:
        assert what == "language model"
        assert 0 <= done <= total
        events.append((disk.now, done))

    load(folder, Loading(progress=progress, clock=disk.clock, opener=disk.open))
    assert all(later[0] - earlier[0] <= 0.5 for earlier, later in itertools.pairwise(events))
    assert all(later[1] - earlier[1] <= 64e6 for earlier, later in itertools.pairwise(events))
    assert events[-1][1] == sum(p.numel() * 4 for p in load(folder).parameters())


@pytest.mark.parametrize("speed", [10e6, 1e6])
def test_cancelling_takes_effect_within_a_second(folder: Path, speed: float) -> None:
    """User report L11."""
    disk = SlowDisk(speed)
    loading = Loading(cancelled=lambda: disk.now > 0.7, clock=disk.clock, opener=disk.open)
    with pytest.raises(Cancelled):
        load(folder, loading)
    assert 0.7 < disk.now < 1.7
    assert disk.file.closed


# ---------------------------------------------------------------- finding


def test_the_published_names_hold_without_a_config(tmp_path: Path) -> None:
    for name in (MODEL_NAME, MIMI_NAME, TOKENIZER_NAME):
        (tmp_path / name).write_bytes(b"-")
    files = find(tmp_path)
    assert (files.model.name, files.mimi.name, files.tokenizer.name) == (MODEL_NAME, MIMI_NAME, TOKENIZER_NAME)
    assert files.trained
    assert LMConfig.from_dict(files.config) == MOSHI_7B
    assert MimiConfig.from_dict(files.mimi_config) == MIMI


def test_names_and_values_come_from_the_config(tmp_path: Path) -> None:
    extra = {"trained": False, "lm_gen_config": {"temp": 0.5}, "limits": "It only sings."}
    path = write_checkpoint(tmp_path / "m", config=extra, mimi={"transformer": {"context": 16}})
    (path / MODEL_NAME).rename(path / "other.safetensors")
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text("\ufeff" + json.dumps({**config, "moshi_name": "other.safetensors"}), "utf-8")
    files = find(path)
    assert files.model.name == "other.safetensors"
    assert not files.trained
    assert files.limits == "It only sings."
    assert files.lm_gen_config == {"temp": 0.5}
    assert MimiConfig.from_dict(files.mimi_config).context == 16


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[1, 2]", "not a JSON object"),
        ('{"dim": NaN}', "not valid JSON"),
        ('{"dim": -Infinity}', "not valid JSON"),
        ('{"dim": ' + "9" * 5000 + "}", "not valid JSON"),
        ('{"a": ' + "[" * 100_000, "not valid JSON"),
        ('{"pad": "' + " " * (1 << 20) + '"}', "too large"),
        ('{"moshi_name": "../model.safetensors"}', "name of a file"),
        ('{"mimi_name": "/etc/passwd"}', "name of a file"),
        ('{"tokenizer_name": "C:\\\\x"}', "name of a file"),
        ('{"moshi_name": 7}', "name of a file"),
        ('{"moshi_name": ""}', "name of a file"),
        ('{"moshi_name": ".."}', "name of a file"),
        ('{"mimi_config_name": "absent.json"}', "has no absent.json"),
        ('{"trained": "no"}', "neither true nor false"),
        ('{"lm_gen_config": 3}', "lm_gen_config"),
        ('{"limits": 3}', "limits"),
        ('{"limits": "' + "a" * 301 + '"}', "at most 300 characters"),
        ('{"limits": "a\\u001b[2Jb"}', "limits"),
    ],
)
def test_a_bad_config_is_one_sentence(folder: Path, tmp_path: Path, text: str, said: str) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "config.json").write_text(text, "utf-8")
    with pytest.raises(EngineError, match=said):
        find(tmp_path)


@pytest.mark.parametrize(
    ("present", "said"),
    [
        (
            (),
            "no model.safetensors and no tokenizer-e351c8d8-checkpoint125.safetensors and no tokenizer_spm_32k_3.model",
        ),
        (("model.q4.safetensors",), "; it has model.q4.safetensors"),
        (("model.safetensors.index.json", "model-00001-of-00004.safetensors"), "Hugging Face transformers model"),
    ],
)
def test_missing_files_are_named(tmp_path: Path, present: tuple[str, ...], said: str) -> None:
    for name in present:
        (tmp_path / name).write_bytes(b"-")
    with pytest.raises(EngineError, match=said):
        find(tmp_path)
    with pytest.raises(EngineError, match="no model folder"):
        find(tmp_path / "absent")


def test_codebook_names_are_those_of_the_module() -> None:
    with torch.device("meta"):
        assert CODEBOOKS in dict(Mimi(MIMI, 8).named_parameters())


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_to_a_file_that_is_gone_is_told_as_one(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "model")
    (path / MODEL_NAME).unlink()
    (path / MODEL_NAME).symlink_to(tmp_path / "gone")
    with pytest.raises(EngineError, match=f"{MODEL_NAME} is no file, or a link to one that is gone"):
        find(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_configuration_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(EngineError, match="is not a file"):
        find(tmp_path)


def test_folder_that_may_not_be_entered_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)  # root may enter every folder
    with pytest.raises(EngineError, match="could not be read: Permission denied"):
        find(tmp_path)
