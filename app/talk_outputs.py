"""The files that a headless talk leaves: checked before the work, written whole after it, or kept elsewhere.

Owns where an output may go and what becomes of one whose place has gone away meanwhile. Knows no talk. Main thread.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from app.errors import UserError
from app.paths import typed_path
from app.recording import check_writable
from app.talk_options import TalkOptions


def check_outputs(options: TalkOptions) -> None:
    """Raises UserError for outputs that could not be written, or would overwrite what is read or one another."""
    outputs = [path for path in (options.output, options.transcript, options.tokens_out) if path is not None]
    voice = typed_path(options.persona.voice)
    for path in outputs:
        if _same(path, options.input):
            raise UserError(f"{path} is the input itself; choose another file for the output.")
        if _is_voice(path, voice):
            raise UserError(f"{path} is the voice itself; choose another file for the output.")
        if _is_part_of_model(path, typed_path(options.model.source)):
            raise UserError(f"{path} is a file of the model; choose another one for the output.")
        if sum(_same(path, other) for other in outputs) > 1:
            raise UserError(f"{path} is named for two outputs; give each its own file.")
        check_writable(path)


def _is_voice(path: Path, voice: Path) -> bool:
    try:
        return voice.is_file() and _same(path, voice)
    except OSError:  # a name longer than names can be, which the voices refuse
        return False


def _is_part_of_model(path: Path, folder: Path) -> bool:
    """Of a model in a folder of the user's: weights, sizes, tokenizer and voices, by their names."""
    try:
        path, folder = path.resolve(), folder.resolve()
        inside = folder.is_dir() and path.is_file() and path.is_relative_to(folder)
    except OSError:
        return False
    names = path.suffix in (".safetensors", ".model", ".tgz") or path.name.endswith("config.json")
    return inside and (names or path.parent.name == "voices")


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)  # links and letter case included
    return one.resolve() == other.resolve()


class Output(NamedTuple):
    """path: where it is; trouble: why it is not where it was to be, or ""."""

    name: str
    path: Path
    trouble: str


def keep(name: str, path: Path, write: Callable[[Path], object]) -> Output:
    """Write an output to its place, or else to a new folder of the system's temporary one: it cannot be had again."""
    try:
        write(path)
        return Output(name, path, "")
    except UserError as error:
        trouble = str(error)
    try:
        spare = Path(tempfile.mkdtemp(prefix="parley-")) / path.name  # a folder for its owner alone
        write(spare)
    except (OSError, UserError):
        return Output(name, path, f"{trouble} Nothing could be kept elsewhere either.")
    return Output(name, spare, f"{trouble} It is kept in {spare} instead.")
