"""The prompt's token columns against a plain simulation of the reference's ring, and the checks of stored voices."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.config import MOSHI_7B, LMConfig, PromptCodes
from engine.errors import EngineError
from engine.persona import (
    VoicePrompt,
    build_prompt,
    load_voice,
    prompt_frames,
    voice_from_codes,
    wrap_text,
)

CONFIG = LMConfig(
    dim=16, num_layers=1, num_heads=2, text_card=48, card=2048, depformer_dim=8, depformer_num_layers=1,
    depformer_num_heads=1,
)  # fmt: skip
CODES = PromptCodes()
SILENCE = (948, 243, 1178, 546, 1736, 1030, 1978, 2008)
SINE = (430, 1268, 381, 1611, 1095, 1495, 56, 472)
PAD = 3
SAMPLED = 7  # what the simulated model samples wherever nothing is provided


class ReferenceRing:
    """The reference's step on tokens alone, written from its description (facts: lm.md 8b), one call at a time."""

    def __init__(self, config: LMConfig = CONFIG):
        self.delays, self.initial = config.delays, config.initial_tokens
        self.size = config.max_delay + 3
        self.ring = [[-2] * self.size for _ in self.delays]
        self.provided = [[False] * self.size for _ in self.delays]
        self.offset = 0
        self.inputs: list[list[int]] = []  # the columns that the temporal transformer was given, position by position

    def step(self, text: int | None, own: Sequence[int] | None, user: Sequence[int]) -> list[int] | None:
        given = {0: text} if text is not None else {}
        given |= {1 + i: code for i, code in enumerate(own or ())}
        given |= {9 + i: code for i, code in enumerate(user)}
        for k, code in given.items():
            slot = (self.offset + self.delays[k]) % self.size
            self.ring[k][slot], self.provided[k][slot] = code, True
        for k, delay in enumerate(self.delays):
            if self.offset <= delay:
                slot = self.offset % self.size
                self.ring[k][slot], self.provided[k][slot] = self.initial[k], True
        if self.offset == 0:
            for k in range(len(self.delays)):
                self.ring[k][0] = self.initial[k]
            self.offset = 1
            return None
        before, target = (self.offset - 1) % self.size, self.offset % self.size
        self.inputs.append([row[before] for row in self.ring])
        for k in range(9):
            if not self.provided[k][target]:
                self.ring[k][target] = SAMPLED
        for row in self.provided:
            row[before] = False
        self.offset += 1
        return [row[target] for row in self.ring]

    def forced_at_target(self) -> list[int]:
        """What the next call finds provided at its target, before it writes anything."""
        slot = self.offset % self.size
        return [row[slot] if flags[slot] else -2 for row, flags in zip(self.ring, self.provided, strict=True)]


def voice_codes(frames: int, seed: int = 0) -> list[list[int]]:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 2048, (frames, 8), generator=generator).tolist()


def play(ring: ReferenceRing, voice: Sequence[Sequence[int]], text: Sequence[int]) -> None:
    """The four phases of a prompt, call by call."""
    for codes in voice:
        ring.step(PAD, codes, SINE)
    for token in [PAD] * 6 + list(text) + [PAD] * 6:
        ring.step(token, SILENCE, SINE)


def embed(columns: Tensor) -> Tensor:
    """A stand-in for the model's input embedding: any injective function of a column will do here."""
    weights = torch.linspace(0.1, 1.7, CONFIG.streams)[:, None] * torch.linspace(1.0, 2.0, CONFIG.dim)
    return columns.T.float() @ weights


def stored_voice(voice: Sequence[Sequence[int]]) -> dict[str, Tensor]:
    """What the reference's saver writes after the voice phase."""
    ring = ReferenceRing()
    for codes in voice:
        ring.step(PAD, codes, SINE)
    inputs = torch.tensor(ring.inputs, dtype=torch.int64).reshape(-1, CONFIG.streams).T
    return {"embeddings": embed(inputs)[:, None, None], "cache": torch.tensor(ring.ring)[None]}


def saved(path: Path, content: Any) -> Path:
    torch.save(content, path)
    return path


# ---------------------------------------------------------------- the prompt


