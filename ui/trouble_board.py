"""The troubles that the window shows: what stands, newest last, one of a kind.

Owns the list and the looks at what the conversation does not tell by itself. Sends nothing and draws nothing. Qt thread
only.
"""

from __future__ import annotations

from collections.abc import Callable

from app.messages import Trouble

MANY = "settings"  # each note about the settings stands by itself


class TroubleBoard:
    """changed: called whenever `troubles` is another list."""

    def __init__(self, changed: Callable[[], object]) -> None:
        self.troubles: list[Trouble] = []
        self._changed = changed
        self._sound_note = ""  # what stood in the way of sound when last looked

    def post(self, trouble: Trouble) -> None:
        same = trouble.kind if trouble.kind != MANY else None
        self._hold([held for held in self.troubles if held.kind != same] + [trouble])

    def clear(self, kind: str) -> None:
        left = [trouble for trouble in self.troubles if trouble.kind != kind]
        if len(left) != len(self.troubles):
            self._hold(left)

    def dismiss(self, trouble: Trouble) -> None:
        self._hold([held for held in self.troubles if held is not trouble])

    def tell_standing(self, kind: str, sentence: str) -> None:
        """What is so as long as it is told, "" when it is so no more. The same sentence again changes nothing."""
        held = next((trouble for trouble in self.troubles if trouble.kind == kind), None)
        if sentence and (held is None or held.sentence != sentence):
            self.post(Trouble(kind, sentence))
        elif not sentence:
            self.clear(kind)

    def tell_sound(self, note: str) -> None:
        """Why there is no sound; said once for each reason, so that one that was dismissed stays away."""
        if note == self._sound_note:
            return
        self._sound_note = note
        if note:
            self.post(Trouble("sound", note, "Sound settings"))
        else:
            self.clear("sound")

    def _hold(self, troubles: list[Trouble]) -> None:
        self.troubles = troubles
        self._changed()
