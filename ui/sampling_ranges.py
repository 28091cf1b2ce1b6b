"""How far the sampling sliders reach, and what becomes of stored values beyond.

Owns the names and ranges that the window shows; the rules themselves are the settings'. Pure functions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from app.config import RULES, Number
from app.messages import Sampling
from ui import ports as keys
from ui.words import marked, tr

SAMPLING_KEYS = {
    "temperature": keys.TEMPERATURE,
    "top_k": keys.TOP_K,
    "text_temperature": keys.TEXT_TEMPERATURE,
    "text_top_k": keys.TEXT_TOP_K,
    "seed": keys.SEED,
}
SAMPLING_NAMES = {
    "temperature": marked("Voice temperature"),
    "top_k": marked("Voice top-k"),
    "text_temperature": marked("Word temperature"),
    "text_top_k": marked("Word top-k"),
}


class Range(NamedTuple):
    """Bounds of a sampling value: the usual ones, and the ones behind the expert switch."""

    low: float
    high: float
    expert_low: float
    expert_high: float

    def bounds(self, expert: bool) -> tuple[float, float]:
        return (self.expert_low, self.expert_high) if expert else (self.low, self.high)


def _range(key: str) -> Range:
    rule = RULES[key]
    assert isinstance(rule, Number)
    low = rule.low if rule.usual_low is None else rule.usual_low
    high = rule.high if rule.usual_high is None else rule.usual_high
    return Range(low, high, rule.low, rule.high)


SAMPLING_RANGES = {name: _range(SAMPLING_KEYS[name]) for name in SAMPLING_NAMES}


def usual_sampling(sampling: Sampling) -> tuple[Sampling, str]:
    """The sampling with extremes brought into the usual ranges, and a note that says so ("" when nothing was)."""
    changed: dict[str, float | int] = {}
    notes = []
    # Text top-k 1 makes a talk loop and ramble (user report C14), so the extremes are two deliberate steps away.
    for name, span in SAMPLING_RANGES.items():
        value = getattr(sampling, name)
        if value is None or span.low <= value <= span.high:
            continue
        lifted = type(value)(min(max(value, span.low), span.high))
        changed[name] = lifted
        notes.append(
            tr("{name} {value} was brought to {lifted}").format(
                name=tr(SAMPLING_NAMES[name]), value=f"{value:g}", lifted=f"{lifted:g}"
            )
        )
    if not notes:
        return sampling, ""
    note = "; ".join(notes) + tr(", because talks ramble or fall apart beyond; Full range allows it.")
    return replace(sampling, **changed), note  # type: ignore[arg-type]
