"""What is asked before a model is loaded."""

from __future__ import annotations

import re

import pytest
import torch

from app.errors import UserError
from app.preflight import certain_precision, choose_precision
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
        choose_precision(LM, MIMI, blackwell, "bfloat16", ask=lambda device: (32 * GIB, 32 * GIB))


def test_card_with_too_little_memory(blackwell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """User report L3: 7.6 GiB free of 16 GiB."""
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_120"])
    with pytest.raises(UserError, match=r"16\.\d GiB.*7\.6 GiB free of 16\.0 GiB"):
        choose_precision(LM, MIMI, blackwell, "bfloat16", ask=lambda device: (int(7.6 * GIB), 16 * GIB))
    plenty = choose_precision(LM, MIMI, blackwell, "bfloat16", ask=lambda device: (20 * GIB, 24 * GIB))
    assert plenty == ("bfloat16", "")


def test_past_frames_in_eight_bits_leave_room(blackwell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """0.7 GiB less, for a precision that was asked for and for one that is chosen."""
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_120"])

    def chosen(precision: str, kv: str) -> str:
        free = lambda device: (int(15.8 * GIB), 24 * GIB)  # noqa: E731
        return choose_precision(LM, MIMI, blackwell, precision, ask=free, kv=kv).precision

    assert (chosen("auto", "full"), chosen("auto", "int8")) == ("int8", "bfloat16")
    assert chosen("bfloat16", "int8") == "bfloat16"
    with pytest.raises(UserError, match=r"needs 16\.\d GiB of memory in bfloat16, but the graphics card has 15\.8 GiB"):
        chosen("bfloat16", "full")


def test_system_that_does_not_say_is_trusted() -> None:
    assert choose_precision(LM, MIMI, "cpu", "auto", ask=lambda device: None).precision == "float32"


@pytest.mark.parametrize(
    ("free", "precision", "said"),
    [
        (20.0, "bfloat16", r"bfloat16: it needs 16\.\d GiB of 20\.0 GiB free"),
        (15.0, "int8", r"int8: bfloat16 needs 16\.\d GiB, but 15\.0 GiB are free; it needs 9\.\d GiB"),
        (7.6, "int4", r"int4: bfloat16 needs 16\.\d GiB, but 7\.6 GiB are free; it needs 6\.\d GiB"),
    ],
)
def test_auto_takes_what_fits_and_says_why(
    blackwell: str, monkeypatch: pytest.MonkeyPatch, free: float, precision: str, said: str
) -> None:
    """User report L3, the same with an 8-bit preset."""
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_120"])
    chosen = choose_precision(LM, MIMI, blackwell, "auto", ask=lambda device: (int(free * GIB), 24 * GIB))
    assert chosen.precision == precision
    assert re.match(said, chosen.reason)


def test_auto_spreads_a_quantised_file_out_where_that_is_faster() -> None:
    """A processor reads few formats quickly; where memory is short the file's own is kept."""
    for free, precision in ((40 * GIB, "float32"), (13 * GIB, "fp8")):
        chosen = choose_precision(LM, MIMI, "cpu", "auto", "fp8", lambda device, free=free: (free, 64 * GIB))
        assert chosen.precision == precision and chosen.reason.startswith(precision)


def test_auto_refuses_where_nothing_fits_and_keeps_a_quantised_file(
    blackwell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_120"])
    with pytest.raises(UserError, match="needs 16"):
        choose_precision(LM, MIMI, blackwell, "auto", ask=lambda device: (5 * GIB, 6 * GIB))
    held = choose_precision(LM, MIMI, blackwell, "auto", "int8", lambda device: (20 * GIB, 24 * GIB))
    assert held == ("int8", "int8: the model's file is in it.")
    with pytest.raises(UserError, match=r"needs 9\.\d GiB of memory in int8.*7\.6 GiB free.*Precision int4 would fit"):
        choose_precision(LM, MIMI, blackwell, "auto", "int8", lambda device: (int(7.6 * GIB), 8 * GIB))


def test_what_is_certain_while_another_model_runs(blackwell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked for, unless the card is too small whatever is given back; what "auto" takes only if it is the best
    that the card could hold, and fits now."""
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: ["sm_120"])

    def certain(precision: str, free: float, total: float, held: str | None = None) -> str | None:
        ask = lambda device: (int(free * GIB), int(total * GIB))  # noqa: E731
        return certain_precision(LM, MIMI, blackwell, precision, held, ask)

    assert certain("int4", 1, 24) == "int4"
    with pytest.raises(UserError, match=r"needs 31\.\d GiB .* float32, but .* has 24\.0 GiB in all.*bfloat16 would"):
        certain("float32", 1, 24)
    with pytest.raises(UserError, match="No precision offered here makes it fit"):
        certain("bfloat16", 1, 4)
    assert certain("auto", 20, 24) == "bfloat16"
    assert certain("auto", 12, 16) == "int8"
    for free in (1, 12):  # bfloat16 once the other one is gone, or int8
        assert certain("auto", free, 24) is None
    assert certain("auto", 1, 24, "int8") == "int8", "the file's own, whatever is free"
