"""What judges sound: a recogniser, a predicted opinion score, and who is speaking. Tools of measurement only.

Installed apart from the project: Whisper through `faster-whisper`, `distillmos`, `resemblyzer` (a speaker embedding
trained on thousands of voices; its weights are in the package). Each function makes a listener of 24 kHz sound.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch


def at_16k(sound: np.ndarray) -> np.ndarray:
    from scipy.signal import resample_poly

    return resample_poly(sound, 2, 3).astype(np.float32)


def recogniser(folder: Path) -> Callable[[np.ndarray], str]:
    """A function from sound to text. folder: a model of faster-whisper."""
    from faster_whisper import WhisperModel

    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)

    def hear(sound: np.ndarray) -> str:
        segments, _ = model.transcribe(at_16k(sound), beam_size=5, language="en", without_timestamps=True)
        return " ".join(segment.text for segment in segments)

    return hear


def opinion() -> Callable[[np.ndarray], float]:
    """A function from sound to a predicted mean opinion score. The package loads files with torchaudio, which is not
    needed here, so an empty stand-in serves."""
    sys.modules.setdefault("torchaudio", types.ModuleType("torchaudio"))
    import distillmos

    model = distillmos.ConvTransformerSQAModel().eval()

    @torch.no_grad()
    def judge(sound: np.ndarray) -> float:
        return float(model(torch.from_numpy(at_16k(sound))[None]))

    return judge


def speaker_of(voices: Mapping[str, np.ndarray]) -> Callable[[np.ndarray], dict[str, float]]:
    """A function from sound to its speaker's likeness (cosine) to each of the voices."""
    from resemblyzer import VoiceEncoder

    encoder = VoiceEncoder("cpu", verbose=False)
    known = {name: encoder.embed_utterance(at_16k(sound)) for name, sound in voices.items()}

    def likeness(sound: np.ndarray) -> dict[str, float]:
        heard = encoder.embed_utterance(at_16k(sound))
        return {name: round(float(heard @ each), 3) for name, each in known.items()}

    return likeness
