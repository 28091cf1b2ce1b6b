"""Every setting of the program: its name, its rule, and the value in force.

Owns the sections below, the order in which values win (the program's `config.yaml`, the user's file, `--set`), and
the user's file, which holds only what differs. Meaning and ranges are explained for people in `config.yaml`; a test
holds that page and these rules together. Values are checked here once, so that nobody else has to. The window calls
`Settings` from the Qt thread: writing happens on a thread of its own. Must not import torch or Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from app.devices import DeviceRef
from app.errors import UserError
from app.file_lock import waited_for
from app.messages import MODES, PRECISIONS, ModelSpec, PersonaChoice, Sampling
from app.paths import project_file, user_config_file, user_log_folder
from app.rules import Choice, ComputeDevice, Flag, Number, RefusedError, Rule, Text, nearest_hint, shown
from app.settings_file import Leaf, keep_copy, read_settings, write_settings

THEMES = ("system", "light", "dark", "contrast")
ECHO_MODES = ("auto", "on", "off")
TALK_KEY_MODES = ("open", "push")
LANGUAGES = ("system", "en", "de")
RECORD_FORMATS = ("wav", "flac")
LOCK_SECONDS = 2.0  # another window needs milliseconds to write its settings
EXPERT = "window.expert_sampling"


@dataclass(frozen=True)
class AudioSettings:
    """Sound. Times in milliseconds."""

    input: DeviceRef = DeviceRef()
    output: DeviceRef = DeviceRef()
    block_ms: int = 20
    max_lag_ms: int = 240
    margin_ms: int = 35
    echo: str = "auto"  # one of ECHO_MODES
    noise_suppression: bool = False
    auto_gain: bool = False
    talk_key_mode: str = "open"  # one of TALK_KEY_MODES


@dataclass(frozen=True)
class RecordSettings:
    """Recordings of talks. folder: "" is the usual one (`app.paths.user_recording_folder`)."""

    folder: str = ""
    format: str = "wav"


@dataclass(frozen=True)
class ReportSettings:
    """Reports of errors. transcript: the words of the talk are put into them too."""

    transcript: bool = False


@dataclass(frozen=True)
class WindowSettings:
    """How the window looks and what it lets people do."""

    theme: str = "system"
    text_size: int = 100  # per cent
    reduced_motion: bool = False
    language: str = "system"
    expert_sampling: bool = False
    guide_seen: bool = False


@dataclass(frozen=True)
class Config:
    """All settings, checked. Field names are the names in the files."""

    model: ModelSpec = ModelSpec()
    sampling: Sampling = Sampling()
    persona: PersonaChoice = PersonaChoice()
    audio: AudioSettings = AudioSettings()
    record: RecordSettings = RecordSettings()
    window: WindowSettings = WindowSettings()
    report: ReportSettings = ReportSettings()


def _temperature() -> Number:
    return Number(0, 3, null="the model's own value", usual_high=1.5)  # above, speech falls apart into noise


def _top_k() -> Number:
    # Below 5 a talk loops and rambles (user report C14).
    return Number(1, 2048, whole=True, null="the model's own value", usual_low=5)


RULES: dict[str, Rule] = {
    "model.source": Text(1024, required=True),
    "model.device": ComputeDevice(),
    "model.precision": Choice(PRECISIONS),
    "model.mode": Choice(("auto", *MODES)),
    "model.window": Choice(("upstream", "personaplex")),
    "model.threads": Number(0, 256, whole=True),
    "sampling.temperature": _temperature(),
    "sampling.top_k": _top_k(),
    "sampling.text_temperature": _temperature(),
    "sampling.text_top_k": _top_k(),
    "sampling.seed": Number(0, 2**63 - 1, whole=True, null="a new one for each talk"),
    "persona.voice": Text(1024),
    "persona.text": Text(4000, lines=True),
    "audio.input.name": Text(256),
    "audio.input.host_api": Text(64),
    "audio.output.name": Text(256),
    "audio.output.host_api": Text(64),
    "audio.block_ms": Number(5, 40, whole=True, unit="ms"),
    "audio.max_lag_ms": Number(80, 2000, whole=True, unit="ms"),
    "audio.margin_ms": Number(0, 80, whole=True, unit="ms"),
    "audio.echo": Choice(ECHO_MODES),
    "audio.noise_suppression": Flag(),
    "audio.auto_gain": Flag(),
    "audio.talk_key_mode": Choice(TALK_KEY_MODES),
    "record.folder": Text(1024),
    "record.format": Choice(RECORD_FORMATS),
    "report.transcript": Flag(),
    "window.theme": Choice(THEMES),
    "window.text_size": Number(90, 200, whole=True, unit="per cent"),
    "window.reduced_motion": Flag(),
    "window.language": Choice(LANGUAGES),
    "window.expert_sampling": Flag(),
    "window.guide_seen": Flag(),
}
# Names that people look for and that are missing on purpose, with the reason.
_ABSENT = {
    "model.context": "the model always sees the context it was trained with; "
    "a shorter one makes it talk nonsense after a minute.",
}
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
    if path is not None or target.exists():
        try:
            stored = _read_file(target, forgiving=forgiving and path is None)
        except UserError as error:
            if path is not None or not forgiving:
                raise
            stored = Loaded({}, (f"{error} The program's own settings are in force.",))
    session = parse_overrides(overrides)
    _refuse_unusual(shipped | stored.values, session)
    stored = _lift_unusual(stored, {**shipped, **stored.values, **session}, target)
    return Settings(shipped, stored, session, target)


def parse_overrides(overrides: Iterable[str]) -> dict[str, object]:
    """Values of `--set section.name=value`, the last one winning. Raises UserError."""
    values: dict[str, object] = {}
    for entry in overrides:
        key, equals, text = entry.partition("=")
        if not equals:
            raise UserError(f"--set {shown(entry)} needs a name and a value, such as --set model.mode=eager.")
        # Whatever the shell hands over was meant as the value, so text needs no quotes here and may be empty.
        is_text = isinstance(RULES.get(_full_name(key.strip())), Text)
        name, value = _read_leaf(key.strip(), Leaf(text, is_text, "--set"))
        values[name] = value
    return values


def check(key: str, value: object) -> object:
    """The value as a plain Python type, or UserError with the allowed range in it."""
    try:
        return _rule(key, "Settings").check(value)
    except RefusedError as error:
        raise UserError(f"{key} {error}") from None


def build(values: Mapping[str, object]) -> Config:
    """A Config from checked values by dotted name; every name of RULES must be there."""

    def section(prefix: str) -> dict[str, object]:
        depth = prefix.count(".")
        return {k[len(prefix) :]: v for k, v in values.items() if k.startswith(prefix) and k.count(".") == depth}

    audio = section("audio.")
    audio["input"] = DeviceRef(**section("audio.input."))  # type: ignore[arg-type]
    audio["output"] = DeviceRef(**section("audio.output."))  # type: ignore[arg-type]
    return Config(
        ModelSpec(**section("model.")),  # type: ignore[arg-type]
        Sampling(**section("sampling.")),  # type: ignore[arg-type]
        PersonaChoice(**section("persona.")),  # type: ignore[arg-type]
        AudioSettings(**audio),  # type: ignore[arg-type]
        RecordSettings(**section("record.")),  # type: ignore[arg-type]
        WindowSettings(**section("window.")),  # type: ignore[arg-type]
        ReportSettings(**section("report.")),  # type: ignore[arg-type]
    )


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
        _rule(key, "Settings")
        return self._values()[key]

    def set(self, key: str, value: object) -> str:
        """Check and keep a value. "" when it is in force; otherwise one sentence, and the old value stays."""
        try:
            new = {name: check(name, part) for name, part in _parts(key, value).items()}
            _refuse_unusual(self._values(), new)
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
        if self._written is None or not self.path.exists():
            return values
        try:
            theirs = _read_file(self.path, forgiving=True).values
        except UserError:  # damaged since: what this program knows is better than nothing
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
    key = _full_name(key)
    try:
        return key, _rule(key, leaf.place).read(leaf.text, leaf.quoted)
    except RefusedError as error:
        raise UserError(f"{leaf.place}: {key} {error}") from None


def _full_name(key: str) -> str:
    """`audio.input: "Headset"` is short for its name on any host API."""
    return f"{key}.name" if key in ("audio.input", "audio.output") else key


def _rule(key: str, place: str) -> Rule:
    rule = RULES.get(key)
    if rule is not None:
        return rule
    if key in _ABSENT:
        raise UserError(f"{place}: {key} cannot be set: {_ABSENT[key]}")
    section = key.split(".")[0]
    sections = {name.split(".")[0] for name in RULES}
    if key in sections:
        example = next(name for name in RULES if name.startswith(f"{key}."))
        raise UserError(f"{place}: {key} is a section, with settings such as {example}.")
    above = [name for name in RULES if key.startswith(f"{name}.")]
    if above:
        raise UserError(f"{place}: {above[0]} takes one value, not a table.")
    same_name = [name for name in RULES if name.split(".")[-1] == key.split(".")[-1]]
    if same_name and "." not in key:
        hint = f' Did you mean "{same_name[0]}"?'
    else:
        hint = nearest_hint(key, [*sections, *RULES])
    if not hint and section not in sections:
        hint = nearest_hint(section, sections)
    raise UserError(f"{place}: there is no setting {shown(key)}.{hint}")


def _parts(key: str, value: object) -> dict[str, object]:
    """A device choice is two settings; everything else is one."""
    if key not in ("audio.input", "audio.output"):
        return {key: value}
    if isinstance(value, str):
        value = DeviceRef(value)
    if not isinstance(value, DeviceRef):
        raise UserError(f"{key} is {shown(value)}, where a device's name is needed.")
    return {f"{key}.{name}": part for name, part in asdict(value).items()}


def _unusual(values: Mapping[str, object]) -> dict[str, tuple[object, Number]]:
    """Settings outside the range that is sensible without the expert switch, each with its usual nearest value."""
    if values[EXPERT]:
        return {}
    found = {}
    for key, rule in RULES.items():
        if isinstance(rule, Number) and key in values and rule.usual(values[key]) != values[key]:
            found[key] = (rule.usual(values[key]), rule)
    return found


def _refuse_unusual(values: Mapping[str, object], new: Mapping[str, object]) -> None:
    for key, (usual, rule) in _unusual({**values, **new}).items():
        if key in new:
            low = rule.low if rule.usual_low is None else rule.usual_low
            high = rule.high if rule.usual_high is None else rule.usual_high
            raise UserError(
                f"{key} is {new[key]}, outside the usual {low:g} to {high:g} (nearest: {usual}): "
                f"set {EXPERT} to true to go further."
            )


def _lift_unusual(stored: Loaded, values: Mapping[str, object], path: Path) -> Loaded:
    lifted = dict(stored.values)
    notes = list(stored.notes)
    for key, (usual, _) in _unusual(values).items():
        if key in lifted:
            notes.append(
                f"{key} was {lifted[key]} in {path}, which makes talks loop or fall apart; {usual} is in force instead."
            )
            lifted[key] = usual
    return Loaded(lifted, tuple(notes))
