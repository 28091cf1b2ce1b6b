"""The conversation: owns the engine thread, obeys commands between frames, says in events what happened.

Everything that talks runs through here: the window, the headless run, the benchmark and the tests differ in the audio
ends, the loader and the clock that they hand in. Must not know Qt, sound devices or files. What any thread may call is
in `conversation_doors`; everything here runs in the engine thread, the only one that touches torch (another one would
break a running graph capture, and inference mode is per thread).

A command that must reach a thread busy with loading, priming or building does so through `_interrupted`, which looks
at the waiting commands without taking them: the work stops at its next look, and the command is obeyed in its turn.
Errors end in one place, `_recover`, which decides by phase what state follows and what the user reads.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

from app import engine_faults as faults
from app import messages as say
from app.audio import AudioEnds, AudioStatus, EndOfInput
from app.conversation_doors import ConversationDoors
from app.engine_room import AnswerLike, Loader, Persona, Voices, engine_thread, open_engine
from app.errors import UserError
from app.loaded_engine import LoadedEngine
from app.messages import Command, PersonaChoice, Sampling, Trouble
from app.model_loading import ModelLoading, stop_if
from app.notices import LOAD_AGAIN, RELAUNCH, Noticeboard
from app.running_talk import FrameClock, RunningTalk
from app.telemetry import FrameHistory
from app.transcript import Transcript

log = logging.getLogger("parley.conversation")

READ_TIMEOUT_S = 0.1  # how long a command may wait while no microphone frame comes


class Conversation(ConversationDoors):
    """One engine, one pair of audio ends, one talk at a time.

    ends: where frames come from and go to. voices: the voice folder. load_engine and thread_context: how an engine is
    had, and what surrounds the engine thread's work from the first load on; the real ones unless a test hands in
    others. clock: nanoseconds, monotonic. history: one with room for more than ten minutes. on_answer: called in the
    engine thread with each answer and with the sound's status when its frame was taken (for the list of tokens).
    on_failure: called in the engine thread with the error that ends it and what was attempted; it must not raise.
    begins_anew: a talk whose numbers fell apart is begun anew; otherwise it ends, as suits a recording.
    """

    def __init__(
        self,
        ends: AudioEnds,
        *,
        voices: Voices,
        load_engine: Loader = open_engine,
        thread_context: Callable[[], AbstractContextManager[object]] = engine_thread,
        clock: Callable[[], int] = time.perf_counter_ns,
        history: FrameHistory | None = None,
        on_answer: Callable[[AnswerLike, AudioStatus], None] | None = None,
        on_failure: Callable[[BaseException, str], object] = lambda error, attempt: None,
        begins_anew: bool = True,
    ) -> None:
        super().__init__(ends, clock)
        self.history = FrameHistory() if history is None else history  # of the talk that runs or ran last
        self._voices = voices
        self._thread_context = thread_context
        self._on_answer = on_answer
        self.on_failure = on_failure
        self._begins_anew = begins_anew
        self._board = Noticeboard(self._emit)
        self._loading = ModelLoading(load_engine, voices, self._events, self._board, clock)
        self._surroundings = ExitStack()
        self._surrounded = False
        self._loaded: LoadedEngine | None = None
        self._talk: RunningTalk | None = None
        self._persona = PersonaChoice()
        self._sampling = Sampling()  # as wished, also before there is an engine
        self._attempt = "talk"
        self._building_mode = ""

    def run(self, *, until_idle: bool = False) -> None:
        """Obey commands and run frames in the calling thread until Shutdown.

        until_idle: return also once no talk runs and no command waits, as after the end of a recording.
        """
        self._running = True
        self.engine_ident = threading.get_ident()
        with self._surroundings:
            if self._loaded is not None:
                self._surround()
            while self.phase != "closed" and not (until_idle and self._talk is None and not self._commands):
                try:
                    self._turn()
                except Exception as error:  # where every error of this thread ends
                    try:
                        self._recover(error)
                    except Exception as worse:  # without memory not even a module can be imported
                        log.error("%s could not be dealt with (%s)", type(error).__name__, type(worse).__name__)
                        self._fail("load", faults.NOT_RECOVERED)
        self._surrounded = False
        self._running = False

    # ------------------------------------------------------------ engine thread: the loop

    def _turn(self) -> None:
        if self.phase == "talking":
            self._frame()
        else:
            self._commands.wait()
            self._obey_waiting()

    def _frame(self) -> None:
        """One 80 ms frame: commands, microphone, engine, loudspeaker, then words, record and notices."""
        self._obey_waiting()
        talk, loaded = self._talk, self._loaded
        if talk is None or loaded is None:  # a command ended the talk
            return
        asked = self._clock()
        heard = self._ends.read_frame(READ_TIMEOUT_S)  # raises EndOfInput, which ends the talk
        taken = self._clock()
        sound = self._ends.status()
        talk.note_sound(sound)
        if heard is None:  # the microphone is silent as a device; commands go on
            return
        talk.listen(heard.pcm)
        self.stepping_since_ns = taken
        answer = loaded.engine.step(heard.pcm)
        self.stepping_since_ns = 0
        done = self._clock()
        pcm = talk.sound_of(answer)
        self._ends.write_frame(pcm)
        talk.answered(answer, sound, FrameClock(asked, taken, done))
        if self._on_answer is not None:
            self._on_answer(answer, sound)
        if talk.fell_apart:
            self._begin_anew()

    # ------------------------------------------------------------ engine thread: commands

    def _obey_waiting(self) -> None:
        while (command := self._commands.take()) is not None:
            self._obey(command)

    def _obey(self, command: Command) -> None:
        self._attempt = faults.ATTEMPTS.get(type(command), "talk")
        match command:
            case say.LoadModel():
                self._load(command.spec)
            case say.CancelLoad():
                pass  # it ended the work while it waited; by itself it changes nothing
            case say.StartTalk() if self._talk is not None:
                raise UserError("A talk is already running; New talk begins another one.")
            case say.StartTalk():
                self._begin_talk(command.persona)
            case say.StopTalk():
                self._stop("stopped")
            case say.NewTalk():
                self._renew(self._persona if command.persona is None else command.persona)
            case say.SetMode():
                self._change_mode(command.mode)
            case say.SetSampling():
                self._set_sampling(command.sampling)
            case say.Shutdown():
                self._stop("stopped")
                self._release()
                self._enter("closed")
        self._attempt = "talk"

    def _load(self, spec: say.ModelSpec) -> None:
        self._stop("stopped")
        self._enter("loading")
        self._surround()  # not before, so that a window shows before torch is imported
        self._loaded = self._loading.load(spec, self._interrupted, self._release)
        self.info = self._loading.welcome(self._loaded, self._sampling)
        self._enter("ready")

    def _renew(self, choice: PersonaChoice) -> None:
        """What can be refused is tried while the running talk is still there, so that a refusal leaves it going."""
        loaded, persona = self._loaded, None
        if self._talk is not None and loaded is not None:
            persona = self._read_persona(loaded, choice)
            self._attempt = "sound"
            with faults.talk_is_kept():
                self._ends.open()
        self._stop("a new talk was begun", close=False)
        self._begin_talk(choice, persona)

    def _read_persona(self, loaded: LoadedEngine, choice: PersonaChoice) -> Persona:
        self._attempt = "voice"
        return self._voices.persona(loaded.engine, choice)

    def _begin_talk(self, choice: PersonaChoice, persona: Persona | None = None) -> None:
        """persona: that of the choice, where it has been read and the sound opened already."""
        loaded = self._loaded
        if loaded is None:
            raise UserError("No model is loaded yet; load one first.")
        self._enter("priming")
        is_open = persona is not None
        persona = persona or self._read_persona(loaded, choice)
        self._attempt = "start"
        loaded.engine.reset(loaded.seed)
        if persona.prompt is not None:
            loaded.engine.prime(persona.prompt, cancelled=self._interrupted)
        stop_if(self._interrupted)
        self._attempt = "sound"
        if not is_open:
            self._ends.open()
        self._ends.begin()
        self._persona = choice
        self.transcript = Transcript()
        self._board.clear("start", "voice", "sound", "talk", "numbers")
        self._talk = RunningTalk(loaded, persona.frames, self.history, self._board, self._emit, choice.waits)
        self._enter("talking")
        self._emit(say.TalkStarted())

    def _begin_anew(self) -> None:
        """The engine's numbers fell apart and stay so. What made the talk is in the state, of which a copy each second
        would cost as much as the talk itself: so the talk is reset, persona and all, instead of a copy put back."""
        assert self._talk is not None
        if self._talk.fell_apart_at_once or not self._begins_anew:
            raise faults.EngineFailure(faults.NUMBERS_FAIL)
        self._stop("its numbers fell apart")
        self._begin_talk(self._persona)
        self._attempt = "talk"
        self._board.post(Trouble("numbers", faults.NUMBERS_RESET))

    def _stop(self, reason: str, then: str = "ready", close: bool = True) -> None:
        """End the talk, if there is one. The engine stays unless the caller drops it, the sound with close = False."""
        talk, self._talk = self._talk, None
        if talk is not None:
            if close:
                self._close_ends()
            talk.finish()
            self._enter(then)
            self._emit(say.TalkEnded(reason))

    def _change_mode(self, mode: str) -> None:
        loaded = self._loaded
        if loaded is None:
            raise UserError("No model is loaded yet; its modes can be chosen once one is.")
        loaded.check_mode(mode)
        if not loaded.is_prepared(mode):  # the talk pauses; the ends drop and count what comes in meanwhile
            self._building_mode = mode
            self._enter("building")
        loaded.change_mode(mode, self._events.put_building(mode), self._interrupted)
        self._leave_building()
        self._board.mode_changed(loaded.mode_trouble)
        self._tell_mode()
        if self._talk is not None:
            self._talk.follow_mode()

    def _leave_building(self) -> None:
        if self.phase == "building":
            self._building_mode = ""
            self._enter("ready" if self._talk is None else "talking")

    def _set_sampling(self, sampling: Sampling) -> None:
        if self._loaded is not None:  # else applied, and checked, when a model is there
            self._loaded.set_sampling(sampling)
            self._board.clear("sampling")
        self._sampling = sampling
        self._emit(say.SamplingChanged(sampling if self._loaded is None else self._loaded.sampling()))

    def _surround(self) -> None:
        if not self._surrounded:
            self._surroundings.enter_context(self._thread_context())
            self._surrounded = True

    def _release(self) -> None:
        """Give the engine's memory back."""
        loaded, self._loaded, self.info = self._loaded, None, None
        if loaded is not None:
            loaded.unload()

    def _close_ends(self) -> None:
        try:
            self._ends.close()
        except Exception:  # the talk is over either way, and the error that ended it is the one worth telling
            log.exception("closing the sound failed")

    # ------------------------------------------------------------ engine thread: interruption, recovery, telling

    def _interrupted(self) -> bool:
        self.signs_of_life += 1
        return self._commands.interrupts(self.phase, self._building_mode)

    def _recover(self, error: Exception) -> None:
        """The end of every error of this thread: which state follows, and what is said."""
        from engine.errors import Cancelled, EngineError

        attempt, self._attempt = self._attempt, "talk"
        self.stepping_since_ns = 0
        if isinstance(error, EndOfInput):
            self._stop("input ended")
        elif isinstance(error, Cancelled):
            self._step_back(attempt, failed=False)
        elif not isinstance(error, UserError) and faults.is_sticky(error):  # whatever was attempted
            log.error("the card is lost to this process", exc_info=error)
            self.on_failure(error, attempt)
            self._fail(attempt, faults.STICKY, RELAUNCH)
        elif isinstance(error, UserError) or (isinstance(error, EngineError) and attempt != "talk"):
            self._step_back(attempt, failed=True)
            kind = "sound" if attempt == "talk" else attempt
            remedy = (error.remedy if isinstance(error, UserError) else "") or faults.REMEDIES.get(kind, "")
            self._board.post(Trouble(kind, str(error), remedy, fatal=self.phase == "failed"))
        else:
            sentence = str(error)
            if not isinstance(error, (EngineError, faults.EngineFailure)):
                log.error("unexpected error in the engine thread", exc_info=error)
                sentence = faults.unforeseen(error, "cpu" if self.info is None else self.info.device)
            self.on_failure(error, attempt)
            self._fail(attempt, sentence)

    def _step_back(self, attempt: str, failed: bool) -> None:
        """Undo what was begun, so that the former state holds and is told again."""
        if self.phase == "loading":
            self._commands.drop_wishes()
            self._enter("ready" if self._loaded is not None else "failed" if failed else "idle")
        elif self.phase == "priming":
            self._close_ends()
            self._enter("ready")
        elif attempt == "talk":
            self._stop("failed: the sound stopped")
        self._leave_building()
        if self._loaded is not None and attempt == "mode":
            self._tell_mode()
        if self._loaded is not None and attempt == "sampling":
            self._emit(say.SamplingChanged(self._loaded.sampling()))

    def _fail(self, attempt: str, sentence: str, remedy: str = LOAD_AGAIN) -> None:
        """The engine cannot be trusted any more: end the talk, drop the engine, leave everything else as it is."""
        if self.phase == "priming":
            self._close_ends()
        if self.phase == "loading":
            self._commands.drop_wishes()
        self._stop(f"failed: {sentence}", then="failed")
        self._release()
        self._enter("failed")
        self._board.post(Trouble("load" if attempt == "load" else "talk", sentence, remedy, fatal=True))

    def _enter(self, phase: str) -> None:
        if phase != self.phase:
            self.phase = phase
            self._emit(say.PhaseChanged(phase))

    def _tell_mode(self) -> None:
        assert self._loaded is not None
        self._emit(say.ModeChanged(self._loaded.engine.mode, self._loaded.modes()))
