"""How far a quantised language model says what the plain one says, over given frames (teacher-forced).

Both models read the same tokens, and what each would say next is compared: how many times the likeliest token is the
same, and how far apart the logits are. The models are read from their files layer by layer and step by step, so that
neither is ever held whole, however small the card. Engine thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

from engine.config import LMConfig
from engine.layout import Piece
from engine.lm import LanguageModel, TemporalLayer, depth_step
from engine.precision import KV
from engine.quantize import Quantized, Weight
from engine.tensor_file import TYPES, Reader, TensorFile

FRAMES = 1500
LEAST_MATCH = {"int8": 0.98, "fp8": 0.98, "fp8-row": 0.98, "int4": 0.9}
_ROWS_OF_LOGITS = 250  # frames whose text logits are held at once: 32 MB a model at full size

Watch = Callable[[int], None]  # told the bytes of every reading; may raise to end it


class Agreement(NamedTuple):
    """Shares of 1 of the likeliest tokens that are the same, over text and own codebooks alike and each by itself; and
    the logits' difference against the plain model's spread, as root mean squares."""

    frames: int
    match: float
    text_match: float
    audio_match: float
    text_error: float
    audio_error: float

    def refusal(self, precision: str) -> str | None:
        """Why a trained model is not offered in this precision, as a sentence; None where it is."""
        least = LEAST_MATCH[precision]
        if self.match >= least:
            return None
        return (
            f"In {precision} this model says the same as before in only {100 * self.match:.1f} % of its tokens "
            f"(at least {100 * least:.0f} % are needed), so it is not offered: choose another precision."
        )

    def told(self) -> str:
        """One sentence for whoever chose the precision."""
        return (
            f"Over {self.frames:.0f} frames {100 * self.match:.1f} % of the likeliest tokens are those of the plain "
            f"model; logits are apart by {100 * self.text_error:.1f} % (words) and {100 * self.audio_error:.1f} % "
            "(sounds) of their spread."
        )


def read_agreement(values: Mapping[str, object] | None) -> Agreement | None:
    """From what was kept with a model. None where nothing was, or not all of it is there."""
    try:
        return None if values is None else Agreement(**values)  # type: ignore[arg-type]
    except TypeError:
        return None


def teacher_columns(config: LMConfig, codes: Tensor, frames: int = FRAMES) -> Tensor:
    """Columns of the token ring [K, frames + 1] from a recording's codes [n, codebooks], repeated as needed: own speech
    is the recording, the user's the same half a turn later, the text is padding."""
    count = frames + 1
    own = codes.repeat(-(-count // len(codes)), 1)[:count, : config.own]
    user = codes.roll(len(codes) // 2, 0).repeat(-(-count // len(codes)), 1)[:count, : config.user]
    text = torch.full((count, 1), config.existing_text_padding_id, dtype=codes.dtype, device=codes.device)
    spoken = torch.cat((text, own, user), dim=1).T  # [K, frames + 1], without the delays
    columns = torch.tensor(config.initial_tokens, dtype=codes.dtype, device=codes.device)[:, None].repeat(1, count)
    for stream, delay in enumerate(config.delays):
        columns[stream, 1 + delay :] = spoken[stream, : count - 1 - delay]
    return columns


def agreement(config: LMConfig, plain: ModelParts, other: ModelParts, columns: Tensor, kv: str = KV[0]) -> Agreement:
    """Compares two models on the token columns [K, frames + 1]. Raises what their `watch` raises.

    kv: what the other's attention rings are kept in; the plain one's are full.
    """
    columns = columns.to(plain.device)
    inputs, targets = columns[None, :, :-1], columns[:, 1:]
    models = [plain.language_model(), other.language_model()]
    parts = inputs.split(config.context, dim=2)  # a short context is filled more than once, each time from empty
    hidden = [
        torch.cat([_hidden(model, config, part, of) for part in parts])
        for model, of in zip(models, (KV[0], kv), strict=True)
    ]  # [N, D] each
    text, audio = _Tally(), _Tally()
    for start in range(0, len(hidden[0]), _ROWS_OF_LOGITS):
        rows = slice(start, start + _ROWS_OF_LOGITS)
        text.add(*[model.temporal.text_logits(x[rows]) for model, x in zip(models, hidden, strict=True)])
    rings = [_depth_rings(config, x) for x in hidden]
    for step in range(config.own):
        number = torch.tensor([step], device=columns.device)
        audio.add(
            *[
                depth_step(model.depth.at(step), targets[step], x, keys, values, number)
                for model, x, (keys, values) in zip(models, hidden, rings, strict=True)
            ]
        )
    match = (text.same + audio.same) / (text.count + audio.count)
    return Agreement(len(hidden[0]), match, text.match, audio.match, text.error, audio.error)


class _Tally:
    """Sums over rows of logits."""

    def __init__(self) -> None:
        self.count = self.same = 0
        self._apart = self._spread = 0.0

    def add(self, plain: Tensor, other: Tensor) -> None:
        """[rows, cards] float32 each. A constant added to all logits changes nothing that is drawn: it is no error."""
        self.count += len(plain)
        self.same += int((plain.argmax(-1) == other.argmax(-1)).sum())
        level = plain - plain.mean(-1, keepdim=True)
        self._apart += float((other - other.mean(-1, keepdim=True) - level).square().mean(-1).sum())
        self._spread += float(level.square().mean(-1).sum())

    @property
    def match(self) -> float:
        return self.same / self.count

    @property
    def error(self) -> float:
        return (self._apart / self._spread) ** 0.5 if self._spread else 0.0


def _hidden(model: LanguageModel, config: LMConfig, inputs: Tensor, kv: str = KV[0]) -> Tensor:
    """Normed outputs [N, D] of all frames at once, each seeing those before it."""
    x = model.temporal.embed(inputs)
    layer = {name: slot for name, slot in model.slots(x.dtype, kv).items() if name.startswith("temporal.0.")}
    rings = {
        name.rpartition(".")[2]: torch.zeros(
            (1, slot.shape[0], x.shape[1], slot.shape[2]), dtype=slot.dtype, device=x.device
        )
        for name, slot in layer.items()
    }
    position = torch.zeros(1, dtype=torch.int64, device=x.device)
    return model.temporal(x, _SameRings(rings), position, config.context)[0]


class _SameRings(dict[str, Tensor]):
    """One pair of rings for every layer, since layers are done one after another and fill them anew."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(str(name).rpartition(".")[2])

    def __missing__(self, name: str) -> Tensor:
        return self[name.rpartition(".")[2]]


def _depth_rings(config: LMConfig, hidden: Tensor) -> tuple[Tensor, Tensor]:
    shape = (len(hidden), config.depformer_num_layers, config.depformer_num_heads, config.own, config.depth_head_dim)
    keys, values = (torch.zeros(shape, dtype=hidden.dtype, device=hidden.device) for _ in range(2))
    return keys, values


# ---------------------------------------------------------------- a model that stays in its file


class ModelParts:
    """Parameters of a checked checkpoint file, plain or quantised, each read when it is used."""

    def __init__(
        self, file: TensorFile, pieces: list[Piece], config: LMConfig, device: torch.device, dtype: torch.dtype,
        watch: Watch | None = None,
    ):  # fmt: skip
        self.file, self.config, self.device, self.dtype, self._watch = file, config, device, dtype, watch
        self._pieces: dict[tuple[str, int | None], Piece] = {
            (piece.parameter, piece.row): piece for piece in pieces if piece.parameter is not None
        }
        with torch.device("meta"):
            self._shapes = {name: p.shape for name, p in LanguageModel(config).named_parameters()}

    def language_model(self) -> LanguageModel:
        """Works as the whole model does, though its layers and its stacks by codebook or step are not there yet."""
        with torch.device("meta"):
            model = LanguageModel(self.config)
        for name, shape in self._shapes.items():
            if not name.startswith("temporal.layers."):
                value = _Stack(self, name) if len(shape) == 3 else self.read(name)
                _put(model.get_submodule(name.rpartition(".")[0]), name.rpartition(".")[2], value)
        _put(model.temporal, "layers", _Layers(self))
        return model

    def read(self, name: str, row: int | None = None) -> Weight:
        """One parameter, or one matrix of a stack."""
        if (f"{name}.values", row) in self._pieces or (f"{name}.values", None) in self._pieces:
            return Quantized(self._tensor(name, ".values", row), self._tensor(name, ".scales", row))
        return self._tensor(name, "", row).view(self._shapes[name] if row is None else self._shapes[name][1:])

    def _tensor(self, name: str, part: str, row: int | None) -> Tensor:
        """Of a key that packs a stack, only the wanted matrix is read."""
        piece = self._pieces.get((name + part, row))
        if piece is not None:
            entry = self.file.entries[piece.key]
        else:
            assert row is not None
            entry = self.file.entries[self._pieces[name + part, None].key]
            values = self._pieces.get((f"{name}.values", None)) or self._pieces[name, None]
            matrices = self.file.entries[values.key].shape[0] // self._shapes[name][-2]
            entry = entry.matrix(row, matrices)
        dtype = TYPES[entry.dtype] if part else self.dtype
        target = torch.empty(entry.shape, dtype=dtype, device=self.device)
        with Reader(self.file.path, "language model", entry.size) as reader:
            reader.copy(entry, target)
        if self._watch is not None:
            self._watch(entry.size)
        return target


class _Stack:
    """A stack of matrices whose items are read when they are asked for."""

    def __init__(self, parts: ModelParts, name: str):
        self._parts, self._name = parts, name

    def __getitem__(self, row: int) -> Weight:
        return self._parts.read(self._name, row)


class _Layers:
    """The temporal layers, each read when its turn comes and forgotten afterwards."""

    def __init__(self, parts: ModelParts):
        self._parts = parts

    def __iter__(self) -> Iterator[TemporalLayer]:
        for index in range(self._parts.config.num_layers):
            with torch.device("meta"):
                layer = TemporalLayer(self._parts.config, index)
            for name in [name for name, _ in layer.named_parameters()]:
                _put(layer, name, self._parts.read(f"temporal.layers.{index}.{name}"))
            yield layer


def _put(module: nn.Module, name: str, value: object) -> None:
    """In a parameter's or a submodule's place, without being one."""
    delattr(module, name)
    object.__setattr__(module, name, value)
