"""A microphone and a loudspeaker on scripted devices in virtual time: what works, and what is said when it does not."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from app.devices import DeviceRef
from app.errors import UserError
from app.ring import FRAME
from tests.app.fake_portaudio import FakeDevice, SoundRig, heard, loudspeaker, microphone, tone

FULL = 48000


def frequency(signal: np.ndarray, rate: float) -> float:
    """Of a tone, by the peak of its spectrum between bins."""
    spectrum = np.abs(np.fft.rfft(signal * np.hanning(len(signal))))
    k = int(spectrum[1:].argmax()) + 1
    a, b, c = np.log(spectrum[k - 1 : k + 2] + 1e-12)
    return float((k + 0.5 * (a - c) / (a - 2 * b + c)) * rate / len(signal))


def kinds(rig: SoundRig) -> list[str]:
    return [trouble.kind for trouble in rig.audio.status().troubles]


def sentences(rig: SoundRig) -> str:
    return " ".join(trouble.sentence for trouble in rig.audio.status().troubles)


# ---------------------------------------------------------------- it works


def test_an_echo_comes_out_whole_and_the_measured_latency_is_the_true_one():
    mic, speaker = microphone(signal=tone(440), delay_s=0.015), loudspeaker(delay_s=0.025)
    rig = SoundRig(mic, speaker)
    rig.audio.open()
    rig.run(3.0)
    status = rig.audio.status()
    assert status.gaps == status.skipped == status.late_callbacks == 0
    assert (status.input_name, status.output_name) == ("Microphone", "Loudspeaker")
    assert len(rig.frames) == pytest.approx(3.0 / 0.08, abs=2)
    out = heard(speaker)
    # The block fired at t is heard from t + delay on; the first block fires one period after the opening at 1000 s.
    start = len(out) - 4800
    true = 1000 + 0.02 + 0.025 + np.arange(start, len(out)) / FULL
    shifts = status.mic_to_speaker_ms / 1e3 + np.arange(-1e-3, 1e-3, 2e-5)  # a period is 2.3 ms
    best = max(shifts, key=lambda shift: float(np.dot(out[start:], tone(440)(true - shift))))
    assert best * 1e3 == pytest.approx(status.mic_to_speaker_ms, abs=0.3)
    assert 120 < status.mic_to_speaker_ms < 250
    rig.audio.close()
    assert rig.portaudio.streams == []


def test_latency_is_measured_by_the_streams_own_word_when_the_drivers_times_are_nonsense():
    rig = SoundRig(microphone(signal=tone(440), honest_times=False), loudspeaker(honest_times=False))
    rig.audio.open()
    rig.run(2.0)
    assert 120 < rig.audio.status().mic_to_speaker_ms < 250


def test_muted_frames_are_zeros_while_time_goes_on():
    """User report U9; and what was said while muted does not come out afterwards."""
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.run(1.0)
    rig.audio.muted = True
    rig.run(0.3)
    del rig.frames[:]
    rig.run(10.0)
    assert len(rig.frames) == 125
    assert not any(frame.any() for frame in rig.frames)
    assert rig.audio.status().input_dbfs > -12  # the meter still shows the microphone
    rig.audio.muted = False
    unmuted_at = rig.portaudio.now
    del rig.frames[:], rig.times[:]
    rig.run(0.3)
    first = next(index for index, frame in enumerate(rig.frames) if frame.any())
    spoken_at = rig.times[first] + np.flatnonzero(rig.frames[first])[0] / 24000
    assert spoken_at > unmuted_at - 0.06  # a block that was on its way, and no more
    assert rig.frames[-1].any()


@pytest.mark.parametrize("muted_s", [60.0, pytest.param(300.0, marks=pytest.mark.long)])
def test_latency_after_a_long_mute_is_what_it_was(muted_s):
    """User report A18, sample by sample in virtual time."""
    rate = {"default_rate": 24000.0}
    rig = SoundRig(microphone(signal=tone(440), **rate), loudspeaker(**rate), block_ms=40)
    rig.audio.open()
    rig.run(5.0)
    before = rig.audio.status().mic_to_speaker_ms
    rig.audio.muted = True
    rig.run(muted_s)
    rig.audio.muted = False
    rig.run(1.0)
    assert rig.audio.status().mic_to_speaker_ms == pytest.approx(before, abs=20)
    assert rig.audio.status().gaps == rig.audio.status().skipped == 0


def test_a_talk_opened_while_muted_stays_silent():
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.muted = True
    rig.audio.open()
    rig.run(1.0)
    assert not any(frame.any() for frame in rig.frames)


def test_a_stalled_engine_finds_the_newest_sound():
    """User report R7: an engine that was away for 4 s gets two frames, the rest is counted."""
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.run(4.0, answer=None)
    rig.run(0.01)
    assert len(rig.frames) == 2
    status = rig.audio.status()
    assert status.skipped in (47, 48)  # fifty less two, less the one still being recorded
    assert rig.times[0] == pytest.approx(rig.portaudio.now - 0.2, abs=0.08)


def test_devices_with_other_channel_counts_work():
    mic, speaker = FakeDevice("Array", inputs=4, signal=tone(440)), FakeDevice("Mono", outputs=1)
    rig = SoundRig(mic, speaker)
    rig.audio.open()
    rig.run(1.0)
    assert np.max(np.abs(heard(speaker))) == pytest.approx(0.3, abs=0.02)


# ---------------------------------------------------------------- rates


@pytest.mark.parametrize("code", [-9996, -9997])
def test_a_refused_rate_is_followed_by_the_next(code):
    """User report A6: a device that refuses one rate (some say "invalid device") is opened at one that it takes."""
    picky = {"default_rate": 24000.0, "rates": (48000.0,), "rate_error": code}
    mic, speaker = microphone(signal=tone(440), **picky), loudspeaker(**picky)
    rig = SoundRig(mic, speaker)
    rig.audio.open()
    status = rig.audio.status()
    assert (status.input_rate, status.output_rate) == (48000.0, 48000.0)
    rig.run(2.0)
    assert frequency(heard(speaker)[-FULL:], 48000) == pytest.approx(440, abs=1)


@pytest.mark.parametrize("rate", [16000.0, 24000.0, 44100.0, 96000.0])
def test_any_device_rate_sounds_right(rate):
    mic, speaker = microphone(signal=tone(440), default_rate=rate), loudspeaker(default_rate=rate)
    rig = SoundRig(mic, speaker)
    rig.audio.open()
    rig.run(2.0)
    assert rig.audio.status().output_rate == rate
    assert frequency(heard(speaker)[-int(rate) :], rate) == pytest.approx(440, abs=1)
    assert rig.audio.status().gaps == 0


def test_opening_a_headsets_microphone_changes_its_loudspeakers_rate():
    """User report A9: the rate is asked after the microphone is open."""
    speaker = loudspeaker("Headset", default_rate=48000.0, rates=(48000.0,))

    def flip() -> None:
        speaker.default_rate, speaker.rates = 16000.0, (16000.0,)

    mic = microphone("Headset", signal=tone(440), on_open=flip)
    rig = SoundRig(mic, speaker)
    rig.audio.open()
    rig.run(2.0)
    assert rig.audio.status().output_rate == 16000.0
    assert frequency(heard(speaker)[-16000:], 16000) == pytest.approx(440, abs=2)


def test_a_loudspeaker_that_runs_at_another_rate_than_it_says_is_opened_again():
    """User report A9, where the driver still accepts the old rate: playback three times too slow is found out."""
    speaker = loudspeaker("Headset", default_rate=48000.0)
    mic = microphone("Headset", signal=tone(440), on_open=lambda: setattr(speaker, "true_rate", 16000.0))
    rig = SoundRig(mic, speaker)
    rig.audio.open()
    assert rig.audio.status().output_rate == 48000.0
    rig.run(4.0)
    assert rig.audio.status().output_rate == 16000.0
    del speaker.heard[:]
    rig.run(1.5)
    assert frequency(heard(speaker)[-16000:], 16000) == pytest.approx(440, abs=2)
    assert kinds(rig) == []


# ---------------------------------------------------------------- trouble at the start


HOST_WORDS = ("Unanticipated host error", -9999, (0, 5, "access denied"))


def failing_rigs() -> dict[str, SoundRig]:
    """Every way in which Start can fail."""
    return {
        "no device": SoundRig(FakeDevice("Modem")),
        "no microphone": SoundRig(loudspeaker()),
        "no loudspeaker": SoundRig(microphone()),
        "microphone busy": SoundRig(microphone(open_error=("Device unavailable", -9985)), loudspeaker()),
        "microphone inside": SoundRig(microphone(open_error=("Internal PortAudio error", -9986)), loudspeaker()),
        "microphone refused": SoundRig(microphone(open_error=HOST_WORDS), loudspeaker()),
        "microphone rates": SoundRig(microphone(rates=(11025.0,)), loudspeaker()),
        "microphone start": SoundRig(microphone(start_error=("Device unavailable", -9985)), loudspeaker()),
        "loudspeaker busy": SoundRig(microphone(), loudspeaker(open_error=("Device unavailable", -9985))),
        "loudspeaker start": SoundRig(microphone(), loudspeaker(start_error=("Wait timed out", -9987))),
    }


def test_every_failed_start_says_why_in_words_of_its_own_and_can_be_tried_again():
    """User reports U8 and A11: distinct sentences, nothing left open, and Start works once the fault is gone."""
    said = {}
    for fault, rig in failing_rigs().items():
        with pytest.raises(UserError) as refused:
            rig.audio.open()
        said[fault] = str(refused.value)
        assert rig.portaudio.streams == [], fault
        assert rig.audio.status().input_rate == 0.0
        rig.audio.close()
        rig.portaudio.plugged = [microphone("New microphone"), loudspeaker("New loudspeaker")]
        rig.portaudio._initialize()
        rig.audio.open()
        rig.run(0.5)
        assert rig.frames, fault
        rig.audio.close()
    assert len(set(said.values())) == len(said) - 1  # no device at all: the microphone is what is missed first
    assert said["no device"] == said["no microphone"]
    for sentence in said.values():
        assert sentence.endswith(".")
        assert "Traceback" not in sentence
        assert "-99" not in sentence
    assert "access denied" in said["microphone refused"]


@pytest.mark.parametrize("chosen", [DeviceRef(), DeviceRef("Microphone", "ALSA")])
def test_a_list_grown_old_is_not_blamed_on_the_device(chosen: DeviceRef):
    """The sound server ended between two talks: PortAudio still lists its devices, and ALSA's word for each that does
    not open is "bad combination of devices"."""
    rig = SoundRig(microphone(), loudspeaker(), input=chosen)
    rig.audio.open()
    rig.audio.close()
    devices, rig.portaudio.plugged = rig.portaudio.plugged, []
    for device in devices:
        device.open_error = ("Illegal combination of I/O devices", -9993)
    with pytest.raises(UserError, match=r"^No microphone was found: .*sound server runs"):
        rig.audio.open()
    assert rig.desk.lists.inputs == ()
    rig.portaudio.plugged = devices
    rig.portaudio.calls.clear()
    with pytest.raises(UserError, match=r'The microphone "Microphone" could not be opened: check that it is plugged'):
        rig.audio.open()  # listed, and still refused: nothing is opened twice
    assert sum(call.startswith("open input") for call in rig.portaudio.calls) == 1
    for device in devices:
        device.open_error = None
    rig.audio.open()
    rig.run(0.5)
    assert rig.frames


def test_the_microphone_is_closed_when_the_loudspeaker_fails():
    """User report A11: nothing half-started stays behind."""
    rig = failing_rigs()["loudspeaker start"]
    with pytest.raises(UserError):
        rig.audio.open()
    assert "close input Microphone" in rig.portaudio.calls
    assert "close output Loudspeaker" in rig.portaudio.calls


def test_a_device_that_appears_after_the_start_of_the_program_is_found():
    """User reports A25 and A1: PortAudio's list is stale until it is initialised anew."""
    rig = SoundRig(FakeDevice("Modem"))
    rig.portaudio.plugged += [microphone("Headset"), loudspeaker("Headset")]
    rig.audio.open()
    rig.run(0.5)
    assert rig.frames
    assert rig.audio.status().input_name == "Headset"


