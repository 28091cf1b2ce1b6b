"""Nested arguments: tensors inside tuples, lists and dicts, walked without PyTorch's private tree functions.

Knows nothing of graphs beyond the words of its error message. Called by whichever thread calls the wrapper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch


def mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """The same nest of tuples, lists and dicts with every tensor changed."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, tuple):
        items = [mapped(item, change) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {key: mapped(item, change) for key, item in value.items()}
    return value


def matched(captured: Any, given: Any, place: str) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """The pairs (buffer of the graph, tensor given now); ValueError at the first thing a graph cannot follow."""
    if isinstance(captured, torch.Tensor) and isinstance(given, torch.Tensor):
        for what in ("shape", "dtype", "device"):
            before, now = getattr(captured, what), getattr(given, what)
            if before != now:
                raise _changed(f"{what} of {place}", _shown(before), _shown(now))
        yield captured, given
    elif type(captured) is not type(given):
        raise _changed(f"type of {place}", type(captured).__name__, type(given).__name__)
    elif isinstance(captured, (tuple, list)):
        if len(captured) != len(given):
            raise _changed(f"number of {place}", len(captured), len(given))
        for index, (before, now) in enumerate(zip(captured, given, strict=True)):
            yield from matched(before, now, f"{place}[{index}]")
    elif isinstance(captured, dict):
        if list(captured) != list(given):
            raise _changed(f"keys of {place}", list(captured), list(given))
        for key, before in captured.items():
            yield from matched(before, given[key], f"{place}[{key!r}]")
    elif captured is not given and not _equal(captured, given):
        raise _changed(f"constant {place}", repr(captured), repr(given))


def _equal(captured: Any, given: Any) -> bool:
    """Arrays compare number by number: two of them are never taken for one constant."""
    return captured == given if isinstance(captured == given, bool) else False


def _shown(value: Any) -> Any:
    return tuple(value) if isinstance(value, torch.Size) else value


def _changed(what: str, before: Any, now: Any) -> ValueError:
    return ValueError(
        f"The {what} was {before} when this CUDA graph was captured and is {now} now. "
        "Call reset() to capture again, or call it inside no_cuda_graph()."
    )
