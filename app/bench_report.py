"""The benchmark's figures as tables: drawn on a terminal, plain text when piped or written to a file.

Owns the columns and nothing of the measuring. Rows are those of the JSON file. Main thread.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, TextIO

from app.mode_worth import WORTH
from app.telemetry import FRAME_MS

Table = tuple[str, list[str], list[list[str]]]  # title, column heads, cells


def print_report(rows: Sequence[dict[str, Any]], output: TextIO | None = None) -> None:
    """Who was measured, the frame's table, the stages' table. `rows` has at least one entry."""
    output = output or sys.stdout
    print(heading(rows[0]), file=output)
    tables = [frame_table(rows), stage_table(rows)]
    if any(row.get("compiled") for row in rows):
        tables.append(compiled_table(rows))
    for table in tables:
        if output.isatty():
            _draw(table, output)
        else:
            print(plain(table), file=output)
    for line in verdicts(rows):
        print(line, file=output)


def heading(row: dict[str, Any]) -> str:
    """One line on model, computer and versions, as far as the rows agree on them."""
    copying = f", copies {row['copy_gb_s']:.0f} GB/s" if row["copy_gb_s"] else ""
    software = f"torch {row['torch']}" + (f", CUDA {row['cuda']}, driver {row['driver']}" if row["copy_gb_s"] else "")
    return (
        f"{row['model']} on {row['device_name']} ({row['device']}{copying}), {software}, {row['date']}; "
        f"talk {row['filled_frames']} frames old ({row['context_fill']:.0%} of the context), {row['frames']} frames; "
        f"milliseconds of the {FRAME_MS:.0f} a frame may take"
    )


def frame_table(rows: Sequence[dict[str, Any]]) -> Table:
    """The whole frame: flat out, then one frame each 80 ms; and the memory taken, beside what was told beforehand."""
    heads = ["mode", "precision", "KV", "p50", "p95", "p99", "late"]
    heads += ["paced p50", "paced p95", "paced p99", "paced late", "first frame", "prepare s", "memory GB", "estimated"]
    cells = []
    for row in rows:
        paced = row["paced"]
        cells.append(
            [row["mode"], row["precision"], row["kv_precision"], *_figures(row), str(row["late"])]
            + ([*_figures(paced), str(paced["late"])] if paced else ["-"] * 4)
            + [f"{row['first_ms']:.2f}", f"{row['prepare_s']:.1f}"]
            + [f"{row[size] / 1e9:.2f}" for size in ("memory_bytes", "estimated_bytes")]
        )
    return "Frame", heads, cells


def stage_table(rows: Sequence[dict[str, Any]]) -> Table:
    """The stages, flat out; on a card with the rate at which each read what it must, and its part of the copy rate."""
    on_card = any(row["copy_gb_s"] for row in rows)
    heads = ["mode", "precision", "stage", "p50", "p95", "p99", "MB read"] + (["GB/s", "% of copy"] if on_card else [])
    cells = []
    for row in rows:
        for stage, figures in row["stages"].items():
            size = f"{figures['bytes'] / 1e6:.1f}" if "bytes" in figures else "-"
            line = [row["mode"], row["precision"], stage, *_figures(figures), size]
            if on_card:
                rate, part = figures.get("gb_s"), figures.get("percent_of_copy")
                line += ["-" if rate is None else f"{rate:.0f}", "-" if part is None else f"{part:.0f}"]
            cells.append(line)
    return "Stages", heads, cells


def compiled_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Of the compiled modes: how many graphs the compiler made, in how many places it gave up, and how many of its
    graphs PyTorch's CUDA graphs left out; then the first run beside the steady state."""
    heads = ["mode", "precision", "graphs", "breaks", "not graphed by PyTorch", "build s", "first frame", "p50"]
    cells = []
    for row in rows:
        if counts := row.get("compiled"):
            numbers = [str(counts[name]) for name in ("graphs", "breaks", "not_graphed")]
            numbers += [f"{row['prepare_s']:.1f}", f"{row['first_ms']:.2f}", f"{row['p50_ms']:.2f}"]
            cells.append([row["mode"], row["precision"], *numbers])
    return "Compiled code", heads, cells


def verdicts(rows: Sequence[dict[str, Any]]) -> list[str]:
    """For each precision whether compiled code is worth its build here: a sentence with the two numbers."""
    usual = {row["precision"]: row for row in rows if row["mode"] == "graph"}
    if not usual:
        usual = {row["precision"]: row for row in rows if row["mode"] == "eager"}
    lines = []
    for row in rows:
        other = usual.get(row["precision"])
        if other is None or not row["mode"].startswith("compiled"):
            continue
        numbers = f"{row['p50_ms']:.2f} ms a frame against {other['p50_ms']:.2f}"
        gains = row["p50_ms"] < other["p50_ms"] * WORTH
        said = "is faster than" if gains else "brings nothing over"
        lines.append(f"{row['mode']} {said} {other['mode']} in {row['precision']} here: {numbers}.")
    if any(row.get("profiled") for row in rows):
        lines.append("Stages had names for a profiler, which costs a little, and graph a graph for each stage.")
    return lines


def plain(table: Table) -> str:
    """Columns of equal width, two spaces apart, figures to the right."""
    title, heads, cells = table
    lines = [heads, *cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    texts = [column for column in range(len(heads)) if not any(cell[column][:1].isdigit() for cell in cells)]
    aligned = [
        "  ".join(
            cell.ljust(width) if column in texts else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([title, *aligned])


def _draw(table: Table, output: TextIO) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable

    title, heads, cells = table
    drawn = RichTable(title=title, title_justify="left")
    for column, head in enumerate(heads):
        number = any(cell[column][:1].isdigit() for cell in cells)
        drawn.add_column(head, justify="right" if number else "left")
    for cell in cells:
        drawn.add_row(*cell)
    Console(file=output).print(drawn)


def _figures(values: dict[str, Any]) -> list[str]:
    return [f"{values[f'p{point}_ms']:.2f}" for point in (50, 95, 99)]