def test_a_driver_that_hangs_holds_nobody_up(monkeypatch):
    """One sentence after the time limit, and at once from then on; what opens late is closed again."""
    monkeypatch.setattr("app.sound_desk.OPEN_LIMIT_S", 0.1)
    monkeypatch.setattr("app.sound_desk.CLOSE_LIMIT_S", 0.1)
    rig = SoundRig()
    rig.portaudio.hang = threading.Event()
    with pytest.raises(UserError, match="did not answer within"):
        rig.audio.open()
    with pytest.raises(UserError, match="still hangs"):
        rig.audio.open()
    rig.audio.close()
    assert "still hangs" in rig.refresh()
    rig.portaudio.hang.set()
    rig.portaudio.hang = None
    while rig.desk._thread.stuck:
        threading.Event().wait(0.005)
    assert rig.portaudio.streams == []
    rig.audio.open()
    rig.run(0.5)
    assert rig.frames


# ---------------------------------------------------------------- trouble in a talk


def test_an_unplugged_device_pauses_the_talk_and_looking_again_goes_on():
    mic = microphone(signal=tone(440))
    rig = SoundRig(mic, loudspeaker())
    rig.audio.open()
    rig.run(1.0)
    rig.portaudio.unplug(mic)
    rig.run(0.1)
    before = len(rig.frames)
    rig.run(2.0)
    assert len(rig.frames) == before
    assert rig.audio.read_frame(0) is None
    assert kinds(rig) == ["audio-input"]
    assert "gone" in sentences(rig)
    assert rig.portaudio.streams == []  # the loudspeaker is closed too
    assert "microphone" in rig.refresh()  # nothing to go on with: said, and the talk still waits
    assert "talk waits" in sentences(rig)
    rig.portaudio.plugged.append(mic)
    assert rig.refresh() == ""
    rig.run(1.0)
    assert len(rig.frames) >= before + 10
    assert kinds(rig) == []
    assert rig.audio.status().gaps == 0  # the trouble was told as trouble


