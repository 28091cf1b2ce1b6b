"""What holds for every test: no screen wanted, nothing of the user's read or written, one processor thread.

The environment is set before any test module is imported, since Qt, torch and platformdirs read theirs early.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests share small machines, and sums then come in one order
_HOME = tempfile.TemporaryDirectory(prefix="parley-tests-")
for _name in ("CONFIG", "DATA", "STATE", "CACHE"):
    os.environ[f"XDG_{_name}_HOME"] = str(Path(_HOME.name, _name.lower()))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked `gpu` are skipped, with the reason, where there is no NVIDIA card; `long` ones unless asked for."""
    if "long" not in str(config.getoption("-m")):
        kept = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long")])
        items[:] = kept
    marked = [item for item in items if item.get_closest_marker("gpu")]
    reason = _why_no_gpu() if marked else ""
    for item in marked:
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


def _why_no_gpu() -> str:
    import torch  # only when a test asks for it

    if torch.version.cuda is None:
        return f"PyTorch {torch.__version__} is a CPU build"
    return "" if torch.cuda.is_available() else "no NVIDIA GPU answers"


def pytest_unconfigure() -> None:
    _HOME.cleanup()
