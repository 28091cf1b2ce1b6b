"""What is asked before a model is loaded."""

from __future__ import annotations

import pytest
import torch

from app.errors import UserError
from app.preflight import refuse_impossible
from engine.config import LMConfig, MimiConfig

GIB = 1 << 30
LM, MIMI = LMConfig(), MimiConfig()


@pytest.fixture
def blackwell(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "NVIDIA GeForce RTX 5090")
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (12, 0))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    return "cuda:0"


def test_card_that_the_build_cannot_use(blackwell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """User report R5: said before anything is loaded, with card and build in it."""
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_80", "sm_90"])
    with pytest.raises(UserError, match=r"RTX 5090.*sm_120.*sm_90"):
        refuse_impossible(LM, MIMI, blackwell, "bfloat16", lambda device: (32 * GIB, 32 * GIB))


def test_card_with_too_little_memory(blackwell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """User report L3: 7.6 GiB free of 16 GiB."""
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_120"])
    with pytest.raises(UserError, match=r"16\.\d GiB.*7\.6 GiB free of 16\.0 GiB"):
        refuse_impossible(LM, MIMI, blackwell, "bfloat16", lambda device: (int(7.6 * GIB), 16 * GIB))
    refuse_impossible(LM, MIMI, blackwell, "bfloat16", lambda device: (20 * GIB, 24 * GIB))


def test_system_that_does_not_say_is_trusted() -> None:
    refuse_impossible(LM, MIMI, "cpu", "auto", lambda device: None)
