"""The two ways the engine refuses: a sentence for the user, and a cancelled wait."""

from __future__ import annotations


class EngineError(Exception):
    """Something the user can understand and act on. The text is one clear sentence: what is wrong, what to do."""


class Cancelled(Exception):
    """The caller's `cancelled()` answered True; nothing was half-applied."""
