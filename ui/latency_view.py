"""The latency pane: what the sound and the frames cost now and over the last minute, against their limits.

Owns the arrangement and refreshes it when there are new records and someone can see it; hidden or minimised it does
nothing. Percentiles are computed here, the reader's side. Qt thread only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.messages import MODES
from app.telemetry import FrameRecord, percentiles
from ui.figures import (
    MODE_WORDS,
    NEAR,
    OK,
    OVER,
    VERDICT_WORDS,
    figures_by_mode,
    format_ms,
    last_seconds,
    share_verdict,
    verdict,
)
from ui.labels import heading_row, set_tone, text_label
from ui.latency_strip import LatencyStrip
from ui.stage_bar import StageBar
from ui.theme import Theme
from ui.words import marked, tr

COLUMNS = ("p50", "p95", "p99", marked("late"))
MIC_TO_SPEAKER_GOOD_MS = 500.0
FIGURES_EVERY = 3  # records between two updates of the table: four times a second is as fast as figures can be read
DESCRIBE_EVERY = 13  # records between two updates of the words for screen readers: about once a second


class Tile(QFrame):
    """One number with its name above and its judgement below."""

    def __init__(self, name: str):
        super().__init__()
        self._name = name
        self.setProperty("tile", True)
        self.title = text_label(name, "small", "muted")
        self.number = text_label("\N{EN DASH}", "number")
        self.note = text_label("", "small", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.setSpacing(1)
        for label in (self.title, self.number, self.note):
            layout.addWidget(label)
        self.number.setAccessibleName(name)

    def show_value(self, number: str, note: str, judged: str = OK) -> None:
        self.number.setText(number)
        self.note.setText(note)
        tone = judged if judged in (NEAR, OVER) else ""
        set_tone(self.number, tone)
        set_tone(self.note, tone or "muted")


class LatencyView(QFrame):
    """Tiles, stage bar, strip, and the table of percentiles per mode. buttons: stand beside the heading."""

    def __init__(self, theme: Theme, *buttons: QWidget):
        super().__init__()
        self._buttons = buttons
        self.setProperty("card", True)
        self._records: Sequence[FrameRecord] = []
        self._described = -DESCRIBE_EVERY  # number of the record behind the words for screen readers
        self._figured = -FIGURES_EVERY  # and behind the table
        self.mode = ""
        self.speaker = Tile(tr("Mic to speaker"))
        self.frame = Tile(tr("Frame, last second"))
        self.gaps = Tile(tr("Gaps heard"))
        self.late = Tile(tr("Late frames"))
        self.tiles = (self.speaker, self.frame, self.gaps, self.late)
        self.bar = StageBar(theme)
        self.strip = LatencyStrip(theme)
        self.marks = text_label("", "small", "muted")
        self.marks.hide()
        self.cells: dict[tuple[str, str], QLabel] = {}
        self._names: dict[str, QLabel] = {}
        self._arrange()
        self.refresh()

    def _arrange(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 16, 14)
        layout.setSpacing(8)
        layout.addLayout(heading_row(tr("Latency"), *self._buttons))
        row = QHBoxLayout()
        row.setSpacing(8)
        for tile in self.tiles:
            row.addWidget(tile, 1)
        layout.addLayout(row)
        layout.addSpacing(4)
        layout.addWidget(text_label(tr("Current frame"), "label"))
        layout.addWidget(self.bar)
        layout.addSpacing(4)
        layout.addWidget(text_label(tr("Last 60 seconds, milliseconds per frame"), "label"))
        layout.addWidget(self.strip, 1)
        layout.addWidget(self.marks)
        layout.addWidget(self._table())

    def _table(self) -> QWidget:
        table = QWidget()
        table.setAccessibleName(tr("Frame cost by mode over the last 60 seconds"))
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 2, 0, 0)
        grid.setVerticalSpacing(5)
        grid.setHorizontalSpacing(14)
        grid.setColumnStretch(0, 2)
        grid.addWidget(text_label(tr("Mode"), "small", "muted"), 0, 0)
        for column, name in enumerate(COLUMNS, start=1):
            grid.setColumnStretch(column, 1)
            grid.addWidget(_right(text_label(tr(name), "small", "muted")), 0, column)
        for row, mode in enumerate(MODES, start=1):
            self._names[mode] = text_label(tr(MODE_WORDS[mode]), "body")
            grid.addWidget(self._names[mode], row, 0)
            for column, name in enumerate(COLUMNS, start=1):
                cell = _right(text_label("\N{EN DASH}", "body"))
                cell.setAccessibleName(f"{tr(MODE_WORDS[mode])} {tr(name)}")
                self.cells[mode, name] = cell
                grid.addWidget(cell, row, column)
        return table

    # ------------------------------------------------------------------ records

    def take(self, records: Sequence[FrameRecord]) -> None:
        """Show these records, oldest first; when nobody can see the pane they are only kept."""
        self._records = records
        if self.isVisible() and not self.window().isMinimized():
            fresh = records[-1].number - self._figured if records else FIGURES_EVERY
            self.refresh(figures=not 0 <= fresh < FIGURES_EVERY)

    def set_mode(self, mode: str) -> None:
        """Mark the row of the mode that is running."""
        self.mode = mode
        for name, label in self._names.items():
            word = tr(MODE_WORDS[name])
            label.setText(f"{word}  \N{BULLET} {tr('now')}" if name == mode else word)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self, figures: bool = True) -> None:
        """Show the records that were taken. figures False: leave the table for a later frame."""
        records = last_seconds(self._records)
        self._show_tiles(records)
        self.bar.set_record(records[-1] if records else None)
        self.strip.set_records(records)
        if figures:
            self._figured = records[-1].number if records else -FIGURES_EVERY
            self._show_table(records)
            self._show_marks()
        if (
            len(records) < 2
            or records[-1].number - self._described >= DESCRIBE_EVERY
            or records[-1].number < self._described
        ):
            self._described = records[-1].number if records else -DESCRIBE_EVERY
            self.bar.describe()
            self.strip.describe(strip_sentence(records))

    def _show_tiles(self, records: Sequence[FrameRecord]) -> None:
        if not records:
            for tile in self.tiles:
                tile.show_value("\N{EN DASH}", tr("no talk yet"))
            return
        newest = records[-1]
        heard = newest.mic_to_speaker_ms
        judged = verdict(heard, MIC_TO_SPEAKER_GOOD_MS)
        self.speaker.show_value(
            "\N{EN DASH}" if math.isnan(heard) else f"{heard:.0f} ms",
            tr("not measured") if math.isnan(heard) else tr("slow") if judged == OVER else tr("measured"),
            judged if judged == OVER else OK,
        )
        (median,) = percentiles((record.total for record in last_seconds(records, 1.0)), (50,))
        judged = verdict(median)
        self.frame.show_value(
            format_ms(median),
            tr("of 80, {judged}").format(judged=tr(VERDICT_WORDS[judged])) if judged != OK else tr("of 80 ms"),
            judged,
        )
        count = newest.number + 1
        self.gaps.show_value(
            f"{newest.gaps}", tr("in {count} frames").format(count=count), share_verdict(newest.gaps, count)
        )
        late = sum(record.late for record in records)
        note = tr("of {count}, {skipped} skipped") if newest.skipped else tr("of {count} in 60 s")
        note = note.format(count=len(records), skipped=newest.skipped)
        self.late.show_value(f"{late}", note, share_verdict(late, len(records)))

    def _show_table(self, records: Sequence[FrameRecord]) -> None:
        rows = {row.mode: row for row in figures_by_mode(records)}
        for mode in MODES:
            row = rows.get(mode)
            for name in COLUMNS:
                cell = self.cells[mode, name]
                if row is None:
                    cell.setText("\N{EN DASH}")
                    set_tone(cell, "muted")
                elif name == "late":
                    cell.setText(tr("{count} of {all}").format(count=row.late, all=row.frames))
                    judged = share_verdict(row.late, row.frames)
                    set_tone(cell, judged if judged != OK else "")
                else:
                    value = getattr(row, name)
                    judged = verdict(value)
                    cell.setText({NEAR: "!  ", OVER: "!!  "}.get(judged, "") + format_ms(value))
                    set_tone(cell, judged if judged in (NEAR, OVER) else "")

    def _show_marks(self) -> None:
        kinds = {mark.kind for mark in self.strip.marks}
        words = {
            "gap": tr("\N{BLACK DIAMOND} gap in the sound"),
            "skipped": tr("\N{BLACK UP-POINTING TRIANGLE} microphone frames skipped"),
        }
        self.marks.setText("    ".join(words[kind] for kind in sorted(kinds)))
        self.marks.setVisible(bool(kinds))


def strip_sentence(records: Sequence[FrameRecord]) -> str:
    """The strip in words, for screen readers."""
    rows = figures_by_mode(records)
    if not rows:
        return tr("No frame yet.")
    parts = [
        tr("{mode}: {frames} frames, median {p50}, 95 of 100 within {p95}, {late} late").format(
            mode=tr(MODE_WORDS[row.mode]),
            frames=row.frames,
            p50=format_ms(row.p50),
            p95=format_ms(row.p95),
            late=row.late,
        )
        for row in rows
    ]
    return "; ".join(parts) + "."


def _right(label: QLabel) -> QLabel:
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return label
