"""The window's words in the user's language.

Owns `tr`, through which every text that people read passes, and `marked`, which names a text for the translators at a
place where it cannot be translated yet, such as a table made while a file is read. English is the language of the
source. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

CONTEXT = "Parley"


def tr(text: str) -> str:
    """The text in the language in force. Places such as {name} are filled in afterwards, with `format`."""
    return QCoreApplication.translate(CONTEXT, text)


def marked(text: str) -> str:
    """The text itself; whoever shows it passes it through `tr`."""
    return text
