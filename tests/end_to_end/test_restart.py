"""A graphics card that is lost in a talk, and a frame that never comes back: the program writes a report and starts
again, and the new window has the old one's words, size and settings. Real processes with real windows, drawn nowhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.end_to_end.restarted_parley import LOST

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("fault", "reported"), [("lost", LOST), ("hangs", "a frame that does not come back")])
def test_the_program_starts_again_at_the_same_place(tmp_path: Path, fault: str, reported: str) -> None:
    (tmp_path / "mine.yaml").write_text("window:\n  guide_seen: true\n")
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT),
        "XDG_STATE_HOME": str(tmp_path / "state"), "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8",
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.end_to_end.restarted_parley", str(tmp_path), fault]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "Traceback" not in done.stderr
    seen = json.loads(waited_for(tmp_path / "seen.json"))
    assert "hello world" in seen["words"]
    assert seen["size"][1] == 710  # in width this screen is too narrow for the window
    assert seen["text_size"] == 120
    assert any("Parley has started again" in sentence for sentence in seen["told"])
    if fault == "hangs":
        shown = (tmp_path / "phase.txt").read_text()
        assert shown.startswith("Stopped by a fault: The engine has not come back from a frame for 8 s")
    (report,) = (tmp_path / "state").rglob("crash-*.txt")
    text = report.read_text()
    assert reported in text
    assert "hello world" not in text, "no words of the talk unless they are asked for"
    assert list((tmp_path / "state").rglob("place-*")) == []


def waited_for(path: Path) -> str:
    for _ in range(6000):
        if path.exists():
            return path.read_text()
        time.sleep(0.01)
    raise AssertionError(f"{path} never came")
