"""A loaded engine and what the conversation decides about it: modes, sampling, pace before the first talk.

Owns which modes are prepared and the way from the program's `Sampling` to the engine's values and back. Must not know
phases, commands or audio ends. Called from the engine thread only; errors are the engine's sentences or a `UserError`.
"""

from __future__ import annotations

import logging
import operator
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median

import numpy as np

from app.engine_faults import is_sticky
from app.engine_room import Cancelled, Engine
from app.errors import UserError
from app.messages import COMPILE, ModelInfo, Sampling
from app.mode_worth import no_gain

log = logging.getLogger("parley.engine")

FRAME_SAMPLES = 1920
WARM_UP_FRAMES = 6
WARM_UP_LIMIT_MS = 1000.0  # a computer on which a frame takes seconds need not prove it six times
SEED_LIMIT = 2**63

NO_NUMBERS = (
    "The model's numbers fall apart in its first frames, so that it could only be silent: its files are damaged or do "
    "not belong together, or the precision does not suit it. Fetch the model again, or choose another precision."
)

StepProgress = Callable[[int, int], None]
ModeProgress = Callable[[str], StepProgress]  # of a mode
_NUMBERS = ("temperature", "top_k", "text_temperature", "text_top_k")


class LoadedEngine:
    def __init__(self, engine: Engine, info: ModelInfo, compile_what: str = COMPILE[0]) -> None:
        """compile_what: one of messages.COMPILE, for as long as this engine lasts."""
        self.engine = engine
        self._form = "compiled" if compile_what == COMPILE[0] else f"compiled-{compile_what}"
        self._info = info
        self._prepared: set[str] = set()
        self._failed: dict[str, str] = {}  # mode -> why preparing it failed
        self._short: set[str] = set()  # modes that failed for want of memory: they may be tried again
        self.mode_trouble = ""  # why another mode than the one asked for is in use, or what is wrong with this one
        self._worth = ""  # of compiled code, as it was judged when it was built
        self._clock: Callable[[], int] = time.perf_counter_ns
        self.frame_ms = 0.0  # what a frame took in the warm-up
        self.seed: int | None = None  # for the next talk; None = a new one each time

    @property
    def info(self) -> ModelInfo:
        """As loaded, with the modes as they are now."""
        return replace(self._info, modes=self.modes())

    def modes(self) -> dict[str, str | None]:
        """For each mode None, or why it cannot be had."""
        failed = {mode: reason for mode, reason in self._failed.items() if mode not in self._short}
        return {mode: reason or failed.get(mode) for mode, reason in self.engine.mode_reasons().items()}

    def plain_kernels(self) -> str:
        """Why a card runs PyTorch's own kernels, as one sentence; "" where it runs the fused ones, or there is none."""
        reason = self.engine.plain_reason
        if reason is None or not self._info.device.startswith("cuda"):
            return ""
        return f"The fused kernels cannot be used, so that each frame takes longer: {reason}"

    def make_ready(self, wanted: str, progress: ModeProgress, cancelled: Cancelled, clock: Callable[[], int]) -> None:
        """Prepare what a live switch needs, choose `wanted` ("auto": graph where it works, else eager), and warm up.

        eager and graph are both prepared, so that switching between them in a talk is a choice of a callable; compiled
        is built on request only.
        """
        self._clock = clock
        self.mode_trouble = self._choose_first_mode(wanted, progress, cancelled)
        self.frame_ms = self._warm_up(clock)
        if self.engine.mode == "compiled":
            self.mode_trouble = self._worth = self._no_gain()

    def _choose_first_mode(self, wanted: str, progress: ModeProgress, cancelled: Cancelled) -> str:
        """Returns "" or one sentence why another mode than the wanted one is in use."""
        for mode in ("eager", "graph", "compiled"):
            if mode != "compiled" or wanted == "compiled":
                self._try_prepare(mode, progress(mode), cancelled)
        usable = [mode for mode in (wanted, "graph", "eager") if mode in self._prepared]
        self.engine.set_mode(usable[0])
        if wanted == "auto":
            return self._failed.get("graph", "")  # expected here, since nothing said beforehand that it is impossible
        return "" if wanted == usable[0] else f"{self._unusable(wanted)} The {usable[0]} mode is used instead."

    def _try_prepare(self, mode: str, progress: StepProgress, cancelled: Cancelled) -> None:
        """A mode that cannot be had is no reason not to talk in another; eager is the last one."""
        from engine.errors import EngineError

        if self.modes().get(mode) is not None:
            return
        try:
            self._prepare(mode, progress, cancelled)
        except EngineError as error:
            if mode == "eager" or is_sticky(error):
                raise

    def _prepare(self, mode: str, progress: StepProgress, cancelled: Cancelled) -> None:
        from engine.errors import EngineError, MemoryFullError

        try:
            self.engine.prepare(mode, progress, cancelled, self._form)
        except EngineError as error:
            self._failed[mode] = str(error)
            if isinstance(error, MemoryFullError):
                self._short.add(mode)
            raise
        self._failed.pop(mode, None)
        self._prepared.add(mode)

    def is_prepared(self, mode: str) -> bool:
        return mode in self._prepared

    def check_mode(self, mode: str) -> None:
        """Raises UserError with the reason when the mode cannot be had."""
        if self.modes().get(mode, "unknown") is not None:
            raise UserError(self._unusable(mode))

    def _unusable(self, mode: str) -> str:
        reason = self.modes().get(mode, "there is no such mode") or self._failed.get(mode, "it could not be prepared")
        return f"The {mode} mode cannot be used: {reason.rstrip('.')}."

    def change_mode(self, mode: str, progress: StepProgress, cancelled: Cancelled) -> None:
        """Prepare the mode if that was not done yet, and choose it. On any error the old one stays chosen."""
        built = mode not in self._prepared
        if built:
            self._prepare(mode, progress, cancelled)
        former = self.engine.mode
        self.engine.set_mode(mode)
        try:
            if built and mode == "compiled":
                self._worth = self._no_gain()
            self.mode_trouble = self._worth if mode == "compiled" else ""
        except BaseException:
            self._prepared.discard(mode)  # judged anew at the next try
            self.engine.set_mode(former)
            raise

    def _no_gain(self) -> str:
        """Of compiled code that was just built: a sentence if it is no faster than what there was."""
        usual = "graph" if "graph" in self._prepared else "eager"
        return no_gain(self.engine, "compiled", usual, self._clock)

    def set_sampling(self, sampling: Sampling) -> None:
        """Checks everything, then applies everything, from the next frame on; the seed from the next talk on."""
        seed = _checked_seed(sampling.seed)
        wanted = {name: plain_number(getattr(sampling, name)) for name in _NUMBERS}
        given = {name: value for name, value in wanted.items() if value is not None}
        self.engine.set_sampling(replace(self.engine.default_sampling, **given))
        self.seed = seed

    def adopt_sampling(self, wished: Sampling) -> str:
        """Apply what was wished for before there was an engine. Returns "" or one sentence why it was refused."""
        from engine.errors import EngineError

        try:
            self.set_sampling(wished)
        except (EngineError, UserError) as error:
            return f"{error} The model's own values are used."
        return ""

    def sampling(self) -> Sampling:
        """Read back from the engine, all filled in but the seed."""
        held = self.engine.sampling
        return Sampling(held.temperature, held.top_k, held.text_temperature, held.text_top_k, self.seed)

    def default_sampling(self) -> Sampling:
        held = self.engine.default_sampling
        return Sampling(held.temperature, held.top_k, held.text_temperature, held.text_top_k, None)

    def _warm_up(self, clock: Callable[[], int]) -> float:
        """Milliseconds of a frame, from a few frames of silence before any talk; the next reset forgets them.

        Raises UserError for a model whose numbers are none from the start: its talk would be silence.
        """
        self.engine.reset()
        silence = np.zeros(FRAME_SAMPLES, np.float32)
        costs: list[float] = []
        while len(costs) < WARM_UP_FRAMES and sum(costs) < WARM_UP_LIMIT_MS:
            began = clock()
            if not self.engine.step(silence).finite:
                raise UserError(NO_NUMBERS)
            costs.append((clock() - began) / 1e6)
        return median(costs[len(costs) // 2 :])  # the first ones still pay for caches and clocks

    def unload(self) -> None:
        """Give the memory back. An error is logged and no more: this engine is gone, whatever it says."""
        try:
            self.engine.unload()
        except Exception:
            log.exception("unloading the engine failed")

    def advice(self) -> str:
        """What a user with too slow frames can do, as the end of a sentence."""
        usable = [mode for mode, reason in self.modes().items() if reason is None]
        for better in ("graph", "compiled"):
            if self.engine.mode == "eager" and better in usable:
                return f"try the {better} mode"
        if self._info.precision == "float32" and self._info.device.startswith("cuda"):
            return "try bfloat16 precision"
        return "try a smaller model or a faster computer"


def plain_number(value: object) -> object:
    """numpy and torch scalars as Python numbers: compiled code specialises on the odd types."""
    return value.item() if hasattr(value, "item") else value


def _checked_seed(seed: object) -> int | None:
    if seed is None:
        return None
    seed = plain_number(seed)
    try:
        number = operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        raise UserError(f"The seed must be a whole number, not {seed!r}.") from None
    if isinstance(seed, bool) or not 0 <= number < SEED_LIMIT:
        raise UserError(f"The seed must be a whole number from 0 to 2^63 - 1, not {seed}.")
    return number
