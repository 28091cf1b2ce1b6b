"""The main window: header, notices, transcript, latency, meters.

Owns the arrangement and the words of the phases; state and commands are the session's. Opens at once and waits for
nothing. Qt thread only.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMainWindow, QSplitter, QVBoxLayout, QWidget

from app.messages import ModelInfo
from app.telemetry import FRAME_MS, FrameRecord
from ui import icons
from ui.actions import Actions
from ui.bridge import Bridge
from ui.errands import Errands
from ui.figures import format_bytes, format_clock
from ui.labels import ElidedLabel, action_button, heading_row, set_tone, text_label
from ui.latency_view import LatencyView
from ui.leaving import Leaving
from ui.meter import LevelPane
from ui.mode_radios import ModeRadios
from ui.notices import Banner, Progress, untrained_notice
from ui.phase_words import PHASE_WORDS, hint
from ui.ports import Ports
from ui.recording_sign import RecordingSign
from ui.rescue import Rescue
from ui.scrolling import VerticalScroll, WithinScreen
from ui.session import Session
from ui.settings import SettingsWindow
from ui.talk_flow import TalkFlow
from ui.talk_key import TalkButton, TalkKey
from ui.theme import Theme
from ui.transcript import TranscriptView
from ui.turns import MODEL, USER
from ui.words import tr, translated

DONE_SHOWN_MS = 4000
CALM_FRAMES = 12  # about a second


class MainWindow(QMainWindow):
    """The window. `bridge` must be started by whoever shows it."""

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme):
        super().__init__()
        self._session = session
        self._bridge = bridge
        self._ports = ports
        self._theme = theme
        self._seconds = 0.0
        self._shown = -CALM_FRAMES  # number of the newest record shown
        self.actions_ = Actions(session, theme)
        self.setWindowTitle("Parley")
        self.setWindowIcon(icons.program_icon(ports.icon))
        self.errands = Errands(session, bridge, ports, theme, self.actions_, self)
        self.flow = TalkFlow(session, bridge)
        self._make_parts()
        self._arrange()
        self._make_menus()
        self._connect()
        self._show_phase()
        self._show_model()
        self.resize(1120, 760)

    def sizeHint(self) -> QSize:
        return QSize(1120, 760)

    # ------------------------------------------------------------------ parts

    def _make_parts(self) -> None:
        session, theme, actions = self._session, self._theme, self.actions_
        self.start_button = action_button(actions.talk, "primary")
        self.mute_button = action_button(actions.mute)
        self.new_button = action_button(actions.new_talk)
        self.settings_button = action_button(actions.settings, "flat", text=False)
        self.talk_key = TalkKey(session, self._ports.settings, actions)
        self.talk_button = TalkButton(self.talk_key, theme)
        self.modes = ModeRadios(actions)
        self.recording = RecordingSign(theme, session, self._bridge, self._ports.recorder, actions)
        self.phase_dot = QLabel()
        self.phase = text_label("", "label")
        self.banner = Banner(theme, session)
        self.progress = Progress(theme, session, actions)
        self.untrained = untrained_notice(theme, session)
        self.transcript = TranscriptView(theme)
        self.leaving = Leaving(self, self.errands, self.transcript)
        self.rescue = Rescue(session, self._ports, self, self.transcript, self.leaving)
        self.latency = LatencyView(theme, action_button(actions.latency, "flat", text=False))
        self.microphone = LevelPane(theme, tr("Microphone level"), "microphone")
        self.speaker = LevelPane(theme, tr("Loudspeaker level"), "speaker")
        self.model = ElidedLabel()
        self.model.setProperty("role", "small")
        self.model.setProperty("tone", "muted")
        self.model.setAccessibleName(tr("Model"))
        self._done = QTimer(self)
        self._done.setSingleShot(True)
        self._done.setInterval(DONE_SHOWN_MS)
        self._done.timeout.connect(self._show_model)

    def _arrange(self) -> None:
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(14, 8, 14, 12)
        layout.setSpacing(10)
        layout.addWidget(self._header())
        for strip in (self.banner, self.progress, self.untrained):
            layout.addWidget(strip)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(10)
        splitter.addWidget(self._transcript_card())
        splitter.addWidget(VerticalScroll(self.latency))
        splitter.setStretchFactor(0, 5)
        splitter.setStretchFactor(1, 5)
        splitter.setSizes([540, 540])
        layout.addWidget(splitter, 1)
        layout.addWidget(self._footer())
        self.setCentralWidget(WithinScreen(body))
        body.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        body.setFocus()  # no button has the focus at first, so that a stray space bar starts and stops nothing

    def _header(self) -> QWidget:
        card, row = _card_row()
        for button in (self.start_button, self.mute_button, self.talk_button, self.new_button):
            row.addWidget(button)
        row.addSpacing(8)
        row.addWidget(_divider())
        row.addSpacing(8)
        row.addWidget(text_label(tr("Engine"), "label", "muted"))
        row.addWidget(self.modes)
        row.addStretch(1)
        row.addWidget(self.phase_dot)
        row.addWidget(self.phase)
        row.addWidget(self.settings_button)
        return card

    def _transcript_card(self) -> QWidget:
        card = QFrame()
        card.setProperty("card", True)
        layout = QVBoxLayout(card)
        layout.setContentsMargins(16, 8, 10, 10)
        layout.setSpacing(8)
        buttons = (
            action_button(action, "flat", text=False)
            for action in (self.actions_.save_transcript, self.actions_.copy_transcript)
        )
        layout.addLayout(heading_row(tr("Transcript"), *buttons))
        layout.addWidget(self.transcript, 1)
        card.setMinimumWidth(260)
        return card

    def _footer(self) -> QWidget:
        card, row = _card_row()
        row.addWidget(self.recording)  # here, where meters give way: in the full header it would widen the window
        row.addWidget(self.microphone, 3)
        row.addSpacing(12)
        row.addWidget(self.speaker, 3)
        row.addSpacing(12)
        row.addWidget(self.model)
        return card

    def _make_menus(self) -> None:
        actions, bar = self.actions_, self.menuBar()
        talk = bar.addMenu(tr("&Talk"))
        talk.addActions([actions.talk, actions.mute, actions.push_to_talk, actions.new_talk, actions.record])
        talk.addSeparator()
        talk.addActions([actions.save_transcript, actions.copy_transcript])
        talk.addSeparator()
        talk.addActions([actions.quit])
        engine = bar.addMenu(tr("&Engine"))
        engine.addActions(list(actions.modes.values()))
        engine.addSeparator()
        engine.addActions([actions.trial])
        engine.addSeparator()
        engine.addActions([actions.load, actions.cancel_load, actions.models])
        tools = bar.addMenu(tr("T&ools"))
        tools.addActions([actions.settings])
        tools.addSeparator()
        tools.addActions([actions.latency, actions.copy_latency, actions.save_latency])
        tools.addSeparator()
        tools.addActions([actions.guide, actions.copy_diagnostics, actions.reports])
        for menu in (talk, engine, tools):
            menu.setToolTipsVisible(True)
        self.addActions(actions.all())

    def _connect(self) -> None:
        session, actions = self._session, self.actions_
        session.phase_changed.connect(self._show_phase)
        session.troubles_changed.connect(self._show_phase)
        session.info_changed.connect(self._show_model)
        session.info_changed.connect(self._show_phase)
        self.flow.changed.connect(self._show_phase)
        session.mode_changed.connect(self._show_mode)
        session.muted_changed.connect(self._show_muted)
        session.talk_started.connect(self._talk_started)
        session.talk_ended.connect(self._talk_ended)
        session.text_spoken.connect(lambda time_s, piece: self.transcript.add_piece(MODEL, time_s, piece))
        session.user_spoke.connect(lambda words, back: self.transcript.add_words(USER, words, back))
        actions.quit_wanted.connect(self.close)
        actions.copy_transcript_wanted.connect(lambda: self.errands.copy_transcript(self.transcript))
        actions.save_transcript_wanted.connect(lambda: self.errands.save_transcript(self.transcript))
        self.errands.done.connect(self._say_done)
        actions.reports_wanted.connect(self.rescue.open_reports)
        self._bridge.frames.connect(self._show_frames)
        self._bridge.each_second.connect(session.check_saving)
        self._bridge.each_second.connect(session.check_sound)
        self._theme.changed.connect(self._show_phase)

    # ------------------------------------------------------------------ what is shown

    def _show_phase(self, *_: object) -> None:
        # An engine that does not come back from a frame holds no talk, whatever its thread said last.
        stuck = any(trouble.kind == "stuck" for trouble in self._session.troubles)
        phase = "failed" if stuck else self._session.phase
        colours = self._theme.colours
        colour = {"talking": colours.ok, "ready": colours.ok, "failed": colours.red}.get(phase, colours.amber)
        if phase == "talking" and (self._session.muted or self.flow.waiting):
            colour = colours.amber
        self.phase_dot.setText(f'<span style="color:{colour}">\N{BLACK CIRCLE}</span>')
        words = hint(phase, self._session.info)
        self.transcript.set_hint(tr(words) if words else "")
        self._show_words(phase)
        if phase != "talking" or self.flow.waiting:  # a level that stands still would be taken for one that is heard
            for pane in (self.microphone, self.speaker):
                pane.set_level(float("nan"))

    def _show_words(self, phase: str) -> None:
        words = tr(PHASE_WORDS[phase])
        waiting = self.flow.waiting if phase == "talking" else ""
        if waiting:
            words = tr(waiting)
        elif phase == "talking" and self._session.muted:
            words = tr("Muted")
        if phase in ("talking", "building") and self._session.talking:
            words = f"{words}, {format_clock(self._seconds)}"
        self.phase.setText(words)
        set_tone(self.phase, "over" if phase == "failed" else "near" if self._session.muted or waiting else "")

    def _show_muted(self, muted: bool) -> None:
        self.microphone.set_picture("muted" if muted else "microphone")
        self._show_phase()

    def _show_mode(self) -> None:
        self.latency.set_mode(self._session.mode)

    def _show_model(self) -> None:
        self._done.stop()
        info = self._session.info
        self.model.setText(model_words(info) if info else "")
        self.model.setToolTip(model_tooltip(info) if info else "")

    def _show_frames(self, records: Sequence[FrameRecord]) -> None:
        if self._theme.reduced_motion and records and 0 <= records[-1].number - self._shown < CALM_FRAMES:
            return  # once a second is enough; nothing is lost, since the next ones bring all of them
        self._shown = records[-1].number if records else -CALM_FRAMES
        self.latency.take(records)
        if not records or not self._session.talking:
            return
        newest = records[-1]
        seconds = (newest.number + 1 + newest.skipped) * FRAME_MS / 1000  # as the transcript counts
        if int(seconds) != int(self._seconds):
            self._seconds = seconds
            self._show_words(self._session.phase)
        if self._session.phase == "talking":  # the last frame before a mode is built comes with the word of it
            self.microphone.set_level(newest.input_dbfs)
            self.speaker.set_level(newest.output_dbfs)
        settings = self.errands.settings
        if settings is not None and settings.isVisible():
            settings.audio.set_level(newest.input_dbfs)

    def _talk_started(self) -> None:
        self._seconds = 0.0
        self.transcript.begin_talk(tr("New talk at {time}").format(time=time.strftime("%H:%M")))
        self._show_words(self._session.phase)

    def _talk_ended(self, _reason: str) -> None:
        if self.latency.isVisible():
            self.latency.refresh()  # the last frames are in the table too

    @property
    def settings(self) -> SettingsWindow | None:
        """The settings window, once it has been opened."""
        return self.errands.settings

    def open_settings(self, page: str) -> None:
        self.errands.open_settings(page)

    def _say_done(self, words: str) -> None:
        """A passing word in the footer, where the model stands otherwise."""
        self.model.setText(words)
        self._done.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.errands.held_keys.watch(self)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Say goodbye to the conversation and go; whoever ran the window waits for the engine, not the user."""
        if not self.leaving.may_close():
            event.ignore()
            return
        self.errands.close_windows()
        self._session.shut_down()
        self._bridge.stop()
        super().closeEvent(event)


def model_words(info: ModelInfo) -> str:
    """The loaded model in a few words."""
    untrained = "" if info.trained else f" ({tr('untrained')})"
    words = tr("{model} on {device}, {precision}")
    return words.format(model=f"{translated(info.name)}{untrained}", device=info.device_name, precision=info.precision)


def model_tooltip(info: ModelInfo) -> str:
    seconds = info.context_frames * FRAME_MS / 1000
    return f"{info.source}\n" + tr(
        "Weights {weights}, state of a talk {state}\nRemembers {frames} frames ({time})"
    ).format(
        weights=format_bytes(info.weights_bytes),
        state=format_bytes(info.state_bytes),
        frames=info.context_frames,
        time=format_clock(seconds),
    )


def _card_row() -> tuple[QFrame, QHBoxLayout]:
    card = QFrame()
    card.setProperty("card", True)
    row = QHBoxLayout(card)
    row.setContentsMargins(12, 9, 12, 9)
    row.setSpacing(8)
    return card, row


def _divider() -> QFrame:
    line = QFrame()
    line.setFrameShape(QFrame.Shape.VLine)
    line.setProperty("divider", True)
    return line
