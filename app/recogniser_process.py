"""The recogniser's process: utterances come in on the standard input, their words go out on the standard output.

Owns the talk with faster-whisper. In: the model's folder as the argument; then, each time, the number of bytes that
follow (4 bytes, little-endian) and that much float32 at 24 kHz. Out, one line of JSON each: {"loaded": []} first, then
{"words": [[start_s, end_s, text], ...]}, or {"error": "why"}, after which the process ends. It also ends when its input
does, so that it cannot outlive the program that started it. Nothing it does may ask the network.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from app.resample import resample
from app.ring import SAMPLE_RATE
from app.rules import shown

NICENESS = 15  # of 19
RATE_HZ = 16_000
LONGEST_BYTES = 4 * SAMPLE_RATE * 60
QUIET_HF = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "OMP_NUM_THREADS": "1"}

Words = list[list[Any]]


def main(arguments: Sequence[str]) -> int:
    """arguments: the model's folder. Returns the exit status."""
    _give_way()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for whoever started this, whose end is the end of the input
    os.environ.update(QUIET_HF)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    try:
        recognise = whisper(Path(arguments[0]))
        serve(sys.stdin.buffer, answers, recognise)
    except Exception as error:  # whatever the library raises: the other side says it
        _say(answers, {"error": shown(f"{type(error).__name__}: {error}").strip('"')})
        return 1
    return 0


def _give_way() -> None:
    """A talk on the processor comes first: run when nobody else wants to (Linux), or at the lowest priorities."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def serve(utterances: BinaryIO, answers: BinaryIO, recognise: Callable[[np.ndarray], Words]) -> None:
    """Answer utterances until there are no more."""
    _say(answers, {"loaded": []})
    while len(head := utterances.read(4)) == 4:
        size = int.from_bytes(head, "little")
        if size > LONGEST_BYTES:
            raise ValueError("an utterance is too long")
        data = utterances.read(size)
        if len(data) < size:
            return
        _say(answers, {"words": recognise(np.frombuffer(data, "<f4"))})


def whisper(model: Path) -> Callable[[np.ndarray], Words]:
    """The recogniser: [n] float32 at 24 kHz -> [start_s, end_s, word] each."""
    from faster_whisper import WhisperModel

    loaded = WhisperModel(str(model), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)

    def recognise(pcm: np.ndarray) -> Words:
        # One pass at temperature 0 and no look back: the cost of an utterance is bounded, and an error ends with it.
        segments, _ = loaded.transcribe(
            resample(pcm, SAMPLE_RATE, RATE_HZ), beam_size=2, temperature=0.0, condition_on_previous_text=False,
            word_timestamps=True, vad_filter=True, without_timestamps=False,
        )  # fmt: skip
        return [
            [round(float(word.start), 3), round(float(word.end), 3), word.word.strip()]
            for segment in segments
            for word in segment.words or ()
            if word.word.strip()
        ]

    return recognise


def _say(answers: BinaryIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer).encode("ascii") + b"\n")
    answers.flush()
