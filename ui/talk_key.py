"""Push to talk: the key that must be held to be heard, and the button that does the same for the mouse.

Owns the choice between open microphone and talk key, and the judgement of what is a press: repetitions of a held key
are none (user report U9), and a key whose release another program swallowed is let go when our windows lose the focus.
Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QToolButton

from ui import icons
from ui import ports as keys
from ui.actions import Actions
from ui.labels import restyle
from ui.ports import SettingsPort
from ui.session import Refusal, Session
from ui.theme import Theme
from ui.words import tr

KEY = Qt.Key.Key_F8
KEY_NAME = "F8"
PUSH, OPEN = "push", "open"


class TalkKey(QObject):
    """`changed` says that `chosen` or `held` may have changed."""

    changed = Signal()

    def __init__(self, session: Session, settings: SettingsPort, actions: Actions):
        super().__init__()
        self._session = session
        self._settings = settings
        self._action = actions.push_to_talk
        self.held = False
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._application = application
        application.applicationStateChanged.connect(self._focus_changed)
        actions.push_to_talk_wanted.connect(self.choose)
        self._watch()

    def _watch(self) -> None:
        """See every key of the program only while it matters: a filter in Python is asked about each event."""
        self._action.setChecked(self.chosen)
        if self.chosen:
            self._application.installEventFilter(self)  # once, however often it is called
        else:
            self._application.removeEventFilter(self)

    @property
    def chosen(self) -> bool:
        """Whether the key counts."""
        return self._settings.get(keys.TALK_KEY_MODE) == PUSH

    def choose(self, push: bool) -> None:
        """Take the talk key, or the open microphone, at once."""
        sentence = self._settings.set(keys.TALK_KEY_MODE, PUSH if push else OPEN)
        if sentence:
            self._session.refused.emit(Refusal("audio", sentence))
        self.hold(False)
        self._watch()
        self.changed.emit()

    def hold(self, held: bool) -> None:
        """The key or the button went down or up."""
        if held != self.held and (self.chosen or not held):
            self.held = held
            self._session.hold_talk_key(held)
            self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Sees the key in every window of the program, whatever has the focus there."""
        if not isinstance(event, QKeyEvent) or event.key() != KEY or not self.chosen:
            return False
        if event.type() == QEvent.Type.KeyPress and not event.isAutoRepeat():
            self.hold(True)
            return True
        if event.type() == QEvent.Type.KeyRelease and not event.isAutoRepeat():
            self.hold(False)
            return True
        return event.type() in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)

    def _focus_changed(self, state: Qt.ApplicationState) -> None:
        if state != Qt.ApplicationState.ApplicationActive:
            self.hold(False)


class TalkButton(QToolButton):
    """Held with the mouse, or with the space bar while it has the focus; there only where the talk key counts."""

    def __init__(self, key: TalkKey, theme: Theme):
        super().__init__()
        self._key = key
        self._theme = theme
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(20, 20))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.pressed.connect(lambda: key.hold(True))
        self.released.connect(lambda: key.hold(False))
        key.changed.connect(self._follow)
        theme.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        held = self._key.held
        words = tr("You are heard") if held else tr("Hold to talk ({key})").format(key=KEY_NAME)
        self.setText(words)
        self.setAccessibleName(words)
        self.setToolTip(tr("The model hears you only while this, or {key}, is held").format(key=KEY_NAME))
        colours = self._theme.colours
        self.setIcon(icons.icon("microphone" if held else "muted", colours.on_accent if held else colours.amber))
        restyle(self, "kind", "primary" if held else "")
        self.setVisible(self._key.chosen)
