"""Pictures of every window and state, light and dark: python -m ui.screenshots FOLDER.

Owns the scenes. Runs offscreen unless QT_QPA_PLATFORM says otherwise, with a scripted conversation behind the window,
so that the pictures are the same everywhere. Main thread only.
"""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.messages import (
    Event,
    LoadProgressed,
    ModeBuilding,
    ModeChanged,
    ModelInfo,
    ModelLoaded,
    ModelSpec,
    MutedChanged,
    PersonaChoice,
    PhaseChanged,
    Sampling,
    SamplingChanged,
    TalkStarted,
    TextSpoken,
    Trouble,
    UserSpoke,
)
from ui import ports as keys
from ui import scripted
from ui.app import Window, make_window
from ui.language import speak
from ui.mode_trial import compare
from ui.model_scenes import model_scenes
from ui.ports import CheckState, DeviceChoice, DevicesState, RecordingState, SoundNow
from ui.scene import Scene
from ui.scripted_models import ScriptedModels
from ui.scripted_voices import ScriptedCheck, ScriptedPreset, ScriptedPresets
from ui.talk_flow import STILL_TICKS

ICON = Path(__file__).resolve().parent.parent / "assets" / "icons" / "parley.svg"
PERSONA = "You are a patient tutor. You answer in short sentences and ask back when something is unclear."
TALK = (
    (1.0, "Hello, hey, how can I help you today?"),
    (9.4, "Sure. Photosynthesis is how plants make food from light."),
    (14.2, "They take in water and carbon dioxide, and give back oxygen."),
    (22.6, "Oh, right, mostly in the leaves."),
    (31.0, "Exactly, and the green colour is the chlorophyll that catches the light."),
    (40.2, "Mm-hm."),
    (43.1, "You could try it with a glass of water and some pondweed in the sun; you will see little bubbles."),
)


USER = (
    (4.6, "Hi! How do plants make their food?"),
    (19.2, "And where in the plant does that happen?"),
    (26.8, "Is that why they are green?"),
    (37.4, "I see. Can I watch it somehow?"),
)
WORD_SECONDS = 0.24


def speech(turns: tuple[tuple[float, str], ...] = TALK, user: tuple[tuple[float, str], ...] = USER) -> list[Event]:
    """The words of a talk, one piece a frame as the model speaks them; what the user said comes late, as it does."""
    events: list[Event] = []
    for start, text in turns:
        for number, word in enumerate(text.split()):
            events.append(TextSpoken(start + number * WORD_SECONDS, f" {word}"))
    for start, text in user:
        times = [start + number * WORD_SECONDS for number in range(len(text.split()))]
        words = zip(times, text.split(), strict=True)
        events.append(UserSpoke(1, tuple((time, time + WORD_SECONDS, word) for time, word in words)))
    return events


def ready(info: ModelInfo, mode: str) -> list[Event]:
    held = SamplingChanged(scripted.OWN_SAMPLING)
    return [PhaseChanged("loading"), ModelLoaded(info), ModeChanged(mode, info.modes), held, PhaseChanged("ready")]


def talking(info: ModelInfo, mode: str) -> list[Event]:
    return [*ready(info, mode), PhaseChanged("priming"), PhaseChanged("talking"), TalkStarted(), *speech()]


