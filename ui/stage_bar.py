"""One frame's cost as a bar of its stages against the 80 ms it may take.

Owns the drawing of one FrameRecord; what a stage costs is the engine's word. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.telemetry import FRAME_MS, FrameRecord
from ui.figures import COST_STAGES, OK, UNKNOWN, VERDICT_WORDS, format_ms, scale_top, verdict
from ui.theme import Theme
from ui.words import tr

BAR_HEIGHT = 22
BUDGET = f"{FRAME_MS:.0f} ms"
GAP = 8.0  # pixels between two texts in a row


class StageBar(QWidget):
    """One frame: encode, temporal, depth, decode and host side by side, and a line at 80 ms.

    legend: name and figure of each stage below; without, the bar alone.
    """

    def __init__(self, theme: Theme, legend: bool = True):
        super().__init__()
        self._theme = theme
        self._legend = legend
        self._record: FrameRecord | None = None
        self.setAccessibleName(tr("Stages of the current frame"))
        self.setAccessibleDescription(tr("No frame yet."))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def set_record(self, record: FrameRecord | None) -> None:
        """Show another frame; None clears."""
        if record is not self._record:
            self._record = record
            self.update()

    def describe(self) -> None:
        """Bring the words for screen readers up to date; called seldom, for every change is announced."""
        self.setAccessibleDescription(sentence(self._record))

    def sizeHint(self) -> QSize:
        line = QFontMetricsF(self._theme.font("small")).height()
        return QSize(380, int((3 if self._legend else 1) * line + BAR_HEIGHT + (18 if self._legend else 8)))

    def minimumSizeHint(self) -> QSize:
        return QSize(300 if self._legend else 160, self.sizeHint().height())

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font("small"))
        line = QFontMetricsF(painter.font()).height()
        bar = QRectF(0, line + 4, self.width(), BAR_HEIGHT)
        top = scale_top(self._record.total if self._record else 0.0)
        self._paint_bar(painter, bar, top)
        self._paint_budget(painter, bar, top, line)
        if self._legend:
            self._paint_legend(painter, bar.bottom() + 10, line)

    def _paint_bar(self, painter: QPainter, bar: QRectF, top: float) -> None:
        colours = self._theme.colours
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.sunken))
        painter.drawRoundedRect(bar, 5, 5)
        if self._record is None:
            return
        x = bar.left()
        for stage in COST_STAGES:
            width = bar.width() * max(0.0, getattr(self._record, stage)) / top
            if width > 0.5:
                painter.setBrush(QColor(colours.stages[stage]))
                painter.drawRoundedRect(QRectF(x, bar.top(), max(1.0, width - 1), bar.height()), 2.5, 2.5)
            x += width

    def _paint_budget(self, painter: QPainter, bar: QRectF, top: float, line: float) -> None:
        colours = self._theme.colours
        x = bar.left() + bar.width() * FRAME_MS / top
        painter.setPen(QPen(QColor(colours.text), 1.5))
        painter.drawLine(QPointF(x, bar.top() - 4), QPointF(x, bar.bottom() + 4))
        metrics = painter.fontMetrics()
        judged, said = self._said()
        label = metrics.horizontalAdvance(BUDGET) + 2.0
        left = label_left(x, label, metrics.horizontalAdvance(said) if said else 0.0, bar.right())
        painter.drawText(QRectF(left, 0, label, line), Qt.AlignmentFlag.AlignLeft, BUDGET)
        painter.setPen(QColor(colours.for_verdict(judged)))
        painter.drawText(QRectF(0, 0, max(0.0, left - GAP), line), Qt.AlignmentFlag.AlignLeft, said)

    def _said(self) -> tuple[str, str]:
        """The frame's verdict, and its cost in words where they are needed."""
        if self._record is None:
            return UNKNOWN, ""
        judged = verdict(self._record.total)
        said = format_ms(self._record.total)
        return judged, said if judged in (OK, UNKNOWN) else f"{said}, {tr(VERDICT_WORDS[judged])}"

    def _paint_legend(self, painter: QPainter, y: float, line: float) -> None:
        colours = self._theme.colours
        column = self.width() / len(COST_STAGES)
        for number, stage in enumerate(COST_STAGES):
            x = number * column
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.stages[stage]))
            painter.drawRoundedRect(QRectF(x, y + line / 2 - 4, 8, 8), 2, 2)
            painter.setPen(QColor(colours.muted))
            painter.drawText(QRectF(x + 13, y, column - 13, line), Qt.AlignmentFlag.AlignLeft, stage)
            painter.setPen(QColor(colours.text))
            value = format_ms(getattr(self._record, stage)) if self._record else "\N{EN DASH}"
            painter.drawText(QRectF(x + 13, y + line, column - 13, line), Qt.AlignmentFlag.AlignLeft, value)


def label_left(x: float, label: float, said: float, end: float) -> float:
    """Where the budget's label begins: in the middle over its line at x, but behind what is said at the left, and
    within the bar that ends at `end`. All in pixels; label and said are widths."""
    behind = said + GAP if said else 0.0
    return max(0.0, min(max(x - label / 2, behind), end - label))


def sentence(record: FrameRecord | None) -> str:
    """A frame's cost in words."""
    if record is None:
        return tr("No frame yet.")
    parts = ", ".join(f"{stage} {format_ms(getattr(record, stage))}" for stage in COST_STAGES)
    words = tr("{cost} of 80 ms, {judged}: {parts}.")
    return words.format(cost=format_ms(record.total), judged=tr(VERDICT_WORDS[verdict(record.total)]), parts=parts)
