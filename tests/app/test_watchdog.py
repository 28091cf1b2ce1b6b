"""A frame that never comes back: told in time, taken down should it come back, and never because a computer slept."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from app.conversation import Conversation
from app.messages import Event, LoadModel, ModelSpec, StartTalk, Trouble, TroubleCleared
from app.watchdog import LOOK_S, STUCK_S, Watchdog, where_threads_stand
from tests.app.fake_engine import FakeEngine, FakeLoader, FakeVoices
from tests.app.test_conversation import World


class Scripted:
    def __init__(self) -> None:
        self.stepping_since_ns = 0
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
