"""Settings, Recording: where recordings go and in which format, whether the user's words are written down, and what a
report of an error may hold.

Owns the controls; the recorder is a port. Qt thread only.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QWidget

from app.config import RECORD_FORMATS
from ui import ports as keys
from ui.actions import Actions
from ui.bridge import Bridge
from ui.file_dialog import FileDialog
from ui.labels import line_button, wrapped_label
from ui.ports import Ports
from ui.settings_page import Page, form_row
from ui.words import marked, tr, translated

FORMAT_TEXTS = {
    "wav": marked("WAV: opens everywhere, 5.8 MB a minute"),
    "flac": marked("FLAC: the same sound in half the room"),
}
EXPLANATION = marked(
    "Both sides in one stereo file: you on the left, the model on the right, as the model hears and says it. "
    "Nothing is recorded unless you ask for it, and only you may open the files."
)
YOUR_WORDS = marked(
    "What you say is written into the transcript a moment after you have said it. It is heard on this computer alone; "
    "nothing leaves it."
)
REPORTS = marked(
    "When Parley stops unexpectedly, it writes a report for you alone and sends it nowhere. Sound and persona are "
    "never in it."
)


class RecordingPage(Page):
    """Folder and format, and what goes into reports."""

    def __init__(self, bridge: Bridge, ports: Ports, actions: Actions):
        super().__init__(tr("Recording"))
        self._settings = ports.settings
        self._recorder = ports.recorder
        self._user_words = ports.user_words
        self.folder = QLineEdit()
        self.folder.setPlaceholderText(str(ports.recorder.folder()))
        self.browse = QPushButton(tr("&Choose\N{HORIZONTAL ELLIPSIS}"))
        self.show_folder = QPushButton(tr("&Open the folder"))
        self.format = QComboBox()
        for name in RECORD_FORMATS:
            self.format.addItem(tr(FORMAT_TEXTS[name]), name)
        self.record = line_button(actions.record)
        self.user = QCheckBox(tr("Write down what &I say too"))
        self.user_note = wrapped_label("", "small", "muted")
        self.words = QCheckBox(tr("Put the &words of the talk into reports"))
        self.reports = line_button(actions.reports)
        self._arrange()
        self.show_choice()
        self.folder.editingFinished.connect(lambda: self._choose(keys.RECORD_FOLDER, self.folder.text().strip()))
        self.format.activated.connect(lambda index: self._choose(keys.RECORD_FORMAT, self.format.itemData(index)))
        self.browse.clicked.connect(self._browse)
        self.show_folder.clicked.connect(self._open_folder)
        self.user.clicked.connect(lambda on: self._choose(keys.TRANSCRIPT_USER, on))
        bridge.each_second.connect(self._follow)
        self.words.clicked.connect(lambda put: self._choose(keys.REPORT_TRANSCRIPT, put))

    def _arrange(self) -> None:
        column = self.section(tr("Recordings of talks"))
        column.addWidget(wrapped_label(tr(EXPLANATION), "small", "muted"))
        form = self.form(column)
        row = QWidget()
        inner = QHBoxLayout(row)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.folder, 1)
        inner.addWidget(self.browse)
        form_row(form, tr("&Folder"), row).setBuddy(self.folder)
        self.folder.setAccessibleName(tr("Folder for recordings"))
        form_row(form, tr("For&mat"), self.format)
        buttons = QHBoxLayout()
        buttons.addWidget(self.show_folder)
        buttons.addStretch(1)
        buttons.addWidget(self.record)
        column.addLayout(buttons)
        column = self.section(tr("Transcript of both sides"))
        column.addWidget(self.user)
        column.addWidget(self.user_note)
        column = self.section(tr("Reports of errors"))
        column.addWidget(wrapped_label(tr(REPORTS), "small", "muted"))
        column.addWidget(self.words)
        row_of_reports = QHBoxLayout()
        row_of_reports.addWidget(self.reports)
        row_of_reports.addStretch(1)
        column.addLayout(row_of_reports)
        self.column.addStretch(1)

    def show_choice(self) -> None:
        """Show what holds."""
        self.folder.setText(str(self._settings.get(keys.RECORD_FOLDER)))
        self.format.setCurrentIndex(max(0, self.format.findData(self._settings.get(keys.RECORD_FORMAT))))
        self.words.setChecked(bool(self._settings.get(keys.REPORT_TRANSCRIPT)))

        self.user.setChecked(bool(self._settings.get(keys.TRANSCRIPT_USER)))
        self._follow()

    def _follow(self) -> None:
        """Say whether what the user says is written down, or how to get what is missing."""
        sentence = self._user_words().sentence if self.user.isChecked() else ""
        words = translated(sentence) if sentence else tr(YOUR_WORDS)
        if self.user_note.text() != words:
            self.user_note.setText(words)

    def choose_folder(self, folder: str) -> None:
        self._choose(keys.RECORD_FOLDER, folder)

    def _choose(self, key: str, value: object) -> None:
        if value == self._settings.get(key):
            return
        self.say(self._settings.set(key, value))
        self.show_choice()
        if self._recorder.wanted and key in (keys.RECORD_FOLDER, keys.RECORD_FORMAT):  # counts from the next file on
            self._recorder.want(True)

    def _browse(self) -> None:
        dialog = FileDialog(self, tr("Choose a folder for recordings"), str(self._recorder.folder()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.choose_folder)
        dialog.open()

    def _open_folder(self) -> None:
        folder: Path = self._recorder.folder()
        opened = folder.is_dir() and QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
        words = tr("The folder {folder} could not be opened.") if folder.is_dir() else tr(
            "There is no folder {folder} yet; it is made with the first recording."
        )  # fmt: skip
        self.say("" if opened else words.format(folder=folder))