def test_another_device_can_be_chosen_in_a_talk():
    other = loudspeaker("Headphones")
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker(), other)
    rig.audio.open()
    rig.run(1.0)
    assert rig.choose("output", "Headphones") == ""
    rig.run(1.0)
    assert np.max(np.abs(heard(other))) > 0.2
    assert rig.desk.lists.output_choice == DeviceRef("Headphones", "ALSA")


def test_looking_again_in_a_talk_finds_the_new_device_and_the_talk_goes_on():
    """User report A1: the streams stop for it, and nothing is wrong afterwards."""
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.run(1.0)
    rig.portaudio.plugged.append(microphone("Studio", signal=tone(880)))
    rig.settle()
    assert "Studio" not in [row.name for row in rig.desk.lists.inputs]
    talk, frames = rig.audio._talk, len(rig.frames)
    assert rig.refresh() == ""
    assert "close input Microphone" in rig.portaudio.calls
    assert "Studio" in [row.name for row in rig.desk.lists.inputs]
    rig.run(1.0)
    assert kinds(rig) == []
    assert rig.audio._talk is talk
    assert len(rig.frames) >= frames + 10
    assert rig.audio.status().input_name == "Microphone", "what was in use stays in use"
    assert frequency(np.concatenate(rig.frames[-8:]), 24000) == pytest.approx(440, abs=3)


