"""The conversation in virtual time: every command in every phase, failures, and the promises about frames."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from app import messages as say
from app.audio import AudioTrouble
from app.conversation import Conversation
from app.download import AccessRefusedError, NoRoomError
from app.errors import UserError
from app.messages import (
    CancelLoad,
    Command,
    Event,
    LoadModel,
    ModelSpec,
    NewTalk,
    PersonaChoice,
    Sampling,
    SetMode,
    SetMuted,
    SetSampling,
    Shutdown,
    StartTalk,
    StopTalk,
    Trouble,
)
from engine.errors import EngineError, MemoryFullError
from tests.app.fake_engine import FakeEngine, FakeLoader, FakeVoices, VirtualClock, sleep_ms
from tests.app.virtual_ends import VirtualEnds, no_microphone

LOAD = LoadModel(ModelSpec("mini"))
NATF2 = StartTalk(PersonaChoice("NATF2", "You are kind."))


@dataclass
class World:
    """A conversation with scripted parts around it."""

    frames: int = 10
    engines: tuple[FakeEngine | Exception, ...] = ()
    engine_options: dict[str, Any] = field(default_factory=dict)
    ends_options: dict[str, Any] = field(default_factory=dict)
    loader_options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = VirtualClock()
        self.engine = FakeEngine(advance=self.clock.advance, **self.engine_options)
        self.ends = VirtualEnds(self.clock, self.frames, **self.ends_options)
        self.loader = FakeLoader(*(self.engines or (self.engine,)), **self.loader_options)
        self.answers: list[Any] = []
        self.conversation = Conversation(
            self.ends,
            voices=FakeVoices(),
            load_engine=self.loader,
            thread_context=nullcontext,
            clock=self.clock,
            on_answer=lambda answer, sound: self.answers.append(answer),
        )

    def run(self, *commands: Command) -> list[Event]:
        """Send, run until nothing is left to do, and return what happened."""
        for command in commands:
            self.conversation.send(command)
        self.conversation.run(until_idle=True)
        return self.conversation.events()

    def at(self, frame: int, *commands: Command) -> None:
        """Send commands while the talk waits for its frame `frame`: they are obeyed after it."""
        self.ends.at_frame[frame] = lambda: [self.conversation.send(command) for command in commands]


def short(event: Event) -> str:
    match event:
        case say.PhaseChanged(phase):
            return phase
        case say.Trouble(kind=kind):
            return f"trouble {kind}"
        case say.TroubleCleared(kind):
            return f"cleared {kind}"
        case say.TalkEnded(reason):
            return f"ended: {reason}"
        case say.ModeChanged(mode=mode):
            return f"mode {mode}"
        case say.MutedChanged(muted):
            return "muted" if muted else "unmuted"
        case say.TalkStarted():
            return "started"
        case say.ModelLoaded():
            return "loaded"
        case say.SamplingChanged():
            return "sampling"
    return ""


def story(events: list[Event]) -> str:
    """The events that matter, in order and in short."""
    return ", ".join(word for word in map(short, events) if word)


def troubles(events: list[Event], kind: str = "") -> list[Trouble]:
    return [e for e in events if isinstance(e, Trouble) and kind in ("", e.kind)]


def of(events: list[Event], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


# ---------------------------------------------------------------- every command in every phase


COMMANDS: dict[str, Command] = {
    "load": LoadModel(ModelSpec("other")),
    "cancel": CancelLoad(),
    "start": StartTalk(),
    "stop": StopTalk(),
    "new": NewTalk(),
    "mute": SetMuted(True),
    "mode": SetMode("compiled"),
    "sampling": SetSampling(Sampling(temperature=0.5)),
    "shutdown": Shutdown(),
}


def in_idle(command: Command) -> str:
    return story(World().run(command))


def in_loading(command: Command) -> str:
    world = World()
    world.loader._on_progress = lambda step: (
        world.conversation.send(command) if len(world.loader.specs) == 1 and step == 1 else None
    )
    return story(world.run(LOAD))


def in_ready(command: Command) -> str:
    world = World()
    world.run(LOAD)
    return story(world.run(command))


def in_priming(command: Command) -> str:
    world = World()
    first = iter([command])
    world.engine.on_prime = lambda: [world.conversation.send(c) for c in first]
    world.run(LOAD)
    return story(world.run(NATF2))


def in_talking(command: Command) -> str:
    world = World()
    world.run(LOAD)
    world.at(4, command)
    return story(world.run(StartTalk()))


def in_building(command: Command) -> str:
    world = World()
    world.run(LOAD)
    first = iter([command])
    world.engine.on_prepare = lambda mode: [world.conversation.send(c) for c in first]
    world.at(4, SetMode("compiled"))
    return story(world.run(StartTalk()))


def in_failed(command: Command) -> str:
    world = World(engines=(EngineError("The file is damaged."), FakeEngine()))
    world.run(LOAD)
    return story(world.run(command))


def in_closed(command: Command) -> str:
    world = World()
    world.run(Shutdown())
    return story(world.run(command))


PHASES: dict[str, Callable[[Command], str]] = {
    "idle": in_idle,
    "loading": in_loading,
    "ready": in_ready,
    "priming": in_priming,
    "talking": in_talking,
    "building": in_building,
    "failed": in_failed,
    "closed": in_closed,
}
READY = "loaded, mode eager, sampling, ready"
TALK = "priming, talking, started"
OVER = "ready, ended: input ended"
STOPPED = "ready, ended: stopped"
RENEWED = f"ready, ended: a new talk was begun, {TALK}, {OVER}"
PAUSED = f"{TALK}, building, talking, mode eager"  # the building was interrupted: the old mode goes on
BUILT = f"{TALK}, building, talking, mode compiled"

# phase -> command -> everything that is told from the phase's beginning to the end of the recording
EXPECTED: dict[str, dict[str, str]] = {
    "idle": {
        "load": f"loading, {READY}",
        "cancel": "",
        "start": "trouble start",
        "stop": "",
        "new": "trouble start",
        "mute": "muted",
        "mode": "trouble mode",
        "sampling": "sampling",
        "shutdown": "closed",
    },
    "loading": {
        "load": f"loading, idle, loading, {READY}",
        "cancel": "loading, idle",
        "start": f"loading, {READY}, {TALK}, {OVER}",
        "stop": f"loading, {READY}",
        "new": f"loading, {READY}, {TALK}, {OVER}",
        "mute": f"loading, muted, {READY}",
        "mode": f"loading, {READY}, building, ready, mode compiled",
        "sampling": f"loading, {READY}, sampling",
        "shutdown": "loading, idle, closed",
    },
    "ready": {
        "load": f"loading, {READY}",
        "cancel": "",
        "start": f"{TALK}, {OVER}",
        "stop": "",
        "new": f"{TALK}, {OVER}",
        "mute": "muted",
        "mode": "building, ready, mode compiled",
        "sampling": "sampling",
        "shutdown": "closed",
    },
    "priming": {
        "load": f"priming, ready, loading, {READY}",
        "cancel": f"{TALK}, {OVER}",
        "start": f"{TALK}, trouble start, {OVER}",
        "stop": "priming, ready",
        "new": f"priming, ready, {TALK}, {OVER}",
        "mute": f"priming, muted, talking, started, {OVER}",
        "mode": f"{BUILT}, {OVER}",
        "sampling": f"{TALK}, sampling, {OVER}",
        "shutdown": "priming, ready, closed",
    },
    "talking": {
        "load": f"{TALK}, {STOPPED}, loading, {READY}",
        "cancel": f"{TALK}, {OVER}",
        "start": f"{TALK}, trouble start, {OVER}",
        "stop": f"{TALK}, {STOPPED}",
        "new": f"{TALK}, {RENEWED}",
        "mute": f"{TALK}, muted, {OVER}",
        "mode": f"{BUILT}, {OVER}",
        "sampling": f"{TALK}, sampling, {OVER}",
        "shutdown": f"{TALK}, {STOPPED}, closed",
    },
    "building": {
        "load": f"{PAUSED}, {STOPPED}, loading, {READY}",
        "cancel": f"{PAUSED}, {OVER}",
        "start": f"{BUILT}, trouble start, {OVER}",
        "stop": f"{PAUSED}, {STOPPED}",
        "new": f"{PAUSED}, {RENEWED}",
        "mute": f"{TALK}, building, muted, talking, mode compiled, {OVER}",
        "mode": f"{BUILT}, mode compiled, {OVER}",  # the same button again is no interruption
        "sampling": f"{BUILT}, sampling, {OVER}",
        "shutdown": f"{PAUSED}, {STOPPED}, closed",
    },
    "failed": {
        "load": f"loading, cleared load, {READY}",
        "cancel": "",
        "start": "trouble start",
        "stop": "",
        "new": "trouble start",
        "mute": "muted",
        "mode": "trouble mode",
        "sampling": "sampling",
        "shutdown": "closed",
    },
    "closed": dict.fromkeys(COMMANDS, "trouble closed") | {"shutdown": ""},
}


@pytest.mark.parametrize("phase", say.PHASES)
@pytest.mark.parametrize("name", COMMANDS)
def test_command_in_phase(phase: str, name: str) -> None:
    """Every command is legal in every phase, or answered by a sentence."""
    assert PHASES[phase](COMMANDS[name]) == EXPECTED[phase][name]


# ---------------------------------------------------------------- loading


def test_load_tells_progress_and_what_was_loaded() -> None:
    world = World()
    events = world.run(LOAD)
    assert [e.done_bytes for e in of(events, say.LoadProgressed) if e.what == "language model"] == [1, 3]
    (loaded,) = of(events, say.ModelLoaded)
    assert loaded.info.voices == ("NATF2", "NATM1")
    assert loaded.info.sampling == Sampling(0.8, 250, 0.7, 25, None)
    assert loaded.info.modes["graph"] == "needs an NVIDIA GPU"


def test_progress_is_not_told_for_every_tensor() -> None:
    """A checkpoint has thousands of tensors; a window wants 20 reports a second (10 ms each here)."""
    world = World(loader_options={"steps": 1000})
    world.loader._advance = world.clock.advance
    told = [e for e in of(world.run(LOAD), say.LoadProgressed) if e.what == "language model"]
    assert len(told) == 201
    assert told[-1].done_bytes == 1000


def test_cancel_reaches_a_thread_that_is_busy_loading() -> None:
    """With real threads, a loader that never ends by itself: back to idle, and a start sent before is void."""
    conversation = Conversation(
        VirtualEnds(VirtualClock(), 5),
        voices=FakeVoices(),
        load_engine=FakeLoader(forever=True, advance=sleep_ms),
        thread_context=nullcontext,
    )
    conversation.start_thread()
    events: list[Event] = []
    conversation.send(LOAD)
    conversation.send(StartTalk())
    _wait_for(conversation, events, lambda: conversation.phase == "loading" and bool(of(events, say.LoadProgressed)))
    conversation.send(CancelLoad())
    _wait_for(conversation, events, lambda: conversation.phase == "idle")
    conversation.close()
    assert not conversation._thread or not conversation._thread.is_alive()
    events += conversation.events()
    assert story(events) == "loading, idle, closed"


def _wait_for(conversation: Conversation, events: list[Event], happened: Callable[[], bool]) -> None:
    for _ in range(1000):
        events += conversation.events()
        if happened():
            return
        time.sleep(0.005)
    raise AssertionError(f"did not happen; the phase is {conversation.phase}, told: {story(events)}")


def test_building_the_compiled_mode_within_a_load_is_named() -> None:
    """It takes minutes: "warm-up" would not say why. A talk through files loads in its mode at once."""
    world = World(engines=(FakeEngine(),))
    events = world.run(say.LoadModel(say.ModelSpec(device="cpu", mode="compiled")))
    told = {event.what for event in events if isinstance(event, say.LoadProgressed)}
    assert "building compiled mode" in told
    assert [event.mode for event in events if isinstance(event, say.ModeChanged)] == ["compiled"]


def test_a_download_that_is_refused_leads_to_the_models_page() -> None:
    refused = AccessRefusedError("Hugging Face does not give it out.", signed_in=False)
    full = NoRoomError("The download needs 16 GB and there are 3.")
    world = World(engines=(refused, full, UserError("Hugging Face cannot be reached.")))
    remedies = [trouble.remedy for _ in range(3) for trouble in troubles(world.run(LOAD))]
    assert remedies == ["Models", "Models", "Load again"]


def test_failed_load_can_be_tried_again() -> None:
    world = World(engines=(EngineError("The file is damaged; get it again."), FakeEngine()))
    events = world.run(LOAD)
    assert troubles(events) == [Trouble("load", "The file is damaged; get it again.", "Load again", fatal=True)]
    assert world.conversation.phase == "failed"
    assert story(world.run(LOAD)) == f"loading, cleared load, {READY}"


def test_failed_load_keeps_the_model_in_use() -> None:
    """A mistyped folder is found out before the old model's memory is given back."""
    world = World()
    world.loader._engines = [world.engine, EngineError("There is no model folder x.")]
    world.run(LOAD)
    events = world.run(LoadModel(ModelSpec("x")))
    assert story(events) == "loading, ready, trouble load"
    assert not troubles(events)[0].fatal
    assert not world.engine.unloaded
    assert story(world.run(StartTalk())) == f"{TALK}, {OVER}"


