"""The middle of the sound: from the microphone's ring to frames, from answers to the loudspeaker's ring.

Owns resampling, re-blocking, mute, the carrying out of the playback policy, and what is measured on the way; what is
done to the microphone's sound beside that is the input chain's. It must
not know about devices (rings and callback notes are all it sees), the model or Qt. `SoundMiddle.tick` is called by
the audio thread every 10 ms and never takes as long as that; the engine thread only touches the outer ends of
`TalkSound`. In a tick the microphone comes first: what is then still ahead of the loudspeaker is known exactly.
"""

from __future__ import annotations

import math
import statistics
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.echo import EchoCanceller, EchoState
from app.echo_reference import Reference
from app.input_chain import InputChain
from app.levels import LOUDEST, peak
from app.playback import TICK_MS, Move, samples
from app.resample import StreamResampler, mix_down
from app.ring import SAMPLE_RATE
from app.streams import COUNT, FRAMES, NOW, POSITION, CaptureEnd, PlayEnd, StreamWatch
from app.talk_sound import AnswerTag, TalkSound

TICK_S = TICK_MS / 1000
QUIET = 10 ** (-48 / 20)  # answers below this may be left out unheard
QUIET_LOOK = samples(200)
FLUSH = samples(3)  # pushes the end of a fade out of the resampler
LEVEL_WINDOW_S = 0.08  # levels and lateness are the worst of this and the window before
LATENCIES = 9  # frames over which mic-to-speaker is the median


class MiddleState(NamedTuple):
    """What the audio thread measured, published once per tick."""

    mic_to_speaker_ms: float = math.nan
    late_ms: float = 0.0
    late_callbacks: int = 0
    input_peak: float = 0.0
    output_peak: float = 0.0
    queue: int = 0  # answer samples that wait to be heard, 24 kHz
    zeros_s: float = 0.0  # for how long every sample of the microphone has been exactly zero
    echo: EchoState = EchoState()
    gain_db: float = 0.0
    unheard: bool = False  # somebody talks while the model is given silence
    noise_trouble: str = ""  # why noise suppression does not work although it is wanted


class Recorder:
    """Microphone's ring to frames. reference: what the loudspeaker plays, None where no echo is to be looked for."""

    def __init__(
        self, end: CaptureEnd, watch: StreamWatch, talk: TalkSound, reference: Reference | None = None
    ) -> None:
        self.peak = 0.0  # of the last tick
        self.zeros_s = 0.0
        self._ring = end.ring
        self._watch = watch
        self._talk = talk
        self.chain = InputChain(talk, None if reference is None else EchoCanceller(reference, talk.echo))
        self._late = 0  # callbacks known to have lost sound
        self._resampler = StreamResampler(watch.rate, SAMPLE_RATE)
        self._block = np.zeros((end.ring.capacity, end.ring.channels), np.float32)
        self._row: np.ndarray | None = None
        self._gain = 0.0  # 0 muted, 1 open; it starts muted so that the first block rises

    def tick(self, correction: float) -> None:
        """correction: relative change of the resampling ratio that follows the drift of the clocks."""
        rows = self._watch.update()
        if len(rows):
            self._row = rows[-1]
        if self._watch.late_callbacks != self._late:
            self._late = self._watch.late_callbacks
            self.lost_sound()
        position = self._ring.consumed
        block = self._block[: self._ring.readable]
        if self._row is None or len(block) == 0:
            return
        self._ring.read_into(block if self._ring.channels > 1 else block[:, 0])
        signal = mix_down(block)
        if not np.isfinite(signal).all():  # a driver that hands out uninitialised memory
            signal = np.nan_to_num(signal, copy=True, nan=0.0, posinf=0.0, neginf=0.0)
        signal = np.clip(signal, -LOUDEST, LOUDEST)  # or one such sample would spoil what the canceller has learned
        self.peak = peak(signal)
        self.zeros_s = 0.0 if self.peak > 0.0 else self.zeros_s + len(signal) / self._watch.rate
        first_s = self._watch.converter_s(self._row, position) - self._resampler.owed / SAMPLE_RATE
        self._deliver(*self.chain.process(self._resampler.process(signal, correction), first_s, correction))

    def lost_sound(self) -> None:
        """Of either device."""
        if self.chain.canceller is not None:
            self.chain.canceller.lost_sound()

    @property
    def unheard(self) -> bool:
        return self._talk.silent and self.chain.meter.talking

    def _deliver(self, signal: np.ndarray, first_s: float) -> None:
        """Muted means zeros while time goes on; either way over one block, which does not click."""
        if len(signal) == 0:
            return
        gain = 0.0 if self._talk.silent else 1.0
        if self._gain != gain:
            signal = signal * np.linspace(self._gain, gain, len(signal), dtype=np.float32)
            self._gain = gain
        elif gain == 0.0:
            signal = np.zeros_like(signal)
        frames = self._talk.frames.frames_in
        device_block = round(self._row[FRAMES] * SAMPLE_RATE / self._watch.rate) if self._row is not None else 0
        self._talk.frames.write(signal, first_s, device_block, self.chain.waiting)
        if self._talk.frames.frames_in > frames:
            self._talk.frame_ready.set()


