"""Sets Parley up on this computer, and starts it.

    python3 packaging/launch.py                 set up if need be, then open the window
    python3 packaging/launch.py talk ...        set up if need be, then run `parley talk ...` (devices, doctor, bench)
    python3 packaging/launch.py setup           set up only
    python3 packaging/launch.py test [--full]   set up, then run the checks and the tests

On Windows: py packaging\\launch.py. It needs Python 3.10 or newer and nothing else. All that it makes lies in .venv
beside this folder, where a stamp makes later starts immediate. System packages are installed only by root on
Debian-like systems; anywhere else nothing on the system is changed, and the missing ones are named. Without a display
it runs a talk on a bundled recording instead of opening the window. With --full, the tests that need a sound server
and a screen fail where these are missing; otherwise they are skipped and say why.

What is decided, and why, is in computer.py and system_libraries.py; this file acts. Standard library only, and no
newer syntax (see computer.py).
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import computer
import system_libraries
from computer import Gpu, Machine, Torch
from system_libraries import Library

PROJECT = Path(__file__).resolve().parent.parent
VENV = PROJECT / ".venv"
STAMP = VENV / "parley-setup.json"
LOG = PROJECT / "build" / "setup.log"  # everything that installers say
LAUNCHER = ("launch.py", "computer.py", "system_libraries.py")
COMMANDS = ("talk", "devices", "doctor", "bench")  # parley's own, which need no window
ORACLE = "moshi==0.2.13"  # the published model code that the parity tests compare with; see pyproject.toml
# Builds of PyTorch for a card bring the Triton that fits them. With a CPU build, the kernels' tests run in the
# interpreter of this one; compiled mode on the processor gets along with it.
INTERPRETER = "triton==3.6.0"


class SetupError(Exception):
    """One sentence for the person at the terminal."""


def say(text: str) -> None:
    print("parley: " + text, flush=True)


def venv_tool(name: str) -> str:
    return str(VENV / "Scripts" / (name + ".exe")) if os.name == "nt" else str(VENV / "bin" / name)


def pip_install(*arguments: str) -> List[str]:
    return [venv_tool("python"), "-m", "pip", "install", *arguments]


# ---------------------------------------------------------------- the stamp


def fingerprint(project: Path) -> str:
    """Changes when the environment must be brought up to date: other dependencies, another place, another launcher."""
    digest = hashlib.sha256(str(project).encode())
    for name in ("pyproject.toml", "setup.py", *("packaging/" + part for part in LAUNCHER)):
        digest.update((project / name).read_bytes())
    return digest.hexdigest()


def read_stamp(path: Path) -> Dict[str, object]:
    try:
        stamp = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def stamp_covers(stamp: Mapping[str, object], wanted: str, tests: bool) -> bool:
    return stamp.get("fingerprint") == wanted and (not tests or stamp.get("tests") is True)


# ---------------------------------------------------------------- installing


def run_logged(command: Sequence[str]) -> Tuple[int, str]:
    """Run with all that it says added to LOG; returns the exit status and that text. Long waits are told of."""
    environment = dict(os.environ, PYTHONWARNINGS="ignore")  # what build tools say to developers
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            command, env=environment, cwd=str(PROJECT), stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
        ) as process:
            wait_patiently(process)
        said.seek(0)
        output = said.read().decode("utf-8", errors="replace")
    add_to_log("$ " + " ".join(command) + "\n" + output + "\n")
    return process.returncode, output


def wait_patiently(process: "subprocess.Popen[bytes]") -> None:
    minutes = 0
    while True:
        try:
            process.wait(timeout=60)
            return
        except subprocess.TimeoutExpired:
            minutes += 1
            say("still at it, for {} min".format(minutes))


def add_to_log(text: str) -> None:
    with contextlib.suppress(OSError):  # a folder that may not be written: what follows fails for that, and says so
        LOG.parent.mkdir(parents=True, exist_ok=True)
        with LOG.open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)


def begin_log() -> None:
    with contextlib.suppress(OSError):  # none is there, or it may not be removed
        LOG.unlink()


def install(what: str, *attempts: Sequence[str]) -> None:
    """Try the commands in turn; SetupError with one sentence when none of them works."""
    output = ""
    for number, command in enumerate(attempts):
        if number:
            say("that did not work; trying another way")
        code, said = run_logged(command)
        if code == 0:
            return
        output += said  # a second way may fail because of the first one's trouble, and not name it
    raise SetupError(with_log(computer.explain_failure(output, what)))


def with_log(sentence: str) -> str:
    """The sentence, with the place of all that was said, if that could be kept."""
    return sentence.rstrip(".") + ("; all that was said is in {}.".format(LOG) if LOG.exists() else ".")


def bring_system_packages(machine: Machine, tests: bool) -> List[Library]:
    """Install what is missing where that is allowed, or name it. Returns the libraries that stay missing."""
    missing = system_libraries.missing_libraries(machine)
    tools = [package for tool, package in system_libraries.TEST_TOOLS if tests and not shutil.which(tool)]
    if machine.installs_packages:
        packages = system_libraries.packages_for(missing, machine.manager) + tools
        if not machine.has_venv:
            packages.append(computer.debian_package(machine, "venv"))
        if tests and machine.system_python and not Path(sysconfig.get_paths()["include"], "Python.h").exists():
            packages.append(computer.debian_package(machine, "dev"))  # torch.compile builds extension modules
        if packages:
            apt_install(packages)
            missing = system_libraries.missing_libraries(machine)
    elif tools and machine.system == "Linux":
        say("some tests will be skipped, for which Debian's packages would be: " + " ".join(tools))
    for sentence in system_libraries.what_is_lost(missing, machine.manager):
        say(sentence)
    return missing


def apt_install(packages: Sequence[str]) -> None:
    """Without a question asked. What follows a failure says what is missing because of it."""
    say("installing system packages: " + " ".join(packages))
    apt = ["apt-get", "-y", "-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"]
    for arguments in (["update"], ["install", "--no-install-recommends", *packages]):
        code = run_logged(["env", "DEBIAN_FRONTEND=noninteractive", *apt, *arguments])[0]
    if code:
        say(with_log("not all of them could be installed."))


def make_venv(machine: Machine) -> None:
    """Make .venv; one that is there is kept when its Python works and is new enough."""
    if not computer.has_venv():
        raise SetupError(computer.missing_venv(machine))
    python = venv_tool("python")
    new_enough = "import sys; sys.exit(sys.version_info < (3, 10))"
    if Path(python).exists() and subprocess.call([python, "-c", new_enough]) == 0:
        return
    say(f"making the virtual environment {VENV}")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        add_to_log("$ " + " ".join(command) + "\n" + done.stdout + done.stderr)
        raise SetupError(with_log(computer.explain_failure(done.stdout + done.stderr, "the virtual environment")))


def read_torch() -> Optional[Torch]:
    """What the environment's PyTorch says of itself; None when there is none, or one that does not load."""
    code = (
        "import json, torch; c = torch.cuda; v = torch.version.cuda; "
        "print(json.dumps([torch.__version__, v, c.is_available(), c.get_arch_list() if v else []]))"
    )
    done = subprocess.run([venv_tool("python"), "-W", "ignore", "-c", code], capture_output=True, text=True)
    if done.returncode:
        return None
    version, cuda, available, architectures = json.loads(done.stdout.splitlines()[-1])
    return Torch(version, cuda, available, tuple(architectures))


