"""What stays on disk when something went wrong that was not foreseen, so that it can be reported and mended.

Owns the report's text and its folder. In it: the error, versions, graphics cards, which settings differ, the last log
lines and the last frames' records. Never in it: sound; and the words of the talk only where the user has asked for
them (setting report.transcript). Persona and voice are given by length, since they may be private. Any thread may
write; torch is never asked, since the thread that failed may hold it.
"""

from __future__ import annotations

import contextlib
import platform
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

from app.graphics_card import list_cards
from app.native_crash import Crash
from app.paths import user_log_folder
from app.private_files import private_folder, remove_rests, write_private
from app.redaction import redact
from app.telemetry import FrameRecord
from app.version import version

FRAMES = 500
KEPT_REPORTS = 20
CARD_SECONDS = 3.0  # a driver that hangs may be what is reported, and the window may be waiting
MOST_PER_RUN = 10  # an error on every frame must not fill the disk
PACKAGES = (
    "torch",
    "triton",
    "numpy",
    "safetensors",
    "sentencepiece",
    "sounddevice",
    "soundfile",
    "PySide6-Essentials",
)
_PRIVATE = ("persona.text", "persona.voice", "record.folder")


def crash_folder() -> Path:
    """Where reports are; it need not exist."""
    return user_log_folder() / "crashes"


def compose(
    error: BaseException | str,
    *,
    what: str,
    settings: Mapping[str, object] | None = None,
    model: str = "",
    log_lines: Sequence[str] = (),
    frames: Sequence[FrameRecord] = (),
    transcript: str = "",
) -> str:
    """The report. what: what the program was doing. settings: those that differ. transcript: "" unless asked for."""
    parts = [
        f"Parley {version()} stopped unexpectedly: {what}, {time.strftime('%Y-%m-%d %H:%M:%S %z')}",
        "There is no sound in this report" + ("." if transcript else ", and nothing of what was said."),
        _section("Error", _error_lines(error)),
        _section("Versions", _version_lines()),
        _section("Graphics cards", _card_lines()),
        _section("Model", [model or "none loaded"]),
        _section("Settings that differ", _setting_lines(settings or {})),
        _section("Log", log_lines),
        _section(f"Last {len(frames)} frames", _frame_lines(frames)),
    ]
    if transcript:
        parts.append(_section("Words of the talk, as the settings ask", transcript.splitlines()))
    return redact("\n".join(parts)) + "\n"