class Player:
    """Answers to the loudspeaker's ring, as the policy says. reference: is told what the loudspeaker plays."""

    def __init__(self, end: PlayEnd, watch: StreamWatch, talk: TalkSound, reference: Reference | None = None) -> None:
        self.peak = 0.0
        self.lost_sound = False  # a callback came too late, and nobody has taken notice yet
        self._late = 0
        self._reference = reference
        self._ring = end.ring
        self._watch = watch
        self._answers = talk.answers
        self._policy = talk.policy
        self._ratio = watch.rate / SAMPLE_RATE
        self._resampler = StreamResampler(SAMPLE_RATE, watch.rate)
        self._fed = 0  # 24 kHz samples given to the resampler; sample i lies at i * ratio in the ring
        self._row: np.ndarray | None = None
        self._started_at = 0  # position in the ring at which playing began
        self._fade_length = self._fade_done = 0
        self._join = np.zeros(0, np.float32)  # what would have come, to be crossed over after samples were left out
        self._tags: deque[AnswerTag] = deque()
        self._sounding: deque[tuple[float, float]] = deque()  # (position in the ring, adc_s) on the way to the ear
        self._latencies: deque[float] = deque(maxlen=LATENCIES)

    @property
    def ahead(self) -> int:
        """Samples (24 kHz) handed over and not yet taken by the device."""
        return round((self._ring.readable + self._resampler.owed) / self._ratio)

    @property
    def queue(self) -> int:
        return self.ahead + self._answers.ring.readable

    @property
    def mic_to_speaker_ms(self) -> float:
        return statistics.median(self._latencies) if self._latencies else math.nan

    def tick(self, now_s: float) -> None:
        for row in self._watch.update():
            self._note_callback(row, now_s)
        self.lost_sound = self.lost_sound or self._watch.late_callbacks != self._late
        self._late = self._watch.late_callbacks
        self._note_arrivals()
        policy = self._policy
        quiet = self._quiet_head() if policy.wants_quiet else 0
        was_playing = policy.playing
        move = policy.step(now_s, self._answers.ring.readable, self.ahead, self._since(now_s), quiet)
        if policy.playing and not was_playing:
            self._started_at = self._ring.written
        self._carry_out(move)

    def _note_callback(self, row: np.ndarray, now_s: float) -> None:
        self._row = row
        if self._reference is not None:
            whole = self._reference.played(row, self._watch.converter_s(row, row[POSITION]))
            self.lost_sound = self.lost_sound or not whole
        end = row[POSITION] + row[COUNT]
        if row[COUNT] < row[FRAMES] and end > self._started_at:  # not the silence before playing began
            self._policy.starved(now_s)
        while self._sounding and self._sounding[0][0] < end:
            position, adc_s = self._sounding.popleft()
            if position >= row[POSITION] and not math.isnan(adc_s):
                self._latencies.append((self._watch.converter_s(row, position) - adc_s) * 1e3)

    def _note_arrivals(self) -> None:
        """Tells the policy how early each new answer came: what was still to be heard at that moment."""
        while self._answers.tags:
            tag = self._answers.tags.popleft()
            self._tags.append(tag)
            waiting = tag.position - self._answers.ring.consumed
            self._policy.arrived(waiting + self.ahead - self._since(tag.arrived_s), tag.luck)

    def _since(self, time_s: float) -> int:
        """Time since the device last took a block, in 24 kHz samples, at most a block's length."""
        if self._row is None:
            return 0
        since = (time_s - self._row[NOW]) * self._watch.rate
        return round(min(max(since, -self._row[FRAMES]), self._row[FRAMES]) / self._ratio)

    def _quiet_head(self) -> int:
        look = np.zeros(QUIET_LOOK, np.float32)
        look = look[: self._answers.ring.peek_into(look)]
        loud = np.flatnonzero(np.abs(look) > QUIET)
        return int(loud[0]) if len(loud) else len(look)

    def _carry_out(self, move: Move) -> None:
        self.peak = 0.0
        if move.drop:
            self._leave_out(move.drop)
        if move.fade_in:
            self._fade_length, self._fade_done = move.fade_in, 0
        if not move.silence and not move.take:
            return
        sound = np.zeros(move.silence + move.take + (FLUSH if move.fade_out else 0), np.float32)
        body = sound[move.silence : move.silence + move.take]
        self._tag_moved(move)
        self._answers.ring.read_into(body)
        self._shape(body, move.fade_out)
        out = self._resampler.process(sound)
        np.clip(out, -1.0, 1.0, out=out)  # the filter overshoots at full scale
        self._fed += len(sound)
        position = self._ring.written
        written = self._ring.write(out)
        if self._reference is not None:
            self._reference.handed(position, out[:written])
        self.peak = peak(out)

    def _tag_moved(self, move: Move) -> None:
        """Follows the first samples of answers into the device's ring."""
        first = self._answers.ring.consumed
        while self._tags and self._tags[0].position < first + move.take:
            tag = self._tags.popleft()
            if tag.position >= first:  # else it was left out
                fed = self._fed + move.silence + tag.position - first
                self._sounding.append((fed * self._ratio, tag.adc_s))

    def _shape(self, body: np.ndarray, fade_out: bool) -> None:
        joined = min(len(self._join), len(body))
        if joined:
            rise = np.linspace(0.0, 1.0, joined, dtype=np.float32)
            body[:joined] = body[:joined] * rise + self._join[:joined] * (1.0 - rise)
            self._join = self._join[:0]
        left = min(self._fade_length - self._fade_done, len(body))
        if left > 0:
            steps = np.arange(self._fade_done, self._fade_done + left, dtype=np.float32)
            body[:left] *= 0.5 - 0.5 * np.cos(np.pi * steps / self._fade_length)
            self._fade_done += left
        if fade_out:
            fall = min(samples(5), len(body))
            body[len(body) - fall :] *= np.linspace(1.0, 0.0, fall, dtype=np.float32)

    def _leave_out(self, count: int) -> None:
        join = np.zeros(samples(5), np.float32)
        self._join = join[: self._answers.ring.peek_into(join)]
        self._answers.ring.skip(count)


