"""Sound files in and out: any WAV, FLAC or OGG to 24 kHz mono, and replies as 24 kHz PCM16 WAV.

Owns the reading, with one sentence for whatever a file can be, and the writing, whole or not at all; both block by
block, so that the length of a file costs no memory. Must not know
the engine, devices or Qt. Any thread may call it; it may take seconds for a long file.
"""

from __future__ import annotations

import io
import os
import re
import stat
import tempfile
import wave
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from app.audio import to_pcm16
from app.errors import UserError
from app.levels import LOUDEST
from app.private_files import keep_on_disk
from app.resample import StreamResampler, mix_down
from app.ring import SAMPLE_RATE

_BLOCK = 1 << 18  # values read at a time: a long file never lies in memory with all its channels
_BLOCK_S = 10  # seconds at a time: at low rates a block grows when it is resampled
LONGEST_S = 2 * 3600  # what a few bytes of silence may unpack to; half a gigabyte at 24 kHz
WHOLE_S = 600  # of what is read at once
_SHORTER = re.compile(r"^data : (\d+) \(should be (\d+)\)", re.M)  # how libsndfile tells that a WAV file ends early
_OPEN_LENGTHS = (0, 2**31 - 1, 2**32 - 1)  # of recordings that were streamed: nobody knew how long they would be
_RATES_HZ = (1000, 768_000)  # beyond them a header lies, and the resampler gives up
_NAME_KEPT = 40  # characters of the name in the temporary file's, which may not be longer than a file system allows


class Recording(NamedTuple):
    """pcm [n] float32 at 24 kHz, in [-1, 1]; of the file: rate in Hz, channels, samples per channel."""

    pcm: np.ndarray
    rate_hz: int
    channels: int
    samples: int

    @property
    def duration_s(self) -> float:
        return self.samples / self.rate_hz


class _Content(io.BufferedReader):
    """A file that never raises: a damaged header sends the library to places before the file's beginning, disks fail,
    Ctrl-C is pressed, and what is raised in a call out of C is printed to the terminal, traceback and all.

    trouble: the first error of the disk, or the wish to end, after which the file seems to end.
    """

    trouble: OSError | KeyboardInterrupt | None = None

    def readinto(self, buffer: Any) -> int:
        try:
            return super().readinto(buffer)
        except (OSError, KeyboardInterrupt) as error:
            self.trouble = self.trouble or error
            return 0

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        try:
            return super().seek(offset, whence)
        except (OSError, ValueError, OverflowError):
            return self.tell()


