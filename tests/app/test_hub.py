"""Finding and fetching models, against a small hub on this computer that can break off, refuse and keep silent."""

from __future__ import annotations

import errno
import json
import math
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app import hub as hub_module
from app.download import SPARE_BYTES, AccessRefusedError, CutOffError, DamagedError, Hub, sentence
from app.errors import UserError
from app.hub import (
    MANIFEST,
    MIMI_NAME,
    MODEL_NAME,
    TOKENIZER_NAME,
    alone_with,
    fetch,
    is_repository,
    manifest,
    read_names,
    resolve,
)
from engine.errors import Cancelled
from tests.app.fake_hub import FILES, MODEL, REPOSITORY, REVISION, FakeHub, server

__all__ = ["server"]  # a fixture


@dataclass
class Watch:
    """Collects progress and can cancel."""

    events: list[tuple[str, int, int]] = field(default_factory=list)
    stop_at: int = -1

    def progress(self, what: str, done: int, total: int) -> None:
        self.events.append((what, done, total))

    def cancelled(self) -> bool:
        return 0 <= self.stop_at <= self.events[-1][1]


def get(
    hub: Hub,
    cache: Path,
    watch: Watch | None = None,
    free: Callable[[Path], int] = lambda _: 1 << 40,
    anew: tuple[str, ...] = (),
) -> Path:
    watch, hub = watch or Watch(), Hub(**_settings(hub))
    return fetch(REPOSITORY, watch.progress, watch.cancelled, cache=cache, hub=hub, free=free, anew=anew)


def _settings(hub: Hub) -> dict[str, Any]:
    return {"repository": hub.repository, "endpoint": hub.endpoint, "wait_s": hub.wait_s}


@contextmanager
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the network was asked")

    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", refuse)
        patch.setattr(socket.socket, "connect", refuse)
        yield


# ---------------------------------------------------------------- a download