def test_new_model_releases_the_old_one_first() -> None:
    second = FakeEngine()
    world = World()
    world.loader._engines = [world.engine, second]
    world.run(LOAD)
    world.run(LOAD)
    assert world.engine.unloaded
    assert not second.unloaded
    assert world.loader.released_at == [1, 2]


def test_engine_that_fails_its_warm_up_is_unloaded() -> None:
    world = World(engine_options={"fail_at": {0: EngineError("The model gives no numbers.")}})
    events = world.run(LOAD)
    assert world.engine.unloaded
    assert world.conversation.phase == "failed"
    assert troubles(events)[0].sentence == "The model gives no numbers."


class InterruptedEngine(FakeEngine):
    """Somebody sends a command at its next reset, where nothing asks whether to stop."""

    def reset(self, seed: int | None = None) -> None:
        super().reset(seed)
        for command in self.waiting:
            self.conversation.send(command)
        self.waiting = ()

    conversation: Conversation
    waiting: tuple[Command, ...] = ()


def test_cancel_at_the_last_moment_is_heard() -> None:
    """The loader is through and did not look again: the start wished for must not open the microphone."""
    engine = InterruptedEngine()
    world = World(engines=(engine,))
    engine.conversation, engine.waiting = world.conversation, (StartTalk(), CancelLoad())
    assert story(world.run(LOAD)) == "loading, idle"
    assert engine.unloaded
    assert world.ends.calls == []


