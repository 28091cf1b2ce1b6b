"""Which voices are listed, what a name may reach, what a sound file becomes, and that a choice reaches the engine."""

from __future__ import annotations

import gzip
import io
import math
import struct
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
import soundfile
import torch

from app.errors import UserError
from app.messages import PersonaChoice
from app.voice_archive import unpacked
from app.voices import VoiceFolder, read_voice, voice_files, voice_named
from engine.duplex import Duplex
from engine.errors import EngineError
from tests.checkpoints import write_checkpoint

STOCK = tuple(
    f"{kind}{i}.pt" for kind, count in (("NATF", 4), ("NATM", 4), ("VARF", 5), ("VARM", 5)) for i in range(count)
)


def speech(seconds: float, rate: int = 24000, seed: int = 0) -> np.ndarray:
    """Something as uneven as speech: noise under a slow envelope."""
    count = round(seconds * rate)
    noise = np.random.default_rng(seed).standard_normal(count) * 0.05
    return (noise * (1.2 + np.sin(np.arange(count) * 14 / rate))).astype(np.float32)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Duplex:
    return Duplex.load(
        write_checkpoint(tmp_path_factory.mktemp("model"), lm={"context": 400}), device="cpu", precision="float32"
    )


def folder_of_voices(tmp_path: Path, engine: Any) -> VoiceFolder:
    voices = VoiceFolder(tmp_path / "own", tmp_path / "cache")
    voices.use_engine(engine)
    return voices


# ---------------------------------------------------------------- listing


def test_a_folder_is_scanned(tmp_path: Path) -> None:
    """User report V2: 18 stock, 2 own, a text file and a sub-folder: 20 listed, sorted."""
    for name in STOCK:
        (tmp_path / name).write_bytes(b"x")
    for name in ("my voice.wav", "Anna.flac", "notes.txt", ".hidden.pt"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "folder.pt").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "inner.pt").write_bytes(b"x")
    assert list(voice_files([tmp_path])) == ["Anna.flac", "my voice.wav", *STOCK]
    assert voice_files([tmp_path / "absent"]) == {}


@pytest.mark.parametrize("name", ["my voice.wav", "my_voice.pt", "Voix é.pt", "声.WAV"])
def test_any_usual_name_can_be_chosen(tmp_path: Path, name: str) -> None:
    """User report U10."""
    (tmp_path / name).write_bytes(b"x")
    assert list(voice_files([tmp_path])) == [name]
    assert voice_named(name, [tmp_path]) == tmp_path / name
    assert voice_named(Path(name).stem, [tmp_path]) == tmp_path / name


def test_the_users_voices_come_first_and_short_names_must_be_unique(tmp_path: Path) -> None:
    for place in ("own/NATF0.pt", "model/NATF0.pt", "model/twice.pt", "model/twice.wav"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_bytes(b"x")
    folders = [tmp_path / "own", tmp_path / "model"]
    assert voice_named("NATF0", folders) == tmp_path / "own" / "NATF0.pt"
    assert voice_named("twice", folders) is None
    assert voice_named("twice.wav", folders) == tmp_path / "model" / "twice.wav"


@pytest.mark.parametrize(
    "name",
    [
        "../x.pt",
        "../../x.pt",
        "sub/inner.pt",
        "C:\\x.pt",
        "..\\x.pt",
        "\\\\server\\share\\x.pt",
        "",
        ".",
        "..",
        "a\0.pt",
    ],
)
def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    """User report S3."""
    voices = tmp_path / "voices"
    (voices / "sub").mkdir(parents=True)
    for path in (tmp_path / "x.pt", voices / "a.pt", voices / "sub" / "inner.pt"):
        path.write_bytes(b"x")
    assert voice_named(name, [voices]) is None
    assert voice_named(str(tmp_path / "x.pt"), [voices]) is None
    assert voice_named(str(voices / "a.pt"), [voices]) is None


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_out_of_the_folder_is_no_voice(tmp_path: Path) -> None:
    """User report S3."""
    voices = tmp_path / "voices"
    voices.mkdir()
    (tmp_path / "x.pt").write_bytes(b"x")
    (voices / "real.pt").write_bytes(b"x")
    (voices / "out.pt").symlink_to(tmp_path / "x.pt")
    (voices / "broken.pt").symlink_to(voices / "absent.pt")
    (voices / "loop.pt").symlink_to(voices / "loop.pt")
    (voices / "alias.pt").symlink_to(voices / "real.pt")
    assert list(voice_files([voices])) == ["alias.pt", "real.pt"]


# ---------------------------------------------------------------- sound files


def write(path: Path, pcm: np.ndarray, rate: int, subtype: str) -> Path:
    soundfile.write(path, pcm, rate, subtype=subtype)
    return path


@pytest.mark.parametrize(
    ("rate", "channels", "subtype", "seconds"),
    [(44100, 1, "PCM_16", 3.01), (48000, 2, "FLOAT", 2.0), (8000, 1, "PCM_U8", 1.5), (24000, 1, "PCM_24", 0.4)],
)
def test_usual_formats_become_24_khz_mono_of_one_loudness(
    tmp_path: Path, rate: int, channels: int, subtype: str, seconds: float
) -> None:
    """User report V8: frames = ceil(t x 12.5)."""
    import pyloudnorm

    pcm = np.stack([speech(seconds, rate, seed=channel) for channel in range(channels)], axis=1)
    voice = read_voice(write(tmp_path / "voice.wav", pcm, rate, subtype))
    assert voice.dtype == np.float32
    assert voice.ndim == 1
    assert math.ceil(len(voice) / 1920) == math.ceil(round(seconds * rate) / rate * 12.5)
    assert pyloudnorm.Meter(24000).integrated_loudness(voice.astype(np.float64)) == pytest.approx(-24, abs=0.05)


@pytest.mark.parametrize(
    ("samples", "said"), [(0, "no sound"), (1, "at least 0.4 s"), (9599, "at least 0.4 s"), (24000, "is silent")]
)
def test_too_little_is_refused(tmp_path: Path, samples: int, said: str) -> None:
    """User report V8."""
    with pytest.raises(UserError, match=said):
        read_voice(write(tmp_path / "voice.wav", np.zeros(samples, np.float32), 24000, "PCM_16"))


def test_what_is_no_sound_is_refused(tmp_path: Path) -> None:
    """User report V8: a header only, and no sound file at all."""
    header = b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 24000, 48000, 2, 16)
    for content in (header, b"RIFF", b"<html>", b""):
        (tmp_path / "voice.wav").write_bytes(content)
        with pytest.raises(UserError, match=r"voice\.wav"):
            read_voice(tmp_path / "voice.wav")


