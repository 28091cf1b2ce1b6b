"""When the program cannot help itself: start it again at the same place, or open the folder of reports.

Owns the two deeds and what is said after the restart. A fault that ends the process's use of the graphics card for good
restarts by itself, once: should the next process meet it too, that one waits for the button, so that no window comes
and goes without end. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMainWindow

from ui.leaving import Leaving
from ui.place import place_of, put_back
from ui.ports import Ports
from ui.remedies import RELAUNCH, remedy_of
from ui.session import Session
from ui.transcript import TranscriptView
from ui.words import tr

KIND = "restart"
RESTART = "Restart Parley"  # the label of a trouble that offers it


class Rescue:
    def __init__(
        self, session: Session, ports: Ports, window: QMainWindow, transcript: TranscriptView, leaving: Leaving
    ) -> None:
        self._session = session
        self._ports = ports
        self._leaving = leaving
        self._window = window
        self._transcript = transcript
        self._restarting = False
        session.rescue_wanted.connect(self.do)
        session.troubles_changed.connect(self._look)

    def _look(self) -> None:
        """A fatal trouble that only a restart can mend, in a window that is no restart itself."""
        if self._restarting or self._ports.relaunch is None or self._ports.place:
            return
        if any(trouble.fatal and remedy_of(trouble).deed == RELAUNCH for trouble in self._session.troubles):
            self._restarting = True
            QTimer.singleShot(0, self._window, self.relaunch)  # after the session has told everybody

    def do(self, deed: str) -> None:
        """RELAUNCH or REPORTS, as `ui.remedies` names them."""
        if deed == RELAUNCH:
            self.relaunch()
        else:
            self.open_reports()

    def relaunch(self) -> None:
        """Hand over the place and close; whoever runs the window starts the next process once this one is shut."""
        self._restarting = True
        if self._ports.relaunch is None:
            self._window.close()
            return
        kept = self._ports.relaunch(place_of(self._window, self._transcript))
        if kept or (not self._leaving.unsaved() and self._ports.relaunch("")):
            self._leaving.end()  # the words come back, so nobody is asked about them
            return
        words = tr(
            "Parley does not start again yet, because the words of this window cannot be kept meanwhile: the disk may "
            "be full. Save the transcript, or make room, then try again."
        )
        self._session.tell(KIND, words, RESTART)

    def open_reports(self) -> None:
        """Show the folder in the system's own file manager."""
        folder = None if self._ports.report_folder is None else self._ports.report_folder()
        if folder is None or not folder.is_dir():
            self._session.tell(KIND, tr("There are no reports of errors."))
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._session.tell(
                KIND, tr("No program opens folders here; the reports are in {folder}").format(folder=folder)
            )

    def return_to_place(self) -> None:
        """After a restart: the words and the window as they were, and one sentence."""
        if self._ports.place and put_back(self._ports.place, self._window, self._transcript):
            self._session.tell(
                KIND, tr("Parley has started again. The words so far are here; the model has forgotten them.")
            )
