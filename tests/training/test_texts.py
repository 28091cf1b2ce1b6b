"""Grammar, pronunciation and script: what is said, and that tests never ask what training has seen."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
import zipfile
from pathlib import Path

import pytest

from training import beyond, lexicon
from training.dialogue import Persona, Turn, capital, dollars
from training.grammar import Speakers, part
from training.lexicon import USER_NAMES, number_word
from training.more_phrasings import MORE
from training.pronounce import Pronouncer
from training.script import Script, ScriptWriter


@pytest.fixture
def pronouncer(tmp_path: Path) -> Pronouncer:
    wheel = tmp_path / "misaki-0.9.4-py3-none-any.whl"
    gold = {"seven": "sˈɛvən", "apple": "ˈæpᵊl", "want": "wˈɑnt", "cat": "kˈæt", "is": {"DEFAULT": "ɪz", "X": None}}
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("misaki/data/us_gold.json", json.dumps(gold))
        archive.writestr("misaki/data/us_silver.json", json.dumps({"London": "lˈʌndən"}))
    return Pronouncer(wheel)


def test_words_endings_letters_and_weak_forms(pronouncer: Pronouncer) -> None:
    assert pronouncer("Seven cats.") == "sˈɛvən kˈæts."
    assert pronouncer("the apple") == "ði ˈæpᵊl"
    assert pronouncer("the cat wanted London") == "ðə kˈæt wˈɑntᵻd lˈʌndən"
    assert pronouncer("B is a cat's") == "bˈi ɪz ɐ kˈæts"
    assert pronouncer("A, is a cat") == "ˈA, ɪz ɐ kˈæt"


def test_unknown_words_and_digits_stop_the_script(pronouncer: Pronouncer) -> None:
    with pytest.raises(KeyError, match="zyx"):
        pronouncer("seven zyx")
    with pytest.raises(ValueError, match="7 cats"):
        pronouncer("7 cats")


@pytest.mark.parametrize(
    ("value", "word"), [(0, "zero"), (13, "thirteen"), (40, "forty"), (72, "seventy two"), (100, "one hundred")]
)
def test_number_words(value: int, word: str) -> None:
    assert number_word(value) == word


def test_training_and_test_phrasings_are_apart() -> None:
    train, test = Speakers(random.Random(0)), Speakers(random.Random(0), held_out=True)
    plain = Persona()
    seen = {train._echo(plain).user.split()[0] for _ in range(300)}
    asked = {train._opposite(plain).user for _ in range(2000)}
    held = {test._opposite(plain).user for _ in range(500)}
    assert not asked & held
    assert len(seen) > 3
    assert not set(part(USER_NAMES, True)) & set(part(USER_NAMES, False))


def test_more_phrasings_hold_none_that_is_kept_for_tests() -> None:
    def tokens(text: str) -> list[str]:
        return re.findall(r"[a-z'{}]+", text.lower())

    for ways, more in MORE.items():
        assert len(set(more)) == len(more) and not set(more) & set(ways)
        for text, kept in itertools.product(map(tokens, more), map(tokens, part(ways, True))):
            assert not any(text[i : i + len(kept)] == kept for i in range(len(text))), (text, kept)
    assert any("farewell" in Speakers(random.Random(seed))._goodbye(Persona()).user for seed in range(400))


def test_what_a_test_says_is_not_changed_by_what_training_may_say(monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> list[Turn]:
        speakers = Speakers(random.Random(7), held_out=True)
        return [turn for _ in range(60) for turn in speakers.dialogue(5).turns]

    before = said()
    assert hashlib.sha256(repr([tuple(turn) for turn in before]).encode()).hexdigest()[:16] == "f29503caec0db779"
    monkeypatch.setattr("training.grammar.MORE", dict.fromkeys(MORE, ("nonsense {a} {b} {w}",)))
    monkeypatch.setattr("training.beyond.sentence", lambda *_: "nonsense")
    assert said() == before


def test_sentences_beyond_the_domain_are_many_and_none_is_kept_for_tests() -> None:
    kept = (*part(lexicon.OUT_OF_DOMAIN, True), *part(lexicon.BACKGROUND, True))
    pattern = beyond.kept_pattern(kept)
    rng = random.Random(4)
    made = [beyond.sentence(rng, ("pebblestone", "quillfeather"), pattern) for _ in range(3000)]
    assert len(set(made)) > 2500
    assert not any(pattern.search(text) or "{" in text or "  " in text or text != text.strip() for text in made)
    assert pattern.search("so there is no Pirate without a engine") and pattern.search("how deep is the ocean")
    assert not pattern.search("how old is the ocean floor")
    assert any("pebblestone" in text for text in made)


def test_arithmetic_is_right_and_knows_every_sum() -> None:
    values = {number_word(n): n for n in range(101)}
    speakers = Speakers(random.Random(1), limit=20)
    sums = set()
    for _ in range(4000):
        words = speakers._arithmetic(Persona()).reply.rstrip(".").lower()
        left, result = words.split(" is ")
        sign = " plus " if " plus " in left else " minus "
        a, b = left.split(sign)
        assert values[result] == (values[a] + values[b] if sign == " plus " else values[a] - values[b])
        assert 0 <= values[result] <= 20
        sums.add((a, sign, b))
    assert len(sums) > 440  # of 231 sums and 231 differences


def test_names_and_words_to_repeat_come_from_any_words_too() -> None:
    strange = ["pebblestone", "quillfeather", "marshlight", "underbough"]
    speakers = Speakers(random.Random(2), words=strange, names=[word.title() for word in strange])
    names = [speakers.persona().name for _ in range(200)]
    given = [speakers._introduce(Persona()).reply for _ in range(100)]
    repeated = [speakers._echo(Persona()).reply for _ in range(100)]
    for said in ([n for n in names if n], given, repeated):
        share = sum(any(word in text.lower() for word in strange) for text in said) / len(said)
        assert 0.3 < share < 0.85  # three echoes in five; two names of three
    assert any(name in lexicon.PERSONA_NAMES for name in names)


def test_names_kept_for_tests_are_no_names_of_training() -> None:
    kept = sorted({*part(lexicon.USER_NAMES, True), *part(lexicon.PERSONA_NAMES, True)})
    speakers = Speakers(random.Random(3), words=[*(name.lower() for name in kept), "pebblestone"], names=kept)
    for names in (lexicon.USER_NAMES, lexicon.PERSONA_NAMES):
        assert not {speakers._name(names) for _ in range(2000)} & set(kept)
    assert any(speakers._name(lexicon.USER_NAMES) == "Pebblestone" for _ in range(100))


def test_a_name_given_is_remembered_and_one_not_given_is_not_invented() -> None:
    speakers = Speakers(random.Random(5))
    recalls = given = 0
    for _ in range(400):
        name = ""
        for turn in speakers.dialogue(6).turns:
            if turn.reply.startswith("Nice to meet you, "):
                name = turn.reply.removeprefix("Nice to meet you, ").rstrip(".")
                given += 1
            elif turn.reply.startswith("Your name is "):
                assert turn.reply == f"Your name is {name}." and name
                recalls += 1
            elif turn.reply == "You have not told me your name.":
                assert not name
    assert recalls > 20 and given > 100


def test_persona_replies_follow_the_prompt() -> None:
    """Every fact that a reply states stands in the persona's text."""
    speakers = Speakers(random.Random(9))
    stated = 0
    for _ in range(400):
        dialogue = speakers.dialogue(6)
        for turn in dialogue.turns:
            if turn.kind == "persona" and " costs " in turn.reply:
                price = turn.reply.split(" costs ")[1].rstrip(".")
                assert price in dialogue.prompt
                stated += 1
            if turn.kind == "persona" and turn.reply.startswith("We open at"):
                assert turn.reply.removeprefix("We open at ").rstrip(".") in dialogue.prompt
            if turn.reply.startswith("My name is") and dialogue.persona.name:
                assert dialogue.persona.name in dialogue.prompt and dialogue.persona.name in turn.reply
    assert stated > 20


