"""What the menus do beside talking: open the other windows, copy, save, try a mode.

Owns the other windows, each made at its first use, and the words with which an errand is reported. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ui.actions import Actions
from ui.bridge import Bridge
from ui.figures import MODE_WORDS
from ui.guide import GuideWindow
from ui.held_keys import HeldKeys
from ui.latency_details import LatencyWindow
from ui.latency_forms import as_csv, as_text, as_trace
from ui.mode_trial import ModeTrial
from ui.ports import Ports
from ui.saving import Kind, Saver
from ui.session import Session
from ui.settings import SettingsWindow
from ui.theme import Theme
from ui.transcript import TranscriptView
from ui.transcript_forms import FORMS
from ui.turns import Talk
from ui.words import marked, tr


class Errands(QObject):
    """`done` carries a passing word about what was done."""

    done = Signal(str)

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme, actions: Actions, window: QWidget):
        super().__init__(window)
        self._session = session
        self._bridge = bridge
        self._ports = ports
        self._theme = theme
        self._actions = actions
        self._window = window
        self.held_keys = HeldKeys(actions.all())
        self.saver = Saver(bridge, ports)
        self.trial = ModeTrial(session, bridge)
        self.settings: SettingsWindow | None = None
        self.latency: LatencyWindow | None = None
        self.guide: GuideWindow | None = None
        self._connect()
        self._follow_trial()

    def _connect(self) -> None:
        session, actions = self._session, self._actions
        session.page_wanted.connect(self.open_settings)
        actions.settings_wanted.connect(lambda: self.open_settings(""))
        actions.latency_wanted.connect(self.open_latency)
        actions.guide_wanted.connect(self.open_guide)
        actions.copy_diagnostics_wanted.connect(self._copy_diagnostics)
        actions.copy_latency_wanted.connect(self._copy_latency)
        actions.save_latency_wanted.connect(self._save_latency)
        actions.trial_wanted.connect(self._try_mode)
        self.trial.changed.connect(self._follow_trial)
        session.mode_changed.connect(self._follow_trial)
        self.saver.saved.connect(self._saved)
        self.saver.failed.connect(lambda sentence: session.tell("save", sentence))

    # ------------------------------------------------------------------ windows

    def open_settings(self, page: str) -> None:
        """Show the settings window; page: one of its pages by name, or ""."""
        if self.settings is None:
            self.settings = SettingsWindow(self._session, self._bridge, self._ports, self._theme, self._actions)
            self.settings.setWindowIcon(self._window.windowIcon())
        self.settings.open_page(page)
        self.held_keys.watch(self.settings)

    def open_latency(self) -> None:
        """Show the latency details."""
        window = self._latency()
        window.show()
        window.raise_()
        window.activateWindow()
        self.held_keys.watch(window)

    def open_guide(self) -> None:
        """Show the first-run guide."""
        if self.guide is None:
            self.guide = GuideWindow(self._session, self._bridge, self._ports, self._theme)
            self.guide.setWindowIcon(self._window.windowIcon())
        self.guide.open(over=self._window)
        self.held_keys.watch(self.guide)

    def windows(self) -> list[QWidget]:
        """Those that were made."""
        return [window for window in (self.settings, self.latency, self.guide) if window is not None]

    def close_windows(self) -> None:
        for window in self.windows():
            window.close()

    def _latency(self) -> LatencyWindow:
        if self.latency is None:
            self.latency = LatencyWindow(self._session, self._bridge, self.trial, self._theme, self._actions)
            self.latency.setWindowIcon(self._window.windowIcon())
        return self.latency

    # ------------------------------------------------------------------ transcript

    def copy_transcript(self, transcript: TranscriptView) -> None:
        text = transcript.as_text()
        if text:
            QGuiApplication.clipboard().setText(text)
        self.done.emit(tr("Transcript copied") if text else tr("There are no words to copy yet"))

    def save_transcript(
        self, transcript: TranscriptView, then: Callable[[Sequence[Talk]], object] = lambda _talks: None
    ) -> None:
        """then: called once a file is written, with the talks that are in it."""
        talks = transcript.spoken()
        if not talks:
            self.done.emit(tr("There are no words to save yet"))
            return
        kinds = [
            Kind(form.name, form.ending, partial(form.make, talks), partial(_note_saved, form.held(talks), then))
            for form in FORMS
        ]
        self.saver.ask(self._window, tr("Save the transcript"), "Parley", kinds)

    def _saved(self, path: Path) -> None:
        self._session.tell("save", "")
        self.done.emit(tr("Saved as {name}").format(name=path.name))

    # ------------------------------------------------------------------ latency

    def _try_mode(self) -> None:
        if not self.trial.running:
            self.open_latency()  # where the comparison will stand
        self.trial.toggle()

    def _follow_trial(self) -> None:
        trial, action = self.trial, self._actions.trial
        reason = trial.reason()
        if trial.running:
            action.setText(tr("&Back to {mode}").format(mode=tr(MODE_WORDS[trial.usual])))
            self._actions.describe(action, tr("Return from the trial at once"))
        else:
            action.setText(tr("&Try eager for 5 s"))
            words = tr("Run the eager mode for five seconds, return, and compare the two")
            self._actions.describe(action, reason or words)
        action.setEnabled(trial.running or not reason)

    def _copy_latency(self) -> None:
        reports = self._latency().costs.reports()
        if reports:
            info = self._session.info
            heading = f"Parley: {info.name}, {info.device_name}, {info.precision}" if info else "Parley"
            QGuiApplication.clipboard().setText(as_text(reports, heading))
        self.done.emit(tr("Figures copied") if reports else tr("There are no figures to copy yet"))

    def _save_latency(self) -> None:
        records = self._bridge.talk_records()
        if not records:
            self.done.emit(tr("There are no frames to export yet"))
            return
        kinds = [
            Kind(marked("Table of frames"), ".csv", partial(as_csv, records)),
            Kind(marked("Trace for Perfetto"), ".json", partial(as_trace, records)),
        ]
        seen = self.latency is not None and self.latency.isVisible()
        parent = self.latency if seen and self.latency is not None else self._window
        self.saver.ask(parent, tr("Export the frames"), "Parley frames", kinds)

    # ------------------------------------------------------------------ diagnostics

    def _copy_diagnostics(self) -> None:
        self.done.emit(tr("Collecting diagnostics"))
        self._bridge.when_done(self._ports.diagnostics(), self._diagnostics_ready)

    def _diagnostics_ready(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.done.emit(tr("Diagnostics copied; paste them into the report"))


def _note_saved(talks: Sequence[Talk], then: Callable[[Sequence[Talk]], object]) -> Callable[[], object]:
    """The talks as they are now; once that is in a file, they are saved up to here."""
    sizes = [talk.size for talk in talks]

    def arrived() -> None:
        for talk, size in zip(talks, sizes, strict=True):
            talk.saved = max(talk.saved, size)
        then(talks)

    return arrived
