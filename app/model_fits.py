"""Which of the offered models fits this computer, and what each takes of its memory.

Owns the judgement and its words; the sums are `app.memory`'s. The cards are asked through their driver, so that no
torch and no CUDA is started for it. `look` answers in the background; `rows` is at hand for any thread.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from app import memory
from app.checks import real_precisions
from app.graphics_card import Card, list_cards
from app.paths import project_file
from app.text_files import in_background

FITS, SLOW, TOO_LARGE = "fits", "slow", "too large"
_TEXTS = {
    "mini": ("Mini", "Comes with the program; small enough for any processor."),
    "nvidia/personaplex-7b-v1": (
        "PersonaPlex 7B",
        "Follows a voice and a persona. Its licence is accepted once, online.",
    ),
    "kyutai/moshiko-pytorch-bf16": ("Moshi 7B, male voice", "Kyutai's Moshi with the voice Moshiko."),
    "kyutai/moshika-pytorch-bf16": ("Moshi 7B, female voice", "Kyutai's Moshi with the voice Moshika."),
}
BEST = ("bfloat16", "int8", "int4")  # in the order in which one would want them


@dataclass(frozen=True)
class ModelFit:
    """One model. verdict: FITS, SLOW or TOO_LARGE; cost: what it takes of the memory and whether that is there."""

    source: str
    title: str
    about: str
    cost: str
    verdict: str


class ModelFits:
    """sources: those that are offered. cards: how the graphics cards are asked for."""

    def __init__(self, sources: Sequence[str], cards: Callable[[], list[Card]] = list_cards) -> None:
        self._sources = tuple(source for source in sources if source in _TEXTS)
        self._cards = cards
        self._rows: tuple[ModelFit, ...] = ()

    def look(self) -> Future[str]:
        """Judge anew. Comes true with "" once `rows` holds the answer."""
        return in_background(self._judge, "model fits")

    def rows(self) -> tuple[ModelFit, ...]:
        return self._rows

    def _judge(self) -> None:
        card = max(self._cards(), key=lambda found: found.total, default=None)
        self._rows = tuple(self._fit(source, card) for source in self._sources)

    def _fit(self, source: str, card: Card | None) -> ModelFit:
        title, about = _TEXTS[source]
        cost, verdict = _mini() if source == "mini" else _large(card)
        return ModelFit(source, title, about, cost, verdict)


def _mini() -> tuple[str, str]:
    from engine.config import LMConfig, MimiConfig

    folder = project_file("assets/mini")
    lm, mimi = (json.loads((folder / name).read_text("utf-8")) for name in ("config.json", "mimi_config.json"))
    needed = memory.estimate(LMConfig.from_dict(lm), MimiConfig.from_dict(mimi), "float32", "cpu").needed
    return f"Takes {memory.gib(needed)} of memory, the program included.", FITS


def _large(card: Card | None) -> tuple[str, str]:
    """The words for a 7B model on the largest card, in the best precision that fits it."""
    from engine.config import MIMI, MOSHI_7B

    offered = [precision for precision in BEST if precision in real_precisions()]
    needed = {precision: memory.estimate(MOSHI_7B, MIMI, precision).needed for precision in offered}
    usual = needed[offered[0]]
    if card is None:
        return f"Needs an NVIDIA graphics card with {memory.gib(usual)}; on a processor it is far too slow.", SLOW
    fitting = [precision for precision in offered if needed[precision] <= card.total]
    if not fitting:
        least = memory.gib(min(needed.values()))
        return f"Needs at least {least}, and the {card.name} has {memory.gib(card.total)}.", TOO_LARGE
    best = fitting[0]
    return f"Takes {memory.gib(needed[best])} of the {memory.gib(card.total)} of the {card.name}, in {best}.", FITS
