"""The settings of this run: from their sources to the value in force, and back into the user's file.

Owns the order in which values win (the program's `config.yaml`, the user's file, `--set`), and the user's file, which
holds only what differs. Which settings there are stands in `config_values`; meaning and ranges are explained for people
in `config.yaml`, and a test holds that page and the rules together. Values are checked once, so that nobody else has
to. The window calls `Settings` from the Qt thread: writing happens on a thread of its own. Must not import torch or Qt.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from app.config_values import (
    ECHO_MODES,
    LANGUAGES,
    RECORD_FORMATS,
    RULES,
    THEMES,
    AudioSettings,
    Config,
    RecordSettings,
    ReportSettings,
    WindowSettings,
    build,
    check,
    full_name,
    refuse_unusual,
    rule_of,
    unusual,
)
from app.devices import DeviceRef
from app.errors import UserError
from app.file_lock import waited_for
from app.paths import project_file, user_config_file, user_log_folder
from app.rules import Number, RefusedError, Text, shown
from app.settings_file import Leaf, copy_of, keep_copy, read_settings, write_settings

__all__ = [
    "ECHO_MODES", "LANGUAGES", "RECORD_FORMATS", "RULES", "THEMES", "AudioSettings", "Config", "Loaded",
    "RecordSettings", "ReportSettings", "Settings", "WindowSettings", "check", "load", "parse_overrides",
]  # fmt: skip

LOCK_SECONDS = 2.0  # another window needs milliseconds to write its settings
_HEADER = (
    "# Your settings for Parley: only what differs from the program's own.\n"
    "# Every name is explained in the program's config.yaml.\n"
)


class Loaded(NamedTuple):
    """Values by dotted name from one file, and one sentence for each that was put right or left out."""

    values: dict[str, object]
    notes: tuple[str, ...] = ()


def load(path: Path | None = None, overrides: Iterable[str] = (), *, forgiving: bool = False) -> Settings:
    """The settings of this run.

    path: a settings file that must exist; None = the user's own, which need not. overrides: "section.name=value".
    forgiving: leave out or put right what is wrong in the user's own file, with a note for each, so that a window
    started from a menu still opens. Otherwise, and always in a file that was named, it is refused. Raises UserError.
    """
    shipped = _read_file(project_file("config.yaml"), forgiving=False).values
    missing = [key for key in RULES if key not in shipped]
    if missing:
        raise UserError(f"The program's own config.yaml lacks {', '.join(missing)}: install Parley again.")
    target = user_config_file() if path is None else path
    stored = Loaded({})
    if path is not None or os.path.exists(target):  # Path.exists raises where a folder may not be looked into
        try:
            stored = _read_file(target, forgiving=forgiving and path is None)
        except UserError as error:
            if path is not None or not forgiving:
                raise
            stored = Loaded({}, (f"{error} The program's own settings are in force.",))
    session = parse_overrides(overrides)
    refuse_unusual(shipped | stored.values, session)
    stored = _lift_unusual(stored, {**shipped, **stored.values, **session}, target)
    if stored.notes:  # what is wrong in the file is lost when it is written anew
        *others, last = stored.notes
        last = f"{last} At the first change the file as it is now is kept as {copy_of(target).name}."
        stored = Loaded(stored.values, (*others, last))
    return Settings(shipped, stored, session, target)


def parse_overrides(overrides: Iterable[str]) -> dict[str, object]:
    """Values of `--set section.name=value`, the last one winning. Raises UserError."""
    values: dict[str, object] = {}
    for entry in overrides:
        key, equals, text = entry.partition("=")
        if not equals:
            raise UserError(f"--set {shown(entry)} needs a name and a value, such as --set model.mode=eager.")
        # Whatever the shell hands over was meant as the value, so text needs no quotes here and may be empty.
        is_text = isinstance(RULES.get(full_name(key.strip())), Text)
        name, value = _read_leaf(key.strip(), Leaf(text, is_text, "--set"))
        values[name] = value
    return values


class Settings:
    """The settings while the program runs, by dotted name; "audio.input" and "audio.output" also as a DeviceRef.

    One thread calls it (Qt in the window). A value that is set is in force at once for whoever asks, and goes into
    the user's file in the background; values from `--set` last for the session only.
    """

    def __init__(self, shipped: Mapping[str, object], stored: Loaded, session: Mapping[str, object], path: Path):
        self.path = path
        self.notes = stored.notes
        self.save_trouble = ""  # one sentence while the settings cannot be saved; written by the saving thread
        self._shipped = dict(shipped)
        self._stored = dict(stored.values)
        self._session = dict(session)
        self._keep_copy = bool(stored.notes)  # the file holds something that saving would lose
        self._followers: list[Callable[[], None]] = []
        self._generation = 0
        self._saver = ThreadPoolExecutor(1, "settings")  # starts with the first save and is waited for at exit
        self._saved: Future[None] | None = None
        # What this window last read or wrote, so that only its own changes are written and what another one changed in
        # the file meanwhile stays. None: the file held something that was put right, so it is written as a whole.
        self._written: dict[str, object] | None = None if stored.notes else dict(stored.values)

    @property
    def config(self) -> Config:
        return build(self._values())

    def get(self, key: str) -> object:
        """The value in force. Raises UserError for an unknown name."""
        if key in ("audio.input", "audio.output"):
            return getattr(self.config.audio, key.removeprefix("audio."))
        rule_of(key, "Settings")
        return self._values()[key]

    def set(self, key: str, value: object) -> str:
        """Check and keep a value. "" when it is in force; otherwise one sentence, and the old value stays."""
        try:
            new = {name: check(name, part) for name, part in _parts(key, value).items()}
            refuse_unusual(self._values(), new)
        except UserError as error:
            return str(error)
        for name, part in new.items():
            self._session.pop(name, None)
            self._stored[name] = part
            if part == self._shipped[name]:
                del self._stored[name]
        for tell in self._followers:
            tell()
        self._generation += 1
        self._saved = self._saver.submit(self._save, dict(self._stored), self._generation)
        return ""

    def differences(self) -> dict[str, object]:
        """The values in force that differ from the program's own, by dotted name."""
        return {name: value for name, value in self._values().items() if value != self._shipped.get(name)}

    def follow(self, tell: Callable[[], None]) -> None:
        """`tell` is called, on the thread that sets, after every change."""
        self._followers.append(tell)

    def flush(self, timeout: float = 5.0) -> str:
        """Wait until the last change is on disk. "" or the sentence that says why it is not."""
        if self._saved is not None:
            self._saved.result(timeout)
        return self.save_trouble

    def _values(self) -> dict[str, object]:
        return {**self._shipped, **self._stored, **self._session}

    def _merged(self, values: dict[str, object]) -> dict[str, object]:
        try:
            if self._written is None or not self.path.exists():
                return values
            theirs = _read_file(self.path, forgiving=True).values
        except (OSError, UserError):  # damaged or locked away since: what this program knows is better than nothing
            return values
        return _merged_values(values, self._written, theirs)

    def _save(self, values: dict[str, object], generation: int) -> None:
        if generation != self._generation:
            return  # a later change is waiting behind this one
        try:
            if self._keep_copy:
                keep_copy(self.path)
                self._keep_copy = False
            with waited_for(user_log_folder().parent / "settings.lock", LOCK_SECONDS):
                write_settings(self.path, self._merged(values), _HEADER)
            self._written = values
            self.save_trouble = ""
        except UserError as error:
            self.save_trouble = f"{error} They hold until the program ends."


