"""The depth stage as one resident kernel: its phases, a launch each, against the chain of kernels and plain PyTorch."""

from __future__ import annotations

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next
pytest.importorskip("triton", reason="Triton is not installed")

from engine import kernels_depth_frame
from engine.config import LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.fused import FusedFrame, Launches
from engine.kernels_depth_frame import DepthFrame, Sampling, unfit
from engine.sampling import SamplingValues

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LM = LMConfig(
    dim=32, num_layers=1, num_heads=2, context=4, text_card=20, card=16, n_q=4, dep_q=2, depformer_dim=32,
    depformer_num_layers=2, depformer_num_heads=2, depformer_dim_feedforward=60,
)  # fmt: skip
MIMI = MimiConfig(
    dimension=32, n_filters=4, num_heads=2, num_layers=1, dim_feedforward=64, context=10, codebook_dim=16, bins=16
)


def engine_and_frame(programs: int = 0) -> tuple[Duplex, FusedFrame]:
    engine = Duplex.random(LM, MIMI, device=DEVICE, precision="bfloat16", seed=1, kernels=False)
    launches = Launches(down_block=16, ring_block=2, ring_splits=2, depth_resident=programs)
    return engine, FusedFrame(engine.lm, engine.mimi, engine.state, lm_window=4, mimi_window=10, launches=launches)


def resident(engine: Duplex, programs: int) -> DepthFrame:
    keys, values = engine.state["depth.keys"][0], engine.state["depth.values"][0]
    return DepthFrame(engine.lm.depth, keys, values, programs, warps=4)


def sampling(engine: Duplex) -> Sampling:
    s = engine.state
    return Sampling(
        s["sampling.temperature"], s["sampling.top_k"], s["sampling.seed"], s["sampling.counter"],
        s["frame.forced"][0, 1:],
    )  # fmt: skip


GREEDY, DRAWN = SamplingValues(0.0, 5, 0.0, 5), SamplingValues(0.9, 7, 0.7, 5)


@pytest.mark.parametrize(("programs", "values"), [(3, GREEDY), (4, DRAWN)])
@torch.inference_mode()
def test_phases_leave_what_the_chain_leaves(programs: int, values: SamplingValues) -> None:
    engine, frame = engine_and_frame()
    engine.set_sampling(values)
    engine.reset(seed=3)
    engine.state["frame.forced"][:, 2] = 9
    frame.temporal()
    frame._depth_inputs()
    b = frame._scratch
    spoken, inputs, hidden = b.spoken.clone(), b.inputs.clone(), b.x.clone()
    frame.depth()
    wanted = {name: engine.state[name].clone() for name in ("depth.keys", "depth.values")}
    for name in wanted:
        engine.state[name].fill_(torch.nan)
    engine.state["sampling.counter"].sub_(1)
    depth = resident(engine, programs)
    for _ in range(2):  # the second time the words of the first are still there
        depth.run_phases(inputs, hidden, spoken, sampling(engine))
        assert spoken.tolist() == b.spoken.tolist()
        for name, value in wanted.items():
            torch.testing.assert_close(engine.state[name].float(), value.float(), rtol=0, atol=0.07)
    assert depth.stalled.item() == 0
    assert torch.isfinite(hidden).all()


@torch.inference_mode()
def test_a_frame_with_the_resident_kernel_says_what_the_chain_says() -> None:
    """One program, which waits for nobody but itself, so that the interpreter runs the kernel whole, frame by frame."""
    pairs = [engine_and_frame(), engine_and_frame(programs=1)]
    for engine, _ in pairs:
        engine.set_sampling(DRAWN)
        engine.reset(seed=3)
    for index in range(2):
        for engine, frame in pairs:
            engine.state["frame.heard"].fill_(index)
            frame.temporal()
            frame.depth()
        (chain, _), (resident, _) = pairs
        for name in ("tokens.ring", "tokens.position", "sampling.counter", "frame.spoken"):
            assert torch.equal(resident.state[name], chain.state[name])
        torch.testing.assert_close(resident.state["depth.keys"], chain.state["depth.keys"], rtol=0, atol=0.07)
    kernel = pairs[1][1]._resident
    assert kernel is not None and kernel.stalled.item() == 0


@pytest.mark.skipif(DEVICE == "cuda", reason="there both programs run at once and nobody waits in vain")
@torch.inference_mode()
def test_programs_that_are_not_all_there_stop_waiting_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter's programs follow one another: the first waits for words of the second, in vain."""
    monkeypatch.setattr(kernels_depth_frame, "WAITS", 2)
    engine, frame = engine_and_frame(programs=2)
    engine.reset(seed=3)
    frame.temporal()
    frame.depth()
    assert not torch.isfinite(frame.hidden.sum())
    frame.drop_what_stalled()
    frame.temporal()
    frame.depth()
    assert torch.isfinite(frame.hidden.sum())


def test_what_does_not_fit_is_refused_with_a_reason() -> None:
    engine, _ = engine_and_frame()
    device = torch.device("cpu")
    assert unfit(engine.lm.depth, device, 4) is None
    engine.lm.float()
    assert "bfloat16" in str(unfit(engine.lm.depth, device, 4))
