"""The user's side of the transcript: utterances cut from what the model hears, written down as the talk goes.

Owns the wish, the queue of frames and the thread that cuts and waits for the recogniser. A talk hands its frames over
and never waits; when the recogniser falls behind by a minute, frames are left out and that is said. `want` and `state`
are for the window's thread, `begin_talk`, `frame` and `end_talk` for the engine thread; everything with a leading
underscore runs in the thread of its own. The recogniser starts with the first talk, not before.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.errors import UserError
from app.messages import UserSpoke
from app.recogniser import Recogniser, find_model, start_recogniser
from app.speech_gate import FRAME_S, SpeechGate, Utterance

log = logging.getLogger("parley.user_words")

MOST_WAITING = 750  # frames, one minute
BEHIND = "This computer is too busy to write down all that you say; some of it is left out."


@dataclass(frozen=True)
class UserWordsState:
    """ready: what the user says is written down in talks. sentence: why it is not, or not all of it; "" else."""

    ready: bool = False
    sentence: str = ""


class _Frame(NamedTuple):
    talk: int
    start_s: float
    pcm: np.ndarray


class _Wish(NamedTuple):
    on: bool
    model: str


_BEGIN, _END, _STOP = "begin", "end", "stop"


class UserWords:
    """tell: takes what was written down, in this object's thread. find and start: a test's own."""

    def __init__(
        self,
        tell: Callable[[UserSpoke], object] = lambda event: None,
        find: Callable[[str], object] = find_model,
        start: Callable[[str], Recogniser] = start_recogniser,
    ) -> None:
        self.tell = tell
        self.state = UserWordsState()  # replaced as a whole
        self._find = find
        self._start = start
        self._waiting: queue.SimpleQueue[_Frame | _Wish | str] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._wanted = _Wish(False, "")
        self._talk = 0  # counted from 1, as the window counts them
        self._in_talk = False
        self._frames = 0
        self._behind = False
        # of the thread
        self._wish = _Wish(False, "")
        self._gate = SpeechGate()
        self._heard_talk = 0
        self._recogniser: Recogniser | None = None

    # ------------------------------------------------------------ the window's thread

    def want(self, on: bool, model: str = "") -> None:
        """Write down what is said from now on, or do not. model: a folder of the user's, "" to look for one."""
        wish = _Wish(on, model)
        if wish == self._wanted:
            return
        self._wanted = wish
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="user words", daemon=True)
            self._thread.start()
        self.state = UserWordsState()
        self._waiting.put(wish)

    def close(self, timeout: float = 5.0) -> None:
        """End the recogniser. One that is busy for longer ends with the program, whose pipe it hangs on."""
        self.state = UserWordsState()
        if self._thread is not None:
            self._waiting.put(_STOP)
            self._thread.join(timeout)

    # ------------------------------------------------------------ the engine thread; never blocks

    def begin_talk(self) -> None:
        self._talk += 1
        self._frames = 0
        self._in_talk = True
        if self._wanted.on:
            self._waiting.put(_BEGIN)

    def frame(self, heard: np.ndarray, skipped: int) -> None:
        """A frame [1920] as the model hears it; copied. skipped: microphone frames the talk has left out so far."""
        start_s = (self._frames + skipped) * FRAME_S
        self._frames += 1
        if not self.state.ready:
            return
        if self._waiting.qsize() >= MOST_WAITING:
            self._behind = True
            return
        self._waiting.put(_Frame(self._talk, start_s, heard.copy()))

    def end_talk(self) -> None:
        self._in_talk = False
        if self.state.ready:
            self._waiting.put(_END)

    # ------------------------------------------------------------ the thread of its own

    def _run(self) -> None:
        while (item := self._waiting.get()) != _STOP:
            try:
                self._take(item)
            except UserError as error:
                self._give_up(str(error))
            except Exception as error:
                log.exception("unexpected error while speech was written down")
                self._give_up(f"What you say is not written down, because of an error ({type(error).__name__}).")
        self._end_recogniser()

    def _take(self, item: _Frame | _Wish | str) -> None:
        if isinstance(item, _Wish):
            self._follow(item)
        elif isinstance(item, _Frame):
            if self._recogniser is not None:
                self._heard_talk = item.talk
                self._write_down(self._gate.feed(item.start_s, item.pcm))
        elif item == _BEGIN:
            self._begin()
        else:
            self._write_down(self._gate.flush())

    def _follow(self, wish: _Wish) -> None:
        if wish is not self._wanted:  # thought better of
            return
        if wish.model != self._wish.model or not wish.on:
            self._end_recogniser()
        self._wish = wish
        self._gate = SpeechGate()
        self.state = UserWordsState()
        if wish.on:
            self._find(wish.model)
            self.state = UserWordsState(ready=True)
            if self._in_talk:  # switched on in the middle of it
                self._begin()

    def _begin(self) -> None:
        """A talk begins: so does the recogniser, unless it runs; one that stopped has another try."""
        self._gate = SpeechGate()
        self._behind = False
        if self._wish.on and self._recogniser is None:
            self._recogniser = self._start(self._wish.model)
        if self._recogniser is not None:
            self.state = UserWordsState(ready=True)

    def _write_down(self, utterance: Utterance | None) -> None:
        if utterance is None or self._recogniser is None:
            return
        words = self._recogniser.words(utterance.pcm)
        if words and self._wish.on:
            start_s = utterance.start_s
            said = tuple((start_s + word.start_s, start_s + word.end_s, word.text) for word in words)
            self.tell(UserSpoke(self._heard_talk, said))
        if self._behind and not self.state.sentence:
            self.state = UserWordsState(ready=True, sentence=BEHIND)

    def _give_up(self, sentence: str) -> None:
        self._end_recogniser()
        self.state = UserWordsState(sentence=sentence)

    def _end_recogniser(self) -> None:
        recogniser, self._recogniser = self._recogniser, None
        if recogniser is not None:
            recogniser.close()
