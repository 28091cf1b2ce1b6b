"""What is asked of the bundled model, and the table of what it reaches. Numbers and words only.

The figures come from `training.figures`; absent ones are shown as not measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Bar(NamedTuple):
    """One measure. limit None: reported only. `least`: the figure must reach the limit rather than stay under it."""

    key: str
    text: str
    limit: float | None
    unit: str
    least: bool = False

    def held(self, figure: float) -> bool | None:
        if self.limit is None:
            return None
        return figure >= self.limit if self.least else figure <= self.limit


BARS = (
    Bar(
        "codec_word_error_unseen",
        "codec alone: word error of decoded minus original speech, unseen voices",
        3,
        "points",
    ),
    Bar("codec_word_error_own", "the same, own voices", 1.5, "points"),
    Bar("codec_mos_drop_unseen", "codec alone: drop of the predicted opinion score, unseen voices", 0.35, ""),
    Bar("codec_mos_drop_own", "the same, own voices", 0.2, ""),
    Bar("right", "right replies by the text, unseen voices and phrasings", 92, "%", True),
    Bar("heard_word_error", "reply as heard by the recogniser against its text: word error", 8, "%"),
    Bar("persona_right", "persona questions with unseen names and numbers", 85, "%", True),
    Bar("wait_p50", "end of the user's turn to start of the reply, half of the cases within", 0.6, "s"),
    Bar("wait_p95", "the same, 95 in 100 within", 1.2, "s"),
    Bar("false_starts", "starts at a pause inside the user's turn", 4, "%"),
    Bar("barge_silent_p50", "talked over to silent, half of the cases within", 0.5, "s"),
    Bar("barge_answered", "then answers the new question", 80, "%", True),
    Bar("speaks_in_quiet", "speaks in a minute of silence, noise or music", 2, "%"),
    Bar("voice_right", "voice prompt chooses the voice (speaker similarity)", 98, "%", True),
    Bar("human_right", "right replies to recorded human speech", None, "%"),
    Bar("human_answered", "any reply to recorded human speech", None, "%"),
)


def table(figures: Mapping[str, Any]) -> str:
    """Markdown: measure, bar, figure, whether it holds, and of how many cases the figure is made."""
    cases: Mapping[str, int] = figures.get("cases", {})
    rows = ["| measure | bar | measured | cases | |", "|---|---|---|---|---|"]
    for bar in BARS:
        figure = figures.get(bar.key)
        limit = "reported" if bar.limit is None else f"{'≥' if bar.least else '≤'} {bar.limit:g} {bar.unit}".strip()
        if figure is None:
            rows.append(f"| {bar.text} | {limit} | not measured | | |")
            continue
        held = bar.held(figure)
        mark = "" if held is None else "holds" if held else "**missed**"
        shown = f"{figure:.2f} {bar.unit}".strip()
        rows.append(f"| {bar.text} | {limit} | {shown} | {cases.get(bar.key, '')} | {mark} |")
    return "\n".join(rows)


def by_kind(figures: Mapping[str, Any]) -> str:
    """Markdown: right replies by kind of question; "" without figures."""
    kinds: Mapping[str, Any] = figures.get("by_kind", {})
    if not kinds:
        return ""
    rows = ["| kind of question | right | of |", "|---|---|---|"]
    rows += [f"| {kind} | {values['right']:.0f} % | {values['of']} |" for kind, values in sorted(kinds.items())]
    return "\n".join(rows)


PRESET_KEYS = ("right", "persona_right", "heard_word_error")
PRESET_MARGIN = 1.5  # points by which a preset may be worse


def presets(figures: Mapping[str, Any]) -> str:
    """Markdown: other precisions beside the usual one on the same cases; "" without figures."""
    compared: Mapping[str, Any] = figures.get("presets", {})
    if not compared:
        return ""
    texts = {bar.key: bar for bar in BARS}
    rows = ["| precision | measure | as shipped | so | cases | |", "|---|---|---|---|---|---|"]
    for name, both in compared.items():
        for key in PRESET_KEYS:
            if key not in both["usual"] or key not in both["preset"]:
                continue
            usual, preset = both["usual"][key], both["preset"][key]
            worse = usual - preset if texts[key].least else preset - usual
            mark = "holds" if worse <= PRESET_MARGIN else "**missed**"
            count = both["preset"]["cases"][key]
            rows.append(f"| {name} | {texts[key].text} | {usual:.1f} % | {preset:.1f} % | {count} | {mark} |")
    return "\n".join(rows)
