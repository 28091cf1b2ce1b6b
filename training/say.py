"""One sentence as a sound file, by the synthesiser that speaks the training material: for recordings that come with the
program. Silence stands before and behind it, so that a talk over the file has time for the reply."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from training import bank, kokoro
from training.pronounce import Pronouncer
from training.script import Line, Script
from training.voices import Voice

RATE = 24_000


def say(
    text: str, voice: str, speaker: kokoro.Speaker, pronouncer: Pronouncer, out: Path, before_s: float, after_s: float
) -> float:
    """Write `out` (.flac or .wav, 16 bit); returns its seconds. Raises ValueError for a word or voice not known."""
    if voice not in speaker.voices:
        raise ValueError(f"There is no voice {voice}; there are {', '.join(sorted(speaker.voices))}.")
    script = Script([Voice(((voice, 1.0),))], [Line(text, (pronouncer(text),), 0, "user")], [])
    sound = bank.build(script, speaker, seed=0, report=lambda line: None).sound(0).numpy()
    before, after = (np.zeros(round(seconds * RATE), np.float32) for seconds in (before_s, after_s))
    whole = np.concatenate((before, sound, after))
    soundfile.write(out, whole, RATE, subtype="PCM_16")
    return len(whole) / RATE
