"""Sound files of every kind in, whole files out."""

from __future__ import annotations

import collections
import errno
import io
import os
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app.errors import UserError
from app.recording import RecordingReader, check_writable, read_recording, write_recording
from app.resample import resample
from app.sound_spool import SoundSpool


def tone(seconds: float, rate: int, hz: float = 440.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "rate", "channels", "subtype"),
    [
        ("mono.wav", 44100, 1, "PCM_16"),
        ("stereo.wav", 48000, 2, "FLOAT"),
        ("telephone.wav", 8000, 1, "PCM_U8"),
        ("studio.wav", 96000, 1, "PCM_24"),
        ("same.wav", 24000, 1, "PCM_32"),
        ("four.flac", 22050, 4, "PCM_16"),
        ("lossy.ogg", 32000, 2, "VORBIS"),
    ],
)
def test_any_file_becomes_24_khz_mono(tmp_path: Path, name: str, rate: int, channels: int, subtype: str) -> None:
    """User report V8: 3.01 s of any format; the tone keeps its pitch and level."""
    signal = tone(3.01, rate)
    soundfile.write(tmp_path / name, np.stack([signal] * channels, axis=1), rate, subtype=subtype)
    recording = read_recording(tmp_path / name)
    assert (recording.rate_hz, recording.channels) == (rate, channels)
    assert recording.duration_s == pytest.approx(3.01, abs=1e-3)
    assert recording.pcm.dtype == np.float32
    assert len(recording.pcm) == round(recording.samples * 24000 / rate)
    middle = slice(24000, 48000)
    assert np.abs(recording.pcm - tone(3.01, 24000)[: len(recording.pcm)])[middle].max() < 0.06  # Vorbis
    spectrum = np.abs(np.fft.rfft(recording.pcm[middle]))
    assert int(spectrum.argmax()) == 440


def test_one_sample_is_a_recording(tmp_path: Path) -> None:
    for rate in (8000, 24000, 48000, 192000):
        soundfile.write(tmp_path / "one.wav", np.array([0.5], np.float32), rate)
        assert len(read_recording(tmp_path / "one.wav").pcm) >= 1


def test_overshoot_is_limited(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "loud.wav", np.array([-1.5, 1.5, 0.25], np.float32), 24000, "FLOAT")
    assert read_recording(tmp_path / "loud.wav").pcm.tolist() == [-1.0, 1.0, 0.25]


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_are_refused_with_their_place(tmp_path: Path, number: float) -> None:
    pcm = np.zeros((300_000, 2), np.float32)
    pcm[120_000, 1] = number
    soundfile.write(tmp_path / "odd.wav", pcm, 48000, "FLOAT")
    with pytest.raises(UserError, match=r"odd\.wav holds samples that are not numbers, from 2\.50 s on"):
        read_recording(tmp_path / "odd.wav")  # as a voice


