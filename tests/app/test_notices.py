"""The rules that turn numbers into standing notices."""

from __future__ import annotations

import random

from app.messages import Event, Trouble, TroubleCleared
from app.notices import Noticeboard, PaceWatch, RepeatWatch, SoundWatch, forgetting


def board() -> tuple[Noticeboard, list[Event]]:
    told: list[Event] = []
    return Noticeboard(told.append), told


def test_the_same_sentence_is_said_once_and_a_new_one_again() -> None:
    notices, told = board()
    first, second = Trouble("mode", "One."), Trouble("mode", "Two.")
    for trouble in (first, first, second, second):
        notices.post(trouble)
    notices.clear("mode", "slow")
    notices.clear("mode")
    assert told == [first, second, TroubleCleared("mode")]


def test_one_hiccup_is_not_slowness() -> None:
    notices, told = board()
    watch = PaceWatch(notices, "try another mode")
    for cost in ([20.0] * 50 + [900.0] + [20.0] * 10 + [90.0] * 5) * 4:
        watch.add(cost)
    assert told == []


def test_late_frames_that_the_ring_absorbs_are_not_slowness() -> None:
    """Three of five late, and still faster than the microphone on average."""
    notices, told = board()
    watch = PaceWatch(notices, "try another mode")
    for cost in [100.0, 100.0, 100.0, 20.0, 20.0] * 40:
        watch.add(cost)
    assert told == []


def test_slowness_ends_only_after_two_calm_seconds() -> None:
    notices, told = board()
    watch = PaceWatch(notices, "try another mode")
    for cost in [100.0] * 40 + [20.0] * 22:
        watch.add(cost)
    assert [type(event) for event in told] == [Trouble]
    watch.add(20.0)
    assert told[-1] == TroubleCleared("slow")


def test_slower_than_before_is_not_said_where_it_cannot_be_heard() -> None:
    """Twice as slow, and still only half of the budget."""
    notices, told = board()
    watch = PaceWatch(notices, "")
    for cost in [20.0] * 200 + [40.0] * 200:
        watch.add(cost)
    assert told == []


def test_slower_than_before_is_taken_back() -> None:
    """User report R14."""
    notices, told = board()
    watch = PaceWatch(notices, "")
    for cost in [50.0] * 200 + [75.0] * 50 + [50.0] * 50:
        watch.add(cost)
    assert [getattr(event, "kind", "") for event in told] == ["slower", "slower"]
    assert told[-1] == TroubleCleared("slower")


def test_sound_troubles_come_and_go_by_kind() -> None:
    notices, told = board()
    watch = SoundWatch(notices)
    silent, gone = ("audio-input", "Silence.", "Settings"), ("audio-output", "Gone.", "")
    for troubles in ((silent,), (silent,), (silent, gone), (gone,), ()):
        watch.update(troubles)
    assert told == [
        Trouble("audio-input", "Silence.", "Settings"),
        Trouble("audio-output", "Gone."),
        TroubleCleared("audio-input"),
        TroubleCleared("audio-output"),
    ]


def test_forgetting_names_how_much_is_remembered() -> None:
    """User report C2: 3000 frames are 240 s."""
    assert "240 s" in forgetting(3000).sentence
    assert "10 min" in forgetting(7500).sentence


def test_phrase_in_a_loop_is_noticed_and_ordinary_talk_is_not() -> None:
    """User report C7: 12 tokens four times; 300 ordinary tokens, and laughter."""
    notices, told = board()
    watch = RepeatWatch(notices)
    ordinary = random.Random(1)
    for token in [ordinary.randrange(4, 400) for _ in range(300)] + [7] * 12 + list(range(20, 32)) * 3:
        watch.add(token)
        watch.add(None)  # padding between the words
    assert told == []
    for token in range(20, 32):
        watch.add(token)
    assert [getattr(event, "kind", "") for event in told] == ["repeat"]


def test_loop_is_told_once_a_minute_at_most() -> None:
    """User report C22: one notice, then 60 s of quiet."""
    notices, told = board()
    watch = RepeatWatch(notices)
    for token in list(range(20, 32)) * 40:  # 480 frames
        watch.add(token)
    assert len(told) == 1
    for _ in range(750):
        watch.add(None)
    assert told[-1] == TroubleCleared("repeat")
    assert len(told) == 2
