"""From a model folder to filled modules: find the files, check every key and shape, stream the tensors to the device.

All quirks of checkpoints end here and in `layout.py`. Nothing is allocated on the device, and no weight is read, before
the whole key list has been compared. Knows nothing of downloads. Called from the engine thread.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor, nn

from engine.config import LMConfig, MimiConfig
from engine.errors import EngineError, shown
from engine.file_check import OTHER_CODECS, OTHER_MODELS, compare
from engine.free_memory import FreeMemory, free_memory, refuse_if_short
from engine.layout import CODEBOOKS, USAGE, Piece, depth_steps, lm_pieces, mimi_pieces
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.precision import QUANTIZED
from engine.quantize import make_room
from engine.quantized_file import describe, parts, quantized_pieces
from engine.reading import MakeJobs, copying, rounding, spreading
from engine.tables import in_host_memory, place
from engine.tensor_file import LARGEST_READ, Progress, Reader, TensorFile, open_unbuffered, read_header

MODEL_NAME = "model.safetensors"
MIMI_NAME = "tokenizer-e351c8d8-checkpoint125.safetensors"
TOKENIZER_NAME = "tokenizer_spm_32k_3.model"
MAX_JSON_BYTES = 1 << 20
MOST_LIMITS = 300  # characters
USAGE_FLOOR = 1e-5  # an unused code has no count to divide by (mimi.md "Split RVQ")


@dataclass(frozen=True)
class ModelFiles:
    """The files of one checkpoint, all of them present, and what its JSON files say.

    config: config.json as parsed ({} when absent); mimi_config: the codec's ({} when absent), both unchecked but for
    being JSON objects: `LMConfig.from_dict` and `MimiConfig.from_dict` judge them.
    """

    folder: Path
    model: Path
    mimi: Path
    tokenizer: Path
    config: Mapping[str, Any] = field(default_factory=dict)
    mimi_config: Mapping[str, Any] = field(default_factory=dict)
    lm_gen_config: Mapping[str, Any] = field(default_factory=dict)
    trained: bool = True  # False: config.json says that these weights are untrained
    limits: str = ""  # what config.json says that a trained model cannot do, as a sentence

    @property
    def assumption(self) -> str:
        """ "" or, where nothing says so, which model these files are taken for, as a sentence."""
        if (self.folder / "config.json").exists():
            return ""
        sizes = LMConfig()
        return (
            f"{self.folder} has no config.json, so its files are taken for the published 7B model: width {sizes.dim}, "
            f"{sizes.num_layers} layers, {sizes.n_q} codebooks, a context of {sizes.context} frames."
        )


@dataclass(frozen=True)
class Loading:
    """How a load reports, stops and asks for memory; the defaults are right outside tests.

    reserve: bytes that must stay free beside the weights (state, graphs).
    """

    progress: Progress | None = None
    cancelled: Callable[[], bool] | None = None
    ask_memory: FreeMemory = free_memory
    reserve: int = 0
    clock: Callable[[], float] = time.monotonic
    opener: Callable[[Path], BinaryIO] = open_unbuffered


# ---------------------------------------------------------------- finding


def find(folder: Path) -> ModelFiles:
    """The checkpoint's files in `folder`, named by its config.json or else by the published names.

    Raises EngineError when the folder, a file or a sensible config.json is missing. Opens the JSON files only.
    """
    if not folder.is_dir():
        raise EngineError(f"There is no model folder {folder}.")
    try:
        configured = (folder / "config.json").exists()
    except OSError as error:  # a folder that may not be entered
        raise EngineError(f"{folder} could not be read: {error.strerror or error}.") from error
    config = _read_json(folder / "config.json") if configured else {}
    model, mimi, tokenizer = [
        folder / _file_name(config, key, default)
        for key, default in (("moshi_name", MODEL_NAME), ("mimi_name", MIMI_NAME), ("tokenizer_name", TOKENIZER_NAME))
    ]
    missing = [path.name for path in (model, mimi, tokenizer) if not path.is_file()]
    odd = next((name for name in missing if os.path.lexists(folder / name)), None)
    if odd:
        raise EngineError(f"{folder / odd} is no file, or a link to one that is gone: fetch the model again.")
    if missing:
        raise EngineError(f"{folder} has no {' and no '.join(missing)}{_hint(folder)}.")
    mimi_config_name = _file_name(config, "mimi_config_name", "")
    gen_config, trained = config.get("lm_gen_config") or {}, config.get("trained", True)
    if not isinstance(gen_config, dict):
        raise EngineError('config.json has "lm_gen_config" that is not a table of values.')
    if not isinstance(trained, bool):
        raise EngineError('config.json has "trained" that is neither true nor false.')
    limits = config.get("limits", "")
    if not isinstance(limits, str) or not (limits.isprintable() and len(limits) <= MOST_LIMITS):
        raise EngineError(f'config.json has "limits" that is not a sentence of at most {MOST_LIMITS} characters.')
    mimi_config = _read_json(folder / mimi_config_name) if mimi_config_name else {}
    return ModelFiles(folder, model, mimi, tokenizer, config, mimi_config, gen_config, trained, limits)


def _file_name(config: Mapping[str, Any], key: str, default: str) -> str:
    name = config.get(key)
    if name is None:
        return default
    # The folder may come from a stranger: its config must not point at files outside.
    plain = isinstance(name, str) and name.isprintable() and 0 < len(name) <= 255 and not set(name) & set("/\\:")
    if not plain or name in (".", ".."):
        raise EngineError(f'config.json has "{key}": {shown(name)}, where the name of a file in its folder is needed.')
    return name


def _hint(folder: Path) -> str:
    others = sorted(path.name for path in folder.iterdir() if path.suffix in (".safetensors", ".gguf", ".bin", ".json"))
    if any("index.json" in name for name in others):
        return "; it looks like a Hugging Face transformers model, but Moshi's own format is needed"
    others = [name for name in others if not name.endswith(".json")]
    return f"; it has {', '.join(others[:3])}" if others else ": it holds no model, or its download is incomplete"


def _read_json(path: Path) -> dict[str, Any]:
    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no number")

    try:
        if path.exists() and not path.is_file():
            raise EngineError(f"{path} is not a file.")  # a pipe would be waited for without end
        if path.stat().st_size > MAX_JSON_BYTES:
            raise EngineError(f"{path.name} is too large to be a configuration.")
        values = json.loads(path.read_text("utf-8-sig"), parse_constant=refuse)
    except FileNotFoundError:
        raise EngineError(f"{path.parent} has no {path.name}, which its config.json names.") from None
    except OSError as error:
        raise EngineError(f"{path} could not be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise EngineError(f"{path} is not valid JSON ({str(error)[:80]}): fetch it again or mend it.") from error
    if not isinstance(values, dict):
        raise EngineError(f"{path} is not a JSON object: fetch it again or mend it.")
    return values


# ---------------------------------------------------------------- checking


def check_lm(files: ModelFiles, config: LMConfig) -> tuple[TensorFile, list[Piece]]:
    """Compares the language model's whole key list and every shape. Raises EngineError that names what differs."""
    file = read_header(files.model)
    description = describe(file)
    if description is not None:
        pieces = list(quantized_pieces(config, description.precision))
    else:
        steps = depth_steps(file.entries) or config.own
        pieces = list(lm_pieces(config, max(steps, config.own), file.entries))
    compare(file, pieces, OTHER_MODELS, files.assumption)
    return file, pieces


