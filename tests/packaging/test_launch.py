"""What the launcher does, with every command that it would run recorded instead of run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import computer
import launch
import pytest
import system_libraries

from tests.packaging.computers import CARD, CUDA_BUILD, LINUX, WINDOWS

CPU_TORCH = computer.Torch("2.13.0+cpu", None, False, ())
PORTAUDIO = system_libraries.LIBRARIES[0]


class Recorder:
    """Stands for everything that the launcher would run; commands that contain a key of `failures` fail with it."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.failures: dict[str, str] = {}

    def run(self, command: list[str]) -> tuple[int, str]:
        line = " ".join(command)
        self.commands.append(line)
        for part, output in self.failures.items():
            if part in line:
                return 1, output
        return 0, ""

    def ran(self, part: str) -> bool:
        return any(part in command for command in self.commands)


@pytest.fixture
def project(tmp_path: Path, monkeypatch) -> Path:
    """A clone in an empty folder, on a complete computer without a card."""
    root = Path(launch.__file__).resolve().parent.parent
    (tmp_path / "packaging").mkdir()
    for name in ("pyproject.toml", "setup.py", *(f"packaging/{part}" for part in launch.LAUNCHER)):
        (tmp_path / name).write_bytes((root / name).read_bytes())
    monkeypatch.setattr(launch, "PROJECT", tmp_path)
    monkeypatch.setattr(launch, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(launch, "LOG", tmp_path / "build" / "setup.log")
    monkeypatch.setattr(launch, "STAMP", tmp_path / ".venv" / "parley-setup.json")
    monkeypatch.setattr(computer, "find_gpu", lambda: None)
    monkeypatch.setattr(system_libraries, "missing_libraries", lambda machine: [])
    monkeypatch.setattr(launch.shutil, "which", lambda name: "/usr/bin/" + name)
    return tmp_path


@pytest.fixture
def recorder(project: Path, monkeypatch) -> Recorder:
    recorder = Recorder()
    torch: list[computer.Torch | None] = [None]

    def run_logged(command: list[str]) -> tuple[int, str]:
        code, output = recorder.run(command)
        if code == 0 and "torch" in command[-1]:
            torch[0] = CPU_TORCH
        if code == 0 and "--editable" in command:
            (project / ".venv" / "bin" / "parley").touch()
        return code, output

    def make_venv(machine: computer.Machine) -> None:
        recorder.commands.append("make_venv")
        (project / ".venv" / "bin").mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(launch, "run_logged", run_logged)
    monkeypatch.setattr(launch, "make_venv", make_venv)
    monkeypatch.setattr(launch, "read_torch", lambda: torch[0])
    monkeypatch.setattr(launch, "apt_install", lambda packages: recorder.run(["apt", *packages]))
    return recorder


def test_first_start_installs_everything_in_order(project: Path, recorder: Recorder) -> None:
    assert launch.set_up(LINUX, tests=False) == []
    order = ["make_venv", "--upgrade pip", ":all: uv", "-m uv pip install", "--editable ."]
    positions = [next(i for i, command in enumerate(recorder.commands) if part in command) for part in order]
    assert positions == sorted(positions)
    assert not recorder.ran("torch==2.13.0"), "uv brought it, so pip is not asked"
    assert not recorder.ran("moshi")


def test_second_start_runs_nothing(project: Path, recorder: Recorder, monkeypatch) -> None:
    launch.set_up(LINUX, tests=False)
    recorder.commands.clear()

    def unexpected(*_arguments: object) -> None:
        raise AssertionError("the second start looked at the computer again")

    monkeypatch.setattr(computer, "find_gpu", unexpected)
    monkeypatch.setattr(system_libraries, "missing_libraries", unexpected)
    assert launch.set_up(LINUX, tests=False) == []
    assert recorder.commands == []


def test_changed_dependencies_or_a_moved_clone_set_up_again(project: Path, recorder: Recorder) -> None:
    launch.set_up(LINUX, tests=False)
    recorder.commands.clear()
    before = launch.fingerprint(project)
    with (project / "pyproject.toml").open("a") as file:
        file.write("# one more dependency\n")
    assert launch.fingerprint(project) != before
    launch.set_up(LINUX, tests=False)
    assert recorder.ran("--editable .")
    assert not recorder.ran("uv"), "PyTorch is there already"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"fingerprint": 3}'])
