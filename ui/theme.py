"""Colours, fonts and the style sheet: one place decides how the window looks.

Owns the palettes (light, dark and high contrast), the text size and the small style sheet over Fusion. Fusion with an
own palette was taken because it draws the same on every platform and in tests; the system's choice is followed by its
signals. Knows nothing of conversations. Qt thread only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication

from ui.figures import NEAR, OK, OVER, UNKNOWN

THEMES = ("system", "light", "dark", "contrast")
TEXT_SIZES = (90, 100, 115, 130, 150, 175, 200)

MARKS = Path(__file__).resolve().parent / "marks"

# Font roles: size against the base, weight.
FONT_ROLES: dict[str, tuple[float, QFont.Weight]] = {
    "body": (1.0, QFont.Weight.Normal),
    "small": (0.88, QFont.Weight.Normal),
    "label": (0.88, QFont.Weight.DemiBold),
    "heading": (1.1, QFont.Weight.DemiBold),
    "title": (1.45, QFont.Weight.DemiBold),
    "number": (1.6, QFont.Weight.DemiBold),
}


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


def palette(colours: Colours) -> QPalette:
    """The Qt palette of a set of colours."""
    made = QPalette()
    role = QPalette.ColorRole
    for name, value in {
        role.Window: colours.window,
        role.WindowText: colours.text,
        role.Base: colours.surface,
        role.AlternateBase: colours.sunken,
        role.Text: colours.text,
        role.PlaceholderText: colours.muted,
        role.Button: colours.surface,
        role.ButtonText: colours.text,
        role.ToolTipBase: colours.surface,
        role.ToolTipText: colours.text,
        role.Highlight: colours.accent,
        role.HighlightedText: colours.on_accent,
        role.Accent: colours.accent,
        role.Link: colours.accent,
        role.BrightText: colours.red,
    }.items():
        made.setColor(name, QColor(value))
    for name in (role.WindowText, role.Text, role.ButtonText):
        faint = QColor(colours.muted)
        faint.setAlphaF(0.65)
        made.setColor(QPalette.ColorGroup.Disabled, name, faint)
    return made


def style_sheet(colours: Colours, points: dict[str, float]) -> str:
    """The style sheet: cards, buttons, notices, text roles. `points`: font size of each role."""
    c = colours
    variant = "dark" if c.dark else "light"
    check, chevron = ((MARKS / f"{mark}_{variant}.svg").as_posix() for mark in ("check", "chevron"))
    box = round(points["body"] * 1.5)  # pixels of a radio button or check box
    roles = "\n".join(
        f'QLabel[role="{role}"] {{ font-size: {points[role]:.1f}pt; font-weight: {int(weight.value)}; }}'
        for role, (_, weight) in FONT_ROLES.items()
    )
    return f"""
{roles}
QLabel[tone="muted"] {{ color: {c.muted}; }}
QLabel[tone="near"] {{ color: {c.amber}; }}
QLabel[tone="over"] {{ color: {c.red}; }}
QFrame[card="true"] {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 10px; }}
QFrame[tile="true"] {{ background: {c.sunken}; border: none; border-radius: 8px; }}
QFrame[notice="info"] {{ background: {c.info_tint}; border: 1px solid {c.accent}; border-radius: 8px; }}
QFrame[notice="warning"] {{ background: {c.amber_tint}; border: 1px solid {c.amber}; border-radius: 8px; }}
QFrame[notice="error"] {{ background: {c.red_tint}; border: 1px solid {c.red}; border-radius: 8px; }}
QToolButton, QPushButton {{ background: {c.surface}; color: {c.text}; border: 1px solid {c.border};
    border-radius: 7px; padding: 6px 12px; }}
QToolButton:hover, QPushButton:hover {{ background: {c.hover}; }}
QToolButton:pressed, QPushButton:pressed {{ background: {c.sunken}; }}
QToolButton:disabled, QPushButton:disabled {{ color: {c.muted}; background: {c.sunken}; border-color: {c.sunken}; }}
QToolButton:focus, QPushButton:focus {{ border: 2px solid {c.accent}; padding: 5px 11px; }}
QToolButton:checked {{ background: {c.amber_tint}; border-color: {c.amber}; color: {c.amber}; }}
QToolButton[kind="primary"], QPushButton[kind="primary"] {{ background: {c.accent}; color: {c.on_accent};
    border-color: {c.accent}; font-weight: 600; padding: 6px 18px; }}
QToolButton[kind="primary"]:hover, QPushButton[kind="primary"]:hover {{ background: {c.accent_hover}; }}
QToolButton[kind="primary"]:focus, QPushButton[kind="primary"]:focus {{ border: 2px solid {c.text};
    padding: 5px 17px; }}
QToolButton[kind="primary"]:disabled, QPushButton[kind="primary"]:disabled {{ background: {c.sunken}; color: {c.muted};
    border-color: {c.sunken}; }}
