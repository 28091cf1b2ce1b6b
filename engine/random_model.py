"""Models of any size with random weights, made on the device: for measuring speed and memory, not for talking."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.config import LMConfig, MimiConfig
from engine.lm import LanguageModel
from engine.mimi import Mimi
from engine.placement import choose_dtype
from engine.precision import storage
from engine.quantize import Quantized, QuantizedWeight, make_room, quantize
from engine.tables import move_tables


def random_modules(
    lm_config: LMConfig, mimi_config: MimiConfig, device: torch.device, precision: str, seed: int
) -> tuple[LanguageModel, Mimi]:
    """The same seed gives the same weights on the same kind of device, quantised ones those of the plain model."""
    dtype = choose_dtype(precision, device)
    with torch.device("meta"):
        lm, mimi = LanguageModel(lm_config).to(dtype), Mimi(mimi_config, lm_config.codebooks)
    shapes = {name: parameter.shape for name, parameter in lm.named_parameters()}
    make_room(lm, precision)
    move_tables(lm.to_empty(device=device), device)
    generator = torch.Generator(device).manual_seed(seed)
    for name, shape in shapes.items():
        kept = storage(precision, name, shape)
        if kept is None:
            _fill(name, lm.get_parameter(name), generator, shape[-1])
            continue
        parameter = torch.empty(shape, dtype=dtype, device=device)
        _fill(name, parameter, generator, shape[-1])
        weight = lm.get_submodule(name)
        assert isinstance(weight, QuantizedWeight)
        for index, matrix in enumerate(parameter if len(shape) == 3 else (parameter,)):
            quantize(matrix, kept, weight[index] if len(shape) == 3 else Quantized(weight.values, weight.scales), name)
    fill_random(mimi.to_empty(device=device), generator)
    mimi.quantizer.precompute()
    return lm, mimi


def fill_random(mimi: Mimi, generator: torch.Generator) -> None:
    """All of a codec's weights, on its device, which is the generator's."""
    for name, parameter in mimi.named_parameters():
        _fill(name, parameter, generator, parameter.shape[-1] if "codebooks" in name else parameter[0].numel())


def _fill(name: str, parameter: Tensor, generator: torch.Generator, fan_in: int) -> None:
    """Matrices that keep a signal's size, norms that do nothing: activations stay finite however deep the stack."""
    if parameter.dim() == 1:
        parameter.fill_(0.0 if "bias" in name else 0.1 if "scale" in name else 1.0)
    else:
        parameter.normal_(0.0, fan_in**-0.5, generator=generator)
