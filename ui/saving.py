"""Asking where a text shall go, and seeing to it that it arrives or that a sentence says why not (user report U13).

Owns the dialog, the name it proposes and the ending of the file; the writing is the port's, in the background. Qt
thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from ui.bridge import Bridge
from ui.file_dialog import FileDialog
from ui.ports import Ports
from ui.words import tr


def no_note() -> Callable[[], object]:
    return lambda: None


class Kind(NamedTuple):
    """A kind of file to choose from: its name, its ending, and what makes its text.

    note: called when the text is made; what it returns is called once the text has arrived in the file.
    """

    name: str
    ending: str
    make: Callable[[], str]
    note: Callable[[], Callable[[], object]] = no_note


class Saver(QObject):
    """Saves texts. `saved` carries the path, `failed` the sentence."""

    saved = Signal(object)
    failed = Signal(str)

    def __init__(self, bridge: Bridge, ports: Ports):
        super().__init__()
        self._bridge = bridge
        self._write = ports.write_text
        self._folder = _documents()  # where the last file went

    def ask(self, parent: QWidget, title: str, name: str, kinds: Sequence[Kind]) -> QFileDialog:
        """Ask where, without holding up the window, and save. name: without ending; today's date is added."""
        dialog = FileDialog(parent, title, str(self._folder / dated(name)))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([filter_text(kind) for kind in kinds])
        dialog.setDefaultSuffix(kinds[0].ending[1:])
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(_kind_of_filter(kinds, chosen).ending[1:]))
        dialog.selectFile(dated(name) + kinds[0].ending)
        dialog.fileSelected.connect(
            lambda path: self.save(Path(path), kinds, _kind_of_filter(kinds, dialog.selectedNameFilter()))
        )
        dialog.open()
        return dialog

    def save(self, path: Path, kinds: Sequence[Kind], chosen: Kind) -> None:
        """Save to a path: its own ending decides the kind, else the chosen kind gives it one."""
        kind = next((kind for kind in kinds if kind.ending == path.suffix.lower()), None)
        if kind is None:
            kind, path = chosen, _free(path.with_name(path.name + chosen.ending))
        self._folder = path.parent
        arrived = kind.note()
        self._bridge.when_done(self._write(path, kind.make()), lambda sentence: self._done(path, sentence, arrived))

    def _done(self, path: Path, sentence: str, arrived: Callable[[], object]) -> None:
        if sentence:
            self.failed.emit(sentence)
        else:
            self.saved.emit(path)
            arrived()


def dated(name: str, now: datetime | None = None) -> str:
    """Such as "Parley 2026-11-29 16.42"; no sign in it is forbidden in a file's name on any system."""
    return f"{name} {now or datetime.now():%Y-%m-%d %H.%M}"


def _free(path: Path) -> Path:
    """The path, or one with a number: the dialog asked about the name as typed, not about this one."""
    number, free = 2, path
    while free.exists():
        free = path.with_name(f"{path.stem} {number}{path.suffix}")
        number += 1
    return free


def filter_text(kind: Kind) -> str:
    return f"{tr(kind.name)} (*{kind.ending})"


def _kind_of_filter(kinds: Sequence[Kind], text: str) -> Kind:
    return next((kind for kind in kinds if filter_text(kind) == text), kinds[0])


def _documents() -> Path:
    places = QStandardPaths.standardLocations(QStandardPaths.StandardLocation.DocumentsLocation)
    return next((Path(place) for place in places if Path(place).is_dir()), Path.home())
