"""What counts as the user's first words: speech does; noise, clicks, a fan and silence do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.first_words import FirstWords

RATE = 24000
FRAME = 1920
SPEECH = Path(__file__).resolve().parents[2] / "assets" / "speech" / "hello.wav"


def speech() -> np.ndarray:
    heard, rate = soundfile.read(SPEECH, dtype="float32")
    assert rate % RATE == 0 or RATE % rate == 0
    return np.interp(np.arange(0, len(heard), rate / RATE), np.arange(len(heard)), heard).astype(np.float32)


def noise(seconds: float, dbfs: float, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).standard_normal(round(seconds * RATE))
    return (drawn * 10 ** (dbfs / 20)).astype(np.float32)


def spoken_after(pcm: np.ndarray) -> float | None:
    """Seconds until somebody was heard to speak, or None."""
    waiting = FirstWords()
    for number in range(len(pcm) // FRAME):
        if waiting.add(pcm[number * FRAME : (number + 1) * FRAME]):
            return (number + 1) * FRAME / RATE
    return None


def clicks() -> np.ndarray:
    """A knock of 30 ms each second over a quiet room."""
    pcm = noise(10, -65)
    for second in range(10):
        pcm[second * RATE : second * RATE + 720] += noise(0.03, -15, second)
    return pcm


@pytest.mark.parametrize(
    "pcm",
    [np.zeros(10 * RATE, np.float32), noise(30, -60), noise(30, -35), clicks(), 0.2 * np.sin(np.arange(10 * RATE) / 9)],
    ids=["digital silence", "a quiet room", "a fan", "knocks", "a tone"],
)
def test_no_words_are_heard_where_nobody_speaks(pcm: np.ndarray) -> None:
    """User report C11."""
    assert spoken_after(pcm.astype(np.float32)) is None


@pytest.mark.parametrize("lead", [np.zeros(5 * RATE, np.float32), noise(5, -60), noise(5, -45)])
@pytest.mark.parametrize("gain", [1.0, 0.2])
def test_speech_is_heard_soon_after_it_begins(lead: np.ndarray, gain: float) -> None:
    """User report C11."""
    said = speech() * gain
    room = np.resize(lead, len(lead) + len(said))
    room[len(lead) :] += said
    heard = spoken_after(room)
    assert heard is not None
    begins = 5 + int(np.argmax(np.abs(said) > 0.1 * np.abs(said).max())) / RATE
    assert begins < heard < begins + 1.0


def test_speech_from_the_first_moment_is_heard_too() -> None:
    said = speech()
    begins = int(np.argmax(np.abs(said) > 0.1 * np.abs(said).max()))
    assert spoken_after(said[begins:]) is not None


def test_once_spoken_it_stays_so() -> None:
    waiting = FirstWords()
    said = speech()
    for number in range(len(said) // FRAME):
        waiting.add(said[number * FRAME : (number + 1) * FRAME])
    assert waiting.spoken
    assert waiting.add(np.zeros(FRAME, np.float32))
