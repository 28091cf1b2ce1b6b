"""The Qt binding itself, where a fault of it would end the program."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject


def test_calls_without_a_result_keep_none_alive() -> None:
    """PySide6 6.12.0 drops a reference to None at every such call; before Python 3.12 the process then aborts."""
    watched = QObject()
    before = sys.getrefcount(None)
    for _ in range(500):
        watched.setObjectName("watched")
    assert sys.getrefcount(None) > before - 100, "this build of PySide6 frees None: install another version"
