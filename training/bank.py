"""The speech bank: every line of a script as sound on one long tape, with phoneme labels and word times.

Built on the training device at the start of a run (some 700 s of speech a second on one H200) rather than stored: same
seed, same bank. Shapes: N samples on the tape, U = N / 600 label units of 25 ms.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from training import kokoro
from training.script import Line, Script

UNIT = kokoro.SAMPLES_PER_UNIT
IGNORED = 255  # label of units that teach nothing: spaces between words, padding after resampling
SILENCE = 0
_LEVEL = 0.07  # RMS of the voiced part, about -23 dBFS
_PAUSES = ";:,.!?"
_AUDIBLE = 0.03  # of a line's loudest unit
_TAIL = 3  # units kept behind the last audible one of a line


class Entry(NamedTuple):
    """Where a line lies on the tape (samples), and when each of its words starts (seconds from `start`)."""

    start: int
    length: int
    words: tuple[float, ...]


@dataclass
class Bank:
    """tape int16 [N], labels uint8 [U] on the training device; one entry a line of the script."""

    tape: Tensor
    labels: Tensor
    entries: list[Entry]
    classes: int

    @property
    def seconds(self) -> float:
        return len(self.tape) / kokoro.SAMPLE_RATE

    def save(self, path: Path) -> None:
        """Whole or not at all: another process may be waiting for the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        torch.save({"tape": self.tape.cpu(), "labels": self.labels.cpu(), "entries": [tuple(e) for e in self.entries],
                    "classes": self.classes}, partial)  # fmt: skip
        partial.replace(path)

    @classmethod
    def load(cls, path: Path, device: torch.device) -> Bank:
        stored = torch.load(path, weights_only=True)
        entries = [Entry(start, length, tuple(words)) for start, length, words in stored["entries"]]
        return cls(stored["tape"].to(device), stored["labels"].to(device), entries, stored["classes"])

    def sound(self, line: int) -> Tensor:
        """[samples] float32 of one line."""
        entry = self.entries[line]
        return self.tape[entry.start : entry.start + entry.length].float() / 32768


def early_path(path: Path) -> Path:
    """Where the first part of a bank lies while the rest is still being spoken."""
    return path.with_suffix(".early")


def phoneme_classes(vocabulary: dict[str, int]) -> dict[str, int]:
    """Class of each phoneme symbol, from 1 on; 0 is silence. Stress, length, pitch and punctuation have none."""
    marks = set("ˈˌːʰʲ↓→↗↘̃ ") | set(_PAUSES) | set('—…"()“”')
    symbols = [symbol for symbol in sorted(vocabulary, key=vocabulary.__getitem__) if symbol not in marks]
    return {symbol: index + 1 for index, symbol in enumerate(symbols)}


def unit_labels(phonemes: str, units: list[int], classes: dict[str, int]) -> Tensor:
    """Label of each 25 ms unit of an utterance, its two edge pads included. [sum(units)] uint8

    A stress mark belongs to the phoneme that follows, a length mark to the one before; a space is nobody's.
    """
    labels = [SILENCE]
    for index, symbol in enumerate(phonemes):
        if symbol in classes:
            labels.append(classes[symbol])
        elif symbol in "ˈˌ":
            following = next((s for s in phonemes[index + 1 :] if s in classes), None)
            labels.append(classes[following] if following else IGNORED)
        elif symbol in _PAUSES:
            labels.append(SILENCE)
        else:
            labels.append(labels[-1] if symbol in "ːʰʲ" else IGNORED)
    labels.append(SILENCE)
    return torch.repeat_interleave(torch.tensor(labels, dtype=torch.uint8), torch.tensor(units))


def word_units(phonemes: str, units: list[int]) -> list[int]:
    """The unit at which each word starts."""
    starts, at, fresh = [], units[0], True
    for symbol, length in zip(phonemes, units[1:-1], strict=True):
        if fresh and symbol != " ":
            starts.append(at)
        fresh = symbol == " "
        at += length
    return starts


