"""One frame of a talk as stages without arguments: encode, temporal, depth, decode (and prefill, for a persona).

Owns the slots through which the stages speak and the token ring with its delays (facts: lm.md 8). A stage reads and
writes fixed tensors of the state and nothing else, no host number included, so that the same function can be called,
captured or compiled. Which of the three happens is the engine's business, not this file's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor

from engine.codec_rows import RowCodec, fits
from engine.config import LMConfig, MimiConfig
from engine.lm import UNGENERATED, LanguageModel, depth_step, plainly
from engine.mimi import Mimi
from engine.sampling import MAX_TOP_K, exponential_noise, sample
from engine.state import Slot, Slots, State

STAGES = ("encode", "temporal", "depth", "decode")
PREFILL_CHUNK = 64  # positions a prefill call takes: few enough to pad a short persona cheaply

Piece = TypeVar("Piece", bound=Callable[..., Any])


class Wrap(Protocol):
    """What becomes of a piece of a frame's work, such as compiling it."""

    def __call__(self, piece: Piece, /) -> Piece: ...


def as_it_is(piece: Piece, /) -> Piece:
    return piece


def frame_slots(lm: LMConfig, mimi: MimiConfig, dtype: torch.dtype) -> Slots:
    """The slots of a frame, each without its leading talk dimension."""
    integer, real = torch.int64, torch.float32
    return {
        # in
        "frame.pcm_in": Slot((1, mimi.frame_size), real),
        "frame.forced": Slot((1 + lm.own,), integer, UNGENERATED),  # tokens to take instead of sampled ones
        "sampling.temperature": Slot((), real),
        "sampling.text_temperature": Slot((), real),
        "sampling.top_k": Slot((), integer, 1),
        "sampling.text_top_k": Slot((), integer, 1),
        "sampling.seed": Slot((), integer),
        "sampling.counter": Slot((), integer),
        # between stages
        "frame.heard": Slot((lm.codebooks,), integer),
        "frame.hidden": Slot((lm.dim,), dtype),
        "frame.text": Slot((), integer),
        "sampling.text_noise": Slot((min(lm.text_card, MAX_TOP_K),), real, 1),
        "sampling.noise": Slot((lm.own, min(lm.card, MAX_TOP_K)), real, 1),
        # the token ring: position p of stream k holds the token of frame p - delay[k]
        "tokens.ring": Slot((lm.streams, lm.max_delay + 2), integer, UNGENERATED),
        "tokens.position": Slot((), integer),
        # a chunk of persona
        "prefill.embeddings": Slot((min(PREFILL_CHUNK, lm.context), lm.dim), dtype),
        "prefill.count": Slot((), integer, 1),  # never 0: a rehearsal, too, has a position to take
        # out
        "frame.spoken": Slot((1 + lm.own,), integer, UNGENERATED),  # text, own codes: aligned by delay
        "frame.pcm_out": Slot((1, mimi.frame_size), real),
    }


