"""Recordings: both sides in place, openable whatever happens, and never a burden on the talk."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
import wave
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.audio import to_pcm16
from app.config import RECORD_FORMATS
from app.conversation import Conversation
from app.messages import LoadModel, ModelSpec, StartTalk, TalkEnded
from app.recorder import Recorder
from app.ring import FRAME, SAMPLE_RATE
from app.sound_check import SoundCheck
from app.sound_writers import WavWriter, Writer, open_writer
from app.talk_ends import TalkEnds
from tests.app.fake_engine import FakeEngine, FakeLoader, FakeVoices, VirtualClock
from tests.app.virtual_ends import VirtualEnds
from tests.rights import posix, read_only

BEGAN = datetime(2026, 11, 29, 16, 42, 7)


def make(**changes: object) -> Recorder:
    return Recorder(now=lambda: BEGAN, **changes)  # type: ignore[arg-type]


def level(value: float) -> np.ndarray:
    return np.full(FRAME, value, np.float32)


def read(path: Path) -> np.ndarray:
    """[n, 2] int16"""
    samples, rate = soundfile.read(str(path), dtype="int16", always_2d=True)
    assert rate == SAMPLE_RATE
    return samples


def until(condition: Callable[[], bool]) -> None:
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come to pass within 5 s")


@pytest.mark.parametrize("form", RECORD_FORMATS)
def test_the_user_is_left_and_the_model_right(tmp_path: Path, form: str) -> None:
    recorder = make()
    folder = tmp_path / "Träume und Pläne" / "talks"
    recorder.want(True, folder, form)
    for number in range(10):
        recorder.frame(level(number / 100), level(-number / 50), 0)
    recorder.close()
    (path,) = folder.iterdir()
    assert path.name == f"Parley 2026-11-29 16.42.07.{form}"
    samples = read(path)
    assert len(samples) == 10 * FRAME
    for number in range(10):
        assert (samples[number * FRAME : (number + 1) * FRAME, 0] == to_pcm16(level(number / 100))).all()
        assert (samples[number * FRAME : (number + 1) * FRAME, 1] == to_pcm16(level(-number / 50))).all()
    assert recorder.state.trouble == ""


def test_wav_is_plain_for_every_reader(tmp_path: Path) -> None:
    recorder = make()
    recorder.want(True, tmp_path, "wav")
    recorder.frame(level(0.5), level(0.25), 0)
    recorder.close()
    with wave.open(str(next(tmp_path.iterdir())), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate(), file.getnframes()) == (
            2,
            2,
            24000,
            FRAME,
        )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps permissions otherwise")
@pytest.mark.parametrize("form", RECORD_FORMATS)
def test_only_the_owner_may_open_a_recording(tmp_path: Path, form: str) -> None:
    mask = os.umask(0)
    try:
        recorder = make()
        recorder.want(True, tmp_path / "talks", form)
        recorder.frame(level(0.1), level(0.1), 0)
        recorder.close()
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "talks").stat().st_mode) == 0o700
    assert stat.S_IMODE(next((tmp_path / "talks").iterdir()).stat().st_mode) == 0o600


def test_nothing_is_recorded_unless_asked_for_nor_after_it_was_ended(tmp_path: Path) -> None:
    recorder = make()
    for _ in range(5):
        recorder.frame(level(0.1), level(0.1), 0)
    recorder.end_talk()
    recorder.want(False, tmp_path / "talks", "wav")
    assert not (tmp_path / "talks").exists()
    recorder.want(True, tmp_path / "talks", "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    recorder.want(False, tmp_path / "talks", "wav")
    recorder.frame(level(0.2), level(0.2), 0)
    recorder.close()
    (path,) = (tmp_path / "talks").iterdir()
    assert len(read(path)) == FRAME


def test_each_talk_is_a_file_of_its_own_and_none_is_replaced(tmp_path: Path) -> None:
    recorder = make()
    recorder.want(True, tmp_path, "wav")
    for value in (0.1, 0.2):
        recorder.frame(level(value), level(0), 0)
        recorder.end_talk()
    recorder.close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["Parley 2026-11-29 16.42.07 2.wav", "Parley 2026-11-29 16.42.07.wav"]
    assert read(tmp_path / names[1])[0, 0] == to_pcm16(level(0.1))[0]


def test_sound_that_the_talk_left_out_is_silence_so_that_time_stays_true(tmp_path: Path) -> None:
    recorder = make()
    recorder.want(True, tmp_path, "wav")
    for skipped in (4, 4, 7):  # three frames before the last one were dropped
        recorder.frame(level(0.5), level(0.5), skipped)
    recorder.close()
    samples = read(next(tmp_path.iterdir()))
    assert len(samples) == 6 * FRAME
    assert (samples[2 * FRAME : 5 * FRAME] == 0).all()
    assert (samples[5 * FRAME :] != 0).all()


def test_a_recording_too_long_for_its_format_goes_on_in_another_file(tmp_path: Path) -> None:
    def short(path: Path, form: str) -> Writer:
        writer = WavWriter(path)
        writer.longest_s = 1.0 + 3 * FRAME / SAMPLE_RATE
        return writer

    recorder = make(make_writer=short)
    recorder.want(True, tmp_path, "wav")
    for _ in range(7):
        recorder.frame(level(0.1), level(0.1), 0)
    recorder.close()
    assert sorted(len(read(path)) // FRAME for path in tmp_path.iterdir()) == [1, 3, 3]


KILLED = """
import sys, time
from pathlib import Path
import numpy as np
from app.recorder import Recorder
recorder = Recorder()
recorder.want(True, Path(sys.argv[1]), sys.argv[2])
noise = np.random.default_rng(1).uniform(-0.5, 0.5, 1920).astype(np.float32)
for number in range(1, 126):
    recorder.frame(noise, -noise, 0)
