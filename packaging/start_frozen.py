"""What the packaged program begins with: `packaging/freeze.py` makes an executable of it. Not for use from a checkout.

Owns what is different in an executable: child processes of Python are this program again, and the system's own
programs must not be given the libraries that came with us. Then everything is `app.cli`'s.
"""

from __future__ import annotations

import ctypes.util
import multiprocessing
import os
import sys

# The start code of PyInstaller points the loader at our libraries by these, each kept under the second name. The loader
# has read them by now; a browser or a file manager that we open must find its own.
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def give_back_library_paths() -> None:
    """The environment as it was before the start code, for this process's children."""
    for name in _LIBRARY_PATHS:
        before = os.environ.pop(name + "_ORIG", None)
        if before:
            os.environ[name] = before
        elif getattr(sys, "frozen", False):
            os.environ.pop(name, None)


def find_own_libraries_first(folder: str) -> None:
    """`ctypes.util.find_library` asks tools that do not know the program's folder: without this, sounddevice finds the
    system's PortAudio, or none although ours is there. folder: where the libraries are."""
    elsewhere = ctypes.util.find_library

    def find_library(name: str) -> str | None:
        own = os.path.join(folder, f"lib{name}.so")
        found = [entry for entry in os.listdir(folder) if os.path.join(folder, entry).startswith(own)]
        return os.path.join(folder, min(found)) if found else elsewhere(name)

    ctypes.util.find_library = find_library


def main() -> int:
    multiprocessing.freeze_support()  # ends here in a child that a library started through multiprocessing
    give_back_library_paths()
    if sys.platform.startswith("linux"):
        find_own_libraries_first(sys._MEIPASS)  # type: ignore[attr-defined] - set by PyInstaller's start code
    from app.cli import main as parley

    return parley()


if __name__ == "__main__":
    sys.exit(main())
