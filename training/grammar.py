"""Dialogues of the closed domain: personas, questions in many phrasings, and the one right reply to each.

Pure text and random numbers; nothing here knows of sound or tokens. Every draw comes from the `random.Random` that is
passed in, so a seed fixes the text. Phrasings, names and arithmetic pairs are divided into a training part and a
held-out part (`held_out=True` draws from the latter alone), so that a test never asks what training has seen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from training import lexicon
from training.lexicon import number_word

_T = TypeVar("_T")
HELD_OUT_EVERY = 6  # one phrasing, name or pair in six is kept for tests


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
            parts.append(f"{_capital(thing)} {verb} {_dollars(price)}.")
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


def part(items: Sequence[_T], held_out: bool) -> list[_T]:
    """The training or held-out share of a list; lists too short to divide serve both."""
    if len(items) < HELD_OUT_EVERY:
        return list(items)
    return [item for i, item in enumerate(items) if (i % HELD_OUT_EVERY == HELD_OUT_EVERY - 1) == held_out]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _dollars(price: int) -> str:
    return "one dollar" if price == 1 else f"{number_word(price)} dollars"


def _the(thing: str) -> str:
    """ "a pie" and "bread" as "the pie" and "the bread"."""
    for article in ("a ", "an ", "the "):
        if thing.startswith(article):
            return f"the {thing[len(article) :]}"
    return f"the {thing}"


_OPENINGS = (
    "",
    "",
    "",
    "",
    "",
    "hey, ",
    "okay, ",
    "um, ",
    "so, ",
    "well, ",
    "please, ",
    "now, ",
    "excuse me, ",
    "one question, ",
    "right, ",
    "hello, ",
    "all right, ",
    "uh, ",
    "oh, ",
    "listen, ",
)
_ENDINGS = ("", "", "", "", "", "", ", please", " please", ", thank you", ", if you can")


class Speakers:
    """Draws turns. `limit` bounds the numbers of arithmetic and counting (20 at first, then 100)."""

    def __init__(self, rng: random.Random, held_out: bool = False, limit: int = 20) -> None:
        self.rng = rng
        self.held_out = held_out
        self.limit = limit
        self._user_name = ""
        self._kinds: tuple[tuple[float, Callable[[Persona], Turn]], ...] = (
            (9, self._greeting),
            (3, self._how_are_you),
            (3, self._thanks),
            (3, self._goodbye),
            (5, self._introduce),
            (5, self._recall_name),
            (20, self._persona),
            (18, self._echo),
            (20, self._arithmetic),
            (11, self._sequence),
            (7, self._opposite),
            (4, self._color),
            (4, self._capital_city),
            (4, self._animal),
            (6, self._compare),
            (5, self._count),
            (3, self._story),
            (2, self._joke),
            (6, self._not_understood),
        )

    def persona(self) -> Persona:
        """A random persona; one in five talks has none, and facts are each present or absent at random."""
        rng = self.rng
        if rng.random() < 0.2:
            return Persona()
        persona = Persona(rng.choice(part(lexicon.PERSONA_NAMES, self.held_out)))
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

    def _ask(self, phrasings: Sequence[str], wrap: bool = True, **slots: str) -> str:
        text = self.rng.choice(part(phrasings, self.held_out)).format(**slots)
        if not wrap:
            return text
        return self.rng.choice(_OPENINGS) + text + self.rng.choice(_ENDINGS)

    def _question(self, phrasings: Sequence[str], **slots: str) -> str:
        return self._ask(phrasings, True, **slots) + "?"

    # Small talk

    def _greeting(self, persona: Persona) -> Turn:
        greeting = self.rng.choice(
            (
                "hello",
                "hi",
                "good morning",
                "good evening",
                "hey there",
                "hi there",
                "hello there",
                "good afternoon",
                "hey",
            )
        )
        text = greeting + self.rng.choice(("", "", "", ", it's me", ", nice to meet you", ", are you there?"))
        answer = {"good morning": "Good morning!", "good evening": "Good evening!", "good afternoon": "Good afternoon!"}
        who = f" This is {persona.name}." if persona.name else ""
        return Turn(text, f"{answer.get(greeting, 'Hello!')}{who} How can I help?", "greeting")

    def _how_are_you(self, persona: Persona) -> Turn:
        text = self._question(
            (
                "how are you",
                "how are you doing",
                "how are you today",
                "how do you feel",
                "how is it going",
                "are you well",
                "how have you been",
            )
        )
        return Turn(text, "I am fine, thank you. I hope you are well too.", "how are you")

    def _thanks(self, persona: Persona) -> Turn:
        text = self._ask(
            (
                "thank you",
                "thanks a lot",
                "thank you very much",
                "thanks",
                "that was helpful, thank you",
                "great, thanks",
                "many thanks",
                "thanks for your help",
            ),
            wrap=False,
        )
        return Turn(text, "You are welcome.", "thanks")

    def _goodbye(self, persona: Persona) -> Turn:
        text = self._ask(
            (
                "goodbye",
                "bye",
                "see you later",
                "bye bye",
                "I have to go now",
                "good night",
                "that is all, goodbye",
                "see you tomorrow",
            ),
            wrap=False,
        )
        return Turn(text, "Goodbye! Talk to you soon.", "goodbye")

    def _introduce(self, persona: Persona) -> Turn:
        self._user_name = self.rng.choice(part(lexicon.USER_NAMES, self.held_out))
        text = self._ask(
            (
                "my name is {a}",
                "I am {a}",
                "call me {a}",
                "I'm called {a}",
                "you can call me {a}",
                "hello, my name is {a}",
                "people call me {a}",
                "hi, I am {a}",
                "the name is {a}",
            ),
            wrap=False,
            a=self._user_name,
        )
        return Turn(text, f"Nice to meet you, {self._user_name}.", "user name")

    def _recall_name(self, persona: Persona) -> Turn:
        if not self._user_name and self.rng.random() < 0.7:
            return self._introduce(persona)
        text = self._question(
            (
                "what is my name",
                "do you know my name",
                "who am I",
                "what am I called",
                "do you remember my name",
                "can you tell me my name",
                "tell me my name",
            )
        )
        reply = f"Your name is {self._user_name}." if self._user_name else "You have not told me your name."
        return Turn(text, reply, "user name")

    # Persona

    def _persona(self, persona: Persona) -> Turn:
        topics = (self._own_name, self._who, self._job, self._price, self._price, self._opening, self._closing)
        return self.rng.choice(topics)(persona)

    def _own_name(self, persona: Persona) -> Turn:
        text = self._question(
            (
                "what is your name",
                "what's your name",
                "what are you called",
                "tell me your name",
                "may I ask your name",
                "do you have a name",
                "what should I call you",
            )
        )
        return Turn(text, f"My name is {persona.name or 'Parley'}.", "persona")

    def _who(self, persona: Persona) -> Turn:
        text = self._question(
            (
                "who are you",
                "who am I talking to",
                "tell me who you are",
                "who is this",
                "who is speaking",
                "and who are you",
                "what are you",
            )
        )
        job = f", and I work in {persona.place}" if persona.place else ""
        reply = f"I am {persona.name}{job}." if persona.name else "I am Parley, a small talking program."
        return Turn(text, reply, "persona")

    def _job(self, persona: Persona) -> Turn:
        text = self._question(
            (
                "where do you work",
                "what is your job",
                "what do you do",
                "what kind of work do you do",
                "tell me about your work",
                "what do you do for a living",
                "where is your job",
            )
        )
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
        text = self._question(
            (
                "how much is {a}",
                "what does {a} cost",
                "what is the price of {a}",
                "how much for {a}",
                "how much does {a} cost",
                "tell me the price of {a}",
                "what do you want for {a}",
            ),
            a=thing,
        )
        if known:
            return Turn(text, f"{_capital(_the(thing))} costs {_dollars(persona.prices[thing])}.", "persona")
        return Turn(text, f"I do not know the price of {_the(thing)}.", "persona")

    def _opening(self, persona: Persona) -> Turn:
        text = self._question(
            (
                "when do you open",
                "what time do you open",
                "when are you open",
                "at what time do you open",
                "tell me when you open",
                "when can I come in the morning",
                "what is your opening time",
            )
        )
        known = persona.opens is not None
        reply = f"We open at {number_word(persona.opens or 0)}." if known else "I do not know when we open."
        return Turn(text, reply, "persona")

    def _closing(self, persona: Persona) -> Turn:
        text = self._question(
            (
                "when do you close",
                "what time do you close",
                "until when are you open",
                "at what time do you close",
                "tell me when you close",
                "when do you shut",
                "what is your closing time",
            )
        )
        known = persona.closes is not None
        reply = f"We close at {number_word(persona.closes or 0)}." if known else "I do not know when we close."
        return Turn(text, reply, "persona")

    # Saying back

    def _echo(self, persona: Persona) -> Turn:
        count = self.rng.choice((1, 1, 1, 2, 3))
        words = " ".join(self.rng.sample(lexicon.ECHO_WORDS, count))
        text = self._ask(
            (
                "say {a}",
                "repeat after me, {a}",
                "say the word {a}",
                "repeat {a}",
                "please say {a}",
                "can you say {a}",
                "say this, {a}",
                "tell me, {a}",
                "repeat the word {a}",
                "now say {a}",
                "I want you to say {a}",
                "the word is {a}, say it",
            ),
            wrap=False,
            a=words,
        )
        return Turn(text, f"You said {words}.", "echo")

    # Numbers

    def _arithmetic(self, persona: Persona) -> Turn:
        while True:
            a, b = self.rng.randint(0, self.limit), self.rng.randint(0, self.limit)
            plus = self.rng.random() < 0.55
            if ((7 * a + 3 * b + plus) % HELD_OUT_EVERY == 0) != self.held_out:
                continue
            if (a + b if plus else a - b) in range(self.limit + 1):
                break
        return self._sum(a, b) if plus else self._difference(a, b)

    def _sum(self, a: int, b: int) -> Turn:
        text = self._question(
            (
                "what is {a} plus {b}",
                "how much is {a} plus {b}",
                "add {a} and {b}",
                "{a} plus {b}",
                "what do you get when you add {a} and {b}",
                "what is the sum of {a} and {b}",
                "tell me {a} plus {b}",
                "what is {a} and {b}",
                "can you add {b} to {a}",
                "how much is {a} and {b}",
                "calculate {a} plus {b}",
                "what's {a} plus {b}",
            ),
            a=number_word(a),
            b=number_word(b),
        )
        reply = f"{_capital(number_word(a))} plus {number_word(b)} is {number_word(a + b)}."
        return Turn(text, reply, "arithmetic")

    def _difference(self, a: int, b: int) -> Turn:
        text = self._question(
            (
                "what is {a} minus {b}",
                "how much is {a} minus {b}",
                "take {b} away from {a}",
                "{a} minus {b}",
                "what is {a} take away {b}",
                "tell me {a} minus {b}",
                "what is left when you take {b} from {a}",
                "subtract {b} from {a}",
                "how much is {a} less {b}",
                "calculate {a} minus {b}",
                "what's {a} minus {b}",
                "what do you get when you take {b} from {a}",
            ),
            a=number_word(a),
            b=number_word(b),
        )
        reply = f"{_capital(number_word(a))} minus {number_word(b)} is {number_word(a - b)}."
        return Turn(text, reply, "arithmetic")

    def _compare(self, persona: Persona) -> Turn:
        a, b = self.rng.sample(range(self.limit + 1), 2)
        first, second = number_word(a), number_word(b)
        if self.rng.random() < 0.4:
            text = self._question(
                (
                    "which is bigger, {a} or {b}",
                    "which number is bigger, {a} or {b}",
                    "what is more, {a} or {b}",
                    "which is larger, {a} or {b}",
                    "is {a} or {b} the bigger number",
                    "which one is bigger, {a} or {b}",
                ),
                a=first,
                b=second,
            )
            return Turn(
                text, f"{_capital(number_word(max(a, b)))} is bigger than {number_word(min(a, b))}.", "comparison"
            )
        word, true = self.rng.choice((("bigger", a > b), ("smaller", a < b)))
        text = self._question(
            (
                "is {a} {w} than {b}",
                "tell me, is {a} {w} than {b}",
                "do you think {a} is {w} than {b}",
                "is the number {a} {w} than {b}",
                "would you say {a} is {w} than {b}",
                "is it true that {a} is {w} than {b}",
            ),
            a=first,
            b=second,
            w=word,
        )
        reply = f"Yes, {first} is {word} than {second}." if true else f"No, {first} is not {word} than {second}."
        return Turn(text, reply, "comparison")

    def _count(self, persona: Persona) -> Turn:
        if self.rng.random() < 0.6:
            start, stop = (1, self.rng.randint(3, self.limit))
            text = self._ask(
                (
                    "count to {b}",
                    "please count to {b}",
                    "count from one to {b}",
                    "can you count to {b}",
                    "I want you to count to {b}",
                    "count up to {b}",
                    "let me hear you count to {b}",
                ),
                b=number_word(stop),
            )
            numbers = range(start, stop + 1)
        else:
            start = self.rng.randint(3, min(self.limit, 20))
            text = self._ask(
                (
                    "count down from {a}",
                    "please count down from {a}",
                    "count backwards from {a}",
                    "can you count down from {a}",
                    "I want you to count down from {a}",
                    "start at {a} and count down",
                ),
                a=number_word(start),
            )
            numbers = range(start, 0, -1)
        return Turn(text, _capital(", ".join(number_word(n) for n in numbers)) + ".", "counting")

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
            text = self._question(
                (
                    "what comes after {a}",
                    "which {n} comes after {a}",
                    "what is the {n} after {a}",
                    "which {n} follows {a}",
                    "tell me the {n} after {a}",
                    "what {n} is next after {a}",
                    "what comes next after {a}",
                ),
                a=item,
                n=name,
            )
            return Turn(text, f"The {name} after {item} is {found}.", "sequence")
        text = self._question(
            (
                "what comes before {a}",
                "which {n} comes before {a}",
                "what is the {n} before {a}",
                "what {n} is right before {a}",
                "tell me the {n} before {a}",
                "name the {n} before {a}",
                "which {n} is just before {a}",
            ),
            a=item,
            n=name,
        )
        return Turn(text, f"The {name} before {item} is {found}.", "sequence")

    def _opposite(self, persona: Persona) -> Turn:
        pair = list(self.rng.choice(list(lexicon.OPPOSITES.items())))
        if pair[1] not in ("brief", "weightless"):
            self.rng.shuffle(pair)
        text = self._question(
            (
                "what is the opposite of {a}",
                "tell me the opposite of {a}",
                "the opposite of {a}",
                "what's the opposite of {a}",
                "do you know the opposite of {a}",
                "name the opposite of {a}",
                "which word is the opposite of {a}",
                "give me the opposite of {a}",
            ),
            a=pair[0],
        )
        return Turn(text, f"The opposite of {pair[0]} is {pair[1]}.", "opposite")

    def _color(self, persona: Persona) -> Turn:
        thing, color = self.rng.choice(list(lexicon.COLORS.items()))
        text = self._question(
            (
                "what color is {a}",
                "which color is {a}",
                "tell me the color of {a}",
                "what is the color of {a}",
                "do you know what color {a} is",
                "what color does {a} have",
                "which color does {a} have",
            ),
            a=thing,
        )
        return Turn(text, f"{_capital(thing)} is {color}.", "color")

    def _capital_city(self, persona: Persona) -> Turn:
        country, city = self.rng.choice(list(lexicon.CAPITALS.items()))
        text = self._question(
            (
                "what is the capital of {a}",
                "tell me the capital of {a}",
                "which city is the capital of {a}",
                "do you know the capital of {a}",
                "what's the capital of {a}",
                "the capital of {a}",
                "name the capital of {a}",
            ),
            a=country,
        )
        return Turn(text, f"The capital of {country} is {city}.", "capital")

    def _animal(self, persona: Persona) -> Turn:
        topic = self.rng.randrange(3)
        if topic == 0:
            animal, legs = self.rng.choice(list(lexicon.LEGS.items()))
            text = self._question(
                (
                    "how many legs does {a} have",
                    "tell me how many legs {a} has",
                    "how many legs has {a}",
                    "do you know how many legs {a} has",
                    "what number of legs does {a} have",
                    "how many legs are there on {a}",
                ),
                a=animal,
            )
            count = number_word(legs) if legs else "no"
            return Turn(text, f"{_capital(animal)} has {count} legs.", "animal")
        if topic == 1:
            animal, food = self.rng.choice(list(lexicon.FOOD.items()))
            text = self._question(
                (
                    "what does {a} eat",
                    "tell me what {a} eats",
                    "what does {a} like to eat",
                    "what is the food of {a}",
                    "do you know what {a} eats",
                    "what would {a} eat",
                ),
                a=animal,
            )
            return Turn(text, f"{_capital(animal)} eats {food}.", "animal")
        animal, home = self.rng.choice(list(lexicon.HOMES.items()))
        text = self._question(
            (
                "where does {a} live",
                "tell me where {a} lives",
                "where is the home of {a}",
                "do you know where {a} lives",
                "in which place does {a} live",
                "where do I find {a}",
            ),
            a=animal,
        )
        return Turn(text, f"{_capital(animal)} lives {home}.", "animal")

    # Long replies

    def _story(self, persona: Persona) -> Turn:
        topic = self.rng.choice(list(lexicon.STORIES))
        text = self._ask(
            (
                "tell me a story about {a}",
                "please tell me a story about {a}",
                "I want a story about {a}",
                "can you tell me a story about {a}",
                "do you know a story about {a}",
                "let me hear a story about {a}",
                "a story about {a}, please",
            ),
            wrap=False,
            a=topic,
        )
        return Turn(text, lexicon.STORIES[topic], "story")

    def _joke(self, persona: Persona) -> Turn:
        text = self._ask(
            (
                "tell me a joke",
                "do you know a joke",
                "make me laugh",
                "say something funny",
                "I would like to hear a joke",
                "can you tell me a joke",
                "please tell me a joke",
            ),
            wrap=False,
        )
        return Turn(text, self.rng.choice(lexicon.JOKES), "joke")

    def _not_understood(self, persona: Persona) -> Turn:
        if self.rng.random() < 0.5:
            text = self._ask(lexicon.OUT_OF_DOMAIN, wrap=False)
        else:
            a, b = self.rng.sample(lexicon.ECHO_WORDS, 2)
            text = self._ask(lexicon.BACKGROUND, wrap=False, a=a, b=b)
        return Turn(text, "Sorry, I did not understand that.", "not understood")
