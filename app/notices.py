"""What a talk has to tell its user in words: too slow, slower than before, forgetting, trouble with the sound.

Owns the rules that turn numbers into a standing `Trouble` and clear it again; each is said once when it begins, not on
every frame. Knows nothing of engines or devices. Called from the engine thread only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from statistics import median

from app.messages import Event, Trouble, TroubleCleared
from app.telemetry import FRAME_MS

SLOW_FRAMES = 16  # 1.6 s of frames at 100 ms: said within 2 s of the first late one
SLOW_LATE = 13  # of those, so that one hiccup is no verdict
CALM_FRAMES = 25  # 2 s
CALM_LATE = 2
BASELINE_SKIP = 25  # frames of a talk that may still be warming up
BASELINE_FRAMES = 100
SLOWER, NOT_SLOWER = 1.25, 1.1  # against the session's own baseline
WORTH_SAYING_MS = 0.6 * FRAME_MS  # below this a change of pace cannot be heard

REPEATS = 4  # times in a row that a phrase is heard before it is called a loop
PHRASE_TOKENS = range(3, 41)  # shorter ones are laughter and counting; a longer one, four times, is half a minute
LOOP_TOKENS = 24  # in all
LOOP_QUIET_FRAMES = 750  # a minute: said once, then let be

LOAD_AGAIN = "Load again"
NEW_TALK = "New talk"
ENGINE_SETTINGS = "Engine settings"
SOUND_SETTINGS = "Sound settings"
VOICE_SETTINGS = "Voice settings"
RELAUNCH = "Restart Parley"
OPEN_REPORTS = "Open reports"

WAITING = Trouble("waiting", "The model waits for you to speak first.")


class Noticeboard:
    """The troubles that stand at present, by kind. `emit` gets an event only when something changed."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._standing: dict[str, Trouble] = {}

    def post(self, trouble: Trouble) -> None:
        """Say it, unless the same sentence stands already."""
        if self._standing.get(trouble.kind) != trouble:
            self._standing[trouble.kind] = trouble
            self._emit(trouble)

    def clear(self, *kinds: str) -> None:
        for kind in kinds:
            if self._standing.pop(kind, None) is not None:
                self._emit(TroubleCleared(kind))

    def mode_changed(self, trouble: str) -> None:
        """Another mode is judged anew. trouble: a sentence about the mode itself, or ""."""
        self.clear("slow", "slower")
        if trouble:
            self.post(Trouble("mode", trouble))
        else:
            self.clear("mode")

    def stands(self, kind: str) -> bool:
        return kind in self._standing


class SoundWatch:
    """Keeps the noticeboard in step with the troubles that the audio ends report in each status."""

    def __init__(self, board: Noticeboard) -> None:
        self._board = board
        self._last: tuple[tuple[str, str, str], ...] = ()

    def update(self, troubles: Iterable[tuple[str, str, str]]) -> None:
        """troubles: (kind, sentence, remedy) that stand now."""
        now = tuple(troubles)
        if now == self._last:
            return
        kinds = {kind for kind, _, _ in now}
        self._board.clear(*(kind for kind, _, _ in self._last if kind not in kinds))
        for kind, sentence, remedy in now:
            self._board.post(Trouble(kind, sentence, remedy))
        self._last = now


class PaceWatch:
    """Judges frame costs against the 80 ms budget and against how this session began."""

    def __init__(self, board: Noticeboard, advice: str) -> None:
        """advice: what the user can do about slowness, as the end of a sentence."""
        self._board = board
        self._advice = advice
        self._recent: deque[float] = deque(maxlen=CALM_FRAMES)
        self._baseline_costs: list[float] = []
        self._baseline_ms: float | None = None
        self._frames = 0

    def add(self, cost_ms: float) -> None:
        """One frame's total in milliseconds."""
        self._frames += 1
        self._recent.append(cost_ms)
        self._judge_budget()
        self._judge_baseline(cost_ms)

    def _judge_budget(self) -> None:
        late = [cost > FRAME_MS for cost in self._recent]
        if sum(late[-SLOW_FRAMES:]) >= SLOW_LATE:
            if not self._board.stands("slow"):
                self._board.post(slow(median(list(self._recent)[-SLOW_FRAMES:]), self._advice))
        elif len(late) == CALM_FRAMES and sum(late) <= CALM_LATE:
            self._board.clear("slow")

    def _judge_baseline(self, cost_ms: float) -> None:
        if self._frames <= BASELINE_SKIP:
            return
        if self._baseline_ms is None:
            self._baseline_costs.append(cost_ms)
            if len(self._baseline_costs) == BASELINE_FRAMES:
                self._baseline_ms = median(self._baseline_costs)
            return
        now = median(self._recent)
        if now > SLOWER * self._baseline_ms and now > WORTH_SAYING_MS:
            if not self._board.stands("slower"):
                self._board.post(slower(now, self._baseline_ms))
        elif now < NOT_SLOWER * self._baseline_ms:
            self._board.clear("slower")


class RepeatWatch:
    """Notices when the model says the same phrase over and over. It only says so: what to do is the user's choice."""

    def __init__(self, board: Noticeboard) -> None:
        self._board = board
        self._tokens: deque[int] = deque(maxlen=REPEATS * PHRASE_TOKENS[-1])
        self._quiet = 0  # frames until a loop may be told, or the one told is taken down

    def add(self, token: int | None) -> None:
        """One frame's text token; None for padding."""
        if self._quiet > 0:
            self._quiet -= 1
            if self._quiet == 0:
                self._board.clear("repeat")
        elif token is not None:
            self._tokens.append(token)
            if _loops(list(self._tokens)):
                self._tokens.clear()
                self._quiet = LOOP_QUIET_FRAMES
                self._board.post(repeating())


def _loops(tokens: list[int]) -> bool:
    """Do they end with one phrase said REPEATS times?"""
    for length in PHRASE_TOKENS:
        whole = REPEATS * length
        if whole > len(tokens):
            return False
        if whole >= LOOP_TOKENS and tokens[-whole:] == tokens[-length:] * REPEATS:
            return True
    return False


def repeating() -> Trouble:
    return Trouble("repeat", "The model keeps saying the same: a new talk gets it out of the loop.", NEW_TALK)


def slow(cost_ms: float, advice: str) -> Trouble:
    return Trouble(
        "slow",
        f"A frame takes {cost_ms:.0f} ms on this computer and the budget is {FRAME_MS:.0f} ms, "
        f"so parts of the talk are lost; {advice}.",
        ENGINE_SETTINGS,
    )


def slower(cost_ms: float, baseline_ms: float) -> Trouble:
    return Trouble(
        "slower",
        f"Frames are slower than at the start of this talk: {cost_ms:.0f} ms against {baseline_ms:.0f} ms; "
        "close other programs that use the graphics card or the processor.",
    )


def forgetting(context_frames: int) -> Trouble:
    return Trouble(
        "context",
        f"The talk is longer than the {_duration(context_frames)} that the model remembers: "
        "the early conversation is being forgotten.",
        NEW_TALK,
    )


def long_persona(persona_frames: int, context_frames: int) -> Trouble:
    return Trouble(
        "persona",
        f"Voice and persona use {_duration(persona_frames)} of the {_duration(context_frames)} that the model "
        "remembers; a shorter text leaves more for the talk.",
        VOICE_SETTINGS,
    )


def _duration(frames: int) -> str:
    seconds = frames * FRAME_MS / 1000
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"
