"""From a checkpoint folder to what an engine is made of: modules filled, their tokenizer, their files.

Owns the order of a load: what can be refused early is looked at first, and slow questions are asked meanwhile. `settle`
finds out whether a precision can be had at all; it may be asked before, while another model is still there, since what
it made and judged is kept for the load. Called by the engine thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import numpy as np
import torch

from engine import weights
from engine.agreement import Agreement, read_agreement
from engine.config import LMConfig, MimiConfig
from engine.conversion import converted, own_precision, packed_precision, speech_columns
from engine.errors import EngineError
from engine.faults import give_back, memory_told
from engine.file_check import drop_damaged, refuse_empty, refuse_non_numbers
from engine.frame import frame_slots
from engine.kv_agreement import refuse_unlike
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.placement import choose_device, choose_dtype, choose_precision
from engine.precision import KV, QUANTIZED
from engine.quantized_file import describe
from engine.state import State
from engine.tensor_file import read_header
from engine.text import TextTokenizer
from engine.toolchain import triton_failure

Progress = Callable[[str, int, int], None]
Cancel = Callable[[], bool]


class Settled(NamedTuple):
    """precision: any but "auto". files: those to load, the model's own or its converted twin. agreement: how far what
    is loaded says what the plain model does; None where nothing was rounded, or it was not judged."""

    precision: str
    files: weights.ModelFiles
    agreement: Agreement | None


class Opened(NamedTuple):
    lm: LanguageModel
    mimi: Mimi
    files: weights.ModelFiles
    tokenizer: TextTokenizer


@torch.inference_mode()
def settle(
    files: weights.ModelFiles,
    *,
    device: str,
    precision: str,
    kv: str = KV[0],
    cache: Path | None,
    speech: Callable[[], np.ndarray] | None,
    progress: Progress | None = None,
    cancelled: Cancel | None = None,
) -> Settled:
    """What becomes of `files` in a precision: of a plain model in a quantised one its twin in the cache, made if need
    be and, where the model is trained, judged against the plain one, with its rings as `kv` says.

    Arguments as of `Duplex.load`. Both models are read piece by piece, so that another one may stay in memory. Raises
    EngineError where the precision, or the memory of the talk in it, is refused, MemoryFullError, and Cancelled.
    """
    where = choose_device(device)
    precision = choose_precision(precision, own_precision(files, where), where)
    held = describe(read_header(files.model))
    kept = None if held is None else held.agreement
    if cache is None:  # without one nothing is judged
        return Settled(precision, files, read_agreement(kept))
    _refuse_packed(files, precision)
    lm_config, mimi_config = LMConfig.from_dict(files.config), MimiConfig.from_dict(files.mimi_config)
    loading, used = weights.Loading(progress, cancelled), files
    columns = partial(speech_columns, files, lm_config, mimi_config, where, speech) if speech else None
    with memory_told("the model was loaded", where):
        if precision in QUANTIZED and held is None and precision != packed_precision(files):
            used = converted(files, lm_config, precision, cache, where, loading, columns)
            twin = describe(read_header(used.model))
            kept = None if twin is None else twin.agreement
        agreement = read_agreement(kept)
        if kv != KV[0] and files.trained and columns is not None:
            agreement = refuse_unlike(files, used, lm_config, kv, precision, cache, columns, where, loading)
    return Settled(precision, used, agreement)


@torch.inference_mode()
def open_folder(
    folder: Path,
    *,
    device: str,
    precision: str,
    kv: str = KV[0],
    kernels: bool,
    cache: Path | None,
    speech: Callable[[], np.ndarray] | None,
    progress: Progress | None,
    cancelled: Cancel | None,
) -> Opened:
    """Arguments and errors as of `Duplex.load`."""
    own = files = weights.find(folder)
    where = choose_device(device)
    lm_config, mimi_config = LMConfig.from_dict(files.config), MimiConfig.from_dict(files.mimi_config)
    tokenizer = TextTokenizer(files.tokenizer, lm_config)
    weights.check_mimi(files, mimi_config, lm_config.codebooks)  # before the long read of the other file
    if kernels and where.type == "cuda":
        # A test kernel takes seconds to build: that is done while the files are read.
        Thread(target=triton_failure, daemon=True).start()
    give_back(where)  # what a load that failed, or another model, left behind
    precision, files, _ = settle(
        files, device=device, precision=precision, kv=kv, cache=cache, speech=speech, progress=progress,
        cancelled=cancelled,
    )  # fmt: skip
    dtype = choose_dtype(precision, where)
    with memory_told("the model was loaded", where):
        loading = weights.Loading(progress, cancelled, reserve=state_bytes(lm_config, mimi_config, dtype, kv))
        lm = weights.load_lm(files, lm_config, where, dtype, loading, precision)
        loading = weights.Loading(progress, cancelled)
        mimi = weights.load_mimi(files, mimi_config, lm_config.codebooks, where, loading=loading)
        try:
            _refuse_damaged(lm, files.model)
        except EngineError as error:
            raise error if files.model == own.model else drop_damaged(files.model, error) from None
        _refuse_damaged(mimi, files.mimi)
    return Opened(lm, mimi, files, tokenizer)


def _refuse_damaged(module: torch.nn.Module, file: Path) -> None:
    refuse_non_numbers(module, file)
    refuse_empty(module, file)


def state_bytes(lm: LMConfig, mimi: MimiConfig, dtype: torch.dtype, kv: str) -> int:
    """Bytes of a talk's state, told from the sizes alone."""
    with torch.device("meta"):
        slots = LanguageModel(lm).slots(dtype, kv) | frame_slots(lm, mimi, dtype)
        for half in Mimi(mimi, lm.codebooks).slots():
            slots |= half
    return State(slots, "meta").nbytes


def _refuse_packed(files: weights.ModelFiles, precision: str) -> None:
    """Raises EngineError at once for a trained model whose file is packed in 8 bits and that is wanted in another
    quantised precision: what is rounded twice says less and takes no less room. Reads the header only."""
    packed = packed_precision(files)
    if files.trained and packed is not None and precision in QUANTIZED and precision != packed:
        raise EngineError(
            f"This model's file keeps its weights in 8 bits already, and {precision} would round them once more, so it "
            f"is not offered: choose auto, {packed}, bfloat16 or float32."
        )