@pytest.mark.parametrize("voice_frames", [0, 1, 2, 3, 5, 50])
@pytest.mark.parametrize("text", [(), (17,), (4, 34, 7, 14, 47)])
def test_columns_are_those_of_the_reference(voice_frames: int, text: tuple[int, ...]) -> None:
    if not voice_frames and not text:
        assert build_prompt(CONFIG, CODES, None, ()) is None
        return
    voice = voice_codes(voice_frames)
    prompt = build_prompt(CONFIG, CODES, voice_from_codes(CONFIG, voice) if voice else None, text)
    ring = ReferenceRing()
    play(ring, voice, text)
    assert prompt is not None
    assert prompt.frames == ring.offset == voice_frames + 12 + len(text) == prompt_frames(voice_frames, len(text))
    assert prompt.first_position == 0
    assert prompt.embeddings is None
    assert prompt.tokens.dtype == torch.int64
    # Positions 0..frames-2 were given to the model; position frames-1 is given at the first call of the talk.
    assert prompt.tokens[:, :-2].T.tolist() == ring.inputs
    forced = ring.forced_at_target()
    ring.step(None, None, SINE)
    assert prompt.tokens[:, -2].tolist() == ring.inputs[-1]
    assert prompt.tokens[:, -1].tolist() == forced
    delayed = [k for k, delay in enumerate(CONFIG.delays) if delay]
    assert [k for k in range(17) if forced[k] != -2] == delayed
    assert [forced[k] for k in delayed] == list(SILENCE[1:] + SINE[1:])


@pytest.mark.parametrize("voice_frames", [1, 2, 3, 4, 5, 50])
@pytest.mark.parametrize("text", [(), (4, 34, 7)])
def test_a_stored_voice_continues_as_its_recording(tmp_path: Path, voice_frames: int, text: tuple[int, ...]) -> None:
    voice = voice_codes(voice_frames)
    from_codes = build_prompt(CONFIG, CODES, voice_from_codes(CONFIG, voice), text)
    stored = load_voice(saved(tmp_path / "a voice é.pt", stored_voice(voice)), CONFIG)
    from_file = build_prompt(CONFIG, CODES, stored, text)
    assert from_codes is not None
    assert from_file is not None
    assert from_file.frames == from_codes.frames
    assert from_file.first_position == voice_frames - 1
    assert torch.equal(from_file.tokens, from_codes.tokens[:, voice_frames - 1 :])
    assert from_file.embeddings is not None
    assert torch.equal(from_file.embeddings, embed(from_codes.tokens[:, : voice_frames - 1]))
    assert from_file.prefix_columns == from_codes.prefix_columns == voice_frames + 6


def test_the_prefix_is_what_a_voice_has_in_common() -> None:
    voice = voice_from_codes(CONFIG, voice_codes(5))
    one, two = (build_prompt(CONFIG, CODES, voice, text) for text in ((5, 6, 7), (8, 9)))
    other = build_prompt(CONFIG, CODES, voice_from_codes(CONFIG, voice_codes(5, seed=1)), (5, 6, 7))
    none = build_prompt(CONFIG, CODES, None, (5, 6, 7))
    assert one is not None
    assert two is not None
    assert other is not None
    assert none is not None
    assert torch.equal(one.tokens[:, : one.prefix_columns], two.tokens[:, : two.prefix_columns])
    assert not torch.equal(one.tokens[:, one.prefix_columns], two.tokens[:, two.prefix_columns])
    assert one.prefix_key == two.prefix_key
    assert len({one.prefix_key, other.prefix_key, none.prefix_key}) == 3
    assert none.prefix_columns == 6


def test_a_checkpoint_may_bring_its_own_silence_and_tone() -> None:
    codes = PromptCodes(silence=tuple(range(8)), sine=tuple(range(8, 16)))
    prompt = build_prompt(CONFIG, codes, None, (5,))
    assert prompt is not None
    assert prompt.tokens[1:, -2].tolist() == [*range(16)]


def test_other_delays_and_codebook_counts() -> None:
    """Nothing assumes 17 streams or a delay of one frame."""
    config = LMConfig(
        dim=16, num_layers=1, num_heads=2, text_card=48, card=30, n_q=3, dep_q=2, delays=(0, 0, 2, 1), depformer_dim=8,
        depformer_num_layers=1, depformer_num_heads=1,
    )  # fmt: skip
    prompt = build_prompt(
        config, PromptCodes((1, 2), (3,)), voice_from_codes(config, [[11, 21], [12, 22], [13, 23]]), ()
    )
    assert prompt is not None
    assert prompt.tokens[:, :6].tolist() == [
        [48, 3, 3, 3, 3, 3],
        [30, 12, 13, 1, 1, 1],
        [30, 30, 30, 22, 23, 2],
        [30, 30, 3, 3, 3, 3],
    ]
    assert prompt.tokens[:, -2:].tolist() == [[3, -2], [1, -2], [2, 2], [3, 3]]


