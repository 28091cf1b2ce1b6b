"""Files for their owner alone: what becomes of a log that cannot be written, and of what is not Parley's."""

from __future__ import annotations

import io
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app import crash_report, diagnostics
from app.errors import UserError
from app.private_files import PrivateRotatingFile, private_folder, write_private
from app.recording import write_whole
from app.settings_file import write_settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")


class FullDisk(io.StringIO):
    def flush(self) -> None:
        raise OSError(28, "No space left on device")


def test_a_log_on_a_full_disk_is_lost_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not a word on the terminal, and no error that ends the talk whose log it is."""
    monkeypatch.setattr(diagnostics, "user_log_folder", lambda: tmp_path)
    with diagnostics.kept_log() as kept:
        logger = logging.getLogger("parley")
        file = next(handler for handler in logger.handlers if isinstance(handler, PrivateRotatingFile))
        file.stream.close()
        file.stream = FullDisk()
        logger.info("a line")
    assert kept.lines[-1].endswith("a line")
    assert capsys.readouterr().err == ""


def test_a_log_that_is_a_link_to_a_device_leaves_the_device_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Path("/dev/null").stat().st_mode
    (tmp_path / "parley.log").symlink_to("/dev/null")
    monkeypatch.setattr(diagnostics, "user_log_folder", lambda: tmp_path)
    with diagnostics.kept_log() as kept:
        logging.getLogger("parley").info("a line")
    assert kept.lines[-1].endswith("a line")
    assert Path("/dev/null").stat().st_mode == before


def test_a_folder_behind_a_link_keeps_its_permissions(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    (tmp_path / "log").symlink_to(shared)
    private_folder(tmp_path / "log")
    assert shared.stat().st_mode & 0o777 == 0o755
    private_folder(tmp_path / "own")
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("kind", ["reply", "settings", "report"])
def test_a_file_is_on_the_disk_before_it_takes_the_others_place(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut there is the old one or the new one, and not an empty one. A disk that cannot keep it leaves
    the old one."""
    path = tmp_path / "x.txt"
    path.write_text("old")

    def write() -> None:
        if kind == "reply":
            write_whole(path, lambda temporary: temporary.write_text("new"))
        elif kind == "settings":
            write_settings(path, {"model.mode": "eager"}, "")
        else:
            write_private(path, "new")

    done: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (done.append("on the disk"), fsync(handle)))
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("in its place"), replace(*names)))
    write()
    assert done == ["on the disk", "in its place"]
    new = path.read_text()
    assert new != "old"

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises((OSError, UserError)):
        write()
    assert path.read_text() == new
    assert list(tmp_path.iterdir()) == [path]


KILLED = """
import os, signal, sys
from pathlib import Path
from app import crash_report
from app.settings_file import write_settings
os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "settings":
    write_settings(Path(sys.argv[1]) / "config.yaml", {"persona.text": "private"}, "")
else:
    crash_report.write("private", Path(sys.argv[1]))
"""


@pytest.mark.parametrize("kind", ["settings", "report"])
def test_what_a_killed_process_left_of_a_file_is_taken_away_by_a_later_one(kind: str, tmp_path: Path) -> None:
    """And nothing else is: no copy that the user made, and nothing that somebody is still writing."""

    def write() -> None:
        if kind == "settings":
            write_settings(tmp_path / "config.yaml", {"model.mode": "eager"}, "")
        else:
            assert crash_report.write("a report", tmp_path) is not None

    root = Path(__file__).resolve().parents[2]
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), kind], cwd=root)
    assert killed.returncode == -signal.SIGKILL
    (rest,) = tmp_path.iterdir()
    assert rest.stat().st_mode & 0o777 == 0o600
    others = ["config.yaml.bak", "config.yaml.backup01", ".config.yaml.abcd1234", "crash-mine.txt", "x.unfinished"]
    for name in others:
        (tmp_path / name).write_text("kept")
        os.utime(tmp_path / name, (1e9, 1e9))
    write()
    assert rest.exists(), "somebody may be writing it"
    for when in (time.time() - 100, time.time() + 3600):  # the second: the clock was set back an hour
        rest.write_text("private")
        os.utime(rest, (when, when))
        write()
        assert not rest.exists()
    assert all((tmp_path / name).read_text() == "kept" for name in others)
