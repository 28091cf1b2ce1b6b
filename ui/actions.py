"""Every action of the window as a QAction: text, shortcut, icon, accessible words, and when it can be used.

Owns the actions and nothing drawn; menus, buttons and radio buttons all hang on them, so that a shortcut, a menu and
a click are one thing. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence

from app.messages import MODES
from ui import icons
from ui.figures import MODE_WORDS
from ui.session import Session
from ui.theme import Theme
from ui.words import marked, tr, translated

MODE_TEXTS = {
    "graph": (
        marked("&Graph"),
        marked("Replays the whole frame as one recorded CUDA graph; the fastest way on an NVIDIA card."),
    ),
    "eager": (marked("&Eager"), marked("Launches every step one by one; runs everywhere.")),
    "compiled": (
        marked("&Compiled"),
        marked("Steps compiled for this computer; building them takes a while after each start."),
    ),
}
START_REASONS = {
    "idle": marked("No model is loaded yet."),
    "loading": marked("The model is still loading."),
    "building": marked("A mode is being built."),
    "failed": marked("The model is not loaded; see the message above."),
    "closed": marked("The program is closing."),
}


class Actions(QObject):
    """The window's actions. Shortcuts hold in every window of the program and fire once however long a key is held."""

    settings_wanted = Signal()
    quit_wanted = Signal()
    copy_transcript_wanted = Signal()
    save_transcript_wanted = Signal()
    copy_diagnostics_wanted = Signal()
    reports_wanted = Signal()
    record_wanted = Signal(bool)
    push_to_talk_wanted = Signal(bool)
    latency_wanted = Signal()
    copy_latency_wanted = Signal()
    save_latency_wanted = Signal()
    trial_wanted = Signal()
    guide_wanted = Signal()

    def __init__(self, session: Session, theme: Theme):
        super().__init__()
        self._session = session
        self._theme = theme
        self.talk = self._make("talk", tr("Start talk"), "F5", self._toggle_talk)
        self.mute = self._make("mute", tr("&Mute"), "Ctrl+D", self._toggle_mute, checkable=True)
        self.new_talk = self._make("new_talk", tr("&New talk"), "Ctrl+N", session.new_talk)
        self.record = self._make("record", tr("&Record talk"), "Ctrl+R", self._toggle_record, checkable=True)
        self.push_to_talk = self._make(
            "push_to_talk", tr("&Push to talk"), "Ctrl+Shift+T", self._toggle_push_to_talk, checkable=True
        )
        self.settings = self._make(
            "settings", tr("&Settings\N{HORIZONTAL ELLIPSIS}"), "Ctrl+,", self.settings_wanted.emit
        )
        self.models = self._make(
            "models", tr("M&odels\N{HORIZONTAL ELLIPSIS}"), "Ctrl+Shift+M", lambda: session.page_wanted.emit("models")
        )
        self.copy_transcript = self._make(
            "copy_transcript", tr("Copy &transcript"), "Ctrl+Shift+C", self.copy_transcript_wanted.emit
        )
        self.save_transcript = self._make(
            "save_transcript", tr("&Save transcript\N{HORIZONTAL ELLIPSIS}"), "Ctrl+S", self.save_transcript_wanted.emit
        )
        self.copy_diagnostics = self._make(
            "copy_diagnostics", tr("Copy &diagnostics"), "Ctrl+Shift+D", self.copy_diagnostics_wanted.emit
        )
        self.reports = self._make("reports", tr("Open &reports of errors"), "Ctrl+Shift+R", self.reports_wanted.emit)
        self.latency = self._make("latency", tr("&Latency details"), "Ctrl+Shift+L", self.latency_wanted.emit)
        self.trial = self._make("trial", tr("&Try eager for 5 s"), "Ctrl+E", self.trial_wanted.emit)
        self.copy_latency = self._make(
            "copy_latency", tr("Copy &figures"), "Ctrl+Shift+F", self.copy_latency_wanted.emit
        )
        self.save_latency = self._make(
            "save_latency", tr("&Export frames\N{HORIZONTAL ELLIPSIS}"), "Ctrl+Shift+E", self.save_latency_wanted.emit
        )
        self.guide = self._make("guide", tr("First-run &guide"), "Ctrl+G", self.guide_wanted.emit)
        self.load = self._make("load", tr("&Load model"), "Ctrl+L", session.load)
        self.cancel_load = self._make("cancel_load", tr("C&ancel loading"), "Ctrl+.", session.cancel_load)
        self.quit = self._make("quit", tr("&Quit"), "Ctrl+Q", self.quit_wanted.emit)
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        self.settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        self.modes = self._make_modes()
        self.describe(self.new_talk, tr("Forget this talk and begin another at once"))
        self.describe(self.settings, tr("Audio, voice, engine, recording and appearance"))
        self.describe(self.push_to_talk, tr("The model hears you only while the talk key is held"))
        self.describe(self.record, tr("Record both sides of this talk and the next ones, until you press again"))
        self.describe(self.latency, tr("What each mode costs in this talk, stage by stage"))
        self.describe(self.copy_latency, tr("Copy the cost of each mode as text"))
        self.describe(self.save_latency, tr("Save every frame's cost as a table (CSV) or as a trace for Perfetto"))
        self.describe(self.guide, tr("Check microphone and loudspeaker, and choose a model"))
        self.describe(self.models, tr("See which models are here, download, check and delete them"))
        self.describe(self.copy_diagnostics, tr("Copy versions, devices and the last log lines for a bug report"))
        self.describe(self.copy_transcript, tr("Copy the words of this window with their times"))
        self.describe(self.save_transcript, tr("Save the words of this window as text, Markdown or subtitles"))
        session.phase_changed.connect(self._update)
        session.mode_changed.connect(self._update_modes)
        session.muted_changed.connect(self._update)
        theme.changed.connect(self._update)
        self._update()
        self._update_modes()

    def all(self) -> list[QAction]:
        """Every action, for menus, windows and tests."""
        return [*self._plain, *self.modes.values()]

    def _make(self, name: str, text: str, shortcut: str, slot: object, checkable: bool = False) -> QAction:
        action = QAction(text, self)
        action.setObjectName(name)
        action.setCheckable(checkable)
        action.setShortcut(QKeySequence(shortcut))
        action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
        action.setAutoRepeat(False)
        action.triggered.connect(slot if checkable else lambda _checked=False: slot())  # type: ignore[operator]
        self.describe(action, text.replace("&", ""))
        self._plain = [*getattr(self, "_plain", []), action]
        return action

    def _make_modes(self) -> dict[str, QAction]:
        group = QActionGroup(self)
        made = {}
        for number, mode in enumerate(MODES, start=1):
            action = QAction(tr(MODE_TEXTS[mode][0]), self)
            action.setObjectName(f"mode_{mode}")
            action.setCheckable(True)
            action.setShortcut(QKeySequence(f"Ctrl+{number}"))
            action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
            action.setAutoRepeat(False)
            action.triggered.connect(lambda _checked=False, mode=mode: self._session.set_mode(mode))
            group.addAction(action)
            made[mode] = action
        return made

    @staticmethod
    def describe(action: QAction, sentence: str) -> None:
        """Say what an action does, or why it cannot be used now."""
        shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setStatusTip(sentence)
        action.setToolTip(f"{sentence} ({shortcut})" if shortcut else sentence)

    def _toggle_talk(self) -> None:
        if self._session.talking:
            self._session.stop()
        elif self._session.phase == "ready":
            self._session.start()

    def _toggle_record(self, on: bool) -> None:
        self.record_wanted.emit(on)

    def _toggle_push_to_talk(self, push: bool) -> None:
        self.push_to_talk_wanted.emit(push)

    def _toggle_mute(self, muted: bool) -> None:
        self._session.set_muted(muted)

    def _update(self) -> None:
        session, colours = self._session, self._theme.colours
        talking = session.talking
        self.talk.setText(tr("Stop talk") if talking else tr("Start talk"))
        self.talk.setEnabled(talking or session.phase == "ready")
        reason = tr(START_REASONS[session.phase]) if session.phase in START_REASONS else ""
        self.describe(self.talk, tr("Stop talking") if talking else reason or tr("Start talking"))
        self.talk.setIcon(icons.icon("stop" if talking else "start", colours.on_accent, colours.muted))
        self.mute.setChecked(session.muted)
        self.mute.setText(tr("&Muted") if session.muted else tr("&Mute"))
        words = (
            tr("The model hears silence; press to be heard again")
            if session.muted
            else tr("Let the model hear silence")
        )
        self.describe(self.mute, words)
        self.mute.setIcon(
            icons.icon("muted", colours.amber) if session.muted else icons.icon("microphone", colours.text)
        )
        self.record.setIcon(icons.icon("record", colours.red))
        self.new_talk.setEnabled(talking)
        self.new_talk.setIcon(icons.icon("new", colours.text, colours.muted))
        self.latency.setIcon(icons.icon("details", colours.muted))
        self.settings.setIcon(icons.icon("settings", colours.text))
        self.copy_transcript.setIcon(icons.icon("copy", colours.muted))
        self.save_transcript.setIcon(icons.icon("save", colours.muted))
        self.load.setEnabled(session.phase in ("idle", "failed", "ready"))
        self.load.setText(tr("&Load model") if session.info is None else tr("Re&load model"))
        building = session.phase == "building"
        self.cancel_load.setEnabled(session.phase == "loading" or building)
        goes_on = tr("Go o&n in {mode}").format(mode=tr(MODE_WORDS.get(session.mode, session.mode)))
        self.cancel_load.setText(goes_on if building and session.mode else tr("C&ancel loading"))
        given_up = tr("Give up building the mode; it can be chosen again at any time")
        self.describe(self.cancel_load, given_up if building else tr("Give up loading the model"))

    def _update_modes(self) -> None:
        chosen = self._session.wanted_mode or self._session.mode
        for mode, action in self.modes.items():
            reason = self._session.modes.get(mode)
            action.setEnabled(reason is None)
            action.setChecked(mode == chosen)
            self.describe(
                action,
                tr("Not on this computer: {reason}").format(reason=translated(reason))
                if reason
                else tr(MODE_TEXTS[mode][1]),
            )
        if not chosen:
            self._uncheck_all()

    def _uncheck_all(self) -> None:
        group = next(iter(self.modes.values())).actionGroup()
        assert group is not None
        group.setExclusive(False)
        for action in self.modes.values():
            action.setChecked(False)
        group.setExclusive(True)
