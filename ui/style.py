"""How colours and sizes become a look: the Qt palette and the small style sheet over Fusion.

Owns the style sheet and the sizes of the text roles. Pure functions; which look is in force is the theme's business.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QColor, QFont, QPalette

from ui.colours import Colours

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
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle:horizontal {{ background: {c.border}; border-radius: 4px; min-width: 28px; margin: 1px; }}
QScrollBar::handle:horizontal:hover {{ background: {c.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; width: 0; }}
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
