"""The way of the talk key and of the sound's switches from the window to the audio ends."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from app import config
from app.audio import DeviceAudio
from app.conversation import Conversation
from app.messages import HoldTalkKey
from app.recorder import Recorder
from app.sound_check import SoundCheck
from app.talk_ends import TalkEnds
from tests.app.fake_engine import FakeEngine, FakeLoader, FakeVoices, VirtualClock
from tests.app.fake_portaudio import SoundRig
from tests.app.virtual_ends import VirtualEnds


def conversation(ends: VirtualEnds, clock: VirtualClock) -> Conversation:
    loader = FakeLoader(FakeEngine(advance=clock.advance))
    return Conversation(ends, voices=FakeVoices(), load_engine=loader, thread_context=nullcontext, clock=clock)


def test_the_talk_key_acts_at_once_and_says_nothing() -> None:
    """User report U9: like mute it does not wait behind a long load; the engine thread does not even run here."""
    clock = VirtualClock()
    ends = VirtualEnds(clock, 10)
    made = conversation(ends, clock)
    made.send(HoldTalkKey(True))
    assert ends.talk_key_held
    made.send(HoldTalkKey(False))
    assert not ends.talk_key_held
    assert made.events() == []


def test_the_talk_key_reaches_the_devices_through_whatever_listens_at_them() -> None:
    audio = SoundRig(talk_key_mode="push").audio
    ends = TalkEnds(audio, Recorder(), SoundCheck(lambda: audio))
    ends.talk_key_held = True
    assert audio.talk_key_held
    assert ends.talk_key_held
    audio.open()
    assert audio.status().hearing


def test_a_changed_setting_reaches_the_sound_at_once(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("")
    settings = config.load(tmp_path / "mine.yaml")
    audio = DeviceAudio(settings.config.audio, SoundRig().desk)
    settings.follow(lambda: setattr(audio, "settings", settings.config.audio))
    for key, value in (("audio.echo", "off"), ("audio.auto_gain", True), ("audio.talk_key_mode", "push")):
        assert settings.set(key, value) == ""
    assert (audio.settings.echo, audio.settings.auto_gain) == ("off", True)
    assert not audio.status().hearing
    assert settings.set("audio.echo", "loud") != ""
    assert audio.settings.echo == "off"
    settings.flush()