def test_a_damaged_stamp_sets_up_again(project: Path, recorder: Recorder, content: str) -> None:
    launch.set_up(LINUX, tests=False)
    recorder.commands.clear()
    launch.STAMP.write_text(content)
    launch.set_up(LINUX, tests=False)
    assert recorder.ran("--editable .")


def test_pip_brings_torch_where_uv_cannot(project: Path, recorder: Recorder, capsys) -> None:
    recorder.failures = {"-m uv": "error: Request failed: dns error"}
    launch.set_up(LINUX, tests=False)
    assert recorder.ran("-m pip install torch==2.13.0")
    assert "trying another way" in capsys.readouterr().out


def test_pip_brings_torch_where_uv_has_no_build(project: Path, recorder: Recorder) -> None:
    recorder.failures = {":all: uv": "ERROR: No matching distribution found for uv", "-m uv": "No module named uv"}
    launch.set_up(LINUX, tests=False)
    assert recorder.ran("-m pip install torch==2.13.0")


def test_no_network_is_one_sentence_and_leaves_no_stamp(project: Path, recorder: Recorder, capsys, monkeypatch) -> None:
    recorder.failures = {"install": "Failed to establish a new connection: [Errno -3]"}
    monkeypatch.setattr(computer, "probe_machine", lambda: LINUX)
    assert launch.main(["setup"]) == 2
    error = capsys.readouterr().err
    assert error == "No package index could be reached to install pip: check the network, then start this again.\n"
    assert not launch.STAMP.exists()


def test_a_card_that_stays_idle_is_told_with_the_remedy(project: Path, recorder: Recorder, capsys, monkeypatch) -> None:
    monkeypatch.setattr(computer, "find_gpu", lambda: CARD)
    launch.set_up(LINUX, tests=False)
    assert "RTX 4090 stays idle" in capsys.readouterr().out


