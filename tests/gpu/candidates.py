"""What `tests.gpu.tune_kernels` tries: forms of kernels and launch shapes; and a small model to build them for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import torch

from engine.config import MIMI, MOSHI_7B
from engine.duplex import Duplex
from engine.fused import Launches
from engine.fused_codec import CodecCuts
from engine.fused_quantized import WordLaunches
from engine.kernels_linear import Launch
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.quantize import make_room

L = Launch
Change = dict[str, Any]


class Choice(NamedTuple):
    """How a frame is run: the temporal and depth stages, the codec, and quantised products."""

    launches: Launches
    codec: CodecCuts
    words: WordLaunches
    by_words: bool = True

    def changed(self, change: Change) -> Choice:
        """With some fields of its parts changed. "codec." before a name: the codec's; "words.": the products'."""
        parts: dict[str, Change] = {"launches": {}, "codec": {}, "words": {}}
        own: Change = {}
        for name, value in change.items():
            part, _, field = name.rpartition(".")
            if name == "by_words":
                own[name] = value
            else:
                parts[part or "launches"][field] = value
        for part, fields in parts.items():
            own[part] = getattr(self, part)._replace(**fields)
        return self._replace(**own)


def start_choice() -> Choice:
    return Choice(Launches(), CodecCuts(), WordLaunches())


def ring(splits: int, block: int, warps: int, registers: int = 0) -> Change:
    shape = {"ring_splits": splits, "ring_block": block, "ring_warps": warps, "ring_registers": registers}
    return {"ring_shares": True, **shape}


def each(stage: str, field: str, *values: Any) -> list[tuple[str, Change]]:
    return [(stage, {field: value}) for value in values]


RINGS = [("temporal", ring(*shape)) for shape in (
    (32, 32, 4), (32, 64, 8, 80), (64, 32, 4, 80), (16, 32, 4), (32, 64, 4), (32, 64, 8), (16, 128, 8), (16, 64, 4),
    (64, 32, 4), (16, 64, 8, 80), (32, 32, 4, 64), (32, 32, 8), (32, 16, 2),
)]  # fmt: skip
AHEAD = each("temporal", "ring_ahead", 0.5, 1.0, 0.25)

PLAIN = [
    *each("depth", "depth_tight", True),
    *each("depth", "depth_attend", L(8, 1, 4), L(4, 1, 4), L(16, 1, 4), L(8, 1, 8), L(2, 1, 4), L(8, 1, 2)),
    *each("temporal", "out", L(4, 2), L(2, 4), L(8, 1), L(2, 8, 4), L(4, 8), L(2, 2)),
    *each("depth", "depth_project", L(4, 1, 2), L(8, 1, 2), L(4, 1, 4), L(16, 1, 8), L(8, 1, 8)),
    *each("depth", "depth_gate", L(2, 1, 2), L(4, 1, 4), L(2, 1, 4), L(8, 1, 4), L(2, 2, 2)),
    *each("depth", "depth_down", L(8, 1, 8), L(4, 1, 8), L(4, 1, 4), L(4, 1, 16)),
    *each("depth", "depth_head", L(16, 1, 8), L(8, 1, 4), L(4, 1, 4), L(16, 1, 16)),
    *each("depth", "depth_inputs", L(4, 8), L(2, 16), L(4, 4)),
    *each("temporal", "project", L(4, 8), L(2, 24), L(4, 24), L(2, 12, 4)),
    *each("temporal", "gate", L(1, 43, 4), L(2, 22, 8), L(1, 22, 8), L(1, 11, 4)),
    *each("temporal", "down_block", 1024, 256),
    *each("temporal", "down", L(4), L(16, 1, 8), L(8, 1, 4), L(4, 1, 4)),
    *each("temporal", "text_head", L(2, 32), L(4, 16), L(2, 16, 4)),
]
CODEC = [
    *each("codec", "codec.ring_warps", 16, 8),
    *each("codec", "codec.precision", "tf32x3"),
    *each("codec", "codec.in_proj", L(4, 1, 4), L(8, 1, 8), L(8, 1, 2), L(16, 1, 8)),
    *each("codec", "codec.linear1", L(4, 1, 4), L(8, 1, 8), L(8, 1, 2), L(16, 1, 8)),
    *each("codec", "codec.linear2", L(4, 1, 4), L(2, 1, 8), L(2, 1, 4), L(8, 1, 16)),
    *each("codec", "codec.out_proj", L(2, 1, 4), L(4, 1, 2), L(8, 1, 8)),
    *each("codec", "codec.depth", 64, 16),
    *each("codec", "codec.warps", 8, 2),
    *each("codec", "codec.programs", 160, 640),
    *each("codec", "codec.level_rows", 8, 32),
    *each("codec", "codec.few_rows", 256, 64),
]


def word_candidates(four_bits: bool) -> list[tuple[str, Change]]:
    """Launch shapes of products by words. A thread that holds more than four rows runs out of registers."""
    project = [L(4, 12), L(2, 24), L(2, 12), L(2, 12, 4), L(4, 6, 4), L(4, 24), L(2, 24, 4), L(1, 24, 4)]
    gate = [L(1, 22, 4), L(2, 22), L(1, 44), L(1, 22), L(1, 44, 4), L(2, 44), L(1, 11, 4), L(4, 11)]
    out = [L(4, 4), L(2, 4), L(2, 2), L(2, 4, 4), L(2, 2, 4), L(1, 8, 4)]
    down = [L(8, 1, 4), L(16, 1, 8), L(4, 1, 4), L(4, 1, 8), L(4, 1, 2), L(16, 1, 4)]
    whole = [
        {"words.down_block": 0, "words.down": shape} for shape in (L(2, 4, 16), L(1, 8, 16), L(2, 2, 16), L(1, 16, 8))
    ]
    return [
        *each("temporal", "words.project", *project),
        *each("temporal", "words.gate", *gate),
        *each("temporal", "words.down", *down),
        *each("temporal", "words.down_block", *((512, 256) if four_bits else (512, 1024, 256))),
        *(("temporal", change) for change in whole),
        ("temporal", {"words.down_block": 512, "words.down": L(8)}),
        *each("temporal", "words.out", *out),
        *each("depth", "words.depth_attend", L(4, 1, 4), L(16, 1, 4), L(8, 1, 2), L(8, 1, 8), L(4, 1, 2)),
        *each("depth", "words.depth_gate", L(2, 1, 2), L(4, 1, 4), L(2, 1, 1), L(4, 1, 1), L(8, 1, 4)),
        *each("depth", "words.depth_project", L(8, 1, 2), L(4, 1, 2), L(4, 1, 4), L(16, 1, 4)),
        *each("depth", "words.depth_down", L(8, 1, 4), L(4, 1, 4), L(4, 1, 2), L(16, 1, 8), L(2, 1, 4)),
        *each("depth", "words.depth_head", L(16), L(8, 1, 4), L(4, 1, 4)),
        *each("depth", "words.depth_inputs", L(4, 4), L(2, 8), L(2, 16)),
        *each("temporal", "words.text_head", L(2, 32), L(4, 8), L(2, 16, 4)),
    ]


def tried_first(precision: str, apart: bool = False) -> Any:
    """The forms from which most is hoped: one change, or (`apart`) the changes one by one with their stages."""
    if precision == "bfloat16":
        first = [RINGS[0], ("temporal", {"ring_ahead": 0.5}), ("depth", {"depth_tight": True}),
                 ("codec", {"codec.ring_warps": 16})]  # fmt: skip
        return first if apart else {name: value for _, change in first for name, value in change.items()}
    return [] if apart else {}


def candidates(precision: str) -> list[tuple[str, Change]]:
    """(stage by which it is judged, change), in the order in which they are tried."""
    if precision == "bfloat16":
        return [*RINGS[1:], *AHEAD, *PLAIN]
    ahead = each("temporal", "ring_ahead", 0.0, 1.0, 0.5)
    compared = [] if precision == "int4" else each("temporal", "words.words", False)
    other = ("temporal", {"by_words": False})
    return [*word_candidates(precision == "int4"), *ahead, *compared, *RINGS[:3], other]


def small_model(precision: str) -> Duplex:
    """One layer of each kind at full width, without values: enough to build kernels by. On the processor."""
    sizes = replace(MOSHI_7B, num_layers=1, depformer_num_layers=1)
    with torch.device("meta"):
        lm = LanguageModel(sizes).to(torch.bfloat16)
        mimi = Mimi(MIMI, sizes.codebooks)
    make_room(lm, precision)
    lm.to_empty(device="cpu")
    mimi.to_empty(device="cpu")
    mimi.quantizer.precompute()
    return Duplex(lm, mimi, kernels=False)
