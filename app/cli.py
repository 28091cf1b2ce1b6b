"""The command `parley`: from what was typed to what runs, and from every error to one sentence.

Owns the exit status and the words with which the program ends: 0 done, 1 failed, 2 refused (the sentence says why), 130
interrupted. Nobody ever sees a traceback: what was not foreseen goes to a log file whose path is printed. Main thread;
everything heavy is imported by the command that needs it.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app import crash_report, terminal
from app.allocator import keep_to_few_pools
from app.arguments import (
    all_overrides,
    check_distinct,
    check_input,
    check_output,
    config_file,
    has_console,
    parse,
)
from app.bench_options import BenchOptions
from app.config import Settings, load
from app.ending import end_now
from app.errors import UserError
from app.interrupts import ignore_from_now_on
from app.paths import home_folder, user_log_folder
from app.private_files import write_private
from app.talk_options import TalkOptions

PROCESS_WORD = "write-down-speech"  # as in app.recogniser
# What printing into a full disk or a closed terminal ends with; such an error names no file.
_OUTPUT_FAILURES = frozenset({errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status; argparse itself ends the process on --help and wrong flags."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    if typed[:1] == [PROCESS_WORD]:  # this program started itself, to write down speech
        from app.recogniser_process import main as recogniser

        return recogniser(typed[1:])
    terminal.prepare()
    with terminal.notes_may_fail():
        return _heard_and_done(typed)


def _heard_and_done(typed: Sequence[str]) -> int:
    command = "with what was typed"
    try:
        options = _parsed(typed)
        command = options.command or "window"
        import engine.errors  # noqa: F401 - names no torch; needed at the end, when there may be no memory for it

        status = run(options)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        terminal.give_up(sys.stdout)  # whoever read our output has gone (`parley doctor | head`)
        return 1
    except Exception as error:
        return _failed(error, command)


def _parsed(typed: Sequence[str]) -> argparse.Namespace:
    """What --help prints is written before the process ends, or told to be lost."""
    try:
        return parse(typed)
    finally:
        sys.stdout.flush()


def run(options: argparse.Namespace) -> int:
    """The command's own work. Raises UserError and EngineError with a sentence."""
    _leave_deleted_folder(options.command)
    keep_to_few_pools()
    commands = {
        None: _window,
        "talk": _talk,
        "models": _models,
        "devices": _devices,
        "doctor": _doctor,
        "bench": _bench,
    }
    return commands[options.command](options)


def _leave_deleted_folder(command: str | None) -> None:
    """Where the folder of the start was deleted, PyTorch's arithmetic ends the whole process with words of its own.

    The window goes home, where nothing that was typed means another file for it; a command's file names would.
    """
    try:
        os.getcwd()
    except FileNotFoundError:
        if command is not None:
            raise UserError(
                "The folder in which Parley was started does not exist any more: go to another one and start it there."
            ) from None
        os.chdir(home_folder())


def talk_options(options: argparse.Namespace, settings: Settings) -> TalkOptions:
    """Settings and flags together, files checked. Raises UserError."""
    check_input(options.input)
    check_output(options.output, "--output", ".wav")
    for flag, path in (("--transcript", options.transcript), ("--tokens-out", options.tokens_out)):
        if path is not None:
            check_output(path, flag)
    check_distinct(
        {
            "--config": options.config or settings.path,
            "--input": options.input,
            "--output": options.output,
            "--transcript": options.transcript,
            "--tokens-out": options.tokens_out,
        }
    )
    config = settings.config
    flags = {
        "source": options.model,
        "device": options.device,
        "precision": options.precision,
        "mode": options.mode,
        "window": options.window,
        "kv": options.kv,
        "compile": options.compile,
    }
    sampling = config.sampling
    if options.seed is not None:
        sampling = replace(sampling, seed=options.seed)
    if options.greedy:
        sampling = replace(sampling, temperature=0.0, text_temperature=0.0)
    persona = {
        name: value for name, value in (("voice", options.voice), ("text", options.persona)) if value is not None
    }
    return TalkOptions(
        input=options.input,
        output=options.output,
        model=replace(config.model, **{name: value for name, value in flags.items() if value is not None}),
        sampling=sampling,
        persona=replace(config.persona, **persona),
        transcript=options.transcript,
        user_words=config.transcript.user,
        recogniser_model=config.transcript.model,
        tokens_out=options.tokens_out,
        stereo=options.stereo,
        realtime=options.realtime,
        lead_silence=options.lead_silence,
    )


