"""Packed files: header checks, reading in slices, and the memory that it takes."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from engine import tensor_file
from engine.errors import EngineError
from engine.tensor_file import PACKING, PACKING_FORMAT, Reader, read_header

I8, BF16 = "I8", "BF16"
ROWS, COLUMNS = 300, 128


def write(path: Path, tensors: dict[str, tuple[str, list[int], bytes]], packing: str | None = PACKING_FORMAT) -> Path:
    header: dict[str, Any] = {} if packing is None else {"__metadata__": {PACKING: packing}}
    data = b""
    for key, (kind, shape, raw) in tensors.items():
        header[key] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def packed(rows: int = ROWS, groups: int = 1) -> tuple[dict[str, tuple[str, list[int], bytes]], torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    values = torch.randint(-127, 128, (rows, COLUMNS), generator=generator, dtype=torch.int8)
    scales = torch.rand(rows, groups, generator=generator).to(torch.bfloat16)
    wanted = (values.float().view(rows, groups, -1) * scales.float()[..., None]).view(rows, COLUMNS)
    raw = scales.view(torch.int16).numpy().astype("<i2").tobytes()
    # Scales first: they need not stand behind their matrix.
    return {"a.scale": (BF16, [rows, groups], raw), "a": (I8, [rows, COLUMNS], values.numpy().tobytes())}, wanted


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("rows", [ROWS, 40])
def test_rows_come_out_multiplied_in_whole_and_in_part(tmp_path: Path, groups: int, rows: int) -> None:
    tensors, wanted = packed(groups=groups)
    file = read_header(write(tmp_path / "m.safetensors", tensors))
    assert list(file.entries) == ["a"]
    entry = file.entries["a"]
    assert (entry.dtype, entry.shape, entry.item_bytes) == ("F32", (ROWS, COLUMNS), 1)
    for dtype in (torch.float32, torch.bfloat16):
        target = torch.empty(rows, COLUMNS, dtype=dtype)
        with Reader(file.path, "model", entry.size) as reader:
            reader._read_size = 1000  # some rows at a time
            reader.copy(entry, target)
        assert torch.equal(target, wanted[:rows].to(dtype))
        assert reader.done == rows * (COLUMNS + 2 * groups)


def test_a_part_of_a_packed_stack_is_read_with_its_own_scales(tmp_path: Path) -> None:
    tensors, wanted = packed()
    entry = read_header(write(tmp_path / "m.safetensors", tensors)).entries["a"].matrix(2, 3)
    target = torch.empty(entry.shape)
    with Reader(tmp_path / "m.safetensors", "model", entry.size) as reader:
        reader.copy(entry, target)
    assert torch.equal(target, wanted[200:300])


def test_memory_beside_the_weights_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never more rows at once than fit into what any read may take."""
    tensors, wanted = packed()
    entry = read_header(write(tmp_path / "m.safetensors", tensors)).entries["a"]
    monkeypatch.setattr(tensor_file, "_UNPACKED_AT_ONCE", 10 * COLUMNS)
    sizes = []
    fill = Reader._fill

    def watched(self: Reader, tensor: torch.Tensor) -> None:
        sizes.append(tensor.numel())
        fill(self, tensor)

    monkeypatch.setattr(Reader, "_fill", watched)
    target = torch.empty(ROWS, COLUMNS)
    with Reader(tmp_path / "m.safetensors", "model", entry.size) as reader:
        reader.copy(entry, target)
    assert torch.equal(target, wanted) and max(sizes) == 10 * COLUMNS


def test_an_unmarked_file_is_left_as_it_is(tmp_path: Path) -> None:
    tensors, _ = packed()
    entries = read_header(write(tmp_path / "m.safetensors", tensors, packing=None)).entries
    assert set(entries) == {"a", "a.scale"} and entries["a"].dtype == "I8"


def test_another_packing_is_told_from_damage(tmp_path: Path) -> None:
    tensors, _ = packed()
    with pytest.raises(EngineError, match="this version of the program does not know: install a newer one"):
        read_header(write(tmp_path / "m.safetensors", tensors, packing="int8 rows 2"))


@pytest.mark.parametrize(
    "scale",
    [
        None,
        ("I8", [ROWS, 1], bytes(ROWS)),
        (BF16, [ROWS], bytes(2 * ROWS)),
        (BF16, [ROWS - 1, 1], bytes(2 * ROWS - 2)),
        (BF16, [ROWS, 3], bytes(6 * ROWS)),
        (BF16, [ROWS, 0], b""),
        (BF16, [ROWS, 256], bytes(512 * ROWS)),
    ],
)
def test_scales_that_do_not_fit_are_refused(tmp_path: Path, scale: tuple[str, list[int], bytes] | None) -> None:
    tensors, _ = packed()
    if scale is None:
        del tensors["a.scale"]
    else:
        tensors["a.scale"] = scale
    with pytest.raises(EngineError, match=r"damaged header, in which 'a(\.scale)?' has no fitting scales"):
        read_header(write(tmp_path / "m.safetensors", tensors))


@pytest.mark.parametrize("shape", [[0, 4], [4, 0], [16], []])
def test_shapes_without_rows_or_columns_are_refused(tmp_path: Path, shape: list[int]) -> None:
    raw = bytes(int(np.prod(shape)))
    tensors = {
        "a": (I8, shape, raw),
        "a.scale": (BF16, [shape[0] if shape else 1, 1], bytes(2 * (shape[0] if shape else 1))),
    }
    with pytest.raises(EngineError, match="no fitting scales"):
        read_header(write(tmp_path / "m.safetensors", tensors))
