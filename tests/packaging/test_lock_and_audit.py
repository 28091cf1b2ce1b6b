"""The lock of dependencies and its audit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import audit
import lock
import pytest

PROJECT = Path(__file__).resolve().parents[2]


def test_lock_covers_what_the_project_needs_and_nothing_of_torch() -> None:
    text = lock.LOCK.read_text(encoding="utf-8")
    wanted = lock.wanted((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"numpy", "sounddevice", "pyside6-essentials", "pywebrtc-audio"} <= {lock.name_of(one) for one in wanted}
    assert lock.missing((PROJECT / "pyproject.toml").read_text(encoding="utf-8"), text) == []
    names = lock.locked_names(text)
    assert not [name for name in names if name == "torch" or name.startswith(("nvidia", "triton"))]


def test_lock_knows_every_extra_that_users_may_choose() -> None:
    project = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    section = project.split("[project.optional-dependencies]\n")[1].split("\n[")[0]
    extras = re.findall(r"^(\w+) = \[", section, re.MULTILINE)
    assert {"noise", "test"} <= set(extras)
    assert set(extras) - {"freeze", "test"} == set(lock.EXTRAS)


def test_every_package_has_one_version_and_hashes_and_no_address_is_named() -> None:
    text = lock.LOCK.read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z0-9])", text.split("\n", 1)[1].strip())
    assert len(entries) > 20
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==[0-9][^ ]*( ;|  *\\)", entry), entry[:80]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:80]
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


def test_what_the_lock_lacks_is_named(tmp_path: Path) -> None:
    project = 'dependencies = [\n    "torch>=2",\n    "rich>=13",\n    "New_Thing>=1; python_version < \'3.12\'",\n]\n'
    assert lock.missing(project, "rich==15.0.0 \\\n    --hash=sha256:0\n") == ["new-thing"]


SOUND = {"name": "rich", "version": "15.0.0", "vulns": []}
SKIPPED = {"name": "cffi", "skip_reason": "Dependency not found"}


def faulty(*mended: str) -> dict[str, object]:
    return {"name": "numpy", "version": "2.4.6", "vulns": [{"id": "CVE-2027-1", "fix_versions": list(mended)}]}


@pytest.mark.parametrize(
    ("rows", "within_bounds", "status", "said"),
    [
        ([SOUND], True, 0, ["audit: no known vulnerabilities."]),
        ([SOUND, faulty("2.4.7", "2.5.0")], True, 1,
         ["audit: numpy 2.4.6 has CVE-2027-1, which is mended in 2.4.7: run python packaging/lock.py."]),
        ([faulty("2.4.7")], False, 0,
         ["audit: numpy 2.4.6 has CVE-2027-1, which is mended in 2.4.7, which other packages do not allow yet."]),
        ([faulty()], True, 0, ["audit: numpy 2.4.6 has CVE-2027-1, which is not mended in any version yet."]),
        ([SOUND, SKIPPED], True, 0,
         ["audit: no known vulnerabilities.", "audit: 1 of 2 packages could not be looked up."]),
        ([SKIPPED], True, 0, ["audit: not run: the database knows none of the packages, so it is not the public one."]),
        ([], True, 0, ["audit: not run: the database knows none of the packages, so it is not the public one."]),
    ],
)  # fmt: skip
def test_audit_fails_only_where_something_can_be_done(
    rows: list[dict[str, object]], within_bounds: bool, status: int, said: list[str]
) -> None:
    assert audit.judge({"dependencies": rows}, lambda package, version: within_bounds) == (status, said)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("requests.exceptions.ConnectionError: Max retries exceeded", "not run: its database cannot be reached"),
        ("No module named pip_audit", "not run: pip-audit is not installed"),
        ("error: unknown flag", "not run: pip-audit failed (error: unknown flag)"),
        ("", "not run: pip-audit failed (it said nothing)"),
    ],
)
def test_audit_without_a_report_says_why(output: str, said: str) -> None:
    code = f"import sys; sys.stderr.write({output!r}); sys.exit(1)"
    status, lines = audit.run([sys.executable, "-c", code])
    assert (status, len(lines)) == (0, 1)
    assert said in lines[0]


def test_audit_reads_what_pip_audit_prints() -> None:
    report = json.dumps({"dependencies": [faulty("2.4.7")], "fixes": []})
    code = f"import sys; print({report!r}); sys.stderr.write('Found 1 known vulnerability'); sys.exit(1)"
    asked = []
    status, lines = audit.run([sys.executable, "-c", code], lambda *what: bool(asked.append(what)) or True)
    assert (status, asked) == (1, [("numpy", "2.4.7")])
    assert "CVE-2027-1" in lines[0]


def test_audit_that_hangs_or_is_missing_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "SECONDS", 0.2)
    assert "did not come back" in audit.run([sys.executable, "-c", "import time; time.sleep(9)"])[1][0]
    assert "not run" in audit.run(["/no/such/program"])[1][0]


@pytest.mark.parametrize(
    ("said", "possible"),
    [
        ("  × No solution found when resolving dependencies:\n  ╰─▶ Because you require numpy>=9", False),
        ("error: Request failed: dns error", True),
    ],
)
def test_only_a_clash_of_bounds_rules_a_version_out(monkeypatch: pytest.MonkeyPatch, said: str, possible: bool) -> None:
    asked = []

    def compile_lock(requirements: list[str], quietly: bool) -> str:
        asked.append(requirements[-1])
        raise subprocess.CalledProcessError(1, "uv", stderr=said)

    monkeypatch.setattr(lock, "compile_lock", compile_lock)
    assert audit.can_be_had("numpy", "9.0") is possible
    assert asked == ["numpy>=9.0"]


def test_the_check_of_the_lock_runs_by_itself() -> None:
    done = subprocess.run([sys.executable, "packaging/lock.py", "--check"], cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
