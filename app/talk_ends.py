"""A talk's two ends with a recorder and a recogniser listening at them, and with precedence over a sound check.

Owns the pairing of a microphone frame with its answer, and the order in which check and talk have the devices. Adds
one copy of each frame to its way and nothing that could wait. Called as any ends are: by the engine thread, `status`
and the switches by any.
"""

from __future__ import annotations

import numpy as np

from app.audio import AudioEnds, AudioStatus, InputFrame
from app.recorder import Recorder
from app.sound_check import SoundCheck
from app.user_words import UserWords


class TalkEnds:
    """`ends`, with what goes in and out of them handed to the recorder as the model hears and says it; what goes in is
    handed to the recogniser too."""

    def __init__(self, ends: AudioEnds, recorder: Recorder, check: SoundCheck, words: UserWords | None = None) -> None:
        self._ends = ends
        self._recorder = recorder
        self._words = words or UserWords()
        self._check = check
        self._heard: InputFrame | None = None
        self._skipped = 0
        self._open = self._begun = False

    @property
    def muted(self) -> bool:
        return self._ends.muted

    @muted.setter
    def muted(self, muted: bool) -> None:
        self._ends.muted = muted

    @property
    def talk_key_held(self) -> bool:
        return self._ends.talk_key_held

    @talk_key_held.setter
    def talk_key_held(self, held: bool) -> None:
        self._ends.talk_key_held = held

    def open(self) -> None:
        """In a talk that runs nothing ends here: it goes on where the next one's sound cannot be had."""
        if not self._open:
            self._check.give_way()
        try:
            self._ends.open()
        except BaseException:
            if not self._open:
                self._check.have_it_back()
            raise
        self._open = True

    def begin(self) -> None:
        if self._begun:
            self._end_listening()
        self._heard, self._skipped = None, 0
        self._ends.begin()
        self._words.begin_talk()
        self._begun = True

    def close(self) -> None:
        self._end_listening()
        self._open = self._begun = False
        self._ends.close()
        self._check.have_it_back()

    def _end_listening(self) -> None:
        self._recorder.end_talk()
        self._words.end_talk()

    def read_frame(self, timeout: float) -> InputFrame | None:
        frame = self._ends.read_frame(timeout)
        if frame is not None:
            self._heard = frame
        return frame

    def write_frame(self, pcm: np.ndarray) -> None:
        self._ends.write_frame(pcm)
        if self._heard is not None:
            self._recorder.frame(self._heard.pcm, pcm, self._skipped)
            self._words.frame(self._heard.pcm, self._skipped)

    def status(self) -> AudioStatus:
        status = self._ends.status()
        self._skipped = status.skipped
        return status
