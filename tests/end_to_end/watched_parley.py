"""The program as users run it, with somebody watching: `python -m tests.end_to_end.watched_parley FILE [ARGUMENTS]`.

The arguments are parley's own. Nothing in the program is replaced. The watcher answers questions that come as JSON
lines on standard input ("what is the state", "where on the screen is this button"), and every answer frame that goes
to the sound side is also written to FILE, raw float32 at 24 kHz. Pressing and clicking is left to the test, through
the screen.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QSocketNotifier
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QListWidget, QWidget

import ui.app
from app.audio import DeviceAudio
from app.cli import main as parley
from ui.ports import ConversationPort


class Watcher:
    """Answers questions about the window, in the window's own thread."""

    def __init__(self, window: ui.app.Window, conversation: ConversationPort) -> None:
        self._window = window
        self._conversation = conversation
        self._notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._answer)

    def _answer(self) -> None:
        line = sys.stdin.readline()
        if not line:  # the test has gone
            self._notifier.setEnabled(False)
            self._window.main.leaving.end()
            return
        question = json.loads(line)
        answer = getattr(self, question.pop("ask"))(**question)
        print(json.dumps(answer), flush=True)

    def state(self) -> dict[str, Any]:
        session, main = self._window.session, self._window.main
        records = self._conversation.history.tail(10**6)
        groups = {"main": main.modes, "settings": main.settings.engine.modes if main.settings else None}
        return {
            "phase": session.phase,
            "mode": session.mode,
            "modes": session.modes,
            "frames": len(records),
            "runs": [[mode, len(list(run))] for mode, run in itertools.groupby(record.mode for record in records)],
            "last": records[-1]._asdict() if records else None,
            "late": sum(record.late for record in records),
            "slowest_ms": max((record.total for record in records), default=0.0),
            "loudest_dbfs": max((record.output_dbfs for record in records), default=-120.0),
            "heard_dbfs": max((record.input_dbfs for record in records), default=-120.0),
            "checked": {
                name: [mode for mode, button in group.buttons.items() if button.isChecked()] if group else []
                for name, group in groups.items()
            },
            "troubles": [trouble.sentence for trouble in session.troubles],
            "kinds": [trouble.kind for trouble in session.troubles],
            "active": _title(QApplication.activeWindow()),
        }

    def check(self, what: str = "", seconds: float = 0.0) -> dict[str, Any]:
        """Begin "record" or "chime", as the guide's buttons do; without either, how the sound check stands."""
        check = self._window.ports.check
        if what:
            check.record(seconds) if what == "record" else check.play_chime()
        state = check.state()
        return {"doing": state.doing, "recorded_s": state.recorded_s, "loudest_dbfs": state.loudest_dbfs}

    def records(self) -> list[dict[str, Any]]:
        """The frames' own records, for the artefacts."""
        return [record._asdict() for record in self._conversation.history.tail(10**6)]

    def stall(self, seconds: float) -> bool:
        """Hold up the window's thread, as a window system that does not answer would."""
        time.sleep(seconds)
        return True

    def place(self, window: str, name: str) -> dict[str, Any] | None:
        """Where the middle of a widget, or of a row of a list ("list:TEXT"), is on the screen; None: not there."""
        top = self._top(window)
        if top is None or not top.isVisible():
            return None
        if name.startswith("list:"):
            return _row_place(top, name.removeprefix("list:"))
        widget = top.findChild(QWidget, name)
        if widget is None:
            return None
        middle = QPoint(min(12, widget.width() // 2), widget.height() // 2)  # on the mark of a radio button
        shown = widget.isEnabled() and not widget.visibleRegion().isEmpty() and widget.visibleRegion().contains(middle)
        return _at(widget, middle) | {"shown": shown}

    def window_id(self, window: str) -> int:
        top = self._top(window)
        assert top is not None
        return int(top.winId())

    def unsaved(self) -> bool:
        """Does the window hold words that closing it would ask about?"""
        return any(talk.unsaved for talk in self._window.main.transcript.spoken())

    def asked(self) -> bool:
        """Does that question stand?"""
        question = self._window.main.leaving.question
        return question is not None and question.isVisible()

    def _top(self, window: str) -> QWidget | None:
        main = self._window.main
        return {"main": main, "settings": main.settings, "question": main.leaving.question}[window]

    def picture(self, path: str) -> bool:
        """The whole screen, as somebody in front of it would see it."""
        return QGuiApplication.primaryScreen().grabWindow(0).save(path)


def _title(window: QWidget | None) -> str:
    return window.windowTitle() if window else ""


def _row_place(top: QWidget, text: str) -> dict[str, Any] | None:
    for rows in top.findChildren(QListWidget):
        for row in range(rows.count()):
            if rows.item(row).text() == text:
                return _at(rows.viewport(), rows.visualItemRect(rows.item(row)).center()) | {"shown": True}
    return None


def _at(widget: QWidget, point: QPoint) -> dict[str, Any]:
    on_screen = widget.mapToGlobal(point)
    return {"x": on_screen.x(), "y": on_screen.y()}


def main(arguments: list[str]) -> int:
    make_window, write_frame = ui.app.make_window, DeviceAudio.write_frame
    watchers: list[Watcher] = []
    answers = Path(arguments[0]).open("wb", buffering=0)  # noqa: SIM115 - open as long as the program runs

    def make_watched(application: QApplication, conversation: ConversationPort, ports: Any) -> ui.app.Window:
        window = make_window(application, conversation, ports)
        watchers.append(Watcher(window, conversation))
        return window

    def write_kept(self: DeviceAudio, pcm: Any) -> None:
        answers.write(pcm.tobytes())
        write_frame(self, pcm)

    ui.app.make_window = make_watched
    DeviceAudio.write_frame = write_kept  # type: ignore[method-assign]
    return parley(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
