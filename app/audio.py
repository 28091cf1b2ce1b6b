"""The two ends of a talk's sound: what a conversation asks of them, the ends made of arrays and those made of devices.

Owns the `AudioEnds` protocol with its records, `WavAudio` and `DeviceAudio`. A conversation calls `open`, `close`,
`read_frame` and `write_frame` from the engine thread; everything else may be used by any thread. Must not import
torch, Qt or a sound library.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from app.levels import QUIETEST_DBFS, dbfs, limit_into, peak
from app.levels import to_pcm16 as to_pcm16  # the way out to 16 bits, for whoever writes a file
from app.playback import PlaybackPolicy
from app.ring import FRAME, SAMPLE_RATE, TimedFrame
from app.sound_desk import SoundDesk
from app.sound_spool import PIECE, SoundSpool
from app.sound_troubles import AudioTrouble
from app.talk_sound import TalkSound

if TYPE_CHECKING:
    from app.config import AudioSettings

FRAME_S = FRAME / SAMPLE_RATE


class EndOfInput(Exception):
    """The input is used up: no further frame will come."""


class InputFrame(NamedTuple):
    """pcm [1920] float32 at 24 kHz; adc_time_s: perf_counter seconds of its first sample at the microphone, or nan."""

    pcm: np.ndarray
    adc_time_s: float


class AudioStatus(NamedTuple):
    """A snapshot of the sound. Counters run from the last `open`."""

    queued_ms: float = 0.0  # microphone audio that waits for the engine
    skipped: int = 0  # microphone frames dropped because too much waited
    gaps: int = 0  # times the loudspeaker ran out of answers and went on later
    mic_to_speaker_ms: float = math.nan  # measured from ADC and DAC times; nan when unknown
    callback_late_ms: float = 0.0  # worst lateness of a sound callback in the last 80 to 160 ms
    input_dbfs: float = QUIETEST_DBFS  # peak at the microphone, before mute
    output_dbfs: float = QUIETEST_DBFS
    troubles: tuple[AudioTrouble, ...] = ()
    late_callbacks: int = 0  # callbacks that came so late that sound was lost, by our own clock
    margin_ms: float = 0.0  # answers kept in hand against jitter, as the playback policy wants it now
    play_queue_ms: float = 0.0  # answers that wait for the loudspeaker
    shed_ms: float = 0.0  # answers left out to bring the latency down
    limited: int = 0  # answer samples beyond full scale or not numbers, limited
    input_name: str = ""
    output_name: str = ""
    input_rate: float = 0.0  # Hz, as opened; 0 while closed
    output_rate: float = 0.0
    hearing: bool = True  # False: the model is given silence, by mute or because the talk key is not held
    echo_active: bool = False  # echo is being taken out of the microphone's sound
    echo_removed_db: float = math.nan  # by how much the echo became weaker; nan while there is none
    gain_db: float = 0.0  # of the automatic gain


class AudioEnds(Protocol):
    """Where frames come from and answers go. One frame is 80 ms: [1920] float32 at 24 kHz."""

    muted: bool  # True: zeros to the model, while time goes on
    talk_key_held: bool  # counts only where push-to-talk is chosen: zeros unless it is held

    def open(self) -> None:
        """Before a talk. Returns when frames may come. Raises UserError with the sentence for the user.

        While a talk runs, for the one that is to follow: the sound is opened anew. When that fails, the talk that runs
        keeps its counters, and frames come again once there is sound.
        """
        ...

    def begin(self) -> None:
        """Start of a talk, after `open`: what was heard until now is no part of it."""
        ...

    def close(self) -> None:
        """End of the talk. Safe to call twice, or without `open`."""
        ...

    def read_frame(self, timeout: float) -> InputFrame | None:
        """The next frame; None when none came within `timeout` seconds. Raises EndOfInput when there are no more."""
        ...

    def write_frame(self, pcm: np.ndarray) -> None:
        """The answer to the frame read last, [1920] float32. Never blocks."""
        ...

    def status(self) -> AudioStatus:
        """A cheap snapshot."""
        ...


class WavAudio:
    """A recording as the microphone and another as the loudspeaker, aligned: frame n's answer sits at n * 80 ms.

    pcm: [n] float32 at 24 kHz, or a spool of it where it is long. lead_silence_s: silence put in front. folder: where
    long sound is kept meanwhile; None is the system's temporary one. realtime: a frame comes when a microphone would
    have delivered it, by `clock` (nanoseconds) and `sleep` (seconds); otherwise at once.
    """

    def __init__(
        self,
        pcm: np.ndarray | SoundSpool,
        *,
        lead_silence_s: float = 0.0,
        folder: Path | None = None,
        realtime: bool = False,
        clock: Callable[[], int] = time.perf_counter_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.muted = False
        self.talk_key_held = False  # a recording is always heard
        self._lead = round(lead_silence_s * SAMPLE_RATE)
        self._input = pcm if isinstance(pcm, SoundSpool) else _spooled(pcm, folder)
        self._answers = SoundSpool(folder)
        self.samples = self._lead + len(self._input)  # without the padding of the last frame
        self.frames = -(-self.samples // FRAME)
        self._realtime = realtime
        self._clock = clock
        self._sleep = sleep
        self._started_ns = clock()
        self._next = 0  # frame to be read next
        self._levels = (0.0, 0.0)
        self._limited = 0

    @property
    def heard(self) -> np.ndarray:
        """What was offered to the model, [samples] float32 at 24 kHz."""
        return self._heard(0, self.samples)

    @property
    def answers(self) -> np.ndarray:
        """What was answered, [samples] float32 at 24 kHz within full scale; silence where no answer was written."""
        return self._answers.get(0, self.samples)

    def heard_pieces(self, samples: int) -> Iterator[np.ndarray]:
        """The first `samples` of what was offered, in pieces."""
        for start in range(0, samples, PIECE):
            yield self._heard(start, min(PIECE, samples - start))

    def answer_pieces(self, samples: int) -> Iterator[np.ndarray]:
        """The first `samples` of what was answered, in pieces."""
        return self._answers.pieces(samples)

    @property
    def frames_read(self) -> int:
        return self._next

    def open(self) -> None:
        """Starts from the first frame again."""
        self._next = 0
        self._answers.clear()
        self._levels = (0.0, 0.0)
        self._limited = 0
        self._started_ns = self._clock()

    def begin(self) -> None:
        """Nothing was heard: time begins with `open`."""

    def close(self) -> None:
        """Nothing is held: what was said stays readable."""

    def read_frame(self, timeout: float) -> InputFrame | None:
        if self._next >= self.frames:
            raise EndOfInput
        if self._realtime and not self._wait_until_due(timeout):
            return None
        pcm = self._heard(self._next * FRAME, FRAME)
        self._levels = (peak(pcm), self._levels[1])
        if self.muted:
            pcm[:] = 0.0
        time_s = self._started_ns / 1e9 + self._next * FRAME_S if self._realtime else math.nan
        self._next += 1
        return InputFrame(pcm, time_s)

    def write_frame(self, pcm: np.ndarray) -> None:
        assert self._next > 0, "an answer needs a frame that it answers"
        out = np.zeros(FRAME, np.float32)
        self._limited += limit_into(pcm, out)
        self._answers.put(out, (self._next - 1) * FRAME)
        self._levels = (self._levels[0], peak(out))

    def status(self) -> AudioStatus:
        return AudioStatus(
            queued_ms=self._queued_ms(),
            limited=self._limited,
            hearing=not self.muted,
            input_dbfs=dbfs(self._levels[0]),
            output_dbfs=dbfs(self._levels[1]),
        )

    def _heard(self, start: int, count: int) -> np.ndarray:
        """[count] of lead silence, input and the padding of the last frame."""
        lead = min(count, max(0, self._lead - start))
        pcm = self._input.get(max(0, start - self._lead), count - lead)
        return np.concatenate([np.zeros(lead, np.float32), pcm]) if lead else pcm

    def _wait_until_due(self, timeout: float) -> bool:
        """Frame n is complete (n + 1) * 80 ms after the start. False: not within the timeout, which has been slept."""
        due_ns = self._started_ns + round((self._next + 1) * FRAME_S * 1e9)
        wait_s = (due_ns - self._clock()) / 1e9
        if wait_s > 0:
            self._sleep(min(wait_s, max(timeout, 0.0)))
        return wait_s <= timeout

    def _queued_ms(self) -> float:
        if not self._realtime:
            return 0.0
        spoken_s = min((self._clock() - self._started_ns) / 1e9, self.frames * FRAME_S)
        return max(0.0, (spoken_s - self._next * FRAME_S) * 1e3)


def _spooled(pcm: np.ndarray, folder: Path | None) -> SoundSpool:
    spool = SoundSpool(folder)
    spool.put(np.asarray(pcm, np.float32))
    return spool


class DeviceAudio:
    """A microphone and a loudspeaker.

    settings: assign a new object to change them. `block_ms`, `max_lag_ms` and `margin_ms` count from the next `open`,
    everything else at once. desk: the devices; the window asks it directly. clock: seconds.

    When a device goes away in a talk, `read_frame` gives None until the desk has brought sound back; what is wrong
    stands in `status` meanwhile.
    """

    def __init__(
        self, settings: AudioSettings, desk: SoundDesk | None = None, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._settings = settings
        self.desk = desk or SoundDesk(settings.input, settings.output, clock=clock)
        self._clock = clock
        self._muted = self._talk_key_held = False
        self._talk = TalkSound(PlaybackPolicy.for_blocks(settings.block_ms, settings.margin_ms))
        self._max_waiting = 0
        self._answering: TimedFrame | None = None  # the frame read last

    @property
    def muted(self) -> bool:
        return self._muted

    @muted.setter
    def muted(self, muted: bool) -> None:
        self._muted = muted
        self._talk.muted = muted

    @property
    def talk_key_held(self) -> bool:
        return self._talk_key_held

    @talk_key_held.setter
    def talk_key_held(self, held: bool) -> None:
        self._talk_key_held = held
        self._talk.key_held = held

    @property
    def settings(self) -> AudioSettings:
        return self._settings

    @settings.setter
    def settings(self, settings: AudioSettings) -> None:
        self._settings = settings
        self._set_switches(self._talk)

    def open(self) -> None:
        settings = self._settings
        talk = TalkSound(PlaybackPolicy.for_blocks(settings.block_ms, settings.margin_ms))
        self._set_switches(talk)  # before a sample of it is heard
        self.desk.open(talk, settings.block_ms / 1000)
        self._talk = talk  # not before: the talk that runs goes on where this one cannot be had
        self._set_switches(talk)  # turned meanwhile
        self._max_waiting = round(settings.max_lag_ms * SAMPLE_RATE / 1000)
        self._answering = None

    def begin(self) -> None:
        self._talk.frames.forget()

    def close(self) -> None:
        self.desk.close()

    def read_frame(self, timeout: float) -> InputFrame | None:
        talk = self._talk
        gives_up = time.monotonic() + timeout
        while True:
            talk.frame_ready.clear()  # before looking, so that a frame in between sets it again
            frame = talk.frames.take(self._max_waiting)
            if frame is not None:
                self._answering = frame
                return InputFrame(frame.pcm, frame.time_s)
            if not talk.frame_ready.wait(max(0.0, gives_up - time.monotonic())):
                return None

    def write_frame(self, pcm: np.ndarray) -> None:
        assert self._answering is not None, "an answer needs a frame that it answers"
        self._talk.answers.write(pcm, self._clock(), self._answering.time_s, self._answering.luck)

    def status(self) -> AudioStatus:
        talk, sound = self._talk, self.desk.sound
        state = sound.state
        return AudioStatus(
            queued_ms=talk.frames.samples_waiting * 1000 / SAMPLE_RATE,
            skipped=talk.frames.dropped,
            gaps=talk.policy.gaps,
            mic_to_speaker_ms=state.mic_to_speaker_ms,
            callback_late_ms=state.late_ms,
            input_dbfs=dbfs(state.input_peak),
            output_dbfs=dbfs(state.output_peak),
            troubles=sound.troubles,
            late_callbacks=state.late_callbacks,
            margin_ms=talk.policy.margin_ms,
            play_queue_ms=state.queue * 1000 / SAMPLE_RATE,
            shed_ms=talk.policy.shed * 1000 / SAMPLE_RATE,
            limited=talk.answers.limited,
            input_name=sound.names["input"],
            output_name=sound.names["output"],
            input_rate=sound.rates["input"],
            output_rate=sound.rates["output"],
            hearing=not talk.silent,
            echo_active=state.echo.active,
            echo_removed_db=state.echo.removed_db,
            gain_db=state.gain_db,
        )

    def _set_switches(self, talk: TalkSound) -> None:
        talk.muted, talk.key_held = self._muted, self._talk_key_held
        talk.echo = self._settings.echo
        talk.noise_suppression = self._settings.noise_suppression
        talk.auto_gain = self._settings.auto_gain
        talk.push_to_talk = self._settings.talk_key_mode == "push"
