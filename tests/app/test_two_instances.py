"""Two Parleys at once: each keeps its own log, and neither undoes the other's settings."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import soundfile

from app import config, diagnostics
from app.file_lock import FileLock, waited_for

ROOT = Path(__file__).resolve().parents[2]
HOLDER = (
    "import sys, time\nfrom pathlib import Path\nfrom app.file_lock import FileLock\n"
    "assert FileLock(Path(sys.argv[1])).take()\nprint('held', flush=True)\ntime.sleep(600)\n"
)


def test_each_log_has_one_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnostics, "user_log_folder", lambda: tmp_path / "log")
    logger = logging.getLogger("parley")
    with diagnostics.kept_log():
        with diagnostics.kept_log():
            logger.info("both")
        logger.info("the first alone")
    logs = {path.name: path.read_text() for path in (tmp_path / "log").glob("*.log")}
    assert sorted(logs) == ["parley-2.log", "parley.log"]
    assert "the first alone" in logs["parley.log"]
    assert "the first alone" not in logs["parley-2.log"]
    with diagnostics.kept_log():
        logger.info("again")
    assert "again" in (tmp_path / "log" / "parley.log").read_text()


def test_neither_window_undoes_what_the_other_set(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("model:\n  mode: eager\nwindow:\n  text_size: 120\n")
    one, other = config.load(path), config.load(path)
    assert one.set("window.theme", "dark") == ""
    assert one.flush() == ""
    assert other.set("persona.text", "You are kind.") == ""
    assert other.set("window.text_size", 100) == ""  # the program's own value again
    assert other.flush() == ""
    assert one.set("model.mode", "graph") == ""
    assert one.flush() == ""
    found = config.load(path)
    assert (found.get("window.theme"), found.get("persona.text")) == ("dark", "You are kind.")
    assert (found.get("model.mode"), found.get("window.text_size")) == ("graph", 100)


def test_many_changes_of_two_windows_at_once_all_stay(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("")
    windows = config.load(path), config.load(path)
    keys = ("audio.margin_ms", "window.text_size"), ("audio.block_ms", "audio.max_lag_ms")

    def change(window: config.Settings, names: tuple[str, str]) -> None:
        for number in range(15):
            for name in names:
                assert window.set(name, {"window.text_size": 101, "audio.max_lag_ms": 300}.get(name, 10) + number) == ""
            window.flush()

    threads = [threading.Thread(target=change, args=pair) for pair in zip(windows, keys, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = config.load(path)
    assert [found.get(name) for pair in keys for name in pair] == [24, 115, 24, 314]


def test_a_file_that_is_damaged_or_gone_meanwhile_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("model:\n  mode: eager\n")
    window = config.load(path)
    for spoil in (lambda: path.write_text("{{{"), path.unlink):
        spoil()
        assert window.set("window.text_size", 110) == ""
        assert window.flush() == ""
        assert config.load(path).get("model.mode") == "eager"


def test_a_lock_goes_with_the_process_that_held_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "x.lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        lock = FileLock(path)
        assert not lock.take()
        with waited_for(path, 0.1) as held:
            assert not held  # and the work is done without it
        holder.kill()
        holder.wait()
        for _ in range(500):
            if lock.take():
                break
            time.sleep(0.01)
        assert lock.take()
        lock.release()
        with waited_for(path, 0.1) as held:
            assert held
    finally:
        holder.kill()
        holder.wait()


def test_a_place_without_locks_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert not FileLock(tmp_path / "file" / "x.lock").take()


PARLEY = """
import logging, sys, time
from datetime import datetime
from pathlib import Path
import numpy as np
from app import config, diagnostics, relaunch
from app.recorder import Recorder
number, folder = int(sys.argv[1]), Path(sys.argv[2])
with diagnostics.kept_log():
    settings = config.load(None, forgiving=True)
    recorder = Recorder(now=lambda: datetime(2026, 11, 29, 16, 42, 7))
    print("ready", flush=True)
    sys.stdin.readline()  # both at once
    recorder.want(True, folder, "wav")
    for frame in range(50):
        recorder.frame(np.full(1920, number / 10, np.float32), np.zeros(1920, np.float32), 0)
        if frame % 10 == 0:
            assert settings.set(("audio.margin_ms", "window.text_size")[number], 100 * number + 20 + frame) == ""
            logging.getLogger("parley").info("process %d frame %d", number, frame)
    recorder.close()
    assert recorder.state.trouble == "", recorder.state.trouble
    assert settings.flush() == ""
"""


@pytest.mark.skipif(sys.platform == "win32", reason="its folders do not follow HOME")
def test_two_processes_at_once_keep_settings_recordings_and_logs_of_both(tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PARLEY, str(number), str(tmp_path / "talks")],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in (0, 1)
    ]  # fmt: skip
    try:
        for process in both:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in both:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in both:
            _, errors = process.communicate(timeout=60)
            assert (process.returncode, errors) == (0, "")
    finally:
        for process in both:
            process.kill()
            process.wait()
    (kept,) = tmp_path.rglob("config.yaml")
    found = config.load(kept)
    assert (found.get("audio.margin_ms"), found.get("window.text_size")) == (60, 160)
    recordings = [soundfile.read(path)[0] for path in (tmp_path / "talks").iterdir()]
    assert [len(sound) for sound in recordings] == [50 * 1920] * 2
    assert sorted(round(float(sound[:, 0].max()), 2) for sound in recordings) == [0.0, 0.1]
    logs = sorted(path.read_text() for path in tmp_path.rglob("parley*.log"))
    assert [text.count("frame") for text in logs] == [5, 5]
    assert all(len(set(re.findall("process (.)", text))) == 1 for text in logs), "each its own"
