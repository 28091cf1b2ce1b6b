"""One pair of open devices: both streams, their rings, the audio thread between them, and the watch over it all.

Owns the order in which things are opened and closed. Opened and closed on the devices thread; the audio thread looks
after it in between; the engine thread never sees it. Must not know the conversation.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.audio_thread import AudioThread, MiddleState, Player, Recorder, SoundMiddle
from app.devices import SYSTEM_DEFAULT, Device, DeviceRef, resolve
from app.echo_reference import Reference
from app.portaudio import Opened, PortAudio, no_device
from app.sound_troubles import SoundTroubles, hears_itself, unheard
from app.streams import CaptureEnd, PlayEnd, StreamWatch
from app.talk_sound import TalkSound

log = logging.getLogger("parley.sound")

GIVEN_UP_S = 5.0  # a device that moved no sound for so long is closed and opened again
FADE_OUT_S = 0.1  # longest wait for what is already on its way to the loudspeaker


@dataclass(frozen=True)
class Wish:
    """What to open. rates: sample rates to try first, by direction, when the device's own word was wrong."""

    input: DeviceRef = SYSTEM_DEFAULT
    output: DeviceRef = SYSTEM_DEFAULT
    block_s: float = 0.02
    rates: dict[str, float] = field(default_factory=dict)

    def ref(self, direction: str) -> DeviceRef:
        return self.input if direction == "input" else self.output


@dataclass(frozen=True)
class Attention:
    """What only the devices thread can mend: a device that went away, one that runs at another rate than it says, or
    an error in the audio thread."""

    session: SoundSession
    direction: str = ""  # "" when it concerns neither device
    stalled: bool = False  # it is still there, as far as anybody knows, and moves no sound
    measured_rate: float | None = None


