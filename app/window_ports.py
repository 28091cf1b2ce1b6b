"""The program's parts in the window's words: thin, and each as `ui.ports` describes it.

Owns the translation and nothing else. Called by the Qt thread only; must not import Qt.
"""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from app.audio import AudioStatus
from app.config import Settings
from app.paths import home_folder, typed_path, user_recording_folder
from app.recorder import Recorder
from app.sound_check import SoundCheck, chime
from app.user_words import UserWordsState
from app.voice_library import VoiceLibrary

if TYPE_CHECKING:
    from ui.ports import CheckState, RecordingState, SoundNow, UserWordsNow


def sound_now(status: AudioStatus) -> SoundNow:
    """What is done to the microphone's sound at present."""
    from ui.ports import SoundNow

    return SoundNow(status.echo_active, status.echo_removed_db, status.gain_db)


def user_words_now(state: UserWordsState) -> UserWordsNow:
    """Whether what the user says is written down, or why not."""
    from ui.ports import UserWordsNow

    return UserWordsNow(state.ready, state.sentence)


class RecorderPort:
    """The recorder with the settings that hold for it. Called by the Qt thread only."""

    def __init__(self, recorder: Recorder, settings: Settings) -> None:
        self._recorder = recorder
        self._settings = settings

    @property
    def wanted(self) -> bool:
        return self._recorder.wanted

    def state(self) -> RecordingState:
        from ui.ports import RecordingState

        state = self._recorder.state
        return RecordingState(state.recording, state.path, state.seconds, state.trouble)

    def want(self, on: bool) -> None:
        self._recorder.want(on, self.folder(), self._settings.config.record.format)

    def folder(self) -> Path:
        chosen = self._settings.config.record.folder.strip()
        # a path without a beginning means the home folder: where a window was started from, nobody knows
        return home_folder() / typed_path(chosen) if chosen else user_recording_folder()


class CheckPort:
    """The sound check."""

    def __init__(self, check: SoundCheck) -> None:
        self._check = check

    def state(self) -> CheckState:
        from ui.ports import CheckState

        return CheckState(**vars(self._check.state))

    def record(self, seconds: float) -> Future[str]:
        return self._check.record(seconds)

    def play_recording(self) -> Future[str]:
        return self._check.play(self._check.recording)

    def play_chime(self) -> Future[str]:
        return self._check.play(chime())

    def stop(self) -> None:
        self._check.stop()


class LibraryPort:
    """The user's voices, with what the sound check recorded as a source."""

    def __init__(self, library: VoiceLibrary, check: SoundCheck) -> None:
        self._library = library
        self._check = check
        self.own = library.own
        self.problem = library.problem
        self.file_name = library.file_name
        self.add = library.add
        self.rename = library.rename
        self.delete = library.delete
        self.listen = library.listen

    def add_recorded(self, name: str) -> Future[str]:
        return self._library.add_recording(self._check.recording, name)
