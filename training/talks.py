"""Talks with true timing: who says what when, as pieces of the speech bank to lay on two tracks, and words with times.

Turn-taking is decided here: how long the model waits, pauses inside a user's turn that are no end of turn, barge-ins
with the reply breaking off, long silences, talks in which nobody speaks to the model. Pure Python; every draw comes
from the `random.Random` passed in. Times in seconds.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from training.bank import Entry
from training.script import Script
from training.voices import OWN

RATE = 24_000
_T = TypeVar("_T")


class Piece(NamedTuple):
    """`length` samples of the tape from `source` on, laid at sample `at` of a track. Faded at cut ends."""

    at: int
    source: int
    length: int
    fade_in: bool = False
    fade_out: bool = False


class Word(NamedTuple):
    """A word of the model's and the second at which it starts."""

    at: float
    text: str


class Talk(NamedTuple):
    """user, own: pieces of each track; words: the own text; heard: the user's text, each word at the moment
    it has been said; voice: the own voice; prompt: the persona in words;
    exchanges: (question, right reply, kind) of the turns that fit, and when the question ended and the reply began."""

    user: list[Piece]
    own: list[Piece]
    words: list[Word]
    heard: list[Word]
    voice: int
    prompt: str
    exchanges: list[tuple[str, str, str, float, float]]


class Manners(NamedTuple):
    """How talks go. Pairs are ranges in seconds; shares are probabilities."""

    start: tuple[float, float] = (0.3, 2.5)
    reply_after: tuple[float, float] = (0.05, 0.24)
    late_reply: float = 0.05  # else what has waited out a pause that was the end would never speak
    late_reply_after: tuple[float, float] = (0.4, 1.6)
    next_after: tuple[float, float] = (0.3, 2.0)
    long_silence: float = 0.1
    hesitation: float = 0.45
    hesitation_twice: float = 0.25  # of the hesitant turns
    hesitation_for: tuple[float, float] = (0.25, 1.2)
    barge_in: float = 0.25
    stops_after: tuple[float, float] = (0.16, 0.34)
    nobody: float = 0.04
    interlude: float = 0.3  # before each turn of a dialogue, perhaps again and again: another turn of the same user


# Turns whose right reply depends on what the persona says or what was said before: they stay in their dialogue.
_BOUND = ("greeting", "persona", "user name")


class Composer:
    """Makes talks of a script's dialogues, out of a bank's entries."""

    def __init__(self, script: Script, entries: Sequence[Entry], manners: Manners | None = None):
        self.script, self.entries, self.manners = script, entries, manners or Manners()
        own = len(OWN)
        self.replies: Mapping[tuple[str, int], int] = {
            (line.text, line.voice): index
            for index, line in enumerate(script.lines[: len(entries)])
            if line.voice < own
        }
        self.usable = [self._voices(index) for index in range(len(script.dialogues))]
        self.order = [index for index, voices in enumerate(self.usable) if voices]
        self.loose: dict[int, list[tuple[int, str, str]]] = {}  # by user voice: turns that fit into any talk
        for _, user, turns in script.dialogues:
            self.loose.setdefault(user, []).extend(turn for turn in turns if turn[2] not in _BOUND)
        self.own_lines = [
            [i for i, line in enumerate(script.lines[: len(entries)]) if line.voice == voice] for voice in range(own)
        ]

    def _voices(self, index: int) -> list[int]:
        """Own voices in which every reply of the dialogue was spoken."""
        _, _, turns = self.script.dialogues[index]
        if any(line >= len(self.entries) for line, _, _ in turns):
            return []
        return [v for v in range(len(OWN)) if all((reply, v) in self.replies for _, reply, _ in turns)]

    def talk(self, rng: random.Random, seconds: float, voice: int | None = None) -> Talk:
        """A talk of at most this length. `voice`: wanted own voice, if its replies are at hand."""
        if rng.random() < self.manners.nobody:
            return Talk([], [], [], [], rng.randrange(len(OWN)) if voice is None else voice, "", [])
        draft = _Draft(self, rng, seconds)
        first = rng.choice(self.order)
        prompt, _, _ = self.script.dialogues[first]
        chosen = voice if voice in self.usable[first] else rng.choice(self.usable[first])
        draft.exchange(self._turns(rng, first, chosen), chosen)
        return Talk(draft.user, draft.own, draft.words, draft.heard, chosen, prompt, draft.exchanges)

    def _turns(self, rng: random.Random, index: int, voice: int) -> Iterator[tuple[int, str, str]]:
        """A dialogue's turns in order with loose ones among them, then more of those and of its persona questions for
        as long as there is time: what was said at first is asked for at any distance."""
        _, user, turns = self.script.dialogues[index]
        yield from self._interludes(rng, turns, self._spoken_loose(user, voice))
        if self.manners.interlude:
            more = self._spoken_loose(user, voice) + [turn for turn in turns if turn[2] == "persona"]
            while more:
                yield rng.choice(more)

    def _interludes(
        self, rng: random.Random, turns: Sequence[tuple[int, str, str]], loose: Sequence[tuple[int, str, str]]
    ) -> Iterator[tuple[int, str, str]]:
        for turn in turns:
            while loose and rng.random() < self.manners.interlude:
                yield rng.choice(loose)
            yield turn

    def _spoken_loose(self, user: int, voice: int) -> list[tuple[int, str, str]]:
        known, spoken = self.replies, len(self.entries)
        return [turn for turn in self.loose.get(user, ()) if turn[0] < spoken and (turn[1], voice) in known]


