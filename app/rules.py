"""What one setting may hold: its type, its range, and how it is read from text.

Owns the rules for a single value and the words with which a value is refused; `app.config` owns which setting has
which rule. Text is read by what the setting needs, not by what YAML would guess, so that a device called "Off", a
voice called 2024-01-01 and the number 1e3 all mean what they say. Pure functions, any thread; no torch, no Qt.
"""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NULL = ("", "~", "null", "Null", "NULL")
_LONGEST_SHOWN = 40


class RefusedError(ValueError):
    """A value that a rule does not allow. The text continues a sentence that begins with the setting's name."""


class Rule(Protocol):
    """One setting's rule. `wanted` completes "where ... is needed"."""

    @property
    def wanted(self) -> str: ...

    def read(self, text: str, quoted: bool = False) -> object:
        """The value that a person wrote in a file or on the command line. Raises RefusedError."""
        ...

    def check(self, value: object) -> object:
        """The value that the program itself wants to set, as a plain Python type. Raises RefusedError."""
        ...


@dataclass(frozen=True)
class Number:
    """A finite number from `low` to `high`; `usual_low` bounds what is sensible without the expert switch.

    null: what None means, where None is allowed; "" = it is not.
    """

    low: float
    high: float
    whole: bool = False
    null: str = ""
    usual_low: float | None = None
    usual_high: float | None = None
    unit: str = ""

    @property
    def wanted(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        unit = f" {self.unit}" if self.unit else ""
        or_null = f" (null: {self.null})" if self.null else ""
        return f"{kind} from {_figure(self.low)} to {_figure(self.high)}{unit}{or_null}"

    def read(self, text: str, quoted: bool = False) -> int | float | None:
        text = text.strip()
        if self.null and not quoted and text in _NULL:
            return None
        if quoted:
            raise RefusedError(f"is the quoted text {shown(text)}, where {self.wanted} is needed.")
        if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", text):
            raise RefusedError(f"is {text}: write the decimal part after a point, not a comma.")
        if not _NUMBER.fullmatch(text) or len(text) > _LONGEST_SHOWN:
            raise RefusedError(f"is {shown(text)}, where {self.wanted} is needed.")
        if re.fullmatch(r"[+-]?[0-9]+", text):
            return self.check(int(text))  # exact, where a float would round a long seed
        return self.check(float(text))

    def check(self, value: object) -> int | float | None:
        value = plain(value)
        if value is None and self.null:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise RefusedError(f"is {shown(value)}, where {self.wanted} is needed.")
        if isinstance(value, float) and not math.isfinite(value):
            raise RefusedError(f"is {shown(value)}, where {self.wanted} is needed.")
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            raise RefusedError(f"is {shown(value)}, where {self.wanted} is needed.")
        return int(value) if self.whole else float(value)

    def usual(self, value: object) -> object:
        """The nearest value inside the usual range; None and what is no number stay as they are."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return value
        low = self.low if self.usual_low is None else self.usual_low
        high = self.high if self.usual_high is None else self.usual_high
        return type(value)(min(max(value, low), high))

    def lifted(self, text: str) -> int | float | None:
        """The nearest allowed value to what was written, or None when it is no finite number at all."""
        text = text.strip()
        if len(text) > _LONGEST_SHOWN or not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
            return None
        nearest = min(max(float(text), self.low), self.high)
        return round(nearest) if self.whole else nearest


@dataclass(frozen=True)
class Choice:
    """One of a few names, written exactly."""

    names: tuple[str, ...]

    @property
    def wanted(self) -> str:
        return "one of " + ", ".join(self.names)

    def read(self, text: str, quoted: bool = False) -> str:
        return self.check(text.strip())

    def check(self, value: object) -> str:
        if isinstance(value, str) and value in self.names:
            return value
        hint = nearest_hint(value, self.names) if isinstance(value, str) else ""
        raise RefusedError(f"is {shown(value)}, where {self.wanted} is needed.{hint}")


@dataclass(frozen=True)
class ComputeDevice:
    """Where the model runs: auto, cpu, cuda, or one graphics card by its number."""

    @property
    def wanted(self) -> str:
        return "auto, cpu, cuda, or cuda:N for one of several cards"

    def read(self, text: str, quoted: bool = False) -> str:
        return self.check(text.strip())

    def check(self, value: object) -> str:
        if isinstance(value, str) and re.fullmatch(r"auto|cpu|cuda(:[0-9]{1,2})?", value):
            return value
        raise RefusedError(f"is {shown(value)}, where {self.wanted} is needed.")


@dataclass(frozen=True)
class Text:
    """Any text up to `longest` characters. `required`: "" is not allowed. `lines`: line breaks are allowed."""

    longest: int
    required: bool = False
    lines: bool = False

    @property
    def wanted(self) -> str:
        return f"text of {1 if self.required else 0} to {self.longest} characters"

    def read(self, text: str, quoted: bool = False) -> str:
        if not quoted and text in _NULL[1:]:
            raise RefusedError(f'is empty ({text}), where {self.wanted} is needed: write "" for none.')
        return self.check(text)

    def check(self, value: object) -> str:
        if not isinstance(value, str):
            raise RefusedError(f"is {shown(value)}, where {self.wanted} is needed.")
        allowed = "\n\t" if self.lines else ""
        if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in allowed for c in value):
            raise RefusedError("holds a control character or half of a character, which no text needs.")
        if len(value) > self.longest or (self.required and not value.strip()):
            raise RefusedError(f"has {len(value)} characters, where {self.wanted} is needed.")
        return value


@dataclass(frozen=True)
class Flag:
    """True or false. A file may also say yes, no, on or off, as YAML does."""

    @property
    def wanted(self) -> str:
        return "true or false"

    def read(self, text: str, quoted: bool = False) -> bool:
        word = text.strip().lower()
        if not quoted and word in ("true", "yes", "on"):
            return True
        if not quoted and word in ("false", "no", "off"):
            return False
        raise RefusedError(f"is {shown(text)}, where {self.wanted} is needed.")

    def check(self, value: object) -> bool:
        value = plain(value)
        if isinstance(value, bool):
            return value
        raise RefusedError(f"is {shown(value)}, where {self.wanted} is needed.")


def plain(value: object) -> object:
    """A numpy scalar as the Python value it stands for (user report G24); anything else as it is."""
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return value.item()  # type: ignore[attr-defined]
    return value


def shown(value: object) -> str:
    """A value for a sentence: short, on one line, text in quotes."""
    if value is None:
        return "null"
    try:
        text = f'"{value}"' if isinstance(value, str) else str(value)
    except ValueError:  # Python writes no number of more than some thousand digits
        text = "a huge number"
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def nearest_hint(word: str, names: Iterable[str]) -> str:
    """' Did you mean "..."?' or ""."""
    found = difflib.get_close_matches(word.lower(), list(names), n=1, cutoff=0.6)
    return f' Did you mean "{found[0]}"?' if found else ""


def _figure(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{number:g}"
