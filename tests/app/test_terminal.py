"""What the program says may be lost; what it was asked to write may not."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import terminal

ROOT = Path(__file__).resolve().parents[2]
# A talk that notes something as the real one does, before and after its work, and whose output is one file.
TALK_WITH_NOTES = """\
import sys
from app import cli, talk
from pathlib import Path
from rich.console import Console

def run_talk(options, **_):
    Console(stderr=True).print("Note: before the work")
    options.output.write_bytes(b"the reply")
    print("after it", file=sys.stderr, flush=True)
    return 0

talk.run_talk = run_talk
sys.exit(cli.main(["talk", "--input", "in.wav", "--output", "out.wav"]))
"""
CLOSED = f'exec "{sys.executable}" -c "$1" <&- >&- 2>&-'


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "in.wav").write_bytes(b"RIFF")
    return {"PATH": "/usr/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}


class Failing(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")


def test_notes_that_cannot_be_written_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Failing(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        if not isinstance(stream, Failing):
            stream.close()
        with terminal.notes_may_fail():
            print("a note", file=sys.stderr, flush=True)
        assert sys.stderr is stream


def test_notes_that_can_be_written_are(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.notes_may_fail():
        print("a note", file=sys.stderr)
        assert sys.stderr.isatty() is False  # the stream's own
    assert capsys.readouterr().err == "a note\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_notes_on_a_full_disk_cost_no_reply(tmp_path: Path, environment: dict[str, str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", TALK_WITH_NOTES], env=environment, cwd=tmp_path, stderr=full)
    assert done.returncode == 0
    assert (tmp_path / "out.wav").read_bytes() == b"the reply"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently there")
def test_notes_that_nobody_reads_cost_no_reply(tmp_path: Path, environment: dict[str, str]) -> None:
    """As of `parley talk ... 2>&1 | head -0`."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-c", TALK_WITH_NOTES], env=environment, cwd=tmp_path, stderr=writer)
    os.close(writer)
    assert done.returncode == 0
    assert (tmp_path / "out.wav").read_bytes() == b"the reply"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_without_any_stream_no_file_takes_their_place(tmp_path: Path, environment: dict[str, str]) -> None:
    """What a library of C prints would else stand in the first file that is opened."""
    opens = TALK_WITH_NOTES.replace(
        'options.output.write_bytes(b"the reply")',
        "import os; file = open(options.output, 'wb'); file.write(str(file.fileno()).encode()); print('said')",
    )
    done = subprocess.run(["/bin/sh", "-c", CLOSED, "sh", opens], env=environment, cwd=tmp_path)
    assert done.returncode == 0
    assert int((tmp_path / "out.wav").read_bytes()) > 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_help_on_a_full_disk_is_a_sentence(tmp_path: Path, environment: dict[str, str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", "--help"],
            env=environment, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.stderr == "What Parley had to say could not be written: no space left on device.\n"
    assert done.returncode == 1


def test_a_terminal_without_columns_is_no_reason_to_be_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    terminal.prepare()
    assert "COLUMNS" not in os.environ
    monkeypatch.setenv("COLUMNS", "50")
    terminal.prepare()
    assert os.environ["COLUMNS"] == "50"
