"""Tries the packaged program: from the folder that freeze.py built, or from where a package was unpacked.

    python packaging/try_frozen.py FOLDER

It starts the program as a user would, with a home of its own that holds nothing: version, doctor, a talk through files
on the bundled model, a voice made from a recording, a download that cannot be reached, a restart, and the window (off
screen where the system can) until it is ready to talk. Then it reads all that was printed and logged for signs of
missing parts. Exit status 1 when something is wrong, after all that was tried. Standard library only.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

import frozen_parts as parts

PROJECT = Path(__file__).resolve().parent.parent
SPEECH = PROJECT / "assets" / "speech" / "hello.wav"
BAD = re.compile(r"Traceback|ModuleNotFoundError|ImportError|No module named|cannot open shared object|could not|"
                 r"unexpected error|core dumped", re.I)  # fmt: skip
READY = "ready to talk"
PATIENCE_S = 240  # for a slow disk and a virus scanner; nothing is judged by time
PRIVATE = ("LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "QT_PLUGIN_PATH", "DISPLAY", "WAYLAND_DISPLAY")


class Trial:
    """One program, one empty home, and what was found."""

    def __init__(self, program: Path, home: Path) -> None:
        self.program = program
        self.home = home
        self.faults: list[str] = []
        self.environment = {name: value for name, value in os.environ.items() if name not in PRIVATE}
        for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
            self.environment[name] = str(home)
        for name in ("CONFIG", "STATE", "CACHE", "DATA"):
            self.environment[f"XDG_{name}_HOME"] = str(home / name.lower())
        self.environment["QT_QPA_PLATFORM"] = "offscreen"
        self.environment["HF_ENDPOINT"] = "http://127.0.0.1:9"  # nobody answers there

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.program), *arguments], env=self.environment, cwd=self.home, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace", timeout=PATIENCE_S,
        )  # fmt: skip

    def check(self, what: str, right: bool, shown: str = "") -> None:
        print(f"{'right' if right else 'WRONG':<6}{what}", flush=True)
        if not right:
            self.faults.append(what)
            print("      " + shown.strip().replace("\n", "\n      "), flush=True)

    def clean(self, what: str, text: str) -> None:
        lines = [line for line in text.splitlines() if BAD.search(line)]
        self.check(f"{what}: no sign of a missing part", not lines, "\n".join(lines))


def try_commands(trial: Trial) -> None:
    done = trial.run("--version")
    trial.check("parley --version", done.stdout == f"parley {parts.version(PROJECT)}\n", done.stdout + done.stderr)
    done = trial.run("doctor", "--json")
    report = json.loads(done.stdout) if done.returncode == 0 else {}
    trial.check("parley doctor finds that a talk is possible", bool(report), done.stdout + done.stderr)
    said = json.dumps(report)
    refused = re.search(r"compiled mode is not possible: [^\"]*packaged program", said)
    trial.check("compiled mode is off, and says why", refused is not None, said)
    trial.clean("doctor", said + done.stderr)


def try_talk(trial: Trial) -> None:
    voice = ("--voice", str(SPEECH))
    for what, flags in (("a talk through files", ()), ("a talk with a voice from a recording", voice)):
        reply, words = trial.home / "reply.wav", trial.home / "words.json"
        arguments = ["--input", str(SPEECH), "--output", str(reply), "--transcript", str(words), "--seed", "1"]
        done = trial.run("talk", *arguments, *flags)
        shown = done.stdout + done.stderr
        trial.check(f"{what} ends well", done.returncode == 0, shown)
        if done.returncode == 0:
            trial.check(f"{what}: reply and transcript are whole", frames(reply) > 0 and words_read(words), shown)
        trial.clean(what, shown)


def frames(path: Path) -> int:
    with wave.open(str(path)) as file:
        return file.getnframes() if file.getframerate() == 24000 else 0


def words_read(path: Path) -> bool:
    return bool(json.loads(path.read_text(encoding="utf-8")))


def try_download(trial: Trial) -> None:
    """The hub's library is found and used: the sentence is about the network."""
    arguments = ["--input", str(SPEECH), "--output", str(trial.home / "other.wav"), "--model", "some/model"]
    done = trial.run("talk", *arguments)
    shown = done.stdout + done.stderr
    trial.check("a model that cannot be fetched is refused in a sentence", done.returncode == 2, shown)
    trial.clean("download", done.stderr)


