"""One running talk: its frame count, its words, its records and the notices that follow from them.

Made when a talk starts, dropped when it ends. Must not know phases, commands or threads; called from the engine
thread only, through the conversation.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app import messages as say
from app.audio import AudioStatus
from app.engine_room import AnswerLike
from app.first_words import FirstWords
from app.loaded_engine import LoadedEngine
from app.messages import Event, Trouble
from app.notices import WAITING, Noticeboard, PaceWatch, RepeatWatch, SoundWatch, forgetting, long_persona
from app.telemetry import FRAME_MS, FrameHistory, FrameRecord
from app.transcript import FRAME_S, PieceJoiner

LONG_PERSONA = 0.5  # of the context
APART_FRAMES = 3  # without numbers, one after the other, until the talk is given up: one may be an accident
AT_ONCE_FRAMES = 125  # 10 s: a talk that falls apart within them will do so again


log = logging.getLogger("parley.talk")


class FrameClock(NamedTuple):
    """When, in nanoseconds: the frame was asked for, taken from the microphone, and its answer was in hand."""

    asked: int
    taken: int
    done: int


class RunningTalk:
    def __init__(
        self,
        loaded: LoadedEngine,
        persona_frames: int,
        history: FrameHistory,
        board: Noticeboard,
        emit: Callable[[Event], None],
        waits: bool = False,
    ) -> None:
        """waits: the model is silent until the user has spoken."""
        context = loaded.info.context_frames
        self._loaded = loaded
        self._history = history
        self._board = board
        self._emit = emit
        self._sound = SoundWatch(board)
        self._repeats = RepeatWatch(board)
        self._joiner = PieceJoiner()
        self._frames = 0
        self._skipped = 0  # microphone frames that were left out; the talk's time goes on in them
        self._silenced = 0  # frames whose answer was no sound and was replaced by silence
        self._apart = 0  # of these, the newest ones without a sound one between
        self._frames_remembered = context - persona_frames
        self.follow_mode()
        history.clear()
        self._waited_for = FirstWords() if waits else None
        if waits:
            loaded.engine.hold(True)
            board.post(WAITING)
        if persona_frames > LONG_PERSONA * context:
            board.post(long_persona(persona_frames, context))

    def follow_mode(self) -> None:
        """The engine's mode was changed on purpose: judge the pace anew."""
        self._mode = self._loaded.engine.mode
        self._pace = PaceWatch(self._board, self._loaded.advice())

    def note_sound(self, sound: AudioStatus) -> None:
        self._sound.update(sound.troubles)

    def listen(self, pcm: np.ndarray) -> None:
        """The frame that the model is about to hear, [1920]: with the user's first words the waiting is over."""
        if self._waited_for is not None and self._waited_for.add(pcm):
            self._stop_waiting()
            self._loaded.engine.hold(False)

    def _stop_waiting(self) -> None:
        self._waited_for = None
        self._board.clear(WAITING.kind)

    def sound_of(self, answer: AnswerLike) -> np.ndarray:
        """The answer's sound, or silence while the model waits and where there are no numbers: NaN is a bang."""
        if answer.finite and bool(np.isfinite(answer.pcm).all()):  # the sound is on the host already: microseconds
            self._apart = 0
            return answer.pcm if self._waited_for is None else np.zeros_like(answer.pcm)
        self._silenced += 1
        self._apart += 1
        if self._silenced == 1:
            log.warning("frame %d had no numbers and was replaced by silence", self._frames)
        return np.zeros_like(answer.pcm)

    @property
    def fell_apart(self) -> bool:
        """The numbers do not come back by themselves."""
        return self._apart >= APART_FRAMES

    @property
    def fell_apart_at_once(self) -> bool:
        return self.fell_apart and self._frames <= AT_ONCE_FRAMES

    def answered(self, answer: AnswerLike, sound: AudioStatus, clock: FrameClock) -> None:
        """Account for one answered frame: say its words, write its record, give the notices that follow."""
        self._skipped = sound.skipped
        self._say_words(answer.text)
        record = self._record(answer, sound, clock)
        self._history.append(record)
        self._frames += 1
        self._pace.add(record.total)
        if self._frames == self._frames_remembered + 1:
            self._board.post(forgetting(self._loaded.info.context_frames))
        if record.mode != self._mode:
            self._tell_fallback(record.mode)

    def finish(self) -> None:
        """The talk is over: say what is left of an incomplete character and take the talk's notices down."""
        rest = self._joiner.finish()
        if rest:
            self._emit(say.TextSpoken((self._frames + self._skipped) * FRAME_S, rest))
        self._sound.update(())
        self._stop_waiting()
        self._board.clear("slower", "context", "persona", "repeat")

    def _say_words(self, token: int | None) -> None:
        piece = "" if token is None else self._loaded.engine.text_piece(token)
        self._repeats.add(token if piece else None)
        text = self._joiner.feed(piece)
        if text:
            self._emit(say.TextSpoken((self._frames + self._skipped) * FRAME_S, text))

    def _record(self, answer: AnswerLike, sound: AudioStatus, clock: FrameClock) -> FrameRecord:
        spans = answer.spans
        total = (clock.done - clock.taken) / 1e6
        return FrameRecord(
            number=self._frames,
            clock_ns=clock.done,
            mode=self._loaded.engine.mode,
            wait=(clock.taken - clock.asked) / 1e6,
            encode=spans.encode,
            temporal=spans.temporal,
            depth=spans.depth,
            decode=spans.decode,
            host=max(0.0, total - spans.encode - spans.temporal - spans.depth - spans.decode),
            total=total,
            queued_ms=sound.queued_ms,
            mic_to_speaker_ms=sound.mic_to_speaker_ms,
            skipped=sound.skipped,
            gaps=sound.gaps,
            late=total > FRAME_MS,
            input_dbfs=sound.input_dbfs,
            output_dbfs=sound.output_dbfs,
            callback_late_ms=sound.callback_late_ms,
            echo_removed_db=sound.echo_removed_db,
            gain_db=sound.gain_db,
            hearing=sound.hearing,
            silenced=self._silenced,
        )

    def _tell_fallback(self, mode: str) -> None:
        """The engine could not go on in its mode and said nothing: say it once, not on every frame."""
        lost, self._mode = self._mode, mode
        reasons = self._loaded.modes()
        self._emit(say.ModeChanged(mode, reasons))
        why = reasons.get(lost) or "the engine gave no reason"
        self._board.post(Trouble("mode", f"The {lost} mode could not go on ({why}); the {mode} mode is used instead."))
