"""High contrast, reduced motion, and words for every control."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QStackedWidget,
    QWidget,
)

from app.config import THEMES as CONFIG_THEMES
from app.messages import PhaseChanged
from tests.ui.conftest import MakeRig, Rig
from ui import ports as keys
from ui import scripted
from ui.colours import CONTRAST, DARK, LIGHT, Colours
from ui.figures import NEAR, OVER
from ui.theme import THEMES


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.1)."""
    shares = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
              for value in QColor(colour).getRgbF()[:3]]  # fmt: skip
    return 0.2126 * shares[0] + 0.7152 * shares[1] + 0.0722 * shares[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_window_and_the_settings_know_the_same_themes() -> None:
    assert THEMES == CONFIG_THEMES


@pytest.mark.parametrize(("colours", "least"), [(LIGHT, 4.5), (DARK, 4.5), (CONTRAST, 7.0)])
def test_text_stands_out_from_what_is_behind_it(colours: Colours, least: float) -> None:
    """WCAG 2.1: 4.5 to 1 for text, 7 to 1 in high contrast."""
    texts = [colours.text, colours.muted, colours.for_verdict(NEAR), colours.for_verdict(OVER)]
    for behind in (colours.window, colours.surface, colours.sunken):
        for text in texts:
            assert contrast(text, behind) >= least, (text, behind)
    assert contrast(colours.on_accent, colours.accent) >= least
    assert contrast(colours.text, colours.hover) >= least


def test_frames_and_marks_stand_out_in_high_contrast() -> None:
    for colour in (CONTRAST.border, *CONTRAST.stages.values(), *CONTRAST.modes.values(), CONTRAST.ok):
        assert contrast(colour, CONTRAST.surface) >= 7


def test_high_contrast_is_chosen_kept_and_followed_at_once(rig: Rig) -> None:
    page = rig.open_settings("appearance").appearance
    page.themes["contrast"].click()
    assert rig.settings.values[keys.THEME] == "contrast"
    assert rig.window.theme.colours is CONTRAST
    page.themes["light"].click()
    assert rig.window.theme.colours is LIGHT


def test_the_desktops_wish_for_high_contrast_is_followed(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    theme = rig.window.theme

    class Hints:
        def accessibility(self) -> Hints:
            return self

        def contrastPreference(self) -> Qt.ContrastPreference:
            return Qt.ContrastPreference.HighContrast

    class Application:
        def styleHints(self) -> Hints:
            return Hints()

    monkeypatch.setattr(theme, "_application", Application())
    monkeypatch.setattr(theme, "_name", "system")
    assert theme._name_in_force() == "contrast"
    monkeypatch.setattr(theme, "_name", "dark")
    assert theme._name_in_force() == "dark", "one's own choice stands above it"


def test_reduced_motion_shows_frames_once_a_second(rig: Rig) -> None:
    page = rig.open_settings("appearance").appearance
    page.calm.click()
    assert rig.settings.values[keys.REDUCED_MOTION] is True
    rig.talk()
    records = scripted.frames([("graph", 40)])
    shown = []
    for record in records:
        rig.conversation.history.append(record)
        rig.window.bridge.tick()
        shown.append(len(rig.window.main.latency.strip._records))
    assert len(set(shown)) == 4, "1, 13, 25 and 37 frames"
    assert shown[-1] == 37
    page.calm.click()
    rig.window.bridge.tick()
    rig.conversation.history.append(scripted.frames([("graph", 41)])[-1])
    rig.window.bridge.tick()
    assert len(rig.window.main.latency.strip._records) == 41


def test_reduced_motion_has_no_bar_that_runs_back_and_forth(make_rig: MakeRig) -> None:
    for reduced in (False, True):
        rig = make_rig({keys.REDUCED_MOTION: reduced})
        rig.say(PhaseChanged("loading"))
        bar = rig.window.main.progress.bar
        assert (bar.maximum() == 0) is not reduced
        assert rig.window.main.progress.heading.text()


def test_a_refused_choice_is_taken_back(rig: Rig) -> None:
    page = rig.open_settings("appearance").appearance
    rig.settings.refuse[keys.REDUCED_MOTION] = "no"
    page.calm.click()
    assert not page.calm.isChecked()
    assert not rig.window.theme.reduced_motion


CONTROLS = (QAbstractButton, QComboBox, QAbstractSpinBox, QListWidget, QPlainTextEdit, QLineEdit)


def put_away(widget: QWidget) -> bool:
    """Not there at present, such as a question that was not asked; the pages of a stack count as there."""
    above: QWidget | None = widget
    while above is not None and not above.isWindow():
        if above.isHidden() and not isinstance(above.parentWidget(), QStackedWidget):
            return True
        above = above.parentWidget()
    return False


def nameless(window: QWidget) -> list[str]:
    """Controls that a screen reader could not name, or that the keyboard cannot reach."""
    found = []
    for kind in CONTROLS:
        for widget in window.findChildren(kind):
            inside = isinstance(widget, QLineEdit) and isinstance(widget.parent(), (QComboBox, QAbstractSpinBox))
            if inside or put_away(widget) or widget.objectName().startswith("qt_"):
                continue
            interface = QAccessible.queryAccessibleInterface(widget)
            if not interface.text(QAccessible.Text.Name).strip():
                found.append(f"no name: {widget!r}")
            if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                found.append(f"not by keyboard: {widget!r} {interface.text(QAccessible.Text.Name)}")
    return found


def test_every_control_of_every_window_has_a_name_and_can_be_reached_by_keyboard(rig: Rig) -> None:
    rig.talk()
    rig.window.main.errands.open_latency()
    rig.window.main.errands.open_guide()
    rig.open_settings()
    guide = rig.window.main.errands.guide
    assert guide is not None
    guide.show_step(2)
    rig.window.bridge.tick()
    windows = [rig.window.main, *rig.window.main.errands.windows()]
    assert len(windows) == 4
    assert [problem for window in windows for problem in nameless(window)] == []
