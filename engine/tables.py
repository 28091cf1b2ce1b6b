"""Embedding tables of a card's model, kept in the computer's memory: page-locked, where kernels read them.

A table is looked up, never multiplied. Of the temporal transformer's tables, 0.53 GB of the 7B in bfloat16, a frame
reads 17 rows, 139 KB, all of them known when it begins; the card fetches them over its bus and has half a gigabyte more
for the talk. The depth's tables stay on the card: every depth step waits for its row. Engine thread.
"""

from __future__ import annotations

import ctypes
import math
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import torch
from torch import Tensor, nn

LOOKED_UP = ("temporal.audio_embeddings", "temporal.text_embedding")  # parameters of the language model
_PORTABLE = 1  # the memory is page-locked for every card's context


class Place(NamedTuple):
    """Memory of one parameter. filled: where a load writes; used: what the model holds. Mostly the same."""

    filled: Tensor
    used: Tensor


def in_host_memory(name: str, device: torch.device) -> bool:
    """Whether the parameter `name` (its values and scales, where it is quantised) of a model on `device` is a table
    that the computer's memory keeps."""
    return device.type == "cuda" and name.removesuffix(".values").removesuffix(".scales") in LOOKED_UP


def place(name: str, shape: Sequence[int], dtype: torch.dtype, device: torch.device) -> Place:
    """Memory for a parameter, its contents not set. Where the driver has no page-locked memory left, a table comes onto
    the card as all else. Raises torch.OutOfMemoryError."""
    size = dtype.itemsize * math.prod(shape)
    if size and in_host_memory(name, device):
        locked = _locked(size, device)
        if locked is not None:
            filled, used = (part.view(dtype).view(shape) for part in locked)
            return Place(filled, used)
    tensor = torch.empty(shape, dtype=dtype, device=device)
    return Place(tensor, tensor)


def move_tables(model: nn.Module, device: torch.device) -> None:
    """Gives the tables of a model that is on `device` places of their own; what they held is lost."""
    for name, parameter in list(model.named_parameters()):
        if in_host_memory(name, device):
            owner, _, attribute = name.rpartition(".")
            used = place(name, parameter.shape, parameter.dtype, device).used
            setattr(model.get_submodule(owner), attribute, nn.Parameter(used, requires_grad=False))


class _Locked:
    """Page-locked bytes as an array of the card: the driver gives both sides one address. Freed with the last tensor
    that was made of it. The protocol: numba's CUDA array interface, version 3."""

    def __init__(self, address: int, size: int, driver: ctypes.CDLL, device: torch.device):
        self.__cuda_array_interface__ = {
            "shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3, "strides": None,
        }  # fmt: skip
        weakref.finalize(self, _free, driver, address, device).atexit = False  # an exit frees it anyway


def _locked(size: int, device: torch.device) -> tuple[Tensor, Tensor] | None:
    """The same bytes as a tensor of the host and one of the card, uint8 [size]. None where they cannot be had.

    Asked of the driver itself: PyTorch's allocator of such memory would round 262 MB up to 512 and keep it for good.
    """
    with torch.cuda.device(device):
        torch.cuda.synchronize()  # the card's context is now this thread's
        address = ctypes.c_void_p()
        try:
            driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
            failure = driver.cuMemHostAlloc(ctypes.byref(address), ctypes.c_size_t(size), _PORTABLE)
        except (OSError, AttributeError):
            return None
        if failure or not address.value:
            return None
        held = _Locked(address.value, size, driver, device)
        seen = torch.as_tensor(held, device=device)
    host = torch.frombuffer((ctypes.c_uint8 * size).from_address(address.value), dtype=torch.uint8)
    return host, seen


def _free(driver: ctypes.CDLL, address: int, device: torch.device) -> None:
    with suppress(RuntimeError), torch.cuda.device(device):  # after a kernel error nothing can be freed
        torch.cuda.synchronize()  # no kernel may still read it
        driver.cuMemFreeHost(ctypes.c_void_p(address))