def scenes() -> list[Scene]:
    card, processor = scripted.model_info(), scripted.model_info(cuda=False)
    untrained = scripted.model_info(cuda=False, trained=False)
    seven = ModelSpec(source="nvidia/personaplex-7b-v1")
    graph = tuple(scripted.frames([("graph", 900)]))
    switched = tuple(scripted.frames([("graph", 330), ("eager", 260), ("graph", 310)], gaps_at=(402,)))
    slow = tuple(
        scripted.frames(
            [("eager", 520)],
            {"eager": scripted.SLOW_COSTS},
            gaps_at=tuple(range(40, 520, 31)),
            skipped_at=tuple(range(12, 520, 5)),
        )
    )
    cpu = {"eager": (3.1, 9.8, 7.7, 3.9), "compiled": (2.6, 7.9, 6.0, 3.3)}
    tried = tuple(scripted.frames([("graph", 1400), ("compiled", 700), ("graph", 1100), ("eager", 63), ("graph", 25)]))
    small = tuple(scripted.frames([("eager", 500), ("compiled", 420)], cpu))
    gone = DevicesState(
        2,
        scripted.devices().inputs[:1],
        scripted.devices().outputs,
        DeviceChoice("USB Headset", "ALSA"),
        DeviceChoice(),
    )
    too_slow = Trouble(
        "slow",
        "A frame takes 99 ms on this computer and the budget is 80 ms, so parts of the talk are lost; "
        "try the graph mode.",
        "Engine settings",
    )
    unplugged = Trouble(
        "audio-input",
        'The microphone "USB Headset" is gone, so the talk waits: plug it in again and the talk goes on by itself, '
        "or choose another in Settings.",
        "Sound settings",
    )
    broken = Trouble(
        "load",
        "This model needs 17.9 GiB of memory in bfloat16, but the graphics card has 7.6 GiB free of 16.0 GiB. "
        "Precision int8 would fit.",
        "Load again",
        fatal=True,
    )
    recording = RecordingState(True, Path("/home/ada/Documents/Parley/Parley 2026-11-29 16.42.07.wav"), 71.2)
    return [
        Scene("idle"),
        Scene(
            "loading",
            (PhaseChanged("loading"), LoadProgressed("language model", 9_700_000_000, 15_600_000_000)),
            spec=seven,
        ),
        Scene("ready_untrained", (*ready(untrained, "eager"),)),
        Scene("ready_mini", (*ready(processor, "eager"),)),
        Scene("ready", (*ready(card, "graph"),), spec=seven),
        Scene("live_graph", (*talking(card, "graph"),), graph, spec=seven),
        Scene("live_switched", (*talking(card, "graph"),), switched, spec=seven),
        Scene("live_muted", (*talking(card, "graph"), MutedChanged(True)), graph, spec=seven),
        Scene("live", (*talking(card, "graph"),), switched, spec=seven, themes=("contrast",)),
        Scene("latency_details_high", (*talking(card, "graph"),), tried, "latency", spec=seven, themes=("contrast",)),
        Scene("settings_engine_high", (*ready(card, "graph"),), (), "engine", spec=seven, themes=("contrast",)),
        Scene("live_talk_key", (*talking(card, "graph"),), graph, spec=seven, after=_push),
        Scene("german_live", (*talking(card, "graph"), unplugged), switched, spec=seven, language="de"),
        Scene("german_slow", (*talking(card, "eager"), too_slow), slow, spec=seven, language="de"),
        Scene("german_modes", (*ready(processor, "eager"),), (), "engine", language="de"),
        Scene("german_latency", (*talking(card, "graph"),), tried, "latency", spec=seven, after=_tried, language="de"),
        Scene("german_engine", (*ready(card, "graph"),), (), "engine", spec=seven, language="de"),
        Scene("german_voice", (*ready(card, "graph"),), (), "voice", spec=seven, language="de"),
        Scene("german_audio", (*ready(card, "graph"),), (), "audio", spec=seven, language="de"),
        Scene("german_guide", (*ready(processor, "eager"),), (), "guide", after=_guide_heard, language="de"),
        Scene("german_large_text", (*talking(card, "graph"),), switched, text_size=150, spec=seven, language="de"),
        Scene("live_recording", (*talking(card, "graph"),), graph, spec=seven, recording=recording),
        Scene("live_eager_slow", (*talking(card, "eager"), too_slow), slow, spec=seven),
        Scene("live_cpu", (*talking(processor, "compiled"),), small),
        Scene(
            "building",
            (*talking(card, "graph"), PhaseChanged("building"), ModeBuilding("compiled", 2, 5)),
            graph,
            spec=seven,
        ),
        Scene("device_lost", (*talking(card, "graph"), unplugged), graph, spec=seven, after=_wait),
        Scene("failed", (PhaseChanged("loading"), PhaseChanged("failed"), broken), spec=seven),
        Scene("live_large_text", (*talking(card, "graph"),), switched, text_size=150, spec=seven),
        Scene("latency_details", (*talking(card, "graph"),), tried, "latency", spec=seven, after=_tried),
        Scene("latency_details_cpu", (*talking(processor, "compiled"),), small, "latency"),
        Scene("latency_details_slow", (*talking(card, "eager"),), slow, "latency", spec=seven),
        Scene("guide_microphone", (*ready(processor, "eager"),), (), "guide", after=_guide_heard),
        Scene("guide_speaker", (*ready(processor, "eager"),), (), "guide", after=lambda window: _step(window, 1)),
        Scene("guide_model", (*ready(processor, "eager"),), (), "guide", after=lambda window: _step(window, 2)),
        Scene("settings_audio", (*talking(card, "graph"),), graph, "audio", spec=seven),
        Scene(
            "settings_audio_echo",
            (*talking(card, "graph"),),
            graph,
            "audio",
            spec=seven,
            sound=SoundNow(True, 32.0, 4.0),
        ),
        Scene("settings_audio_lost", (*ready(card, "graph"),), (), "audio", devices=gone),
        Scene(
            "settings_voice",
            (*ready(card, "graph"),),
            (),
            "voice",
            spec=seven,
            persona=PersonaChoice("NATF1", PERSONA),
            presets=(ScriptedPreset("Patient tutor", "NATF1", PERSONA), ScriptedPreset("Actor", "NATM1", "You act.")),
        ),
        Scene(
            "settings_voice_recording",
            (*ready(card, "graph"),),
            (),
            "voice",
            spec=seven,
            after=_voice_recording,
        ),
        Scene("settings_voice_name", (*ready(card, "graph"),), (), "voice", spec=seven, after=_voice_name),
        Scene("settings_engine", (*ready(card, "graph"),), (), "engine", spec=seven),
        Scene(
            "settings_engine_cpu",
            (*ready(processor, "eager"),),
            (),
            "engine",
            sampling=Sampling(text_top_k=1),
            after=lambda window: _scroll(window, "engine"),
        ),
        Scene(
            "settings_engine_refused",
            (*ready(card, "graph"),),
            (),
            "engine",
            spec=seven,
            late=(Trouble("mode", "The compiled mode cannot be used: no C++ compiler was found."),),
        ),
        *model_scenes((*ready(card, "graph"),), seven),
        Scene("settings_recording", (*ready(card, "graph"),), (), "recording", spec=seven),
        Scene("settings_appearance", (*ready(card, "graph"),), (), "appearance", spec=seven),
    ]


