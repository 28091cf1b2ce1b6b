"""The devices desk: what is plugged in, what is chosen, and the sound of the talk that runs, all by the devices thread.

Owns the open session and everything that opens, closes or lists. Must not know frames or the conversation. Public
methods may be called by any thread: `open` and `close` wait (the engine thread calls them), `refresh` and `choose` hand
back a future, the rest is at hand. Methods with a leading underscore run on the devices thread.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from app.allocator import give_back_freed
from app.audio_thread import AudioThread, MiddleState
from app.back_off import BackOff, CallLater, call_later
from app.device_thread import DeviceThread, DriverSilent
from app.devices import DIRECTIONS, SYSTEM_DEFAULT, DeviceLists, DeviceRef, is_there, resolve
from app.errors import UserError
from app.portaudio import PortAudio, SoundProblem, list_devices
from app.sound_session import Attention, SoundSession, Wish
from app.sound_troubles import SETTINGS, AudioTrouble
from app.talk_sound import TalkSound

log = logging.getLogger("parley.sound")

OPEN_LIMIT_S = 8.0  # Bluetooth headsets take seconds to turn their microphone on
CLOSE_LIMIT_S = 4.0
RATE_REOPENINGS = 2  # within a minute: a device that still runs at another rate then is left alone
RATE_MEMORY_S = 60.0
USUAL_RATES = (8000.0, 16000.0, 24000.0, 32000.0, 44100.0, 48000.0, 96000.0)


class DeskSound(NamedTuple):
    """The sound at present. Names are empty and rates (Hz) zero while nothing is open."""

    state: MiddleState
    troubles: tuple[AudioTrouble, ...]
    names: dict[str, str]
    rates: dict[str, float]


class SoundDesk:
    """input, output: the choice to begin with. portaudio, thread, clock (seconds), make_thread (see SoundSession) and
    later (see BackOff) are the real ones unless a test hands in others."""

    def __init__(
        self,
        input: DeviceRef = SYSTEM_DEFAULT,  # noqa: A002 - the word of the settings
        output: DeviceRef = SYSTEM_DEFAULT,
        *,
        portaudio: PortAudio | None = None,
        thread: DeviceThread | None = None,
        clock: Callable[[], float] = time.perf_counter,
        make_thread: Callable[..., Any] = AudioThread,
        later: CallLater = call_later,
    ) -> None:
        self._portaudio = portaudio or PortAudio()
        self._thread = thread or DeviceThread()
        self._clock = clock
        self._make_thread = make_thread
        self._lists = DeviceLists(0, (), (), input, output)  # replaced as a whole by the devices thread
        self._talk: TalkSound | None = None  # what sound is wanted for; None while no talk runs
        self._block_s = 0.02
        self._session: SoundSession | None = None  # the open one
        self._told: SoundSession | None = None  # the one whose troubles stand: open, or lost in this talk
        self._failure: AudioTrouble | None = None  # why there is no session although a talk runs
        self._in_use: dict[str, DeviceRef] = {}  # by direction, of the session that is open or was lost
        self._retries = BackOff(self._try_again_soon, later)
        self._rate_reopened_s: deque[float] = deque(maxlen=RATE_REOPENINGS)

    # ---------------------------------------------------------------- any thread

    @property
    def sound(self) -> DeskSound:
        session = self._session
        if session is None:
            return DeskSound(
                MiddleState(), self._troubles(), dict.fromkeys(DIRECTIONS, ""), dict.fromkeys(DIRECTIONS, 0.0)
            )
        names = {direction: session.devices[direction].row.name for direction in DIRECTIONS}
        rates = {direction: session.rate(direction) for direction in DIRECTIONS}
        return DeskSound(session.state, self._troubles(), names, rates)

    @property
    def lists(self) -> DeviceLists:
        """What was there when it was last looked at, and what is chosen. Empty until `refresh` or `open`."""
        return self._lists

    def open(self, talk: TalkSound, block_s: float) -> None:
        """Starts the sound of a talk, in place of one that runs. Raises SoundProblem or DriverSilent; nothing is open
        then, and a talk that ran waits until its devices can be had again."""
        former = self._talk, self._block_s
        self._talk, self._block_s = talk, block_s
        self._rate_reopened_s.clear()
        try:
            self._thread.call(
                self._open,
                what="the microphone and the loudspeaker were being opened",
                limit_s=OPEN_LIMIT_S,
                discard=lambda _: self._open_or_tell(silently=True),  # for the talk that waits, if one does
            )
        except BaseException as error:
            self._talk, self._block_s = former
            if self._talk is not None and isinstance(error, UserError):
                self._wait_because(error)
            raise

    def close(self) -> None:
        """Ends the sound of the talk."""
        self._talk = None
        self._retries.stop()
        try:
            self._thread.call(self._close, what="the sound was being stopped", limit_s=CLOSE_LIMIT_S)
        except DriverSilent:  # the talk is over all the same; the next `open` says it if the driver still hangs
            log.warning("the sound system did not stop in time")
        self._failure = self._told = None

    @property
    def stuck(self) -> str:
        """What hangs in the sound system beyond its time limit, "" when nothing does."""
        return self._thread.stuck

    def refresh(self) -> Future[str]:
        """Lists devices anew. In a talk the sound stops for a moment and goes on, also after a device was lost.
        Comes true with "" or one sentence for the user."""
        return self._answer(self._refresh, "the sound devices were being listed")

    def choose(self, direction: str, ref: DeviceRef) -> Future[str]:
        """Uses a device ("input" or "output") from now on, in a talk too. When it cannot be opened, the former one is
        in use again. Comes true with "" or one sentence for the user."""
        assert direction in DIRECTIONS
        return self._answer(lambda: self._choose(direction, ref), "another sound device was being opened")

    def _troubles(self) -> tuple[AudioTrouble, ...]:
        if self._failure is not None:
            return (self._failure,)
        return self._told.troubles.standing if self._told is not None else ()

    def _answer(self, job: Callable[[], None], what: str) -> Future[str]:
        """A job on the devices thread whose refusals come as sentences."""
        answer: Future[str] = Future()

        def settle(done: Future[None]) -> None:
            error = done.exception()
            if error is None or isinstance(error, UserError):
                answer.set_result("" if error is None else str(error))
            else:
                answer.set_exception(error)

        self._thread.submit(job, what=what, limit_s=OPEN_LIMIT_S).add_done_callback(settle)
        return answer

    # ---------------------------------------------------------------- devices thread

    def _open(self, rates: dict[str, float] | None = None, devices: dict[str, DeviceRef] | None = None) -> None:
        """Opens for the talk that wants sound, if one does. devices: by direction, in place of the chosen ones."""
        self._close()
        self._retries.stop()
        talk = self._talk
        if talk is None:
            return
        self._find_what_was_chosen()
        try:
            self._open_session(talk, rates, devices)
        except SoundProblem:
            if not self._gone_since_it_was_listed():
                raise
            self._open_session(talk, rates, devices)  # whose word is of what is there now

    def _open_session(
        self, talk: TalkSound, rates: dict[str, float] | None, devices: dict[str, DeviceRef] | None
    ) -> None:
        chosen = {"input": self._lists.input_choice, "output": self._lists.output_choice, **(devices or {})}
        wish = Wish(chosen["input"], chosen["output"], self._block_s, rates or {})
        session = SoundSession(
            self._portaudio, talk, wish, clock=self._clock, attention=self._attend_soon, make_thread=self._make_thread
        )
        self._session = self._told = session
        self._in_use = {
            direction: DeviceRef(device.row.name, device.row.host_api) for direction, device in session.devices.items()
        }
        self._failure = None

    def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()
            give_back_freed()

    def _find_what_was_chosen(self) -> None:
        """PortAudio's list is as old as its initialisation: look again only when something chosen is not in it, since
        that takes 100 ms. Nothing is open at this moment."""
        if self._misses_something_chosen():
            self._portaudio.reinitialise()
        self._list()

    def _gone_since_it_was_listed(self) -> bool:
        """Why a device that stands in PortAudio's list does not open: the list is old, and of a sound server that has
        ended not one device is there. Brings it up to date."""
        if self._misses_something_chosen():
            return False  # it has just been looked for
        self._portaudio.reinitialise()
        self._list()
        return self._misses_something_chosen()

    def _misses_something_chosen(self) -> bool:
        choices = {"input": self._lists.input_choice, "output": self._lists.output_choice}
        for direction, ref in choices.items():
            resolved = resolve(self._portaudio.found(direction), ref)
            if resolved is None or resolved.fallback:
                return True
        return False

    def _list(self) -> None:
        found = list_devices(self._portaudio)
        former = self._lists
        new = found._replace(
            revision=former.revision, input_choice=former.input_choice, output_choice=former.output_choice
        )
        if new != former:
            self._lists = new._replace(revision=former.revision + 1)

    def _refresh(self) -> None:
        self._close()
        try:
            self._portaudio.reinitialise()
        finally:
            self._list()  # an error is in the note as well
        self._open_or_tell()

    def _choose(self, direction: str, ref: DeviceRef) -> None:
        former = self._lists
        self._set_choice(direction, ref)
        try:
            self._open()
        except UserError:
            self._set_choice(direction, former.input_choice if direction == "input" else former.output_choice)
            self._open_or_tell(silently=True)
            raise

    def _set_choice(self, direction: str, ref: DeviceRef) -> None:
        lists = self._lists
        changed = lists._replace(input_choice=ref) if direction == "input" else lists._replace(output_choice=ref)
        self._lists = changed._replace(revision=lists.revision + 1)

    def _open_or_tell(self, silently: bool = False) -> None:
        """Opens for the running talk; when that fails, the talk waits and the reason stands in its status."""
        try:
            self._open()
        except SoundProblem as problem:
            self._wait_because(problem)
            if not silently:
                raise

    def _attend_soon(self, attention: Attention) -> None:
        """Called by the audio thread or by PortAudio; the work is the devices thread's."""
        self._thread.submit(
            lambda: self._attend(attention), what="a lost sound device was being closed", limit_s=OPEN_LIMIT_S
        )

    def _attend(self, attention: Attention) -> None:
        session = self._session
        if session is None or session is not attention.session:
            return
        if attention.measured_rate is not None:
            self._follow_rate(attention.direction, attention.measured_rate)
            return
        if attention.direction:
            session.troubles.lost(attention.direction, attention.stalled)
        else:
            session.troubles.failed()
        self._close()
        if attention.direction:
            self._retries.begin()

    def _wait_because(self, problem: UserError) -> None:
        """Called by the engine thread too, once the devices thread has given up."""
        kind = problem.kind if isinstance(problem, SoundProblem) else "audio-input"
        self._failure = AudioTrouble(kind, f"{problem} The talk waits.", SETTINGS)
        if self._in_use:
            self._retries.begin()

    def _try_again_soon(self) -> None:
        """Called by a timer; the work is the devices thread's."""
        looked = self._thread.submit(
            self._try_again, what="a lost sound device was being looked for", limit_s=OPEN_LIMIT_S
        )
        looked.add_done_callback(lambda done: self._retries.again() if done.exception() is not None else None)

    def _try_again(self) -> None:
        """Goes on when the very devices that were in use are there again. Another one is never taken unasked: a talk
        that suddenly sounds from the laptop's loudspeaker may be heard by the whole room."""
        if self._talk is None or self._session is not None or not self._retries.waiting:
            return
        try:
            self._portaudio.reinitialise()
            give_back_freed()  # what the lost streams and the vain tries left behind
            self._list()
            if all(is_there(self._portaudio.found(direction), ref) for direction, ref in self._in_use.items()):
                self._open(devices=self._in_use)
                return
        except SoundProblem as problem:
            log.info("the sound does not come back yet: %s", problem)
        self._retries.again()

    def _follow_rate(self, direction: str, measured: float) -> None:
        """A Bluetooth headset changed its rate after opening, or the device's word was wrong: open at what it does."""
        rate = min(USUAL_RATES, key=lambda usual: abs(usual - measured))
        if self._session is None or rate == self._session.rate(direction):
            return
        now = self._clock()
        if len(self._rate_reopened_s) == RATE_REOPENINGS and now - self._rate_reopened_s[0] < RATE_MEMORY_S:
            return
        self._rate_reopened_s.append(now)
        log.warning("%s runs at %.0f Hz, not %g: opening again", direction, measured, self._session.rate(direction))
        self._close()
        self._portaudio.reinitialise()
        try:
            self._open({direction: rate}, self._in_use)
        except SoundProblem as problem:
            self._wait_because(problem)
