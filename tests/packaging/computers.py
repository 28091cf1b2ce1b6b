"""Computers, cards and builds of PyTorch that the launcher's tests ask about."""

from __future__ import annotations

from computer import Gpu, Machine, Torch

LINUX = Machine(
    system="Linux",
    machine="x86_64",
    python=(3, 11),
    bits=64,
    glibc=True,
    root=False,
    manager="apt-get",
    has_venv=True,
    system_python=True,
)
MAC = LINUX._replace(system="Darwin", machine="arm64", manager="", glibc=False)
WINDOWS = LINUX._replace(system="Windows", machine="AMD64", manager="", glibc=False)
CARD = Gpu("NVIDIA GeForce RTX 4090", "560.35", "8.9")
CUDA_BUILD = Torch("2.13.0", "13.0", True, ("sm_80", "sm_86", "sm_90", "sm_120"))