def try_window(trial: Trial, place: str = "") -> float:
    """Open the window, wait until the model is ready, end it. Returns the seconds that this took."""
    for log in log_files(trial.home):
        log.unlink()
    environment = dict(trial.environment)
    what = "the window after a restart" if place else "the window"
    if place:
        kept = trial.home / "place-1.json"
        kept.write_text(place, encoding="utf-8")
        environment |= {"PARLEY_PLACE": str(kept), "PYINSTALLER_RESET_ENVIRONMENT": "1"}
    with tempfile.TemporaryFile() as said:
        begin = time.monotonic()
        process = subprocess.Popen(
            [str(trial.program)],
            env=environment, cwd=trial.home, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
        )  # fmt: skip
        ready = wait_until_ready(process, trial.home, begin)
        took = time.monotonic() - begin
        loaded = loaded_libraries(process.pid)
        running = process.poll() is None
        if running:
            process.send_signal(signal.SIGTERM)
        code = process.wait(PATIENCE_S)
        said.seek(0)
        shown = said.read().decode("utf-8", errors="replace")
    written = log_text(trial.home)
    trial.check(f"{what} is ready to talk", ready and running, shown + written)
    trial.check(f"{what} ends when asked to", code == 0 or os.name == "nt", f"status {code}\n{shown}")
    trial.clean(f"{what}, log and output", written + shown)
    check_libraries(trial, loaded)
    if place:
        trial.check("the place of the process before is taken up", not (trial.home / "place-1.json").exists())
    return took


def check_libraries(trial: Trial, loaded: set[str]) -> None:
    """On Linux: the program's own where it brings them, though the system may have them too; else the system's."""
    folder = trial.program.resolve().parent
    if not loaded or not (folder / "_internal").is_dir():
        return
    for name, own in (("libportaudio", True), ("libtorch_cpu", True), ("libQt6Widgets", True), ("libstdc++", False)):
        places = [path for path in loaded if f"/{name}." in path]
        right = bool(places) and all(path.startswith(str(folder)) == own for path in places)
        trial.check(f"{name} is {'its own' if own else 'of the system'}", right, "\n".join(places))


def loaded_libraries(process: int) -> set[str]:
    """Paths of all that a running process has loaded; empty where the system does not tell (not Linux)."""
    try:
        lines = Path(f"/proc/{process}/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    return {line.split(maxsplit=5)[5] for line in lines if ".so" in line and len(line.split(maxsplit=5)) == 6}


def wait_until_ready(process: subprocess.Popen[bytes], home: Path, begin: float) -> bool:
    while process.poll() is None and time.monotonic() - begin < PATIENCE_S:
        if READY in log_text(home):
            return True
        time.sleep(0.05)
    return False


def log_files(home: Path) -> list[Path]:
    """The program's log, and the reports of errors that ended it."""
    return sorted(home.rglob("parley*.log"))


def log_text(home: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in log_files(home))


def program_in(folder: Path) -> Path:
    """The executable within what was built, on each system."""
    for name in (f"{parts.NAME}-console.exe", f"{parts.NAME}.exe", parts.NAME, f"Contents/MacOS/{parts.NAME}"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"There is no program in {folder}: build it with packaging/freeze.py first.")


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__)
        return 2
    try:
        program = program_in(Path(arguments[0]).resolve())
    except FileNotFoundError as problem:
        print(problem, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="parley-try-") as home:
        trial = Trial(program, Path(home))
        try_commands(trial)
        try_talk(trial)
        try_download(trial)
        first = try_window(trial)
        second = try_window(trial, place="{}")
        crashes = [str(path) for path in trial.home.rglob("crash-*")]
        trial.check("no crash report was written", not crashes, "\n".join(crashes))
    print(f"From start to ready to talk: {first:.1f} s, then {second:.1f} s.")
    print(f"{len(trial.faults)} faults." if trial.faults else "All is well.")
    return 1 if trial.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