def test_stop_before_the_microphone_opens_is_heard() -> None:
    engine = InterruptedEngine()
    world = World(engines=(engine,))
    world.run(LOAD)
    engine.conversation, engine.waiting = world.conversation, (StopTalk(),)
    assert story(world.run(StartTalk())) == "priming, ready"
    assert "open" not in world.ends.calls


def test_slow_computer_is_told_before_the_talk() -> None:
    """User report R1: 101.7 ms a frame."""
    world = World(engine_options={"costs": 101.7})
    (slow,) = troubles(world.run(LOAD))
    assert slow.kind == "slow"
    assert "102 ms" in slow.sentence
    assert "80 ms" in slow.sentence
    assert "try the compiled mode" in slow.sentence
    assert slow.remedy == "Engine settings"


# ---------------------------------------------------------------- who speaks first


def spoken_from(frame: int, frames: int) -> list[np.ndarray]:
    """A quiet room, and from `frame` on somebody who speaks in syllables of 160 ms."""
    drawn = np.random.default_rng(0).standard_normal((frames, 1920)).astype(np.float32)
    level = [0.1 if n >= frame and (n - frame) % 4 < 2 else 0.0003 for n in range(frames)]
    return list(drawn * np.array(level, np.float32)[:, None])


def test_a_model_that_waits_is_silent_until_the_user_has_spoken() -> None:
    """User report C11: 5 s of silence give padding and a muted output; speech releases."""
    heard = spoken_from(63, 100)
    world = World(frames=100, engine_options={"text": dict.fromkeys(range(1, 100), 100)}, ends_options={"heard": heard})
    events = world.run(LOAD, StartTalk(PersonaChoice(waits=True)))
    released = world.engine.calls.index(("hold", False)) - world.engine.calls.index(("hold", True))
    assert 63 < released <= 69, "within half a second of the first syllable"
    assert [troubles(events, "waiting")[0].sentence] == ["The model waits for you to speak first."]
    assert story(events).index("cleared waiting") < story(events).index("ended")
    assert not any(answer.any() for answer in world.ends.answers[:63])
    assert all(answer.any() for answer in world.ends.answers[69:])
    assert {answer.text for answer in world.answers[1:63]} == {3}, "padding only"
    assert {answer.text for answer in world.answers[69:]} == {100}
    assert all(event.time_s > 63 * 0.08 for event in of(events, say.TextSpoken))


def test_a_model_that_need_not_wait_does_not() -> None:
    world = World(frames=5, engine_options={"text": dict.fromkeys(range(1, 5), 100)})
    events = world.run(LOAD, StartTalk())
    assert of(events, say.TextSpoken)
    assert not [call for call in world.engine.calls if call[0] == "hold"]


def test_waiting_ends_with_the_talk_and_begins_with_the_next_one() -> None:
    world = World(frames=5, engine_options={"text": dict.fromkeys(range(1, 5), 100)})
    for _ in range(2):
        events = world.run(LOAD, StartTalk(PersonaChoice(waits=True)))
        assert "trouble waiting" in story(events)
        assert "cleared waiting" in story(events)
        assert not of(events, say.TextSpoken)


# ---------------------------------------------------------------- a talk


def test_every_frame_is_answered_and_recorded() -> None:
    world = World(frames=30, engine_options={"costs": 24.0})
    world.run(LOAD, StartTalk())
    records = world.conversation.history.tail(100)
    assert [r.number for r in records] == list(range(30))
    assert len(world.ends.answers) == len(world.answers) == 30
    last = records[-1]
    assert (last.total, last.mode, last.late) == (24.0, "eager", False)
    assert last.host == pytest.approx(2.4)
    assert last.wait == pytest.approx(80.0 - 24.0)
    assert sum((last.encode, last.temporal, last.depth, last.decode, last.host)) == pytest.approx(last.total)


def test_words_carry_the_time_of_their_frame() -> None:
    """Bytes of a character arrive as pieces of their own and are shown once it is whole."""
    world = World(frames=12, engine_options={"text": {2: 100, 5: 101, 6: 102, 8: 103, 10: 104}})
    spoken = [(round(e.time_s, 2), e.piece) for e in of(world.run(LOAD, StartTalk()), say.TextSpoken)]
    assert spoken == [(0.16, " hello"), (0.4, " wor"), (0.48, "ld"), (0.8, "é")]


def test_half_a_character_at_the_end_is_not_lost_in_silence() -> None:
    world = World(frames=5, engine_options={"text": {4: 103}})
    assert [e.piece for e in of(world.run(LOAD, StartTalk()), say.TextSpoken)] == ["\ufffd"]


