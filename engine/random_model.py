"""Models of any size with random weights, made on the device: for measuring speed and memory, not for talking."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.config import LMConfig, MimiConfig
from engine.lm import LanguageModel
from engine.mimi import Mimi


def random_modules(
    lm_config: LMConfig, mimi_config: MimiConfig, device: torch.device, dtype: torch.dtype, seed: int
) -> tuple[LanguageModel, Mimi]:
    """The same seed gives the same weights on the same kind of device."""
    with torch.device("meta"):
        lm, mimi = LanguageModel(lm_config).to(dtype), Mimi(mimi_config, lm_config.codebooks)
    generator = torch.Generator(device).manual_seed(seed)
    for module in (lm.to_empty(device=device), mimi.to_empty(device=device)):
        for name, parameter in module.named_parameters():
            stacked = module is lm or name == "quantizer.codebooks"
            _fill(name, parameter, generator, parameter.shape[-1] if stacked else parameter[0].numel())
    mimi.quantizer.precompute()
    return lm, mimi


def _fill(name: str, parameter: Tensor, generator: torch.Generator, fan_in: int) -> None:
    """Matrices that keep a signal's size, norms that do nothing: activations stay finite however deep the stack."""
    if parameter.dim() == 1:
        parameter.fill_(0.0 if "bias" in name else 0.1 if "scale" in name else 1.0)
    else:
        parameter.normal_(0.0, fan_in**-0.5, generator=generator)
