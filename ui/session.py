"""What the window knows of the conversation, and the only place from which the window sends commands.

Owns the state that several widgets show (phase, model, mode, mute, sampling, persona, troubles) and the rule that a
choice is kept in the settings first, sent next, and taken back with a sentence when the engine refuses it. Widgets
bind to the signals, so that the same choice in two windows cannot part. Must not know widgets. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from PySide6.QtCore import QObject, Signal

from app.messages import (
    CancelLoad,
    Event,
    HoldTalkKey,
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
    UserSpoke,
)
from ui import ports as keys
from ui.keeping import keep_all
from ui.mode_choice import ModeChoice
from ui.ports import ConversationPort, Ports
from ui.remedies import MODE, NEW_TALK, PAGE, RELAUNCH, REPORTS, remedy_of
from ui.sampling_ranges import SAMPLING_KEYS, usual_sampling
from ui.words import tr, translated

TALK_PHASES = ("priming", "talking")
COMPILED = "compiled"
SPEC_KEYS = {"source": keys.MODEL_SOURCE, "device": keys.MODEL_DEVICE, "precision": keys.MODEL_PRECISION}

PERSONA_KEYS = {"voice": keys.VOICE, "text": keys.PERSONA_TEXT, "waits": keys.PERSONA_WAITS}


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
    user_spoke = Signal(object, int)  # words (start_s, end_s, text); how many talks have begun since
    talk_started = Signal()
    talk_ended = Signal(str)
    refused = Signal(object)  # Refusal
    page_wanted = Signal(str)
    rescue_wanted = Signal(str)  # RELAUNCH or REPORTS

    def __init__(self, conversation: ConversationPort, ports: Ports):
        super().__init__()
        self._conversation = conversation
        self._settings = ports.settings
        self._devices = ports.devices
        self._sound_note = ""  # what stood in the way of sound when last looked
        self.phase = "idle"
        self.info: ModelInfo | None = None
        self.spec = ports.spec
        self._choice = ModeChoice(ports.spec.mode)
        self.muted = False
        self.persona = ports.persona
        self.talk_persona: PersonaChoice | None = None  # the one the running talk began with
        self._asked_persona = ports.persona
        self.expert = bool(ports.settings.get(keys.EXPERT_SAMPLING))
        self.sampling_note = ""
        self.sampling = ports.sampling
        if not self.expert:
            self.sampling, self.sampling_note = usual_sampling(ports.sampling)
        self.engine_sampling: Sampling | None = None  # as the engine holds it
        self.troubles: list[Trouble] = []
        self._talks = 0  # begun so far
        self._good_spec: ModelSpec | None = None  # of the model that is loaded
        self._refused_spec: ModelSpec | None = None  # the last one that was taken back
        self._loads_waiting = 0  # LoadModel commands sent and not yet begun

    # ------------------------------------------------------------------ what the user does

    @property
    def talking(self) -> bool:
        """A talk is on, or paused while a mode is being built."""
        return self.phase in TALK_PHASES or (self.phase == "building" and self.talk_persona is not None)

    @property
    def mode(self) -> str:
        """The one the engine runs; "" before a model is loaded."""
        return self._choice.mode

    @property
    def wanted_mode(self) -> str:
        """The one shown as chosen; the engine's answer may still be on its way."""
        return self._choice.wanted

    @property
    def modes(self) -> dict[str, str | None]:
        """Each mode and None, or why this computer cannot do it."""
        return self._choice.modes

    @property
    def refused_source(self) -> str:
        """The model that could not be loaded last, and that another was loaded instead of; "" when there is none."""
        return self._refused_spec.source if self._refused_spec is not None else ""

    def begin(self, load: bool) -> None:
        """The window stands: hand over what the settings hold, and load the model."""
        if self.sampling != Sampling():
            self._conversation.send(SetSampling(self.sampling))
        for note in self._settings.notes:
            self._post(Trouble("settings", note))
        if load:
            self.load()

    def load(self) -> None:
        self._loads_waiting += 1
        self.phase = "loading"  # shown at once; the conversation's own word follows
        self.phase_changed.emit(self.phase)
        spec = self.spec
        if spec.mode == COMPILED:  # built once there is something to talk with meanwhile, for those who will not wait
            self._choice.hold(COMPILED)
            spec = replace(spec, mode="auto")
        self._conversation.send(LoadModel(spec))

    def cancel_load(self) -> None:
        """Give up the load, or the building of a mode."""
        self._conversation.send(CancelLoad())

    def start(self) -> None:
        self._clear("start")
        self._asked_persona = self.persona
        self._conversation.send(StartTalk(self.persona))

    def stop(self) -> None:
        self._conversation.send(StopTalk())

    def new_talk(self) -> None:
        """Forget the talk and begin another with the persona now chosen."""
        self._asked_persona = self.persona
        self._conversation.send(NewTalk(self.persona))

    def set_muted(self, muted: bool) -> None:
        self.muted = muted
        self.muted_changed.emit(muted)
        self._conversation.send(SetMuted(muted))

    def hold_talk_key(self, held: bool) -> None:
        self._conversation.send(HoldTalkKey(held))

    def set_mode(self, mode: str) -> None:
        """Ask for a mode. Before a model is there, the choice is kept for the load."""
        before = str(self._settings.get(keys.MODE))
        if not self._choice.can_ask(mode):
            if mode == self.mode and before == COMPILED:  # its building was given up: this is meant for the next start
                self._restore_mode(mode)
            return
        if self._keep({keys.MODE: mode}, {keys.MODE: before}, "engine"):
            self.spec = replace(self.spec, mode=mode)
            if self._choice.ask(mode, before, self.info is not None and self.phase != "loading"):
                self._conversation.send(SetMode(mode))
        self.mode_changed.emit()

    def try_mode(self, mode: str) -> None:
        """Let the engine run a mode without choosing it: the settings keep what the user chose."""
        self._conversation.send(SetMode(mode))

    def set_sampling(self, sampling: Sampling) -> None:
        """Keep and send sampling values; all of them or none."""
        names = [field.name for field in fields(Sampling)]
        wanted = {SAMPLING_KEYS[name]: getattr(sampling, name) for name in names}
        held = {SAMPLING_KEYS[name]: getattr(self.sampling, name) for name in names}
        if self._keep(wanted, held, "engine"):
            self.sampling = sampling
            self.sampling_note = ""
            self._conversation.send(SetSampling(sampling))
        self.sampling_changed.emit()

    def set_expert(self, expert: bool) -> None:
        """Open or close the full sampling ranges; closing brings extremes back into the usual ones."""
        if not self._keep({keys.EXPERT_SAMPLING: expert}, {keys.EXPERT_SAMPLING: self.expert}, "engine"):
            self.sampling_changed.emit()
            return
        self.expert = expert
        usual, note = (self.sampling, "") if expert else usual_sampling(self.sampling)
        if usual != self.sampling:
            self.set_sampling(usual)
        self.sampling_note = note
        self.sampling_changed.emit()

    def set_persona(self, persona: PersonaChoice) -> None:
        """Keep voice, persona text and who speaks first for the next talk."""
        wanted, held = ({key: getattr(p, name) for name, key in PERSONA_KEYS.items()} for p in (persona, self.persona))
        if self._keep(wanted, held, "voice"):
            self.persona = persona
        self.persona_changed.emit()

    def set_spec(self, spec: ModelSpec) -> None:
        """Keep another model, device or precision, and load it at once."""
        wanted = {key: getattr(spec, name) for name, key in SPEC_KEYS.items()}
        held = {key: getattr(self.spec, name) for name, key in SPEC_KEYS.items()}
        if spec == self.spec or not self._keep(wanted, held, "engine"):
            self.spec_changed.emit()
            return
        self.spec = spec
        self.spec_changed.emit()
        self.load()

    def shut_down(self) -> None:
        self._conversation.send(Shutdown())

    def tell(self, kind: str, sentence: str) -> None:
        """Show a sentence of the window's own in the banner; "" takes the one of this kind away."""
        if sentence:
            self._post(Trouble(kind, sentence))
        else:
            self._clear(kind)

    def dismiss(self, trouble: Trouble) -> None:
        self.troubles = [held for held in self.troubles if held is not trouble]
        self.troubles_changed.emit()

    def remedy(self, trouble: Trouble) -> None:
        """Do what a trouble's button says."""
        deed, what = remedy_of(trouble)
        if deed == PAGE:
            self.page_wanted.emit(what)
            return
        if deed in (RELAUNCH, REPORTS):
            self.rescue_wanted.emit(deed)
            return
        self.dismiss(trouble)
        if deed == MODE:
            self.set_mode(what)
        elif deed == NEW_TALK and self.talking:
            self.new_talk()
        elif trouble.kind == "load" and self._refused_spec is not None:
            self.set_spec(self._refused_spec)
        elif self.phase in ("idle", "failed") or trouble.kind == "load":
            self.load()
        else:
            self.start()

    def check_saving(self) -> None:
        """Say it while changes to the settings cannot be saved."""
        sentence = self._settings.save_trouble
        held = next((trouble for trouble in self.troubles if trouble.kind == "saving"), None)
        if sentence and (held is None or held.sentence != sentence):
            self._post(Trouble("saving", sentence))
        elif not sentence:
            self._clear("saving")

    def check_sound(self) -> None:
        """Say it before anybody presses Start when there is no PortAudio or no device, and once for each reason."""
        note = self._devices.state().note
        if note == self._sound_note:
            return
        self._sound_note = note
        if note:
            self._post(Trouble("sound", note, "Sound settings"))
        else:
            self._clear("sound")

    # ------------------------------------------------------------------ what happened

    def handle(self, event: Event) -> None:
        """Take in one event of the conversation."""
        if isinstance(event, PhaseChanged):
            self._phase(event.phase)
        elif isinstance(event, TextSpoken):
            self.text_spoken.emit(event.time_s, event.piece)
        elif isinstance(event, UserSpoke):
            self.user_spoke.emit(event.words, self._talks - event.talk)
        elif isinstance(event, LoadProgressed):
            self.progressed.emit(event)
        elif isinstance(event, ModelLoaded):
            self._loaded(event.info)
        elif isinstance(event, ModeChanged):
            self._restore_mode(self._choice.answered(event.mode, event.modes))
        elif isinstance(event, ModeBuilding):
            self.building.emit(event)
        elif isinstance(event, MutedChanged):
            self.muted = event.muted
            self.muted_changed.emit(event.muted)
        elif isinstance(event, SamplingChanged):
            self.engine_sampling = event.sampling
            self.sampling_changed.emit()
        elif isinstance(event, TalkStarted):
            self.talk_persona = self._asked_persona
            self._talks += 1
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
            self._loads_waiting = max(0, self._loads_waiting - 1)
            self._choice.loading()
        elif self._loads_waiting:
            return  # the end of a load that another one has overtaken
        if phase in ("idle", "failed", "closed") and self.info is not None:
            self.info = None
            self._choice.unloaded()
            self.info_changed.emit()
        if phase in ("idle", "ready", "failed", "closed"):
            self.talk_persona = None
        self.phase = phase
        if phase == "ready":
            self._catch_up()
        self.phase_changed.emit(phase)

    def _catch_up(self) -> None:
        """A model is ready: what was chosen meanwhile is asked for, and a load that came to nothing is taken back."""
        if self._good_spec is not None and not self._same_model(self._good_spec):
            self._restore_spec()
        mode = self._choice.take_held()
        if mode:
            self._conversation.send(SetMode(mode))
        else:
            self._restore_mode(self._choice.settle())

    def _loaded(self, info: ModelInfo) -> None:
        self.info = info
        self._choice.learn(info.modes)
        if not self._loads_waiting:
            self._good_spec = self.spec
            self._refused_spec = None
        self._clear("load")
        self.info_changed.emit()
        self.mode_changed.emit()
        self.sampling_changed.emit()

    def _restore_mode(self, setting: str) -> None:
        """Put the mode's setting back to what it was; "" leaves it as it is."""
        if setting:
            self._settings.set(keys.MODE, setting)
            self.spec = replace(self.spec, mode=setting)
        self.mode_changed.emit()

    def _trouble(self, trouble: Trouble) -> None:
        self._post(trouble)
        if trouble.kind == "mode":
            self._restore_mode(self._choice.refused())
            self.refused.emit(Refusal("engine", trouble.sentence))
        elif trouble.kind == "sampling":
            self._take_back_sampling(trouble.sentence)
        elif trouble.kind == "load":
            self.refused.emit(Refusal("engine", trouble.sentence))
            if self._good_spec is not None and not self._same_model(self._good_spec):
                self._restore_spec()
                self._clear("load")
                said = tr("{sentence} The earlier model is loaded again.").format(sentence=translated(trouble.sentence))
                way_on = trouble.remedy if remedy_of(trouble).deed == PAGE else ""
                self._post(Trouble("settings", said, way_on))
                self.load()

    def _take_back_sampling(self, sentence: str) -> None:
        """Return to what the engine holds; what equals the checkpoint's own value is no choice of the user's."""
        held, own = self.engine_sampling, self.info.sampling if self.info is not None else Sampling()
        if held is not None:
            names = [field.name for field in fields(Sampling)]
            back = {name: getattr(held, name) for name in names if getattr(held, name) != getattr(own, name)}
            self.sampling = Sampling(**back)
            for name, key in SAMPLING_KEYS.items():
                self._settings.set(key, getattr(self.sampling, name))
        self.sampling_changed.emit()
        self.refused.emit(Refusal("engine", sentence))

    def _same_model(self, spec: ModelSpec) -> bool:
        return all(getattr(spec, name) == getattr(self.spec, name) for name in SPEC_KEYS)

    def _restore_spec(self) -> None:
        """The settings return to the last model that could be loaded."""
        assert self._good_spec is not None
        self._refused_spec = self.spec
        self.spec = replace(self.spec, **{name: getattr(self._good_spec, name) for name in SPEC_KEYS})
        for name, key in SPEC_KEYS.items():
            self._settings.set(key, getattr(self.spec, name))
        self.spec_changed.emit()

    def _post(self, trouble: Trouble) -> None:
        same = trouble.kind if trouble.kind != "settings" else None  # each note about the settings stands by itself
        self.troubles = [held for held in self.troubles if held.kind != same] + [trouble]
        self.troubles_changed.emit()

    def _clear(self, kind: str) -> None:
        left = [trouble for trouble in self.troubles if trouble.kind != kind]
        if len(left) != len(self.troubles):
            self.troubles = left
            self.troubles_changed.emit()

    def _keep(self, wanted: Mapping[str, object], held: Mapping[str, object], page: str) -> bool:
        return keep_all(self._settings, wanted, held, lambda sentence: self.refused.emit(Refusal(page, sentence)))
