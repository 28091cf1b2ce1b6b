"""Whether a model's files are what was published, and whether they make a model that can run.

Owns the two looks: every byte against the checksums that the hub gave with the download (none of it asks the network),
and every tensor's name and shape against the configuration. Reads gigabytes, so that a thread of its own calls it;
torch comes late and makes nothing on any device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.checksums import is_checksum, matches, named
from app.errors import UserError
from app.hub import MIMI_NAME, MODEL_NAME, TOKENIZER_NAME, manifest, read_names
from app.model_store import OWN, SHARED, StoredModel

if TYPE_CHECKING:
    from engine.config import LMConfig
    from engine.weights import ModelFiles

Progress = Callable[[str, int, int], None]  # what, bytes done, bytes in all


@dataclass(frozen=True)
class CheckReport:
    """files: looked at. compared: of these, byte for byte with what was published. damaged: names of those that differ
    or are missing. fault: why they make no model, as the engine says it, or "". unusable: converted files that do not
    fit."""

    files: int
    compared: int
    damaged: tuple[str, ...] = ()
    fault: str = ""
    unusable: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        return not (self.damaged or self.fault or self.unusable)


@dataclass(frozen=True)
class _File:
    name: str
    size: int  # 0: not known
    checksum: str  # "": not known


def check_model(model: StoredModel, progress: Progress, cancelled: Callable[[], bool]) -> CheckReport:
    """Raises UserError where the folder cannot be read, `engine.errors.Cancelled` within a moment of `cancelled()`."""
    files = _expected(model)
    damaged = _compare(model.folder, files, progress, cancelled)
    compared = sum(bool(file.checksum) for file in files)
    if damaged:
        return CheckReport(len(files), compared, damaged)
    fault, unusable = _fits(model)
    return CheckReport(len(files), compared, (), fault, unusable)


# ---------------------------------------------------------------- bytes


def _expected(model: StoredModel) -> list[_File]:
    if model.place == OWN:
        held = manifest(model.folder)
        checksums = held.get("checksums", {})
        return [
            _File(name, size, checksums[name] if is_checksum(checksums.get(name)) else "")
            for name, size in held.get("files", {}).items()
        ]
    names = [name for name in ("config.json", *_names(model.folder)) if (model.folder / name).exists()]
    return [_File(name, 0, _blob(model.folder / name) if model.place == SHARED else "") for name in names]


def _names(folder: Path) -> Sequence[str]:
    config = folder / "config.json"
    if not config.is_file():  # a pipe would be waited for without end
        return (TOKENIZER_NAME, MIMI_NAME, MODEL_NAME)
    try:
        return read_names(config.read_bytes()).needed()
    except OSError:
        return (TOKENIZER_NAME, MIMI_NAME, MODEL_NAME)


def _blob(path: Path) -> str:
    """Hugging Face's cache names each file by its checksum, where the system has links."""
    blob = path.resolve().name
    return named(blob) or named(None, blob)


def _compare(
    folder: Path, files: Sequence[_File], progress: Progress, cancelled: Callable[[], bool]
) -> tuple[str, ...]:
    """The names of files that differ. Sizes first: what is cut short need not be read."""
    from engine.errors import Cancelled

    lengths = {file.name: _length(folder / file.name) for file in files}
    damaged = {file.name for file in files if lengths[file.name] < 0 or file.size not in (0, lengths[file.name])}
    to_read = [file for file in files if file.checksum and file.name not in damaged]
    total, done = sum(lengths[file.name] for file in to_read), 0

    def read(size: int) -> bool:
        nonlocal done
        done += size
        progress("check", done, total)
        return cancelled()

    progress("check", 0, total)
    for file in to_read:
        try:
            if not matches(folder / file.name, file.checksum, read):
                if cancelled():
                    raise Cancelled
                damaged.add(file.name)
        except OSError as error:
            raise UserError(f"{folder / file.name} could not be read ({error.strerror or error}).") from error
    return tuple(file.name for file in files if file.name in damaged)


def _length(path: Path) -> int:
    """-1: there is no such file."""
    try:
        return path.stat().st_size if path.is_file() else -1
    except OSError:
        return -1


# ---------------------------------------------------------------- tensors


def _fits(model: StoredModel) -> tuple[str, tuple[str, ...]]:
    """Why the files make no model, or "", and which converted files do not fit it."""
    from engine import weights
    from engine.config import LMConfig, MimiConfig
    from engine.errors import EngineError
    from engine.text import TextTokenizer

    try:
        files = weights.find(model.folder)
        lm, mimi = LMConfig.from_dict(files.config), MimiConfig.from_dict(files.mimi_config)
        weights.check_lm(files, lm)
        weights.check_mimi(files, mimi, lm.codebooks)
        TextTokenizer(files.tokenizer, lm)
    except EngineError as error:
        return str(error), ()
    return "", tuple(variant.name for variant in model.variants if not _variant_fits(files, lm, variant.path))


def _variant_fits(files: ModelFiles, lm: LMConfig, path: Path) -> bool:
    from engine import weights
    from engine.errors import EngineError

    try:
        weights.check_lm(replace(files, model=path), lm)
    except EngineError:
        return False
    return True
