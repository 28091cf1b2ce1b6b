"""The settings window: changes at once, refusals in a sentence and taken back."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox

from app.messages import (
    LoadModel,
    ModelSpec,
    NewTalk,
    PersonaChoice,
    PhaseChanged,
    Sampling,
    SetSampling,
    StartTalk,
    TalkEnded,
    Trouble,
    TroubleCleared,
)
from tests.ui.conftest import MakeRig, Rig
from ui import scripted
from ui.ports import DeviceChoice, DeviceRow, DevicesState
from ui.settings_audio import entries
from ui.theme import DARK, LIGHT


def choose(box: QComboBox, data: object) -> None:
    """Choose an entry as a person does."""
    index = next(index for index in range(box.count()) if box.itemData(index) == data)
    box.setCurrentIndex(index)
    box.activated.emit(index)


def texts(box: QComboBox) -> list[str]:
    return [box.itemText(index) for index in range(box.count())]


# ---------------------------------------------------------------- audio


def test_devices_are_listed_by_name_and_host_api(rig: Rig) -> None:
    """User report A27: no duplicates by default; the default first."""
    audio = rig.open_settings("audio").audio
    assert texts(audio.boxes["input"]) == [
        "System default (Built-in microphone)",
        "Built-in microphone  \N{BULLET}  ALSA",
        "USB Headset  \N{BULLET}  ALSA",
    ]
    assert audio.boxes["input"].currentData() == DeviceChoice("USB Headset", "ALSA")
    audio.every.click()
    assert "USB Headset  \N{BULLET}  OSS" in texts(audio.boxes["input"])
    assert audio.boxes["input"].currentData() == DeviceChoice("USB Headset", "ALSA")


@pytest.mark.parametrize("direction", ["input", "output"])
def test_a_device_is_used_as_soon_as_it_is_chosen(rig: Rig, direction: str) -> None:
    audio = rig.open_settings("audio").audio
    choose(audio.boxes[direction], DeviceChoice())
    assert rig.devices.chosen == [(direction, DeviceChoice())]
    rig.window.bridge.tick()
    assert audio.boxes[direction].currentData() == DeviceChoice()
    assert not audio.notice.isVisible()


def test_a_device_that_cannot_be_used_is_taken_back_with_a_sentence(rig: Rig) -> None:
    """User report U8: a failure says why."""
    rig.devices.answer = "“Built-in microphone” is in use by another program."
    audio = rig.open_settings("audio").audio
    choose(audio.boxes["input"], DeviceChoice("Built-in microphone", "ALSA"))
    rig.window.bridge.tick()
    assert audio.sentence.text() == rig.devices.answer
    assert audio.notice.isVisible()
    assert audio.boxes["input"].currentData() == DeviceChoice("USB Headset", "ALSA")


def test_a_chosen_device_that_is_gone_is_still_shown() -> None:
    """User report A3: known by name, never replaced silently."""
    rows = (DeviceRow("Monitor", "ALSA", 2, 48000, is_default=True),)
    lines = entries(rows, DeviceChoice("USB Headset", "ALSA"), every=False)
    assert lines[-1] == ("USB Headset  \N{BULLET}  ALSA  (not connected)", DeviceChoice("USB Headset", "ALSA"))


def test_a_choice_without_a_host_api_means_the_name(rig: Rig) -> None:
    rig.devices.change(DevicesState(5, scripted.devices().inputs, (), DeviceChoice("USB Headset")))
    box = rig.open_settings("audio").audio.boxes["input"]
    rig.window.bridge.tick()
    assert box.currentText() == "USB Headset  \N{BULLET}  ALSA"
    assert not any("not connected" in text for text in texts(box))


def test_a_list_that_changes_is_followed(rig: Rig) -> None:
    """User report A25: a device that appears after launch can be used."""
    audio = rig.open_settings("audio").audio
    rows = (*scripted.devices().inputs, DeviceRow("Studio microphone", "ALSA", 1, 48000))
    rig.devices.change(DevicesState(9, rows, (), DeviceChoice(), DeviceChoice()))
    rig.window.bridge.tick()
    assert "Studio microphone  \N{BULLET}  ALSA" in texts(audio.boxes["input"])


def test_refresh_when_idle_looks_at_once(rig: Rig) -> None:
    """User report A1: refresh idle shows what is new."""
    rig.ready()
    audio = rig.open_settings("audio").audio
    audio.refresh.click()
    assert rig.devices.refreshed == 1
    rig.window.bridge.tick()
    assert audio.refresh.isEnabled()


def test_refresh_in_a_talk_asks_first(rig: Rig) -> None:
    """User report A1: refresh live asks first."""
    rig.talk()
    audio = rig.open_settings("audio").audio
    audio.refresh.click()
    assert rig.devices.refreshed == 0
    assert "stops for a moment" in audio.note.text()
    audio.refresh.click()
    assert rig.devices.refreshed == 1


def test_a_question_is_forgotten_when_the_talk_ends(rig: Rig) -> None:
    rig.talk()
    audio = rig.open_settings("audio").audio
    audio.refresh.click()
    rig.say(PhaseChanged("ready"), TalkEnded("stopped"))
    assert audio.refresh.text() == "&Look for devices again"


def test_the_level_is_judged_in_words(rig: Rig) -> None:
    rig.talk()
    audio = rig.open_settings("audio").audio
    record = scripted.frames([("graph", 1)])[0]
    for place, (level, word) in enumerate([(-20.0, "The model hears you well"), (-55.0, "Quiet"), (-0.1, "Clipping")]):
        rig.conversation.history.append(record._replace(input_dbfs=level, clock_ns=record.clock_ns + place))
        rig.window.bridge.tick()
        assert audio.advice.text().startswith(word)
    rig.say(PhaseChanged("ready"), TalkEnded("stopped"))
    assert audio.advice.text() == "The level shows while a talk runs."


# ---------------------------------------------------------------- voice


def test_voice_and_persona_hold_from_the_next_talk(rig: Rig) -> None:
    rig.ready()
    voice = rig.open_settings("voice").voice
    assert texts(voice.voice) == ["The model's own", "NATF0", "NATF1", "NATM0", "NATM1", "my voice"]
    choose(voice.voice, "my voice.wav")
    voice.text.setPlainText("You are kind.")
    voice._typed()
    assert rig.settings.values["persona.voice"] == "my voice.wav"
    assert rig.settings.values["persona.text"] == "You are kind."
    rig.sent()
    rig.window.session.start()
    assert rig.sent() == [StartTalk(PersonaChoice("my voice.wav", "You are kind."))]


def test_who_speaks_first_holds_from_the_next_talk(rig: Rig) -> None:
    """User report C11: the option is kept, sent with the next talk, and stays when another persona is chosen."""
    rig.ready()
    voice = rig.open_settings("voice").voice
    assert not voice.waits.isChecked()
    voice.waits.click()
    assert rig.settings.values["persona.waits"] is True
    choose(voice.voice, "NATM1")
    rig.sent()
    rig.window.session.start()
    assert rig.sent() == [StartTalk(PersonaChoice("NATM1", waits=True))]


def test_that_the_model_waits_is_no_warning(rig: Rig) -> None:
    """User report C11: said while it stands, calmly; in a warning's place for as long as there is one."""
    rig.talk()
    banner = rig.window.main.banner
    rig.say(Trouble("waiting", "The model waits for you to speak first."))
    assert (banner.isVisible(), banner.kind) == (True, "info")
    rig.say(Trouble("slow", "Frames are late."))
    assert banner.kind == "warning"
    rig.say(TroubleCleared("slow"))
    assert (banner.kind, banner.sentence.text()) == ("info", "The model waits for you to speak first.")
    rig.say(TroubleCleared("waiting"))
    assert not banner.isVisible()


