"""What a headless talk was asked to do: the checked values of `parley talk`.

Owns one frozen record and nothing else. Built by the command line after every value has been checked, read by the
headless talk. Must not import torch, Qt or a sound library.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.messages import ModelSpec, PersonaChoice, Sampling


@dataclass(frozen=True)
class TalkOptions:
    """One headless talk, from a recording to a reply.

    The configuration file, `--set` and the flags are already merged into `model`, `sampling` and `persona`;
    `--greedy` has become temperature 0 for both streams. The input existed and was a file when it was checked; the
    outputs are different files in folders that exist. Everything may have changed since: the talk still answers with
    a `UserError`.
    """

    input: Path  # any WAV, FLAC or OGG; any rate and channel count
    output: Path  # .wav, 24 kHz PCM16
    model: ModelSpec = ModelSpec()
    sampling: Sampling = Sampling()
    persona: PersonaChoice = PersonaChoice()
    transcript: Path | None = None  # JSON with the words and their times
    user_words: bool = True  # the user's too, where a recogniser is installed
    recogniser_model: str = ""  # a folder, "" to look for one
    tokens_out: Path | None = None  # JSON list, one entry for each 80 ms input frame
    stereo: bool = False  # False: the model alone, mono; True: user left, model right
    realtime: bool = False  # one frame per 80 ms, as with a microphone; False: as fast as it goes
    lead_silence: float = 0.0  # seconds of silence put before the input, 0 to 60; the output is longer by as much
