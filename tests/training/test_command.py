"""The command line of the training: what is missing is said in one sentence before anything is read."""

from __future__ import annotations

import pytest
import torch

from training import __main__ as command

FILES = ["--script", "s", "--bank", "b", "--codec", "c", "--tokenizer", "t", "--out", "o"]


@pytest.mark.parametrize(
    ("flag", "device", "said"),
    [
        ("--feed", "cuda:9", "argument --feed: cuda:9 is not here: PyTorch sees 2 graphics cards"),
        ("--device", "cuda:2", "argument --device: cuda:2 is not here: PyTorch sees 2 graphics cards"),
        ("--feed", "gpu", "argument --feed: gpu is no device"),
        ("--feed", "cuda:x", "argument --feed: cuda:x is no device"),
        ("--feed", "cuda:", "argument --feed: cuda: is no device"),
    ],
)
def test_a_device_that_is_not_there_is_one_sentence(
    flag: str, device: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(SystemExit) as ended:
        command._parser().parse_args(["train-language", *FILES, flag, device])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_devices_that_are_there_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    options = command._parser().parse_args(["train-language", *FILES, "--device", "cuda", "--feed", "cuda:1", "cpu"])
    assert (options.device, options.feed) == ("cuda", ["cuda:1", "cpu"])
    assert command._parser().parse_args(["train-language", *FILES]).device == "cpu"


@pytest.mark.parametrize("name", ["train-codec", "train-language"])
def test_each_script_needs_its_bank(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--script", "a.xz", "b.xz", "--bank", "c.pt", "--out", "d"]
    if name == "train-language":
        given += ["--codec", "e", "--tokenizer", "f"]
    monkeypatch.setattr("sys.argv", ["training", name, *given])
    assert command.main() == 2
    assert capsys.readouterr().err == "training: --script names 2 files and --bank 1: each script needs its bank.\n"
