"""Writes packaging/requirements.lock: every package that Parley needs, with its version and the hashes of its files.

    python packaging/lock.py            bring the lock up to date
    python packaging/lock.py --check    say whether it covers pyproject.toml; exit status 1 when it does not

One lock serves every Python and system of the README. torch and what only torch needs (CUDA, Triton) are not in it,
since each card needs another build. It needs uv, which the tests bring. The launcher does not install from it: a new
Python or a new card may need newer files than a lock knows, and a first start that fails helps nobody. It is for
audits (audit.py), for packagers, and for whoever wants the very files that were tested; SECURITY.md says how.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List

PROJECT = Path(__file__).resolve().parent.parent
LOCK = PROJECT / "packaging" / "requirements.lock"
LEFT_OUT = ("torch",)
EXTRAS = ("noise", "transcript")
OLDEST_PYTHON = "3.10"
HEADER = (
    "# Every package that Parley needs but torch, with its files' hashes. Made by packaging/lock.py; do not edit.\n"
)


def wanted(project: str) -> List[str]:
    """The requirements in pyproject.toml, the optional ones of EXTRAS included and LEFT_OUT not."""
    blocks = re.findall(r"^dependencies = \[\n(.*?)^\]", project, re.M | re.S)
    for extra in EXTRAS:
        blocks += re.findall(r"^" + extra + r" = \[(.*?)\]", project, re.M | re.S)
    found = re.findall(r'"([A-Za-z][^"]*)"', "\n".join(re.sub(r"^\s*#.*$", "", block, flags=re.M) for block in blocks))
    return [requirement for requirement in found if name_of(requirement) not in LEFT_OUT]


def name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", match.group().lower()) if match else ""


def locked_names(lock: str) -> List[str]:
    return [name_of(line) for line in lock.splitlines() if re.match(r"[A-Za-z0-9]", line)]


def missing(project: str, lock: str) -> List[str]:
    """What pyproject.toml names and the lock does not."""
    held = set(locked_names(lock))
    return sorted({name_of(requirement) for requirement in wanted(project)} - held)


def compile_lock(requirements: List[str], quietly: bool = False) -> str:
    """The lock's text. Raises CalledProcessError, with what uv said in `stderr` where that is not shown (quietly)."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.txt"), Path(folder, "out.txt")
        source.write_text("\n".join(requirements) + "\n", encoding="utf-8")
        options = [
            "--universal",
            "--python-version",
            OLDEST_PYTHON,
            "--generate-hashes",
            "--no-header",
            "--no-annotate",
        ]
        options += ["--no-emit-index-url", "--no-emit-find-links"]
        command = [sys.executable, "-m", "uv", "pip", "compile", "-q", *options, "-o", str(target), str(source)]
        subprocess.run(command, check=True, capture_output=quietly, text=True)
        return HEADER + target.read_text(encoding="utf-8")


def main(arguments: List[str]) -> int:
    project = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    if arguments == ["--check"]:
        absent = missing(project, LOCK.read_text(encoding="utf-8"))
        if absent:
            print("packaging/requirements.lock lacks " + ", ".join(absent) + ": run python packaging/lock.py")
        return 1 if absent else 0
    LOCK.write_text(compile_lock(wanted(project)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