def test_each_talk_begins_as_the_first() -> None:
    """User reports C10, V5: reset and persona are applied again, the seed too."""
    world = World()
    world.run(LOAD, SetSampling(Sampling(seed=42)))
    for _ in range(2):
        world.engine.calls.clear()
        world.run(NATF2)
        assert [c for c in world.engine.calls if c[0] in ("reset", "prime")] == [
            ("reset", 42),
            ("prime", ("prompt", "NATF2", "You are kind.")),
        ]
        assert world.engine.heard[0][0] == 0.0  # the microphone's first frame: warm-up frames are forgotten


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_no_persona_means_no_priming(text: str) -> None:
    """User report V10."""
    world = World()
    world.run(LOAD, StartTalk(PersonaChoice("", text)))
    assert not [c for c in world.engine.calls if c[0] == "prime"]


def test_new_talk_keeps_the_persona_in_use() -> None:
    world = World()
    world.run(LOAD)
    world.at(3, NewTalk())
    world.run(NATF2)
    assert [c[1] for c in world.engine.calls if c[0] == "prime"] == [("prompt", "NATF2", "You are kind.")] * 2
    assert len(world.conversation.history) == 10  # of the second talk


@pytest.mark.parametrize("choice", [PersonaChoice("gone.pt"), PersonaChoice("", "word " * 3000)])
def test_a_new_talk_that_is_refused_leaves_the_running_one_going(choice: PersonaChoice) -> None:
    """Everything that can be refused is looked at first: no frame is missed, and the persona in use stays."""
    world = World()
    world.run(LOAD)
    world.engine.calls.clear()
    world.at(3, NewTalk(choice))
    events = world.run(NATF2)
    assert story(events) == f"{TALK}, trouble voice, {OVER}"
    assert [call[0] for call in world.engine.calls].count("reset") == 1
    assert world.ends.calls.count("open") == 1
    assert len(world.answers) == 10
    assert world.conversation._persona == NATF2.persona


def test_after_a_refused_new_talk_the_next_is_begun_and_takes_the_sentence_away() -> None:
    world = World()
    world.run(LOAD)
    world.at(3, NewTalk(PersonaChoice("gone.pt")), NewTalk(PersonaChoice("NATM1")))
    renewed = "ready, ended: a new talk was begun, priming, cleared voice, talking, started"
    assert story(world.run(NATF2)) == f"{TALK}, trouble voice, {renewed}, {OVER}"
    assert [call[1] for call in world.engine.calls if call[0] == "prime"][-1] == ("prompt", "NATM1", "")


def test_missing_voice_stops_the_start() -> None:
    """User report V4: nothing of the engine is touched, the microphone is not opened, and the voice is named."""
    world = World()
    world.run(LOAD)
    world.engine.calls.clear()
    events = world.run(StartTalk(PersonaChoice("gone.pt")))
    assert story(events) == "priming, ready, trouble voice"
    assert "gone.pt" in troubles(events)[0].sentence
    assert world.engine.calls == []
    assert "open" not in world.ends.calls


def test_persona_that_leaves_no_memory_is_refused_and_a_long_one_is_told() -> None:
    """User report V9: 3000 frames of context are 240 s."""
    world = World()
    world.run(LOAD)
    events = world.run(StartTalk(PersonaChoice("", "word " * 3000)))
    assert story(events) == "priming, ready, trouble voice"
    assert "3000 of 3000 frames" in troubles(events)[0].sentence
    events = world.run(StartTalk(PersonaChoice("", "word " * 2000)))
    assert "160 s of the 240 s" in troubles(events, "persona")[0].sentence
    assert say.TalkStarted() in events
    assert not troubles(world.run(StartTalk(PersonaChoice("", "word " * 400))))


def test_no_microphone_is_told_and_the_next_start_works() -> None:
    """User reports A11, U8: the half-started talk is undone."""
    world = World(ends_options={"open_errors": (no_microphone(),)})
    world.run(LOAD)
    events = world.run(StartTalk())
    assert story(events) == "priming, ready, trouble sound"
    assert "microphone" in troubles(events)[0].sentence
    assert world.ends.calls == ["open", "close"]
    assert story(world.run(StartTalk())) == f"priming, cleared sound, talking, started, {OVER}"


def test_mute_gives_the_model_silence_while_time_goes_on() -> None:
    """User report U9: 10 s of mute are 125 frames of zeros, none missing."""
    world = World(frames=200)
    world.run(LOAD)
    world.at(40, SetMuted(True))
    world.at(165, SetMuted(False))
    world.run(StartTalk())
    silent = [i for i, pcm in enumerate(world.engine.heard) if not pcm.any()]
    assert silent == [0, *range(40, 165)]  # the scripted microphone's frame 0 is zeros by itself
    assert len(world.engine.heard) == 200


def test_sound_trouble_is_told_while_it_stands() -> None:
    world = World(frames=20)
    trouble = AudioTrouble("audio-input", "The microphone gives digital silence.", "Sound settings")
    world.run(LOAD)
    world.ends.at_frame[5] = lambda: setattr(world.ends, "troubles", (trouble,))
    world.ends.at_frame[12] = lambda: setattr(world.ends, "troubles", ())
    assert story(world.run(StartTalk())) == f"{TALK}, trouble audio-input, cleared audio-input, {OVER}"


def test_commands_work_while_no_microphone_frame_comes() -> None:
    world = World(frames=1000)
    world.run(LOAD)

    def unplug() -> None:
        world.ends.unplugged = True
        world.conversation.send(StopTalk())

    world.ends.at_frame[7] = unplug
    assert story(world.run(StartTalk())) == f"{TALK}, {STOPPED}"
    assert len(world.answers) == 7


# ---------------------------------------------------------------- frames in = frames out + drops


def told_during(world: World, kind: str) -> list[tuple[Trouble, int, float]]:
    """Watch as a window does, once a frame: fills with (trouble, frame of the talk, milliseconds) as they are told."""
    told: list[tuple[Trouble, int, float]] = []

    def look(frame: int) -> None:
        told.extend((t, frame, world.clock.ms) for t in troubles(world.conversation.events(), kind))

    for frame in range(world.frames):
        world.ends.at_frame[frame] = lambda frame=frame: look(frame)
    return told


def accounts(world: World) -> tuple[int, int, int, int]:
    """Microphone frames that came, were answered, were dropped, and wait."""
    ring = world.ends.ring
    return world.ends.spoken, len(world.ends.answers), ring.dropped, ring.frames_waiting


