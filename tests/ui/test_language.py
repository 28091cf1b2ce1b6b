"""German: every text has its words, they stand in every window, and the program still understands itself."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QPlainTextEdit, QWidget

from app.config import LANGUAGES as CONFIG_LANGUAGES
from app.messages import ModeBuilding, PhaseChanged, Trouble
from tests.ui.conftest import MakeRig, Rig
from ui import ports as keys
from ui import scripted
from ui.language import LANGUAGES, chosen

ROOT = Path(__file__).resolve().parents[2]
# The same in both languages, beside what holds little but places.
SAME_IN_BOTH = {"Text", "Persona", "Markdown", "Engine", "&Engine", "&Graph", "&Eager", "graph", "eager"}


def load_script() -> ModuleType:
    if str(ROOT / "packaging") not in sys.path:
        sys.path.insert(0, str(ROOT / "packaging"))  # the script imports its neighbour
    spec = importlib.util.spec_from_file_location("translate", ROOT / "packaging" / "translate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script()


@pytest.fixture(scope="module")
def table(script: ModuleType) -> dict[str, str]:
    found: dict[str, str] = script.translations(script.FOLDER / "parley_de.ts")
    return found


def test_window_and_settings_know_the_same_languages(script: ModuleType) -> None:
    assert ("system", *LANGUAGES) == CONFIG_LANGUAGES
    assert ("en", *script.LANGUAGES) == tuple(LANGUAGES)


def test_every_text_of_the_window_is_translated(script: ModuleType, table: dict[str, str]) -> None:
    texts = script.texts()
    assert len(texts) > 300
    assert [text for text in texts if text not in table] == []
    assert sorted(table) == texts, "and nothing else is in the table"


def test_translations_keep_places_keys_and_ellipses(table: dict[str, str]) -> None:
    for text, translation in table.items():
        assert set(re.findall(r"{\w*}", text)) == set(re.findall(r"{\w*}", translation)), text
        assert ("&" in text) == ("&" in translation), f"{text}: a key to reach it by"
        assert text.endswith("\N{HORIZONTAL ELLIPSIS}") == translation.endswith("\N{HORIZONTAL ELLIPSIS}"), text
        assert text[0].isspace() == translation[0].isspace(), text
        assert text.count("\n") == translation.count("\n"), text
        if text == translation:
            assert text in SAME_IN_BOTH or text.startswith("{"), f"{text} was not translated"


def test_the_compiled_table_is_up_to_date(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the program loads is what people edited: python packaging/translate.py."""
    monkeypatch.setattr(sys, "argv", ["translate.py", "--check"])
    assert script.main() == 0


