"""Devices by name: which are shown and which is meant, PortAudio's refusals in words, and a thread that may hang."""

from __future__ import annotations

import sys
import threading
import time
from types import ModuleType

import pytest

from app.device_thread import DeviceThread, DriverSilent
from app.devices import DeviceRef, found_devices, opening_rates, plain_name, resolve
from app.portaudio import REASONS, PortAudio, SoundProblem, error_code, list_devices, open_problem, start_problem
from tests.app.fake_portaudio import FakeDevice, FakePortAudio, PortAudioError, loudspeaker, microphone

WINDOWS_APIS = ("MME", "Windows DirectSound", "Windows WASAPI", "Windows WDM-KS")


def found(direction: str, *devices: FakeDevice, **defaults: str):
    module = FakePortAudio(*devices)
    module.defaults = defaults
    return found_devices(module.query_devices(), module.query_hostapis(), direction)


def windows_computer() -> list[FakeDevice]:
    """Fifteen endpoints, each through four host APIs, with names cut off by MME: sixty entries."""
    inputs = [f"Microphone {n} (Studio Interface with a Long Name)" for n in range(6)]
    outputs = [f"Speakers {n} (Studio Interface with a Long Name)" for n in range(9)]
    devices = []
    for api in WINDOWS_APIS:
        for name in inputs:
            devices.append(FakeDevice(name[:31] if api == "MME" else name, api, inputs=2))
        for name in outputs:
            devices.append(FakeDevice(name[:31] if api == "MME" else name, api, outputs=2))
    return devices


# ---------------------------------------------------------------- listing


def test_sixty_entries_of_four_host_apis_are_fifteen_rows():
    """User report A27: grouped, without repetitions, the default first."""
    computer = windows_computer()
    assert len(computer) == 60
    shown = []
    for direction, default in (("input", "Microphone 3 (Studio Interface with a Long Name)"), ("output", "")):
        rows = [device.row for device in found(direction, *computer, **{direction: default})]
        assert len(rows) == 4 * (6 if direction == "input" else 9)
        assert rows[0].is_default
        assert rows[0].host_api == "Windows WASAPI"
        assert sum(row.is_default for row in rows) == 1
        shown += [row for row in rows if not row.duplicate]
        assert [row.duplicate for row in rows] == sorted(row.duplicate for row in rows)
    assert len(shown) == 15
    assert {row.host_api for row in shown} == {"Windows WASAPI"}


def test_a_lesser_host_api_is_offered_when_it_is_the_only_one():
    rows = [d.row for d in found("input", FakeDevice("Microphone", "MME", inputs=1))]
    assert [(row.name, row.duplicate) for row in rows] == [("Microphone", False)]


def test_alsa_plugins_are_hidden_and_cards_are_shown():
    names = ["HDA Intel: ALC257 Analog (hw:0,0)", "sysdefault", "front", "surround51", "dmix", "default", "Virtual mic"]
    devices = [FakeDevice(name, inputs=2, outputs=2) for name in names]
    rows = [device.row for device in found("output", *devices, output="default")]
    assert [row.name for row in rows if not row.duplicate] == ["default", names[0], "Virtual mic"]
    assert len(rows) == len(names)


def test_rows_hold_what_the_direction_has():
    device = FakeDevice("Headset", inputs=1, outputs=2, default_rate=44100.0)
    assert found("input", device)[0].row.channels == 1
    assert found("output", device)[0].row.channels == 2
    assert found("output", device)[0].row.rate_hz == 44100.0
    assert found("input", loudspeaker()) == ()


def test_the_list_command_never_raises():
    lists = list_devices(PortAudio(lambda: FakePortAudio(microphone(), loudspeaker())))
    assert [row.name for row in lists.inputs] == ["Microphone"]
    assert lists.note == ""
    assert "No sound device" in list_devices(PortAudio(FakePortAudio)).note
    assert "microphone" in list_devices(PortAudio(lambda: FakePortAudio(loudspeaker()))).note
    assert "loudspeaker" in list_devices(PortAudio(lambda: FakePortAudio(microphone()))).note


# ---------------------------------------------------------------- resolution


def test_a_saved_device_is_found_at_another_number():
    """User report A3: after replugging it is number 9, and number 7 is the monitor."""
    devices = [FakeDevice(f"Other {n}", "Windows WASAPI", outputs=2) for n in range(7)]
    devices += [FakeDevice("Monitor", "Windows WASAPI", outputs=2), FakeDevice("Dock", "Windows WASAPI", outputs=2)]
    devices += [FakeDevice("USB Headset", "Windows WASAPI", outputs=2)]
    here = found("output", *devices)
    resolved = resolve(here, DeviceRef("USB Headset", "Windows WASAPI"))
    assert resolved is not None
    assert (resolved.device.index, resolved.device.row.name, resolved.fallback) == (9, "USB Headset", False)
    absent = resolve(here[:-1], DeviceRef("Old Headset", "Windows WASAPI"))
    assert absent is not None
    assert absent.fallback
    assert absent.device.row.is_default


def test_the_same_hardware_is_known_under_another_number_or_host_api():
    card = FakeDevice("USB Audio: - (hw:2,0)", inputs=1)
    saved = DeviceRef("USB Audio: - (hw:1,0)", "ALSA")
    resolved = resolve(found("input", microphone(), card), saved)
    assert resolved is not None
    assert (resolved.device.row.name, resolved.fallback) == (card.name, False)
    full = FakeDevice("Headset Microphone (USB Audio Device)", "Windows WASAPI", inputs=1)
    saved = DeviceRef("Headset Microphone (USB Audio D", "MME")
    resolved = resolve(found("input", FakeDevice("Other", "Windows WASAPI", inputs=1), full), saved)
    assert resolved is not None
    assert (resolved.device.row.name, resolved.fallback) == (full.name, False)


