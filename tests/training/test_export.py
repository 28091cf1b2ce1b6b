"""What training writes is what the program loads, and it talks the same."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.config import LMConfig, MimiConfig, PromptCodes
from engine.duplex import Duplex
from training import vocabulary
from training.codec import Codec
from training.evaluate_codec import word_errors, words
from training.evaluate_talk import Ears, Question, model_voices, talk_cases
from training.export import write_model, write_voices
from training.judged_talk import Room, silence
from training.language import TrainedLanguage
from training.streams import prompt_codes

CODEC = MimiConfig(
    n_filters=4, dimension=16, num_heads=2, num_layers=1, dim_feedforward=32, context=8, codebook_dim=8, n_q=8, bins=32
)
LANGUAGE = LMConfig(dim=32, num_layers=1, num_heads=2, text_card=1024, card=32, depformer_dim=16,
                    depformer_num_heads=2, depformer_num_layers=1, context=200)  # fmt: skip


def _folder(path: Path) -> tuple[Codec, TrainedLanguage]:
    torch.manual_seed(0)
    codec, language = Codec(CODEC, 3), TrainedLanguage(LANGUAGE)
    tokenizer = path / "made.model"
    rng = random.Random(0)
    made_up = ["".join(rng.choices("abcdefghiklmnoprstuvwyxz", k=5)) for _ in range(3000)]
    vocabulary.make(tokenizer, made_up, dialogues=120)
    fillers = prompt_codes(codec, torch.device("cpu"))
    write_model(path / "model", language, codec, tokenizer, fillers, torch.float32)
    return codec, language


def test_the_engine_loads_the_folder_with_its_codes_and_every_weight(tmp_path: Path) -> None:
    codec, language = _folder(tmp_path)
    engine = Duplex.load(tmp_path / "model", device="cpu", precision="float32")
    assert engine.trained and engine.context == LANGUAGE.context
    assert engine.lm_config == LANGUAGE and engine.mimi_config == CODEC
    fillers = prompt_codes(codec, torch.device("cpu"))
    loaded = PromptCodes.from_dict(engine.files.config, engine.lm_config) if engine.files else None
    assert loaded == PromptCodes(tuple(fillers.silence.tolist()), tuple(fillers.sine.tolist()))
    mine = dict(language.model.named_parameters())
    for name, parameter in engine.lm.named_parameters():
        assert torch.equal(parameter, mine[name]), name


def test_a_talk_through_the_program_is_judged(tmp_path: Path) -> None:
    """Untrained weights answer nothing right, but everything of the exam runs: voice, persona, questions, figures."""
    _folder(tmp_path)
    room = Room(tmp_path / "model", "float32")
    sound = (np.random.default_rng(0).standard_normal(24_000) * 0.1).astype(np.float32)
    write_voices(tmp_path / "model" / "voices", {"Max": torch.from_numpy(sound)})
    assert list(model_voices(tmp_path / "model")) == ["Max"]
    spoken = [("You are Max.", [Question("hello", "Hello!", "greeting", sound)])]
    ears = Ears(None, None, {})
    cases = list(talk_cases(room, spoken, ["Max"], ears, None))
    first, again = (case.judge() for case in cases * 2)
    assert (first["voice"], first["right"], len(first["turns"])) == ("Max", 0, 1)
    assert first["turns"][0]["said"] and first["turns"] == again["turns"]  # the case's own seed
    with pytest.raises(ValueError, match=r"There is no voice .Lisa."):
        room.hold(silence(1), "Lisa")


def test_a_model_that_cannot_be_loaded_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no model folder"):
        Room(tmp_path / "nothing")


def test_words_compare_by_sound_rather_than_spelling() -> None:
    assert words("Four plus 16 is 20.") == words("four plus sixteen is twenty")
    assert words("It costs $4") == words("it costs four dollars")
    assert word_errors("a b c d".split(), "a x c".split()) == 2
    assert word_errors([], ["a"]) == 1 and word_errors(["a"], ["a"]) == 0


def test_a_joke_may_be_any_and_a_sum_may_not() -> None:
    sound = np.zeros(1, np.float32)
    joke = "What do you call a bear with no teeth? A gummy bear."
    assert Question("tell me a joke", "another", "joke", sound).right(joke)
    assert not Question("one plus one", "One plus one is two.", "arithmetic", sound).right("One plus one is three.")
