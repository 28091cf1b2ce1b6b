"""The files that a headless talk leaves: checked before the work, written whole after it, or kept elsewhere.

Owns where an output may go and what becomes of one whose place has gone away meanwhile. Knows no talk. Main thread.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from app.errors import UserError
from app.recording import check_writable
from app.talk_options import TalkOptions


def check_outputs(options: TalkOptions) -> None:
    """Raises UserError for outputs that could not be written, or would overwrite the input or one another."""
    outputs = [path for path in (options.output, options.transcript, options.tokens_out) if path is not None]
    for path in outputs:
        if _same(path, options.input):
            raise UserError(f"{path} is the input itself; choose another file for the output.")
        if sum(_same(path, other) for other in outputs) > 1:
            raise UserError(f"{path} is named for two outputs; give each its own file.")
        check_writable(path)


def _same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)  # links and letter case included
    return one.resolve() == other.resolve()


class Output(NamedTuple):
    """path: where it is; trouble: why it is not where it was to be, or ""."""

    name: str
    path: Path
    trouble: str


def keep(name: str, path: Path, write: Callable[[Path], object]) -> Output:
    """Write an output to its place, or else to a new folder of the system's temporary one: it cannot be had again."""
    try:
        write(path)
        return Output(name, path, "")
    except UserError as error:
        trouble = str(error)
    try:
        spare = Path(tempfile.mkdtemp(prefix="parley-")) / path.name  # a folder for its owner alone
        write(spare)
    except (OSError, UserError):
        return Output(name, path, f"{trouble} Nothing could be kept elsewhere either.")
    return Output(name, spare, f"{trouble} It is kept in {spare} instead.")
