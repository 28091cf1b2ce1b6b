"""Sound files in and out: any WAV, FLAC or OGG to 24 kHz mono, and replies as 24 kHz PCM16 WAV.

Owns the reading, with one sentence for whatever a file can be, and the writing, whole or not at all. Must not know
the engine, devices or Qt. Any thread may call it; it may take seconds for a long file.
"""

from __future__ import annotations

import io
import os
import stat
import tempfile
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from app.audio import to_pcm16
from app.errors import UserError
from app.resample import mix_down, resample
from app.ring import SAMPLE_RATE

_BLOCK = 1 << 18  # values read at a time: a long file never lies in memory with all its channels
LONGEST_S = 2 * 3600  # what a few bytes of silence may unpack to; half a gigabyte at 24 kHz
_RATES_HZ = (1000, 768_000)  # beyond them a header lies, and the resampler gives up
_NAME_KEPT = 40  # characters of the name in the temporary file's, which may not be longer than a file system allows


class Recording(NamedTuple):
    """pcm [n] float32 at 24 kHz, finite, in [-1, 1]; of the file: rate in Hz, channels, samples per channel."""

    pcm: np.ndarray
    rate_hz: int
    channels: int
    samples: int

    @property
    def duration_s(self) -> float:
        return self.samples / self.rate_hz


class _Content(io.BufferedReader):
    """A file that never raises in a seek: a damaged header sends the library to places before the file's beginning,
    and what is raised in a call out of C is printed to the terminal, traceback and all."""

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        try:
            return super().seek(offset, whence)
        except (OSError, ValueError, OverflowError):
            return self.tell()


def read_recording(path: Path) -> Recording:
    """A sound file as the model hears it: channels averaged, resampled. Raises UserError.

    n = round(samples * 24000 / rate), at least 1.
    """
    soundfile = _soundfile()
    if not path.is_file():
        raise UserError(f"There is no sound file {path}.")
    try:
        # opened here, since a name that is no valid text in the system's encoding is more than soundfile can take
        with _Content(io.FileIO(path)) as content, soundfile.SoundFile(content) as file:
            rate, channels = int(file.samplerate), int(file.channels)
            if not _RATES_HZ[0] <= rate <= _RATES_HZ[1]:
                low, high = _RATES_HZ
                raise UserError(f"{path} claims {rate} samples a second, which is not within {low} to {high}.")
            blocks = _mono_blocks(file, LONGEST_S * rate // max(1, _BLOCK // channels) + 1)
            if file.tell() > LONGEST_S * rate:
                raise UserError(f"{path} is longer than {LONGEST_S // 3600} hours; cut it into parts.")
    except soundfile.LibsndfileError as error:
        raise UserError(f"{path} is not readable as WAV, FLAC or OGG ({error.error_string.rstrip('.')}).") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error}).") from error
    mono = np.concatenate(blocks) if blocks else np.zeros(0, np.float32)
    if not len(mono):
        raise UserError(f"{path} holds no sound: it has a header and 0 samples.")
    np.nan_to_num(mono, copy=False, nan=0.0, posinf=1.0, neginf=-1.0)
    pcm = resample(mono, rate, SAMPLE_RATE) if rate != SAMPLE_RATE else mono
    if not len(pcm):
        pcm = mono[:1]
    return Recording(np.clip(pcm, -1.0, 1.0).astype(np.float32), rate, channels, len(mono))


def _mono_blocks(file: Any, most: int) -> list[np.ndarray]:
    """The first `most` blocks. The file's own count of samples is not asked: it may lie."""
    blocks: list[np.ndarray] = []
    while len(blocks) < most and len(block := file.read(_BLOCK // file.channels or 1, "float32", always_2d=True)):
        blocks.append(mix_down(block))
    return blocks


def write_recording(path: Path, channels: list[np.ndarray]) -> None:
    """24 kHz PCM16 WAV. channels: one or two [n] float32, limited to full scale. Raises UserError."""
    samples = np.stack([to_pcm16(channel) for channel in channels], axis=1)

    def write(temporary: Path) -> None:
        with wave.open(str(temporary), "wb") as file:
            file.setnchannels(len(channels))
            file.setsampwidth(2)
            file.setframerate(SAMPLE_RATE)
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
