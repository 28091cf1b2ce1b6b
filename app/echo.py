"""Echo cancelling: what the loudspeaker plays is taken out of what the microphone hears before the model does.

Owns when to trust the filter, when to begin anew, and what is told of it. Must not know devices or the model. Called
by the audio thread, 240 samples (10 ms at 24 kHz) at a time; `state` and `mode` may be used by any thread.

In "auto", which needs no decision from anybody, the filter always learns, and its prediction is used only once an
echo was found and while it is seen to explain what the microphone hears: with headphones the sound passes through
untouched, bit by bit. "on" always uses it. "off" changes nothing and still looks for an echo, so that a model that
hears itself is noticed.
"""

from __future__ import annotations

import math
from collections import deque
from statistics import median
from typing import NamedTuple

import numpy as np

from app.echo_filter import HOP, PARTITIONS, SILENT, EchoFilter, PathWatch, Suppressor
from app.echo_finder import EchoFinder, JumpFinder
from app.echo_reference import Reference

TRUST_MEMORY = 0.99  # per block: a second
DOUBTED, TRUSTED = 0.3, 0.6  # share of the prediction found in the microphone: below it is not used, above it is whole
PROVEN, DISPROVEN = 0.75, 0.15  # a filter that fell from the one to the other has lost the path
MOSTLY_ECHO = 1.25  # blocks in which the microphone hears at most this much more power than the predicted echo count
COUNTED = 200  # such blocks, of which the median is told
REACH_S = (0.0, 0.25)  # where in the filter's 400 ms an echo may begin
PLACE_S = 0.02  # where it is put when it was elsewhere
FAINT = 10 ** (-60 / 20)  # blocks below this are the room's noise
HARMLESS = 10 ** (-50 / 20)  # an echo below this, of which a part is removed, does not make a model answer itself
ENOUGH_DB = 10.0  # of a louder one removed: nor does the rest
DRIFT_HOPS = 50  # of sound between two looks at the drift of the clocks
FOLLOW_DRIFT = 0.7  # part of the drift seen that is corrected at once
MOST_DRIFT = 500e-6
LEARNING_HOPS = 500  # five seconds of sound from the loudspeaker, before which nothing is said about the result
STANDING_HOPS = 200  # two seconds for which a bad result must stand


class EchoState(NamedTuple):
    """active: the prediction is being subtracted. removed_db: by how much the echo became weaker in the last seconds;
    nan while there is none. hears_itself: the loudspeaker is found in what the model hears."""

    active: bool = False
    removed_db: float = math.nan
    hears_itself: bool = False


