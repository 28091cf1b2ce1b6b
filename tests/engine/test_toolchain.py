"""Missing and broken compilers: each is one sentence, and the engine talks without them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import toolchain
from engine.config import MOSHI_7B
from tests.checkpoints import write_checkpoint

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    """Answers are kept for the life of the process; a test must neither see nor leave any."""
    questions = (toolchain.missing_for_triton, toolchain.missing_for_inductor, toolchain.triton_failure)
    for question in questions:
        question.cache_clear()
    yield
    for question in questions:
        question.cache_clear()


_WITHOUT_TRITON = """
import importlib.util, sys
sys.modules["triton"] = None
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "triton" else found(name, *rest)
from pathlib import Path
import numpy as np
import torch
torch.set_num_threads(1)
from engine import toolchain
from engine.duplex import Duplex
from engine.graphs import graph_unavailable_reason
duplex = Duplex.load(Path(sys.argv[1]), device="cpu")
print(duplex.step(np.zeros(1920, np.float32)).user)
print(toolchain.missing_for_triton())
torch.cuda.is_available = lambda: True
print(graph_unavailable_reason("cuda"))
"""


def test_without_triton_the_engine_talks_and_graphs_stay_possible(tmp_path: Path) -> None:
    """User report P4: `import triton` fails, as on Windows; what is missing is named, and nothing else changes."""
    folder = write_checkpoint(tmp_path / "m", lm={"num_layers": 1})
    command = [sys.executable, "-c", _WITHOUT_TRITON, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    heard, missing, graphs = done.stdout.splitlines()
    assert heard.startswith("(")
    assert missing in ("The package triton is not installed.", "The package triton-windows is not installed.")
    assert graphs == "None"


def test_a_missing_triton_is_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """User report P4: looked for, not tried in a child process."""
    monkeypatch.setattr(toolchain, "find_spec", lambda name: None)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a child process was started"))
    assert toolchain.triton_failure() == toolchain.missing_for_triton()
    assert "not installed" in str(toolchain.triton_failure())


@pytest.mark.parametrize(
    ("probe", "said"),
    [
        (
            'import sys; sys.exit(\'Traceback (most recent call last):\\n  File "x"\\n'
            "RuntimeError: ptxas fatal: Value sm_121a is not defined for option gpu-name')",
            "A test kernel failed: RuntimeError: ptxas fatal: Value sm_121a is not defined for option gpu-name.",
        ),
        ("import os; os.abort()", "A test kernel failed: exit code"),
        ("import time; time.sleep(30)", "A test kernel was not ready after 0.5 seconds."),
        ("", None),
    ],
)
def test_a_kernel_that_cannot_be_built_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, probe: str, said: str | None
) -> None:
    """User report P7: the bundled assembler does not know the card; a crash or a hang costs the child only."""
    monkeypatch.setattr(toolchain, "missing_for_triton", lambda: None)
    monkeypatch.setattr(toolchain, "_PROBE", probe)
    monkeypatch.setattr(toolchain, "PROBE_SECONDS", 0.5 if "sleep" in probe else 30)
    told = toolchain.triton_failure()
    assert told == said or (said is not None and str(told).startswith(said))


def test_the_reason_reaches_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """User report P7: with a kernel compiler that fails, the plain path is chosen and the reason is kept."""
    import torch

    from engine import placement
    from engine.lm import LanguageModel

    with torch.device("meta"):
        model = LanguageModel(MOSHI_7B)
    monkeypatch.setattr(placement, "triton_failure", lambda: "A test kernel failed: ptxas fatal.")
    assert placement.plain_reason(model, torch.device("cuda", 0)) == "A test kernel failed: ptxas fatal."


@pytest.mark.parametrize(("device", "compiler"), [("cpu", "C++"), ("cuda", "C")])
def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch, device: str, compiler: str) -> None:
    monkeypatch.setattr(toolchain, "WINDOWS", False)
    monkeypatch.setattr(toolchain, "find_spec", lambda name: importlib.util.find_spec("json"))
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: None)
    assert f"No {compiler} compiler was found" in str(toolchain.missing_for_inductor(device))