QToolButton[kind="flat"] {{ background: transparent; border-color: transparent; padding: 6px; }}
QToolButton[kind="flat"]:hover {{ background: {c.hover}; }}
QToolButton[kind="flat"]:focus {{ border: 2px solid {c.accent}; padding: 5px; }}
QFileDialog QToolButton {{ padding: 2px; }} /* Qt's own dialog: its pictures need the room */
QRadioButton, QCheckBox {{ spacing: 7px; }}
QRadioButton::indicator, QCheckBox::indicator {{ width: {box - 2}px; height: {box - 2}px; border: 1px solid {c.muted};
    background: {c.surface}; border-radius: {box // 2}px; }}
QCheckBox::indicator {{ border-radius: 4px; }}
QRadioButton::indicator:hover, QCheckBox::indicator:hover {{ border-color: {c.accent}; }}
QRadioButton::indicator:focus, QCheckBox::indicator:focus {{ border-color: {c.accent}; background: {c.info_tint}; }}
QRadioButton::indicator:checked {{ width: {box - 10}px; height: {box - 10}px; border: 5px solid {c.accent};
    background: {c.on_accent}; }}
QCheckBox::indicator:checked {{ border-color: {c.accent}; background: {c.accent}; image: url("{check}"); }}
QRadioButton::indicator:disabled, QCheckBox::indicator:disabled {{ border-color: {c.border}; background: {c.sunken}; }}
QRadioButton:disabled, QCheckBox:disabled {{ color: {c.muted}; }}
QRadioButton:focus, QCheckBox:focus {{ color: {c.accent}; }}
QComboBox, QLineEdit, QSpinBox, QDoubleSpinBox, QPlainTextEdit {{ background: {c.surface}; border: 1px solid {c.border};
    border-radius: 7px; padding: 5px 9px; selection-background-color: {c.accent};
    selection-color: {c.on_accent}; }}
QComboBox:hover, QLineEdit:hover, QSpinBox:hover, QDoubleSpinBox:hover {{ border-color: {c.muted}; }}
QComboBox:focus, QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QPlainTextEdit:focus {{
    border: 2px solid {c.accent}; padding: 4px 8px; }}
QComboBox:focus {{ padding: 5px 8px; }} /* Qt takes the room of the list from it: with less, a row is cut off */
QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {{ color: {c.muted}; background: {c.sunken}; }}
QComboBox QLineEdit, QComboBox QLineEdit:focus {{ border: none; padding: 0; background: transparent; }}
QAbstractSpinBox QLineEdit, QAbstractSpinBox QLineEdit:focus {{ border: none; padding: 0 9px;
    background: transparent; }}
QComboBox::drop-down {{ border: none; width: 26px; }}
QComboBox::down-arrow {{ image: url("{chevron}"); width: 16px; height: 16px; }}
QComboBox QAbstractItemView {{ background: {c.surface}; border: 1px solid {c.border}; padding: 4px; outline: none;
    selection-background-color: {c.info_tint}; selection-color: {c.text}; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ width: 0; border: none; }}
QSlider:horizontal {{ min-height: 20px; }}
QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {c.sunken}; }}
QSlider::sub-page:horizontal {{ background: {c.accent}; border-radius: 2px; }}
QSlider::sub-page:horizontal:disabled {{ background: {c.border}; }}
QSlider::handle:horizontal {{ background: {c.surface}; border: 2px solid {c.accent}; width: 12px; height: 12px;
    margin: -6px 0; border-radius: 8px; }}
QSlider::handle:horizontal:focus {{ background: {c.accent}; }}
QSlider::handle:horizontal:disabled {{ border-color: {c.border}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {c.border}; border-radius: 4px; min-height: 28px; margin: 1px; }}
QScrollBar::handle:vertical:hover {{ background: {c.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QMenu {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 6px; padding: 5px; }}
QMenu::item {{ padding: 6px 28px 6px 12px; border-radius: 5px; }}
QMenu::item:selected {{ background: {c.info_tint}; color: {c.text}; }}
QMenu::item:disabled {{ color: {c.muted}; }}
QMenu::separator {{ height: 1px; background: {c.border}; margin: 5px 8px; }}
QMenuBar {{ background: {c.window}; }}
QMenuBar::item {{ padding: 4px 10px; background: transparent; border-radius: 5px; }}
QMenuBar::item:selected {{ background: {c.hover}; color: {c.text}; }}
QToolTip {{ background: {c.surface}; color: {c.text}; border: 1px solid {c.border}; padding: 4px; }}
QTextEdit[plain="true"] {{ background: transparent; border: none; }}
QListWidget {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 7px; padding: 3px; }}
QListWidget:focus {{ border: 2px solid {c.accent}; padding: 2px; }}
QListWidget::item {{ padding: 4px 7px; border-radius: 5px; color: {c.text}; }}
QListWidget::item:hover {{ background: {c.hover}; }}
QListWidget::item:selected {{ background: {c.info_tint}; color: {c.text}; }}
QListWidget[nav="true"], QListWidget[nav="true"]:focus {{ background: transparent; border: none; outline: none;
    padding: 0; }}
QListWidget[nav="true"]::item {{ padding: 9px 10px; border-radius: 7px; color: {c.text}; }}
QListWidget[nav="true"]::item:hover {{ background: {c.hover}; }}
QListWidget[nav="true"]::item:selected {{ background: {c.info_tint}; color: {c.text}; }}
QProgressBar[thin="true"] {{ background: {c.sunken}; border: none; border-radius: 4px;
    max-height: 8px; min-height: 8px; }}
QProgressBar[thin="true"]::chunk {{ background: {c.accent}; border-radius: 4px; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: none; }}
QFrame[divider="true"] {{ color: {c.border}; max-width: 1px; }}
QSplitter::handle {{ background: transparent; }}
"""
