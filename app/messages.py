"""What the window (or a headless run) and the engine thread say to each other.

Owns the vocabulary and nothing else: frozen dataclasses that any thread may build, send and keep.
Commands are imperative and take effect between two frames; events are in the past tense and are
drained by whoever looks. Must not import torch, Qt or a sound library.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# ---------------------------------------------------------------- shared values

MODES = ("graph", "eager", "compiled")
PRECISIONS = ("auto", "float32", "bfloat16", "fp8", "fp8-row", "int8", "int4")
COMPILE = ("layers", "cudagraphs", "max-autotune")  # what compiled mode builds: pieces, or whole stages in two ways
KV = ("full", "int8")  # what past frames are kept in: as the model computes, or 8 bits
PHASES = ("idle", "loading", "ready", "priming", "talking", "building", "failed", "closed")


@dataclass(frozen=True)
class ModelSpec:
    """Which checkpoint to load, and how.

    source: "mini" (the bundled model), a folder, or a Hugging Face id such as "kyutai/moshiko-pytorch-bf16".
    """

    source: str = "mini"
    device: str = "auto"  # auto | cpu | cuda | cuda:N
    precision: str = "auto"  # one of PRECISIONS
    mode: str = "auto"  # auto (graph on CUDA, eager elsewhere) or one of MODES
    window: str = "upstream"  # upstream | personaplex: what attention sees once the context is full
    threads: int = 0  # CPU threads for torch; 0 = choose
    kv: str = "full"  # one of KV
    compile: str = "layers"  # one of COMPILE


@dataclass(frozen=True)
class Sampling:
    """Sampling values; None means "as the checkpoint's lm_gen_config says". Temperature 0 is greedy."""

    temperature: float | None = None
    top_k: int | None = None
    text_temperature: float | None = None
    text_top_k: int | None = None
    seed: int | None = None  # None = a new one for each talk


@dataclass(frozen=True)
class PersonaChoice:
    """A voice (name in the voice folder, or a path to .pt or audio; "" = none) and a persona text ("" = none)."""

    voice: str = ""
    text: str = ""
    waits: bool = False  # the model is silent until the user has spoken


@dataclass(frozen=True)
class ModelInfo:
    """What was loaded, for the window and the terminal."""

    name: str  # shown to the user
    source: str
    device: str  # "cpu", "cuda:0"
    device_name: str  # "NVIDIA H200", "AMD EPYC ..."
    precision: str
    weights_bytes: int
    state_bytes: int
    context_frames: int  # frames the temporal attention can see
    trained: bool  # False: say plainly that these weights are untrained
    modes: dict[str, str | None] = field(default_factory=dict)  # mode -> None (usable) or the reason it is not
    voices: tuple[str, ...] = ()
    sampling: Sampling = Sampling()  # the checkpoint's own values, all filled in
    precision_reason: str = ""  # why "auto" came to this precision, as a sentence
    agreement: str = ""  # how far it says what the plain model does, as a sentence, where it is rounded and was judged
    limits: str = ""  # what a trained model says of itself that it cannot do, as a sentence
    assumption: str = ""  # what a folder without config.json is taken for, as a sentence


# ---------------------------------------------------------------- commands


@dataclass(frozen=True)
class LoadModel:
    spec: ModelSpec


@dataclass(frozen=True)
class CancelLoad:
    pass


@dataclass(frozen=True)
class StartTalk:
    persona: PersonaChoice = PersonaChoice()


@dataclass(frozen=True)
class StopTalk:
    pass


@dataclass(frozen=True)
class NewTalk:
    """Forget the talk and begin another at once; persona None keeps the one in use."""

    persona: PersonaChoice | None = None


@dataclass(frozen=True)
class SetMuted:
    muted: bool


@dataclass(frozen=True)
class HoldTalkKey:
    """The talk key went down or up. It counts only where push-to-talk is chosen (audio.talk_key_mode)."""

    held: bool


@dataclass(frozen=True)
class SetMode:
    mode: str


@dataclass(frozen=True)
class SetSampling:
    sampling: Sampling


@dataclass(frozen=True)
class Shutdown:
    pass


Command = (
    LoadModel | CancelLoad | StartTalk | StopTalk | NewTalk | SetMuted | HoldTalkKey | SetMode | SetSampling | Shutdown
)

# ---------------------------------------------------------------- events


@dataclass(frozen=True)
class PhaseChanged:
    phase: str  # one of PHASES


@dataclass(frozen=True)
class LoadProgressed:
    what: str  # "download", "language model", "codec", "warm-up", "building compiled mode", ...
    done_bytes: int
    total_bytes: int


@dataclass(frozen=True)
class ModelLoaded:
    info: ModelInfo


@dataclass(frozen=True)
class TalkStarted:
    pass


@dataclass(frozen=True)
class TalkEnded:
    reason: str  # "stopped", "input ended", "failed: ..."


@dataclass(frozen=True)
class TextSpoken:
    """A piece of the model's own words (SentencePiece, word mark as a space) at `time_s` of the talk."""

    time_s: float
    piece: str


@dataclass(frozen=True)
class UserSpoke:
    """What the user said without a pause, as a recogniser wrote it down some time later.

    talk: counted from 1 since the program began. words: (start, end, text), times in seconds of the talk, not empty.
    """

    talk: int
    words: tuple[tuple[float, float, str], ...]


@dataclass(frozen=True)
class ModeChanged:
    mode: str
    modes: dict[str, str | None]  # as in ModelInfo, brought up to date


@dataclass(frozen=True)
class ModeBuilding:
    """Compiled mode is being built; the talk is paused, its state kept."""

    mode: str
    done: int
    total: int


@dataclass(frozen=True)
class MutedChanged:
    muted: bool


@dataclass(frozen=True)
class SamplingChanged:
    sampling: Sampling  # as the engine holds it now


@dataclass(frozen=True)
class Trouble:
    """One sentence for the banner: what is wrong and what to do. A later Trouble of the same kind replaces it."""

    kind: str  # "load", "start", "mode", "audio-input", "audio-output", "slow", "context", "sampling", "voice", ...
    sentence: str
    remedy: str = ""  # label of the one remedy button, "" = none
    fatal: bool = False  # True: the phase is now "failed"


@dataclass(frozen=True)
class TroubleCleared:
    kind: str


Event = (
    PhaseChanged
    | LoadProgressed
    | ModelLoaded
    | TalkStarted
    | TalkEnded
    | TextSpoken
    | UserSpoke
    | ModeChanged
    | ModeBuilding
    | MutedChanged
    | SamplingChanged
    | Trouble
    | TroubleCleared
)
