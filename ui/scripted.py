"""A conversation and ports that follow a script: what the screenshots and the tests put behind the window.

Owns nothing real: no engine, no device, no file. Records what the window sends and keeps what it sets. Qt is not
needed; called from one thread.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from app.messages import Command, Event, ModelInfo, Sampling
from app.telemetry import FRAME_MS, FrameHistory, FrameRecord
from ui import ports as keys
from ui.ports import DeviceChoice, DeviceRow, DevicesState, Ports, RecordingState, SoundNow, UserWordsNow
from ui.scripted_models import ScriptedModels
from ui.scripted_voices import ScriptedCheck, ScriptedFits, ScriptedLibrary, ScriptedPresets
from ui.scripted_voices import done as done

DEFAULTS: dict[str, object] = {
    keys.THEME: "light",
    keys.TEXT_SIZE: 100,
    keys.EXPERT_SAMPLING: False,
    keys.GUIDE_SEEN: True,
    keys.REDUCED_MOTION: False,
    keys.ECHO: "auto",
    keys.NOISE: False,
    keys.AUTO_GAIN: False,
    keys.TALK_KEY_MODE: "open",
    keys.PERSONA_WAITS: False,
    keys.LANGUAGE: "en",
    keys.MODE: "auto",
    keys.MODEL_SOURCE: "mini",
    keys.TRANSCRIPT_USER: True,
    keys.REPORT_TRANSCRIPT: False,
    keys.RECORD_FOLDER: "",
    keys.RECORD_FORMAT: "wav",
}
NO_CUDA = "CUDA graphs need an NVIDIA GPU."
OWN_SAMPLING = Sampling(0.8, 250, 0.7, 25)
# Median milliseconds of encode, temporal, depth and decode, by mode.
COSTS = {"graph": (1.6, 13.4, 6.1, 2.2), "eager": (4.8, 34.0, 19.5, 6.1), "compiled": (1.9, 15.2, 7.4, 2.6)}
SLOW_COSTS = (7.9, 51.5, 31.0, 8.8)


class ScriptedConversation:
    """Keeps the commands it is sent; gives the events it was told to give."""

    def __init__(self) -> None:
        self.history = FrameHistory()
        self.sent: list[Command] = []
        self._events: list[Event] = []

    def send(self, command: Command) -> None:
        self.sent.append(command)

    def events(self) -> list[Event]:
        drained, self._events = self._events, []
        return drained

    def say(self, *events: Event) -> None:
        """Let these events be the next ones drained."""
        self._events += events


class ScriptedSettings:
    """Settings in memory. `refuse` maps a key to the sentence with which it is refused."""

    def __init__(self, values: dict[str, object] | None = None) -> None:
        self.values = {**DEFAULTS, **(values or {})}
        self.refuse: dict[str, str] = {}
        self.notes: tuple[str, ...] = ()
        self.save_trouble = ""

    def get(self, key: str) -> object:
        return self.values.get(key)

    def set(self, key: str, value: object) -> str:
        if key in self.refuse:
            return self.refuse[key]
        self.values[key] = value
        return ""


class ScriptedDevices:
    """A device list in memory. `answer` is what the next choice or refresh comes to: "" or a sentence."""

    def __init__(self, state: DevicesState) -> None:
        self._state = state
        self.answer = ""
        self.chosen: list[tuple[str, DeviceChoice]] = []
        self.refreshed = 0

    def state(self) -> DevicesState:
        return self._state

    def change(self, state: DevicesState) -> None:
        self._state = state

    def choose(self, direction: str, choice: DeviceChoice) -> Future[str]:
        self.chosen.append((direction, choice))
        if not self.answer:
            name = "input_choice" if direction == "input" else "output_choice"
            fields = {**self._state.__dict__, "revision": self._state.revision + 1, name: choice}
            self._state = DevicesState(**fields)
        return done(self.answer)

    def refresh(self) -> Future[str]:
        self.refreshed += 1
        return done(self.answer)


class ScriptedRecorder:
    """A recorder that records nothing; tests set what it says."""

    def __init__(self) -> None:
        self.wanted = False
        self.shown = RecordingState()
        self.asked: list[bool] = []

    def state(self) -> RecordingState:
        return self.shown

    def want(self, on: bool) -> None:
        self.asked.append(on)
        self.wanted = on

    def folder(self) -> Path:
        return Path("/home/ada/Documents/Parley")


def devices() -> DevicesState:
    """A desk with a headset."""
    return DevicesState(
        revision=1,
        inputs=(
            DeviceRow("Built-in microphone", "ALSA", 2, 48000, is_default=True),
            DeviceRow("USB Headset", "ALSA", 1, 48000),
            DeviceRow("USB Headset", "OSS", 1, 48000, duplicate=True),
        ),
        outputs=(
            DeviceRow("Built-in speakers", "ALSA", 2, 48000, is_default=True),
            DeviceRow("USB Headset", "ALSA", 2, 48000),
            DeviceRow("HDMI monitor", "ALSA", 2, 48000),
        ),
        input_choice=DeviceChoice("USB Headset", "ALSA"),
        output_choice=DeviceChoice("USB Headset", "ALSA"),
    )


def model_info(cuda: bool = True, trained: bool = True) -> ModelInfo:
    """A model as it is told once loaded."""
    return ModelInfo(
        name="personaplex-7b-v1" if cuda else "mini",
        source="nvidia/personaplex-7b-v1" if cuda else "mini",
        device="cuda:0" if cuda else "cpu",
        device_name="NVIDIA GeForce RTX 4090" if cuda else "AMD Ryzen 7 7840U",
        precision="bfloat16" if cuda else "float32",
        weights_bytes=15_600_000_000 if cuda else 24_300_000,
        state_bytes=1_620_000_000 if cuda else 6_400_000,
        context_frames=3000,
        trained=trained,
        modes={"graph": None if cuda else NO_CUDA, "eager": None, "compiled": None},
        voices=("NATF0", "NATF1", "NATM0", "NATM1"),
        sampling=OWN_SAMPLING,
    )


def make_ports(settings: ScriptedSettings | None = None, **changes: object) -> Ports:
    """Ports over stand-ins; `changes` replaces fields of Ports."""
    given: dict[str, object] = {
        "settings": settings or ScriptedSettings(),
        "devices": ScriptedDevices(devices()),
        "voices": lambda: ("my voice.wav",),
        "count_tokens": lambda text: round(len(text.split()) * 1.3),
        "diagnostics": lambda: done("Parley diagnostics"),
        "write_text": lambda path, text: done(""),
        "sound": SoundNow,
        "user_words": UserWordsNow,
        "recorder": ScriptedRecorder(),
        "check": ScriptedCheck(),
        "library": ScriptedLibrary("my voice.wav"),
        "presets": ScriptedPresets(),
        "fits": ScriptedFits(),
        "models": ScriptedModels(),
        "model_sources": ("mini", "kyutai/moshiko-pytorch-bf16", "nvidia/personaplex-7b-v1"),
    }
    return Ports(**{**given, **changes})  # type: ignore[arg-type]


def frames(
    plan: Sequence[tuple[str, int]],
    costs: dict[str, tuple[float, float, float, float]] | None = None,
    seed: int = 7,
    gaps_at: Sequence[int] = (),
    skipped_at: Sequence[int] = (),
    level: Callable[[int], float] | None = None,
) -> list[FrameRecord]:
    """Records of a talk: (mode, count) in turn, 80 ms apart, with the spread that real frames have."""
    chance = random.Random(seed)
    made: list[FrameRecord] = []
    gaps = skipped = 0
    for mode, count in plan:
        for _ in range(count):
            index = len(made)
            gaps += index in gaps_at
            skipped += index in skipped_at
            made.append(_frame(index, mode, (costs or COSTS)[mode], chance, gaps, skipped, level or _speech))
    return made


def _frame(
    index: int,
    mode: str,
    medians: tuple[float, float, float, float],
    chance: random.Random,
    gaps: int,
    skipped: int,
    level: Callable[[int], float],
) -> FrameRecord:
    spread = 0.012 if mode != "eager" else 0.05
    hiccup = 1.55 if chance.random() < 0.01 else 1.0
    stages = [value * hiccup * math.exp(chance.gauss(0, spread)) for value in medians]
    host = 0.7 * math.exp(chance.gauss(0, 0.2))
    total = sum(stages) + host
    return FrameRecord(
        number=index,
        clock_ns=10**12 + index * int(FRAME_MS * 1e6),
        mode=mode,
        wait=max(0.0, FRAME_MS - total),
        encode=stages[0],
        temporal=stages[1],
        depth=stages[2],
        decode=stages[3],
        host=host,
        total=total,
        queued_ms=0.0,
        mic_to_speaker_ms=212.0 + total + chance.gauss(0, 3),
        skipped=skipped,
        gaps=gaps,
        late=total > FRAME_MS,
        input_dbfs=level(index) + chance.gauss(0, 3),
        output_dbfs=level(index + 25) + chance.gauss(0, 2),
    )


def _speech(index: int) -> float:
    return -17.0 if index // 25 % 2 else -46.0
