"""What is wrong with running sound, in words: silence of a driver, digital silence, a lost device, an echo.

Owns the thresholds and the sentences. Pure: numbers in, standing troubles out. Called by the audio thread (`observe`)
and read by any thread.
"""

from __future__ import annotations

from typing import NamedTuple

from app.portaudio import WORDS

STALLED_S = 1.0  # half of this is suspicious; a driver that is only slow has come back by then
ZEROS_S = 3.0  # a live microphone never gives so many samples that are exactly zero
SETTINGS = "Sound settings"

# The gravest first: one trouble per direction is shown.
LOST, STALLED, ZEROS, FALLBACK, NOTE = range(5)


class AudioTrouble(NamedTuple):
    """Something wrong with the sound that stands now.

    kind: as in `Trouble`: "audio-input", "audio-output", "audio-echo", "audio-muted" or "audio-noise".
    """

    kind: str
    sentence: str
    remedy: str = ""  # label of the one remedy button, "" = none


class SoundTroubles:
    """The troubles of one pair of open devices. names: of the devices in use, by direction."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self._standing: dict[tuple[str, int], str] = {}
        self._told: tuple[AudioTrouble, ...] = ()

    @property
    def standing(self) -> tuple[AudioTrouble, ...]:
        """The gravest of each direction; replaced as a whole, so any thread may read it."""
        return self._told

    def observe(self, silent_s: dict[str, float], zeros_s: float) -> None:
        """silent_s: since each direction's last callback. zeros_s: how long the microphone has given exact zeros."""
        for direction, seconds in silent_s.items():
            self._set(direction, STALLED, seconds >= STALLED_S, self._stalled(direction))
        self._set("input", ZEROS, zeros_s >= ZEROS_S, self._zeros())
        self._publish()

    def note(self, subject: str, sentence: str) -> None:
        """subject: "echo", "muted" or "noise"; "" takes its sentence back."""
        if self._standing.get((subject, NOTE), "") != sentence:
            self._set(subject, NOTE, bool(sentence), sentence)
            self._publish()

    def lost(self, direction: str, stalled: bool = False) -> None:
        """The device went away, or moves no sound; the streams are being closed and it is looked for."""
        did = "moves no sound" if stalled else "is gone"
        sentence = (
            f'The {WORDS[direction]} "{self._names[direction]}" {did}, so the talk waits: '
            "plug it in again and the talk goes on by itself, or choose another in Settings."
        )
        self._set(direction, LOST, True, sentence)
        self._publish()

    def failed(self) -> None:
        """The audio thread ended by an error of the program's own."""
        sentence = "The sound stopped because of an error inside Parley: look for devices again to go on."
        self._set("output", LOST, True, sentence)
        self._publish()

    def fallback(self, direction: str, wanted: str) -> None:
        """Another device than the one asked for is in use."""
        sentence = (
            f'The {WORDS[direction]} "{wanted}" is not connected, so "{self._names[direction]}" is used: '
            "plug it in and look for devices again, or choose another."
        )
        self._set(direction, FALLBACK, True, sentence)
        self._publish()

    def _set(self, direction: str, grade: int, stands: bool, sentence: str) -> None:
        if stands:
            self._standing[direction, grade] = sentence
        else:
            self._standing.pop((direction, grade), None)

    def _publish(self) -> None:
        gravest: dict[str, str] = {}
        for (direction, _), sentence in sorted(self._standing.items()):
            gravest.setdefault(direction, sentence)
        told = tuple(
            AudioTrouble(f"audio-{direction}", sentence, self._remedy(direction))
            for direction, sentence in gravest.items()
        )
        if told != self._told:
            self._told = told

    @staticmethod
    def _remedy(direction: str) -> str:
        return "" if direction == "muted" else SETTINGS

    def _stalled(self, direction: str) -> str:
        return (
            f'The {WORDS[direction]} "{self._names[direction]}" has stalled, no sound moves: '
            "if it does not come back within seconds it is opened anew; or choose another in Settings."
        )

    def _zeros(self) -> str:
        return (
            f'The microphone "{self._names["input"]}" gives only digital silence: check its mute switch and that the '
            "system's privacy settings let Parley use the microphone."
        )


def hears_itself(echo: str) -> str:
    """The model hears its own voice; echo: the setting."""
    if echo == "off":
        return "The model hears itself through the microphone: use headphones, or turn echo cancelling on in Settings."
    return (
        "The model still hears itself through the microphone: turn the loudspeaker down, move the microphone away "
        "from it, or use headphones."
    )


def unheard(muted: bool) -> str:
    """Somebody talks and the model is given silence."""
    if muted:
        return "You are talking while the microphone is muted: unmute it to be heard."
    return "You are talking and the model does not hear you: hold the talk key while you speak."