def test_a_choice_that_fails_is_taken_back():
    rig = SoundRig(
        microphone(signal=tone(440)), loudspeaker(), loudspeaker("Busy", open_error=("Device unavailable", -9985))
    )
    rig.audio.open()
    rig.run(0.5)
    revision = rig.desk.lists.revision
    assert "in use by another program" in rig.choose("output", "Busy")
    assert rig.desk.lists.output_choice == DeviceRef()
    assert rig.desk.lists.revision > revision
    before = len(rig.frames)
    rig.run(0.5)
    assert len(rig.frames) > before
    assert rig.audio.status().output_name == "Loudspeaker"


def test_an_absent_device_is_replaced_by_the_default_and_that_is_said():
    """User report A3: never switched silently."""
    rig = SoundRig(input=DeviceRef("USB Headset", "ALSA"))
    rig.audio.open()
    assert rig.audio.status().input_name == "Microphone"
    assert kinds(rig) == ["audio-input"]
    assert "USB Headset" in sentences(rig)
    assert "Microphone" in sentences(rig)


def test_digital_silence_is_told_from_a_quiet_room():
    """User report A10: three seconds of exact zeros; noise at -80 dBFS is no reason."""
    noise = np.random.default_rng(1)
    quiet = SoundRig(microphone(signal=lambda t: (1e-4 * noise.standard_normal(len(t))).astype(np.float32)))
    quiet.portaudio.plugged.append(loudspeaker())
    quiet.portaudio._initialize()
    quiet.audio.open()
    quiet.run(4.0)
    assert kinds(quiet) == []
    mic = microphone()
    rig = SoundRig(mic, loudspeaker())
    rig.audio.open()
    rig.run(2.9)
    assert kinds(rig) == []
    rig.run(0.3)
    assert kinds(rig) == ["audio-input"]
    assert "digital silence" in sentences(rig)
    mic.signal = tone(440)
    rig.run(0.2)
    assert kinds(rig) == []


