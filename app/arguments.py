"""What the command line accepts: every command, flag and help text, and the checks of what was typed.

Owns the parser and nothing that runs. Values are read by the same rules as the settings file, so that both refuse the
same things in the same words. Main thread; must stay light: `parley --help` imports neither torch nor Qt.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from app.bench_options import BENCH_MODES, OTHER_COMPILED, RANDOM_MODELS
from app.config import RULES
from app.errors import UserError
from app.messages import COMPILE, KV, MODES, PRECISIONS
from app.paths import typed_path
from app.rules import Choice, Number, RefusedError, Rule, nearest_hint, shown
from app.version import version

COMMANDS = ("talk", "models", "devices", "doctor", "bench")
MODEL_DEEDS = ("list", "download", "verify", "delete")
# root may replace these, and the system would have lost them
_DEVICES = re.compile(r"/dev/[^/]+|/dev/fd/.*|/proc/.*")
_DESCRIPTION = """\
Talk by voice, in full duplex, with a speech model that runs on this computer.
Without a command the window opens."""
_EPILOG = """\
Settings are explained in the program's config.yaml; your own go into the file that `parley doctor` names.
One value for one run: parley --set model.mode=eager
Exit status: 0 done, 1 failed, 2 refused, 130 stopped by Ctrl-C."""


class Parser(argparse.ArgumentParser):
    """argparse, but an error is one sentence and not the whole usage."""

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"^argument (\S+?)(/\S+)?: (is|has|holds) ", r"\1 \3 ", message).rstrip(".")
        needed = r"\1 needs a value; one that begins with - is written \1=VALUE"
        message = re.sub(r"^argument (\S+): expected one argument$", needed, message)
        match = re.match(r"argument command: invalid choice: '(.*?)'", message)
        if match:
            hint = nearest_hint(match[1], COMMANDS)
            message = f'there is no command "{match[1]}", only {", ".join(COMMANDS)}{hint and "." + hint.rstrip("?")}'
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The typed command. Ends the process with status 2 and one sentence on an error, 0 after --help or --version."""
    return build_parser().parse_args(arguments)


def build_parser() -> Parser:
    parser = Parser(
        "parley",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"parley {version()}")
    _add_settings(parser, "before_")
    commands = parser.add_subparsers(dest="command", metavar="command", parser_class=Parser)
    _add_talk(commands)
    _add_models(commands)
    _add_devices(commands)
    _add_doctor(commands)
    _add_bench(commands)
    return parser


def all_overrides(options: argparse.Namespace) -> list[str]:
    """--set values given before and after the command, in that order."""
    return [*(options.before_set or ()), *(getattr(options, "set", None) or ())]


def config_file(options: argparse.Namespace) -> Path | None:
    """--config, wherever it was given; the later one wins."""
    chosen: Path | None = getattr(options, "config", None) or options.before_config
    return chosen


