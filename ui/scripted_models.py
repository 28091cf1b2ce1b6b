"""A stand-in for the models port: screenshots and tests.

Owns nothing real: no file, no network. Work goes on until `finish`. One thread.
"""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import NamedTuple

from ui.model_ports import BUNDLED, CHECKING, DOWNLOADING, OWN, SHARED
from ui.scripted_voices import done

CACHE = Path("/home/ada/.cache/parley/models")


class ScriptedVariant(NamedTuple):
    name: str
    precision: str
    size: int


class ScriptedModel(NamedTuple):
    source: str
    place: str
    folder: Path
    size: int
    done: int = 0
    total: int = 0
    variants: tuple[ScriptedVariant, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.total

    @property
    def deletable(self) -> bool:
        return self.place == OWN


class ScriptedInventory(NamedTuple):
    models: tuple[ScriptedModel, ...] = ()
    orphans: tuple[ScriptedVariant, ...] = ()
    folder: Path = CACHE
    free: int = 212_000_000_000


class ScriptedWork(NamedTuple):
    doing: str = ""
    source: str = ""
    done: int = 0
    total: int = 0


class ScriptedReport(NamedTuple):
    files: int = 6
    compared: int = 6
    damaged: tuple[str, ...] = ()
    fault: str = ""
    unusable: tuple[str, ...] = ()


class ScriptedRefused(NamedTuple):
    source: str
    signed_in: bool = False


class ScriptedToken(NamedTuple):
    kept: bool = False
    from_environment: bool = False
    file: Path = Path("/home/ada/.cache/huggingface/token")


def some_models() -> ScriptedInventory:
    """As a computer has them after a while."""
    return ScriptedInventory(
        (
            ScriptedModel("mini", BUNDLED, Path("/opt/parley/assets/mini"), 24_300_000),
            ScriptedModel(
                "nvidia/personaplex-7b-v1",
                OWN,
                CACHE / "nvidia--personaplex-7b-v1",
                16_700_000_000,
                variants=(ScriptedVariant("int8-0123456789abcdef0123.safetensors", "int8", 7_900_000_000),),
            ),
            ScriptedModel(
                "kyutai/moshika-pytorch-bf16",
                OWN,
                CACHE / "kyutai--moshika-pytorch-bf16",
                6_100_000_000,
                6_100_000_000,
                15_900_000_000,
            ),
            ScriptedModel(
                "kyutai/moshiko-pytorch-bf16",
                SHARED,
                Path("/home/ada/.cache/huggingface/hub/models--kyutai--moshiko-pytorch-bf16/snapshots/2bfc9ae6"),
                15_900_000_000,
            ),
        ),
        (ScriptedVariant("int4-fedcba98765432100123.safetensors", "int4", 4_300_000_000),),
    )


class ScriptedModels:
    """Models in memory. `answer` is what the next deletion or token comes to: "" or a sentence."""

    def __init__(self, inventory: ScriptedInventory | None = None) -> None:
        self.inventory = ScriptedInventory(some_models().models[:1]) if inventory is None else inventory
        self.work = ScriptedWork()
        self.refused: ScriptedRefused | None = None
        self.token = ScriptedToken()
        self.reports: dict[str, ScriptedReport] = {}
        self.asked: list[tuple[str, ...]] = []
        self.answer = ""
        self._running: Future[str] | None = None

    def look(self) -> Future[str]:
        self.asked.append(("look",))
        return done("")

    def problem(self, source: str) -> str:
        if any(model.source == source and model.whole for model in self.inventory.models):
            return "This model is here already."
        return "" if source.count("/") == 1 else "A model's id on Hugging Face has the form owner/name."

    def download(self, source: str) -> Future[str]:
        self.refused = None
        return self._begin("download", DOWNLOADING, source)

    def repair(self, source: str) -> Future[str]:
        return self._begin("repair", DOWNLOADING, source)

    def check(self, source: str) -> Future[str]:
        return self._begin("check", CHECKING, source)

    def stop(self) -> None:
        self.asked.append(("stop",))

    def delete(self, source: str) -> Future[str]:
        self.asked.append(("delete", source))
        if not self.answer:
            left = tuple(model for model in self.inventory.models if model.source != source)
            self.inventory = self.inventory._replace(models=left)
        return done(self.answer)

    def delete_variant(self, name: str) -> Future[str]:
        self.asked.append(("delete variant", name))
        if not self.answer:
            models = tuple(
                model._replace(variants=tuple(each for each in model.variants if each.name != name))
                for model in self.inventory.models
            )
            orphans = tuple(each for each in self.inventory.orphans if each.name != name)
            self.inventory = self.inventory._replace(models=models, orphans=orphans)
        return done(self.answer)

    def keep_token(self, text: str) -> Future[str]:
        self.asked.append(("keep token", text))
        self.token = self.token._replace(kept=not self.answer)
        return done(self.answer)

    def forget_token(self) -> Future[str]:
        self.asked.append(("forget token",))
        self.token = self.token._replace(kept=bool(self.answer))
        return done(self.answer)

    def progress(self, done_bytes: int, total_bytes: int) -> None:
        """Let the work be so far."""
        self.work = self.work._replace(done=done_bytes, total=total_bytes)

    def finish(self, sentence: str = "", inventory: ScriptedInventory | None = None) -> None:
        """Let the work come to its end."""
        assert self._running is not None
        self.work = ScriptedWork()
        if inventory is not None:
            self.inventory = inventory
        self._running.set_result(sentence)

    def _begin(self, what: str, doing: str, source: str) -> Future[str]:
        self.asked.append((what, source))
        self.work = ScriptedWork(doing, source)
        self._running = Future()
        return self._running
