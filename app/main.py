"""Where the parts of the desktop program meet: settings, sound, conversation and window.

Owns who is given what, and the order of beginning and end. `app.cli` calls it, after it has found that a window can be
shown. Main thread; Qt is imported here and torch is not: the engine thread does that while the window stands.
"""

from __future__ import annotations

import logging
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from app import diagnostics
from app.audio import DeviceAudio
from app.config import Settings
from app.conversation import Conversation
from app.crash_report import crash_folder
from app.devices import DeviceLists, DeviceRef
from app.ending import end_now
from app.errors import UserError
from app.model_desk import ModelDesk
from app.model_fits import ModelFits
from app.model_store import ModelStore
from app.paths import project_file, user_cache_folder, user_persona_file, user_voice_folder
from app.presets import Presets
from app.recorder import Recorder
from app.rescue import Rescue
from app.sound_check import SoundCheck
from app.sound_desk import SoundDesk
from app.talk_ends import TalkEnds
from app.text_files import write_text
from app.user_words import UserWords
from app.version import version
from app.voice_library import VoiceLibrary
from app.voices import VoiceFolder
from app.window_ports import CheckPort, LibraryPort, RecorderPort, sound_now, user_words_now

if TYPE_CHECKING:
    from ui.ports import DeviceChoice, DevicesState, Ports

log = logging.getLogger("parley")

CLOSE_SECONDS = 5.0
HURRY_SECONDS = 1.0  # for an engine that does not come back and need not be waited for
# Offered beside what the user types. Nothing is fetched before it is chosen.
SOURCES = (
    "mini",
    "nvidia/personaplex-7b-v1",
    "kyutai/moshiko-pytorch-bf16",
    "kyutai/moshika-pytorch-bf16",
)


def run_window(settings: Settings) -> int:
    """Open the window and stay until it is closed. Returns the exit status."""
    from ui.app import run_window as show

    with diagnostics.kept_log() as kept:
        log.info("Parley %s starts", version())
        sound = DeviceAudio(settings.config.audio)
        voices = VoiceFolder(user_voice_folder(), user_cache_folder())
        recorder = Recorder()
        check = SoundCheck(lambda: DeviceAudio(sound.settings, sound.desk))
        words = UserWords()
        conversation = Conversation(TalkEnds(sound, recorder, check, words), voices=voices)
        words.tell = conversation.tell
        rescue = Rescue(settings, conversation, kept)
        desktop = Desktop(settings, sound, voices, conversation, kept, recorder, check, rescue, words)
        conversation.start_thread()
        rescue.watchdog.start()
        sound.desk.refresh()  # the lists are there when Settings is opened
        try:
            with rescue.reports.hooks(rescue.tell):
                status = show(conversation, desktop.ports())
        finally:
            rescue.watchdog.stop()
            ended = conversation.close(HURRY_SECONDS if rescue.wanted else CLOSE_SECONDS)
            recorder.close(CLOSE_SECONDS)
            words.close(HURRY_SECONDS)
            # Listing devices swallows what is printed meanwhile, and the interpreter's end under it is a crash.
            sound.desk.close()
            ended = ended and not sound.desk.stuck
            try:
                settings.flush()
            except TimeoutError:  # a disk or a network folder that hangs
                ended = False
        if rescue.wanted and rescue.start_again():
            end_now(status)
        if not ended:
            log.info("the engine, the sound or the disk with the settings is still busy: ending without it")
            end_now(status)
        return status


class Desktop:
    """The window's outside."""

    def __init__(
        self,
        settings: Settings,
        sound: DeviceAudio,
        voices: VoiceFolder,
        conversation: Conversation,
        kept: diagnostics.LastLines,
        recorder: Recorder,
        check: SoundCheck,
        rescue: Rescue,
        words: UserWords,
    ) -> None:
        self._settings = settings
        self._sound = sound
        self._voices = voices
        self._conversation = conversation
        self._kept = kept
        self._recorder = recorder
        self._check = check
        self._rescue = rescue
        self._words = words
        settings.follow(self._follow_settings)
        self._follow_settings()

    def _follow_settings(self) -> None:
        self._sound.settings = self._settings.config.audio
        wish = self._settings.config.transcript
        self._words.want(wish.user, wish.model)

    def ports(self) -> Ports:
        from ui.ports import Ports

        config = self._settings.config
        return Ports(
            settings=self._settings,
            devices=DeskPort(self._sound.desk, self._settings),
            voices=self._voices.names,
            count_tokens=self._voices.count_tokens,
            diagnostics=self.diagnostics,
            write_text=write_text,
            sound=lambda: sound_now(self._sound.status()),
            recorder=RecorderPort(self._recorder, self._settings),
            check=CheckPort(self._check),
            user_words=lambda: user_words_now(self._words.state),
            library=LibraryPort(VoiceLibrary(user_voice_folder(), self._check.play), self._check),
            presets=Presets(user_persona_file(), project_file("assets/personas.json")),
            fits=ModelFits(SOURCES),
            models=ModelDesk(ModelStore(), lambda: (self._settings.config.model.source,)),
            spec=config.model,
            sampling=config.sampling,
            persona=config.persona,
            model_sources=tuple(dict.fromkeys((*SOURCES, config.model.source))),
            icon=_icon(),
            relaunch=self._rescue.want,
            place=self._rescue.place,
            report_folder=crash_folder,
            version=version(),
        )

    def diagnostics(self) -> Future[str]:
        model = diagnostics.model_lines(self._conversation)
        return diagnostics.collect(model, self._sound.status(), tuple(self._kept.lines))


class DeskPort:
    """The devices desk in the window's words. `state` and `choose` are called by the Qt thread only."""

    def __init__(self, desk: SoundDesk, settings: Settings) -> None:
        self._desk = desk
        self._settings = settings
        self._seen: tuple[DeviceLists, DevicesState] | None = None

    def state(self) -> DevicesState:
        lists = self._desk.lists
        if self._seen is None or self._seen[0] is not lists:
            self._keep_choices(lists)
            self._seen = (lists, _in_window_words(lists))
        return self._seen[1]

    def choose(self, direction: str, choice: DeviceChoice) -> Future[str]:
        return self._desk.choose(direction, DeviceRef(choice.name, choice.host_api))

    def refresh(self) -> Future[str]:
        return self._desk.refresh()

    def _keep_choices(self, lists: DeviceLists) -> None:
        """The desk has the last word on what is in use, a choice that was taken back included; the settings follow."""
        for name, ref in (("audio.input", lists.input_choice), ("audio.output", lists.output_choice)):
            if self._settings.get(name) != ref:
                refusal = self._settings.set(name, ref)
                if refusal:
                    log.warning("the choice of a device was not kept: %s", refusal)


def _in_window_words(lists: DeviceLists) -> DevicesState:
    from ui.ports import DeviceChoice, DeviceRow, DevicesState

    def rows(found: tuple[object, ...]) -> tuple[DeviceRow, ...]:
        return tuple(DeviceRow(**vars(row)) for row in found)

    return DevicesState(
        revision=lists.revision,
        inputs=rows(lists.inputs),
        outputs=rows(lists.outputs),
        input_choice=DeviceChoice(lists.input_choice.name, lists.input_choice.host_api),
        output_choice=DeviceChoice(lists.output_choice.name, lists.output_choice.host_api),
        note=lists.note,
    )


def _icon() -> Path | None:
    try:
        return project_file("assets/icons/parley.svg")
    except UserError:  # a window without its icon is better than none
        return None