def test_a_seed_fixes_the_script_and_shuffling_keeps_its_dialogues(tmp_path: Path) -> None:
    def write(seed: int) -> Script:
        writer = ScriptWriter(lambda text: " ".join("x" for _ in text.split()), seed)
        writer.add_user_voices(5)
        writer.dialogues(20)
        writer.replies(10)
        writer.shuffle()
        return writer.script

    first, again, other = write(1), write(1), write(2)
    assert first == again and first != other
    first.save(tmp_path / "script.xz")
    assert Script.load(tmp_path / "script.xz") == first
    for _, voice, turns in first.dialogues:
        for line, reply, _ in turns:
            assert first.lines[line].voice == voice and first.lines[line].role == "user"
            assert any(own.text == reply and own.role == "own" for own in first.lines)
    assert len({(line.text, line.voice) for line in first.lines}) == len(first.lines)


def test_the_personas_that_come_with_the_program_speak_the_models_language() -> None:
    """Names, places, wares and sentences as it learns them, with prices and hours in reach."""
    stored = json.loads((Path(__file__).parents[2] / "assets" / "personas.json").read_text())
    for entry in stored["personas"]:
        sentences = [sentence.strip() for sentence in entry["text"].split(".") if sentence.strip()]
        name, place = sentences[0].removeprefix("You are "), sentences[1].removeprefix("You work in ")
        assert name in lexicon.PERSONA_NAMES and entry["name"].startswith(name)
        wares = {capital(thing) for thing in lexicon.PLACES[place]}
        for sentence in sentences[2:]:
            if sentence.startswith("You "):
                assert sentence in {f"You {does} at {lexicon.number_word(hour)}" for does in ("open", "close")
                                    for hour in range(1, 13)}  # fmt: skip
            else:
                ware, price = sentence.split(" costs ")
                assert ware in wares and price in {dollars(amount) for amount in range(1, 21)}
