"""Recordings of talks: the user on the left, the model on the right, written as the talk goes.

Owns the wish to record, the file in progress and the thread that writes it. A talk hands its frames over through a
queue and never waits: a full disk or a slow one ends the recording with a sentence, and the talk goes on. Nothing is
recorded unless `want` was called. `want` and `state` are for the window's thread, `frame` and `end_talk` for the engine
thread; everything with a leading underscore runs in the recorder's own thread.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from app.audio import to_pcm16
from app.errors import UserError
from app.ring import FRAME, SAMPLE_RATE
from app.sound_writers import CHANNELS, Writer, open_writer

log = logging.getLogger("parley.recorder")

MOST_WAITING = 750  # frames, one minute: a disk that falls behind by more does not catch up
LOOK_EVERY = SAMPLE_RATE  # samples, a second
ATTEMPTS = 5  # to find a name that another window does not take in the same moment
LONGEST_PAUSE = 7500  # frames of silence for sound that a talk left out: ten minutes


@dataclass(frozen=True)
class RecorderState:
    """recording: a file is in progress. path: of that file, or of the last one. seconds: in it so far. trouble: why the
    last recording ended on its own, or ""."""

    recording: bool = False
    path: Path | None = None
    seconds: float = 0.0
    trouble: str = ""


class _Frame(NamedTuple):
    """heard, answer [1920] float32; skipped: microphone frames the talk has left out so far."""

    heard: np.ndarray
    answer: np.ndarray
    skipped: int


class _Wish(NamedTuple):
    on: bool
    folder: Path
    form: str


_END_OF_TALK, _STOP = "end of talk", "stop"


class Recorder:
    """now: the time for the files' names. make_writer: a test's own."""

    def __init__(
        self,
        now: Callable[[], datetime] = datetime.now,
        make_writer: Callable[[Path, str], Writer] = open_writer,
    ) -> None:
        self.state = RecorderState()  # replaced as a whole
        self._now = now
        self._make_writer = make_writer
        self._waiting: queue.SimpleQueue[_Frame | _Wish | str] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._listening = False  # frames are taken: between a wish and its end
        self._wish = _Wish(False, Path(), "wav")
        self._writer: Writer | None = None
        self._path: Path | None = None
        self._skipped = 0

    # ------------------------------------------------------------ the window's thread

    @property
    def wanted(self) -> bool:
        """Recording was asked for, and has not ended on its own since."""
        return self._listening

    def want(self, on: bool, folder: Path, form: str) -> None:
        """Record from the next frame on, and every talk that follows, or stop. A new folder or format counts from the
        next file on."""
        if self._thread is None:
            if not on:
                return
            self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
            self._thread.start()
        self._listening = on
        self._waiting.put(_Wish(on, folder, form))

    def close(self, timeout: float = 5.0) -> None:
        """Finish the file in progress."""
        self._listening = False
        if self._thread is not None:
            self._waiting.put(_STOP)
            self._thread.join(timeout)

    # ------------------------------------------------------------ the engine thread; never blocks

    def frame(self, heard: np.ndarray, answer: np.ndarray, skipped: int) -> None:
        """One frame of a talk, both sides; copied. A disk that hangs does not fill the memory: once so many wait, the
        recording ends with the next one taken."""
        if self._listening and self._waiting.qsize() < 2 * MOST_WAITING:
            self._waiting.put(_Frame(heard.copy(), answer.copy(), skipped))

    def end_talk(self) -> None:
        if self._listening:
            self._waiting.put(_END_OF_TALK)

    # ------------------------------------------------------------ the recorder's thread

    def _run(self) -> None:
        while (item := self._waiting.get()) != _STOP:
            try:
                self._take(item)
            except (OSError, UserError) as error:
                self._give_up(_reason(error))
            except Exception:
                log.exception("unexpected error in the recorder")
                self._give_up("of an unexpected error; the log has its details")
        try:
            self._close()
        except (OSError, UserError) as error:
            self._give_up(_reason(error))

    def _take(self, item: _Frame | _Wish | str) -> None:
        if isinstance(item, _Wish):
            self._wish = item
            if not item.on:
                self._close()
            self._tell(trouble="" if item.on else self.state.trouble)
        elif item == _END_OF_TALK:
            self._close()
            self._tell()
        elif isinstance(item, _Frame) and self._wish.on:
            if self._waiting.qsize() > MOST_WAITING:
                raise UserError("the disk is too slow")
            self._write(item)

    def _write(self, frame: _Frame) -> None:
        if self._writer is not None and self._writer.frames >= (self._writer.longest_s - 1) * SAMPLE_RATE:
            self._close()  # the format can hold no more: go on in another file
        if self._writer is None:
            self._open()
            self._skipped = frame.skipped
        assert self._writer is not None
        left_out = min(frame.skipped - self._skipped, LONGEST_PAUSE)
        for _ in range(left_out):
            self._writer.write(np.zeros((FRAME, CHANNELS), np.int16))
        self._skipped = frame.skipped
        self._writer.write(np.stack([to_pcm16(frame.heard), to_pcm16(frame.answer)], axis=1))
        if self._writer.frames // LOOK_EVERY > (self._writer.frames - FRAME) // LOOK_EVERY:
            self._check_there()  # a system writes on into a file that was deleted, and says nothing
        self._tell()

    def _open(self) -> None:
        folder = self._wish.folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for attempt in range(ATTEMPTS):
            self._path = free_path(folder, f"Parley {self._now():%Y-%m-%d %H.%M.%S}", f".{self._wish.form}")
            try:
                self._writer = self._make_writer(self._path, self._wish.form)
            except FileExistsError:  # another Parley took the name meanwhile
                if attempt == ATTEMPTS - 1:
                    raise
            else:
                return

    def _close(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
            self._check_there()

    def _check_there(self) -> None:
        if self._path is not None and not self._path.exists():
            raise UserError(f"{self._path} has been deleted or moved")

    def _give_up(self, why: str) -> None:
        """The recording ends; what was written stays."""
        self._listening = False
        self._wish = self._wish._replace(on=False)
        begun = self._writer is not None
        kept = self._writer is not None and self._writer.frames > 0
        try:
            self._close()
        except (OSError, UserError) as error:
            log.warning("the recording could not be closed: %s", error)
        if begun and not kept and self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)  # a file in which nothing is
        there = kept and self._path is not None and os.path.exists(self._path)
        rest = f" What was recorded until then is in {self._path}." if there else ""
        self._tell(trouble=f"The recording stopped, because {why}. The talk goes on without it.{rest}")

    def _tell(self, trouble: str | None = None) -> None:
        writer = self._writer
        self.state = RecorderState(
            recording=writer is not None,
            path=self._path,
            seconds=writer.frames / SAMPLE_RATE if writer is not None else self.state.seconds,
            trouble=self.state.trouble if trouble is None else trouble,
        )


def free_path(folder: Path, stem: str, ending: str) -> Path:
    """A path in the folder at which nothing is yet."""
    path, number = folder / f"{stem}{ending}", 2
    while path.exists() or path.is_symlink():
        path = folder / f"{stem} {number}{ending}"
        number += 1
    return path


def _reason(error: Exception) -> str:
    if isinstance(error, UserError):
        return str(error).rstrip(".")
    assert isinstance(error, OSError)
    where = f" ({error.filename})" if error.filename else ""
    reason = error.strerror or str(error)
    return f"it could not be written: {reason.lower()}{where}"
