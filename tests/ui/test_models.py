"""The Models page: what is here, downloads with progress and Cancel, checks, deletion, licences, and use in a talk."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAccessible, QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget

from app.messages import CancelLoad, LoadModel, LoadProgressed, ModelSpec, PhaseChanged, Trouble
from tests.ui.conftest import MakeRig, Rig
from ui.model_card import ModelCard
from ui.scripted_models import (
    ScriptedInventory,
    ScriptedModels,
    ScriptedRefused,
    ScriptedReport,
    ScriptedWork,
    some_models,
)
from ui.settings_models import ModelsPage

PERSONAPLEX, MOSHIKA, MOSHIKO = "nvidia/personaplex-7b-v1", "kyutai/moshika-pytorch-bf16", "kyutai/moshiko-pytorch-bf16"
TOKEN = "hf_ThisIsVerySecret0123456789"


@dataclass
class Room:
    """The page with its stand-in."""

    rig: Rig
    models: ScriptedModels

    @property
    def page(self) -> ModelsPage:
        assert self.rig.window.main.settings is not None
        return self.rig.window.main.settings.models

    def beat(self, count: int = 1) -> None:
        for _ in range(count):
            self.rig.window.bridge.tick()
        QApplication.processEvents()  # new cards are shown by an event of their layout

    def card(self, source: str) -> ModelCard:
        (found,) = (card for card in self.page.cards if card.model.source == source)
        return found


@pytest.fixture
def make_room(make_rig: MakeRig) -> Callable[..., Room]:
    def make(inventory: ScriptedInventory | None = None, spec: ModelSpec | None = None) -> Room:
        models = ScriptedModels(inventory if inventory is not None else some_models())
        rig = make_rig(models=models, spec=spec)
        rig.ready()
        rig.open_settings("models")
        rig.window.bridge.tick()
        rig.sent()
        return Room(rig, models)

    return make


@pytest.fixture
def room(make_room: Callable[..., Room]) -> Room:
    return make_room()


def words(card: QWidget) -> str:
    return "\n".join(label.text() for label in card.findChildren(QLabel) if not label.isHidden())


# ---------------------------------------------------------------- what is here


def test_each_model_says_where_it_is_and_what_it_takes(room: Room) -> None:
    assert ("look",) in room.models.asked, "the disk is read when the page is shown"
    assert [card.model.source for card in room.page.cards] == ["mini", PERSONAPLEX, MOSHIKA, MOSHIKO]
    said = words(room.card(PERSONAPLEX))
    for part in ("Downloaded, 16.7 GB", "nvidia--personaplex-7b-v1", "Converted to int8, 7.9 GB"):
        assert part in said
    assert "6.1 GB of 15.9 GB are here" in words(room.card(MOSHIKA))
    assert "Hugging Face's own cache" in words(room.card(MOSHIKO))
    assert "212 GB are free" in room.page.room.text()
    assert room.card("mini").in_use.isVisible()
    assert not room.card(PERSONAPLEX).in_use.isVisible()


def test_only_what_makes_sense_is_offered(room: Room) -> None:
    def shown(source: str) -> list[str]:
        return [button.text() for button in room.card(source).buttons() if button.isVisible()]

    assert shown("mini") == ["Check"], "it is in use, and belongs to the program"
    assert shown(PERSONAPLEX) == ["Use", "Check", "Delete…"]
    assert shown(MOSHIKA) == ["Go on", "Delete…"]
    assert shown(MOSHIKO) == ["Use", "Check"], "others' files are not deleted"


def test_what_is_in_use_is_not_deleted(make_room: Callable[..., Room]) -> None:
    room = make_room(spec=ModelSpec(source=PERSONAPLEX))
    delete = room.card(PERSONAPLEX).delete
    assert not delete.isEnabled()
    assert "in use" in delete.toolTip()
    assert delete.accessibleDescription() == delete.toolTip()
    room.rig.window.session.set_spec(ModelSpec(source="mini"))
    assert room.card(PERSONAPLEX).delete.isEnabled()


# ---------------------------------------------------------------- use


def test_use_loads_the_model(room: Room) -> None:
    room.card(PERSONAPLEX).use.click()
    assert room.rig.sent() == [LoadModel(ModelSpec(source=PERSONAPLEX))]
    assert room.rig.settings.values["model.source"] == PERSONAPLEX
    assert room.card(PERSONAPLEX).in_use.isVisible()
    assert not room.card(PERSONAPLEX).use.isVisible()


def test_in_a_talk_it_is_asked_first(room: Room) -> None:
    room.rig.talk()
    room.rig.sent()
    room.card(PERSONAPLEX).use.click()
    assert room.rig.sent() == []
    assert room.page.confirm.isVisible()
    room.page.confirm.no.click()
    assert room.rig.window.session.spec.source == "mini"
    room.card(PERSONAPLEX).use.click()
    room.page.confirm.yes.click()
    assert room.rig.sent() == [LoadModel(ModelSpec(source=PERSONAPLEX))]


# ---------------------------------------------------------------- downloading


def test_a_download_shows_how_far_it_is_and_ends_in_a_card(make_room: Callable[..., Room]) -> None:
    room = make_room(ScriptedInventory(some_models().models[:1]))
    page, now = room.page, [100.0]
    page.work._pace._clock = lambda: now[0]
    page.source.setEditText(PERSONAPLEX)
    page.download.click()
    assert ("download", PERSONAPLEX) in room.models.asked
    assert page.work.isVisible()
    assert page.work.heading.text() == f"Downloading {PERSONAPLEX}"
    assert page.work.detail.text() == "asking Hugging Face"
    room.models.progress(0, 16_700_000_000)
    room.beat()
    now[0] += 10
    room.models.progress(1_670_000_000, 16_700_000_000)
    room.beat()
    assert page.work.detail.text() == "1.7 GB of 16.7 GB, 167 MB a second, about 1:30 left"
    assert page.work.bar.value() == 100
    assert "1.7 GB" in page.work.bar.accessibleDescription()
    assert not page.download.isEnabled(), "one at a time"
    assert not room.card("mini").check.isEnabled()
    room.models.finish(inventory=ScriptedInventory(some_models().models[:2]))
    room.beat(2)
    assert not page.work.isVisible()
    assert room.card(PERSONAPLEX).use.isVisible()
    assert not page.notice.isVisible()
    assert page.source.findText(PERSONAPLEX) < 0, "what is here is not offered again"
    assert room.card("mini").check.isEnabled()


def test_cancel_stops_at_once_and_says_so(room: Room) -> None:
    room.card(MOSHIKA).go_on.click()
    assert ("download", MOSHIKA) in room.models.asked
    room.models.progress(6_200_000_000, 15_900_000_000)
    room.beat()
    room.page.work.cancel.click()
    assert room.models.asked[-1] == ("stop",)
    assert not room.page.work.cancel.isEnabled()
    assert room.page.work.detail.text() == "stopping"
    room.models.progress(6_200_100_000, 15_900_000_000)
    room.beat()
    assert room.page.work.detail.text() == "stopping"
    room.models.finish()
    room.beat(2)
    assert not room.page.work.isVisible()
    assert not room.page.notice.isVisible(), "it is no trouble"
    room.card(MOSHIKA).go_on.click()
    assert room.page.work.cancel.isEnabled(), "the next one can be stopped again"


def test_closing_the_window_stops_no_download(room: Room) -> None:
    room.card(MOSHIKA).go_on.click()
    settings = room.rig.window.main.settings
    assert settings is not None
    settings.close()
    assert ("stop",) not in room.models.asked
    room.models.progress(7_000_000_000, 15_900_000_000)
    settings.show()
    room.beat()
    assert room.page.work.isVisible()
    assert room.page.work.detail.text().startswith("7.0 GB of 15.9 GB")


def test_what_stands_in_the_way_is_said_on_the_page(room: Room) -> None:
    """User report P10: a full disk."""
    room.card(MOSHIKA).go_on.click()
    sentence = "The download needs 16.2 GB on the disk, but /home/ada has 3.1 GB free: make room."
    room.models.finish(sentence)
    room.beat()
    assert room.page.sentence.text() == sentence
    assert room.page.notice.isVisible()
    assert not room.page.work.isVisible()


def test_an_id_is_judged_while_it_is_typed(room: Room) -> None:
    page = room.page
    for typed, said in (("moshi", "owner/name"), (PERSONAPLEX, "here already")):
        page.source.setEditText(typed)
        assert not page.download.isEnabled()
        assert said in page.why.text()
        assert said in page.download.accessibleDescription()
    page.source.setEditText("")
    assert not page.why.isVisible()
    line = page.source.lineEdit()
    assert line is not None
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert not any(asked[0] == "download" for asked in room.models.asked)
    page.source.setEditText("some/model")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert room.models.asked[-1] == ("download", "some/model")


def test_a_download_of_a_load_is_shown_and_cancelled_as_the_loads(room: Room) -> None:
    room.rig.window.session.set_spec(ModelSpec(source="some/model"))
    room.rig.say(PhaseChanged("loading"), LoadProgressed("download", 4_000_000_000, 16_000_000_000))
    room.beat()
    assert room.page.work.heading.text() == "Downloading some/model"
    room.rig.sent()
    room.page.work.cancel.click()
    assert room.rig.sent() == [CancelLoad()]
    room.rig.say(LoadProgressed("language model", 1, 2))
    room.beat()
    assert not room.page.work.isVisible()


# ---------------------------------------------------------------- checking


@pytest.mark.parametrize(
    ("report", "said", "repair"),
    [(ScriptedReport(), "all 6 files are as published", False),
     (ScriptedReport(compared=4), "4 of 6 files", False),
     (ScriptedReport(compared=0), "no published checksums", False),
     (ScriptedReport(damaged=("model.safetensors",)), "Damaged, other than it was published: model.safetensors", True),
     (ScriptedReport(fault="model.safetensors does not fit."), "cannot be used: model.safetensors", False),
     (ScriptedReport(unusable=("int8-1.safetensors",)), "converted int8-1.safetensors does not fit", False)],
)  # fmt: skip
def test_a_check_ends_in_words_and_in_a_way_on(room: Room, report: ScriptedReport, said: str, repair: bool) -> None:
    room.card(PERSONAPLEX).check.click()
    assert room.models.asked[-1] == ("check", PERSONAPLEX)
    assert room.page.work.heading.text() == f"Checking {PERSONAPLEX}"
    room.models.reports[PERSONAPLEX] = report
    room.models.finish()
    room.beat(2)
    card = room.card(PERSONAPLEX)
    assert said in card.report.text()
    assert card.repair.isVisible() == repair
    if repair:
        card.repair.click()
        assert room.models.asked[-1] == ("repair", PERSONAPLEX)


# ---------------------------------------------------------------- deleting


def test_nothing_is_deleted_without_a_question(room: Room) -> None:
    card = room.card(PERSONAPLEX)
    card.delete.click()
    assert card.confirm.isVisible()
    assert "24.6 GB" in card.confirm.sentence.text(), "with what was converted from it"
    QTest.keyClick(card.confirm.no, Qt.Key.Key_Escape)
    assert not card.confirm.isVisible()
    assert room.page.isVisible()
    assert not any(asked[0] == "delete" for asked in room.models.asked)
    card.delete.click()
    card.confirm.yes.click()
    room.beat()
    assert ("delete", PERSONAPLEX) in room.models.asked
    assert [card.model.source for card in room.page.cards] == ["mini", MOSHIKA, MOSHIKO]


def test_converted_files_are_deleted_alone(room: Room) -> None:
    variant = room.card(PERSONAPLEX).variants[0]
    variant.button.click()
    room.card(PERSONAPLEX).confirm.yes.click()
    room.beat()
    assert room.card(PERSONAPLEX).variants == []
    (orphan,) = room.page.orphans
    orphan.button.click()
    room.page.orphan_question.yes.click()
    room.beat()
    assert [asked[1] for asked in room.models.asked if asked[0] == "delete variant"] == [
        "int8-0123456789abcdef0123.safetensors",
        "int4-fedcba98765432100123.safetensors",
    ]
    assert room.page.orphans == []


def test_a_refused_deletion_is_said_and_changes_nothing(room: Room) -> None:
    room.models.answer = f"{MOSHIKA} could not be deleted (Permission denied)."
    room.card(MOSHIKA).delete.click()
    room.card(MOSHIKA).confirm.yes.click()
    room.beat()
    assert room.page.sentence.text() == room.models.answer
    assert room.card(MOSHIKA).isVisible()


# ---------------------------------------------------------------- licences


def refuse(room: Room, signed_in: bool = False) -> None:
    room.page.fetch(MOSHIKA)
    room.models.refused = ScriptedRefused(MOSHIKA, signed_in)
    room.models.finish("Hugging Face does not give it out.")
    room.beat(2)


def test_a_licence_is_explained_step_by_step_and_tried_again(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(QUrl(url).toString()) or True)
    access = room.page.access
    assert not access.open_model.isVisible(), "no model is named"
    refuse(room)
    assert "“Models with a licence”" in room.page.sentence.text()
    assert "asks for an account" in access.refusal.text()
    for step in ("accept the licence", "token", "Parley keeps none"):
        assert step in access.steps.text()
    access.open_model.click()
    access.open_tokens.click()
    assert opened == [f"https://huggingface.co/{MOSHIKA}", "https://huggingface.co/settings/tokens"]
    access.again_button.click()
    assert room.models.asked[-1] == ("download", MOSHIKA)


def test_a_load_that_is_refused_leads_to_the_page_with_its_model_named(room: Room) -> None:
    session = room.rig.window.session
    settings = room.rig.open_settings("audio")
    session.set_spec(ModelSpec(source=MOSHIKA))
    sentence = "Hugging Face does not give out the model without signing in."
    room.rig.say(PhaseChanged("loading"), PhaseChanged("ready"), Trouble("load", sentence, "Models"))
    assert session.spec.source == "mini", "the earlier model is loaded again"
    banner = room.rig.window.main.banner
    assert banner.sentence.text().startswith(sentence)
    banner.button.click()
    assert settings.stack.currentWidget() is room.page
    assert room.page.source.currentText() == MOSHIKA
    assert room.page.access.open_model.toolTip() == f"https://huggingface.co/{MOSHIKA}"
    assert room.page.access.open_model.isVisible()
    assert not room.page.access.again_button.isVisible()


def test_a_licence_that_the_account_has_not_accepted_is_another_sentence(room: Room) -> None:
    refuse(room, signed_in=True)
    assert "account of your token has not accepted" in room.page.access.refusal.text()


def test_the_token_leaves_the_window_at_once(room: Room) -> None:
    refuse(room)
    access = room.page.access
    assert access.token.echoMode() == QLineEdit.EchoMode.Password
    assert not access.keep.isEnabled()
    access.token.setText(TOKEN)
    QTest.keyClick(access.token, Qt.Key.Key_Return)
    assert access.token.text() == ""
    assert room.models.asked[-1] == ("keep token", TOKEN)
    room.beat()
    assert "is kept in" in access.state.text()
    assert TOKEN not in str(room.rig.settings.values)
    everything = room.rig.window.main.findChildren(QWidget) + room.page.window().findChildren(QWidget)
    for widget in everything:
        for text in (
            widget.toolTip(),
            widget.accessibleName(),
            widget.accessibleDescription(),
            str(widget.property("text")),
        ):
            assert TOKEN not in text
    access.forget.click()
    assert "other tools" in access.confirm.sentence.text()
    access.confirm.yes.click()
    room.beat()
    assert access.state.text() == "No token is kept on this computer."
    assert not access.forget.isVisible()


def test_a_token_that_is_typed_and_left_is_forgotten(room: Room) -> None:
    room.page.access.token.setText(TOKEN)
    settings = room.rig.window.main.settings
    assert settings is not None
    settings.open_page("audio")
    assert room.page.access.token.text() == ""


def test_a_refused_token_is_a_sentence(room: Room) -> None:
    room.models.answer = "Hugging Face does not know this token: copy the whole of it."
    room.page.access.token.setText(TOKEN)
    room.page.access.keep.click()
    room.beat()
    assert room.page.sentence.text() == room.models.answer
    assert room.page.access.state.text() == "No token is kept on this computer."


# ---------------------------------------------------------------- ways in, keyboard, screen readers


def test_the_page_is_reached_from_menu_guide_settings_and_banner(rig: Rig) -> None:
    def leads_here(go: Callable[[], object]) -> bool:
        settings = rig.open_settings("audio")
        go()
        return settings.stack.currentWidget() is settings.models

    main = rig.window.main
    assert leads_here(main.actions_.models.trigger)
    assert leads_here(rig.open_settings().engine.all_models.click)
    main.errands.open_guide()
    assert main.errands.guide is not None
    assert leads_here(main.errands.guide.model.more.click)
    rig.say(Trouble("load", "Hugging Face does not give it out.", "Models"))
    assert leads_here(main.banner.button.click)
    engine_menu = next(action.menu() for action in main.menuBar().actions() if "ngine" in action.text())
    assert main.actions_.models in engine_menu.actions()


def test_every_control_has_a_name_of_its_own_and_is_reached_by_keyboard(room: Room) -> None:
    refuse(room)
    page = room.page
    buttons = [button for card in page.cards for button in (*card.buttons(), *(row.button for row in card.variants))]
    access = page.access
    wanted: list[QWidget] = [*buttons, *(row.button for row in page.orphans), page.source, page.download, access.token,
                             access.keep, access.open_model, access.open_tokens, access.again_button,
                             page.work.cancel]  # fmt: skip
    names = []
    for widget in wanted:
        if widget.isHidden():
            continue
        name = QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name).strip()
        assert name, widget
        names.append(name)
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, name
    assert len(set(names)) == len(names), "a screen reader can tell them apart"
    assert f"Use: {PERSONAPLEX}" in names


def test_the_keyboard_alone_walks_through_the_page(room: Room) -> None:
    page = room.page
    seen: list[QWidget] = []
    page.window().activateWindow()
    page.cards[0].check.setFocus()
    for _ in range(60):
        focus = page.window().focusWidget()
        assert focus is not None
        if focus in seen:
            break
        seen.append(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    for widget in (room.card(PERSONAPLEX).use, room.card(MOSHIKA).go_on, page.source, page.access.token):
        assert widget in seen, widget


def test_nothing_is_done_with_a_beat_while_nothing_changes(room: Room) -> None:
    cards, asked = list(room.page.cards), list(room.models.asked)
    room.beat(60)
    assert room.page.cards == cards
    assert room.models.asked == asked


# ---------------------------------------------------------------- with the real desk


def test_the_window_never_waits_for_the_disk(make_rig: MakeRig, tmp_path: Path) -> None:
    """The real desk behind the page: what takes long happens elsewhere, and Cancel reaches it."""
    from app.model_desk import ModelDesk
    from app.model_store import ModelStore
    from engine.errors import Cancelled

    begun, threads = threading.Event(), set()

    def fetch(
        _repository: str, progress: Callable[[str, int, int], None], cancelled: Callable[[], bool], **_: Any
    ) -> Path:
        threads.add(threading.current_thread())
        progress("download", 1_000, 4_000)
        begun.set()
        pause = threading.Event()
        while not cancelled():
            pause.wait(0.01)
        raise Cancelled

    desk = ModelDesk(ModelStore(tmp_path, tmp_path / "shared"), fetch=fetch)
    rig = make_rig(models=desk)
    rig.ready()
    page = rig.open_settings("models").models
    room = Room(rig, ScriptedModels())
    page.fetch("some/model")
    assert begun.wait(10)
    room.beat()
    assert page.work.detail.text() == "1 kB of 4 kB"
    page.work.cancel.click()
    for _ in range(1000):
        room.beat()
        if not page.work.isVisible():
            break
        threading.Event().wait(0.01)
    assert not page.work.isVisible()
    assert threads
    assert threading.main_thread() not in threads
    assert desk.work.doing == ScriptedWork().doing
