"""When the program cannot help itself: start it again at the same place, or open the folder of reports.

Owns the two deeds and what is said after the restart. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMainWindow

from ui.place import place_of, put_back
from ui.ports import Ports
from ui.remedies import RELAUNCH
from ui.session import Session
from ui.transcript import TranscriptView
from ui.words import tr

KIND = "restart"


class Rescue:
    def __init__(self, session: Session, ports: Ports, window: QMainWindow, transcript: TranscriptView) -> None:
        self._session = session
        self._ports = ports
        self._window = window
        self._transcript = transcript
        session.rescue_wanted.connect(self.do)

    def do(self, deed: str) -> None:
        """RELAUNCH or REPORTS, as `ui.remedies` names them."""
        if deed == RELAUNCH:
            self.relaunch()
        else:
            self.open_reports()

    def relaunch(self) -> None:
        """Hand over the place and close; whoever runs the window starts the next process once this one is shut."""
        if self._ports.relaunch is not None:
            self._ports.relaunch(place_of(self._window, self._transcript))
        self._window.close()

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
