"""The end of the program while something is busy that cannot be stopped: a build of the compiled mode, a driver."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A window that is closed at once, an engine thread that cannot be stopped, and a farewell of the interpreter's that
# never comes back, as PortAudio's does while another thread closes a stream.
BUSY_PROGRAM = """
import atexit, sys, threading, time
from pathlib import Path

import pytest
import app.main as program
from app import config
from app.messages import LoadModel, ModelSpec
from tests.app.fake_engine import FakeVoices

atexit.register(time.sleep, 600)
ui = type(sys)("ui.app")
loading = threading.Event()
def window(conversation, ports):
    conversation.send(LoadModel(ModelSpec("mini")))
    assert loading.wait(30)
    return 3
ui.run_window = window
sys.modules["ui.app"] = ui
def busy(*_, **__):
    loading.set()
    time.sleep(600)
real = program.Conversation
program.Conversation = lambda ends, voices: real(ends, voices=FakeVoices(), load_engine=busy)
program.CLOSE_SECONDS = 0.2
print("a line that must not be lost")
settings = config.load(Path(sys.argv[1]))
settings.set("model.mode", "eager")
program.run_window(settings)
"""


def test_closing_while_the_engine_cannot_be_stopped_ends_the_program_and_loses_nothing(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("")
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", BUSY_PROGRAM, str(mine)],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.returncode == 3
    assert done.stdout == "a line that must not be lost\n"
    assert "mode: eager" in mine.read_text()


# A window that fails or is closed while the devices are still being listed, which takes long on some computers.
LISTING_PROGRAM = """
import sys, time
from pathlib import Path

import app.main as program
from app import config
from tests.app.fake_engine import FakeLoader, FakeVoices

ui = type(sys)("ui.app")
def window(conversation, ports):
    if sys.argv[2] == "fails":
        raise RuntimeError
    return 3
ui.run_window = window
sys.modules["ui.app"] = ui
real, device_audio = program.Conversation, program.DeviceAudio
program.Conversation = lambda ends, voices: real(ends, voices=FakeVoices(), load_engine=FakeLoader())
def listed_slowly(settings):
    audio = device_audio(settings)
    audio.desk._thread.submit(lambda: (time.sleep(0.7), print("listed")), what="listing", limit_s=3.0)
    return audio
program.DeviceAudio = listed_slowly
try:
    print(program.run_window(config.load(Path(sys.argv[1]))))
except RuntimeError:
    print("failed")
"""


@pytest.mark.parametrize(("window", "last"), [("closes", "3"), ("fails", "failed")])
def test_the_end_waits_for_devices_that_are_being_listed(tmp_path: Path, window: str, last: str) -> None:
    """What is printed while they are is lost, and to take the sound system from under it is a crash."""
    mine = tmp_path / "mine.yaml"
    mine.write_text("")
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", LISTING_PROGRAM, str(mine), window],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.stdout.split(), done.returncode) == (["listed", last], 0), done.stderr


# A program that is ended from outside before its window answers: just before it is shown, and just after.
ENDED_WINDOW = """
import os, signal, sys, threading
from pathlib import Path

import app.main as program
from app import config
from tests.app.fake_engine import FakeLoader, FakeVoices
from ui.main_window import MainWindow
from ui.session import Session

kind, name = {"shown": (MainWindow, "show"), "begun": (Session, "begin")}[sys.argv[2]]
real_step = getattr(kind, name)
def step(self, *arguments, **named):
    os.kill(os.getpid(), getattr(signal, sys.argv[3]))
    return real_step(self, *arguments, **named)
setattr(kind, name, step)
real = program.Conversation
program.Conversation = lambda ends, voices: real(
    ends, voices=FakeVoices(), load_engine=FakeLoader(), thread_context=threading.Lock
)
print(program.run_window(config.load(Path(sys.argv[1]))))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
@pytest.mark.parametrize("moment", ["shown", "begun"])
def test_a_signal_before_the_window_answers_is_not_lost(tmp_path: Path, moment: str, name: str) -> None:
    """It would leave a window that is there although the session has ended, or a program without one that stays."""
    mine = tmp_path / "mine.yaml"
    mine.write_text("")
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", ENDED_WINDOW, str(mine), moment, name],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout in ("0\n", ""), "nothing: the engine was busy, the process ended under it"
    assert "Traceback" not in done.stderr


# A talk that is ended from outside in its middle: by the session's end, or by the closing of its terminal.
ENDED_TALK = """
import os, signal, sys, time
from app import cli, talk

def run_talk(options, **_):
    try:
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
        time.sleep(5)
    except KeyboardInterrupt:
        print("written")
        return 130
    print("went on")
    return 0

if len(sys.argv) > 2:
    signal.signal(getattr(signal, sys.argv[1]), signal.SIG_IGN)
    time.sleep = lambda _: None
talk.run_talk = run_talk
sys.exit(cli.main(["talk", "--input", "in.wav", "--output", "out.wav"]))
"""


def _as_usual() -> None:
    """These tests themselves may run under nohup, whose ignored signal a child inherits."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_ended_talk_is_interrupted_so_that_it_can_write(name: str, tmp_path: Path) -> None:
    (tmp_path / "in.wav").write_bytes(b"RIFF")
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}

    def ended(*more: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-c", ENDED_TALK, name, *more],
            env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, preexec_fn=_as_usual,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    assert ended() == (130, "written\n")
    assert ended("ignored") == (0, "went on\n")  # as under nohup


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_output_on_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", "devices", "--json"],
            env=environment, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.stderr == "What Parley had to say could not be written: no space left on device.\n"
    assert done.returncode == 1