def test_what_is_needed_comes_and_nothing_else(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    state, hub = server
    watch = Watch()
    folder = get(hub, tmp_path / "cache", watch)
    wanted = set(FILES) - {"README.md", "dist.tgz"}
    assert {path.name for path in folder.iterdir()} == wanted | {MANIFEST}
    assert all((folder / name).read_bytes() == FILES[name] for name in wanted)
    assert not {"README.md", "dist.tgz"} & set(state.names())
    total = sum(len(FILES[name]) for name in wanted)
    assert watch.events[0] == ("download", 0, total)  # the size is known before a byte has come (user report P10)
    assert watch.events[-1] == ("download", total, total)
    assert all(token == "" for _, _, token in state.asked)


def test_once_here_nothing_is_asked_of_the_network(
    server: tuple[FakeHub, Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """User report L13: no connection and no token once the files are present."""
    _, hub = server
    folder = get(hub, tmp_path / "cache")
    with no_network(monkeypatch):
        assert get(hub, tmp_path / "cache") == folder
        with pytest.raises(AssertionError, match="network was asked"):  # the guard itself works
            socket.create_connection(("127.0.0.1", 9))


def test_the_shared_cache_of_hugging_face_is_used(
    server: tuple[FakeHub, Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """User report L13, for a model that another program has brought."""
    state, hub = server
    shared = tmp_path / "shared-cache" / "models--someone--a-model"
    snapshot = shared / "snapshots" / REVISION
    snapshot.mkdir(parents=True)
    (shared / "refs").mkdir()
    (shared / "refs" / "main").write_text(REVISION)
    for name in ("config.json", "mimi_config.json", TOKENIZER_NAME, MIMI_NAME):
        (snapshot / name).write_bytes(FILES[name])
    assert get(hub, tmp_path / "one") == tmp_path / "one" / "someone--a-model"  # the weights are missing there
    (snapshot / MODEL_NAME).write_bytes(MODEL)
    state.asked.clear()
    with no_network(monkeypatch):
        assert get(hub, tmp_path / "two") == snapshot
    assert not state.asked


def test_a_broken_connection_is_continued(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    state, hub = server
    state.cuts = [len(MODEL) * 2 // 5, 100_000]
    folder = get(hub, tmp_path / "cache")
    assert (folder / MODEL_NAME).read_bytes() == MODEL
    ranges = [wanted for path, wanted, _ in state.asked if path.endswith(MODEL_NAME)]
    assert ranges == ["", f"bytes={len(MODEL) * 2 // 5}-", f"bytes={len(MODEL) * 2 // 5 + 100_000}-"]


def test_a_download_cut_at_40_per_cent_resumes_there_in_another_start(
    server: tuple[FakeHub, Hub], tmp_path: Path
) -> None:
    """User report P10."""
    state, hub = server
    cut = len(MODEL) * 2 // 5
    state.cuts = [cut] + [0] * 20
    with pytest.raises(UserError, match="cut off again and again"):
        get(hub, tmp_path / "cache")
    state.cuts, state.asked = [], []
    watch = Watch()
    folder = get(hub, tmp_path / "cache", watch)
    assert (folder / MODEL_NAME).read_bytes() == MODEL
    assert [wanted for path, wanted, _ in state.asked if path.endswith(MODEL_NAME)] == [f"bytes={cut}-"]
    assert MIMI_NAME not in state.names()
    assert watch.events[0][1] >= cut


def test_a_hub_that_knows_no_ranges_is_begun_anew(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    state, hub = server
    state.cuts, state.ranges = [len(MODEL) // 2], False
    watch = Watch()
    folder = get(hub, tmp_path / "cache", watch)
    assert (folder / MODEL_NAME).read_bytes() == MODEL
    assert max(done for _, done, _ in watch.events) == watch.events[-1][2]


def test_parts_of_another_revision_are_not_continued(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    state, hub = server
    state.cuts = [len(MODEL) // 2] + [0] * 20
    with pytest.raises(UserError):
        get(hub, tmp_path / "cache")
    state.cuts, state.asked, state.revision = [], [], "f" * 40
    get(hub, tmp_path / "cache")
    assert all(wanted == "" for _, wanted, _ in state.asked)


def test_damaged_bytes_are_noticed_and_fetched_anew(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    state, hub = server
    state.files[MODEL_NAME], state.published[MODEL_NAME] = MODEL[:-1] + b"\x00", MODEL
    with pytest.raises(UserError, match="arrived damaged"):
        get(hub, tmp_path / "cache")
    state.files[MODEL_NAME] = MODEL
    assert (get(hub, tmp_path / "cache") / MODEL_NAME).read_bytes() == MODEL


def test_damage_in_a_small_file_is_noticed_too(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    """The hub gives these no SHA-256, but git's own name."""
    state, hub = server
    state.published["config.json"] = state.files["config.json"].replace(b"64", b"65")
    with pytest.raises(UserError, match=r"arrived damaged \(config.json\)"):
        get(hub, tmp_path / "cache")


def test_what_is_found_damaged_later_is_fetched_anew_and_nothing_else(
    server: tuple[FakeHub, Hub], tmp_path: Path
) -> None:
    state, hub = server
    folder = get(hub, tmp_path / "cache")
    (folder / TOKENIZER_NAME).write_bytes(b"x" * len(FILES[TOKENIZER_NAME]))
    outside = tmp_path / "cache" / "not-of-the-model"
    outside.write_text("stays")
    state.asked.clear()
    get(hub, tmp_path / "cache", anew=(TOKENIZER_NAME, "../not-of-the-model"))
    assert (folder / TOKENIZER_NAME).read_bytes() == FILES[TOKENIZER_NAME]
    assert outside.read_text() == "stays"
    fetched = [name for name in state.names() if name in FILES]
    assert fetched == ["config.json", TOKENIZER_NAME], "config.json is always asked for its names"


def test_one_download_of_a_model_at_a_time(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    """Two would write into one another's part: the window's page beside a load, or two windows."""
    state, hub = server
    with alone_with(tmp_path / "cache" / "someone--a-model"), pytest.raises(UserError, match="downloaded already"):
        get(hub, tmp_path / "cache")
    assert not state.asked
    get(hub, tmp_path / "cache")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"files": {}}', '{"files": {"../../x": 1}}', '{"files": {"a": "1"}}', '{"files": []}',
             '{"files": {"a": 1}, "checksums": []}', "[" * 100_000],
)  # fmt: skip
def test_a_manifest_that_cannot_be_believed_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    assert manifest(tmp_path) == {}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_manifest_that_is_a_pipe_or_has_no_end_counts_as_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / MANIFEST)
    assert manifest(tmp_path) == {}
    (tmp_path / MANIFEST).unlink()
    with (tmp_path / MANIFEST).open("wb") as file:
        file.truncate(1 << 40)
    assert manifest(tmp_path) == {}


def test_cancelling_keeps_the_part(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    """User report L11: even while the hub says nothing; what has come is kept."""
    state, hub = server
    state.silent_after = 2_000_000
    with pytest.raises(Cancelled):
        get(hub, tmp_path / "cache", Watch(stop_at=2_000_000))
    part = tmp_path / "cache" / "someone--a-model" / f"{MODEL_NAME}.part"
    size = part.stat().st_size
    assert size >= 1_000_000
    state.silent_after, state.asked = -1, []
    state.quiet.set()
    get(hub, tmp_path / "cache")
    assert (f"/{REPOSITORY}/resolve/{REVISION}/{MODEL_NAME}", f"bytes={size}-", "") in state.asked


def test_too_little_room_is_refused_before_the_start(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    """User report P10: both numbers, nothing written."""
    state, hub = server
    with pytest.raises(UserError, match=r"needs 0\.3 GB on the disk, but .* has 0\.1 GB free"):
        get(hub, tmp_path / "cache", free=lambda _: 100_000_000)
    assert MODEL_NAME not in state.names()
    assert not list((tmp_path / "cache" / "someone--a-model").iterdir())
    exact = sum(len(FILES[name]) for name in set(FILES) - {"README.md", "dist.tgz"}) + SPARE_BYTES
    with pytest.raises(UserError):
        get(hub, tmp_path / "cache", free=lambda _: exact - 1)
    get(hub, tmp_path / "cache", free=lambda _: exact)


# ---------------------------------------------------------------- refusals


def test_a_token_is_sent_only_when_it_is_needed(
    server: tuple[FakeHub, Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, hub = server
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    get(hub, tmp_path / "open")
    assert all(token == "" for _, _, token in state.asked)
    state.needs_token, state.asked = "hf_secret", []
    folder = get(hub, tmp_path / "gated")
    assert (folder / MODEL_NAME).read_bytes() == MODEL
    assert state.asked[0][2] == ""
    assert all(token == "Bearer hf_secret" for _, _, token in state.asked[1:])


def test_each_trouble_has_its_own_sentence(
    server: tuple[FakeHub, Hub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """User report P9: 401, 403, 404, a server error, no answer in time, no network, offline, disk full, cut off."""
    state, hub = server
    said = []
    for status in (401, 403, 404, 503):
        state.status = status
        with pytest.raises(UserError) as refusal:
            get(hub, tmp_path / "cache")
        said.append(str(refusal.value))
        assert isinstance(refusal.value, AccessRefusedError) == (status in (401, 403))
        assert getattr(refusal.value, "signed_in", None) == {401: False, 403: True}.get(status)
    state.status = 0
    assert "hf auth login" in said[0]
    assert "accept its licence" in said[1]
    assert "check the name" in said[2]
    assert "503" in said[3]

    with socket.socket() as deaf:  # accepts a connection and never answers
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        with pytest.raises(UserError) as refusal:
            get(Hub(REPOSITORY, f"http://127.0.0.1:{deaf.getsockname()[1]}", wait_s=0.2), tmp_path / "cache")
        port = deaf.getsockname()[1]
    timed_out = str(refusal.value)
    with pytest.raises(UserError) as refusal:  # nobody listens there any more
        get(Hub(REPOSITORY, f"http://127.0.0.1:{port}", wait_s=0.2), tmp_path / "cache")
    assert str(refusal.value) == timed_out
    assert "internet connection" in timed_out

    class FullDisk(Hub):
        @contextmanager
        def open(self, name: str, revision: str, start: int) -> Iterator[tuple[int, Iterator[bytes]]]:
            if name != MODEL_NAME:
                with super().open(name, revision, start) as opened:
                    yield opened
                return

            def chunks() -> Iterator[bytes]:
                yield b"x"
                raise OSError(errno.ENOSPC, "No space left on device")

            yield 0, chunks()

    watch = Watch()
    with pytest.raises(UserError) as refusal:
        fetch(
            REPOSITORY, watch.progress, watch.cancelled, cache=tmp_path / "full", hub=FullDisk(**_settings(hub)),
            free=lambda _: 1 << 40,
        )  # fmt: skip
    assert "disk is full" in str(refusal.value)
    said += [timed_out, str(refusal.value), str(sentence(CutOffError("x"), REPOSITORY))]
    said += [str(sentence(DamagedError("x"), REPOSITORY)), str(sentence(PermissionError(13, "Denied"), REPOSITORY))]
    from huggingface_hub.errors import OfflineModeIsEnabled

    said.append(str(sentence(OfflineModeIsEnabled(), REPOSITORY)))
    assert len(set(said)) == len(said) == 10
    assert all(REPOSITORY in text and "\n" not in text and text.endswith(".") for text in said)
    assert sentence(ValueError("a programmer's mistake"), REPOSITORY) is None


ENTRY = {"rfilename": "config.json", "size": 2}
INFO = {"id": REPOSITORY, "sha": REVISION, "siblings": [ENTRY]}


@pytest.mark.parametrize(
    "listing",
    [
        b"<html>Log in to the hotel's network.</html>", b"", b"null", b"[]", b"[" * 200_000, b"\xff\xfe",
        *(
            json.dumps({**INFO, **change}).encode()
            for change in (
                {"siblings": 3}, {"siblings": ["a"]}, {"siblings": [{"size": 3}]}, {"sha": None}, {"sha": "../../x"},
                {"sha": "a\r\nX: y"}, {"siblings": [{**ENTRY, "size": -1}]}, {"siblings": [{**ENTRY, "size": 1 << 60}]},
                {"siblings": [{**ENTRY, "size": "many"}]}, {"siblings": [{**ENTRY, "size": math.inf}]},
                {"siblings": [{**ENTRY, "rfilename": [1]}]}, {"siblings": [{**ENTRY, "lfs": 3}]}, {"createdAt": 5},
            )
        ),
    ],
    ids=lambda listing: repr(listing[:60]),
)  # fmt: skip
def test_what_answers_in_the_hubs_place_is_said(server: tuple[FakeHub, Hub], tmp_path: Path, listing: bytes) -> None:
    """The login page of a network, a proxy, or a stranger: one sentence, nothing written, and the next try works."""
    state, hub = server
    state.listing = listing
    with pytest.raises(UserError, match="something else, such as a network's login page") as refusal:
        get(hub, tmp_path / "cache")
    assert "\n" not in str(refusal.value)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock"]
    state.listing = None
    assert (get(hub, tmp_path / "cache") / MODEL_NAME).read_bytes() == MODEL


@pytest.mark.parametrize("name", ["config.json", TOKENIZER_NAME, MODEL_NAME])
def test_a_file_that_does_not_end_is_left_off(server: tuple[FakeHub, Hub], tmp_path: Path, name: str) -> None:
    """More bytes than the list said fill neither the memory nor the disk."""
    state, hub = server
    state.surplus[name] = 64 << 20
    with pytest.raises(UserError, match=r"too large to be a configuration|arrived damaged"):
        get(hub, tmp_path / "cache")
    assert state.sent < 16 << 20, "the connection is ended; what is under way is the system's"
    assert not list((tmp_path / "cache").rglob(f"{name}*"))
    state.surplus.clear()
    assert (get(hub, tmp_path / "cache") / name).read_bytes() == FILES[name]


def test_a_repository_without_a_model_is_named(server: tuple[FakeHub, Hub], tmp_path: Path) -> None:
    state, hub = server
    del state.files[MODEL_NAME], state.files[TOKENIZER_NAME]
    with pytest.raises(UserError, match=f"no {TOKENIZER_NAME} and no {MODEL_NAME}"):
        get(hub, tmp_path / "cache")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (b"{", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[]", "not a JSON object"),
        (b'{"moshi_name": "../../x"}', "no file name"),
        (b'{"mimi_name": "/etc/passwd"}', "no file name"),
        (b'{"tokenizer_name": 5}', "no file name"),
        (b'{"mimi_config_name": "a\\\\b"}', "no file name"),
    ],
)
def test_names_from_a_strangers_config_are_checked(config: bytes, said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_names(config)


def test_names_default_to_the_published_ones() -> None:
    assert read_names(b"{}").needed() == [TOKENIZER_NAME, MIMI_NAME, MODEL_NAME]
    assert read_names(b'{"moshi_name": "model.v2.safetensors"}').model == "model.v2.safetensors"


# ---------------------------------------------------------------- what a source means


def test_a_source_is_a_folder_or_mini_or_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()

    def fetched(repository: str, *_: Any) -> Path:
        return Path("fetched", repository)

    monkeypatch.setattr(hub_module, "fetch", fetched)
    monkeypatch.setattr(hub_module, "project_file", lambda name: Path("project", name))
    monkeypatch.chdir(tmp_path)
    assert resolve("mini", watch.progress, watch.cancelled) == Path("project", "assets/mini")
    assert resolve(str(tmp_path), watch.progress, watch.cancelled) == tmp_path
    assert resolve("kyutai/moshiko-pytorch-bf16", watch.progress, watch.cancelled) == Path(
        "fetched", "kyutai/moshiko-pytorch-bf16"
    )
    (tmp_path / "kyutai" / "mine").mkdir(parents=True)
    assert resolve("kyutai/mine", watch.progress, watch.cancelled) == Path("kyutai/mine")
    for absent in ("./kyutai/x/y", str(tmp_path / "absent"), "~/absent-model", "moshi", "", "a/../b"):
        with pytest.raises(UserError, match="no model folder"):
            resolve(absent, watch.progress, watch.cancelled)


@pytest.mark.parametrize(
    "source", ["a/b/c", "../b", "a/..", "/a", "a/", "a b/c", "a\\b", "a/b\n", "http://x/y", "a/b?c"]
)
def test_what_is_no_repository(source: str) -> None:
    assert not is_repository(source)
    with pytest.raises(UserError, match="not a Hugging Face id"):
        fetch(source, lambda *_: None, lambda: False)
