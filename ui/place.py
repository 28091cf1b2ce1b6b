"""The window's place: its words, its position and its size, as text that the next process can read.

Owns the form. What comes back was written by this program but lay on a disk: it is checked as any file is. Qt thread.
"""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QMainWindow

from ui.transcript import TranscriptView
from ui.turns import MODEL, USER, Talk, Turn

FORM = "parley-place/2"


def place_of(window: QMainWindow, transcript: TranscriptView) -> str:
    """As JSON."""
    talks = [
        {
            "heading": talk.heading,
            "began": talk.began.isoformat(),
            "turns": [[turn.speaker, turn.start_s, turn.last_s, turn.text, turn.pieces] for turn in talk.turns],
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
        talks = [_talk(talk) for talk in values["talks"]]
        geometry = bytes.fromhex(values["geometry"])
        if values["form"] != FORM:
            return False
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return False
    window.restoreGeometry(QByteArray(geometry))
    transcript.put_back(talks)
    return True


def _talk(values: Any) -> Talk:
    turns = sorted((_turn(turn) for turn in values["turns"]), key=lambda turn: turn.start_s)
    talk = Talk(str(values["heading"]), datetime.fromisoformat(values["began"]), turns)
    talk.saved = talk.size if values.get("saved") is True else 0
    return talk


def _turn(values: Any) -> Turn:
    speaker, start_s, last_s, text, pieces = values
    pieces = [(_seconds(time_s), _words(piece)) for time_s, piece in pieces]
    if speaker not in (MODEL, USER):
        raise ValueError
    return Turn(speaker, _seconds(start_s), _seconds(last_s), _words(text), pieces)


def _seconds(value: Any) -> float:
    seconds = float(value)
    if not math.isfinite(seconds):
        raise ValueError
    return seconds


def _words(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value
