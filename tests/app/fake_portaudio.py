"""Stands in for the sounddevice module: scripted devices in virtual time.

`FakePortAudio` has what the program uses of sounddevice, with PortAudio's habits: the device list is made at
initialisation and grows stale, errors carry codes, a stream whose device goes away ends without an exception.
`SoundRig` puts the real desk and `DeviceAudio` on top and runs them in virtual time: callbacks at their due moments,
the audio thread's tick every 10 ms, an engine that answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from app.audio import DeviceAudio
from app.config import AudioSettings
from app.devices import DeviceRef
from app.portaudio import PortAudio
from app.sound_desk import SoundDesk

TICK_S = 0.010


class PortAudioError(Exception):
    """As sounddevice raises it: text, code, and the host API's own words where there are some."""


@dataclass
class FakeDevice:
    """One device, which may have both directions.

    rates: what a stream may be opened at (empty: anything); others are refused with rate_error. true_rate: samples per
    second that really move, where that is not the stream's rate. delay_s: between callback and converter.
    """

    name: str
    host_api: str = "ALSA"
    inputs: int = 0
    outputs: int = 0
    default_rate: float = 48000.0
    rates: tuple[float, ...] = ()
    rate_error: int = -9997
    true_rate: float | None = None
    open_error: tuple[Any, ...] | None = None  # args of PortAudioError
    start_error: tuple[Any, ...] | None = None
    on_open: Callable[[], None] | None = None
    delay_s: float = 0.02
    honest_times: bool = True  # False: converter times are zero, as some drivers have it
    signal: Callable[[np.ndarray], np.ndarray] | None = None  # microphone: seconds [n] -> samples [n]
    paused: bool = False  # callbacks stop and nothing says so
    heard: list[np.ndarray] = field(default_factory=list)  # loudspeaker: blocks, first channel


class CallbackAbort(Exception):
    """As sounddevice's: the callback ends its own stream."""


class FakeStream:
    def __init__(self, module: FakePortAudio, direction: str, **wanted: Any) -> None:
        device = module.listed[wanted["device"]]
        module.calls.append(f"open {direction} {device.name} {wanted['samplerate']:g}")
        if device not in module.plugged:
            raise PortAudioError("Invalid device", -9996)
        if device.open_error is not None:
            raise PortAudioError(*device.open_error)
        if device.rates and wanted["samplerate"] not in device.rates:
            raise PortAudioError("Invalid sample rate", device.rate_error)
        if wanted["channels"] > (device.inputs if direction == "input" else device.outputs):
            raise PortAudioError("Invalid number of channels", -9998)
        self.samplerate = wanted["samplerate"]
        self.latency = device.delay_s
        self.device = device
        self.direction = direction
        self.running = False
        self.closed = False
        self.next_s = 0.0
        self._module = module
        self._frames = wanted["blocksize"]
        self._channels = wanted["channels"]
        self._callback = wanted["callback"]
        self._finished = wanted["finished_callback"]
        self._position = 0
        if device.on_open is not None:
            device.on_open()
        module.streams.append(self)

    @property
    def period_s(self) -> float:
        return self._frames / (self.device.true_rate or self.samplerate)

    def start(self) -> None:
        if self.device.start_error is not None:
            raise PortAudioError(*self.device.start_error)
        self.running = True
        self.next_s = self._module.now + self.period_s

    def abort(self, ignore_errors: bool = True) -> None:
        if self.running:
            self.end()

    def close(self, ignore_errors: bool = True) -> None:
        self._module.calls.append(f"close {self.direction} {self.device.name}")
        self.closed = True
        if self in self._module.streams:
            self._module.streams.remove(self)

    def end(self) -> None:
        """The stream ends, by abort or because its device went away."""
        self.running = False
        self._finished()

    def fire(self) -> None:
        """One callback. What the microphone hears at t is in the block whose converter time covers t."""
        now, device = self._module.now, self.device
        block = np.zeros((self._frames, self._channels), np.float32)
        rate = device.true_rate or self.samplerate
        adc = now - device.delay_s - self.period_s
        if self.direction == "input" and device.signal is not None:
            block[:] = device.signal(adc + np.arange(self._frames) / rate)[:, None]
        driver = 500.0  # the driver's clock has another origin
        times = SimpleNamespace(currentTime=now - driver, inputBufferAdcTime=0.0, outputBufferDacTime=0.0)
        if device.honest_times:
            times.inputBufferAdcTime = adc - driver
            times.outputBufferDacTime = now + device.delay_s - driver
        try:
            self._callback(block, self._frames, times, False)
        except CallbackAbort:  # anything else sounddevice would print to the terminal, and a test fails of it
            self.end()
            return
        if self.direction == "output":
            device.heard.append(block[:, 0].copy())
        self.next_s += self.period_s


