"""The watched program as a test handles it: started, asked, pressed and clicked, closed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.end_to_end.rig import ARTIFACTS, Screen, SoundServer, wait_until

ROOT = Path(__file__).resolve().parents[2]
FACT = "brings nothing over"  # that compiled code is no faster on this computer is told as a trouble is, but is none


class Program:
    """parley in a process of its own, on a virtual screen, with virtual sound devices and an empty home."""

    def __init__(self, sound: SoundServer, screen: Screen, folder: Path, arguments: list[str]) -> None:
        self._screen = screen
        self._answers = folder / "answers.f32"
        self.log = ARTIFACTS / "parley.log"
        environment = {
            **sound.environment,
            "DISPLAY": screen.display,
            "QT_QPA_PLATFORM": "xcb",
            "HF_HUB_OFFLINE": "1",
            "PYTHONPATH": str(ROOT),
            **{f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "DATA", "CACHE")},
            "XDG_STATE_HOME": str(ARTIFACTS / "state"),  # its log, kept
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "compiled"),  # built anew, whatever was built here before
        }
        environment.pop("OMP_NUM_THREADS", None)  # the program chooses its threads, as for users
        environment.pop("WAYLAND_DISPLAY", None)
        command = [sys.executable, "-m", "tests.end_to_end.watched_parley", str(self._answers)]
        command += ["--set", "window.guide_seen=true", *arguments]  # the guide would lie over the window
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, env=environment, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )

    def ask(self, question: str, **details: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps({"ask": question, **details}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        assert line, f"the program has ended:\n{self.log.read_text(errors='replace')[-3000:]}"
        return json.loads(line)

    def state(self) -> dict[str, Any]:
        return dict(self.ask("state"))

    def records(self) -> list[dict[str, Any]]:
        """Of every frame of the talk."""
        return list(self.ask("records"))

    def wait(self, condition: Callable[[dict[str, Any]], bool], seconds: float, what: str) -> dict[str, Any]:
        """Until the state is as wished; returns it. A trouble shown in the window ends the waiting (FACT aside), and
        the state last seen is in the failure's words."""
        seen: dict[str, Any] = {}

        def look() -> bool:
            seen.update(self.state())
            return condition(seen) or any(FACT not in sentence for sentence in seen["troubles"])

        try:
            wait_until(look, seconds, what)
        except AssertionError as late:
            raise AssertionError(f"{late}; last seen: {seen}") from None
        assert condition(seen), f"{what}: {seen}"
        return seen

    def press(self, keys: str, window: str = "main") -> None:
        """Press keys ("ctrl+2") as somebody at the keyboard with that window in front."""
        self._screen.hand("windowfocus", "--sync", str(self.ask("window_id", window=window)))
        self._screen.hand("key", "--clearmodifiers", keys)

    def click(self, window: str, name: str) -> None:
        """Move the mouse to a widget and click, scrolling down to it first if need be."""
        place: dict[str, Any] = {}

        def in_sight() -> bool:
            place.update(self.ask("place", window=window, name=name) or {})
            if place and not place["shown"]:
                self._screen.hand("mousemove", str(place["x"]), "300", "click", "5")
            return bool(place.get("shown"))

        wait_until(in_sight, 20, f"{name} can be seen in the {window} window")
        self._screen.hand("mousemove", str(place["x"]), str(place["y"]), "click", "1")

    def hold_up(self, seconds: float) -> None:
        """Stop the whole process for a while, as a computer that is too busy does."""
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def picture(self, path: Path) -> None:
        assert self.ask("picture", path=str(path))

    def answers(self, start: int = 0) -> np.ndarray:
        """What the engine handed to the loudspeaker's side, from a sample on, [samples] float32 at 24 kHz."""
        return np.fromfile(self._answers, dtype=np.float32, offset=4 * start)

    def answered(self) -> int:
        """Samples of it so far."""
        return self._answers.stat().st_size // 4

    def quit(self) -> int:
        """Close by keyboard, and discard the words when the window asks; returns the exit status."""
        words = self.ask("unsaved")
        self.press("ctrl+q")
        if words:
            wait_until(lambda: bool(self.ask("asked")), 20, "the window asks about its words")
            self.press("alt+d", window="question")
        try:
            return self.process.wait(20)
        finally:
            self.end()

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