def _add_settings(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    """The two flags that every command has. argparse lets a command overwrite what stood before it: hence a prefix."""
    parser.add_argument(
        "--config", dest=f"{prefix}config", type=_path, metavar="FILE", help="read this settings file instead of yours"
    )
    parser.add_argument(
        "--set",
        dest=f"{prefix}set",
        action="append",
        metavar="NAME=VALUE",
        help="change one setting for this run, such as sampling.temperature=0.7; may be repeated",
    )


def _command(commands: argparse._SubParsersAction[Parser], name: str, summary: str, description: str) -> Parser:
    parser = commands.add_parser(name, help=summary, description=description, allow_abbrev=False)
    _add_settings(parser)
    return parser


# ---------------------------------------------------------------- parley talk


def _add_talk(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "talk",
        "talk through files: a recording in, the reply out",
        "Play a recording to the model, 80 ms frame by 80 ms frame, and write what it says meanwhile. The reply is as "
        "long as the recording. What is not given here comes from the settings.",
    )
    add = parser.add_argument
    add(
        "--input",
        type=_path,
        required=True,
        metavar="FILE",
        help="the recording: WAV, FLAC or OGG, any rate, any channels",
    )
    add("--output", type=_path, required=True, metavar="FILE", help="where the reply goes: a WAV file, 24 kHz, 16 bit")
    add("--stereo", action="store_true",
        help="write the recording left and the reply right, instead of the reply alone")  # fmt: skip
    add("--transcript", type=_path, metavar="FILE",
        help="write the words with their times (JSON): the model's, and those of the recording where a speech "
        "recogniser is installed (settings transcript.user and transcript.model)")  # fmt: skip
    add("--tokens-out", type=_path, metavar="FILE",
        help="write the tokens of every frame (JSON): codes heard, text token and codes said")  # fmt: skip
    add("--model", type=_ruled("model.source"), metavar="NAME",
        help="mini, a folder with a checkpoint, or a Hugging Face id")  # fmt: skip
    add("--voice", type=_ruled("persona.voice", True), metavar="VOICE",
        help='a voice by name, a .pt file or a recording; "" for none')  # fmt: skip
    add("--persona", type=_ruled("persona.text", True), metavar="TEXT", help='who the model is to be; "" for nobody')
    add("--mode", type=_ruled("model.mode"), metavar="MODE", help=f"auto, {', '.join(MODES)}")
    add("--precision", type=_ruled("model.precision"), metavar="P", help=", ".join(PRECISIONS))
    add("--device", type=_ruled("model.device"), metavar="DEVICE",
        help="auto, cpu, cuda, or cuda:N for one of several cards")  # fmt: skip
    add("--kv", type=_ruled("model.kv"), metavar="KV", help=f"what past frames are kept in: {', '.join(KV)}")
    add("--compile", type=_ruled("model.compile"), metavar="WHAT",
        help=f"what compiled mode builds: {', '.join(COMPILE)}")  # fmt: skip
    add("--window", type=_ruled("model.window"), metavar="W",
        help="what is still seen once the context is full: upstream (as Moshi) or personaplex")  # fmt: skip
    add("--greedy", action="store_true", help="always take the likeliest token: the same input gives the same reply")
    add("--seed", type=_ruled("sampling.seed"), metavar="N", help="start of the random numbers, to repeat a talk")
    add("--realtime", action="store_true", help="one frame each 80 ms, as a microphone would, instead of at full speed")
    add("--lead-silence", type=_number(0, 60, unit="s"), default=0.0, metavar="SECONDS",
        help="silence put before the recording (default 0); some models speak first")  # fmt: skip


# ---------------------------------------------------------------- the other commands


def _add_models(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "models",
        "list, download, check and delete models",
        "Without more words: list the models on this computer, where they are and what they take. Once a model is here "
        "it is used without the network.",
    )
    add = parser.add_argument
    add(
        "deed",
        nargs="?",
        type=_read(Choice(MODEL_DEEDS)),
        default="list",
        metavar="DEED",
        help="list; download (goes on where it stopped), verify (against the published checksums), or delete",
    )
    add(
        "source",
        nargs="?",
        type=_ruled("model.source"),
        metavar="ID",
        help="a Hugging Face id such as kyutai/moshiko-pytorch-bf16; to delete, also the file of a converted model",
    )
    add("--repair", action="store_true", help="verify: fetch the damaged files anew")
    add("--yes", action="store_true", help="delete: do not ask")
    add("--json", action="store_true", help="list: print JSON")


def _add_devices(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "devices",
        "list microphones and loudspeakers",
        "List the sound devices by the names under which the settings audio.input and audio.output know them.",
    )
    parser.add_argument("--all", action="store_true", help="also list the same hardware through lesser sound systems")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_doctor(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "doctor",
        "say what is right and what is wrong with this computer",
        "Look at everything that a talk needs: graphics card and driver, torch, memory, models, sound, window, "
        "settings. Exit status 0 when a talk is possible, else 1.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_bench(commands: argparse._SubParsersAction[Parser]) -> None:
    parser = _command(
        commands,
        "bench",
        "measure what a frame costs in each mode and precision",
        "Measure frames flat out and then one each 80 ms, as in a talk; on an NVIDIA card also the rate at which each "
        "stage reads its weights, against the rate at which the card copies. Exit status 1 when a mode or precision "
        "that was asked for could not be measured.",
    )
    add = parser.add_argument
    add("--model", type=_bench_model, metavar="NAME",
        help="mini, a folder, a Hugging Face id, or random weights of a size: random:7b, random:tiny")  # fmt: skip
    add("--modes", type=_list_of(Choice(BENCH_MODES)), default=(), metavar="LIST",
        help=f"some of {','.join(MODES)} (default: all that work here); beside compiled also other ways to compile: "
        f"{','.join(OTHER_COMPILED)}")  # fmt: skip
    add("--precision", type=_list_of(Choice(PRECISIONS)), metavar="LIST",
        help=f"some of {','.join(PRECISIONS)} (default: as in the settings)")  # fmt: skip
    add("--device", type=_ruled("model.device"), metavar="DEVICE",
        help="auto, cpu, cuda, or cuda:N for one of several cards")  # fmt: skip
    add("--kv", type=_ruled("model.kv"), metavar="KV", help=f"what past frames are kept in: {', '.join(KV)}")
    add("--context-fill", type=_number(0, 1), default=0.5, metavar="PART",
        help="how much of the context the talk already fills, 0 to 1 (default 0.5)")  # fmt: skip
    add("--frames", type=_number(1, 100_000, whole=True), default=250, metavar="N",
        help="frames to measure, flat out and again paced (default 250, 20 s of paced talk a mode)")  # fmt: skip
    add("--no-paced", action="store_true", help="measure flat out only")
    add("--json", type=_path, metavar="FILE", help="write one row for each mode and precision (JSON list)")
    add(
        "--trace",
        type=_path,
        metavar="FILE",
        help="write some frames of each as a trace for Perfetto or chrome://tracing (mode and precision in its name)",
    )
    add("--nsight", action="store_true", help="name stages (NVTX) and mark some frames for nsys profile")


# ---------------------------------------------------------------- values


def _read(rule: Rule, quoted: bool = False) -> Callable[[str], object]:
    def read(text: str) -> object:
        try:
            return rule.read(text, quoted)
        except RefusedError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _ruled(key: str, text: bool = False) -> Callable[[str], object]:
    """As the setting of that name is read; text: whatever is typed is meant, "null" and "" too."""
    return _read(RULES[key], text)


def _number(low: float, high: float, whole: bool = False, unit: str = "") -> Callable[[str], object]:
    return _read(Number(low, high, whole=whole, unit=unit))


def _list_of(rule: Rule) -> Callable[[str], object]:
    """Values between commas, each once, in the order given."""

    def read(text: str) -> tuple[object, ...]:
        one = _read(rule)
        return tuple(dict.fromkeys(one(part) for part in text.split(",")))

    return read


def _bench_model(text: str) -> object:
    if text.startswith("random") and text not in RANDOM_MODELS:
        hint = nearest_hint(text, RANDOM_MODELS)
        raise argparse.ArgumentTypeError(f"is {shown(text)}, where one of {', '.join(RANDOM_MODELS)} is needed.{hint}")
    return _ruled("model.source")(text)


def _path(text: str) -> Path:
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError("is empty, where a file's name is needed.")
    return typed_path(text)


# ---------------------------------------------------------------- files


def check_input(path: Path, flag: str = "--input") -> None:
    """Raises UserError unless the path is a file that may be read."""
    with _reachable(path, flag):
        if path.is_dir():
            raise UserError(f"{flag} {path} is a folder, where a file is needed.")
        if not path.exists():
            raise UserError(f"{flag} {path} does not exist.")
        if not path.is_file():
            raise UserError(f"{flag} {path} is not a file but a device or a pipe, which cannot be read as a recording.")
        if not os.access(path, os.R_OK):
            raise UserError(f"{flag} {path} may not be read: change its permissions.")
        if not path.stat().st_size:  # so are the system's own, some of which wait for what never comes
            raise UserError(f"{flag} {path} is empty: there is no recording in it.")


def check_output(path: Path, flag: str, ending: str = "") -> None:
    """Raises UserError unless a file can be written there."""
    with _reachable(path, flag):
        if path.is_dir():
            raise UserError(f"{flag} {path} is a folder, where a file's name is needed.")
        if ending and path.suffix.lower() != ending:
            raise UserError(f"{flag} {path} must end in {ending}, the only form that is written.")
        if _DEVICES.fullmatch(os.path.abspath(path)) or (path.exists() and not path.is_file()):
            raise UserError(f"{flag} {path} is not a file but a device or a pipe, which cannot be replaced.")
        folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
        if not folder.is_dir():
            raise UserError(f"{flag} {path} cannot be written: the folder {folder} does not exist.")
        if not os.access(folder, os.W_OK):
            raise UserError(f"{flag} {path} cannot be written: the folder {folder} is read-only.")


@contextlib.contextmanager
def _reachable(path: Path, flag: str) -> Iterator[None]:
    """A path that the system will not even look at: too long a name, a folder that may not be entered."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{flag} {path} cannot be used: {(error.strerror or str(error)).lower()}.") from None


def check_distinct(paths: dict[str, Path | None]) -> None:
    """Raises UserError when two flags name the same file."""
    seen: dict[str, str] = {}
    for flag, path in paths.items():
        if path is None:
            continue
        real = os.path.normcase(os.path.realpath(path))
        if real in seen:
            raise UserError(f"{seen[real]} and {flag} are the same file, {path}: give each its own.")
        seen[real] = flag


def has_console() -> bool:
    """Whether anybody could read what is printed; the packaged program on Windows has no console."""
    return sys.stderr is not None
