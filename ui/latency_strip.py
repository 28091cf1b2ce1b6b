"""The last 60 s of frame cost as a strip, with the 80 ms line, labelled mode bands and marks for gaps.

Owns the drawing: per stretch of equal mode one filled polygon, clipped into zones where the limits are passed, and its
upper edge. Qt thread only.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.telemetry import FRAME_MS, FrameRecord
from ui.figures import COST_STAGES, MODE_WORDS, NEAR_SHARE, STRIP_SECONDS, format_ms, last_seconds, scale_top
from ui.theme import Theme
from ui.words import decimal, tr

MARK_SPACING = 9.0
BREAK_SECONDS = 0.5  # a longer pause between two frames is no line


class Stretch(NamedTuple):
    """Consecutive frames of one mode. clocks: int64 nanoseconds, totals: float64 milliseconds, both [n]."""

    mode: str
    clocks: np.ndarray
    totals: np.ndarray


class Mark(NamedTuple):
    """Something that was lost at a moment: "gap" or "skipped"."""

    kind: str
    clock_ns: int


def stretches(records: Sequence[FrameRecord]) -> list[Stretch]:
    """The records cut where the mode changes or time has a hole."""
    if not records:
        return []
    count = len(records)
    clocks = np.fromiter((record.clock_ns for record in records), np.int64, count)
    totals = np.fromiter((record.total for record in records), np.float64, count)
    holes = set((np.flatnonzero(np.diff(clocks) > BREAK_SECONDS * 1e9) + 1).tolist())
    changes = {place for place in range(1, count) if records[place].mode != records[place - 1].mode}
    cuts = [0, *sorted(holes | changes), count]
    return [
        Stretch(records[first].mode, clocks[first:last], totals[first:last]) for first, last in itertools.pairwise(cuts)
    ]


def marks(records: Sequence[FrameRecord]) -> list[Mark]:
    """Where the counters of gaps and skipped frames rose, in order of time. One that falls belongs to a new talk."""
    found = []
    for kind, counts in (("gap", [r.gaps for r in records]), ("skipped", [r.skipped for r in records])):
        for place in np.flatnonzero(np.diff(counts) > 0).tolist():
            found.append(Mark(kind, records[place + 1].clock_ns))
    return sorted(found, key=lambda mark: mark.clock_ns)


def columns(across: np.ndarray, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One point per pixel column, the dearest frame of each, so that no peak is lost. across: rising, [n]."""
    pixel = np.floor(across)
    firsts = np.concatenate(([0], np.flatnonzero(np.diff(pixel)) + 1))
    kept = np.concatenate((across[firsts], across[-1:]))  # the last place too, so that stretches meet
    dearest = np.maximum.reduceat(totals, firsts)
    return kept, np.concatenate((dearest, totals[-1:]))


