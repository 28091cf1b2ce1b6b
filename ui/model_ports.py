"""What the Models page needs from the rest of the program: the list, the work under way, and the token's state.

Owns the vocabulary; `app.model_desk` is the real one. As in `ui.ports`, every call comes from the Qt thread and returns
at once. Results are "" or one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

BUNDLED, OWN, SHARED, FOLDER = "bundled", "own", "shared", "folder"  # places of models
DOWNLOADING, CHECKING = "downloading", "checking"


class VariantLike(Protocol):
    """A model's weights in another precision, converted and kept. size: bytes."""

    @property
    def name(self) -> str: ...

    @property
    def precision(self) -> str: ...

    @property
    def size(self) -> int: ...


class ModelLike(Protocol):
    """A model on this computer. place: BUNDLED, OWN, SHARED or FOLDER. size, done, total: bytes; total 0: whole."""

    @property
    def source(self) -> str: ...

    @property
    def place(self) -> str: ...

    @property
    def folder(self) -> Path: ...

    @property
    def size(self) -> int: ...

    @property
    def whole(self) -> bool: ...

    @property
    def done(self) -> int: ...

    @property
    def total(self) -> int: ...

    @property
    def deletable(self) -> bool: ...

    @property
    def variants(self) -> Sequence[VariantLike]: ...


class InventoryLike(Protocol):
    """orphans: converted files without their model. folder: where downloads go; free: bytes left on its disk."""

    @property
    def models(self) -> Sequence[ModelLike]: ...

    @property
    def orphans(self) -> Sequence[VariantLike]: ...

    @property
    def folder(self) -> Path: ...

    @property
    def free(self) -> int: ...


class WorkLike(Protocol):
    """doing: "", DOWNLOADING or CHECKING. done, total: bytes; total 0: not known yet."""

    @property
    def doing(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def done(self) -> int: ...

    @property
    def total(self) -> int: ...


class ReportLike(Protocol):
    """A check. compared: files that are byte for byte as published. fault: the engine's words, or ""."""

    @property
    def files(self) -> int: ...

    @property
    def compared(self) -> int: ...

    @property
    def damaged(self) -> Sequence[str]: ...

    @property
    def fault(self) -> str: ...

    @property
    def unusable(self) -> Sequence[str]: ...


class RefusedLike(Protocol):
    """A download that was refused for its licence. signed_in: there was a token, and it was not enough."""

    @property
    def source(self) -> str: ...

    @property
    def signed_in(self) -> bool: ...


class TokenLike(Protocol):
    """file: where Hugging Face's own tools keep the token."""

    @property
    def kept(self) -> bool: ...

    @property
    def from_environment(self) -> bool: ...

    @property
    def file(self) -> Path: ...


class ModelsPort(Protocol):
    """Models, by source as one would choose them. The properties are what the last call found; cheap."""

    @property
    def inventory(self) -> InventoryLike: ...

    @property
    def work(self) -> WorkLike: ...

    @property
    def refused(self) -> RefusedLike | None: ...

    @property
    def token(self) -> TokenLike: ...

    @property
    def reports(self) -> Mapping[str, ReportLike]: ...

    def look(self) -> Future[str]:
        """Read the disk anew."""
        ...

    def problem(self, source: str) -> str:
        """ "" for something that can be downloaded, else one sentence."""
        ...

    def download(self, source: str) -> Future[str]:
        """What is missing of it; one download or check at a time."""
        ...

    def repair(self, source: str) -> Future[str]:
        """Fetch what the last check found damaged."""
        ...

    def check(self, source: str) -> Future[str]: ...

    def stop(self) -> None:
        """End what is under way; a download goes on with the next one."""
        ...

    def delete(self, source: str) -> Future[str]: ...

    def delete_variant(self, name: str) -> Future[str]: ...

    def keep_token(self, text: str) -> Future[str]: ...

    def forget_token(self) -> Future[str]: ...
