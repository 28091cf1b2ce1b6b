"""What the window knows of the conversation, and the only place from which the window sends commands.

Owns the state that several widgets show (phase, model, mode, mute, sampling, persona, troubles) and the rule that a
choice is kept in the settings first, sent next, and taken back with a sentence when the engine refuses it. Widgets
bind to the signals, so that the same choice in two windows cannot part. Must not know widgets. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from app.messages import (
    MODES,
    CancelLoad,
    Event,
    LoadModel,
    LoadProgressed,
    ModeBuilding,
    ModeChanged,
    ModelInfo,
    ModelLoaded,
    ModelSpec,
    MutedChanged,
    NewTalk,
    PersonaChoice,
    PhaseChanged,
    Sampling,
    SamplingChanged,
    SetMode,
    SetMuted,
    SetSampling,
    Shutdown,
    StartTalk,
    StopTalk,
    TalkEnded,
    TalkStarted,
    TextSpoken,
    Trouble,
    TroubleCleared,
)
from ui import ports as keys
from ui.ports import ConversationPort, Ports

TALK_PHASES = ("priming", "talking")
SAMPLING_KEYS = {
    "temperature": keys.TEMPERATURE,
    "top_k": keys.TOP_K,
    "text_temperature": keys.TEXT_TEMPERATURE,
    "text_top_k": keys.TEXT_TOP_K,
    "seed": keys.SEED,
}
SPEC_KEYS = {"source": keys.MODEL_SOURCE, "device": keys.MODEL_DEVICE, "precision": keys.MODEL_PRECISION}
# Which settings page mends which kind of trouble, where no other remedy is named.
TROUBLE_PAGES = {
    "audio-input": "audio",
    "audio-output": "audio",
    "audio": "audio",
    "voice": "voice",
    "persona": "voice",
    "sampling": "engine",
    "mode": "engine",
    "slow": "engine",
    "load": "engine",
}


class Range(NamedTuple):
    """Bounds of a sampling slider: the usual ones, and the ones behind the expert switch."""

    low: float
    high: float
    expert_low: float
    expert_high: float

    def bounds(self, expert: bool) -> tuple[float, float]:
        return (self.expert_low, self.expert_high) if expert else (self.low, self.high)


# Text top-k 1 makes a talk loop and ramble (user report C14), so the extremes are two deliberate steps away.
SAMPLING_RANGES = {
    "temperature": Range(0.3, 1.2, 0.0, 2.0),
    "top_k": Range(5, 500, 1, 2048),
    "text_temperature": Range(0.3, 1.2, 0.0, 2.0),
    "text_top_k": Range(5, 200, 1, 2000),
}
SAMPLING_NAMES = {
    "temperature": "Voice temperature",
    "top_k": "Voice top-k",
    "text_temperature": "Word temperature",
    "text_top_k": "Word top-k",
}


def usual_sampling(sampling: Sampling) -> tuple[Sampling, str]:
    """The sampling with extremes brought into the usual ranges, and a note that says so ("" when nothing was)."""
    changed: dict[str, float | int] = {}
    notes = []
    for name, span in SAMPLING_RANGES.items():
        value = getattr(sampling, name)
        if value is None or span.low <= value <= span.high:
            continue
        lifted = type(value)(min(max(value, span.low), span.high))
        changed[name] = lifted
        notes.append(f"{SAMPLING_NAMES[name]} {value:g} was brought to {lifted:g}")
    if not notes:
        return sampling, ""
    return replace(sampling, **changed), "; ".join(notes) + ": beyond that talks ramble. The full range allows it."  # type: ignore[arg-type]


@dataclass(frozen=True)
class Refusal:
    """A change that was taken back: the settings page it belongs to and the sentence to show there."""

    page: str
    sentence: str


class Session(QObject):
    """The conversation as the window sees it."""

    phase_changed = Signal(str)
    info_changed = Signal()
    progressed = Signal(object)  # LoadProgressed
    mode_changed = Signal()
    building = Signal(object)  # ModeBuilding
    muted_changed = Signal(bool)
    sampling_changed = Signal()
    persona_changed = Signal()
    spec_changed = Signal()
    troubles_changed = Signal()
    text_spoken = Signal(float, str)
    talk_started = Signal()
    talk_ended = Signal(str)
    refused = Signal(object)  # Refusal
    page_wanted = Signal(str)

    def __init__(self, conversation: ConversationPort, ports: Ports):
        super().__init__()
        self._conversation = conversation
        self._settings = ports.settings
        self.phase = "idle"
        self.info: ModelInfo | None = None
        self.spec = ports.spec
        self.mode = ""  # the one the engine runs; "" before a model is loaded
        self.wanted_mode = ports.spec.mode if ports.spec.mode in MODES else ""
        self.modes: dict[str, str | None] = dict.fromkeys(MODES)
        self.muted = False
        self.persona = ports.persona
        self.talk_persona: PersonaChoice | None = None  # the one the running talk began with
        self.expert = bool(ports.settings.get(keys.EXPERT_SAMPLING))
        self.sampling_note = ""
        self.sampling = ports.sampling
        if not self.expert:
            self.sampling, self.sampling_note = usual_sampling(ports.sampling)
        self.engine_sampling: Sampling | None = None  # as the engine holds it
        self.troubles: list[Trouble] = []
        self._good_spec: ModelSpec | None = None
        self._good_sampling = self.sampling
        self._mode_before: object = None

    # ------------------------------------------------------------------ what the user does

    @property
    def talking(self) -> bool:
        """A talk is on, or paused while a mode is being built."""
        return self.phase in TALK_PHASES or (self.phase == "building" and self.talk_persona is not None)

    def load(self) -> None:
        self.phase = "loading"  # shown at once; the conversation's own word follows
        self.phase_changed.emit(self.phase)
        self._conversation.send(LoadModel(self.spec))

    def cancel_load(self) -> None:
        self._conversation.send(CancelLoad())

    def start(self) -> None:
        self._clear("start")
        self._conversation.send(StartTalk(self.persona))

    def stop(self) -> None:
        self._conversation.send(StopTalk())

    def new_talk(self) -> None:
        """Forget the talk and begin another with the persona now chosen."""
        self._conversation.send(NewTalk(self.persona))

    def set_muted(self, muted: bool) -> None:
        self.muted = muted
        self.muted_changed.emit(muted)
        self._conversation.send(SetMuted(muted))

    def set_mode(self, mode: str) -> None:
        """Ask for a mode. Before a model is there, the choice is kept for the load."""
        if self.modes.get(mode) is not None or mode == (self.wanted_mode or self.mode):
            return
        before = self._settings.get(keys.MODE)
        if not self._keep(keys.MODE, mode, "engine"):
            self.mode_changed.emit()
            return
        self._mode_before = before
        self.wanted_mode = mode
        self.spec = replace(self.spec, mode=mode)
        if self.info is not None:
            self._conversation.send(SetMode(mode))
        self.mode_changed.emit()

    def set_sampling(self, sampling: Sampling) -> None:
        """Keep and send sampling values; all of them or none."""
        names = [field.name for field in fields(Sampling)]
        wanted = {SAMPLING_KEYS[name]: getattr(sampling, name) for name in names}
        held = {SAMPLING_KEYS[name]: getattr(self.sampling, name) for name in names}
        if self._keep_all(wanted, held, "engine"):
            self.sampling = sampling
            self.sampling_note = ""
            if self.info is not None:
                self._conversation.send(SetSampling(sampling))
        self.sampling_changed.emit()

    def set_expert(self, expert: bool) -> None:
        """Open or close the full sampling ranges; closing brings extremes back into the usual ones."""
        if not self._keep(keys.EXPERT_SAMPLING, expert, "engine"):
            self.sampling_changed.emit()
            return
        self.expert = expert
        usual, note = (self.sampling, "") if expert else usual_sampling(self.sampling)
        if usual != self.sampling:
            self.set_sampling(usual)
        self.sampling_note = note
        self.sampling_changed.emit()

    def set_persona(self, persona: PersonaChoice) -> None:
        """Keep a voice and a persona text for the next talk."""
        wanted = {keys.VOICE: persona.voice, keys.PERSONA_TEXT: persona.text}
        if self._keep_all(wanted, {keys.VOICE: self.persona.voice, keys.PERSONA_TEXT: self.persona.text}, "voice"):
            self.persona = persona
        self.persona_changed.emit()

    def set_spec(self, spec: ModelSpec) -> None:
        """Keep another model, device or precision, and load it at once."""
        wanted = {key: getattr(spec, name) for name, key in SPEC_KEYS.items()}
        held = {key: getattr(self.spec, name) for name, key in SPEC_KEYS.items()}
        if spec == self.spec or not self._keep_all(wanted, held, "engine"):
            self.spec_changed.emit()
            return
        self.spec = spec
        self.spec_changed.emit()
        self.load()

    def shut_down(self) -> None:
        self._conversation.send(Shutdown())

    def dismiss(self, trouble: Trouble) -> None:
        self._clear(trouble.kind)

    def remedy(self, trouble: Trouble) -> None:
        """Do what a trouble's button says."""
        label = trouble.remedy.lower()
        mode = next((mode for mode in MODES if mode in label.split()), None)
        if mode is not None:
            self.dismiss(trouble)
            self.set_mode(mode)
        elif "new talk" in label:
            self.dismiss(trouble)
            self.new_talk() if self.talking else self.start()
        elif "again" in label and trouble.kind in ("load", "start"):
            self.dismiss(trouble)
            self.load() if trouble.kind == "load" else self.start()
        else:
            self.page_wanted.emit(TROUBLE_PAGES.get(trouble.kind, "audio"))

    # ------------------------------------------------------------------ what happened

    def handle(self, event: Event) -> None:
        """Take in one event of the conversation."""
        if isinstance(event, PhaseChanged):
            self._phase(event.phase)
        elif isinstance(event, TextSpoken):
            self.text_spoken.emit(event.time_s, event.piece)
        elif isinstance(event, LoadProgressed):
            self.progressed.emit(event)
        elif isinstance(event, ModelLoaded):
            self._loaded(event.info)
        elif isinstance(event, ModeChanged):
            self._mode(event.mode, event.modes)
        elif isinstance(event, ModeBuilding):
            self.building.emit(event)
        elif isinstance(event, MutedChanged):
            self.muted = event.muted
            self.muted_changed.emit(event.muted)
        elif isinstance(event, SamplingChanged):
            self.engine_sampling = event.sampling
            self._good_sampling = self.sampling
            self.sampling_changed.emit()
        elif isinstance(event, TalkStarted):
            self.talk_persona = self.persona
            self.talk_started.emit()
        elif isinstance(event, TalkEnded):
            self.talk_persona = None
            self.talk_ended.emit(event.reason)
        elif isinstance(event, Trouble):
            self._trouble(event)
        elif isinstance(event, TroubleCleared):
            self._clear(event.kind)

    def _phase(self, phase: str) -> None:
        if phase == "loading":
            self.info = None
            self.mode = ""
            self.info_changed.emit()
        if phase in ("idle", "ready", "failed", "closed"):
            self.talk_persona = None
        self.phase = phase
        self.phase_changed.emit(phase)

    def _loaded(self, info: ModelInfo) -> None:
        self.info = info
        self.modes = {mode: info.modes.get(mode, "This program's engine does not offer it.") for mode in MODES}
        self._good_spec = self.spec
        self.engine_sampling = info.sampling
        self._clear("load")
        self.info_changed.emit()
        self.mode_changed.emit()
        if self.sampling != Sampling():  # chosen before or while it loaded (user report U4)
            self._conversation.send(SetSampling(self.sampling))
        if self.muted:
            self._conversation.send(SetMuted(True))
        self.sampling_changed.emit()

    def _mode(self, mode: str, modes: Mapping[str, str | None]) -> None:
        first = self.mode == ""
        self.mode = mode
        self.modes = {name: modes.get(name, self.modes.get(name)) for name in MODES}
        wanted = self.wanted_mode
        if first and wanted not in ("", mode) and self.modes.get(wanted) is None:
            self._conversation.send(SetMode(wanted))  # chosen while the model was loading
        else:
            self.wanted_mode = mode
        self.mode_changed.emit()

    def _trouble(self, trouble: Trouble) -> None:
        self.troubles = [held for held in self.troubles if held.kind != trouble.kind] + [trouble]
        if trouble.kind == "mode" and self.wanted_mode != self.mode:
            self._take_back_mode(trouble.sentence)
        elif trouble.kind == "sampling":
            self._take_back_sampling(trouble.sentence)
        elif trouble.kind == "load" and self._good_spec not in (None, self.spec):
            self._take_back_spec(trouble)
        self.troubles_changed.emit()

    def _take_back_mode(self, sentence: str) -> None:
        self.wanted_mode = self.mode
        if self._mode_before is not None:
            self._settings.set(keys.MODE, self._mode_before)
            self._mode_before = None
        if self.mode:
            self.spec = replace(self.spec, mode=self.mode)
        self.mode_changed.emit()
        self.refused.emit(Refusal("engine", sentence))

    def _take_back_sampling(self, sentence: str) -> None:
        self.sampling = self._good_sampling
        for name, key in SAMPLING_KEYS.items():
            self._settings.set(key, getattr(self.sampling, name))
        self.sampling_changed.emit()
        self.refused.emit(Refusal("engine", sentence))

    def _take_back_spec(self, trouble: Trouble) -> None:
        """The new choice could not be loaded: the settings return to the last one that could, and so does the model."""
        assert self._good_spec is not None
        self.spec = self._good_spec
        for name, key in SPEC_KEYS.items():
            self._settings.set(key, getattr(self.spec, name))
        self.spec_changed.emit()
        self.refused.emit(Refusal("engine", trouble.sentence))
        if trouble.fatal:
            said = Trouble("settings", f"{trouble.sentence} The earlier model is loaded again.")
            self.troubles = [held for held in self.troubles if held.kind != "load"] + [said]
            self.load()

    def _clear(self, kind: str) -> None:
        left = [trouble for trouble in self.troubles if trouble.kind != kind]
        if len(left) != len(self.troubles):
            self.troubles = left
            self.troubles_changed.emit()

    def _keep(self, key: str, value: object, page: str) -> bool:
        sentence = self._settings.set(key, value)
        if sentence:
            self.refused.emit(Refusal(page, sentence))
        return not sentence

    def _keep_all(self, wanted: Mapping[str, object], held: Mapping[str, object], page: str) -> bool:
        """Keep several values, or none: what was already written is put back when one is refused."""
        done: list[str] = []
        for key, value in wanted.items():
            if value == held[key]:
                continue
            if not self._keep(key, value, page):
                for earlier in done:
                    self._settings.set(earlier, held[earlier])
                return False
            done.append(key)
        return True
