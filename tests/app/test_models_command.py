"""`parley models`: what it prints, what it refuses, and that nothing is deleted unasked."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app import arguments, cli, hub, models_command
from app.download import Hub
from app.errors import UserError
from app.hub import MIMI_NAME, MODEL_NAME, TOKENIZER_NAME
from app.model_check import CheckReport
from app.model_store import BUNDLED, OWN, ModelStore, StoredModel
from app.models_command import run_models, verdict
from tests.app.fake_hub import FILES, REPOSITORY, FakeHub, server
from tests.checkpoints import write_checkpoint

__all__ = ["server"]  # a fixture
Run = Callable[..., int]


@pytest.fixture
def run(server: tuple[FakeHub, Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in front of the fake hub, which has a model that can run."""
    state, fake = server
    whole = write_checkpoint(tmp_path / "published", config={"trained": False})
    state.files = {path.name: path.read_bytes() for path in whole.iterdir()}

    def fetch(repository: str, *rest: Any, **named: Any) -> Path:
        return real(repository, *rest, hub=Hub(repository, fake.endpoint, fake.wait_s), **named)

    real = hub.fetch
    monkeypatch.setattr(hub, "fetch", fetch)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))

    def run_one(deed: str = "list", source: str = "", chosen: str = "mini", **flags: bool) -> int:
        given = {"as_json": False, "yes": False, "repair": False, **flags}
        return run_models(deed, source, chosen, store=ModelStore(tmp_path / "cache", tmp_path / "shared"), **given)

    return run_one


def test_from_download_to_deletion(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("download", REPOSITORY) == 0
    said = capsys.readouterr()
    assert f"parley --set model.source={REPOSITORY}" in said.out
    assert "(100 %)" in said.err
    assert run(chosen=REPOSITORY) == 0
    listed = capsys.readouterr().out
    assert f"* {REPOSITORY}  [downloaded," in listed
    assert str(tmp_path / "cache" / "models") in listed
    assert run("verify", REPOSITORY) == 0
    assert "all 5 files are as published, and every tensor fits" in capsys.readouterr().out
    assert run("delete", REPOSITORY, yes=True) == 0
    assert f"Deleted {REPOSITORY}" in capsys.readouterr().out
    assert run() == 0
    assert REPOSITORY not in capsys.readouterr().out


def test_a_folder_that_holds_no_model_is_not_said_to_be_absent(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not on this computer"):
        run("verify", str(tmp_path / "nowhere"))
    folder = write_checkpoint(tmp_path / "mine", config={"trained": False})
    (folder / "config.json").write_text('{"dim": 12')
    with pytest.raises(UserError, match=r"mine is a folder, but no model .* not valid JSON"):
        run("verify", str(folder))
    (folder / "config.json").write_text("{}")
    (folder / MODEL_NAME).unlink()
    with pytest.raises(UserError, match=f"is a folder without {MODEL_NAME}"):
        run("verify", str(folder))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such pipes there")
def test_a_pipe_in_the_place_of_a_configuration_is_not_waited_for(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_checkpoint(tmp_path / "mine", config={"trained": False})
    (folder / "config.json").unlink()
    os.mkfifo(folder / "config.json")
    looking = threading.Thread(target=run, args=("verify", str(folder)), daemon=True)
    looking.start()
    looking.join(60)
    assert not looking.is_alive()
    assert "is damaged, in config.json" in capsys.readouterr().out


def test_the_list_as_json(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run("download", REPOSITORY)
    capsys.readouterr()
    run(as_json=True)
    listed = json.loads(capsys.readouterr().out)
    assert [(row["source"], row["place"], row["whole"]) for row in listed["models"]] == [
        ("mini", BUNDLED, True),
        (REPOSITORY, OWN, True),
    ]
    assert listed["free_bytes"] > 0


def test_damage_is_exit_status_one_and_can_be_repaired(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("download", REPOSITORY)
    path = tmp_path / "cache" / "models" / REPOSITORY.replace("/", "--") / MIMI_NAME
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    assert run("verify", REPOSITORY) == 1
    said = capsys.readouterr().out
    assert f"damaged, in {MIMI_NAME}" in said
    assert "--repair" in said
    assert run("verify", REPOSITORY, repair=True) == 0
    assert "is sound" in capsys.readouterr().out


def test_nothing_is_deleted_unasked(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("download", REPOSITORY)
    with pytest.raises(UserError, match="add --yes"):
        run("delete", REPOSITORY)
    for typed in ("", "n\n", "no\n", "yeah\n"):
        terminal = io.StringIO(typed)
        monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys, "stdin", terminal)
        with pytest.raises(UserError, match=r"Nothing was deleted\."):
            run("delete", REPOSITORY, REPOSITORY)
    assert "the model of your settings" in capsys.readouterr().out
    terminal = io.StringIO("y\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", terminal)
    assert run("delete", REPOSITORY) == 0


def test_a_converted_file_is_deleted_by_its_name(run: Run, tmp_path: Path) -> None:
    twins = tmp_path / "cache" / "converted"
    twins.mkdir(parents=True)
    (twins / "int8-0123.safetensors").write_bytes(b"w")
    assert run("delete", "int8-0123.safetensors", yes=True) == 0
    assert list(twins.iterdir()) == []


@pytest.mark.parametrize(
    ("deed", "source", "said"),
    [("download", "", "Say which model to download"), ("download", "mini", "nothing to download"),
     ("download", "moshi", "not a Hugging Face id"), ("verify", "some/model", "not on this computer"),
     ("delete", "some/model", "not on this computer"), ("delete", "mini", "not Parley's to delete"),
     ("delete", "../../etc", "not on this computer")],
)  # fmt: skip
def test_refusals(run: Run, deed: str, source: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        run(deed, source, yes=True)


def test_half_a_model_is_not_verified(run: Run, server: tuple[FakeHub, Hub]) -> None:
    state, _ = server
    state.cuts = [len(FILES[TOKENIZER_NAME])] + [0] * 20
    with pytest.raises(UserError, match="cut off"):
        run("download", REPOSITORY)
    with pytest.raises(UserError, match="goes on with it"):
        run("verify", REPOSITORY)


@pytest.mark.parametrize(
    ("report", "said"),
    [(CheckReport(5, 5), "all 5 files are as published"), (CheckReport(5, 2), "2 of 5 files"),
     (CheckReport(5, 0), "no published checksums"), (CheckReport(5, 5, (MODEL_NAME,)), "is damaged"),
     (CheckReport(5, 5, (), "It is no model."), "cannot be used: It is no model."),
     (CheckReport(5, 5, (), "", ("int8-1.safetensors",)), "parley models delete int8-1.safetensors")],
)  # fmt: skip
def test_verdicts(report: CheckReport, said: str) -> None:
    assert said in verdict(StoredModel("a/b", OWN, Path("a"), 1), report)


def test_the_command_line_hands_on_what_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(models_command, "run_models", lambda *given, **flags: asked.append((*given, flags)) or 0)
    settings = ["--set", "model.source=some/model"]
    assert cli.main(["models", *settings]) == 0
    assert cli.main(["models", "verify", "a/b", "--repair", *settings]) == 0
    off = {"as_json": False, "yes": False, "repair": False}
    assert asked == [("list", "", "some/model", off), ("verify", "a/b", "some/model", {**off, "repair": True})]
    with pytest.raises(SystemExit) as end:
        arguments.parse(["models", "downlaod", "a/b"])
    assert end.value.code == 2
    assert 'Did you mean "download"?' in capsys.readouterr().err
