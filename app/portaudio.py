"""PortAudio through sounddevice: imported late and tolerantly, its errors turned into sentences.

Owns the only import of sounddevice, the opening of a stream at a rate that the device accepts, and the words for
everything that PortAudio refuses. Must not know about rings, frames or the conversation. Called on the devices thread
(or by a command that has no other thread).
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from app.devices import Device, DeviceLists, found_devices, opening_rates
from app.errors import UserError

log = logging.getLogger("parley.sound")

WORDS = {"input": "microphone", "output": "loudspeaker"}
CHOOSE = "Choose device"
RETRY = "Try again"

INVALID_CHANNELS, INVALID_RATE, INVALID_DEVICE = -9998, -9997, -9996
TRY_ANOTHER_RATE = (INVALID_RATE, INVALID_DEVICE)  # some host APIs call a refused rate an invalid device

_TRY_OTHER = ("choose another device or host API", CHOOSE)
_REPLUG = ("unplug it, plug it in again and try again", RETRY)

# What went wrong, by PortAudio's error code: (what the device did, what to do, label of the remedy).
REASONS: dict[int, tuple[str, str, str]] = {
    -10000: ("was asked for before the sound system was ready", "try again", RETRY),
    -9999: (
        "was refused by the system",
        "check that it is plugged in and that the system's privacy settings let Parley use it",
        RETRY,
    ),
    INVALID_CHANNELS: ("does not offer the channels that it lists", *_TRY_OTHER),
    INVALID_RATE: (
        "accepts none of the usual sample rates",
        "set it to 48000 Hz in the system's sound settings, or choose another device",
        CHOOSE,
    ),
    INVALID_DEVICE: (
        "is not there any more, or accepts no usual sample rate",
        "plug it in or choose another device",
        CHOOSE,
    ),
    -9994: ("does not take 32-bit floating point samples", *_TRY_OTHER),
    # PortAudio's word is "bad combination of devices", but each stream has one device here, and ALSA's part of it says
    # this of every device that does not open.
    -9993: (
        "could not be opened",
        "check that it is plugged in and that the system's sound server runs, or choose another device",
        CHOOSE,
    ),
    -9992: ("could not be opened for want of memory", "close other programs and try again", RETRY),
    -9991: ("refused the block size as too large", *_TRY_OTHER),
    -9990: ("refused the block size as too small", *_TRY_OTHER),
    -9987: ("did not answer in time", *_REPLUG),
    -9986: ("made the sound system fail inside", *_REPLUG),
    -9985: ("is in use by another program", "close that program or choose another device", RETRY),
    -9984: ("was asked for with settings of another host API", "choose it again in Settings", CHOOSE),
    -9979: ("belongs to a host API that is not there", *_TRY_OTHER),
    -9978: ("belongs to a host API that does not work", *_TRY_OTHER),
}


class SoundProblem(UserError):
    """A sentence about the sound. kind: "audio-input" or "audio-output"; remedy: label of the one remedy button."""

    def __init__(self, kind: str, sentence: str, remedy: str) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.remedy = remedy


class Opened(NamedTuple):
    """A stream that is open and not yet started. latency_s: what PortAudio says of its own delay."""

    stream: Any
    rate: float
    channels: int
    latency_s: float


class PortAudio:
    """The sound system. load: imports and returns the sounddevice module (tests give a stand-in)."""

    def __init__(self, load: Callable[[], Any] | None = None) -> None:
        self._load = load or _import_sounddevice
        self._module: Any = None

    def found(self, direction: str) -> tuple[Device, ...]:
        """The devices of a direction as PortAudio's list stands; see `reinitialise`. Raises SoundProblem."""
        module = self._sounddevice()
        try:
            return found_devices(module.query_devices(), module.query_hostapis(), direction)
        except module.PortAudioError as error:
            raise _list_problem(error) from error

    def reinitialise(self) -> None:
        """Brings the device list up to date: PortAudio makes it once, at its start. Kills every open stream, so close
        them first. Raises SoundProblem."""
        module = self._sounddevice()
        try:
            module._terminate()
            module._initialize()
        except module.PortAudioError as error:
            raise _list_problem(error) from error

    def open(
        self,
        direction: str,
        device: Device,
        *,
        callback: Callable[[float, int], Callable[..., None]],
        finished: Callable[[], None],
        block_s: float,
        rates: tuple[float, ...] = (),
    ) -> Opened:
        """Opens a float32 stream at the first rate and channel count that the device accepts.

        callback: called with rate and channels, returns the stream's callback. rates: to try before the usual ones.
        Raises SoundProblem; nothing stays open then.
        """
        module = self._sounddevice()
        kind = module.InputStream if direction == "input" else module.OutputStream
        refused: Exception | None = None
        for rate in dict.fromkeys((*rates, *opening_rates(device.row))):
            for channels in dict.fromkeys((min(2, device.row.channels), device.row.channels)):
                try:
                    stream = kind(
                        samplerate=rate,
                        blocksize=round(rate * block_s),
                        device=device.index,
                        channels=channels,
                        dtype="float32",
                        latency="low",
                        callback=_guarded(callback(rate, channels), module.CallbackAbort),
                        finished_callback=finished,
                    )
                except module.PortAudioError as error:
                    refused = error
                    if error_code(error) not in (*TRY_ANOTHER_RATE, INVALID_CHANNELS):
                        raise open_problem(error, direction, device.row.name) from error
                except ValueError as error:  # sounddevice's own word for a device that is gone
                    raise open_problem(error, direction, device.row.name) from error
                else:
                    return Opened(stream, float(stream.samplerate), channels, float(stream.latency))
        assert refused is not None
        raise open_problem(refused, direction, device.row.name)

    def start(self, opened: Opened, direction: str, device: Device) -> None:
        """Starts a stream. Raises SoundProblem; the stream is still to be closed then."""
        try:
            opened.stream.start()
        except self._sounddevice().PortAudioError as error:
            raise start_problem(error, direction, device.row.name) from error

    def close(self, opened: Opened) -> None:
        """Stops and closes a stream, also one whose device has gone."""
        opened.stream.abort(ignore_errors=True)
        opened.stream.close(ignore_errors=True)

    def _sounddevice(self) -> Any:
        if self._module is None:
            self._module = self._load()
        return self._module