def write(text: str, folder: Path | None = None) -> Path | None:
    """A new file of the folder, for its owner alone; older reports beyond KEPT_REPORTS go. None when nothing works."""
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{time.monotonic_ns() % 10**9:09d}.txt"
    for place in (crash_folder() if folder is None else folder, Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            private_folder(place) if place != Path(tempfile.gettempdir()) else None
            path = place / name
            write_private(path, text)
            if place != Path(tempfile.gettempdir()):
                _forget_old(place, path)
            return path
    return None


def _forget_old(folder: Path, newest: Path) -> None:
    """newest stays whatever its name says: a clock that was set back makes it look the oldest."""
    others = sorted(set(folder.glob("crash-*.txt")) - {newest})
    for path in others[: -(KEPT_REPORTS - 1)]:
        with contextlib.suppress(OSError):
            path.unlink()
    remove_rests(folder, "crash-")


class CrashReports:
    """One run's reports. The sources are asked when a report is written; one that fails is left out of it."""

    def __init__(
        self,
        *,
        settings: Callable[[], Mapping[str, object]],
        model: Callable[[], str],
        log_lines: Callable[[], Sequence[str]],
        frames: Callable[[int], Sequence[FrameRecord]],
        transcript: Callable[[], str],
        folder: Path | None = None,
    ) -> None:
        """transcript: "" unless the user has asked for it. folder: None = the usual one."""
        self.last: Path | None = None
        self.folder = crash_folder() if folder is None else folder
        self._settings, self._model, self._log_lines = settings, model, log_lines
        self._frames, self._transcript = frames, transcript
        self._written = 0
        self._lock = threading.Lock()

    @classmethod
    def of_a_talk(cls, model: Callable[[], str], log_lines: Callable[[], Sequence[str]],
                  frames: Callable[[int], Sequence[FrameRecord]]) -> CrashReports:  # fmt: skip
        """Of a run without a window: its settings were typed and its words are its output, so neither is repeated."""
        return cls(settings=dict, model=model, log_lines=log_lines, frames=frames, transcript=str)

    def write(self, error: BaseException | str, what: str) -> Path | None:
        """Never raises. None when it could not be written, or enough were in this run."""
        with self._lock:
            if self._written >= MOST_PER_RUN:
                return None
            self._written += 1
        try:
            text = compose(
                error,
                what=what,
                settings=_asked(self._settings, {}),
                model=_asked(self._model, ""),
                log_lines=_asked(self._log_lines, ()),
                frames=_asked(lambda: self._frames(FRAMES), ()),
                transcript=_asked(self._transcript, ""),
            )
            self.last = write(text, self.folder)
        except Exception:  # the report is the last thing that may make matters worse
            return None
        return self.last

    def of_the_last_run(self, crash: Crash | None) -> str:
        """The report of a run that ended below Python. Returns a sentence, "" where there was none. Never raises."""
        if crash is None:
            return ""
        with contextlib.suppress(Exception):
            text = compose(
                f"A crash in a driver or a library; where the threads stood:\n{crash.threads}",
                what="the run before this one",
                settings=_asked(self._settings, {}),
                model="that of the run before: see the log",
                log_lines=crash.log_lines,
            )
            self.last = write(text, self.folder)
        where = f"a report of it is in {self.last}" if self.last else "its report could not be written"
        return f"Parley came to a sudden end the last time, in a driver or a library, and {where}."

    @contextlib.contextmanager
    def hooks(self, told: Callable[[Path | None], None] = lambda path: None) -> Any:
        """Errors that nobody caught, in any thread, are written down, and `told` is called, instead of printed."""
        before = sys.excepthook, threading.excepthook, sys.unraisablehook

        def uncaught(kind: type[BaseException], error: BaseException, trace: Any) -> None:
            if issubclass(kind, KeyboardInterrupt):
                before[0](kind, error, trace)
                return
            told(self.write(error.with_traceback(trace), "the window"))

        def uncaught_in_thread(arguments: threading.ExceptHookArgs) -> None:
            error, thread = arguments.exc_value, arguments.thread
            if error is not None and not isinstance(error, SystemExit):
                told(self.write(error, f"the thread {thread.name if thread else '?'}"))

        def uncaught_elsewhere(raised: Any) -> None:  # as while an object ends: nobody is harmed, and nobody is told
            if raised.exc_value is not None:
                self.write(raised.exc_value, f"{raised.err_msg or 'an error that could not be handed on'}")

        sys.excepthook, threading.excepthook, sys.unraisablehook = uncaught, uncaught_in_thread, uncaught_elsewhere
        try:
            yield self
        finally:
            sys.excepthook, threading.excepthook, sys.unraisablehook = before


def _asked(source: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return source()
    except Exception:
        return otherwise


# ---------------------------------------------------------------- the text


def _section(title: str, lines: Iterable[str]) -> str:
    return "\n".join(["", f"== {title} ==", *lines])


def _error_lines(error: BaseException | str) -> list[str]:
    if isinstance(error, str):
        return error.splitlines()
    return "".join(traceback.format_exception(type(error), error, error.__traceback__)).splitlines()


def _version_lines() -> list[str]:
    lines = [f"Python {platform.python_version()}, {platform.platform()}, {platform.machine()}"]
    for name in PACKAGES:
        try:
            lines.append(f"{name} {installed_version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name} is not installed")
    return lines


def _card_lines() -> list[str]:
    cards = [
        f"{card.name}, driver {card.driver}, {card.total >> 20} MiB, {card.free >> 20} MiB free"
        for card in _asked(lambda: list_cards(CARD_SECONDS), ())
    ]
    return cards or ["none that the NVIDIA driver shows"]


def _setting_lines(settings: Mapping[str, object]) -> list[str]:
    lines = [
        f"{name}: {f'[{len(str(value))} characters]' if name in _PRIVATE else repr(value)}"
        for name, value in sorted(settings.items())
    ]
    return lines or ["none"]


def _frame_lines(frames: Sequence[FrameRecord]) -> list[str]:
    if not frames:
        return []
    rows = [
        ",".join(f"{value:.2f}" if isinstance(value, float) else str(value) for value in record) for record in frames
    ]
    return [",".join(frames[0]._fields), *rows]
