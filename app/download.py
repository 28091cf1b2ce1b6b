"""Bytes from a Hugging Face hub to this computer's disk: sizes first, resumed after a break, checked at the end.

Owns the requests, the parts on disk, and the sentences for what goes wrong on the way. A token is sent only after the
hub has refused without one. huggingface_hub's own download keeps no parts between two starts of the program, which for
a 16 GB file over a home line is what matters most; so the client's session is used, and the file handling is here.
`Download.run` is called from one thread and does the network's waiting in another, so that cancelling never waits.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

from app.checksums import matches
from app.errors import UserError
from app.hub_answer import Listing, OddAnswerError, RemoteFile, listing_of, understood
from app.paths import packaged

# The hub's library would tell the hub which libraries and versions ask; it reads this once, when it is first imported.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

SPARE_BYTES = 256 << 20  # left on the disk beside the model
WAIT_S = 10.0  # for a connection, and for the next bytes of one
ATTEMPTS = 5  # in a row without a single new byte
POLL_S = 0.2

MODELS = "Models"  # the remedy that opens the window's Models page

T = TypeVar("T")


class NoRoomError(UserError):
    """Too little room on the disk for a model."""

    remedy = MODELS


class CutOffError(OSError):
    """The connection ended before the file did, again and again without a new byte."""


class AccessRefusedError(UserError):
    """The hub gives a model only to those who have accepted its licence. signed_in: a token was sent, and it was not
    enough."""

    remedy = MODELS

    def __init__(self, sentence: str, signed_in: bool) -> None:
        super().__init__(sentence)
        self.signed_in = signed_in


class DamagedError(OSError):
    """All bytes came, and they are not those of the file."""


def free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def refuse_if_full(folder: Path, needed: int, free: Callable[[Path], int] = free_bytes) -> None:
    """Raises UserError with both numbers before anything is written (user report P10)."""
    room = free(folder)
    if needed + SPARE_BYTES > room:
        raise NoRoomError(
            f"The download needs {_gb(needed + SPARE_BYTES)} on the disk, but {folder} has {_gb(room)} free: make "
            "room, or choose a smaller model."
        )


def _gb(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


# ---------------------------------------------------------------- the hub


@dataclass
class Hub:
    """One repository of a hub. endpoint None: the usual one, or the one in HF_ENDPOINT."""

    repository: str
    endpoint: str | None = None
    wait_s: float = WAIT_S
    _token: str | bool = False  # False: none is sent

    def listing(self) -> Listing:
        """Names and sizes of all files. Raises OddAnswerError where something else than a hub answers."""
        from huggingface_hub import HfApi

        def ask() -> Any:
            api = HfApi(endpoint=self.endpoint, token=self._token)
            return api.model_info(self.repository, files_metadata=True, timeout=self.wait_s, token=self._token)

        return understood(lambda: listing_of(self._with_token_if_needed(ask)), _is_foreseen)

    def read_small(self, name: str, revision: str, most: int) -> bytes:
        """A file that is kept in memory, however many bytes come: at most a chunk more than `most`."""
        content = bytearray()
        with self.open(name, revision, 0) as (_, chunks):
            for chunk in chunks:
                content += chunk
                if len(content) > most:
                    break
        return bytes(content)

    @contextmanager
    def open(self, name: str, revision: str, start: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        """The file's bytes from `start` on; yields where they really start (a hub may ignore it) and the chunks."""
        from huggingface_hub import get_session, hf_hub_url
        from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

        url = hf_hub_url(self.repository, name, revision=revision, endpoint=self.endpoint)

        def ask() -> Any:
            headers = build_hf_headers(token=self._token) | {"Accept-Encoding": "identity"}
            if start:
                headers["Range"] = f"bytes={start}-"
            request = get_session().build_request("GET", url, headers=headers, timeout=self.wait_s)
            response = get_session().send(request, stream=True, follow_redirects=True)
            try:
                hf_raise_for_status(response)
            except BaseException:
                response.close()
                raise
            return response

        response = self._with_token_if_needed(ask)
        try:  # chunks as they come: with a fixed size the last piece before a break would be lost
            yield (start if response.status_code == 206 else 0), response.iter_bytes()
        finally:
            response.close()

    def _with_token_if_needed(self, ask: Callable[[], T]) -> T:
        """Without a token first; with the user's own when that is refused and there is one."""
        from huggingface_hub import get_token

        try:
            return ask()
        except Exception as error:
            token = get_token()
            if _status(error) not in (401, 403) or self._token or not token:
                raise
            self._token = token
            return ask()


# ---------------------------------------------------------------- the files


