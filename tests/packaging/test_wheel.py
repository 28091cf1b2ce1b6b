"""A built wheel is complete: packages, settings page and assets, found again from where it was installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "app", "engine", "ui", "assets", "parley.py", "pyproject.toml", "setup.py", "config.yaml", "README.md", "LICENSE",
    "NOTICE",
)  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that the checkout gets no build folder."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("parley-*.whl"))


def test_wheel_holds_packages_settings_and_assets(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = [path for room in ("app", "engine", "ui") for path in (ROOT / room).rglob("*.py")]
    assert {str(path.relative_to(ROOT)) for path in sources} <= names
    assets = [path for path in (ROOT / "assets").rglob("*") if path.is_file()]
    assert {f"app/data/{path.relative_to(ROOT)}" for path in assets} <= names
    assert {"app/data/config.yaml", "parley.py"} <= names
    assert not [name for name in names if name.startswith(("tests/", "training/", "packaging/"))]


def test_an_installed_wheel_finds_its_files(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    code = (
        "from app.paths import project_file\n"
        "print(project_file('config.yaml')); print(project_file('assets/mini')); print(project_file('assets/speech'))"
    )
    environment = {"PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {environment['PYTHONPATH']!r})\n{code}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    data = tmp_path / "site" / "app" / "data"
    assert done.stdout.split("\n")[:3] == [str(data / name) for name in ("config.yaml", "assets/mini", "assets/speech")]
