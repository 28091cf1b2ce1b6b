"""Which model is wanted, which one could be loaded last, and the way back to it.

Owns the model's settings (source, device, precision, KV, what is compiled). Sends nothing and draws nothing. Qt
thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.messages import ModelSpec
from ui import ports as keys
from ui.keeping import keep_all
from ui.ports import SettingsPort

SPEC_KEYS = {
    "source": keys.MODEL_SOURCE,
    "device": keys.MODEL_DEVICE,
    "precision": keys.MODEL_PRECISION,
    "kv": keys.MODEL_KV,
    "compile": keys.MODEL_COMPILE,
}


class SpecChoice:
    """wanted: to be loaded now or next. refused: the last one that could not be and was taken back; None when there is
    none. refuse: takes the sentence of a refused setting."""

    def __init__(self, settings: SettingsPort, spec: ModelSpec, refuse: Callable[[str], None]) -> None:
        self._settings = settings
        self._refuse = refuse
        self.wanted = spec
        self.refused: ModelSpec | None = None
        self._good: ModelSpec | None = None  # of the model that is loaded

    def keep(self, spec: ModelSpec) -> bool:
        """Keep another model, device or precision. False when nothing changes, or a setting is refused."""
        wanted = {key: getattr(spec, name) for name, key in SPEC_KEYS.items()}
        held = {key: getattr(self.wanted, name) for name, key in SPEC_KEYS.items()}
        if spec == self.wanted or not keep_all(self._settings, wanted, held, self._refuse):
            return False
        self.wanted = spec
        return True

    def set_mode(self, mode: str) -> None:
        self.wanted = replace(self.wanted, mode=mode)

    def loaded(self) -> None:
        """The wanted one is there."""
        self._good, self.refused = self.wanted, None

    def take_back(self) -> bool:
        """Return to the last model that could be loaded; False where that is the wanted one, or there is none."""
        good = self._good
        if good is None or all(getattr(good, name) == getattr(self.wanted, name) for name in SPEC_KEYS):
            return False
        self.refused = self.wanted
        self.wanted = replace(self.wanted, **{name: getattr(good, name) for name in SPEC_KEYS})
        for name, key in SPEC_KEYS.items():
            self._settings.set(key, getattr(self.wanted, name))
        return True
