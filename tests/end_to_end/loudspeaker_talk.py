"""A talk's sound on real devices without a model: recorded speech is the answer to every frame. Prints JSON.

Run by test_loudspeaker.py as a process of its own, whose microphone hears its loudspeaker:
`python -m tests.end_to_end.loudspeaker_talk SPEECH.wav SECONDS ECHO`, where ECHO is a value of audio.echo.
"""

from __future__ import annotations

import json
import math
import sys
import time

import numpy as np
import soundfile

from app.audio import DeviceAudio
from app.config import AudioSettings
from app.resample import resample
from app.ring import FRAME, SAMPLE_RATE


def usual_db(signal: np.ndarray) -> float:
    """Median of the frames that sound in speech: a busy computer's gaps are not the matter here."""
    powers = np.mean(signal[: len(signal) // FRAME * FRAME].reshape(-1, FRAME) ** 2, 1)
    loud = np.sort(powers)[len(powers) // 2 :]
    return 10 * math.log10(float(np.median(loud)) + 1e-12)


def main() -> None:
    speech, rate = soundfile.read(sys.argv[1], dtype="float32")
    answers = resample(speech, rate, SAMPLE_RATE) * np.float32(0.5)
    audio = DeviceAudio(AudioSettings(echo=sys.argv[3]))
    audio.open()
    ends = time.monotonic() + float(sys.argv[2])
    given, troubles, at = [], set(), 0
    while time.monotonic() < ends:
        frame = audio.read_frame(1.0)
        if frame is None:
            continue
        given.append(frame.pcm)
        audio.write_frame(np.take(answers, np.arange(at, at + FRAME), mode="wrap"))
        at += FRAME
        troubles |= {trouble.kind for trouble in audio.status().troubles}
    status = audio.status()
    audio.close()
    print(
        json.dumps(
            {
                "frames": len(given),
                "given_db": usual_db(np.concatenate(given[-63:])),  # five seconds
                "answers_db": usual_db(answers),
                "active": status.echo_active,
                "removed_db": None if math.isnan(status.echo_removed_db) else status.echo_removed_db,
                "gaps": status.gaps,
                "late": status.late_callbacks,
                "latency_ms": status.mic_to_speaker_ms,
                "troubles": sorted(troubles),
            }
        )
    )


if __name__ == "__main__":
    main()
