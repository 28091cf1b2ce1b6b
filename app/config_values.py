"""Which settings there are: their names, their sections, the rule that each obeys.

Owns the shape of the configuration and the checks of single values and of what is sensible without the expert switch.
Knows no files and nothing of what is in force. Pure, any thread. Must not import torch or Qt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.devices import DeviceRef
from app.errors import UserError
from app.messages import COMPILE, KV, MODES, PRECISIONS, ModelSpec, PersonaChoice, Sampling
from app.rules import Choice, ComputeDevice, Flag, Number, RefusedError, Rule, Text, nearest_hint, shown

THEMES = ("system", "light", "dark", "contrast")
ECHO_MODES = ("auto", "on", "off")
TALK_KEY_MODES = ("open", "push")
LANGUAGES = ("system", "en", "de")
RECORD_FORMATS = ("wav", "flac")
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
class TranscriptSettings:
    """Transcripts. user: what the user says is written down too, where a recogniser is installed. model: the folder
    of its model, "" to look for one."""

    user: bool = True
    model: str = ""


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
    transcript: TranscriptSettings = TranscriptSettings()


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
    "model.kv": Choice(KV),
    "model.compile": Choice(COMPILE),
    "sampling.temperature": _temperature(),
    "sampling.top_k": _top_k(),
    "sampling.text_temperature": _temperature(),
    "sampling.text_top_k": _top_k(),
    "sampling.seed": Number(0, 2**63 - 1, whole=True, null="a new one for each talk"),
    "persona.voice": Text(1024),
    "persona.text": Text(4000, lines=True),
    "persona.waits": Flag(),
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
    "transcript.user": Flag(),
    "transcript.model": Text(1024),
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


def check(key: str, value: object) -> object:
    """The value as a plain Python type, or UserError with the allowed range in it."""
    try:
        return rule_of(key, "Settings").check(value)
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
        TranscriptSettings(**section("transcript.")),  # type: ignore[arg-type]
    )


def full_name(key: str) -> str:
    """`audio.input: "Headset"` is short for its name on any host API."""
    return f"{key}.name" if key in ("audio.input", "audio.output") else key


def rule_of(key: str, place: str) -> Rule:
    """Raises UserError with the nearest name for a setting that does not exist. place: where it was written."""
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


def unusual(values: Mapping[str, object]) -> dict[str, tuple[object, Number]]:
    """Settings outside the range that is sensible without the expert switch, each with its usual nearest value."""
    if values[EXPERT]:
        return {}
    found = {}
    for key, rule in RULES.items():
        if isinstance(rule, Number) and key in values and rule.usual(values[key]) != values[key]:
            found[key] = (rule.usual(values[key]), rule)
    return found


def refuse_unusual(values: Mapping[str, object], new: Mapping[str, object]) -> None:
    """Raises UserError for a new value that only the expert switch allows."""
    for key, (usual, rule) in unusual({**values, **new}).items():
        if key in new:
            low = rule.low if rule.usual_low is None else rule.usual_low
            high = rule.high if rule.usual_high is None else rule.usual_high
            raise UserError(
                f"{key} is {new[key]}, outside the usual {low:g} to {high:g} (nearest: {usual}): "
                f"set {EXPERT} to true to go further."
            )
