"""Pictures of every window and state, light and dark: python -m ui.screenshots FOLDER.

Owns how a scene is played. Runs offscreen unless QT_QPA_PLATFORM says otherwise, with a scripted conversation behind
the window, so that the pictures are the same everywhere. Main thread only.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget

from ui import ports as keys
from ui import scripted
from ui.app import Window, make_window
from ui.language import speak
from ui.scene import Scene
from ui.scenes import scenes
from ui.scripted_models import ScriptedModels
from ui.scripted_voices import ScriptedPresets

ICON = Path(__file__).resolve().parent.parent / "assets" / "icons" / "parley.svg"


def show(application: QApplication, scene: Scene, theme: str) -> tuple[Window, QWidget]:
    """Build the window of a scene and show it. Returns it, and the widget to be pictured."""
    conversation = scripted.ScriptedConversation()
    settings = scripted.ScriptedSettings({"window.theme": theme, "window.text_size": scene.text_size})
    if scene.sound is not None:
        settings.set(keys.AUTO_GAIN, True)
    given: dict[str, object] = {
        "spec": scene.spec,
        "sampling": scene.sampling,
        "persona": scene.persona,
        "icon": ICON,
    }
    if scene.devices is not None:
        given["devices"] = scripted.ScriptedDevices(scene.devices)
    if scene.sound is not None:
        given["sound"] = lambda: scene.sound
    recorder = scripted.ScriptedRecorder()
    if scene.recording is not None:
        recorder.wanted, recorder.shown = True, scene.recording
    given["recorder"] = recorder
    given["presets"] = ScriptedPresets(*scene.presets)
    given["models"] = ScriptedModels(scene.models)
    window = make_window(application, conversation, scripted.make_ports(settings, **given))
    window.main.show()
    conversation.say(*scene.events)
    window.bridge.tick()
    if scene.page == "guide":
        window.main.errands.open_guide()
    elif scene.page and scene.page != "latency":
        window.main.open_settings(scene.page)
    conversation.say(*scene.late)
    for record in scene.frames:
        conversation.history.append(record)
    window.bridge.tick()
    if scene.page == "latency":
        window.main.errands.open_latency()
    pictured: QWidget = window.main
    if scene.page:
        pictured = window.main.errands.windows()[0]
    for _ in range(3):
        application.processEvents()
    if scene.after is not None:
        scene.after(window)
        for _ in range(3):
            application.processEvents()
    return window, pictured


def main() -> int:
    parser = argparse.ArgumentParser(description="Write pictures of every window and state, light and dark.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only the scenes whose name holds this text")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication([])
    font = application.font()
    options.folder.mkdir(parents=True, exist_ok=True)
    for scene in scenes():
        if options.only not in scene.name:
            continue
        for theme in scene.themes:
            application.setFont(font)  # each scene begins with the system's own size
            words = speak(application, scene.language)
            window, pictured = show(application, scene, theme)
            path = options.folder / f"{scene.name}_{theme}.png"
            if not pictured.grab().save(str(path)):
                raise SystemExit(f"{path} could not be written.")
            window.main.leaving.end()
            for done in (window.main, *window.main.errands.windows()):
                done.deleteLater()
            application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            for translator in words:
                application.removeTranslator(translator)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
