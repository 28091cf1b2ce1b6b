"""Waiting for the user's first words: who speaks first in a talk whose persona says that the user does.

Owns the rule for what counts as the user having spoken. The model hears everything meanwhile and is kept to silence by
the engine; the conversation asks here, frame by frame, whether that is over. Engine thread only.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from app.input_level import SpeechMeter

BLOCK = 240  # samples: 10 ms, as the meter counts
LOOK_BACK = 50  # blocks: half a second, of which
SPOKEN = 20  # so many with speech are words and no knock, click or cough


class FirstWords:
    """Whether the user has spoken since the talk began; once yes, always yes."""

    def __init__(self) -> None:
        self.spoken = False
        self._meter = SpeechMeter()
        self._recent: deque[bool] = deque(maxlen=LOOK_BACK)

    def add(self, pcm: np.ndarray) -> bool:
        """pcm [n * 240] float32 at 24 kHz, as the model hears it. Returns `spoken`."""
        for block in pcm.reshape(-1, BLOCK):
            self._meter.add(block)
            self._recent.append(self._meter.speech)
            self.spoken |= sum(self._recent) >= SPOKEN
        return self.spoken
