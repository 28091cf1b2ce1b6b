"""What is on this computer, what is deleted and what never is, and whether a model is what was published."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from app.errors import UserError
from app.hub import MANIFEST, MODEL_NAME, TOKENIZER_NAME, alone_with
from app.model_check import CheckReport, check_model
from app.model_store import FOLDER, OWN, SHARED, ModelStore, StoredModel
from app.voice_archive import unpacked_folder
from engine.errors import Cancelled
from tests.app.fake_hub import FILES, REVISION
from tests.checkpoints import write_checkpoint

SOURCE = "someone/a-model"
POSIX = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


def downloaded(cache: Path, source: str = SOURCE, missing: str = "", checksums: dict[str, str] | None = None) -> Path:
    """As a download of FILES leaves it. missing: the file of which only half has come."""
    folder = cache / "models" / source.replace("/", "--")
    folder.mkdir(parents=True)
    for name, content in FILES.items():
        whole = name != missing
        (folder / (name if whole else f"{name}.part")).write_bytes(content if whole else content[: len(content) // 2])
    note = {"repository": source, "revision": REVISION, "files": {name: len(body) for name, body in FILES.items()}}
    (folder / MANIFEST).write_text(json.dumps({**note, "checksums": checksums or {}}))
    return folder


def converted(cache: Path, folder: Path, precision: str = "int8") -> Path:
    from engine.file_identity import converted_name, identity

    path = cache / "converted" / converted_name(precision, identity(folder / MODEL_NAME))
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"w" * 1000)
    return path


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "cache", shared=tmp_path / "shared")


def own(store: ModelStore) -> list[StoredModel]:
    return [model for model in store.inventory().models if model.place == OWN]


# ---------------------------------------------------------------- the list


def test_an_empty_computer_has_the_bundled_model_alone(store: ModelStore) -> None:
    inventory = store.inventory(("mini", "no/where", "/no/where"))
    assert [(model.source, model.deletable, model.whole) for model in inventory.models] == [("mini", False, True)]
    assert inventory.free > 0, "told although the folder does not exist yet"
    assert not store.models_folder.exists(), "looking makes nothing"


def test_downloads_parts_and_converted_files_are_told_apart(store: ModelStore, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder = downloaded(cache)
    variants = [converted(cache, folder, precision) for precision in ("int4", "fp8-row")]
    gone = cache / "converted" / f"int8-{'0' * 20}.safetensors"
    gone.write_bytes(b"w" * 500)
    half = downloaded(cache, "other/half", missing=MODEL_NAME)
    (cache / "models" / "someone--refused").mkdir()
    (cache / "models" / "notes.txt").write_text("not a model")
    (cache / "models" / ".someone--a-model.lock").write_text("")
    inventory = store.inventory()
    part, whole = (model for model in inventory.models if model.place == OWN)
    assert (part.source, part.whole) == ("other/half", False)
    assert part.done == sum(map(len, FILES.values())) - len(FILES[MODEL_NAME]) // 2
    assert part.total == sum(map(len, FILES.values()))
    assert part.folder == half
    assert (whole.source, whole.whole, whole.folder) == (SOURCE, True, folder)
    assert whole.size == sum(path.stat().st_size for path in folder.iterdir())
    assert sorted((each.precision, each.size, each.path) for each in whole.variants) == sorted(
        (precision, 1000, path) for precision, path in zip(("int4", "fp8-row"), variants, strict=True)
    )
    assert [each.name for each in inventory.orphans] == [gone.name]


@POSIX
def test_models_of_others_are_listed_and_are_not_ours(store: ModelStore, tmp_path: Path) -> None:
    shared = shared_model(tmp_path)
    mine = write_checkpoint(tmp_path / "my folder")
    rows = {model.place: model for model in store.inventory((str(mine), "mini")).models}
    assert rows[SHARED].source == SOURCE
    assert rows[SHARED].folder == shared
    assert rows[SHARED].size >= len(FILES[MODEL_NAME]), "the sizes behind the links"
    assert rows[FOLDER].source == str(mine)
    for source in (SOURCE, str(mine), "mini", "", "..", "../shared", f"{tmp_path}/my folder"):
        with pytest.raises(UserError, match="no downloaded model"):
            store.delete(source)
    assert shared.is_dir()
    assert (mine / MODEL_NAME).is_file()


@POSIX
def test_the_whole_one_of_two_is_the_one_that_counts(store: ModelStore, tmp_path: Path) -> None:
    downloaded(tmp_path / "cache", missing=MODEL_NAME)
    shared_model(tmp_path)
    found = store.inventory().find(SOURCE)
    assert found is not None
    assert found.place == SHARED
    store.delete(SOURCE)
    assert own(store) == []
    assert store.inventory().find(SOURCE) == found


def shared_model(tmp_path: Path, files: dict[str, bytes] | None = None) -> Path:
    """As Hugging Face's own cache keeps a model: blobs named by their checksums, and links to them."""
    import hashlib

    repository = tmp_path / "shared" / f"models--{SOURCE.replace('/', '--')}"
    snapshot = repository / "snapshots" / REVISION
    snapshot.mkdir(parents=True)
    (repository / "blobs").mkdir()
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(REVISION)
    for name, content in (files or FILES).items():
        git = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        blob = hashlib.sha256(content).hexdigest() if name.endswith(".safetensors") else git
        (repository / "blobs" / blob).write_bytes(content)
        (snapshot / name).symlink_to(f"../../blobs/{blob}")
    return snapshot


