"""Frames and long work that never come back: told in time, taken down should they come back, and never because a
computer slept."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from app.conversation import Conversation
from app.messages import Event, LoadModel, ModelSpec, PersonaChoice, SetMode, StartTalk, Trouble, TroubleCleared
from app.watchdog import LOOK_S, STANDING_S, STUCK_S, WORDS, Watchdog, place_of, where_threads_stand
from tests.app.fake_engine import FakeEngine, FakeLoader, FakeVoices
from tests.app.test_conversation import World


class Scripted:
    def __init__(self) -> None:
        self.stepping_since_ns = 0
        self.phase = "talking"
        self.engine_ident: int | None = None
        self.signs_of_life = 0
        self.told: list[Event] = []

    def tell(self, event: Event) -> None:
        self.told.append(event)


def looks(dog: Watchdog, seconds: float, at_once: float = LOOK_S) -> None:
    for _ in range(round(seconds / at_once)):
        dog.look(at_once)


def test_a_stuck_frame_is_told_once_within_ten_seconds() -> None:
    talk, stands = Scripted(), []
    dog = Watchdog(talk, stands.append)
    talk.stepping_since_ns = 5
    looks(dog, STUCK_S)
    assert talk.told == []
    looks(dog, 10 - STUCK_S)
    (trouble,) = talk.told
    assert isinstance(trouble, Trouble)
    assert (trouble.kind, trouble.remedy) == ("stuck", "Restart Parley")
    looks(dog, 600)
    assert len(talk.told) == len(stands) == 1
    assert "test_a_stuck_frame_is_told_once" in stands[0]


def test_a_frame_that_comes_back_takes_the_trouble_down() -> None:
    talk = Scripted()
    dog = Watchdog(talk)
    for since in (5, 9):
        talk.stepping_since_ns = since
        looks(dog, 20)
        talk.stepping_since_ns = 0
        looks(dog, 1)
    assert [type(event) for event in talk.told] == [Trouble, TroubleCleared] * 2


def test_slow_frames_and_pauses_are_not_stuck() -> None:
    talk = Scripted()
    dog = Watchdog(talk)
    for since in range(1, 40):
        talk.stepping_since_ns = since  # another frame each time
        looks(dog, STUCK_S - 1)
    talk.stepping_since_ns = 0
    looks(dog, 600)
    assert talk.told == []


@pytest.mark.parametrize("slept_s", [60.0, 8 * 3600.0])
def test_sleep_in_the_middle_of_a_frame_is_not_waiting(slept_s: float) -> None:
    talk = Scripted()
    dog = Watchdog(talk)
    talk.stepping_since_ns = 5
    looks(dog, 2)
    dog.look(slept_s)
    looks(dog, 2)
    assert talk.told == []


@pytest.mark.parametrize(("phase", "words"), list(WORDS.items()))
def test_work_that_does_not_move_on_is_told_and_taken_down_when_it_does(phase: str, words: str) -> None:
    talk, stands = Scripted(), []
    dog = Watchdog(talk, stands.append)
    talk.phase = phase
    looks(dog, STANDING_S[phase])
    assert talk.told == []
    looks(dog, 2)
    (trouble,) = talk.told
    assert isinstance(trouble, Trouble)
    assert f"has not come back from {words} for" in trouble.sentence
    assert (trouble.kind, trouble.remedy, len(stands)) == ("stuck", "Restart Parley", 1)
    talk.signs_of_life += 1
    looks(dog, 1)
    assert talk.told[1:] == [TroubleCleared("stuck")]


def test_work_that_moves_on_may_take_as_long_as_it_likes() -> None:
    """A sign of life now and then, another phase, or a thread that is elsewhere in the code each time."""
    talk = Scripted()
    dog = Watchdog(talk)
    for phase in ("loading", "building", "priming", "loading"):
        talk.phase = phase
        looks(dog, STANDING_S[phase] - 5)
    for _ in range(20):
        talk.signs_of_life += 1
        looks(dog, STANDING_S["loading"] - 5)
    go_on, ended = threading.Event(), threading.Event()

    def wander() -> None:
        while not ended.is_set():
            go_on.wait(30)
            go_on.clear()

    thread = threading.Thread(target=wander)
    thread.start()
    talk.engine_ident = thread.ident
    try:
        seen = {place_of(talk.engine_ident)}
        for phase in ("idle", "ready", "failed"):
            talk.phase = phase
            looks(dog, 3600)
    finally:
        ended.set()
        go_on.set()
        thread.join()
    assert talk.told == []
    assert seen != {()}
    assert place_of(thread.ident) == ()


@pytest.mark.parametrize("work", ["loading", "priming", "building"])
def test_a_real_engine_thread_that_hangs_in_long_work_is_seen_from_outside(work: str) -> None:
    world = World()
    inside, go_on = threading.Event(), threading.Event()

    def hang(*_: object) -> None:
        inside.set()
        go_on.wait(30)

    nothing = lambda *_: None  # noqa: E731
    engine = FakeEngine(
        on_prime=hang if work == "priming" else nothing, on_prepare=hang if work == "building" else nothing
    )
    world.ends.frames = 10**6

    def load(spec: ModelSpec, **rest: Any) -> Any:
        if work == "loading":
            hang()
        return FakeLoader(engine)(spec, **rest)

    talk = Conversation(world.ends, voices=FakeVoices(), load_engine=load, thread_context=threading.Lock)
    dog = Watchdog(talk, standing_s=dict.fromkeys(STANDING_S, 0.3))
    talk.start_thread()
    talk.send(LoadModel(ModelSpec("mini")))
    talk.send(SetMode("compiled") if work == "building" else StartTalk(PersonaChoice("NATF2")))
    dog.start()
    seen: list[Event] = []
    try:
        assert inside.wait(20)
        assert wait_for(lambda: any(isinstance(e, Trouble) and e.kind == "stuck" for e in seen), talk, seen)
        go_on.set()
        assert wait_for(lambda: TroubleCleared("stuck") in seen, talk, seen)
    finally:
        go_on.set()
        dog.stop()
        assert talk.close(10)


def test_a_real_engine_thread_that_hangs_is_seen_from_outside() -> None:
    """The scripted engine waits in its tenth frame; the thread of the watchdog tells, and the talk goes on after it."""
    world = World()
    inside, go_on = threading.Event(), threading.Event()
    engine = FakeEngine()
    step = engine.step

    def hanging(pcm: np.ndarray) -> object:
        if engine.steps == 10:
            inside.set()
            go_on.wait(30)
        return step(pcm)

    engine.step = hanging  # type: ignore[method-assign, assignment]
    world.ends.frames = 10**6
    talk = Conversation(world.ends, voices=FakeVoices(), load_engine=FakeLoader(engine), thread_context=threading.Lock)
    dog = Watchdog(talk, stuck_s=0.2)
    talk.start_thread()
    talk.send(LoadModel(ModelSpec("mini")))
    talk.send(StartTalk())
    dog.start()
    seen: list[Event] = []
    try:
        assert inside.wait(20)
        assert "hanging" in where_threads_stand()
        assert wait_for(lambda: any(isinstance(e, Trouble) and e.kind == "stuck" for e in seen), talk, seen)
        go_on.set()
        assert wait_for(lambda: TroubleCleared("stuck") in seen, talk, seen)
    finally:
        go_on.set()
        dog.stop()
        assert talk.close(10)


def wait_for(true: object, talk: Conversation, seen: list[Event]) -> bool:
    for _ in range(2000):
        seen += talk.events()
        if true():  # type: ignore[operator]
            return True
        time.sleep(0.01)
    return False
