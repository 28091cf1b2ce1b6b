"""Settings, Voice: the model's voice and persona text, with what the text costs of the model's memory.

Owns the choice of a voice and the text; the choice is the session's and holds from the next talk on. The user's own
voices and saved personas are rooms of their own. Qt thread only.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QPlainTextEdit

from app.telemetry import FRAME_MS
from ui.actions import Actions
from ui.bridge import Bridge
from ui.figures import NEAR, OVER
from ui.labels import line_button, set_tone, text_label, wrapped_label
from ui.own_voices import OwnVoices
from ui.persona_presets import PersonaPresets
from ui.ports import Ports
from ui.session import Session
from ui.settings_page import Page, form_row
from ui.theme import Theme
from ui.voice_labels import voice_label, voice_labels
from ui.words import decimal, tr

TYPING_PAUSE_MS = 400
COUNT_PAUSE_MS = 120
LARGE_SHARE = 0.5  # of the model's memory


class VoicePage(Page):
    """Voice and persona."""

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, actions: Actions, theme: Theme):
        super().__init__(tr("Voice"))
        self._session = session
        self._ports = ports
        self.voice = QComboBox()
        self.own = OwnVoices(session, bridge, ports, theme)
        self.presets = PersonaPresets(session, bridge, ports.presets)
        self.text = QPlainTextEdit()
        self.text.setTabChangesFocus(True)
        self.text.setPlaceholderText(tr("For example: You are a patient tutor who answers in short sentences."))
        self.cost = text_label("", "small", "muted")
        self.waits = QCheckBox(tr("&Wait for me to speak first"))
        self.when = wrapped_label("", "small", "muted")
        self.apply = line_button(actions.new_talk)
        self._typing = _pause(self, TYPING_PAUSE_MS, self._typed)
        self._counting = _pause(self, COUNT_PAUSE_MS, self.show_cost)
        self._arrange()
        self._fill_voices()
        self.show_persona()
        self.voice.activated.connect(self._voice_chosen)
        self.waits.clicked.connect(self._waits_chosen)
        self.text.textChanged.connect(self._typing.start)
        self.text.textChanged.connect(self._counting.start)
        session.persona_changed.connect(self.show_persona)
        session.info_changed.connect(self._model_changed)
        session.phase_changed.connect(self._show_when)
        bridge.each_second.connect(self._follow_voices)
        self.own.said.connect(self.say)
        self.own.changed.connect(self._fill_voices)
        self.presets.said.connect(self.say)
        self.say(ports.presets.trouble)

    def _arrange(self) -> None:
        column = self.section(tr("Voice"))
        form = self.form(column)
        form_row(form, tr("&Voice"), self.voice)
        followers = tr("Only models trained for it, such as mini and PersonaPlex, follow a voice.")
        column.addWidget(wrapped_label(followers, "small", "muted"))
        column = self.section(tr("Persona"))
        column.addWidget(self.presets)
        self.text.setAccessibleName(tr("Persona text"))
        self.text.setFixedHeight(6 * self.text.fontMetrics().lineSpacing() + 16)
        column.addWidget(self.text)
        column.addWidget(self.cost)
        column.addWidget(self.waits)
        row = QHBoxLayout()
        row.addWidget(self.when, 1)
        row.addWidget(self.apply)
        column.addLayout(row)
        column = self.section(tr("Your voices"))
        column.addWidget(self.own)
        self.column.addStretch(1)

    # ------------------------------------------------------------------ shown

    def show_persona(self) -> None:
        """Show the choice that holds; text that is being typed is left alone."""
        persona = self._session.persona
        self.voice.setCurrentIndex(max(0, self.voice.findData(self._listed(persona.voice))))
        self.waits.setChecked(persona.waits)
        if not self._typing.isActive() and self.text.toPlainText() != persona.text:
            self.text.blockSignals(True)
            self.text.setPlainText(persona.text)
            self.text.blockSignals(False)
        self.show_cost()
        self._show_when()

    def show_cost(self) -> None:
        """Tokens of the text, and how much of the model's memory they take (one token, one 80 ms frame)."""
        text = self.text.toPlainText()
        tokens = self._ports.count_tokens(text) if text.strip() else 0
        info = self._session.info
        if tokens is None:
            self.cost.setText(tr("The length shows once a model is loaded."))
            set_tone(self.cost, "muted")
            return
        seconds = tokens * FRAME_MS / 1000
        words = tr("{count} tokens take {seconds} s") if tokens != 1 else tr("{count} token takes {seconds} s")
        words = words.format(count=tokens, seconds=decimal(f"{seconds:.1f}"))
        tone = "muted"
        if info is not None:
            memory = info.context_frames * FRAME_MS / 1000
            words = tr("{words} of the {memory} s that the model remembers").format(words=words, memory=f"{memory:.0f}")
            if tokens >= info.context_frames:
                words, tone = tr("Too long: {words}").format(words=words), OVER
            elif tokens > LARGE_SHARE * info.context_frames:
                words, tone = tr("Long: {words}; a shorter text leaves more for the talk").format(words=words), NEAR
        self.cost.setText(tr("No persona text.") if not text.strip() else words + ".")
        set_tone(self.cost, tone)

    def _show_when(self) -> None:
        session = self._session
        differs = session.talking and session.talk_persona is not None and session.talk_persona != session.persona
        self.when.setText(
            tr("The running talk still has the former persona; a new talk takes this one.")
            if differs
            else tr("Voice and persona hold from the next talk on.")
        )
        self.apply.setVisible(differs)

    def _fill_voices(self) -> None:
        """The model's voices and the folder's, and the chosen one even when its file is gone."""
        info = self._session.info
        names = sorted({*(info.voices if info else ()), *self._ports.voices()})
        self._voices = tuple(names)
        chosen = self._listed(self._session.persona.voice)
        self.voice.clear()
        self.voice.addItem(tr("The model's own"), "")
        for name, label in zip(names, voice_labels(names), strict=True):
            self.voice.addItem(label, name)
        if chosen and chosen not in names:
            self.voice.addItem(f"{voice_label(chosen)}  ({tr('not found')})", chosen)
        self.voice.setCurrentIndex(max(0, self.voice.findData(chosen)))

    def _listed(self, voice: str) -> str:
        """The listed name of a voice: the command line and the settings file know them without their ending too."""
        if voice in self._voices:
            return voice
        return next((name for name in self._voices if voice_label(name) == voice), voice)

    def _follow_voices(self) -> None:
        if self.isVisible() and not self.voice.view().isVisible():
            info = self._session.info
            if tuple(sorted({*(info.voices if info else ()), *self._ports.voices()})) != self._voices:
                self._fill_voices()
                self.own.fill()

    def _model_changed(self) -> None:
        self._fill_voices()
        self.show_cost()

    # ------------------------------------------------------------------ chosen

    def _voice_chosen(self, index: int) -> None:
        self.say("")
        self._session.set_persona(replace(self._session.persona, voice=self.voice.itemData(index)))

    def _waits_chosen(self, waits: bool) -> None:
        self.say("")
        self._session.set_persona(replace(self._session.persona, waits=waits))

    def _typed(self) -> None:
        self.say("")
        self._session.set_persona(replace(self._session.persona, text=self.text.toPlainText()))


def _pause(page: VoicePage, milliseconds: int, slot: object) -> QTimer:
    timer = QTimer(page)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(slot)
    return timer
