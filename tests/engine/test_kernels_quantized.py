"""Kernels for quantised weights against the plain PyTorch beside them: on a GPU, else in Triton's interpreter."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next
pytest.importorskip("triton", reason="Triton is not installed")

from engine import kernels_quantized, kernels_quantized_warps
from engine import kernels_quantized_depth as depth
from engine.config import LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.frame_choice import FrameChoice
from engine.fused import FusedFrame
from engine.fused_quantized import QuantizedFrame, QuantizedLaunches, launches_for, unsupported
from engine.kernels_linear import EARLY, NO_OVERLAP, Launch, supports_pdl
from engine.precision import QUANTIZED, storage
from engine.quantize import Quantized, QuantizedWeight, dequantized, embedding, empty, quantize
from engine.sampling import SamplingValues

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# bfloat16: sums of another order may round to a neighbour; float32: the vector is rounded to 16 bits.
TOLERANCE = {torch.float32: 3e-4, torch.bfloat16: 0.07}
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
FORMATS = pytest.mark.parametrize("precision", QUANTIZED)
PDL = EARLY if supports_pdl(torch.device(DEVICE)) else NO_OVERLAP


def random(*shape: int, dtype: torch.dtype, seed: int, scale: float = 1.0) -> torch.Tensor:
    values = torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * scale
    return values.to(DEVICE, dtype)


def weight(precision: str, rows: int, columns: int, seed: int = 0) -> Quantized:
    kept = storage(precision, "temporal.layers.0.in_proj", (rows, columns))
    assert kept is not None
    into = empty(kept, (rows, columns), DEVICE)
    quantize(random(rows, columns, dtype=torch.float32, seed=seed, scale=columns**-0.5), kept, into)
    return into


def assert_near(got: torch.Tensor, wanted: torch.Tensor) -> None:
    assert got.dtype == wanted.dtype
    torch.testing.assert_close(got.float(), wanted.float(), rtol=0, atol=TOLERANCE[got.dtype])


@FORMATS
@pytest.mark.parametrize(
    ("dtype", "rows", "columns", "block", "normed"),
    [
        (torch.float32, 24, 192, 0, True),  # more pieces than a row has
        (torch.bfloat16, 15, 128, 0, False),  # rows left over
        (torch.float32, 22, 512, 64, False),  # several blocks a row
        (torch.bfloat16, 24, 512, 64, False),
        (torch.float32, 12, 768, 512, False),  # blocks that do not divide a row: smaller ones, or whole rows
    ],
)
def test_linear(precision: str, dtype: torch.dtype, rows: int, columns: int, block: int, normed: bool) -> None:
    """The product of the normed vector, or added to what is there."""
    matrix = weight(precision, rows, columns)
    x, out = random(columns, dtype=dtype, seed=1), random(rows, dtype=dtype, seed=2)
    norm = random(columns, dtype=dtype, seed=3).abs() if normed else None
    wanted = kernels_quantized.linear_reference(matrix, x, out, norm=norm, add=not normed)
    launch = Launch(4, 1 if block else 3, 4)
    kernels_quantized.linear(matrix, x, out, launch, block, norm=norm, add=not normed, pdl=PDL)
    assert_near(out, wanted)


def whole_weight(precision: str, rows: int, columns: int) -> Quantized:
    """Every number that the format has, the extremes often; scales of 1."""
    smallest, largest = (-8, 7) if precision == "int4" else (-127, 127)
    numbers = torch.randint(smallest, largest + 1, (rows, columns), generator=torch.Generator().manual_seed(4))
    numbers[0], numbers[1], numbers[2, ::2], numbers[2, 1::2] = smallest, largest, smallest, largest
    into = weight(precision, rows, columns)
    into.scales.fill_(1)
    if precision == "int4":
        low, high = (numbers + 8).to(torch.uint8).chunk(2, dim=-1)
        numbers = low | (high << 4)
    into.values.copy_(numbers)
    return into


@pytest.mark.parametrize("precision", ["int8", "int4"])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_of_whole_numbers_are_exact_up_to_the_largest(precision: str, sign: int) -> None:
    """Numbers of the vector that 16 bits hold are not rounded, and no piece overflows."""
    matrix = whole_weight(precision, 8, 128)
    x = random(128, dtype=torch.float32, seed=1, scale=9000).round().clamp(-32767, 32767)
    x[::16] = sign * 32767.0
    x[32:64] = sign * 32767.0  # a whole piece of the largest, and a piece of both signs
    x[64:80:2], x[65:80:2] = 32767.0, -32767.0
    out = torch.zeros(8, dtype=torch.float32, device=DEVICE)
    kernels_quantized.linear(matrix, x, out, Launch(4, 2, 4), pdl=PDL)
    wanted = dequantized(matrix, torch.float64) @ x.double()
    torch.testing.assert_close(out.double(), wanted, rtol=1e-6, atol=32)


@pytest.mark.parametrize("precision", ["int8", "int4"])
@pytest.mark.parametrize("block", [0, 64])
def test_one_huge_number_spoils_its_neighbours_only(precision: str, block: int) -> None:
    """Every 16 numbers of the vector have their own unit: the rest of a vector is as exact as without the huge one."""
    matrix, x = weight(precision, 8, 512), random(512, dtype=torch.float32, seed=1)
    x[7] = 1e6
    first = matrix.values[:, :16]  # so that nothing is seen of its own 16
    first.copy_((first & 0xF0) | 8 if precision == "int4" else torch.zeros_like(first))
    out = torch.zeros(8, dtype=torch.float32, device=DEVICE)
    kernels_quantized.linear(matrix, x, out, Launch(4, 1, 4), block, add=True, pdl=PDL)
    torch.testing.assert_close(out.double(), dequantized(matrix, torch.float64) @ x.double(), rtol=0, atol=3e-4)


@pytest.mark.parametrize("precision", ["int8", "int4"])
def test_a_vector_of_zeros_gives_zeros(precision: str) -> None:
    out = torch.ones(8, dtype=torch.float32, device=DEVICE)
    x = torch.zeros(128, device=DEVICE)
    kernels_quantized.linear(weight(precision, 8, 128), x, out, Launch(4, 2, 4), pdl=PDL)
    assert out.eq(0).all()


@FORMATS
@pytest.mark.parametrize(("dtype", "hidden"), [(torch.float32, 14), (torch.bfloat16, 10)])
def test_gated(precision: str, dtype: torch.dtype, hidden: int) -> None:
    matrix = weight(precision, 2 * hidden, 128)
    x, norm = random(128, dtype=dtype, seed=1), random(128, dtype=dtype, seed=2).abs()
    out = torch.full((hidden,), torch.nan, dtype=dtype, device=DEVICE)
    kernels_quantized.gated(matrix, x, norm, out, Launch(4, 3, 4), pdl=PDL)
    assert_near(out, kernels_quantized.gated_reference(matrix, x, norm))


@DTYPES
@FORMATS
@pytest.mark.parametrize("embedded", [True, False])
def test_depth_projection(dtype: torch.dtype, precision: str, embedded: bool) -> None:
    matrix = weight(precision, 192, 64)
    x, norm = random(64, dtype=dtype, seed=1), random(64, dtype=dtype, seed=2).abs()
    keys, values = (torch.zeros(4, 8, 16, dtype=dtype, device=DEVICE) for _ in range(2))
    query, embed, wanted_x = torch.zeros(64, dtype=dtype, device=DEVICE), None, x.clone()
    if embedded:
        table, token = weight("int8", 20, 64, seed=5), torch.tensor([7], device=DEVICE)
        embed = (random(64, dtype=dtype, seed=6), table, token)
        wanted_x = embed[0] + embedding(table, token, dtype)[0]
    depth.depth_project(matrix, norm, x, query, keys, values, 3, Launch(8, 1, 4), embed=embed, pdl=PDL)
    assert_near(x, wanted_x)
    wanted = depth.depth_project_reference(matrix, norm, x)
    assert_near(torch.cat((query, keys[:, 3].flatten(), values[:, 3].flatten())), wanted)
    assert keys[:, :3].eq(0).all() and values[:, 4:].eq(0).all()


FEW_BITS = pytest.mark.parametrize("precision", ["int8", "int4"])


@FEW_BITS
@pytest.mark.parametrize(("dtype", "hidden"), [(torch.float32, 14), (torch.bfloat16, 10)])
@pytest.mark.parametrize("columns", [64, 192])
def test_gated_in_warps(precision: str, dtype: torch.dtype, hidden: int, columns: int) -> None:
    """Rows left over; lanes without a piece."""
    matrix = weight(precision, 2 * hidden, columns)
    assert kernels_quantized_warps.fits(matrix)
    x, norm = random(columns, dtype=dtype, seed=1), random(columns, dtype=dtype, seed=2).abs()
    out = torch.full((hidden,), torch.nan, dtype=dtype, device=DEVICE)
    kernels_quantized_warps.gated(matrix, x, norm, out, Launch(4, 1, 2), pdl=PDL)
    assert_near(out, kernels_quantized.gated_reference(matrix, x, norm))


@FEW_BITS
@pytest.mark.parametrize("embedded", [True, False])
def test_depth_projection_in_warps(precision: str, embedded: bool) -> None:
    """The very same as by the other kernel, but for the norm's rounding; a token below zero embeds to nothing."""
    matrix = weight(precision, 192, 64)
    given, norm = random(64, dtype=torch.float32, seed=1), random(64, dtype=torch.float32, seed=2).abs()
    results = []
    for kernels in (depth, kernels_quantized_warps):
        x = given.clone()
        keys, values = (torch.zeros(4, 8, 16, device=DEVICE) for _ in range(2))
        query, embed = torch.zeros(64, device=DEVICE), None
        if embedded:
            table, token = weight("int8", 20, 64, seed=5), torch.tensor([7], device=DEVICE)
            embed = (random(64, dtype=torch.float32, seed=6), table, token)
        kernels.depth_project(matrix, norm, x, query, keys, values, 3, Launch(8, 1, 4), embed=embed, pdl=PDL)
        results.append(torch.cat((x, query, keys.flatten(), values.flatten())))
    assert_near(results[1], results[0])


