"""The command `parley` runs the program's own packages, whatever else has their names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STRANGER = "raise SystemExit('a stranger was imported')"


@pytest.fixture
def strangers(tmp_path: Path) -> Path:
    """A folder with modules named as ours."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text(STRANGER)
    for name in ("engine", "ui"):
        (tmp_path / f"{name}.py").write_text(STRANGER)
    return tmp_path


def run(strangers: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Started in the strangers' folder, which also stands on PYTHONPATH."""
    environment = dict(os.environ, PYTHONPATH=str(strangers), HOME=str(strangers))
    return subprocess.run([sys.executable, *arguments], cwd=strangers, env=environment, capture_output=True, text=True)


def test_started_as_a_file(strangers: Path) -> None:
    done = run(strangers, str(ROOT / "parley.py"), "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("parley ")


def test_started_by_the_installed_command(strangers: Path) -> None:
    """What pip writes: the module is found on the path, after the strangers."""
    named = re.search(r'^parley = "(\w+):(\w+)"', (ROOT / "pyproject.toml").read_text(), re.M)
    assert named is not None
    path = f"import sys; sys.path.append({str(ROOT)!r}); sys.argv[1:] = ['--version']; "
    done = run(strangers, "-c", path + f"from {named[1]} import {named[2]} as command; sys.exit(command())")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("parley ")
    done = run(strangers, "-c", path + "import app.cli")
    assert "a stranger was imported" in done.stderr, "without it they would be found"


def test_engine_and_window_are_ours_too(strangers: Path) -> None:
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); import parley; sys.meta_path.insert(0, parley.OwnPackages)\n"
        "import app.errors, engine.errors, ui.words; print(app.__file__, engine.__file__, ui.__file__)"
    )
    done = run(strangers, "-c", code)
    assert done.stdout.split() == [str(ROOT / name / "__init__.py") for name in ("app", "engine", "ui")], done.stderr


def test_the_standard_library_is_not_hidden_by_the_projects_folder() -> None:
    code = f"import runpy, sys; sys.argv = ['parley', '--version']; sys.path.insert(0, {str(ROOT)!r})\n"
    code += f"try: runpy.run_path({str(ROOT / 'parley.py')!r}, run_name='__main__')\nexcept SystemExit: pass\n"
    done = subprocess.run([sys.executable, "-I", "-c", code + "print(sys.path[0])"], capture_output=True, text=True)
    assert done.stdout.split("\n")[1] != str(ROOT), done.stderr
