"""How good the codec is by itself: word error and predicted MOS of decoded speech against the original, on the CPU.

Recogniser: Whisper tiny.en through `faster-whisper`; predicted MOS: `distillmos`. Both are tools of measurement only
and are installed apart from the project. Clips come from test voices, phrasings and names (and the own voices).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training import checkpoints, listeners
from training.codec import MINI, Codec
from training.lexicon import number_word

RATE = 24_000


@dataclass
class Clip:
    """One test utterance; sound [samples] float32 at 24 kHz."""

    text: str
    own: bool
    sound: np.ndarray


def write_clips(script_path: Path, voices: Path, out: Path, own_each: int = 8, users: int = 60) -> None:
    """Speak some lines of a held-out script and store them."""
    from training import bank, kokoro
    from training import voices as cast
    from training.script import Script

    script = Script.load(script_path)
    short = [line for line in script.lines if len(line.text) < 90]
    chosen = [line for voice in range(len(cast.OWN)) for line in _of_voice(short, voice)[:own_each]]
    chosen += [line for line in short if line.role == "user"][:users]
    script.lines = chosen
    spoken = bank.build(script, kokoro.load(voices), seed=0, chunk=16)
    np.savez(
        out, texts=np.array([line.text for line in chosen]), roles=np.array([line.role for line in chosen]),
        starts=np.array([e.start for e in spoken.entries]), lengths=np.array([e.length for e in spoken.entries]),
        tape=spoken.tape.numpy(),
    )  # fmt: skip


def _of_voice(lines: Sequence[Any], voice: int) -> list[Any]:
    return [line for line in lines if line.role == "own" and line.voice == voice]


def read_clips(path: Path) -> list[Clip]:
    stored = np.load(path)
    tape = stored["tape"].astype(np.float32) / 32768
    rows = zip(stored["texts"], stored["roles"], stored["starts"], stored["lengths"], strict=True)
    return [Clip(str(text), role == "own", tape[start : start + length]) for text, role, start, length in rows]


def words(text: str) -> list[str]:
    """Comparable words: lower case, digits spelled out, no punctuation, spelling variants of numbers joined."""
    text = (
        text.lower().replace("-", " ").replace("colour", "color").replace("grey", "gray").replace("what's", "what is")
    )
    text = re.sub(r"\$(\d+)", r"\1 dollars", text)
    text = re.sub(r"\d+", lambda m: number_word(int(m.group())) if int(m.group()) <= 100 else m.group(), text)
    return re.findall(r"[a-z']+", text)


def word_errors(reference: Sequence[str], heard: Sequence[str]) -> int:
    """Substitutions, insertions and deletions between two word lists."""
    row = list(range(len(heard) + 1))
    for i, wanted in enumerate(reference, 1):
        previous, row[0] = row[0], i
        for j, got in enumerate(heard, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (wanted != got))
    return row[-1]


@torch.no_grad()
def through(codec: Codec, sound: np.ndarray) -> np.ndarray:
    """Encode and decode one clip, its end filled up to whole frames and half a second."""
    frame = codec.config.frame_size
    length = -(-(len(sound) + RATE // 2) // frame) * frame
    pcm = torch.zeros(1, length)
    pcm[0, : len(sound)] = torch.from_numpy(sound)
    return codec.decode(codec.latent_of(codec.codes(pcm)))[0, : len(sound)].clamp(-1, 1).numpy()


def run(options: argparse.Namespace) -> None:
    """Measure and print; with --out also write decoded sounds and figures."""
    torch.set_num_threads(1)
    codec = checkpoints.load_codec(options.codec, MINI, labels=2)
    clips = read_clips(options.clips)
    if options.limit:
        step = max(1, len(clips) // options.limit)
        clips = clips[::step]
    hear, judge = listeners.recogniser(options.recogniser), listeners.opinion()
    rows = []
    for clip in clips:
        decoded = through(codec, clip.sound)
        reference = words(clip.text)
        row: dict[str, Any] = {"text": clip.text, "own": clip.own, "words": len(reference)}
        for name, sound in (("original", clip.sound), ("decoded", decoded)):
            heard = hear(sound)
            row |= {
                f"{name}_heard": heard,
                f"{name}_errors": word_errors(reference, words(heard)),
                f"{name}_mos": judge(sound),
            }
        rows.append(row)
        if options.out:
            _keep(options.out, len(rows), clip.sound, decoded)
    figures = {name: _summary([r for r in rows if r["own"] == own]) for name, own in (("own", True), ("unseen", False))}
    for name, values in figures.items():
        print(name, " ".join(f"{key} {value:.2f}" for key, value in values.items()))
    if options.out:
        checkpoints.write_json({"figures": figures, "clips": rows}, options.out / "codec.json")


def _summary(rows: list[dict[str, Any]]) -> dict[str, float]:
    if not rows:
        return {}
    count = sum(row["words"] for row in rows)
    result: dict[str, float] = {"clips": len(rows)}
    for name in ("original", "decoded"):
        result[f"{name}_wer"] = 100 * sum(row[f"{name}_errors"] for row in rows) / count
        result[f"{name}_mos"] = sum(row[f"{name}_mos"] for row in rows) / len(rows)
    return result


def _keep(folder: Path, index: int, original: np.ndarray, decoded: np.ndarray) -> None:
    import soundfile

    folder.mkdir(parents=True, exist_ok=True)
    both = np.concatenate((original, np.zeros(RATE // 4, np.float32), decoded))
    soundfile.write(folder / f"{index:03}.wav", both, RATE, subtype="PCM_16")