@FEW_BITS
@pytest.mark.parametrize("step", range(8) if DEVICE == "cuda" else (1, 6))
def test_depth_layer_in_warps_at_full_width(precision: str, step: int) -> None:
    """All three products as they are run, for every number of steps."""
    cuts = launches_for(precision)
    on_card = DEVICE == "cuda"  # else few programs, for they run one by one
    dim, hidden, dtype = 1024, 2816 if on_card else 64, torch.bfloat16
    project, out, gate = (weight(precision, rows, dim, seed) for seed, rows in enumerate((3 * dim, dim, 2 * hidden)))
    x, norm = random(dim, dtype=dtype, seed=1), random(dim, dtype=dtype, seed=2).abs()
    keys, values = (random(16, 8, 64, dtype=dtype, seed=seed) for seed in (3, 4))
    keys[:, step:], values[:, step:] = torch.nan, torch.nan
    query, result = torch.zeros(dim, dtype=dtype, device=DEVICE), torch.zeros(hidden, dtype=dtype, device=DEVICE)
    projected = depth.depth_project_reference(project, norm, x)
    kernels_quantized_warps.depth_project(
        project, norm, x, query, keys, values, step, cuts.depth_project if on_card else Launch(512), pdl=PDL
    )
    assert_near(torch.cat((query, keys[:, step].flatten(), values[:, step].flatten())), projected)
    for warps in (4, 8):
        attended = x.clone()
        wanted = depth.depth_attend_reference(out, query, keys, values, x, step)
        launch = Launch(8 if on_card else 512, 1, warps)
        kernels_quantized_warps.depth_attend_add(out, query, keys, values, attended, step, launch, pdl=PDL)
        assert_near(attended, wanted)
        assert (attended.float() - wanted.float()).norm() < 0.02 * (wanted - x).float().norm()
    kernels_quantized_warps.gated(gate, x, norm, result, cuts.depth_gate if on_card else Launch(64), pdl=PDL)
    wanted = kernels_quantized.gated_reference(gate, x, norm)
    apart = (result.float() - wanted.float()).norm() / wanted.float().norm()
    assert apart < 0.02  # Triton's interpreter cuts bfloat16 off, so 0.011


