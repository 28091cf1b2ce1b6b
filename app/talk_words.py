"""What the recording of a headless talk says, written down after the talk.

Owns the way from pieces of sound to the words of the utterances in them. After the talk rather than beside it, so that
the recogniser takes nothing from the model and a talk at full speed loses no words. Knows no files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from app.recogniser import Recogniser
from app.ring import FRAME
from app.speech_gate import FRAME_S, SpeechGate, Utterance
from app.transcript import Word


def utterances(pieces: Iterable[np.ndarray]) -> Iterator[Utterance]:
    """pieces: [n] float32 at 24 kHz each, one after the other from the talk's beginning on."""
    gate, rest, number = SpeechGate(), np.zeros(0, np.float32), 0
    for piece in pieces:
        rest = np.concatenate([rest, piece])
        whole = len(rest) // FRAME
        for frame in rest[: whole * FRAME].reshape(whole, FRAME):
            ended = gate.feed(number * FRAME_S, frame.copy())
            number += 1
            if ended is not None:
                yield ended
        rest = rest[whole * FRAME :]
    last = np.zeros(FRAME, np.float32)
    last[: len(rest)] = rest
    for ended in (gate.feed(number * FRAME_S, last), gate.flush()):
        if ended is not None:
            yield ended


def write_down(
    pieces: Iterable[np.ndarray], recogniser: Recogniser, go_on: Callable[[float], bool]
) -> Iterator[list[Word]]:
    """The words of each utterance, times in seconds of the talk. go_on: asked before each with its start; False ends
    it. Raises UserError when the recogniser stops."""
    for utterance in utterances(pieces):
        if not go_on(utterance.start_s):
            return
        words = recogniser.words(utterance.pcm)
        yield [Word(utterance.start_s + one.start_s, utterance.start_s + one.end_s, one.text) for one in words]
