"""What may be wrong with a checkpoint's tensors: other ones than wanted, or no numbers.

Owns the comparison's sentences and the marks by which other kinds of files are known. Called from the engine thread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from engine.errors import EngineError
from engine.layout import Piece
from engine.tensor_file import FLOATS, TensorFile

# Part of a key -> what the file is. The first that any key contains is named.
OTHER_MODELS = (
    (".weight_scb", "a bitsandbytes 8-bit file: take the bf16 version of the model"),
    (".scales", "a quantised MLX file: take the PyTorch bf16 version of the model"),
    ("depformer.slices.", "a file for MLX: take the PyTorch version of the model"),
    ("depformer.0.", "a file for the Rust program: take the PyTorch version of the model"),
    ("depth_decoder.", "a Hugging Face transformers file: take Moshi's own version of the model"),
    ("model.layers.", "a Hugging Face transformers file: take Moshi's own version of the model"),
    (".lora_A", "a LoRA adapter, not a whole model"),
    ("condition_provider.", "a conditioned model, such as a translator or a TTS, which this program cannot run"),
    ("extra_heads.", "a model with further heads, which this program cannot run"),
    ("quantizer.rvq_first", "a Mimi codec, not a language model"),
)
OTHER_CODECS = (
    ("quantizer.semantic_residual_vector_quantizer", "a Hugging Face transformers file: take Moshi's own Mimi file"),
    ("encoder_transformer.layers.0.self_attn.q_proj", "a Hugging Face transformers file: take Moshi's own Mimi file"),
    ("rvq_first.codebook.", "a file for MLX or the Rust program: take the PyTorch version of the codec"),
    ("text_emb.weight", "a language model, not a codec"),
)
_NORM = re.compile(r"(^|\.)(norm1|norm2|out_norm|norm1_weight|norm2_weight)$")  # as the modules call them


def compare(file: TensorFile, pieces: Sequence[Piece], others: Sequence[tuple[str, str]], assumption: str = "") -> None:
    """Raises EngineError that says how the file's tensors differ from the wanted ones, and what the file is instead.

    assumption: where the wanted ones come from, if not from a configuration.
    """
    wanted = {piece.key: piece.shape for piece in pieces}
    kinds = {piece.key: FLOATS if piece.dtype is None else (piece.dtype,) for piece in pieces}
    entries = file.entries
    missing = [key for key in wanted if key not in entries]
    extra = [key for key in entries if key not in wanted]
    shapes = [
        f"{key} is {list(entries[key].shape)} where {list(shape)} is needed"
        for key, shape in wanted.items()
        if key in entries and entries[key].shape != shape
    ]
    types = [
        f"{key} is {entries[key].dtype}" for key in wanted if key in entries and entries[key].dtype not in kinds[key]
    ]
    faults = [
        _listed(found, said)
        for found, said in (
            (missing, "missing"),
            (extra, "not of this model"),
            (shapes, "of another shape"),
            (types, "of a type that cannot be read"),
        )
        if found
    ]
    if not faults:
        return
    kind = next((what for part, what in others if any(part in key for key in extra)), None)
    if kind:
        ending = f". It looks like {kind}."
    elif assumption:
        ending = f". {assumption} Put the config.json that belongs to the model beside it, or fetch the model again."
    else:
        ending = f"; {_remedy(missing, extra, shapes)}."
    raise EngineError(f"{file.path.name} does not fit its configuration: {'; '.join(faults)}{ending}")


def _listed(found: Sequence[str], said: str) -> str:
    more = f", and {len(found) - 3} more" if len(found) > 3 else ""
    return f"{len(found)} tensor{'s' * (len(found) > 1)} {said} ({', '.join(key[:120] for key in found[:3])}{more})"


def _remedy(missing: Sequence[str], extra: Sequence[str], shapes: Sequence[str]) -> str:
    if shapes and not missing and not extra:
        return "the config.json beside it belongs to another model"
    return "fetch the model again, or check that its config.json belongs to it"


def refuse_non_numbers(module: nn.Module, file: Path) -> None:
    """Raises EngineError, naming some, when weights hold infinities or no numbers at all: such a model talks silence.

    A sum is no number as soon as one of its terms is none; each weight is read once, and the device waited for once.
    """
    names = [name for name, parameter in module.named_parameters() if parameter.dtype.is_floating_point]
    sums = torch.stack([_sum(module.get_parameter(name)) for name in names])
    bad = [name for name, sound in zip(names, sums.isfinite().tolist(), strict=True) if not sound]
    if bad:
        raise EngineError(
            f"{file.name} holds values that are no numbers, in {len(bad)} of {len(names)} weights "
            f"({', '.join(bad[:3])}{', ...' * (len(bad) > 3)}): it is damaged, so fetch the model again."
        )


def refuse_empty(module: nn.Module, file: Path) -> None:
    """Raises EngineError, naming some, when a layer's norm is nothing but zeros: no training does that, and a disk that
    failed or a download that was never filled in does. Norms lie all over a file and keep their numbers in every
    precision; a file that is empty in a place without one is not found out here, only by its checksum.
    """
    norms = {name: weight for name, weight in module.named_parameters() if _NORM.search(name)}
    if not norms:
        return
    largest = torch.stack([weight.abs().amax().float() for weight in norms.values()])
    empty = [name for name, most in zip(norms, largest.tolist(), strict=True) if most == 0.0]
    if empty:
        raise EngineError(
            f"{file.name} holds nothing but zeros in {len(empty)} of {len(norms)} norms "
            f"({', '.join(empty[:3])}{', ...' * (len(empty) > 3)}): it is damaged, so fetch the model again."
        )


def drop_damaged(converted: Path, why: EngineError) -> EngineError:
    """Deletes a converted model whose weights turned out to be damaged, which its header does not show, so that it does
    not stand in the way of the next load. Returns what to raise."""
    try:
        converted.unlink()
    except OSError:
        return why
    return EngineError(
        f"The converted model {converted.name} was damaged and is deleted: load the model again, and it is converted "
        "anew. If it is damaged then too, so is the model's own file: fetch that again."
    )


def _sum(weights: Tensor) -> Tensor:
    if weights.dtype.itemsize > 1:
        return weights.sum(dtype=torch.float32)
    # 8-bit floats cannot be summed; the one that is no number has all bits set but the sign.
    largest = weights.view(torch.int8).bitwise_and(127).amax()
    return torch.where(largest == 127, torch.nan, 0.0)
