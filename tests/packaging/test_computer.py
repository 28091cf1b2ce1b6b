"""What the launcher decides about a computer: refusals, the build of PyTorch, and what it says when things fail."""

from __future__ import annotations

import ast
from pathlib import Path

import computer
import pytest
from computer import Gpu, Machine, Torch

from tests.packaging.computers import CARD, CUDA_BUILD, LINUX, MAC, WINDOWS


def one_sentence(text: str) -> bool:
    return text.endswith(".") and "\n" not in text and text[0].isupper()


@pytest.mark.parametrize("machine", [LINUX, MAC, WINDOWS, LINUX._replace(machine="aarch64")])
def test_supported_computers_are_accepted(machine: Machine) -> None:
    assert computer.refusal(machine) == ""


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        (LINUX._replace(python=(3, 9)), ["3.10", "3.9"]),
        (WINDOWS._replace(bits=32), ["64-bit", "32-bit"]),
        (MAC._replace(machine="x86_64"), ["Intel Macs", "arm64"]),
        (LINUX._replace(glibc=False), ["glibc"]),
        (LINUX._replace(has_venv=False), ["sudo apt-get install python3.11-venv"]),
        (LINUX._replace(has_venv=False, manager="dnf"), ["venv", "ensurepip"]),
        (LINUX._replace(has_venv=False, root=True, system_python=False), ["venv", "ensurepip"]),
    ],
)
def test_others_are_refused_in_one_sentence(machine: Machine, words: list[str]) -> None:
    sentence = computer.refusal(machine)
    assert one_sentence(sentence)
    assert all(word in sentence for word in words)


def test_root_on_debian_brings_the_missing_venv_itself() -> None:
    assert computer.refusal(LINUX._replace(has_venv=False, root=True)) == ""
    assert computer.debian_package(LINUX, "venv") == "python3.11-venv"


def test_an_old_python_is_told_of_a_newer_one() -> None:
    sentence = computer.refusal(LINUX._replace(python=(3, 8)), "python3.12")
    assert one_sentence(sentence)
    assert "run `python3.12 packaging/launch.py`" in sentence


@pytest.mark.parametrize("name", ["launch.py", "computer.py", "system_libraries.py"])
def test_launcher_parses_on_an_old_python(name: str) -> None:
    """It could not say that the Python is too old otherwise."""
    source = Path(computer.__file__).with_name(name).read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 6))
    imports = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert "__future__" not in imports


def test_only_root_with_apt_installs_system_packages() -> None:
    assert LINUX._replace(root=True).installs_packages
    assert not LINUX.installs_packages
    assert not LINUX._replace(root=True, manager="dnf").installs_packages
    assert not MAC._replace(root=True).installs_packages


@pytest.mark.parametrize(
    ("output", "gpu"),
    [
        ("NVIDIA GeForce RTX 4090, 560.35, 8.9\n", CARD),
        ("NVIDIA H200, 580.1, 9.0\nNVIDIA H200, 580.1, 9.0\n", Gpu("NVIDIA H200", "580.1", "9.0")),
        ("Tesla P4, 450.80, [N/A]\n", Gpu("Tesla P4", "450.80", "")),
        ("GeForce GTX 970, 390.157\n", Gpu("GeForce GTX 970", "390.157", "")),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", None),
        ("No devices were found\n", None),
        ("", None),
    ],
)
def test_the_first_card_is_read(output: str, gpu: Gpu | None) -> None:
    assert computer.parse_gpu(output) == gpu


def test_uv_is_tried_first_and_pip_second() -> None:
    first, second = computer.torch_attempts(LINUX, "PY")
    assert first[:5] == ["PY", "-m", "uv", "pip", "install"]
    assert "--torch-backend=auto" in first
    assert second == ["PY", "-m", "pip", "install", "torch==2.13.0"]
    assert computer.torch_attempts(WINDOWS, "PY") == [first, second]
    assert computer.torch_attempts(MAC, "PY") == [second, ["PY", "-m", "pip", "install", "torch>=2.6"]]


def test_a_matching_build_needs_no_remedy() -> None:
    assert computer.torch_remedy(CARD, CUDA_BUILD, "PY") == ""
    assert computer.torch_remedy(None, CUDA_BUILD._replace(cuda=None, available=False), "PY") == ""


@pytest.mark.parametrize(
    ("gpu", "torch", "words"),
    [
        (CARD, Torch("2.13.0+cpu", None, False, ()), ["RTX 4090", "2.13.0+cpu", "CPU build", "--torch-backend=auto"]),
        (CARD, CUDA_BUILD._replace(available=False), ["560.35", "CUDA 13.0", "update the driver"]),
        (Gpu("NVIDIA GTX 1080", "560.35", "6.1"), CUDA_BUILD, ["GTX 1080", "sm_61", "--torch-backend=cu126"]),
        (Gpu("NVIDIA GTX 1080", "560.35", ""), CUDA_BUILD._replace(available=False), ["update the driver"]),
    ],
)
def test_a_mismatch_is_one_sentence_with_the_remedy(gpu: Gpu, torch: Torch, words: list[str]) -> None:
    sentence = computer.torch_remedy(gpu, torch, "PY")
    assert one_sentence(sentence)
    assert all(word in sentence for word in words)


def test_code_for_one_card_runs_on_later_ones_of_its_generation_only() -> None:
    assert computer.has_code_for("sm_89", ["sm_80"])
    assert computer.has_code_for("sm_120", ["sm_90a", "sm_120"])
    assert not computer.has_code_for("sm_75", ["sm_80"])
    assert not computer.has_code_for("sm_80", ["sm_86", "compute_90"])


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("OSError: [Errno 28] No space left on device", ["disk is full", "PyTorch"]),
        ("cause: dns error\ncause: Name or service not known", ["network"]),
        (
            "WARNING: Retrying ... NewConnectionError('Failed to establish a new connection')\n"
            "ERROR: Could not find a version that satisfies the requirement (from versions: none)",
            ["network"],
        ),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))", ["certificates"]),
        ("ERROR: [Errno 13] Permission denied: '.venv'", ["who owns it"]),
        ("ERROR: No matching distribution found for torch==2.13.0", ["Python", "3.10 to 3.14"]),
        ("Segmentation fault", ["Installing PyTorch failed"]),
    ],
)
def test_an_installers_failure_becomes_one_sentence(output: str, words: list[str]) -> None:
    sentence = computer.explain_failure(output, "PyTorch")
    assert one_sentence(sentence)
    assert all(word in sentence for word in words)


def test_too_little_disk_is_told_with_both_numbers() -> None:
    assert computer.no_space(4 * 10**9, None) == ""
    sentence = computer.no_space(4 * 10**9, CARD)
    assert one_sentence(sentence)
    assert "9 GB" in sentence
    assert "4.0 GB" in sentence
