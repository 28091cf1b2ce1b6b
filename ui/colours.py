"""The colours of the window by meaning: light, dark and high contrast.

Owns the values and nothing else; pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from ui.figures import NEAR, OK, OVER, UNKNOWN


@dataclass(frozen=True)
class Colours:
    """Every colour the window uses, by meaning."""

    dark: bool
    window: str
    surface: str
    sunken: str
    hover: str
    border: str
    text: str
    muted: str
    accent: str
    accent_hover: str
    on_accent: str
    ok: str
    amber: str
    red: str
    amber_tint: str
    red_tint: str
    info_tint: str
    near_fill: str  # areas may be brighter than text, which must keep its contrast
    over_fill: str
    grid: str
    stages: dict[str, str]
    modes: dict[str, str]

    def for_verdict(self, verdict: str) -> str:
        return {OK: self.text, NEAR: self.amber, OVER: self.red, UNKNOWN: self.muted}[verdict]


LIGHT = Colours(
    dark=False,
    window="#f3f4f7",
    surface="#ffffff",
    sunken="#eceef2",
    hover="#e6e9ef",
    border="#d8dce4",
    text="#1b1e25",
    muted="#5a6271",
    accent="#3f51c9",
    accent_hover="#3443ab",
    on_accent="#ffffff",
    ok="#1f8a55",
    amber="#9a5b00",
    red="#c0262d",
    amber_tint="#fff4dc",
    red_tint="#fdeaea",
    info_tint="#e8ecfb",
    near_fill="#f0b44d",
    over_fill="#e5565b",
    grid="#e4e7ed",
    stages={"encode": "#1f9e94", "temporal": "#4657d0", "depth": "#9356d6", "decode": "#2f93c8", "host": "#8b93a1"},
    modes={"graph": "#4657d0", "eager": "#a0559b", "compiled": "#1f8f7a"},
)

DARK = Colours(
    dark=True,
    window="#15171c",
    surface="#1d2027",
    sunken="#262a33",
    hover="#2d323c",
    border="#343a46",
    text="#e9ebf0",
    muted="#a0a8b7",
    accent="#7483f2",
    accent_hover="#8b98f7",
    on_accent="#10121a",
    ok="#4cc38a",
    amber="#f0b04c",
    red="#ff7b7b",
    amber_tint="#3a2e16",
    red_tint="#3d2023",
    info_tint="#252b48",
    near_fill="#d79a3a",
    over_fill="#e8636a",
    grid="#2b303a",
    stages={"encode": "#35b8ad", "temporal": "#7483f2", "depth": "#b384ee", "decode": "#4fb0e3", "host": "#8d95a5"},
    modes={"graph": "#7483f2", "eager": "#d084c9", "compiled": "#3fbfa3"},
)

CONTRAST = Colours(
    dark=True,
    window="#000000",
    surface="#000000",
    sunken="#1c1c1c",
    hover="#333333",
    border="#ffffff",
    text="#ffffff",
    muted="#f0f0f0",  # in high contrast nothing is faint
    accent="#ffd900",
    accent_hover="#ffe65c",
    on_accent="#000000",
    ok="#3cff7d",
    amber="#ffb84d",
    red="#ff8f8f",
    amber_tint="#000000",
    red_tint="#000000",
    info_tint="#3a3300",
    near_fill="#ffb84d",
    over_fill="#ff6b6b",
    grid="#4d4d4d",
    stages={"encode": "#35e0d0", "temporal": "#8fa2ff", "depth": "#e08bff", "decode": "#6fd0ff", "host": "#c8c8c8"},
    modes={"graph": "#8fa2ff", "eager": "#ff9df5", "compiled": "#4df0c4"},
)
