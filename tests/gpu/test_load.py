"""Loading on the GPU: tensors go straight to the card, and a persona is primed in one go there too."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine import weights
from engine.config import MIMI, LMConfig
from engine.duplex import Duplex
from engine.persona import build_prompt, voice_from_codes
from engine.sampling import SamplingValues
from tests.checkpoints import write_checkpoint
from tests.gpu.talks import SMALL, apart, captures_counted, copy_of, parts_apart, sound

pytestmark = pytest.mark.gpu

LARGE = {"dim": 512, "num_layers": 8, "num_heads": 8, "depformer_dim": 256, "depformer_dim_feedforward": 1056}


def test_the_cards_peak_is_the_loaded_weights_and_little_more(tmp_path: Path) -> None:
    """User report L1: at most 1.15 times the loaded bytes plus the largest tensor, from a 16-step float32 file."""
    files = weights.find(write_checkpoint(tmp_path, lm=LARGE, depth_steps=16))
    config, device = LMConfig.from_dict(files.config), torch.device("cuda", 0)
    torch.zeros(1, device=device)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    model = weights.load_lm(files, config, device, torch.bfloat16)
    sizes = [p.numel() * p.element_size() for p in model.parameters()]
    assert sum(sizes) > 60e6
    peak = torch.cuda.max_memory_allocated(device) - before
    assert peak <= 1.15 * sum(sizes) + max(sizes)
    assert all(p.device == device and p.dtype == torch.bfloat16 for p in model.parameters())


def test_a_persona_is_primed_alike_in_graph_and_eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """User report G20: prompts of any length after the capture, with nothing captured again. The first priming reads
    the voice, the others take back what was kept of it: that must make no difference either."""
    duplex = Duplex.random(SMALL, MIMI, device="cuda", precision="bfloat16")
    duplex.prepare("graph")
    duplex.set_sampling(SamplingValues())
    captured = captures_counted(monkeypatch)
    noise = sound(20)
    for frames in (20, 58):  # with the silence behind it: a part of a chunk, a whole one
        voice = voice_from_codes(duplex.lm_config, duplex.encode_voice(sound(frames, seed=7).reshape(-1)))
        for words in (1, 17, 75):
            prompt = build_prompt(duplex.lm_config, duplex.prompt_codes, voice, range(100, 100 + words))
            assert prompt is not None
            case = f"{frames} frames of voice, {words} tokens"
            primed, answers = {}, []
            for way in ("eager", "eager again", "graph"):
                duplex.set_mode(way.split()[0])
                duplex.reset(4)
                duplex.prime(prompt)
                primed = primed or copy_of(duplex.state, duplex)
                assert parts_apart(primed, duplex) == [], f"primed {way}: {case}"
                said = [duplex.step(frame) for frame in noise]
                answers = answers or said
                assert apart(said, answers) == "", f"talked {way}: {case}"
    assert captured == []
    duplex.unload()
