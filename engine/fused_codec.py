"""The codec's frame as fused GPU kernels: the same slots and the same arithmetic as `engine.mimi`, one frame at a time.

Owns which kernel runs on which layer and the signals between them. Both halves are straight lists of launches on fixed
addresses. Imports Triton: import this module late (`engine.frame_choice` does).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from engine import kernels_codec, kernels_columns, kernels_latent, kernels_levels
from engine.config import MimiConfig
from engine.kernels_codec import Parts, Tile
from engine.kernels_latent import Attended
from engine.kernels_linear import EARLY, LATE, NO_OVERLAP, Launch
from engine.kernels_tails import Memory, Signal
from engine.mimi import LatentTransformer, Mimi, Residual, StreamingConv1d, StreamingConvTranspose1d, TransformerLayer


class CodecCuts(NamedTuple):
    """How the codec's work is cut. Correct for any sizes.

    precision: how tiles multiply float32 (`Tile`), where `tiles` does not say.
    programs: how many a convolution is split into at least, where its sum is long enough to split.
    tiles: of single layers by name. A residual unit named here is one launch; a convolution of one or two columns
        takes rows, depth and warps from it, a transposed one with `columns` 2 too. Where sizes do not fit, as if not
        named.
    folded_projections: downsampling and the quantiser's projections are one matrix, multiplied beforehand.
    latent_start, quantiser_start: when the kernels of transformer and quantiser let their successor start.
    ring_splits: programs that share a head's ring, for both positions; 0: one for each position has it whole.

    Folded projections and ring splits are off; `tests/gpu/tune_codec.py` tries them, among others, on the card at hand.
    """

    precision: str = "tf32x3"
    programs: int = 320
    depth: int = 64  # of a tile's step
    warps: int = 4  # of a tile
    tiles: tuple[tuple[str, Tile], ...] = (
        ("decoder.2", Tile(1, 2, 128)),
        ("encoder.1", Tile(0, 16, 64, precision="tf32x3")),
    )
    few_rows: int = 256  # programs of a convolution with one or two columns
    level_rows: int = 16  # code vectors that a program compares
    folded_projections: bool = False
    quantiser_start: int = LATE
    latent_start: int = EARLY
    ring_splits: int = 0
    ring_warps: int = 16
    in_proj: Launch = Launch(16, warps=8)
    out_proj: Launch = Launch(8, warps=4)
    linear1: Launch = Launch(8, warps=4)
    linear2: Launch = Launch(8, warps=8)


def unsupported(config: MimiConfig) -> str | None:
    """Why this codec needs the plain path, as a sentence; None where the kernels fit."""
    sizes = (config.dimension, config.head_dim, config.dim_feedforward, config.codebook_dim, config.bins)
    if config.resample_stride != kernels_latent.POSITIONS:
        return "The fused codec kernels take two latents a frame."
    if any(size & (size - 1) for size in sizes) or config.bins < 16:
        return "The fused codec kernels need widths and codebooks that are powers of two."
    return None


class FusedCodec:
    """Mimi over its slots of the state, one talk: `encode` and `decode` read and write the frame's slots."""

    def __init__(
        self, mimi: Mimi, state: Mapping[str, Tensor], window: int, *, pdl: int, cuts: CodecCuts | None = None
    ) -> None:  # fmt: skip
        """`pdl`: when kernels let their successor start (`kernels_linear`), where the cuts do not say; where it is
        NO_OVERLAP, none do."""
        assert unsupported(mimi.config) is None, "ask `unsupported` first"
        self.cuts = cuts or CodecCuts()
        self._tiles_named = dict(self.cuts.tiles)
        self._mimi, self._window, self._pdl = mimi, window, pdl
        self._state = {name: tensor[0] if tensor.dim() > 1 else tensor for name, tensor in state.items()}
        self._device = mimi.downsample.weight.device
        config = mimi.config
        half = config.head_dim // 2
        steps = torch.arange(half, device=self._device, dtype=torch.float32)
        self._periods = torch.exp(steps * (-math.log(config.max_period) / half))
        self._steps: list[Callable[[], None]] = []
        self._memory = self._open_memory("encoder_transformer", "downsample.started")
        self.encode = self._encode_plan()
        self._steps = []
        self._memory = self._open_memory("decoder_transformer", None)
        self.decode = self._decode_plan()

    # ------------------------------------------------------------ the two halves

    def _encode_plan(self) -> Callable[[], None]:
        mimi, s = self._mimi, self._state
        x = self._stack(mimi.encoder.layers, Signal.by_channel(s["frame.pcm_in"]), "encoder", latent_out=True)
        self._transformer(mimi.encoder_transformer, x.data)
        q, dim = mimi.quantizer, mimi.config.codebook_dim
        projected = self._zeros(2, dim)
        if self.cuts.folded_projections:  # the latent is never made: the quantiser takes two projections of it alone
            both = torch.cat((q.semantic_in, q.acoustic_in)).double() @ mimi.downsample.weight.flatten(1).double()
            folded = both.float().view(2 * dim, *mimi.downsample.weight.shape[1:])
            self._few(mimi.downsample, "downsample", x, Signal.by_channel(projected.view(-1, 1)), folded)
            self._quantise(None, projected)
        else:
            latent = self._signal(mimi.config.dimension, 1)
            self._few(mimi.downsample, "downsample", x, latent)
            self._quantise(latent.data.view(-1), projected)
        return self._finished()

    def _decode_plan(self) -> Callable[[], None]:
        mimi, s = self._mimi, self._state
        q, dim = mimi.quantizer, mimi.config.dimension
        x = Signal.by_time(self._zeros(kernels_latent.POSITIONS, dim))
        self._add(
            kernels_levels.dequantise, s["frame.spoken"][1:], q.codebooks, q.semantic_out, q.acoustic_out,
            mimi.upsample.weight, s["upsample.partial"], x.data,
        )  # fmt: skip
        self._transformer(mimi.decoder_transformer, x.data)
        self._stack(mimi.decoder.layers, x, "decoder", out=Signal.by_channel(s["frame.pcm_out"]))
        return self._finished()

    def _finished(self) -> Callable[[], None]:
        self._add(self._memory.renew)
        steps = tuple(self._steps)

        def run() -> None:
            for step in steps:
                step()

        return run

    # ------------------------------------------------------------ parts

    def _stack(
        self, layers: nn.ModuleDict, x: Signal, name: str, *, latent_out: bool = False, out: Signal | None = None
    ) -> Signal:
        """A SEANet stack; its last signal is by time (`latent_out`) or goes to `out`."""
        last = list(layers)[-1]
        for index, layer in layers.items():
            place = f"{name}.{index}"
            if isinstance(layer, Residual):
                x = self._residual(layer, place, x)
            elif isinstance(layer, StreamingConvTranspose1d):
                x = self._transposed(layer, place, x)
            else:
                layer = cast(StreamingConv1d, layer)
                length, channels = x.length // layer.stride, layer.weight.shape[0]
                if index == last and out is not None:
                    y = out
                elif index == last and latent_out:
                    y = Signal.by_time(self._zeros(length, channels))
                else:
                    y = self._signal(channels, length)
                self._conv(layer, place, x, y, activate=index != "0")
                x = y
        return x

    def _residual(self, layer: Residual, name: str, x: Signal) -> Signal:
        inner, out = layer.conv1.weight.shape[0], self._signal(x.channels, x.length)
        tail = self._state[f"{name}.conv1.tail"]
        if name in self._tiles_named and _powers_of_two(inner, x.channels):
            assert layer.conv1.bias is not None and layer.conv2.bias is not None, "only resampling layers lack a bias"
            self._add(
                kernels_codec.residual, layer.conv1.weight, layer.conv1.bias, layer.conv2.weight, layer.conv2.bias, x,
                tail, out, self._tiles_named[name], dilation=layer.conv1.dilation,
            )  # fmt: skip
            self._memory.keep(x, tail, activate=True)
            return out
        between = self._signal(inner, x.length)
        self._conv(layer.conv1, f"{name}.conv1", x, between, activate=True)
        self._tiles(layer.conv2, f"{name}.conv2", between, out, self._zeros(1, 1), activate=True, skip=x)
        return out

    def _conv(self, layer: StreamingConv1d, name: str, x: Signal, out: Signal, *, activate: bool) -> None:
        tail = self._state[f"{name}.tail"]
        if out.length <= 2:
            self._few(layer, name, x, out, activate=activate)
            return
        if 1 in layer.weight.shape[:2] and layer.stride == 1:
            assert layer.bias is not None, "only resampling layers lack a bias"
            self._add(
                kernels_columns.conv_short, layer.weight, layer.bias, x, tail, out,
                columns=16 if x.channels > 1 else 512, activate=activate,
            )  # fmt: skip
        else:
            self._tiles(layer, name, x, out, tail, activate=activate)
        self._memory.keep(x, tail, activate=activate)

    def _tiles(
        self, layer: StreamingConv1d, name: str, x: Signal, out: Signal, tail: Tensor, *, activate: bool,
        skip: Signal | None = None,
    ) -> None:  # fmt: skip
        assert layer.bias is not None, "only resampling layers lack a bias"
        rows, columns = layer.weight.shape[0], out.length
        tile = self._tile(name, rows, columns, layer.weight[0].numel())
        parts = Parts.of(tile, rows, columns, self._device)
        self._add(
            kernels_codec.conv, layer.weight, layer.bias, x, tail, out, tile, parts, stride=layer.stride,
            dilation=layer.dilation, activate=activate, skip=skip,
        )  # fmt: skip

    def _tile(self, name: str, rows: int, columns: int, inner: int) -> Tile:
        return self._tiles_named.get(name) or _tile(rows, columns, inner, self.cuts)

    def _few(
        self, layer: StreamingConv1d, name: str, x: Signal, out: Signal, weight: Tensor | None = None, *,
        activate: bool = False,
    ) -> None:  # fmt: skip
        """`weight`: instead of the layer's."""
        tail, weight = self._state[f"{name}.tail"], layer.weight if weight is None else weight
        usual = Tile(max(1, weight.shape[0] // self.cuts.few_rows), 2, math.gcd(weight[0].numel(), 1024), warps=8)
        tile = self._tiles_named.get(name, usual)
        started = self._memory.started if layer.replicate else None
        self._add(
            kernels_columns.conv_few, weight, layer.bias, x, tail, out, rows=tile.rows, depth=tile.depth,
            warps=tile.warps, stride=layer.stride, activate=activate, started=started,
        )  # fmt: skip
        self._memory.keep(x, tail, activate=activate)

    def _transposed(self, layer: StreamingConvTranspose1d, name: str, x: Signal) -> Signal:
        assert layer.bias is not None, "only resampling layers lack a bias"
        inner, channels, _ = layer.weight.shape
        out, following = self._signal(channels, x.length * layer.stride), self._signal(channels, layer.overlap)
        kept = self._state[f"{name}.partial"]
        rows, columns = channels * layer.stride, x.length + 1
        tile = self._tile(name, rows, columns, inner)
        if tile.columns == 2 and not (x.length == 2 and _powers_of_two(inner, channels, layer.stride, least=2)):
            tile = _tile(rows, columns, inner, self.cuts)
        if tile.columns == 2:
            self._add(
                kernels_columns.conv_few_transposed, layer.weight, layer.bias, x, kept, following.data, out,
                channels=min(tile.rows, channels), depth=min(tile.depth, inner), warps=tile.warps,
            )  # fmt: skip
        else:
            self._add(
                kernels_codec.conv_transposed, layer.weight, layer.bias, x, kept, following.data, out, tile,
                Parts.of(tile, rows, columns, self._device),
            )  # fmt: skip
        self._memory.keep(following, kept, activate=False)
        return out

    def _quantise(self, latent: Tensor | None, projected: Tensor) -> None:
        """latent [dim]; where there is none, projected [2, inner] holds its projections already."""
        q, cuts = self._mimi.quantizer, self.cuts
        bins = q.codebooks.shape[1]
        self._add(
            kernels_levels.quantise, latent, q.semantic_in, q.acoustic_in, q.codebooks, q.half_norms, projected,
            self._zeros(2, bins), torch.zeros(2, dtype=torch.int32, device=self._device), self._state["frame.heard"],
            rows=cuts.level_rows, start=cuts.quantiser_start,
        )  # fmt: skip

    def _transformer(self, transformer: LatentTransformer, x: Tensor) -> None:
        """x [2, dim], in place."""
        s, cuts, dim = self._state, self.cuts, x.shape[1]
        projected, hidden = self._zeros(2, 3 * dim), self._zeros(2, transformer.config.dim_feedforward)
        attended = self._zeros(2, dim)
        parts = Attended(*(self._zeros(2, max(1, cuts.ring_splits), dim) for _ in range(2)))
        position = s[f"{transformer.name}.position"]
        add = partial(self._add, start=cuts.latent_start)
        two = partial(add, kernels_latent.two_linear)
        for module in transformer.layers:
            layer = cast(TransformerLayer, module)
            two(layer.in_proj, x, projected, cuts.in_proj, norm=(layer.norm1_weight, layer.norm1_bias))
            rings = (projected, self._periods, position, s[layer.keys], s[layer.values], self._window)
            if cuts.ring_splits:
                add(kernels_latent.two_ring_parts, *rings, parts, warps=cuts.ring_warps)
                two(layer.out_proj, parts, x, cuts.out_proj, scale=layer.scale1)
            else:
                add(kernels_latent.two_ring_attend, *rings, attended, warps=cuts.ring_warps)
                two(layer.out_proj, attended, x, cuts.out_proj, scale=layer.scale1)
            two(layer.linear1, x, hidden, cuts.linear1, norm=(layer.norm2_weight, layer.norm2_bias), gelu=True)
            two(layer.linear2, hidden, x, cuts.linear2, scale=layer.scale2)

    # ------------------------------------------------------------ small things

    def _add(self, kernel: Callable[..., None], *args: object, start: int | None = None, **options: object) -> None:
        """`start`: when this kernel lets its successor start, if not as the others do."""
        pdl = self._pdl if start is None or self._pdl == NO_OVERLAP else start
        self._steps.append(partial(kernel, *args, **options, pdl=pdl))

    def _open_memory(self, transformer: str, started: str | None) -> Memory:
        flag = self._state[started].view(-1) if started is not None else None
        return Memory(self._state[f"{transformer}.position"], kernels_latent.POSITIONS, flag)

    def _signal(self, channels: int, length: int) -> Signal:
        return Signal.by_channel(self._zeros(channels, length))

    def _zeros(self, *shape: int) -> Tensor:
        return torch.zeros(*shape, device=self._device)


def _powers_of_two(*sizes: int, least: int = 16) -> bool:
    return all(size >= least and size & (size - 1) == 0 for size in sizes)


def _tile(rows: int, columns: int, inner: int, cuts: CodecCuts) -> Tile:
    """A tile shape for a product of these sizes: the wanted programs if that splits no sum below 128 terms."""
    width = 16 if columns <= 128 else 32
    height = 32 if rows >= 64 else 16
    programs = math.ceil(rows / height) * math.ceil(columns / width)
    splits = 1
    while programs * splits < cuts.programs and inner // (2 * splits) >= 128:
        splits *= 2
    return Tile(height, width, cuts.depth, splits, cuts.warps, cuts.precision)
