"""Level meters: a bar that ears can read too.

Owns the meter's scale (-60 to 0 dBFS), its drawing and its words. Derived from QProgressBar so that screen readers
see a value that changes. Knows nothing of devices. Qt thread only.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QWidget

from ui import icons
from ui.figures import CLIPPING_DBFS, LOUD_DBFS, level_words
from ui.theme import Theme
from ui.words import tr

FLOOR_DBFS = -60


class LevelMeter(QProgressBar):
    """A level in whole dBFS from -60 to 0."""

    def __init__(self, theme: Theme, name: str):
        super().__init__()
        self._theme = theme
        self._words = ""
        self.setRange(FLOOR_DBFS, 0)
        self.setTextVisible(False)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_level(math.nan)
        theme.changed.connect(self.update)

    def set_level(self, dbfs: float) -> None:
        """Show a level; nan means that there is none. Repaints only when the shown value changes."""
        shown = FLOOR_DBFS if math.isnan(dbfs) or dbfs < FLOOR_DBFS else min(0, round(dbfs))
        self.setValue(shown)
        words = tr(level_words(dbfs))
        if words != self._words:
            self._words = words
            self.setAccessibleDescription(words)

    @property
    def words(self) -> str:
        return self._words

    def sizeHint(self) -> QSize:
        return QSize(160, 12)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, 12)

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = self._theme.colours
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track = QRectF(0, (self.height() - 10) / 2, self.width(), 10)
        painter.setBrush(QColor(colours.sunken))
        painter.drawRoundedRect(track, 5, 5)
        level = self.value()
        share = (level - FLOOR_DBFS) / -FLOOR_DBFS
        if share > 0:
            fill = QRectF(track.left(), track.top(), max(10.0, track.width() * share), track.height())
            painter.setBrush(QColor(_colour(level, colours.ok, colours.amber, colours.red)))
            painter.drawRoundedRect(fill, 5, 5)
        painter.setBrush(QColor(colours.surface))
        for mark in (-40, -20, LOUD_DBFS):  # notches show the scale without a row of figures
            x = track.left() + track.width() * (mark - FLOOR_DBFS) / -FLOOR_DBFS
            painter.drawRect(QRectF(x, track.top(), 1.5, track.height()))


class LevelPane(QWidget):
    """A meter with its icon, and its value in figures and words."""

    def __init__(self, theme: Theme, name: str, picture: str):
        super().__init__()
        self._theme = theme
        self._picture = picture
        self._icon = QLabel()
        self._icon.setToolTip(name)
        self.meter = LevelMeter(theme, name)
        self.meter.setToolTip(name)
        self.figure = QLabel()
        self.figure.setProperty("role", "small")
        self.figure.setProperty("tone", "muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._icon)
        layout.addWidget(self.meter, 1)
        layout.addWidget(self.figure)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.set_level(math.nan)

    def set_level(self, dbfs: float) -> None:
        self.meter.set_level(dbfs)
        if math.isnan(dbfs):
            self.figure.setText(tr("no signal yet"))
        elif dbfs < FLOOR_DBFS:
            self.figure.setText(self.meter.words)
        else:
            self.figure.setText(f"{dbfs:.0f} dB, {self.meter.words}".replace("-", "\N{MINUS SIGN}"))

    def set_picture(self, picture: str) -> None:
        if picture != self._picture:
            self._picture = picture
            self._restyle()

    def _restyle(self) -> None:
        colours = self._theme.colours
        colour = colours.amber if self._picture == "muted" else colours.muted
        self._icon.setPixmap(icons.pixmap(self._picture, colour, 18, self.devicePixelRatioF()))
        metrics = QFontMetrics(self._theme.font("small"))
        self.figure.setMinimumWidth(metrics.horizontalAdvance("\N{MINUS SIGN}60 dB, clipping"))


def _colour(level: float, ok: str, amber: str, red: str) -> str:
    if level >= CLIPPING_DBFS:
        return red
    return amber if level >= LOUD_DBFS else ok