def _guarded(callback: Callable[..., None], abort: type[Exception]) -> Callable[..., None]:
    """An error in a callback ends its stream, which is then opened anew as after a loss. Raised any further, it would
    be printed to the terminal by the library, and nowhere else."""

    def guarded(*arguments: Any) -> None:
        try:
            callback(*arguments)
        except Exception as error:
            log.error("a sound callback failed", exc_info=error)
            raise abort from None

    return guarded


def list_devices(portaudio: PortAudio | None = None) -> DeviceLists:
    """What is plugged in now, for `parley devices`: never raises, what is wrong is in `note`."""
    portaudio = portaudio or PortAudio()
    try:
        inputs, outputs = portaudio.found("input"), portaudio.found("output")
    except SoundProblem as problem:
        return DeviceLists(note=str(problem))
    return DeviceLists(0, tuple(d.row for d in inputs), tuple(d.row for d in outputs), note=_missing(inputs, outputs))


def no_device(direction: str) -> SoundProblem:
    """There is no device of this direction at all."""
    word = WORDS[direction]
    sentence = f"No {word} was found: plug one in, check that the system's sound server runs, then try again."
    return SoundProblem(f"audio-{direction}", sentence, RETRY)


def open_problem(error: Exception, direction: str, name: str) -> SoundProblem:
    """The sentence for a stream that did not open."""
    did, remedy, label = _reason(error)
    sentence = f'The {WORDS[direction]} "{name}" {did}{_host_words(error)}: {remedy}.'
    return SoundProblem(f"audio-{direction}", sentence, label)


def start_problem(error: Exception, direction: str, name: str) -> SoundProblem:
    """The sentence for a stream that opened and did not start."""
    did, remedy, label = _reason(error)
    why = f"it {did}{_host_words(error)}"
    sentence = f'The {WORDS[direction]} "{name}" opened but did not start, because {why}: {remedy}.'
    return SoundProblem(f"audio-{direction}", sentence, label)


def error_code(error: Exception) -> int:
    """PortAudio's code in an exception of sounddevice, 0 when there is none."""
    return error.args[1] if len(error.args) > 1 and isinstance(error.args[1], int) else 0


def _reason(error: Exception) -> tuple[str, str, str]:
    code = error_code(error)
    if code in REASONS:
        return REASONS[code]
    if "querying device" in str(error.args[0] if error.args else "") or isinstance(error, ValueError):
        return REASONS[INVALID_DEVICE]
    number = f" (PortAudio error {code})" if code else ""
    return f"could not be opened{number}", "choose another device or try again", CHOOSE


def _host_words(error: Exception) -> str:
    """What the host API itself said, where it said something."""
    host = error.args[2] if len(error.args) > 2 else None
    words = str(host[2]).strip() if isinstance(host, tuple) and len(host) > 2 else ""
    return f" ({words})" if words else ""


def _list_problem(error: Exception) -> SoundProblem:
    text = error.args[0] if error.args else "no reason given"
    sentence = f"The sound system did not start ({text}): restart its sound server or the computer, then try again."
    return SoundProblem("audio-output", sentence, RETRY)


def _missing(inputs: tuple[Device, ...], outputs: tuple[Device, ...]) -> str:
    if not inputs and not outputs:
        return "No sound device was found: plug one in and check that the system's sound server runs."
    if not inputs:
        return str(no_device("input"))
    return "" if outputs else str(no_device("output"))


def _import_sounddevice() -> Any:
    """sounddevice loads and initialises PortAudio as it is imported, so what is missing on the system shows here."""
    try:
        import sounddevice
    except ImportError as error:
        sentence = "The Python package sounddevice is not installed: run packaging/launch.py again to set it up."
        raise SoundProblem("audio-output", sentence, RETRY) from error
    except OSError as error:
        raise SoundProblem("audio-output", _library_sentence(str(error)), RETRY) from error
    except Exception as error:  # PortAudioError, whose class cannot be named when the import failed
        raise _list_problem(error) from error
    return sounddevice


def _library_sentence(detail: str) -> str:
    if sys.platform.startswith("linux"):
        remedy = "install the package libportaudio2 (Debian, Ubuntu) or portaudio (Fedora, Arch), then try again"
    else:
        remedy = "install the Python package sounddevice again, then try again"
    return f"Sound is off because the PortAudio library cannot be loaded ({detail}): {remedy}."
