"""What stays on disk after an error: what helps, for its owner alone, and nothing private."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import logging
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import crash_report, diagnostics
from app.crash_report import FRAMES, KEPT_REPORTS, MOST_PER_RUN, CrashReports
from app.native_crash import left_behind, written_down
from app.private_files import private_folder, write_private
from app.redaction import redact
from app.telemetry import FrameRecord

TOKEN = "hf_abcdefGHIJKL0123456789"
ROOT = Path(__file__).resolve().parents[2]
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")


def record(number: int) -> FrameRecord:
    return FrameRecord(
        number, number, "eager", *[1.5] * 9, skipped=2, gaps=1, late=False, input_dbfs=-20, output_dbfs=-30
    )


def failed() -> ValueError:
    try:
        raise ValueError(f"asked with {TOKEN}")
    except ValueError as error:
        return error


def reports(folder: Path, transcript: str = "") -> CrashReports:
    settings = {"persona.text": "I am a secret pirate.", "model.mode": "eager", "persona.voice": "grandma.wav"}
    return CrashReports(
        settings=lambda: settings,
        model=lambda: "mini on a processor",
        log_lines=lambda: ["a line of the log"],
        frames=lambda count: [record(number) for number in range(700)][-count:],
        transcript=lambda: transcript,
        folder=folder,
    )


@pytest.fixture(autouse=True)
def no_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash_report, "list_cards", lambda seconds: [])


def test_report_holds_what_helps_and_nothing_private(tmp_path: Path) -> None:
    """User report U14."""
    path = reports(tmp_path).write(failed(), "a talk")
    assert path is not None
    text = path.read_text()
    for wanted in ("ValueError: asked with", "test_crash_report.py", "a line of the log", "mini on a processor",
                   "model.mode: 'eager'", "persona.text: [21 characters]", "torch ", "Python 3", "a talk"):  # fmt: skip
        assert wanted in text
    frames = text.split(f"== Last {FRAMES} frames ==\n")[1].splitlines()
    assert frames[0].startswith("number,clock_ns,mode")
    assert [line.split(",")[0] for line in frames[1:]] == [str(number) for number in range(200, 700)]
    for private in ("pirate", "grandma", TOKEN, "hello"):
        assert private not in text
    assert "nothing of what was said" in text


def test_words_are_in_it_only_when_asked_for(tmp_path: Path) -> None:
    path = reports(tmp_path, transcript="Hello there.").write(failed(), "a talk")
    assert path is not None
    assert "Hello there." in path.read_text()
    assert "nothing of what was said" not in path.read_text()


@POSIX
def test_report_and_folder_are_their_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = reports(tmp_path / "crashes").write(failed(), "x")
        assert path is not None
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_neither_many_errors_nor_many_runs_fill_the_disk(tmp_path: Path) -> None:
    one = reports(tmp_path)
    assert [one.write(failed(), "x") is not None for _ in range(MOST_PER_RUN + 5)].count(True) == MOST_PER_RUN
    for _ in range(3):
        again = reports(tmp_path)
        for _ in range(MOST_PER_RUN):
            again.write(failed(), "x")
    assert len(list(tmp_path.iterdir())) == KEPT_REPORTS


def test_a_clock_that_was_set_back_costs_no_new_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name makes it look the oldest of all, as after a battery that ran empty."""
    for _ in range(3):
        again = reports(tmp_path)
        for _ in range(MOST_PER_RUN):
            again.write(failed(), "x")
    monkeypatch.setattr(crash_report.time, "strftime", lambda *_: "19700101-000000")
    path = crash_report.write("the newest", tmp_path)
    assert path is not None
    assert path.read_text() == "the newest"
    assert len(list(tmp_path.iterdir())) == KEPT_REPORTS


