"""The window's place: its words, its position and its size, as text that the next process can read.

Owns the form. What comes back was written by this program but lay on a disk: it is checked as any file is. Qt thread.
"""

from __future__ import annotations

import json
import math
from typing import Any

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QMainWindow

from ui.transcript import TranscriptView
from ui.turns import MODEL, USER

FORM = "parley-place/1"


def place_of(window: QMainWindow, transcript: TranscriptView) -> str:
    """As JSON."""
    talks = [
        {
            "heading": talk.heading,
            "turns": [[turn.speaker, turn.start_s, turn.text] for turn in talk.turns],
            "saved": not talk.unsaved,
        }
        for talk in transcript.spoken()
    ]
    geometry = bytes(window.saveGeometry().toHex().data()).decode("ascii")
    return json.dumps({"form": FORM, "geometry": geometry, "talks": talks})


def put_back(place: str, window: QMainWindow, transcript: TranscriptView) -> bool:
    """Show the place again. False, and nothing is changed, when the text is none."""
    try:
        values = json.loads(place)
        talks = [
            (str(talk["heading"]), [_turn(turn) for turn in talk["turns"]], talk.get("saved") is True)
            for talk in values["talks"]
        ]
        geometry = bytes.fromhex(values["geometry"])
        if values["form"] != FORM:
            return False
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return False
    window.restoreGeometry(QByteArray(geometry))
    for heading, turns, saved in talks:
        transcript.begin_talk(heading)
        for speaker, start_s, text in turns:
            transcript.add_turn(speaker, start_s, text)
        if saved and turns:
            newest = transcript.spoken()[-1]
            newest.saved = newest.size
    return True


def _turn(turn: Any) -> tuple[str, float, str]:
    speaker, start_s, text = turn
    start_s = float(start_s)
    if speaker not in (MODEL, USER) or not isinstance(text, str) or not math.isfinite(start_s):
        raise ValueError
    return speaker, start_s, text
