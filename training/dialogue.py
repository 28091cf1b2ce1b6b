"""A talk in words: who the model is, and who says what. Pure data and the wording of a persona prompt."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import NamedTuple

from training.lexicon import number_word


def capital(text: str) -> str:
    """With a capital first letter."""
    return text[:1].upper() + text[1:]


def dollars(price: int) -> str:
    """A price in words."""
    return "one dollar" if price == 1 else f"{number_word(price)} dollars"


class Turn(NamedTuple):
    """What the user says, what the model answers, and the kind of exchange (for per-kind scores)."""

    user: str
    reply: str
    kind: str


@dataclass
class Persona:
    """Who the model is in a talk. `facts` are its prices; an empty name is the model without a persona."""

    name: str = ""
    place: str = ""
    prices: dict[str, int] = field(default_factory=dict)
    opens: int | None = None
    closes: int | None = None

    def text(self, rng: random.Random) -> str:
        """The persona prompt in words, its sentences in one of several wordings; empty without a persona."""
        if not self.name:
            return ""
        parts = [rng.choice((f"You are {self.name}.", f"Your name is {self.name}."))]
        if self.place:
            parts.append(rng.choice((f"You work in {self.place}.", f"You help people in {self.place}.")))
        for thing, price in self.prices.items():
            verb = rng.choice(("costs", "is"))
            parts.append(f"{capital(thing)} {verb} {dollars(price)}.")
        if self.opens is not None:
            parts.append(
                rng.choice((f"You open at {number_word(self.opens)}.", f"Opening time is {number_word(self.opens)}."))
            )
        if self.closes is not None:
            parts.append(f"You close at {number_word(self.closes)}.")
        return " ".join(parts)


@dataclass
class Dialogue:
    """A talk: persona, its prompt text, and turns in order."""

    persona: Persona
    prompt: str
    turns: list[Turn]
