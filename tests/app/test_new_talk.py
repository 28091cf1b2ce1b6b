"""A new talk in place of one that runs: the sound is had before the old talk is given up."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from app.errors import UserError
from app.messages import NewTalk, PersonaChoice, StartTalk
from app.recorder import Recorder
from app.ring import FRAME, FrameRing
from app.sound_check import TALK_RUNS, SoundCheck
from app.talk_ends import TalkEnds
from app.user_words import UserWords
from engine.errors import EngineError
from tests.app.fake_engine import FakeEngine
from tests.app.fake_portaudio import SoundRig, loudspeaker, microphone, tone
from tests.app.test_conversation import LOAD, NATF2, OVER, TALK, World, story, troubles
from tests.app.test_device_audio import frequency, kinds, sentences
from tests.app.test_sound_check import Ends
from tests.app.virtual_ends import no_microphone

RENEWED = "ready, ended: a new talk was begun, priming"


def losing(world: World, frame: int, *more: NewTalk) -> None:
    """At this frame a new talk is asked for, whose sound cannot be opened; `more` follow."""

    def act() -> None:
        world.ends.open_errors.append(no_microphone())
        for command in (NewTalk(PersonaChoice("NATM1")), *more):
            world.conversation.send(command)

    world.ends.at_frame[frame] = act


def test_without_its_sound_a_new_talk_is_not_begun_and_the_old_one_is_kept() -> None:
    """Its state, its words and its persona; and the sentence says whose sound it was and why."""
    world = World(engine_options={"text": {1: 100, 8: 105}})
    world.run(LOAD)
    world.engine.calls.clear()
    losing(world, 4)
    events = world.run(NATF2)
    assert story(events) == f"{TALK}, trouble sound, {OVER}"
    (trouble,) = troubles(events)
    assert trouble.sentence == f"No new talk was begun, because the sound could not be opened again: {no_microphone()}"
    assert trouble.remedy == "Sound settings"
    assert [call[0] for call in world.engine.calls].count("reset") == 1
    assert [call[1][1] for call in world.engine.calls if call[0] == "prime"] == ["NATF2"]
    assert len(world.answers) == 10
    assert world.conversation.transcript is not None
    assert world.conversation._persona == NATF2.persona


def test_a_retry_begins_the_new_talk_and_takes_the_sentence_away() -> None:
    world = World()
    world.run(LOAD)
    losing(world, 4, NewTalk(PersonaChoice("NATM1")))
    assert story(world.run(NATF2)) == f"{TALK}, trouble sound, {RENEWED}, cleared sound, talking, started, {OVER}"
    assert world.ends.calls == ["open", "open", "open", "close"], "and the sound is never closed in between"
    assert world.conversation._persona == PersonaChoice("NATM1")


def test_what_the_microphone_heard_before_the_persona_was_read_is_no_part_of_the_talk() -> None:
    world = World(frames=30)
    world.run(LOAD)
    world.at(4, NewTalk(PersonaChoice("NATM1")))
    primings = iter([0.0, 1600.0])
    world.engine.on_prime = lambda: world.clock.advance(next(primings))
    world.run(NATF2)
    assert world.ends.ring.forgotten == 20
    assert world.ends.ring.dropped == 0
    assert round(float(world.engine.heard[0][0]) * 10000) == 20, "the first frame of the new talk"
    assert world.conversation.history.tail(30)[0].skipped == 0


def test_a_new_talk_that_fails_with_its_sound_open_closes_it() -> None:
    world = World()
    world.run(LOAD)
    calls = iter([None, EngineError("The persona could not be read.")])

    def fail() -> None:
        error = next(calls)
        if error is not None:
            raise error

    world.engine.on_prime = fail
    world.at(4, NewTalk(PersonaChoice("NATM1")))
    assert story(world.run(NATF2)) == f"{TALK}, {RENEWED}, ready, trouble start"
    assert world.ends.calls == ["open", "open", "close"]


def test_frames_that_are_forgotten_are_no_loss() -> None:
    ring = FrameRing(frame=4, capacity_frames=3)
    ring.write(np.arange(26, dtype=np.float32))  # twice round
    ring.forget()
    assert (ring.frames_in, ring.forgotten, ring.frames_waiting, ring.dropped) == (6, 6, 0, 0)
    assert ring.take(12) is None
    ring.write(np.array([26, 27], np.float32))
    frame = ring.take(12)
    assert frame is not None
    assert frame.pcm.tolist() == [24, 25, 26, 27]
    assert ring.frames_in == ring.frames_out + ring.dropped + ring.forgotten + ring.frames_waiting


# ---------------------------------------------------------------- devices


def busy_rig() -> SoundRig:
    """A talk runs, and by now another program has the microphone as soon as it is closed."""
    rig = SoundRig(microphone("Desk", signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.audio.begin()
    rig.run(1.0)
    rig.portaudio.plugged[0].open_error = ("Device unavailable", -9985)
    return rig


def test_the_talk_that_is_kept_waits_for_its_microphone_and_goes_on_by_itself() -> None:
    rig = busy_rig()
    talk = rig.audio._talk
    with pytest.raises(UserError, match="is in use by another program"):
        rig.audio.open()
    assert rig.portaudio.streams == []
    assert kinds(rig) == ["audio-input"]
    assert sentences(rig).endswith("The talk waits.")
    rig.run(3.0)
    frames = len(rig.frames)
    rig.portaudio.plugged[0].open_error = None
    rig.run(8.0)
    assert kinds(rig) == []
    assert len(rig.frames) > frames + 20
    assert frequency(np.concatenate(rig.frames[-12:]), 24000) == pytest.approx(440, abs=3)
    assert rig.audio._talk is talk


def test_the_next_try_opens_the_sound_of_the_new_talk() -> None:
    rig = busy_rig()
    talk = rig.audio._talk
    with pytest.raises(UserError):
        rig.audio.open()
    rig.portaudio.plugged[0].open_error = None
    rig.audio.open()
    rig.audio.begin()
    assert rig.audio._talk is not talk
    assert kinds(rig) == []
    frames = len(rig.frames)
    rig.run(10.0)
    assert len(rig.frames) == pytest.approx(frames + 125, abs=2)
    assert len(rig.portaudio.streams) == 2, "nothing tries on behind the talk's back"
    rig.audio.close()
    assert rig.portaudio.streams == []


def test_a_driver_that_hangs_keeps_the_talk_too(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = busy_rig()
    rig.portaudio.plugged[0].open_error = None
    monkeypatch.setattr("app.sound_desk.OPEN_LIMIT_S", 0.1)
    rig.portaudio.hang = threading.Event()
    with pytest.raises(UserError, match="did not answer within"):
        rig.audio.open()
    assert "did not answer within" in sentences(rig)
    rig.portaudio.hang.set()
    rig.portaudio.hang = None
    while rig.desk._thread.stuck:
        threading.Event().wait(0.005)
    monkeypatch.undo()
    frames = len(rig.frames)
    rig.run(8.0)
    assert kinds(rig) == []
    assert len(rig.frames) > frames + 20


def test_mute_and_the_talk_key_reach_the_talk_that_is_kept() -> None:
    rig = busy_rig()
    with pytest.raises(UserError):
        rig.audio.open()
    rig.audio.muted = True
    rig.portaudio.plugged[0].open_error = None
    rig.run(8.0)
    assert not rig.frames[-1].any()


# ---------------------------------------------------------------- who listens


class Listening(Recorder):
    """Writes down what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def frame(self, heard: np.ndarray, answer: np.ndarray, skipped: int) -> None:
        self.told.append("frame")

    def end_talk(self) -> None:
        self.told.append("end")


