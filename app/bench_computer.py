"""The computer that the benchmark measures on: names, copy rate, memory taken.

Owns what is asked of the card, of torch and of the system beside the frames themselves. The benchmark's thread calls
it; torch comes late, and the cards are listed before CUDA starts, so that all that CUDA takes is seen.
"""

from __future__ import annotations

import gc
import os
import platform
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from app import graphics_card


class Computer(NamedTuple):
    """Where the measuring happens. copy_gb_s: 10^9 bytes read and written a second; None off the card, and until
    `with_copy_rate`."""

    device: str
    device_name: str
    driver: str
    copy_gb_s: float | None
    cards_before: tuple[graphics_card.Card, ...]  # as seen before CUDA started


def mode_reasons(device: str) -> dict[str, str | None]:
    """Why a mode is impossible here, asked before a large model is loaded for nothing."""
    from engine.graphs import compile_unavailable_reason, graph_unavailable_reason

    return {"graph": graph_unavailable_reason(device), "compiled": compile_unavailable_reason(device)}


def examine_computer(device: str, cards: tuple[graphics_card.Card, ...]) -> Computer:
    import torch

    from engine.placement import choose_device

    chosen = choose_device(device)
    if chosen.type != "cuda":
        return Computer(str(chosen), processor_name(), "", None, cards)
    card = same_card(chosen, cards)
    return Computer(str(chosen), torch.cuda.get_device_name(chosen), card.driver if card else "", None, cards)


def with_copy_rate(computer: Computer) -> Computer:
    """The rate is measured once a run, and not before the first engine's memory was: what copying makes the driver and
    torch keep is no engine's."""
    return computer if computer.device == "cpu" else computer._replace(copy_gb_s=_copy_gb_s(computer.device))


@cache
def _copy_gb_s(device: str) -> float:
    """What the card copies within its memory, read and written bytes counted: the mark for weights that stream."""
    import torch

    size = min(1 << 30, torch.cuda.mem_get_info(device)[0] // 8)
    source, target = (torch.zeros(size, dtype=torch.uint8, device=device) for _ in range(2))
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    best = 0.0
    for _ in range(5):
        start.record()
        for _ in range(10):
            target.copy_(source)
        end.record()
        end.synchronize()
        best = max(best, 10 * 2 * size / (start.elapsed_time(end) / 1e3) / 1e9)
    del source, target
    torch.cuda.empty_cache()
    return round(best, 1)


def same_card(device: Any, cards: Iterable[graphics_card.Card]) -> graphics_card.Card | None:
    import torch

    identity = str(getattr(torch.cuda.get_device_properties(device), "uuid", ""))
    return next((card for card in cards if identity and card.uuid.endswith(identity)), None)


def memory_taken(engine: Any, computer: Computer) -> int:
    """Fall of the card's free memory since before CUDA started; on a processor what the process holds now."""
    gc.collect()
    if computer.device == "cpu":
        return _resident_bytes()
    import torch

    torch.cuda.empty_cache()  # what torch keeps for later is not taken by the engine
    before = same_card(engine.device, computer.cards_before)
    now = same_card(engine.device, graphics_card.list_cards())
    if before is None or now is None:  # no nvidia-smi: without the CUDA context
        return int(torch.cuda.memory_reserved(engine.device))
    return before.free - now.free


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def processor_name() -> str:
    """The processor's name for people; "" is never returned."""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "processor"