def test_in_a_talk_a_new_persona_offers_a_new_talk(rig: Rig) -> None:
    rig.talk()
    voice = rig.open_settings("voice").voice
    assert not voice.apply.isVisible()
    choose(voice.voice, "NATM1")
    assert voice.apply.isVisible()
    rig.sent()
    voice.apply.click()
    assert rig.sent() == [NewTalk(PersonaChoice("NATM1", ""))]
    rig.talk()
    assert not voice.apply.isVisible()


@pytest.mark.parametrize(
    ("tokens", "words", "tone"),
    [
        (0, "No persona text.", "muted"),
        (11, "11 tokens take 0.9 s of the 240 s that the model remembers.", "muted"),
        (1, "1 token takes 0.1 s of the 240 s that the model remembers.", "muted"),
        (2000, "Long: 2000 tokens take 160.0 s of the 240 s", "near"),
        (4000, "Too long: 4000 tokens take 320.0 s of the 240 s", "over"),
    ],
)
def test_the_length_of_a_persona_in_tokens_and_seconds(make_rig: MakeRig, tokens: int, words: str, tone: str) -> None:
    """User report V9: token counter, limit, cost in seconds."""
    rig = make_rig(count_tokens=lambda _text: tokens, persona=PersonaChoice("", "words " if tokens else "   "))
    rig.ready()
    voice = rig.open_settings("voice").voice
    assert voice.cost.text().startswith(words)
    assert voice.cost.property("tone") == tone


