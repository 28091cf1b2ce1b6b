"""Texts that a user asked to keep: saved, or a sentence; never silence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.text_files import write_text
from tests.rights import posix, read_only


@pytest.mark.parametrize("name", ["talk.txt", "Träume und Pläne/mein Gespräch.md", "with spaces/a b.srt"])
def test_text_is_saved_in_any_folder(tmp_path: Path, name: str) -> None:
    """User report U13: spaces and accents."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("an earlier one")
    assert write_text(path, "Grüße, “quoted”\n").result(5) == ""
    assert path.read_bytes() == "Grüße, “quoted”\n".encode()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name], "no rest of the writing is left"


def test_home_folder_may_be_written_as_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """User report U13."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert write_text(Path("~/talk.txt"), "words").result(5) == ""
    assert (tmp_path / "talk.txt").read_text() == "words"


def test_half_a_character_does_not_lose_the_rest(tmp_path: Path) -> None:
    assert write_text(tmp_path / "talk.txt", "so \ud83d far").result(5) == ""
    assert (tmp_path / "talk.txt").read_text() == "so ? far"


def test_what_cannot_be_written_is_said_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """User report U13: missing folder, a folder in the file's place, disk full."""
    assert "There is no folder" in write_text(tmp_path / "gone" / "talk.txt", "words").result(5)
    assert "is a folder" in write_text(tmp_path, "words").result(5)
    path = tmp_path / "talk.txt"
    path.write_text("an earlier one")

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert "No space left on device" in write_text(path, "words").result(5)
    assert path.read_text() == "an earlier one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["talk.txt"]


@posix
def test_a_folder_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    """User report U13: read-only; the file that is there stays, and the next try works."""
    path = tmp_path / "talk.txt"
    path.write_text("an earlier one")
    with read_only(tmp_path):
        assert "Permission denied" in write_text(path, "words").result(5)
        assert "Permission denied" in write_text(tmp_path / "another.txt", "words").result(5)
    assert path.read_text() == "an earlier one"
    assert write_text(path, "words").result(5) == ""
    assert [entry.name for entry in tmp_path.iterdir()] == ["talk.txt"]


def test_a_file_that_vanishes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """User report U13: the file's being there is confirmed."""
    monkeypatch.setattr("app.text_files.write_whole", lambda path, write: None)
    assert "is not there" in write_text(tmp_path / "talk.txt", "words").result(5)
