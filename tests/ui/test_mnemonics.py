"""A key opens one thing: no letter stands underlined twice on a settings page or in a menu, in either language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from tests.ui.conftest import MakeRig, Rig
from ui.language import speak
from ui.scripted_models import ScriptedModels, ScriptedRefused, ScriptedToken, ScriptedWork, some_models


@pytest.fixture(params=["en", "de"])
def spoken(request: pytest.FixtureRequest, qapp: QApplication, make_rig: MakeRig) -> Iterator[Rig]:
    default = QLocale()
    translators = speak(qapp, request.param)
    models = ScriptedModels(some_models())
    models.refused, models.token = ScriptedRefused("some/model"), ScriptedToken(kept=True)
    models.work = ScriptedWork("downloading", "some/model", 1, 2)
    yield make_rig(models=models)
    for translator in translators:
        qapp.removeTranslator(translator)
    QLocale.setDefault(default)


def twice(texts: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        key = re.search(r"&(\w)", text)
        if key is not None:
            found[key[1].lower()].append(text)
    return {key: held for key, held in found.items() if len(held) > 1}


def texts_of(page: QWidget) -> Iterator[str]:
    for widget in page.findChildren(QWidget):
        reached = isinstance(widget, QAbstractButton) or (isinstance(widget, QLabel) and widget.buddy() is not None)
        if reached and widget.isVisible():
            yield str(widget.property("text"))


def test_no_letter_stands_twice_on_a_page(spoken: Rig) -> None:
    spoken.ready()
    settings = spoken.open_settings("models")
    spoken.window.bridge.tick()
    for name, page in settings.pages.items():
        settings.open_page(name)
        QApplication.processEvents()
        texts = list(texts_of(page))
        assert any("&" in text for text in texts), name
        assert twice(texts) == {}, name


def test_no_letter_stands_twice_in_a_menu(spoken: Rig) -> None:
    for phase in ("ready", "talk"):
        getattr(spoken, phase)()
        bar = spoken.window.main.menuBar()
        assert twice(action.text() for action in bar.actions()) == {}
        for menu in bar.actions():
            assert twice(action.text() for action in menu.menu().actions()) == {}, menu.text()
