"""What an error of the device means: its memory ran out, or it is lost to this process, or something else.

Owns torch's, CUDA's and Triton's ways of saying so, which differ by version, and the sentence for a lack of memory.
Knows nothing of the model. Called where errors are caught, by the engine thread.
"""

from __future__ import annotations

import gc
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from engine.allocator import give_back_freed
from engine.errors import EngineError, MemoryFullError

_NO_MEMORY = (
    "out of memory",
    "can't allocate memory",  # PyTorch on Linux and macOS
    "not enough memory",  # PyTorch on Windows
    "STATUS_ALLOC_FAILED",  # cuBLAS, cuDNN
)
# After most of CUDA's errors nothing of the process runs on the card any more, whatever it tries. These are the others.
_FROM_CUDA = ("CUDA error", "CUDA driver error", "Triton Error [CUDA]", "STATUS_EXECUTION_FAILED")
_PASSES = (
    *_NO_MEMORY,
    "invalid argument",
    "invalid configuration",
    "invalid device function",
    "invalid device ordinal",
    "no kernel image",
    "out of resource",
    "too many resources",
    "captur",
    "PTX",
    "not supported",
    "not permitted",
    "invalid resource handle",
)


def out_of_memory(error: BaseException) -> bool:
    """Did a device's or the computer's memory run out, at this error or at one that it came from?"""
    return any(
        isinstance(each, (torch.OutOfMemoryError, MemoryError)) or any(words in str(each) for words in _NO_MEMORY)
        for each in _behind(error)
        if isinstance(each, (RuntimeError, MemoryError))
    )


def device_lost(error: BaseException) -> bool:
    """Is the card lost to this process (CUDA calls such errors sticky), by this error or one that it came from?"""
    return any(
        any(words in str(each) for words in _FROM_CUDA) and not any(words in str(each) for words in _PASSES)
        for each in _behind(error)
        if isinstance(each, RuntimeError)
    )


def memory_sentence(doing: str, device: torch.device | str) -> str:
    """doing: the rest of "The memory ran out while ..."."""
    if torch.device(device).type == "cuda":
        return (
            f"The GPU's memory ran out while {doing}: close other programs that use the GPU, or choose a smaller "
            "precision or model."
        )
    return f"The computer's memory ran out while {doing}: close other programs, or choose a smaller model."


def give_back(device: torch.device | str) -> None:
    """Free what nobody uses any more, and hand it back to the driver and the system, so that others, and the next try,
    can have it."""
    gc.collect()
    give_back_freed()
    if torch.device(device).type == "cuda":
        torch.cuda.empty_cache()


@contextmanager
def memory_told(doing: str, device: torch.device | str) -> Iterator[None]:
    """A lack of memory within becomes a MemoryFullError with its sentence, and what was half made is let go."""
    try:
        yield
    except Exception as error:
        if isinstance(error, EngineError) or device_lost(error) or not out_of_memory(error):
            raise
        traceback.clear_frames(error.__traceback__)  # they hold the tensors that took the memory
        give_back(device)
        raise MemoryFullError(memory_sentence(doing, device)) from None


def _behind(error: BaseException) -> Iterator[BaseException]:
    """The error and all that led to it, each once."""
    waiting, seen = [error], set()
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += [cause for cause in (each.__cause__, each.__context__) if cause is not None]