def test_samples_that_are_no_numbers_are_silence_and_counted(
    tmp_path: Path, recwarn: pytest.WarningsRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where both channels' infinities cancel out, in several blocks, and before a damaged end."""
    monkeypatch.setattr("app.recording._BLOCK", 100_000)
    sound = np.stack([noisy(4, 48000)] * 2, axis=1)
    odd = sound.copy()
    odd[72_000] = np.inf, -np.inf
    odd[72_001:72_011, 0] = np.nan
    odd[150_000, 1] = -np.inf
    soundfile.write(tmp_path / "odd.wav", odd, 48000, "FLOAT")
    reader = RecordingReader(tmp_path / "odd.wav")
    pcm = np.concatenate(list(reader.blocks()))
    assert np.isfinite(pcm).all()
    sound[72_000:72_011] = sound[150_000] = 0.0
    assert np.abs(pcm - resample(sound[:, 0], 48000, 24000)).max() < 1e-5
    assert reader.note == (
        f"{tmp_path / 'odd.wav'} holds 12 of 192000 samples that are not numbers, the first at 1.50 s: "
        "they were taken as silence."
    )
    assert not recwarn.list
    reader = RecordingReader(cut(tmp_path / "odd.wav", 0.5))
    collections.deque(reader.blocks(), maxlen=0)
    assert "2.0 s of the 4.0 s that it should last could be read. " in reader.note
    assert "holds 11 of " in reader.note


def test_the_largest_numbers_are_still_numbers_after_resampling(tmp_path: Path) -> None:
    pcm = np.tile(np.array([3.4e38, -3.4e38, 3.4e38], np.float32), 5000)
    soundfile.write(tmp_path / "huge.wav", pcm, 48000, "FLOAT")
    heard = read_recording(tmp_path / "huge.wav").pcm
    assert np.isfinite(heard).all()
    assert np.abs(heard).max() <= 1.0


def cut(path: Path, part: float) -> Path:
    """The file without its end."""
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    return path


def noisy(seconds: float, rate: int) -> np.ndarray:
    chance = np.random.default_rng(3)
    return tone(seconds, rate) + chance.normal(0, 0.01, round(seconds * rate)).astype(np.float32)


class FailingDisk(io.FileIO):
    """Reads no further than `works` bytes."""

    works = 0

    def readinto(self, buffer: object) -> int | None:
        if self.tell() >= self.works:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().readinto(buffer)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.ogg"])
@pytest.mark.parametrize("works", [0, 60_000])
def test_a_disk_that_fails_is_one_sentence_and_nothing_on_the_terminal(
    tmp_path: Path, name: str, works: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An error in a call out of C would be printed with its traceback; afterwards the same file can be read again."""
    noise = np.random.default_rng(0).standard_normal(24000 * 60).astype(np.float32) * 0.1
    soundfile.write(tmp_path / name, noise, 24000)
    assert (tmp_path / name).stat().st_size > 3 * 60_000
    with monkeypatch.context() as disk:
        disk.setattr(FailingDisk, "works", works)
        disk.setattr("app.recording.io.FileIO", FailingDisk)
        with pytest.raises(UserError, match=f"{name} cannot be read .Input/output error"):
            read_recording(tmp_path / name)
    assert capfd.readouterr() == ("", "")
    assert len(read_recording(tmp_path / name).pcm) == len(noise)


def test_what_can_be_read_of_a_cut_off_flac_is_taken_and_said(tmp_path: Path) -> None:
    whole = noisy(10, 48000)
    soundfile.write(tmp_path / "cut.flac", whole, 48000)
    reader = RecordingReader(cut(tmp_path / "cut.flac", 0.6))
    pcm = np.concatenate(list(reader.blocks()))
    assert 5.5 < len(pcm) / 24000 < 6.1, "no more than a block of the format is lost"
    assert np.abs(pcm[24000:48000] - resample(whole, 48000, 24000)[24000:48000]).max() < 1e-3
    seconds = f"{reader.samples / 48000:.1f}"
    assert reader.note.endswith(f"is damaged or cut off: {seconds} s of the 10.0 s that it should last could be read.")
    with pytest.raises(UserError, match="cut off") as refusal:
        read_recording(tmp_path / "cut.flac")  # as a voice, which is too short to lose a part of
    assert "Record it anew" in str(refusal.value)


def test_a_cut_off_wav_is_taken_and_said_and_a_streamed_one_is_whole(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "cut.wav", tone(4, 24000), 24000)
    streamed = bytearray((tmp_path / "cut.wav").read_bytes())
    reader = RecordingReader(cut(tmp_path / "cut.wav", 0.5))
    assert abs(sum(len(block) for block in reader.blocks()) - 48000) < 50
    assert reader.note.endswith("2.0 s of the 4.0 s that it should last could be read.")
    streamed[40:44] = b"\xff\xff\xff\xff"
    (tmp_path / "streamed.wav").write_bytes(streamed)
    reader = RecordingReader(tmp_path / "streamed.wav")
    assert sum(len(block) for block in reader.blocks()) == 96000
    assert reader.note == ""


def test_a_file_of_which_nothing_can_be_read_is_refused(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "cut.flac", noisy(1, 48000), 48000)
    head = (tmp_path / "cut.flac").read_bytes()[:200]
    (tmp_path / "cut.flac").write_bytes(head)
    with pytest.raises(UserError, match=r"cut\.flac"):
        list(RecordingReader(tmp_path / "cut.flac").blocks())


@pytest.mark.parametrize("rate", [8000, 44100, 96000])
def test_a_long_file_is_read_as_it_was_at_once(tmp_path: Path, rate: int) -> None:
    """Blocks join without a seam."""
    whole = noisy(7.31, rate)
    soundfile.write(tmp_path / "long.wav", whole, rate, "FLOAT")
    pcm = read_recording(tmp_path / "long.wav").pcm
    expected = resample(np.clip(whole, -1, 1), rate, 24000)
    assert len(pcm) == len(expected)
    assert np.abs(pcm - np.clip(expected, -1, 1)).max() < 1e-5


def test_a_spool_gives_back_what_was_put_and_silence_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.sound_spool.IN_MEMORY", 4000)
    spool = SoundSpool(tmp_path)
    pcm = np.arange(3000, dtype=np.float32)
    spool.put(pcm[:1000])
    spool.put(pcm[2000:], 2000)  # by now in a file
    assert spool.samples == 3000
    assert spool.get(990, 1020).tolist() == [*pcm[990:1000], *[0.0] * 1000, *pcm[2000:2010]]
    assert spool.get(2990, 20).tolist() == [*pcm[2990:], *[0.0] * 10]
    assert np.array_equal(np.concatenate(list(spool.pieces(3000)))[2000:], pcm[2000:])
    spool.clear()
    assert not spool.get(0, 3000).any()


def test_a_folder_without_room_ends_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = SoundSpool(tmp_path)

    def full(data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool._file, "write", full)
    with pytest.raises(UserError, match=r"cannot be kept in .*No space left"):
        spool.put(np.zeros(10, np.float32))


def test_files_without_sound_are_refused_in_a_sentence(tmp_path: Path) -> None:
    """User report V8: 0 samples, a header only, and what is no sound at all."""
    soundfile.write(tmp_path / "empty.wav", np.zeros(0, np.float32), 24000)
    (tmp_path / "header.wav").write_bytes(b"RIFF\x24\x00\x00\x00WAVE")
    (tmp_path / "text.wav").write_text("not sound")
    (tmp_path / "nothing.wav").write_bytes(b"")
    (tmp_path / "folder.wav").mkdir()
    for name, words in (
        ("empty.wav", "0 samples"),
        ("header.wav", "not readable"),
        ("text.wav", "not readable"),
        ("nothing.wav", "not readable"),
        ("folder.wav", "no sound file"),
        ("absent.wav", "no sound file"),
    ):
        with pytest.raises(UserError, match=words) as refusal:
            read_recording(tmp_path / name)
        assert name in str(refusal.value)


def test_reply_is_limited_pcm16(tmp_path: Path) -> None:
    """User report A21: no sign flips beyond full scale."""
    path = tmp_path / "réponse .wav"
    write_recording(path, [np.array([1.3, -1.3, 0.5], np.float32), np.zeros(3, np.float32)])
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (24000, 2, 2)
        samples = np.frombuffer(file.readframes(3), "<i2").reshape(-1, 2)
    assert samples[:, 0].tolist() == [32767, -32767, 16384]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.wav"
    path.write_bytes(b"old")

    def full(self: wave.Wave_write, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(wave.Wave_write, "writeframes", full)
    with pytest.raises(UserError, match="No space left"):
        write_recording(path, [np.zeros(10, np.float32)])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_place_that_cannot_be_written_is_found_out_before_the_work(tmp_path: Path) -> None:
    """User report U13 in spirit: never silence."""
    check_writable(tmp_path / "with space é.wav")
    with pytest.raises(UserError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(UserError, match="no folder"):
        check_writable(tmp_path / "absent" / "out.wav")
    with pytest.raises(UserError, match=r"cannot be written|no folder"):
        check_writable(Path("/proc/out.wav"))
    assert list(tmp_path.iterdir()) == []


def test_reply_goes_where_a_link_points_and_the_link_stays(tmp_path: Path) -> None:
    elsewhere, link = tmp_path / "elsewhere", tmp_path / "reply.wav"
    elsewhere.mkdir()
    link.symlink_to(elsewhere / "real.wav")
    check_writable(link)
    for _ in range(2):  # the file behind it not there yet, and there
        write_recording(link, [np.zeros(10, np.float32)])
        assert link.is_symlink()
        assert soundfile.info(elsewhere / "real.wav").frames == 10
    lost = tmp_path / "lost.wav"
    lost.symlink_to(tmp_path / "none" / "real.wav")
    with pytest.raises(UserError, match="none"):
        check_writable(lost)


def test_longest_name_that_the_file_system_takes_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 251 + ".wav")
    write_recording(path, [np.zeros(10, np.float32)])
    assert soundfile.info(path).frames == 10


@pytest.mark.parametrize("rate", [1, 2**31 - 1])
def test_rate_that_no_recording_has_is_refused_in_a_sentence(tmp_path: Path, rate: int) -> None:
    path = tmp_path / "odd.wav"
    soundfile.write(path, np.zeros(100), 8000)
    content = bytearray(path.read_bytes())
    content[24:28] = rate.to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(UserError, match="samples a second"):
        read_recording(path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file systems take valid text only")
def test_name_that_is_no_text_is_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.wav")  # as an old archive leaves it
    write_recording(path, [np.zeros(10, np.float32)])
    assert read_recording(path).samples == 10


def test_sound_kept_out_of_memory_is_let_go_with_its_keeper() -> None:
    """Python complains of a file that is let go without being closed, on the terminal where it is asked to."""
    kept = SoundSpool()
    kept.put(np.ones(10, np.float32))
    file = kept._file
    del kept
    assert file.closed


def test_an_end_that_is_wished_while_a_file_is_read_prints_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It comes out of a call from C, where what is raised would be printed with its traceback."""
    write_recording(tmp_path / "x.wav", [tone(1.0, 24000)])

    class Interrupted(io.FileIO):
        def readinto(self, buffer: Any) -> int:
            if self.tell():
                raise KeyboardInterrupt
            return super().readinto(memoryview(buffer)[:44])

    for read in (Interrupted, type("AtOnce", (Interrupted,), {"tell": lambda self: 1})):
        monkeypatch.setattr("app.recording.io.FileIO", read)
        with pytest.raises(KeyboardInterrupt):
            read_recording(tmp_path / "x.wav")
        assert capfd.readouterr().err == ""
