"""What is asked of the computer before a model is loaded: can torch run on the card, and is there enough memory.

Owns the two questions and hands on the refusals of `app.graphics_card` and `app.memory`. Called on the engine thread,
once the sizes are known and a former model has given its memory back, and by the benchmark. torch comes late.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app import memory
from app.errors import UserError
from app.graphics_card import unsupported_card

if TYPE_CHECKING:
    import torch

    from engine.config import LMConfig, MimiConfig

AskMemory = Callable[["torch.device"], "tuple[int, int] | None"]


def refuse_impossible(
    lm: LMConfig, mimi: MimiConfig, device: str, precision: str, ask: AskMemory | None = None
) -> None:
    """Raises UserError when the card is not for this build of torch (user report R5) or memory is short (L3).

    device, precision: as in the settings, "auto" too. EngineError for a device that is not there. Nothing is allocated.
    """
    import torch

    from engine.duplex import choose_device, choose_dtype
    from engine.free_memory import free_memory

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
    answer = (ask or free_memory)(chosen)
    if answer is not None:
        values = str(choose_dtype(precision, chosen)).removeprefix("torch.")
        memory.refuse_if_too_large(lm, mimi, values, chosen.type, *answer)
