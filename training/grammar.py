"""Dialogues of the closed domain: personas, questions in many phrasings, and the one right reply to each.

Pure text and random numbers; nothing here knows of sound or tokens. Every draw comes from the `random.Random` that is
passed in, so a seed fixes the text. Phrasings and names are divided into a training part and a held-out part
(`held_out=True` draws from the latter alone), so that a test never asks as training has asked.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from training import beyond, lexicon, phrasings
from training.dialogue import Dialogue, Persona, Turn, capital, dollars
from training.lexicon import number_word
from training.more_phrasings import MORE

_T = TypeVar("_T")
HELD_OUT_EVERY = 6  # one phrasing, name or pair in six is kept for tests


def part(items: Sequence[_T], held_out: bool) -> list[_T]:
    """The training or held-out share of a list; lists too short to divide serve both."""
    if len(items) < HELD_OUT_EVERY:
        return list(items)
    return [item for i, item in enumerate(items) if (i % HELD_OUT_EVERY == HELD_OUT_EVERY - 1) == held_out]


def _the(thing: str) -> str:
    """ "a pie" and "bread" as "the pie" and "the bread"."""
    for article in ("a ", "an ", "the "):
        if thing.startswith(article):
            return f"the {thing[len(article) :]}"
    return f"the {thing}"


class Speakers:
    """Draws turns. `limit` bounds the numbers of arithmetic and counting (20 at first, then 100). `words` and `names`:
    any words and any proper names. More than half of what is to be said back and two names of three are taken from
    them, so that these are learnt to be copied, not known; names that are kept for tests are left out. What is drawn
    with `held_out` is fixed by the seed for good: training may get other weights and more phrasings, tests may not."""

    def __init__(
        self, rng: random.Random, held_out: bool = False, limit: int = 20, words: Sequence[str] = (),
        names: Sequence[str] = (),
    ) -> None:  # fmt: skip
        known = (lexicon.USER_NAMES, lexicon.PERSONA_NAMES)
        self.kept_names = {name.lower() for names_of in known for name in part(names_of, True)}
        self.rng = rng
        self.words = words
        self.names = [name for name in names if name.lower() not in self.kept_names]
        self.any_names = (self.names, [word for word in words if word.lower() not in self.kept_names])
        self.kept_beyond = beyond.kept_pattern((*part(lexicon.OUT_OF_DOMAIN, True), *part(lexicon.BACKGROUND, True)))
        self.held_out = held_out
        self.limit = limit
        self._user_name = ""
        # Weight in tests, weight in training: what is learnt slowly is heard more often.
        kinds: tuple[tuple[float, float, Callable[[Persona], Turn]], ...] = (
            (9, 9, self._greeting),
            (3, 3, self._how_are_you),
            (3, 3, self._thanks),
            (3, 6, self._goodbye),
            (8, 14, self._introduce),
            (6, 7, self._recall_name),
            (22, 27, self._persona),
            (18, 25, self._echo),
            (24, 20, self._arithmetic),
            (11, 10, self._sequence),
            (7, 5, self._opposite),
            (4, 3, self._color),
            (4, 3, self._capital_city),
            (4, 4, self._animal),
            (6, 11, self._compare),
            (5, 3, self._count),
            (3, 2, self._story),
            (2, 1.5, self._joke),
            (6, 14, self._not_understood),
        )
        self._kinds = tuple((test if held_out else training, make) for test, training, make in kinds)

    def persona(self) -> Persona:
        """A random persona; one in five talks has none, and facts are each present or absent at random."""
        rng = self.rng
        if rng.random() < 0.2:
            return Persona()
        persona = Persona(self._name(lexicon.PERSONA_NAMES))
        if rng.random() < 0.85:
            persona.place = rng.choice(list(lexicon.PLACES))
            for thing in rng.sample(lexicon.PLACES[persona.place], rng.choice((0, 1, 1, 2, 2))):
                persona.prices[thing] = rng.randint(1, self.limit)
            if rng.random() < 0.6:
                persona.opens = rng.randint(5, 12)
            if rng.random() < 0.4:
                persona.closes = rng.randint(1, 11)
        return persona

    def dialogue(self, turns: int) -> Dialogue:
        """A talk of this many turns; names given in it are remembered in it."""
        self._user_name = ""
        persona = self.persona()
        return Dialogue(persona, persona.text(self.rng), [self.turn(persona) for _ in range(turns)])

    def turn(self, persona: Persona) -> Turn:
        """One exchange of a random kind."""
        if self._user_name and self.rng.random() < 0.12:  # memory is worth asking about once there is something in it
            return self._recall_name(persona)
        weights = [weight for weight, _ in self._kinds]
        make = self.rng.choices([make for _, make in self._kinds], weights)[0]
        return make(persona)

    def _name(self, names: Sequence[str]) -> str:
        for any_names, share in zip(self.any_names, (0.5, 0.3), strict=True):
            if any_names and self.rng.random() < share:
                return capital(self.rng.choice(any_names))
        return self.rng.choice([name for name in names if (name.lower() in self.kept_names) == self.held_out])

    def _ask(self, ways: Sequence[str], wrap: bool = True, **slots: str) -> str:
        known = part(ways, self.held_out)
        if not self.held_out:
            known += MORE.get(tuple(ways), ())
        text = self.rng.choice(known).format(**slots)
        if not wrap:
            return text
        return self.rng.choice(phrasings.OPENINGS) + text + self.rng.choice(phrasings.ENDINGS)

    def _question(self, ways: Sequence[str], **slots: str) -> str:
        return self._ask(ways, True, **slots) + "?"

    # Small talk

    def _greeting(self, persona: Persona) -> Turn:
        greeting = self.rng.choice(phrasings.GREETINGS)
        text = greeting + self.rng.choice(("", "", "", ", it's me", ", nice to meet you", ", are you there?"))
        answer = {"good morning": "Good morning!", "good evening": "Good evening!", "good afternoon": "Good afternoon!"}
        who = f" This is {persona.name}." if persona.name else ""
        return Turn(text, f"{answer.get(greeting, 'Hello!')}{who} How can I help?", "greeting")

    def _how_are_you(self, persona: Persona) -> Turn:
        text = self._question(phrasings.HOW_ARE_YOU)
        return Turn(text, "I am fine, thank you. I hope you are well too.", "how are you")

    def _thanks(self, persona: Persona) -> Turn:
        text = self._ask(phrasings.THANKS, wrap=False)
        return Turn(text, "You are welcome.", "thanks")

    def _goodbye(self, persona: Persona) -> Turn:
        text = self._ask(phrasings.GOODBYE, wrap=False)
        return Turn(text, "Goodbye! Talk to you soon.", "goodbye")

    def _introduce(self, persona: Persona) -> Turn:
        self._user_name = self._name(lexicon.USER_NAMES)
        text = self._ask(phrasings.INTRODUCE, wrap=False, a=self._user_name)
        return Turn(text, f"Nice to meet you, {self._user_name}.", "user name")

    def _recall_name(self, persona: Persona) -> Turn:
        if not self._user_name and self.rng.random() < 0.7:
            return self._introduce(persona)
        text = self._question(phrasings.RECALL_NAME)
        reply = f"Your name is {self._user_name}." if self._user_name else "You have not told me your name."
        return Turn(text, reply, "user name")

    # Persona

    def _persona(self, persona: Persona) -> Turn:
        topics = (self._own_name, self._who, self._job, self._price, self._price, self._opening, self._closing)
        return self.rng.choice(topics)(persona)

    def _own_name(self, persona: Persona) -> Turn:
        text = self._question(phrasings.OWN_NAME)
        return Turn(text, f"My name is {persona.name or 'Parley'}.", "persona")

    def _who(self, persona: Persona) -> Turn:
        text = self._question(phrasings.WHO)
        job = f", and I work in {persona.place}" if persona.place else ""
        reply = f"I am {persona.name}{job}." if persona.name else "I am Parley, a small talking program."
        return Turn(text, reply, "persona")

    def _job(self, persona: Persona) -> Turn:
        text = self._question(phrasings.JOB)
        reply = f"I work in {persona.place}." if persona.place else "I am here to talk with you."
        return Turn(text, reply, "persona")

    def _price(self, persona: Persona) -> Turn:
        known = self.rng.random() < 0.85 and bool(persona.prices)
        options = (
            list(persona.prices)
            if known
            else [t for things in lexicon.PLACES.values() for t in things if t not in persona.prices]
        )
        thing = self.rng.choice(options)
        text = self._question(phrasings.PRICE, a=thing)
        if known:
            return Turn(text, f"{capital(_the(thing))} costs {dollars(persona.prices[thing])}.", "persona")
        return Turn(text, f"I do not know the price of {_the(thing)}.", "persona")

    def _opening(self, persona: Persona) -> Turn:
        text = self._question(phrasings.OPENING)
        known = persona.opens is not None
        reply = f"We open at {number_word(persona.opens or 0)}." if known else "I do not know when we open."
        return Turn(text, reply, "persona")

    def _closing(self, persona: Persona) -> Turn:
        text = self._question(phrasings.CLOSING)
        known = persona.closes is not None
        reply = f"We close at {number_word(persona.closes or 0)}." if known else "I do not know when we close."
        return Turn(text, reply, "persona")

    # Saying back

    def _echo(self, persona: Persona) -> Turn:
        count = self.rng.choice((1, 1, 1, 2, 3) if self.held_out else (1, 1, 1, 1, 2, 2, 3, 4))
        known = self.rng.random() < (0.5 if self.held_out else 0.4) or not self.words
        words = " ".join(self.rng.sample(lexicon.ECHO_WORDS, count) if known else self._any_words(count))
        text = self._ask(phrasings.ECHO, wrap=False, a=words)
        return Turn(text, f"You said {words}.", "echo")

    def _any_words(self, count: int) -> list[str]:
        """Words or names from all there are, rather short ones: those are said more often."""
        source = self.names if self.names and self.rng.random() < 0.2 else self.words
        return [min(self.rng.choices(source, k=2), key=len) for _ in range(count)]

    # Numbers

    def _arithmetic(self, persona: Persona) -> Turn:
        while True:
            a, b = self.rng.randint(0, self.limit), self.rng.randint(0, self.limit)
            plus = self.rng.random() < 0.55
            if (a + b if plus else a - b) in range(self.limit + 1):
                break
        return self._sum(a, b) if plus else self._difference(a, b)

    def _sum(self, a: int, b: int) -> Turn:
        text = self._question(phrasings.SUM, a=number_word(a), b=number_word(b))
        reply = f"{capital(number_word(a))} plus {number_word(b)} is {number_word(a + b)}."
        return Turn(text, reply, "arithmetic")

    def _difference(self, a: int, b: int) -> Turn:
        text = self._question(phrasings.DIFFERENCE, a=number_word(a), b=number_word(b))
        reply = f"{capital(number_word(a))} minus {number_word(b)} is {number_word(a - b)}."
        return Turn(text, reply, "arithmetic")

    def _compare(self, persona: Persona) -> Turn:
        a, b = self.rng.sample(range(self.limit + 1), 2)
        first, second = number_word(a), number_word(b)
        if self.rng.random() < 0.4:
            text = self._question(phrasings.WHICH_IS_BIGGER, a=first, b=second)
            return Turn(
                text, f"{capital(number_word(max(a, b)))} is bigger than {number_word(min(a, b))}.", "comparison"
            )
        word, true = self.rng.choice((("bigger", a > b), ("smaller", a < b)))
        text = self._question(phrasings.IS_IT_BIGGER, a=first, b=second, w=word)
        reply = f"Yes, {first} is {word} than {second}." if true else f"No, {first} is not {word} than {second}."
        return Turn(text, reply, "comparison")

    def _count(self, persona: Persona) -> Turn:
        if self.rng.random() < 0.6:
            start, stop = (1, self.rng.randint(3, self.limit))
            text = self._ask(phrasings.COUNT_UP, b=number_word(stop))
            numbers = range(start, stop + 1)
        else:
            start = self.rng.randint(3, min(self.limit, 20))
            text = self._ask(phrasings.COUNT_DOWN, a=number_word(start))
            numbers = range(start, 0, -1)
        return Turn(text, capital(", ".join(number_word(n) for n in numbers)) + ".", "counting")

    # Sequences and facts

    def _sequence(self, persona: Persona) -> Turn:
        name, items = self.rng.choice(
            (
                ("day", lexicon.DAYS),
                ("month", lexicon.MONTHS),
                ("letter", lexicon.LETTERS),
                ("number", [number_word(n) for n in range(self.limit + 1)]),
            )
        )
        wraps = name in ("day", "month")
        step = self.rng.choice((1, -1))
        span = range(len(items)) if wraps else range(max(0, -step), len(items) - max(0, step))
        index = self.rng.choice(span)
        item, found = items[index], items[(index + step) % len(items)]
        if step == 1:
            text = self._question(phrasings.AFTER, a=item, n=name)
            return Turn(text, f"The {name} after {item} is {found}.", "sequence")
        text = self._question(phrasings.BEFORE, a=item, n=name)
        return Turn(text, f"The {name} before {item} is {found}.", "sequence")

    def _opposite(self, persona: Persona) -> Turn:
        pair = list(self.rng.choice(list(lexicon.OPPOSITES.items())))
        if pair[1] not in ("brief", "weightless"):
            self.rng.shuffle(pair)
        text = self._question(phrasings.OPPOSITE, a=pair[0])
        return Turn(text, f"The opposite of {pair[0]} is {pair[1]}.", "opposite")

    def _color(self, persona: Persona) -> Turn:
        thing, color = self.rng.choice(list(lexicon.COLORS.items()))
        text = self._question(phrasings.COLOR, a=thing)
        return Turn(text, f"{capital(thing)} is {color}.", "color")

    def _capital_city(self, persona: Persona) -> Turn:
        country, city = self.rng.choice(list(lexicon.CAPITALS.items()))
        text = self._question(phrasings.CAPITAL_CITY, a=country)
        return Turn(text, f"The capital of {country} is {city}.", "capital")

    def _animal(self, persona: Persona) -> Turn:
        topic = self.rng.randrange(3)
        if topic == 0:
            animal, legs = self.rng.choice(list(lexicon.LEGS.items()))
            text = self._question(phrasings.LEGS, a=animal)
            count = number_word(legs) if legs else "no"
            return Turn(text, f"{capital(animal)} has {count} legs.", "animal")
        if topic == 1:
            animal, food = self.rng.choice(list(lexicon.FOOD.items()))
            text = self._question(phrasings.FOOD, a=animal)
            return Turn(text, f"{capital(animal)} eats {food}.", "animal")
        animal, home = self.rng.choice(list(lexicon.HOMES.items()))
        text = self._question(phrasings.HOMES, a=animal)
        return Turn(text, f"{capital(animal)} lives {home}.", "animal")

    # Long replies

    def _story(self, persona: Persona) -> Turn:
        topic = self.rng.choice(list(lexicon.STORIES))
        text = self._ask(phrasings.STORY, wrap=False, a=topic)
        return Turn(text, lexicon.STORIES[topic], "story")

    def _joke(self, persona: Persona) -> Turn:
        text = self._ask(phrasings.JOKE, wrap=False)
        return Turn(text, self.rng.choice(lexicon.JOKES), "joke")

    def _not_understood(self, persona: Persona) -> Turn:
        if not self.held_out and self.rng.random() < 0.8:
            text = beyond.sentence(self.rng, self.words, self.kept_beyond)
        elif self.rng.random() < 0.5:
            text = self._ask(lexicon.OUT_OF_DOMAIN, wrap=False)
        else:
            a, b = self.rng.sample(lexicon.ECHO_WORDS, 2)
            text = self._ask(lexicon.BACKGROUND, wrap=False, a=a, b=b)
        return Turn(text, "Sorry, I did not understand that.", "not understood")