# ---------------------------------------------------------------- from a choice to the engine


def test_nothing_chosen_is_no_prompt(tmp_path: Path, engine: Duplex) -> None:
    """User report V10."""
    voices = folder_of_voices(tmp_path, engine)
    for choice in (PersonaChoice(), PersonaChoice("", "   "), PersonaChoice(" ", "\n")):
        assert voices.persona(engine, choice) == (None, 0)


def test_the_text_that_is_primed_is_the_text_that_was_written(tmp_path: Path, engine: Duplex) -> None:
    """User report V12: token ids compared with the tokenizer's own, and their count with the count shown."""
    voices = VoiceFolder(tmp_path / "own", tmp_path / "cache")
    assert voices.count_tokens("hello") is None
    voices.use_engine(engine)
    assert engine.files is not None
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(engine.files.tokenizer))
    expected = tokenizer.encode("<system> you are a wise and friendly teacher. <system>")
    persona = voices.persona(engine, PersonaChoice("", " you are a wise and friendly teacher.\n"))
    assert persona.prompt.text_tokens == tuple(expected)
    assert persona.frames == len(expected) + 12
    assert persona.prompt.tokens[0, 6 : 6 + len(expected)].tolist() == expected
    assert voices.count_tokens("you are a wise and friendly teacher.") == len(expected)
    assert voices.count_tokens("  ") == 0


def test_a_sound_file_is_heard_through_the_codec_once(tmp_path: Path, engine: Duplex) -> None:
    voices = folder_of_voices(tmp_path, engine)
    (tmp_path / "own").mkdir()
    path = write(tmp_path / "own" / "anna.wav", speech(1.0), 24000, "PCM_16")
    encoded: list[int] = []

    class Counting:
        files, lm_config, prompt_codes = engine.files, engine.lm_config, engine.prompt_codes

        def encode_voice(self, pcm: np.ndarray) -> list[list[int]]:
            encoded.append(len(pcm))
            return engine.encode_voice(pcm)

    counting = Counting()
    persona = voices.persona(counting, PersonaChoice("anna.wav"))
    assert persona.frames == 13 + 12
    own = [frame[0] for frame in engine.encode_voice(read_voice(path))]
    assert persona.prompt.tokens[1, 1:13].tolist() == own[1:]  # the semantic code is not delayed
    assert voices.persona(counting, PersonaChoice("anna")).prompt.prefix_key == persona.prompt.prefix_key
    assert encoded == [24000]
    write(path, speech(1.5, seed=1), 24000, "PCM_16")
    assert voices.persona(counting, PersonaChoice("anna")).frames == 19 + 12
    assert len(encoded) == 2