class FakePortAudio:
    """The module. plugged: what is there now; `listed`: what PortAudio knows, as of its last initialisation."""

    PortAudioError = PortAudioError
    CallbackAbort = CallbackAbort

    def __init__(self, *devices: FakeDevice) -> None:
        self.plugged = list(devices)
        self.listed: list[FakeDevice] = []
        self.defaults: dict[str, str] = {}  # direction -> name of the default device, else the first
        self.streams: list[FakeStream] = []
        self.calls: list[str] = []
        self.now = 1000.0
        self.hang: threading.Event | None = None  # opening waits for it
        self._initialize()

    def _initialize(self) -> None:
        self.calls.append("initialise")
        self.listed = list(self.plugged)

    def _terminate(self) -> None:
        assert not self.streams, "re-initialising with open streams kills them"

    def query_devices(self) -> list[dict[str, Any]]:
        return [
            {
                "name": device.name,
                "index": index,
                "hostapi": self._apis().index(device.host_api),
                "max_input_channels": device.inputs,
                "max_output_channels": device.outputs,
                "default_samplerate": device.default_rate,
            }
            for index, device in enumerate(self.listed)
        ]

    def query_hostapis(self) -> list[dict[str, Any]]:
        return [
            {
                "name": api,
                "default_input_device": self._default(api, "input"),
                "default_output_device": self._default(api, "output"),
            }
            for api in self._apis()
        ]

    def InputStream(self, **wanted: Any) -> FakeStream:
        return self._stream("input", wanted)

    def OutputStream(self, **wanted: Any) -> FakeStream:
        return self._stream("output", wanted)

    def _stream(self, direction: str, wanted: dict[str, Any]) -> FakeStream:
        if self.hang is not None:
            self.hang.wait(10)
        return FakeStream(self, direction, **wanted)

    def _apis(self) -> list[str]:
        return list(dict.fromkeys(device.host_api for device in self.listed)) or ["ALSA"]

    def _default(self, api: str, direction: str) -> int:
        able = [
            index
            for index, device in enumerate(self.listed)
            if device.host_api == api and (device.inputs if direction == "input" else device.outputs)
        ]
        named = [index for index in able if self.listed[index].name == self.defaults.get(direction)]
        return (named or able or [-1])[0]

    # ------------------------------------------------------------ the script

    def unplug(self, device: FakeDevice) -> None:
        """The device is gone: its streams end, with no exception."""
        self.plugged.remove(device)
        for stream in [stream for stream in self.streams if stream.device is device and stream.running]:
            stream.end()

    def advance(self, until: float) -> None:
        """Callbacks in the order of their moments."""
        while True:
            due = [s for s in self.streams if s.running and not s.device.paused and s.next_s <= until + 1e-9]
            if not due:
                break
            stream = min(due, key=lambda stream: stream.next_s)
            self.now = max(self.now, stream.next_s)
            stream.fire()
        for stream in self.streams:  # a paused device's time is lost, not saved up
            if stream.device.paused:
                stream.next_s = until + stream.period_s
        self.now = until


class ManualThread:
    """In place of the audio thread: the rig calls its tick."""

    def __init__(self, tick: Callable[[float], None], clock: Callable[[], float], failed: Callable[..., None]) -> None:
        self.tick = tick
        self.failed = failed
        self.running = False

    def start(self) -> None:
        self.running = True

    def stop(self, timeout: float = 1.0) -> None:
        self.running = False


def microphone(name: str = "Microphone", **more: Any) -> FakeDevice:
    return FakeDevice(name, inputs=1, **more)


def loudspeaker(name: str = "Loudspeaker", **more: Any) -> FakeDevice:
    return FakeDevice(name, outputs=2, **more)


class SoundRig:
    """A fake sound system with the real sound side of the program on top."""

    def __init__(self, *devices: FakeDevice, **settings: Any) -> None:
        self.portaudio = FakePortAudio(*(devices or (microphone(), loudspeaker())))
        self.settings = AudioSettings(**settings)
        self.threads: list[ManualThread] = []
        self.timers: list[tuple[float, Callable[[], None]]] = []  # (when, what), in virtual time
        self.frames: list[np.ndarray] = []  # what the engine got
        self.times: list[float] = []
        desk = SoundDesk(
            self.settings.input,
            self.settings.output,
            portaudio=PortAudio(lambda: self.portaudio),
            clock=lambda: self.portaudio.now,
            make_thread=self._make_thread,
            later=lambda delay_s, job: self.timers.append((self.portaudio.now + delay_s, job)),
        )
        self.audio = DeviceAudio(self.settings, desk, clock=lambda: self.portaudio.now)

    @property
    def desk(self) -> SoundDesk:
        return self.audio.desk

    def _make_thread(self, *parts: Any) -> ManualThread:
        self.threads.append(ManualThread(*parts))
        return self.threads[-1]

    def run(self, seconds: float, answer: Callable[[np.ndarray], np.ndarray] | None = lambda pcm: pcm) -> None:
        """Virtual time passes; answer: the engine (None: it takes no frames)."""
        end = self.portaudio.now + seconds
        while self.portaudio.now < end - 1e-9:
            self.portaudio.advance(self.portaudio.now + TICK_S)
            self._fire_timers()
            for thread in self.threads:
                if thread.running:
                    thread.tick(self.portaudio.now)
            self.settle()
            while answer is not None and (frame := self.audio.read_frame(0)) is not None:
                self.frames.append(frame.pcm)
                self.times.append(frame.adc_time_s)
                self.audio.write_frame(answer(frame.pcm))

    def _fire_timers(self) -> None:
        due = [job for when, job in self.timers if when <= self.portaudio.now]
        self.timers = [(when, job) for when, job in self.timers if when > self.portaudio.now]
        for job in due:
            job()

    def settle(self) -> None:
        """Waits until the devices thread has done what it was asked: its jobs come in order."""
        self.desk._thread.call(lambda: None, what="a test waited", limit_s=10)

    def choose(self, direction: str, name: str, host_api: str = "ALSA") -> str:
        return self.desk.choose(direction, DeviceRef(name, host_api)).result(10)

    def refresh(self) -> str:
        return self.desk.refresh().result(10)


def heard(device: FakeDevice) -> np.ndarray:
    return np.concatenate(device.heard) if device.heard else np.zeros(0, np.float32)


def tone(hz: float, level: float = 0.3) -> Callable[[np.ndarray], np.ndarray]:
    return lambda seconds: (level * np.sin(2 * np.pi * hz * seconds)).astype(np.float32)
