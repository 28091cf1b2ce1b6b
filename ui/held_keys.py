"""A shortcut that is held down acts once, also where the system does not say that a key press is a repetition.

Owns that one judgement. Some X servers send a repeated key as a release and a press at the very same millisecond, and
Qt then takes them for two presses; muting would flicker (user report U9). Watches the key events of top-level windows
only, before shortcuts are looked up. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

NO_FINGER_MS = 5  # nobody lets go of a key and presses it again as fast as this


class HeldKeys(QObject):
    """Swallows repetitions of the shortcuts of the given actions. Typing text is left alone."""

    def __init__(self, actions: Iterable[QAction]):
        super().__init__()
        self._shortcuts = {action.shortcut().toString() for action in actions}
        self._released: dict[int, int] = {}  # key -> when, in the event's milliseconds

    def watch(self, window: QWidget) -> None:
        """Watch a top-level window; to be called when it is shown, for it has no system window before."""
        handle = window.windowHandle()
        if handle is not None:
            handle.installEventFilter(self)  # once, however often it is called

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return False
        if event.type() == QEvent.Type.KeyRelease:
            self._released[event.key()] = event.timestamp()
            return False
        if not self._is_repetition(event):
            return False
        event.accept()  # an accepted override keeps the shortcut from being looked up
        return True

    def _is_repetition(self, event: QKeyEvent) -> bool:
        since = event.timestamp() - self._released.get(event.key(), -NO_FINGER_MS - 1)
        repeated = event.isAutoRepeat() or 0 <= since <= NO_FINGER_MS
        return repeated and QKeySequence(event.keyCombination()).toString() in self._shortcuts
