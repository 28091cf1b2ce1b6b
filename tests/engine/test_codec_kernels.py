"""The codec's fused kernels against the layers of `engine.mimi`: natively on a GPU, else in Triton's interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton and the kernels are imported, which comes next
pytest.importorskip("triton", reason="Triton is not installed")

from engine import kernels_codec, kernels_columns, kernels_latent, kernels_levels
from engine.config import MimiConfig
from engine.fused_codec import unsupported
from engine.kernels_codec import Parts, Tile
from engine.kernels_latent import Attended
from engine.kernels_linear import LATE, NO_OVERLAP, Launch, supports_pdl
from engine.kernels_tails import Memory, Signal
from engine.mimi import LatentTransformer, Residual, SplitQuantizer, StreamingConv1d, StreamingConvTranspose1d
from engine.state import Slots, State

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PDL = LATE if supports_pdl(torch.device(DEVICE)) else NO_OVERLAP
FRAMES = 3
pytestmark = pytest.mark.usefixtures("_inference")


@pytest.fixture
def _inference() -> object:
    with torch.inference_mode():
        torch.manual_seed(0)
        yield


def filled(module: nn.Module) -> nn.Module:
    """Random parameters, small enough that sums stay near 1."""
    for parameter in module.parameters():
        parameter.normal_(0.0, 0.5 * (parameter[0].numel() ** -0.5 if parameter.dim() > 1 else 1.0))
    return module.to(DEVICE)


def zero_state(slots: Slots) -> dict[str, Tensor]:
    return State(slots, DEVICE).tensors


def assert_near(got: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(got, wanted, rtol=0, atol=2e-5)


def run_conv(
    layer: StreamingConv1d, length: int, *, activate: bool, step: Callable[[Signal, Tensor, Signal, Tensor], None],
    skip: bool = False,
) -> None:  # fmt: skip
    """A few frames through the layer and through `step(x, tail, out, started)`; outputs and memories must agree."""
    plain, state = zero_state(layer.slots()), zero_state(layer.slots())
    channels, out_channels = layer.channels_in, layer.weight.shape[0]
    x, out = (Signal.by_channel(torch.zeros(c, n, device=DEVICE)) for c, n in
              ((channels, length), (out_channels, length // layer.stride)))  # fmt: skip
    tail = state.get("c.tail", torch.zeros(1, 1, 1, device=DEVICE))[0]
    started = state["c.started"].view(1) if layer.replicate else None
    position = torch.zeros(1, dtype=torch.int64, device=DEVICE)
    memory = Memory(position, 2, started)
    memory.keep(x, tail, activate=activate)
    for frame in range(1, 1 + FRAMES):
        x.data.normal_()
        wanted = layer(nn.functional.elu(x.data[None]) if activate else x.data[None], plain)
        step(x, tail, out, memory.started)
        if layer.pad:
            memory.renew(pdl=PDL)
            assert position.item() == 2 * frame
        assert_near(out.data, wanted[0] + (x.data if skip else 0))
        for name, tensor in plain.items():
            assert_near(state[name].float(), tensor.float())


@pytest.mark.parametrize("splits", [1, 4])
@pytest.mark.parametrize(("channels", "kernel", "stride"), [(6, 8, 4), (16, 3, 1), (8, 10, 5)])
def test_conv_with_and_without_a_split_sum(channels: int, kernel: int, stride: int, splits: int) -> None:
    layer = filled(StreamingConv1d("c", channels, 20, kernel, stride))
    tile = Tile(16, 16, 16, splits)
    parts = Parts.of(tile, 20, 20, DEVICE)

    def step(x: Signal, tail: Tensor, out: Signal, _: Tensor) -> None:
        kernels_codec.conv(layer.weight, layer.bias, x, tail, out, tile, parts, stride=stride, pdl=PDL)

    run_conv(layer, 20 * stride, activate=True, step=step)
    assert parts.arrived.count_nonzero() == 0


def test_conv_adds_the_skip() -> None:
    layer = filled(StreamingConv1d("c", 18, 18, 1))
    tile = Tile(16, 16, 16)

    def step(x: Signal, tail: Tensor, out: Signal, _: Tensor) -> None:
        kernels_codec.conv(
            layer.weight, layer.bias, x, tail, out, tile, Parts.of(tile, 18, 20, DEVICE), skip=x, pdl=PDL
        )

    run_conv(layer, 20, activate=True, step=step, skip=True)


@pytest.mark.parametrize("dilation", [1, 2])
def test_residual_unit_in_one_launch(dilation: int) -> None:
    """Its depth does not divide the first sum, nor its columns the signal."""
    unit = filled(Residual("r", 32, MimiConfig(), dilation))
    plain, state = zero_state(unit.conv1.slots()), zero_state(unit.conv1.slots())
    x, out = (Signal.by_channel(torch.zeros(32, 20, device=DEVICE)) for _ in range(2))
    tail = state["r.conv1.tail"][0]
    memory = Memory(torch.zeros(1, dtype=torch.int64, device=DEVICE), 2)
    memory.keep(x, tail, activate=True)
    weights = (unit.conv1.weight, unit.conv1.bias, unit.conv2.weight, unit.conv2.bias)
    for _ in range(FRAMES):
        x.data.normal_()
        wanted = unit(x.data[None], plain)
        kernels_codec.residual(*weights, x, tail, out, Tile(16, 16, 64), dilation=dilation, pdl=PDL)
        memory.renew(pdl=PDL)
        assert_near(out.data, wanted[0])
        assert_near(tail, plain["r.conv1.tail"][0])


@pytest.mark.parametrize(
    ("kernel", "stride", "length", "bias", "replicate"),
    [(16, 8, 16, True, False), (7, 1, 2, True, False), (4, 2, 2, False, True)],
)
def test_conv_of_one_or_two_columns(kernel: int, stride: int, length: int, bias: bool, replicate: bool) -> None:
    """Among them a tail longer than a frame, and the downsampling that starts from its first sample repeated."""
    layer = filled(StreamingConv1d("c", 8, 12, kernel, stride, bias=bias, replicate=replicate))

    def step(x: Signal, tail: Tensor, out: Signal, started: Tensor) -> None:
        kernels_columns.conv_few(
            layer.weight, layer.bias, x, tail, out, rows=4, depth=16, stride=stride, activate=not replicate,
            started=started, pdl=PDL,
        )  # fmt: skip

    run_conv(layer, length, activate=not replicate, step=step)


@pytest.mark.parametrize(("channels", "out_channels", "activate"), [(1, 5, False), (6, 1, True)])
def test_conv_with_one_channel_on_a_side(channels: int, out_channels: int, activate: bool) -> None:
    layer = filled(StreamingConv1d("c", channels, out_channels, 7))

    def step(x: Signal, tail: Tensor, out: Signal, _: Tensor) -> None:
        kernels_columns.conv_short(layer.weight, layer.bias, x, tail, out, columns=16, activate=activate, pdl=PDL)

    run_conv(layer, 40, activate=activate, step=step)


@pytest.mark.parametrize(
    ("stride", "length", "splits"), [(8, 2, 1), (8, 2, 2), (6, 16, 1), (6, 16, 2), (5, 20, 2), (8, 2, 0), (4, 2, 0)]
)
def test_transposed_conv(stride: int, length: int, splits: int) -> None:
    """splits 0: the form for two columns, which streams the weights."""
    layer = filled(StreamingConvTranspose1d("c", 32, 6, 2 * stride, stride))
    plain, state = zero_state(layer.slots()), zero_state(layer.slots())
    x, out = (Signal.by_channel(torch.zeros(c, n, device=DEVICE)) for c, n in ((32, length), (6, length * stride)))
    following = Signal.by_channel(torch.zeros(6, stride, device=DEVICE))
    memory = Memory(torch.zeros(1, dtype=torch.int64, device=DEVICE), 2)
    memory.keep(following, state["c.partial"][0], activate=False)
    tile = Tile(16, 16, 16, splits)
    parts = Parts.of(tile, 6 * stride, length + 1, DEVICE)
    signals = (x, state["c.partial"][0], following.data, out)
    for _ in range(FRAMES):
        x.data.normal_()
        wanted = layer(nn.functional.elu(x.data[None]), plain)
        if splits:
            kernels_codec.conv_transposed(layer.weight, layer.bias, *signals, tile, parts, pdl=PDL)
        else:
            kernels_columns.conv_few_transposed(
                layer.weight, layer.bias, *signals, channels=2, depth=16, warps=4, pdl=PDL
            )
        memory.renew(pdl=PDL)
        assert_near(out.data, wanted[0])
        assert_near(state["c.partial"], plain["c.partial"])


@pytest.mark.parametrize("splits", [0, 1, 2, 4])
@pytest.mark.parametrize("window", [10, 9])
def test_transformer_layer_at_two_positions(window: int, splits: int) -> None:
    """Over a ring that fills and wraps, at positions even and odd. splits: of a head's ring; 0: in one program."""
    config = MimiConfig(dimension=32, n_filters=4, num_heads=2, num_layers=1, dim_feedforward=64, context=10)
    transformer = filled(LatentTransformer(config, "t"))
    layer = transformer.layers[0]
    plain, state = zero_state(transformer.slots()), zero_state(transformer.slots())
    periods = torch.exp(torch.arange(8, device=DEVICE) * (-torch.log(torch.tensor(10000.0)).item() / 8))
    buffers = [torch.zeros(2, width, device=DEVICE) for width in (96, 32, 64)]
    projected, attended, hidden = buffers
    for start in (0, 2, 8, 9):
        for each in (plain, state):
            each["t.position"].fill_(start)
        x = torch.randn(2, 32, device=DEVICE)
        wanted = transformer(x.T[None], plain, window)[0].T
        norm1, norm2 = (layer.norm1_weight, layer.norm1_bias), (layer.norm2_weight, layer.norm2_bias)
        kernels_latent.two_linear(layer.in_proj, x, projected, Launch(8), norm=norm1, pdl=PDL)
        rings = (projected, periods, state["t.position"], state[layer.keys][0], state[layer.values][0], window)
        if splits:
            parts = Attended(*(torch.zeros(2, splits, 32, device=DEVICE) for _ in range(2)))
            kernels_latent.two_ring_parts(*rings, parts, warps=4, pdl=PDL)
            kernels_latent.two_linear(layer.out_proj, parts, x, Launch(8), scale=layer.scale1, pdl=PDL)
        else:
            kernels_latent.two_ring_attend(*rings, attended, warps=4, pdl=PDL)
            kernels_latent.two_linear(layer.out_proj, attended, x, Launch(8), scale=layer.scale1, pdl=PDL)
        kernels_latent.two_linear(layer.linear1, x, hidden, Launch(8), norm=norm2, gelu=True, pdl=PDL)
        kernels_latent.two_linear(layer.linear2, hidden, x, Launch(8), scale=layer.scale2, pdl=PDL)
        assert_near(x, wanted)
        assert_near(state[layer.keys], plain[layer.keys])
        assert_near(state[layer.values], plain[layer.values])


