"""Every tensor that changes during a talk: allocated once, changed in place, reached by name.

The model's modules declare what they need (`declare`), the engine thread owns the result. Captured graphs hold
the addresses, so a tensor here is never replaced. The leading dimension of each is the talk.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from engine.sampling import SamplingValues


class Slot(NamedTuple):
    """One tensor of the state, without the leading talk dimension."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    fill: float = 0


Slots = dict[str, Slot]


class TalkSnapshot(NamedTuple):
    """A whole talk: its tensors, and what of it the host holds."""

    tensors: dict[str, Tensor]
    generator: Tensor
    silent_frames: int
    sampling: SamplingValues


class State:
    """Named tensors [talks, *slot.shape]."""

    def __init__(self, slots: Slots, device: torch.device | str, talks: int = 1):
        self.slots = dict(slots)
        self.talks = talks
        self.tensors: dict[str, Tensor] = {
            name: torch.full((talks, *slot.shape), slot.fill, dtype=slot.dtype, device=device)
            for name, slot in slots.items()
        }

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    @property
    def nbytes(self) -> int:
        return sum(t.numel() * t.element_size() for t in self.tensors.values())

    def reset(self, prefix: str = "") -> None:
        """Back to the fill values, as in a fresh process. All of it, so that no talk can inherit another's past."""
        for name, tensor in self.tensors.items():
            if name.startswith(prefix):
                tensor.fill_(self.slots[name].fill)

    def snapshot(self) -> dict[str, Tensor]:
        """A copy of everything: beside the original while the device has twice the room, else in host memory.

        At full size the attention rings alone are 1.6 GB, which a full card has not got a second time.
        """
        device = next(iter(self.tensors.values())).device
        if device.type == "cuda" and torch.cuda.mem_get_info(device)[0] < 2 * self.nbytes:
            device = torch.device("cpu")
        try:
            return self._copies(device)
        except torch.OutOfMemoryError:  # somebody else took it in the meantime
            return self._copies(torch.device("cpu"))

    def _copies(self, device: torch.device) -> dict[str, Tensor]:
        return {name: tensor.to(device, copy=True) for name, tensor in self.tensors.items()}

    def restore(self, snapshot: dict[str, Tensor]) -> None:
        """Copy a snapshot of this very layout back in place."""
        assert snapshot.keys() == self.tensors.keys(), "a snapshot of another layout"
        for name, tensor in self.tensors.items():
            tensor.copy_(snapshot[name])
