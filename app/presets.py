"""Personas with names: a voice and a text that belong together, kept in a file of their own.

Owns that file and its bounds. A file that cannot be read is left as it is and told; nothing is written over it. Some
come with the program, in a file of the same form that is only read; one of the user's own takes the place of that with
its name. `all` is at hand for any thread; saving and deleting happen in the background and come true with "" or one
sentence.

The file is JSON: {"format": "parley-personas/1", "personas": [{"name": ..., "voice": ..., "text": ...}, ...]}
"""

from __future__ import annotations

import json
import stat
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from app.errors import UserError
from app.recording import write_whole
from app.text_files import in_background
from app.voice_names import name_problem, same_name

FORMAT = "parley-personas/1"
LARGEST_BYTES = 4 << 20
LONGEST_TEXT = 4000
MOST = 500


@dataclass(frozen=True)
class Preset:
    """A persona that was given a name."""

    name: str
    voice: str
    text: str


class Presets:
    """The presets in a file, which need not exist, and those that come with the program."""

    def __init__(self, path: Path, bundled: Path | None = None) -> None:
        self._path = path
        self._lock = Lock()  # one change after the other
        self.trouble = ""  # why the file could not be read
        self._presets: tuple[Preset, ...] = ()
        try:
            self._presets = _read(path)
        except UserError as error:
            self.trouble = str(error)
        self._bundled = () if bundled is None else _read(bundled)

    def all(self) -> tuple[Preset, ...]:
        """Sorted by name."""
        own = {same_name(held.name) for held in self._presets}
        others = (held for held in self._bundled if same_name(held.name) not in own)
        return tuple(sorted((*self._presets, *others), key=lambda preset: same_name(preset.name)))

    def problem(self, name: str) -> str:
        """ "" for a name that a preset can have, else one sentence. One that exists already may be saved anew."""
        return name_problem(name)

    def save(self, name: str, voice: str, text: str) -> Future[str]:
        """Keep a preset; one of the same name is replaced."""
        return in_background(lambda: self._save(Preset(name.strip(), voice, text)), "personas")

    def delete(self, name: str) -> Future[str]:
        return in_background(lambda: self._delete(name), "personas")

    def _save(self, preset: Preset) -> None:
        problem = self.problem(preset.name)
        if problem:
            raise UserError(problem)
        if len(preset.text) > LONGEST_TEXT:
            raise UserError(f"The text has {len(preset.text)} characters; at most {LONGEST_TEXT} can be kept.")
        with self._lock:
            others = [held for held in self._presets if same_name(held.name) != same_name(preset.name)]
            if len(others) >= MOST:
                raise UserError(f"There are {MOST} personas already; delete one first.")
            self._write([*others, _whole(preset)])

    def _delete(self, name: str) -> None:
        with self._lock:
            left = [held for held in self._presets if held.name != name]
            if len(left) == len(self._presets):
                if any(held.name == name for held in self._bundled):
                    raise UserError(f"The persona {name} comes with the program and stays.")
                raise UserError(f"There is no persona {name}.")
            self._write(left)

    def _write(self, presets: list[Preset]) -> None:
        if self.trouble:
            raise UserError(f"{self.trouble} Move it away, then start Parley again.")
        presets.sort(key=lambda preset: same_name(preset.name))
        text = json.dumps({"format": FORMAT, "personas": [asdict(preset) for preset in presets]}, ensure_ascii=False,
                          indent=1)  # fmt: skip
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"The folder {self._path.parent} could not be made ({error.strerror or error}).") from error
        write_whole(self._path, lambda temporary: temporary.write_text(text + "\n", encoding="utf-8"))
        self._presets = tuple(presets)


def _read(path: Path) -> tuple[Preset, ...]:
    """Raises UserError for a file that is there and is not such a list."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe would never end
            raise UserError(f"The personas in {path} cannot be read: that is not a file.")
        if found.st_size > LARGEST_BYTES:
            raise UserError(f"The personas in {path} cannot be read: the file is too large.")
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError("another format")
        presets = [Preset(entry["name"], entry["voice"], entry["text"]) for entry in content["personas"]]
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"The personas in {path} cannot be read; the file is not one of Parley's.") from error
    if any(not isinstance(part, str) for preset in presets for part in (preset.name, preset.voice, preset.text)):
        raise UserError(f"The personas in {path} cannot be read; the file is not one of Parley's.")
    return tuple(_whole(preset) for preset in presets)


def _whole(preset: Preset) -> Preset:
    """Half of a character, as some clipboards hold it, becomes a question mark: no file takes it."""
    return Preset(
        *(part.encode("utf-8", "replace").decode("utf-8") for part in (preset.name, preset.voice, preset.text))
    )
