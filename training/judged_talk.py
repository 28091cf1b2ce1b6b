"""A talk with a judge: the program's own conversation, with a partner at its ends who reacts to what it hears.

The partner is a generator: it yields the frames that go in (what a microphone would bring) and is sent what came out
for each. So a question can wait for the end of the reply before it, as a person would. Everything between the two ends
is what `parley talk` runs. One thread; a process that wants more processors starts more processes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from app import messages as say
from app.audio import AudioStatus, EndOfInput, InputFrame
from app.conversation import Conversation
from app.voices import VoiceFolder

RATE, FRAME = 24_000, 1920
FRAME_S = FRAME / RATE
LOUD = 10 ** (-42 / 20)  # RMS of a frame in which the model speaks
QUIET_FRAMES = 10  # so much silence ends a reply
PATIENCE = 40  # frames to wait for a reply to begin
LONGEST = 400  # frames of one reply, after which it is left alone

T = TypeVar("T")


class Heard(NamedTuple):
    """What came out for one frame: speaking or not, text, [1920] float32."""

    loud: bool
    text: str
    pcm: np.ndarray

    @property
    def onset_s(self) -> float:
        """Where in the frame the sound begins."""
        above = np.abs(self.pcm) > LOUD
        return float(above.argmax()) / RATE if above.any() else 0.0


Steps = Generator[np.ndarray, Heard, T]


class Reply(NamedTuple):
    """What came of a question. waited_s: from the end of its sound to the first sound of the reply as it would be
    heard, one frame later than the frame that it answers; nan without a reply."""

    said: str
    waited_s: float
    early: bool
    sound: np.ndarray


class Partner:
    """The ends of the talk (`app.audio.AudioEnds`) with a generator behind them."""

    def __init__(self) -> None:
        self.muted = False
        self.talk_key_held = False
        self.words: Callable[[], str] = lambda: ""  # the text that came since the last call
        self._steps: Steps[None] | None = None
        self._answer: np.ndarray | None = None

    def meet(self, steps: Steps[None]) -> None:
        """The next talk is with these."""
        self._steps, self._answer = steps, None

    def open(self) -> None: ...

    def begin(self) -> None: ...

    def close(self) -> None: ...

    def status(self) -> AudioStatus:
        return AudioStatus()

    def read_frame(self, timeout: float) -> InputFrame | None:
        assert self._steps is not None, "a talk without a partner"
        try:
            if self._answer is None:
                return InputFrame(next(self._steps), math.nan)
            loud = float(np.sqrt(np.mean(self._answer**2))) > LOUD
            return InputFrame(self._steps.send(Heard(loud, self.words(), self._answer)), math.nan)
        except StopIteration:
            raise EndOfInput from None

    def write_frame(self, pcm: np.ndarray) -> None:
        self._answer = pcm.copy()


class Room:
    """A loaded model on the processor, ready for one talk after another."""

    def __init__(self, model: Path, precision: str = "auto"):
        """Raises ValueError with the program's own sentence when the model cannot be loaded."""
        self.partner = Partner()
        self.conversation = Conversation(self.partner, voices=VoiceFolder(model / "no voices of a user", model))
        self.partner.words = self._words
        self._failure = ""
        spec = say.ModelSpec(source=str(model), device="cpu", precision=precision, mode="eager", threads=1)
        self.conversation.send(say.LoadModel(spec))
        self._run()
        assert self.conversation.info is not None
        self.precision = self.conversation.info.precision

    def hold(self, steps: Steps[T], voice: str = "", persona: str = "", seed: int = 0) -> T:
        """One whole talk; returns what the partner returns."""
        result: list[T] = []

        def kept() -> Steps[None]:
            result.append((yield from steps))

        self.partner.meet(kept())
        self._words()  # of the talk before
        self.conversation.send(say.SetSampling(say.Sampling(seed=seed)))
        self.conversation.send(say.StartTalk(say.PersonaChoice(voice, persona)))
        self._run()
        assert result, "the talk ended before its partner"
        return result[0]

    def frame_ms(self) -> list[float]:
        """What the frames of the last talk took."""
        return [record.total for record in self.conversation.history.tail(10_000)]

    def _run(self) -> None:
        self.conversation.run(until_idle=True)
        self._words()
        if self._failure:
            raise ValueError(self._failure)

    def _words(self) -> str:
        text = ""
        for event in self.conversation.events():
            if isinstance(event, say.TextSpoken):
                text += event.piece
            elif isinstance(event, say.Trouble) and (event.fatal or event.kind in ("voice", "start", "sound", "load")):
                self._failure = event.sentence
        return text


# ---------------------------------------------------------------- what partners do


def play(sound: np.ndarray) -> Steps[list[Heard]]:
    """Whole frames of a sound, the last one filled up."""
    padded = np.pad(sound.astype(np.float32), (0, -len(sound) % FRAME)).reshape(-1, FRAME)
    heard = []
    for frame in padded:
        heard.append((yield frame))
    return heard


def silence(frames: int) -> Steps[list[Heard]]:
    return (yield from play(np.zeros(frames * FRAME, np.float32)))


def ask(sound: np.ndarray) -> Steps[Reply]:
    """Play a question (or, with an empty one, only listen) and hear the reply out."""
    heard = yield from play(sound)
    asked = len(heard)
    heard = heard or (yield from silence(1))
    early = sum(frame.loud for frame in heard[:-2]) > 2
    while len(heard) < asked + PATIENCE and not heard[-1].loud:
        heard += yield from silence(1)
    waited = math.nan
    if heard[-1].loud:
        first = next(at for at in range(max(0, asked - 2), len(heard)) if heard[at].loud)
        waited = max(0.0, (first + 1) * FRAME_S + heard[first].onset_s - voiced_s(sound))
        quiet = 0
        while quiet < QUIET_FRAMES and len(heard) < asked + LONGEST:
            heard += yield from silence(1)
            quiet = 0 if heard[-1].loud else quiet + 1
    said = "".join(frame.text for frame in heard).strip()
    return Reply(said, waited, early, np.concatenate([frame.pcm for frame in heard]))


def voiced_s(sound: np.ndarray) -> float:
    """Where a spoken sound ends, the fading silence after it left out: the last 10 ms within 35 dB of the loudest."""
    blocks = np.abs(sound[: len(sound) // 240 * 240]).reshape(-1, 240).max(-1)
    loud = np.nonzero(blocks > blocks.max(initial=0.0) * 10 ** (-35 / 20))[0]
    return (int(loud[-1]) + 1) * 0.01 if len(loud) else len(sound) / RATE


def silent_after_s(heard: list[Heard]) -> float:
    """From the first frame until silence is heard: the first of three silent frames in a row; all of it without."""
    for at in range(len(heard) - 2):
        if not any(frame.loud for frame in heard[at : at + 3]):
            return (at + 1) * FRAME_S if at else 0.0
    return len(heard) * FRAME_S
