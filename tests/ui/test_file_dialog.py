"""The file dialog opens no file of the folder it shows: one that does not answer would hold up the window."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QEvent, QFileInfo
from PySide6.QtWidgets import QApplication, QFileDialog, QFileIconProvider

from tests.ui.conftest import MakeRig
from ui.file_dialog import FileDialog

UI = Path(__file__).resolve().parents[2] / "ui"


def test_the_kind_of_a_file_is_told_by_its_name_alone(make_rig: MakeRig, tmp_path: Path) -> None:
    looks_like = tmp_path / "looks"
    looks_like.write_bytes(b"%PDF-1.4 ")
    (tmp_path / "talk.wav").touch()
    dialog = FileDialog(make_rig().window.main, "Choose", str(tmp_path))
    provider = dialog.iconProvider()
    assert [provider.type(QFileInfo(str(path))) for path in (looks_like, tmp_path / "talk.wav", tmp_path)] == [
        "",
        "wav",
        "",
    ]
    assert "PDF" in QFileIconProvider().type(QFileInfo(str(looks_like))), "without it Qt looks inside"
    assert not provider.icon(QFileInfo(str(looks_like))).isNull()
    assert not provider.icon(QFileInfo(str(tmp_path))).isNull()


def test_a_dialog_goes_when_it_is_closed(make_rig: MakeRig) -> None:
    main = make_rig().window.main
    dialog = FileDialog(main, "Choose")
    dialog.open()
    dialog.reject()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not main.findChildren(QFileDialog)


def test_no_other_dialog_for_files_is_made() -> None:
    makers = {path.name for path in UI.glob("*.py") if re.search(r"QFileDialog(\(|\.get)", path.read_text("utf-8"))}
    assert not makers, "FileDialog is a subclass that looks into nothing"
