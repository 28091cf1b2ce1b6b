"""Compiled code beside the usual mode: the comparison leaves everything as it was, also when it fails."""

from __future__ import annotations

import pytest

from app.loaded_engine import LoadedEngine
from app.messages import COMPILE, ModelSpec
from engine.errors import EngineError
from engine.graphs import COMPILED_FORMS
from tests.app.fake_engine import FakeEngine, VirtualClock, info_of

REASONS = {"graph": None, "eager": None, "compiled": None}


def test_a_comparison_that_fails_leaves_the_old_mode_and_is_made_again() -> None:
    clock = VirtualClock()
    engine = FakeEngine(advance=clock.advance, reasons=REASONS)
    loaded = LoadedEngine(engine, info_of(engine, ModelSpec("mini")))
    loaded.make_ready("graph", lambda mode: lambda done, total: None, lambda: False, clock)
    engine.fail_at = {engine.frames + 3: EngineError("The card is busy.")}
    with pytest.raises(EngineError, match="The card is busy"):
        loaded.change_mode("compiled", lambda done, total: None, lambda: False)
    assert engine.mode == "graph"
    engine.mode_costs = {}
    loaded.change_mode("compiled", lambda done, total: None, lambda: False)
    assert engine.mode == "compiled"
    assert "brings nothing over graph" in loaded.mode_trouble
    for mode, said in (("graph", False), ("compiled", True)):  # there and back: as it was judged, without another look
        before = engine.frames
        loaded.change_mode(mode, lambda done, total: None, lambda: False)
        assert ("brings nothing over graph" in loaded.mode_trouble) == said
        assert engine.frames == before


@pytest.mark.parametrize(
    ("chosen", "form"),
    [("layers", "compiled"), ("cudagraphs", "compiled-cudagraphs"), ("max-autotune", "compiled-max-autotune")],
)
def test_what_is_compiled_is_a_choice(chosen: str, form: str) -> None:
    engine = FakeEngine(reasons=REASONS)
    loaded = LoadedEngine(engine, info_of(engine, ModelSpec("mini")), chosen)
    loaded.make_ready("compiled", lambda mode: lambda done, total: None, lambda: False, VirtualClock())
    assert engine.forms["compiled"] == form
    assert form in COMPILED_FORMS and len(COMPILE) + 1 == len(COMPILED_FORMS), "and one that only the benchmark has"
