"""What a picture is made of: the events that led to it, and what stands behind the window.

Owns the description; `ui.screenshots` plays it. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.messages import Event, ModelSpec, PersonaChoice, Sampling
from app.telemetry import FrameRecord
from ui.app import Window
from ui.ports import DevicesState, RecordingState, SoundNow
from ui.scripted_models import ScriptedInventory
from ui.scripted_voices import ScriptedPreset


@dataclass(frozen=True)
class Scene:
    """Events, frames and an open settings page, or "latency" for the details ("" = the main window)."""

    name: str
    events: tuple[Event, ...] = ()
    frames: tuple[FrameRecord, ...] = ()
    page: str = ""
    text_size: int = 100
    themes: tuple[str, ...] = ("light", "dark")
    language: str = "en"
    spec: ModelSpec = ModelSpec()
    sampling: Sampling = Sampling()
    persona: PersonaChoice = PersonaChoice()
    devices: DevicesState | None = None
    recording: RecordingState | None = None
    presets: tuple[ScriptedPreset, ...] = ()
    sound: SoundNow | None = None  # with automatic gain on
    models: ScriptedInventory | None = None
    late: tuple[Event, ...] = ()  # said once the page is open
    after: Callable[[Window], None] | None = None
