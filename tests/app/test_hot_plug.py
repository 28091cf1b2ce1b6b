"""Devices that come and go in a talk: it waits, says so, and goes on with the very device that was in use."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from app.devices import DeviceRef
from app.ring import FRAME, SampleRing
from tests.app.fake_portaudio import SoundRig, heard, loudspeaker, microphone, tone
from tests.app.test_device_audio import frequency, kinds, sentences


def headset_rig() -> SoundRig:
    """A headset in use, and the computer's own devices beside it."""
    rig = SoundRig(
        microphone("Built-in", signal=tone(300)),
        microphone("Headset", signal=tone(440)),
        loudspeaker("Built-in"),
        loudspeaker("Headset"),
        input=DeviceRef("Headset", "ALSA"),
        output=DeviceRef("Headset", "ALSA"),
    )
    rig.audio.open()
    rig.run(1.0)
    return rig


def pull(rig: SoundRig, *names: str) -> list:
    """Unplugs devices; they are returned."""
    gone = [device for device in rig.portaudio.plugged if device.name in names]
    for device in gone:
        rig.portaudio.unplug(device)
    rig.settle()
    return gone


def test_the_same_device_coming_back_goes_on_by_itself():
    """User reports A1 and A3: under another number, in the same talk, with what it counted."""
    rig = headset_rig()
    gone = pull(rig, "Headset")
    rig.run(6.0)
    assert kinds(rig) != []
    assert "goes on by itself" in sentences(rig)
    assert rig.portaudio.streams == []
    frames, talk = len(rig.frames), rig.audio._talk
    rig.portaudio.plugged = [loudspeaker("Monitor"), *gone, *rig.portaudio.plugged]
    rig.run(4.0)
    assert kinds(rig) == []
    assert len(rig.frames) > frames + 10
    assert rig.audio._talk is talk
    status = rig.audio.status()
    assert (status.input_name, status.output_name) == ("Headset", "Headset")
    assert frequency(np.concatenate(rig.frames[-12:]), 24000) == pytest.approx(440, abs=3)


def test_another_device_is_never_taken_unasked():
    """User report A3: half a minute without the headset, and the built-in devices stay silent until chosen."""
    rig = headset_rig()
    pull(rig, "Headset")
    rig.run(30.0)
    built_in = next(device for device in rig.portaudio.plugged if device.name == "Built-in" and device.outputs)
    assert built_in.heard == []
    frames = len(rig.frames)
    assert rig.choose("output", "Built-in") == ""  # the microphone is still missing, so the default is named
    assert "Headset" in sentences(rig)
    assert rig.choose("input", "Built-in") == ""
    rig.run(1.0)
    assert kinds(rig) == []
    assert len(rig.frames) > frames + 8


def test_one_device_of_two_coming_back_is_not_enough():
    rig = headset_rig()
    gone = pull(rig, "Headset")
    rig.portaudio.plugged.append(next(device for device in gone if device.inputs))
    rig.run(8.0)
    assert rig.portaudio.streams == []
    rig.portaudio.plugged.append(next(device for device in gone if device.outputs))
    rig.run(6.0)
    assert rig.audio.status().output_name == "Headset"


