"""What the one button of a trouble does, read from its label and its kind.

Owns the reading, and which of the session's doors it leads to. A label that names a settings page opens it, one that
names a mode switches to it, "New talk" and "... again" do what they say, and everything else opens the page for its
kind. Qt thread only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.messages import MODES, Trouble
from ui.words import marked

if TYPE_CHECKING:
    from ui.session import Session

# The labels that troubles come with, for the translators: they are read in English here, and shown in the user's words.
LABELS = (
    marked("Sound settings"),
    marked("Voice settings"),
    marked("Engine settings"),
    marked("Models"),
    marked("Choose device"),
    marked("Load again"),
    marked("Try again"),
    marked("New talk"),
    marked("Open reports"),
)
PAGE, MODE, NEW_TALK, AGAIN = "page", "mode", "new talk", "again"
RELAUNCH, REPORTS = "relaunch", "reports"
RESCUES = {"restart": RELAUNCH, "reports": REPORTS}
LABEL_PAGES = {"engine": "engine", "models": "models", "sound": "audio", "voice": "voice"}
KIND_PAGES = {
    "audio-input": "audio",
    "audio-output": "audio",
    "audio-echo": "audio",
    "audio-muted": "audio",
    "audio-noise": "audio",
    "sound": "audio",
    "voice": "voice",
    "persona": "voice",
}


class Remedy(NamedTuple):
    """deed: PAGE, MODE, NEW_TALK, AGAIN, RELAUNCH or REPORTS. what: the page or the mode."""

    deed: str
    what: str = ""


def remedy_of(trouble: Trouble) -> Remedy:
    """The deed behind a trouble's label."""
    words = trouble.remedy.lower().split()
    for word, rescue in RESCUES.items():
        if word in words:
            return Remedy(rescue)
    for word, page in LABEL_PAGES.items():
        if word in words:
            return Remedy(PAGE, page)
    for mode in MODES:
        if mode in words:
            return Remedy(MODE, mode)
    if words == ["new", "talk"]:
        return Remedy(NEW_TALK)
    return Remedy(AGAIN) if "again" in words else Remedy(PAGE, KIND_PAGES.get(trouble.kind, "engine"))


def carry_out(trouble: Trouble, session: Session) -> None:
    """Do what a trouble's button says."""
    deed, what = remedy_of(trouble)
    if deed == PAGE:
        session.page_wanted.emit(what)
        return
    if deed in (RELAUNCH, REPORTS):
        session.rescue_wanted.emit(deed)
        return
    session.dismiss(trouble)
    if deed == MODE:
        session.set_mode(what)
    elif deed == NEW_TALK and session.talking:
        session.new_talk()
    elif trouble.kind == "load" and session.refused_spec is not None:
        session.set_spec(session.refused_spec)
    elif session.phase in ("idle", "failed") or trouble.kind == "load":
        session.load()
    else:
        session.start()
