"""Cuts what the user says into utterances: a simple voice activity gate on the microphone's signal.

Owns the thresholds and the frames of the utterance in progress. It hears what the model hears, after echo cancelling.
A level above the room's own noise begins an utterance, a pause ends it; whether it is speech at all is the recogniser's
judgement, which has a better gate of its own and costs more. Must not know threads or recognisers; an object belongs to
the thread that feeds it.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from app.levels import QUIETEST_DBFS, dbfs
from app.ring import FRAME, SAMPLE_RATE

FRAME_S = FRAME / SAMPLE_RATE
BLOCKS = 4  # of 20 ms in a frame: a short sound is not averaged away
ABOVE_NOISE_DB = 9.0
QUIETEST_SPEECH_DBFS = -55.0
SILENCE_DBFS = -80.0  # no microphone is so quiet: muted, or a recording's digital silence
NOISE_FRAMES = 38  # 3 s: speech has dips within them, steady noise has none
LEAD_FRAMES = 3  # kept from before the level rose: consonants are quiet
PAUSE_FRAMES = 8  # 0.64 s of quiet end an utterance
LEAST_FRAMES = 2  # a click is shorter
LONGEST_FRAMES = 300  # 24 s; the recogniser sees 30


class Utterance(NamedTuple):
    """pcm [n] float32 at 24 kHz; start_s: of its first sample, in seconds of the talk."""

    start_s: float
    pcm: np.ndarray


class SpeechGate:
    def __init__(self) -> None:
        self._noise: deque[float] = deque(maxlen=NOISE_FRAMES)
        self._lead: deque[tuple[float, np.ndarray]] = deque(maxlen=LEAD_FRAMES)
        self._held: list[tuple[float, np.ndarray]] = []  # of the utterance in progress
        self._loud = 0  # frames of it above the noise
        self._quiet = 0  # newest frames of it that are not

    def feed(self, start_s: float, pcm: np.ndarray) -> Utterance | None:
        """One frame [1920] float32 that began at `start_s` of the talk. Returns the utterance that it ends.

        A jump in time (frames that the talk left out) ends one too.
        """
        ended = None
        before = self._held or self._lead
        if before and abs(start_s - before[-1][0] - FRAME_S) > FRAME_S / 2:
            ended = self.flush()
        loud = self._is_loud(pcm)
        if not self._held and not loud:
            self._lead.append((start_s, pcm))
            return ended
        if not self._held:
            self._held = list(self._lead)
            self._lead.clear()
        self._held.append((start_s, pcm))
        self._loud += loud
        self._quiet = 0 if loud else self._quiet + 1
        if self._quiet >= PAUSE_FRAMES or len(self._held) >= LONGEST_FRAMES:
            return self.flush()  # nothing else ended: it was in progress before
        return ended

    def flush(self) -> Utterance | None:
        """End the utterance in progress, as the end of a talk does."""
        held, loud = self._held, self._loud
        self._held, self._loud, self._quiet = [], 0, 0
        self._lead.clear()
        if loud < LEAST_FRAMES:
            return None
        return Utterance(held[0][0], np.concatenate([pcm for _, pcm in held]))

    def _is_loud(self, pcm: np.ndarray) -> bool:
        power = np.square(pcm, dtype=np.float32).reshape(BLOCKS, -1).mean(axis=1)
        whole, loudest = dbfs(float(np.sqrt(power.mean()))), dbfs(float(np.sqrt(power.max())))
        if whole > SILENCE_DBFS:
            self._noise.append(whole)
        floor = min(self._noise, default=QUIETEST_DBFS)
        return loudest > max(floor + ABOVE_NOISE_DB, QUIETEST_SPEECH_DBFS)
