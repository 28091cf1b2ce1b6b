"""Settings as YAML text on disk: read without guessing, written without tearing.

Owns the file format: a table of sections down to single values, nothing that makes YAML surprising or dangerous
(tags, anchors, lists, repeated keys). Knows nothing of which settings exist; it hands on each value as the text that
was written, with its line. Any thread may call it. Must not import torch or Qt.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from app.errors import UserError
from app.private_files import remove_rests, replace_private
from app.rules import shown

LARGEST = 64 * 1024  # bytes; a complete file has about 6 kB
LARGEST_KEPT = 4 << 20  # bytes of a file that is no settings file, and is replaced by one
_DEEPEST = 4  # section, setting, part of a setting, and one to spare


class Leaf(NamedTuple):
    """One value as it was written."""

    text: str
    quoted: bool
    place: str  # "/home/ada/.config/parley/config.yaml, line 3" or "--set"


def read_settings(path: Path) -> dict[str, Leaf]:
    """The values of a settings file by dotted name, such as {"model.mode": Leaf("graph", False, ...)}.

    An empty file gives {}. Raises UserError for a file that cannot be read or is not such a table, with the line.
    """
    text = _read_text(path)
    try:
        return _table(text, str(path))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise UserError(f"{path}, line {line}: {_plain_words(error.problem or '', text, line)}") from None
    except yaml.YAMLError:  # a character that YAML does not allow at all
        raise UserError(f"{path} holds a character that is not text; write it again as plain text.") from None


def write_settings(path: Path, values: Mapping[str, object], header: str) -> None:
    """Write values by dotted name as a whole new file, or leave the old one untouched.

    Creates the folder. Raises UserError with the reason when the system does not allow it.
    """
    tree: dict[str, object] = {}
    for key, value in values.items():
        *sections, name = key.split(".")
        place = tree
        for section in sections:
            place = place.setdefault(section, {})  # type: ignore[assignment]
        place[name] = value
    text = header + (yaml.safe_dump(tree, allow_unicode=True, sort_keys=False) if tree else "")
    try:
        _replace(Path(os.path.realpath(path)), text.encode("utf-8"))
    except OSError as error:
        raise UserError(f"The settings could not be saved in {path}: {_reason(error)}.") from None


def copy_of(path: Path) -> Path:
    """Where `keep_copy` puts it."""
    return path.with_name(path.name + ".bak")


def keep_copy(path: Path) -> None:
    """A copy beside the file, before something in it that could not be read is lost. Raises UserError."""
    copy = copy_of(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would never end
            raise UserError(f"The settings were not saved, because {path} is not a file: move it away.")
        with path.open("rb") as file:
            _replace(copy, file.read(LARGEST_KEPT))
    except OSError as error:
        raise UserError(
            f"The settings were not saved, because {path} could not first be copied to {copy.name}: {error.strerror}."
        ) from None


def _replace(path: Path, content: bytes) -> None:
    """For the owner alone, and so is the folder if it is made here: a persona may be private."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_private(path, content)
    remove_rests(path.parent, path.name)


def _read_text(path: Path) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a folder, or a pipe that would never end
            raise UserError(f"{path} is not a file, so no settings can be read from it.")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise UserError(f"The settings file {path} cannot be read: {_reason(error)}.") from None
    if len(content) > LARGEST:
        raise UserError(f"{path} is larger than {LARGEST // 1024} kB and so is no settings file.")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserError(f"{path} is saved as UTF-16; save it as UTF-8.")
    try:
        return content.decode("utf-8-sig")  # an editor's byte order mark is harmless
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}: this is not UTF-8 text; save the file as UTF-8.") from None


def _table(text: str, source: str) -> dict[str, Leaf]:
    """Walks the parser's events rather than its values: nothing is guessed, expanded or constructed."""
    events = iter(yaml.parse(text, Loader=yaml.SafeLoader))
    leaves: dict[str, Leaf] = {}
    documents = 0
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise UserError(f"{_place(source, event)}: a second document begins here; keep only one.")
        elif isinstance(event, yaml.MappingStartEvent):
            _refuse_surprises(event, source)
            _mapping(events, "", source, leaves, depth=1)
        elif isinstance(event, yaml.NodeEvent):
            _refuse_surprises(event, source)
            if not (isinstance(event, yaml.ScalarEvent) and event.value == ""):
                raise UserError(
                    f"{_place(source, event)}: settings are a table, such as model: and below it mode: eager."
                )
    return leaves


def _mapping(events: Iterator[yaml.Event], prefix: str, source: str, leaves: dict[str, Leaf], depth: int) -> None:
    seen: dict[str, int] = {}
    for key in events:
        if isinstance(key, yaml.MappingEndEvent):
            return
        _refuse_surprises(key, source)
        if not isinstance(key, yaml.ScalarEvent):
            raise UserError(f"{_place(source, key)}: the name of a setting must be a plain word.")
        name = prefix + key.value
        if key.value in seen or name in leaves:  # the second: "model.mode: eager" beside a table with the same setting
            earlier = f" in line {seen[key.value]}" if key.value in seen else ""
            raise UserError(f"{_place(source, key)}: {shown(name)} was already given{earlier}; keep one of the two.")
        seen[key.value] = _line(key)
        value = next(events)
        _refuse_surprises(value, source)
        if isinstance(value, yaml.ScalarEvent):
            leaves[name] = Leaf(value.value, value.style is not None, _place(source, key))
        elif depth >= _DEEPEST:
            raise UserError(f"{_place(source, value)}: the tables are nested too deeply.")
        else:
            _mapping(events, name + ".", source, leaves, depth + 1)


def _refuse_surprises(event: yaml.Event, source: str) -> None:
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
        raise UserError(
            f'{_place(source, event)}: "&" and "*" (anchors) are not used in settings; '
            "write the value out, in quotes if it begins so."
        )
    if getattr(event, "tag", None) is not None:
        raise UserError(
            f'{_place(source, event)}: "!" (a tag) is not used in settings; put the value in quotes if it begins so.'
        )
    if isinstance(event, yaml.SequenceStartEvent):
        raise UserError(
            f"{_place(source, event)}: a list is given where one value is needed; "
            "put text in quotes if it begins with [ or -."
        )


def _place(source: str, event: yaml.Event) -> str:
    return f"{source}, line {_line(event)}"


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _plain_words(problem: str, text: str, line: int) -> str:
    lines = text.splitlines()
    written = lines[line - 1] if line <= len(lines) else ""
    if "\t" in written[: len(written) - len(written.lstrip())] or "\\t" in problem:
        return "a tab stands where YAML needs spaces."
    if "mapping values are not allowed" in problem:
        return (
            'a ":" stands where no setting can begin; check the spaces at the line\'s start, or put the text in quotes.'
        )
    if "could not find expected ':'" in problem:
        return 'a setting without ":" and a value.'
    return f"this is not YAML ({problem or 'it ends too early'}); check quotes, brackets and the spaces at the start."


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
