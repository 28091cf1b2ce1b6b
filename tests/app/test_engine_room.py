"""Opening a real model folder: what is looked at before the former model is let go, and what is told about it."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine_room import engine_thread, open_engine
from app.messages import ModelInfo, ModelSpec
from engine.agreement import LEAST_MATCH, teacher_columns
from engine.errors import EngineError, MemoryFullError
from engine.opening import settle
from tests.checkpoints import MIMI_NAME, MODEL_NAME, write_checkpoint


class Opened:
    def __init__(self, folder: Path) -> None:
        self.released = False
        self._spec = ModelSpec(str(folder), device="cpu", precision="float32", threads=1)

    def open(self) -> tuple[Any, ModelInfo]:
        def release() -> None:
            self.released = True

        return open_engine(self._spec, progress=lambda *_: None, cancelled=lambda: False, release=release)


def test_a_folder_is_opened_and_the_former_model_let_go(tmp_path: Path) -> None:
    opened = Opened(write_checkpoint(tmp_path))
    engine, info = opened.open()
    assert opened.released
    assert (info.device, info.precision, info.assumption) == ("cpu", "float32", "")
    engine.unload()


def test_a_small_model_without_its_config_is_not_refused_for_the_memory_of_a_large_one(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path)
    (folder / "config.json").unlink()
    opened = Opened(folder)
    with pytest.raises(EngineError, match=r"has no config\.json, so its files are taken for the published 7B model"):
        opened.open()
    assert not opened.released


@pytest.mark.parametrize("damage", ["short", "swapped", "other"])
def test_the_former_model_stays_while_the_new_files_are_not_sound(tmp_path: Path, damage: str) -> None:
    """Truncated, mixed up, or of another model."""
    folder = write_checkpoint(tmp_path / "m")
    if damage == "short":
        content = (folder / MODEL_NAME).read_bytes()
        (folder / MODEL_NAME).write_bytes(content[: len(content) // 2])
    elif damage == "swapped":
        shutil.copy(folder / MIMI_NAME, folder / MODEL_NAME)
    else:
        other = write_checkpoint(tmp_path / "other", lm={"dim": 128})
        shutil.copy(other / MODEL_NAME, folder / MODEL_NAME)
    opened = Opened(folder)
    with pytest.raises(EngineError, match=MODEL_NAME):
        opened.open()
    assert not opened.released


def test_compiled_code_is_kept_in_the_programs_cache_unless_another_folder_was_chosen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("app.engine_room.user_cache_folder", lambda: tmp_path)
    for chosen, used in ((None, str(tmp_path / "compiled")), ("/of/all/programs", "/of/all/programs")):
        monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "")  # so that it is put back afterwards
        monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR")
        if chosen is not None:
            monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", chosen)
        with engine_thread():
            assert os.environ["TORCHINDUCTOR_CACHE_DIR"] == used


class Refused(Opened):
    """A trained model whose twin in a precision, or whose memory of the talk in 8 bits, says too little."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **wish: str) -> None:
        super().__init__(write_checkpoint(tmp_path / "model"))
        self._spec = replace(self._spec, **wish)  # type: ignore[arg-type]
        monkeypatch.setattr("app.engine_room.user_cache_folder", lambda: tmp_path)
        monkeypatch.setattr("app.engine_room.judging_speech", lambda: np.sin(np.arange(24_000) / 9).astype(np.float32))
        monkeypatch.setattr("engine.conversion.teacher_columns", partial(teacher_columns, frames=20))


@pytest.mark.parametrize("wish", [{"precision": "int4"}, {"precision": "int8"}, {"kv": "int8"}])
def test_the_former_model_stays_until_a_precision_was_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wish: dict[str, str]
) -> None:
    opened = Refused(tmp_path, monkeypatch, **wish)
    for precision in LEAST_MATCH:
        monkeypatch.setitem(LEAST_MATCH, precision, 1.01)
    for _ in range(2):  # judged, and as it was judged
        with pytest.raises(EngineError, match="says the same as before in only"):
            opened.open()
        assert not opened.released


def test_what_was_judged_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Refused(tmp_path, monkeypatch, precision="int8")
    monkeypatch.setitem(LEAST_MATCH, "int8", 0.1)  # random weights agree less than trained ones
    engine, info = opened.open()
    engine.unload()
    assert opened.released
    assert re.fullmatch(
        r"Over 20 frames \d+\.\d % of the likeliest tokens are those of the plain model; logits are apart by "
        r"\d+\.\d % \(words\) and \d+\.\d % \(sounds\) of their spread\.",
        info.agreement,
    )


def test_where_memory_is_short_for_both_the_former_model_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Refused(tmp_path, monkeypatch, precision="int4")
    monkeypatch.setitem(LEAST_MATCH, "int4", 1.01)
    monkeypatch.setattr("engine.free_memory.free_memory", lambda device: (1 << 29, 1 << 34))
    with pytest.raises(EngineError, match="says the same as before in only"):
        opened.open()
    assert opened.released


def test_memory_that_runs_out_beside_the_former_model_is_no_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a card that holds one model and not the comparison of two others too."""
    opened = Refused(tmp_path, monkeypatch, precision="int8")
    monkeypatch.setitem(LEAST_MATCH, "int8", 0.1)
    seen: list[bool] = []

    def short_at_first(*files: Any, **wish: Any) -> Any:
        seen.append(opened.released)
        if not opened.released:
            raise MemoryFullError("The GPU's memory ran out.")
        return settle(*files, **wish)

    monkeypatch.setattr("engine.opening.settle", short_at_first)
    engine, info = opened.open()
    engine.unload()
    assert seen[:2] == [False, True] and info.precision == "int8"


@pytest.mark.parametrize(
    ("wish", "said"), [({"device": "cuda:7"}, "There is no cuda:7 device"), ({"precision": "int5"}, "must be auto")]
)
def test_a_wish_that_no_computer_fulfils_costs_nothing(tmp_path: Path, wish: dict[str, str], said: str) -> None:
    opened = Opened(write_checkpoint(tmp_path))
    opened._spec = replace(opened._spec, **wish)  # type: ignore[arg-type]
    with pytest.raises(EngineError, match=said):
        opened.open()
    assert not opened.released
