"""Bad input by the thousand: every boundary of the program, with inputs that a seed makes the same on every computer.

The short run is part of the tests; `pytest -m long tests/fuzz` is the long one, whose results stand in RESULTS.md.
A failure names the target and the number: `one(name, number, folder)` feeds that input again.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import config
from tests.fuzz.targets import REFUSALS, TARGETS
from tests.fuzz.watch import little_memory, peak_bytes, watched

SHORT = 150
LONG = {
    "settings_file": 12000, "overrides": 15000, "window_values": 10000, "command_line": 4000, "sound_file": 12000,
    "stored_voice": 12000, "voice_archive": 4000, "weights_header": 12000, "model_config": 8000, "codec_config": 6000,
    "tokenizer_file": 4000, "persona_text": 5000, "unchecked_persona": 4000, "spoken_pieces": 3000, "device_lists": 6000,
    "persona_file": 3000, "window_place": 6000, "hub_answer": 6000,
}  # fmt: skip
# The long run's inputs begin after this number; another one gives inputs that nobody has seen.
FIRST = int(os.environ.get("PARLEY_FUZZ_FIRST", SHORT))
LONGEST_SENTENCE = 900
MOST_GROWTH = 400 << 20  # bytes of memory that a whole run of a target may add at its worst moment


def one(name: str, number: int, folder: Path) -> str:
    """Feed one input. Returns "" when it was taken, else the sentence with which it was refused."""
    source = random.Random(f"{name} {number}")
    try:
        TARGETS[name](source, folder)
    except REFUSALS as refusal:
        return str(refusal) or "refused without a word"
    return ""


def run(name: str, count: int, folder: Path, first: int = 0) -> int:
    """Feed inputs `first` to `first + count` and return how many were refused; what may not happen fails the test."""
    inside = folder / "inside"
    inside.mkdir()
    refused, before = 0, peak_bytes()
    out = io.StringIO()
    unraised: list[str] = []  # what C could not hand on is printed with its traceback
    with (
        _unraisable(unraised),
        warnings.catch_warnings(),
        little_memory(),
        contextlib.redirect_stderr(out),
        contextlib.redirect_stdout(out),
    ):
        warnings.simplefilter("ignore")
        for number in range(first, first + count):
            try:
                with watched(inside) as seen:
                    sentence = one(name, number, inside)
            except Exception as fault:
                raise AssertionError(f"{name} {number}: {type(fault).__name__} reached the user: {fault}") from fault
            assert seen == [], f"{name} {number}"
            assert unraised == [], f"{name} {number}"
            refused += bool(sentence)
            assert len(sentence) <= LONGEST_SENTENCE, f"{name} {number}: {len(sentence)} characters"
            assert "\n" not in sentence.strip(), f"{name} {number}: {sentence}"
            assert "Traceback" not in out.getvalue(), f"{name} {number}"
            out.seek(0)
            out.truncate()
    assert sorted(path.name for path in folder.iterdir()) == ["inside"], "something was written elsewhere"
    if sys.platform == "linux":
        assert peak_bytes() - before < MOST_GROWTH
    return refused


@contextlib.contextmanager
def _unraisable(found: list[str]) -> Iterator[None]:
    before = sys.unraisablehook
    sys.unraisablehook = lambda raised: found.append(f"{raised.exc_type.__name__} in {raised.object!r:.100}")
    try:
        yield
    finally:
        sys.unraisablehook = before


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "user_config_file", config.user_config_file)  # a target sets it; this puts it back


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_is_taken_or_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    """User reports S1, S3, S7, V6, V8 and U5, by chance instead of by thought."""
    assert run(name, SHORT, tmp_path) > 0 or name == "spoken_pieces"


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_by_the_thousand(name: str, tmp_path: Path) -> None:
    assert sum(LONG.values()) >= 100_000
    refused = run(name, LONG[name], tmp_path, first=FIRST)
    print(f"{name}: {LONG[name]} inputs from {FIRST} on, {refused} refused")


def test_a_forbidden_deed_would_be_seen(tmp_path: Path) -> None:
    """The watch itself: a process, a file elsewhere, a socket; and nothing for what is allowed."""
    import socket
    import subprocess

    inside = tmp_path / "inside"
    inside.mkdir()
    with watched(inside) as seen:
        (inside / "a").write_text("x")
        (inside / "a").read_text()
    assert seen == []
    with watched(inside) as seen:
        (tmp_path / "b").write_text("x")
        subprocess.run([sys.executable, "-c", ""], check=True)
        os.system("true")
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
    assert [line.split()[0] for line in seen if "dev/null" not in line][:1] == ["open"]
    assert {"os.system", "socket.bind", "subprocess.Popen"} <= {line.split()[0] for line in seen}


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_too_much_memory_would_be_seen() -> None:
    with little_memory(), pytest.raises(MemoryError):
        bytearray(2 << 30)
