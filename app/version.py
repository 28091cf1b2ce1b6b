"""The program's version, from the installed package's own record. Any thread; no torch, no Qt."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version


def version() -> str:
    """Such as "0.1.0"; "unknown" when the program runs from a folder that was never installed."""
    try:
        return installed_version("parley")
    except PackageNotFoundError:
        return "unknown"
