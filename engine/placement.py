"""Where a model runs and in which numbers: device, dtype, and which kernels CUDA's libraries may choose.

Asked at load, by the engine thread.
"""

from __future__ import annotations

import os

import torch

from engine.errors import EngineError
from engine.lm import LanguageModel
from engine.precision import KV, NAMES
from engine.quantize import fast_on_processor
from engine.toolchain import triton_failure

WINDOWS = ("upstream", "personaplex")
_PLAIN = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def choose_device(device: str) -> torch.device:
    """auto = the first CUDA device, else the CPU. Raises EngineError for a device this computer has not got."""
    if device == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except RuntimeError:
        chosen = None
    if chosen is None or chosen.type not in ("cpu", "cuda"):
        raise EngineError(f"The device must be auto, cpu or cuda, not {device!r}.")
    if chosen.type == "cpu":
        return chosen
    index = chosen.index or 0
    if not torch.cuda.is_available() or index >= torch.cuda.device_count():
        raise EngineError(f"There is no {device} device on this computer: use the device cpu, or see parley doctor.")
    return torch.device("cuda", index)


def choose_dtype(precision: str, device: torch.device) -> torch.dtype:
    """In which numbers a model computes. auto and the quantised precisions, which keep weights only: bfloat16 on a GPU
    (the published weights' own), float32 on a CPU, where bfloat16 is slow."""
    if precision != "auto" and precision not in NAMES:
        raise EngineError(f"The precision must be auto, {', '.join(NAMES[:-1])} or {NAMES[-1]}, not {precision!r}.")
    if precision in _PLAIN:
        return _PLAIN[precision]
    return torch.bfloat16 if device.type == "cuda" else torch.float32


def check_talk(window: str, kv: str) -> None:
    """Raises EngineError for what is no window of attention, or no way to keep past frames."""
    if window not in WINDOWS:
        raise EngineError(f"The window must be one of {', '.join(WINDOWS)}, not {window!r}.")
    if kv not in KV:
        raise EngineError(f"The memory of the talk (kv) must be one of {', '.join(KV)}, not {kv!r}.")


def choose_precision(precision: str, kept: str | None, device: torch.device) -> str:
    """What `precision` comes to with a file whose weights are kept in `kept` (None: plainly). auto: as in the file, but
    plainly on a processor that is faster so."""
    dtype = choose_dtype(precision, device)
    if precision != "auto":
        return precision
    if kept is not None and (device.type == "cuda" or fast_on_processor(kept)):
        return kept
    return name_of(dtype)


def name_of(dtype: torch.dtype) -> str:
    """The plain precision that computes in dtype."""
    return next(name for name, value in _PLAIN.items() if value == dtype)


def fix_kernel_choices() -> None:
    """CUDA's libraries may not choose by trial, round to TF32, or use kernels whose sums come in varying order.

    cuDNN's attention was seen to differ in the last bit between two identical frames in a hundred or so.
    Process-wide settings, made once, by the only user of CUDA. cuBLAS gets as little scratch space as keeps its sums
    in one order: its own choice and the kernels for it took 132 MB more of an H200.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":16:8")  # read with the first product
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.enable_cudnn_sdp(False)


def plain_reason(lm: LanguageModel, device: torch.device) -> str | None:
    """Why this model's frames run without the fused GPU kernels, as a sentence; None where the kernels fit. May take
    seconds the first time."""
    if device.type != "cuda":
        return "The fused kernels need an NVIDIA GPU."
    if failure := triton_failure():
        return failure
    from engine import fused, fused_quantized  # these import Triton, which is known to work from here on

    reason = fused.unsupported(lm.config)
    if reason is None and lm.precision is not None:
        reason = fused_quantized.unsupported(lm, device)
    return reason
