"""Quantised models on a GPU: fused and plain path agree, graph and eager are one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from engine.agreement import teacher_columns
from engine.config import MIMI, LMConfig
from engine.conversion import converted, judge
from engine.duplex import Duplex
from engine.graphs import compiled_counts
from engine.precision import QUANTIZED
from engine.sampling import SamplingValues
from engine.weights import find, load_lm
from tests.checkpoints import write_checkpoint
from tests.gpu.talks import apart, copy_of, parts_apart, same, talk

pytestmark = pytest.mark.gpu

SMALL = LMConfig(dim=1024, num_layers=4, num_heads=8, context=200, depformer_num_layers=2)


@pytest.fixture(params=QUANTIZED)
def duplex(request: pytest.FixtureRequest) -> Iterator[Duplex]:
    engine = Duplex.random(SMALL, MIMI, device="cuda", precision=request.param)
    yield engine
    engine.unload()


def test_the_fused_path_runs_and_is_near_the_plain_one(duplex: Duplex) -> None:
    """Text logits' source, the temporal rings, after one frame from the same start; bfloat16 rounds, kernels sum in
    another order."""
    if duplex.precision.startswith("fp8") and torch.cuda.get_device_capability() < (8, 9):
        pytest.skip("fp8 needs compute capability 8.9")
    assert duplex.plain_reason is None
    plain = Duplex.random(SMALL, MIMI, device="cuda", precision=duplex.precision, kernels=False)
    with torch.inference_mode():
        for engine in (plain, duplex):
            engine.set_sampling(SamplingValues(0.0, 250, 0.0, 25))
            engine.reset(seed=1)
            engine.state["frame.heard"].fill_(7)
            engine.frame.temporal()
            engine.frame.depth()
        for layer in range(4):
            for part in ("keys", "values"):
                name = f"temporal.{layer}.{part}"
                apart = (duplex.state[name] - plain.state[name]).float().norm() / plain.state[name].float().norm()
                assert apart < 0.02, name


def test_graph_and_eager_agree_bit_for_bit(duplex: Duplex) -> None:
    """In every precision, past the wrap of the ring; so does the plain path where the kernels do not fit."""
    duplex.prepare("graph")
    eager = talk(duplex, ["eager"], 220)
    wanted = copy_of(duplex.state, duplex)
    for modes in (["graph"], ["graph", "eager"]):
        assert apart(talk(duplex, modes, 220), eager) == "", modes
        assert parts_apart(wanted, duplex) == [], modes


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
def test_rings_in_eight_bits_are_fused_and_graph_and_eager_are_one(precision: str) -> None:
    """Past the wrap of the ring; and near what the plain path keeps in them after a frame."""
    engines = [
        Duplex.random(SMALL, MIMI, device="cuda", precision=precision, kv="int8", kernels=kernels)
        for kernels in (True, False)
    ]
    fused = engines[0]
    assert fused.plain_reason is None
    for engine in engines:
        engine.set_sampling(SamplingValues(0.0, 250, 0.0, 25))
        engine.reset(seed=1)
        with torch.inference_mode():
            engine.state["frame.heard"].fill_(7)
            engine.frame.temporal()
    for layer in range(4):
        for part in ("keys", "values"):
            name = f"temporal.{layer}.{part}"
            held = [engine.state[name].float() * engine.state[f"{name}_scales"].float() for engine in engines]
            assert (held[0] - held[1]).norm() < 0.03 * held[1].norm(), name
    fused.prepare("graph")
    eager = talk(fused, ["eager"], 220)
    wanted = copy_of(fused.state, fused)
    for modes in (["graph"], ["graph", "eager"]):
        assert apart(talk(fused, modes, 220), eager) == "", modes
        assert parts_apart(wanted, fused) == [], modes


@pytest.mark.parametrize("form", ["compiled", "compiled-plain", "compiled-cudagraphs", "compiled-max-autotune"])
@pytest.mark.long
def test_every_way_to_compile_runs_and_the_fp8_rows_are_one_operation(form: str) -> None:
    """No hang at a replay, no overwritten outputs: the same talk twice, in one graph a stage without a break."""
    engine = Duplex.random(SMALL, MIMI, device="cuda", precision="fp8-row")
    engine.prepare("compiled", form=form)
    first = talk(engine, ["compiled"], 60)
    assert same(talk(engine, ["compiled"], 60), first)
    counts = compiled_counts()
    print(f"{form}: {counts}")
    assert counts["graphs"] > 0 and counts["breaks"] == 0
    engine.unload()


def test_the_plain_path_has_graphs_too() -> None:
    engine = Duplex.random(SMALL, MIMI, device="cuda", precision="int4", kernels=False)
    engine.prepare("graph")
    assert same(talk(engine, ["graph"], 60), talk(engine, ["eager"], 60))
    engine.unload()


@pytest.mark.parametrize("precision", QUANTIZED)
def test_conversion_on_the_card_gives_a_file_as_good_as_the_processors(tmp_path: Path, precision: str) -> None:
    """Not the same file to the bit: a card divides a little differently."""
    files = find(write_checkpoint(tmp_path / "m", lm={"dim": 256}))
    config = LMConfig.from_dict(files.config)
    columns = teacher_columns(config, torch.randint(0, config.card, (30, 8)), 60)
    errors = []
    for device in (torch.device("cpu"), torch.device("cuda", 0)):
        twin = converted(files, config, precision, tmp_path / device.type, device)
        errors.append(judge(files, twin, config, columns, device).text_error)
        assert load_lm(twin, config, device, torch.bfloat16).precision == precision
    assert errors[1] == pytest.approx(errors[0], rel=0.3)