while recorder.state.seconds < 10.0:
    time.sleep(0.005)
print("written", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("form", RECORD_FORMATS)
def test_a_recording_can_be_opened_after_the_program_was_killed(tmp_path: Path, form: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), form], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"written"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    samples = read(next(tmp_path.iterdir()))
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, FRAME).astype(np.float32)
    whole = np.tile(np.stack([to_pcm16(noise), to_pcm16(-noise)], axis=1), (125, 1))
    assert len(whole) - SAMPLE_RATE < len(samples) <= len(whole), "at most the last second is missing"
    assert (samples == whole[: len(samples)]).all()


class Full:
    """A disk that takes some frames and no more."""

    def __init__(self, path: Path, room: int) -> None:
        self._real = WavWriter(path)
        self._room = room
        self.longest_s = self._real.longest_s

    @property
    def frames(self) -> int:
        return self._real.frames

    def write(self, samples: np.ndarray) -> None:
        if self._room == 0:
            raise OSError(28, "No space left on device")
        self._room -= 1
        self._real.write(samples)

    def close(self) -> None:
        self._real.close()


def test_a_full_disk_ends_the_recording_and_not_the_talk(tmp_path: Path) -> None:
    clock = VirtualClock()
    ends = VirtualEnds(clock, 40)
    recorder = make(make_writer=lambda path, form: Full(path, 12))
    engine = FakeEngine(advance=clock.advance)
    conversation = Conversation(
        TalkEnds(ends, recorder, SoundCheck(lambda: ends)),
        voices=FakeVoices(),
        load_engine=FakeLoader(engine),
        thread_context=nullcontext,
        clock=clock,
    )
    recorder.want(True, tmp_path, "wav")
    conversation.send(LoadModel(ModelSpec("mini")))
    conversation.send(StartTalk())
    conversation.run(until_idle=True)
    until(lambda: recorder.state.trouble != "")
    assert len(ends.answers) == 40
    assert TalkEnded("input ended") in conversation.events()
    assert "no space left on device" in recorder.state.trouble
    assert "The talk goes on" in recorder.state.trouble
    assert not recorder.wanted
    recorder.close()
    samples = read(next(tmp_path.iterdir()))
    assert len(samples) == 12 * FRAME
    numbers = [round(float(samples[n * FRAME, 0]) / 32767 * 10000) for n in range(12)]
    assert numbers == list(range(12)), "the frames that the model heard"


