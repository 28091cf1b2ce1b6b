"""The doctor: every judgement over made-up facts, and the whole report on this machine."""

from __future__ import annotations

import builtins
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from app import checks, config, desktop, doctor, graphics_card
from app.checks import NOTE, RIGHT, TALK, WINDOW, WRONG, Finding, Torch
from app.devices import DeviceLists, DeviceRow
from app.graphics_card import Card, parse_cards, unsupported_card
from engine import toolchain

GIB = 1 << 30
CARD = Card(0, "GPU-1234", "NVIDIA GeForce RTX 5090", "570.86.10", 32 * GIB, 30 * GIB, (12, 0))
GOOD = Torch("", "2.13.0", "13.0", True, ("sm_90", "sm_120"), (("NVIDIA GeForce RTX 5090", (12, 0)),), 8)
CPU_BUILD = Torch("", "2.13.0+cpu", None, False, (), (), 8)


def states(findings: list[Finding]) -> list[str]:
    return [finding.state for finding in findings]


def only_wrong(findings: list[Finding]) -> Finding:
    wrong = [finding for finding in findings if finding.state == WRONG]
    assert len(wrong) == 1, findings
    return wrong[0]


# ---------------------------------------------------------------- card and torch


def test_driver_table_is_read() -> None:
    text = (
        "0, GPU-ab, NVIDIA H200, 570.86.10, 143771, 143000, 9.0\n"
        "1, GPU-cd, Old card, 470.1, [N/A], [N/A], [N/A]\n"
        "NVIDIA-SMI has failed because it could not communicate\n"
        "\N{SUPERSCRIPT TWO}, GPU-ef, No number, 1, 1, 1, 9.0\n"
    )
    cards = parse_cards(text)
    assert cards[0] == Card(0, "GPU-ab", "NVIDIA H200", "570.86.10", 143771 << 20, 143000 << 20, (9, 0))
    assert (cards[1].total, cards[1].capability) == (0, (0, 0))
    assert len(cards) == 2


def test_no_driver_is_no_card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert graphics_card.list_cards() == []
    fails = tmp_path / "nvidia-smi"
    fails.write_text("#!/bin/sh\necho '0, a, b, c, 1, 1, 9.0'; exit 9\n")
    fails.chmod(0o755)
    assert graphics_card.list_cards() == []
    fails.write_text("#!/bin/sh\necho '0, a, b, c, 1, 1, 9.0'\n")
    assert [card.name for card in graphics_card.list_cards()] == ["b"]
    fails.write_text("#!/bin/sh\nprintf '\\377\\376\\n0, GPU-1, b\\351, 535, 8192, 8000, 8.6\\n'\n")
    assert [card.name for card in graphics_card.list_cards()] == ["b\ufffd"], "a driver's own code page"
    fails.write_text("#!/bin/sh\nwhile :; do echo 0, GPU-1, b, 535, 8192, 8000, 8.6; done\n")
    assert graphics_card.list_cards() == [], "one that does not end fills no memory"
    fails.write_text("#!/bin/sh\n/bin/sleep 3 &\n")
    assert graphics_card.list_cards(0.3) == [], "one whose child holds its output open"


def test_card_newer_than_the_build_is_refused_with_both_names() -> None:
    """User report R5: capability (12, 0), a build up to sm_90."""
    sentence = unsupported_card("RTX 5090", (12, 0), ["sm_80", "sm_86", "sm_90"], "2.6.0")
    assert sentence is not None
    assert "RTX 5090" in sentence
    assert "sm_120" in sentence
    assert "torch 2.6.0" in sentence
    assert "sm_90" in sentence


def test_card_older_than_the_build_is_refused() -> None:
    sentence = unsupported_card("GTX 1080", (6, 1), ["sm_75", "sm_90", "sm_120"], "2.13.0")
    assert sentence is not None
    assert "sm_61" in sentence
    assert "sm_75, sm_90, sm_120" in sentence


@pytest.mark.parametrize(
    ("capability", "architectures"),
    [
        ((9, 0), ["sm_90"]),
        ((8, 9), ["sm_80"]),  # machine code of the same generation
        ((8, 9), ["sm_86"]),
        ((12, 1), ["sm_120"]),
        ((12, 0), ["sm_90", "compute_90"]),  # the driver translates
        ((9, 0), ["sm_90a"]),
        ((12, 0), []),  # a CPU build has none; another finding says so
        ((12, 0), ["gfx1100"]),
    ],
)
def test_supported_cards_are_let_through(capability: tuple[int, int], architectures: list[str]) -> None:
    assert unsupported_card("card", capability, architectures, "2") is None