def test_sources_that_fail_and_folders_that_cannot_be_are_no_further_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("this too")

    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(crash_report.tempfile, "gettempdir", lambda: str(tmp_path))
    one = CrashReports(settings=broken, model=broken, log_lines=broken, frames=broken, transcript=broken,  # type: ignore[arg-type]
                       folder=tmp_path / "file" / "crashes")  # fmt: skip
    path = one.write("stuck in a frame", "a talk")
    assert path is not None
    assert path.parent == tmp_path
    assert "stuck in a frame" in path.read_text()
    monkeypatch.setattr(crash_report.tempfile, "gettempdir", lambda: str(tmp_path / "file"))
    assert one.write("x", "x") is None


def test_errors_that_nobody_caught_are_written_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[Path | None] = []
    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    one = reports(tmp_path)
    with one.hooks(told.append):
        thread = threading.Thread(target=lambda: [][1], name="some thread")
        thread.start()
        thread.join()
        error = failed()
        sys.excepthook(type(error), error, error.__traceback__)
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == before
    texts = [path.read_text() for path in told if path]
    assert "the thread some thread" in texts[0]
    assert "IndexError" in texts[0]
    assert "the window" in texts[1]
    assert capsys.readouterr().err == ""


@contextlib.contextmanager
def written_down_by_parley(path: Path) -> Iterator[None]:
    """pytest has asked for crashes on the terminal, and gets them back afterwards."""
    pytests_own = faulthandler.is_enabled()
    faulthandler.disable()
    try:
        with written_down(path):
            yield
    finally:
        if pytests_own:
            faulthandler.enable(sys.__stderr__)


class Ending:
    def __del__(self) -> None:
        raise ValueError("at the end of an object")


def test_an_error_that_python_could_only_print_is_written_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Path | None] = []
    one = reports(tmp_path)
    with one.hooks(told.append):
        Ending()
        gc.collect()
    assert one.last is not None
    assert "at the end of an object" in one.last.read_text()
    assert told == [], "nobody is harmed by it"
    assert capsys.readouterr().err == ""


