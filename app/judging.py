"""Two minutes of talk on which a model that is converted to a smaller precision is compared with itself as it was.

Made from the bundled recording, said over and over at other speeds and loudnesses, so that its frames differ. Engine
thread, at the first load of a trained model in a precision.
"""

from __future__ import annotations

import numpy as np

from app.paths import project_file
from app.recording import read_recording
from app.resample import resample
from app.ring import SAMPLE_RATE

SECONDS = 120
_SPEEDS = (1.0, 0.91, 1.07, 0.96, 1.13, 0.88, 1.03)
_LOUDNESSES = (1.0, 0.5, 0.7, 0.35, 0.85)


def judging_speech() -> np.ndarray:
    """[SECONDS * 24000] float32. Raises UserError where the recording is missing."""
    recording = read_recording(project_file("assets/speech/hello.wav")).pcm
    takes: list[np.ndarray] = []
    while sum(map(len, takes)) < SECONDS * SAMPLE_RATE:
        speed = _SPEEDS[len(takes) % len(_SPEEDS)]
        take = resample(recording, SAMPLE_RATE * speed, SAMPLE_RATE)
        takes.append(take * _LOUDNESSES[len(takes) % len(_LOUDNESSES)])
    return np.concatenate(takes)[: SECONDS * SAMPLE_RATE].astype(np.float32)