def _voice_recording(window: Window) -> None:
    """A voice is being recorded."""
    assert window.main.settings is not None
    own = window.main.settings.voice.own
    check = window.ports.check
    assert isinstance(check, ScriptedCheck)
    own.record.click()
    own.recorder.record.click()
    check.shown = CheckState("recording", 6.2, -17.0)
    window.bridge.tick()


def _voice_name(window: Window) -> None:
    """A name that is taken, and why it cannot be used."""
    assert window.main.settings is not None
    window.main.settings.voice.own.add_file("/home/ada/my voice.flac")


def _guide_heard(window: Window) -> None:
    """A sentence was recorded."""
    guide, check = window.main.errands.guide, window.ports.check
    assert guide is not None
    assert isinstance(check, ScriptedCheck)
    guide.microphone.check.record.click()
    check.finish(state=CheckState("", 0.0, math.nan, -13.0, 4.2))
    window.bridge.tick()


def _wait(window: Window) -> None:
    """No frame comes for a second."""
    for _ in range(STILL_TICKS):
        window.bridge.tick()


def _push(window: Window) -> None:
    """Push to talk, with the key held."""
    window.main.actions_.push_to_talk.trigger()
    window.main.talk_key.hold(True)


def _step(window: Window, number: int) -> None:
    assert window.main.errands.guide is not None
    window.main.errands.guide.show_step(number)
    window.bridge.tick()


def _scroll(window: Window, page: str) -> None:
    assert window.main.settings is not None
    bar = window.main.settings.pages[page].verticalScrollBar()
    bar.setValue(bar.maximum())


def _tried(window: Window) -> None:
    """As it stands when a trial has ended."""
    trial = window.main.errands.trial
    trial.comparison = compare(window.bridge.talk_records(), "graph", "eager", 3199)
    assert trial.comparison is not None
    trial.sentence = trial.comparison.sentence()
    trial.changed.emit()


def show(application: QApplication, scene: Scene, theme: str) -> tuple[Window, QWidget]:
    """Build the window of a scene and show it. Returns it, and the widget to be pictured."""
    conversation = scripted.ScriptedConversation()
    settings = scripted.ScriptedSettings({"window.theme": theme, "window.text_size": scene.text_size})
    if scene.sound is not None:
        settings.set(keys.AUTO_GAIN, True)
    given: dict[str, object] = {
        "spec": scene.spec,
        "sampling": scene.sampling,
        "persona": scene.persona,
        "icon": ICON,
    }
    if scene.devices is not None:
        given["devices"] = scripted.ScriptedDevices(scene.devices)
    if scene.sound is not None:
        given["sound"] = lambda: scene.sound
    recorder = scripted.ScriptedRecorder()
    if scene.recording is not None:
        recorder.wanted, recorder.shown = True, scene.recording
    given["recorder"] = recorder
    given["presets"] = ScriptedPresets(*scene.presets)
    given["models"] = ScriptedModels(scene.models)
    window = make_window(application, conversation, scripted.make_ports(settings, **given))
    window.main.show()
    conversation.say(*scene.events)
    window.bridge.tick()
    if scene.page == "guide":
        window.main.errands.open_guide()
    elif scene.page and scene.page != "latency":
        window.main.open_settings(scene.page)
    conversation.say(*scene.late)
    for record in scene.frames:
        conversation.history.append(record)
    window.bridge.tick()
    if scene.page == "latency":
        window.main.errands.open_latency()
    pictured: QWidget = window.main
    if scene.page:
        pictured = window.main.errands.windows()[0]
    for _ in range(3):
        application.processEvents()
    if scene.after is not None:
        scene.after(window)
        for _ in range(3):
            application.processEvents()
    return window, pictured


def main() -> int:
    parser = argparse.ArgumentParser(description="Write pictures of every window and state, light and dark.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only the scenes whose name holds this text")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication([])
    font = application.font()
    options.folder.mkdir(parents=True, exist_ok=True)
    for scene in scenes():
        if options.only not in scene.name:
            continue
        for theme in scene.themes:
            application.setFont(font)  # each scene begins with the system's own size
            words = speak(application, scene.language)
            window, pictured = show(application, scene, theme)
            path = options.folder / f"{scene.name}_{theme}.png"
            if not pictured.grab().save(str(path)):
                raise SystemExit(f"{path} could not be written.")
            window.main.leaving.end()
            for done in (window.main, *window.main.errands.windows()):
                done.deleteLater()
            application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            for translator in words:
                application.removeTranslator(translator)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
