"""The sign that a talk is being recorded, and the switch behind it.

Owns the binding of the record action to the recorder: what it does, what it says, and the sentence when a recording
ended on its own. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel

from ui import icons
from ui.actions import Actions
from ui.bridge import Bridge
from ui.figures import format_clock
from ui.labels import text_label
from ui.ports import RecordingPort, RecordingState
from ui.session import Session
from ui.theme import Theme
from ui.words import tr


class RecordingSign(QFrame):
    """Red, with the length of the recording, for as long as one is wanted; gone otherwise."""

    def __init__(self, theme: Theme, session: Session, bridge: Bridge, recorder: RecordingPort, actions: Actions):
        super().__init__()
        self._theme = theme
        self._session = session
        self._recorder = recorder
        self._action = actions.record
        self._shown: tuple[bool, RecordingState] | None = None
        self.dot = QLabel()
        self.words = text_label("", "label", "over")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 10, 0)
        row.setSpacing(5)
        row.addWidget(self.dot)
        row.addWidget(self.words)
        actions.record_wanted.connect(self._want)
        bridge.ticked.connect(self.follow)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.follow()

    def _want(self, on: bool) -> None:
        self._recorder.want(on)
        self.follow()

    def follow(self) -> None:
        """Show what the recorder says; called at every beat."""
        seen = (self._recorder.wanted, self._recorder.state())
        if seen == self._shown:
            return
        self._shown = seen
        wanted, state = seen
        self._action.setChecked(wanted)
        if wanted and state.recording:
            words = tr("Recording, {time}").format(time=format_clock(state.seconds))
        else:
            words = tr("Will record the talk")
        if self.words.text() != words:
            self.words.setText(words)
            self.setAccessibleName(words)
        self.setToolTip(str(state.path or self._recorder.folder()))
        self.setVisible(wanted)
        self._session.tell("record", state.trouble)

    def _restyle(self) -> None:
        self.dot.setPixmap(icons.pixmap("record", self._theme.colours.red, 18, self.devicePixelRatioF()))
