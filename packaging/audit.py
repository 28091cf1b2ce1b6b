"""Asks the public database of vulnerabilities about the packages of packaging/requirements.lock.

    python packaging/audit.py

Exit status 1 when a package has a known vulnerability. Where pip-audit is not installed or its database cannot be
reached, it says "not run" and why, with exit status 0: that is no fault of the change that is tested.
"""

import subprocess
import sys
from pathlib import Path
from typing import List, Optional, Tuple

LOCK = Path(__file__).resolve().parent / "requirements.lock"
COMMAND = [sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--disable-pip", "--require-hashes", "-r"]
SECONDS = 120
_UNREACHABLE = (
    "connectionerror", "connection refused", "max retries", "name resolution", "timed out", "timeout", "proxyerror",
    "sslerror", "serviceerror", "service error", "network is unreachable", "newconnectionerror",
    "403", "404", "502", "503",
)  # fmt: skip


def judge(code: int, output: str) -> Tuple[int, str]:
    """Exit status and one sentence, from what pip-audit came to."""
    if code == 0:
        return 0, "audit: no known vulnerabilities."
    lines = [line for line in output.splitlines() if line.strip()]
    last = lines[-1].strip() if lines else "it said nothing"
    if "no module named pip_audit" in output.lower():
        return 0, "audit: not run: pip-audit is not installed."
    if "found " in output.lower() and "known vulnerabilit" in output.lower():
        return 1, "audit: packages with known vulnerabilities, as listed above."
    if any(word in output.lower() for word in _UNREACHABLE):
        return 0, "audit: not run: its database cannot be reached (" + last[:160] + ")."
    return 0, "audit: not run: pip-audit failed (" + last[:160] + ")."


def run(command: Optional[List[str]] = None) -> Tuple[int, str]:
    try:
        done = subprocess.run(
            command or [*COMMAND, str(LOCK)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True, timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 0, "audit: not run: pip-audit did not come back within {} s.".format(SECONDS)
    except OSError as error:
        return 0, "audit: not run: {}.".format(error)
    status, sentence = judge(done.returncode, done.stdout)
    if status:
        print(done.stdout)
    return status, sentence


def main() -> int:
    status, sentence = run()
    print(sentence, flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
