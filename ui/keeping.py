"""Keeping choices in the settings: all of a group or none, and a sentence when one is refused.

Owns that rule; what the values mean is the caller's. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ui.ports import SettingsPort


@dataclass(frozen=True)
class Refusal:
    """A change that was taken back: the settings page it belongs to and the sentence to show there."""

    page: str
    sentence: str


def keep_all(
    settings: SettingsPort, wanted: Mapping[str, object], held: Mapping[str, object], refuse: Callable[[str], None]
) -> bool:
    """Keep the values of `wanted` that differ from `held`, both by dotted name.

    When one is refused, what was already written is put back, `refuse` gets the sentence, and the answer is False.
    """
    done: list[str] = []
    for key, value in wanted.items():
        if value == held[key]:
            continue
        sentence = settings.set(key, value)
        if sentence:
            for earlier in done:
                settings.set(earlier, held[earlier])
            refuse(sentence)
            return False
        done.append(key)
    return True
