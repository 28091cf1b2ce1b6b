"""Personas before a talk: the same to the last bit whether the voice was kept or not, launched or replayed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine import duplex as duplex_module
from engine.duplex import Duplex
from engine.persona import Prompt, build_prompt, voice_from_codes, wrap_text
from engine.sampling import SamplingValues
from tests.checkpoints import write_checkpoint
from tests.engine import oracle
from tests.engine.cpu_graphs import CpuPool


@pytest.fixture(params=["float32", "bfloat16"])
def duplex(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Duplex:
    """On a processor, with recordings in the place of CUDA graphs."""
    monkeypatch.setattr(duplex_module, "graph_unavailable_reason", lambda device: None)
    monkeypatch.setattr(duplex_module, "GraphPool", lambda device: CpuPool())
    engine = Duplex.load(write_checkpoint(tmp_path), device="cpu", precision=request.param)
    engine.prepare("graph")
    return engine


def prompt_of(duplex: Duplex, voice_frames: int, words: int) -> Prompt:
    voice = voice_from_codes(duplex.lm_config, duplex.encode_voice(oracle.speechlike(voice_frames, seed=3)))
    text = duplex.text_tokens(wrap_text("music " * words))
    prompt = build_prompt(duplex.lm_config, duplex.prompt_codes, voice, text)
    assert prompt is not None
    return prompt


def primed(duplex: Duplex, prompt: Prompt, mode: str) -> tuple[dict[str, Tensor], list[tuple[int, int, Tensor]]]:
    """The state after priming, and what each prefill was given: position, rows, their contents."""
    given = []
    run = duplex._prefill_stage.run
    s = duplex.state

    def noted(mode: str) -> None:
        rows = s["prefill.embeddings"].clone()
        given.append((int(s["tokens.position"]), int(s["prefill.count"]), rows))
        run(mode)

    duplex._prefill_stage.run = noted  # type: ignore[method-assign]
    try:
        duplex.set_mode(mode)
        duplex.reset(4)
        duplex.prime(prompt)
    finally:
        duplex._prefill_stage.run = run  # type: ignore[method-assign]
    return {name: s[name].clone() for name in s}, given


@pytest.mark.parametrize("voice_frames", [20, 58, 90])  # a part of a chunk with its silence, a whole one, more
def test_a_kept_voice_leaves_the_same_bits_as_a_new_one(duplex: Duplex, voice_frames: int) -> None:
    """User report G20. A row rounds differently beside other rows, so the chunks after the voice must be the same."""
    for words in (1, 30):
        prompt = prompt_of(duplex, voice_frames, words)
        duplex._primer._prefix = None
        first, launches = primed(duplex, prompt, "eager")
        for mode in ("eager", "graph"):
            again, fewer = primed(duplex, prompt, mode)
            assert [name for name in first if not torch.equal(first[name], again[name])] == [], mode
            assert 0 < len(fewer) < len(launches), "the voice was kept"
            for one, other in zip(fewer, launches[-len(fewer) :], strict=True):
                assert one[:2] == other[:2]
                assert torch.equal(one[2], other[2])


def test_chunks_cover_the_prompt_once_and_break_where_the_voice_ends(duplex: Duplex) -> None:
    prompt = prompt_of(duplex, 90, 30)
    _, launches = primed(duplex, prompt, "eager")
    starts = [start for start, _, _ in launches]
    stops = [start + count for start, count, _ in launches]
    assert starts == [0, *stops[:-1]]
    assert stops[-1] == prompt.frames - 1
    assert prompt.prefix_columns in stops
    assert max(count for _, count, _ in launches) <= duplex.state["prefill.embeddings"].shape[1]


def test_what_another_arithmetic_made_of_a_voice_is_not_taken(duplex: Duplex) -> None:
    """Compiled code rounds differently: a talk in another mode must be as in a program that never ran it."""
    prompt = prompt_of(duplex, 20, 1)
    wanted, launches = primed(duplex, prompt, "eager")
    duplex._primer._prefix = None
    duplex.reset(4)
    with torch.inference_mode():
        duplex._primer.prime(prompt, lambda: duplex._prefill_stage.run("eager"), arithmetic="compiled")
    after, again = primed(duplex, prompt, "eager")
    assert len(again) == len(launches)
    assert all(torch.equal(wanted[name], after[name]) for name in wanted)


def test_prompts_of_any_length_and_other_sampling_values_capture_nothing_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """User reports G11 and G20: prompts of 0, 1, 17 and 400 tokens, values changed in mid-talk; as in eager mode."""
    pool = CpuPool()
    monkeypatch.setattr(duplex_module, "graph_unavailable_reason", lambda device: None)
    monkeypatch.setattr(duplex_module, "GraphPool", lambda device: pool)
    engine = Duplex.load(write_checkpoint(tmp_path, lm={"context": 600}), device="cpu", precision="float32")
    engine.prepare("graph")
    captured = len(pool.recorded)
    assert captured > 0
    frames = oracle.speechlike(3, seed=8).reshape(-1, 1920)
    for words in (0, 1, 17, 400):
        prompt = build_prompt(engine.lm_config, engine.prompt_codes, None, [5] * words)
        said: dict[str, list[object]] = {"graph": [], "eager": []}
        for mode, answers in said.items():
            engine.set_mode(mode)
            engine.reset(3)
            if prompt is not None:
                engine.prime(prompt)
            for top_k, temperature in ((250, 0.8), (20, 0.8), (2048, 0.5)):
                engine.set_sampling(SamplingValues(temperature=temperature, top_k=top_k))
                replays = pool.replays
                answers += [(answer.text, answer.own) for answer in map(engine.step, frames)]
                assert (pool.replays > replays) == (mode == "graph")
        assert said["graph"] == said["eager"], f"{words} tokens"
    assert len(pool.recorded) == captured
