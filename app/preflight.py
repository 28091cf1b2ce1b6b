"""What is asked of the computer before a model is loaded: can torch run on the card, is there enough memory, and in
which precision does the model fit.

Owns these questions and hands on the refusals of `app.graphics_card` and `app.memory`. Called on the engine thread once
the sizes are known: for what is certain already before a former model gives its memory back, for the rest afterwards;
and by the benchmark. torch comes late.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from app import memory
from app.errors import UserError
from app.graphics_card import unsupported_card

if TYPE_CHECKING:
    import torch

    from engine.config import LMConfig, MimiConfig

AskMemory = Callable[["torch.device"], "tuple[int, int] | None"]


class Choice(NamedTuple):
    """A precision, and why it was chosen, as a sentence ("" where the user chose)."""

    precision: str
    reason: str = ""


def choose_precision(
    lm: LMConfig,
    mimi: MimiConfig,
    device: str,
    precision: str,
    held: str | None = None,
    ask: AskMemory | None = None,
    kv: str = "full",
) -> Choice:
    """What to load. Raises UserError when the card is not for this build of torch (user report R5) or memory is short
    in the precision asked for, or with "auto" in every one (L3).

    device, precision: as in the settings, "auto" too; held: the quantised precision of the model's own file;
    kv: as in the settings.
    EngineError for a device that is not there or a precision that is none. Nothing is allocated.
    """
    chosen, usual, answer = _examined(device, precision, ask)
    choice = Choice(precision) if precision != "auto" else _automatic(lm, mimi, chosen.type, held, usual, answer, kv)
    if answer is not None:
        memory.refuse_if_too_large(lm, mimi, choice.precision, chosen.type, *answer, kv)
    return choice


def certain_precision(
    lm: LMConfig,
    mimi: MimiConfig,
    device: str,
    precision: str,
    held: str | None = None,
    ask: AskMemory | None = None,
    kv: str = "full",
) -> str | None:
    """What `choose_precision` will come to once a former model has given its memory back, where it is there still and
    that is certain all the same; None where it depends on how much that will be.

    Arguments and errors as there, of errors only those that no memory given back could mend.
    """
    chosen, usual, answer = _examined(device, precision, ask)
    if precision != "auto":
        if answer is not None:
            memory.refuse_if_never(lm, mimi, precision, chosen.type, answer[1], kv)
        return precision
    now = _automatic(lm, mimi, chosen.type, held, usual, answer, kv).precision
    if answer is None:
        return now
    free, total = answer
    best = _automatic(lm, mimi, chosen.type, held, usual, (total, total), kv).precision
    certain = now == best and (held is not None or memory.estimate(lm, mimi, now, chosen.type, kv).to_come <= free)
    return now if certain else None


def _examined(device: str, precision: str, ask: AskMemory | None) -> tuple[torch.device, str, tuple[int, int] | None]:
    """The device, if this build of torch is for it, the plain precision that is usual there, and its memory."""
    import torch

    from engine.free_memory import free_memory
    from engine.placement import choose_device, name_of
    from engine.placement import choose_dtype as dtype_of

    chosen = choose_device(device)
    if chosen.type == "cuda":
        problem = unsupported_card(
            torch.cuda.get_device_name(chosen),
            torch.cuda.get_device_capability(chosen),
            torch.cuda.get_arch_list(),
            torch.__version__,
        )
        if problem:
            raise UserError(problem)
    return chosen, name_of(dtype_of(precision, chosen)), (ask or free_memory)(chosen)


def _automatic(
    lm: LMConfig,
    mimi: MimiConfig,
    device: str,
    held: str | None,
    usual: str,
    answer: tuple[int, int] | None,
    kv: str,
) -> Choice:
    """The file's own precision, else the usual one, else the largest that fits."""
    from engine.quantize import fast_on_processor

    if held is not None:
        spread = memory.estimate(lm, mimi, usual, device, kv).to_come
        if device == "cuda" or fast_on_processor(held) or (answer is not None and spread > answer[0]):
            return Choice(held, f"{held}: the model's file is in it.")
        return Choice(usual, f"{usual}: faster on this processor than the {held} of the model's file.")
    if answer is None:
        return Choice(usual, f"{usual}: how much memory is free is not known.")
    free, needed = (
        answer[0],
        {name: memory.estimate(lm, mimi, name, device, kv).to_come for name in dict.fromkeys((usual, *memory.SMALLER))},
    )
    if needed[usual] <= free:
        return Choice(usual, f"{usual}: it needs {memory.gib(needed[usual])} of {memory.gib(free)} free memory.")
    fitting = [name for name in needed if needed[name] <= free]
    if not fitting:
        return Choice(usual)  # which is refused, with both numbers
    why = f"{usual} needs {memory.gib(needed[usual])}, but {memory.gib(free)} are free"
    return Choice(fitting[0], f"{fitting[0]}: {why}; it needs {memory.gib(needed[fitting[0]])}.")
