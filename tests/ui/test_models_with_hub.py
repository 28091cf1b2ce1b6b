"""The Models page from end to end: the real parts behind it and a small hub on this computer in front of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app import hub as hub_module
from app.download import Hub
from app.hub import MODEL_NAME
from app.messages import LoadModel, ModelSpec
from app.model_desk import ModelDesk
from app.model_store import ModelStore
from tests.app.fake_hub import REPOSITORY, FakeHub, server
from tests.checkpoints import write_checkpoint
from tests.ui.conftest import MakeRig, Rig
from ui.model_card import ModelCard
from ui.settings_models import ModelsPage

__all__ = ["server"]  # a fixture


@pytest.fixture
def hub(server: tuple[FakeHub, Hub], tmp_path: Path) -> tuple[FakeHub, Hub]:
    """It has a model that can run."""
    whole = write_checkpoint(tmp_path / "published", config={"trained": False})
    server[0].files = {path.name: path.read_bytes() for path in whole.iterdir()}
    return server


def open_page(make_rig: MakeRig, hub: Hub, cache: Path) -> tuple[Rig, ModelsPage, ModelDesk]:
    """One start of the program, with its window on the page."""

    def fetch(repository: str, progress: Any, cancelled: Any, **rest: Any) -> Path:
        asked = Hub(repository, hub.endpoint, hub.wait_s)
        return hub_module.fetch(repository, progress, cancelled, hub=asked, **rest)

    desk = ModelDesk(ModelStore(cache, cache / "shared"), fetch=fetch)
    rig = make_rig(models=desk)
    rig.ready()
    page = rig.open_settings("models").models
    until(rig, lambda: bool(page.cards))
    return rig, page, desk


def until(rig: Rig, happened: Callable[[], bool]) -> None:
    """Let the window live until something is seen."""
    pause = threading.Event()
    for _ in range(3000):
        rig.window.bridge.tick()
        QApplication.processEvents()
        if happened():
            return
        pause.wait(0.01)
    raise AssertionError("it was never seen")


def card(page: ModelsPage, source: str = REPOSITORY) -> ModelCard:
    (found,) = (card for card in page.cards if card.model.source == source)
    return found


def test_from_a_typed_id_over_a_closed_window_to_a_talk_and_back(
    make_rig: MakeRig, hub: tuple[FakeHub, Hub], tmp_path: Path
) -> None:
    state, fake = hub
    cache = tmp_path / "cache"
    state.silent_after = 2_000_000
    rig, page, desk = open_page(make_rig, fake, cache)
    page.source.setEditText(REPOSITORY)
    page.download.click()
    part = cache / "models" / REPOSITORY.replace("/", "--") / f"{MODEL_NAME}.part"
    until(rig, lambda: part.exists() and part.stat().st_size > 1_000_000)
    until(rig, lambda: page.work.detail.text().startswith(("6", "7")))  # MB of 19, the codec's among them
    rig.window.main.close()
    desk.stop()  # as the end of the process ends it
    pause = threading.Event()
    while desk.work.doing:
        pause.wait(0.01)
    state.silent_after, state.asked = -1, []
    state.quiet.set()
    held = part.stat().st_size

    rig, page, desk = open_page(make_rig, fake, cache)
    assert card(page).go_on.isVisible()
    assert not card(page).use.isVisible()
    card(page).go_on.click()
    until(rig, lambda: card(page).use.isVisible())
    assert [wanted for path, wanted, _ in state.asked if path.endswith(MODEL_NAME)] == [f"bytes={held}-"]
    assert not page.notice.isVisible()
    state.asked = []

    card(page).check.click()
    until(rig, lambda: "all 5 files are as published" in card(page).report.text())
    rig.sent()
    card(page).use.click()
    assert rig.sent() == [LoadModel(ModelSpec(source=REPOSITORY))]
    assert not card(page).delete.isEnabled()
    card(page, "mini").use.click()
    card(page).delete.click()
    card(page).confirm.yes.click()
    until(rig, lambda: [card.model.source for card in page.cards] == ["mini"])
    assert not part.parent.exists()
    assert state.asked == [], "checking, using and deleting ask nothing of the network"


def test_a_licence_from_the_refusal_to_the_model(
    make_rig: MakeRig, hub: tuple[FakeHub, Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import hf_api

    state, fake = hub
    monkeypatch.setattr(hf_api.api, "endpoint", fake.endpoint)
    token = "hf_ThisIsVerySecret0123456789"
    state.needs_token = state.known_token = token
    rig, page, _ = open_page(make_rig, fake, tmp_path / "cache")
    page.source.setEditText(REPOSITORY)
    page.download.click()
    until(rig, lambda: page.access.again_button.isVisible())
    assert "Models with a licence" in page.sentence.text()
    page.access.token.setText(token)
    page.access.keep.click()
    until(rig, lambda: "is kept in" in page.access.state.text())
    page.access.again_button.click()
    until(rig, lambda: [card.model.source for card in page.cards] == ["mini", REPOSITORY])
    until(rig, lambda: card(page).use.isVisible())
    assert not page.access.again_button.isVisible()
    assert not any(token in path.read_text(errors="replace") for path in (tmp_path / "cache").rglob("*.json"))
