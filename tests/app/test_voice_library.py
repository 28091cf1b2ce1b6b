"""The user's own voices and personas: named as they like, confined to their folder, whole or not at all."""

from __future__ import annotations

import json
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.paths import project_file
from app.presets import Preset, Presets
from app.recording import read_recording
from app.ring import SAMPLE_RATE
from app.voice_library import VoiceLibrary
from app.voice_names import name_problem


def speech(seconds: float = 3.0, rate: int = SAMPLE_RATE) -> np.ndarray:
    times = np.arange(round(seconds * rate)) / rate
    return (0.3 * np.sin(2 * np.pi * 180 * times) * np.sin(2 * np.pi * 3 * times)).astype(np.float32)


class Heard:
    def __init__(self) -> None:
        self.sounds: list[np.ndarray] = []
        self.answer = ""

    def __call__(self, pcm: np.ndarray) -> Future[str]:
        self.sounds.append(pcm)
        played: Future[str] = Future()
        played.set_result(self.answer)
        return played


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def library(tmp_path: Path, heard: Heard) -> VoiceLibrary:
    return VoiceLibrary(tmp_path / "voices", heard)


GOOD_NAMES = ["my voice", "my_voice", "Voix é", "Ünal 2", "声", "v1.2", "a" * 80, "don't"]


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_any_usual_name_can_be_given_kept_and_found(library: VoiceLibrary, name: str) -> None:
    """User report U10: one shared judgement; what the window lets through can be saved."""
    assert library.problem(name) == ""
    assert library.add_recording(speech(), f" {name} ").result(10) == ""
    assert library.own() == (f"{name}.wav",)
    assert library.own() == (library.file_name(name),)


BAD_NAMES = ["", "  ", "a/b", "..", "../evil", "a\\b", ".hidden", "end.", "nul", "COM1.voice", "a\0b", "a\nb",
             "a\u202eb", "a:b", "what?", "a" * 81]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_no_system_could_keep_are_refused_everywhere(
    library: VoiceLibrary, tmp_path: Path, name: str
) -> None:
    """User report U10, and nothing leads out of the folder."""
    assert library.problem(name) != ""
    assert library.add_recording(speech(), name).result(10) == library.problem(name)
    library.add_recording(speech(), "good").result(10)
    assert library.rename("good.wav", name).result(10) == library.problem(name)
    assert library.own() == ("good.wav",)
    assert [path.name for path in tmp_path.iterdir()] == ["voices"]


def test_a_name_that_is_taken_is_refused_and_the_voice_kept(library: VoiceLibrary, tmp_path: Path) -> None:
    library.add_recording(speech(), "Ada").result(10)
    before = (tmp_path / "voices" / "Ada.wav").read_bytes()
    for name in ("Ada", "ADA", "ada "):
        assert "already" in library.add_recording(speech(1.0), name).result(10)
    assert (tmp_path / "voices" / "Ada.wav").read_bytes() == before
    assert library.rename("Ada.wav", "ADA").result(10) == "", "its own name in other letters"
    assert library.own() == ("ADA.wav",)


def test_a_file_in_any_usual_format_becomes_a_voice(library: VoiceLibrary, tmp_path: Path) -> None:
    """User report V8."""
    source = tmp_path / "Träume 1.flac"
    soundfile.write(source, np.stack([speech(2.0, 44100)] * 2, axis=1), 44100, subtype="PCM_24")
    before = source.read_bytes()
    assert library.add(source, "Traum").result(10) == ""
    assert source.read_bytes() == before
    kept = read_recording(tmp_path / "voices" / "Traum.wav")
    assert (kept.rate_hz, kept.channels) == (SAMPLE_RATE, 1)
    assert kept.duration_s == pytest.approx(2.0, abs=0.001)
    assert float(np.abs(kept.pcm).max()) == pytest.approx(0.3, abs=0.01)


