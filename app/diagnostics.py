"""What a bug report needs: the doctor's findings, what is loaded, the devices as opened, the last lines of the log.

Owns the keeping of log lines and the text. No prompt, no transcript and no token is in it: nothing that was said is
ever logged. The doctor runs as a process of its own, because its questions to the graphics card must not come from a
second thread of a process that talks, and its questions to the sound system must not disturb open devices.
"""

from __future__ import annotations

import contextlib
import logging
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Protocol

from app.audio import AudioStatus
from app.file_lock import FileLock
from app.messages import ModelInfo
from app.native_crash import Crash, left_behind, written_down
from app.paths import own_command, user_log_folder
from app.private_files import PrivateRotatingFile, private_folder
from app.redaction import RedactingFormatter, redact
from app.version import version

KEPT_LINES = 200
DOCTOR_SECONDS = 90
LOG_BYTES = 1 << 18
_FORM = RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")


class LastLines(logging.Handler):
    """The newest log lines, in memory; any thread may write."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)
        self.crash: Crash | None = None  # of the last run

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.extend(self.format(record).splitlines())


@contextlib.contextmanager
def kept_log() -> Iterator[LastLines]:
    """Keep the program's log, in memory and, where the folder allows it, in a file of the log folder.

    Without it Python would print warnings and tracebacks to the terminal. Beside the file a crash below Python is
    written down, and what the last run left there is in `crash`.
    """
    root = logging.getLogger("parley")
    root.setLevel(logging.INFO)
    kept, lock = LastLines(), None
    handlers: list[logging.Handler] = [kept]
    watch = contextlib.ExitStack()
    with contextlib.suppress(OSError):
        folder = private_folder(user_log_folder())
        # Two processes that rotate one file would write into each other's old one.
        lock = next((lock for lock in map(FileLock, _log_locks(folder)) if lock.take()), None)
        if lock is not None:
            path, threads = lock.path.with_suffix(".log"), lock.path.with_suffix(".crash")
            kept.crash = left_behind(threads, path)
            handlers.append(PrivateRotatingFile(path, maxBytes=LOG_BYTES, backupCount=1))
            watch.enter_context(written_down(threads))
    for handler in handlers:
        handler.setFormatter(_FORM)
        root.addHandler(handler)
    try:
        with watch:
            yield kept
    finally:
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
        if lock is not None:
            lock.release()


def _log_locks(folder: Path) -> list[Path]:
    """One for each process that may run at a time; a ninth goes without a file."""
    return [folder / f"{name}.lock" for name in ("parley", *(f"parley-{number}" for number in range(2, 9)))]


def collect(model: str, sound: AudioStatus, log_lines: Sequence[str]) -> Future[str]:
    """The whole text, from a worker thread: asking the doctor takes seconds. model: one line on what is loaded."""
    text: Future[str] = Future()

    def work() -> None:
        lines = [f"Parley {version()}", model, *_sound_lines(sound), "", ask_doctor(), "", *log_lines]
        text.set_result(redact("\n".join(lines)))

    Thread(target=work, name="diagnostics", daemon=True).start()
    return text


class WhatRuns(Protocol):
    """As much of a conversation as a report says."""

    @property
    def info(self) -> ModelInfo | None: ...
    @property
    def phase(self) -> str: ...


def model_lines(conversation: WhatRuns) -> str:
    """What is loaded and what it does, in two lines."""
    info = conversation.info
    model = "No model is loaded." if info is None else (
        f"Model: {info.name}, {info.device_name} ({info.device}), {info.precision}, modes {info.modes}"
    )  # fmt: skip
    return f"{model}\nPhase: {conversation.phase}"


def ask_doctor(command: Sequence[str] | None = None, seconds: float = DOCTOR_SECONDS) -> str:
    """The doctor's report, or one sentence why there is none."""
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # no console may flash up on Windows
    try:
        done = subprocess.run(
            command or own_command("doctor"), capture_output=True, timeout=seconds, creationflags=flags, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"The doctor did not come back within {seconds:.0f} s."
    except OSError as error:
        return f"The doctor could not be asked ({error})."
    return (done.stdout + done.stderr).decode("utf-8", errors="replace").strip() or "The doctor said nothing."


def _sound_lines(sound: AudioStatus) -> list[str]:
    ends = (("Microphone", sound.input_name, sound.input_rate), ("Loudspeaker", sound.output_name, sound.output_rate))
    opened = [f"{what}: {name}, {rate:.0f} Hz" for what, name, rate in ends if name]
    if not opened:
        return ["No sound device is open."]
    return [
        *opened,
        f"Heard in this talk: {sound.skipped} frames dropped, {sound.queued_ms:.0f} ms waiting, "
        f"{sound.late_callbacks} callbacks so late that sound was lost",
        f"Played in this talk: {sound.gaps} gaps, margin {sound.margin_ms:.0f} ms, "
        f"{sound.play_queue_ms:.0f} ms waiting, {sound.shed_ms:.0f} ms left out to catch up, "
        f"{sound.limited} samples limited",
    ]