def _merged_values(
    mine: Mapping[str, object], before: Mapping[str, object], theirs: Mapping[str, object]
) -> dict[str, object]:
    """What another wrote, with what this program changed since `before`."""
    merged = dict(theirs)
    for key in {*mine, *before}:
        if key not in mine:
            merged.pop(key, None)
        elif key not in before or mine[key] != before[key]:
            merged[key] = mine[key]
    return merged


def _read_file(path: Path, forgiving: bool) -> Loaded:
    values: dict[str, object] = {}
    notes: list[str] = []
    for key, leaf in read_settings(path).items():
        if leaf.text == "" and not leaf.quoted and any(known.startswith(f"{key}.") for known in RULES):
            continue  # a section with nothing in it
        try:
            name, value = _read_leaf(key, leaf)
            values[name] = value
        except UserError as error:
            if not forgiving:
                raise
            rule = RULES.get(key)
            lifted = rule.lifted(leaf.text) if isinstance(rule, Number) and not leaf.quoted else None
            if lifted is not None:
                values[key] = lifted
            notes.append(f"{error} " + ("It was left out." if lifted is None else f"{lifted} is in force instead."))
    return Loaded(values, tuple(notes))


def _read_leaf(key: str, leaf: Leaf) -> tuple[str, object]:
    key = full_name(key)
    try:
        return key, rule_of(key, leaf.place).read(leaf.text, leaf.quoted)
    except RefusedError as error:
        raise UserError(f"{leaf.place}: {key} {error}") from None


def _parts(key: str, value: object) -> dict[str, object]:
    """A device choice is two settings; everything else is one."""
    if key not in ("audio.input", "audio.output"):
        return {key: value}
    if isinstance(value, str):
        value = DeviceRef(value)
    if not isinstance(value, DeviceRef):
        raise UserError(f"{key} is {shown(value)}, where a device's name is needed.")
    return {f"{key}.{name}": part for name, part in asdict(value).items()}


def _lift_unusual(stored: Loaded, values: Mapping[str, object], path: Path) -> Loaded:
    lifted = dict(stored.values)
    notes = list(stored.notes)
    for key, (usual, _) in unusual(values).items():
        if key in lifted:
            notes.append(
                f"{key} was {lifted[key]} in {path}, which makes talks loop or fall apart; {usual} is in force instead."
            )
            lifted[key] = usual
    return Loaded(lifted, tuple(notes))
