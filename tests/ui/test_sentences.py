"""Sentences that app/ and engine/ made in English: the German window shows them in German, values and all."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtWidgets import QApplication

from app.config_values import rule_of
from app.errors import UserError
from app.memory import refuse_if_too_large
from app.messages import ModeChanged, Trouble
from app.notices import slow
from app.portaudio import no_device, open_problem, start_problem
from app.rules import RefusedError
from app.sound_troubles import hears_itself, unheard
from engine.config import LMConfig, MimiConfig
from tests.ui.conftest import MakeRig, Rig
from tests.ui.test_language import load_script
from ui.figures import format_bytes, format_ms
from ui.words import LONGEST, _localised, translated

PLACE = re.compile(r"\{\d\}")
CAPTURE = (
    "The CUDA graph of “frame” could not be captured: it waits for the GPU, or copies from it, in the middle of a "
    "frame (operation not permitted). Eager mode still works."
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script()


@pytest.fixture(scope="module")
def table(script: ModuleType) -> dict[str, str]:
    found: dict[str, str] = script.translations(script.FOLDER / "parley_de.ts", script.SENTENCES)
    return found


def filled(template: str, values: list[str]) -> str:
    return PLACE.sub(lambda place: values[int(place[0][1]) - 1], template)


# ---------------------------------------------------------------- the table


def test_sentences_of_both_rooms_are_collected(script: ModuleType) -> None:
    texts = script.sentence_texts()
    assert len(texts) > 400
    assert len(set(texts)) == len(texts)
    for known in (
        "CUDA graphs need an NVIDIA GPU.",
        "is in use by another program",
        "The {1} mode cannot be used: {2}.",
        "The download of {1} was cut off again and again: start it again, {2}.",
    ):
        assert known in texts
    assert "measure what a frame costs in each mode and precision" not in texts, "of the command line"


def test_places_that_touch_become_one(script: ModuleType) -> None:
    import sentences

    source = 'def f(a, b):\n    "A doc string that stays."\n    return f"It {a}{b} fell" + " over, " + a\n'
    assert list(sentences._texts(ast.parse(source))) == ["It {1} fell over, {2}"]


def test_translations_keep_their_places(table: dict[str, str]) -> None:
    assert len(table) > 400
    for text, translation in table.items():
        assert sorted(PLACE.findall(text)) == sorted(PLACE.findall(translation)), text
        assert text.endswith(".") == translation.endswith("."), text
        assert text[0].isspace() == translation[0].isspace(), text


def test_every_template_is_known_again_with_its_values(german: None, table: dict[str, str]) -> None:
    values = ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7"]
    wrong = {}
    for text, translation in table.items():
        given = ["A Q1." if re.match(r"\{1\} [A-Z{]", text) and value == "Q1" else value for value in values]
        if behind := re.search(r"\.\{(\d)\}$", text):  # a further sentence, which a blank sets off
            given[int(behind[1]) - 1] = " A further one."
        if translated(filled(text, given)) != filled(translation, given):
            wrong[filled(text, given)] = translated(filled(text, given))
    assert wrong == {}


# ---------------------------------------------------------------- one sentence


def test_english_stays_untouched(qapp: QApplication, table: dict[str, str]) -> None:
    assert all(translated(text) == text for text in table)


@pytest.mark.parametrize(
    ("english", "german_text"),
    [
        ("CUDA graphs need an NVIDIA GPU.", "CUDA-Graphen brauchen eine NVIDIA-GPU."),
        ("The mode graph has not been prepared.", "Der Modus graph wurde nicht vorbereitet."),
        # a reason in a sentence, without the point that it had
        ("The graph mode cannot be used: CUDA graphs need an NVIDIA GPU. The eager mode is used instead.",
         "Der Modus graph ist nicht zu gebrauchen: CUDA-Graphen brauchen eine NVIDIA-GPU. "
         "Stattdessen wird der Modus eager benutzt."),
        # a reason in a reason
        (f"The graph mode could not go on ({CAPTURE}); the eager mode is used instead.",
         "Der Modus graph konnte nicht weiterlaufen (Der CUDA-Graph von „frame“ ließ sich nicht aufzeichnen: Mitten in "
         "einem Frame wird auf die GPU gewartet oder von ihr kopiert (operation not permitted). Der Modus eager läuft "
         "weiterhin.); stattdessen wird der Modus eager benutzt."),
        # what stands in the part of a sentence that follows on a place
        ("settings.yaml, line 3: model.mode is fast, where one of auto, eager is needed. It was left out.",
         "settings.yaml, Zeile 3: model.mode ist fast; gebraucht wird eines von auto, eager. "
         "Die Angabe wurde weggelassen."),
        ("Over 1500 frames 98.9 % of the likeliest tokens are those of the plain model; logits are apart by 0.6 % "
         "(words) and 0.7 % (sounds) of their spread.",
         "Über 1500 Frames sind 98,9 % der wahrscheinlichsten Token die des unveränderten Modells; die Logits liegen "
         "um 0,6 % (Wörter) und 0,7 % (Klänge) ihrer Streuung auseinander."),
        # a point in a name is no end of a sentence
        ('s.yaml, line 2: there is no setting sampling.seeed. Did you mean "sampling.seed"?',
         "s.yaml, Zeile 2: Eine Einstellung sampling.seeed gibt es nicht. Meinten Sie „sampling.seed“?"),
    ],
)  # fmt: skip
def test_a_sentence_with_values_and_reasons(german: None, english: str, german_text: str) -> None:
    assert translated(english) == german_text
    assert translated(german_text) == german_text, "twice does no harm"


def test_figures_have_the_decimal_sign_of_the_language_and_versions_keep_their_points(german: None) -> None:
    """As the fields of the settings have it, in which "0,8" is typed."""
    told = translated(
        "This model needs 17.9 GiB of memory, but the graphics card has 7.6 GiB free of 16.0 GiB: close other programs."
    )
    assert all(figure in told for figure in ("17,9 GiB", "7,6 GiB", "16,0 GiB")), told
    assert format_ms(24.06) == "24,1 ms"
    assert format_bytes(15_600_000_000) == "15,6 GB"
    for value, after, shown in (
        ("7.6", " GiB free", "7,6"), ("7.6 GiB", " free", "7,6 GiB"), ("2.13", " is too old", "2.13"),
        ("3.5", " megabytes", "3.5"), ("model 1.5", " GB", "model 1.5"), ("1.2.3", " s", "1.2.3"),
    ):  # fmt: skip
        assert _localised(value, after) == shown


@pytest.mark.parametrize(
    "name", ["a.*b+[c]$", r"back\1slash\g<1>", "{1} {2}", "<b>bold</b> & <a href='x'>", "try again", "Größe", "100 %s"]
)
def test_values_are_put_in_as_they_are(german: None, name: str) -> None:
    english = f'The loudspeaker "{name}" is not connected, so "{name}" is used: plug it in and look for devices again, '
    english += "or choose another."
    assert translated(english).startswith(
        f"Lautsprecher „{name}“ ist nicht angeschlossen, daher wird „{name}“ benutzt:"
    )


@pytest.mark.parametrize(
    "text",
    ["", " ", ".", ". . .", " (", "()", "Nobody wrote this one, and nobody will.", "mini", "(a) b (", "\0", "\ud800",
     "CUDA graphs need an NVIDIA GPU.\n", "is needed", "{1}", "x" * (LONGEST + 1), "a: b. " * 150, "(" * 500],
)  # fmt: skip
def test_what_is_not_known_stays_as_it_came(german: None, text: str) -> None:
    assert translated(text) == text


# ---------------------------------------------------------------- what the rooms really say


def refused(key: str, value: str) -> str:
    with pytest.raises(RefusedError) as caught:
        rule_of(key, "Settings").read(value)
    return f"{key} {caught.value}"


def too_large() -> str:
    with pytest.raises(UserError) as caught:
        refuse_if_too_large(LMConfig(), MimiConfig(), "bfloat16", "cuda", 8 << 30, 9 << 30)
    return str(caught.value)


def test_what_the_rooms_say_is_german_throughout(german: None) -> None:
    busy = Exception("no", -9985, (0, 0, "Device: busy"))
    said = [
        str(no_device("input")),
        str(open_problem(busy, "input", "Headset (USB): 2")),
        str(start_problem(Exception("no", -9987), "output", "HDMI")),
        slow(120, "try the graph mode").sentence,
        hears_itself("off"),
        unheard(True),
        refused("sampling.temperature", "hot"),
        refused("sampling.top_k", "0"),
        refused("model.mode", "graf"),
        refused("model.threads", "1,5"),
        too_large(),
    ]
    english = re.compile(r"\b(the|is|was|of|and|or|needed|choose|which|not)\b")
    for sentence in said:
        assert translated(sentence) != sentence, sentence
        assert english.search(translated(sentence)) is None, translated(sentence)
    assert translated(said[1]) == (
        "Mikrofon „Headset (USB): 2“ wird von einem anderen Programm benutzt (Device: busy): "
        "Schließen Sie jenes Programm, oder wählen Sie ein anderes Gerät."
    )


# ---------------------------------------------------------------- the window


@pytest.mark.parametrize(
    ("trouble", "begins"),
    [
        (slow(120, "try the graph mode"), "Ein Frame dauert auf diesem Rechner 120 ms, erlaubt sind 80 ms;"),
        (Trouble("audio-input", str(no_device("input")), "Try again"), "Kein Mikrofon gefunden:"),
        (Trouble("load", "There is no model a/b on Hugging Face, or not this file of it: check the name."),
         "Bei Hugging Face gibt es kein Modell a/b,"),
    ],
)  # fmt: skip
def test_the_banner_is_german(german: None, make_rig: MakeRig, trouble: Trouble, begins: str) -> None:
    rig = make_rig()
    rig.ready()
    rig.say(trouble)
    banner = rig.window.main.banner
    assert banner.sentence.text().startswith(begins)
    assert banner.accessibleName() == banner.sentence.text()
    assert rig.window.session.troubles == [trouble], "what the window acts on stays as it came"


def test_the_reason_of_a_mode_that_is_off_is_german(german: None, make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.ready()
    rig.say(ModeChanged("eager", {"eager": None, "graph": "CUDA graphs need an NVIDIA GPU.", "compiled": None}))
    said = "Auf diesem Rechner nicht: CUDA-Graphen brauchen eine NVIDIA-GPU."
    action = rig.window.main.actions_.modes["graph"]
    assert not action.isEnabled()
    assert action.statusTip() == said


def test_a_refusal_on_a_page_is_german(german: None, make_rig: MakeRig) -> None:
    rig = make_rig()
    page = rig.open_settings("models").models
    page.say("Another check is running.")
    assert page.sentence.text() == page.notice.accessibleName() == "Es läuft schon eine andere Prüfung."


def test_the_banner_of_an_english_window_is_as_it_came(rig: Rig) -> None:
    rig.ready()
    rig.say(slow(120, "try the graph mode"))
    assert rig.window.main.banner.sentence.text() == slow(120, "try the graph mode").sentence


def test_the_window_names_no_room_of_its_own(script: ModuleType) -> None:
    """Every module that is left out is there: a name that was changed would bring its words back in silence."""
    import sentences

    root = Path(script.ROOT)
    gone = [f"{room}/{name}" for room, names in sentences.ELSEWHERE.items() for name in names
            if not (root / room / f"{name}.py").is_file()]  # fmt: skip
    assert gone == []