@DTYPES
@FORMATS
@pytest.mark.parametrize("step", [0, 5])
def test_depth_attention(dtype: torch.dtype, precision: str, step: int) -> None:
    matrix, query = weight(precision, 64, 64), random(64, dtype=dtype, seed=1)
    keys, values = (random(4, 8, 16, dtype=dtype, seed=seed) for seed in (2, 3))
    x = random(64, dtype=dtype, seed=4)
    wanted = depth.depth_attend_reference(matrix, query, keys, values, x, step)
    keys[:, step + 1 :], values[:, step + 1 :] = torch.nan, torch.nan
    depth.depth_attend_add(matrix, query, keys, values, x, step, Launch(8, 1, 4), pdl=PDL)
    assert_near(x, wanted)


@pytest.mark.parametrize("precision", ["int8", "int4", "fp8"])
@pytest.mark.parametrize("step", range(8) if DEVICE == "cuda" else (1, 6))
def test_depth_attention_at_full_width(precision: str, step: int) -> None:
    """Every number of steps, cut as it is run: how a compiled kernel deals numbers to threads depends on the sizes."""
    matrix, query = weight(precision, 1024, 1024), random(1024, dtype=torch.bfloat16, seed=1)
    keys, values = (random(16, 8, 64, dtype=torch.bfloat16, seed=seed) for seed in (2, 3))
    before = random(1024, dtype=torch.bfloat16, seed=4)
    wanted = depth.depth_attend_reference(matrix, query, keys, values, before, step)
    keys[:, step + 1 :], values[:, step + 1 :] = torch.nan, torch.nan
    launch = launches_for(precision).depth_attend
    for warps in {launch.warps, 4, 8} if DEVICE == "cuda" else {launch.warps}:
        x = before.clone()
        cut = launch._replace(warps=warps) if DEVICE == "cuda" else Launch(256)  # programs run one by one there
        depth.depth_attend_add(matrix, query, keys, values, x, step, cut, pdl=PDL)
        assert_near(x, wanted)
        apart = (x.float() - wanted.float()).norm() / (wanted - before).float().norm()
        assert apart < 0.02  # of what was added


