"""Stereo sound files that are whole at every moment: kill the program, and all but the last blocks can be opened.

Owns the two formats' bytes. A WAV file's header is brought up to date after each write. A FLAC stream leaves its length
open until the end, and a length of 0 keeps libsndfile from opening it, so the length of the blocks that surely are in
the file is written into its header as it grows (FLAC format, STREAMINFO: 36 bits from byte 21 of the file on).
Permissions are the owner's alone. Called from one thread; must not know talks.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

import numpy as np

from app.errors import UserError
from app.ring import SAMPLE_RATE

CHANNELS = 2
_HEADER = 44
_WAV_SECONDS = (2**32 - 1 - _HEADER) // (SAMPLE_RATE * CHANNELS * 2)  # what its 32-bit sizes can hold: 12 hours
_FLAC_SECONDS = 24 * 3600.0
_BLOCK_SIZE_AT = 8
_STREAM_LENGTH_AT = 21


class PrivateFile:
    """A new file that only its owner may open."""

    def __init__(self, path: Path) -> None:
        """Raises FileExistsError rather than replace anything, and OSError."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        self._descriptor = os.open(path, flags, 0o600)
        self._path = path
        self.size = 0

    def put(self, data: bytes, position: int) -> None:
        """Write all of it at a position. Raises OSError."""
        os.lseek(self._descriptor, position, os.SEEK_SET)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        self.size = max(self.size, position + len(data))

    def get(self, count: int, position: int) -> bytes:
        os.lseek(self._descriptor, position, os.SEEK_SET)
        return os.read(self._descriptor, count)

    def discard(self) -> None:
        """Take the new file away again."""
        os.close(self._descriptor)
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        try:
            os.fsync(self._descriptor)
        finally:
            os.close(self._descriptor)


class WavWriter:
    """16-bit PCM WAV, 24 kHz, two channels."""

    longest_s = float(_WAV_SECONDS)

    def __init__(self, path: Path) -> None:
        self._file = PrivateFile(path)
        self.frames = 0
        try:
            self._put_header()
        except OSError:
            self._file.discard()
            raise

    def write(self, samples: np.ndarray) -> None:
        """samples: [n, 2] int16. Raises OSError; what was written before stays openable."""
        data = samples.astype("<i2").tobytes()
        self._file.put(data, _HEADER + self.frames * CHANNELS * 2)
        self.frames += len(samples)
        self._put_header()  # after the data, so that it never promises what is not there

    def close(self) -> None:
        self._file.close()

    def _put_header(self) -> None:
        size, block = self.frames * CHANNELS * 2, CHANNELS * 2
        form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, CHANNELS, SAMPLE_RATE, SAMPLE_RATE * block, block, 16)
        header = struct.pack("<4sI4s", b"RIFF", _HEADER - 8 + size, b"WAVE") + form + struct.pack("<4sI", b"data", size)
        self._file.put(header, 0)


class FlacWriter:
    """16-bit FLAC, 24 kHz, two channels: half the size of WAV. Needs the package soundfile."""

    longest_s = _FLAC_SECONDS

    def __init__(self, path: Path) -> None:
        """Raises OSError, or UserError when soundfile is missing."""
        soundfile = _soundfile()
        self._file = PrivateFile(path)
        self._stream = _Stream(self._file)
        self.frames = 0
        self._sound = soundfile.SoundFile(self._stream, "w", SAMPLE_RATE, CHANNELS, "PCM_16", format="FLAC")
        try:
            self._check()
        except OSError:
            self._file.discard()
            raise

    def write(self, samples: np.ndarray) -> None:
        """samples: [n, 2] int16. Raises OSError; what was written before stays openable."""
        self._sound.write(np.ascontiguousarray(samples))
        self._check()
        self.frames += len(samples)
        self._put_length()

    def close(self) -> None:
        try:
            self._sound.close()  # writes the last block and the true length
            self._check()
        finally:
            self._file.close()

    def _put_length(self) -> None:
        """The length of the blocks that surely are in the file: the encoder keeps one in hand."""
        block = int.from_bytes(self._file.get(2, _BLOCK_SIZE_AT), "big")  # samples per channel; 0: no header yet
        frames = (self.frames // block - 1) * block if block else 0
        if frames > 0:
            first = self._file.get(1, _STREAM_LENGTH_AT)[0] & 0xF0 | frames >> 32
            self._file.put(bytes([first]) + (frames & 0xFFFFFFFF).to_bytes(4, "big"), _STREAM_LENGTH_AT)

    def _check(self) -> None:
        if self._stream.error is not None:
            raise self._stream.error


class _Stream:
    """A PrivateFile as libsndfile sees it. Nothing may be raised through its callbacks: an error is kept, and the
    encoder told that all is well, so that it does not print or abort."""

    def __init__(self, file: PrivateFile) -> None:
        self._file = file
        self._position = 0
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        content = bytes(data)
        if self.error is None:
            try:
                self._file.put(content, self._position)
            except OSError as error:
                self.error = error
        self._position += len(content)
        return len(content)

    def read(self, count: int) -> bytes:
        content = self._file.get(count, self._position)
        self._position += len(content)
        return content

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._file.size}[whence]
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        return self._position


Writer = WavWriter | FlacWriter


def open_writer(path: Path, form: str) -> Writer:
    """form: one of config.RECORD_FORMATS. Raises OSError or UserError; no file is left then."""
    return WavWriter(path) if form == "wav" else FlacWriter(path)


def _soundfile() -> Any:
    try:
        import soundfile
    except (ImportError, OSError) as error:
        raise UserError("FLAC needs the Python package soundfile, which is missing: choose WAV instead.") from error
    return soundfile