LITTLE_ROOM = """
import resource, signal, sys, time
from pathlib import Path
import numpy as np
from app.recorder import Recorder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that the system refuses, as a full disk does
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
recorder = Recorder()
recorder.want(True, Path(sys.argv[1]), sys.argv[2])
noise = np.random.default_rng(1).uniform(-0.5, 0.5, 1920).astype(np.float32)
for number in range(250):
    recorder.frame(noise, -noise, 0)
while not recorder.state.trouble:
    time.sleep(0.005)
print(recorder.state.trouble)
recorder.want(True, Path(sys.argv[1]), sys.argv[2])  # a retry, once there is room for a little more
recorder.frame(noise, -noise, 0)
recorder.close()
print("again:", recorder.state.trouble or "well")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of this kind")
@pytest.mark.parametrize("form", RECORD_FORMATS)
def test_where_the_system_refuses_to_write_more_what_there_is_can_be_opened(tmp_path: Path, form: str) -> None:
    """The same with the system's own refusal, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", LITTLE_ROOM, str(tmp_path / "talks"), form], capture_output=True,
                          text=True, timeout=60)  # fmt: skip
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    told, again = done.stdout.splitlines()
    assert "file too large" in told
    assert "The talk goes on without it. What was recorded until then is in " in told
    assert again == "again: well"
    first, second = sorted((tmp_path / "talks").iterdir(), key=lambda path: -path.stat().st_size)
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, FRAME).astype(np.float32)
    samples = read(first)
    assert len(samples) > 200_000 // 4 - SAMPLE_RATE
    whole = np.tile(np.stack([to_pcm16(noise), to_pcm16(-noise)], axis=1), (250, 1))
    assert (samples == whole[: len(samples)]).all()
    assert len(read(second)) == FRAME


