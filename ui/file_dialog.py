"""The dialog that asks for a file or a folder, without looking into any.

Owns one thing: that Qt's own dialog (where the desktop has none) does not open every file of a folder to tell its kind.
It does so in the window's thread, and stands still with the whole window where one does not answer: on a network that
is gone, or among the system's own. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QFileInfo
from PySide6.QtGui import QAbstractFileIconProvider, QIcon
from PySide6.QtWidgets import QFileDialog, QFileIconProvider, QWidget


class PlainIcons(QFileIconProvider):
    """Folders and files look alike each; the kind is what the name ends in."""

    def icon(self, what: QFileInfo | QAbstractFileIconProvider.IconType) -> QIcon:  # type: ignore[override]
        if isinstance(what, QFileInfo):
            kinds = QAbstractFileIconProvider.IconType
            what = kinds.Folder if what.isDir() else kinds.File
        return super().icon(what)

    def type(self, info: QFileInfo) -> str:
        return "" if info.isDir() else info.suffix()


class FileDialog(QFileDialog):
    """Goes when it is closed."""

    def __init__(self, parent: QWidget, title: str, start: str = ""):
        super().__init__(parent, title, start)
        self._icons = PlainIcons()  # the dialog does not keep it
        self.setIconProvider(self._icons)
        self.finished.connect(self.deleteLater)
