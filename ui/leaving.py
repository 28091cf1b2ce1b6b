"""Whether the window may close: words that are in no file are not thrown away without a question.

Owns the question and who is not asked: whoever said nothing or has saved everything, and an end that is no wish of the
user's (a signal, the end of the session, the restart that brings the words along), which must not wait for an answer.
The question is a dialog of the window that holds up nothing: a talk goes on behind it. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMessageBox, QWidget

from ui.errands import Errands
from ui.transcript import TranscriptView
from ui.turns import Talk
from ui.words import tr

SESSION_END_MS = 60_000  # the end of a session may be called off; a close after this is the user's own again


class Leaving:
    def __init__(self, window: QWidget, errands: Errands, transcript: TranscriptView):
        self._window = window
        self._errands = errands
        self._transcript = transcript
        self._ending = False
        self._session_end = QTimer(window)
        self._session_end.setSingleShot(True)
        self._session_end.setInterval(SESSION_END_MS)
        self.question: QMessageBox | None = None  # while it stands

    def may_close(self) -> bool:
        """Asked by the window when it is to close. False: the question stands now."""
        if not self._ending and not self._session_end.isActive() and self.unsaved():
            self._ask()
            return False
        if self.question is not None:
            self.question.reject()
        return True

    def end(self) -> None:
        """Close the window without a question."""
        self._ending = True
        self._window.close()

    def session_ends(self) -> None:
        """The system ends the session and will close the window."""
        self._session_end.start()

    def unsaved(self) -> list[Talk]:
        """The talks that hold words that are in no file."""
        return [talk for talk in self._transcript.spoken() if talk.unsaved]

    def _ask(self) -> None:
        if self.question is None:
            self.question = self._made()
            self.question.open()
        self.question.raise_()
        self.question.activateWindow()

    def _made(self) -> QMessageBox:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Parley")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(tr("Save the transcript before the window closes?"))
        box.setInformativeText(tr("It holds words that are in no file; without saving they are lost."))
        box.setAccessibleName(box.text())
        box.setAccessibleDescription(box.informativeText())
        save = box.addButton(tr("&Save\N{HORIZONTAL ELLIPSIS}"), QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton(tr("&Discard"), QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton(tr("&Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(save)
        box.setEscapeButton(cancel)
        box.finished.connect(self._put_away)
        save.clicked.connect(lambda: self._errands.save_transcript(self._transcript, self._saved))
        discard.clicked.connect(self.end)
        return box

    def _put_away(self) -> None:
        if self.question is not None:
            self.question.deleteLater()
            self.question = None

    def _saved(self, talks: Sequence[Talk]) -> None:
        """A file is written: close, unless a whole talk is not in it. Words that came meanwhile hold up nobody."""
        if all(any(talk is saved for saved in talks) for talk in self.unsaved()):
            self.end()
        else:
            self._window.close()
