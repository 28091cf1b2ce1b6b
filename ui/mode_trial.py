"""Another mode for five seconds, then back, with what it cost: "Try eager for 5 s".

Owns the course of the trial and the comparison. The settings are not touched: what is tried is not chosen. A choice
that the user makes meanwhile ends the trial and stays. Time is counted in the bridge's beats. Qt thread only.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.telemetry import FrameRecord, percentiles
from ui.bridge import TICKS_PER_SECOND, Bridge
from ui.figures import MODE_WORDS, format_ms
from ui.session import Session
from ui.words import decimal, tr, translated

TRIED = "eager"
TRIAL_SECONDS = 5
SWITCH_SECONDS = 10  # for the engine to answer


@dataclass(frozen=True)
class Comparison:
    """Frame cost in two modes, milliseconds, without the first frame after a switch."""

    usual: str
    tried: str
    usual_p50: float
    usual_p95: float
    tried_p50: float
    tried_p95: float

    def sentence(self) -> str:
        """The two in words."""
        words = tr("{tried} took {tried_p50} a frame (95 of 100 within {tried_p95}), {usual} {usual_p50} ({usual_p95})")
        said = words.format(
            tried=tr(MODE_WORDS[self.tried]),
            usual=tr(MODE_WORDS[self.usual]),
            tried_p50=format_ms(self.tried_p50),
            tried_p95=format_ms(self.tried_p95),
            usual_p50=format_ms(self.usual_p50),
            usual_p95=format_ms(self.usual_p95),
        )
        said = f"{said[0].upper()}{said[1:]}"
        if self.usual_p50 <= 0:
            return f"{said}."
        ratio = decimal(f"{self.tried_p50 / self.usual_p50:.1f}")
        return f"{said}: " + tr("{ratio} times as long.").format(ratio=ratio)


class ModeTrial(QObject):
    """The trial of TRIED. `changed` says that `running`, `sentence` or `comparison` may have changed."""

    changed = Signal()

    def __init__(self, session: Session, bridge: Bridge):
        super().__init__()
        self._session = session
        self._bridge = bridge
        self._usual = ""  # the mode to return to; "" while no trial is on
        self._reached = False  # the engine runs the tried mode
        self._ticks = 0
        self._began = -1  # number of the last frame before the switch
        self.sentence = ""
        self.comparison: Comparison | None = None
        bridge.ticked.connect(self._tick)
        session.mode_changed.connect(self._mode_changed)
        session.phase_changed.connect(self._phase_changed)
        session.refused.connect(lambda _refusal: self._end(False) if self.running else None)

    @property
    def usual(self) -> str:
        """The mode to return to; "" while no trial is on."""
        return self._usual

    @property
    def running(self) -> bool:
        return bool(self._usual)

    def reason(self) -> str:
        """Why no trial can be begun now, or ""."""
        session = self._session
        if session.phase != "talking":
            return tr("A talk must be running.")
        if session.mode == TRIED:
            return tr("The eager mode runs already.")
        return translated(session.modes.get(TRIED) or "")

    def toggle(self) -> None:
        """Begin a trial, or return at once from the one that is on."""
        if self.running:
            self._end(True)
        elif not self.reason():
            records = self._bridge.talk_records()
            self._usual, self._reached, self._ticks = self._session.mode, False, 0
            self._began = records[-1].number if records else -1
            self.comparison = None
            self.sentence = tr("Switching to eager")
            self._session.try_mode(TRIED)
            self.changed.emit()

    def _tick(self) -> None:
        if not self.running:
            return
        self._ticks += 1
        seconds, rest = divmod(self._ticks, TICKS_PER_SECOND)
        if seconds >= (TRIAL_SECONDS if self._reached else SWITCH_SECONDS):
            self._end(True)
        elif self._reached and rest == 0:
            words = tr("Eager runs for {seconds} s more, then {mode} again")
            self._say(words.format(seconds=TRIAL_SECONDS - seconds, mode=self._usual))

    def _mode_changed(self) -> None:
        if not self.running:
            return
        mode, wanted = self._session.mode, self._session.wanted_mode
        if not self._reached and mode == wanted == TRIED:
            self._reached, self._ticks = True, 0
        elif wanted != (TRIED if self._reached else self._usual):
            self._end(False)  # somebody else chose meanwhile: that stays

    def _phase_changed(self, phase: str) -> None:
        if self.running and not self._session.talking:
            self._end(phase == "ready")
        self.changed.emit()

    def _end(self, go_back: bool) -> None:
        usual, self._usual = self._usual, ""
        self.comparison = compare(self._bridge.talk_records(), usual, TRIED, self._began)
        if go_back:
            self._session.try_mode(usual)
        said = self.comparison.sentence() if self.comparison else tr("The trial ended before it had measured anything.")
        self._say(said)

    def _say(self, sentence: str) -> None:
        self.sentence = sentence
        self.changed.emit()


def compare(records: list[FrameRecord], usual: str, tried: str, began: int) -> Comparison | None:
    """The frames of `usual` up to number `began` against those of `tried` after it; None when one has none."""
    steady = [later for before, later in itertools.pairwise(records) if before.mode == later.mode]
    before = [record.total for record in steady if record.mode == usual and record.number <= began]
    after = [record.total for record in steady if record.mode == tried and record.number > began]
    if not before or not after:
        return None
    return Comparison(usual, tried, *percentiles(before, (50, 95)), *percentiles(after, (50, 95)))