# ---------------------------------------------------------------- text and length


@pytest.mark.parametrize("text", [None, "", "   ", "\n", "\t \n"])
def test_no_text_is_no_text(text: str | None) -> None:
    """User report V10."""
    assert wrap_text(text) == ""


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        ("You are kind.", "<system> You are kind. <system>"),
        ("  You are kind.\n", "<system> You are kind. <system>"),
        ("<system> You are kind. <system>", "<system> You are kind. <system>"),
        ("<system> You are kind.", "<system> <system> You are kind. <system>"),
    ],
)
def test_text_stands_between_tags(text: str, wrapped: str) -> None:
    assert wrap_text(text) == wrapped


@pytest.mark.parametrize("tokens", [0, 11, 400, 2000])
def test_what_a_prompt_costs(tokens: int) -> None:
    """User report V9: 80 ms of a memory of 240 s for each token."""
    assert prompt_frames(50, tokens) == 62 + tokens
    assert prompt_frames(0, tokens) == (12 + tokens if tokens else 0)
    prompt = build_prompt(CONFIG, CODES, None, [5] * tokens)
    assert (prompt.frames if prompt else 0) == prompt_frames(0, tokens)
    assert (prompt.text_tokens if prompt else ()) == (5,) * tokens


@pytest.mark.parametrize(("context", "tokens"), [(3000, 2875 - 12), (100, 75 - 12)])
def test_a_prompt_that_leaves_no_memory_is_refused(context: int, tokens: int) -> None:
    """User report V9: some memory must stay for the talk."""
    config = LMConfig(
        dim=16, num_layers=1, num_heads=2, text_card=48, context=context, depformer_dim=8, depformer_num_layers=1,
        depformer_num_heads=1,
    )  # fmt: skip
    assert build_prompt(config, CODES, None, [5] * tokens) is not None
    with pytest.raises(
        EngineError, match=rf"of the {context / 12.5:.0f} s that the model remembers .*{tokens + 1} tokens"
    ):
        build_prompt(config, CODES, None, [5] * (tokens + 1))


@pytest.mark.parametrize("token", [-1, 48])
def test_tokens_of_another_tokenizer_are_refused(token: int) -> None:
    with pytest.raises(EngineError, match="another model"):
        build_prompt(CONFIG, CODES, None, [5, token])


# ---------------------------------------------------------------- stored voices


def test_published_voices_have_the_shape_that_is_read(tmp_path: Path) -> None:
    """[V-1, 1, 1, 4096] bfloat16 embeddings and a [1, 17, 4] cache."""
    cache = torch.tensor(stored_voice(voice_codes(50))["cache"].tolist())
    cache[0, 0] = PAD
    content = {"embeddings": torch.randn(49, 1, 1, 4096).bfloat16(), "cache": cache}
    voice = load_voice(saved(tmp_path / "NATF0.pt", content), MOSHI_7B)
    assert voice.frames == 50
    assert voice.embeddings is not None
    assert voice.embeddings.dtype == torch.bfloat16
    assert voice.embeddings.shape == (49, 4096)