# ---------------------------------------------------------------- deleting


def test_deleting_takes_the_model_and_what_was_made_from_it(store: ModelStore, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder, other = downloaded(cache), downloaded(cache, "other/model")
    (other / MODEL_NAME).write_bytes(b"others" + FILES[MODEL_NAME][6:])
    mine, theirs = converted(cache, folder), converted(cache, other)
    voices = unpacked_folder(folder / "voices.tgz", cache / "voices")
    voices.mkdir(parents=True)
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert store.delete(SOURCE) == size + 1000
    assert not folder.exists()
    assert not mine.exists()
    assert not voices.exists()
    assert theirs.exists()
    assert [model.source for model in own(store)] == ["other/model"]
    assert store.delete_variant(theirs.name) == 1000
    assert own(store)[0].variants == ()


def test_a_download_under_way_is_not_deleted(store: ModelStore, tmp_path: Path) -> None:
    folder = downloaded(tmp_path / "cache", missing=MODEL_NAME)
    with alone_with(folder), pytest.raises(UserError, match="being downloaded"):
        store.delete(SOURCE)
    assert folder.is_dir()
    store.delete(SOURCE)
    assert not folder.exists()


@POSIX
def test_links_lead_no_deletion_out_of_the_cache(store: ModelStore, tmp_path: Path) -> None:
    outside = downloaded(tmp_path / "elsewhere")
    precious = tmp_path / "precious.safetensors"
    precious.write_bytes(b"mine")
    models, twins = tmp_path / "cache" / "models", tmp_path / "cache" / "converted"
    models.mkdir(parents=True)
    twins.mkdir()
    (models / "someone--a-model").symlink_to(outside)
    (twins / "int8-abc.safetensors").symlink_to(precious)
    with pytest.raises(UserError, match="leads out"):
        store.delete(SOURCE)
    with pytest.raises(UserError, match="leads out"):
        store.delete_variant("int8-abc.safetensors")
    inner = downloaded(tmp_path / "cache", "other/model")
    (inner / "link").symlink_to(tmp_path / "elsewhere")
    store.delete("other/model")
    assert outside.is_dir()
    assert (outside / MODEL_NAME).is_file()
    assert precious.read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["", ".", "..", "../models/x", "/etc/passwd", "none.safetensors", "a\0b"])
def test_names_lead_nowhere(store: ModelStore, name: str) -> None:
    with pytest.raises(UserError, match="no converted model"):
        store.delete_variant(name)
    with pytest.raises(UserError, match="no downloaded model"):
        store.delete(name)


