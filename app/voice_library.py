"""The user's own voices: added from a recording, renamed, deleted, listened to.

Owns what may happen in that one folder. A voice is named by its file's name there, looked up among the files that are
in it, never joined to a path; the model's voices cannot be touched. Everything is done in the background and comes
true with "" or one sentence. Any thread may call it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import numpy as np

from app.errors import UserError
from app.levels import dbfs, peak
from app.paths import typed_path
from app.recording import read_recording, write_recording
from app.ring import SAMPLE_RATE
from app.text_files import in_background
from app.voice_names import name_problem
from app.voices import AUDIO, SHORTEST_S, voice_files

LONGEST_S = 60.0  # it all must fit into the model's memory, and ten seconds do
SILENT_DBFS = -60.0
HEARD_S = 10.0  # of a voice that is listened to
KEPT = ".wav"


class VoiceLibrary:
    """folder: need not exist. play: how a sound is heard, [n] float32 at 24 kHz."""

    def __init__(self, folder: Path, play: Callable[[np.ndarray], Future[str]]) -> None:
        self._folder = folder
        self._play = play

    def own(self) -> tuple[str, ...]:
        """File names of the user's voices, sorted."""
        return tuple(voice_files([self._folder]))

    def problem(self, name: str, besides: str = "") -> str:
        """ "" for a name that a voice can be given, else one sentence. besides: a voice that may keep its own."""
        return name_problem(name, [Path(other).stem for other in self.own() if other != besides])

    def add(self, source: Path, name: str) -> Future[str]:
        """Keep a copy of a sound file as a voice of that name; the file itself stays as it is."""
        return in_background(lambda: self._keep(read_recording(typed_path(source)).pcm, name), "voice")

    def add_recording(self, pcm: np.ndarray, name: str) -> Future[str]:
        """Keep a recording, [n] float32 at 24 kHz, as a voice of that name."""
        return in_background(lambda: self._keep(pcm, name), "voice")

    def rename(self, voice: str, name: str) -> Future[str]:
        return in_background(lambda: self._rename(voice, name), "voice")

    def delete(self, voice: str) -> Future[str]:
        return in_background(lambda: self._delete(voice), "voice")

    def listen(self, voice: str) -> Future[str]:
        """Play the beginning of a voice. One that is stored as the model's own numbers cannot be played."""
        return in_background(lambda: self._listen(voice), "voice")

    def file_name(self, name: str) -> str:
        """The file name that a voice added under this name has."""
        return f"{name.strip()}{KEPT}"

    # ------------------------------------------------------------ in the background

    def _keep(self, pcm: np.ndarray, name: str) -> None:
        self._check_name(name)
        check_voice(pcm)
        self._make_folder()
        path = self._folder / self.file_name(name)
        write_recording(path, [pcm])
        if not path.is_file():
            raise UserError(f"{path} was written but is not there; is the disk all right?")

    def _listen(self, voice: str) -> None:
        path = self._find(voice)
        if path.suffix.lower() not in AUDIO:
            raise UserError(f"{voice} is stored as the model's own numbers and can only be heard in a talk.")
        sentence = self._play(read_recording(path).pcm[: round(HEARD_S * SAMPLE_RATE)]).result()
        if sentence:
            raise UserError(sentence)

    def _rename(self, voice: str, name: str) -> None:
        path = self._find(voice)
        self._check_name(name, besides=voice)
        target = path.with_name(f"{name.strip()}{path.suffix}")
        try:
            os.rename(path, target)
        except OSError as error:
            raise UserError(f"{voice} could not be renamed ({error.strerror or error}).") from error

    def _delete(self, voice: str) -> None:
        path = self._find(voice)
        try:
            path.unlink()
        except OSError as error:
            raise UserError(f"{voice} could not be deleted ({error.strerror or error}).") from error

    def _find(self, voice: str) -> Path:
        path = voice_files([self._folder]).get(voice)
        if path is None:
            raise UserError(f"There is no voice {voice} of your own.")
        return path

    def _check_name(self, name: str, besides: str = "") -> None:
        problem = self.problem(name, besides)
        if problem:
            raise UserError(problem)

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"The folder {self._folder} could not be made ({error.strerror or error}).") from error


def check_voice(pcm: np.ndarray) -> None:
    """Refuses what no voice can be learnt from. pcm: [n] float32 at 24 kHz. Raises UserError."""
    seconds = len(pcm) / SAMPLE_RATE
    if seconds < SHORTEST_S:
        raise UserError(f"The recording is {seconds:.2f} s long; a voice needs at least {SHORTEST_S} s of speech.")
    if seconds > LONGEST_S:
        raise UserError(
            f"The recording is {seconds:.0f} s long; choose at most {LONGEST_S:.0f} s, ten are enough: "
            "all of it goes into the model's memory."
        )
    loudest = dbfs(peak(pcm))
    if math.isnan(loudest) or loudest < SILENT_DBFS:
        raise UserError("The recording is silent; a voice needs some seconds of clear speech.")