def test_the_length_is_unknown_before_a_tokenizer_is_there(make_rig: MakeRig) -> None:
    rig = make_rig(count_tokens=lambda _text: None, persona=PersonaChoice("", "You are kind."))
    assert rig.open_settings("voice").voice.cost.text() == "The length shows once a model is loaded."


@pytest.mark.parametrize("name", ["my voice.wav", "my_voice.pt", "Voix é.pt"])
def test_any_name_of_a_voice_can_be_chosen_and_kept(make_rig: MakeRig, name: str) -> None:
    """User report U10: valid voices can be chosen and saved whatever they are called."""
    rig = make_rig(voices=lambda: (name,))
    rig.ready()
    choose(rig.open_settings("voice").voice.voice, name)
    assert rig.settings.values["persona.voice"] == name


def test_a_voice_whose_file_is_gone_is_named(make_rig: MakeRig) -> None:
    """User report V4: a missing voice is never replaced by another."""
    rig = make_rig(persona=PersonaChoice("gone.pt", ""))
    rig.ready()
    box = rig.open_settings("voice").voice.voice
    assert box.currentText() == "gone  (not found)"
    assert box.currentData() == "gone.pt"


def test_new_voices_in_the_folder_appear(make_rig: MakeRig) -> None:
    """User report V2: the folder is scanned."""
    names = ["a.pt"]
    rig = make_rig(voices=lambda: tuple(names))
    box = rig.open_settings("voice").voice.voice
    names.append("b.pt")
    rig.window.bridge.each_second.emit()
    assert texts(box) == ["The model's own", "a", "b"]


def test_a_persona_that_is_refused_is_taken_back(rig: Rig) -> None:
    rig.ready()
    page = rig.open_settings("voice").voice
    rig.settings.refuse["persona.text"] = "persona.text has 5000 characters, where text of 0 to 4000 is needed."
    page.text.setPlainText("x" * 5000)
    page._typing.stop()
    page._typed()
    assert page.sentence.text() == rig.settings.refuse["persona.text"]
    assert page.text.toPlainText() == ""
    assert rig.window.session.persona == PersonaChoice()


# ---------------------------------------------------------------- engine


def test_a_model_is_loaded_as_soon_as_it_is_chosen(rig: Rig) -> None:
    rig.ready()
    engine = rig.open_settings("engine").engine
    rig.sent()
    choose(engine.precision, "float32")
    assert rig.sent() == [LoadModel(ModelSpec(precision="float32"))]
    rig.ready()
    engine.source.setEditText("kyutai/moshika-pytorch-bf16")
    line = engine.source.lineEdit()
    assert line is not None
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert rig.sent() == [LoadModel(ModelSpec(source="kyutai/moshika-pytorch-bf16", precision="float32"))]
    rig.ready()
    engine.choose_folder("/models/mine")
    assert rig.sent() == [LoadModel(ModelSpec(source="/models/mine", precision="float32"))]
    rig.ready()
    choose(engine.kv, "int8")
    spec = ModelSpec(source="/models/mine", precision="float32", kv="int8")
    assert rig.sent() == [LoadModel(spec)]
    rig.ready()
    choose(engine.compile, "max-autotune")
    assert rig.sent() == [LoadModel(replace(spec, compile="max-autotune"))]