def test_frames_in_are_frames_out_and_drops() -> None:
    """User report R11: 346 frames, two stalls that cost drops; the identity holds and the record tells the drops."""
    costs = [20.0] * 406
    costs[106], costs[256] = 480.0, 400.0  # warm-up takes the first six
    world = World(frames=346, engine_options={"costs": costs})
    world.run(LOAD, StartTalk())
    came, answered, dropped, waiting = accounts(world)
    last = world.conversation.history.tail(1)[0]
    told = f"{came} came, {answered} answered, {dropped} dropped, {waiting} waiting; the record says {last.skipped}"
    assert came == 346, told
    assert dropped > 0, told
    assert came == answered + dropped + waiting, told
    assert last.skipped == dropped, told
    assert answered == len(world.conversation.history) == len(world.engine.heard), told


def test_engine_slower_than_the_microphone_stays_close_to_it() -> None:
    """User report R2: 120 s at 101.7 ms a frame: never more than 240 ms behind, warned within 2 s, 21 % dropped."""
    costs = [20.0] * 6 + [101.7]  # fast in the warm-up, so that only the talk itself can show it
    world = World(frames=1500, engine_options={"costs": costs})
    world.run(LOAD)
    told = told_during(world, "slow")
    began = world.clock.ms
    world.run(StartTalk())
    came, answered, dropped, waiting = accounts(world)
    assert max(world.ends.delays_ms) <= 240.0
    assert came == answered + dropped + waiting
    assert dropped / came == pytest.approx(1 - 80 / 101.7, abs=0.01)
    ((slow, _, told_ms),) = told
    assert told_ms - began <= 2000.0
    assert "102 ms" in slow.sentence
    assert "80 ms" in slow.sentence


def test_slow_notice_goes_when_the_frames_are_in_time_again() -> None:
    world = World(frames=200, engine_options={"costs": [20.0] * 6 + [120.0] * 40 + [30.0]})
    events = world.run(LOAD, StartTalk())
    assert story(events) == f"loading, {READY}, {TALK}, trouble slow, cleared slow, {OVER}"


def test_after_a_stall_the_newest_speech_is_answered() -> None:
    """User report R7: a stall of 4 s, 50 frames at once: at most 2 of them processed, 48 counted as dropped."""
    world = World(frames=150, engine_options={"costs": [20.0] * 46 + [4000.0] + [20.0]})
    world.run(LOAD, StartTalk())
    numbers = [VirtualEnds.number_of(pcm) for pcm in world.engine.heard]
    stalled = numbers[40]
    arrived = range(stalled + 1, stalled + 51)
    processed = [n for n in numbers if n in arrived]
    assert len(processed) <= 2, processed
    assert world.ends.ring.dropped >= 48
    assert numbers[-1] == 149


def test_blocked_window_loses_nothing() -> None:
    """User report R6: nobody reads events or records for the whole talk: no frame is lost, and no event either."""
    world = World(frames=120, engine_options={"text": dict.fromkeys(range(1, 120), 100)})
    events = world.run(LOAD, StartTalk())  # drained after the end only
    assert accounts(world) == (120, 120, 0, 0)
    assert len(of(events, say.TextSpoken)) == 119


def test_slower_than_at_the_start_is_told() -> None:
    """User reports R10 and R14: 500 frames of 50 ms, then 75 ms: told within 40 frames, with what may be the cause."""
    world = World(frames=600, engine_options={"costs": [50.0] * 506 + [75.0]})
    world.run(LOAD)
    told = told_during(world, "slower")
    world.run(StartTalk())
    ((slower, frame, _),) = told
    assert 500 < frame <= 540
    assert "75 ms against 50 ms" in slower.sentence
    assert "close other programs that use the graphics card" in slower.sentence


def test_forgetting_is_told_when_attention_is_full() -> None:
    """User report C2: the talk goes on past the context, and says once that its beginning is being forgotten."""
    world = World(frames=80, engine_options={"context": 64})
    world.run(LOAD)
    told = told_during(world, "context")
    world.run(StartTalk(PersonaChoice("", "be kind to me ok")))
    assert [frame for _, frame, _ in told] == [60]  # 5 frames of persona and 60 of talk are one more than 64
    assert len(world.answers) == 80


# ---------------------------------------------------------------- modes


def graph_world(**options: Any) -> World:
    return World(engine_options={"reasons": {"graph": None, "eager": None, "compiled": None}, **options})


def test_both_live_modes_are_prepared_at_load_and_the_switch_is_only_a_choice() -> None:
    world = graph_world()
    events = world.run(LOAD)
    assert [e.mode for e in of(events, say.ModeChanged)] == ["graph"]
    world.at(3, SetMode("eager"))
    world.at(6, SetMode("graph"))
    world.engine.calls.clear()
    assert story(world.run(StartTalk())) == f"{TALK}, mode eager, mode graph, {OVER}"
    assert [c for c in world.engine.calls if c[0] in ("prepare", "set_mode")] == [
        ("set_mode", "eager"),
        ("set_mode", "graph"),
    ]
    assert [r.mode for r in world.conversation.history.tail(10)] == ["graph"] * 4 + ["eager"] * 3 + ["graph"] * 3


def test_graph_that_cannot_be_had_is_told_once_and_eager_runs() -> None:
    """User reports G2, G12, U12: one sentence for 1,000 frames, and the mode that runs is the mode shown."""
    world = graph_world(prepare_errors={"graph": EngineError("The graph mode failed here: a hidden wait in a stage.")})
    world.frames = world.ends.frames = 1000
    events = world.run(LOAD, StartTalk())
    (told,) = troubles(events)
    assert told.kind == "mode"
    assert "a hidden wait in a stage" in told.sentence
    assert [e.mode for e in of(events, say.ModeChanged)] == ["eager"]
    assert {r.mode for r in world.conversation.history.tail(1000)} == {"eager"}


def test_engine_that_falls_back_by_itself_is_told_once() -> None:
    """User report G2, U12."""
    world = graph_world()
    world.frames = world.ends.frames = 1000
    world.run(LOAD)
    world.ends.at_frame[10] = lambda: setattr(world.engine, "mode", "eager")
    events = world.run(StartTalk())
    assert story(events) == f"{TALK}, mode eager, trouble mode, {OVER}"


@pytest.mark.parametrize("wanted", ["graph", "compiled"])
def test_mode_in_the_settings_that_is_impossible_here_gives_another_and_says_so(wanted: str) -> None:
    world = World(
        engine_options={"reasons": {"graph": "needs an NVIDIA GPU", "eager": None, "compiled": "no compiler"}}
    )
    events = world.run(LoadModel(ModelSpec("mini", mode=wanted)))
    (told,) = troubles(events, "mode")
    assert world.engine.mode == "eager"
    assert world.engine.mode_reasons()[wanted] in told.sentence
    assert told.sentence.endswith("The eager mode is used instead.")


