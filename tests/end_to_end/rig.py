"""A private sound server with a virtual microphone and loudspeaker, and a screen without a monitor.

Owns the processes that it starts: each is ended by its id, and the ids stand in artifacts/servers.pid until then, so
that whoever started the tests can end what a killed run left behind. Nothing of the user's own sound server or
screen is touched.

    speech file -> sink mic_feed -> source virtmic -> (the program) -> sink speaker -> its monitor -> recording
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

ARTIFACTS = Path(__file__).resolve().parents[2] / "artifacts"
TOOLS = ("pulseaudio", "pactl", "paplay", "parec", "Xvfb", "xdotool")
RATE = 48000


def missing_tools() -> list[str]:
    return [tool for tool in TOOLS if not shutil.which(tool)]


def wait_until(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Look every 50 ms; AssertionError naming `what` when it has not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain: {what}"
        time.sleep(0.05)


class Processes:
    """Starts servers and ends them, the last first."""

    def __init__(self) -> None:
        self._running: list[subprocess.Popen[bytes]] = []
        ARTIFACTS.mkdir(exist_ok=True)
        self._noted = ARTIFACTS / "servers.pid"

    def start(self, command: list[str], environment: Mapping[str, str], **options: object) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, env=dict(environment), stdin=subprocess.DEVNULL, **options)  # type: ignore[call-overload]
        self._running.append(process)
        self._note()
        return process

    def end(self, process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        with suppress(ValueError):
            self._running.remove(process)
        self._note()

    def end_all(self) -> None:
        for process in reversed(self._running[:]):
            self.end(process)

    def _note(self) -> None:
        self._noted.write_text("".join(f"{process.pid}\n" for process in self._running))


class SoundServer:
    """PulseAudio with null sinks. `environment` is what a program needs in order to use it and nothing else."""

    def __init__(self, folder: Path, processes: Processes) -> None:
        self._processes = processes
        runtime = folder / "run"
        (runtime / "pulse").mkdir(parents=True, mode=0o700)
        runtime.chmod(0o700)
        home = folder / "home"
        home.mkdir()
        socket = runtime / "pulse" / "native"
        self.environment = {
            **os.environ,
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime),
            "PULSE_RUNTIME_PATH": str(runtime / "pulse"),
            "PULSE_SERVER": f"unix:{socket}",
        }
        # norewinds: without it a null sink works in blocks of two seconds, and opening a stream stalls for as long.
        sink = "module-null-sink norewinds=1 rate=48000"
        modules = (
            f"module-native-protocol-unix auth-anonymous=1 socket={socket}",
            f"{sink} sink_name=mic_feed channels=1",
            "module-remap-source source_name=virtmic master=mic_feed.monitor channels=1",
            f"{sink} sink_name=speaker channels=2",
        )
        command = [
            "pulseaudio",
            "-n",
            "--daemonize=no",
            "--exit-idle-time=-1",
            "--use-pid-file=no",
            "--log-target=stderr",
        ]
        for module in modules:
            command += ["-L", module]
        log = (ARTIFACTS / "pulseaudio.log").open("wb")
        server = {key: value for key, value in self.environment.items() if key != "PULSE_SERVER"}
        processes.start(command, server, stdout=log, stderr=log)
        wait_until(lambda: self._control("info") == 0, 20, "the sound server answers")
        assert self._control("set-default-sink", "speaker") == 0
        assert self._control("set-default-source", "virtmic") == 0

    def _control(self, *words: str) -> int:
        command = ["pactl", *words]
        return subprocess.call(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def say(self, recording: Path) -> subprocess.Popen[bytes]:
        """Play a sound file into the microphone; returns at once."""
        command = ["paplay", "--device=mic_feed", "--latency-msec=40", str(recording)]
        return self._processes.start(command, self.environment)

    def record(self, target: Path) -> Recording:
        """Record what the loudspeaker plays until `stop`."""
        # A shorter latency here would disturb the timing of the null sink itself.
        options = ["--latency-msec=50", "--format=s16le", f"--rate={RATE}", "--channels=2", "--raw"]
        file = target.open("wb")
        process = self._processes.start(["parec", "--device=speaker.monitor", *options], self.environment, stdout=file)
        return Recording(process, target, self._processes)


class Recording:
    """What came out of the loudspeaker, as interleaved 16-bit stereo at 48 kHz."""

    def __init__(self, process: subprocess.Popen[bytes], path: Path, processes: Processes) -> None:
        self._process = process
        self._path = path
        self._processes = processes

    def stop(self) -> np.ndarray:
        """End the recording; returns the left channel, [samples] int16."""
        self._processes.end(self._process)
        data = self._path.read_bytes()
        return np.frombuffer(data[: len(data) // 4 * 4], dtype="<i2").reshape(-1, 2)[:, 0].copy()


class Screen:
    """Xvfb on a display number of its own choice."""

    def __init__(self, processes: Processes) -> None:
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
        log = (ARTIFACTS / "xvfb.log").open("wb")
        processes.start(command, os.environ, pass_fds=(writing,), stdout=log, stderr=log)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        assert number.isdigit(), f"Xvfb did not start; {log.name} says why"
        self.display = f":{number}"

    def hand(self, *words: str) -> str:
        """Let xdotool press keys or move the mouse, as a person would; returns what it prints."""
        environment = dict(os.environ, DISPLAY=self.display)
        done = subprocess.run(["xdotool", *words], env=environment, capture_output=True, text=True, timeout=20)
        assert done.returncode == 0, f"xdotool {' '.join(words)}: {done.stderr}"
        return done.stdout


def silent_runs(sound: np.ndarray, at_least: int) -> list[tuple[int, int]]:
    """(start, end) of every run of at least so many exact zeros in [samples], but for those at its two ends."""
    zero = np.concatenate(([False], sound == 0, [False]))
    edges = np.flatnonzero(zero[1:] != zero[:-1]).reshape(-1, 2)
    inner = [(int(a), int(b)) for a, b in edges if b - a >= at_least]
    return [(a, b) for a, b in inner if a > 0 and b < sound.size]


def find_in(heard: np.ndarray, piece: np.ndarray) -> tuple[float, int]:
    """Where in [samples] a piece is heard best: (normalised correlation there, first sample)."""
    heard, piece = heard.astype(np.float64), piece.astype(np.float64)
    size = 1 << (heard.size + piece.size).bit_length()
    product = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(piece, size)))[: heard.size - piece.size + 1]
    energy = np.concatenate(([0.0], np.cumsum(heard**2)))
    local = np.sqrt(np.maximum(energy[piece.size :] - energy[: -piece.size], 1e-12))
    likeness = product / (local * max(float(np.linalg.norm(piece)), 1e-12))
    best = int(likeness.argmax())
    return float(likeness[best]), best
