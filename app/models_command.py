"""`parley models`: the models on this computer; fetch, check and delete them without a window.

Owns the words and the question before something is deleted; the work is done by the same parts as the window's Models
page. Main thread. Ctrl-C ends a download within a moment, and the next one goes on where it stopped.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from app import hub
from app.errors import UserError
from app.model_check import CheckReport, check_model
from app.model_store import BUNDLED, FOLDER, OWN, SHARED, Inventory, ModelStore, StoredModel, Variant, weights_file
from app.paths import typed_path

PLACES = {
    BUNDLED: "comes with Parley",
    OWN: "downloaded",
    SHARED: "in Hugging Face's own cache",
    FOLDER: "a folder of yours",
}
TOLD_EVERY = 10  # per cent, where no terminal can show a bar


def run_models(deed: str, source: str, chosen: str, *, as_json: bool, yes: bool, repair: bool,
               store: ModelStore | None = None) -> int:  # fmt: skip
    """deed: "list", "download", "verify" or "delete"; chosen: the model of the settings. Returns the exit status."""
    store = store or ModelStore()
    inventory = store.inventory((chosen, source))
    if deed == "list":
        print(json.dumps(_as_json(inventory), indent=1) if as_json else as_text(inventory, chosen))
        return 0
    if not source:
        raise UserError(f"Say which model to {deed}: parley models {deed} ID; parley models lists those that are here.")
    if deed == "download":
        return _download(store, source)
    if deed == "verify":
        model = inventory.find(source)
        if model is None:
            raise UserError(_why_absent(source))
        return _verify(store, model, repair)
    return _delete(store, inventory, source, chosen, yes)


# ---------------------------------------------------------------- list


def as_text(inventory: Inventory, chosen: str) -> str:
    """One paragraph a model, the chosen one marked, then what could be deleted and where it all is."""
    lines: list[str] = []
    for model in inventory.models:
        mark = "*" if model.source == chosen else " "
        lines.append(f"{mark} {model.source}  [{_state(model)}]")
        lines.append(f"    {model.folder}")
        lines += [f"    {_variant(variant)}" for variant in model.variants]
    if inventory.orphans:
        lines.append("Converted from models that are not here any more:")
        lines += [f"    {_variant(variant)}" for variant in inventory.orphans]
    lines.append(f"Downloads go to {inventory.folder}, where {_gb(inventory.free)} are free.")
    return "\n".join(lines)


def _state(model: StoredModel) -> str:
    if model.whole:
        return f"{PLACES[model.place]}, {_gb(model.size)}"
    return f"{_gb(model.done)} of {_gb(model.total)} are here: parley models download {model.source} goes on"


def _variant(variant: Variant) -> str:
    return f"{variant.precision}, {_gb(variant.size)}: {variant.name}"


def _as_json(inventory: Inventory) -> dict[str, object]:
    def variants(found: tuple[Variant, ...]) -> list[dict[str, object]]:
        return [{"precision": each.precision, "bytes": each.size, "file": str(each.path)} for each in found]

    models = [
        {
            "source": model.source,
            "place": model.place,
            "folder": str(model.folder),
            "bytes": model.size,
            "whole": model.whole,
            "done_bytes": model.done,
            "total_bytes": model.total,
            "converted": variants(model.variants),
        }
        for model in inventory.models
    ]
    return {
        "models": models,
        "converted_without_model": variants(inventory.orphans),
        "folder": str(inventory.folder),
        "free_bytes": inventory.free,
    }


def _gb(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 100e6 else f"{size / 1e6:.1f} MB"


# ---------------------------------------------------------------- the deeds


def _download(store: ModelStore, source: str) -> int:
    if source == "mini":
        raise UserError("mini comes with Parley; there is nothing to download.")
    with _shown(f"Downloading {source}") as progress:
        folder = hub.fetch(source, progress, lambda: False, cache=store.models_folder)
    print(f"{source} is in {folder}; to talk with it: parley --set model.source={source}")
    return 0


def _verify(store: ModelStore, model: StoredModel, repair: bool) -> int:
    if not model.whole:
        raise UserError(f"{model.source} is not here in full: parley models download {model.source} goes on with it.")
    report = _checked(model)
    if report.damaged and repair:
        with _shown(f"Fetching what is damaged of {model.source}") as progress:
            hub.fetch(model.source, progress, lambda: False, cache=store.models_folder, anew=report.damaged)
        report = _checked(_found(store.inventory(), model.source))
    print(verdict(model, report))
    return 0 if report.sound else 1


def _checked(model: StoredModel) -> CheckReport:
    with _shown(f"Checking {model.source}") as progress:
        return check_model(model, progress, lambda: False)


def verdict(model: StoredModel, report: CheckReport) -> str:
    """One sentence about a check."""
    if report.damaged:
        repaired = f": parley models verify {model.source} --repair fetches that anew"
        names = ", ".join(report.damaged)
        return f"{model.source} is damaged, in {names}{repaired if model.place in (OWN, SHARED) else ''}."
    if report.fault:
        return f"{model.source} cannot be used: {report.fault}"
    if report.unusable:
        return (
            f"{model.source} is sound, but {', '.join(report.unusable)} does not fit it: "
            f"parley models delete {report.unusable[0]}, and it is made anew when it is needed."
        )
    if report.compared == report.files:
        return f"{model.source} is sound: all {report.files} files are as published, and every tensor fits."
    if report.compared:
        return (
            f"{model.source} is sound: {report.compared} of {report.files} files are as published, the others have no "
            "published checksum, and every tensor fits."
        )
    return f"{model.source} fits its configuration in every tensor; no published checksums are known for its files."


def _delete(store: ModelStore, inventory: Inventory, source: str, chosen: str, yes: bool) -> int:
    converted = [variant for model in inventory.models for variant in model.variants] + list(inventory.orphans)
    variant = next((found for found in converted if found.name == source), None)
    if variant is not None:
        _ask(f"Delete {_variant(variant)}? It is made anew when it is needed.", yes)
        freed = store.delete_variant(variant.name)
    else:
        here = _found(inventory, source)
        model = next((found for found in inventory.models if found.source == source and found.deletable), here)
        if not model.deletable:
            raise UserError(
                f"{source} ({PLACES[model.place]}) is not Parley's to delete; its folder is {model.folder}."
            )
        note = " It is the model of your settings, and would be downloaded again." if source == chosen else ""
        _ask(f"Delete {source} ({_gb(model.size)}) and what was converted from it?{note}", yes)
        freed = store.delete(source)
    print(f"Deleted {source}; {_gb(freed)} are free again.")
    return 0


def _found(inventory: Inventory, source: str) -> StoredModel:
    model = inventory.find(source)
    if model is None:
        raise UserError(f"{source} is not on this computer; parley models lists what is.")
    return model


def _why_absent(source: str) -> str:
    """Of a folder that is there but counts for no model it would be untrue that it is not on this computer."""
    folder = typed_path(source)
    if not folder.is_dir():
        return f"{source} is not on this computer; parley models lists what is."
    try:
        weights = weights_file(folder)
    except UserError as error:
        return f"{source} is a folder, but no model that can be used. {error}"
    return f"{source} is a folder without {weights.name}, so it holds no model, or not all of one."


def _ask(question: str, yes: bool) -> None:
    """Raises UserError unless the answer is yes."""
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise UserError("Nobody is there to be asked, so nothing was deleted: add --yes.")
    print(f"{question} [y/N] ", end="", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UserError("Nothing was deleted.")


@contextmanager
def _shown(what: str) -> Iterator[Callable[[str, int, int], None]]:
    """Progress on standard error: a bar in a terminal, else a line now and then."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(what)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda _what, done, total: bar.update(task, completed=done, total=total or None)


class _Lines:
    """A line for every tenth, and none more than once a second."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._clock = clock
        self._told = (-TOLD_EVERY, -1.0)

    def __call__(self, _what: str, done: int, total: int) -> None:
        if not total:
            return
        share = 100 * done // total
        told, when = self._told
        if (share - told >= TOLD_EVERY and self._clock() - when >= 1) or (done >= total and told < 100):
            self._told = (share, self._clock())
            print(f"{self._what}: {_gb(done)} of {_gb(total)} ({share} %)", file=sys.stderr)
