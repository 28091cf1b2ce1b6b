"""The lock of dependencies and its audit."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("code", "output", "status", "said"),
    [
        (0, "No known vulnerabilities found", 0, "no known vulnerabilities"),
        (1, "Found 2 known vulnerabilities in 1 package\nName Version ID Fix", 1, "listed above"),
        (1, "requests.exceptions.ConnectionError: Max retries exceeded", 0, "not run: its database cannot be reached"),
        (1, "No module named pip_audit", 0, "not run: pip-audit is not installed"),
        (2, "error: unknown flag", 0, "not run: pip-audit failed"),
        (1, "", 0, "not run"),
    ],
)
def test_audit_says_what_came_of_it(code: int, output: str, status: int, said: str) -> None:
    judged, sentence = audit.judge(code, output)
    assert judged == status
    assert said in sentence
    assert "\n" not in sentence


def test_audit_that_hangs_or_is_missing_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "SECONDS", 0.2)
    assert "did not come back" in audit.run([sys.executable, "-c", "import time; time.sleep(9)"])[1]
    assert "not run" in audit.run(["/no/such/program"])[1]


def test_the_check_of_the_lock_runs_by_itself() -> None:
    done = subprocess.run([sys.executable, "packaging/lock.py", "--check"], cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
