"""What the window makes of the conversation's answers: failed loads, refused sampling, troubles and their remedies."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from app.messages import (
    LoadModel,
    LoadProgressed,
    ModelSpec,
    NewTalk,
    PersonaChoice,
    PhaseChanged,
    Sampling,
    SamplingChanged,
    SetMode,
    SetSampling,
    StartTalk,
    Trouble,
    TroubleCleared,
)
from tests.ui.conftest import MakeRig, Rig
from ui import scripted
from ui.sampling_ranges import SAMPLING_RANGES, usual_sampling
from ui.scripted_talk import ready

MINI, OTHER = ModelSpec(), ModelSpec(source="some/other")


def sentences(rig: Rig) -> list[str]:
    return [trouble.sentence for trouble in rig.window.session.troubles]


# ---------------------------------------------------------------- loading


def test_another_model_is_kept_and_loaded_at_once(rig: Rig) -> None:
    rig.ready()
    rig.window.session.set_spec(OTHER)
    assert rig.sent() == [LoadModel(OTHER)]
    assert rig.settings.values["model.source"] == "some/other"
    assert rig.window.session.phase == "loading"


def test_a_model_that_cannot_be_loaded_gives_way_to_the_earlier_one(rig: Rig) -> None:
    rig.ready()
    rig.window.session.set_spec(OTHER)
    rig.sent()
    failure = "some/other has no weights."
    rig.say(PhaseChanged("loading"), PhaseChanged("failed"), Trouble("load", failure, "Load again", fatal=True))
    assert rig.sent() == [LoadModel(MINI)]
    assert rig.settings.values["model.source"] == "mini"
    assert sentences(rig) == [f"{failure} The earlier model is loaded again."]
    rig.ready()
    assert sentences(rig) == [f"{failure} The earlier model is loaded again."], "it can still be read"


def test_a_load_that_was_refused_early_leaves_the_earlier_model_running(rig: Rig) -> None:
    rig.ready()
    rig.window.session.set_spec(OTHER)
    rig.sent()
    rig.say(PhaseChanged("loading"), PhaseChanged("ready"), Trouble("load", "There is no some/other.", "Load again"))
    assert rig.sent() == []
    assert rig.window.session.spec == MINI
    assert rig.settings.values["model.source"] == "mini"
    assert rig.window.session.info is not None
    rig.window.main.banner.button.click()
    assert rig.sent() == [LoadModel(OTHER)], "the button tries the refused model again, not the one that runs"


def test_the_first_model_that_fails_stays_chosen(make_rig: MakeRig) -> None:
    rig = make_rig(spec=OTHER)
    rig.window.session.begin(load=True)
    rig.sent()
    rig.say(PhaseChanged("loading"), PhaseChanged("failed"), Trouble("load", "No weights.", "Load again", fatal=True))
    assert rig.sent() == []
    assert rig.window.main.banner.isVisible()
    assert not rig.window.main.progress.isVisible(), "the banner's button is the way on"
    rig.window.main.banner.button.click()
    assert rig.sent() == [LoadModel(OTHER)]


def test_a_cancelled_change_of_model_is_taken_back(rig: Rig) -> None:
    rig.ready()
    rig.window.session.set_spec(OTHER)
    rig.say(PhaseChanged("loading"), PhaseChanged("ready"))
    assert rig.window.session.spec == MINI
    assert rig.settings.values["model.source"] == "mini"


def test_a_load_overtaken_by_another_takes_nothing_back(rig: Rig) -> None:
    third = ModelSpec(source="some/third")
    rig.ready()
    rig.window.session.set_spec(OTHER)
    rig.say(PhaseChanged("loading"))
    rig.window.session.set_spec(third)
    rig.say(PhaseChanged("ready"), PhaseChanged("loading"))
    assert rig.window.session.spec == third
    assert rig.window.session.phase == "loading"
    rig.say(*ready(scripted.model_info(), "graph"))
    assert rig.window.session.spec == third


def test_progress_is_shown_in_bytes(make_rig: MakeRig) -> None:
    """User report L11: bytes, phase, time left, cancel."""
    rig = make_rig(spec=OTHER)
    progress = rig.window.main.progress
    now = [100.0]
    progress._pace._clock = lambda: now[0]
    rig.window.session.load()
    rig.say(PhaseChanged("loading"), LoadProgressed("language model", 0, 15_600_000_000))
    now[0] += 10
    rig.say(LoadProgressed("language model", 5_200_000_000, 15_600_000_000))
    assert progress.heading.text() == "Loading some/other: language model"
    assert progress.detail.text() == "5.2 GB of 15.6 GB, about 0:20 left"
    assert progress.bar.value() == 333
    assert "5.2 GB of 15.6 GB" in progress.bar.accessibleDescription()
    assert progress.cancel.isVisible()
    rig.say(LoadProgressed("warm-up", 3, 6))
    assert progress.detail.text() == "3 of 6"


# ---------------------------------------------------------------- sampling


def test_every_sampling_value_reaches_the_engine(rig: Rig) -> None:
    """User report U1: every control reaches the sampler; seed 42 is accepted."""
    rig.ready()
    wanted = Sampling(0.9, 100, 0.6, 30, 42)
    rig.window.session.set_sampling(wanted)
    assert rig.sent() == [SetSampling(wanted)]
    assert rig.settings.values["sampling.seed"] == 42
    assert rig.settings.values["sampling.text_top_k"] == 30


def test_a_change_during_warm_up_is_sent_too(rig: Rig) -> None:
    """User report U4: a slider moved during warm-up is applied, and what is shown is what the engine holds."""
    rig.window.session.load()
    rig.say(PhaseChanged("loading"), LoadProgressed("warm-up", 1, 6))
    rig.sent()
    rig.window.session.set_sampling(Sampling(temperature=1.1))
    assert rig.sent() == [SetSampling(Sampling(temperature=1.1))]
    held = Sampling(1.1, 250, 0.7, 25)
    info = scripted.model_info()
    rig.say(*ready(info, "graph")[:-2], SamplingChanged(held), PhaseChanged("ready"))
    sliders = rig.open_settings("engine").engine.sliders
    assert sliders["temperature"].value == 1.1
    assert sliders["text_temperature"].value == 0.7


def test_refused_sampling_returns_to_what_the_engine_holds(rig: Rig) -> None:
    """User report U5: a value the engine does not take is refused with a sentence, and the talk goes on."""
    rig.talk()
    window = rig.open_settings("engine")
    rig.window.session.set_sampling(Sampling(top_k=500))
    rig.say(SamplingChanged(Sampling(0.8, 500, 0.7, 25)))
    rig.window.session.set_sampling(Sampling(top_k=2000))
    assert rig.settings.values["sampling.top_k"] == 2000
    sentence = "top_k is 2000, and this model has 1024 sounds to choose from."
    rig.say(SamplingChanged(Sampling(0.8, 500, 0.7, 25)), Trouble("sampling", sentence))
    assert rig.window.session.sampling == Sampling(top_k=500)
    assert rig.settings.values["sampling.top_k"] == 500
    assert rig.settings.values["sampling.temperature"] is None, "the model's own value is no choice of the user's"
    assert window.engine.sliders["top_k"].value == 500
    assert window.engine.sentence.text() == sentence
    assert rig.window.session.talking


def test_sampling_is_kept_whole_or_not_at_all(rig: Rig) -> None:
    rig.ready()
    rig.sent()
    rig.settings.refuse["sampling.text_top_k"] = "sampling.text_top_k is 3, outside the usual 5 to 2048."
    rig.window.session.set_sampling(Sampling(temperature=0.5, text_top_k=3))
    assert rig.sent() == []
    assert rig.settings.values["sampling.temperature"] is None
    assert rig.window.session.sampling == Sampling()


def test_stored_extremes_are_lifted_with_a_note(make_rig: MakeRig) -> None:
    """User report C14: slider minimum 5 unless expert; stored 1 is lifted with a note."""
    rig = make_rig(sampling=Sampling(text_top_k=1))
    rig.ready()
    window = rig.open_settings("engine")
    assert rig.window.session.sampling == Sampling(text_top_k=5)
    assert "Word top-k 1 was brought to 5" in window.engine.note.text()
    assert window.engine.note.isVisible()
    assert window.engine.sliders["text_top_k"].bounds()[0] == 5
    assert window.engine.sliders["top_k"].bounds()[0] == 5


def test_the_expert_switch_opens_and_closes_the_extremes(make_rig: MakeRig) -> None:
    """User report C14: extremes behind a switch."""
    rig = make_rig(values={"window.expert_sampling": True}, sampling=Sampling(text_top_k=1))
    rig.ready()
    engine = rig.open_settings("engine").engine
    assert engine.sliders["text_top_k"].bounds() == (1, 2048)
    assert engine.sliders["text_top_k"].value == 1
    rig.sent()
    engine.expert.click()
    assert rig.sent() == [SetSampling(Sampling(text_top_k=5))]
    assert engine.sliders["text_top_k"].bounds()[0] == 5
    assert rig.settings.values["window.expert_sampling"] is False
    assert engine.note.isVisible()
    engine.expert.click()
    assert engine.sliders["text_top_k"].bounds()[0] == 1
    assert rig.settings.values["window.expert_sampling"] is True


@pytest.mark.parametrize("name", ["top_k", "text_top_k"])
def test_usual_top_k_begins_at_five(name: str) -> None:
    """User report C14."""
    assert SAMPLING_RANGES[name].low == 5
    assert SAMPLING_RANGES[name].expert_low == 1
    assert usual_sampling(Sampling(**{name: 5})) == (Sampling(**{name: 5}), "")


# ---------------------------------------------------------------- troubles


def test_the_banner_shows_the_gravest_and_counts_the_rest(rig: Rig) -> None:
    rig.talk()
    banner = rig.window.main.banner
    assert not banner.isVisible()
    rig.say(Trouble("slow", "Slow.", "Engine settings"))
    rig.say(Trouble("audio-input", "The microphone is gone.", "Sound settings"))
    assert banner.sentence.text() == "The microphone is gone."
    assert banner.more.text() == "1 more"
    assert banner.button.text() == "Sound settings"
    rig.say(Trouble("talk", "The engine stopped.", "Load again", fatal=True), Trouble("context", "Forgetting."))
    assert banner.sentence.text() == "The engine stopped."
    assert banner.kind == "error"
    rig.say(TroubleCleared("talk"))
    assert banner.sentence.text() == "Forgetting."
    assert not banner.button.isVisible(), "no remedy, no button"
    rig.say(*[TroubleCleared(kind) for kind in ("slow", "audio-input", "context")])
    assert not banner.isVisible()


def test_a_later_trouble_of_a_kind_replaces_the_earlier(rig: Rig) -> None:
    rig.say(Trouble("slow", "First."), Trouble("slow", "Second."))
    assert sentences(rig) == ["Second."]


def test_trouble_can_be_dismissed(rig: Rig) -> None:
    rig.say(Trouble("slow", "Slow."), Trouble("context", "Forgetting."))
    rig.window.main.banner.close_button.click()
    assert sentences(rig) == ["Slow."]


def test_a_computer_that_is_too_slow_is_told_before_the_talk(rig: Rig) -> None:
    """User report R1: the measured cost and the budget are said before the talk, with a way on."""
    rig.ready(mode="eager")
    sentence = "A frame takes 102 ms on this computer and the budget is 80 ms; try the graph mode."
    rig.say(Trouble("slow", sentence, "Engine settings"))
    assert rig.window.main.banner.isVisible()
    assert rig.window.main.banner.sentence.text() == sentence
    rig.window.main.banner.button.click()
    assert rig.window.main.settings is not None
    assert rig.window.main.settings.isVisible()
    assert rig.window.main.settings.stack.currentWidget() is rig.window.main.settings.engine


def test_digital_silence_is_said(rig: Rig) -> None:
    """User report A10: a microphone that delivers only zeros is said, in the banner and beside the meter."""
    rig.talk()
    rig.say(Trouble("audio-input", "The microphone delivers only zeros; check its mute switch.", "Sound settings"))
    rig.window.main.banner.button.click()
    window = rig.window.main.settings
    assert window is not None
    assert window.stack.currentWidget() is window.audio
    window.audio.set_level(-120.0)
    assert "digital silence" in window.audio.advice.text()
    window.audio.set_level(-80.0)
    assert "digital silence" not in window.audio.advice.text()


REMEDIES = {
    ("talk", "Load again", "failed"): [LoadModel(MINI)],
    ("load", "Load again", "failed"): [LoadModel(MINI)],
    ("start", "Try again", "ready"): [StartTalk(PersonaChoice())],
    ("context", "New talk", "talking"): [NewTalk(PersonaChoice())],
    ("slow", "Switch to eager", "talking"): [SetMode("eager")],
    ("slow", "Engine settings", "talking"): "engine",
    ("voice", "Voice settings", "ready"): "voice",
    ("sound", "Sound settings", "ready"): "audio",
    ("audio-output", "Choose another", "talking"): "audio",
}


@pytest.mark.parametrize(("kind", "remedy", "phase"), REMEDIES)
def test_remedies(rig: Rig, kind: str, remedy: str, phase: str) -> None:
    rig.talk()
    rig.say(PhaseChanged(phase), Trouble(kind, "Something is wrong.", remedy))
    rig.sent()
    rig.window.main.banner.button.click()
    wanted = REMEDIES[kind, remedy, phase]
    if isinstance(wanted, str):
        settings = rig.window.main.settings
        assert settings is not None
        assert settings.stack.currentWidget() is settings.pages[wanted]
        assert rig.sent() == []
    else:
        assert rig.sent() == wanted
        assert not rig.window.main.banner.isVisible()


def test_notes_about_the_settings_are_all_shown(rig: Rig) -> None:
    rig.settings.notes = ("model.mode is wrong.", "sampling.top_k was lifted.")
    rig.window.session.begin(load=False)
    assert sentences(rig) == ["model.mode is wrong.", "sampling.top_k was lifted."]


def test_settings_that_cannot_be_saved_are_told_until_they_can(rig: Rig) -> None:
    rig.settings.save_trouble = "The disk is full. They hold until the program ends."
    rig.window.bridge.each_second.emit()
    rig.window.bridge.each_second.emit()
    assert sentences(rig) == ["The disk is full. They hold until the program ends."]
    rig.settings.save_trouble = ""
    rig.window.bridge.each_second.emit()
    assert sentences(rig) == []


def test_a_computer_without_sound_is_told_before_anybody_presses_start(rig: Rig) -> None:
    """User report U8: no PortAudio, or nothing plugged in; once for each reason, gone when there is sound."""
    note = "Sound is off because the PortAudio library cannot be loaded: install the package libportaudio2."
    rig.ready()
    rig.devices.change(replace(rig.devices.state(), note=note))
    for _ in range(2):
        rig.window.bridge.each_second.emit()
        assert sentences(rig) == [note]
    rig.window.main.banner.button.click()
    assert rig.window.main.settings is not None
    assert rig.window.main.settings.stack.currentWidget() is rig.window.main.settings.audio
    rig.window.main.banner.close_button.click()
    rig.window.bridge.each_second.emit()
    assert sentences(rig) == [], "what was read and put away stays away"
    rig.devices.change(replace(rig.devices.state(), note="No sound device was found."))
    rig.window.bridge.each_second.emit()
    assert sentences(rig) == ["No sound device was found."]
    rig.devices.change(replace(rig.devices.state(), note=""))
    rig.window.bridge.each_second.emit()
    assert sentences(rig) == []


def test_untrained_weights_are_said_plainly_for_as_long_as_they_are_loaded(rig: Rig) -> None:
    notice = rig.window.main.untrained
    assert not notice.isVisible()
    rig.ready(scripted.model_info(cuda=False, trained=False), "eager")
    assert notice.isVisible()
    assert "untrained" in notice.accessibleName()
    assert "(untrained)" in rig.window.main.model.text()
    rig.talk(scripted.model_info(cuda=False, trained=False), "eager")
    assert notice.isVisible()
    rig.ready(scripted.model_info())
    assert not notice.isVisible()
    rig.ready(replace(scripted.model_info(), limits="It only <b>sings</b>."))
    assert notice.isVisible()
    assert notice.accessibleName() == notice.sentence.text() == "It only <b>sings</b>."
    assert notice.sentence.textFormat() == Qt.TextFormat.PlainText
    assert "(untrained)" not in rig.window.main.model.text()
