"""The look in force: one place decides how the window looks.

Owns which colours (`ui.colours`) and text size hold, and has them applied (`ui.style`). Fusion with an own palette was
taken because it draws the same on every platform and in tests; the system's choice is followed by its signals. Knows
nothing of conversations. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QApplication

from ui.colours import CONTRAST, DARK, LIGHT
from ui.style import FONT_ROLES, palette, style_sheet

THEMES = ("system", "light", "dark", "contrast")
TEXT_SIZES = (90, 100, 115, 130, 150, 175, 200)


class Theme(QObject):
    """The look in force. Painters ask it for colours and fonts; `changed` says when to paint anew."""

    changed = Signal()

    def __init__(
        self, application: QApplication, name: str = "system", text_size: int = 100, reduced_motion: bool = False
    ):
        super().__init__()
        self.reduced_motion = reduced_motion
        self._application = application
        base = application.font().pointSizeF()
        self._base_points = base if base > 0 else 10.0
        self._name = name
        self._text_size = text_size
        self.colours = LIGHT
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._system_changed)
        application.styleHints().accessibility().contrastPreferenceChanged.connect(self._system_changed)
        self._apply()

    @property
    def name(self) -> str:
        return self._name

    @property
    def text_size(self) -> int:
        return self._text_size

    def choose(self, name: str) -> None:
        """Take one of THEMES; "system" follows the desktop from then on."""
        assert name in THEMES, name
        self._name = name
        self._apply()

    def set_text_size(self, percent: int) -> None:
        self._text_size = max(50, min(300, percent))
        self._apply()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Nothing moves that need not: painters ask `reduced_motion`, `changed` tells them."""
        self.reduced_motion = reduced
        self._apply()

    def font(self, role: str) -> QFont:
        factor, weight = FONT_ROLES[role]
        font = QFont(self._application.font())
        font.setPointSizeF(self._points(factor))
        font.setWeight(weight)
        return font

    def colour(self, name: str) -> QColor:
        return QColor(getattr(self.colours, name))

    def _points(self, factor: float) -> float:
        return self._base_points * self._text_size / 100 * factor

    def _name_in_force(self) -> str:
        """The chosen theme, or the desktop's wish: high contrast before dark."""
        if self._name != "system":
            return self._name
        hints = self._application.styleHints()
        if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
            return "contrast"
        return "dark" if hints.colorScheme() == Qt.ColorScheme.Dark else "light"

    def _system_changed(self) -> None:
        if self._name == "system":
            self._apply()

    def _apply(self) -> None:
        self.colours = {"light": LIGHT, "dark": DARK, "contrast": CONTRAST}[self._name_in_force()]
        font = QFont(self._application.font())
        font.setPointSizeF(self._points(1.0))
        self._application.setFont(font)
        self._application.setPalette(palette(self.colours))
        points = {role: self._points(factor) for role, (factor, _) in FONT_ROLES.items()}
        self._application.setStyleSheet(style_sheet(self.colours, points))
        self.changed.emit()
