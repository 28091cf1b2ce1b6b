"""Which mode is wanted, which one runs, and what is still to be answered.

Owns the book-keeping behind the radio buttons: quick choices end with the last one, a choice made while no engine can
take it waits, and a refused one goes back together with its setting. Sends nothing and draws nothing. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.messages import MODES
from ui.words import tr


class ModeChoice:
    """The choice between graph, eager and compiled.

    mode: the one the engine runs; "" before a model is loaded. wanted: what the windows show as chosen. modes: each
    mode and None, or why this computer cannot do it.
    """

    def __init__(self, setting: str):
        self.mode = ""
        self.wanted = setting if setting in MODES else ""  # "auto" is whatever the engine then takes
        self.modes: dict[str, str | None] = dict.fromkeys(MODES)
        self._before = ""  # the setting to go back to when what was asked for cannot be had
        self._held = False  # chosen while no engine could take it
        self._waiting = 0  # sent and not yet answered

    def can_ask(self, mode: str) -> bool:
        return self.modes.get(mode) is None and mode != (self.wanted or self.mode)

    def ask(self, mode: str, setting: str, engine_is_there: bool) -> bool:
        """Want a mode; `setting` is what the settings held before. Returns whether to send it now."""
        self._before = self._before or setting
        self.wanted = mode
        self._held = not engine_is_there
        self._waiting += engine_is_there
        return engine_is_there

    def hold(self, mode: str) -> None:
        """Ask for the mode of the settings once an engine is ready. Where they held it before the program began, it
        stays in them whatever comes of it."""
        self.wanted, self._before = mode, self._before or mode
        self._held = True

    def loading(self) -> None:
        """What waited for an answer is dropped with the old model."""
        self._waiting = 0

    def unloaded(self) -> None:
        self.mode = ""

    def learn(self, modes: Mapping[str, str | None]) -> None:
        """What this engine can do."""
        self.modes = {mode: modes.get(mode, tr("This engine does not offer it.")) for mode in MODES}

    def answered(self, mode: str, modes: Mapping[str, str | None]) -> str:
        """The engine runs a mode now. Returns the setting to go back to, or ""."""
        self.mode = mode
        self.learn({**self.modes, **modes})
        self._waiting = max(0, self._waiting - 1)
        return "" if self._waiting else self._settle()

    def refused(self) -> str:
        """The engine could not do what was asked. Returns the setting to go back to, or ""."""
        self._waiting = 0
        return self._settle()

    def take_held(self) -> str:
        """An engine is ready. Returns the mode to be sent to it now, or ""."""
        if not self._held:
            return ""
        self._held = False
        if self.wanted == self.mode:
            return ""
        self._waiting += 1
        return self.wanted

    def settle(self) -> str:
        """Nothing more is to come: as `refused`, where it was not the engine that refused."""
        return "" if self._waiting else self._settle()

    def _settle(self) -> str:
        if self._held:
            return ""
        back = self._before if self.mode != self.wanted else ""
        self._before = ""
        self.wanted = self.mode
        return back
