"""What a window needs of the system: a display that answers and the shared libraries of Qt.

Owns these two questions, asked without Qt: Qt itself ends the whole process when one is missing, with no way to catch
it. Main thread, before the window. Must not import Qt or torch.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec

HEADLESS = "parley talk --input speech.wav --output reply.wav"
_DRAWN_NOWHERE = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")  # Qt platforms that need no display server

# Library -> package, on Debian and Ubuntu; the second table for X11 windows only.
_QT = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxkbcommon.so.0": "libxkbcommon0",
}
_X11 = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
}


def display_problem(
    environment: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    answers: Callable[[str], bool] | None = None,
) -> str | None:
    """None when a window can be shown, else one sentence with what to do instead."""
    if not platform.startswith("linux") or _qt_platform(environment) in _DRAWN_NOWHERE:
        return None
    x11, wayland = environment.get("DISPLAY", ""), environment.get("WAYLAND_DISPLAY", "")
    remedy = f"start Parley on a desktop, or talk through files with: {HEADLESS}"
    if not x11 and not wayland:
        return f"There is no display here, so no window can open: {remedy}"
    if not wayland and not (answers or _x11_answers)(x11):
        return f"The display {x11} does not answer, so no window can open: {remedy}"
    return None


def missing_libraries(
    environment: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    loads: Callable[[str], bool] | None = None,
) -> dict[str, str]:
    """Shared libraries that Qt needs here and that do not load, each with its Debian package. Empty: none missing."""
    if not platform.startswith("linux"):
        return {}  # Qt's wheels bring everything
    needed = dict(_QT)
    if _qt_platform(environment) in ("", "xcb") and not environment.get("WAYLAND_DISPLAY"):
        needed |= _X11
    return {library: package for library, package in needed.items() if not (loads or _loads)(library)}


def window_problem(environment: Mapping[str, str] = os.environ) -> str | None:
    """None when the window may be tried, else one sentence: no PySide6, no libraries, no display."""
    if find_spec("PySide6") is None:
        return f"The Python package PySide6-Essentials is not installed, so no window can open: {_install()}"
    missing = missing_libraries(environment)
    if missing:
        packages = " ".join(sorted(set(missing.values())))
        return (
            f"Qt needs {', '.join(missing)}, which this computer lacks: on Debian and Ubuntu "
            f"install with: apt install {packages} (or talk through files with: {HEADLESS})"
        )
    return display_problem(environment)


def _install() -> str:
    return f"run packaging/launch.py again to complete the set-up, or talk through files with: {HEADLESS}"


def _qt_platform(environment: Mapping[str, str]) -> str:
    return environment.get("QT_QPA_PLATFORM", "").split(";")[0].split(":")[0]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _x11_answers(display: str) -> bool:
    """Connects once as Qt would; True when it cannot be tried, so that Qt itself decides."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(display.encode(), None)
    answered = xcb.xcb_connection_has_error(connection) == 0
    xcb.xcb_disconnect(connection)
    return answered
