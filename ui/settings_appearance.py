"""Settings, Appearance: theme, text size, language and motion.

Owns the controls. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QCheckBox, QComboBox, QRadioButton, QVBoxLayout

from ui import ports as keys
from ui.labels import wrapped_label
from ui.language import LANGUAGES
from ui.ports import SettingsPort
from ui.session import Session
from ui.settings_page import Page, form_row
from ui.theme import TEXT_SIZES, THEMES, Theme
from ui.words import marked, tr

THEME_TEXTS = {
    "system": marked("&As the system"),
    "light": marked("&Light"),
    "dark": marked("&Dark"),
    "contrast": marked("&High contrast"),
}


class AppearancePage(Page):
    """Theme, text size and motion, at once in every window."""

    def __init__(self, session: Session, settings: SettingsPort, theme: Theme):
        super().__init__(tr("Appearance"))
        self._session = session
        self._settings = settings
        self._theme = theme
        self.themes: dict[str, QRadioButton] = {}
        self.size_box = QComboBox()
        self.language = QComboBox()
        self.language.addItem(tr("As the system"), "system")
        for name, text in LANGUAGES.items():
            self.language.addItem(text, name)
        self.language.activated.connect(lambda index: self._spoken(self.language.itemData(index)))
        self.calm = QCheckBox(tr("&Reduce motion"))
        self.calm.clicked.connect(self._calmed)
        self._arrange()
        self.show_choice()
        self.size_box.activated.connect(lambda index: self._sized(self.size_box.itemData(index)))

    def _arrange(self) -> None:
        column = self.section(tr("Colours"))
        group = QButtonGroup(self)
        row = QVBoxLayout()
        row.setSpacing(8)
        for name in THEMES:
            button = QRadioButton(tr(THEME_TEXTS[name]))
            button.clicked.connect(lambda _checked=False, name=name: self._themed(name))
            group.addButton(button)
            row.addWidget(button)
            self.themes[name] = button
        column.addLayout(row)
        column = self.section(tr("Text"))
        form_row(self.form(column), tr("Text &size"), self.size_box)
        column.addWidget(wrapped_label(tr("Against the size that the system asks for."), "small", "muted"))
        column = self.section(tr("Language"))
        form_row(self.form(column), tr("Lan&guage"), self.language)
        column.addWidget(wrapped_label(tr("Holds from the next start of Parley on."), "small", "muted"))
        column = self.section(tr("Motion"))
        column.addWidget(self.calm)
        note = tr("Meters, figures and the strip follow once a second, and nothing runs back and forth.")
        column.addWidget(wrapped_label(note, "small", "muted"))
        self.column.addStretch(1)

    def show_choice(self) -> None:
        """Show what holds."""
        self.themes[self._theme.name].setChecked(True)
        self.language.setCurrentIndex(max(0, self.language.findData(self._settings.get(keys.LANGUAGE))))
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

    def _spoken(self, language: str) -> None:
        self.say(self._settings.set(keys.LANGUAGE, language))
        self.show_choice()

    def _calmed(self, reduced: bool) -> None:
        sentence = self._settings.set(keys.REDUCED_MOTION, reduced)
        self.say(sentence)
        if sentence:
            self.show_choice()
        else:
            self._theme.set_reduced_motion(reduced)
