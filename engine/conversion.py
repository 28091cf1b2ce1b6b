"""A plain model folder's quantised twin: found in the cache, or converted, judged and kept there.

Owns the order (convert, judge, keep only what is whole) and the refusal of a precision in which a trained model no
longer says the same. Of a refused twin only the judgement is kept, some hundred bytes. The caller chooses the cache
folder. Engine thread.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.agreement import Agreement, ModelParts, agreement, teacher_columns
from engine.config import LMConfig, MimiConfig
from engine.errors import Cancelled, EngineError
from engine.file_identity import converted_name, identity
from engine.placement import choose_dtype
from engine.precision import KV
from engine.quantized_file import (
    Description,
    describe,
    made_whole,
    parts,
    rewrite_description,
    write_quantized,
)
from engine.reading import stored_bytes
from engine.state import State
from engine.tensor_file import Reader, read_header
from engine.weights import Loading, ModelFiles, check_lm, load_mimi

Columns = Callable[[], Tensor]
VERDICT = ".json"  # in the place of a refused file's ending
_LARGE = 1 << 14  # numbers; smaller matrices of a packed file may be plain


def converted(
    files: ModelFiles, config: LMConfig, precision: str, cache: Path, device: torch.device,
    loading: Loading | None = None, columns: Columns | None = None,
) -> ModelFiles:  # fmt: skip
    """`files` with the model in `precision`, converted on `device` unless the cache has it.

    columns: gives the token columns (`engine.agreement.teacher_columns`) on which a trained model is judged; without
    them it is not. Raises EngineError, also when a trained model agrees too little, and Cancelled.
    """
    loading = loading or Loading()
    source = identity(files.model)
    target = cache / converted_name(precision, source)
    twin = replace(files, model=target)
    verdict = target.with_suffix(VERDICT)
    if files.trained:
        _refuse(read_verdict(verdict), precision)
    description = _found(twin, config, Description(precision, source))
    if description is None:
        made_whole(target, lambda path: _convert(files, config, Description(precision, source), path, device, loading))
        description = Description(precision, source)
    if files.trained and description.agreement is None and columns is not None:
        judged = judge(files, twin, config, columns(), device, loading)
        description = replace(description, agreement=judged._asdict())
        rewrite_description(target, description)
    if files.trained and description.agreement is not None:
        try:
            _refuse(description.agreement, precision)
        except EngineError:
            _drop(target, verdict, description.agreement)
            raise
    return twin


def _refuse(agreement: Mapping[str, object] | None, precision: str) -> None:
    refusal = Agreement(**agreement).refusal(precision) if agreement else None  # type: ignore[arg-type]
    if refusal:
        raise EngineError(refusal)


def read_verdict(path: Path) -> Mapping[str, object] | None:
    """The judgement of an earlier refusal; None where there is none, or none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Agreement(**found)._asdict() if isinstance(found.get("match"), float) else None
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def _drop(target: Path, verdict: Path, agreement: Mapping[str, object]) -> None:
    """The judgement stays, so that the next try is refused at once; weights that nobody may use go."""
    with suppress(OSError, EngineError):
        made_whole(verdict, lambda path: path.write_bytes(json.dumps(agreement).encode("ascii")))
        target.unlink()


def _found(twin: ModelFiles, config: LMConfig, wanted: Description) -> Description | None:
    """The description of a sound file in the cache; None where there is none, and it is made anew."""
    try:
        file, _ = check_lm(twin, config)
        description = describe(file)
    except EngineError:
        return None
    same = description is not None and (description.precision, description.source) == (wanted.precision, wanted.source)
    return description if same else None


def _convert(
    files: ModelFiles, config: LMConfig, description: Description, path: Path, device: torch.device, loading: Loading
) -> None:
    file, pieces = check_lm(files, config)
    total = sum(
        stored_bytes(file.entries[part.piece.key], part.matrices * part.rows * part.columns)
        for part in parts(config, pieces, description.precision)
    )
    what = f"conversion to {description.precision}"
    with Reader(
        file.path, what, total, loading.progress, loading.cancelled, clock=loading.clock, opener=loading.opener
    ) as reader:
        write_quantized(reader, file, config, pieces, description, path, device)


@torch.inference_mode()
def judge(
    files: ModelFiles, twin: ModelFiles, config: LMConfig, columns: Tensor, device: torch.device,
    loading: Loading | None = None, kv: str = KV[0],
) -> Agreement:  # fmt: skip
    """How far two checkpoints of the same model agree on the token columns [K, frames + 1]; kv: of the twin's rings."""
    dtype = choose_dtype("auto", device)
    checked = [check_lm(each, config) for each in (files, twin)]
    total = sum(
        file.entries[piece.key].size for file, pieces in checked for piece in pieces if piece.parameter is not None
    )
    watch = _watch(total, loading or Loading())
    plain, other = (ModelParts(*each, config, device, dtype, watch) for each in checked)
    return agreement(config, plain, other, columns, kv)


def _watch(total: int, loading: Loading) -> Callable[[int], None]:
    done = 0

    def watch(size: int) -> None:
        nonlocal done
        done += size
        if loading.cancelled is not None and loading.cancelled():
            raise Cancelled
        if loading.progress is not None:
            loading.progress("comparison with the plain model", min(done, total), total)

    return watch


@torch.inference_mode()
def speech_columns(
    files: ModelFiles, lm: LMConfig, mimi: MimiConfig, device: torch.device, speech: Callable[[], np.ndarray]
) -> Tensor:
    """Token columns to judge a model on: `speech` [n] float32, as the model's own codec hears it."""
    codec = load_mimi(files, mimi, lm.codebooks, device)
    state = State(codec.slots()[0], device).tensors
    pcm = speech()
    frames = torch.from_numpy(np.pad(pcm, (0, -len(pcm) % mimi.frame_size)).astype(np.float32))
    codes = [
        codec.encode(frame[None, None].to(device), state, mimi.context)[0, :, 0]
        for frame in frames.view(-1, mimi.frame_size)
    ]
    return teacher_columns(lm, torch.stack(codes))


def held_precision(files: ModelFiles) -> str | None:
    """In which quantised precision a checkpoint's own file is; None for a plain one. Reads the header only."""
    description = describe(read_header(files.model))
    return description.precision if description else None


def packed_precision(files: ModelFiles) -> str | None:
    """The quantised precision that a plain file can be had in without any loss: int8, where its matrices are packed as
    that precision keeps them. Reads the header only."""
    entries = read_header(files.model).entries.values()
    large = [entry for entry in entries if len(entry.shape) == 2 and entry.elements >= _LARGE]
    rows = bool(large) and all(entry.scales is not None and entry.scales.shape[1] == 1 for entry in large)
    return "int8" if rows else None


def own_precision(files: ModelFiles, device: torch.device) -> str | None:
    """What "auto" counts as the file's own. A packed one counts as int8 on a processor, which reads 8 bits faster
    than spread-out numbers; a card has the fused kernels for plain weights."""
    return held_precision(files) or (packed_precision(files) if device.type == "cpu" else None)
