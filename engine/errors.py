"""The two ways the engine refuses: a sentence for the user, and a cancelled wait."""

from __future__ import annotations


class EngineError(Exception):
    """Something the user can understand and act on. The text is one clear sentence: what is wrong, what to do."""


class MemoryFullError(EngineError):
    """The device's or the computer's memory ran out; what was tried may work once others have given some back."""


class Cancelled(Exception):
    """The caller's `cancelled()` answered True; nothing was half-applied."""


LONGEST_SHOWN = 60


def shown(value: object) -> str:
    """A value from a file, for a sentence: short and on one line, whatever it holds."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more than some thousand digits
        text = "a huge number"
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
