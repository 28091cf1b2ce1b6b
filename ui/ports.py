"""What the window needs from the rest of the program, as small protocols that `app.main` implements.

Owns the vocabulary of the window's outside: the conversation it talks to, settings, devices, voices. The window
imports nothing else of the program but messages and frame records. Every call here comes from the Qt thread and
must return within 5 ms: what may take longer (opening a device, reading versions) hands back a Future, which the
bridge polls and nobody waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from app.messages import Command, Event, ModelSpec, PersonaChoice, Sampling
from app.telemetry import FrameHistory
from ui.model_ports import ModelsPort

# Dotted names that the window reads and writes through SettingsPort.
THEME = "window.theme"  # "system" | "light" | "dark" | "contrast"
LANGUAGE = "window.language"  # "system" | one of ui.language.LANGUAGES
REDUCED_MOTION = "window.reduced_motion"  # bool
TEXT_SIZE = "window.text_size"  # per cent of the system's size, 100..200
GUIDE_SEEN = "window.guide_seen"  # bool: the first-run guide was shown
EXPERT_SAMPLING = "window.expert_sampling"  # bool: sliders reach the extremes that ramble or loop
MODEL_SOURCE = "model.source"
MODEL_DEVICE = "model.device"
MODEL_PRECISION = "model.precision"
MODEL_KV = "model.kv"
MODEL_COMPILE = "model.compile"
MODE = "model.mode"
ECHO = "audio.echo"  # one of app.config.ECHO_MODES
NOISE = "audio.noise_suppression"  # bool
AUTO_GAIN = "audio.auto_gain"  # bool
TALK_KEY_MODE = "audio.talk_key_mode"  # "open" | "push"
VOICE = "persona.voice"
PERSONA_TEXT = "persona.text"
PERSONA_WAITS = "persona.waits"  # bool: the model is silent until the user has spoken
TEMPERATURE = "sampling.temperature"  # the five sampling keys take None: as the checkpoint says
TOP_K = "sampling.top_k"
TEXT_TEMPERATURE = "sampling.text_temperature"
TEXT_TOP_K = "sampling.text_top_k"
SEED = "sampling.seed"
TRANSCRIPT_USER = "transcript.user"  # bool
REPORT_TRANSCRIPT = "report.transcript"  # bool
RECORD_FOLDER = "record.folder"  # "": the usual one
RECORD_FORMAT = "record.format"  # one of app.config.RECORD_FORMATS


class ConversationPort(Protocol):
    """The running conversation. `send` never blocks; `events` drains what happened since the last call."""

    @property
    def history(self) -> FrameHistory: ...

    def send(self, command: Command) -> None: ...

    def events(self) -> list[Event]: ...


class SettingsPort(Protocol):
    """The user's settings by dotted name; `app.config.Settings` is one."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about values that were put right or left out when the settings were read."""
        ...

    @property
    def save_trouble(self) -> str:
        """One sentence while changes cannot be saved, else ""; looked at once a second."""
        ...

    def get(self, key: str) -> object:
        """The value in force: the user's, or the default."""
        ...

    def set(self, key: str, value: object) -> str:
        """Check and keep a value. "" when kept; otherwise one sentence, and the old value stays in force."""
        ...


@dataclass(frozen=True)
class DeviceRow:
    """A sound device as listed: known by name and host API, never by its number."""

    name: str
    host_api: str
    channels: int
    rate_hz: float
    is_default: bool = False
    duplicate: bool = False  # the same hardware through a lesser host API: shown only on request


@dataclass(frozen=True)
class DeviceChoice:
    """What the user chose; an empty name means "whatever the system's default is"."""

    name: str = ""
    host_api: str = ""


@dataclass(frozen=True)
class DevicesState:
    """A snapshot of the devices thread's knowledge. `revision` grows with every change."""

    revision: int = 0
    inputs: tuple[DeviceRow, ...] = ()
    outputs: tuple[DeviceRow, ...] = ()
    input_choice: DeviceChoice = DeviceChoice()
    output_choice: DeviceChoice = DeviceChoice()
    note: str = ""  # a sentence when listing failed or sound is not available at all


class DevicesPort(Protocol):
    """The devices thread, seen from the window."""

    def state(self) -> DevicesState:
        """The last snapshot; cheap, never asks the driver."""
        ...

    def choose(self, direction: str, choice: DeviceChoice) -> Future[str]:
        """Use a device ("input" or "output") from now on, in a running talk too, and keep it in the settings.

        Result: "" or one sentence, in which case the former device is in use again and `state` says so.
        """
        ...

    def refresh(self) -> Future[str]:
        """List devices again (interrupts sound for a moment in a talk). Result: "" or one sentence."""
        ...


@dataclass(frozen=True)
class SoundNow:
    """What is done to the microphone's sound. echo_removed_db: nan while there is no echo; gain_db: automatic."""

    echo_active: bool = False
    echo_removed_db: float = float("nan")
    gain_db: float = 0.0


@dataclass(frozen=True)
class UserWordsNow:
    """ready: what the user says is written down in talks. sentence: why it is not, or not all of it; "" else."""

    ready: bool = False
    sentence: str = ""


