"""The rig of the end-to-end tests: a sound server, a screen, and the processes behind them."""

from tests.end_to_end.conftest import processes, screen, sound

__all__ = ["processes", "screen", "sound"]