def test_the_systems_default_is_waited_for_by_its_name():
    """The default was in use without being chosen: another default that appears meanwhile is another device."""
    rig = SoundRig(microphone("Desk", signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.run(0.5)
    desk = pull(rig, "Desk")[0]
    rig.portaudio.plugged.append(microphone("Webcam", signal=tone(300)))
    rig.run(10.0)
    assert rig.portaudio.streams == []
    rig.portaudio.plugged.append(desk)
    rig.run(6.0)
    assert rig.audio.status().input_name == "Desk"
    assert rig.desk.lists.input_choice == DeviceRef()  # the choice itself is as it was


def test_a_device_that_is_busy_when_it_returns_is_tried_again():
    rig = headset_rig()
    gone = pull(rig, "Headset")
    for device in gone:
        device.open_error = ("Device unavailable", -9985)
    rig.portaudio.plugged += gone
    rig.run(6.0)
    assert rig.portaudio.streams == []
    for device in gone:
        device.open_error = None
    rig.run(6.0)
    assert rig.audio.status().input_name == "Headset"
    assert kinds(rig) == []


def test_looking_for_it_grows_rare_and_ends_with_the_talk():
    rig = headset_rig()
    pull(rig, "Headset")
    before = rig.portaudio.calls.count("initialise")
    rig.run(60.0)
    looks = rig.portaudio.calls.count("initialise") - before
    assert 10 <= looks <= 18
    rig.audio.close()
    rig.run(20.0, answer=None)
    assert rig.portaudio.calls.count("initialise") == before + looks
    assert rig.portaudio.streams == []


def test_a_device_that_moves_no_sound_is_opened_anew():
    """User report A29: callbacks stop and never return by themselves, as after a suspended laptop."""
    rig = headset_rig()
    mic = next(device for device in rig.portaudio.plugged if device.name == "Headset" and device.inputs)
    mic.paused = True
    rig.run(5.5)
    assert "moves no sound" in sentences(rig)
    mic.paused = False
    frames = len(rig.frames)
    rig.run(3.0)
    assert kinds(rig) == []
    assert len(rig.frames) > frames + 10


def test_a_headset_that_changes_its_rate_again_and_again_is_followed():
    """User report A9: 48 kHz, 16 kHz while its microphone is open, and back."""
    speaker = loudspeaker("Headset", default_rate=48000.0)
    rig = SoundRig(microphone("Headset", signal=tone(440)), speaker)
    rig.audio.open()
    for rate in (16000.0, 48000.0):
        speaker.true_rate = rate
        rig.run(4.0)
        assert rig.audio.status().output_rate == rate
        del speaker.heard[:]
        rig.run(1.5)
        assert frequency(heard(speaker)[-int(rate) :], rate) == pytest.approx(440, abs=2)
    assert kinds(rig) == []


def test_what_was_answered_before_the_loss_is_not_played_after_it():
    rig = headset_rig()
    gone = pull(rig, "Headset")
    rig.audio.write_frame(np.ones(FRAME, np.float32))
    for device in gone:
        device.heard.clear()
    rig.portaudio.plugged += gone
    rig.run(3.0)
    assert np.max(np.abs(heard(next(device for device in gone if device.outputs)))) < 0.35


@pytest.mark.parametrize("direction", ["input", "output"])
def test_a_callback_that_fails_is_as_a_loss_and_the_talk_goes_on(
    direction: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.run(1.0)
    failed: list[int] = []

    def failing(self: object, block: np.ndarray) -> int:
        failed.append(1)
        raise IndexError("a fault in a callback")

    name = {"input": "write", "output": "read_into"}[direction]
    with monkeypatch.context() as broken:
        broken.setattr(SampleRing, name, failing)
        rig.portaudio.advance(rig.portaudio.now + 0.05)
        rig.settle()
    assert failed == [1], "its stream ends with the first one"
    assert "is gone" in sentences(rig)
    assert "a fault in a callback" in caplog.text
    frames = len(rig.frames)
    rig.run(4.0)
    assert kinds(rig) == []
    assert len(rig.frames) > frames + 10


def test_a_lost_session_lets_go_of_its_megabytes_at_once():
    """Without waiting for the collector of rings of references, which counts objects and comes after hours."""
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.run(1.0)
    lost = rig.desk._session
    assert lost is not None
    middle, queued = weakref.ref(lost._middle), lost.state
    assert middle() is not None
    gc.collect()
    gc.disable()
    try:
        gone = pull(rig, "Microphone")
        assert middle() is None
    finally:
        gc.enable()
    assert type(lost.state) is type(queued), "the last state stays readable"
    rig.portaudio.plugged += gone
    rig.run(4.0)
    assert kinds(rig) == []
