"""Half an hour in the real window and in real time: a new talk every minute, and within it mode switches, mutes,
recordings, devices that vanish or stand still. Results: RESULTS.md.

What is held: each talk's time is its frames, the frames left out, and the time without a device; each silence that the
loudspeaker plays is a gap that the program counted, or the model's own; memory does not grow. How long a frame takes on
a busy computer is counted and judged by nobody. PARLEY_SOAK_MINUTES: another length.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.end_to_end.program import ROOT, Program
from tests.end_to_end.rig import ARTIFACTS, RATE, Screen, SoundServer, silent_runs, wait_until
from tests.end_to_end.test_window_talk import SHORTEST_GAP, joined
from tests.sockets import listening

MINUTES = int(os.environ.get("PARLEY_SOAK_MINUTES", "30"))
# Memory is measured against what it was in the first minutes, the very first left out, in which the compiler's is given
# back: like against like, since within each talk it rises by tens of megabytes and falls at the talk's end.
FIRST_S = (60.0, 300.0)
MOST_GROWTH = 20 << 20
FRAME_S = 0.08
UNACCOUNTED_S = 0.25  # the margins in hand at a talk's two ends, and the sound server's blocks
MODES = {"eager": "ctrl+2", "compiled": "ctrl+3"}
SINK = "norewinds=1 rate=48000"


class Devices:
    """The rig's devices, which come and go."""

    def __init__(self, sound: SoundServer, room: Path) -> None:
        self._sound, self._room = sound, room
        self.player = sound.say(room)

    def control(self, *words: str) -> str:
        done = subprocess.run(
            ["pactl", *words], env=self._sound.environment, capture_output=True, text=True, timeout=30
        )
        return done.stdout.strip()

    def unplug(self) -> None:
        """Both are gone; what played or recorded there is cut off."""
        for line in reversed(self.control("list", "short", "modules").splitlines()):
            number, name, *_ = line.split("\t")
            if name in ("module-null-sink", "module-remap-source"):
                self.control("unload-module", number)

    def plug_in(self) -> None:
        self.control("load-module", "module-null-sink", *SINK.split(), "sink_name=mic_feed", "channels=1")
        self.control(
            "load-module", "module-remap-source", "source_name=virtmic", "master=mic_feed.monitor", "channels=1"
        )
        self.control("load-module", "module-null-sink", *SINK.split(), "sink_name=speaker", "channels=2")
        self.control("set-default-sink", "speaker")
        self.control("set-default-source", "virtmic")
        self.speak()

    def stand_still(self, still: bool) -> None:
        """The loudspeaker moves no sound, as one that the system has put to sleep."""
        self.control("suspend-sink", "speaker", "1" if still else "0")

    def speak(self) -> None:
        """Somebody in a room, from the recording's beginning."""
        if self.player.poll() is None:
            self.player.kill()
        self.player.wait()
        self.player = self._sound.say(self._room)


@dataclass
class Talk:
    """What one talk came to. Times in seconds."""

    did: list[str] = field(default_factory=list)
    lost_s: float = 0.0
    frames: int = 0
    left_out: int = 0
    gaps: int = 0
    heard_gaps: int = 0
    own_silences: int = 0
    spoke: bool = False
    late: int = 0
    unaccounted_s: float = 0.0


@pytest.fixture
def program(sound: SoundServer, screen: Screen, tmp_path: Path) -> Iterator[Program]:
    program = Program(sound, screen, tmp_path, [])
    yield program
    program.end()


@pytest.mark.long
@pytest.mark.timeout(60 * (MINUTES + 30))
def test_half_an_hour_with_everything_going_on(program: Program, sound: SoundServer, tmp_path: Path) -> None:
    program.wait(lambda now: now["phase"] == "ready", 240, "the bundled model is loaded")
    program.press(MODES["compiled"])
    program.wait(lambda now: now["mode"] == "compiled" and now["phase"] == "ready", 900, "compiled mode is built")
    devices = Devices(sound, a_room(tmp_path))
    soak = Soak(program, sound, devices, tmp_path)
    began = time.monotonic()
    program.press("F5")
    while time.monotonic() - began < 60 * MINUTES:
        soak.minute(began)
    program.press("F5")
    program.wait(lambda now: now["phase"] == "ready", 30, "the last talk has ended")
    assert listening(program.process.pid) == set()
    assert program.quit() == 0
    assert "Traceback" not in program.log.read_text(errors="replace")
    result = soak.result()
    (ARTIFACTS / "soak.json").write_text(json.dumps(result, indent=1))
    print(json.dumps(result["whole"], indent=1))
    for number, talk in enumerate(soak.talks):
        assert talk.frames > 0, f"talk {number}: {talk}"
        assert abs(talk.unaccounted_s) <= UNACCOUNTED_S, f"talk {number}: {talk}"
        assert talk.heard_gaps <= talk.gaps + talk.own_silences, f"talk {number}: {talk}"
    assert result["whole"]["talks_with_a_reply"] > 0.3 * len(soak.talks)  # two of five are not listened to
    assert result["whole"]["growth_of_the_most"] < MOST_GROWTH
    assert result["whole"]["growth_of_the_least"] < MOST_GROWTH


