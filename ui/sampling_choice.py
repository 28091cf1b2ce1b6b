"""How freely the model chooses: what the user wants, what the engine holds, and the way back.

Owns the sampling values with their settings and the rule that extremes need the full range. Sends nothing and draws
nothing. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from app.messages import Sampling
from ui import ports as keys
from ui.keeping import keep_all
from ui.ports import SettingsPort
from ui.sampling_ranges import SAMPLING_KEYS, usual_sampling

NAMES = tuple(field.name for field in fields(Sampling))


class SamplingChoice:
    """wanted: the user's values. engine: those that the engine holds, once it has said so. expert: the full ranges are
    open. note: why a value was brought into the usual range, or "". refuse: takes the sentence of a refused setting."""

    def __init__(self, settings: SettingsPort, sampling: Sampling, refuse: Callable[[str], None]) -> None:
        self._settings = settings
        self._refuse = refuse
        self.expert = bool(settings.get(keys.EXPERT_SAMPLING))
        self.wanted, self.note = (sampling, "") if self.expert else usual_sampling(sampling)
        self.engine: Sampling | None = None

    def keep(self, sampling: Sampling) -> bool:
        """Keep all of the values, or none when one is refused."""
        wanted = {SAMPLING_KEYS[name]: getattr(sampling, name) for name in NAMES}
        held = {SAMPLING_KEYS[name]: getattr(self.wanted, name) for name in NAMES}
        if not keep_all(self._settings, wanted, held, self._refuse):
            return False
        self.wanted, self.note = sampling, ""
        return True

    def open_range(self, expert: bool) -> Sampling | None:
        """Open or close the full ranges. Returns values to be kept and sent next, where closing changes them."""
        if not keep_all(
            self._settings, {keys.EXPERT_SAMPLING: expert}, {keys.EXPERT_SAMPLING: self.expert}, self._refuse
        ):
            return None
        self.expert = expert
        usual, self.note = (self.wanted, "") if expert else usual_sampling(self.wanted)
        return usual if usual != self.wanted else None

    def take_back(self, own: Sampling) -> None:
        """Return to what the engine holds; what equals the checkpoint's `own` value is no choice of the user's."""
        if self.engine is None:
            return
        back = {name: getattr(self.engine, name) for name in NAMES}
        self.wanted = Sampling(**{name: value for name, value in back.items() if value != getattr(own, name)})
        for name, key in SAMPLING_KEYS.items():
            self._settings.set(key, getattr(self.wanted, name))