class EchoCanceller:
    """One microphone and one loudspeaker. reference: what the loudspeaker plays; mode: "auto", "on" or "off"."""

    def __init__(self, reference: Reference, mode: str = "auto") -> None:
        self.mode = mode
        self.state = EchoState()  # replaced as a whole
        self.trust = 0.0  # how much of the prediction is subtracted, 0 to 1
        self._reference = reference
        self._filter = EchoFilter()
        self._watch = PathWatch()
        self._jumps = JumpFinder()
        self._suppressor = Suppressor()
        self._before = EchoFinder()
        self._after = EchoFinder()
        self._quiet_hops = PARTITIONS + 1
        self._running = ""
        self._begin()

    def lost_sound(self) -> None:
        """The driver lost sound: the reference may lie elsewhere now."""
        self._reference.lost_sound()

    def process(self, heard: np.ndarray, recorded_s: float, correction: float) -> np.ndarray:
        """heard [240] float32 at 24 kHz -> [240] float32 without echo, without delay.

        recorded_s: when its first sample was recorded; correction: of the ratio that resampled it.
        """
        reference, continues = self._reference.next_block(recorded_s, correction)
        mode = self.mode
        if mode != self._running or (not continues and not self._proven):
            self._running = mode
            self._begin()
        elif not continues:  # laid anew after lost sound: the room is the same
            self._filter.replace_reference(self._reference.past(PARTITIONS))
            self._jumps.reset()
        out = heard if mode == "off" else self._cancel(heard, reference, mode)
        self._look(reference, heard, out)
        self._tell()
        return out

    def _begin(self) -> None:
        self._filter.reset()
        self._filter.forget_reference()
        self._watch.reset()
        self._jumps.reset()
        self._before.reset()
        self._after.reset()
        self._ratios: deque[float] = deque(maxlen=COUNTED)  # power heard by power left, of blocks that are mostly echo
        self._removed_db = math.nan
        self._echo_power = 0.0  # of a block of the predicted echo, over a second
        self._found = False  # an echo, since the filter began
        self._doubt_anew()
        self._hops_with_sound = self._bad_hops = self._drift_hops = 0

    def _doubt_anew(self) -> None:
        self._matched = self._predicted = 0.0  # <heard, prediction> and <prediction, prediction>
        self._ratios.clear()
        self._proven = False
        self.trust = 0.0

    def _cancel(self, heard: np.ndarray, reference: np.ndarray, mode: str) -> np.ndarray:
        loud = bool(np.abs(reference).max() > SILENT)
        self._quiet_hops = 0 if loud else self._quiet_hops + 1
        if self._quiet_hops > PARTITIONS:  # nothing in the room to cancel, and nothing to learn from
            return self._suppressor.process(heard, reference, self._filter.uncertainty, 0.0)
        self._hops_with_sound += loud
        if loud and self._hops_with_sound == LEARNING_HOPS:
            self._after.reset()  # what it heard until now was not yet the result
        echo = self._filter.predict(reference)
        self._filter.learn(heard - echo)
        self._judge(heard, echo)
        if self._proven and loud:
            self._look_for_jump(heard, echo)
        trust = 1.0 if mode == "on" else self.trust if self._found else 0.0
        if trust > 0.0:
            echo = np.float32(trust) * echo
            error = heard - echo
        else:
            error = heard
        out = self._suppressor.process(error, echo, self._filter.uncertainty, trust)
        if trust > 0.0:
            self._measure(heard, out, echo, loud)
            self._follow_drift(loud)
        return out

    def _follow_drift(self, loud: bool) -> None:
        self._drift_hops += loud
        if self._drift_hops < DRIFT_HOPS:
            return
        self._drift_hops = 0
        seen = self._watch.growth(self._filter.path) / (DRIFT_HOPS * HOP)
        drift = self._reference.drift - FOLLOW_DRIFT * seen
        self._reference.drift = max(-MOST_DRIFT, min(MOST_DRIFT, drift))

    def _judge(self, heard: np.ndarray, echo: np.ndarray) -> None:
        """What part of the prediction is in the microphone: 1 for a good one, 0 for one that was made of noise."""
        self._matched = TRUST_MEMORY * self._matched + float(np.dot(heard, echo))
        self._predicted = TRUST_MEMORY * self._predicted + float(np.dot(echo, echo))
        share = self._matched / self._predicted if self._predicted > 0.0 else 0.0
        self.trust = min(1.0, max(0.0, (share - DOUBTED) / (TRUSTED - DOUBTED)))
        self._proven = self._proven or (self._found and share > PROVEN)
        if self._proven and share < DISPROVEN:
            self._filter.reset()
            self._watch.reset()
            self._jumps.reset()
            self._doubt_anew()

    def _look_for_jump(self, heard: np.ndarray, echo: np.ndarray) -> None:
        """Sound that a driver lost or repeated moves the echo, and nothing else changes: then the path is kept."""
        samples = self._jumps.add(heard, echo)
        if samples:
            self._reference.move(samples)
            self._filter.replace_reference(self._reference.past(PARTITIONS))
            self._matched = self._predicted = 0.0

    def _measure(self, heard: np.ndarray, out: np.ndarray, echo: np.ndarray, loud: bool) -> None:
        power, echo_power = float(np.dot(heard, heard)), float(np.dot(echo, echo))
        if loud:
            self._echo_power += (1 - TRUST_MEMORY) * (echo_power - self._echo_power)
        if HOP * FAINT**2 < power < MOSTLY_ECHO * echo_power:
            self._ratios.append(power / (float(np.dot(out, out)) + 1e-12))
            self._removed_db = 10.0 * math.log10(median(self._ratios))

    def _look(self, reference: np.ndarray, heard: np.ndarray, out: np.ndarray) -> None:
        self._after.add(reference, out)
        if self._before.add(reference, heard) and self._before.certain:
            self._found = True
            lag_s = self._before.lag_s
            if not REACH_S[0] <= lag_s <= REACH_S[1]:
                self._reference.shift(lag_s - PLACE_S)
                self._proven = False  # so the filter begins anew with the next block

    def _tell(self) -> None:
        active = self._running == "on" or (self._running == "auto" and self._found and self.trust > 0.0)
        removed_db = self._removed_db if active and self._ratios else math.nan
        learning = self._running != "off" and self._hops_with_sound < LEARNING_HOPS
        harmless = active and (removed_db >= ENOUGH_DB or self._echo_power < HOP * HARMLESS**2)
        bad = self._after.certain and not learning and not harmless
        self._bad_hops = self._bad_hops + 1 if bad else 0
        self.state = EchoState(active, removed_db, self._bad_hops > (0 if self._running == "off" else STANDING_HOPS))
