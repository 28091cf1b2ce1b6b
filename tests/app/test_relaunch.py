"""Starting again: the place passes from one process to the next, and nothing of it stays on the disk."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app import relaunch

ROOT = Path(__file__).resolve().parents[2]


def test_the_place_is_private_read_once_and_gone(tmp_path: Path) -> None:
    path = relaunch.save("words, \u05e9\u05dc\u05d5\u05dd", tmp_path / "state")
    assert path is not None
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert relaunch.take({relaunch.PLACE: str(path)}) == "words, \u05e9\u05dc\u05d5\u05dd"
    assert not path.exists()
    assert relaunch.take({relaunch.PLACE: str(path)}) == relaunch.NO_PLACE, "a restart, and no place"
    assert relaunch.take({}) == "", "no restart"


def test_no_other_file_is_taken_and_removed(tmp_path: Path) -> None:
    precious = tmp_path / "thesis.json"
    precious.write_text("{}")
    for name in (str(precious), "", "\0", str(tmp_path)):
        assert relaunch.take({relaunch.PLACE: name}) == relaunch.NO_PLACE
    assert precious.read_text() == "{}"
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "place-1.json")
        (tmp_path / "place-2.json").symlink_to(precious)
        for name in ("place-1.json", "place-2.json"):
            assert relaunch.take({relaunch.PLACE: str(tmp_path / name)}) == relaunch.NO_PLACE
        assert precious.read_text() == "{}"


def test_a_place_that_cannot_be_kept_is_said_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert relaunch.save("words", tmp_path / "file" / "state") is None
    assert relaunch.save("x" * (relaunch.LONGEST + 1), tmp_path) is None, "the next process would not read all of it"

    class FullDisk(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    def full(handle: int, *_: object, **__: object) -> FullDisk:
        os.close(handle)
        return FullDisk()

    with monkeypatch.context() as patched:
        patched.setattr(os, "fdopen", full)
        assert relaunch.save("words", tmp_path / "state") is None
    assert list((tmp_path / "state").iterdir()) == []


def test_a_restart_without_a_place(tmp_path: Path) -> None:
    marker = tmp_path / "started"
    code = f"import os, pathlib; pathlib.Path({str(marker)!r}).write_text(os.environ['PARLEY_PLACE'] or 'it is empty')"
    assert relaunch.start_again(None, [sys.executable, "-c", code])
    assert waited_for(marker) == "it is empty"


def test_a_place_whose_restart_never_came_about_is_the_next_starts(tmp_path: Path) -> None:
    """Where no process can be started any more, or the computer was switched off in between."""
    path = relaunch.save("words", tmp_path)
    assert not relaunch.start_again(path, ["/no/such/program"])
    under_way = relaunch.save("another window's", tmp_path)
    off = relaunch.save("older, and switched off", tmp_path)
    assert under_way is not None
    assert off is not None
    os.utime(off, (1e9, 1e9))
    (tmp_path / "place-link.json").symlink_to(under_way)
    os.utime(tmp_path / "place-link.json", (1e9, 1e9), follow_symlinks=False)
    assert relaunch.left_behind(tmp_path) == "words"
    assert relaunch.left_behind(tmp_path) == "older, and switched off"
    assert relaunch.left_behind(tmp_path) == ""
    assert [entry.name for entry in tmp_path.iterdir()] == [under_way.name], "that one is taken by its own restart"
    assert relaunch.left_behind(tmp_path / "nowhere") == ""


def test_the_command_is_this_program_with_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["parley", "--set", "model.mode=eager"])
    assert relaunch.command() == [sys.executable, str(ROOT / "parley.py"), "--set", "model.mode=eager"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert relaunch.command() == [sys.executable, "--set", "model.mode=eager"]


# A window whose engine hangs in its tenth frame for good; the user presses the banner's button, and closes.
STUCK_PROGRAM = """
import json, sys, threading, time
from pathlib import Path
import app.main as program
from app import config, relaunch, watchdog
from app.messages import LoadModel, ModelSpec, StartTalk, Trouble
from tests.app.fake_engine import FakeEngine, FakeLoader, FakeVoices
from tests.app.virtual_ends import VirtualEnds
from tests.app.fake_engine import VirtualClock

folder = Path(sys.argv[1])
watchdog.STUCK_S = 0.6
watchdog.Watchdog.__init__.__defaults__ = (*watchdog.Watchdog.__init__.__defaults__[:-1], 0.6)
relaunch.command = lambda: [sys.executable, "-c", sys.argv[2], str(folder)]
engine = FakeEngine()
step = engine.step
def hanging(pcm):
    if engine.steps == 10:
        time.sleep(600)
    return step(pcm)
engine.step = hanging
ui = type(sys)("ui.app")
def window(conversation, ports):
    conversation.send(LoadModel(ModelSpec("mini")))
    conversation.send(StartTalk())
    ports.settings.set("model.mode", "eager")
    seen = []
    while not any(isinstance(event, Trouble) and event.kind == "stuck" for event in seen):
        seen += conversation.events()
        time.sleep(0.01)
    assert ports.relaunch("the words so far")
    return 0
ui.run_window = window
sys.modules["ui.app"] = ui
real = program.Conversation
program.Conversation = lambda ends, voices: real(
    VirtualEnds(VirtualClock(), 10**6), voices=FakeVoices(), load_engine=FakeLoader(engine),
    thread_context=threading.Lock)
program.HURRY_SECONDS = 0.2
program.run_window(config.load(folder / "mine.yaml"))
print("never reached")
"""
NEXT_PROGRAM = """
import json, os, sys
from pathlib import Path
from app import config, relaunch
folder = Path(sys.argv[1])
found = {"place": relaunch.take(), "mode": config.load(folder / "mine.yaml").get("model.mode"),
         "named": os.environ.get("PARLEY_PLACE", "")}
(folder / "next.part").write_text(json.dumps(found))
(folder / "next.part").rename(folder / "next.json")
"""


def test_a_stuck_engine_leaves_a_report_and_the_next_process_has_words_and_settings(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("")
    environment = {
        "PATH": "/usr/bin", "HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", STUCK_PROGRAM, str(tmp_path), NEXT_PROGRAM],
        env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads(waited_for(tmp_path / "next.json")) == {
        "place": "the words so far", "mode": "eager", "named": "",
    }  # fmt: skip
    (report,) = (tmp_path / "state").rglob("crash-*.txt")
    text = report.read_text()
    assert "a frame that does not come back" in text
    assert "in hanging" in text
    assert "Last 4 frames" in text  # the six of the warm-up have no record
    assert list((tmp_path / "state").rglob("place-*")) == []


def waited_for(path: Path) -> str:
    for _ in range(3000):
        if path.exists() and path.read_text():
            return path.read_text()
        time.sleep(0.01)
    raise AssertionError(f"{path} never came")
