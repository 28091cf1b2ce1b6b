"""The system libraries that no wheel carries, which packages have them, and whether a window can open.

Used by the launcher beside it: standard library only, no newer syntax (see computer.py). Linux only: on Windows and
macOS the wheels carry all that they need.
"""

import ctypes
import glob
import os
import socket
from typing import Callable, List, Mapping, NamedTuple, Sequence

from computer import Machine

MANAGERS = ("apt-get", "dnf", "pacman", "zypper")


class Library(NamedTuple):
    """A library or plugin, what it is for, and the package that has it."""

    name: str  # a soname, or "alsa:..." for a plugin of ALSA
    part: str  # sound | window | xcb | wayland
    packages: str  # one for each of MANAGERS, in that order


LIBRARIES = (
    Library("libportaudio.so.2", "sound", "libportaudio2 portaudio portaudio libportaudio2"),
    Library("alsa:pulse", "sound", "libasound2-plugins alsa-plugins-pulseaudio alsa-plugins alsa-plugins-pulse"),
    Library("libglib-2.0.so.0", "window", "libglib2.0-0 glib2 glib2 libglib-2_0-0"),
    Library("libGL.so.1", "window", "libgl1 libglvnd-glx libglvnd libglvnd"),
    Library("libEGL.so.1", "window", "libegl1 libglvnd-egl libglvnd libglvnd"),
    Library("libdbus-1.so.3", "window", "libdbus-1-3 dbus-libs dbus libdbus-1-3"),
    Library("libfontconfig.so.1", "window", "libfontconfig1 fontconfig fontconfig libfontconfig1"),
    Library("libxkbcommon.so.0", "window", "libxkbcommon0 libxkbcommon libxkbcommon libxkbcommon0"),
    Library("libxcb-cursor.so.0", "xcb", "libxcb-cursor0 xcb-util-cursor xcb-util-cursor libxcb-cursor0"),
    Library("libxcb-icccm.so.4", "xcb", "libxcb-icccm4 xcb-util-wm xcb-util-wm libxcb-icccm4"),
    Library("libxcb-keysyms.so.1", "xcb", "libxcb-keysyms1 xcb-util-keysyms xcb-util-keysyms libxcb-keysyms1"),
    Library("libxcb-shape.so.0", "xcb", "libxcb-shape0 libxcb libxcb libxcb-shape0"),
    Library("libxcb-xkb.so.1", "xcb", "libxcb-xkb1 libxcb libxcb libxcb-xkb1"),
    Library("libxkbcommon-x11.so.0", "xcb", "libxkbcommon-x11-0 libxkbcommon-x11 libxkbcommon-x11 libxkbcommon-x11-0"),
    Library("libX11-xcb.so.1", "xcb", "libx11-xcb1 libX11-xcb libx11 libX11-xcb1"),
    Library("libwayland-cursor.so.0", "wayland", "libwayland-cursor0 libwayland-cursor wayland libwayland-cursor0"),
)
# What the tests want beside these (program, Debian's package): a sound server, a screen without a monitor, a hand at
# its keyboard, and the compiler that torch.compile calls.
TEST_TOOLS = (
    ("pulseaudio", "pulseaudio"),
    ("parec", "pulseaudio-utils"),
    ("Xvfb", "xvfb"),
    ("xdotool", "xdotool"),
    ("g++", "g++"),
)


def library_present(name: str) -> bool:
    if name.startswith("alsa:"):  # either plugin leads to the desktop's sound server
        files = ("libasound_module_pcm_pulse.so", "libasound_module_pcm_pipewire.so")
        return any(glob.glob(f"/usr/lib*/{folder}{file}") for folder in ("alsa-lib/", "*/alsa-lib/") for file in files)
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def missing_libraries(machine: Machine, present: Callable[[str], bool] = library_present) -> List[Library]:
    if machine.system != "Linux":
        return []
    return [library for library in LIBRARIES if not present(library.name)]


def packages_for(libraries: Sequence[Library], manager: str) -> List[str]:
    """Package names for a manager; Debian's for one that is not known."""
    column = MANAGERS.index(manager) if manager in MANAGERS else 0
    return sorted({library.packages.split()[column] for library in libraries})


def install_hint(manager: str, packages: Sequence[str]) -> str:
    """The command that a person with the right to do so would type."""
    names = " ".join(packages)
    if manager not in MANAGERS:
        return f"install what your distribution calls {names} (these are Debian's names)"
    return f"run `sudo {manager} {'-S' if manager == 'pacman' else 'install'} {names}`"


def what_is_lost(missing: Sequence[Library], manager: str) -> List[str]:
    """One sentence for each thing that will not work without these libraries, with what to type."""
    sentences = []
    for parts, loss in (
        (("sound",), "There will be no live sound until you"),
        (("window", "xcb"), "No window can open here, and talks run without one, until you"),
    ):
        group = [library for library in missing if library.part in parts]
        if group:
            sentences.append(f"{loss} {install_hint(manager, packages_for(group, manager))}.")
    return sentences


# ---------------------------------------------------------------- the display


def display_trouble(
    environment: Mapping[str, str], missing: Sequence[Library], answers: Callable[[str, str], bool]
) -> str:
    """Why no window can open on this Linux computer, as half a sentence; "" when one can.

    answers(kind, name) tells whether the display server of that kind (wayland, xcb) and name takes a connection.
    """
    lost = {library.part for library in missing}
    if "window" in lost:
        return "the libraries that a window needs are missing"
    reasons = []
    for kind, variable in (("wayland", "WAYLAND_DISPLAY"), ("xcb", "DISPLAY")):
        name = environment.get(variable, "")
        if name and kind in lost:
            reasons.append(f"the libraries for {variable}={name} are missing")
        elif name and answers(kind, name):
            return ""
        elif name:
            reasons.append(f"{variable}={name} does not answer")
    return " and ".join(reasons) or "there is no display"


def server_answers(kind: str, name: str) -> bool:
    """Whether a display server takes connections at that name (the value of WAYLAND_DISPLAY or DISPLAY)."""
    if kind == "wayland":
        return connects(os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), name))
    host, _, rest = name.rpartition(":")
    number = rest.split(".")[0]
    if not number.isdigit():
        return False
    if host in ("", "unix") or host.startswith("/"):
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108 - where X servers listen
        return connects(path) or connects("\0" + path) or (host.startswith("/") and connects(name))
    try:
        socket.create_connection((host, 6000 + int(number)), timeout=3).close()
    except (OSError, OverflowError):
        return False
    return True


def connects(path: str) -> bool:
    """Whether something listens at a Unix socket; a leading NUL means Linux's abstract names."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(3)
        try:
            client.connect(path)
        except OSError:
            return False
    return True