def edited(**changes: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda content: {**content, **{name: change(content[name]) for name, change in changes.items()}}


def poked(value: float, *place: int) -> Callable[[Tensor], Tensor]:
    def poke(tensor: Tensor) -> Tensor:
        tensor = tensor.clone()
        tensor[place] = value
        return tensor

    return poke


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (edited(embeddings=lambda e: torch.zeros(9, 1, 1, 1024)), "made for another model"),
        (edited(embeddings=lambda e: e.squeeze()), "made for another model"),
        (edited(embeddings=lambda e: torch.tensor(0.5)), "made for another model"),
        (edited(embeddings=lambda e: torch.zeros(4000, 1, 1, 16)), "4001 frames"),
        (edited(embeddings=lambda e: e.long()), "of type int64"),
        (edited(embeddings=lambda e: e.double()), "of type float64"),
        (edited(embeddings=lambda e: e.to(torch.complex64)), "of type complex64"),
        (edited(embeddings=lambda e: e[:, 0, 0].to_sparse()), "not a plain tensor"),
        (edited(embeddings=lambda e: e.tolist()), "not a plain tensor"),
        (edited(embeddings=poked(float("nan"), 3, 0, 0, 7)), "not all finite"),
        (edited(embeddings=poked(float("inf"), 0, 0, 0, 0)), "not all finite"),
        (edited(cache=lambda c: c[:, :, :3]), "cache of shape"),
        (edited(cache=lambda c: c[:, :16]), "cache of shape"),
        (edited(cache=lambda c: c[0]), "cache of shape"),
        (edited(cache=lambda c: torch.tensor(5)), "cache of shape"),
        (edited(cache=lambda c: c.int()), "of type int32"),
        (edited(cache=lambda c: c.float()), "of type float32"),
        (edited(cache=poked(2049, 0, 5, 0)), "does not know"),
        (edited(cache=poked(49, 0, 0, 0)), "does not know"),
        (edited(cache=poked(-3, 0, 5, 2)), "does not know"),
        (edited(cache=poked(-2, 0, 9, 9 % 4)), "does not know"),  # position V-1 is read, so it cannot be filler
        (edited(cache=poked(-2, 0, 12, 10 % 4)), "does not know"),  # and of position V the delayed streams
        (lambda content: {"embeddings": content["embeddings"]}, "not a voice"),
        (lambda content: list(content.values()), "not a voice"),
        (lambda content: 3, "not a voice"),
    ],
)
def test_a_wrong_voice_file_is_refused_whole(tmp_path: Path, edit: Callable[[dict[str, Any]], Any], said: str) -> None:
    """User report V6. The voice has 10 frames: its last position is 9."""
    path = saved(tmp_path / "voice.pt", edit(stored_voice(voice_codes(10))))
    with pytest.raises(EngineError, match=said) as refusal:
        load_voice(path, CONFIG)
    assert "voice.pt" in str(refusal.value)


class Payload:
    """Unpickling this creates a file."""

    def __init__(self, marker: Path):
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.marker,))


def test_a_voice_that_would_run_code_is_refused(tmp_path: Path) -> None:
    """User report S1."""
    marker = tmp_path / "marker"
    content = {**stored_voice(voice_codes(5)), "extra": Payload(marker)}
    path = saved(tmp_path / "voice.pt", content)
    with pytest.raises(EngineError, match="opening it would run a program"):
        load_voice(path, CONFIG)
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(Payload(marker)))
    with pytest.raises(EngineError, match="not a voice file"):
        load_voice(tmp_path / "plain.pt", CONFIG)
    assert not marker.exists()


@pytest.mark.parametrize("size", [0, 1, 100, 2000])
def test_a_voice_file_cut_short_is_refused(tmp_path: Path, size: int) -> None:
    path = saved(tmp_path / "voice.pt", stored_voice(voice_codes(5)))
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(EngineError, match="not a voice file"):
        load_voice(path, CONFIG)


def test_a_voice_file_that_unpacks_to_far_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "voice.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("voice/data.pkl", bytes(50 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(EngineError, match="not a voice file"):
        load_voice(path, CONFIG)


def test_a_missing_voice_file_is_named(tmp_path: Path) -> None:
    """User report V4."""
    with pytest.raises(EngineError, match=r"absent\.pt is missing"):
        load_voice(tmp_path / "absent.pt", CONFIG)


def test_a_voice_saved_on_a_gpu_opens_without_one(tmp_path: Path) -> None:
    """The reference saves the cache on its device (facts: personaplex.md ".pt content")."""
    path = saved(tmp_path / "voice.pt", stored_voice(voice_codes(5)))
    with zipfile.ZipFile(path) as archive:
        parts = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    name = next(name for name in parts if name.endswith("data.pkl"))
    # The pickle names each storage's device as a string: b"X" + length + "cpu" becomes "cuda:0".
    parts[name] = parts[name].replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0")
    assert b"cuda:0" in parts[name]
    with zipfile.ZipFile(path, "w") as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    voice = load_voice(path, CONFIG)
    assert isinstance(voice, VoicePrompt)
    assert voice.frames == 5