def test_what_cannot_be_deleted_is_a_sentence_and_no_model_any_more(
    store: ModelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloaded(tmp_path / "cache")

    def fails(*_: Any, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("app.model_store.shutil.rmtree", fails)
    with pytest.raises(UserError, match=r"could not be deleted \(Permission denied\)"):
        store.delete(SOURCE)
    assert not own(store)[0].whole, "half a model is never taken for a whole one"


# ---------------------------------------------------------------- checking


def checked(model: StoredModel) -> CheckReport:
    told: list[tuple[str, int, int]] = []
    report = check_model(model, lambda *step: told.append(step), lambda: False)
    assert told[0][1] == 0
    assert told[-1][1] == told[-1][2], "all that was announced was read"
    return report


def checkpoint(cache: Path) -> Path:
    """A model that can run, as a download leaves it, checksums and all."""
    import hashlib

    folder = write_checkpoint(cache / "models" / "someone--a-model", config={"trained": False})
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    note = {
        "revision": REVISION,
        "files": {name: len(content) for name, content in files.items()},
        "checksums": {name: f"sha256:{hashlib.sha256(content).hexdigest()}" for name, content in files.items()},
    }
    (folder / MANIFEST).write_text(json.dumps(note))
    return folder


def test_a_sound_model_is_called_sound_without_the_network(
    store: ModelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint(tmp_path / "cache")

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    report = checked(own(store)[0])
    assert report.sound
    assert report == CheckReport(files=5, compared=5)


def test_one_changed_byte_is_found(store: ModelStore, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "cache")
    for name in (MODEL_NAME, TOKENIZER_NAME):
        content = bytearray((folder / name).read_bytes())
        content[-1] ^= 1
        (folder / name).write_bytes(content)
    report = checked(own(store)[0])
    assert set(report.damaged) == {MODEL_NAME, TOKENIZER_NAME}
    assert not report.sound


def test_a_file_that_is_gone_or_cut_short_is_named(store: ModelStore, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "cache")
    model = own(store)[0]
    (folder / "mimi_config.json").unlink()
    with (folder / MODEL_NAME).open("r+b") as file:
        file.truncate(1000)
    assert set(checked(model).damaged) == {MODEL_NAME, "mimi_config.json"}


def test_without_checksums_the_tensors_are_compared(store: ModelStore, tmp_path: Path) -> None:
    """A folder of the user's, and a download of an earlier version of the program."""
    folder = checkpoint(tmp_path / "cache")
    note = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**note, "checksums": {MODEL_NAME: "md5:0", TOKENIZER_NAME: 7}}))
    assert checked(own(store)[0]) == CheckReport(files=5, compared=0)
    mine = write_checkpoint(tmp_path / "mine", lm={"num_layers": 2})
    config = json.loads((mine / "config.json").read_text())
    (mine / "config.json").write_text(json.dumps({**config, "num_layers": 4}))
    model = store.inventory((str(mine),)).find(str(mine))
    assert model is not None
    report = checked(model)
    assert "does not fit its configuration" in report.fault
    assert not report.sound


def test_a_converted_file_that_does_not_fit_is_named(store: ModelStore, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "cache")
    path = converted(tmp_path / "cache", folder)
    assert checked(own(store)[0]).unusable == (path.name,)


@POSIX
def test_the_shared_cache_is_compared_by_the_names_of_its_files(store: ModelStore, tmp_path: Path) -> None:
    whole = write_checkpoint(tmp_path / "plain")
    snapshot = shared_model(tmp_path, {path.name: path.read_bytes() for path in whole.iterdir()})
    (model,) = (model for model in store.inventory().models if model.place == SHARED)
    assert checked(model) == CheckReport(files=5, compared=5)
    blob = (snapshot / "config.json").resolve()
    blob.write_bytes(blob.read_bytes() + b" ")
    assert checked(model).damaged == ("config.json",)


def test_a_check_can_be_cancelled(store: ModelStore, tmp_path: Path) -> None:
    checkpoint(tmp_path / "cache")
    steps: list[int] = []
    with pytest.raises(Cancelled):
        check_model(own(store)[0], lambda _what, done, _total: steps.append(done), lambda: True)
    assert len(steps) == 2, "the first block ends it"