@pytest.mark.parametrize("codebooks", [1, 2, 5])
def test_quantiser_both_ways(codebooks: int) -> None:
    config = MimiConfig(dimension=32, codebook_dim=16, bins=64)
    quantizer = filled(SplitQuantizer(config, codebooks))
    quantizer.precompute()
    up = filled(StreamingConvTranspose1d("u", 32, 32, 4, 2, depthwise=True))
    plain, state = zero_state(up.slots()), zero_state(up.slots())
    codes, out = torch.zeros(codebooks, dtype=torch.int64, device=DEVICE), torch.zeros(2, 32, device=DEVICE)
    arrived = torch.zeros(2, dtype=torch.int32, device=DEVICE)
    scores = torch.zeros(2, 64, device=DEVICE)
    weights = (quantizer.semantic_in, quantizer.acoustic_in, quantizer.codebooks, quantizer.half_norms)
    for _ in range(FRAMES):
        latent = torch.randn(32, device=DEVICE)
        wanted = quantizer.encode(latent[None, :, None])
        kernels_levels.quantise(
            latent, *weights,
            torch.zeros(2, 16, device=DEVICE), scores, arrived, codes, pdl=PDL,
        )  # fmt: skip
        assert codes.tolist() == wanted[0, :, 0].tolist()
        codes.zero_()
        projected = torch.stack((quantizer.semantic_in @ latent, quantizer.acoustic_in @ latent))
        kernels_levels.quantise(None, *weights, projected, scores, arrived, codes, pdl=PDL)
        assert codes.tolist() == wanted[0, :, 0].tolist()
        kernels_levels.dequantise(
            codes, quantizer.codebooks, quantizer.semantic_out, quantizer.acoustic_out, up.weight,
            state["u.partial"][0], out, pdl=PDL,
        )  # fmt: skip
        assert_near(out, up(quantizer.decode(wanted), plain)[0].T)
        assert_near(state["u.partial"], plain["u.partial"])


def test_sizes_that_do_not_fit_are_refused_with_a_reason() -> None:
    assert unsupported(MimiConfig()) is None
    assert "powers of two" in str(unsupported(MimiConfig(bins=2000)))
