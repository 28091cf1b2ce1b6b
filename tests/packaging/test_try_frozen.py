"""The trial of the packaged program, on a script that behaves like it, and on ones that do not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import frozen_parts as parts
import pytest
import try_frozen

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a first line for the system")

STAND_IN = """\
import json, os, pathlib, shutil, signal, sys, time
words = sys.argv[1:]
if words == ["--version"]:
    print("parley VERSION")
elif words[:1] == ["doctor"]:
    print(json.dumps({"findings": ["compiled mode is not possible: The packaged program carries no compiler."]}))
elif words[:1] == ["talk"] and "some/model" in words:
    sys.exit(2)
elif words[:1] == ["talk"]:
    shutil.copy(words[words.index("--input") + 1], words[words.index("--output") + 1])
    pathlib.Path(words[words.index("--transcript") + 1]).write_text('{"words": []}')
else:
    place = os.environ.get("PARLEY_PLACE")
    if place:
        os.unlink(place)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    log = pathlib.Path(os.environ["XDG_STATE_HOME"], "parley", "log", "parley.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("ready to talk: Mini on cpu\\n")
    time.sleep(60)
"""


def stand_in(folder: Path, *changes: tuple[str, str]) -> Path:
    text = STAND_IN.replace("VERSION", parts.version(try_frozen.PROJECT))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    program = folder / parts.NAME
    program.write_text(f"#!{sys.executable}\n{text}")
    program.chmod(0o755)
    return folder


def test_a_program_that_does_all_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert try_frozen.main([str(stand_in(tmp_path))]) == 0
    out = capsys.readouterr().out
    assert "WRONG" not in out
    assert "All is well." in out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("parley " + parts.version(try_frozen.PROJECT), "parley unknown", "parley --version"),
        ("    shutil.copy(words", "    print('WARNING: No module named loud'); shutil.copy(words", "missing part"),
        ("The packaged program carries no compiler.", "", "compiled mode is off"),
        ("    log.write_text(", "    sys.exit(1); log.write_text(", "the window is ready to talk"),
        ("ready to talk: Mini", "Traceback: ready to talk: Mini", "the window, log and output"),
        ("sys.exit(0)", "sys.exit(3)", "the window ends when asked to"),
        ("        os.unlink(place)", "        pass", "the place of the process before is taken up"),
    ],
)
def test_each_fault_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str) -> None:
    assert try_frozen.main([str(stand_in(tmp_path, (old, new)))]) == 1
    wrong = [line for line in capsys.readouterr().out.splitlines() if line.startswith("WRONG")]
    assert wrong
    assert any(said in line for line in wrong)


def test_where_nothing_was_built_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert try_frozen.main([str(tmp_path)]) == 2
    assert "build it with packaging/freeze.py first" in capsys.readouterr().err
