"""The language of the window: which there are, and their words put in force before anything is drawn.

Owns the choice between the system's wish and the user's, and the loading of the compiled translations, ours and Qt's
own for its dialogs. Main thread, before the first window.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

LANGUAGES = {"en": "English", "de": "Deutsch"}  # each in its own words
FOLDER = Path(__file__).resolve().parent / "translations"


def chosen(setting: str, system: QLocale | None = None) -> str:
    """One of LANGUAGES. setting: "system" or one of them; the system's language where there are words for it."""
    if setting in LANGUAGES:
        return setting
    for wanted in (system or QLocale.system()).uiLanguages():
        name = wanted.replace("_", "-").split("-")[0].lower()
        if name in LANGUAGES:
            return name
    return "en"


def speak(application: QApplication, setting: str) -> list[QTranslator]:
    """Put a language in force. English needs no words; an unreadable translation leaves English."""
    language = chosen(setting)
    QLocale.setDefault(QLocale(language) if setting in LANGUAGES else QLocale.system())
    installed = []
    if language != "en":
        places = {
            f"qtbase_{language}": QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath),
            f"parley_{language}": str(FOLDER),
        }
        for name, folder in places.items():
            translator = QTranslator(application)
            if translator.load(name, folder):
                application.installTranslator(translator)
                installed.append(translator)
    return installed