def check_mimi(files: ModelFiles, config: MimiConfig, codebooks: int) -> tuple[TensorFile, list[Piece]]:
    """The same for the codec, of which `codebooks` codebooks are wanted."""
    if codebooks > config.n_q:
        raise EngineError(f"The codec has {config.n_q} codebooks where the language model needs {codebooks}.")
    file = read_header(files.mimi)
    pieces = list(mimi_pieces(config, codebooks, file.entries))
    compare(file, pieces, OTHER_CODECS)
    return file, pieces


# ---------------------------------------------------------------- loading


def load_lm(
    files: ModelFiles, config: LMConfig, device: torch.device, dtype: torch.dtype, loading: Loading | None = None,
    precision: str | None = None,
) -> LanguageModel:  # fmt: skip
    """The language model on `device`, own depth steps only; what is kept plainly, in `dtype`.

    precision: a quantised one, into which a plain file is rounded on the way; a plain one, into which a quantised file
    is spread out; None: as the file keeps it. Raises EngineError (files, memory) and Cancelled, leaving nothing behind.
    """
    file, pieces = check_lm(files, config)
    description = describe(file)
    held = description.precision if description else None
    wanted = held if precision is None else precision if precision in QUANTIZED else None
    if held and wanted not in (held, None):
        raise EngineError(f"{file.path.name} holds {held} weights: choose the precision {held} or auto, not {wanted}.")
    with torch.device("meta"):
        model = LanguageModel(config)
    make_room(model, wanted or "")
    types = {
        name: parameter.dtype if name.endswith((".values", ".scales")) else dtype
        for name, parameter in model.named_parameters()
    }
    spare = 0
    if held == wanted:
        jobs = copying(pieces)
    else:
        plain = pieces if held is None else list(lm_pieces(config, config.own))
        changed = parts(config, plain, wanted or held or "")
        spare = 2 * max(part.matrices * part.rows * part.columns for part in changed) * dtype.itemsize
        jobs = rounding(changed, device) if held is None else spreading(changed, device, dtype)
    tensors = _read(file, jobs, _shapes(model), types, device, "language model", loading or Loading(), spare)
    model.load_state_dict(tensors, assign=True)
    return model.eval()