@pytest.mark.parametrize("direction", ["input", "output"])
def test_silent_callbacks_are_noticed(direction):
    """User report A29: callbacks stop and nothing else happens: said within 2 s, taken back when they return."""
    mic, speaker = microphone(signal=tone(440)), loudspeaker()
    rig = SoundRig(mic, speaker)
    rig.audio.open()
    rig.run(1.0)
    device = mic if direction == "input" else speaker
    device.paused = True
    rig.run(1.5)
    assert kinds(rig) == [f"audio-{direction}"]
    assert "stalled" in sentences(rig)
    device.paused = False
    rig.run(1.0)
    assert kinds(rig) == []


def test_a_delayed_callback_is_counted_by_our_own_clock():
    """User report A15: a callback one second late, although the driver reports nothing."""
    mic = microphone(signal=tone(440))
    rig = SoundRig(mic, loudspeaker())
    rig.audio.open()
    rig.run(1.0)
    assert rig.audio.status().late_callbacks == 0
    mic.paused = True
    rig.run(1.0)
    mic.paused = False
    rig.run(0.1)
    assert rig.audio.status().late_callbacks == 1
    assert rig.audio.status().callback_late_ms > 900
    rig.run(1.0)
    assert rig.audio.status().late_callbacks == 1
    assert rig.audio.status().callback_late_ms < 1


def test_a_driver_that_hands_out_garbage_does_no_harm():
    rng = np.random.default_rng(0)

    def garbage(seconds: np.ndarray) -> np.ndarray:
        return np.where(rng.random(len(seconds)) < 0.1, np.nan, np.float32(1e30)).astype(np.float32)

    rig = SoundRig(microphone(signal=garbage), loudspeaker())
    rig.audio.open()
    rig.run(0.5)
    assert all(np.isfinite(frame).all() for frame in rig.frames)


def test_an_error_in_the_audio_thread_is_told_and_can_be_got_over():
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.run(0.5)
    rig.threads[-1].failed(RuntimeError("a fault of the program"))
    rig.settle()
    assert "error inside Parley" in sentences(rig)
    assert rig.refresh() == ""
    before = len(rig.frames)
    rig.run(0.5)
    assert len(rig.frames) > before
    assert kinds(rig) == []


def test_what_was_queued_before_a_loss_is_not_heard_after_it():
    speaker = loudspeaker()
    rig = SoundRig(microphone(signal=tone(440)), speaker)
    rig.audio.open()
    rig.run(1.0)
    rig.portaudio.unplug(speaker)
    rig.settle()
    rig.audio.write_frame(np.ones(FRAME, np.float32))
    rig.portaudio.plugged.append(speaker)
    rig.refresh()
    del speaker.heard[:]
    rig.run(0.3)
    assert np.max(np.abs(heard(speaker))) < 0.35


def test_a_waiting_engine_is_woken_by_the_frame():
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.open()
    rig.run(0.04, answer=None)
    got: list[object] = []
    waiting = threading.Thread(target=lambda: got.append(rig.audio.read_frame(10.0)))
    waiting.start()
    rig.run(0.2, answer=None)
    waiting.join(5)
    assert not waiting.is_alive()
    assert got[0] is not None


def test_nothing_is_asked_of_the_driver_for_the_status():
    rig = SoundRig(microphone(signal=tone(440)), loudspeaker())
    rig.audio.open()
    calls = len(rig.portaudio.calls)
    rig.audio.status()
    assert rig.desk.lists.inputs[0].name == "Microphone"
    assert len(rig.portaudio.calls) == calls
