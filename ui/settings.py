"""The settings window: pages at the left, changes at once, refusals in a sentence on their page.

Owns the shell; each page is a file of its own. Not modal: a talk and the main window go on beside it. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QStackedWidget, QWidget

from ui import icons
from ui.actions import Actions
from ui.bridge import Bridge
from ui.keeping import Refusal
from ui.ports import Ports
from ui.session import Session
from ui.settings_appearance import AppearancePage
from ui.settings_audio import AudioPage
from ui.settings_engine import EnginePage
from ui.settings_models import ModelsPage
from ui.settings_page import Page
from ui.settings_recording import RecordingPage
from ui.settings_voice import VoicePage
from ui.theme import Theme
from ui.words import tr

PICTURES = {
    "audio": "microphone",
    "voice": "voice",
    "models": "models",
    "engine": "engine",
    "recording": "record",
    "appearance": "appearance",
}


class SettingsWindow(QWidget):
    """Audio, Voice, Models, Engine, Recording, Appearance."""

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme, actions: Actions):
        super().__init__(None, Qt.WindowType.Window)
        self._theme = theme
        self.setWindowTitle(tr("Settings"))  # the system adds the program's name
        self.audio = AudioPage(session, bridge, ports, theme, actions)
        self.voice = VoicePage(session, bridge, ports, actions, theme)
        self.models = ModelsPage(session, bridge, ports, theme)
        self.engine = EnginePage(session, ports, actions)
        self.recording = RecordingPage(bridge, ports, actions)
        self.appearance = AppearancePage(session, ports.settings, theme)
        self.pages: dict[str, Page] = {
            "audio": self.audio,
            "voice": self.voice,
            "models": self.models,
            "engine": self.engine,
            "recording": self.recording,
            "appearance": self.appearance,
        }
        self.list = QListWidget()
        self.list.setProperty("nav", True)
        self.list.setAccessibleName(tr("Settings pages"))
        self.list.setIconSize(QSize(20, 20))
        self.stack = QStackedWidget()
        for page in self.pages.values():
            self.list.addItem(QListWidgetItem(page.title))
            self.stack.addWidget(page)
        self.list.currentRowChanged.connect(self.stack.setCurrentIndex)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 14, 6, 6)
        layout.setSpacing(12)
        layout.addWidget(self.list)
        layout.addWidget(self.stack, 1)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        session.refused.connect(self._show_refusal)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.list.setCurrentRow(0)
        self.resize(820, 640)

    def open_page(self, name: str) -> None:
        """Show the window, on a page if one is named."""
        if name in self.pages:
            self.list.setCurrentRow(list(self.pages).index(name))
        self.show()
        self.raise_()
        self.activateWindow()

    def _show_refusal(self, refusal: Refusal) -> None:
        self.pages[refusal.page].say(refusal.sentence)

    def _restyle(self) -> None:
        for row, name in enumerate(self.pages):
            self.list.item(row).setIcon(icons.icon(PICTURES[name], self._theme.colours.text))
        metrics = self.list.fontMetrics()
        widest = max(metrics.horizontalAdvance(page.title) for page in self.pages.values())
        self.list.setFixedWidth(widest + 84)
