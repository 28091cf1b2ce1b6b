"""The two ends of a frame on the host: sound in, and what came out of it.

Owns the pinned buffers, so that a frame's copies need no hidden staging and no hidden wait, and kernels can reach them;
and the making of an `Answer` from them. Knows the state's slots, nothing of how a frame is run. Engine thread only.
"""

from __future__ import annotations

import logging
import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from engine.config import LMConfig
from engine.faults import device_lost, out_of_memory
from engine.state import State

log = logging.getLogger(__name__)

SOUND_BLOCK = 512  # samples that one program hands out


class Spans(NamedTuple):
    """Milliseconds of one frame. `host` is the total without the four stages: copies, Python, the wait."""

    encode: float
    temporal: float
    depth: float
    decode: float
    host: float
    total: float

    @classmethod
    def of(cls, total: float, stages: tuple[float, ...]) -> Spans:
        """Of the whole frame and its stages, in their order."""
        encode, temporal, depth, decode = stages
        return cls(encode, temporal, depth, decode, max(0.0, total - sum(stages)), total)


class Answer(NamedTuple):
    """What came out on one frame. `text` and `own` are None until the first output (lm.md 8a)."""

    pcm: np.ndarray  # [1920] float32 in [-1, 1]; the caller may keep it
    text: int | None
    own: tuple[int, ...] | None
    user: tuple[int, ...]  # the codes heard on this frame
    spans: Spans
    finite: bool = True  # False: the model's numbers are no numbers any more; pcm is silence, and so are later frames


def sound_programs(size: int) -> int:
    """How many programs hand out so many samples."""
    return -(-size // SOUND_BLOCK)


class HostEnds:
    """One frame in and out. `enter` and `leave` are enqueued, or part of a graph; what they leave here must be waited
    for once."""

    def __init__(self, config: LMConfig, state: State, frame_size: int, *, kernels: bool = False):
        """kernels: the card reads and writes the host's memory itself, by one kernel at each end (imports Triton), in
        the place of copies."""
        self._state = state
        self._device = state["frame.pcm_in"].device
        pinned = self._device.type == "cuda"
        self._pcm_in, self._pcm_out = (torch.zeros(frame_size, pin_memory=pinned) for _ in range(2))
        self._own, self._user = config.own, config.user
        # Tokens spoken, tokens heard, and by program how many numbers are none: one piece, which is read at once.
        sizes = 1 + config.own, config.codebooks, 1 + (sound_programs(frame_size) if kernels else 0)
        self._integers = torch.zeros(sum(sizes), dtype=torch.int64, pin_memory=pinned)
        self._spoken, self._heard, self._wrong = self._integers.split(sizes)
        self._checksum = torch.zeros(1, pin_memory=pinned)
        # The same memory as NumPy sees it, which reads and writes it in half the time.
        self._sound_in, self._sound_out = self._pcm_in.numpy(), self._pcm_out.numpy()
        self._numbers, self._sum = self._integers.numpy(), self._checksum.numpy()
        self._sent, self._entered = self._pcm_in[None, None], state["frame.pcm_in"]
        self.kernels = kernels
        if kernels:
            self._try_kernels()

    def _try_kernels(self) -> None:
        """Copies it is where kernels fail to reach the host's memory."""
        try:
            self.enter()
            self.leave(self._state["frame.hidden"])
            self.wait()
        except Exception as error:  # a compiler, a driver and a launch refuse in many ways
            if out_of_memory(error) or device_lost(error):
                raise
            log.warning("kernels cannot reach the host's memory, so that a frame's results are copied: %s", error)
            self.kernels = False

    def put(self, pcm: np.ndarray) -> None:
        """pcm [frame_size] float32, to where `enter` finds it. The frame before must have entered."""
        assert pcm.shape == self._pcm_in.shape, "one frame at a time"
        np.copyto(self._sound_in, pcm, casting="same_kind")

    def enter(self) -> None:
        """What was put goes to its slot."""
        if self.kernels:
            from engine import kernels_ends

            kernels_ends.take_in(self._pcm_in, self._entered.view(-1))
        else:
            self._entered.copy_(self._sent, non_blocking=True)

    def leave(self, numbers: Tensor) -> None:
        """The finished frame comes back. `numbers`: what the temporal transformer made; not-numbers anywhere in
        attention end up in it, while in tokens they would leave no trace."""
        spoken, heard, sound = (self._state[f"frame.{name}"][0] for name in ("spoken", "heard", "pcm_out"))
        if self.kernels:
            from engine import kernels_ends

            sources = sound.view(-1), spoken, heard, numbers.reshape(-1)
            kernels_ends.hand_out(*sources, self._pcm_out, self._spoken, self._heard, self._wrong, SOUND_BLOCK)
            return
        self._spoken.copy_(spoken, non_blocking=True)
        self._heard.copy_(heard, non_blocking=True)
        self._pcm_out.copy_(sound[0], non_blocking=True)
        self._checksum.copy_(numbers.sum(dtype=torch.float32)[None], non_blocking=True)

    def wait(self) -> None:
        """For all that was enqueued; other threads go on."""
        if self._device.type == "cuda":
            torch.cuda.current_stream(self._device).synchronize()

    def answer(self, silent: bool, spans: Spans) -> Answer:
        """After the wait. `silent`: no whole frame of own codes is out yet."""
        text, *numbers = self._numbers.tolist()
        own, numbers = tuple(numbers[: self._own]), numbers[self._own :]
        user, wrong = tuple(numbers[: self._user]), numbers[len(self._heard) :]
        sane = wrong[0] == 0 if self.kernels else math.isfinite(self._sum[0])
        if silent:
            return Answer(np.zeros(len(self._sound_out), np.float32), None, None, user, spans, sane)
        if self.kernels:  # they have looked and clipped already
            finite = not any(wrong)
            pcm = self._sound_out.copy() if finite else np.zeros_like(self._sound_out)
        else:
            finite = sane and bool(np.isfinite(self._sound_out).all())
            pcm = np.clip(self._sound_out, -1.0, 1.0) if finite else np.zeros_like(self._sound_out)
        return Answer(pcm, text, own, user, spans, finite)
