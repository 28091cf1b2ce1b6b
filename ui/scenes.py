"""Every window and state that is pictured.

Owns these scenes but those of the Models page, and what is done by hand in them. Qt thread only.
"""

from __future__ import annotations

import math
from pathlib import Path

from app.messages import (
    LoadProgressed,
    ModeBuilding,
    ModelSpec,
    MutedChanged,
    PersonaChoice,
    PhaseChanged,
    Sampling,
    Trouble,
)
from ui import scripted
from ui.app import Window
from ui.mode_trial import compare
from ui.model_scenes import model_scenes
from ui.ports import CheckState, DeviceChoice, DevicesState, RecordingState, SoundNow
from ui.scene import Scene
from ui.scripted_talk import ready, talking
from ui.scripted_voices import ScriptedCheck, ScriptedPreset
from ui.talk_flow import STILL_TICKS

PERSONA = "You are a patient tutor. You answer in short sentences and ask back when something is unclear."


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