LM = LMConfig(
    dim=64, num_layers=1, num_heads=2, context=2, text_card=50, card=32, n_q=4, dep_q=2, depformer_dim=64,
    depformer_num_layers=1, depformer_num_heads=2,
)  # fmt: skip
MIMI = MimiConfig(
    dimension=32, n_filters=4, num_heads=2, num_layers=1, dim_feedforward=64, context=10, codebook_dim=16, bins=32
)


def frames_agree(fused: Duplex, frame: QuantizedFrame, tolerance: float) -> None:
    """Three frames by `frame` over the state of `fused`, and by the plain path with the same weights spread out."""
    spread = Duplex.random(LM, MIMI, device=DEVICE, precision="float32", seed=1, kernels=False)
    for name, module in fused.lm.named_modules():
        if isinstance(module, QuantizedWeight):
            spread.lm.get_parameter(name).copy_(dequantized(module, torch.float32))
    generator = torch.Generator().manual_seed(0)
    for engine in (spread, fused):
        engine.set_sampling(SamplingValues(0.0, 5, 0.0, 5))
        engine.reset(seed=5)
    for index in range(3):
        heard = torch.randint(0, 32, (1, 2), generator=generator).to(DEVICE)
        for engine in (spread, fused):
            engine.state["frame.heard"].copy_(heard)
            if index == 1:
                engine.state["frame.forced"][:, 2] = 9
        spread.frame.temporal()
        spread.frame.depth()
        frame.temporal()
        frame.depth()
        if DEVICE == "cpu":  # a GPU's frames are in bfloat16, where a token may tip over
            assert fused.state["frame.spoken"].tolist() == spread.state["frame.spoken"].tolist()
            assert torch.equal(fused.state["tokens.ring"], spread.state["tokens.ring"])
            for name in ("temporal.0.keys", "temporal.0.values", "depth.keys"):
                torch.testing.assert_close(fused.state[name], spread.state[name], rtol=0, atol=tolerance)


@FORMATS
@torch.inference_mode()
def test_fused_frames_say_what_plain_frames_say(precision: str) -> None:
    """Greedy, so that both draw alike. The plain frame's products are made exact, as the kernels' are: on a processor
    they would round the vectors."""
    fused = Duplex.random(LM, MIMI, device=DEVICE, precision=precision, seed=1, kernels=False)
    assert unsupported(fused.lm, torch.device(DEVICE)) is None
    whole = Launch(rows=64)  # few programs: the interpreter runs them one by one
    cuts = QuantizedLaunches(*(whole if isinstance(cut, Launch) else cut for cut in QuantizedLaunches()))
    cuts = cuts._replace(depth_head=Launch(rows=32), attend_in_warps=True)
    frame = QuantizedFrame(fused.lm, fused.mimi, fused.state, lm_window=2, mimi_window=10, cuts=cuts)
    frames_agree(fused, frame, 1e-3)


def test_rows_that_are_no_whole_pieces_are_refused_with_a_reason() -> None:
    config = replace(LM, dim=72)  # eight bits too: rows of 72 bytes
    for precision in ("int8", "int4"):
        engine = Duplex.random(config, MIMI, device=DEVICE, precision=precision, seed=1, kernels=False)
        assert "whole pieces of 16 bytes" in str(unsupported(engine.lm, torch.device(DEVICE)))


@pytest.mark.parametrize("precision", [None, *QUANTIZED])
def test_every_precision_has_its_frame_and_its_launches(precision: str | None) -> None:
    engine = Duplex.random(LM, MIMI, device=DEVICE, precision=precision or "float32", seed=1, kernels=False)
    frame = FrameChoice(engine.lm, engine.mimi, engine.state, (2, 10)).fused()
    assert type(frame) is (FusedFrame if precision is None else QuantizedFrame)
    if isinstance(frame, QuantizedFrame):
        assert frame.cuts == launches_for(precision)
        assert (frame.cuts == QuantizedLaunches()) == (precision == "int8")
        assert (frame.cuts.down_block > 0) == str(precision).startswith("fp8")  # floats of whole rows fill registers
