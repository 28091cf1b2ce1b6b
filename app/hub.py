"""From what the user calls a model ("mini", a folder, a Hugging Face id) to a folder with its files.

Owns the order in which a model is looked for (nothing is asked of the network while all files are on this computer) and
the choice of files. The bytes are `app.download`'s. Engine thread; nothing here imports torch or Qt.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from app.download import Download, Hub, free_bytes, refusal, refuse_if_full
from app.errors import UserError
from app.file_lock import FileLock
from app.paths import project_file, typed_path, user_cache_folder

MODEL_NAME = "model.safetensors"
MIMI_NAME = "tokenizer-e351c8d8-checkpoint125.safetensors"
TOKENIZER_NAME = "tokenizer_spm_32k_3.model"
VOICES_NAME = "voices.tgz"
MANIFEST = "download.json"
LARGEST_MANIFEST = 1 << 20  # bytes; one has a line a file
MAX_CONFIG_BYTES = 1 << 20

Progress = Callable[[str, int, int], None]
Cancelled = Callable[[], bool]

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}", re.ASCII)
_FILE = re.compile(r"\w[\w.+-]{0,200}", re.ASCII)


class _Names(NamedTuple):
    """File names of a model, as its config.json gives them. `codec_config` "" = it needs none."""

    model: str = MODEL_NAME
    mimi: str = MIMI_NAME
    tokenizer: str = TOKENIZER_NAME
    codec_config: str = ""

    def needed(self) -> list[str]:
        return [name for name in (self.codec_config, self.tokenizer, self.mimi, self.model) if name]


def resolve(source: str, progress: Progress, cancelled: Cancelled) -> Path:
    """The model's folder; downloads a Hugging Face id when its files are not all here yet.

    progress("download", bytes done, bytes in all). Raises UserError with one sentence, `engine.errors.Cancelled`.
    """
    if source == "mini":
        return project_file("assets/mini")
    folder = typed_path(source)
    if source and folder.is_dir():
        return folder
    if is_repository(source):
        return fetch(source, progress, cancelled)
    raise UserError(
        f"There is no model folder {source!r}; give a folder, a Hugging Face id such as kyutai/moshiko-pytorch-bf16, "
        "or mini for the bundled model."
    )


def is_repository(source: str) -> bool:
    """Whether it has the form of a Hugging Face id: owner/name."""
    return _REPOSITORY.fullmatch(source) is not None and ".." not in source


def fetch(
    repository: str,
    progress: Progress,
    cancelled: Cancelled,
    *,
    cache: Path | None = None,
    hub: Hub | None = None,
    free: Callable[[Path], int] = free_bytes,
    anew: Collection[str] = (),
) -> Path:
    """The folder of a Hugging Face model; only what is missing is downloaded, and a broken download goes on where it
    stopped. cache: where downloads are kept (the user's cache folder). anew: files of an earlier download that are
    damaged and are to be fetched again. Errors as `resolve`, `app.download.AccessRefusedError` among them.
    """
    if not is_repository(repository):
        raise UserError(f"{repository!r} is not a Hugging Face id of the form owner/name.")
    folder = (cache or models_folder()) / folder_name(repository)
    if not anew and is_complete(folder):
        return folder
    shared = None if anew else in_shared_cache(repository)
    if shared is not None:
        return shared
    try:
        with alone_with(folder):
            _remove(folder, anew)
            _download(repository, folder, hub or Hub(repository), progress, cancelled, free)
    except Exception as error:
        refused = None if isinstance(error, UserError) else refusal(error, repository)
        if refused is None:
            raise
        raise refused from error
    return folder


def models_folder() -> Path:
    """Where downloads are kept; it need not exist."""
    return user_cache_folder() / "models"


def folder_name(repository: str) -> str:
    """The name of a model's folder among the downloads."""
    return repository.replace("/", "--")


@contextmanager
def alone_with(folder: Path) -> Iterator[None]:
    """One download of a model at a time, in all running Parleys. Raises UserError when another one is at it."""
    lock = FileLock(folder.with_name(f".{folder.name}.lock"))
    if not lock.take() and lock.taken_elsewhere:
        name = folder.name.replace("--", "/", 1)
        raise UserError(f"{name} is being downloaded already: wait until that has ended, or cancel it there.")
    try:
        yield  # where a place knows no locks, it goes on without one, as it would alone
    finally:
        lock.release()


def _remove(folder: Path, names: Collection[str]) -> None:
    """Take damaged files away: those of the manifest only, so that no name leads out of the folder."""
    for name in names:
        if name in manifest(folder).get("files", {}):
            (folder / name).unlink(missing_ok=True)


# ---------------------------------------------------------------- already here


def manifest(folder: Path) -> dict[str, Any]:
    """What a download of ours is to be: "repository", "revision", "files" (name: bytes) and "checksums" (name: as in
    `app.checksums`, where the hub told). Empty where there was none, or where it cannot be believed."""
    path = folder / MANIFEST
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_MANIFEST:  # a pipe would never end
            return {}
        held = json.loads(path.read_text("utf-8"))
        files = held["files"]
        sound = all(_FILE.fullmatch(name) and type(size) is int for name, size in files.items())
        return held if sound and files and isinstance(held.get("checksums", {}), dict) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def is_complete(folder: Path) -> bool:
    """Whether an earlier download of ours finished: every file that was to come is there in full."""
    wanted = manifest(folder).get("files", {})
    try:
        return bool(wanted) and all((folder / name).stat().st_size == size for name, size in wanted.items())
    except OSError:
        return False


def in_shared_cache(repository: str, cache: Path | None = None) -> Path | None:
    """The snapshot in Hugging Face's own cache, if another program has already brought the whole model there."""
    from huggingface_hub import try_to_load_from_cache

    def cached(name: str) -> Path | None:
        found = try_to_load_from_cache(repository, name, cache_dir=cache)
        return Path(found) if isinstance(found, str) else None

    config = cached("config.json")
    try:
        names = read_names(config.read_bytes()) if config else _Names()
    except (OSError, UserError):
        return None
    paths = [cached(name) for name in names.needed()]
    folders = {path.parent for path in paths if path is not None}
    return folders.pop() if None not in paths and len(folders) == 1 else None


def read_names(config: bytes) -> _Names:
    """The file names in a config.json. Raises UserError: the names come from a stranger and become paths here."""
    try:
        values: Any = json.loads(config.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UserError("The model's config.json is not valid JSON: choose another model or fetch it again.") from error
    if not isinstance(values, dict):
        raise UserError("The model's config.json is not a JSON object: choose another model or fetch it again.")
    found = {}
    for field, key in (
        ("model", "moshi_name"),
        ("mimi", "mimi_name"),
        ("tokenizer", "tokenizer_name"),
        ("codec_config", "mimi_config_name"),
    ):
        name = values.get(key)
        if name is None:
            continue
        if not isinstance(name, str) or not _FILE.fullmatch(name):
            raise UserError(f'The model\'s config.json has "{key}": {str(name)[:60]!r}, which is no file name.')
        found[field] = name
    return _Names(**found)


# ---------------------------------------------------------------- from the network


def _download(
    repository: str, folder: Path, hub: Hub, progress: Progress, cancelled: Cancelled, free: Callable[[Path], int]
) -> None:
    """Small files first, the weights last: while the weights are missing nothing can be taken for a whole model."""
    listing = hub.listing()
    folder.mkdir(parents=True, exist_ok=True)
    names = _Names()
    if "config.json" in listing.files:
        told = listing.files["config.json"].size
        config = b"" if told > MAX_CONFIG_BYTES else hub.read_small("config.json", listing.revision, MAX_CONFIG_BYTES)
        if max(told, len(config)) > MAX_CONFIG_BYTES:
            raise UserError(f"{repository} has a config.json too large to be a configuration.")
        names = read_names(config)
    missing = [name for name in names.needed() if name not in listing.files]
    if missing:
        raise UserError(
            f"{repository} is not a model that Parley can run: it has no {' and no '.join(missing)}; choose a PyTorch "
            "model in Moshi's format."
        )
    chosen = [n for n in ("config.json", VOICES_NAME) if n in listing.files] + names.needed()
    files = {name: listing.files[name] for name in chosen}
    wanted = {
        "repository": repository,
        "revision": listing.revision,
        "files": {name: file.size for name, file in files.items()},
        "checksums": {name: file.checksum for name, file in files.items() if file.checksum},
    }
    _start_over_if_changed(folder, wanted)
    download = Download(hub, folder, listing.revision, files, progress, cancelled)
    refuse_if_full(folder, download.total - download.present(), free)
    _write_manifest(folder, wanted)
    download.run()


def _write_manifest(folder: Path, wanted: dict[str, Any]) -> None:
    """Whole or not at all: with half a manifest the parts that are here would be fetched anew."""
    temporary = folder / f"{MANIFEST}.new"
    temporary.write_text(json.dumps(wanted, indent=2), "utf-8")
    os.replace(temporary, folder / MANIFEST)


def _start_over_if_changed(folder: Path, wanted: dict[str, Any]) -> None:
    """Parts of another revision must not be continued: the two halves would not fit."""
    if manifest(folder).get("revision") != wanted["revision"]:
        for name in wanted["files"]:
            for path in (folder / name, folder / f"{name}.part"):
                if path.exists():
                    os.remove(path)
