"""What the window asks about models: in the background, one thing at a time, stopped at once, continued later."""

from __future__ import annotations

import logging
import stat
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app import hub as hub_module
from app.config import load
from app.crash_report import compose
from app.download import Hub
from app.hub import MODEL_NAME, TOKENIZER_NAME
from app.hub_token import token_state
from app.model_desk import BUSY, CHECKING, DOWNLOADING, ModelDesk, Refused, WorkState
from app.model_store import OWN, ModelStore
from tests.app.fake_hub import FILES, MODEL, REPOSITORY, FakeHub, server

__all__ = ["server"]  # a fixture
TOKEN = "hf_ThisIsVerySecret0123456789"


def wait(answer: Future[str]) -> str:
    return answer.result(20)


def until(happened: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    pause = threading.Event()
    for _ in range(2000):
        if happened():
            return
        pause.wait(0.01)
    raise AssertionError("it did not happen")


def make_desk(hub: Hub, cache: Path, free: Callable[[Path], int] = lambda _: 1 << 40) -> ModelDesk:
    """A desk in front of the fake hub, as one more start of the program makes it."""

    def fetch(repository: str, progress: Any, cancelled: Any, **rest: Any) -> Path:
        asked = Hub(repository, hub.endpoint, hub.wait_s)
        return hub_module.fetch(repository, progress, cancelled, hub=asked, free=free, **rest)

    return ModelDesk(ModelStore(cache, cache / "shared"), fetch=fetch)


@pytest.fixture
def desk(server: tuple[FakeHub, Hub], tmp_path: Path) -> ModelDesk:
    return make_desk(server[1], tmp_path)


def own(desk: ModelDesk) -> list[tuple[str, bool]]:
    return [(model.source, model.whole) for model in desk.inventory.models if model.place == OWN]


def test_a_model_is_downloaded_listed_checked_and_deleted(desk: ModelDesk) -> None:
    assert wait(desk.look()) == ""
    assert own(desk) == []
    assert desk.problem(REPOSITORY) == ""
    assert wait(desk.download(REPOSITORY)) == ""
    assert own(desk) == [(REPOSITORY, True)]
    assert desk.work == WorkState()
    assert "here already" in desk.problem(REPOSITORY)
    assert wait(desk.check(REPOSITORY)) == ""
    report = desk.reports[REPOSITORY]
    assert (report.files, report.compared, report.damaged) == (6, 6, ())
    assert report.fault, "these bytes are no model, and that is said"
    assert wait(desk.delete(REPOSITORY)) == ""
    assert own(desk) == []
    assert REPOSITORY not in desk.reports
    assert "no downloaded model" in wait(desk.delete(REPOSITORY))


@pytest.mark.parametrize("source", ["", "moshi", "a/b/c", "../x", "a/..", "https://huggingface.co/a/b", "a b/c"])
def test_what_is_no_id_is_a_sentence_before_anything_is_asked(desk: ModelDesk, source: str) -> None:
    assert desk.problem(source).endswith(".")
    assert "not a Hugging Face id" in wait(desk.download(source))


def test_progress_is_told_and_stopping_is_quick_and_keeps_what_came(
    server: tuple[FakeHub, Hub], desk: ModelDesk
) -> None:
    """User report L11: even while the hub says nothing."""
    state, _ = server
    state.silent_after = 2_000_000
    answer = desk.download(REPOSITORY)
    until(lambda: desk.work.done > 1_000_000)
    assert (desk.work.doing, desk.work.source) == (DOWNLOADING, REPOSITORY)
    assert desk.work.total == sum(len(FILES[name]) for name in set(FILES) - {"README.md", "dist.tgz"})
    desk.stop()
    assert wait(answer) == "", "stopping is no trouble"
    assert own(desk) == [(REPOSITORY, False)]
    assert desk.inventory.models[-1].done > 1_000_000


def test_a_download_that_ended_with_the_program_goes_on_in_the_next_one(
    server: tuple[FakeHub, Hub], tmp_path: Path
) -> None:
    """The window is closed in the middle: the thread dies with the process, what it wrote stays."""
    state, hub = server
    state.silent_after = 2_000_000
    first = make_desk(hub, tmp_path)
    first.download(REPOSITORY)
    part = tmp_path / "models" / REPOSITORY.replace("/", "--") / f"{MODEL_NAME}.part"
    until(lambda: part.exists() and part.stat().st_size > 1_000_000)
    first.stop()
    until(lambda: first.work == WorkState())
    state.silent_after, state.asked = -1, []
    state.quiet.set()
    second = make_desk(hub, tmp_path)
    wait(second.look())
    assert own(second) == [(REPOSITORY, False)]
    held = part.stat().st_size
    assert wait(second.download(REPOSITORY)) == ""
    assert own(second) == [(REPOSITORY, True)]
    assert [wanted for path, wanted, _ in state.asked if path.endswith(MODEL_NAME)] == [f"bytes={held}-"]
    assert (part.with_suffix("")).read_bytes() == MODEL


def test_one_piece_of_work_at_a_time(server: tuple[FakeHub, Hub], desk: ModelDesk) -> None:
    state, _ = server
    state.silent_after = 1_000_000
    answer = desk.download(REPOSITORY)
    until(lambda: desk.work.done > 0)
    for begin in (desk.download, desk.check, desk.repair):
        assert wait(begin("other/model")) == BUSY
    assert desk.work.source == REPOSITORY
    assert "being downloaded" in wait(desk.delete(REPOSITORY))
    desk.stop()
    wait(answer)
    assert wait(desk.check("other/model")) == "other/model is not on this computer."


def test_a_full_disk_is_both_numbers_and_nothing_else(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    """User report P10."""
    desk = make_desk(server[1], tmp_path, free=lambda _: 100_000_000)
    assert "needs 0.3 GB on the disk" in wait(desk.download(REPOSITORY))
    assert own(desk) == []
    assert desk.refused is None
    assert MODEL_NAME not in server[0].names()


def test_damage_is_found_and_mended(server: tuple[FakeHub, Hub], desk: ModelDesk, tmp_path: Path) -> None:
    wait(desk.download(REPOSITORY))
    path = tmp_path / "models" / REPOSITORY.replace("/", "--") / TOKENIZER_NAME
    path.write_bytes(b"X" + FILES[TOKENIZER_NAME][1:])
    wait(desk.check(REPOSITORY))
    assert desk.reports[REPOSITORY].damaged == (TOKENIZER_NAME,)
    server[0].asked.clear()
    assert wait(desk.repair(REPOSITORY)) == ""
    assert path.read_bytes() == FILES[TOKENIZER_NAME]
    assert MODEL_NAME not in server[0].names()
    assert REPOSITORY not in desk.reports, "what was said of the damaged files holds no more"


def test_a_check_can_be_stopped(desk: ModelDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.errors import Cancelled

    def endless(_model: object, progress: Callable[[str, int, int], None], cancelled: Callable[[], bool]) -> None:
        progress("check", 1, 2)
        until(cancelled)
        raise Cancelled

    monkeypatch.setattr("app.model_desk.check_model", endless)
    answer = desk.check("mini")
    until(lambda: desk.work.done == 1)
    assert desk.work.doing == CHECKING
    desk.stop()
    assert wait(answer) == ""
    assert desk.reports == {}


# ---------------------------------------------------------------- licences and tokens


def test_a_licensed_model_says_what_to_do_and_comes_with_the_token(
    server: tuple[FakeHub, Hub], desk: ModelDesk, account: FakeHub
) -> None:
    state, _ = server
    state.needs_token = state.known_token = TOKEN
    said = wait(desk.download(REPOSITORY))
    assert f"accept the licence at https://huggingface.co/{REPOSITORY}" in said
    assert "Settings, Models" in said
    assert desk.refused == Refused(REPOSITORY, signed_in=False)
    assert own(desk) == [], "a refused download leaves no model behind"
    assert wait(desk.keep_token(f"  {TOKEN}\n")) == ""
    assert desk.token.kept
    assert wait(desk.download(REPOSITORY)) == ""
    assert desk.refused is None
    assert own(desk) == [(REPOSITORY, True)]


def test_an_account_that_has_not_accepted_the_licence_is_told_so(
    server: tuple[FakeHub, Hub], desk: ModelDesk, account: FakeHub
) -> None:
    state, _ = server
    state.needs_token, state.known_token = "hf_another", TOKEN
    wait(desk.keep_token(TOKEN))
    assert "accept its licence" in wait(desk.download(REPOSITORY))
    assert desk.refused == Refused(REPOSITORY, signed_in=True)


@pytest.fixture
def account(server: tuple[FakeHub, Hub], monkeypatch: pytest.MonkeyPatch) -> FakeHub:
    """The hub's library asks the fake hub whose a token is."""
    from huggingface_hub import hf_api

    monkeypatch.setattr(hf_api.api, "endpoint", server[1].endpoint)
    return server[0]


def test_a_token_goes_to_the_hubs_own_store_and_nowhere_else(
    desk: ModelDesk, account: FakeHub, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    account.known_token = TOKEN
    caplog.set_level(logging.DEBUG)
    (tmp_path / "config.yaml").write_text("")
    settings = load(tmp_path / "config.yaml", [], forgiving=True)
    assert wait(desk.keep_token(TOKEN)) == ""
    settings.set("model.source", REPOSITORY)
    settings.flush()
    assert REPOSITORY in (tmp_path / "config.yaml").read_text()
    assert desk.token == token_state()
    assert desk.token.kept
    assert not desk.token.from_environment
    assert desk.token.file.read_text() == TOKEN
    assert stat.S_IMODE(desk.token.file.stat().st_mode) & 0o077 == 0
    keepers = {path for path in tmp_path.rglob("*") if path.is_file() and TOKEN in path.read_text(errors="replace")}
    assert {path.parent for path in keepers} == {desk.token.file.parent}, "the hub's own folder"
    assert TOKEN not in caplog.text
    assert TOKEN not in repr(vars(desk))
    assert wait(desk.forget_token()) == ""
    assert not desk.token.kept
    assert list(desk.token.file.parent.iterdir()) == []


@pytest.mark.parametrize("text", ["", "short", "hf_with space inside", "x" * 513, "hf_neuer_Schlüssel"])
def test_what_is_no_token_is_refused_before_anything_is_sent(desk: ModelDesk, account: FakeHub, text: str) -> None:
    assert "no access token" in wait(desk.keep_token(text))
    assert account.asked == []
    assert not desk.token.kept


def test_a_token_that_the_hub_refuses_is_not_kept_or_repeated(
    desk: ModelDesk, account: FakeHub, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    said = wait(desk.keep_token(TOKEN))
    assert "does not know this token" in said
    assert TOKEN not in said + caplog.text
    assert not desk.token.kept
    account.status = 503
    assert "did not answer as expected" in wait(desk.keep_token(TOKEN))


def test_without_a_network_the_token_is_not_kept(
    desk: ModelDesk, account: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import hf_api

    monkeypatch.setattr(hf_api.api, "endpoint", "http://127.0.0.1:9")
    assert "cannot be reached" in wait(desk.keep_token(TOKEN))
    assert not desk.token.kept


def test_an_error_report_holds_no_token(desk: ModelDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even when the hub's library fails in a way nobody foresaw, with the token in its words."""

    def fail(**_: object) -> None:
        raise RuntimeError(f"Authorization: Bearer {TOKEN}")

    monkeypatch.setattr("huggingface_hub.login", fail)
    answer = desk.keep_token(TOKEN)
    said = wait(answer)
    assert said.endswith(".")
    assert TOKEN not in said
    assert TOKEN not in compose(RuntimeError(said), what="window")


def test_a_token_of_the_environment_is_told_as_such(desk: ModelDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    wait(desk.look())
    assert desk.token.kept
    assert desk.token.from_environment


def test_a_call_never_waits_for_the_work(desk: ModelDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window's thread asks: whatever the disk does, the answer is a future."""
    gate = threading.Event()
    monkeypatch.setattr(desk, "_look", partial(gate.wait, 20))
    answer = desk.look()
    assert not answer.done()
    gate.set()
    assert wait(answer) == ""
