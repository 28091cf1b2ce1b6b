"""Stand-ins for the sound check, the library, the saved personas and the judgement of models: screenshots and tests.

Owns nothing real: no device and no file. One thread.
"""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import NamedTuple

from ui.ports import CheckState


def done(text: str) -> Future[str]:
    """A future that is done already."""
    future: Future[str] = Future()
    future.set_result(text)
    return future


class ScriptedCheck:
    """A sound check that goes on until `finish`."""

    def __init__(self) -> None:
        self.shown = CheckState()
        self.asked: list[str] = []
        self._running: Future[str] | None = None

    def state(self) -> CheckState:
        return self.shown

    def record(self, seconds: float) -> Future[str]:
        return self._begin(f"record {seconds:g}")

    def play_recording(self) -> Future[str]:
        return self._begin("play recording")

    def play_chime(self) -> Future[str]:
        return self._begin("play chime")

    def stop(self) -> None:
        self.asked.append("stop")

    def finish(self, sentence: str = "", state: CheckState | None = None) -> None:
        """Let what is being done come to its end."""
        self.shown = state or CheckState()
        assert self._running is not None
        self._running.set_result(sentence)

    def _begin(self, what: str) -> Future[str]:
        self.asked.append(what)
        self._running = Future()
        return self._running


class ScriptedLibrary:
    """Voices in memory. `answer` is what the next change comes to: "" or a sentence."""

    def __init__(self, *names: str) -> None:
        self.names = list(names)
        self.answer = ""
        self.asked: list[tuple[str, ...]] = []

    def own(self) -> tuple[str, ...]:
        return tuple(sorted(self.names))

    def problem(self, name: str, besides: str = "") -> str:
        if not name.strip():
            return "Give it a name."
        taken = any(Path(other).stem == name and other != besides for other in self.names)
        return f"There is already one called {name}; choose another name." if taken else ""

    def file_name(self, name: str) -> str:
        return f"{name}.wav"

    def add(self, source: Path, name: str) -> Future[str]:
        return self._change(("add", str(source), name), add=f"{name}.wav")

    def add_recorded(self, name: str) -> Future[str]:
        return self._change(("add recorded", name), add=f"{name}.wav")

    def rename(self, voice: str, name: str) -> Future[str]:
        return self._change(("rename", voice, name), add=f"{name}{Path(voice).suffix}", remove=voice)

    def delete(self, voice: str) -> Future[str]:
        return self._change(("delete", voice), remove=voice)

    def listen(self, voice: str) -> Future[str]:
        return self._change(("listen", voice))

    def _change(self, asked: tuple[str, ...], add: str = "", remove: str = "") -> Future[str]:
        self.asked.append(asked)
        if not self.answer:
            self.names = [name for name in self.names if name != remove] + ([add] if add else [])
        return done(self.answer)


class ScriptedFit(NamedTuple):
    source: str
    title: str
    about: str
    cost: str
    verdict: str


class ScriptedFits:
    """Models as a computer with a middling graphics card judges them."""

    def __init__(self) -> None:
        self.looked = 0

    def look(self) -> Future[str]:
        self.looked += 1
        return done("")

    def rows(self) -> tuple[ScriptedFit, ...]:
        card = "NVIDIA GeForce RTX 4090"
        return (
            ScriptedFit("mini", "Mini", "Comes with the program; small enough for any processor.",
                        "Takes 0.7 GiB of memory, the program included.", "fits"),
            ScriptedFit("nvidia/personaplex-7b-v1", "PersonaPlex 7B",
                        "Follows a voice and a persona. Its licence is accepted once, online.",
                        f"Takes 17.0 GiB of the 24.0 GiB of the {card}, in bfloat16.", "fits"),
            ScriptedFit("kyutai/moshiko-pytorch-bf16", "Moshi 7B, male voice", "Kyutai's Moshi with the voice Moshiko.",
                        f"Takes 17.0 GiB of the 24.0 GiB of the {card}, in bfloat16.", "fits"),
            ScriptedFit("other/large", "A model of 30B", "Larger than the others.",
                        f"Needs at least 40.2 GiB, and the {card} has 24.0 GiB.", "too large"),
        )  # fmt: skip


class ScriptedPreset(NamedTuple):
    name: str
    voice: str
    text: str


class ScriptedPresets:
    """Personas in memory. `answer` is what the next change comes to: "" or a sentence."""

    def __init__(self, *presets: ScriptedPreset) -> None:
        self.presets = list(presets)
        self.answer = ""
        self.trouble = ""

    def all(self) -> tuple[ScriptedPreset, ...]:
        return tuple(sorted(self.presets))

    def problem(self, name: str) -> str:
        return "" if name.strip() else "Give it a name."

    def save(self, name: str, voice: str, text: str) -> Future[str]:
        if not self.answer:
            self.presets = [held for held in self.presets if held.name != name] + [ScriptedPreset(name, voice, text)]
        return done(self.answer)

    def delete(self, name: str) -> Future[str]:
        if not self.answer:
            self.presets = [held for held in self.presets if held.name != name]
        return done(self.answer)