CRASHING = r"""
import logging, os, signal, sys, threading
from app import diagnostics
from app.crash_report import CrashReports

def in_a_driver(seconds):
    threading.Event().wait(seconds)

reports = CrashReports(settings=dict, model=str, log_lines=list, frames=lambda count: [], transcript=lambda: "hello")
with diagnostics.kept_log() as kept:
    print(reports.of_the_last_run(kept.crash), flush=True)
    logging.getLogger("parley").info("opened a device for the %s time", sys.argv[1])
    threading.Thread(target=in_a_driver, args=(30,), daemon=True).start()
    if len(sys.argv) > 2:
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


@POSIX
@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGFPE"])
def test_a_crash_below_python_is_reported_by_the_next_start_and_once(tmp_path: Path, name: str) -> None:
    """The driver of a card or of sound takes the process with it: no Python runs any more when that happens."""
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", CRASHING, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    crashed = start("first", name)
    assert (crashed.returncode, crashed.stdout, crashed.stderr) == (-getattr(signal, name), "\n", "")
    (left,) = tmp_path.rglob("*.crash")
    assert stat.S_IMODE(left.stat().st_mode) == 0o600
    told = start("second")
    assert told.returncode == 0, told.stderr
    (report,) = tmp_path.rglob("crash-*.txt")
    assert told.stdout == (
        f"Parley came to a sudden end the last time, in a driver or a library, and a report of it is in {report}.\n"
    )
    text = report.read_text()
    for wanted in ("where the threads stood", "in_a_driver", "opened a device for the first time"):
        assert wanted in text
    assert "second time" not in text
    assert "hello" not in text
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert start("third").stdout == "\n"
    assert start("fourth", "SIGKILL").returncode == -signal.SIGKILL
    assert start("fifth").stdout == "\n", "one that was killed leaves an empty file"
    assert list(tmp_path.rglob("*.crash")) == []
    assert len(list(tmp_path.rglob("crash-*.txt"))) == 1


@POSIX
def test_a_strange_file_in_the_place_of_a_crash_is_no_crash(tmp_path: Path) -> None:
    secret, place = tmp_path / "secret", tmp_path / "parley.crash"
    secret.write_text("of another program")
    place.symlink_to(secret)
    assert left_behind(place, tmp_path / "none.log") is None
    with pytest.raises(OSError, match="symbolic"), written_down_by_parley(place):
        pass
    place.unlink()
    os.mkfifo(place)
    assert left_behind(place, tmp_path / "none.log") is None
    assert secret.read_text() == "of another program"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"Authorization: Bearer {TOKEN}", TOKEN),
        ("authorization: bearer abc.def-ghi", "abc.def-ghi"),
        ("https://ada:secretword@host/model", "secretword"),
        ("GET https://cdn/x?X-Amz-Signature=0123abcd&Expires=1", "0123abcd"),
        ("{'token': 'mytokenvalue', 'a': 1}", "mytokenvalue"),
        ("api_key=0123456789", "0123456789"),
        ("password: hunter22", "hunter22"),
        ("ghp_0123456789abcdefghij", "0123456789abcdefghij"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc", "eyJzdWIi"),
        ("an odd one: tokenWithoutForm", "tokenWithoutForm"),
    ],
)
def test_secrets_never_pass(text: str, hidden: str) -> None:
    assert hidden not in redact(text, {"HF_TOKEN": "tokenWithoutForm"})
    assert redact("128 tokens in 10 s, token 5 of 17", {}) == "128 tokens in 10 s, token 5 of 17"


def test_home_is_not_named() -> None:
    assert str(Path.home()) not in redact(f"{Path.home()}/models/x") or len(str(Path.home())) <= 5


@pytest.mark.skipif(sys.platform == "win32", reason="its folders do not follow HOME")
def test_whose_home_it_is_stands_in_no_other_path_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where /home is a link, as on systems that keep it in /var; on a plugged-in disk; in printed values."""
    (tmp_path / "var" / "adalovelace").mkdir(parents=True)
    (tmp_path / "home").symlink_to(tmp_path / "var")
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "adalovelace"))
    for text, shown in (
        (f"{tmp_path}/home/adalovelace/models/x", "~/models/x"),
        (f"[Errno 2] no such file: '{tmp_path}/var/adalovelace'", "[Errno 2] no such file: '~'"),
        ("/run/media/adalovelace/disk/x.pt", "/run/media/[user]/disk/x.pt"),
        (r"C:\\Users\\AdaLovelace\\x and C:\Users\adalovelace", r"C:\\Users\\[user]\\x and C:\Users\[user]"),
        ("file:///media%2Fadalovelace%2Fx", "file:///media%2F[user]%2Fx"),
        ("/opt/adalovelace-tools/adalovelaces/x", "/opt/adalovelace-tools/adalovelaces/x"),
    ):
        assert redact(text, {}) == shown
    monkeypatch.setenv("HOME", "/home/x")
    assert redact("/home/x/a/x/b", {}) == "~/a/x/b", "a name of one letter would be found everywhere"


def test_log_file_holds_no_token_even_in_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnostics, "user_log_folder", lambda: tmp_path / "log")
    logger = logging.getLogger("parley.hub")
    with diagnostics.kept_log() as kept:
        logger.info("asked for %s with %s", "a model", TOKEN)
        logger.error("it failed", exc_info=failed())
        for number in range(6000):
            logger.info("line %d of a long day, and %s", number, TOKEN)
    files = sorted(path for path in (tmp_path / "log").iterdir() if path.suffix != ".lock")
    assert [path.name for path in files] == ["parley.log", "parley.log.1"]
    assert sum(path.stat().st_size for path in files) < 3 * diagnostics.LOG_BYTES
    for text in (*(path.read_text() for path in files), "\n".join(kept.lines)):
        assert TOKEN not in text
    if os.name != "nt":
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o700


def test_a_private_file_is_whole_or_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = private_folder(tmp_path / "a" / "b") / "x.txt"
    write_private(path, "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.private_files.os.replace", full)
    with pytest.raises(OSError, match="No space"):
        write_private(path, "new \ud800")
    assert path.read_text() == "old"
    assert [entry.name for entry in path.parent.iterdir()] == ["x.txt"]