def test_a_build_that_brings_nothing_says_so_with_both_numbers_and_leaves_no_trace() -> None:
    world = World(frames=100, engine_options={"reasons": {"graph": None, "eager": None, "compiled": None}})
    world.engine.mode_costs = {"graph": 0.5, "compiled": 0.5, "eager": 2.0}
    world.run(LOAD)
    world.at(20, SetMode("compiled"))
    world.at(60, SetMode("graph"))
    events = world.run(StartTalk())
    (trouble,) = of(events, say.Trouble)
    assert trouble.sentence == (
        "The compiled mode brings nothing over graph on this computer: a frame takes 10.0 ms, against 10.0 ms."
    )
    assert [event.kind for event in of(events, say.TroubleCleared)] == ["mode"], "another mode was chosen"
    came, answered, dropped, waiting = accounts(world)
    assert world.engine.frames == answered and came == answered + dropped + waiting


def test_building_pauses_the_talk_keeps_its_state_and_counts_what_it_missed() -> None:
    """2 s of building are 25 microphone frames, and 5 the comparison with the other mode: dropped and counted but for
    the newest, and the talk goes on."""
    world = World(frames=100)
    world.run(LOAD)
    world.at(20, SetMode("compiled"))
    events = world.run(StartTalk())
    assert [(e.done, e.total) for e in of(events, say.ModeBuilding)] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    came, answered, dropped, waiting = accounts(world)
    assert came == 100 == answered + dropped + waiting
    assert 26 <= dropped <= 30
    assert world.engine.frames == answered  # no reset in between
    assert [c for c in world.engine.calls if c[0] == "reset"] == [("reset", None), ("reset", None)]  # warm-up, start


def test_failed_mode_keeps_the_old_one_and_says_why_once() -> None:
    """User report U12: the reason stays with the mode's button."""
    world = World(engine_options={"prepare_errors": {"compiled": EngineError("No C compiler was found; install one.")}})
    world.run(LOAD)
    world.at(3, SetMode("compiled"))
    events = world.run(StartTalk())
    assert story(events) == f"{TALK}, building, talking, mode eager, trouble mode, {OVER}"
    assert troubles(events)[0].sentence == "No C compiler was found; install one."
    assert of(events, say.ModeChanged)[-1].modes["compiled"] == "No C compiler was found; install one."
    assert len(world.answers) + world.ends.ring.dropped == 10
    again = world.run(SetMode("compiled"))
    assert story(again) == "mode eager, trouble mode"
    assert "No C compiler was found; install one." in troubles(again)[0].sentence
    assert len([c for c in world.engine.calls if c == ("prepare", "compiled")]) == 1  # minutes, and for nothing


@pytest.mark.parametrize(
    ("device", "reason", "told"),
    [
        ("cuda:0", "The package triton is not installed.", ["The package triton is not installed."]),
        ("cuda:0", None, []),
        ("cpu", "The fused kernels need an NVIDIA GPU.", []),
    ],
)
def test_missing_kernels_are_told_once_and_every_mode_goes_on(device: str, reason: str | None, told: list[str]) -> None:
    """User report P4: no Triton on a card is a notice; graphs are still had."""
    world = graph_world()
    world.engine.device, world.engine.plain_reason = device, reason
    events = world.run(LOAD, StartTalk())
    assert [trouble.sentence[-len(told[0]) :] for trouble in troubles(events, "kernels")] == told
    assert world.engine.mode == "graph"
    assert len(world.answers) == 10


def test_unknown_mode_is_refused() -> None:
    world = World()
    world.run(LOAD)
    events = world.run(SetMode("turbo"))
    assert story(events) == "mode eager, trouble mode"


# ---------------------------------------------------------------- sampling


def test_sampling_reaches_the_engine_and_is_read_back() -> None:
    """User report U1: temperature, top-k and seed; seed 42 is used by the next talk."""
    world = World()
    world.run(LOAD)
    events = world.run(SetSampling(Sampling(0.5, 20, 0.0, 10, 42)))
    assert (world.engine.sampling.temperature, world.engine.sampling.top_k) == (0.5, 20)
    assert events == [say.SamplingChanged(Sampling(0.5, 20, 0.0, 10, 42))]
    world.run(StartTalk())
    assert ("reset", 42) in world.engine.calls


def test_slider_moved_during_the_load_is_applied() -> None:
    """User report U4: what is shown is what the engine holds."""
    world = World()
    world.run(SetSampling(Sampling(temperature=0.3)))
    events = world.run(LOAD)
    assert world.engine.sampling.temperature == 0.3
    assert of(events, say.SamplingChanged)[-1].sampling == Sampling(0.3, 250, 0.7, 25, None)


def test_value_kept_from_another_model_is_put_right_with_a_sentence() -> None:
    world = World()
    world.run(SetSampling(Sampling(top_k=5000)))
    events = world.run(LOAD)
    assert "5000" in troubles(events, "sampling")[0].sentence
    assert of(events, say.SamplingChanged)[-1].sampling.top_k == 250
    assert world.conversation.phase == "ready"


@pytest.mark.parametrize(
    "bad",
    [
        Sampling(temperature=float("nan")),
        Sampling(temperature=float("inf")),
        Sampling(temperature=-1.0),
        Sampling(temperature=99.0),
        Sampling(top_k=0),
        Sampling(top_k=99999),
        Sampling(seed=-1),
        Sampling(seed=2**63),
        Sampling(seed=1.5),  # type: ignore[arg-type]
        Sampling(seed=True),
        Sampling(seed="42"),  # type: ignore[arg-type]
    ],
)
def test_bad_sampling_is_refused_and_the_talk_goes_on(bad: Sampling) -> None:
    """User report U5: one sentence, the old values stay and are told again."""
    world = World()
    world.run(LOAD)
    before = world.engine.sampling
    world.at(3, SetSampling(bad))
    events = world.run(StartTalk())
    assert story(events) == f"{TALK}, sampling, trouble sampling, {OVER}"
    assert world.engine.sampling == before
    assert of(events, say.SamplingChanged)[0].sampling == Sampling(0.8, 250, 0.7, 25, None)
    assert len(world.answers) == 10


def test_refused_sampling_changes_nothing_not_even_the_seed() -> None:
    world = World()
    world.run(LOAD)
    world.run(SetSampling(Sampling(temperature=99.0, seed=7)))
    world.run(StartTalk())
    assert ("reset", 7) not in world.engine.calls


