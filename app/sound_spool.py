"""Long sound kept out of memory: written as it comes, read again in pieces.

Owns one temporary file, private and without a name, that begins in memory and moves to a folder once it is long. Hours
of a talk thus cost no more memory than its minutes. Any thread may call it.
"""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from app.errors import UserError

IN_MEMORY = 16 << 20  # bytes: nearly three minutes at 24 kHz
_BYTES = 4  # of a float32
PIECE = 1 << 17  # samples


class SoundSpool:
    """[n] float32, one channel. folder: where a long one is kept; None is the system's temporary one."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY, dir=None if folder is None else str(folder))  # noqa: SIM115 - closed with it
        weakref.finalize(self, self._file.close)  # Python complains of a file that is only let go
        self._alone = threading.Lock()  # a reader, and an engine thread that was not waited for
        self.samples = 0

    def __len__(self) -> int:
        return self.samples

    def put(self, pcm: np.ndarray, start: int | None = None) -> None:
        """Write at a sample, by default at the end; what lies between is silence. Raises UserError."""
        with self._alone:
            start = self.samples if start is None else start
            try:
                if start > self.samples:
                    self._file.seek(self.samples * _BYTES)
                    self._file.write(bytes((start - self.samples) * _BYTES))
                self._file.seek(start * _BYTES)
                self._file.write(np.ascontiguousarray(pcm, "<f4").tobytes())
                self._file.flush()  # a full disk is found out here
            except OSError as error:
                where = self._folder or tempfile.gettempdir()
                raise UserError(f"The talk's sound cannot be kept in {where} ({error.strerror or error}).") from error
            self.samples = max(self.samples, start + len(pcm))

    def get(self, start: int, count: int) -> np.ndarray:
        """[count] float32 from a sample on; silence where nothing was written."""
        with self._alone:
            self._file.seek(start * _BYTES)
            data = self._file.read(count * _BYTES)
        pcm = np.zeros(count, np.float32)
        pcm[: len(data) // _BYTES] = np.frombuffer(data, "<f4")
        return pcm

    def pieces(self, count: int) -> Iterator[np.ndarray]:
        """The first `count` samples in pieces."""
        for start in range(0, count, PIECE):
            yield self.get(start, min(PIECE, count - start))

    def clear(self) -> None:
        with self._alone:
            self._file.seek(0)
            self._file.truncate()
            self.samples = 0