def test_too_little_disk_ends_it_before_anything_is_made(project: Path, recorder: Recorder, monkeypatch) -> None:
    usage = launch.shutil.disk_usage(str(project))._replace(free=10**8)
    monkeypatch.setattr(launch.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(launch.SetupError, match=r"about 3 GB of disk and 0\.1 GB are free"):
        launch.set_up(LINUX, tests=False)
    assert recorder.commands == []
    assert not launch.VENV.exists()


def test_without_root_nothing_on_the_system_is_changed(project: Path, recorder: Recorder, capsys, monkeypatch) -> None:
    monkeypatch.setattr(system_libraries, "missing_libraries", lambda machine: [PORTAUDIO])
    assert launch.set_up(LINUX, tests=False) == [PORTAUDIO]
    assert not recorder.ran("apt")
    assert "run `sudo apt-get install libportaudio2`" in capsys.readouterr().out
    assert launch.set_up(LINUX, tests=False) == [PORTAUDIO], "what was missing is looked for again"
    monkeypatch.setattr(system_libraries, "missing_libraries", lambda machine: [])
    assert launch.set_up(LINUX, tests=False) == []


def test_root_on_debian_installs_what_is_missing(project: Path, recorder: Recorder, monkeypatch) -> None:
    installed: list[str] = []

    def missing(machine: computer.Machine) -> list[system_libraries.Library]:
        return [] if installed else [PORTAUDIO]

    monkeypatch.setattr(system_libraries, "missing_libraries", missing)
    monkeypatch.setattr(launch, "apt_install", installed.extend)
    assert launch.set_up(LINUX._replace(root=True, has_venv=False), tests=False) == []
    assert installed == ["libportaudio2", "python3.11-venv"]


def test_tests_bring_their_tools_and_the_oracle(project: Path, recorder: Recorder, monkeypatch) -> None:
    launch.set_up(LINUX, tests=False)
    recorder.commands.clear()
    monkeypatch.setattr(launch.shutil, "which", lambda name: None)
    launch.set_up(LINUX._replace(root=True, system_python=False), tests=True)
    assert recorder.commands[0] == "apt pulseaudio pulseaudio-utils xvfb xdotool g++"
    assert recorder.ran("--editable .[test]")
    assert recorder.ran("--no-deps moshi==0.2.13 triton==3.6.0")
    recorder.commands.clear()
    launch.set_up(LINUX, tests=False)
    launch.set_up(LINUX, tests=True)
    assert recorder.commands == [], "an environment for tests also serves for use"


def test_builds_for_a_card_keep_their_own_triton(recorder: Recorder) -> None:
    launch.bring_test_packages(LINUX, CUDA_BUILD)
    launch.bring_test_packages(WINDOWS, CPU_TORCH)
    assert recorder.ran("moshi")
    assert not recorder.ran("triton")


def test_without_a_display_a_talk_runs_and_says_where_its_results_are(project: Path, capsys, monkeypatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(launch.subprocess, "call", lambda command: commands.append(command) or 0)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert launch.start([], []) == 0
    output = capsys.readouterr().out
    assert "No window, since there is no display" in output
    reply = str(project / "artifacts" / "first-talk" / "reply.wav")
    assert commands[0][1] == "talk"
    assert commands[0][commands[0].index("--output") + 1] == reply
    assert commands[0][commands[0].index("--transcript") + 1].endswith("transcript.json")
    assert "question.flac" in output, "what was heard"
    assert "reply.wav" not in output, "the talk itself says where its results are"


def test_a_failed_talk_without_a_display_promises_no_results(project: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(launch.subprocess, "call", lambda command: 2)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert launch.start([], []) == 2
    assert "reply.wav" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["talk", "--input", "a.wav"], ["doctor"], ["devices"], ["bench"], ["--version"], ["--set", "a=b"], ["nonsense"]],
)
def test_commands_without_a_window_need_no_display(project: Path, monkeypatch, arguments: list[str]) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(launch.os, "execv", lambda path, command: started.append(command))
    monkeypatch.delenv("DISPLAY", raising=False)
    launch.start(arguments, [])
    assert started == [[str(project / ".venv" / "bin" / "parley"), *arguments]]


def test_the_bundled_recording_is_there() -> None:
    assert (Path(launch.__file__).resolve().parent.parent / "assets" / "speech" / "question.flac").is_file()


def test_full_tests_allow_no_skipped_sound(project: Path, monkeypatch) -> None:
    calls: list[tuple[str, dict[str, str]]] = []
    monkeypatch.setattr(
        launch.subprocess, "call", lambda command, cwd, env: calls.append((" ".join(command[1:]), env)) or 0
    )
    assert launch.run_tests(["--full", "-k", "ring"]) == 0
    commands = [command for command, _ in calls]
    assert commands == ["-m ruff check .", "-m mypy", "packaging/audit.py", "-m pytest -k ring"]
    assert calls[-1][1]["PARLEY_TESTS_FULL"] == "1"


def test_every_check_runs_and_one_failure_fails(project: Path, capsys, monkeypatch) -> None:
    calls: list[str] = []

    def call(command: list[str], cwd: str, env: dict[str, str]) -> int:
        calls.append(command[2])
        return 7 if command[2] == "mypy" else 0

    monkeypatch.setattr(launch.subprocess, "call", call)
    assert launch.run_tests([]) == 7
    assert calls == ["ruff", "mypy", "pytest"]
    assert "found something" in capsys.readouterr().out


def test_refusals_and_help_come_before_anything_is_made(project: Path, recorder: Recorder, capsys, monkeypatch) -> None:
    monkeypatch.setattr(computer, "probe_machine", lambda: WINDOWS._replace(bits=32))
    assert launch.main([]) == 2
    assert "64-bit" in capsys.readouterr().err
    assert launch.main(["--help"]) == 0
    assert "packaging/launch.py test" in capsys.readouterr().out
    assert recorder.commands == []


def test_a_folder_that_may_not_be_written_is_one_sentence(
    project: Path, recorder: Recorder, capsys, monkeypatch
) -> None:
    def refuse(machine: computer.Machine) -> None:
        raise PermissionError(13, "Permission denied", str(project / ".venv"))

    monkeypatch.setattr(launch, "make_venv", refuse)
    monkeypatch.setattr(computer, "probe_machine", lambda: LINUX)
    assert launch.main(["setup"]) == 2
    assert capsys.readouterr().err == f"Setting up stopped at {project / '.venv'}: Permission denied.\n"


RAW = "error: Failed to fetch: `https://index`\n  Caused by: dns error: failed to lookup address information"


def test_what_installers_say_is_in_the_log_and_not_on_the_terminal(project: Path, capsys) -> None:
    failing = [sys.executable, "-c", f"import sys; print('first'); sys.exit({RAW!r})"]
    blind = [sys.executable, "-c", "import sys; sys.exit('ERROR: No matching distribution found: é')"]
    with pytest.raises(launch.SetupError) as refused:
        launch.install("PyTorch", failing, blind)
    sentence = str(refused.value)
    assert sentence.startswith("No package index could be reached to install PyTorch: check the network")
    assert sentence.endswith(f"then start this again; all that was said is in {launch.LOG}.")
    assert "\n" not in sentence
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out == "parley: that did not work; trying another way\n"
    log = launch.LOG.read_text(encoding="utf-8")
    assert RAW in log
    assert "first" in log
    assert "No matching distribution found: é" in log


def test_without_a_log_none_is_named(project: Path, monkeypatch) -> None:
    (project / "build").write_text("a file in the way")
    with pytest.raises(launch.SetupError) as refused:
        launch.install("pip", [sys.executable, "-c", "import sys; sys.exit(3)"])
    assert str(refused.value) == "Installing pip failed."


def test_a_new_set_up_begins_a_new_log(project: Path, recorder: Recorder) -> None:
    launch.add_to_log("of last time")
    launch.set_up(LINUX, tests=False)
    assert not launch.LOG.exists()


def test_a_long_wait_is_told_of(capsys) -> None:
    class Slow:
        waits = 0

        def wait(self, timeout: float) -> int:
            self.waits += 1
            if self.waits < 3:
                raise subprocess.TimeoutExpired("pip", timeout)
            return 0

    launch.wait_patiently(Slow())
    assert capsys.readouterr().out == "parley: still at it, for 1 min\nparley: still at it, for 2 min\n"


def test_modules_of_others_are_kept_away(project: Path, recorder: Recorder, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("PYTHONHOME", "/somewhere")
    monkeypatch.setattr(computer, "probe_machine", lambda: LINUX)
    assert launch.main(["setup"]) == 0
    assert not {"PYTHONPATH", "PYTHONHOME"} & set(os.environ)


@pytest.mark.skipif(os.name == "nt", reason="the fake interpreter is a shell script")
def test_torch_is_asked_in_the_environment(project: Path) -> None:
    answer = json.dumps(["2.13.0", "13.0", True, ["sm_80"]])
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\necho noise; echo '{answer}'\n")
    python.chmod(0o755)
    assert launch.read_torch() == computer.Torch("2.13.0", "13.0", True, ("sm_80",))
    python.write_text("#!/bin/sh\nexit 1\n")
    assert launch.read_torch() is None


def test_an_environment_that_works_is_kept_and_a_broken_one_is_made_anew(project: Path, monkeypatch) -> None:
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    made: list[list[str]] = []

    def run(command: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        made.append(command)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(launch.subprocess, "run", run)
    launch.make_venv(LINUX)
    assert made == []
    python.unlink()
    launch.make_venv(LINUX)
    assert made == [[sys.executable, "-m", "venv", "--clear", str(project / ".venv")]]


def test_packaging_is_no_package() -> None:
    """An `__init__.py` there would hide the library named `packaging`, which pip and pytest import."""
    assert not (Path(launch.__file__).parent / "__init__.py").exists()