@pytest.mark.parametrize(
    ("capability", "architectures"), [((8, 0), ["sm_86"]), ((9, 0), ["sm_80"]), ((8, 9), ["sm_90"])]
)
def test_other_generations_and_newer_steps_are_not(capability: tuple[int, int], architectures: list[str]) -> None:
    assert unsupported_card("card", capability, architectures, "2") is not None


def test_everything_right() -> None:
    findings = checks.check_torch(GOOD, [CARD])
    assert states(findings) == [RIGHT, RIGHT, RIGHT]
    assert "570.86.10" in findings[1].sentence
    assert "30.0 GiB free of 32.0 GiB" in findings[1].sentence


def test_build_without_cuda_beside_a_card() -> None:
    finding = only_wrong(checks.check_torch(CPU_BUILD, [CARD]))
    assert "built without CUDA" in finding.sentence
    assert CARD.name in finding.sentence
    assert "--torch-backend=auto" in finding.remedy
    assert finding.blocks == ()  # the processor still talks


def test_no_card_is_no_fault() -> None:
    assert states(checks.check_torch(CPU_BUILD, [])) == [RIGHT, NOTE]


def test_driver_too_old() -> None:
    blind = Torch("", "2.13.0", "13.0", False, ("sm_90",), (), 8)
    finding = only_wrong(checks.check_torch(blind, [CARD]))
    assert "570.86.10" in finding.sentence
    assert "CUDA 13.0" in finding.sentence


def test_unsupported_card_blocks_with_a_way_out() -> None:
    """User report R5."""
    old = Torch("", "2.6.0", "12.4", True, ("sm_80", "sm_90"), (("NVIDIA GeForce RTX 5090", (12, 0)),), 8)
    finding = only_wrong(checks.check_torch(old, [CARD]))
    assert TALK in finding.blocks
    assert "model.device=cpu" in finding.remedy


def test_broken_torch_blocks_everything_and_stops_nothing() -> None:
    broken = Torch(error="libcudart.so.13: cannot open shared object file.")
    finding = only_wrong(checks.check_torch(broken, [CARD]))
    assert "libcudart" in finding.sentence
    assert {TALK, WINDOW} <= set(finding.blocks)
    assert checks.check_modes(broken) == []
    assert checks.check_memory(broken, [CARD]) == []


def test_modes_speak_the_engines_words() -> None:
    findings = checks.check_modes(CPU_BUILD)
    assert any("graph mode is not possible: CUDA graphs need an NVIDIA GPU" in finding.sentence for finding in findings)
    assert WRONG not in states(findings)


def test_a_card_without_a_kernel_compiler_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """User report P4: the doctor says it too, with what to install, and it is no fault."""
    missing = f"The package {toolchain.TRITON} is not installed."
    for question in ("missing_for_triton", "triton_failure"):
        monkeypatch.setattr(toolchain, question, lambda: missing)
    found = checks.check_modes(GOOD)
    assert found[-1].sentence.endswith(f"without fused kernels: {missing}")
    assert (found[-1].state, found[-1].remedy) == (NOTE, f"pip install {toolchain.TRITON}")
    assert "triton" not in checks.check_modes(CPU_BUILD)[-1].sentence


@pytest.mark.parametrize("failure", [None, "A test kernel failed: RuntimeError: ptxas fatal."])
def test_a_kernel_is_tried_as_at_a_load(monkeypatch: pytest.MonkeyPatch, failure: str | None) -> None:
    """User report P7: all that is needed is there, and a kernel cannot be built for this card all the same."""
    monkeypatch.setattr(toolchain, "missing_for_triton", lambda: None)
    monkeypatch.setattr("engine.graphs.missing_for_inductor", lambda device: None)
    monkeypatch.setattr(toolchain, "triton_failure", lambda: failure)
    modes = checks.check_modes(GOOD)
    last = modes[-1]
    possible = any(finding.sentence == "compiled mode is possible." for finding in modes)
    if failure is None:
        assert possible and last.state == RIGHT and "a test kernel ran" in last.sentence
    else:
        assert not possible and last.state == NOTE and last.sentence.endswith(failure) and not last.remedy


def test_memory_of_this_card_is_judged() -> None:
    sentence = checks.check_memory(GOOD, [CARD])[0].sentence
    assert "bfloat16" in sentence
    assert "float32" not in sentence
    assert "30.0 GiB free" in sentence
    small = CARD._replace(free=6 * GIB)
    assert "no precision" in checks.check_memory(GOOD, [small])[0].sentence


# ---------------------------------------------------------------- sound, window, packages, model, settings

HEADSET = DeviceRow("Headset", "ALSA", 1, 48000.0, is_default=True)


