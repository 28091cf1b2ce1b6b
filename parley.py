"""The command `parley` begins here, as does `python parley.py` from anywhere.

Owns one thing: that app, engine and ui are the packages beside this file, whatever else of these names stands on
PYTHONPATH or in the folder where the program is started. Must import nothing that could be meant otherwise before that.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

ROOT = os.path.dirname(os.path.abspath(__file__))
OWN = ("app", "engine", "ui")


class OwnPackages:
    """Finds the program's packages beside this file, before any other place is looked at."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [ROOT], target) if name in OWN else None


def main() -> int:
    """Run the program; returns its exit status."""
    sys.meta_path.insert(0, OwnPackages)
    try:
        from app.cli import main as run
        from app.interrupts import ignore_from_now_on

        status = run()
        ignore_from_now_on()
        return status
    except KeyboardInterrupt:  # while the program was still being read
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key that is held down sends more
        return 130


if __name__ == "__main__":
    if sys.path and os.path.abspath(sys.path[0]) == ROOT:
        del sys.path[0]  # a script's folder comes before the standard library, and need not here
    sys.exit(main())
