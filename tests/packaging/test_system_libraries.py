"""Which packages the launcher names for which system, and when it believes that a window can open."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
import system_libraries
from system_libraries import LIBRARIES, MANAGERS, Library

from tests.packaging.computers import LINUX, MAC, WINDOWS

SOUND = [library for library in LIBRARIES if library.part == "sound"]
WINDOW = [library for library in LIBRARIES if library.part == "window"]
XCB = [library for library in LIBRARIES if library.part == "xcb"]


def nothing(_name: str) -> bool:
    return False


def test_every_library_names_a_package_for_every_manager() -> None:
    for library in LIBRARIES:
        assert len(library.packages.split()) == len(MANAGERS), library.name
        assert library.part in ("sound", "window", "xcb", "wayland")


def test_missing_libraries_are_those_that_do_not_load() -> None:
    present = {library.name for library in LIBRARIES} - {"libportaudio.so.2", "libEGL.so.1"}
    missing = system_libraries.missing_libraries(LINUX, present.__contains__)
    assert [library.name for library in missing] == ["libportaudio.so.2", "libEGL.so.1"]


@pytest.mark.parametrize("machine", [MAC, WINDOWS])
def test_wheels_carry_all_on_other_systems(machine) -> None:
    assert system_libraries.missing_libraries(machine, nothing) == []


def test_a_library_is_found_by_loading_it() -> None:
    assert not system_libraries.library_present("libparley-has-no-such-library.so.7")


@pytest.mark.parametrize(
    ("manager", "packages", "command"),
    [
        ("apt-get", ["libasound2-plugins", "libportaudio2"], "sudo apt-get install libasound2-plugins libportaudio2"),
        ("dnf", ["alsa-plugins-pulseaudio", "portaudio"], "sudo dnf install alsa-plugins-pulseaudio portaudio"),
        ("pacman", ["alsa-plugins", "portaudio"], "sudo pacman -S alsa-plugins portaudio"),
        ("zypper", ["alsa-plugins-pulse", "libportaudio2"], "sudo zypper install alsa-plugins-pulse libportaudio2"),
        ("", ["libasound2-plugins", "libportaudio2"], "libasound2-plugins libportaudio2 (these are Debian's names)"),
    ],
)
def test_each_manager_gets_its_own_names(manager: str, packages: list[str], command: str) -> None:
    assert system_libraries.packages_for(SOUND, manager) == packages
    assert command in system_libraries.install_hint(manager, packages)


def test_a_package_is_named_once() -> None:
    assert system_libraries.packages_for(WINDOW, "pacman").count("libglvnd") == 1


def test_what_is_lost_is_told_apart() -> None:
    sound, window = system_libraries.what_is_lost([*SOUND, *XCB], "apt-get")
    assert "no live sound" in sound
    assert "libportaudio2" in sound
    assert "libxcb" not in sound
    assert "No window" in window
    assert "libxcb-cursor0" in window
    assert system_libraries.what_is_lost([], "apt-get") == []


def yes(_kind: str, _name: str) -> bool:
    return True


def no(_kind: str, _name: str) -> bool:
    return False


@pytest.mark.parametrize(
    ("environment", "missing", "answers", "reason"),
    [
        ({"DISPLAY": ":0"}, [], yes, ""),
        ({"WAYLAND_DISPLAY": "wayland-0"}, [], yes, ""),
        ({"WAYLAND_DISPLAY": "wayland-0"}, XCB, yes, ""),
        ({"DISPLAY": ":0"}, SOUND, yes, ""),
        ({}, [], yes, "there is no display"),
        ({"DISPLAY": ""}, [], yes, "there is no display"),
        ({"DISPLAY": ":0"}, [], no, "DISPLAY=:0 does not answer"),
        ({"DISPLAY": ":0"}, XCB, yes, "the libraries for DISPLAY=:0 are missing"),
        ({"DISPLAY": ":0"}, WINDOW, yes, "the libraries that a window needs are missing"),
        (
            {"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"},
            XCB,
            no,
            "WAYLAND_DISPLAY=w does not answer and the libraries for DISPLAY=:0 are missing",
        ),
    ],
)
def test_a_window_opens_only_where_one_can(
    environment: dict[str, str], missing: list[Library], answers, reason: str
) -> None:
    assert system_libraries.display_trouble(environment, missing, answers) == reason


def test_a_listening_socket_answers_and_a_dead_one_does_not(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(tmp_path / "wayland-7"))
        server.listen()
        assert system_libraries.server_answers("wayland", "wayland-7")
    assert not system_libraries.server_answers("wayland", "wayland-7")
    assert not system_libraries.server_answers("wayland", "wayland-8")


@pytest.mark.parametrize("name", [":98765", "no-number", ":", "127.0.0.1:59000", "127.0.0.1:70000"])
def test_a_display_that_nobody_serves_does_not_answer(name: str) -> None:
    assert not system_libraries.server_answers("xcb", name)
