"""A window with a scripted conversation behind it, beat by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtCore import QEvent, QLocale
from PySide6.QtWidgets import QApplication

from app.messages import Command, Event, ModelInfo, ModelSpec, PersonaChoice, Sampling
from ui import scripted
from ui.app import Window, make_window
from ui.language import speak
from ui.scripted_talk import ready, talking
from ui.settings import SettingsWindow

MakeRig = Callable[..., "Rig"]


@dataclass
class Rig:
    """The window and everything around it that a test looks at."""

    window: Window
    conversation: scripted.ScriptedConversation
    settings: scripted.ScriptedSettings
    devices: scripted.ScriptedDevices

    def say(self, *events: Event) -> None:
        """Let these events happen, and the window notice."""
        self.conversation.say(*events)
        self.window.bridge.tick()

    def ready(self, info: ModelInfo | None = None, mode: str = "graph") -> None:
        self.say(*ready(info or scripted.model_info(), mode))

    def talk(self, info: ModelInfo | None = None, mode: str = "graph") -> None:
        self.say(*talking(info or scripted.model_info(), mode))

    def sent(self) -> list[Command]:
        """What the window sent since the last call."""
        sent, self.conversation.sent = self.conversation.sent, []
        return sent

    def open_settings(self, page: str = "") -> SettingsWindow:
        self.window.main.open_settings(page)
        assert self.window.main.settings is not None
        return self.window.main.settings


@pytest.fixture
def make_rig(qapp: QApplication) -> Iterator[MakeRig]:
    font = qapp.font()
    made: list[Rig] = []

    def make(
        values: dict[str, object] | None = None,
        spec: ModelSpec | None = None,
        sampling: Sampling | None = None,
        persona: PersonaChoice | None = None,
        **changes: object,
    ) -> Rig:
        conversation, settings = scripted.ScriptedConversation(), scripted.ScriptedSettings(values)
        devices = scripted.ScriptedDevices(scripted.devices())
        ports = scripted.make_ports(
            settings,
            devices=devices,
            spec=spec or ModelSpec(),
            sampling=sampling or Sampling(),
            persona=persona or PersonaChoice(),
            **changes,
        )
        window = make_window(qapp, conversation, ports)
        window.main.show()
        qapp.processEvents()
        made.append(Rig(window, conversation, settings, devices))
        return made[-1]

    yield make
    for rig in made:
        rig.window.main.leaving.end()
        for window in rig.window.main.errands.windows():
            window.deleteLater()
        rig.window.main.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # processEvents alone leaves them to an event loop
    qapp.setFont(font)


@pytest.fixture
def rig(make_rig: MakeRig) -> Rig:
    return make_rig()


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    """Windows that are made now speak German."""
    default = QLocale()
    translators = speak(qapp, "de")
    assert len(translators) == 2, "ours, and Qt's own for its dialogs"
    yield
    for translator in translators:
        qapp.removeTranslator(translator)
    QLocale.setDefault(default)
