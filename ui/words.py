"""The window's words in the user's language.

Owns `tr`, through which every text that people read passes, `marked`, which names a text for the translators at a
place where it cannot be translated yet, such as a table made while a file is read, and `translated`, for what comes
from other rooms as a finished English sentence. English is the language of the source. Qt thread only.

A finished sentence has its values in it already, so it is looked for among the templates that the translators were
given: "The mode {1} has not been prepared." and the like (packaging/sentences.py collects them). What stands at a
place may be such a sentence itself, or a part of one, and is looked for in turn; a name or a number stays as it is.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QLocale

CONTEXT, SENTENCES = "Parley", "Sentences"
LANGUAGE, TEMPLATES = "language", "templates"  # what a translation says of itself
LONGEST = 1000  # characters; no sentence of ours is near, and what is longer is shown as it came
# A part of a sentence that may follow on something: "model.mode is fast, where auto or eager is needed."
_FOLLOWS = re.compile(r"(is|has|holds) .*\.$|[ .,:;]")
_PLACE = re.compile(r"\{(\d)\}")


# A whole sentence behind any other one: it is known by its end, so it is looked for first.
_FURTHER = re.compile(r"\{1\} [A-Z{].*\.$")
_FIGURE = re.compile(r"-?\d+\.\d+")
_UNIT = re.compile(r" ?(?:kB|MB|GB|TB|KiB|MiB|GiB|TiB|ms|s|seconds|dB|%)(?!\w)")
_QUOTES = ('"', "\N{LEFT DOUBLE QUOTATION MARK}", "`")


class Template(NamedTuple):
    patterns: tuple[re.Pattern[str], ...]  # with the shortest values, and with the longest
    literals: tuple[str, ...]  # what stands between the places, in order; the first and the last may be empty
    translated: str


class Table(NamedTuple):
    exact: dict[str, str]
    templates: list[Template]  # the most telling first


def tr(text: str) -> str:
    """The text in the language in force. Places such as {name} are filled in afterwards, with `format`."""
    return QCoreApplication.translate(CONTEXT, text)


def marked(text: str) -> str:
    """The text itself; whoever shows it passes it through `tr`."""
    return text


def decimal(figure: str) -> str:
    """A figure such as "24.1 ms" with the decimal sign of the language in force."""
    return figure.replace(".", QLocale().decimalPoint())


def translated(text: str) -> str:
    """A finished sentence of another room in the language in force; as it is, when it is not known."""
    language = QCoreApplication.translate(SENTENCES, LANGUAGE)
    if language == LANGUAGE or not text or len(text) > LONGEST or "\n" in text:
        return text
    return _looked_up(text, language)


@lru_cache(maxsize=1024)
def _looked_up(text: str, language: str) -> str:
    table = _table(language)
    if text in table.exact:
        return table.exact[text]
    for template in table.templates:
        values = _values(text, template)
        if values is not None:
            return _filled(template, values, language)
    return _in_pieces(text, language)


def _values(text: str, template: Template) -> tuple[str, ...] | None:
    """What stands at the places, None for another sentence. A bracket that was opened in a value ends in it."""
    if not _has_all(text, template.literals):
        return None
    found = [match.groups() for pattern in template.patterns if (match := pattern.fullmatch(text))]
    whole = (values for values in found if all(value.count("(") == value.count(")") for value in values))
    return next(whole, found[0] if found else None)


def _filled(template: Template, values: tuple[str, ...], language: str) -> str:
    """The translation with its values, each looked up too; but what stands in quotes is a name."""
    named = [literal.endswith(_QUOTES) for literal in template.literals[:-1]]
    behind = template.literals[1:]
    shown = [
        value if name else _value(_localised(value, after), language)
        for value, name, after in zip(values, named, behind, strict=True)
    ]
    return _PLACE.sub(lambda place: shown[int(place[1]) - 1], template.translated)


def _localised(value: str, after: str) -> str:
    """A figure with its unit, in it or behind it, gets the decimal sign of the language; versions and names do not."""
    figure = _FIGURE.match(value)
    if figure is None:
        return value
    rest = value[figure.end() :]
    unit = _UNIT.fullmatch(rest) if rest else _UNIT.match(after)
    return decimal(value) if unit else value


def _value(value: str, language: str) -> str:
    """What stands at a place. A reason within a sentence lost its point to it."""
    if not value:
        return value
    found = _looked_up(value, language)
    if found == value and not value.endswith("."):
        return _looked_up(value + ".", language).removesuffix(".")
    return found


def _in_pieces(text: str, language: str) -> str:
    """Two sentences or reasons in a row, or a remark in brackets behind one, each by itself."""
    for end in (".", ";"):
        before, joint, after = text.rpartition(f"{end} ")
        if joint and before:
            first = _looked_up(before + end, language) if end == "." else _looked_up(before, language) + end
            return f"{first} {_looked_up(after, language)}"
    before, joint, after = text.rpartition(" (")
    if joint and before and after.endswith(")"):
        return f"{_looked_up(before, language)} ({_looked_up(after[:-1], language)})"
    return text


def _has_all(text: str, literals: tuple[str, ...]) -> bool:
    """A cheap look, before a pattern is tried: does it begin and end so, with all the rest between?"""
    at = 0
    for literal in literals:
        at = text.find(literal, at)
        if at < 0:
            return False
        at += len(literal)
    return text.startswith(literals[0]) and text.endswith(literals[-1])


@lru_cache(maxsize=4)
def _table(language: str) -> Table:
    """language: names the table in the cache; what is read is the translation in force."""
    sources = QCoreApplication.translate(SENTENCES, TEMPLATES).split("\n")
    exact = {source: QCoreApplication.translate(SENTENCES, source) for source in sources}
    pairs = [pair for pair in exact.items() if _PLACE.search(pair[0])]
    pairs += [(f"{{0}}{source}", f"{{0}}{exact[source]}") for source in sources if _FOLLOWS.match(source)]
    pairs.sort(key=lambda pair: _rank(pair[0]))
    return Table(exact, [_template(*pair) for pair in pairs])


def _rank(source: str) -> tuple[bool, int, int]:
    lengths = [len(literal) for literal in _PLACE.split(source)[::2]]
    return not _FURTHER.match(source), -max(lengths), -sum(lengths)


def _template(source: str, translated: str) -> Template:
    literals = _PLACE.split(source)[::2]
    pattern = re.escape(literals[0])
    further = _FURTHER.match(source) is not None  # what comes before it is a sentence too
    for before, literal in itertools.pairwise(literals):
        # What ends the text behind a point is a further sentence or nothing, not the rest of a name with a point in it.
        value = r"(.*\.)" if further else "(| .*?)" if before.endswith(".") and not literal else "(.*?)"
        pattern, further = pattern + value + re.escape(literal), False
    if source.startswith("{0}"):  # one more place in front: all numbers go up by one
        translated = _PLACE.sub(lambda place: f"{{{int(place[1]) + 1}}}", translated)
    patterns = tuple(re.compile(form, re.DOTALL) for form in (pattern, pattern.replace(".*?", ".*")))
    return Template(patterns, tuple(literals), translated)
