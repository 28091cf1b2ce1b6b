"""The memory estimate against the published counts and against what the engine really allocates."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from app import memory
from app.errors import UserError
from engine.config import LMConfig, MimiConfig
from engine.frame import frame_slots
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.precision import NAMES, QUANTIZED
from engine.quantize import make_room
from engine.state import State
from engine.tables import in_host_memory

GIB = 1 << 30
LM, MIMI = LMConfig(), MimiConfig()
SMALL_LM = LMConfig(
    dim=64, num_layers=3, num_heads=4, context=40, text_card=120, card=32, n_q=6, dep_q=3, depformer_dim=32,
    depformer_num_layers=2, depformer_num_heads=2,
)  # fmt: skip
SMALL_MIMI = MimiConfig(
    dimension=32, n_filters=4, n_residual_layers=2, kernel_size=5, num_heads=2, num_layers=2, dim_feedforward=48,
    context=20, codebook_dim=16, n_q=8, bins=32,
)  # fmt: skip


def modules(lm: LMConfig, mimi: MimiConfig) -> tuple[LanguageModel, Mimi]:
    with torch.device("meta"):
        return LanguageModel(lm), Mimi(mimi, lm.codebooks)


def values(module: torch.nn.Module) -> int:
    return sum(p.numel() for p in (*module.parameters(), *module.buffers()))


def lm_values(lm: LMConfig) -> int:
    """Weights that are loaded: the own depth steps only."""
    return sum(count * math.prod(shape) for _, shape, count in memory.lm_shapes(lm))


def test_published_counts() -> None:
    """facts lm 4 and 5, mimi."""
    assert lm_values(LM) == 7_687_729_152
    assert lm_values(replace(LM, dep_q=16)) == 7_687_729_152  # the last 8 steps are dropped
    read = memory.stage_bytes(LM, MIMI, "bfloat16", 0)
    # Published without the norms of the two stacks (2.1 MB and 24 kB), which a frame reads as well.
    assert read["temporal"] - 139_264 - 4096 * 2 == 13_153_861_632 + 262_144_000
    assert read["depth"] == pytest.approx(1_333_813_248, rel=2e-5)
    assert read["encode"] - 8 * 2048 * 4 == 173_294_720
    assert read["decode"] == 160_716_932
    full = memory.stage_bytes(LM, MIMI, "bfloat16", 5000)
    assert full["temporal"] - read["temporal"] == 1_572_864_000
    assert full["encode"] + full["decode"] - read["encode"] - read["decode"] == 16_384_000


@pytest.mark.parametrize(("lm", "mimi"), [(LM, MIMI), (SMALL_LM, SMALL_MIMI)])
def test_sums_equal_the_modules(lm: LMConfig, mimi: MimiConfig) -> None:
    language_model, codec = modules(lm, mimi)
    assert lm_values(lm) == values(language_model)
    assert memory.encode_values(mimi, lm.codebooks) + memory.decode_values(mimi) == values(codec)


@pytest.mark.parametrize("precision", NAMES)
@pytest.mark.parametrize(("lm", "mimi"), [(LM, MIMI), (SMALL_LM, SMALL_MIMI), (replace(SMALL_LM, dim=192), SMALL_MIMI)])
def test_weights_are_those_of_the_engine_to_the_byte(lm: LMConfig, mimi: MimiConfig, precision: str) -> None:
    """User report L5: group scales too."""
    language_model, _ = modules(lm, mimi)
    if precision == "bfloat16" or precision in QUANTIZED:
        language_model.bfloat16()
    make_room(language_model, precision)
    sizes = {name: p.numel() * p.element_size() for name, p in language_model.named_parameters()}
    on_card = sum(size for name, size in sizes.items() if not in_host_memory(name, torch.device("cuda")))
    plain = memory.VALUE_BYTES[memory.computes_in(precision, "cuda")]
    assert memory.table_bytes(lm, precision, plain) == sum(sizes.values()) - on_card > 0
    assert memory.estimate(lm, mimi, precision, "cuda").weights == on_card


@pytest.mark.parametrize("precision", QUANTIZED)
def test_quantised_weights_leave_the_rings_as_they_are(precision: str) -> None:
    assert memory.estimate(LM, MIMI, precision, "cuda:0").rings == 1_572_864_000
    assert memory.estimate(LM, MIMI, precision, "cpu").rings == 2 * 1_572_864_000
    read, plain = (memory.stage_bytes(LM, MIMI, name, 0) for name in (precision, "bfloat16"))
    part = 0.2666 if precision == "int4" else 0.5005
    assert read["temporal"] / plain["temporal"] == pytest.approx(part, abs=0.005)
    assert read["depth"] / plain["depth"] == pytest.approx(part, abs=0.01)


@pytest.mark.parametrize("kv", ["full", "int8"])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize(("lm", "mimi"), [(LM, MIMI), (SMALL_LM, SMALL_MIMI)])
def test_state_is_within_five_per_cent(lm: LMConfig, mimi: MimiConfig, precision: str, kv: str) -> None:
    """User report L5: everything that a talk changes, attention rings first."""
    dtype = {"float32": torch.float32, "bfloat16": torch.bfloat16}[precision]
    language_model, codec = modules(lm, mimi)
    slots = language_model.slots(dtype, kv) | frame_slots(lm, mimi, dtype)
    for half in codec.slots():
        slots |= half
    estimate = memory.estimate(lm, mimi, precision, kv=kv)
    estimated = estimate.rings + estimate.state + memory.codec_state_bytes(mimi)
    assert estimated == pytest.approx(State(slots, "meta").nbytes, rel=0.05)


def test_rings_are_in_bfloat16_and_follow_the_context() -> None:
    """User reports L5 and L6: 1.573 GB at 3000 frames, exactly an eighth at 375; float32 would be twice as much."""
    assert memory.estimate(LM, MIMI, "bfloat16").rings == 1_572_864_000
    assert memory.estimate(replace(LM, context=375), MIMI, "bfloat16").rings * 8 == 1_572_864_000
    assert memory.estimate(LM, MIMI, "float32").rings == 2 * 1_572_864_000
    assert memory.estimate(LM, MIMI, "bfloat16", kv="int8").rings == 798_720_000  # 130 bytes for each 256
    made = {}
    for context in (3000, 375):
        slots = modules(replace(LM, context=context), MIMI)[0].slots(torch.bfloat16, "full")
        state = State(slots, "meta")
        rings = [state[name] for name in state if name.startswith("temporal.") and name.endswith((".keys", ".values"))]
        assert {ring.dtype for ring in rings} == {torch.bfloat16}
        made[context] = sum(ring.numel() * ring.element_size() for ring in rings)
    assert made == {3000: 1_572_864_000, 375: 1_572_864_000 // 8}


def test_processor_needs_no_cuda() -> None:
    card, processor = memory.estimate(LM, MIMI, "float32", "cuda:1"), memory.estimate(LM, MIMI, "float32", "cpu")
    assert processor.graphs == 0
    assert processor.weights == card.weights + memory.table_bytes(LM, "float32", 4)


def test_refusal_holds_both_numbers() -> None:
    """User report L3: 7.6 GiB free of 16 and a 7B in bfloat16."""
    with pytest.raises(UserError) as caught:
        memory.refuse_if_too_large(LM, MIMI, "bfloat16", "cuda:0", int(7.6 * GIB), 16 * GIB)
    sentence = str(caught.value)
    needed = memory.gib(memory.estimate(LM, MIMI, "bfloat16").to_come)
    assert needed in sentence
    assert "7.6 GiB free of 16.0 GiB" in sentence
    assert "Precision int4 would fit" in sentence
    assert "\n" not in sentence


def test_refusal_offers_what_fits() -> None:
    with pytest.raises(UserError, match="Precision bfloat16 would fit"):
        memory.refuse_if_too_large(LM, MIMI, "float32", "cuda", 24 * GIB, 24 * GIB)
    with pytest.raises(UserError, match="Precision int8 would fit"):
        memory.refuse_if_too_large(LM, MIMI, "bfloat16", "cuda", 10 * GIB, 24 * GIB)
    with pytest.raises(UserError, match="Precision int4 would fit"):
        memory.refuse_if_too_large(LM, MIMI, "fp8", "cuda", 8 * GIB, 24 * GIB)
    with pytest.raises(UserError, match="Close other programs"):
        memory.refuse_if_too_large(LM, MIMI, "bfloat16", "cuda", 5 * GIB, 24 * GIB)
    memory.refuse_if_too_large(LM, MIMI, "bfloat16", "cuda", 20 * GIB, 24 * GIB)
    memory.refuse_if_too_large(SMALL_LM, SMALL_MIMI, "float32", "cpu", 1 * GIB, 2 * GIB)


def test_fit_table_of_the_full_model() -> None:
    table = memory.fit_table(LM, MIMI, NAMES)
    assert table["bfloat16"] == {8: False, 12: False, 16: False, 24: True, 32: True}
    assert table["int8"] == table["fp8-row"] == {8: False, 12: True, 16: True, 24: True, 32: True}
    assert all(table["int4"].values())
    assert table["float32"] == {8: False, 12: False, 16: False, 24: False, 32: True}