class Soak:
    def __init__(self, program: Program, sound: SoundServer, devices: Devices, folder: Path) -> None:
        self._program, self._sound, self._devices, self._folder = program, sound, devices, folder
        self._random = random.Random(6)
        self._mode = "compiled"
        self.talks: list[Talk] = []
        self.resident: list[tuple[float, int]] = []  # seconds since the start, bytes
        self.told: Counter[str] = Counter()
        self._standing: set[str] = set()

    def minute(self, began: float) -> None:
        """One talk, from its first frame to the next one's key."""
        program, talk = self._program, Talk()
        self._until(lambda now: now["phase"] == "talking" and now["frames"] > 25, 60, "the talk has begun", began)
        faults = len(self.talks) % 5  # 2: the devices are pulled out; 4: the loudspeaker stands still
        self._devices.speak()
        answered = max(0, program.answered() - 12000)  # what is on its way is heard after this
        recording = self._sound.record(self._folder / "heard.raw") if faults not in (2, 4) else None
        ends = time.monotonic() + 60.0 - 6.0
        if faults == 3:
            program.press("ctrl+r")
            talk.did.append("recording")
        while time.monotonic() < ends:
            self._act(talk)
            self._watch(began, self._random.uniform(3.0, 8.0))
            if faults == 2 and "unplugged" not in talk.did:
                talk.lost_s += self._without_devices(talk, began)
            if faults == 4 and "stood still" not in talk.did:
                talk.lost_s += self._stands_still(talk, began)
        if faults == 3:
            program.press("ctrl+r")
        if talk.did.count("muted") % 2:
            program.press("ctrl+d")
        if recording is not None:
            self._listen(talk, recording.stop(), answered)
        self._account(talk, program.ask("records"))
        self.talks.append(talk)
        if len(self.talks) % 2:
            program.press("ctrl+n")
        else:
            program.press("F5")
            self._until(lambda now: now["phase"] == "ready", 30, "the talk has ended", began)
            program.press("F5")

    def _act(self, talk: Talk) -> None:
        if self._random.random() < 0.5:
            self._mode = "eager" if self._mode == "compiled" else "compiled"
            self._program.press(MODES[self._mode])
            talk.did.append(self._mode)
        else:
            self._program.press("ctrl+d")
            talk.did.append("muted")

    def _without_devices(self, talk: Talk, began: float) -> float:
        """Both devices away for some seconds; returns how long no frame came."""
        since = time.monotonic()
        self._devices.unplug()
        self._until(lambda now: "is gone" in str(now["troubles"]), 30, "the loss is told", began)
        self._watch(began, self._random.uniform(1.0, 8.0))
        self._devices.plug_in()
        talk.did.append("unplugged")
        return self._back(since, began)

    def _stands_still(self, talk: Talk, began: float) -> float:
        since = time.monotonic()
        self._devices.stand_still(True)
        self._until(lambda now: "stalled" in str(now["troubles"]), 30, "the standstill is told", began)
        self._watch(began, self._random.uniform(1.0, 8.0))
        self._devices.stand_still(False)
        talk.did.append("stood still")
        return self._back(since, began)

    def _back(self, since: float, began: float) -> float:
        before = self._program.state()["frames"]
        back = self._until(
            lambda now: now["frames"] > before + 25 and not any(kind.startswith("audio-") for kind in now["kinds"]),
            60,
            "the sound is back",
            began,
        )
        assert back["phase"] == "talking"
        return time.monotonic() - since

    def _listen(self, talk: Talk, heard: np.ndarray, answered: int) -> None:
        """Count the silences between sounds, and those that the model made itself."""
        answers = np.round(self._program.answers(answered) * 32767).astype(np.int16)
        own = silent_runs(answers, SHORTEST_GAP // 2)
        talk.heard_gaps, talk.own_silences = len(joined(silent_runs(heard, SHORTEST_GAP))), len(own)
        talk.spoke = bool(np.abs(answers).max() > 3000)  # it may be mute whenever a question is asked
        assert np.abs(heard).max() > 300 or not talk.spoke, "the reply can be heard"

    def _account(self, talk: Talk, records: list[dict[str, Any]]) -> None:
        first, last = records[0], records[-1]
        talk.frames, talk.left_out, talk.gaps = last["number"] + 1, last["skipped"], last["gaps"]
        talk.late = sum(record["late"] for record in records)
        passed = heard_at(last) - heard_at(first)
        frames = last["number"] - first["number"] + last["skipped"] - first["skipped"]
        rest = passed - frames * FRAME_S
        talk.unaccounted_s = rest - min(max(rest, 0.0), talk.lost_s)

    def _watch(self, began: float, seconds: float) -> None:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            self._look(began)
            time.sleep(1.0)

    def _until(self, condition: Any, seconds: float, what: str, began: float) -> dict[str, Any]:
        seen: dict[str, Any] = {}

        def look() -> bool:
            seen.update(self._look(began))
            return bool(condition(seen))

        try:
            wait_until(look, seconds, what)
        except AssertionError as late:
            raise AssertionError(f"{late}; last seen: {seen}; {self.talks[-2:]}") from None
        return seen

    def _look(self, began: float) -> dict[str, Any]:
        state = self._program.state()
        self.told.update(set(state["troubles"]) - self._standing)
        self._standing = set(state["troubles"])
        self.resident.append((time.monotonic() - began, resident_bytes(self._program.process.pid)))
        return state

    def _memory(self) -> tuple[list[int], list[int]]:
        """The least and the most resident memory in the first minutes and in each five minutes after them, in bytes."""
        begin, end = (seconds * min(1.0, MINUTES / 10) for seconds in FIRST_S)
        last = max(1, int((60 * MINUTES - end) / end))
        spans: dict[int, list[int]] = {}
        for seconds, size in self.resident:
            if seconds >= begin:
                spans.setdefault(0 if seconds < end else min(1 + int((seconds - end) / end), last), []).append(size)
        return [min(span) for span in spans.values()], [max(span) for span in spans.values()]

    def result(self) -> dict[str, Any]:
        least, most = self._memory()
        whole = {
            "talks": len(self.talks),
            "frames": sum(talk.frames for talk in self.talks),
            "left_out": sum(talk.left_out for talk in self.talks),
            "late": sum(talk.late for talk in self.talks),
            "gaps_counted": sum(talk.gaps for talk in self.talks),
            "gaps_heard": sum(talk.heard_gaps for talk in self.talks),
            "own_silences": sum(talk.own_silences for talk in self.talks),
            "talks_with_a_reply": sum(talk.spoke for talk in self.talks),
            "worst_unaccounted_s": max(abs(talk.unaccounted_s) for talk in self.talks),
            "did": Counter(deed for talk in self.talks for deed in talk.did),
            "resident_least_and_most_in_the_first_minutes": (least[0], most[0]),
            "growth_of_the_most": max(most[1:]) - most[0],
            "growth_of_the_least": least[-1] - least[0],
        }
        return {
            "whole": whole,
            "talks": [vars(talk) for talk in self.talks],
            "resident": self.resident[:: max(1, len(self.resident) // 400)],
            "troubles": self.told,
        }


def a_room(folder: Path) -> Path:
    """A minute and a bit of a room in which the bundled sentence is said again and again; never digitally silent."""
    speech, rate = soundfile.read(ROOT / "assets" / "speech" / "hello.wav", dtype="float32")
    speech = np.interp(np.arange(0, len(speech), rate / RATE), np.arange(len(speech)), speech)
    room = np.random.default_rng(1).normal(0, 2e-4, 75 * RATE)
    for second in range(3, 70, 9):
        part = speech[: room.size - second * RATE]
        room[second * RATE : second * RATE + part.size] += part
    soundfile.write(folder / "room.wav", room.clip(-1, 1), RATE, subtype="PCM_16")
    return folder / "room.wav"


def heard_at(record: dict[str, Any]) -> float:
    """When the frame's sound reached the program, in seconds: it waited, and then it was worked on."""
    return record["clock_ns"] / 1e9 - (record["total"] + record["queued_ms"]) / 1e3


def resident_bytes(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
