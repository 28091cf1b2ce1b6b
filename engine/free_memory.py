"""How much memory is free on a device, and the refusal when a model needs more.

Owns the question to the driver or the system, and the sentence with both numbers. Called from the engine thread.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import torch

from engine.errors import EngineError
from engine.faults import give_back

# Free and total bytes of a device, or None where the system does not say.
FreeMemory = Callable[[torch.device], "tuple[int, int] | None"]

_CGROUP = Path("/sys/fs/cgroup")
_GIB = 1 << 30


def free_memory(device: torch.device) -> tuple[int, int] | None:
    """(free, total) bytes of a CUDA device or of the computer; None where it cannot be found out."""
    if device.type == "cuda":
        give_back(device)  # what a load that failed left behind must not count as taken in the next one
        return torch.cuda.mem_get_info(device)
    try:
        if sys.platform == "linux":
            return _linux_memory(Path("/proc/meminfo").read_text("ascii"), _CGROUP)
        if sys.platform == "win32":
            return _windows_memory()
        if sys.platform == "darwin":
            return _mac_memory()
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        pass
    return None


def refuse_if_short(needed: int, device: torch.device, what: str, ask: FreeMemory = free_memory) -> None:
    """Raises EngineError with both numbers when `needed` bytes are more than the device has free."""
    answer = ask(device)
    if answer is None or needed <= answer[0]:
        return
    free, total = answer
    place = "the GPU" if device.type == "cuda" else "this computer"
    choice = (
        "close other programs that use the GPU, or choose a smaller model, a smaller precision or the CPU"
        if device.type == "cuda"
        else "close other programs, or choose a smaller model or precision"
    )
    raise EngineError(
        f"{what} needs {needed / _GIB:.1f} GiB of memory, but {place} has {free / _GIB:.1f} GiB free "
        f"of {total / _GIB:.1f} GiB: {choice}."
    )


def _linux_memory(meminfo: str, cgroup: Path) -> tuple[int, int]:
    """The kernel's own estimate of what may be taken without swapping, or what the container's limit leaves of it."""
    values = {line.split(":")[0]: int(line.split()[1]) << 10 for line in meminfo.splitlines() if ":" in line}
    free, total = values["MemAvailable"], values["MemTotal"]
    try:
        limit = (cgroup / "memory.max").read_text("ascii").strip()
        if limit != "max":
            used = int((cgroup / "memory.current").read_text("ascii"))
            cached = dict(line.split() for line in (cgroup / "memory.stat").read_text("ascii").splitlines())
            # File pages count as used there, but the kernel gives them up when asked.
            reclaimable = int(cached.get("inactive_file", 0)) + int(cached.get("active_file", 0))
            free, total = min(free, int(limit) - used + reclaimable), min(total, int(limit))
    except (OSError, ValueError):
        pass  # no container, or one without such a limit
    return max(free, 0), total


class _MemoryStatus(ctypes.Structure):
    _fields_ = (
        ("length", ctypes.c_ulong),
        ("load", ctypes.c_ulong),
        ("total", ctypes.c_ulonglong),
        ("available", ctypes.c_ulonglong),
        *((name, ctypes.c_ulonglong) for name in ("page", "page_free", "virtual", "virtual_free", "extended")),
    )


def _windows_memory() -> tuple[int, int] | None:
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):  # type: ignore[attr-defined]
        return None
    return int(status.available), int(status.total)


def _mac_memory() -> tuple[int, int]:
    """`vm_stat` counts pages; those that are free, inactive or speculative can be had."""
    total = int(subprocess.run(["sysctl", "-n", "hw.memsize"], capture_output=True, text=True, timeout=5).stdout)
    lines = subprocess.run(["vm_stat"], capture_output=True, text=True, timeout=5).stdout.splitlines()
    page = int(lines[0].split("page size of")[1].split()[0])
    counts = {line.split(":")[0]: int(line.split(":")[1].strip(" .")) for line in lines[1:] if ":" in line}
    pages = sum(counts[f"Pages {kind}"] for kind in ("free", "inactive", "speculative"))
    return pages * page, total
