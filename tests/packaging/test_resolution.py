"""The dependencies can be met on every Python and system that the README names. User report P2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import computer
import pytest

PROJECT_FILE = Path(__file__).resolve().parents[2] / "pyproject.toml"
LINUX, WINDOWS, MAC = "x86_64-manylinux_2_28", "x86_64-pc-windows-msvc", "aarch64-apple-darwin"


@pytest.mark.network
@pytest.mark.parametrize(
    ("python", "system"),
    [("3.10", LINUX), ("3.11", LINUX), ("3.12", LINUX), ("3.13", LINUX), ("3.14", WINDOWS), ("3.10", MAC)],
)
def test_dependencies_resolve_to_wheels(python: str, system: str, tmp_path: Path) -> None:
    target = tmp_path / "resolved.txt"
    options = ["--python-version", python, "--python-platform", system, "--only-binary", ":all:", "-o", str(target)]
    command = [sys.executable, "-m", "uv", "pip", "compile", "-q", *options, str(PROJECT_FILE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, env=dict(os.environ, NO_COLOR="1"))
    if done.returncode and "network" in computer.explain_failure(done.stderr, "") and "CI" not in os.environ:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    names = {line.split("==")[0] for line in target.read_text().splitlines() if "==" in line}
    assert {"torch", "pyside6-essentials", "sounddevice", "samplerate", "sentencepiece"} <= names
