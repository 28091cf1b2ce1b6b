"""From a checkpoint folder to what an engine is made of: modules filled, their tokenizer, their files.

Owns the order of a load: what can be refused early is looked at first, and slow questions are asked meanwhile. Called
by the engine thread.
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
from engine.config import LMConfig, MimiConfig
from engine.conversion import converted, held_precision, own_precision, packed_precision, speech_columns
from engine.errors import EngineError
from engine.faults import give_back, memory_told
from engine.file_check import refuse_empty, refuse_non_numbers
from engine.frame import frame_slots
from engine.kv_agreement import refuse_unlike
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.placement import choose_device, choose_dtype, choose_precision
from engine.precision import KV, QUANTIZED
from engine.state import State
from engine.text import TextTokenizer
from engine.toolchain import triton_failure

Progress = Callable[[str, int, int], None]
Cancel = Callable[[], bool]


class Opened(NamedTuple):
    lm: LanguageModel
    mimi: Mimi
    files: weights.ModelFiles
    tokenizer: TextTokenizer


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
    files = weights.find(folder)
    where = choose_device(device)
    held = held_precision(files)
    precision = choose_precision(precision, own_precision(files, where), where)
    if cache is not None:  # without one nothing is judged either
        _refuse_packed(files, precision)
    dtype = choose_dtype(precision, where)
    lm_config, mimi_config = LMConfig.from_dict(files.config), MimiConfig.from_dict(files.mimi_config)
    tokenizer = TextTokenizer(files.tokenizer, lm_config)
    weights.check_mimi(files, mimi_config, lm_config.codebooks)  # before the long read of the other file
    if kernels and where.type == "cuda":
        # A test kernel takes seconds to build: that is done while the files are read.
        Thread(target=triton_failure, daemon=True).start()
    give_back(where)  # what a load that failed, or another model, left behind
    with memory_told("the model was loaded", where):
        loading = weights.Loading(progress, cancelled, reserve=state_bytes(lm_config, mimi_config, dtype, kv))
        plain = files
        columns = partial(speech_columns, files, lm_config, mimi_config, where, speech) if speech else None
        if precision in QUANTIZED and held is None and cache is not None and precision != packed_precision(files):
            files = converted(files, lm_config, precision, cache, where, loading, columns)
        if kv != KV[0] and cache is not None and plain.trained and columns is not None:
            refuse_unlike(plain, files, lm_config, kv, precision, cache, columns, where, loading)
        lm = weights.load_lm(files, lm_config, where, dtype, loading, precision)
        loading = weights.Loading(progress, cancelled)
        mimi = weights.load_mimi(files, mimi_config, lm_config.codebooks, where, loading=loading)
        for module, file in ((lm, files.model), (mimi, files.mimi)):
            refuse_non_numbers(module, file)
            refuse_empty(module, file)
    return Opened(lm, mimi, files, tokenizer)


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