NO_ROOM = """
import resource, signal, sys, time
from pathlib import Path
import numpy as np
from app.recorder import Recorder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
recorder = Recorder()
recorder.want(True, Path(sys.argv[1]), sys.argv[2])
noise = np.random.default_rng(1).uniform(-0.5, 0.5, 1920).astype(np.float32)
for number in range(20):
    recorder.frame(noise, noise, 0)
while not recorder.state.trouble:
    time.sleep(0.005)
print(recorder.state.trouble, recorder.state.recording)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
recorder.want(True, Path(sys.argv[1]), sys.argv[2])  # there is room again
recorder.frame(noise, noise, 0)
recorder.close()
print("again:", recorder.state.trouble or "well")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of this kind")
@pytest.mark.parametrize("form", RECORD_FORMATS)
@pytest.mark.parametrize("room", [0, 20, 50])
def test_a_disk_that_is_full_from_the_start_leaves_no_empty_file(tmp_path: Path, form: str, room: int) -> None:
    done = subprocess.run([sys.executable, "-c", NO_ROOM, str(tmp_path / "talks"), form, str(room)],
                          capture_output=True, text=True, timeout=60)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    told, again = done.stdout.splitlines()
    assert told.startswith("The recording stopped, because it could not be written: file too large")
    assert told.endswith("The talk goes on without it. False")
    assert again == "again: well"
    (only,) = (tmp_path / "talks").iterdir()
    assert len(read(only)) == FRAME


def test_two_windows_that_begin_in_the_same_second_take_two_names(tmp_path: Path) -> None:
    """The other one's file comes to be between the look for a free name and the opening."""
    taken: list[Path] = []

    def late(path: Path, form: str) -> Writer:
        if len(taken) < 2:
            taken.append(path)
            path.write_text("another window's")
        return open_writer(path, form)

    recorder = make(make_writer=late)
    recorder.want(True, tmp_path, "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    recorder.close()
    assert recorder.state.trouble == ""
    assert [path.read_text() for path in taken] == ["another window's"] * 2
    assert len(read(tmp_path / "Parley 2026-11-29 16.42.07 3.wav")) == FRAME


def test_a_wish_after_a_failure_takes_the_sentence_away(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the folder's place")
    recorder = make()
    recorder.want(True, tmp_path / "file", "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    until(lambda: recorder.state.trouble != "")
    assert str(tmp_path / "file") in recorder.state.trouble
    assert "What was recorded" not in recorder.state.trouble, "nothing was"
    recorder.want(True, tmp_path / "talks", "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    recorder.close()
    assert recorder.state.trouble == ""
    assert len(list((tmp_path / "talks").iterdir())) == 1


@posix
def test_a_folder_that_may_not_be_written_is_told_and_the_next_try_works(tmp_path: Path) -> None:
    """User report U13."""
    with read_only(tmp_path):
        recorder = make()  # its thread begins with the first wish
        recorder.want(True, tmp_path, "wav")
        recorder.frame(level(0.1), level(0.1), 0)
        until(lambda: recorder.state.trouble != "")
        assert "permission denied" in recorder.state.trouble
        assert "The talk goes on without it." in recorder.state.trouble
        recorder.close()
    recorder = make()
    recorder.want(True, tmp_path, "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    recorder.close()
    assert recorder.state.trouble == ""
    assert len(list(tmp_path.iterdir())) == 1


def test_a_recording_that_was_deleted_is_told(tmp_path: Path) -> None:
    recorder = make()
    recorder.want(True, tmp_path, "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    until(lambda: recorder.state.recording)
    next(tmp_path.iterdir()).unlink()
    recorder.end_talk()
    until(lambda: recorder.state.trouble != "")
    assert "deleted or moved" in recorder.state.trouble
    recorder.close()


def test_a_recording_deleted_in_the_talk_is_told_within_a_second_and_not_at_the_end(tmp_path: Path) -> None:
    recorder = make()
    recorder.want(True, tmp_path / "talks", "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    until(lambda: recorder.state.recording)
    shutil.rmtree(tmp_path / "talks")
    for _ in range(13):
        recorder.frame(level(0.1), level(0.1), 0)
    until(lambda: recorder.state.trouble != "")
    assert "deleted or moved" in recorder.state.trouble
    assert "What was recorded" not in recorder.state.trouble, "it is gone"
    assert not recorder.wanted
    recorder.want(True, tmp_path / "talks", "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    recorder.close()
    assert recorder.state.trouble == ""


def test_a_disk_that_cannot_keep_up_ends_the_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    goes_on = threading.Event()

    def slow(path: Path, form: str) -> Writer:
        goes_on.wait(5)
        return open_writer(path, form)

    monkeypatch.setattr("app.recorder.MOST_WAITING", 20)
    recorder = make(make_writer=slow)
    recorder.want(True, tmp_path, "wav")
    for _ in range(400):
        recorder.frame(level(0.1), level(0.1), 0)
    assert recorder._waiting.qsize() <= 40, "memory is bounded too"
    goes_on.set()
    until(lambda: recorder.state.trouble != "")
    assert "too slow" in recorder.state.trouble
    recorder.close()


def test_a_recording_that_is_gone_at_the_programs_end_is_said_and_raises_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[object] = []
    monkeypatch.setattr("threading.excepthook", raised.append)
    recorder = make()
    recorder.want(True, tmp_path, "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    until(lambda: recorder.state.seconds > 0)
    shutil.rmtree(tmp_path)
    recorder.close()
    assert (raised, "has been deleted or moved" in recorder.state.trouble) == ([], True)


def test_an_empty_file_that_cannot_be_removed_ends_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(writer: WavWriter, samples: np.ndarray) -> None:
        raise OSError(28, "No space left on device")

    def in_use(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "The file is in use")

    recorder = make()
    with monkeypatch.context() as broken:
        broken.setattr(WavWriter, "write", full)
        broken.setattr(Path, "unlink", in_use)
        recorder.want(True, tmp_path, "wav")
        recorder.frame(level(0.1), level(0.1), 0)
        until(lambda: "No space" in recorder.state.trouble or "no space" in recorder.state.trouble)
    recorder.want(True, tmp_path, "wav")
    recorder.frame(level(0.1), level(0.1), 0)
    until(lambda: recorder.state.seconds > 0)
    recorder.close()
    assert recorder.state.trouble == ""


def test_flac_errors_come_out_of_the_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """libsndfile calls back into Python, where nothing can be raised: a full disk must not be lost on the way."""
    writer = open_writer(tmp_path / "talk.flac", "flac")
    noise = np.random.default_rng(1).integers(-9000, 9000, (FRAME, 2)).astype(np.int16)
    for _ in range(20):
        writer.write(noise)
    room = writer._file.size  # type: ignore[union-attr]

    def full(data: bytes, position: int) -> None:
        if position + len(data) > room:
            raise OSError(28, "No space left on device")
        type(writer._file).put(writer._file, data, position)  # type: ignore[union-attr]

    monkeypatch.setattr(writer._file, "put", full)  # type: ignore[union-attr]

    def fill() -> None:
        for _ in range(20):
            writer.write(noise)

    with pytest.raises(OSError, match="No space"):
        fill()
    with pytest.raises(OSError, match="No space"):
        writer.close()
    samples = read(tmp_path / "talk.flac")
    assert 10 * FRAME < len(samples) <= 40 * FRAME
    assert (samples == np.tile(noise, (40, 1))[: len(samples)]).all()