class SoundSession:
    """Opens on construction and raises SoundProblem with everything closed again.

    attention: called once, from the audio thread or a thread of PortAudio, when the session cannot go on by itself.
    make_thread: builds what calls `tick` (tests call it themselves).
    """

    def __init__(
        self,
        portaudio: PortAudio,
        talk: TalkSound,
        wish: Wish,
        *,
        clock: Callable[[], float],
        attention: Callable[[Attention], None],
        make_thread: Callable[..., Any] = AudioThread,
    ) -> None:
        self._portaudio = portaudio
        self._talk = talk
        self._clock = clock
        self._attention = attention
        self._asked = False  # attention is asked for once
        self._closing = False
        self._opened: dict[str, Opened] = {}
        self._ends: dict[str, CaptureEnd | PlayEnd] = {}
        self.devices: dict[str, Device] = {}
        try:
            # The microphone first: opening a Bluetooth headset's takes its loudspeaker to another rate, and only what
            # is asked after that is true.
            missing = {direction: self._open(direction, wish) for direction in ("input", "output")}
        except BaseException:
            self._close_streams()
            raise
        self.troubles = SoundTroubles({direction: device.row.name for direction, device in self.devices.items()})
        for direction, wanted in missing.items():
            if wanted:
                self.troubles.fallback(direction, wanted)
        self._rates = {direction: opened.rate for direction, opened in self._opened.items()}
        self._watches = self._make_watches()
        self._middle: SoundMiddle | None = self._make_middle(talk)
        self._last = self._middle.state
        self._thread: Any = make_thread(self._tick, clock, self._thread_failed)
        self._thread.start()

    @property
    def state(self) -> MiddleState:
        """Now, or as it was when this session was closed."""
        middle = self._middle
        return self._last if middle is None else middle.state

    def rate(self, direction: str) -> float:
        return self._rates[direction]

    def close(self) -> None:
        """Lets what is on its way be heard, then stops both streams. On the devices thread."""
        self._closing = True
        self._thread.stop()
        ring = self._ends["output"].ring
        gives_up = time.monotonic() + FADE_OUT_S
        while ring.readable and not self._asked and time.monotonic() < gives_up:
            time.sleep(0.005)
        self._close_streams()
        self._let_go()

    def _let_go(self) -> None:
        """Streams, thread and this session hold one another, and with them megabytes of resamplers that only C++ knows
        of: Python would look for such a ring after hours, since it counts objects and not what they hold."""
        self._last = self.state
        self._middle = self._thread = None
        self._opened.clear()
        self._ends.clear()
        self._watches.clear()

    def _open(self, direction: str, wish: Wish) -> str:
        """Opens and starts one stream. Returns the name that was asked for when another device is used, else ""."""
        ref = wish.ref(direction)
        resolved = resolve(self._portaudio.found(direction), ref)
        if resolved is None:
            raise no_device(direction)
        device = resolved.device
        opened = self._portaudio.open(
            direction,
            device,
            callback=lambda rate, channels: self._make_end(direction, rate, channels),
            finished=lambda: self._finished(direction),
            block_s=wish.block_s,
            rates=(wish.rates[direction],) if direction in wish.rates else (),
        )
        self._opened[direction] = opened
        self.devices[direction] = device
        self._portaudio.start(opened, direction, device)
        log.info("%s: %s (%s) at %g Hz", direction, device.row.name, device.row.host_api, opened.rate)
        return ref.name if resolved.fallback else ""

    def _make_end(self, direction: str, rate: float, channels: int) -> Callable[..., None]:
        end = CaptureEnd(rate, channels, self._clock) if direction == "input" else PlayEnd(rate, self._clock)
        self._ends[direction] = end
        return end.callback

    def _make_watches(self) -> dict[str, StreamWatch]:
        now = self._clock()
        return {
            direction: StreamWatch(
                self._ends[direction].notes, opened.rate, opened.latency_s, -1 if direction == "input" else 1, now
            )
            for direction, opened in self._opened.items()
        }

    def _make_middle(self, talk: TalkSound) -> SoundMiddle:
        capture, play = self._ends["input"], self._ends["output"]
        assert isinstance(capture, CaptureEnd)
        assert isinstance(play, PlayEnd)
        talk.interrupted()
        reference = Reference(self._opened["output"].rate)
        recorder = Recorder(capture, self._watches["input"], talk, reference)
        player = Player(play, self._watches["output"], talk, reference)
        return SoundMiddle(recorder, player, (self._watches["input"], self._watches["output"]), talk)

    def _tick(self, now_s: float) -> None:
        """On the audio thread, every 10 ms."""
        middle = self._middle
        if middle is None:
            return
        middle.tick(now_s)
        silent_s = {direction: watch.silent_s(now_s) for direction, watch in tuple(self._watches.items())}
        self.troubles.observe(silent_s, middle.state.zeros_s)
        self._note(middle.state)
        for direction, seconds in silent_s.items():
            if seconds >= GIVEN_UP_S:
                self._ask(Attention(self, direction, stalled=True))
        for direction, watch in tuple(self._watches.items()):
            if watch.measured_rate is not None:
                self._ask(Attention(self, direction, measured_rate=watch.measured_rate))

    def _note(self, state: MiddleState) -> None:
        self.troubles.note("echo", hears_itself(self._talk.echo) if state.echo.hears_itself else "")
        self.troubles.note("muted", unheard(self._talk.muted) if state.unheard else "")
        self.troubles.note("noise", state.noise_trouble)

    def _finished(self, direction: str) -> None:
        """On a thread of PortAudio: the stream ended. Nobody asked it to unless this session is closing."""
        if not self._closing:
            self._ask(Attention(self, direction))

    def _thread_failed(self, error: Exception) -> None:
        log.error("the audio thread failed", exc_info=error)
        self._ask(Attention(self))

    def _ask(self, attention: Attention) -> None:
        if not self._asked:
            self._asked = True
            self._attention(attention)

    def _close_streams(self) -> None:
        self._closing = True
        for opened in self._opened.values():
            self._portaudio.close(opened)
