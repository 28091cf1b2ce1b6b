"""Where the program's own files are, and where the user's files belong.

Owns the three ways the program can be installed (a checkout, a built wheel, a frozen application) and the folders
that each system reserves for settings and logs; where there is no home for them, UserError. Any thread may call it;
nothing here creates a folder. Must not import torch or Qt.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from app.errors import UserError

PROGRAM = "parley"
NO_HOME = (
    "This account has no home folder, so there is no place for Parley's settings and logs: set the environment "
    "variable HOME to a folder of yours, with its whole path."
)


def project_file(name: str) -> Path:
    """A file or folder that comes with the program, such as "config.yaml" or "assets/mini".

    Raises UserError when it is in none of the places where an installation keeps it.
    """
    for root in _roots():
        path = root / name
        if path.exists():
            return path
    raise UserError(f'A part of Parley, "{name}", is missing: this installation is incomplete, so install it again.')


def packaged() -> bool:
    """Whether this is the packaged program (packaging/freeze.py), into which nothing can be installed."""
    return bool(getattr(sys, "frozen", False))  # set by PyInstaller's start code


def own_command(*arguments: str) -> list[str]:
    """What starts this program once more, from any folder and whatever stands on PYTHONPATH.

    The packaged program is its own executable. Otherwise it is `parley.py`, which lies beside the package.
    """
    if packaged():
        return [sys.executable, *arguments]
    return [sys.executable, str(Path(__file__).resolve().parent.parent / "parley.py"), *arguments]


def typed_path(text: str | Path) -> Path:
    """A path as somebody typed it: "~" is their home. A name after it that nobody has stays as it is, as in a shell."""
    return Path(os.path.expanduser(text))


def user_config_file() -> Path:
    """The user's own settings; it need not exist. Linux: ~/.config/parley/config.yaml."""
    return _user_folder("user_config_path", "~/.config") / "config.yaml"


def user_log_folder() -> Path:
    """Where logs go; it need not exist. Linux: ~/.local/state/parley/log."""
    return _user_folder("user_log_path", "~/.local/state")


def user_cache_folder() -> Path:
    """Where downloads are kept; it need not exist. Linux: ~/.cache/parley."""
    return _user_folder("user_cache_path", "~/.cache")


def user_voice_folder() -> Path:
    """Where the user's own voices are looked for; it need not exist. Linux: ~/.local/share/parley/voices."""
    return _user_folder("user_data_path", "~/.local/share") / "voices"


def user_persona_file() -> Path:
    """The user's personas with names; it need not exist. Linux: ~/.local/share/parley/personas.json."""
    return _user_folder("user_data_path", "~/.local/share") / "personas.json"


def user_recording_folder() -> Path:
    """Where recordings go unless the settings say otherwise; it need not exist. Linux: ~/Documents/Parley."""
    try:
        import platformdirs
    except ImportError:
        return home_folder() / "Documents" / "Parley"
    return _absolute(platformdirs.user_documents_path) / "Parley"


def home_folder() -> Path:
    """The user's own. Raises UserError where there is none, as for a number that the system knows no account of."""
    return _absolute(Path.home)


def _roots() -> list[Path]:
    """Frozen application first, then a checkout (an editable install), then the data that a built wheel carries."""
    package = Path(__file__).resolve().parent
    roots = [package.parent, package / "data"]
    frozen = getattr(sys, "_MEIPASS", None)  # set by PyInstaller's start code
    return [Path(frozen), *roots] if frozen else roots


def _user_folder(function: str, fallback: str) -> Path:
    try:
        import platformdirs
    except ImportError:  # a bare machine that only runs the benchmark
        return _absolute(lambda: Path(os.path.expanduser(fallback))) / PROGRAM
    return _absolute(lambda: getattr(platformdirs, function)(PROGRAM, appauthor=False))


def _absolute(find: Callable[[], Path]) -> Path:
    """Without a home some libraries give up, and some mean a folder called "~" of wherever the program was started."""
    try:
        folder = find()
    except RuntimeError:
        raise UserError(NO_HOME) from None
    if not folder.is_absolute():
        raise UserError(NO_HOME)
    return folder