def bring_torch(machine: Machine, gpu: Optional[Gpu]) -> Torch:
    """The build of PyTorch that fits the card, or one sentence that says what does not fit. Returns what is there."""
    python = venv_tool("python")
    torch = read_torch()
    if torch is None:
        say("installing PyTorch for " + (f"your {gpu.name}" if gpu else "the processor") + ", the large part of it all")
        if machine.system != "Darwin" and run_logged(pip_install("-q", "--only-binary", ":all:", "uv"))[0]:
            say("uv could not be had, so pip will choose the build of PyTorch")
        install("PyTorch", *computer.torch_attempts(machine, python))
        torch = read_torch()
    if torch is None:
        raise SetupError(f'PyTorch is installed but does not load: run `{python} -c "import torch"` to see why.')
    build = f"CUDA {torch.cuda}" if torch.cuda else "CPU"
    say(computer.torch_remedy(gpu, torch, python) or f"PyTorch {torch.version} ({build} build) is in place.")
    return torch


def bring_test_packages(machine: Machine, torch: Torch) -> None:
    """What tests want beside the project's own extra, each without what it would pull in."""
    interpreter = [INTERPRETER] if machine.system == "Linux" and torch.cuda is None else []
    install("the packages to compare with", pip_install("-q", "--no-deps", ORACLE, *interpreter))