def test_sound() -> None:
    assert states(checks.check_sound(DeviceLists(inputs=(HEADSET,), outputs=(HEADSET,)))) == [RIGHT, RIGHT]
    silent = checks.check_sound(DeviceLists(note="Sound is off."))
    assert states(silent) == [WRONG]
    assert silent[0].blocks == (WINDOW,)


def test_hanging_sound_system_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    release = threading.Event()
    monkeypatch.setattr("app.portaudio.list_devices", lambda: release.wait(30))
    monkeypatch.setattr(doctor, "SOUND_SECONDS", 0.05)
    finding = doctor._sound()[0]
    release.set()
    assert finding.state == WRONG
    assert "did not answer" in finding.sentence


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "no display"),
        ({"DISPLAY": ":7"}, ":7 does not answer"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, None),
        ({"DISPLAY": ":7", "WAYLAND_DISPLAY": "wayland-0"}, None),
        ({"QT_QPA_PLATFORM": "offscreen"}, None),
        ({"QT_QPA_PLATFORM": "vnc:size=800x600"}, None),
        ({"QT_QPA_PLATFORM": "xcb"}, "no display"),
    ],
)
def test_display(environment: dict[str, str], said: str | None) -> None:
    problem = desktop.display_problem(environment, "linux", answers=lambda name: False)
    assert problem is None if said is None else said in str(problem)
    assert desktop.display_problem(environment, "win32") is None


def test_display_that_answers() -> None:
    assert desktop.display_problem({"DISPLAY": ":0"}, "linux", answers=lambda name: name == ":0") is None


def test_missing_qt_libraries_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = {"libxcb-cursor.so.0", "libEGL.so.1"}
    missing = desktop.missing_libraries({}, "linux", loads=lambda name: name not in lacking)
    assert missing == {"libEGL.so.1": "libegl1", "libxcb-cursor.so.0": "libxcb-cursor0"}
    offscreen = desktop.missing_libraries({"QT_QPA_PLATFORM": "offscreen"}, "linux", lambda name: name not in lacking)
    assert offscreen == {"libEGL.so.1": "libegl1"}
    assert desktop.missing_libraries({}, "darwin", loads=lambda name: False) == {}
    monkeypatch.setattr(desktop, "missing_libraries", lambda *_: missing)
    sentence = str(desktop.window_problem({"DISPLAY": ":0"}))
    assert "libEGL.so.1, libxcb-cursor.so.0" in sentence
    assert "apt install libegl1 libxcb-cursor0" in sentence


def test_package_that_does_not_import() -> None:
    findings = checks.check_packages(["json", "no_such_package"])
    assert "no_such_package" in only_wrong(findings).sentence
    assert states(checks.check_packages(["json"])) == [RIGHT]


def test_bundled_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "project_file", lambda name: tmp_path)
    finding = only_wrong(checks.check_bundled_model(CPU_BUILD))
    assert "bundled model cannot be used" in finding.sentence
    assert TALK in finding.blocks
    assert states(checks.check_bundled_model(Torch(error="broken"))) == [NOTE]


def test_download_cache(tmp_path: Path) -> None:
    def put(repository: str, *names: str) -> None:
        snapshot = tmp_path / f"models--{repository.replace('/', '--')}" / "snapshots" / "abc"
        snapshot.mkdir(parents=True)
        for name in names:
            (snapshot / name).write_bytes(b"x" * 1000)

    none = tmp_path / "none"
    assert states(checks.check_downloaded_models(none, tmp_path)) == [NOTE]
    put("kyutai/whole", "model.safetensors", "tokenizer-e351c8d8-checkpoint125.safetensors")
    put("kyutai/half", "tokenizer-e351c8d8-checkpoint125.safetensors")
    put("someone/else", "model.safetensors")
    sentences = [finding.sentence for finding in checks.check_downloaded_models(none, tmp_path)]
    assert len(sentences) == 2
    assert "kyutai/half" in sentences[0] and "not downloaded" in sentences[0]
    assert "kyutai/whole" in sentences[1] and "complete" in sentences[1]
    assert states(checks.check_downloaded_models(none, none)) == [NOTE]


def test_own_downloads(tmp_path: Path) -> None:
    from app.hub import MANIFEST

    folder = tmp_path / "nvidia--personaplex-7b-v1"
    folder.mkdir()
    (folder / MANIFEST).write_text(json.dumps({"files": {"model.safetensors": 5}}))
    found = checks.check_downloaded_models(tmp_path, tmp_path / "none")
    assert "nvidia/personaplex-7b-v1 was downloaded" in found[0].sentence
    assert "not complete" in found[0].sentence
    (folder / "model.safetensors").write_bytes(b"12345")
    assert "GB, complete" in checks.check_downloaded_models(tmp_path, tmp_path / "none")[0].sentence
    (folder / MANIFEST).write_text("[")
    assert states(checks.check_downloaded_models(tmp_path, tmp_path / "none")) == [NOTE]


