"""The models on this computer: what is there, where, how much of the disk it takes, and taking it away again.

Owns the list and the rule of deletion: only what lies in the program's own cache folder, found by listing it and never
joined from a name. Asks nothing of the network. Any thread may call it, and it may take its time on a slow disk; must
not import torch or Qt.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.download import free_bytes
from app.errors import UserError
from app.hub import (
    MANIFEST,
    MODEL_NAME,
    VOICES_NAME,
    alone_with,
    in_shared_cache,
    is_complete,
    is_repository,
    manifest,
    read_names,
)
from app.paths import project_file, typed_path, user_cache_folder
from app.voice_archive import unpacked_folder

BUNDLED, OWN, SHARED, FOLDER = "bundled", "own", "shared", "folder"


@dataclass(frozen=True)
class Variant:
    """A model's weights in another precision, converted and kept."""

    precision: str
    size: int
    path: Path

    @property
    def name(self) -> str:
        return self.path.name


@dataclass(frozen=True)
class StoredModel:
    """source: as one would choose it. place: BUNDLED, OWN (downloaded by Parley), SHARED (Hugging Face's own cache) or
    FOLDER (a folder of the user's). size: bytes on the disk, variants apart. done, total: bytes of a download that has
    not come to its end; 0, 0 where nothing is missing.
    """

    source: str
    place: str
    folder: Path
    size: int
    done: int = 0
    total: int = 0
    variants: tuple[Variant, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.total

    @property
    def deletable(self) -> bool:
        return self.place == OWN


@dataclass(frozen=True)
class Inventory:
    """orphans: converted files whose model is not here any more. free: bytes left on the disk of `folder`."""

    models: tuple[StoredModel, ...] = ()
    orphans: tuple[Variant, ...] = ()
    folder: Path = Path()
    free: int = 0

    def find(self, source: str) -> StoredModel | None:
        """The one that would be used: a whole one before the beginning of a download."""
        named = [model for model in self.models if model.source == source]
        return min(named, key=lambda model: not model.whole, default=None)


class ModelStore:
    """cache: the program's cache folder; it need not exist. shared: Hugging Face's, where not the usual one."""

    def __init__(self, cache: Path | None = None, shared: Path | None = None) -> None:
        cache = cache or user_cache_folder()
        self.models_folder, self._converted, self._voices = cache / "models", cache / "converted", cache / "voices"
        self._shared = shared

    def inventory(self, also: Sequence[str] = ()) -> Inventory:
        """What there is now. also: sources that may be folders of the user's."""
        converted = self._converted_files()
        found = [*_bundled(), *self._own(), *self._in_shared_cache(), *_folders(also)]
        models, taken = [], set()
        for model in found:
            prefix = _identity_prefix(model) if converted else ""
            variants = tuple(variant for variant in converted if prefix and variant.path.stem.endswith(f"-{prefix}"))
            taken |= {variant.path for variant in variants}
            models.append(StoredModel(**{**vars(model), "variants": variants}))
        orphans = tuple(variant for variant in converted if variant.path not in taken)
        return Inventory(tuple(models), orphans, self.models_folder, _free(self.models_folder))

    # ------------------------------------------------------------ taking away

    def delete(self, source: str) -> int:
        """Delete a downloaded model, whole or not, with what was made from it. Returns the bytes. Raises UserError."""
        model = next((found for found in self.inventory().models if found.source == source and found.deletable), None)
        if model is None:
            raise UserError(f"There is no downloaded model {source} that could be deleted.")
        _refuse_outside(model.folder, self.models_folder)
        with alone_with(model.folder), _said(source):
            with contextlib.suppress(OSError):  # without an archive there are no voices of it
                shutil.rmtree(unpacked_folder(model.folder / VOICES_NAME, self._voices), ignore_errors=True)
            # First what makes it count as a model: what is left, should this stop, is never taken for a whole one.
            (model.folder / MANIFEST).unlink(missing_ok=True)
            shutil.rmtree(model.folder)
        freed = model.size
        for variant in model.variants:
            freed += self.delete_variant(variant.name)
        return freed

    def delete_variant(self, name: str) -> int:
        """Delete a converted file by its name; the model it came from stays. Returns the bytes. Raises UserError."""
        variant = next((found for found in self._converted_files() if found.name == name), None)
        if variant is None:
            raise UserError(f"There is no converted model {name}.")
        _refuse_outside(variant.path, self._converted)
        with _said(name):
            variant.path.unlink()
        return variant.size

    # ------------------------------------------------------------ looking

    def _own(self) -> list[StoredModel]:
        models = []
        for folder in _listed(self.models_folder):
            source = folder.name.replace("--", "/", 1)
            if folder.name.startswith(".") or not folder.is_dir() or not is_repository(source):
                continue
            size = _size(folder)
            wanted: dict[str, int] = manifest(folder).get("files", {})
            if not wanted and not size:
                continue  # refused before a byte came
            total = 0 if is_complete(folder) else max(1, sum(wanted.values()))
            done = sum(min(_present(folder, name), bytes_) for name, bytes_ in wanted.items()) if total else 0
            models.append(StoredModel(source, OWN, folder, size, done, total))
        return models

    def _in_shared_cache(self) -> list[StoredModel]:
        from huggingface_hub import constants

        models = []
        for folder in _listed(self._shared or Path(constants.HF_HUB_CACHE)):
            source = folder.name.removeprefix("models--").replace("--", "/", 1)
            if not folder.name.startswith("models--") or not is_repository(source):
                continue
            snapshot = in_shared_cache(source, self._shared)
            if snapshot is not None:
                models.append(StoredModel(source, SHARED, snapshot, _size(snapshot)))
        return models

    def _converted_files(self) -> list[Variant]:
        found = []
        for path in _listed(self._converted):
            precision, _, rest = path.name.rpartition("-")
            with contextlib.suppress(OSError):
                if precision and rest.endswith(".safetensors") and path.is_file():
                    found.append(Variant(precision, path.stat().st_size, path))
        return found


def weights_file(folder: Path) -> Path:
    """A model folder's plain weights, by its config.json or else by the published name. Raises UserError."""
    config = folder / "config.json"
    if not config.is_file():  # a pipe would be waited for without end
        return folder / MODEL_NAME
    try:
        names = read_names(config.read_bytes())
    except OSError:
        return folder / MODEL_NAME
    return folder / names.model


def _bundled() -> list[StoredModel]:
    with contextlib.suppress(UserError):
        folder = project_file("assets/mini")
        return [StoredModel("mini", BUNDLED, folder, _size(folder))]
    return []


def _folders(sources: Sequence[str]) -> list[StoredModel]:
    found = []
    for source in dict.fromkeys(sources):
        folder = typed_path(source)
        with contextlib.suppress(OSError, ValueError, UserError):
            if source and source != "mini" and folder.is_dir() and weights_file(folder).is_file():
                found.append(StoredModel(source, FOLDER, folder, _size(folder)))
    return found


def _identity_prefix(model: StoredModel) -> str:
    """The digits that the names of files converted from this model carry; "" where it has no weights yet."""
    from engine.errors import EngineError
    from engine.file_identity import NAMED, identity

    if not model.whole:
        return ""
    try:
        return identity(weights_file(model.folder))[:NAMED]
    except (EngineError, UserError):
        return ""


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _size(folder: Path) -> int:
    """Bytes of the files in it, each once; links are followed for files only, as in Hugging Face's cache."""
    seen: dict[tuple[int, int], int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.stat(os.path.join(place, name))
                if stat.S_ISREG(status.st_mode):
                    seen[status.st_dev, status.st_ino] = status.st_size
    return sum(seen.values())


def _present(folder: Path, name: str) -> int:
    for path in (folder / name, folder / f"{name}.part"):
        with contextlib.suppress(OSError):
            return path.stat().st_size
    return 0


def _free(folder: Path) -> int:
    """Bytes free where the folder is, or would be made."""
    for place in (folder, *folder.parents):
        with contextlib.suppress(OSError):
            return free_bytes(place)
    return 0


def _refuse_outside(path: Path, folder: Path) -> None:
    """A link among the downloads leads where deleting is nobody's business."""
    if path.is_symlink() or Path(os.path.realpath(path)).parent != Path(os.path.realpath(folder)):
        raise UserError(f"{path} leads out of Parley's folder, so it is not deleted; remove it by hand.")


@contextlib.contextmanager
def _said(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{what} could not be deleted ({error.strerror or error}).") from error
