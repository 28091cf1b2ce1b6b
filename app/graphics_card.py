"""NVIDIA graphics cards as the driver sees them, and whether a build of torch can use one.

Owns the question to `nvidia-smi`, which needs no torch and starts no CUDA, and the judgement of a card's compute
capability against what a build was compiled for. Any thread may call it (it may take a second). No torch, no Qt.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Iterable
from typing import NamedTuple

from app.paths import packaged

_FIELDS = ("index", "uuid", "name", "driver_version", "memory.total", "memory.free", "compute_cap")
_SECONDS = 15
_MOST_BYTES = 1 << 16  # a line a card
_MIB = 1 << 20
_NUMBER = re.compile("[0-9]{1,9}")
INSTALL_CUDA = (
    "a package of Parley that was built for NVIDIA cards"
    if packaged()
    else "uv pip install --reinstall --torch-backend=auto torch"
)


class Card(NamedTuple):
    """One card. Sizes in bytes; capability (0, 0) when the driver does not say."""

    number: int
    uuid: str
    name: str
    driver: str
    total: int
    free: int
    capability: tuple[int, int]


def list_cards(seconds: float = _SECONDS) -> list[Card]:
    """The cards that the driver shows, in its order; [] where there is no driver or it does not answer in time."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    command = [program, f"--query-gpu={','.join(_FIELDS)}", "--format=csv,noheader,nounits"]
    return parse_cards(_said(command, seconds).decode("utf-8", errors="replace"))


def _said(command: list[str], seconds: float) -> bytes:
    """What a program prints; nothing where it fails, is not through in time or does not come to an end."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        return b""
    output = process.stdout
    assert output is not None
    said: list[bytes] = []
    # A reader that is not waited for: what the program itself has started may hold the pipe open after its end.
    reader = threading.Thread(target=lambda: said.append(output.read(_MOST_BYTES + 1)), name="nvidia-smi", daemon=True)
    reader.start()
    reader.join(seconds)
    whole = bool(said) and len(said[0]) <= _MOST_BYTES
    try:
        status = process.wait(1.0 if whole else 0.0)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    if not reader.is_alive():
        output.close()
    return said[0] if whole and status == 0 else b""


def parse_cards(text: str) -> list[Card]:
    """`nvidia-smi`'s table without units, one card a line; a line of another form is left out."""
    cards = []
    for line in text.splitlines():
        values = [value.strip() for value in line.split(",")]
        if len(values) != len(_FIELDS) or not _NUMBER.fullmatch(values[0]):
            continue
        index, uuid, name, driver, total, free, capability = values
        major, _, minor = capability.partition(".")
        known = (int(major), int(minor)) if _NUMBER.fullmatch(major) and _NUMBER.fullmatch(minor) else (0, 0)
        cards.append(Card(int(index), uuid, name, driver, _mib(total), _mib(free), known))
    return cards


def unsupported_card(
    name: str, capability: tuple[int, int], architectures: Iterable[str], torch_version: str
) -> str | None:
    """None when a torch build with these architectures runs on the card, else one sentence (user report R5).

    architectures: as `torch.cuda.get_arch_list()` gives them, such as "sm_90" (machine code, good for the same
    generation from that step on) and "compute_90" (which newer drivers translate for anything newer).
    """
    known = [entry for entry in map(_architecture, architectures) if entry is not None]
    if not known:
        return None  # nothing to judge by
    for kind, major, minor in known:
        same_generation = major == capability[0] and minor <= capability[1]
        if same_generation or (kind == "compute" and (major, minor) <= capability):
            return None
    newest = max(known, key=lambda entry: entry[1:])
    return (
        f"The {name} has compute capability {capability[0]}.{capability[1]} (sm_{capability[0]}{capability[1]}), but "
        f"torch {torch_version} was built for cards up to sm_{newest[1]}{newest[2]} and cannot run on it: "
        f"install a newer build, for example: {INSTALL_CUDA}"
        if capability > newest[1:]
        else f"The {name} has compute capability {capability[0]}.{capability[1]} (sm_{capability[0]}{capability[1]}), "
        f"which torch {torch_version} does not support (it was built for {', '.join(_named(known))}): "
        "install an older torch that does, or use the device cpu."
    )


def _named(known: list[tuple[str, int, int]]) -> list[str]:
    return sorted({f"sm_{major}{minor}" for _, major, minor in known}, key=lambda name: int(name[3:]))


def _architecture(name: str) -> tuple[str, int, int] | None:
    match = re.fullmatch(r"(sm|compute)_([0-9]+)([0-9])[a-z]?", name)
    return (match[1], int(match[2]), int(match[3])) if match else None


def _mib(text: str) -> int:
    return int(text) * _MIB if _NUMBER.fullmatch(text) else 0