class RecordingReader:
    """A sound file as the model hears it, block by block: channels averaged, resampled, within full scale.

    rate_hz, channels: of the file. samples: read so far, per channel. not_numbers: of those, silenced because they were
    infinite or no numbers. longest_s: a longer one is refused.
    """

    def __init__(self, path: Path, longest_s: int = LONGEST_S) -> None:
        self.path = path
        self.longest_s = longest_s
        self.rate_hz = self.channels = self.samples = self.not_numbers = 0
        self._first_at = 0  # sample that is not a number
        self._end = ""  # a sentence when the file ends before it should
        self.damaged = False  # there is more in the file, which cannot be read

    @property
    def note(self) -> str:
        """Once it is read: what is wrong with it, although it was taken as far as it goes; else ""."""
        return " ".join(sentence for sentence in (self._end, self._silenced()) if sentence)

    @property
    def first_not_number_s(self) -> float:
        return self._first_at / max(1, self.rate_hz)

    def blocks(self) -> Iterator[np.ndarray]:
        """[n] float32 each; round(samples * 24000 / rate) in all, at least 1. Raises UserError."""
        first = np.zeros(0, np.float32)
        resampler: StreamResampler | None = None
        made = 0
        for mono in self._mono_blocks():
            if not self.samples:
                first = mono[:1]
                resampler = StreamResampler(self.rate_hz, SAMPLE_RATE) if self.rate_hz != SAMPLE_RATE else None
            self._silence_odd(mono)
            self.samples += len(mono)
            np.clip(mono, -LOUDEST, LOUDEST, out=mono)  # the resampler makes no numbers of the very largest
            block = resampler.process(mono) if resampler else mono
            made += len(block)
            yield np.clip(block, -1.0, 1.0)
        if not self.samples:
            raise UserError(f"{self.path} holds no sound: it has a header and 0 samples.")
        rest = resampler.flush() if resampler else first[:0]
        if made + len(rest) == 0:
            rest = first
        yield np.clip(rest, -1.0, 1.0)

    def _silence_odd(self, mono: np.ndarray) -> None:
        """In place: one of them would make the resampler's whole block odd, and after it the model's state."""
        finite = np.isfinite(mono)
        if finite.all():
            return
        if not self.not_numbers:
            self._first_at = self.samples + int(np.argmin(finite))
        self.not_numbers += int(np.count_nonzero(~finite))
        mono[~finite] = 0.0

    def _silenced(self) -> str:
        if not self.not_numbers:
            return ""
        return (
            f"{self.path} holds {self.not_numbers} of {self.samples} samples that are not numbers, the first at "
            f"{self.first_not_number_s:.2f} s: they were taken as silence."
        )

    def _mono_blocks(self) -> Iterator[np.ndarray]:
        soundfile, path = _soundfile(), self.path
        if not path.is_file():
            raise UserError(f"There is no sound file {path}.")
        try:
            # opened here: a name that is no valid text in the system's encoding is more than soundfile can take
            with _Content(io.FileIO(path)) as content, soundfile.SoundFile(content) as file:
                self.rate_hz, self.channels = int(file.samplerate), int(file.channels)
                if not _RATES_HZ[0] <= self.rate_hz <= _RATES_HZ[1]:
                    low, high = _RATES_HZ
                    raise UserError(f"{path} claims {self.rate_hz} samples a second, not within {low} to {high}.")
                self._note_shorter(file)
                yield from self._file_blocks(file, soundfile.LibsndfileError)
                if content.trouble is not None:
                    raise content.trouble
        except soundfile.LibsndfileError as error:
            if isinstance(content.trouble, KeyboardInterrupt):
                raise content.trouble from None
            if content.trouble is not None:
                raise self._unreadable(content.trouble) from error
            reason = error.error_string.rstrip(".")
            raise UserError(f"{path} is not readable as WAV, FLAC or OGG ({reason}).") from error
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> UserError:
        return UserError(f"{self.path} cannot be read ({error.strerror or error}).")

    def _file_blocks(self, file: Any, damage: type[Exception]) -> Iterator[np.ndarray]:
        """The file's own count of samples is not asked: it may lie."""
        most = max(1, min(_BLOCK // self.channels, _BLOCK_S * self.rate_hz))
        done, buffer = 0, np.zeros((most, self.channels), np.float32)
        while not self.damaged:
            try:
                block = file.read(out=buffer)
            except damage:
                block = buffer[: max(0, file.tell() - done)]  # what came before the damage
                if not done + len(block):
                    raise
                self.damaged = True
                self._tell_end((done + len(block)) / self.rate_hz, file.frames / self.rate_hz)
            if not len(block):
                return
            done += len(block)
            if done > self.longest_s * self.rate_hz:
                raise UserError(f"{self.path} is longer than {self.longest_s // 60} minutes; cut it into parts.")
            yield mix_down(block).copy()

    def _note_shorter(self, file: Any) -> None:
        """A WAV file may hold less than its header promises: what is there is whole, and more was meant to be."""
        told = _SHORTER.search(file.extra_info)
        promised, there = (int(told[1]), int(told[2])) if told else (0, 0)
        if 0 < there < promised and promised not in _OPEN_LENGTHS:
            there_s = file.frames / self.rate_hz
            self._tell_end(there_s, there_s * promised / there)

    def _tell_end(self, there_s: float, whole_s: float) -> None:
        whole = f" of the {whole_s:.1f} s that it should last" if there_s < whole_s < self.longest_s else ""
        self._end = f"{self.path} is damaged or cut off: {there_s:.1f} s{whole} could be read."


def read_recording(path: Path) -> Recording:
    """A whole sound file as the model hears it, such as a voice: at most ten minutes. Raises UserError.

    n = round(samples * 24000 / rate), at least 1.
    """
    reader = RecordingReader(path, WHOLE_S)
    pcm = np.concatenate(list(reader.blocks()))
    if reader.damaged:
        raise UserError(f"{reader.note} Record it anew, or save what is whole as a file of its own.")
    if reader.not_numbers:
        at_s = reader.first_not_number_s
        raise UserError(f"{path} holds samples that are not numbers, from {at_s:.2f} s on: record it anew.")
    return Recording(pcm, reader.rate_hz, reader.channels, reader.samples)


def write_recording(path: Path, channels: Sequence[np.ndarray]) -> None:
    """24 kHz PCM16 WAV. channels: one or two [n] float32, limited to full scale. Raises UserError."""
    write_pieces(path, len(channels), [channels])


def write_pieces(path: Path, channels: int, pieces: Iterable[Sequence[np.ndarray]]) -> None:
    """As `write_recording`, piece by piece: each piece has a [n] for every channel."""

    def write(temporary: Path) -> None:
        with wave.open(str(temporary), "wb") as file:
            file.setnchannels(channels)
            file.setsampwidth(2)
            file.setframerate(SAMPLE_RATE)
            for piece in pieces:
                samples = np.stack([to_pcm16(channel) for channel in piece], axis=1)
                file.writeframes(samples.astype("<i2").tobytes())

    write_whole(path, write)


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file beside `path`, then put it in its place. Raises UserError; leaves no rest.

    Where `path` is a link, the link stays and the file behind it is replaced. A new file is its owner's alone, since
    what is written here was said by somebody; one that is replaced keeps the permissions that it was given.
    """
    target = Path(os.path.realpath(path))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:_NAME_KEPT]}.", dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            write(temporary)
            keep_on_disk(temporary)
            _keep_permissions(target, temporary)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror or error}).") from error


def check_writable(path: Path) -> None:
    """Raises UserError when `path` could not be written later: found out before the work instead of after it."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file to write.")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder} to write {path.name} in.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror or error}).") from error


def _keep_permissions(old: Path, temporary: Path) -> None:
    """A temporary file is private by birth."""
    if old.exists():
        temporary.chmod(stat.S_IMODE(old.stat().st_mode) & 0o777)


def _soundfile() -> Any:
    try:
        import soundfile
    except (ImportError, OSError) as error:
        raise UserError("Sound files cannot be read: the package soundfile is missing; see parley doctor.") from error
    return soundfile