def test_numpy_scalars_become_plain_numbers() -> None:
    """User report G24."""
    world = World()
    world.run(LOAD)
    given = Sampling(np.float32(0.5), np.int64(20), np.float64(0.25), np.int32(5), np.int64(7))  # type: ignore[arg-type]
    events = world.run(SetSampling(given))
    values = vars(of(events, say.SamplingChanged)[0].sampling).values()
    assert [type(value) for value in values] == [float, int, float, int, int]
    assert list(values) == [0.5, 20, 0.25, 5, 7]


# ---------------------------------------------------------------- failure and the end


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            EngineError("The GPU ran out of memory; close other programs."),
            "The GPU ran out of memory; close other programs.",
        ),
        (
            RuntimeError("no kernel fits\nlong details"),
            "The engine stopped on an unexpected error (RuntimeError: no kernel fits); the log has its details.",
        ),
    ],
)
def test_engine_failure_in_a_talk_ends_it_with_a_sentence(error: Exception, sentence: str) -> None:
    world = World(engine_options={"text": {2: 100}})
    world.loader._engines = [world.engine, FakeEngine(advance=world.clock.advance)]
    world.run(LOAD)
    world.engine.fail_at[5] = error
    events = world.run(StartTalk())
    assert story(events) == f"{TALK}, failed, ended: failed: {sentence}, trouble talk"
    assert troubles(events) == [Trouble("talk", sentence, "Load again", fatal=True)]
    assert len(of(events, say.TextSpoken)) == 1  # what was said stays said
    assert world.ends.calls[-1] == "close"
    assert world.engine.unloaded
    assert story(world.run(LOAD)) == f"loading, cleared talk, {READY}"
    assert story(world.run(StartTalk())) == f"{TALK}, {OVER}"


def test_sound_that_dies_ends_the_talk_but_not_the_engine() -> None:
    world = World()
    world.run(LOAD)

    def die() -> None:
        raise no_microphone()

    world.ends.at_frame[4] = die
    events = world.run(StartTalk())
    assert story(events) == f"{TALK}, ready, ended: failed: the sound stopped, trouble sound"
    assert not world.engine.unloaded
    assert story(world.run(StartTalk())) == f"priming, cleared sound, talking, started, {OVER}"


def test_unload_that_fails_does_not_keep_the_program_from_closing() -> None:
    world = World()
    world.run(LOAD)
    world.engine.unload = lambda: 1 / 0  # type: ignore[method-assign,return-value,assignment]
    assert story(world.run(Shutdown())) == "closed"


def test_engine_is_called_by_the_engine_thread_only() -> None:
    """User report G4: whatever the window does meanwhile."""
    world = World(frames=50)
    conversation, events = world.conversation, []
    conversation.start_thread()
    for command in (LOAD, NATF2, SetMode("compiled"), SetSampling(Sampling(temperature=0.5)), SetMuted(True)):
        conversation.send(command)
    _wait_for(conversation, events, lambda: bool(of(events, say.TalkEnded)))
    conversation.history.tail(10)
    engine_thread = conversation._thread
    assert engine_thread is not None
    ident = engine_thread.ident
    conversation.close()
    assert world.engine.unloaded
    assert world.engine.threads == {ident}
    assert ident != threading.get_ident()


def test_close_without_a_thread_closes() -> None:
    world = World()
    world.conversation.send(LOAD)
    world.conversation.close()
    assert story(world.conversation.events()) == "closed"
    assert world.loader.specs == []


# ---------------------------------------------------------------- numbers that fall apart, errors that stay


def spoilt(world: World, frames: range, pcm_only: bool = False) -> None:
    """The engine gives no numbers on these steps, counted over all talks."""
    step, nothing = world.engine.step, np.full(1920, np.nan, np.float32)

    def spoilt_step(pcm: np.ndarray) -> Any:
        number = world.engine.steps
        answer = step(pcm)
        return answer._replace(pcm=nothing, finite=pcm_only) if number in frames else answer

    world.engine.step = spoilt_step  # type: ignore[method-assign]


WARM_UP = 6  # steps before the first talk


@pytest.mark.parametrize("pcm_only", [True, False])
def test_a_frame_without_numbers_is_silence_and_counted(pcm_only: bool) -> None:
    world = World(frames=300)
    spoilt(world, range(WARM_UP + 200, WARM_UP + 202), pcm_only)
    events = world.run(LOAD, NATF2)
    assert all(np.isfinite(pcm).all() for pcm in world.ends.answers)
    assert [not pcm.any() for pcm in world.ends.answers[198:204]] == [False, False, True, True, False, False]
    assert troubles(events) == []
    counted = [record.silenced for record in world.conversation.history.tail(300)]
    assert counted == [0] * 200 + [1] + [2] * 99
    assert len(world.ends.answers) == 300


def test_numbers_that_do_not_come_back_begin_the_talk_anew_with_its_persona() -> None:
    world = World(frames=400)
    spoilt(world, range(WARM_UP + 200, WARM_UP + 203))
    events = world.run(LOAD, NATF2)
    assert [call for call in world.engine.calls if call[0] == "prime"] == [
        ("prime", ("prompt", "NATF2", "You are kind."))
    ] * 2
    assert f"ended: its numbers fell apart, {TALK}, trouble numbers" in story(events)
    assert all(np.isfinite(pcm).all() for pcm in world.ends.answers)
    world.run(StopTalk(), StartTalk())
    assert world.conversation.phase == "ready"


def test_numbers_that_fall_apart_at_once_end_the_talk_with_a_sentence() -> None:
    failures: list[tuple[str, str]] = []
    world = World(frames=50)
    world.conversation.on_failure = lambda error, attempt: failures.append((str(error), attempt))
    spoilt(world, range(WARM_UP, 10_000))
    events = world.run(LOAD, NATF2)
    (told,) = troubles(events, "talk")
    assert told.fatal
    assert "load the model again" in told.sentence
    assert world.conversation.phase == "failed"
    assert failures == [(told.sentence, "talk")]


