"""What the window asks about models, done in the background: listing, downloading, checking, deleting.

Owns the one piece of work that may be under way, its progress, and the last list. Every call returns at once; answers
come true with "" or one sentence. Called by one thread (the window's); the work runs in threads of its own, never in
the engine's, and touches no device. A download that is stopped, or ends with the program, is continued later.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from app import hub, hub_token
from app.download import AccessRefusedError
from app.errors import UserError
from app.hub_token import TokenState
from app.model_check import CheckReport, check_model
from app.model_store import Inventory, ModelStore, StoredModel
from app.text_files import in_background

NOTHING, DOWNLOADING, CHECKING = "", "downloading", "checking"
BUSY = "Something is being downloaded or checked already; wait for it, or cancel it."


class Fetch(Protocol):
    """`app.hub.fetch`, or a stand-in."""

    def __call__(
        self,
        repository: str,
        progress: hub.Progress,
        cancelled: hub.Cancelled,
        *,
        cache: Path,
        anew: Collection[str],
    ) -> Path: ...


@dataclass(frozen=True)
class WorkState:
    """doing: NOTHING, DOWNLOADING or CHECKING. done, total: bytes; total 0 while it is not known."""

    doing: str = NOTHING
    source: str = ""
    done: int = 0
    total: int = 0


@dataclass(frozen=True)
class Refused:
    """The last download was refused because of its licence. signed_in: a token was sent, and it was not enough."""

    source: str
    signed_in: bool


class ModelDesk:
    """folders: sources that may be folders of the user's, such as the one that is chosen."""

    def __init__(
        self,
        store: ModelStore,
        folders: Callable[[], Collection[str]] = tuple,
        fetch: Fetch = hub.fetch,
    ) -> None:
        self._store = store
        self._folders = folders
        self._fetch = fetch
        self._stop = threading.Event()
        self._thread_free = threading.Lock()
        self.inventory = Inventory(folder=store.models_folder)  # as last looked at
        self.work = WorkState()
        self.refused: Refused | None = None
        self.token = TokenState()
        self.reports: dict[str, CheckReport] = {}  # by source; of what was checked since the program began

    def look(self) -> Future[str]:
        """Read what is on the disk; `inventory` and `token` hold it then."""
        return in_background(self._look, "models")

    def problem(self, source: str) -> str:
        """ "" for something that can be downloaded, else one sentence."""
        if not source:
            return "Give a model's id on Hugging Face, such as kyutai/moshiko-pytorch-bf16."
        if not hub.is_repository(source):
            return "A model's id on Hugging Face has the form owner/name."
        held = self.inventory.find(source)
        return "This model is here already." if held is not None and held.whole else ""

    def download(self, source: str) -> Future[str]:
        """Fetch a model, or what is missing of it."""
        return self._begin(DOWNLOADING, source, partial(self._download, source, ()))

    def repair(self, source: str) -> Future[str]:
        """Fetch the files anew that the last check found damaged."""
        report = self.reports.get(source)
        return self._begin(DOWNLOADING, source, partial(self._download, source, report.damaged if report else ()))

    def check(self, source: str) -> Future[str]:
        """Compare files and tensors; `reports` holds the answer."""
        return self._begin(CHECKING, source, partial(self._check, source))

    def stop(self) -> None:
        """End what is under way, within a moment; a download is continued by the next one."""
        self._stop.set()

    def delete(self, source: str) -> Future[str]:
        return in_background(partial(self._delete, lambda: self._store.delete(source), source), "models")

    def delete_variant(self, name: str) -> Future[str]:
        return in_background(partial(self._delete, lambda: self._store.delete_variant(name), ""), "models")

    def keep_token(self, text: str) -> Future[str]:
        return in_background(partial(self._with_token, partial(hub_token.keep_token, text)), "token")

    def forget_token(self) -> Future[str]:
        return in_background(partial(self._with_token, hub_token.forget_token), "token")

    # ------------------------------------------------------------ in the background

    def _begin(self, doing: str, source: str, work: Callable[[], None]) -> Future[str]:
        if not self._thread_free.acquire(blocking=False):
            answer: Future[str] = Future()
            answer.set_result(BUSY)
            return answer
        self._stop.clear()
        self.work = WorkState(doing, source)
        if doing == DOWNLOADING:
            self.refused = None
        return in_background(partial(self._run, work), "model work")

    def _run(self, work: Callable[[], None]) -> None:
        from engine.errors import Cancelled

        try:
            work()
        except Cancelled:
            pass  # as asked; the list says what is there now
        finally:
            try:
                self._look()
            finally:
                self.work = WorkState()
                self._thread_free.release()

    def _progress(self, _what: str, done: int, total: int) -> None:
        self.work = WorkState(self.work.doing, self.work.source, done, total)

    def _download(self, source: str, anew: Collection[str]) -> None:
        self.reports.pop(source, None)
        try:
            self._fetch(source, self._progress, self._stop.is_set, cache=self._store.models_folder, anew=anew)
        except AccessRefusedError as error:
            self.refused = Refused(source, error.signed_in)
            raise

    def _check(self, source: str) -> None:
        self.reports[source] = check_model(self._found(source), self._progress, self._stop.is_set)

    def _found(self, source: str) -> StoredModel:
        model = self._store.inventory(tuple(self._folders())).find(source)
        if model is None:
            raise UserError(f"{source} is not on this computer.")
        return model

    def _delete(self, delete: Callable[[], int], source: str) -> None:
        try:
            delete()
        finally:
            self.reports.pop(source, None)
            self._look()

    def _with_token(self, change: Callable[[], None]) -> None:
        try:
            change()
        finally:
            self.token = hub_token.token_state()

    def _look(self) -> None:
        self.inventory = self._store.inventory(tuple(self._folders()))
        self.token = hub_token.token_state()
