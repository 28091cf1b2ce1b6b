"""Latency details: what each mode costs in this talk, stage by stage and side by side, to be copied and exported.

Owns the window and a card per mode; copying, exporting and trying are errands. Figures are brought up to date once a
second while someone can see them. Qt thread only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.messages import MODES
from app.telemetry import FRAME_MS, FrameRecord
from ui.actions import Actions
from ui.bridge import Bridge
from ui.figures import MODE_WORDS, NEAR, OK, OVER, TOTAL_WORD, format_clock, share_verdict, verdict
from ui.labels import action_button, set_tone, text_label, wrapped_label
from ui.latency_report import POINT_NAMES, ROWS, ModeReport, TalkCosts
from ui.mode_trial import ModeTrial
from ui.scrolling import VerticalScroll
from ui.session import Session
from ui.stage_bar import StageBar
from ui.theme import Theme
from ui.words import decimal, marked, tr, translated

FACTS = {
    "first": marked("First frame after a switch"),
    "late": marked("Late frames"),
    "gaps": marked("Gaps in the sound"),
    "skipped": marked("Microphone frames skipped"),
    "silenced": marked("Answers without numbers"),
}
NONE = "\N{EN DASH}"


class ModeCard(QFrame):
    """One mode: its median frame as a bar, percentiles by stage, and what is counted."""

    def __init__(self, theme: Theme, mode: str):
        super().__init__()
        self.mode = tr(MODE_WORDS[mode])
        self.setProperty("card", True)
        self.setAccessibleName(tr("{mode} mode").format(mode=self.mode))
        self.heading = text_label(self.mode, "heading")
        self.note = text_label("", "small", "muted")
        self.bar = StageBar(theme, legend=False)
        self.bar.setAccessibleName(tr("Median frame, {mode}").format(mode=self.mode))
        self.cells: dict[tuple[str, str], QLabel] = {}
        self._theme = theme
        self._names: dict[str, QLabel] = {}
        self.facts: dict[str, QLabel] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(8)
        top = QHBoxLayout()
        top.addWidget(self.heading)
        top.addStretch(1)
        top.addWidget(self.note)
        column.addLayout(top)
        column.addWidget(self.bar)
        column.addLayout(self._table())
        column.addSpacing(4)
        column.addLayout(self._counts())
        column.addStretch(1)
        theme.changed.connect(self._colour_names)
        self._colour_names()

    def _colour_names(self) -> None:
        """A square in the colour that the stage has in the bar."""
        for stage, colour in self._theme.colours.stages.items():
            self._names[stage].setText(f'<span style="color:{colour}">\N{BLACK SQUARE}</span> {stage}')

    def _table(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setVerticalSpacing(5)
        grid.setHorizontalSpacing(10)
        for column, name in enumerate(POINT_NAMES, start=1):
            grid.addWidget(_right(text_label(name, "small", "muted")), 0, column)
            grid.setColumnStretch(column, 1)
        for row, stage in enumerate(ROWS, start=1):
            role = "label" if stage == "total" else "body"
            word = tr(TOTAL_WORD) if stage == "total" else stage
            self._names[stage] = text_label(word, role)
            self._names[stage].setTextFormat(Qt.TextFormat.RichText)  # a coloured square and our own word
            grid.addWidget(self._names[stage], row, 0)
            for column, name in enumerate(POINT_NAMES, start=1):
                cell = _right(text_label(NONE, role))
                cell.setMinimumWidth(cell.fontMetrics().horizontalAdvance("!! 888.8"))
                cell.setAccessibleName(f"{self.mode} {word} {name}")
                self.cells[stage, name] = cell
                grid.addWidget(cell, row, column)
        return grid

    def _counts(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setVerticalSpacing(4)
        for row, (name, words) in enumerate(FACTS.items()):
            value = _right(text_label(NONE, "small"))
            value.setAccessibleName(f"{self.mode}: {tr(words)}")
            self.facts[name] = value
            grid.addWidget(text_label(tr(words), "small", "muted"), row, 0)
            grid.addWidget(value, row, 1)
        return grid

    def show_report(self, report: ModeReport | None, reason: str, running: bool) -> None:
        """Show what the mode cost, or why there is nothing. reason: why the computer cannot do it, or ""."""
        self.heading.setText(f"{self.mode}  \N{BULLET} {tr('now')}" if running else self.mode)
        self._show_note(report, reason)
        for (stage, name), cell in self.cells.items():
            value = report.stages[stage][POINT_NAMES.index(name)] if report else math.nan
            judged = verdict(value) if stage == "total" else OK
            mark = {NEAR: "! ", OVER: "!! "}.get(judged, "")
            cell.setText(decimal(f"{mark}{value:.1f}") if math.isfinite(value) else NONE)
            set_tone(cell, judged if judged in (NEAR, OVER) else "" if math.isfinite(value) else "muted")
        self.bar.set_record(_median_frame(report) if report else None)
        self.bar.describe()
        self._show_counts(report)

    def _show_note(self, report: ModeReport | None, reason: str) -> None:
        if report is not None:
            words = tr("{count} frames").format(count=report.frames)
        else:
            words = tr("not on this computer") if reason else tr("not used in this talk")
        self.note.setText(words)
        self.note.setToolTip(reason)

    def _show_counts(self, report: ModeReport | None) -> None:
        for name, label in self.facts.items():
            if report is None:
                label.setText(NONE)
                set_tone(label, "muted")
            elif name == "first":
                label.setText(decimal(f"{report.first:.1f} ms") if report.firsts else NONE)
                set_tone(label, "")
            else:
                count = int(getattr(report, name))
                judged = share_verdict(count, report.frames)
                label.setText(str(count))
                set_tone(label, judged if judged != OK else "")


class LatencyWindow(QWidget):
    """The three modes side by side, and what a trial came to."""

    def __init__(self, session: Session, bridge: Bridge, trial: ModeTrial, theme: Theme, actions: Actions):
        super().__init__(None, Qt.WindowType.Window)
        self._session = session
        self._bridge = bridge
        self._actions = actions
        self.costs = TalkCosts()
        self._trial = trial
        self.cards = {mode: ModeCard(theme, mode) for mode in MODES}
        self.summary = text_label("", "small", "muted")
        self.outcome = wrapped_label("")
        self.outcome.setAccessibleName(tr("Outcome of the trial"))
        self.setWindowTitle(tr("Latency details"))
        self._arrange()
        self._connect()
        self.costs.take(bridge.talk_records())
        self.refresh()
        self._show_trial()
        self.resize(1120, 440)

    def _arrange(self) -> None:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(10)
        top = QHBoxLayout()
        top.addWidget(text_label(tr("What a frame costs, in milliseconds"), "title"))
        top.addStretch(1)
        top.addWidget(self.summary)
        column.addLayout(top)
        row = QHBoxLayout()
        row.setSpacing(10)
        for card in self.cards.values():
            row.addWidget(card, 1)
        column.addLayout(row, 1)
        column.addWidget(self._trial_card())
        body.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        body.setFocus()  # so that a stray space bar tries nothing
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(VerticalScroll(body))

    def _trial_card(self) -> QWidget:
        card = QFrame()
        card.setProperty("card", True)
        row = QHBoxLayout(card)
        row.setContentsMargins(16, 10, 16, 10)
        row.setSpacing(12)
        row.addWidget(action_button(self._actions.trial))
        row.addWidget(self.outcome, 1)
        row.addWidget(action_button(self._actions.copy_latency))
        row.addWidget(action_button(self._actions.save_latency))
        return card

    def _connect(self) -> None:
        session, bridge = self._session, self._bridge
        bridge.frames.connect(self._take)
        bridge.each_second.connect(lambda: self.refresh() if self.isVisible() and not self.isMinimized() else None)
        session.mode_changed.connect(self.refresh)
        session.mode_changed.connect(self._show_trial)
        session.talk_ended.connect(lambda _reason: self.refresh())
        self._trial.changed.connect(self._show_trial)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)

    # ------------------------------------------------------------------ shown

    def _take(self, records: Sequence[FrameRecord]) -> None:
        self.costs.take(records)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Show what was collected."""
        if not self.isVisible():
            return
        reports = self.costs.reports()
        for mode, card in self.cards.items():
            reason = translated(self._session.modes.get(mode) or "")
            card.show_report(reports.get(mode), reason, mode == self._session.mode)
        frames = sum(report.frames for report in reports.values())
        words = tr("{time} of talk, {count} frames; the first frame after a switch stands apart")
        self.summary.setText(
            words.format(time=format_clock(frames * FRAME_MS / 1000), count=frames) if frames else tr("No talk yet")
        )

    def _show_trial(self) -> None:
        trial = self._trial
        self.outcome.setText(
            trial.sentence or trial.reason() or tr("Runs the eager mode for five seconds, returns, and compares.")
        )
        set_tone(self.outcome, "" if trial.sentence else "muted")


def _median_frame(report: ModeReport) -> FrameRecord:
    """A frame that costs the median in every stage, for the bar."""
    medians = {stage: report.stages[stage][0] for stage in ROWS}
    known = {stage: 0.0 if math.isnan(value) else value for stage, value in medians.items()}
    return FrameRecord(
        number=0, clock_ns=0, mode=report.mode, mic_to_speaker_ms=math.nan, skipped=0, gaps=0, late=False,
        encode=known["encode"], temporal=known["temporal"], depth=known["depth"], decode=known["decode"],
        host=known["host"], total=known["total"], wait=0.0, queued_ms=0.0, input_dbfs=0.0, output_dbfs=0.0,
    )  # fmt: skip


def _right(label: QLabel) -> QLabel:
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return label
