"""The window's outside: devices in the window's words, choices kept, diagnostics without anything private."""

from __future__ import annotations

import logging
import sys
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app import config, diagnostics
from app.audio import AudioStatus
from app.conversation import Conversation
from app.devices import DeviceLists, DeviceRef, DeviceRow
from app.main import DeskPort, Desktop
from app.messages import LoadModel, ModelSpec, PersonaChoice, StartTalk
from app.paths import own_command
from app.recorder import Recorder
from app.rescue import Rescue
from app.sound_check import SoundCheck
from app.user_words import UserWords
from app.version import version
from app.window_ports import RecorderPort
from tests.app.fake_engine import FakeEngine, FakeLoader, FakeVoices, VirtualClock
from tests.app.virtual_ends import VirtualEnds

MICROPHONE = DeviceRow("USB Headset", "ALSA", 1, 48000.0, is_default=True)
SPEAKER = DeviceRow("Monitor", "ALSA", 2, 44100.0)


class FakeDesk:
    def __init__(self) -> None:
        self.lists = DeviceLists(1, (MICROPHONE,), (SPEAKER,), DeviceRef(), DeviceRef(), "a note")
        self.asked: list[Any] = []

    def choose(self, direction: str, ref: DeviceRef) -> Future[str]:
        self.asked.append((direction, ref))
        return Future()

    def refresh(self) -> Future[str]:
        self.asked.append("refresh")
        return Future()


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    (tmp_path / "mine.yaml").write_text("")
    return config.load(tmp_path / "mine.yaml")


def test_devices_come_in_the_windows_words(settings: config.Settings) -> None:
    from ui.ports import DeviceChoice
    from ui.ports import DeviceRow as WindowRow

    desk = FakeDesk()
    port = DeskPort(desk, settings)  # type: ignore[arg-type]
    state = port.state()
    assert state.inputs == (WindowRow("USB Headset", "ALSA", 1, 48000.0, is_default=True),)
    assert state.outputs == (WindowRow("Monitor", "ALSA", 2, 44100.0),)
    assert (state.revision, state.note) == (1, "a note")
    assert port.state() is state  # asked 30 times a second
    port.choose("input", DeviceChoice("USB Headset", "ALSA"))
    port.refresh()
    assert desk.asked == [("input", DeviceRef("USB Headset", "ALSA")), "refresh"]


def test_device_choice_is_kept_once_it_is_in_use_and_taken_back_when_it_is_not(settings: config.Settings) -> None:
    """User report A3: kept by name and host API."""
    desk = FakeDesk()
    port = DeskPort(desk, settings)  # type: ignore[arg-type]
    port.state()
    assert settings.get("audio.input") == DeviceRef()
    desk.lists = desk.lists._replace(revision=2, input_choice=DeviceRef("USB Headset", "ALSA"))
    port.state()
    assert settings.get("audio.input") == DeviceRef("USB Headset", "ALSA")
    assert settings.get("audio.output") == DeviceRef()
    desk.lists = desk.lists._replace(revision=3, input_choice=DeviceRef())
    port.state()
    assert settings.get("audio.input") == DeviceRef()


