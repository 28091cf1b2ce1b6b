"""Where the program finds its own files in each kind of installation, and where the user's files go."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app import paths
from app.errors import UserError


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The `app` package as installed somewhere, with nothing beside it yet."""
    folder = tmp_path / "site-packages" / "app"
    folder.mkdir(parents=True)
    monkeypatch.setattr(paths, "__file__", str(folder / "paths.py"))
    monkeypatch.delattr(sys, "_MEIPASS", raising=False)
    return folder


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("here")
    return path


def test_checkout() -> None:
    assert paths.project_file("config.yaml").is_file()


def test_built_wheel(package: Path) -> None:
    wanted = put(package / "data" / "config.yaml")
    assert paths.project_file("config.yaml") == wanted


def test_checkout_goes_before_data_left_by_a_build(package: Path) -> None:
    put(package / "data" / "config.yaml")
    wanted = put(package.parent / "config.yaml")
    assert paths.project_file("config.yaml") == wanted


def test_frozen_application(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "frozen"), raising=False)
    wanted = put(tmp_path / "frozen" / "assets" / "mini" / "config.json")
    assert paths.project_file("assets/mini/config.json") == wanted


def test_missing_part_is_named(package: Path) -> None:
    with pytest.raises(UserError, match='"assets/mini", is missing'):
        paths.project_file("assets/mini")


def test_users_folders_with_and_without_platformdirs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A bare machine that only runs the benchmark has no platformdirs."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    with_it = paths.user_config_file()
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    without = paths.user_config_file()
    assert without == tmp_path / ".config" / "parley" / "config.yaml"
    if sys.platform.startswith("linux"):
        assert with_it == without


def test_own_command(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Path(paths.__file__).resolve().parents[1] / "parley.py"
    assert start.is_file()
    assert paths.own_command("doctor") == [sys.executable, str(start), "doctor"]
    assert not paths.packaged()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert paths.own_command("doctor") == [sys.executable, "doctor"]
    assert paths.packaged()


@pytest.mark.skipif(sys.platform != "linux", reason="the system's own folders are found otherwise elsewhere")
@pytest.mark.parametrize("without_platformdirs", [False, True])
def test_without_a_home_one_sentence_says_so(without_platformdirs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs under a number without an account: nothing may go into a folder called "~"."""
    import pwd

    def unknown(number: int) -> object:
        raise KeyError(number)

    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_DOCUMENTS_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    if without_platformdirs:
        monkeypatch.setitem(sys.modules, "platformdirs", None)
    for find in (
        paths.user_config_file,
        paths.user_log_folder,
        paths.user_cache_folder,
        paths.user_voice_folder,
        paths.user_persona_file,
        paths.user_recording_folder,
        paths.home_folder,
    ):
        with pytest.raises(UserError, match="set the environment variable HOME"):
            find()


def test_a_home_that_nobody_has_is_left_as_it_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert paths.typed_path("~/x.wav") == Path("/home/ada/x.wav")
    assert paths.typed_path("~nobody-has-this/x.wav") == Path("~nobody-has-this/x.wav")
    assert paths.typed_path("~.wav") == Path("~.wav")