def test_what_is_no_voice_is_refused_with_the_reason(library: VoiceLibrary, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("words")
    assert "not readable as WAV" in library.add(tmp_path / "words.txt", "a").result(10)
    assert "no sound file" in library.add(tmp_path / "gone.wav", "a").result(10)
    assert "at least 0.4 s" in library.add_recording(speech(0.2), "a").result(10)
    assert "0.00 s long" in library.add_recording(np.zeros(0, np.float32), "a").result(10)
    assert "at most 60 s" in library.add_recording(speech(61.0), "a").result(10)
    assert "silent" in library.add_recording(np.zeros(SAMPLE_RATE, np.float32), "a").result(10)
    assert library.own() == ()


def test_only_voices_of_ones_own_can_be_changed(library: VoiceLibrary, tmp_path: Path) -> None:
    other = tmp_path / "model" / "NATF1.wav"
    other.parent.mkdir()
    soundfile.write(other, speech(), SAMPLE_RATE)
    library.add_recording(speech(), "mine").result(10)
    (tmp_path / "voices" / "linked.wav").symlink_to(other)
    for name in ("NATF1.wav", "../model/NATF1.wav", str(other), "linked.wav", ""):
        for refused in (library.delete(name), library.rename(name, "stolen"), library.listen(name)):
            assert "There is no voice" in refused.result(10)
    assert other.is_file()
    assert library.delete("mine.wav").result(10) == ""
    assert library.own() == ()


def test_a_voice_is_heard_from_its_beginning(library: VoiceLibrary, heard: Heard, tmp_path: Path) -> None:
    library.add_recording(speech(20.0), "long").result(10)
    assert library.listen("long.wav").result(10) == ""
    assert len(heard.sounds[0]) == 10 * SAMPLE_RATE
    heard.answer = "A talk is running; end it first."
    assert library.listen("long.wav").result(10) == heard.answer
    (tmp_path / "voices" / "numbers.pt").write_bytes(b"x")
    assert "only be heard in a talk" in library.listen("numbers.pt").result(10)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, heard: Heard) -> None:
    """User report U13."""
    (tmp_path / "file").write_text("in the way")
    sentence = VoiceLibrary(tmp_path / "file" / "voices", heard).add_recording(speech(), "a").result(10)
    assert "could not be made" in sentence


# ---------------------------------------------------------------- personas


def test_personas_are_kept_sorted_replaced_by_name_and_deleted(tmp_path: Path) -> None:
    path = tmp_path / "Träume" / "personas.json"
    presets = Presets(path)
    assert presets.all() == ()
    assert presets.save(" Tutor ", "NATF1.pt", "You are patient.\nÄh.").result(5) == ""
    assert presets.save("actor", "", "").result(5) == ""
    assert presets.save("TUTOR", "NATM1.pt", "You are strict.").result(5) == ""
    wanted = (Preset("actor", "", ""), Preset("TUTOR", "NATM1.pt", "You are strict."))
    assert presets.all() == wanted
    assert Presets(path).all() == wanted
    assert presets.delete("actor").result(5) == ""
    assert "no persona" in presets.delete("actor").result(5)
    assert Presets(path).all() == wanted[1:]
    assert [entry.name for entry in path.parent.iterdir()] == ["personas.json"]


def test_a_preset_needs_a_name_by_the_same_judgement(tmp_path: Path) -> None:
    presets = Presets(tmp_path / "personas.json")
    for name in ("", "a/b", "nul"):
        assert presets.save(name, "", "x").result(5) == presets.problem(name) == name_problem(name) != ""
    assert "at most 4000" in presets.save("long", "", "x" * 4001).result(5)
    assert presets.all() == ()


@pytest.mark.parametrize(
    "content", ["{", "[]", "null", '{"format": "other"}', '{"format": "parley-personas/1", "personas": [{"name": 1}]}',
                '{"format": "parley-personas/1", "personas": [{"name": 1, "voice": "", "text": ""}]}', "[" * 100000]
)  # fmt: skip
def test_a_file_that_is_no_list_of_personas_is_told_and_never_overwritten(tmp_path: Path, content: str) -> None:
    path = tmp_path / "personas.json"
    path.write_text(content)
    presets = Presets(path)
    assert str(path) in presets.trouble
    assert str(path) in presets.save("a", "", "").result(5)
    assert path.read_text() == content


def test_personas_survive_what_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """User report U13."""
    import os

    presets = Presets(tmp_path / "personas.json")
    presets.save("kept", "", "text").result(5)

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert "No space left" in presets.save("new", "", "").result(5)
    assert [preset.name for preset in presets.all()] == ["kept"]
    assert json.loads((tmp_path / "personas.json").read_text())["personas"] == [
        {"name": "kept", "voice": "", "text": "text"}
    ]


def test_some_personas_come_with_the_program_and_give_way_to_the_users_own(tmp_path: Path) -> None:
    bundled = project_file("assets/personas.json")
    presets = Presets(tmp_path / "personas.json", bundled)
    names = [preset.name for preset in presets.all()]
    assert len(names) >= 4 and names == sorted(names) and not any(preset.voice for preset in presets.all())
    assert presets.save(names[0].upper(), "a.wav", "Mine.").result(5) == ""
    assert presets.save("Alan", "", "Other.").result(5) == ""
    assert [preset.name for preset in presets.all()] == ["Alan", names[0].upper(), *names[1:]]
    assert "comes with the program and stays" in presets.delete(names[1]).result(5)
    assert presets.delete(names[0].upper()).result(5) == ""
    assert [preset.name for preset in presets.all()] == ["Alan", *names]
    held = json.loads((tmp_path / "personas.json").read_text())["personas"]
    assert [entry["name"] for entry in held] == ["Alan"], "what comes with the program is not copied"