def resample(sound: Tensor, rate: float, taps: int = 32) -> Tensor:
    """Play back `rate` times as fast, [n] -> [n / rate]: windowed sinc, its cutoff lowered when speeding up."""
    if rate == 1:
        return sound
    count = int(len(sound) / rate)
    at = torch.arange(count, device=sound.device, dtype=torch.float64) * rate
    base = at.floor().long()
    offset = torch.arange(1 - taps // 2, taps // 2 + 1, device=sound.device)
    distance = (at - base)[:, None] - offset
    cutoff = min(1.0, 1 / rate)
    kernel = cutoff * torch.sinc(cutoff * distance) * (torch.cos(distance * math.pi / taps).clamp(min=0) ** 2)
    index = (base[:, None] + offset).clamp(0, len(sound) - 1)
    return (sound[index] * kernel.float()).sum(-1)


def build(
    script: Script, speaker: kokoro.Speaker, seed: int, report: Callable[[str], None] = print, chunk: int = 2048,
    early: Callable[[Bank], None] | None = None,
) -> Bank:  # fmt: skip
    """Speak the whole script. Seeds torch, since the vocoder draws noise. `early` is given the first chunk's bank."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    classes = phoneme_classes(speaker.vocabulary)
    tapes: list[Tensor] = []
    labels: list[Tensor] = []
    entries: list[Entry] = []
    position, began = 0, time.monotonic()
    for first in range(0, len(script.lines), chunk):
        lines = script.lines[first : first + chunk]
        spoken = iter(kokoro.speak(speaker, [job for line in lines for job in _jobs(line, script, speaker)]))
        for line in lines:
            rate = script.voices[line.voice].rate
            sound, marks, words = assembled(line.pieces, [next(spoken) for _ in line.pieces], rate, classes)
            gap = rng.randint(6, 20)
            entries.append(Entry(position, len(sound), tuple(words)))
            tapes.append(torch.cat((sound, sound.new_zeros(gap * UNIT))))
            labels.append(torch.cat((marks, marks.new_full((gap,), SILENCE))))
            position += len(tapes[-1])
        report(
            f"{len(entries)} of {len(script.lines)} lines, {position / kokoro.SAMPLE_RATE / 3600:.2f} h, "
            f"{time.monotonic() - began:.0f} s"
        )
        if early is not None and first == 0:
            early(_joined(tapes, labels, entries, classes))
    return _joined(tapes, labels, entries, classes)


def _joined(tapes: list[Tensor], labels: list[Tensor], entries: list[Entry], classes: dict[str, int]) -> Bank:
    return Bank(torch.cat(tapes), torch.cat(labels).to(tapes[0].device), list(entries), max(classes.values()) + 1)


def _jobs(line: Line, script: Script, speaker: kokoro.Speaker) -> list[kokoro.Job]:
    voice = script.voices[line.voice]
    ids = [speaker.ids(piece) for piece in line.pieces]
    return [kokoro.Job(item, speaker.style(voice.blend, len(item)), voice.speed) for item in ids]


def assembled(
    pieces: Sequence[str], spoken: Sequence[kokoro.Spoken], rate: float, classes: dict[str, int]
) -> tuple[Tensor, Tensor, list[float]]:
    """int16 sound and labels of a line, its pieces (phonemes) played back `rate` times as fast: whole units long,
    silence at the edges trimmed; word starts in seconds."""
    sounds, marks, words, at = [], [], [], 0
    for index, (phonemes, (audio, units)) in enumerate(zip(pieces, spoken, strict=True)):
        label = unit_labels(phonemes, units, classes)
        voiced = (label != SILENCE).nonzero()
        first = max(0, int(voiced[0]) - 2)
        last = min(len(label), int(voiced[-1]) + 5)
        if index == len(pieces) - 1:
            last = min(last, _heard_until(audio) + _TAIL)
        sound = _levelled(resample(audio[first * UNIT : last * UNIT], rate))
        length = -(-len(sound) // UNIT)
        sound = torch.nn.functional.pad(sound, (0, length * UNIT - len(sound)))
        source = ((torch.arange(length) + 0.5) * rate + first).long().clamp(max=len(label) - 1)
        words += [(at + (start - first) / rate) * UNIT / kokoro.SAMPLE_RATE for start in word_units(phonemes, units)]
        sounds.append((sound * 32767).round().to(torch.int16))
        marks.append(label[source])
        at += length
    return torch.cat(sounds), torch.cat(marks), words


def _heard_until(audio: Tensor) -> int:
    """The unit behind the last audible one: the last phoneme's time goes on in silence for some tenths of a second."""
    loud = audio[: len(audio) // UNIT * UNIT].view(-1, UNIT).pow(2).mean(-1).sqrt()
    return int((loud >= _AUDIBLE * loud.max()).nonzero()[-1]) + 1


def _levelled(sound: Tensor) -> Tensor:
    """Bring the loud half to the bank's level; faded in and out over 5 ms; peaks stay under full scale."""
    blocks = sound[: len(sound) // UNIT * UNIT].view(-1, UNIT).pow(2).mean(-1)
    loud = blocks.sort(descending=True).values[: max(1, len(blocks) // 2)].mean().sqrt()
    sound = sound * torch.minimum(_LEVEL / loud.clamp(min=1e-5), 0.95 / sound.abs().max().clamp(min=1e-5))
    ramp = torch.linspace(0, 1, 120, device=sound.device)
    sound[:120] *= ramp
    sound[-120:] *= ramp.flip(0)
    return sound
