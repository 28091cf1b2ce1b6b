"""Questions by a recorded human voice, spliced from prompts for telephones: for a test that training never saw.

Source: the Debian package `asterisk-core-sounds-en-wav` (one speaker, 8 kHz, CC-BY-SA 3.0; unpacked, not kept here).
Its words decide what can be asked: greetings, sums and differences, in the shortest of the phrasings.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import soundfile

from training.dialogue import capital
from training.evaluate_talk import Question
from training.lexicon import number_word

_LEVEL = 0.07  # RMS of the loud half, as in the bank
_GAP = np.zeros(24_000 * 6 // 100, np.float32)
HELLO, GOODBYE = "Hello! How can I help?", "Goodbye! Talk to you soon."


def write_human(sounds: Path, out: Path, sums: int = 24, differences: int = 16, seed: int = 3) -> int:
    """sounds: the folder that has digits/ and letters/ in it. Returns how many questions were written."""
    rng = random.Random(seed)
    made = [Question("hello", HELLO, "greeting", _spliced(sounds, "hello"))]
    made.append(Question("goodbye", GOODBYE, "goodbye", _spliced(sounds, "goodbye")))
    pairs = [(a, b) for a in range(1, 20) for b in range(1, 20)]
    for a, b in rng.sample([(a, b) for a, b in pairs if a + b <= 20], sums):
        made.append(_arithmetic(sounds, a, b, "plus", a + b))
    for a, b in rng.sample([(a, b) for a, b in pairs if a > b], differences):
        made.append(_arithmetic(sounds, a, b, "minus", a - b))
    columns = {name: np.array([getattr(q, name) for q in made]) for name in ("text", "wanted", "kind")}
    np.savez(
        out, lengths=np.array([len(q.sound) for q in made]), tape=np.concatenate([q.sound for q in made]), **columns
    )
    return len(made)


def read_human(path: Path) -> list[Question]:
    stored = np.load(path)
    ends = np.cumsum(stored["lengths"])
    rows = zip(stored["text"], stored["wanted"], stored["kind"], ends, stored["lengths"], strict=True)
    return [
        Question(str(text), str(wanted), str(kind), stored["tape"][end - length : end])
        for text, wanted, kind, end, length in rows
    ]


def _arithmetic(sounds: Path, a: int, b: int, word: str, result: int) -> Question:
    first, second = number_word(a), number_word(b)
    sound = _spliced(sounds, f"digits/{a}", "letters/plus" if word == "plus" else "digits/minus", f"digits/{b}")
    wanted = f"{capital(first)} {word} {second} is {number_word(result)}."
    return Question(f"{first} {word} {second}", wanted, "arithmetic", sound)


def _spliced(sounds: Path, *names: str) -> np.ndarray:
    """Prompts one after another at 24 kHz, the silence at their edges cut, brought to the bank's level."""
    from scipy.signal import resample_poly

    parts: list[np.ndarray] = []
    for name in names:
        sound, rate = soundfile.read(sounds / f"{name}.wav", dtype="float32")
        blocks = np.abs(sound[: len(sound) // 80 * 80]).reshape(-1, 80).max(-1)
        loud = np.nonzero(blocks > 0.02 * blocks.max())[0]
        cut = sound[max(0, loud[0] - 2) * 80 : (loud[-1] + 5) * 80]
        parts += [resample_poly(cut, 24_000, rate).astype(np.float32), _GAP]
    whole = np.concatenate(parts[:-1])
    energy = np.sort((whole[: len(whole) // 600 * 600].reshape(-1, 600) ** 2).mean(-1))[::-1]
    level = np.sqrt(energy[: max(1, len(energy) // 2)].mean())
    return (whole * min(_LEVEL / level, 0.95 / np.abs(whole).max())).astype(np.float32)
