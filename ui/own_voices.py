"""The user's own voices in Settings: add from a file or by recording, listen, rename, delete.

Owns the list and its buttons; what a voice may be called is the library's judgement, asked while the name is typed.
Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from ui.ask_rows import ConfirmRow, NameRow
from ui.bridge import Bridge
from ui.file_dialog import FileDialog
from ui.labels import text_label, wrapped_label
from ui.ports import Ports
from ui.record_and_listen import RecordAndListen
from ui.scrolling import bring_into_view
from ui.session import Session
from ui.theme import Theme
from ui.voice_labels import voice_label, voice_labels
from ui.words import tr

LONGEST_S = 20.0
SOUND_FILES = "*.wav *.flac *.ogg *.oga *.opus *.mp3 *.aif *.aiff"
ROWS_SHOWN = 3
FILE_NAME = Qt.ItemDataRole.UserRole  # of a row: the voice's file


class OwnVoices(QWidget):
    """`said` carries a sentence for the page ("" takes it away), `changed` that the folder is another now."""

    said = Signal(str)
    changed = Signal()

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme):
        super().__init__()
        self._session = session
        self._bridge = bridge
        self._library = ports.library
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Your voices"))
        self.empty = wrapped_label(tr("None yet: add some seconds of clear speech."), "small", "muted")
        self.add = QPushButton(tr("&Add a file\N{HORIZONTAL ELLIPSIS}"))
        self.record = QPushButton(tr("Re&cord\N{HORIZONTAL ELLIPSIS}"))
        self.listen = QPushButton(tr("L&isten"))
        self.rename = QPushButton(tr("Re&name\N{HORIZONTAL ELLIPSIS}"))
        self.delete = QPushButton(tr("&Delete\N{HORIZONTAL ELLIPSIS}"))
        self.name = NameRow()
        self.confirm = ConfirmRow()
        self.recorder = RecordAndListen(
            session,
            bridge,
            ports.check,
            theme,
            LONGEST_S,
            tr("Read something aloud, in a quiet room."),
        )
        self.keep = QPushButton(tr("&Keep as a voice\N{HORIZONTAL ELLIPSIS}"))
        self.note = text_label("", "small", "muted")
        self._arrange()
        self._connect()
        self.fill()

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        line = self.list.fontMetrics().height() + 10
        self.list.setFixedHeight(ROWS_SHOWN * line + 8)
        column.addWidget(self.list)
        column.addWidget(self.empty)
        row = QHBoxLayout()
        for button in (self.add, self.record, self.listen, self.rename, self.delete):
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        self.recording_box = QWidget()
        box = QHBoxLayout(self.recording_box)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.recorder, 1)
        box.addWidget(self.keep)
        self.recording_box.hide()
        column.addWidget(self.recording_box)
        column.addWidget(self.name)
        column.addWidget(self.confirm)
        column.addWidget(self.note)
        self.note.hide()

    def _connect(self) -> None:
        self.list.currentRowChanged.connect(lambda _row: self._show_buttons())
        self.add.clicked.connect(self._browse)
        self.record.clicked.connect(self._show_recorder)
        self.keep.clicked.connect(self._ask_name_of_recording)
        self.recorder.recorded.connect(self._show_buttons)
        self.listen.clicked.connect(self._listen)
        self.rename.clicked.connect(self._ask_new_name)
        self.delete.clicked.connect(self._ask_delete)
        self._session.phase_changed.connect(lambda _phase: self._show_buttons())

    def fill(self, chosen: str = "") -> None:
        """The voices as they are in the folder now. chosen: the one to be selected."""
        chosen = chosen or self.chosen
        names = self._library.own()
        if names != tuple(self.list.item(row).data(FILE_NAME) for row in range(self.list.count())):
            self.list.clear()
            for name, label in zip(names, voice_labels(names), strict=True):
                item = QListWidgetItem(label)
                item.setData(FILE_NAME, name)
                self.list.addItem(item)
        if chosen in names:
            self.list.setCurrentRow(names.index(chosen))
        self.list.setVisible(bool(names))
        self.empty.setVisible(not names)
        self._show_buttons()

    @property
    def chosen(self) -> str:
        """The file name of the selected voice, or ""."""
        item = self.list.currentItem()
        return str(item.data(FILE_NAME)) if item is not None else ""

    def _show_buttons(self) -> None:
        free = not self._session.talking
        for button in (self.rename, self.delete):
            button.setEnabled(bool(self.chosen))
        self.listen.setEnabled(bool(self.chosen) and free)
        self.listen.setToolTip("" if free else tr("A talk is running; end it to listen."))
        self.keep.setEnabled(self.recorder.has_recording)

    # ------------------------------------------------------------------ adding

    def _browse(self) -> None:
        dialog = FileDialog(self, tr("Choose a recording of a voice"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(tr("Sound files ({endings})").format(endings=SOUND_FILES))
        dialog.fileSelected.connect(self.add_file)
        dialog.open()

    def add_file(self, path: str) -> None:
        """Ask what the voice in a file shall be called, and keep a copy of it."""
        source = Path(path)
        self._ask_name(source.stem, lambda name: self._library.add(source, name))

    def _show_recorder(self) -> None:
        self.recording_box.setVisible(not self.recording_box.isVisible())
        bring_into_view(self.recording_box)
        self.recorder.record.setFocus()

    def _ask_name_of_recording(self) -> None:
        self._ask_name(tr("My voice"), self._keep_recording)

    def _keep_recording(self, name: str) -> Future[str]:
        self.recording_box.hide()
        self.recorder.forget()
        return self._library.add_recorded(name)

    def _ask_name(self, proposal: str, add: Callable[[str], Future[str]]) -> None:
        self.confirm.hide()

        def then(name: str) -> None:
            self._do(add(name), tr("Added {name}.").format(name=name), self._library.file_name(name))

        self.name.ask(tr("Na&me of the voice"), proposal, tr("Add"), self._library.problem, then)

    # ------------------------------------------------------------------ with the selected one

    def _listen(self) -> None:
        self._do(self._library.listen(self.chosen), "", self.chosen)

    def _ask_new_name(self) -> None:
        voice = self.chosen
        self.confirm.hide()

        def then(name: str) -> None:
            renamed = f"{name}{Path(voice).suffix}"
            self._do(
                self._library.rename(voice, name),
                tr("{voice} is now {name}.").format(voice=voice_label(voice), name=name),
                renamed,
                lambda: self._follow_choice(voice, renamed),
            )

        self.name.ask(
            tr("New na&me"), Path(voice).stem, tr("Rename"), lambda name: self._library.problem(name, voice), then
        )

    def _ask_delete(self) -> None:
        voice = self.chosen
        self.name.hide()
        sentence = tr("Delete the voice {voice}? It cannot be brought back.").format(voice=voice_label(voice))

        def then() -> None:
            done = tr("Deleted {voice}.").format(voice=voice_label(voice))
            self._do(self._library.delete(voice), done, "", lambda: self._follow_choice(voice, ""))

        self.confirm.ask(sentence, tr("&Delete"), then)

    def _follow_choice(self, voice: str, now: str) -> None:
        """The voice that was chosen for the next talk stays chosen under its new name, or is chosen no more."""
        persona = self._session.persona
        if persona.voice in (voice, Path(voice).stem):
            self._session.set_persona(replace(persona, voice=now))

    def _do(self, answer: Future[str], done: str, chosen: str, then: Callable[[], None] = lambda: None) -> None:
        """Wait for the library's answer without holding anything up, and show it."""

        def finished(sentence: str) -> None:
            self.said.emit(sentence)
            self.note.setText("" if sentence else done)
            self.note.setVisible(bool(self.note.text()))
            if not sentence:
                then()
            self.fill(chosen)
            self.changed.emit()

        self._bridge.when_done(answer, finished)