def test_diagnostics_hold_what_helps_and_nothing_private(
    settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """User report U14: versions, model, devices, log lines; no prompt, no transcript, no token."""
    kept = diagnostics.LastLines()
    kept.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("parley")
    logger.addHandler(kept)
    monkeypatch.setattr(diagnostics, "ask_doctor", lambda: "torch 2.13, no GPU")
    clock = VirtualClock()
    conversation = Conversation(
        VirtualEnds(clock, 10),
        voices=FakeVoices(),
        load_engine=FakeLoader(FakeEngine(advance=clock.advance, text={2: 100})),
        thread_context=nullcontext,
        clock=clock,
    )

    class Sound:
        desk = FakeDesk()

        @staticmethod
        def status() -> AudioStatus:
            return AudioStatus(
                input_name="USB Headset", input_rate=48000.0, skipped=3, queued_ms=81.0, late_callbacks=4,
                gaps=5, margin_ms=35.0, play_queue_ms=96.0, shed_ms=1240.0, limited=7,
            )  # fmt: skip

    check = SoundCheck(lambda: VirtualEnds(clock, 10))
    rescue = Rescue(settings, conversation, kept)
    desktop = Desktop(
        settings, Sound(), FakeVoices(), conversation, kept, Recorder(), check, rescue, UserWords()  # type: ignore[arg-type]
    )  # fmt: skip
    try:
        assert "No model is loaded." in desktop.diagnostics().result(5)
        for number in range(300):
            logger.warning("line %d, asked with hf_abcdefGHIJKL0123456789", number)
        for command in (LoadModel(ModelSpec("mini")), StartTalk(PersonaChoice("NATF2", "I am a secret pirate."))):
            conversation.send(command)
        conversation.run(until_idle=True)
        text = desktop.diagnostics().result(5)
    finally:
        logger.removeHandler(kept)
    for wanted in ("Parley ", "Model: fake", "float32", "USB Headset, 48000 Hz", "torch 2.13"):
        assert wanted in text
    assert "Heard in this talk: 3 frames dropped, 81 ms waiting, 4 callbacks so late that sound was lost\n" in text
    assert "Played in this talk: 5 gaps, margin 35 ms, 96 ms waiting, 1240 ms left out to catch up, 7 samples l" in text
    assert "line 299, asked with [hidden]" in text
    assert "line 99," not in text
    assert "hf_" not in text
    assert "pirate" not in text
    assert "hello" not in text


def test_a_report_has_the_words_of_the_talk_only_where_the_user_ticked_it(
    settings: config.Settings, tmp_path: Path
) -> None:
    """By the engine's own failure; the records of the talk are in it either way, persona and sound never."""
    clock = VirtualClock()
    engine = FakeEngine(advance=clock.advance, text={2: 100})
    conversation = Conversation(
        VirtualEnds(clock, 10),
        voices=FakeVoices(),
        load_engine=FakeLoader(engine),
        thread_context=nullcontext,
        clock=clock,
    )
    rescue = Rescue(settings, conversation, diagnostics.LastLines())
    rescue.reports.folder = tmp_path / "crashes"
    texts = []
    for ticked in (False, True):
        engine.fail_at[8] = RuntimeError("a fault of the engine")
        assert settings.set("report.transcript", ticked) == ""
        for command in (LoadModel(ModelSpec("mini")), StartTalk(PersonaChoice("NATF2", "I am a secret pirate."))):
            conversation.send(command)
        conversation.run(until_idle=True)
        assert rescue.reports.last is not None
        texts.append(rescue.reports.last.read_text())
    assert len(list((tmp_path / "crashes").iterdir())) == 2
    for text in texts:
        assert "RuntimeError: a fault of the engine" in text
        assert "pirate" not in text
        frames = text.split(" frames ==\n")[1].splitlines()
        assert frames[0].split(",")[:3] == ["number", "clock_ns", "mode"]
        assert len(frames[1:]) >= 7
    assert ["hello" in text for text in texts] == [False, True]
    assert ["report.transcript" in text for text in texts] == [False, True], "the settings that differ"


def test_doctor_that_hangs_fails_or_is_missing_is_a_sentence() -> None:
    assert diagnostics.ask_doctor([sys.executable, "-c", "print('fine: é')"]).startswith("fine")
    assert "did not come back" in diagnostics.ask_doctor([sys.executable, "-c", "import time; time.sleep(9)"], 0.2)
    assert "could not be asked" in diagnostics.ask_doctor(["/no/such/program"])
    assert diagnostics.ask_doctor([sys.executable, "-c", ""]) == "The doctor said nothing."


def test_doctor_is_this_program_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From any folder, one with a module named as one of ours too."""
    (tmp_path / "app.py").write_text("raise SystemExit('a stranger')")
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []
    monkeypatch.setattr(diagnostics, "own_command", lambda *words: asked.extend(words) or own_command("--version"))
    assert diagnostics.ask_doctor() == f"parley {version()}"
    assert asked == ["doctor"]


def test_log_goes_to_memory_and_file_without_a_folder_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger("parley")
    before = list(logger.handlers)
    (tmp_path / "file").write_text("no folder")
    for folder in (tmp_path / "log", tmp_path / "file" / "log"):
        monkeypatch.setattr(diagnostics, "user_log_folder", lambda folder=folder: folder)
        with diagnostics.kept_log() as kept:
            logger.info("a line")
        assert kept.lines[-1].endswith("a line")
        assert logger.handlers == before
    assert "a line" in (tmp_path / "log" / "parley.log").read_text()


def test_recordings_go_where_the_settings_say(settings: config.Settings, tmp_path: Path) -> None:
    """User report U13: spaces, accents and "~" in a folder's name."""
    from app.paths import user_recording_folder

    recorder = Recorder()
    port = RecorderPort(recorder, settings)
    assert port.folder() == user_recording_folder()
    for written, meant in (("~/Träume und Pläne", Path.home() / "Träume und Pläne"), ("talks", Path.home() / "talks")):
        settings.set("record.folder", written)
        assert port.folder() == meant
    settings.set("record.folder", str(tmp_path / "talks"))
    settings.set("record.format", "flac")
    port.want(True)
    recorder.frame(np.zeros(1920, np.float32), np.zeros(1920, np.float32), 0)
    recorder.close()
    (path,) = (tmp_path / "talks").iterdir()
    assert path.suffix == ".flac"
    assert port.state().path == path
    settings.flush()