class SoundMiddle:
    """Both ways, tick by tick."""

    def __init__(self, recorder: Recorder, player: Player, watches: tuple[StreamWatch, StreamWatch], talk: TalkSound):
        self.state = MiddleState()  # replaced as a whole, so any thread may read it
        self._recorder = recorder
        self._player = player
        self._watches = watches
        self._talk = talk
        self._window_ends_s = 0.0
        self._worst = self._worst_before = (0.0, 0.0, 0.0)  # lateness, microphone peak, loudspeaker peak

    def tick(self, now_s: float) -> None:
        self._recorder.tick(self._talk.policy.rate_correction)
        self._player.tick(now_s)
        if self._player.lost_sound:
            self._player.lost_sound = False
            self._recorder.lost_sound()
        self._publish(now_s)

    def _publish(self, now_s: float) -> None:
        late_ms = max(watch.late_ms for watch in self._watches)
        if now_s >= self._window_ends_s:
            self._worst_before, self._worst = self._worst, (0.0, 0.0, 0.0)
            self._window_ends_s = now_s + LEVEL_WINDOW_S
        now = (late_ms, self._recorder.peak, self._player.peak)
        self._worst = (max(self._worst[0], now[0]), max(self._worst[1], now[1]), max(self._worst[2], now[2]))
        chain = self._recorder.chain
        self.state = MiddleState(
            self._player.mic_to_speaker_ms,
            max(self._worst[0], self._worst_before[0]),
            sum(watch.late_callbacks for watch in self._watches),
            max(self._worst[1], self._worst_before[1]),
            max(self._worst[2], self._worst_before[2]),
            self._player.queue,
            self._recorder.zeros_s,
            EchoState() if chain.canceller is None else chain.canceller.state,
            chain.gain_db,
            self._recorder.unheard,
            chain.noise.trouble,
        )


class AudioThread:
    """Calls `tick` every 10 ms until stopped. failed: told of an exception, after which no tick follows."""

    def __init__(
        self, tick: Callable[[float], None], clock: Callable[[], float], failed: Callable[[Exception], None]
    ) -> None:
        self._tick = tick
        self._clock = clock
        self._failed = failed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="audio", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout: float = 1.0) -> None:
        """From any thread but this one."""
        self._stop.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        while not self._stop.wait(TICK_S):
            try:
                self._tick(self._clock())
            except Exception as error:
                self._failed(error)
                return