def talk(engine: Duplex, prompt: Any) -> list[tuple[int | None, tuple[int, ...] | None]]:
    engine.set_sampling(type(engine.default_sampling)(temperature=0.0, text_temperature=0.0))
    engine.reset(seed=1)
    engine.prime(prompt)
    frames = speech(1.6, seed=3).reshape(-1, 1920)
    return [(answer.text, answer.own) for answer in map(engine.step, frames)]


def test_a_recording_and_its_stored_voice_give_the_same_talk(tmp_path: Path, engine: Duplex) -> None:
    voices = folder_of_voices(tmp_path, engine)
    (tmp_path / "own").mkdir()
    write(tmp_path / "own" / "anna.wav", speech(1.0), 24000, "PCM_16")
    text = "you enjoy having a good talk."
    heard = voices.persona(engine, PersonaChoice("anna.wav", text)).prompt
    # What the reference would save after the voice phase: inputs of positions 0..11 and a ring of four columns.
    ring = torch.full((17, 4), -2)
    for position in range(10, 14):
        ring[:, position % 4] = heard.tokens[:, position]
    ring[torch.tensor(engine.lm_config.delays) == 0, 13 % 4] = -2
    embeddings = engine.lm.temporal.embed(heard.tokens[None, :, :12])[0][:, None, None]
    torch.save({"embeddings": embeddings.clone(), "cache": ring[None]}, tmp_path / "own" / "stored.pt")
    stored = voices.persona(engine, PersonaChoice("stored.pt", text))
    assert stored.frames == heard.frames
    wanted = talk(engine, heard)
    assert talk(engine, stored.prompt) == wanted
    assert wanted != talk(engine, voices.persona(engine, PersonaChoice("", text)).prompt)


def test_the_voices_of_the_model_are_listed_with_the_users(tmp_path: Path, engine: Duplex) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.wav").write_bytes(b"x")
    voices = VoiceFolder(tmp_path / "own", tmp_path / "cache")
    assert voices.names() == ("mine.wav",)

    class Loaded:
        lm_config = engine.lm_config
        files = None

    for name in ("packed", "open", "damaged"):
        folder = write_checkpoint(tmp_path / name)
        Loaded.files = type(engine.files)(folder, folder, folder, engine.files.tokenizer)  # type: ignore[misc,union-attr]
        if name == "packed":
            archive(folder / "voices.tgz", {"voices/NATF0.pt": b"a", "voices/NATM1.pt": b"b"})
        elif name == "open":
            (folder / "voices").mkdir()
            (folder / "voices" / "VARF2.pt").write_bytes(b"c")
        else:
            (folder / "voices.tgz").write_bytes(b"not an archive")
        voices.use_engine(Loaded())
        expected = {"packed": ("mine.wav", "NATF0.pt", "NATM1.pt"), "open": ("mine.wav", "VARF2.pt")}
        assert voices.names() == expected.get(name, ("mine.wav",))


def test_a_voice_that_is_gone_stops_the_start(tmp_path: Path, engine: Duplex) -> None:
    """User report V4: never another voice in its place."""
    voices = folder_of_voices(tmp_path, engine)
    (tmp_path / "own").mkdir()
    path = write(tmp_path / "own" / "anna.wav", speech(1.0), 24000, "PCM_16")
    assert voices.names() == ("anna.wav",)
    path.unlink()
    with pytest.raises(UserError, match=r'no voice "anna\.wav"; the voices here are: none'):
        voices.persona(engine, PersonaChoice("anna.wav"))


def test_a_path_of_the_users_own_is_taken(tmp_path: Path, engine: Duplex) -> None:
    voices = folder_of_voices(tmp_path, engine)
    path = write(tmp_path / "Ünd so.wav", speech(0.5), 24000, "PCM_16")
    assert voices.find(str(path)) == path
    (tmp_path / "notes.txt").write_bytes(b"x")
    with pytest.raises(UserError, match="is no voice"):
        voices.find(str(tmp_path / "notes.txt"))
    with pytest.raises(UserError, match="no voice"):
        voices.find(str(tmp_path))


def test_a_refused_voice_leaves_the_talk_as_it_was(tmp_path: Path, engine: Duplex) -> None:
    """User report V6: the live state is byte-identical."""
    voices = folder_of_voices(tmp_path, engine)
    (tmp_path / "own").mkdir()
    torch.save(
        {"embeddings": torch.zeros(9, 1, 1, 1024), "cache": torch.zeros(1, 17, 4).long()}, tmp_path / "own" / "a.pt"
    )
    write(tmp_path / "own" / "short.wav", speech(0.1), 24000, "PCM_16")
    write(tmp_path / "own" / "long.wav", speech(31), 24000, "PCM_16")
    for frame in speech(0.8).reshape(-1, 1920):
        engine.step(frame)
    before = engine.snapshot().tensors
    for name in ("a.pt", "short.wav", "long.wav", "absent.wav"):
        with pytest.raises((UserError, EngineError)):
            voices.persona(engine, PersonaChoice(name, "hello"))
    with pytest.raises(EngineError, match="shorten"):
        voices.persona(engine, PersonaChoice("", "hello there " * 1000))
    after = engine.snapshot().tensors
    assert all(torch.equal(before[name], after[name]) for name in before)


