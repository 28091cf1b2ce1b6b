"""The frames' history: what was written comes back, memory is taken at the beginning, readers see no torn row."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

from app.messages import MODES
from app.telemetry import FrameHistory, FrameRecord


def frame(number: int, mode: str = "eager") -> FrameRecord:
    return FrameRecord(
        number=number, clock_ns=(1 << 53) + number, mode=mode, wait=0.1, encode=1.1, temporal=2.2, depth=3.3,
        decode=4.4, host=0.5, total=11.5, queued_ms=20.0, mic_to_speaker_ms=250.0, skipped=3, gaps=2, late=False,
        input_dbfs=-30.5, output_dbfs=-120.0, echo_removed_db=12.5, hearing=False, silenced=1,
    )  # fmt: skip


def numbers(records: list[FrameRecord]) -> list[int]:
    return [record.number for record in records]


@pytest.mark.parametrize("mode", MODES)
def test_a_record_comes_back_as_it_was_written(mode: str) -> None:
    history = FrameHistory()
    history.append(frame(7, mode))
    (record,) = history.tail(1)
    assert record == frame(7, mode)
    assert isinstance(record, FrameRecord)
    assert [type(value) for value in record] == [type(value) for value in frame(7)]


def test_what_is_not_known_stays_so() -> None:
    history = FrameHistory()
    history.append(frame(0)._replace(mic_to_speaker_ms=math.nan))
    assert math.isnan(history.tail(1)[0].mic_to_speaker_ms)


def test_the_newest_records_oldest_first() -> None:
    history = FrameHistory(capacity=5)
    assert history.tail(3) == []
    for number in range(3):
        history.append(frame(number))
    assert numbers(history.tail(2)) == [1, 2]
    assert numbers(history.tail(100)) == [0, 1, 2]
    assert history.tail(0) == []
    for number in range(3, 13):
        history.append(frame(number))
    assert numbers(history.tail(100)) == [8, 9, 10, 11, 12]
    assert len(history) == 5


def test_a_new_talk_begins_without_records() -> None:
    history = FrameHistory(capacity=5)
    for number in range(8):
        history.append(frame(number))
    history.clear()
    assert (len(history), history.tail(5)) == (0, [])
    history.append(frame(0))
    assert (len(history), numbers(history.tail(5))) == (1, [0])


def test_ten_minutes_of_records_take_no_more_memory_than_none() -> None:
    history = FrameHistory()
    tracemalloc.start()
    try:
        for number in range(7500):
            frame(number)  # Python keeps some thousand freed tuples for the next ones
        before, _ = tracemalloc.get_traced_memory()
        for number in range(7500):
            history.append(frame(number))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(history) == 7500
    assert after - before < 7500  # bytes: not even one for each record


@pytest.mark.parametrize("meanwhile", [1, 3, 20])
def test_a_writer_that_comes_round_during_the_copy_leaves_no_newer_row_among_the_old(meanwhile: int) -> None:
    history = FrameHistory(capacity=8)
    for number in range(10):
        history.append(frame(number))

    class Overtaken(np.ndarray):  # type: ignore[type-arg]
        def __getitem__(self, key: object) -> object:
            for number in range(10, 10 + meanwhile):
                history.append(frame(number))
            return super().__getitem__(key)  # type: ignore[index]

    history._rows = history._rows.view(Overtaken)
    read = numbers(history.tail(8))
    assert read == list(range(2 + meanwhile, 10))
