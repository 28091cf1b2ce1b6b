"""What this computer is, and what follows for setting up: refusals, the build of PyTorch, remedies in words.

Used by the launcher beside it before anything is installed: standard library only. The functions that decide take
facts and return plans or sentences, so that tests can ask them about any computer. There is no
`from __future__ import annotations` and no newer syntax in these files, because they must still parse on an old
Python in order to say that it is too old.
"""

import importlib
import importlib.util
import os
import platform
import shutil
import struct
import subprocess
import sys
from typing import List, NamedTuple, Optional, Sequence, Tuple

OLDEST_PYTHON = (3, 10)
TORCH = "torch>=2.6"
TORCH_WITH_PIP = "torch==2.13.0"
SPACE_NEEDED_GB = {"cpu": 3, "nvidia": 9}  # the environment, plus the downloads while they are unpacked


class Machine(NamedTuple):
    """Facts about the computer and the Python that runs the launcher."""

    system: str  # platform.system(): Linux, Darwin, Windows
    machine: str  # platform.machine(): x86_64, arm64, ...
    python: Tuple[int, int]
    bits: int  # pointer size of this Python
    glibc: bool
    root: bool
    manager: str  # apt-get | dnf | pacman | zypper | "" (Linux only)
    has_venv: bool  # venv and ensurepip are both there
    system_python: bool  # the distribution's own, for which its package manager has the missing parts

    @property
    def installs_packages(self) -> bool:
        """Whether the launcher itself may bring system packages, without a question asked."""
        return self.system == "Linux" and self.root and self.manager == "apt-get"


class Gpu(NamedTuple):
    """An NVIDIA card as its driver names it."""

    name: str
    driver: str
    capability: str  # "8.9"; "" when the driver does not say


class Torch(NamedTuple):
    """What the installed PyTorch says of itself."""

    version: str
    cuda: Optional[str]  # the CUDA release it was built for; None = a CPU build
    available: bool  # the card answers
    architectures: Tuple[str, ...]  # "sm_80", ...


def probe_machine() -> Machine:
    system = platform.system()
    managers = [name for name in ("apt-get", "dnf", "pacman", "zypper") if system == "Linux" and shutil.which(name)]
    return Machine(
        system=system,
        machine=platform.machine(),
        python=(sys.version_info[0], sys.version_info[1]),
        bits=8 * struct.calcsize("P"),
        glibc=runs_on_glibc(),
        root=hasattr(os, "geteuid") and os.geteuid() == 0,
        manager=managers[0] if managers else "",
        has_venv=has_venv(),
        system_python=os.path.realpath(sys.executable).startswith("/usr/bin/"),
    )


def has_venv() -> bool:
    importlib.invalidate_caches()  # a package may have been installed a moment ago
    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def runs_on_glibc() -> bool:
    try:
        return "glibc" in (os.confstr("CS_GNU_LIBC_VERSION") or "")
    except (AttributeError, ValueError, OSError):  # Windows has no confstr; other C libraries do not know the name
        return False


def refusal(machine: Machine, newer_python: Optional[str] = None) -> str:
    """Why Parley cannot be set up here at all, in one sentence; "" when it can."""
    if machine.python < OLDEST_PYTHON:
        hint = (
            f"run `{newer_python} packaging/launch.py`" if newer_python else "install a newer one and run this with it"
        )
        return f"Parley needs Python 3.10 or newer, and this is {machine.python[0]}.{machine.python[1]}: {hint}."
    if machine.bits != 64:
        return "Parley needs a 64-bit Python, and this one is 32-bit: install a 64-bit one and run this with it."
    if machine.system == "Darwin" and machine.machine == "x86_64":
        return (
            "Parley does not run on Intel Macs, for which PyTorch is no longer built "
            "(on a Mac with Apple silicon, run this with an arm64 Python instead)."
        )
    if machine.system == "Linux" and not machine.glibc:
        return "Parley needs a Linux with glibc, since PyTorch is built for no other C library."
    if not machine.has_venv and not (machine.installs_packages and machine.system_python):
        return missing_venv(machine)
    return ""


def missing_venv(machine: Machine) -> str:
    if machine.manager == "apt-get" and machine.system_python:
        return (
            "This Python lacks the parts that make virtual environments: "
            f"run `sudo apt-get install {debian_package(machine, 'venv')}`, then start this again."
        )
    return "This Python lacks venv or ensurepip: install a complete Python 3.10 or newer and start this again with it."


def debian_package(machine: Machine, part: str) -> str:
    """Debian's package with a part (venv, dev) of its own Python."""
    return f"python{machine.python[0]}.{machine.python[1]}-{part}"


# ---------------------------------------------------------------- the graphics card


