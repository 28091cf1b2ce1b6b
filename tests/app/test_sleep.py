"""A computer that sleeps in the middle of a talk: the clock jumps, and nothing is concluded from it."""

from __future__ import annotations

import pytest

from app.messages import Event, Trouble
from app.notices import Noticeboard, PaceWatch
from app.playback import PlaybackPolicy
from tests.app.sound_simulation import Simulation

HOURS = (60.0, 3600.0, 8 * 3600.0, 30 * 24 * 3600.0)


def settled() -> Simulation:
    simulation = Simulation(policy=PlaybackPolicy.for_blocks(10, margin_ms=35))
    simulation.run(60)
    return simulation


@pytest.mark.parametrize("slept_s", HOURS)
def test_playback_goes_on_with_the_margin_it_had(slept_s: float) -> None:
    """The clock is the only thing that changed; calm is not counted in hours that nobody heard."""
    policy = settled().policy
    margin, gaps = policy.margin_ms, policy.gaps
    now, waiting = 60.0 + slept_s, 1920
    for _ in range(200):
        move = policy.step(now, waiting, ahead=1000)
        assert move.drop == 0
        waiting = max(0, waiting - move.take) or 1920
        now += 0.01
    assert policy.playing
    assert policy.gaps == gaps
    assert abs(policy.margin_ms - margin) <= 5


@pytest.mark.parametrize("slept_s", HOURS)
def test_sleep_with_nothing_left_to_play_is_one_gap_and_no_larger_margin(slept_s: float) -> None:
    """The device found nothing, slept, and answers come again: one gap, since the talk did stand still."""
    policy = settled().policy
    margin, gaps = policy.margin_ms, policy.gaps
    policy.step(60.0, 0, ahead=0)  # ran empty
    assert not policy.playing
    move = policy.step(60.0 + slept_s, 1920 * 2, ahead=0)
    assert policy.playing
    assert move.take > 0
    assert policy.gaps == gaps + 1
    assert policy.margin_ms <= margin  # a pause of the whole computer is nothing that a margin could help against


def test_one_frame_of_eight_hours_is_no_verdict_about_the_computer() -> None:
    told: list[Event] = []
    pace = PaceWatch(Noticeboard(told.append), "try another mode")
    for number in range(2000):
        pace.add(8 * 3600e3 if number in (700, 1400) else 20.0)
    assert [event for event in told if isinstance(event, Trouble)] == []
