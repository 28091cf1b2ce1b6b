"""English text to phoneme strings, from the lexicon inside the `misaki` 0.9.4 wheel (Apache-2.0) and nothing else.

Raises on an unknown word, so that a gap in a template is found before any audio is made. Numbers are written as words.
One phoneme chunk per written word, separated by single spaces: word times follow from phoneme durations.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

_WEAK = {"a": "ɐ", "an": "ɐn", "i": "ˌI", "of": "ʌv", "and": "ænd", "in": "ɪn", "for": "fɔɹ"}
_LETTERS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        (
            "ˈA bˈi sˈi dˈi ˈi ˈɛf ʤˈi ˈAʧ ˈI ʤˈA kˈA ˈɛl ˈɛm ˈɛn ˈO pˈi kjˈu ˈɑɹ ˈɛs tˈi jˈu vˈi dˈʌbᵊlju ˈɛks wˈI zˈi"
        ).split(),
        strict=True,
    )
)
# Names and words of the grammar that the lexicon lacks.
_ADDED = {
    "ian": "ˈiən",
    "lucas": "lˈukəs",
    "conrad": "kˈɑnɹæd",
    "felix": "fˈilɪks",
    "bookshop": "bˈʊkʃɑp",
    "fiona": "fiˈOnə",
    "cathy": "kˈæθi",
    "clara": "klˈɛɹə",
    "simon": "sˈImən",
    "edwin": "ˈɛdwɪn",
    "nathan": "nˈAθən",
    "bruno": "bɹˈunO",
    "nina": "nˈinə",
    "eva": "ˈivə",
    "hannah": "hˈænə",
    "irene": "Iɹˈin",
    "olivia": "əlˈɪviə",
    "martha": "mˈɑɹθə",
    "wanda": "wˈɑndə",
    "kurt": "kˈɜɹt",
    "hugo": "hjˈuɡO",
    "larry": "lˈɛɹi",
    "linda": "lˈɪndə",
    "paul": "pˈɔl",
    "eric": "ˈɛɹɪk",
    "gina": "ʤˈinə",
    "kevin": "kˈɛvən",
    "vera": "vˈɪɹə",
    "theresa": "təɹˈisə",
    "patrick": "pˈætɹɪk",
    "betty": "bˈɛɾi",
    "zoe": "zˈOi",
    "parley": "pˈɑɹli",
}
_TOKEN = re.compile(r"([A-Za-z']+)([.,!?;:]*)")


class Pronouncer:
    """Looks words up in the gold lexicon, then the silver one; adds plural, possessive and past endings by rule."""

    def __init__(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            self._lexicons = [json.loads(archive.read(f"misaki/data/us_{kind}.json")) for kind in ("gold", "silver")]

    def __call__(self, text: str) -> str:
        """Phonemes of a text; a lone capital other than A and I is read as a letter, "A" and "I" too before
        punctuation. Raises KeyError on a word that the lexicon lacks, ValueError on other characters."""
        tokens = _TOKEN.findall(text)
        if "".join(word + marks for word, marks in tokens) != text.replace(" ", ""):
            raise ValueError(f"'{text}' has characters other than letters and , . ? ! ; :")
        chunks = []
        for index, (word, marks) in enumerate(tokens):
            following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
            spelled = len(word) == 1 and word.isupper() and (word not in "AI" or bool(marks))
            vowel_next = following[:1].lower() in tuple("aeiou")
            chunks.append((_LETTERS[word.lower()] if spelled else self.word(word.lower(), vowel_next)) + marks)
        return " ".join(chunks)

    def word(self, word: str, vowel_next: bool = False) -> str:
        """Phonemes of one lower-case word."""
        if word == "the":
            return "ði" if vowel_next else "ðə"
        if word == "to":
            return "tʊ" if vowel_next else "tə"
        if word in _WEAK or word in _ADDED:
            return _WEAK.get(word) or _ADDED[word]
        for lexicon in self._lexicons:
            for key in (word, word.capitalize()):
                if key in lexicon:
                    return _default_reading(lexicon[key])
        if word.endswith("ed") and len(word) > 4:
            return self._past(word)
        stem = word[:-2] if word.endswith("'s") else word[:-1] if word.endswith("s") else ""
        if not stem:
            raise KeyError(word)
        sound = self.word(stem)
        return sound + ("s" if sound[-1] in "ptkfθ" else "ᵻz" if sound[-1] in "szʃʒʧʤ" else "z")

    def _past(self, word: str) -> str:
        for stem in (word[:-2], word[:-1]):
            try:
                sound = self.word(stem)
            except KeyError:
                continue
            return sound + ("ᵻd" if sound[-1] in "td" else "t" if sound[-1] in "pkfθsʃʧ" else "d")
        raise KeyError(word)

    def common_words(self, shortest: int = 3, longest: int = 10) -> list[str]:
        """Lower-case words of the gold lexicon: phonetic variety for the codec, not vocabulary for the LM."""
        return self._words(str.islower, shortest, longest)

    def proper_names(self, shortest: int = 3, longest: int = 10) -> list[str]:
        """Capitalised words of the gold lexicon: people, places, peoples; whatever somebody might be called."""
        return self._words(str.istitle, shortest, longest)

    def _words(self, fits: Callable[[str], bool], shortest: int, longest: int) -> list[str]:
        return sorted(
            word
            for word in self._lexicons[0]
            if word.isascii() and word.isalpha() and fits(word) and shortest <= len(word) <= longest
        )


def _default_reading(entry: str | dict[str, str | None]) -> str:
    """A word's reading; homographs take the default one."""
    if isinstance(entry, str):
        return entry
    return entry.get("DEFAULT") or next(reading for reading in entry.values() if reading)