@dataclass
class Download:
    """Brings `files` of one revision into `folder`; what is there in full is left, a part is continued."""

    hub: Hub
    folder: Path
    revision: str
    files: Mapping[str, RemoteFile]
    progress: Callable[[str, int, int], None]
    cancelled: Callable[[], bool]
    done: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _error: BaseException | None = None

    @property
    def total(self) -> int:
        return sum(file.size for file in self.files.values())

    def present(self) -> int:
        """Bytes of the files and parts that are already here."""
        return sum(min(self._size(name) or self._size(f"{name}.part"), file.size) for name, file in self.files.items())

    def run(self) -> None:
        """Raises `engine.errors.Cancelled` within a moment of `cancelled()`; the parts stay for the next time."""
        from engine.errors import Cancelled

        self.done = self.present()
        worker = threading.Thread(target=self._work, name="parley-download", daemon=True)
        worker.start()
        while worker.is_alive():
            self.progress("download", self.done, self.total)
            if self.cancelled():
                self._stop.set()
                worker.join(
                    POLL_S
                )  # a write that had begun ends; a thread that waits for the network never writes again
                raise Cancelled
            worker.join(POLL_S)
        if self._error is not None:
            raise self._error
        self.progress("download", self.total, self.total)

    def _work(self) -> None:
        try:
            for name, file in self.files.items():
                if self._size(name) != file.size and not self._stop.is_set():
                    self._fetch(name, file)
        except BaseException as error:
            self._error = error

    def _size(self, name: str) -> int:
        path = self.folder / name
        return path.stat().st_size if path.is_file() else 0

    def _fetch(self, name: str, file: RemoteFile) -> None:
        part = self.folder / f"{name}.part"
        failures = 0
        while (before := self._size(part.name)) < file.size and not self._stop.is_set():
            try:
                self._receive(name, part, before, file.size)
            except Exception as error:
                if not _is_network_trouble(error):
                    raise
                if failures >= ATTEMPTS:
                    raise CutOffError(f"{name} stopped at {before} of {file.size} bytes") from error
                time.sleep(min(0.2 * 2**failures, 3.0))
            failures = 0 if self._size(part.name) > before else failures + 1
            if failures > ATTEMPTS:
                raise CutOffError(f"{name} stopped at {before} of {file.size} bytes")
        if self._stop.is_set():
            return
        stopped = self._stop.is_set
        whole = self._size(part.name) == file.size
        if not whole or (file.checksum and not matches(part, file.checksum, lambda _size: stopped())):
            if not stopped():
                part.unlink()
                raise DamagedError(name)
            return
        os.replace(part, self.folder / name)

    def _receive(self, name: str, part: Path, start: int, size: int) -> None:
        """One connection's worth of bytes, onto the end of the part; of more than the file's size one byte is taken,
        which shows that it is another."""
        with self.hub.open(name, self.revision, start) as (begin, chunks), _open_part(part, begin) as file:
            self.done -= start - begin
            room = size - begin + 1
            for chunk in chunks:
                if self._stop.is_set() or not room:
                    return
                rest = memoryview(chunk)[:room]
                room -= len(rest)
                self.done += len(rest)
                while rest:
                    rest = rest[file.write(rest) :]


def _open_part(part: Path, begin: int) -> FileIO:
    """For writing from `begin` on; from 0 on it starts anew. Unbuffered: what a cancelled thread still held back would
    be written whenever it wakes.
    """
    file = FileIO(part, "r+b" if begin else "wb")
    file.seek(begin)
    return file


# ---------------------------------------------------------------- what went wrong


_OR_COMMAND = "" if packaged() else " (or run `hf auth login`)"  # a packaged program brings no such command
_RESUMES = "and it goes on where it stopped"


def sentence(error: Exception, repository: str) -> str | None:
    """One sentence for the user, different for each kind of trouble (user report P9); None: no download's trouble."""
    page = f"https://huggingface.co/{repository}"
    status = _status(error)
    if status == 401:
        return (
            f"Hugging Face does not give out {repository} without signing in: check the name, accept the licence at "
            f"{page} if there is one, give your token in Settings, Models{_OR_COMMAND}, and try again."
        )
    if status == 403:
        return f"Your Hugging Face account may not download {repository}: accept its licence at {page} and try again."
    if status == 404:
        return f"There is no model {repository} on Hugging Face, or not this file of it: check the name."
    if status is not None:
        return f"Hugging Face answered with error {status} for {repository}: try again later."
    if isinstance(error, CutOffError):
        return f"The download of {repository} was cut off again and again: start it again, {_RESUMES}."
    if isinstance(error, OddAnswerError) or _is_no_answer(error):
        return (
            f"What answers in Hugging Face's place for {repository} is something else, such as a network's login page: "
            f"open any page in a browser, sign in there, and start again, {_RESUMES}."
        )
    if isinstance(error, DamagedError):
        return f"The download of {repository} arrived damaged ({error}): start it again to fetch that file anew."
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return f"The disk is full, so {repository} could not be saved: make room and start again, {_RESUMES}."
    if type(error).__name__ == "OfflineModeIsEnabled":
        return (
            f"{repository} is not on this computer, and HF_HUB_OFFLINE forbids fetching it: unset it, or copy it here."
        )
    if _is_network_trouble(error):
        return (
            f"Hugging Face cannot be reached for {repository}: check the internet connection and start again, "
            f"{_RESUMES}."
        )
    if isinstance(error, OSError):
        return f"{repository} could not be saved ({error.strerror or error})."
    return None


def refusal(error: Exception, repository: str) -> UserError | None:
    """`sentence` as the exception to be raised."""
    said = sentence(error, repository)
    if said is None:
        return None
    status = _status(error)
    return AccessRefusedError(said, status == 403) if status in (401, 403) else UserError(said)


def _status(error: Exception) -> int | None:
    """The HTTP status of a refusal by the hub."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    return status if isinstance(status, int) else None


def _is_foreseen(error: Exception) -> bool:
    """Whether `sentence` has words for it already. A ValueError is an answer that could not be read."""
    known = _status(error) is not None or isinstance(error, OSError) or _is_network_trouble(error)
    return known and not isinstance(error, ValueError)


def _is_no_answer(error: Exception) -> bool:
    """One that leads round in circles, or is packed in a way that it does not name; told by name, as below."""
    return bool({kind.__name__ for kind in type(error).__mro__} & {"TooManyRedirects", "DecodingError"})


def _is_network_trouble(error: Exception) -> bool:
    """No name, no route, no answer in time, or an answer cut short; told by name, since the HTTP client's module
    changes between versions of huggingface_hub.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    return isinstance(error, (ConnectionError, TimeoutError)) or "TransportError" in names
