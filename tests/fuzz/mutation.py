"""Changes of bytes, texts and JSON values, from a seeded random source: the same number gives the same input."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

NUMBERS = (
    0, 1, -1, 2, 3, 7, 8, 16, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1, 2**63,
    2**64, -(2**31), -(2**63), 10**30, 10**400, 0.5, -0.0, 1e-320, 1e308, 12.5, 24000, float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
NASTY = (
    "", " ", "\0", "\n", "\r\n", "\t", "null", "true", "~", "NaN", "inf", "-", "{", "[", "*a", "&a", "!!python/object:os.x",
    "../../x", "/etc/passwd", "C:\\x", "\\\\host\\share", "con", ".", "..", "%s%n", "$(touch x)", "`touch x`", "; touch x",
    "\u202e\u05d0\u05d1", "\u0627\u0644\u0633\u0644\u0627\u0645", "\U0001f9d1\u200d\U0001f680", "e\u0301" * 20, "\ufeff",
    "\u2028", "\ud800", "\x1b[31m", "\x07", "<system>", "</s>", "<0xC3>", "a" * 300, "1e999", "0x10", "1_000", "1,5",
    "\u0661\u0662", "\u00b2", "--help", "=", "==", "a=b=c", "'", '"', "\\", "\x85", "\U0010ffff", "\xa0",
)  # fmt: skip


def bytes_like(random: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds after some changes: flips, cuts, insertions, repeated parts, wrong lengths, two mixed."""
    data = bytearray(random.choice(seeds))
    for _ in range(random.choice((1, 1, 1, 2, 3, 8, 30))):
        _change(random, data, seeds)
    return bytes(data)


def _change(random: random.Random, data: bytearray, seeds: Sequence[bytes]) -> None:
    at = random.randrange(len(data) + 1)
    if random.random() < 0.5:
        at = min(at, random.randrange(200))  # headers are where it matters
    kind = random.randrange(8)
    if kind == 0 and at < len(data):
        data[at] ^= 1 << random.randrange(8)
    elif kind == 1 and at < len(data):
        data[at] = random.randrange(256)
    elif kind == 2:
        del data[at : at + random.choice((1, 2, 4, 16, 300))]
    elif kind == 3:
        data[at:at] = random.randbytes(random.choice((1, 2, 4, 16, 300)))
    elif kind == 4:
        width = random.choice((1, 2, 4, 8))
        value = random.choice((0, 1, 2**31 - 1, 2**32 - 1, 2**63, 2**64 - 1, len(data), random.getrandbits(64)))
        data[at : at + width] = (value % 2 ** (8 * width)).to_bytes(width, random.choice(("little", "big")))
    elif kind == 5:
        del data[at:]
    elif kind == 6:
        part = data[at : at + random.choice((4, 40, 400))]
        data[at:at] = part * random.choice((1, 2, 10))
    else:
        other = random.choice(seeds)
        cut = random.randrange(len(other) + 1)
        data[at:] = other[cut : cut + 4000]


def text(random: random.Random, words: Sequence[str] = ()) -> str:
    """Words, nasty ones among them, and any characters."""
    parts = []
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        kind = random.randrange(4)
        if kind == 0:
            parts.append(random.choice(NASTY))
        elif kind == 1:
            parts.append(str(random.choice(NUMBERS)))
        elif kind == 2 and words:
            parts.append(random.choice(words))
        else:
            parts.append("".join(chr(_character(random)) for _ in range(random.randrange(12))))
    return random.choice(("", " ", ".", ":", "\n")).join(parts)


def _character(random: random.Random) -> int:
    return random.choice((random.randrange(128), random.randrange(0x800), random.randrange(0x110000)))


def value(random: random.Random, depth: int = 0) -> Any:
    """Anything that JSON can hold, and numbers that it cannot."""
    kind = random.randrange(8 if depth < 4 else 5)
    if kind == 0:
        return random.choice(NUMBERS)
    if kind == 1:
        return random.randrange(-10, 5000)
    if kind == 2:
        return text(random)
    if kind == 3:
        return random.choice((None, True, False))
    if kind == 4:
        return random.uniform(-10, 10)
    count = random.choice((0, 1, 2, 3, 17, 300 if depth == 0 else 2))
    if kind == 5:
        return {text(random): value(random, depth + 1) for _ in range(min(count, 17))}
    return [value(random, depth + 1) for _ in range(count)]


def table(random: random.Random, seed: dict[str, Any]) -> dict[str, Any]:
    """A JSON object like `seed`, with keys changed, taken away and added, at every depth."""
    made = {key: table(random, held) if isinstance(held, dict) else held for key, held in seed.items()}
    for _ in range(random.choice((1, 1, 2, 5))):
        kind = random.randrange(4)
        key = random.choice([*made, "x"])
        if kind == 0:
            made.pop(key, None)
        elif kind == 1:
            made[text(random)] = value(random)
        elif kind == 2 and isinstance(made.get(key), int):
            made[key] = random.choice((made[key] + 1, made[key] * 2, made[key] - 1, -made[key], made[key] * 10**6))
        else:
            made[key] = value(random)
    return made