def set_up(machine: Machine, tests: bool) -> List[Library]:
    """Bring .venv up to date; nothing is done when the stamp says that it is. Returns the missing libraries."""
    stamp = read_stamp(STAMP)
    wanted = fingerprint(PROJECT)
    if stamp_covers(stamp, wanted, tests) and Path(venv_tool("parley")).exists():
        # What was missing then may have been installed since. Nothing is looked for on a complete computer.
        return system_libraries.missing_libraries(machine) if stamp.get("missing") else []
    begin_log()
    gpu = computer.find_gpu()
    shortage = "" if VENV.exists() else computer.no_space(shutil.disk_usage(str(PROJECT)).free, gpu)
    if shortage:
        raise SetupError(shortage)
    missing = bring_system_packages(machine, tests)
    make_venv(machine)
    install("pip", pip_install("-q", "--upgrade", "pip"))
    torch = bring_torch(machine, gpu)
    say("installing Parley and the packages it uses")
    tests = tests or stamp.get("tests") is True
    install("Parley", pip_install("-q", "--editable", ".[test]" if tests else "."))
    if tests:
        bring_test_packages(machine, torch)
    content = {"fingerprint": wanted, "tests": tests, "missing": [library.name for library in missing]}
    STAMP.write_text(json.dumps(content), encoding="utf-8")
    say("set up; the command is " + venv_tool("parley"))
    return missing


# ---------------------------------------------------------------- starting


def start(arguments: Sequence[str], missing: Sequence[Library]) -> int:
    wants_window = not arguments or arguments[0] not in COMMANDS
    if wants_window and sys.platform.startswith("linux"):
        reason = system_libraries.display_trouble(os.environ, missing, system_libraries.server_answers)
        if reason and not arguments:  # what was asked for is refused, or done, by the program itself
            return first_talk(reason)
    command = [venv_tool("parley"), *arguments]
    if os.name == "nt":
        return subprocess.call(command)
    sys.stdout.flush()
    os.execv(command[0], command)  # noqa: S606 - the program takes the launcher's place


def first_talk(reason: str) -> int:
    """Where no window can open: run the bundled recording through the model, and say where the results are."""
    say(f"No window, since {reason}: running a talk without one, on a bundled recording.")
    recording = PROJECT / "assets" / "speech" / "question.flac"
    folder = PROJECT / "artifacts" / "first-talk"
    folder.mkdir(parents=True, exist_ok=True)
    reply, transcript = folder / "reply.wav", folder / "transcript.json"
    files = ["--input", str(recording), "--output", str(reply), "--transcript", str(transcript)]
    code = subprocess.call([venv_tool("parley"), "talk", *files])
    if code == 0:
        say(f"what was heard: {recording}")
        say(f"with a recording of yours: {venv_tool('parley')} talk --input in.wav --output out.wav")
    return code


def run_tests(arguments: Sequence[str]) -> int:
    """Linter, type checker, tests: all of them, so that one run tells everything. Returns the first failure's status.

    Arguments other than --full go to pytest.
    """
    environment = dict(os.environ)
    checks = [["-m", "ruff", "check", "."], ["-m", "mypy"]]
    if "--full" in arguments:
        environment["PARLEY_TESTS_FULL"] = "1"
        checks.append(["packaging/audit.py"])  # says "not run" where its database cannot be reached
    checks.append(["-m", "pytest", *[argument for argument in arguments if argument != "--full"]])
    codes = []
    for check in checks:
        say(" ".join(check))
        codes.append(subprocess.call([venv_tool("python"), *check], cwd=str(PROJECT), env=environment))
    if any(codes[:-1]):
        say("a check before the tests found something; it stands above them")
    return next((code for code in codes if code), 0)


def newer_python_on_path() -> Optional[str]:
    names = [f"python3.{minor}" for minor in (13, 12, 11, 10, 14)]
    return next((name for name in names if shutil.which(name)), None)


def main(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in ("-h", "--help"):
        print((__doc__ or "").split("\n\nWhat is decided")[0])
        return 0
    for name in ("PYTHONPATH", "PYTHONHOME"):  # other programs' modules have no place among ours
        os.environ.pop(name, None)
    machine = computer.probe_machine()
    trouble = computer.refusal(machine, newer_python_on_path())
    if trouble:
        print(trouble, file=sys.stderr)
        return 2
    task = arguments[0] if arguments and arguments[0] in ("setup", "test") else ""
    try:
        missing = set_up(machine, tests=task == "test")
        if task == "setup":
            return 0
        return run_tests(arguments[1:]) if task == "test" else start(arguments, missing)
    except SetupError as problem:
        print(problem, file=sys.stderr)
    except OSError as problem:
        print(f"Setting up stopped at {problem.filename or PROJECT}: {problem.strerror}.", file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
