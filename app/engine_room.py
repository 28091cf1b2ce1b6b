"""Where the program meets the engine: what a conversation asks of it, and how the real one is opened.

Owns the `Engine` protocol (so that tests may put a scripted one in its place) and `open_engine`, which turns a
`ModelSpec` into a loaded `Duplex`. Only the engine thread calls anything in here. torch and `engine` are imported
inside functions: the window shows before either.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from app import hub
from app.errors import UserError
from app.judging import judging_speech
from app.messages import ModelInfo, ModelSpec, PersonaChoice
from app.paths import user_cache_folder
from app.preflight import certain_precision, choose_precision

_BESIDE = 1 << 30  # bytes that should be free to compare two small models beside a third

Progress = Callable[[str, int, int], None]  # what, done, total (bytes, or steps of a warm-up)
Cancelled = Callable[[], bool]


class SpansLike(Protocol):
    """Milliseconds of one frame's stages."""

    @property
    def encode(self) -> float: ...
    @property
    def temporal(self) -> float: ...
    @property
    def depth(self) -> float: ...
    @property
    def decode(self) -> float: ...


class AnswerLike(Protocol):
    """One frame's answer; see `engine.duplex.Answer`."""

    @property
    def pcm(self) -> np.ndarray: ...
    @property
    def text(self) -> int | None: ...
    @property
    def own(self) -> tuple[int, ...] | None: ...
    @property
    def user(self) -> tuple[int, ...]: ...
    @property
    def spans(self) -> SpansLike: ...
    @property
    def finite(self) -> bool: ...


class Engine(Protocol):
    """The part of `engine.duplex.Duplex` that a conversation uses; every call from the engine thread."""

    mode: str
    default_sampling: Any  # dataclass: temperature, top_k, text_temperature, text_top_k
    sampling: Any  # the same type: the values in force
    plain_reason: str | None  # why the fused GPU kernels do not run; None where they do

    @property
    def context(self) -> int: ...
    def mode_reasons(self) -> dict[str, str | None]: ...
    def prepare(
        self,
        mode: str,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Cancelled | None = None,
        form: str = "compiled",
    ) -> None: ...
    def set_mode(self, mode: str) -> None: ...
    def set_sampling(self, values: Any) -> None: ...
    def reset(self, seed: int | None = None) -> None: ...
    def prime(self, prompt: Any, cancelled: Cancelled | None = None, progress: Any = None) -> None: ...
    def hold(self, held: bool) -> None: ...
    def step(self, pcm: np.ndarray) -> AnswerLike: ...
    def snapshot(self) -> Any: ...
    def restore(self, snapshot: Any) -> None: ...
    def text_piece(self, token: int) -> str: ...
    def unload(self) -> None: ...


class Persona(NamedTuple):
    """A prompt ready to be primed. prompt None: nothing to prime. frames: positions of the context that it takes."""

    prompt: Any
    frames: int


class Loader(Protocol):
    """Opens the engine that a `ModelSpec` names; `open_engine` is the real one."""

    def __call__(
        self, spec: ModelSpec, *, progress: Progress, cancelled: Cancelled, release: Callable[[], None]
    ) -> tuple[Engine, ModelInfo]:
        """release() gives back the former engine's memory: called once nothing that can be known before stands in the
        way of the new one.

        Raises EngineError or UserError with the sentence, Cancelled soon after `cancelled()` answers True.
        """
        ...


class Voices(Protocol):
    """The voice folder, as a conversation needs it; `app.voices.VoiceFolder` is the real one."""

    def use_engine(self, engine: Any) -> None:
        """A model was loaded: list its voices too."""
        ...

    def names(self) -> tuple[str, ...]: ...

    def persona(self, engine: Any, choice: PersonaChoice) -> Persona:
        """Read and check voice and text; nothing is changed in the engine. Raises EngineError or UserError."""
        ...


@contextmanager
def engine_thread() -> Iterator[None]:
    """What surrounds the engine thread's work: torch imported, nothing recorded for gradients.

    Inference mode and the thread count are per thread in PyTorch, so this belongs at the top of that thread.
    """
    keep_compiled_code()
    try:
        import torch
    except Exception as error:  # an incomplete installation fails in many ways, a missing DLL among them
        raise UserError(f"PyTorch cannot be used ({_first_line(error)}); see parley doctor.") from error
    with torch.inference_mode():
        yield


