"""The loops that time the peers' own code and ours side by side: each runs whole, here on a processor and tiny."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkpoints import lm_config, mimi_config, write_checkpoint
from tests.gpu.bench_peers import run_ours, run_peer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("peers") / "model")


def test_ours_runs_in_a_talk_that_is_half_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.duplex import Duplex

    positions: list[int] = []
    step = Duplex.step

    def watched(duplex: Duplex, pcm: object) -> object:
        positions.append(int(duplex.state["tokens.position"]))
        return step(duplex, pcm)  # type: ignore[arg-type]

    monkeypatch.setattr(Duplex, "step", watched)
    assert set(run_ours(folder, "eager", 2, device="cpu")) == {"p50 ms", "p99 ms"}
    assert positions == list(range(1500, 1500 + len(positions)))


def test_the_installed_peers_loop_runs(folder: Path) -> None:
    pytest.importorskip("tests.engine.oracle", reason="the moshi package is the peer and is not installed")
    sizes = {"codec": {"mimi_config": mimi_config(), "num_codebooks": 8}, "model": {"lm_kwargs": lm_config()}}
    assert set(run_peer(folder, False, 2, "cpu", **sizes)) == {"p50 ms", "p99 ms"}