def test_in_a_talk_a_load_asks_first(rig: Rig) -> None:
    rig.talk()
    engine = rig.open_settings("engine").engine
    rig.sent()
    choose(engine.device, "cpu")
    assert rig.sent() == []
    assert engine.question.isVisible()
    engine.keep.click()
    assert engine.device.currentData() == "auto"
    assert not engine.question.isVisible()
    choose(engine.device, "cpu")
    engine.load_now.click()
    assert rig.sent() == [LoadModel(ModelSpec(device="cpu"))]
    assert not engine.question.isVisible()


def test_a_refused_model_shows_the_earlier_one_again(rig: Rig) -> None:
    rig.ready()
    engine = rig.open_settings("engine").engine
    rig.settings.refuse["model.source"] = "model.source has 0 characters, where text is needed."
    rig.sent()
    engine.choose_folder("")
    assert rig.sent() == []
    assert engine.source.currentText() == "mini"
    assert engine.sentence.text() == rig.settings.refuse["model.source"]


def test_what_is_loaded_is_told_with_its_memory(rig: Rig) -> None:
    engine = rig.open_settings("engine").engine
    rig.ready()
    assert engine.facts.text().endswith("weights 15.6 GB, state of a talk 1.6 GB, remembers 4:00.")
    rig.ready(replace(scripted.model_info(), agreement="Over 1500 frames 98.9 % of the tokens are the same."))
    assert engine.facts.text().endswith("remembers 4:00. Over 1500 frames 98.9 % of the tokens are the same.")


@pytest.mark.parametrize("size", [100, 150])
def test_sliders_below_each_other_end_together_and_show_their_whole_handle(make_rig: MakeRig, size: int) -> None:
    rig = make_rig(values={"window.text_size": size})
    rig.ready()
    sliders = rig.open_settings("engine").engine.sliders.values()
    assert len({slider.field.width() for slider in sliders}) == 1
    assert len({slider.slider.geometry().right() for slider in sliders}) == 1
    for slider in sliders:
        assert slider.slider.height() >= 18, "16 pixels of handle and a border"
        field = slider.field
        room = field.width() - field.fontMetrics().horizontalAdvance(field.textFromValue(field.maximum()))
        assert room >= 20, "the largest value has room"


@pytest.mark.parametrize("size", [100, 150])
def test_a_list_that_is_clicked_shows_all_of_its_rows(make_rig: MakeRig, size: int) -> None:
    """With the box in focus the list was two pixels short, so that Qt put arrows into it and cut a row off."""
    rig = make_rig(values={"window.text_size": size})
    box = rig.open_settings("audio").audio.boxes["input"]
    height = box.height()
    box.window().activateWindow()
    box.setFocus()
    assert QTest.qWaitForWindowActive(box.window())
    assert box.hasFocus()
    QTest.mouseClick(box, Qt.MouseButton.LeftButton)
    rows = box.view()
    assert rows.isVisible()
    assert box.count() == 3
    assert rows.verticalScrollBar().maximum() == 0
    assert rows.viewport().height() >= sum(rows.sizeHintForRow(row) for row in range(box.count()))
    box.hidePopup()
    assert box.height() == height


def test_a_slider_counts_once_it_rests(rig: Rig) -> None:
    rig.ready()
    slider = rig.open_settings("engine").engine.sliders["text_top_k"]
    rig.sent()
    for position in (300, 400, 500):
        slider.slider.setValue(position)
    assert rig.sent() == []
    slider._settle.stop()
    slider._settled()
    value = round(slider.value)
    assert rig.sent() == [SetSampling(Sampling(text_top_k=value))]
    assert isinstance(rig.settings.values["sampling.text_top_k"], int)
    assert slider.note.text() == "chosen"