class LatencyStrip(QWidget):
    """Frame cost over the last minute; the newest frame is at the right edge."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._records: list[FrameRecord] = []
        self._stretches: list[Stretch] = []
        self.marks: list[Mark] = []
        self._plot = QRectF()
        self._top = 100.0
        self.setAccessibleName(tr("Frame cost over the last 60 seconds"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self.update)

    def set_records(self, records: Sequence[FrameRecord]) -> None:
        """Show these records (oldest first); older ones than 60 s are left out."""
        self._records = last_seconds(records)
        self._stretches = stretches(self._records)
        self.marks = marks(self._records)
        self._top = scale_top(max((record.total for record in self._records), default=0.0) * 1.05)
        self.update()

    def describe(self, sentence: str) -> None:
        self.setAccessibleDescription(sentence)

    def sizeHint(self) -> QSize:
        return QSize(380, 200)

    def minimumSizeHint(self) -> QSize:
        line = QFontMetricsF(self._theme.font("small")).height()
        return QSize(300, int(3 * line + 54))  # with both notices above the panes, the table below stays whole

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.words_at(event.pos().x())
            QToolTip.showText(event.globalPos(), text, self) if text else QToolTip.hideText()
            return True
        return super().event(event)

    def words_at(self, x: float) -> str:
        """The frame under a horizontal position, in words; "" where there is none."""
        if not self._records or not self._plot.left() <= x <= self._plot.right():
            return ""
        nearest = min(self._records, key=lambda record: abs(self._x(record.clock_ns) - x))
        if abs(self._x(nearest.clock_ns) - x) > 4:
            return ""
        ago = (self._records[-1].clock_ns - nearest.clock_ns) / 1e9
        parts = "\n".join(f"{stage}: {format_ms(getattr(nearest, stage))}" for stage in COST_STAGES)
        return tr("{seconds} s ago, {mode}\n{cost} of 80 ms\n{parts}").format(
            seconds=decimal(f"{ago:.1f}"),
            mode=tr(MODE_WORDS.get(nearest.mode, nearest.mode)),
            cost=format_ms(nearest.total),
            parts=parts,
        )

    # ------------------------------------------------------------------ drawing

    def _x(self, clock_ns: int) -> float:
        seconds = (self._records[-1].clock_ns - clock_ns) / 1e9
        return self._plot.right() - self._plot.width() * seconds / STRIP_SECONDS

    def _y(self, milliseconds: float) -> float:
        return self._plot.bottom() - self._plot.height() * min(milliseconds, self._top) / self._top

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._theme.font("small"))
        metrics = QFontMetricsF(painter.font())
        left = metrics.horizontalAdvance("0000") + 6
        band = metrics.height() + 4
        self._plot = QRectF(left, band + 4, self.width() - left - 2, self.height() - band - metrics.height() - 16)
        self._paint_grid(painter, metrics)
        for stretch in self._stretches:
            self._paint_stretch(painter, stretch)
        self._paint_limits(painter, metrics)
        self._paint_bands(painter, metrics, QRectF(self._plot.left(), 0, self._plot.width(), band))
        self._paint_marks(painter)

    def _paint_grid(self, painter: QPainter, metrics: QFontMetricsF) -> None:
        colours, plot = self._theme.colours, self._plot
        painter.fillRect(plot, QColor(colours.sunken))
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            x = plot.right() - plot.width() * share
            painter.setPen(QColor(colours.grid))
            painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
            painter.setPen(QColor(colours.muted))
            text = tr("now") if share == 0 else f"\N{MINUS SIGN}{share * STRIP_SECONDS:.0f} s"
            width = metrics.horizontalAdvance(text)
            at = min(max(x - width / 2, plot.left()), plot.right() - width)
            painter.drawText(QPointF(at, plot.bottom() + metrics.ascent() + 10), text)
        for value in self._scale_values(metrics.height()):
            y = self._y(value)
            painter.setPen(QColor(colours.grid))
            painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
            painter.setPen(QColor(colours.muted))
            box = QRectF(0, y - metrics.height() / 2, plot.left() - 6, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{value:.0f}")

    def _scale_values(self, line: float) -> list[float]:
        """Round values for the scale, leaving out what would stand in the way of the 80 ms label."""
        values = [self._top / 4 * number for number in range(5)]
        return [value for value in values if abs(self._y(value) - self._y(FRAME_MS)) > line]

    def _paint_stretch(self, painter: QPainter, stretch: Stretch) -> None:
        """The area below the cost in the mode's colour, amber from 60 ms on and red from 80, and its upper edge."""
        colours, plot = self._theme.colours, self._plot
        seconds = (self._records[-1].clock_ns - stretch.clocks) / 1e9
        across, totals = columns(plot.right() - plot.width() / STRIP_SECONDS * seconds, stretch.totals)
        down = plot.bottom() - plot.height() / self._top * np.minimum(totals, self._top)
        points = list(map(QPointF, across.tolist(), down.tolist()))
        dearest = float(stretch.totals.max())
        area = QPolygonF([QPointF(points[0].x(), plot.bottom()), *points, QPointF(points[-1].x(), plot.bottom())])
        line = QColor(colours.modes.get(stretch.mode, colours.muted))
        near, over = self._y(FRAME_MS * NEAR_SHARE), self._y(FRAME_MS)
        zones = [(line, 0.22, near, plot.bottom())]
        if dearest > FRAME_MS * NEAR_SHARE:
            zones.append((QColor(colours.near_fill), 0.6, over, near))
        if dearest > FRAME_MS:
            zones.append((QColor(colours.over_fill), 0.75, plot.top(), over))
        painter.setPen(Qt.PenStyle.NoPen)
        for colour, strength, top, bottom in zones:
            tint = QColor(colour)
            tint.setAlphaF(strength)
            painter.setBrush(tint)
            painter.setClipRect(QRectF(plot.left(), top, plot.width(), bottom - top))
            painter.drawPolygon(area)
        painter.setClipping(False)
        self._paint_edge(painter, QPolygonF(points), line)

    def _paint_edge(self, painter: QPainter, points: QPolygonF, colour: QColor) -> None:
        """The upper edge: a hairline drawn twice, which Qt does fifty times faster than one line of double width."""
        pen = QPen(colour, 1)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolyline(points)
        painter.translate(0, 0.5)
        painter.drawPolyline(points)
        painter.translate(0, -0.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_limits(self, painter: QPainter, metrics: QFontMetricsF) -> None:
        colours, plot = self._theme.colours, self._plot
        y = self._y(FRAME_MS)
        painter.setPen(QPen(QColor(colours.text), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        box = QRectF(0, y - metrics.height() / 2, plot.left() - 6, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "80")

    def _paint_bands(self, painter: QPainter, metrics: QFontMetricsF, row: QRectF) -> None:
        colours = self._theme.colours
        for mode, first, last in _bands(self._stretches):
            x0, x1 = self._x(first), self._x(last)
            box = QRectF(x0, row.top(), max(2.0, x1 - x0 - 1), row.height())
            tint = QColor(colours.modes.get(mode, colours.muted))
            painter.setPen(QPen(tint, 1))
            painter.drawLine(QLineF(x0, row.bottom(), x0, self._plot.bottom()))
            back = QColor(tint)
            back.setAlphaF(0.22)
            painter.fillRect(box, back)
            word = tr(MODE_WORDS.get(mode, mode))
            if metrics.horizontalAdvance(word) + 8 <= box.width():
                painter.setPen(QColor(colours.text))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, word)

    def _paint_marks(self, painter: QPainter) -> None:
        colours = self._theme.colours
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        drawn = {"gap": -MARK_SPACING, "skipped": -MARK_SPACING}
        for mark in self.marks:
            x, y = self._x(mark.clock_ns), self._plot.bottom() + 5
            if x - drawn[mark.kind] < MARK_SPACING:
                continue  # one upon the other they would be a smear
            drawn[mark.kind] = x
            painter.setBrush(QColor(colours.red if mark.kind == "gap" else colours.amber))
            painter.drawPolygon(mark_shape(mark.kind, x, y))


def mark_shape(kind: str, x: float, y: float) -> QPolygonF:
    """A diamond for a gap, a triangle for skipped microphone frames: told apart by shape as well as colour."""
    offsets = ((0, -4), (4, 0), (0, 4), (-4, 0)) if kind == "gap" else ((0, -4), (4, 4), (-4, 4))
    return QPolygonF([QPointF(x + dx, y + dy) for dx, dy in offsets])


def _bands(cut: Sequence[Stretch]) -> list[tuple[str, int, int]]:
    """Mode, first and last time of each band: stretches of one mode in a row are one band when no pause parts them."""
    bands: list[tuple[str, int, int]] = []
    for number, stretch in enumerate(cut):
        end = int(stretch.clocks[-1])
        follows = int(cut[number + 1].clocks[0]) if number + 1 < len(cut) else end
        if follows - end <= BREAK_SECONDS * 1e9:
            end = follows
        bands.append((stretch.mode, int(stretch.clocks[0]), end))
    return bands
