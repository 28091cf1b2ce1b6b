"""Which compilers this computer has: what Triton kernels and compiled mode need before they are tried.

Every answer is None (nothing known to be missing) or one sentence that names what is missing. Knows nothing of the
model, of graphs or of the kernels themselves. Any thread may ask; answers are kept for the life of the process.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from importlib.util import find_spec

WINDOWS = sys.platform == "win32"
TRITON = "triton-windows" if WINDOWS else "triton"  # the package; both are imported as triton
PROBE_SECONDS = 120

# Compiles, launches and checks one kernel: the parts that fail on real machines (no compiler, no Python headers, a
# driver older than the bundled assembler) fail here, in a process whose crash or hang costs nothing.
_PROBE = """
import sys, tempfile, pathlib, importlib.util
source = '''
import triton, triton.language as tl
@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)
'''
import torch
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "probe_kernel.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("probe_kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = torch.zeros(100, device="cuda")
    module.add_one[(1,)](x, 100, BLOCK=128)
    assert x.sum().item() == 100
"""


@cache
def missing_for_triton() -> str | None:
    """What is missing on this computer to build Triton kernels, by looking only (milliseconds)."""
    if getattr(sys, "frozen", False):
        return "The packaged program carries no compiler for GPU kernels; an installation with pip does."
    if find_spec("triton") is None:
        return f"The package {TRITON} is not installed."
    if WINDOWS:  # triton-windows brings its own C compiler and headers
        return None
    return _no_compiler("C", os.environ.get("CC"), ("cc", "gcc", "clang")) or _no_headers()


@cache
def missing_for_inductor(device_type: str) -> str | None:
    """What is missing to compile PyTorch functions for "cuda" or "cpu", by looking only (milliseconds)."""
    if device_type == "cuda":
        return missing_for_triton()
    if getattr(sys, "frozen", False):
        return "The packaged program carries no C++ compiler; an installation with pip can use yours."
    if WINDOWS:
        return _no_compiler("C++", os.environ.get("CXX"), ("cl",))
    return _no_compiler("C++", os.environ.get("CXX"), ("g++", "clang++", "c++")) or _no_headers()


@cache
def triton_failure() -> str | None:
    """What goes wrong when a Triton kernel is really built and run on the GPU, tried once in a child process.

    Takes a few seconds (PyTorch starts again in the child); ask while something else loads.
    """
    if missing := missing_for_triton():
        return missing
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE], capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"A test kernel was not ready after {PROBE_SECONDS} seconds."
    except OSError as error:
        return f"A test of the kernel compiler could not be started: {error}."
    if done.returncode == 0:
        return None
    lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
    return f"A test kernel failed: {lines[-1].strip() if lines else f'exit code {done.returncode}'}."


def _no_compiler(language: str, chosen: str | None, usual: tuple[str, ...]) -> str | None:
    candidates = (chosen.split()[0], *usual) if chosen and chosen.split() else usual
    if any(shutil.which(name) for name in candidates):
        return None
    return f"No {language} compiler was found (looked for {', '.join(candidates)})."


def _no_headers() -> str | None:
    if os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        return None
    return "Python's C headers are missing (package python3-dev on Debian and Ubuntu, python3-devel on Fedora)."
