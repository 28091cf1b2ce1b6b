"""Settings, Appearance: theme, text size and motion.

Owns the controls. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QCheckBox, QComboBox, QRadioButton, QVBoxLayout

from ui import ports as keys
from ui.labels import wrapped_label
from ui.ports import SettingsPort
from ui.session import Session
from ui.settings_page import Page, form_row
from ui.theme import TEXT_SIZES, THEMES, Theme

THEME_TEXTS = {"system": "&As the system", "light": "&Light", "dark": "&Dark", "contrast": "&High contrast"}


class AppearancePage(Page):
    """Theme, text size and motion, at once in every window."""

    def __init__(self, session: Session, settings: SettingsPort, theme: Theme):
        super().__init__("Appearance")
        self._session = session
        self._settings = settings
        self._theme = theme
        self.themes: dict[str, QRadioButton] = {}
        self.size_box = QComboBox()
        self.calm = QCheckBox("&Reduce motion")
        self.calm.clicked.connect(self._calmed)
        self._arrange()
        self.show_choice()
        self.size_box.activated.connect(lambda index: self._sized(self.size_box.itemData(index)))

    def _arrange(self) -> None:
        column = self.section("Colours")
        group = QButtonGroup(self)
        row = QVBoxLayout()
        row.setSpacing(8)
        for name in THEMES:
            button = QRadioButton(THEME_TEXTS[name])
            button.clicked.connect(lambda _checked=False, name=name: self._themed(name))
            group.addButton(button)
            row.addWidget(button)
            self.themes[name] = button
        column.addLayout(row)
        column = self.section("Text")
        form_row(self.form(column), "Text &size", self.size_box)
        column.addWidget(wrapped_label("Against the size that the system asks for.", "small", "muted"))
        column = self.section("Motion")
        column.addWidget(self.calm)
        note = "Meters, figures and the strip follow once a second, and nothing runs back and forth."
        column.addWidget(wrapped_label(note, "small", "muted"))
        self.column.addStretch(1)

    def show_choice(self) -> None:
        """Show what holds."""
        self.themes[self._theme.name].setChecked(True)
        self.calm.setChecked(self._theme.reduced_motion)
        sizes = sorted({*TEXT_SIZES, self._theme.text_size})
        self.size_box.clear()
        for size in sizes:
            self.size_box.addItem(f"{size} %", size)
        self.size_box.setCurrentIndex(sizes.index(self._theme.text_size))

    def _themed(self, name: str) -> None:
        sentence = self._settings.set(keys.THEME, name)
        self.say(sentence)
        if sentence:
            self.show_choice()
        else:
            self._theme.choose(name)

    def _sized(self, percent: int) -> None:
        sentence = self._settings.set(keys.TEXT_SIZE, percent)
        self.say(sentence)
        if sentence:
            self.show_choice()
        else:
            self._theme.set_text_size(percent)

    def _calmed(self, reduced: bool) -> None:
        sentence = self._settings.set(keys.REDUCED_MOTION, reduced)
        self.say(sentence)
        if sentence:
            self.show_choice()
        else:
            self._theme.set_reduced_motion(reduced)
