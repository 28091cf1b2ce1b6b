"""Model files with matrices in 8 bits: as small as said, as near as said, and loaded like plain ones."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine import placement
from engine.config import LMConfig
from engine.conversion import own_precision
from engine.duplex import Duplex
from engine.quantize import QuantizedWeight, dequantized
from engine.weights import find
from tests.checkpoints import MIMI_NAME, MODEL_NAME, write_checkpoint
from training import bundle, packing
from training.model_card import write_card


def normal(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A plain model folder and the packed one made of it by the command."""
    plain = write_checkpoint(tmp_path_factory.mktemp("plain"))
    out = tmp_path_factory.mktemp("packed") / "mini"
    bundle.run(argparse.Namespace(model=plain, out=out, script=None, bank=None, evaluation=None, limits=""))
    return plain, out


def test_rounding_is_within_half_a_step_of_each_row_or_group() -> None:
    for groups in (1, 4):
        plain = normal(6, 256) * torch.logspace(-6, 3, 6)[:, None]
        values, scales = packing.rounded(plain, groups)
        assert values.dtype == torch.int8 and scales.shape == (6, groups)
        off = (packing.spread(values, scales) - plain).abs().view(6, groups, -1)
        # The largest numbers of all may be cut by bfloat16's last bit.
        assert bool((off <= scales.float()[..., None] * (0.5 + 127 / 256)).all())
        assert float(off.pow(2).mean().sqrt() / plain.pow(2).mean().sqrt()) < 0.01
    zeros, scales = packing.rounded(torch.zeros(2, 16))
    assert not zeros.any() and not scales.any()


def test_a_packed_file_reads_back_as_what_was_rounded(tmp_path: Path) -> None:
    tensors = {"big": normal(96, 70, 2), "grouped": normal(64, 128), "kept": normal(64, 128), "vector": normal(5000)}
    stored, errors = packing.packed(tensors, lambda key: key == "kept", grouped=True)
    assert {error.key for error in errors} == {"big", "grouped"}
    assert stored["grouped.scale"].shape == (64, 2) and stored["big.scale"].shape == (96, 1)
    packing.write_packed(stored, tmp_path / "a.safetensors")
    read = packing.read(tmp_path / "a.safetensors")
    assert read.keys() == tensors.keys()
    for key in ("big", "grouped"):
        assert torch.equal(read[key], packing.spread(stored[key], stored[f"{key}.scale"]))
        assert read[key].shape == tensors[key].shape
    for key in ("kept", "vector"):
        assert torch.equal(read[key], tensors[key].half().float())


def test_a_packed_folder_loads_and_is_smaller(folders: tuple[Path, Path]) -> None:
    plain, packed = folders
    assert find(packed).trained
    assert (packed / MODEL_NAME).stat().st_size < 0.4 * (plain / MODEL_NAME).stat().st_size  # of float32
    both = [Duplex.load(folder, device="cpu", precision="float32") for folder in folders]
    for module in ("lm", "mimi"):
        for (name, one), (_, other) in zip(*(getattr(e, module).named_parameters() for e in both), strict=True):
            assert float((one - other).pow(2).mean().sqrt()) <= 0.013 * float(one.pow(2).mean().sqrt()), name


def test_what_makes_codes_keeps_sixteen_bits(folders: tuple[Path, Path]) -> None:
    plain, packed = (packing.read(folder / MIMI_NAME) for folder in folders)
    for key, value in plain.items():
        if not key.startswith(("decoder", "upsample")):
            assert torch.equal(packed[key], value.half().float()), key


@pytest.mark.parametrize("precision", ["int8", "int4", "bfloat16"])
def test_every_precision_can_be_had_of_a_packed_folder(folders: tuple[Path, Path], precision: str) -> None:
    engine = Duplex.load(folders[1], device="cpu", precision=precision)
    assert engine.precision == precision
    if precision != "int8":
        return
    stored = packing.read(folders[1] / MODEL_NAME)["transformer.layers.0.self_attn.in_proj_weight"]
    kept = engine.lm.temporal.layers[0].in_proj
    assert isinstance(kept, QuantizedWeight)  # rounded anew at the load, and nothing was lost
    assert torch.equal(dequantized(kept, torch.float32), stored)


@pytest.mark.parametrize("fast", [True, False])
def test_auto_takes_the_packed_numbers_as_they_are_where_that_is_fast(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast: bool
) -> None:
    monkeypatch.setattr(placement, "fast_on_processor", lambda precision: fast)
    engine = Duplex.load(folders[1], device="cpu", cache=tmp_path / "cache")
    assert engine.precision == ("int8" if fast else "float32")
    assert not (tmp_path / "cache").exists()  # nothing is converted, since nothing is lost
    assert Duplex.load(folders[0], device="cpu").precision == "float32"
    files = find(folders[1])
    assert own_precision(files, torch.device("cpu")) == "int8" and own_precision(files, torch.device("cuda")) is None


def test_packing_a_packed_folder_changes_nothing(folders: tuple[Path, Path], tmp_path: Path) -> None:
    bundle.run(
        argparse.Namespace(model=folders[1], out=tmp_path / "again", script=None, bank=None, evaluation=None, limits="")
    )
    assert (tmp_path / "again" / MODEL_NAME).read_bytes() == (folders[1] / MODEL_NAME).read_bytes()


def test_a_bundle_too_large_is_refused_and_the_old_one_stays(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "mini"
    out.mkdir()
    (out / "old").touch()
    monkeypatch.setattr(bundle, "MOST_BYTES", 1 << 10)
    with pytest.raises(ValueError, match="are the most"):
        bundle.run(argparse.Namespace(model=folders[0], out=out, script=None, bank=None, evaluation=None, limits=""))
    assert (out / "old").exists()


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    packing.write_packed({"a": torch.tensor([1.0, float("nan")])}, tmp_path / "a.safetensors")
    with pytest.raises(ValueError, match="no numbers, in a"):
        bundle.write_weights(tmp_path / "a.safetensors", tmp_path / "b.safetensors", "model")


def test_the_card_has_the_figures_and_says_what_was_missed(folders: tuple[Path, Path]) -> None:
    write_card(
        folders[1],
        {"right": 95.0, "wait_p95": 2.0, "cases": {"right": 440}, "by_kind": {"echo": {"right": 50, "of": 4}}},
    )
    card = (folders[1] / "README.md").read_text()
    config = LMConfig.from_dict(json.loads((folders[1] / "config.json").read_text()))
    assert "| ≥ 92 % | 95.00 % | 440 | holds |" in card
    assert "| ≤ 1.2 s | 2.00 s |  | **missed** |" in card
    assert "| echo | 50 % | 4 |" in card and f"{config.num_layers} layers of {config.dim}" in card
    assert "not measured" in card and "{" not in card
    path = folders[1] / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"limits": "It only sings."}))
    write_card(folders[1], {})
    assert "**It only sings.**" in (folders[1] / "README.md").read_text()