def test_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "config.yaml"
    monkeypatch.setattr(config, "user_config_file", lambda: file)
    monkeypatch.setattr(doctor, "user_config_file", lambda: file)
    assert states(doctor._settings(None, ())) == [RIGHT]
    file.write_text("sampling: {text_top_k: 1}\n")
    assert states(doctor._settings(None, ())) == [RIGHT, NOTE]
    file.write_text("sampling: {text_top_k: a}\n")
    finding = only_wrong(doctor._settings(None, ()))
    assert "line 1" in finding.sentence
    assert "the file" in finding.remedy
    assert TALK in finding.blocks
    file.unlink()
    assert "typed" in only_wrong(doctor._settings(None, ("model.mod=eager",))).remedy


# ---------------------------------------------------------------- the report


def report(*findings: Finding) -> doctor.Report:
    return doctor.Report(findings, checks.fit_rows())


def test_verdict_and_exit_status(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    right = Finding("a", RIGHT, "Well.")
    no_window = Finding("b", WRONG, "No display.", "Buy one.", (WINDOW,))
    no_talk = Finding("c", WRONG, "No torch.", "", (TALK, WINDOW))
    harmless = Finding("d", WRONG, "A pity.")
    for findings, status, live in (
        ([right, harmless], 0, True),
        ([right, no_window], 0, False),
        ([right, no_talk], 1, False),
    ):
        made = report(*findings)
        monkeypatch.setattr(doctor, "examine", lambda *_, made=made: made)
        assert doctor.run_doctor(None, (), as_json=False) == status
        shown = capsys.readouterr().out
        assert "To do: Buy one." in shown or no_window not in findings
        assert doctor.run_doctor(None, (), as_json=True) == status
        parsed = json.loads(capsys.readouterr().out)
        assert (parsed["can_talk"], parsed["can_talk_live"]) == (status == 0, live)
        assert parsed["findings"][0] == {"area": "a", "state": "right", "sentence": "Well.", "remedy": "", "blocks": []}


def test_fit_table_is_shown() -> None:
    lines = doctor.fit_lines(report(Finding("a", RIGHT, "Well.")))
    assert lines[0].split()[-10:] == ["8", "GB", "12", "GB", "16", "GB", "24", "GB", "32", "GB"]
    assert [line.split(",")[0].split()[-1] for line in lines[1:-1]] == [
        "float32", "bfloat16", "fp8", "fp8-row", "int8", "int4"
    ]  # fmt: skip
    assert lines[2].split()[-5:] == ["no", "no", "no", "fits", "fits"]
    assert lines[5].split()[-5:] == ["no", "fits", "fits", "fits", "fits"]
    assert lines[-1] == "  With model.kv=int8 each takes 0.7 GiB less (float32 three times that)."


def test_examination_that_breaks_is_a_finding() -> None:
    def look() -> list[Finding]:
        raise ZeroDivisionError("of a driver")

    assert doctor._guarded("card", look)[0].state == WRONG


def test_whole_report_without_torch_qt_and_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is missing, the report comes, and names it."""
    real = builtins.__import__
    gone = {"torch", "PySide6", "sounddevice", "huggingface_hub"}

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.split(".")[0] in gone:
            raise ImportError(f"No module named {name!r}")
        return real(name, *rest, **named)

    for name in [name for name in sys.modules if name.split(".")[0] in {"sounddevice"}]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    found = doctor.examine()
    text = doctor.report_text(found, 100)
    monkeypatch.undo()
    assert not found.can_talk
    for name in gone - {"PySide6"}:
        assert name in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_whole_report_here() -> None:
    found = doctor.examine()
    areas = {finding.area for finding in found.findings}
    assert areas >= {"program", "settings", "torch", "packages", "modes", "memory", "model", "sound", "words", "window"}
    assert doctor.verdict(found) in " ".join(doctor.report_text(found).split("\n")[-3:]).replace("  ", " ")


def test_a_missing_recogniser_is_a_note_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("app.recogniser.importlib.util.find_spec", lambda name: None)
    (found,) = checks.check_recogniser()
    assert found.state == NOTE
    assert "pip install faster-whisper" in found.sentence
    monkeypatch.setattr("app.recogniser.find_model", lambda chosen: tmp_path / chosen)
    (found,) = checks.check_recogniser("mine")
    assert found.state == RIGHT
    assert str(tmp_path / "mine") in found.sentence