def test_a_table_that_a_window_has_open_is_replaced_and_not_changed(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Qt maps it into memory: what is cut short under it ends the program."""
    for name in ("parley_de.ts", "parley_de.qm"):
        (tmp_path / name).write_bytes((script.FOLDER / name).read_bytes())
    stale = tmp_path / "parley_de.qm"
    stale.write_bytes(b"stale")
    monkeypatch.setattr(script, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["translate.py"])
    with stale.open("rb") as held:
        assert script.main() == 0
        assert held.read() == b"stale"
    assert stale.read_bytes() == (ROOT / "ui" / "translations" / "parley_de.qm").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parley_de.qm", "parley_de.ts"]


@pytest.mark.parametrize(
    ("setting", "locale", "language"),
    [("de", "en_GB", "de"), ("en", "de_DE", "en"), ("system", "de_AT", "de"), ("system", "de_CH", "de"),
     ("system", "en_US", "en"), ("system", "fr_FR", "en"), ("system", "C", "en"), ("klingon", "de_DE", "de")],
)  # fmt: skip
def test_the_language_is_the_users_the_systems_or_english(setting: str, locale: str, language: str) -> None:
    assert chosen(setting, QLocale(locale)) == language


@pytest.fixture
def german_rig(german: None, make_rig: MakeRig) -> Rig:
    return make_rig()


def words_of(window: QWidget) -> set[str]:
    """Every text in a window: shown, in tool tips, in lists, for screen readers."""
    found: set[str] = set()
    for widget in [window, *window.findChildren(QWidget)]:
        found |= {widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.windowTitle()}
        if isinstance(widget, (QLabel, QAbstractButton)):
            found.add(widget.text())
        if isinstance(widget, QComboBox):
            found |= {widget.itemText(row) for row in range(widget.count())}
        if isinstance(widget, QPlainTextEdit):
            found.add(widget.placeholderText())
    for action in window.findChildren(QAction):
        found |= {action.text(), action.statusTip()}
    return found


def plain(text: str) -> str:
    return text.replace("&", "").strip()


def test_no_english_is_left_in_any_window(german_rig: Rig, table: dict[str, str]) -> None:
    german_rig.talk()
    german_rig.open_settings()
    errands = german_rig.window.main.errands
    errands.open_latency()
    errands.open_guide()
    assert errands.guide is not None
    errands.guide.show_step(2)
    german_rig.conversation.history.append(scripted.frames([("graph", 1)])[0])
    for _ in range(31):
        german_rig.window.bridge.tick()
    german_rig.window.session.set_expert(True)
    english = {plain(text) for text, translation in table.items() if plain(text) != plain(translation)}
    english -= {plain(translation) for translation in table.values()}
    windows = [german_rig.window.main, *errands.windows()]
    assert len(windows) == 4
    shown = {plain(text) for window in windows for text in words_of(window)}
    assert shown & english == set()
    german_words = {plain(translation) for translation in table.values()}
    assert len(shown & german_words) > 120


def test_what_the_bundled_model_says_of_itself_is_translated(table: dict[str, str]) -> None:
    """Its config.json says it in English, and BUNDLED_LIMITS in ui/notices.py must be the same sentence."""
    limits = json.loads((ROOT / "assets" / "mini" / "config.json").read_text(encoding="utf-8")).get("limits", "")
    assert not limits or limits in table


@pytest.mark.parametrize("phase", ["idle", "loading", "ready", "priming", "building", "failed", "closed"])
def test_phases_and_hints_are_german(german_rig: Rig, table: dict[str, str], phase: str) -> None:
    german_rig.ready()
    german_rig.say(PhaseChanged("loading"), PhaseChanged(phase))
    if phase == "building":
        german_rig.say(ModeBuilding("compiled", 1, 4))
    main = german_rig.window.main
    assert plain(main.phase.text()) in {plain(translation) for translation in table.values()}
    assert main.phase.text() not in table
    hint = main.transcript.hint
    assert hint not in table
    assert phase == "closed" or hint
    if phase == "building":
        assert main.progress.heading.text() == "Der Modus kompiliert wird gebaut"


def test_a_remedy_is_shown_in_german_and_still_does_what_it_says(german_rig: Rig) -> None:
    german_rig.ready()
    german_rig.say(Trouble("audio-input", "The microphone is gone.", "Sound settings"))
    button = german_rig.window.main.banner.button
    assert button.text() == "Ton-Einstellungen"
    button.click()
    settings = german_rig.window.main.settings
    assert settings is not None
    assert settings.stack.currentWidget() is settings.audio


def test_the_choice_is_kept_and_holds_from_the_next_start_on(rig: Rig) -> None:
    page = rig.open_settings("appearance").appearance
    assert [page.language.itemText(row) for row in range(3)] == ["As the system", "English", "Deutsch"]
    row = page.language.findData("de")
    page.language.setCurrentIndex(row)
    page.language.activated.emit(row)
    assert rig.settings.values[keys.LANGUAGE] == "de"
    rig.settings.refuse[keys.LANGUAGE] = "no"
    page.language.setCurrentIndex(0)
    page.language.activated.emit(0)
    assert page.language.currentData() == "de"
    assert page.sentence.text() == "no"
