"""Many small judgements, done once each: by several processes, stopped and gone on with at any time.

Every case has a name; its result is one line of JSON in a file of the process that did it. A case whose result lies in
the folder is not done again.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple


class Case(NamedTuple):
    """name: unique and the same at every run, "kind/number"; judge: does it and returns what JSON can hold."""

    name: str
    judge: Callable[[], dict[str, Any]]


def results(folder: Path) -> dict[str, dict[str, Any]]:
    """Name -> result of all that was judged so far. A line cut off by an end in the middle is left out."""
    found = {}
    for path in sorted(folder.glob("results-*.jsonl")):
        for line in path.read_text().splitlines():
            try:
                entry = json.loads(line)
                found[entry["case"]] = entry
            except (ValueError, KeyError, TypeError):
                continue
    return found


def run(cases: Iterable[Case], options: argparse.Namespace) -> None:
    """Do this process's share of what is not done yet. options: out, part (k of n), limit (cases of each kind)."""
    folder: Path = options.out
    folder.mkdir(parents=True, exist_ok=True)
    number, parts = options.part
    done = results(folder)
    counts: dict[str, int] = {}
    with (folder / f"results-{number}-of-{parts}-{os.getpid()}.jsonl").open("a") as file:
        file.write("\n" if file.tell() else "")  # after a line that was cut off
        for index, case in enumerate(cases):
            kind = case.name.partition("/")[0]
            counts[kind] = counts.get(kind, 0) + 1
            if case.name in done or index % parts != number - 1 or (options.limit and counts[kind] > options.limit):
                continue
            began = time.monotonic()
            result = case.judge()
            file.write(json.dumps({"case": case.name} | result) + "\n")
            file.flush()
            print(f"{case.name} {time.monotonic() - began:.1f} s {_short(result)}", flush=True)


def _short(result: dict[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in result.items() if isinstance(value, (int, float, str)))[:200]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that every evaluation has."""
    parser.add_argument("--model", type=Path, required=True, help="a model folder as the program loads it")
    parser.add_argument("--script", type=Path, required=True, help="a held-out script")
    parser.add_argument("--bank", type=Path, required=True, help="that script, spoken")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the results; what is there is not done again"
    )
    parser.add_argument("--limit", type=int, default=0, help="at most so many cases of each kind")
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="K/N", help="this process's share, such as 1/2")
    parser.add_argument("--precision", default="auto")


def _part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    if not (number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text} is no share; write 1/2 for the first of two")
    return int(number), int(parts)
