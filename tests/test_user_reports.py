"""`user_reports.md` and `faults.md` tell the truth: the tests that they name exist, and every report that a test names
is known."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent
FAULTS = (TESTS / "faults.md").read_text(encoding="utf-8")
FAULT_ROW = re.compile(r"^\| (\w+) \| (.+?) \| (.+) \|$", re.MULTILINE)
PAGE = (TESTS / "user_reports.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z]\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")
REPORT = re.compile(r"[Uu]ser reports?((?:,? (?:and )?[A-Z]\d+)+)")


def functions(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if _is_function(node)}


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))


def test_every_row_names_tests_that_exist_or_a_reason() -> None:
    rows = ROW.findall(PAGE)
    assert len(rows) == len({row for row, _, _ in rows}) > 80
    known: dict[str, set[str]] = {}
    for row, _, held in rows:
        named = NAMED.findall(held)
        assert named or held.startswith(("not yet: ", "does not apply: ")), row
        assert len(named) == held.count("::"), f"{row}: a test is not named as `file.py::test_name`"
        for file, test in named:
            known.setdefault(file, functions(TESTS / file))
            assert test in known[file], f"{row}: there is no {file}::{test}"


def test_every_fault_names_tests_that_exist() -> None:
    rows = [row for row in FAULT_ROW.findall(FAULTS) if row[0] != "boundary"]
    assert len(rows) >= 25
    for _, fault, held in rows:
        named = NAMED.findall(held)
        assert len(named) == held.count("::") > 0, fault
        for file, test in named:
            assert test in functions(TESTS / file), f"{fault}: there is no {file}::{test}"


def test_every_report_that_a_test_names_has_a_row() -> None:
    rows = {row for row, _, _ in ROW.findall(PAGE)}
    found = set()
    for path in TESTS.rglob("test_*.py"):
        for ids in REPORT.findall(path.read_text(encoding="utf-8")):
            found |= set(re.findall(r"[A-Z]\d+", ids))
    assert len(found) > 60
    assert found <= rows
