"""A transcript as a file: plain text, Markdown, or SubRip subtitles.

Owns the three layouts. Both speakers are named where both have spoken; where only the model's words are known, they
stand by themselves. Pure functions of turns; no file.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ui.figures import format_clock
from ui.turns import USER, Talk, Turn
from ui.words import marked, tr

FRAME_S = 0.08
LINE_CHARACTERS = 42  # of a subtitle; the usual measure of broadcasters, two lines at most
LONGEST_S, SHORTEST_S = 6.0, 1.0  # a subtitle stands no longer and, where there is room, no shorter
READABLE_CHARACTERS = 30  # a subtitle this long may end with its sentence


class Cue(NamedTuple):
    """One subtitle; times in seconds."""

    start_s: float
    end_s: float
    text: str


class Form(NamedTuple):
    """A kind of file: its name for people, its ending, what makes it, and whether only the newest talk is in it."""

    name: str
    ending: str
    make: Callable[[Sequence[Talk]], str]
    newest_alone: bool = False

    def held(self, talks: Sequence[Talk]) -> Sequence[Talk]:
        """Those of the talks that are in the file."""
        return talks[-1:] if self.newest_alone else talks


def speaker(turn: Turn) -> str:
    return tr("You") if turn.speaker == USER else tr("Model")


def as_text(talks: Sequence[Talk]) -> str:
    """A line per turn with its time, talks under a heading each."""
    parts = ["\n".join([_heading(talk), "", *_lines(talk, "{time}  {who}{text}")]) for talk in talks]
    return "\n\n".join(parts) + "\n"


def as_markdown(talks: Sequence[Talk]) -> str:
    """A heading per talk, a paragraph per turn."""
    parts = []
    for talk in talks:
        parts += [f"# {_heading(talk)}", *_lines(talk, "`{time}` {who}{text}", "**{}:** ", escaped=True)]
    return "\n\n".join(parts) + "\n"


def as_srt(talks: Sequence[Talk]) -> str:
    """Subtitles of the newest talk: its times are those of its recording."""
    cues = [cue for talk in talks[-1:] for cue in cues_of(talk)]
    blocks = [
        f"{number}\n{_srt_time(cue.start_s)} --> {_srt_time(cue.end_s)}\n{cue.text}\n"
        for number, cue in enumerate(cues, start=1)
    ]
    return "\n".join(blocks)


FORMS = (
    Form(marked("Text"), ".txt", as_text),
    Form(marked("Markdown"), ".md", as_markdown),
    Form(marked("Subtitles of the last talk"), ".srt", as_srt, newest_alone=True),
)


def cues_of(talk: Talk) -> list[Cue]:
    """Subtitles in order: whole words, two lines each, never over one another unless both speak at once."""
    cues: list[Cue] = []
    for turn in talk.turns:
        who = f"{speaker(turn)}: " if talk.both_speak else ""
        cues += [Cue(start, end, who + words) for start, end, words in _split(turn.words())]
    cues.sort(key=lambda cue: cue.start_s)
    return [_readable(cue, cues[number + 1 :]) for number, cue in enumerate(cues)]


def _split(words: Iterable[tuple[float, str]]) -> list[tuple[float, float, str]]:
    """Words with their times as stretches that a subtitle can hold: (start, end, text)."""
    made: list[tuple[float, float, str]] = []
    for time_s, word in words:
        if made and not _full(made[-1], time_s, word):
            start, _, text = made[-1]
            made[-1] = (start, time_s + FRAME_S, f"{text} {word}")
        else:
            made.append((time_s, time_s + FRAME_S, word))
    return made


def _full(cue: tuple[float, float, str], time_s: float, word: str) -> bool:
    start, _, text = cue
    ended = text.endswith((".", "?", "!", "…")) and len(text) >= READABLE_CHARACTERS
    return ended or len(text) + 1 + len(word) > 2 * LINE_CHARACTERS or time_s + FRAME_S - start > LONGEST_S


def _readable(cue: Cue, later: Sequence[Cue]) -> Cue:
    """The cue in lines, standing long enough to be read but not into the next one."""
    follows = next((other.start_s for other in later if other.start_s > cue.start_s), float("inf"))
    end_s = max(cue.end_s, min(cue.start_s + SHORTEST_S, follows))
    return Cue(cue.start_s, end_s, "\n".join(textwrap.wrap(cue.text, LINE_CHARACTERS)) or cue.text)


def _heading(talk: Talk) -> str:
    return tr("Talk of {date}").format(date=f"{talk.began:%Y-%m-%d, %H:%M}")


def _lines(talk: Talk, layout: str, who: str = "{}: ", escaped: bool = False) -> list[str]:
    lines = []
    for turn in talk.turns:
        named = who.format(speaker(turn)) if talk.both_speak else ""
        text = " ".join(turn.text.split())
        lines.append(layout.format(time=format_clock(turn.start_s), who=named, text=_escape(text) if escaped else text))
    return lines


def _escape(text: str) -> str:
    """What Markdown would take for its own signs stays what was said."""
    for sign in "\\`*_[]<>#|":
        text = text.replace(sign, f"\\{sign}")
    return text


def _srt_time(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    rest, thousandths = divmod(milliseconds, 1000)
    return f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d},{thousandths:03d}"
