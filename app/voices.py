"""The voices that can be chosen, and a choice made ready for the engine.

Owns the folders of voices (the user's and the loaded model's), what may be a voice's name, and the reading of an audio
voice as the model wants it (facts: personaplex.md "Audio voice prompt"). Names and token counts may be asked from any
thread; `use_engine` and `persona` belong to the engine thread. torch and `engine` are imported inside functions.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from app.engine_room import Persona
from app.errors import UserError
from app.messages import PersonaChoice
from app.paths import typed_path
from app.recording import read_recording
from app.ring import SAMPLE_RATE
from app.rules import shown
from app.voice_archive import unpacked

STORED = ".pt"
AUDIO = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aif", ".aiff")
LOUDNESS_LUFS = -24.0
SHORTEST_S = 0.4  # one block of the loudness measure (ITU-R BS.1770)
FRAME_SAMPLES = 1920

log = logging.getLogger("parley.voices")


def voice_files(folders: Sequence[Path]) -> dict[str, Path]:
    """Name -> file of every voice in the folders, sorted by name; the first folder that has a name wins.

    A voice is a .pt or an audio file directly in a folder. A link that leads out of its folder is none.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        for path in _entries(folder):
            kind = path.suffix.lower()
            if (kind == STORED or kind in AUDIO) and not path.name.startswith(".") and _stays_inside(path, folder):
                found.setdefault(path.name, path)
    return dict(sorted(found.items(), key=lambda item: (item[0].casefold(), item[0])))


def voice_named(name: str, folders: Sequence[Path]) -> Path | None:
    """The voice of that file name, or of that name without its ending when only one has it; None when there is none.

    A name is looked up among the files that are there, never joined to a path, so it cannot lead elsewhere.
    """
    files = voice_files(folders)
    if name in files:
        return files[name]
    same = [path for known, path in files.items() if Path(known).stem == name]
    return same[0] if len(same) == 1 else None


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:  # a folder that is not there, or may not be read, holds no voices
        return


def _is_file(path: Path) -> bool:
    try:
        return typed_path(path).is_file()
    except (OSError, ValueError):  # longer than names can be, a zero byte
        return False


def _stays_inside(path: Path, folder: Path) -> bool:
    try:
        return path.is_file() and path.resolve().parent == folder.resolve()
    except (OSError, RuntimeError):
        return False


def read_voice(path: Path) -> np.ndarray:
    """An audio voice as [n] float32 at 24 kHz, mono, brought to -24 LUFS. Raises UserError."""
    pcm = read_recording(path).pcm
    seconds = len(pcm) / SAMPLE_RATE
    if seconds < SHORTEST_S:
        raise UserError(f"The voice {path.name} is {seconds:.2f} s long; give it at least {SHORTEST_S} s of speech.")
    try:
        import pyloudnorm
    except Exception as error:
        raise UserError(
            "A sound file as voice needs the Python package pyloudnorm: install it, or choose a .pt voice."
        ) from error
    loudness = float(pyloudnorm.Meter(SAMPLE_RATE).integrated_loudness(pcm.astype(np.float64)))
    if not math.isfinite(loudness):
        raise UserError(f"The voice {path.name} is silent: choose a recording of speech.")
    return (pcm * np.float32(10 ** ((LOUDNESS_LUFS - loudness) / 20))).astype(np.float32)


class _Kept(NamedTuple):
    """The last audio voice, encoded, so that the next talk with it need not encode again."""

    key: tuple[str, int, int]
    voice: Any


class VoiceFolder:
    """The voices of this computer and of the model in use; the `Voices` of a conversation."""

    def __init__(self, own: Path, cache: Path) -> None:
        """own: the user's folder of voices. cache: where a model's archive is unpacked. Neither need exist."""
        self._own, self._cache = own, cache
        self._folders: tuple[Path, ...] = (own,)
        self._tokenizer: Any = None
        self._kept: _Kept | None = None

    def use_engine(self, engine: Any) -> None:
        """A model was loaded (a `Duplex` with files): its voices are listed from now on, and its tokens counted."""
        from engine.text import TextTokenizer

        self._kept = None
        self._tokenizer = TextTokenizer(engine.files.tokenizer, engine.lm_config)
        folder: Path = engine.files.folder
        self._folders = (self._own, folder / "voices")
        archive = folder / "voices.tgz"
        if not (folder / "voices").is_dir() and archive.is_file():
            try:
                self._folders = (self._own, unpacked(archive, self._cache / "voices"))
            except UserError as error:  # no reason not to talk without them
                log.warning("%s", error)

    def names(self) -> tuple[str, ...]:
        """File names of the voices that are there now, sorted."""
        return tuple(voice_files(self._folders))

    def count_tokens(self, text: str) -> int | None:
        """Tokens of a persona text as they would be primed; None before a model is loaded."""
        if self._tokenizer is None:
            return None
        from engine.persona import wrap_text

        wrapped = wrap_text(text)
        return len(self._tokenizer.tokens(wrapped)) if wrapped else 0

    def find(self, choice: str) -> Path:
        """The file of a chosen voice: one of the listed names, or a path that this computer's user gave.

        Raises UserError that names it when it is not there (any more).
        """
        path = voice_named(choice, self._folders)
        if path is not None:
            return path
        path = Path(choice)
        if not _is_file(path):
            known = ", ".join(self.names()[:20]) or "none"
            raise UserError(f"There is no voice {shown(choice)}; the voices here are: {known}.")
        path = typed_path(path)
        if path.suffix.lower() != STORED and path.suffix.lower() not in AUDIO:
            raise UserError(f"{path.name} is no voice: choose a .pt file or a sound file such as .wav.")
        return path

    def persona(self, engine: Any, choice: PersonaChoice) -> Persona:
        """Voice and text as a prompt for `engine.prime`. Everything that can be refused is, before the codec is used.

        Raises UserError or EngineError with one sentence.
        """
        from engine.persona import build_prompt, wrap_text

        text = wrap_text(choice.text)
        tokens = engine.text_tokens(text) if text else []
        voice = self._voice(engine, self.find(choice.voice), len(tokens)) if choice.voice.strip() else None
        prompt = build_prompt(engine.lm_config, engine.prompt_codes, voice, tokens)
        return Persona(prompt, prompt.frames if prompt else 0)

    def _voice(self, engine: Any, path: Path, text_tokens: int) -> Any:
        from engine.persona import check_length, load_voice, voice_from_codes

        if path.suffix.lower() == STORED:
            return load_voice(path, engine.lm_config)
        stamp = path.stat()
        key = (str(path.resolve()), stamp.st_size, stamp.st_mtime_ns)
        if self._kept is None or self._kept.key != key:
            pcm = read_voice(path)
            check_length(engine.lm_config, math.ceil(len(pcm) / FRAME_SAMPLES), text_tokens)
            self._kept = _Kept(key, voice_from_codes(engine.lm_config, engine.encode_voice(pcm)))
        return self._kept.voice
