"""Voices by the names that people know them by: "Emma", not "Emma.flac".

Owns the shortening. Pure; no Qt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

ENDINGS = (".pt", ".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aif", ".aiff")


def voice_label(name: str) -> str:
    """A voice's file name without its ending; what has none of these endings as it is."""
    return name[: -len(PurePath(name).suffix)] if PurePath(name).suffix.lower() in ENDINGS else name


def voice_labels(names: Sequence[str]) -> list[str]:
    """One label for each; with the ending where two would otherwise be the same."""
    labels = [voice_label(name) for name in names]
    seen = Counter(label.casefold() for label in labels)
    return [label if seen[label.casefold()] == 1 else name for label, name in zip(labels, names, strict=True)]
