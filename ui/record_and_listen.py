"""Record a few seconds, see the level judged in words, and listen: for voices of one's own and for the first check.

Owns the two buttons, the meter and the words; the sound is the check port's. While a talk runs nothing can be
recorded, and it says so. Qt thread only.
"""

from __future__ import annotations

import math

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ui.bridge import Bridge
from ui.figures import CLIPPING_DBFS, LOUD_DBFS, NEAR, OVER, SILENCE_DBFS
from ui.labels import set_tone, wrapped_label
from ui.meter import LevelPane
from ui.ports import CheckPort
from ui.session import Session
from ui.theme import Theme
from ui.words import decimal, tr, translated

FAINT_DBFS = -35.0  # the loudest moment of speech; a level that is good while speaking lies well above


class RecordAndListen(QWidget):
    """Records up to `longest_s` seconds. `recorded` says that there is a new recording."""

    recorded = Signal()

    def __init__(
        self, session: Session, bridge: Bridge, check: CheckPort, theme: Theme, longest_s: float, invitation: str
    ):
        super().__init__()
        self._session = session
        self._bridge = bridge
        self._check = check
        self._longest_s = longest_s
        self._invitation = invitation
        self._doing = ""
        self._reason = ""
        self.has_recording = False
        self.record = QPushButton()
        self.listen = QPushButton()
        self.level = LevelPane(theme, tr("Microphone level"), "microphone")
        self.words = wrapped_label(invitation, "small", "muted")
        row = QHBoxLayout()
        row.addWidget(self.record)
        row.addWidget(self.listen)
        row.addWidget(self.level, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.words)
        self.record.clicked.connect(self._record)
        self.listen.clicked.connect(self._listen)
        bridge.ticked.connect(self._follow)
        session.phase_changed.connect(lambda _phase: self._show_buttons())
        self._show_buttons()

    def forget(self) -> None:
        """As if nothing had been recorded."""
        self.has_recording = False
        self._say(self._invitation, "muted")
        self._show_buttons()

    def _record(self) -> None:
        if self._doing:
            self._check.stop()
            return
        self._begin("recording", tr("Speak now"))
        self._bridge.when_done(self._check.record(self._longest_s), self._recorded)

    def _listen(self) -> None:
        if self._doing:
            self._check.stop()
            return
        self._begin("playing", tr("This is how the model hears you"))
        self._bridge.when_done(self._check.play_recording(), self._played)

    def _begin(self, doing: str, words: str) -> None:
        self._doing = doing
        self._say(words, "")
        self._show_buttons()

    def _recorded(self, sentence: str) -> None:
        self._doing = ""
        state = self._check.state()
        if sentence:
            self._say(translated(sentence), OVER)
        elif state.recorded_s > 0:
            self.has_recording = True
            words, tone = judge(state.loudest_dbfs)
            length = tr("{seconds} s recorded.").format(seconds=decimal(f"{state.recorded_s:.1f}"))
            self._say(f"{length} {words}", tone)
            self.recorded.emit()
        self._show_buttons()

    def _played(self, sentence: str) -> None:
        self._doing = ""
        if sentence:
            self._say(translated(sentence), OVER)
        else:
            words, tone = judge(self._check.state().loudest_dbfs)
            self._say(words, tone)
        self._show_buttons()

    def _follow(self) -> None:
        if self._doing and self.isVisible():
            state = self._check.state()
            self.level.set_level(state.dbfs)
            if self._doing == "recording" and state.seconds > 0:
                words = tr("Recording, {seconds} of {longest} s")
                self._say(words.format(seconds=f"{state.seconds:.0f}", longest=f"{self._longest_s:.0f}"), "")

    def _show_buttons(self) -> None:
        free = not self._session.talking
        self.record.setText(tr("&Stop") if self._doing == "recording" else tr("&Record"))
        self.listen.setText(tr("&Stop") if self._doing == "playing" else tr("&Listen"))
        self.record.setEnabled(free and self._doing in ("", "recording"))
        self.listen.setEnabled(free and self.has_recording and self._doing in ("", "playing"))
        reason = "" if free else tr("A talk is running; end it to record.")
        if reason != self._reason:  # said where it is read, not in a tool tip alone
            self._reason = reason
            self._say(reason or self._invitation, "near" if reason else "muted")
        for button in (self.record, self.listen):
            button.setToolTip(reason)
            button.setAccessibleDescription(reason)
        if not self._doing:
            self.level.set_level(math.nan)

    def _say(self, words: str, tone: str) -> None:
        if self.words.text() != words:
            self.words.setText(words)
        set_tone(self.words, tone)


def judge(loudest_dbfs: float) -> tuple[str, str]:
    """The loudest moment of a recording of speech in words, and the tone for them."""
    if math.isnan(loudest_dbfs) or loudest_dbfs <= SILENCE_DBFS:
        return tr("Nothing was heard: check the microphone's mute switch and the system's permission for it."), OVER
    if loudest_dbfs < FAINT_DBFS:
        return tr("Very quiet: come closer, or raise the input level in the system's sound settings."), NEAR
    if loudest_dbfs < LOUD_DBFS:
        return tr("A good level."), ""
    if loudest_dbfs < CLIPPING_DBFS:
        return tr("Loud, and still clean: a little less input level is safer."), ""
    return tr("Too loud, it clips: lower the input level in the system's sound settings."), NEAR