@pytest.mark.parametrize(
    ("name", "value"), [("temperature", 0.9), ("top_k", 100), ("text_temperature", 0.6), ("text_top_k", 30)]
)
def test_each_control_sends_its_own_value_and_no_other(rig: Rig, name: str, value: float) -> None:
    """User report U1: no two controls are exchanged, and none is without effect."""
    rig.ready()
    slider = rig.open_settings("engine").engine.sliders[name]
    rig.sent()
    slider.field.setValue(value)
    slider._settle.stop()
    slider._settled()
    assert rig.sent() == [SetSampling(Sampling(**{name: value}))]
    assert rig.settings.values[f"sampling.{name}"] == value


def test_the_seed_field_sends_the_seed(rig: Rig) -> None:
    """User report U1: seed 42."""
    rig.ready()
    engine = rig.open_settings("engine").engine
    rig.sent()
    engine.fresh_seed.click()
    engine.seed.setValue(42)
    assert rig.sent()[-1] == SetSampling(Sampling(seed=42))
    assert rig.settings.values["sampling.seed"] == 42
    engine.fresh_seed.click()
    assert rig.sent()[-1] == SetSampling(Sampling())


def test_typed_values_are_held_within_the_bounds(rig: Rig) -> None:
    """User report U5: 0 and 99999 are held within the bounds."""
    rig.ready()
    field = rig.open_settings("engine").engine.sliders["top_k"].field
    field.setValue(99999)
    assert field.value() == 2048
    field.setValue(0)
    assert field.value() == 5


def test_the_seed_and_the_way_back_to_the_models_own_values(rig: Rig) -> None:
    rig.ready()
    engine = rig.open_settings("engine").engine
    rig.sent()
    engine.fresh_seed.click()
    assert rig.sent() == [SetSampling(Sampling(seed=0))]
    engine.seed.setValue(42)
    assert rig.sent() == [SetSampling(Sampling(seed=42))]
    rig.window.session.set_sampling(Sampling(temperature=0.3, seed=42))
    rig.sent()
    engine.own.click()
    assert rig.sent() == [SetSampling(Sampling(seed=42))]
    engine.fresh_seed.click()
    assert rig.sent() == [SetSampling(Sampling())]


# ---------------------------------------------------------------- appearance and the shell


def test_the_theme_changes_at_once_everywhere(rig: Rig) -> None:
    page = rig.open_settings("appearance").appearance
    page.themes["dark"].click()
    assert rig.settings.values["window.theme"] == "dark"
    assert rig.window.theme.colours is DARK
    assert QApplication.palette().window().color().name() == DARK.window
    page.themes["light"].click()
    assert rig.window.theme.colours is LIGHT


def test_a_refused_theme_is_taken_back(rig: Rig) -> None:
    page = rig.open_settings("appearance").appearance
    rig.settings.refuse["window.theme"] = "The settings are locked."
    page.themes["dark"].click()
    assert page.themes["light"].isChecked()
    assert rig.window.theme.colours is LIGHT
    assert page.sentence.text() == "The settings are locked."


def test_the_text_grows_at_once(rig: Rig) -> None:
    page = rig.open_settings("appearance").appearance
    before = rig.window.theme.font("body").pointSizeF()
    choose(page.size_box, 150)
    assert rig.window.theme.font("body").pointSizeF() == pytest.approx(1.5 * before)
    assert rig.settings.values["window.text_size"] == 150
    choose(page.size_box, 100)


def test_settings_open_on_the_page_that_is_asked_for_and_close_with_escape(rig: Rig) -> None:
    window = rig.open_settings("voice")
    assert window.stack.currentWidget() is window.voice
    assert not window.isModal()
    assert QTest.qWaitForWindowActive(window, 2000)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()
    rig.window.main.actions_.settings.trigger()
    assert window.isVisible()
    assert window.stack.currentWidget() is window.voice, "where it was left"


def test_an_answer_that_takes_its_time_holds_up_nothing(rig: Rig) -> None:
    slow: Future[str] = Future()
    rig.devices.choose = lambda _direction, _choice: slow  # type: ignore[method-assign]
    audio = rig.open_settings("audio").audio
    choose(audio.boxes["input"], DeviceChoice())
    rig.window.bridge.tick()
    assert not audio.notice.isVisible()
    slow.set_result("The driver did not answer.")
    rig.window.bridge.tick()
    assert audio.sentence.text() == "The driver did not answer."
