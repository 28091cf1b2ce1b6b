"""Which code runs a frame: fused GPU kernels where they fit and work on this very card, else plain PyTorch.

Owns the choice and its reason. Called by the engine thread, at load.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import torch

from engine.errors import Cancelled
from engine.faults import device_lost, out_of_memory
from engine.frame import STAGES, Frame, Wrap, as_it_is
from engine.graphs import CompiledForm, compile_piece, never_moves
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.placement import plain_reason
from engine.stages import Stage
from engine.state import State

if TYPE_CHECKING:
    from engine.fused import FusedFrame

log = logging.getLogger(__name__)


class FrameChoice:
    """Makes frames over one model and one state."""

    def __init__(self, lm: LanguageModel, mimi: Mimi, state: State, windows: tuple[int, int]):
        """windows: positions that attention sees, of the language model and of the codec."""
        self._lm, self._mimi, self._state = lm, mimi, state
        self._lm_window, self._mimi_window = windows
        self._device = lm.temporal.out_norm.device
        self.plain_reason: str | None = "They are switched off."  # why there are no fused kernels; None where there are

    def best(self, kernels: bool, cancelled: Callable[[], bool] | None = None) -> Frame:
        """The fused frame if it runs: kernels shaped on one card can ask too much of another. It has then run once.

        kernels: False keeps to plain PyTorch. Raises Cancelled between two stages, and what is no fault of the kernels.
        """
        if kernels:
            self.plain_reason = plain_reason(self._lm, self._device)
        if self.plain_reason is None:
            try:
                return self._tried(cancelled)
            except Exception as error:  # a compiler, a driver and a launch refuse in many ways
                if isinstance(error, Cancelled) or out_of_memory(error) or device_lost(error):
                    raise
                first_line = next(iter(str(error).strip().splitlines()), type(error).__name__)
                self.plain_reason = f"The fused kernels failed on this card: {first_line.rstrip('.')}."
                log.warning(self.plain_reason)
        return self.plain()

    def plain(self, wrap: Wrap = as_it_is) -> Frame:
        """PyTorch's own operations, each piece as `wrap` makes it."""
        return Frame(
            self._lm, self._mimi, self._state, lm_window=self._lm_window, mimi_window=self._mimi_window,
            counted_noise=self._device.type == "cuda", wrap=wrap,
        )  # fmt: skip

    def compiled(self, names: tuple[str, ...], form: CompiledForm) -> list[Stage]:
        """The stages of these names as code that compiles itself when it first runs."""
        if form.whole:
            never_moves(self._state.tensors.values())
            plain = self.plain()
            return [Stage(name, compile_piece(getattr(plain, name), form)) for name in names]
        frame = self.plain(partial(compile_piece, form=form))
        return [Stage(name, getattr(frame, name)) for name in names]

    def _tried(self, cancelled: Callable[[], bool] | None) -> Frame:
        frame = self.fused()
        for stage in STAGES:
            if cancelled is not None and cancelled():  # each may take half a minute to build, the first time
                raise Cancelled
            getattr(frame, stage)()
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
        return frame

    def fused(self) -> FusedFrame:
        """The kernels, whether or not they work here."""
        from engine.fused import FusedFrame  # these import Triton
        from engine.fused_quantized import QuantizedFrame

        kind = FusedFrame if self._lm.precision is None else QuantizedFrame
        return kind(self._lm, self._mimi, self._state, lm_window=self._lm_window, mimi_window=self._mimi_window)
