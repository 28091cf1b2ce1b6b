"""From a `ModelSpec` to an engine that is ready to talk, and what is told about it then.

Owns the order: weights, modes, warm-up, voices, sampling. Must not know phases or commands; called from the engine
thread only, through the conversation, which decides what follows when it fails.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from app.engine_room import Cancelled, Loader, Voices
from app.event_queue import EventQueue
from app.loaded_engine import LoadedEngine
from app.messages import ModeChanged, ModelInfo, ModelLoaded, ModelSpec, Sampling, SamplingChanged, Trouble
from app.notices import Noticeboard, slow
from app.telemetry import FRAME_MS

log = logging.getLogger("parley")


class ModelLoading:
    def __init__(
        self, load_engine: Loader, voices: Voices, events: EventQueue, board: Noticeboard, clock: Callable[[], int]
    ) -> None:
        self._load_engine = load_engine
        self._voices = voices
        self._events = events
        self._board = board
        self._clock = clock

    def load(self, spec: ModelSpec, interrupted: Cancelled, release: Callable[[], None]) -> LoadedEngine:
        """Load and warm up. Whatever goes wrong, the new engine's memory is given back. Raises as `Loader`."""
        engine, info = self._load_engine(
            spec, progress=self._events.put_progress, cancelled=interrupted, release=release
        )
        loaded = LoadedEngine(engine, info, spec.compile)
        try:
            loaded.make_ready(spec.mode, self._events.put_preparing, interrupted, self._clock)
            self._voices.use_engine(engine)
            stop_if(interrupted)  # the loader may have looked for the last time long ago
        except BaseException:
            loaded.unload()
            raise
        return loaded

    def welcome(self, loaded: LoadedEngine, wished: Sampling) -> ModelInfo:
        """Apply the sampling wished for, and tell what there is and what is to be known before a talk."""
        self._board.clear("load", "start", "talk", "config", "mode", "kernels", "slow", "sampling")
        refusal = loaded.adopt_sampling(wished)
        info = replace(loaded.info, sampling=loaded.default_sampling(), voices=self._voices.names())
        self._events.put(ModelLoaded(info))
        self._events.put(ModeChanged(loaded.engine.mode, loaded.modes()))
        self._events.put(SamplingChanged(loaded.sampling()))
        for kind, sentence in (
            ("config", info.assumption),
            ("mode", loaded.mode_trouble),
            ("kernels", loaded.plain_kernels()),
            ("sampling", refusal),
        ):
            if sentence:
                self._board.post(Trouble(kind, sentence))
        if loaded.frame_ms > FRAME_MS:
            self._board.post(slow(loaded.frame_ms, loaded.advice()))
        log.info("ready to talk: %s on %s, %s, %s mode", info.name, info.device, info.precision, loaded.engine.mode)
        return info


def stop_if(interrupted: Cancelled) -> None:
    """Raises Cancelled when a command waits that ends the present work."""
    from engine.errors import Cancelled as CancelledError

    if interrupted():
        raise CancelledError
