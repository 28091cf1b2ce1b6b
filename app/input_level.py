"""How loud somebody speaks: telling speech from the room's noise, and an automatic gain that follows it slowly.

Owns both rules. Must not know devices or frames; called by the audio thread for every 10 ms at 24 kHz.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from app.levels import QUIETEST_DBFS, dbfs, peak

HOP_S = 0.01
FLOOR_PIECE = 10  # blocks, of which the quietest counts
FLOOR_PIECES = 30  # three seconds: nobody speaks for so long without a pause, so the quietest of them is the room
ABOVE_FLOOR_DB = 10.0
LEAST_SPEECH_DBFS = -50.0  # root mean square of 10 ms: quieter is nobody speaking into this microphone
TALK_WINDOW = 300  # blocks: three seconds, of which
TALKING = 80  # so many with speech are somebody talking, and
TALK_OVER = 10  # so few are nobody

TARGET_DBFS = -22.0  # of speech, root mean square: what models were trained with, more or less
MOST_GAIN_DB = 12.0
LISTEN_S = 1.5  # time constant of the level of speech
UP_DB, DOWN_DB = 2.0, 6.0  # per second of speech
CEILING = 0.95  # the gain gives way at once before a sample goes beyond


class SpeechMeter:
    """Whether there is speech, by its level against the quietest of the last seconds."""

    def __init__(self) -> None:
        self.level_dbfs = QUIETEST_DBFS  # root mean square of the last block
        self.speech = False  # in the last block
        self.talking = False  # somebody talks, in sentences
        self._quietest: deque[float] = deque(maxlen=FLOOR_PIECES)
        self._piece: list[float] = []
        self._recent: deque[bool] = deque(maxlen=TALK_WINDOW)

    def add(self, block: np.ndarray) -> None:
        """block [240] float32."""
        self.level_dbfs = dbfs(math.sqrt(float(np.dot(block, block)) / max(1, len(block))))
        self._piece.append(self.level_dbfs)
        if len(self._piece) == FLOOR_PIECE:
            self._quietest.append(min(self._piece))
            self._piece = []
        floor_dbfs = min(self._quietest, default=self.level_dbfs)
        self.speech = self.level_dbfs > max(floor_dbfs + ABOVE_FLOOR_DB, LEAST_SPEECH_DBFS)
        self._recent.append(self.speech)
        spoken = sum(self._recent)
        self.talking = spoken >= TALKING or (self.talking and spoken > TALK_OVER)


class AutomaticGain:
    """Brings speech to one level, within 12 dB up or down. Slow: it follows a voice, never its syllables."""

    def __init__(self) -> None:
        self.gain_db = 0.0
        self._speech_dbfs = TARGET_DBFS
        self._factor = 1.0  # at the end of the last block

    def process(self, block: np.ndarray, meter: SpeechMeter, wanted: bool) -> np.ndarray:
        """block [240] float32, which `meter` has seen -> [240] float32. wanted: False lets the gain return to 0 dB."""
        if wanted and meter.speech:
            self._speech_dbfs += (meter.level_dbfs - self._speech_dbfs) * HOP_S / LISTEN_S
            aim = max(-MOST_GAIN_DB, min(MOST_GAIN_DB, TARGET_DBFS - self._speech_dbfs))
            self.gain_db += max(-DOWN_DB * HOP_S, min(UP_DB * HOP_S, aim - self.gain_db))
        elif not wanted and self.gain_db:
            self.gain_db -= math.copysign(min(abs(self.gain_db), 2 * DOWN_DB * HOP_S), self.gain_db)
            self._speech_dbfs = TARGET_DBFS
        if self.gain_db == 0.0 and self._factor == 1.0:
            return block
        return self._apply(block)

    def _apply(self, block: np.ndarray) -> np.ndarray:
        factor = 10 ** (self.gain_db / 20)
        loudest = peak(block)
        if factor > 1.0 and loudest * factor > CEILING:
            factor = max(1.0, CEILING / loudest)
            self.gain_db = 20 * math.log10(factor)
            self._factor = min(self._factor, factor)
        ramp = np.linspace(self._factor, factor, len(block), dtype=np.float32)
        self._factor = factor
        return block * ramp
