"""The goals' table, measured in one run with the peers beside it: one command, which prints the table.

    python3 -m tests.gpu.goals --folder EMPTY_FOLDER [--personaplex CHECKOUT] --out FOLDER

Parts, each in a process of its own and one after another on the first card: `parley bench` (frames and memory in every
precision), `tests.gpu.full_size` (start and persona, from files in --folder, which should be on a disk) and
`tests.gpu.bench_peers` (the installed `moshi` and a checkout of PersonaPlex, from files in memory where there is
/dev/shm). Some eight minutes on an H200. What each part printed lies in --out; a part that is there is not done again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
_BENCH = ("--model", "random:7b", "--precision", "bfloat16,int8,int4", "--modes", "graph,eager", "--no-paced")


class Goal(NamedTuple):
    """what: as the table says it; limit and measured in `unit`; measured None where its part is missing."""

    what: str
    limit: float
    measured: float | None
    unit: str

    @property
    def verdict(self) -> str:
        if self.measured is None:
            return "not measured"
        return "reached" if self.measured <= self.limit else "missed"


def goals(bench: Sequence[Mapping[str, Any]], size: Sequence[str]) -> list[Goal]:
    """bench: rows of `parley bench --json`; size: lines that `tests.gpu.full_size` printed."""
    rows = {(row["mode"], row["precision"]): row for row in bench}
    found: list[Goal] = []
    for precision, milliseconds, gigabytes in (("bfloat16", 5.0, 18.0), ("int8", 3.4, 10.5), ("int4", 3.0, 7.0)):
        row = rows.get(("graph", precision))
        p50 = row and row["p50_ms"]
        found += [
            Goal(f"{precision}, p50", milliseconds, p50, "ms"),
            Goal(f"{precision}, p99 / p50", 1.15, row and row["p99_ms"] / row["p50_ms"], "x"),
            Goal(f"{precision}, device memory, KV in bfloat16", gigabytes, row and row["memory_bytes"] / 1e9, "GB"),
        ]
    row = rows.get(("eager", "bfloat16"))
    found.append(Goal("eager, bfloat16, p50", 45.0, row and row["p50_ms"], "ms"))
    found.append(Goal("eager, bfloat16, p99", 60.0, row and row["p99_ms"], "ms"))
    whole = _parsed(size, "{")
    primed = whole and whole["prime 400 frames s (graph twice, eager twice)"]
    found.append(Goal("persona of 400 frames primed, the first time", 0.5, primed and primed[0], "s"))
    start = _parsed(size, "start {")
    allowed = 1.5 * start["read s"] + 5 if start else 0.0
    found.append(Goal("start: 1.5 x reading the files + 5 s", allowed, start and start["ready s"], "s"))
    return found


def _parsed(lines: Sequence[str], head: str) -> dict[str, Any] | None:
    """The JSON of the last line that begins so."""
    line = next((line for line in reversed(lines) if line.startswith(head)), None)
    return None if line is None else json.loads(line[head.index("{") :])


def table(found: Sequence[Goal], peers: Sequence[Mapping[str, Any]]) -> str:
    """Markdown."""
    lines = ["| goal | limit | measured | |", "|---|---|---|---|"]
    for goal in found:
        measured = "" if goal.measured is None else f"{goal.measured:.2f} {goal.unit}"
        lines.append(f"| {goal.what} | {goal.limit:.2f} {goal.unit} | {measured} | {goal.verdict} |")
    for row in peers:
        said = row.get("failed") or f"p50 {row['p50 ms']} ms, p99 {row['p99 ms']} ms"
        lines.append(f"| {row['who']} | | {said} | |")
    return "\n".join(lines)


def once(path: Path, make: Callable[[Path], None]) -> Path:
    """Makes the file if it is not there: whole or not at all. What fails is told, and the next part is done."""
    partial = path.with_name(f"unfinished-{path.name}")
    if not path.is_file():
        try:
            make(partial)
            partial.replace(path)
        except (subprocess.SubprocessError, OSError) as error:
            print(f"{path.name}: {error}", file=sys.stderr, flush=True)
    return path


def _printed(module: str, *arguments: str, into: Path) -> None:
    with into.open("w") as file:
        subprocess.run([sys.executable, "-W", "ignore", "-m", module, *arguments], stdout=file, check=True, cwd=ROOT)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--personaplex", type=Path, help="a checkout of PersonaPlex")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)

    def bench(path: Path) -> None:
        subprocess.run([sys.executable, "parley.py", "bench", *_BENCH, "--json", str(path)], check=True, cwd=ROOT)

    def size(path: Path) -> None:
        _printed("tests.gpu.full_size", "--folder", str(options.folder.resolve()), "--steps", "8", into=path)

    def peers(path: Path) -> None:
        checkout = ("--personaplex", str(options.personaplex.resolve())) if options.personaplex else ()
        memory = Path("/dev/shm")
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else options.folder) as files:
            arguments = ("--folder", files, *checkout, "--out", str(path))
            _printed("tests.gpu.bench_peers", *arguments, into=path.with_suffix(".log"))

    measured = once(options.out / "bench.json", bench)
    sized = once(options.out / "full_size.log", size)
    beside = once(options.out / "peers.json", peers)
    found = goals(
        json.loads(measured.read_text()) if measured.is_file() else [],
        sized.read_text().splitlines() if sized.is_file() else [],
    )
    print(table(found, json.loads(beside.read_text()) if beside.is_file() else []))
    return 0 if all(goal.verdict == "reached" for goal in found) else 1


if __name__ == "__main__":
    sys.exit(main())
