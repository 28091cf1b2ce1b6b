"""Sound files of every kind in, whole files out."""

from __future__ import annotations

import os
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.errors import UserError
from app.recording import check_writable, read_recording, write_recording


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


def test_numbers_that_are_none_become_silence_and_overshoot_is_limited(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "odd.wav", np.array([np.nan, np.inf, -np.inf, 1.5, 0.25], np.float32), 24000, "FLOAT")
    assert read_recording(tmp_path / "odd.wav").pcm.tolist() == [0.0, 1.0, -1.0, 1.0, 0.25]


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
