"""Putting a persona before a talk: one batched prefill, then the step that decides the first own tokens.

Owns how a `Prompt` enters the state, and the attention rings of the last voice, which are kept for the next talk with
it. Engine thread only; called by `Duplex.prime` on a talk that was just reset. Facts: personaplex.md, lm.md 8c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from engine.errors import Cancelled
from engine.frame import Frame
from engine.lm import UNGENERATED
from engine.persona import Prompt


class _Prefix(NamedTuple):
    """The rings' first rows after a voice and its silence."""

    key: str
    rings: dict[str, Tensor]


class Primer:
    """Primes one engine's talks."""

    def __init__(self, frame: Frame):
        self._frame, self._state, self._lm = frame, frame.state, frame.lm
        self._chunk = self._state["prefill.embeddings"].shape[1]
        self._prefix: _Prefix | None = None

    def prime(
        self,
        prompt: Prompt,
        prefill: Callable[[], None],
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Afterwards the talk's first frame is answered at once. `prefill` runs the frame's prefill stage.

        Raises Cancelled between two chunks, with the state half primed.
        """
        tokens = prompt.tokens.to(self._frame.delays.device)[None]  # [1, K, columns]: positions first..end
        end = prompt.frames
        for start in range(self._resume(prompt), end - 1, self._chunk):
            if cancelled and cancelled():
                raise Cancelled
            if progress:
                progress(start, end)
            stop = min(start + self._chunk, end - 1)
            self._load_chunk(prompt, tokens, start, stop)
            prefill()
            if prompt.prefix_key and start < prompt.prefix_columns <= stop:
                self._keep(prompt)
        self._decide_first_tokens(tokens, end)

    def _load_chunk(self, prompt: Prompt, tokens: Tensor, start: int, stop: int) -> None:
        """Positions start..stop-1: from the voice's stored embeddings where there are some, from tokens behind them."""
        rows = self._state["prefill.embeddings"][0]
        stored = 0
        if prompt.embeddings is not None and start < prompt.first_position:
            embeddings = prompt.embeddings[start:stop]
            stored = len(embeddings)
            rows[:stored] = embeddings.to(rows)
        if start + stored < stop:
            columns = slice(start + stored - prompt.first_position, stop - prompt.first_position)
            rows[stored : stop - start] = self._lm.temporal.embed(tokens[:, :, columns])[0]
        self._state["tokens.position"].fill_(start)
        self._state["prefill.count"].fill_(stop - start)

    def _decide_first_tokens(self, tokens: Tensor, end: int) -> None:
        """Position end - 1, whose result does not depend on the user, with what the prompt forces at `end`."""
        s, lm = self._state, self._lm.config
        ring = s["tokens.ring"]
        for column, position in ((-2, end - 1), (-1, end)):
            ring[:, :, position % ring.shape[2]] = tokens[:, :, column]
        user = torch.arange(1 + lm.own, lm.streams, device=ring.device)
        last_frame = torch.where(self._frame.delays[user] > 0, -1, -2)  # its codes lie under their delays
        s["frame.heard"][:, : lm.user] = tokens[:, user, last_frame]
        s["frame.forced"].copy_(tokens[:, : 1 + lm.own, -1])
        s["tokens.position"].fill_(end - 1)
        self._frame.temporal()
        self._frame.depth()
        s["frame.forced"].fill_(UNGENERATED)

    def _resume(self, prompt: Prompt) -> int:
        """Take the voice's rings from the last talk with it; the number of positions that spares."""
        if self._prefix is None or not prompt.prefix_key or self._prefix.key != prompt.prefix_key:
            return 0
        for name, rows in self._prefix.rings.items():
            self._state[name][:, :, : rows.shape[2]] = rows
        return prompt.prefix_columns

    def _keep(self, prompt: Prompt) -> None:
        count = prompt.prefix_columns
        if count <= self._lm.config.context:
            rings = {
                name: self._state[name][:, :, :count].clone()
                for layer in self._lm.temporal.layers
                for name in (layer.keys, layer.values)
            }
            self._prefix = _Prefix(prompt.prefix_key, rings)
