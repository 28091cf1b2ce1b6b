"""Putting a persona before a talk: one batched prefill, then the step that decides the first own tokens.

Owns how a `Prompt` enters the state, and the attention rings of the last voice, which are kept for the next talk with
it. A talk must not depend on whether its voice was kept, to the last bit: so chunks are cut where the voice ends, in
both cases, since a row rounds differently beside other rows. Engine thread only; called by `Duplex.prime` on a talk
that was just reset. Facts: personaplex.md, lm.md 8c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, pairwise
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
        *,
        arithmetic: str = "",
    ) -> None:
        """Afterwards the talk's first frame is answered at once. `prefill` runs the frame's prefill stage.

        arithmetic: names how `prefill` rounds: what was kept of another is not taken.
        Raises Cancelled between two chunks, with the state half primed.
        """
        tokens = prompt.tokens.to(self._frame.delays.device)[None]  # [1, K, columns]: positions first..end
        end = prompt.frames
        key = f"{arithmetic} {prompt.prefix_key}" if prompt.prefix_key else ""
        done = self._resume(key, prompt.prefix_columns)
        for start, stop in self._chunks(prompt):
            if stop <= done:
                continue
            if cancelled and cancelled():
                raise Cancelled
            if progress:
                progress(start, end)
            self._load_chunk(prompt, tokens, start, stop)
            prefill()
            if key and stop == prompt.prefix_columns:
                self._keep(key, stop)
        self._decide_first_tokens(tokens, end)

    def _chunks(self, prompt: Prompt) -> Iterator[tuple[int, int]]:
        """First and last position (without it) of each prefill: the voice's, then those of the rest."""
        prefix, end = prompt.prefix_columns, prompt.frames - 1
        return pairwise(dict.fromkeys(chain(range(0, prefix, self._chunk), range(prefix, end, self._chunk), (end,))))

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
        rows[stop - start :] = 0  # padding, which no real row sees
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

    def _resume(self, key: str, columns: int) -> int:
        """Take the voice's rings from the last talk with it; the number of positions that spares."""
        if self._prefix is None or self._prefix.key != key:
            return 0
        for name, rows in self._prefix.rings.items():
            self._state[name][:, :, : rows.shape[2]] = rows
        return columns

    def _keep(self, key: str, columns: int) -> None:
        if columns <= self._lm.config.context:
            rings = {
                name: self._state[name][:, :, :columns].clone()
                for layer in self._lm.temporal.layers
                for ring in (layer.keys, layer.values)
                for name in (ring, f"{ring}_scales")
                if name in self._state
            }
            self._prefix = _Prefix(key, rings)
