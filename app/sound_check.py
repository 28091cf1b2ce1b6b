"""Recording a few seconds and playing a sound when no talk runs: checks of the devices, voices of one's own.

Owns the thread that moves the frames, the last recording, and who may have the devices: a talk always takes
precedence, and a check that runs then ends with a sentence. Must not know the window. `record`, `play`, `stop` and
`state` are for the window's thread; `give_way` and `have_it_back` for the engine thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np

from app.audio import AudioEnds
from app.errors import UserError
from app.levels import dbfs, peak
from app.ring import FRAME, SAMPLE_RATE
from app.text_files import in_background

FRAME_SECONDS = FRAME / SAMPLE_RATE
READ_TIMEOUT_S = 0.2
LONGEST_SILENCE_S = 3.0  # without a frame from the microphone
DRAIN_FRAMES = 6  # silence after a sound, so that its end is played before the devices are closed
GIVE_WAY_S = 6.0
TALK_RUNS = "A talk is running; end it first."
INTERRUPTED = "A talk began, so this was broken off."
# By kind of trouble: its own sentence is of a talk that waits, and no talk is on.
LOST = {
    "audio-input": "The microphone moves no sound, so it was broken off: check that it is plugged in and try again.",
    "audio-output": "The loudspeaker moves no sound, so it was broken off: check that it is plugged in and try again.",
}


@dataclass(frozen=True)
class CheckState:
    """doing: "", "recording" or "playing". seconds: done so far. dbfs: level of the newest frame, recorded or played;
    nan when nothing is done. loudest_dbfs: of the last recording. recorded_s: its length; 0 = there is none."""

    doing: str = ""
    seconds: float = 0.0
    dbfs: float = float("nan")
    loudest_dbfs: float = float("nan")
    recorded_s: float = 0.0


class SoundCheck:
    """make_ends: ends of its own over the same devices, for each check anew."""

    def __init__(self, make_ends: Callable[[], AudioEnds]) -> None:
        self.state = CheckState()  # replaced as a whole
        self.recording = np.zeros(0, np.float32)  # the last one, 24 kHz
        self._make_ends = make_ends
        self._lock = threading.Lock()  # held for moments only: who has the devices
        self._talk_runs = False
        self._stop = threading.Event()
        self._idle = threading.Event()
        self._idle.set()

    # ------------------------------------------------------------ the window's thread

    def record(self, seconds: float) -> Future[str]:
        """Record until `seconds` have passed or `stop` is called. Comes true with "" or one sentence."""
        return self._begin("recording", lambda ends: self._record(ends, seconds))

    def play(self, pcm: np.ndarray) -> Future[str]:
        """Play [n] float32 at 24 kHz through the chosen loudspeaker. Comes true with "" or one sentence."""
        return self._begin("playing", lambda ends: self._play(ends, pcm))

    def stop(self) -> None:
        """End what is being done, as if it were over."""
        self._stop.set()

    # ------------------------------------------------------------ the engine thread

    def give_way(self) -> None:
        """A talk wants the devices: end the check, and begin none until `have_it_back`."""
        with self._lock:
            self._talk_runs = True
        self._stop.set()
        self._idle.wait(GIVE_WAY_S)

    def have_it_back(self) -> None:
        with self._lock:
            self._talk_runs = False

    # ------------------------------------------------------------ the check's thread

    def _begin(self, doing: str, work: Callable[[AudioEnds], None]) -> Future[str]:
        with self._lock:
            refusal = TALK_RUNS if self._talk_runs else "" if self._idle.is_set() else "Another check is running."
            if not refusal:
                self._idle.clear()
                self._stop.clear()
        if refusal:
            refused: Future[str] = Future()
            refused.set_result(refusal)
            return refused
        self.state = replace(self.state, doing=doing, seconds=0.0, dbfs=float("nan"))
        return in_background(lambda: self._run(work), f"sound check, {doing}")

    def _run(self, work: Callable[[AudioEnds], None]) -> None:
        ends = self._make_ends()
        try:
            ends.open()
            try:
                work(ends)
            finally:
                if not self._talk_runs:  # else the devices are the talk's by now, and its opening closes what was open
                    ends.close()
            if self._talk_runs:
                raise UserError(INTERRUPTED)
        finally:
            self.state = replace(self.state, doing="", dbfs=float("nan"))
            self._idle.set()

    def _record(self, ends: AudioEnds, seconds: float) -> None:
        frames: list[np.ndarray] = []
        silence = np.zeros(FRAME, np.float32)
        while len(frames) * FRAME_SECONDS < seconds and not self._stop.is_set():
            pcm = self._next_frame(ends)
            ends.write_frame(silence)
            frames.append(pcm.copy())
            self.state = replace(self.state, seconds=len(frames) * FRAME_SECONDS, dbfs=dbfs(peak(pcm)))
        if frames:
            self.recording = np.concatenate(frames)
            loudest = dbfs(peak(self.recording))
            self.state = replace(self.state, loudest_dbfs=loudest, recorded_s=len(self.recording) / SAMPLE_RATE)

    def _play(self, ends: AudioEnds, pcm: np.ndarray) -> None:
        count = -(-len(pcm) // FRAME) + DRAIN_FRAMES
        padded = np.zeros(count * FRAME, np.float32)
        padded[: len(pcm)] = pcm
        for number, frame in enumerate(padded.reshape(count, FRAME), start=1):
            if self._stop.is_set():
                return
            self._next_frame(ends)  # the microphone's clock paces the loudspeaker, as in a talk
            ends.write_frame(frame)
            self.state = replace(self.state, seconds=number * FRAME_SECONDS, dbfs=dbfs(peak(frame)))

    def _next_frame(self, ends: AudioEnds) -> np.ndarray:
        """The microphone's next frame; a stopped check gets silence at once. Raises UserError when none comes."""
        for _ in range(round(LONGEST_SILENCE_S / READ_TIMEOUT_S)):
            frame = ends.read_frame(READ_TIMEOUT_S)
            if frame is not None:
                return frame.pcm
            if self._stop.is_set():
                return np.zeros(FRAME, np.float32)
        lost = [LOST[trouble.kind] for trouble in ends.status().troubles if trouble.kind in LOST]
        raise UserError(lost[0] if lost else "The microphone delivers nothing; choose another one.")


def chime() -> np.ndarray:
    """Three soft notes, 1.4 s, [n] float32 at 24 kHz, peak -12 dBFS."""
    notes = []
    for hertz, seconds in ((523.25, 0.35), (659.26, 0.35), (783.99, 0.7)):
        times = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
        swell = np.minimum(1.0, times / 0.02) * np.exp(-2.5 * times) * np.minimum(1.0, (seconds - times) / 0.05)
        notes.append(np.sin(2 * np.pi * hertz * times) * swell)
    sound = np.concatenate(notes)
    return (sound * (0.25 / np.abs(sound).max())).astype(np.float32)