def find_gpu() -> Optional[Gpu]:
    """The first NVIDIA card, asked of its driver's own tool; None without one."""
    tools = [shutil.which("nvidia-smi"), "/usr/lib/wsl/lib/nvidia-smi", "C:\\Windows\\System32\\nvidia-smi.exe"]
    for tool in [name for name in tools if name and os.path.exists(name)]:
        for query in ("name,driver_version,compute_cap", "name,driver_version"):  # old drivers know no compute_cap
            command = [tool, f"--query-gpu={query}", "--format=csv,noheader"]
            try:
                answer = subprocess.run(command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)
            except (OSError, subprocess.TimeoutExpired):
                continue
            gpu = parse_gpu(answer.stdout) if answer.returncode == 0 else None
            if gpu:
                return gpu
    return None


def parse_gpu(output: str) -> Optional[Gpu]:
    """The first card in the tool's lines "name, driver[, capability]"; None when there is none in them."""
    for line in output.splitlines():
        fields = [field.strip() for field in line.split(",")]
        if len(fields) >= 2 and fields[0] and fields[1][:1].isdigit():
            capability = fields[2] if len(fields) > 2 and fields[2][:1].isdigit() else ""
            return Gpu(fields[0], fields[1], capability)
    return None


# ---------------------------------------------------------------- PyTorch


def torch_attempts(machine: Machine, python: str) -> List[List[str]]:
    """Commands to try in turn. uv reads the driver and fetches the build that fits it, or the small CPU one."""
    with_pip = [python, "-m", "pip", "install", TORCH_WITH_PIP]
    if machine.system == "Darwin":  # one build for Apple silicon, and older releases for older systems
        return [with_pip, [python, "-m", "pip", "install", TORCH]]
    return [[python, "-m", "uv", "pip", "install", "--python", python, "--torch-backend=auto", TORCH], with_pip]


def torch_remedy(gpu: Optional[Gpu], torch: Torch, python: str) -> str:
    """What is wrong between this card and this PyTorch and what to type, in one sentence; "" when all is well."""
    if gpu is None:
        return ""
    reinstall = f"`{python} -m uv pip install --python {python} --reinstall --torch-backend="
    if torch.cuda is None:
        return f"Your {gpu.name} stays idle, since PyTorch {torch.version} is a CPU build: run {reinstall}auto torch`."
    architecture = "sm_" + gpu.capability.replace(".", "")
    if gpu.capability and torch.architectures and not has_code_for(architecture, torch.architectures):
        return (
            f"Your {gpu.name} stays idle, since PyTorch {torch.version} has no code for it ({architecture}): "
            f"run {reinstall}cu126 torch`."
        )
    if not torch.available:
        return (
            f"Your {gpu.name} stays idle, since its driver {gpu.driver} does not run CUDA {torch.cuda}: "
            f"update the driver, or run {reinstall}auto torch`."
        )
    return ""


def has_code_for(architecture: str, built: Sequence[str]) -> bool:
    """Code for sm_80 also runs on sm_86: the same major number and a minor one that is not older."""
    wanted = int(architecture[3:])
    numbers = [int(name[3:].rstrip("af")) for name in built if name.startswith("sm_")]
    return any(number // 10 == wanted // 10 and number <= wanted for number in numbers)


# ---------------------------------------------------------------- what installers say

FAILURES = (  # signs in an installer's output (lower case, separated by |), and the sentence for them
    (
        "no space left|errno 28|not enough space",
        "The disk is full, so {what} could not be installed: free some space",
    ),
    (
        "certificate_verify|certificate verify",
        "The connection for {what} is not trusted: check the certificates of your proxy",
    ),
    (
        "name resolution|name or service not known|failed to establish a new connection|dns error|connection refused"
        "|network is unreachable|timed out|proxyerror|connection reset",
        "No package index could be reached to install {what}: check the network",
    ),
    (
        "permission denied|errno 13",
        "{what} may not be written into the project's folder: check who owns it",
    ),
    (
        "no matching distribution|could not find a version",
        "There is no build of {what} for this system and Python {python}: use a Python from 3.10 to 3.14",
    ),
)


def explain_failure(output: str, what: str) -> str:
    """One sentence for what an installer printed when it failed; what = the thing it was to install."""
    text = output.lower()
    for signs, sentence in FAILURES:
        if any(sign in text for sign in signs.split("|")):
            python = f"{sys.version_info[0]}.{sys.version_info[1]}"
            return sentence.format(what=what, python=python) + ", then start this again."
    return f"Installing {what} failed."


def no_space(free_bytes: int, gpu: Optional[Gpu]) -> str:
    """Why there is too little disk to begin, with both numbers; "" when there is enough."""
    needed = SPACE_NEEDED_GB["nvidia" if gpu else "cpu"]
    if free_bytes >= needed * 10**9:
        return ""
    return f"Setting up needs about {needed} GB of disk and {free_bytes / 1e9:.1f} GB are free: free some space first."
