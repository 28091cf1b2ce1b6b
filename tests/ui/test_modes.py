"""The mode choice: one choice in two windows, in step with what the engine answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QRadioButton

from app.messages import (
    CancelLoad,
    LoadModel,
    ModeBuilding,
    ModeChanged,
    ModelInfo,
    ModelSpec,
    PhaseChanged,
    SetMode,
    Trouble,
)
from tests.ui.conftest import MakeRig, Rig
from ui import scripted

CARD = scripted.model_info()
EVERY_MODE: dict[str, str | None] = {"graph": None, "eager": None, "compiled": None}


def radios(rig: Rig) -> list[dict[str, QRadioButton]]:
    return [rig.window.main.modes.buttons, rig.open_settings("engine").engine.modes.buttons]


def checked(rig: Rig) -> list[list[str]]:
    """The checked modes of each window."""
    return [[mode for mode, button in group.items() if button.isChecked()] for group in radios(rig)]


@pytest.mark.parametrize("place", [0, 1])
def test_a_choice_in_one_window_shows_in_both(rig: Rig, place: int) -> None:
    rig.talk()
    rig.sent()
    for mode in ("eager", "compiled", "graph"):
        radios(rig)[place][mode].click()
        assert checked(rig) == [[mode], [mode]]
        assert rig.sent() == [SetMode(mode)]
        rig.say(ModeChanged(mode, EVERY_MODE))
        assert checked(rig) == [[mode], [mode]]
        assert rig.settings.values["model.mode"] == mode


def test_the_engine_has_the_last_word(rig: Rig) -> None:
    rig.talk()
    rig.say(ModeChanged("eager", EVERY_MODE))
    assert checked(rig) == [["eager"], ["eager"]]
    assert rig.window.main.latency.mode == "eager"


def test_quick_choices_end_with_the_last(rig: Rig) -> None:
    rig.talk()
    rig.sent()
    for mode in ("eager", "compiled", "eager"):
        rig.window.main.modes.buttons[mode].click()
    rig.say(ModeChanged("eager", EVERY_MODE))
    assert checked(rig) == [["eager"], ["eager"]]
    rig.say(ModeChanged("compiled", EVERY_MODE))
    assert checked(rig) == [["eager"], ["eager"]], "an answer to an earlier choice moves nothing"
    rig.say(ModeChanged("eager", EVERY_MODE))
    assert checked(rig) == [["eager"], ["eager"]]
    assert rig.sent() == [SetMode("eager"), SetMode("compiled"), SetMode("eager")]


def test_a_refused_mode_goes_back_everywhere_with_a_sentence(rig: Rig) -> None:
    rig.talk()
    window = rig.open_settings("engine")
    rig.window.main.modes.buttons["compiled"].click()
    sentence = "The compiled mode cannot be used: no C++ compiler was found."
    rig.say(ModeChanged("graph", EVERY_MODE), Trouble("mode", sentence))
    assert checked(rig) == [["graph"], ["graph"]]
    assert rig.settings.values["model.mode"] == "auto", "the setting is what it was"
    assert rig.window.session.spec.mode == "auto"
    assert window.engine.sentence.text() == sentence
    assert window.engine.notice.isVisible()
    assert rig.window.main.banner.sentence.text() == sentence


def test_a_setting_that_cannot_be_kept_changes_nothing(rig: Rig) -> None:
    rig.talk()
    rig.sent()
    window = rig.open_settings("engine")
    rig.settings.refuse["model.mode"] = "The settings are locked."
    radios(rig)[1]["eager"].click()
    assert rig.sent() == []
    assert checked(rig) == [["graph"], ["graph"]]
    assert window.engine.sentence.text() == "The settings are locked."


def test_modes_this_computer_cannot_do_are_disabled_and_say_why(rig: Rig) -> None:
    rig.ready(scripted.model_info(cuda=False), "eager")
    rig.sent()
    for group in radios(rig):
        assert not group["graph"].isEnabled()
        assert group["eager"].isEnabled()
        assert scripted.NO_CUDA in group["graph"].toolTip()
        assert scripted.NO_CUDA in group["graph"].accessibleDescription()
    assert scripted.NO_CUDA in rig.open_settings("engine").engine.modes.reasons["graph"].text()
    rig.window.main.actions_.modes["graph"].trigger()
    assert rig.sent() == []
    assert checked(rig) == [["eager"], ["eager"]]


def test_a_mode_that_stops_working_is_disabled_with_its_reason(rig: Rig) -> None:
    rig.talk()
    rig.say(ModeChanged("eager", {**EVERY_MODE, "graph": "the capture failed."}))
    assert [group["graph"].isEnabled() for group in radios(rig)] == [False, False]
    assert "the capture failed." in rig.window.main.modes.buttons["graph"].toolTip()


def test_a_choice_made_while_loading_is_sent_when_the_engine_can_take_it(rig: Rig) -> None:
    rig.window.session.load()
    rig.say(PhaseChanged("loading"))
    rig.sent()
    rig.window.main.modes.buttons["eager"].click()
    assert rig.sent() == []
    assert checked(rig) == [["eager"], ["eager"]]
    rig.ready(CARD, "graph")
    assert rig.sent() == [SetMode("eager")]
    assert checked(rig) == [["eager"], ["eager"]]
    rig.say(ModeChanged("eager", EVERY_MODE))
    assert checked(rig) == [["eager"], ["eager"]]


def test_a_choice_made_before_loading_is_part_of_the_load(rig: Rig) -> None:
    rig.window.main.modes.buttons["eager"].click()
    rig.window.session.load()
    assert rig.sent() == [LoadModel(ModelSpec(mode="eager"))]


# ---------------------------------------------------------------- the compiled mode at a start


def start_with_compiled(make_rig: MakeRig, info: ModelInfo = CARD, mode: str = "graph") -> Rig:
    """The settings hold the compiled mode from last time, and the model is there."""
    rig = make_rig(values={"model.mode": "compiled"}, spec=ModelSpec(mode="compiled"))
    rig.window.session.begin(load=True)
    assert rig.sent() == [LoadModel(ModelSpec(mode="auto"))], "first something to talk with"
    assert checked(rig) == [["compiled"], ["compiled"]]
    rig.ready(info, mode)
    return rig


def test_compiled_is_built_after_the_load_and_says_so(make_rig: MakeRig) -> None:
    rig = start_with_compiled(make_rig)
    assert rig.sent() == [SetMode("compiled")]
    rig.say(PhaseChanged("building"), ModeBuilding("compiled", 1, 4))
    progress = rig.window.main.progress
    assert progress.heading.text() == "Building the compiled mode"
    assert progress.detail.text() == "1 of 4, it takes a while, once after each start"
    assert progress.cancel.isVisible()
    assert progress.cancel.text().replace("&", "") == "Go on in graph"
    rig.say(ModeChanged("compiled", EVERY_MODE), PhaseChanged("ready"))
    assert checked(rig) == [["compiled"], ["compiled"]]
    assert rig.settings.values["model.mode"] == "compiled"
    assert not progress.isVisible()


def test_who_will_not_wait_talks_in_the_other_mode_and_keeps_the_choice(make_rig: MakeRig) -> None:
    rig = start_with_compiled(make_rig)
    rig.say(PhaseChanged("building"), ModeBuilding("compiled", 1, 4))
    rig.sent()
    rig.window.main.progress.cancel.click()
    assert rig.sent() == [CancelLoad()]
    rig.say(ModeChanged("graph", EVERY_MODE), PhaseChanged("ready"))
    assert checked(rig) == [["graph"], ["graph"]]
    assert rig.window.main.start_button.isEnabled()
    assert rig.settings.values["model.mode"] == "compiled", "for the next start"
    rig.window.main.modes.buttons["graph"].click()
    assert rig.settings.values["model.mode"] == "graph", "until graph is chosen on purpose"
    assert rig.sent() == []
    rig.window.session.load()
    assert rig.sent() == [LoadModel(ModelSpec(mode="graph"))]


def test_compiled_that_cannot_be_had_is_asked_for_and_told(make_rig: MakeRig) -> None:
    reason = "no C++ compiler was found."
    info = replace(CARD, modes={**EVERY_MODE, "compiled": reason})
    rig = start_with_compiled(make_rig, info)
    assert rig.sent() == [SetMode("compiled")], "whose answer is the reason"
    sentence = f"The compiled mode cannot be used: {reason}"
    rig.say(ModeChanged("graph", info.modes), Trouble("mode", sentence))
    assert checked(rig) == [["graph"], ["graph"]]
    assert rig.window.main.banner.sentence.text() == sentence


def test_nothing_is_checked_before_anything_is_known(make_rig: MakeRig) -> None:
    assert checked(make_rig(spec=ModelSpec(mode="auto"))) == [[], []]
    assert checked(make_rig(spec=ModelSpec(mode="eager"))) == [["eager"], ["eager"]]


def test_building_a_mode_shows_how_far_it_is(rig: Rig) -> None:
    rig.talk()
    rig.say(PhaseChanged("building"), ModeBuilding("compiled", 2, 5))
    progress = rig.window.main.progress
    assert progress.isVisible()
    assert progress.heading.text() == "Building the compiled mode"
    assert progress.detail.text() == "2 of 5, the talk is paused and goes on afterwards"
    assert progress.bar.value() == 400
    cancel = progress.cancel
    assert cancel.isVisible()
    assert cancel.text().replace("&", "") == "Go on in graph"
    assert "Give up building" in cancel.accessibleDescription()
    rig.sent()
    cancel.click()
    assert rig.sent() == [CancelLoad()]
    rig.say(ModeChanged("graph", EVERY_MODE), PhaseChanged("talking"))
    assert not progress.isVisible()
    assert not rig.window.main.actions_.cancel_load.isEnabled()
