"""A scripted engine, its loader and its voices: what a conversation needs, without torch or weights.

Costs, failures and words are given by the test. With a `VirtualClock` a frame "costs" milliseconds that nobody waits
for; with `advance=sleep_ms` the same costs are real (for windows and threads). Everything called is written to
`calls`, with the thread that called it in `threads`.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from app.engine_room import Persona
from app.messages import ModelInfo, ModelSpec, PersonaChoice, Sampling
from engine.errors import Cancelled, EngineError

FRAME = 1920
WORDS = {100: " hello", 101: " wor", 102: "ld", 103: "<0xC3>", 104: "<0xA9>", 105: "."}


class VirtualClock:
    """perf_counter_ns for tests: time passes only when somebody says so."""

    def __init__(self) -> None:
        self.ns = 1_000_000_000

    def __call__(self) -> int:
        return self.ns

    def advance(self, ms: float) -> None:
        self.ns += round(ms * 1e6)

    @property
    def ms(self) -> float:
        return self.ns / 1e6


def sleep_ms(ms: float) -> None:
    time.sleep(ms / 1000)


class FakeSpans(NamedTuple):
    encode: float
    temporal: float
    depth: float
    decode: float
    host: float
    total: float


class FakeAnswer(NamedTuple):
    pcm: np.ndarray
    text: int | None
    own: tuple[int, ...] | None
    user: tuple[int, ...]
    spans: FakeSpans
    finite: bool = True


@dataclass(frozen=True)
class FakeSampling:
    temperature: float = 0.8
    top_k: int = 250
    text_temperature: float = 0.7
    text_top_k: int = 25

    def __post_init__(self) -> None:
        for value in (self.temperature, self.text_temperature):
            if not 0.0 <= value <= 10.0:
                raise EngineError(f"The temperature must lie between 0 and 10, not {value}.")
        for value in (self.top_k, self.text_top_k):
            if not 1 <= value <= 2048:
                raise EngineError(f"The top-k must be a whole number from 1 to 2048, not {value}.")


class FakeEngine:
    """Answers each frame with the frame it heard (halved), the scripted text and the scripted cost.

    costs: ms of each frame, one number or a sequence whose last value stays.
    fail_at: number of the `step` since the last reset -> exception raised instead of an answer.
    text: frame -> token (see WORDS); other frames get padding (3). Frame 0 has no output, as in the real engine.
    reasons: mode -> None (usable) or the reason it is not.
    prepare_errors: mode -> exception raised by `prepare`. prepare_steps: progress steps of a `prepare`.
    on_prime, on_prepare: called in the middle of that work, so that a test can send commands then.
    """

    sample_rate = 24000
    frame_size = FRAME
    frame_rate = 12.5

    def __init__(
        self,
        *,
        advance: Callable[[float], None] = lambda ms: None,
        costs: float | Iterable[float] = 20.0,
        fail_at: Mapping[int, Exception] | None = None,
        text: Mapping[int, int] | None = None,
        reasons: Mapping[str, str | None] | None = None,
        prepare_errors: Mapping[str, Exception] | None = None,
        prepare_steps: int = 4,
        context: int = 3000,
        trained: bool = True,
        device: str = "cpu",
        limits: str = "",
        plain_reason: str | None = "The fused kernels need an NVIDIA GPU.",
        on_prime: Callable[[], object] = lambda: None,
        on_prepare: Callable[[str], object] = lambda mode: None,
    ) -> None:
        self.on_prime = on_prime
        self.on_prepare = on_prepare
        self._advance = advance
        self._costs = [costs] if isinstance(costs, (int, float)) else list(costs)
        self.fail_at = dict(fail_at or {})
        self.text = dict(text or {})
        self._reasons = dict(reasons or {"graph": "needs an NVIDIA GPU", "eager": None, "compiled": None})
        self.prepare_errors = dict(prepare_errors or {})
        self.prepare_steps = prepare_steps
        self.context = context
        self.trained, self.limits = trained, limits
        self.device = device
        self.plain_reason = plain_reason
        self.mode = "eager"
        self.mode_costs = {"compiled": 0.5}  # part of `costs` that a frame takes in a mode
        self.default_sampling = FakeSampling()
        self.sampling = FakeSampling()
        self.prepared: set[str] = {"eager"}
        self.forms: dict[str, str] = {}  # mode -> in which form it was to be prepared
        self.frames = 0  # since the last reset
        self.held = False
        self.steps = 0  # since it was made
        self.heard: list[np.ndarray] = []
        self.calls: list[tuple[Any, ...]] = []
        self.threads: set[int] = set()
        self.unloaded = False

    def _called(self, *what: Any) -> None:
        self.calls.append(what)
        self.threads.add(threading.get_ident())

    def cost_ms(self, frame: int) -> float:
        return float(self._costs[min(frame, len(self._costs) - 1)])

    def mode_reasons(self) -> dict[str, str | None]:
        return dict(self._reasons)

    def prepare(
        self,
        mode: str,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        form: str = "compiled",
    ) -> None:
        self._called("prepare", mode)
        self.forms[mode] = form
        reason = self._reasons.get(mode, f"there is no mode called {mode}")
        if reason is not None:
            raise EngineError(f"The {mode} mode is not usable here: {reason}.")
        if mode in self.prepared:
            return
        for step in range(self.prepare_steps):
            self._advance(500.0)
            if progress is not None:
                progress(step + 1, self.prepare_steps)
            if step == 1:
                self.on_prepare(mode)
            if cancelled is not None and cancelled():
                raise Cancelled
        if mode in self.prepare_errors:
            raise self.prepare_errors[mode]
        self.prepared.add(mode)

    def set_mode(self, mode: str) -> None:
        self._called("set_mode", mode)
        if mode not in self.prepared:
            raise EngineError(f"The {mode} mode is not prepared.")
        self.mode = mode

    def set_sampling(self, values: FakeSampling) -> None:
        self._called("set_sampling", values)
        kinds = {name: type(getattr(values, name)) for name in ("temperature", "top_k")}
        assert kinds == {"temperature": float, "top_k": int}, f"not plain numbers: {kinds}"
        self.sampling = values

    def reset(self, seed: int | None = None) -> None:
        self._called("reset", seed)
        self.frames = 0
        self.held = False
        self.heard.clear()

    def hold(self, held: bool) -> None:
        self._called("hold", held)
        self.held = held

    def prime(
        self,
        prompt: Any,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._called("prime", prompt)
        if isinstance(prompt, Exception):
            raise prompt
        self.on_prime()
        if cancelled is not None and cancelled():
            raise Cancelled

    def snapshot(self) -> tuple[int, ...]:
        """Nothing of what is called until `restore` is kept, but the time that it took."""
        return self.frames, self.steps, len(self.heard), len(self.calls)

    def restore(self, snapshot: tuple[int, ...]) -> None:
        self.frames, self.steps, heard, calls = snapshot
        del self.heard[heard:], self.calls[calls:]

    def step(self, pcm: np.ndarray) -> FakeAnswer:
        assert pcm.shape == (FRAME,)
        assert pcm.dtype == np.float32
        self._called("step")
        frame = self.frames
        cost = self.cost_ms(self.steps) * self.mode_costs.get(self.mode, 1.0)
        self._advance(cost)
        if frame in self.fail_at:
            raise self.fail_at.pop(frame)
        self.frames += 1
        self.steps += 1
        self.heard.append(pcm.copy())
        spans = FakeSpans(cost * 0.1, cost * 0.4, cost * 0.3, cost * 0.1, cost * 0.1, cost)
        user = tuple((frame + k) % 2048 for k in range(8))
        if frame == 0:
            return FakeAnswer(np.zeros(FRAME, np.float32), None, None, user, spans)
        text = 3 if self.held else self.text.get(frame, 3)
        return FakeAnswer(pcm * np.float32(0.5), text, tuple(range(8)), user, spans)

    def text_piece(self, token: int) -> str:
        return WORDS.get(token, "")

    def unload(self) -> None:
        self._called("unload")
        self.unloaded = True


class FakeLoader:
    """Stands in for `app.engine_room.open_engine`.

    engines: handed out one after the other; an exception in the list is raised in its place.
    steps: progress reports before the engine is there. forever: report on and on, until cancelled.
    """

    def __init__(
        self,
        *engines: FakeEngine | Exception,
        steps: int = 3,
        forever: bool = False,
        advance: Callable[[float], None] = lambda ms: None,
        on_progress: Callable[[int], None] = lambda step: None,
    ) -> None:
        self._engines = list(engines) or [FakeEngine()]
        self.steps = steps
        self.forever = forever
        self._advance = advance
        self._on_progress = on_progress
        self.specs: list[ModelSpec] = []
        self.released_at: list[int] = []  # which load asked for the former engine's memory

    def __call__(
        self,
        spec: ModelSpec,
        *,
        progress: Callable[[str, int, int], None],
        cancelled: Callable[[], bool],
        release: Callable[[], None],
    ) -> tuple[FakeEngine, ModelInfo]:
        self.specs.append(spec)
        for step in itertools.count() if self.forever else range(self.steps):
            self._advance(10.0)
            progress("language model", step + 1, max(self.steps, step + 1))
            self._on_progress(step)
            if cancelled():
                raise Cancelled
        engine = self._engines.pop(0) if len(self._engines) > 1 else self._engines[0]
        if isinstance(engine, Exception):
            raise engine
        release()
        self.released_at.append(len(self.specs))
        return engine, info_of(engine, spec)


def info_of(engine: FakeEngine, spec: ModelSpec) -> ModelInfo:
    return ModelInfo(
        name="fake",
        source=spec.source,
        device=engine.device,
        device_name="a scripted processor",
        precision="float32",
        weights_bytes=1_000_000,
        state_bytes=1_000,
        context_frames=engine.context,
        trained=engine.trained,
        limits=engine.limits,
        modes=engine.mode_reasons(),
        sampling=Sampling(0.8, 250, 0.7, 25, None),
    )


class FakeVoices:
    """Stands in for the voice folder: voice names -> frames that they take; each word of a text takes one more."""

    def __init__(self, voices: Mapping[str, int] | None = None) -> None:
        self.voices = dict(voices or {"NATF2": 50, "NATM1": 48})

    def use_engine(self, engine: FakeEngine) -> None:
        self.engine = engine

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self.voices))

    def persona(self, engine: FakeEngine, choice: PersonaChoice) -> Persona:
        text = choice.text.strip()
        if choice.voice and choice.voice not in self.voices:
            raise EngineError(f"The voice {choice.voice} is not in the voice folder; choose another.")
        if not choice.voice and not text:
            return Persona(None, 0)
        frames = self.voices.get(choice.voice, 0) + (len(text.split()) if text else 0)
        if frames >= engine.context:
            raise EngineError(f"Voice and persona use {frames} of {engine.context} frames; shorten them.")
        return Persona(("prompt", choice.voice, text), frames)