class Frame:
    """The stages over one model and one state."""

    def __init__(
        self, lm: LanguageModel, mimi: Mimi, state: State, *, lm_window: int, mimi_window: int, counted_noise: bool,
        wrap: Wrap = as_it_is,
    ):  # fmt: skip
        """`counted_noise`: the temporal stage fills the noise from seed and counter; else the host fills it before.
        `wrap`: done to every piece."""
        self.lm, self.mimi, self.state = lm, mimi, state.tensors
        self.lm_window, self.mimi_window, self.counted_noise = lm_window, mimi_window, counted_noise
        device = self.state["tokens.ring"].device
        self.delays = torch.tensor(lm.config.delays, device=device)  # [K]
        self.initial = torch.tensor(lm.config.initial_tokens, device=device)  # [K]
        self.steps = [(lm.depth.at(step), torch.tensor([step], device=device)) for step in range(lm.config.own)]
        codec = RowCodec(mimi) if device.type == "cpu" and wrap is as_it_is and fits(mimi) else mimi
        self._encode, self._decode = wrap(codec.encode), wrap(codec.decode)
        self._layer, self._depth_step, self._sample = wrap(plainly), wrap(depth_step), wrap(sample)

    @property
    def hidden(self) -> Tensor:
        """What the temporal transformer made last."""
        return self.state["frame.hidden"]

    def encode(self) -> None:
        """PCM heard -> its codes."""
        codes = self._encode(self.state["frame.pcm_in"], self.state, self.mimi_window)
        self.state["frame.heard"].copy_(codes[:, :, 0])

    def temporal(self) -> None:
        """The heard codes enter the ring; one position of the temporal transformer; the text token."""
        s, lm = self.state, self.lm.config
        ring, position = s["tokens.ring"], s["tokens.position"]
        self._write(ring, slice(1 + lm.own, lm.streams), position[:, None] + self.delays[1 + lm.own :],
                    s["frame.heard"][:, : lm.user])  # fmt: skip
        tokens = self._read(ring, slice(0, lm.streams), position[:, None].expand(-1, lm.streams))
        tokens = torch.where(
            position[:, None] <= self.delays, self.initial, tokens
        )  # nothing was said before the start
        x = self.lm.temporal.embed(tokens[:, :, None])
        hidden = self.lm.temporal(x, s, position, self.lm_window, run=self._layer)[:, 0]
        s["frame.hidden"].copy_(hidden)
        if self.counted_noise:
            self._fill_noise()
        sampled = self._sample(
            self.lm.temporal.text_logits(hidden), s["sampling.text_temperature"], s["sampling.text_top_k"],
            s["sampling.text_noise"],
        )  # fmt: skip
        s["frame.text"].copy_(self._unless_forced(sampled, 0))

    def depth(self) -> None:
        """The own codes, one after another; they and the text enter the ring, and the finished frame leaves it."""
        s, lm = self.state, self.lm.config
        spoken = [s["frame.text"]]
        for index, (weights, step) in enumerate(self.steps):
            logits = self._depth_step(weights, spoken[-1], s["frame.hidden"], s["depth.keys"], s["depth.values"], step)
            noise = s["sampling.noise"][:, index]
            sampled = self._sample(logits, s["sampling.temperature"], s["sampling.top_k"], noise)
            spoken.append(self._unless_forced(sampled, 1 + index))
        position = s["tokens.position"].add_(1)
        streams, ring = slice(0, 1 + lm.own), s["tokens.ring"]
        self._write(ring, streams, position[:, None].expand(-1, 1 + lm.own), torch.stack(spoken, dim=1))
        finished = position[:, None] - lm.max_delay + self.delays[streams]
        s["frame.spoken"].copy_(self._read(ring, streams, finished))

    def decode(self) -> None:
        """Own codes of the finished frame -> PCM. Before the first whole frame some codes are still ungenerated: any
        will do, since the engine forgets what came of them."""
        codes = self.state["frame.spoken"][:, 1:, None].clamp(min=0)
        self.state["frame.pcm_out"].copy_(self._decode(codes, self.state, self.mimi_window))

    def prefill(self) -> None:
        """`prefill.count` positions of given embeddings enter the attention rings; nothing is sampled."""
        position, count = self.state["tokens.position"], self.state["prefill.count"]
        self.lm.temporal(self.state["prefill.embeddings"], self.state, position, self.lm_window, count, self._layer)
        position.add_(count)

    @staticmethod
    def _write(ring: Tensor, streams: slice, positions: Tensor, tokens: Tensor) -> None:
        """ring[:, k, positions[k]] = tokens[k] for the streams; positions, tokens [B, streams]."""
        index = (positions % ring.shape[2])[:, :, None]
        ring[:, streams].scatter_(2, index, tokens[:, :, None])

    @staticmethod
    def _read(ring: Tensor, streams: slice, positions: Tensor) -> Tensor:
        """ring[:, k, positions[k]] for the streams -> [B, streams]."""
        return ring[:, streams].gather(2, (positions % ring.shape[2])[:, :, None])[:, :, 0]

    def _unless_forced(self, sampled: Tensor, stream: int) -> Tensor:
        forced = self.state["frame.forced"][:, stream]
        return torch.where(forced == UNGENERATED, sampled, forced)

    def _fill_noise(self) -> None:
        """This frame's draws for every stream at once, and the counter moves on."""
        s = self.state
        text, audio = s["sampling.text_noise"], s["sampling.noise"]
        count = text.shape[1] + audio[0].numel()
        noise = exponential_noise(s["sampling.seed"], s["sampling.counter"], count)
        text.copy_(noise[:, : text.shape[1]])
        audio.copy_(noise[:, text.shape[1] :].unflatten(1, audio.shape[1:]))
        s["sampling.counter"].add_(1)