@dataclass(frozen=True)
class RecordingState:
    """recording: a file is in progress. path: of that file, or of the last one. trouble: why the last one ended on its
    own, or ""."""

    recording: bool = False
    path: Path | None = None
    seconds: float = 0.0
    trouble: str = ""


class RecordingPort(Protocol):
    """The recorder: both sides of a talk, written as it goes, only when asked for."""

    @property
    def wanted(self) -> bool:
        """Asked for, and not ended on its own since."""
        ...

    def state(self) -> RecordingState:
        """The last snapshot; cheap."""
        ...

    def want(self, on: bool) -> None:
        """Record this talk and those that follow, or stop. Reads folder and format from the settings."""
        ...

    def folder(self) -> Path:
        """Where recordings go; it need not exist yet."""
        ...


@dataclass(frozen=True)
class CheckState:
    """doing: "", "recording" or "playing". seconds: done so far. dbfs: level now, nan when nothing is done.
    loudest_dbfs: of the last recording. recorded_s: its length; 0 = there is none."""

    doing: str = ""
    seconds: float = 0.0
    dbfs: float = float("nan")
    loudest_dbfs: float = float("nan")
    recorded_s: float = 0.0


class CheckPort(Protocol):
    """Recording and playing while no talk runs. Results: "" or one sentence; a talk that begins ends the check."""

    def state(self) -> CheckState:
        """The last snapshot; cheap."""
        ...

    def record(self, seconds: float) -> Future[str]: ...

    def play_recording(self) -> Future[str]: ...

    def play_chime(self) -> Future[str]: ...

    def stop(self) -> None:
        """End what is being done; what was recorded until then stays."""
        ...


class VoiceLibraryPort(Protocol):
    """The user's own voices. Results: "" or one sentence."""

    def own(self) -> tuple[str, ...]:
        """File names, sorted."""
        ...

    def problem(self, name: str, besides: str = "") -> str:
        """ "" for a name that a voice can be given, else one sentence. besides: the voice that has it now."""
        ...

    def file_name(self, name: str) -> str:
        """The file name that a voice added under this name has."""
        ...

    def add(self, source: Path, name: str) -> Future[str]: ...

    def add_recorded(self, name: str) -> Future[str]:
        """Keep what the sound check recorded last."""
        ...

    def rename(self, voice: str, name: str) -> Future[str]: ...

    def delete(self, voice: str) -> Future[str]: ...

    def listen(self, voice: str) -> Future[str]: ...


class PresetLike(Protocol):
    """A persona with a name."""

    @property
    def name(self) -> str: ...

    @property
    def voice(self) -> str: ...

    @property
    def text(self) -> str: ...


class PresetsPort(Protocol):
    """Personas with names. Results: "" or one sentence."""

    @property
    def trouble(self) -> str:
        """One sentence when those that were kept could not be read, else ""."""
        ...

    def all(self) -> Sequence[PresetLike]:
        """Sorted by name."""
        ...

    def problem(self, name: str) -> str: ...

    def save(self, name: str, voice: str, text: str) -> Future[str]: ...

    def delete(self, name: str) -> Future[str]: ...


class ModelFitLike(Protocol):
    """A model that is offered. verdict: "fits", "slow" or "too large"; cost: what it takes of the memory, in words."""

    @property
    def source(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def about(self) -> str: ...

    @property
    def cost(self) -> str: ...

    @property
    def verdict(self) -> str: ...


class FitsPort(Protocol):
    """Which of the offered models fits this computer."""

    def look(self) -> Future[str]:
        """Judge; done when `rows` holds the answer. Result: "" or one sentence."""
        ...

    def rows(self) -> Sequence[ModelFitLike]: ...


@dataclass(frozen=True)
class Ports:
    """Everything the window is given beside the conversation."""

    settings: SettingsPort
    devices: DevicesPort
    voices: Callable[[], tuple[str, ...]]  # names in the voice folder now; read from a cache
    count_tokens: Callable[[str], int | None]  # tokens of a persona text as primed; None: no tokenizer loaded yet
    diagnostics: Callable[[], Future[str]]  # text for a bug report; no prompt, transcript or token in it
    write_text: Callable[[Path, str], Future[str]]  # a file, whole or not at all; result: "" or one sentence
    sound: Callable[[], SoundNow]  # cheap
    user_words: Callable[[], UserWordsNow]  # cheap
    recorder: RecordingPort
    check: CheckPort
    library: VoiceLibraryPort
    presets: PresetsPort
    fits: FitsPort
    models: ModelsPort
    spec: ModelSpec = field(default_factory=ModelSpec)  # what to load first (settings and command line together)
    sampling: Sampling = field(default_factory=Sampling)
    persona: PersonaChoice = field(default_factory=PersonaChoice)
    load_at_start: bool = True
    model_sources: tuple[str, ...] = ("mini",)  # offered in Settings beside what the user types
    icon: Path | None = None  # the program's icon
    # Keep the place (`ui.place`; "" = none) and start the program again at the end. False: it cannot be kept.
    relaunch: Callable[[str], bool] | None = None
    place: str = ""  # of the process before, when this one is its restart
    report_folder: Callable[[], Path] | None = None  # reports of errors; it need not exist
    version: str = ""