def test_recorder_and_recogniser_follow_the_talk_that_is_kept() -> None:
    talks, recorder, words = Ends(), Listening(), UserWords()
    check = SoundCheck(Ends)
    ends = TalkEnds(talks, recorder, check, words)
    ends.open()
    ends.begin()

    def frame() -> None:
        ends.read_frame(0)
        ends.write_frame(np.zeros(FRAME, np.float32))

    frame()
    talks.refusal = "The microphone is gone."
    with pytest.raises(UserError):
        ends.open()
    frame()
    assert recorder.told == ["frame", "frame"]
    assert words._talk == 1, "talks are counted as the window counts them"
    assert check.record(0.08).result(5) == TALK_RUNS, "the devices are still the talk's"
    talks.refusal = ""
    ends.open()
    assert words._talk == 1, "what cannot be begun after all is not counted"
    ends.begin()
    frame()
    assert recorder.told == ["frame", "frame", "end", "frame"]
    assert words._talk == 2
    ends.close()
    assert talks.calls == ["open", "begin", "open", "open", "begin", "close"]


def test_a_start_with_no_talk_before_it_is_as_it_was() -> None:
    world = World(engines=(FakeEngine(),), ends_options={"open_errors": (no_microphone(),)})
    world.run(LOAD)
    (trouble,) = troubles(world.run(StartTalk()))
    assert trouble.sentence == str(no_microphone())
