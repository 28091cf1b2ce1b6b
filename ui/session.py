"""What the window knows of the conversation, and the only place from which the window sends commands.

Owns the state that several widgets show (phase, model, mode, mute, sampling, persona, troubles) and the rule that a
choice is kept in the settings first, sent next, and taken back with a sentence when the engine refuses it. Widgets
bind to the signals, so that the same choice in two windows cannot part. What is wanted, in force and to be taken back
is kept by `mode_choice`, `sampling_choice` and `spec_choice`, what stands in the banner by `trouble_board`. Must not
know widgets. Qt thread only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app import messages as say
from app.messages import Event, ModelInfo, ModelSpec, PersonaChoice, Sampling, Trouble
from ui import ports as keys
from ui.keeping import Refusal, keep_all
from ui.mode_choice import ModeChoice
from ui.ports import ConversationPort, Ports
from ui.remedies import PAGE, remedy_of
from ui.sampling_choice import SamplingChoice
from ui.spec_choice import SpecChoice
from ui.trouble_board import TroubleBoard
from ui.words import tr, translated

TALK_PHASES = ("priming", "talking")
COMPILED = "compiled"

PERSONA_KEYS = {"voice": keys.VOICE, "text": keys.PERSONA_TEXT, "waits": keys.PERSONA_WAITS}


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
        self.phase = "idle"
        self.info: ModelInfo | None = None
        self._spec = SpecChoice(ports.settings, ports.spec, self._refuse_engine)
        self._choice = ModeChoice(ports.spec.mode)
        self.muted = False
        self.persona = ports.persona
        self.talk_persona: PersonaChoice | None = None  # the one the running talk began with
        self._asked_persona = ports.persona
        self._sampling = SamplingChoice(ports.settings, ports.sampling, self._refuse_engine)
        self._board = TroubleBoard(self.troubles_changed.emit)
        self._talks = 0  # begun so far
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
    def spec(self) -> ModelSpec:
        """The model to be loaded now or next."""
        return self._spec.wanted

    @property
    def refused_spec(self) -> ModelSpec | None:
        """The model that could not be loaded last, and that another was loaded instead of."""
        return self._spec.refused

    @property
    def sampling(self) -> Sampling:
        """The user's values."""
        return self._sampling.wanted

    @property
    def engine_sampling(self) -> Sampling | None:
        """The values as the engine holds them, once it has said so."""
        return self._sampling.engine

    @property
    def sampling_note(self) -> str:
        """Why a value was brought into the usual range, or ""."""
        return self._sampling.note

    @property
    def expert(self) -> bool:
        """The full sampling ranges are open."""
        return self._sampling.expert

    @property
    def troubles(self) -> list[Trouble]:
        """What stands in the banner, newest last."""
        return self._board.troubles

    def begin(self, load: bool) -> None:
        """The window stands: hand over what the settings hold, and load the model."""
        if self.sampling != Sampling():
            self._conversation.send(say.SetSampling(self.sampling))
        for note in self._settings.notes:
            self._board.post(Trouble("settings", note))
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
        self._conversation.send(say.LoadModel(spec))

    def cancel_load(self) -> None:
        """Give up the load, or the building of a mode."""
        self._conversation.send(say.CancelLoad())

    def start(self) -> None:
        self._board.clear("start")
        self._asked_persona = self.persona
        self._conversation.send(say.StartTalk(self.persona))

    def stop(self) -> None:
        self._conversation.send(say.StopTalk())

    def new_talk(self) -> None:
        """Forget the talk and begin another with the persona now chosen."""
        self._asked_persona = self.persona
        self._conversation.send(say.NewTalk(self.persona))

    def set_muted(self, muted: bool) -> None:
        self.muted = muted
        self.muted_changed.emit(muted)
        self._conversation.send(say.SetMuted(muted))

    def hold_talk_key(self, held: bool) -> None:
        self._conversation.send(say.HoldTalkKey(held))

    def set_mode(self, mode: str) -> None:
        """Ask for a mode. Before a model is there, the choice is kept for the load."""
        before = str(self._settings.get(keys.MODE))
        if not self._choice.can_ask(mode):
            if mode == self.mode and before == COMPILED:  # its building was given up: this is meant for the next start
                self._restore_mode(mode)
            return
        if self._keep({keys.MODE: mode}, {keys.MODE: before}, "engine"):
            self._spec.set_mode(mode)
            if self._choice.ask(mode, before, self.info is not None and self.phase != "loading"):
                self._conversation.send(say.SetMode(mode))
        self.mode_changed.emit()

    def try_mode(self, mode: str) -> None:
        """Let the engine run a mode without choosing it: the settings keep what the user chose."""
        self._conversation.send(say.SetMode(mode))

    def set_sampling(self, sampling: Sampling) -> None:
        """Keep and send sampling values; all of them or none."""
        if self._sampling.keep(sampling):
            self._conversation.send(say.SetSampling(sampling))
        self.sampling_changed.emit()

    def set_expert(self, expert: bool) -> None:
        """Open or close the full sampling ranges; closing brings extremes back into the usual ones."""
        usual = self._sampling.open_range(expert)
        note = self._sampling.note
        if usual is not None:
            self.set_sampling(usual)
        self._sampling.note = note
        self.sampling_changed.emit()

    def set_persona(self, persona: PersonaChoice) -> None:
        """Keep voice, persona text and who speaks first for the next talk."""
        wanted, held = ({key: getattr(p, name) for name, key in PERSONA_KEYS.items()} for p in (persona, self.persona))
        if self._keep(wanted, held, "voice"):
            self.persona = persona
        self.persona_changed.emit()

    def set_spec(self, spec: ModelSpec) -> None:
        """Keep another model, device or precision, and load it at once."""
        changed = self._spec.keep(spec)
        self.spec_changed.emit()
        if changed:
            self.load()

    def shut_down(self) -> None:
        self._conversation.send(say.Shutdown())

    def tell(self, kind: str, sentence: str, remedy: str = "") -> None:
        """Show a sentence of the window's own in the banner, before all others where it comes with a remedy; "" takes
        the one of this kind away."""
        if sentence:
            self._board.post(Trouble(kind, sentence, remedy, fatal=bool(remedy)))
        else:
            self._board.clear(kind)

    def dismiss(self, trouble: Trouble) -> None:
        self._board.dismiss(trouble)

    def check_saving(self) -> None:
        """Say it while changes to the settings cannot be saved."""
        self._board.tell_standing("saving", self._settings.save_trouble)

    def check_sound(self) -> None:
        """Say it before anybody presses Start when there is no PortAudio or no device, and once for each reason."""
        self._board.tell_sound(self._devices.state().note)

    # ------------------------------------------------------------------ what happened

    def handle(self, event: Event) -> None:
        """Take in one event of the conversation."""
        if isinstance(event, say.PhaseChanged):
            self._phase(event.phase)
        elif isinstance(event, say.TextSpoken):
            self.text_spoken.emit(event.time_s, event.piece)
        elif isinstance(event, say.UserSpoke):
            self.user_spoke.emit(event.words, self._talks - event.talk)
        elif isinstance(event, say.LoadProgressed):
            self.progressed.emit(event)
        elif isinstance(event, say.ModelLoaded):
            self._loaded(event.info)
        elif isinstance(event, say.ModeChanged):
            self._restore_mode(self._choice.answered(event.mode, event.modes))
        elif isinstance(event, say.ModeBuilding):
            self.building.emit(event)
        elif isinstance(event, say.MutedChanged):
            self.muted = event.muted
            self.muted_changed.emit(event.muted)
        elif isinstance(event, say.SamplingChanged):
            self._sampling.engine = event.sampling
            self.sampling_changed.emit()
        elif isinstance(event, say.TalkStarted):
            self.talk_persona = self._asked_persona
            self._talks += 1
            self.talk_started.emit()
        elif isinstance(event, say.TalkEnded):
            self.talk_persona = None
            self.talk_ended.emit(event.reason)
        elif isinstance(event, Trouble):
            self._trouble(event)
        elif isinstance(event, say.TroubleCleared):
            self._board.clear(event.kind)

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
        if self._spec.take_back():
            self.spec_changed.emit()
        mode = self._choice.take_held()
        if mode:
            self._conversation.send(say.SetMode(mode))
        else:
            self._restore_mode(self._choice.settle())

    def _loaded(self, info: ModelInfo) -> None:
        self.info = info
        self._choice.learn(info.modes)
        if not self._loads_waiting:
            self._spec.loaded()
        self._board.clear("load")
        self.info_changed.emit()
        self.mode_changed.emit()
        self.sampling_changed.emit()

    def _restore_mode(self, setting: str) -> None:
        """Put the mode's setting back to what it was; "" leaves it as it is."""
        if setting:
            self._settings.set(keys.MODE, setting)
            self._spec.set_mode(setting)
        self.mode_changed.emit()

    def _trouble(self, trouble: Trouble) -> None:
        self._board.post(trouble)
        if trouble.kind in ("voice", "start", "sound") and self.talk_persona is not None:
            self._asked_persona = self.talk_persona  # a new talk was refused, and this one goes on
        if trouble.kind == "mode":
            self._restore_mode(self._choice.refused())
            self.refused.emit(Refusal("engine", trouble.sentence))
        elif trouble.kind == "sampling":
            self._sampling.take_back(self.info.sampling if self.info is not None else Sampling())
            self.sampling_changed.emit()
            self._refuse_engine(trouble.sentence)
        elif trouble.kind == "load":
            self.refused.emit(Refusal("engine", trouble.sentence))
            if self._spec.take_back():
                self.spec_changed.emit()
                self._board.clear("load")
                said = tr("{sentence} The earlier model is loaded again.").format(sentence=translated(trouble.sentence))
                way_on = trouble.remedy if remedy_of(trouble).deed == PAGE else ""
                self._board.post(Trouble("settings", said, way_on))
                self.load()

    def _refuse_engine(self, sentence: str) -> None:
        self.refused.emit(Refusal("engine", sentence))

    def _keep(self, wanted: Mapping[str, object], held: Mapping[str, object], page: str) -> bool:
        return keep_all(self._settings, wanted, held, lambda sentence: self.refused.emit(Refusal(page, sentence)))
