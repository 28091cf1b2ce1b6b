"""Asks the public database of vulnerabilities about the packages of packaging/requirements.lock.

    python packaging/audit.py

A new advisory can appear on any day, and must be heard of without standing in the way of a change that has nothing to
do with it and cannot mend it. So every known vulnerability is named; exit status 1 only when a version without it is
within the bounds of pyproject.toml and of the packages between (`python packaging/lock.py` then brings it), and 0 when
there is nothing yet to change to. Where pip-audit is not installed, its database cannot be reached or it knows none of
the packages, this says "not run" and why, with exit status 0; packages that it could not look up are counted.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import lock

COMMAND = [
    sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--disable-pip", "--require-hashes",
    "--format", "json", "-r", str(lock.LOCK),
]  # fmt: skip
SECONDS = 120
_UNREACHABLE = (
    "connectionerror", "connection refused", "max retries", "name resolution", "timed out", "timeout", "proxyerror",
    "sslerror", "serviceerror", "service error", "network is unreachable", "newconnectionerror",
    "403", "404", "502", "503",
)  # fmt: skip


class Fault(NamedTuple):
    """A known vulnerability of a locked package, and the versions without it (none: nobody has mended it yet)."""

    package: str
    version: str
    name: str
    mended: tuple[str, ...]


Reachable = Callable[[str, str], bool]  # package, version without the fault -> whether the lock could have it


def judge(report: dict[str, Any], reachable: Reachable) -> tuple[int, list[str]]:
    """Exit status and lines to print, from pip-audit's own report."""
    rows = report.get("dependencies", [])
    looked_up = [row for row in rows if "vulns" in row]
    if not looked_up:
        return 0, ["audit: not run: the database knows none of the packages, so it is not the public one."]
    faults = [
        Fault(row["name"], row["version"], fault["id"], tuple(fault.get("fix_versions") or ()))
        for row in looked_up for fault in row["vulns"]
    ]  # fmt: skip
    status, lines = 0, []
    for fault in faults:
        remedies = [version for version in fault.mended if reachable(fault.package, version)]
        if remedies:
            status = 1
            remedy = f"is mended in {remedies[0]}: run python packaging/lock.py"
        elif fault.mended:
            remedy = f"is mended in {fault.mended[0]}, which other packages do not allow yet"
        else:
            remedy = "is not mended in any version yet"
        lines.append(f"audit: {fault.package} {fault.version} has {fault.name}, which {remedy}.")
    if not faults:
        lines.append("audit: no known vulnerabilities.")
    if len(looked_up) < len(rows):
        lines.append(f"audit: {len(rows) - len(looked_up)} of {len(rows)} packages could not be looked up.")
    return status, lines


def not_run(output: str) -> str:
    """Why there is no report, from what pip-audit wrote instead."""
    lines = [line for line in output.splitlines() if line.strip()]
    last = lines[-1].strip()[:160] if lines else "it said nothing"
    if "no module named pip_audit" in output.lower():
        return "audit: not run: pip-audit is not installed."
    if any(word in output.lower() for word in _UNREACHABLE):
        return f"audit: not run: its database cannot be reached ({last})."
    return f"audit: not run: pip-audit failed ({last})."


def can_be_had(package: str, version: str) -> bool:
    """Whether the lock could hold the package in this version or a newer one, by resolving it anew.

    True when that cannot be found out: then only the advisory itself speaks.
    """
    wanted = lock.wanted((lock.PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    try:
        lock.compile_lock([*wanted, f"{package}>={version}"], quietly=True)
    except subprocess.CalledProcessError as error:
        said = re.sub(r"\s+", " ", str(error.stderr)).lower()
        return "no solution found" not in said and "unsatisfiable" not in said
    except OSError:
        return True
    return True


def run(command: list[str] | None = None, reachable: Reachable = can_be_had) -> tuple[int, list[str]]:
    try:
        done = subprocess.run(
            command or COMMAND, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 0, [f"audit: not run: pip-audit did not come back within {SECONDS} s."]
    except OSError as error:
        return 0, [f"audit: not run: {error}."]
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return 0, [not_run(done.stdout + done.stderr)]
    return judge(report, reachable)


def main() -> int:
    status, lines = run()
    print("\n".join(lines), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