# ---------------------------------------------------------------- the model's archive


def archive(path: Path, files: dict[str, bytes], edit: Callable[[tarfile.TarInfo], None] | None = None) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            if edit:
                edit(member)
            tar.addfile(member, io.BytesIO(content))
    return path


def link(kind: bytes) -> Callable[[tarfile.TarInfo], None]:
    def edit(member: tarfile.TarInfo) -> None:
        member.type, member.linkname, member.size = kind, "/etc/passwd", 0

    return edit


def test_an_archive_is_unpacked_once(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "voices.tgz", {"voices/NATF0.pt": b"a" * 3000, "voices/._NATF0.pt": b"", "voices/B.pt": b"b"}
    )
    folder = unpacked(path, tmp_path / "cache")
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == {"NATF0.pt": b"a" * 3000, "B.pt": b"b"}
    (folder / "mark").write_bytes(b"")
    assert unpacked(path, tmp_path / "cache") == folder
    assert (folder / "mark").exists()
    assert [p.name for p in (tmp_path / "cache").iterdir()] == [folder.name]
    archive(path, {"voices/C.pt": b"other"})
    assert [p.name for p in unpacked(path, tmp_path / "cache").iterdir()] == ["C.pt"]


@pytest.mark.parametrize(
    ("name", "edit", "said"),
    [
        ("../outside.pt", None, "leads out"),
        ("voices/../../outside.pt", None, "leads out"),
        ("/tmp/outside.pt", None, "leads out"),
        ("voices\\..\\outside.pt", None, "leads out"),
        ("C:outside.pt", None, "leads out"),
        ("voices/link.pt", link(tarfile.SYMTYPE), "link or a device"),
        ("voices/link.pt", link(tarfile.LNKTYPE), "link or a device"),
        ("voices/pipe.pt", link(tarfile.FIFOTYPE), "link or a device"),
        ("voices/null.pt", link(tarfile.CHRTYPE), "link or a device"),
    ],
)
def test_an_archive_that_leads_elsewhere_is_refused(
    tmp_path: Path, name: str, edit: Callable[[tarfile.TarInfo], None] | None, said: str
) -> None:
    """User report S3: nothing outside, nothing half."""
    path = tmp_path / "voices.tgz"
    with tarfile.open(path, "w:gz") as tar:
        good = tarfile.TarInfo("voices/good.pt")
        tar.addfile(good, io.BytesIO())
        member = tarfile.TarInfo(name)
        member.size = 4
        if edit:
            edit(member)
        tar.addfile(member, io.BytesIO(b"evil"))
    with pytest.raises(UserError, match=said):
        unpacked(path, tmp_path / "a" / "b" / "cache")
    assert not list((tmp_path / "a" / "b" / "cache").iterdir())
    assert not list(tmp_path.rglob("outside.pt"))


def test_an_archive_that_unpacks_to_far_more_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Well packed content, a huge size claimed, too many members: the bound holds for all."""
    monkeypatch.setattr("app.voice_archive.MAX_BYTES", 1 << 20)
    monkeypatch.setattr("app.voice_archive.MAX_VOICES", 50)
    big = archive(tmp_path / "big.tgz", {"voices/big.pt": bytes(2 << 20)})
    many = archive(tmp_path / "many.tgz", {f"voices/{i}.pt": b"" for i in range(51)})
    claimed = tmp_path / "claimed.tgz"
    member = tarfile.TarInfo("voices/x.pt")
    member.size = 1 << 62
    claimed.write_bytes(gzip.compress(member.tobuf(tarfile.GNU_FORMAT) + bytes(4096)))
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 40
    names = tmp_path / "names.tgz"
    names.write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(4096)))
    for path in (big, many, claimed, names):
        with pytest.raises(UserError, match="sound archive"):
            unpacked(path, tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


@pytest.mark.parametrize("keep", [0, 5, 40, 200])
def test_a_damaged_archive_is_refused(tmp_path: Path, keep: int) -> None:
    content = np.random.default_rng(0).bytes(5000)
    path = archive(tmp_path / "voices.tgz", {"voices/a.pt": content})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(UserError, match="fetch it again"):
        unpacked(path, tmp_path / "cache")