def test_a_recording_is_not_begun_anew() -> None:
    world = World(frames=400)
    world.conversation._begins_anew = False
    spoilt(world, range(WARM_UP + 200, 10_000))
    assert troubles(world.run(LOAD, NATF2), "talk")[0].fatal
    assert len(world.answers) == 203


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (RuntimeError("CUDA error: an illegal memory access was encountered"), "Restart Parley"),
        (RuntimeError("CUDA driver error: unspecified launch failure"), "Restart Parley"),
        (RuntimeError("CUDA error: out of memory"), "Load again"),
        (RuntimeError("shapes do not fit"), "Load again"),
        (EngineError("The card is gone."), "Load again"),
    ],
)
def test_an_error_that_ends_the_cards_context_asks_for_a_restart(error: Exception, remedy: str) -> None:
    failures: list[BaseException] = []
    world = World()
    world.conversation.on_failure = lambda failure, attempt: failures.append(failure)
    world.run(LOAD)
    world.engine.fail_at[3] = error
    (told,) = troubles(world.run(NATF2))
    assert (told.remedy, told.fatal) == (remedy, True)
    assert ("memory ran out while the engine was at work" in told.sentence) == ("out of memory" in str(error))
    assert failures == [error]
    assert world.conversation.stepping_since_ns == 0


@pytest.mark.parametrize("where", ["load", "mode", "priming"])
def test_a_lost_card_asks_for_a_restart_whatever_sentence_was_made_of_it(where: str) -> None:
    """Eager mode would not work either, and a mode's own sentence would say that it does."""
    lost = EngineError("The graph mode failed here: an illegal memory access. Eager mode still works.")
    lost.__cause__ = RuntimeError("CUDA error: an illegal memory access was encountered")
    failures: list[str] = []

    def fail(*_: object, **__: object) -> None:
        raise lost

    world = graph_world(**({"prepare_errors": {"graph": lost}} if where == "load" else {}))
    world.conversation.on_failure = lambda failure, attempt: failures.append(attempt)
    if where != "load":
        world.run(LOAD)
    if where == "priming":
        world.engine.prime = fail  # type: ignore[method-assign]
    if where == "mode":
        world.engine.prepare_errors["compiled"] = lost
    command = {"load": LOAD, "mode": say.SetMode("compiled"), "priming": NATF2}[where]
    (told,) = troubles(world.run(command))
    assert (told.remedy, told.fatal) == ("Restart Parley", True)
    assert "nothing can run on the card" in told.sentence
    assert world.conversation.phase == "failed"
    assert failures == [{"priming": "start"}.get(where, where)]


def test_an_error_in_the_recovery_itself_is_told_and_the_next_load_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without memory, not even what recovery needs can be imported; the thread goes on and says so."""
    world = World()
    world.run(LOAD)
    world.engine.fail_at[3] = MemoryError()
    with monkeypatch.context() as starved:
        missing = "engine.errors"  # an import of it fails from frame 3 on
        world.ends.at_frame[3] = lambda: starved.setitem(sys.modules, missing, None)
        events = world.run(NATF2)
    (told,) = troubles(events)
    assert (told.kind, told.remedy, told.fatal) == ("load", "Load again", True)
    assert "memory ran out" in told.sentence
    assert story(events).startswith("priming, talking, started, failed, ended: failed: The engine stopped")
    assert world.conversation.phase == "failed"
    assert world.engine.unloaded
    assert world.ends.calls[-1] == "close"
    assert "ready" in story(world.run(LOAD))
    assert say.TalkStarted() in world.run(NATF2)


def test_a_mode_that_found_no_memory_may_be_tried_again() -> None:
    """Another program may give its memory back; other failures stay as they are."""
    full = MemoryFullError("The GPU's memory ran out while the graph mode was prepared: close other programs.")
    world = graph_world(prepare_errors={"graph": full})
    (told,) = troubles(world.run(LOAD))
    assert (told.kind, "memory ran out" in told.sentence) == ("mode", True)
    assert world.engine.mode == "eager"
    (refused,) = of(world.run(say.SetMode("graph")), say.ModeChanged)  # the sentence stands already
    assert (refused.mode, refused.modes["graph"]) == ("eager", None)
    del world.engine.prepare_errors["graph"]
    events = world.run(say.SetMode("graph"))
    assert of(events, say.ModeChanged)[-1].mode == "graph"
    assert of(events, say.TroubleCleared) == [say.TroubleCleared("mode")]


def test_no_memory_in_mid_talk_ends_it_in_a_sentence_and_the_model_can_be_loaded_again() -> None:
    full = MemoryFullError("The GPU's memory ran out while the talk went on: close other programs.")
    world = World(frames=50)
    world.run(LOAD)
    world.engine.fail_at[3] = full
    (told,) = troubles(world.run(NATF2))
    assert (told.sentence, told.remedy, told.fatal) == (str(full), "Load again", True)
    world.engine.fail_at.clear()
    assert story(world.run(LOAD, NATF2)).count("trouble") == 0


def test_a_model_without_numbers_is_refused_at_load_and_the_next_one_works() -> None:
    world = World()
    step = world.engine.step
    world.engine.step = lambda pcm: step(pcm)._replace(finite=False)  # type: ignore[method-assign]
    (told,) = troubles(world.run(LOAD))
    assert (told.kind, told.remedy) == ("load", "Load again")
    assert "could only be silent" in told.sentence
    assert world.conversation.phase == "failed"
    world.engine.step = step  # type: ignore[method-assign]
    world.run(LOAD)
    assert world.conversation.phase == "ready"


def test_what_a_folder_without_a_config_is_taken_for_is_told() -> None:
    sentence = "m has no config.json, so its files are taken for the published 7B model: width 4096."
    world = World()
    load = world.conversation._loading._load_engine

    def assuming(spec: say.ModelSpec, **rest: Any) -> Any:
        engine, info = load(spec, **rest)
        return engine, replace(info, assumption=sentence)

    world.conversation._loading._load_engine = assuming
    assert [(t.kind, t.sentence) for t in troubles(world.run(LOAD))] == [("config", sentence)]


# ---------------------------------------------------------------- a computer that slept


def test_a_computer_that_slept_in_a_talk_goes_on_with_the_newest_sound_and_no_verdict() -> None:
    """Eight hours between two frames: nothing of them is answered, and nothing is called slow because of them."""
    asleep_ms = 8 * 3600 * 1000.0
    costs = [20.0] * 600
    costs[300] = asleep_ms
    world = World(frames=360_600, engine_options={"costs": costs})
    world.ends.at_frame[500] = lambda: world.conversation.send(StopTalk())
    events = world.run(LOAD, StartTalk())
    assert troubles(events) == []
    assert max(world.ends.delays_ms[-150:]) <= 240
    records = world.conversation.history.tail(1000)
    assert sum(record.late for record in records) == 1
    assert records[-1].skipped + len(records) + world.ends.ring.samples_waiting // 1920 == world.ends.spoken
