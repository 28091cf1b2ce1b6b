"""What happens in a talk that follows a script, as events: screenshots and tests.

Owns the words that both sides say. Pure.
"""

from __future__ import annotations

from app.messages import (
    Event,
    ModeChanged,
    ModelInfo,
    ModelLoaded,
    PhaseChanged,
    SamplingChanged,
    TalkStarted,
    TextSpoken,
    UserSpoke,
)
from ui.scripted import OWN_SAMPLING

TALK = (
    (1.0, "Hello, hey, how can I help you today?"),
    (9.4, "Sure. Photosynthesis is how plants make food from light."),
    (14.2, "They take in water and carbon dioxide, and give back oxygen."),
    (22.6, "Oh, right, mostly in the leaves."),
    (31.0, "Exactly, and the green colour is the chlorophyll that catches the light."),
    (40.2, "Mm-hm."),
    (43.1, "You could try it with a glass of water and some pondweed in the sun; you will see little bubbles."),
)
USER = (
    (4.6, "Hi! How do plants make their food?"),
    (19.2, "And where in the plant does that happen?"),
    (26.8, "Is that why they are green?"),
    (37.4, "I see. Can I watch it somehow?"),
)
WORD_SECONDS = 0.24


def speech(turns: tuple[tuple[float, str], ...] = TALK, user: tuple[tuple[float, str], ...] = USER) -> list[Event]:
    """The words of a talk, one piece a frame as the model speaks them; what the user said comes late, as it does."""
    events: list[Event] = []
    for start, text in turns:
        for number, word in enumerate(text.split()):
            events.append(TextSpoken(start + number * WORD_SECONDS, f" {word}"))
    for start, text in user:
        times = [start + number * WORD_SECONDS for number in range(len(text.split()))]
        words = zip(times, text.split(), strict=True)
        events.append(UserSpoke(1, tuple((time, time + WORD_SECONDS, word) for time, word in words)))
    return events


def ready(info: ModelInfo, mode: str) -> list[Event]:
    held = SamplingChanged(OWN_SAMPLING)
    return [PhaseChanged("loading"), ModelLoaded(info), ModeChanged(mode, info.modes), held, PhaseChanged("ready")]


def talking(info: ModelInfo, mode: str) -> list[Event]:
    return [*ready(info, mode), PhaseChanged("priming"), PhaseChanged("talking"), TalkStarted(), *speech()]