def bench_options(options: argparse.Namespace, settings: Settings) -> BenchOptions:
    """Settings and flags together. Raises UserError."""
    if options.json is not None:
        check_output(options.json, "--json")
    if options.trace is not None:
        check_output(options.trace, "--trace")
    model = settings.config.model
    return BenchOptions(
        model=options.model or model.source,
        modes=options.modes,
        precisions=options.precision or (model.precision,),
        context_fill=options.context_fill,
        frames=options.frames,
        paced=not options.no_paced,
        json=options.json,
        device=options.device or model.device,
        threads=model.threads,
        kv=options.kv or model.kv,
        trace=options.trace,
        nsight=options.nsight,
    )


def _settings(options: argparse.Namespace, forgiving: bool = False) -> Settings:
    settings = load(config_file(options), all_overrides(options), forgiving=forgiving)
    for note in settings.notes:
        _tell(f"Note: {note}")
    return settings


def _window(options: argparse.Namespace) -> int:
    from app.desktop import window_problem

    problem = window_problem()
    if problem:
        raise UserError(problem)
    settings = _settings(options, forgiving=True)
    from app.main import run_window

    return run_window(settings)


def _talk(options: argparse.Namespace) -> int:
    checked = talk_options(options, _settings(options))
    from app.talk import run_talk

    _interrupt_when_ended()
    return run_talk(checked, engine_busy=end_now)


def _interrupt_when_ended() -> None:
    """Being ended, and the closing of the terminal, interrupt as Ctrl-C does, so that what was answered is written.

    A signal that whoever started the program had ignored, as nohup does, stays ignored.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


def _models(options: argparse.Namespace) -> int:
    settings = _settings(options)
    from app.models_command import run_models

    return run_models(
        options.deed,
        options.source or "",
        settings.config.model.source,
        as_json=options.json,
        yes=options.yes,
        repair=options.repair,
    )


def _devices(options: argparse.Namespace) -> int:
    _settings(options)
    from app.device_list import print_devices

    return print_devices(every=options.all, as_json=options.json)


def _doctor(options: argparse.Namespace) -> int:
    from app.doctor import run_doctor

    return run_doctor(config_file(options), all_overrides(options), options.json)


def _bench(options: argparse.Namespace) -> int:
    checked = bench_options(options, _settings(options))
    from app.bench import run_bench

    _interrupt_when_ended()
    return run_bench(checked)


# ---------------------------------------------------------------- the end


def _failed(error: Exception, command: str) -> int:
    from engine.errors import EngineError  # names no torch

    if isinstance(error, (UserError, EngineError)):
        _tell(str(error))
        return 2
    if isinstance(error, OSError) and error.filename is None and error.errno in _OUTPUT_FAILURES:
        terminal.give_up(sys.stdout)
        _tell(f"What Parley had to say could not be written: {(error.strerror or str(error)).lower()}.")
        return 1
    log = None
    with contextlib.suppress(Exception):  # a report that cannot be made is no reason for a traceback
        log = write_log(error, command)
    where = f"the details are in {log}" if log else "its details could not be written anywhere"
    _tell(f"Parley stopped because of an error of its own ({type(error).__name__}); {where}.")
    return 1


def write_log(error: BaseException, command: str) -> Path | None:
    """A report in a new file of the log folder, or of the system's temporary folder. None when neither works.

    What was typed is left out: it may hold a persona.
    """
    text = crash_report.compose(error, what=f"parley {command}")
    name = f"parley-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    for find in (user_log_folder, lambda: Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError, UserError):
            folder = find()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = folder / name
            write_private(path, text)
            return path
    return None


def _tell(sentence: str) -> None:
    if has_console():
        print(sentence, file=sys.stderr)
    elif sys.platform == "win32":
        import ctypes

        ctypes.windll.user32.MessageBoxW(0, sentence, "Parley", 0x30)


if __name__ == "__main__":
    ended_with = main()
    ignore_from_now_on()
    sys.exit(ended_with)