def _with_next(turns: Iterable[_T]) -> Iterator[tuple[_T, bool]]:
    """Each item and whether another one follows."""
    items = iter(turns)
    item = next(items, None)
    if item is None:
        return
    for following in items:
        yield item, True
        item = following
    yield item, False


class _Draft:
    """A talk in the making: two tracks and a clock."""

    def __init__(self, composer: Composer, rng: random.Random, seconds: float):
        self.composer, self.rng, self.seconds = composer, rng, seconds
        self.user: list[Piece] = []
        self.own: list[Piece] = []
        self.words: list[Word] = []
        self.heard: list[Word] = []
        self.exchanges: list[tuple[str, str, str, float, float]] = []
        self.now = rng.uniform(*composer.manners.start)

    def exchange(self, turns: Iterable[tuple[int, str, str]], voice: int) -> None:
        """Lay down turns, answered in this own voice, until they or the time are over."""
        manners, rng = self.composer.manners, self.rng
        for (line, reply, kind), follows in _with_next(turns):
            asked = self._ask(line)
            late = rng.random() < manners.late_reply
            begins = asked + rng.uniform(*(manners.late_reply_after if late else manners.reply_after))
            entry = self.composer.entries[self.composer.replies[reply, voice]]
            length = entry.length / RATE
            if begins + length + 0.2 > self.seconds:
                self._drop_questions_after(line, asked)
                return
            interrupted = follows and length > 1.6 and rng.random() < manners.barge_in
            heard = rng.uniform(0.6, length - 0.5) if interrupted else length
            spoken = min(heard + rng.uniform(*manners.stops_after), length) if interrupted else length
            self._answer(entry, reply, begins, spoken, length)
            self.exchanges.append((self.composer.script.lines[line].text, reply, kind, asked, begins))
            pause = rng.uniform(*manners.next_after) + (rng.uniform(3, 8) if rng.random() < manners.long_silence else 0)
            self.now = begins + heard + (0.0 if interrupted else pause)

    def _ask(self, line: int) -> float:
        """The user speaks from now on, perhaps with pauses inside; returns when the turn is over."""
        entry, at = self.composer.entries[line], round(self.now * RATE)
        gaps = self._hesitations(entry)
        edges = [0, *sorted(gaps), entry.length]
        for begin, until in itertools.pairwise(edges):
            at += gaps.get(begin, 0)
            self.user.append(Piece(at + begin, entry.start + begin, until - begin, begin > 0, until < entry.length))
        ends = (*entry.words[1:], entry.length / RATE)
        for end, word in zip(ends, self.composer.script.lines[line].text.split(), strict=True):
            waited = sum(gap for cut, gap in gaps.items() if end * RATE > cut + 1)
            self.heard.append(Word(round(self.now * RATE) / RATE + end + waited / RATE, word))
        return (at + entry.length) / RATE

    def _hesitations(self, entry: Entry) -> dict[int, int]:
        """Pauses before words of a turn: sample of the entry -> samples of silence. One in three is before one of the
        last two words, where the sentence seems to be over and is not."""
        manners, rng = self.composer.manners, self.rng
        inner = [round(w * RATE) for w in entry.words[1:] if 0.25 < w < entry.length / RATE - 0.2]
        if not inner or rng.random() >= manners.hesitation:
            return {}
        count = 2 if rng.random() < manners.hesitation_twice else 1
        cuts = {rng.choice(inner[-2:] if rng.random() < 0.33 else inner) for _ in range(count)}
        return {cut: round(rng.uniform(*manners.hesitation_for) * RATE) for cut in sorted(cuts)}

    def _answer(self, entry: Entry, reply: str, begins: float, spoken: float, length: float) -> None:
        self.own.append(Piece(round(begins * RATE), entry.start, round(spoken * RATE), fade_out=spoken < length))
        for at, text in zip(entry.words, reply.split(), strict=True):
            if at < spoken:
                self.words.append(Word(begins + at, text))

    def _drop_questions_after(self, line: int, asked: float) -> None:
        """A question that gets no answer in time is taken back, unless it is cut off by the talk's end itself."""
        start = self.composer.entries[line].start
        end = start + self.composer.entries[line].length
        self.user = [
            piece for piece in self.user if not (start <= piece.source < end and piece.at / RATE >= self.now - 1e-3)
        ]
        self.heard = [word for word in self.heard if word.at < self.now]