def load_mimi(
    files: ModelFiles,
    config: MimiConfig,
    codebooks: int,
    device: torch.device,
    dtype: torch.dtype = torch.float32,
    loading: Loading | None = None,
) -> Mimi:
    """The codec on `device` with its first `codebooks` codebooks, ready to use. Errors as `load_lm`."""
    file, pieces = check_mimi(files, config, codebooks)
    with torch.device("meta"):
        mimi = Mimi(config, codebooks)
    shapes = {**_shapes(mimi), USAGE: (codebooks, config.bins)}
    # Sums and counts are divided in the file's own precision, whatever the codec is to run in.
    types = dict.fromkeys(shapes, dtype) | {CODEBOOKS: torch.float32, USAGE: torch.float32}
    tensors = _read(file, copying(pieces), shapes, types, device, "codec", loading or Loading())
    usage = tensors.pop(USAGE)
    tensors[CODEBOOKS] = tensors[CODEBOOKS].div_(usage.clamp_(min=USAGE_FLOOR)[..., None]).to(dtype)
    mimi.load_state_dict(tensors, assign=True)
    mimi.quantizer.precompute()
    return mimi.eval()


def _shapes(module: nn.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(parameter.shape) for name, parameter in module.named_parameters()}


def _read(
    file: TensorFile,
    make_jobs: MakeJobs,
    shapes: Mapping[str, tuple[int, ...]],
    types: Mapping[str, torch.dtype],
    device: torch.device,
    what: str,
    loading: Loading,
    spare: int = 0,
) -> dict[str, Tensor]:
    """Allocates every parameter once and fills it from the file, in the file's order so that a disk reads ahead."""
    needed = spare + sum(
        torch.Size(shape).numel() * types[name].itemsize
        for name, shape in shapes.items()
        if not in_host_memory(name, device)
    )
    refuse_if_short(needed + LARGEST_READ + loading.reserve, device, f"The {what}", loading.ask_memory)
    try:
        places = {name: place(name, shape, types[name], device) for name, shape in shapes.items()}
    except (RuntimeError, MemoryError) as error:  # what was free a moment ago may be taken, or in too small pieces
        raise EngineError(f"Memory ran out while the {what} was loaded on {device}: close other programs.") from error
    filled = {name: both.filled for name, both in places.items()}
    jobs = sorted(make_jobs(file.entries, filled), key=lambda job: job.start)
    total = sum(job.size for job in jobs)
    with Reader(
        file.path, what, total, loading.progress, loading.cancelled, clock=loading.clock, opener=loading.opener
    ) as reader:
        for job in jobs:
            job.run(reader)
    return {name: both.used for name, both in places.items()}
