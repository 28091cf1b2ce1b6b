"""Which room may import what, read off the syntax trees; and that the window's side loads without torch.

ui -> Qt, and of ours app.messages, app.telemetry, app.config, app.errors
app -> engine, torch, sounddevice and ui inside functions only
engine -> torch, numpy, safetensors, sentencepiece, and nothing of ours; triton in kernels files only
graphs.py and graph_pool.py alone name CUDA graphs and torch.compile
nothing imports training or tests
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("app", "engine", "ui")
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))

QT = {"PySide6", "shiboken6"}
UI_MAY_IMPORT = {"app.messages", "app.telemetry", "app.config", "app.errors"}
ENGINE_MAY_IMPORT = {"torch", "numpy", "safetensors", "sentencepiece", "engine"}
LATE_IN_APP = {"engine", "torch", "triton", "sounddevice", "ui"} | QT
GRAPH_WORDS = {
    "CUDAGraph",
    "graph_pool_handle",
    "make_graphed_callables",
    "cudagraph_mark_step_begin",
    "torch.compile",
    "torch.cuda.graph",
    "torch.cuda.graphs",
}


class Import(NamedTuple):
    module: str  # "app.messages"
    late: bool  # inside a function, or for the type checker only
    line: int

    @property
    def top(self) -> str:
        return self.module.split(".")[0]


def imports(tree: ast.Module) -> list[Import]:
    """Every import of a file; `from app import messages` counts as app.messages."""
    return list(_imports(tree, late=False))


def _imports(node: ast.AST, late: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, late, child.lineno) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"line {child.lineno}: a relative import"
            whole = child.module in ROOMS
            names = [f"{child.module}.{alias.name}" for alias in child.names] if whole else [str(child.module)]
            yield from (Import(name, late, child.lineno) for name in names)
        else:
            inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            checking = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from _imports(child, late or inside or checking)


def named(tree: ast.Module) -> set[str]:
    """Attributes, names and imported names: "torch.compile" and "compile" for `torch.compile(...)`."""
    words: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            words |= {node.attr, ast.unparse(node)}
        elif isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.ImportFrom):
            words |= {alias.name for alias in node.names} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            words |= {alias.name for alias in node.names}
    return words


def faults(room: str, file_name: str, source: str) -> list[str]:
    """What a file of a room does that its room may not, one sentence each."""
    tree = ast.parse(source)
    found = [fault for item in imports(tree) for fault in _import_faults(room, file_name, item)]
    if room != "engine" or file_name not in ("graphs.py", "graph_pool.py"):
        found += [f"names {word}, which is for engine/graphs.py alone" for word in sorted(GRAPH_WORDS & named(tree))]
    return found


def _fused(module: str) -> bool:
    """The modules that import Triton at their top."""
    return module.startswith(("engine.kernels", "engine.fused"))


def _import_faults(room: str, file_name: str, item: Import) -> Iterator[str]:
    where = f"line {item.line} imports {item.module}"
    if item.top in ("training", "tests"):
        yield f"{where}: the program must not need it"
    elif item.top == "triton" and not (room == "engine" and _fused(f"engine.{file_name}")):
        yield f"{where}: only kernels files may"
    elif _fused(item.module) and not (item.late or _fused(f"engine.{file_name}")):
        yield f"{where} at the top: only inside a function, where Triton may be missing"
    elif room == "ui":
        standard = item.top in sys.stdlib_module_names
        if not (standard or item.top in QT | {"ui", "numpy"} or item.module in UI_MAY_IMPORT):
            yield f"{where}: the window knows Qt, messages, telemetry and config only"
    elif room == "engine":
        if not (item.top in sys.stdlib_module_names | ENGINE_MAY_IMPORT or item.top == "triton"):
            yield f"{where}: the engine must run with torch, numpy, safetensors and sentencepiece alone"
    elif item.top in LATE_IN_APP and not item.late:
        yield f"{where} at the top: only inside a function"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_follow_the_arrows(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    assert faults(room, path.name, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("room", "file_name", "source"),
    [
        ("ui", "meter.py", "import torch"),
        ("ui", "meter.py", "def late():\n    import sounddevice"),
        ("ui", "meter.py", "from app.conversation import Conversation"),
        ("ui", "meter.py", "from app import conversation"),
        ("ui", "meter.py", "import engine.duplex"),
        ("app", "audio.py", "import torch"),
        ("app", "audio.py", "from engine.duplex import Duplex"),
        ("app", "audio.py", "try:\n    import sounddevice\nexcept OSError:\n    pass"),
        ("app", "audio.py", "class Late:\n    import torch"),
        ("app", "bench.py", "import torch_unrelated\ndef f():\n    import triton"),
        ("app", "bench.py", "def f(torch):\n    torch.compile(f)"),
        ("app", "bench.py", "def f():\n    from training.data import make"),
        ("engine", "lm.py", "def f():\n    from app.messages import MODES"),
        ("engine", "lm.py", "import rich"),
        ("engine", "lm.py", "def f():\n    import triton"),
        ("engine", "lm.py", "import torch\nstep = torch.compile(step)"),
        ("engine", "lm.py", "from torch import compile\nfrom torch.cuda import CUDAGraph"),
        ("engine", "duplex.py", "import torch\nwith torch.cuda.graph(g):\n    pass"),
        ("engine", "frame.py", "from engine.kernels_linear import linear"),
        ("engine", "frame.py", "from engine import kernels_linear"),
    ],
)
def test_a_forbidden_import_is_found(room: str, file_name: str, source: str) -> None:
    assert faults(room, file_name, source) != []


@pytest.mark.parametrize(
    ("room", "file_name", "source"),
    [
        ("ui", "meter.py", "import math\nfrom PySide6.QtWidgets import QWidget\nfrom app import messages"),
        ("ui", "bridge.py", "from app.messages import StopTalk\nfrom ui.meter import Meter"),
        (
            "app",
            "audio.py",
            "import numpy\ndef f():\n    import sounddevice, torch\n    from engine.duplex import Duplex",
        ),
        ("app", "main.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from engine.duplex import Duplex"),
        ("engine", "lm.py", "import torch\nimport torch.nn.functional as F\nfrom engine.layers import RMSNorm"),
        ("engine", "graphs.py", "import torch\ndef f():\n    torch.compile(f)"),
        ("engine", "kernels_linear.py", "import triton.language as tl\nfrom engine.kernels_tokens import g"),
        ("engine", "frame.py", "def f():\n    from engine.kernels_linear import linear"),
        ("ui", "strip.py", "import numpy as np"),
    ],
)
def test_an_allowed_import_is_let_through(room: str, file_name: str, source: str) -> None:
    assert faults(room, file_name, source) == []


def test_app_and_ui_load_without_torch_and_sound() -> None:
    """A window shows before torch is imported, and opens where PortAudio is missing."""
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES]
    wanted = [name.removesuffix(".__init__") for name in modules if not name.startswith("engine")]
    code = (
        "import importlib, sys\n"
        f"for name in {[name for name in wanted if not name.endswith('__main__')]!r}:\n"
        "    importlib.import_module(name)\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'torch', 'engine', 'sounddevice', 'triton'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
