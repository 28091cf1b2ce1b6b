"""What SECURITY.md promises, looked for in the source and tried: no door, no telemetry, no code from files."""

from __future__ import annotations

import ast
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.recording import write_recording, write_whole
from app.text_files import write_text

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [path for room in ("app", "engine", "ui") for path in sorted((ROOT / room).rglob("*.py"))]
# Programs that report home, or that serve.
TELEMETRY = {"sentry_sdk", "posthog", "analytics", "mixpanel", "segment", "amplitude", "bugsnag", "rollbar", "datadog",
             "newrelic", "opentelemetry", "wandb", "gradio", "statsd", "countly", "scarf"}  # fmt: skip
SERVERS = {"socketserver", "http.server", "xmlrpc.server", "wsgiref", "aiohttp", "flask", "fastapi", "uvicorn",
           "tornado", "websockets", "zmq", "rpyc", "Pyro5"}  # fmt: skip
NETWORK = {"urllib", "requests", "httpx", "socket", "ftplib", "smtplib", "telnetlib", "http"}
MAY_USE_THE_NETWORK = {"app/download.py", "app/hub.py"}
RUNS_CODE = {"eval", "exec", "compile", "__import__"}
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


def called(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_source_keeps_the_promises(path: Path) -> None:
    name, tree = path.relative_to(ROOT).as_posix(), tree_of(path)
    faults = []
    for module in imported(tree):
        top = module.split(".")[0]
        if top in TELEMETRY or module in SERVERS or top in SERVERS:
            faults.append(f"imports {module}")
        if top in NETWORK and name not in MAY_USE_THE_NETWORK:
            faults.append(f"imports {module}: only {', '.join(sorted(MAY_USE_THE_NETWORK))} may use the network")
        if top in ("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib") and name != "engine/voice_file.py":
            faults.append(f"imports {module}, which runs what it reads")
    for function, call in called(tree):
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        if function in RUNS_CODE or function in ("os.system", "os.popen"):
            faults.append(f"calls {function}")
        if function.startswith("subprocess.") and isinstance(keywords.get("shell"), ast.Constant):
            faults.append("starts a shell")
        if function in ("torch.load", "np.load", "numpy.load", "yaml.load", "yaml.unsafe_load", "yaml.full_load"):
            faults.append(f"calls {function}")
        if function.endswith((".listen", ".bind", "create_server")) and "socket" in ast.unparse(tree):
            faults.append(f"calls {function}")
        if function.endswith("extractall"):
            faults.append("unpacks an archive unseen")
        if "trust_remote_code" in keywords:
            faults.append("trusts remote code")
    assert faults == []


@POSIX
def test_what_was_said_is_its_owners_alone(tmp_path: Path) -> None:
    """Recordings, replies and transcripts; a file that is replaced keeps the permissions it was given."""
    import numpy as np

    before = os.umask(0)
    try:
        write_recording(tmp_path / "reply.wav", [np.zeros(10, np.float32)])
        assert write_text(tmp_path / "words.txt", "Hello.").result(10) == ""
        (tmp_path / "shared.txt").write_text("old")
        (tmp_path / "shared.txt").chmod(0o644)
        write_whole(tmp_path / "shared.txt", lambda path: path.write_text("new"))
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"reply.wav": 0o600, "words.txt": 0o600, "shared.txt": 0o644}


EVERYTHING = r"""
import logging, os, sys
from concurrent.futures import Future
from pathlib import Path
import numpy as np
os.umask(0)
from app import cli, config, diagnostics, relaunch
from app.crash_report import CrashReports
from app.file_lock import FileLock
from app.paths import user_log_folder, user_persona_file, user_recording_folder, user_voice_folder
from app.presets import Presets
from app.recorder import Recorder
from app.voice_library import VoiceLibrary

sound = np.sin(np.arange(120_000) / 9).astype(np.float32) * 0.3
config.user_config_file().parent.mkdir(mode=0o700, parents=True)
config.user_config_file().write_text("model:\n  mode: nonsense\n")
config.user_config_file().chmod(0o644)  # as an editor makes it
settings = config.load(None, forgiving=True)
assert settings.set("persona.text", "private") == "" and settings.flush() == ""
assert config.user_config_file().with_name("config.yaml.bak").is_file()
with diagnostics.kept_log():
    logging.getLogger("parley").info("a line")
reports = CrashReports(settings=dict, model=str, log_lines=list, frames=lambda count: [], transcript=str)
assert reports.write("an error", "a test")
assert cli.write_log(ValueError("an error"), "talk")
assert relaunch.save("words")
assert Presets(user_persona_file()).save("Ann", "", "private").result(20) == ""
assert VoiceLibrary(user_voice_folder(), lambda pcm: Future()).add_recording(sound, "mine").result(20) == ""
for form in ("wav", "flac"):
    recorder = Recorder()
    recorder.want(True, user_recording_folder(), form)
    recorder.frame(sound[:1920], sound[:1920], 0)
    recorder.close()
    assert recorder.state.trouble == ""
"""


@POSIX
def test_whatever_a_run_leaves_is_its_owners_alone(tmp_path: Path) -> None:
    """Without any mask of the user's: settings and their copy, log, reports, words, personas, voices, recordings."""
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    (tmp_path / "home").mkdir()
    done = subprocess.run([sys.executable, "-c", EVERYTHING], cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=100)  # fmt: skip
    assert done.returncode == 0, done.stderr
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert len(files) >= 11, files
    modes = {str(path.relative_to(tmp_path)): oct(path.stat().st_mode & 0o777) for path in files}
    assert {name: mode for name, mode in modes.items() if mode != "0o600"} == {}
    folders = {path.parent for path in files}
    open_to_others = [str(path) for path in folders if path.stat().st_mode & 0o077]
    assert open_to_others == []


def test_nothing_is_written_by_looking(tmp_path: Path) -> None:
    """`parley --help` and a refused command leave no file anywhere in the home folder."""
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    for arguments in (["--help"], ["talk", "--input", "nothing.wav", "--output", "x.wav"], ["--set", "a=b", "devices"]):
        done = subprocess.run([sys.executable, "-m", "app.cli", *arguments], cwd=ROOT, env=environment,
                              capture_output=True, text=True, timeout=60)  # fmt: skip
        assert "Traceback" not in done.stderr
    assert list(tmp_path.rglob("*")) == []


def test_telemetry_of_libraries_is_off() -> None:
    """The hub library reports its use unless it is told not to."""
    hub = (ROOT / "app" / "hub.py").read_text() + (ROOT / "app" / "download.py").read_text()
    assert "huggingface_hub" not in hub or "HF_HUB_DISABLE_TELEMETRY" in hub


def test_no_secret_is_in_the_project() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a checkout")
    secret = re.compile(
        r"\b(hf_[A-Za-z0-9]{30,}|gh[pousr]_[A-Za-z0-9]{30,}|AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY)"
    )
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and path.stat().st_size < 1 << 20:
            assert not secret.search(path.read_text(encoding="utf-8", errors="replace")), name


def test_the_page_names_what_holds_it() -> None:
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:tests|app|engine|packaging)/[\w/.]+)`", page):
        assert (ROOT / path).exists(), path