def open_engine(
    spec: ModelSpec, *, progress: Progress, cancelled: Cancelled, release: Callable[[], None]
) -> tuple[Engine, ModelInfo]:
    """Find (or fetch) the checkpoint that `spec` names and load it. See `Loader`."""
    import torch

    from engine import weights
    from engine.config import LMConfig, MimiConfig
    from engine.conversion import own_precision
    from engine.duplex import Duplex
    from engine.opening import settle
    from engine.placement import choose_device
    from engine.text import TextTokenizer

    folder = hub.resolve(spec.source, progress, cancelled)
    files = weights.find(folder)
    lm, mimi = LMConfig.from_dict(files.config), MimiConfig.from_dict(files.mimi_config)
    weights.check_lm(files, lm)  # before the former model is let go, and before memory is asked for a wrong size
    weights.check_mimi(files, mimi, lm.codebooks)
    TextTokenizer(files.tokenizer, lm)
    torch.set_num_threads(spec.threads or usual_threads())
    own = own_precision(files, choose_device(spec.device))
    settled = partial(
        settle, files, device=spec.device, kv=spec.kv, cache=_converted_folder(), speech=judging_speech,
        progress=progress, cancelled=cancelled,
    )  # fmt: skip
    if certain := certain_precision(lm, mimi, spec.device, spec.precision, own, kv=spec.kv):
        _settle_beside(settled, certain, files.model, spec.device)
    release()
    choice = choose_precision(lm, mimi, spec.device, spec.precision, own, kv=spec.kv)
    agreement = settled(precision=choice.precision).agreement
    engine = Duplex.load(
        folder,
        device=spec.device,
        precision=choice.precision,
        window=spec.window,
        kv=spec.kv,
        cache=_converted_folder(),
        speech=judging_speech,
        progress=progress,
        cancelled=cancelled,
    )
    info = ModelInfo(
        name=_shown_name(spec.source, folder),
        source=spec.source,
        device=str(engine.device),
        device_name=_device_name(engine.device),
        precision=engine.precision,
        weights_bytes=engine.weights_bytes,
        state_bytes=engine.state_bytes,
        context_frames=engine.context,
        trained=files.trained,
        modes=engine.mode_reasons(),
        precision_reason=choice.reason,
        agreement="" if agreement is None else agreement.told(),
        limits=files.limits,
        assumption=files.assumption if Path(spec.source).exists() else "",  # the hub's models without one are the 7B
    )
    return engine, info


def _settle_beside(settled: Callable[..., object], precision: str, model: Path, device: str) -> None:
    """Convert and judge while the former model is still there, so that it stays if the new one is refused. Where there
    is too little memory for both, that is done once the former one is gone."""
    from engine.errors import MemoryFullError
    from engine.free_memory import free_memory
    from engine.placement import choose_device

    where = choose_device(device)
    answer = free_memory(where) if where.type == "cpu" else None  # a card says no, and a computer ends the program
    if answer is None or answer[0] > max(_BESIDE, model.stat().st_size):
        with suppress(MemoryFullError):
            settled(precision=precision)


def _converted_folder() -> Path:
    return user_cache_folder() / "converted"


def keep_compiled_code() -> None:
    """Compiled code stays for the next start, in this program's cache instead of the system's temporary folder, which
    may be emptied. Before torch is imported; a folder that was chosen for all programs holds."""
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(user_cache_folder() / "compiled"))


def usual_threads() -> int:
    """One processor stays free for the sound and the window; a frame's small products gain nothing from many."""
    return max(1, min(8, (os.cpu_count() or 2) - 1))


def _shown_name(source: str, folder: Path) -> str:
    return "Mini (bundled)" if source == "mini" else source if not Path(source).exists() else folder.name


def _device_name(device: Any) -> str:
    import torch

    from app.bench_computer import processor_name

    return torch.cuda.get_device_name(device) if device.type == "cuda" else processor_name()


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