def test_a_default_is_chosen_where_nothing_is_called_default():
    """User report A5: a list as on Windows, in which no device has that name."""
    here = found("input", *windows_computer())
    resolved = resolve(here, DeviceRef())
    assert resolved is not None
    assert resolved.device.row.host_api == "Windows WASAPI"
    assert not resolved.fallback


def test_a_device_is_chosen_when_no_host_api_names_a_default():
    module = FakePortAudio(loudspeaker("A"), loudspeaker("B"))
    apis = [api | {"default_output_device": -1} for api in module.query_hostapis()]
    here = found_devices(module.query_devices(), apis, "output")
    resolved = resolve(here, DeviceRef())
    assert resolved is not None
    assert resolved.device.row.name == "A"
    assert resolve((), DeviceRef()) is None


def test_plain_names():
    assert plain_name("USB Audio: - (hw:1,0)") == plain_name("usb audio: -")
    assert plain_name("Speakers (A very long product name)") == plain_name("Speakers (A very long product n")


def test_a_devices_own_rate_is_tried_first():
    row = found("input", microphone(default_rate=44100.0))[0].row
    assert opening_rates(row)[:2] == (44100.0, 48000.0)
    server = found("input", microphone("default", default_rate=44100.0))[0].row
    assert opening_rates(server)[0] == 48000.0  # its 44,100 says nothing about the hardware
    assert len(set(opening_rates(row))) == len(opening_rates(row))


# ---------------------------------------------------------------- words


def test_every_refusal_has_a_sentence_of_its_own_with_one_remedy():
    """User report U8."""
    sentences = set()
    for code in REASONS:
        for direction in ("input", "output"):
            for problem in (open_problem, start_problem):
                told = problem(PortAudioError("text", code), direction, "Headset")
                assert told.kind == f"audio-{direction}"
                assert told.remedy
                assert '"Headset"' in str(told)
                assert str(told).count(": ") == 1
                assert str(told).endswith(".")
                sentences.add((direction, problem.__name__, str(told)))
    assert len(sentences) == len(REASONS) * 4


def test_an_unknown_code_is_told_too():
    assert "-9000" in str(open_problem(PortAudioError("strange", -9000), "input", "X"))
    assert error_code(PortAudioError("Error querying device -1")) == 0
    assert "not there any more" in str(open_problem(PortAudioError("Error querying device -1"), "input", "X"))


def test_a_missing_library_is_one_sentence_that_names_the_package(monkeypatch):
    """sounddevice raises OSError as it is imported; once the library is there, the next attempt works."""

    class Missing(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise AssertionError("not reached")

    class Finder:
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    monkeypatch.setattr(sys, "platform", "linux")
    lists = list_devices()
    assert "libportaudio2" in lists.note
    assert lists.note.endswith(".")
    portaudio = PortAudio()
    with pytest.raises(SoundProblem, match="libportaudio2"):
        portaudio.found("input")
    monkeypatch.setitem(sys.modules, "sounddevice", FakePortAudio(microphone()))
    assert portaudio.found("input")


# ---------------------------------------------------------------- the list's age


def test_new_devices_show_only_after_initialising_again():
    """User report A1."""
    module = FakePortAudio(microphone())
    portaudio = PortAudio(lambda: module)
    module.plugged.append(microphone("New"))
    assert [device.row.name for device in portaudio.found("input")] == ["Microphone"]
    portaudio.reinitialise()
    assert [device.row.name for device in portaudio.found("input")] == ["Microphone", "New"]


# ---------------------------------------------------------------- the devices thread


def test_jobs_run_in_order_on_one_thread_and_errors_come_back():
    thread = DeviceThread()
    seen: list[int] = []
    names = [thread.submit(lambda: threading.current_thread().name, what="x", limit_s=5) for _ in range(3)]
    assert {name.result(5) for name in names} == {"devices"}
    for number in range(5):
        thread.submit(lambda number=number: seen.append(number), what="x", limit_s=5)
    with pytest.raises(ZeroDivisionError):
        thread.call(lambda: 1 // 0, what="x", limit_s=5)
    assert thread.call(lambda: 7, what="x", limit_s=5) == 7
    assert seen == [0, 1, 2, 3, 4]


def test_a_hanging_call_is_given_up_refused_meanwhile_and_cleaned_up_after():
    thread = DeviceThread()
    release = threading.Event()
    discarded: list[str] = []

    def hang() -> str:
        release.wait(10)
        return "a stream"

    with pytest.raises(DriverSilent, match=r"0\.05 s while a device was being opened"):
        thread.call(hang, what="a device was being opened", limit_s=0.05, discard=discarded.append)
    assert thread.stuck == "a device was being opened"
    with pytest.raises(DriverSilent, match="still hangs"):
        thread.call(lambda: 1, what="x", limit_s=5)
    release.set()
    while thread.stuck:
        time.sleep(0.002)
    assert discarded == ["a stream"]
    assert thread.call(lambda: 1, what="x", limit_s=5) == 1


def test_a_job_that_waited_too_long_is_not_run():
    thread = DeviceThread()
    release = threading.Event()
    ran: list[int] = []
    first = thread.submit(lambda: release.wait(10), what="x", limit_s=10)
    second = thread.submit(lambda: ran.append(1), what="y", limit_s=0.05)
    with pytest.raises(DriverSilent):
        second.result(5)
    release.set()
    first.result(5)
    assert thread.call(lambda: list(ran), what="z", limit_s=5) == []
