"""A number with bounds as a slider and a field that show the same value.

Owns the binding of the two and the pause before a dragged value counts, so that a drag is one change and not fifty.
Knows nothing of what the number means. Qt thread only.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QLabel, QSlider, QWidget

from ui.labels import text_label

STEPS = 1000
SETTLE_MS = 150
FIELD_MARGINS = 44  # pixels beside a field's digits


class ValueSlider(QWidget):
    """`edited` carries a value the user chose, once it has settled. whole: whole numbers on a logarithmic slider, so
    that 5 and 25 lie as far apart as 500 and 2048; otherwise two decimals, evenly spread."""

    edited = Signal(float)

    def __init__(self, name: str, low: float, high: float, whole: bool = False):
        super().__init__()
        self._whole = whole
        self._shown: float | None = None
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 10)
        self.slider.setAccessibleName(name)
        self.field = QDoubleSpinBox()
        self.field.setDecimals(0 if whole else 2)
        self.field.setSingleStep(1 if whole else 0.05)
        self.field.setKeyboardTracking(False)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.field.setAccessibleName(name)
        self.note: QLabel = text_label("", "small", "muted")
        self.note.setMinimumWidth(self.fontMetrics().horizontalAdvance("model's own") + 8)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self.slider, 1)
        layout.addWidget(self.field)
        layout.addWidget(self.note)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._settled)
        self._fit()
        self.set_bounds(low, high)
        self.slider.valueChanged.connect(self._slid)
        self.field.valueChanged.connect(self._typed)

    @property
    def value(self) -> float:
        return self.field.value()

    def bounds(self) -> tuple[float, float]:
        return self.field.minimum(), self.field.maximum()

    def set_bounds(self, low: float, high: float) -> None:
        """Other bounds; the shown value is kept within them and nothing is said to have been edited."""
        self.field.blockSignals(True)
        self.field.setRange(low, high)
        self.field.blockSignals(False)
        self._place_handle()

    def set_value(self, value: float, note: str = "") -> None:
        """Show a value without it counting as the user's. A value still being dragged is left alone."""
        self.note.setText(note)
        if self._settle.isActive() or self.slider.isSliderDown():
            return
        self.field.blockSignals(True)
        self.field.setValue(value)
        self.field.blockSignals(False)
        self._shown = self.field.value()
        self._place_handle()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        """All fields are equally wide, whatever their bounds, so that sliders below each other end together."""
        self.field.setFixedWidth(self.field.fontMetrics().horizontalAdvance("88888") + FIELD_MARGINS)

    def _slid(self, position: int) -> None:
        low, high = self.bounds()
        share = position / STEPS
        value = low * math.pow(high / low, share) if self._whole else low + (high - low) * share
        self.field.blockSignals(True)
        self.field.setValue(round(value) if self._whole else round(value, 2))
        self.field.blockSignals(False)
        self._settle.start()

    def _typed(self, _value: float) -> None:
        self._place_handle()
        self._settle.start()

    def _settled(self) -> None:
        if self.value != self._shown:
            self._shown = self.value
            self.edited.emit(self.value)

    def _place_handle(self) -> None:
        low, high = self.bounds()
        value = self.value
        share = math.log(value / low) / math.log(high / low) if self._whole else (value - low) / (high - low)
        self.slider.blockSignals(True)
        self.slider.setValue(round(share * STEPS))
        self.slider.blockSignals(False)
