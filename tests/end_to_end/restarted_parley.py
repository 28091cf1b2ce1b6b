"""The program with its real window and a scripted engine that comes to its end in the 30th frame: "lost", its graphics
card is gone for good; "hangs", the frame never comes back, and somebody presses the banner's button.

`python -m tests.end_to_end.restarted_parley FOLDER lost`: the restart that the program begins is this script again,
which writes what its window shows to FOLDER/seen.json and closes. All but engine and sound is the program itself.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

import app.main
import ui.app
from app import config, relaunch
from tests.app.fake_engine import FakeEngine, FakeLoader, FakeVoices, VirtualClock
from tests.app.virtual_ends import VirtualEnds

LOST = "CUDA error: an illegal memory access was encountered"
WORDS_AT = {5: 100, 9: 101, 13: 102}  # frames and tokens


def main(folder: Path, fault: str) -> int:
    again = relaunch.PLACE in os.environ
    real_window, real_conversation = ui.app.make_window, app.main.Conversation
    relaunch.command = lambda: [sys.executable, "-m", "tests.end_to_end.restarted_parley", str(folder), fault]
    engine = FakeEngine(text=WORDS_AT, fail_at={30: RuntimeError(LOST)} if fault == "lost" else None)
    if fault == "hangs":
        hang_in_a_talk(engine)

    def conversation(ends: Any, voices: Any) -> Any:
        return real_conversation(
            VirtualEnds(VirtualClock(), 10**6), voices=FakeVoices(), load_engine=FakeLoader(engine),
            thread_context=threading.Lock,
        )  # fmt: skip

    def window(application: QApplication, talk: Any, ports: Any) -> Any:
        made = real_window(application, talk, ports)
        if again:
            QTimer.singleShot(500, made.main, lambda: look(made, folder))
        else:
            made.main.resize(1080, 710)
            ports.settings.set("window.text_size", 120)
            made.session.phase_changed.connect(lambda phase: made.session.start() if phase == "ready" else None)
            made.session.troubles_changed.connect(lambda: press_restart(made, folder))
        return made

    app.main.Conversation = conversation  # type: ignore[assignment, misc]
    ui.app.make_window = window
    return app.main.run_window(config.load(folder / "mine.yaml"))


def hang_in_a_talk(engine: FakeEngine) -> None:
    step = engine.step

    def hanging(pcm: Any) -> Any:
        if engine.steps > 40:
            time.sleep(600)
        return step(pcm)

    engine.step = hanging  # type: ignore[method-assign]


def press_restart(window: Any, folder: Path) -> None:
    """As somebody at the window: not at once, and only when the banner offers it."""

    def press() -> None:
        banner = window.main.banner
        (folder / "phase.txt").write_text(f"{window.main.phase.text()}: {banner.sentence.text()}")
        banner.button.click()

    if any(trouble.kind == "stuck" for trouble in window.session.troubles):
        QTimer.singleShot(100, window.main, press)


def look(window: Any, folder: Path) -> None:
    main = window.main
    seen = {
        "words": main.transcript.as_text(),
        "size": [main.width(), main.height()],
        "told": [trouble.sentence for trouble in window.session.troubles],
        "text_size": window.ports.settings.get("window.text_size"),
    }
    (folder / "seen.part").write_text(json.dumps(seen))
    (folder / "seen.part").rename(folder / "seen.json")
    main.leaving.end()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
