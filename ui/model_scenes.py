"""The Models page in its states, for the screenshots.

Owns these scenes. Qt thread only.
"""

from __future__ import annotations

from app.messages import Event, ModelSpec
from ui.app import Window
from ui.scene import Scene
from ui.scripted_models import (
    ScriptedInventory,
    ScriptedModels,
    ScriptedRefused,
    ScriptedReport,
    ScriptedToken,
    some_models,
)

PERSONAPLEX = "nvidia/personaplex-7b-v1"


def model_scenes(events: tuple[Event, ...], spec: ModelSpec) -> list[Scene]:
    """events: what happens first."""
    some = some_models()
    few = ScriptedInventory(some.models[:1])
    return [
        Scene("settings_models", events, (), "models", spec=spec, models=some, after=_checked),
        Scene("settings_models_low", events, (), "models", spec=spec, models=some, after=_bottom),
        Scene("settings_models_first", events, (), "models", models=few),
        Scene("settings_models_downloading", events, (), "models", models=few, after=_downloading),
        Scene("settings_models_damaged", events, (), "models", models=some, after=_damaged),
        Scene("settings_models_delete", events, (), "models", models=some, after=_delete),
        Scene("settings_models_licence", events, (), "models", models=few, after=_refused),
        Scene("settings_models_high", events, (), "models", spec=spec, models=some, themes=("contrast",)),
        Scene("german_models", events, (), "models", spec=spec, models=some, after=_checked, language="de"),
        Scene("german_models_licence", events, (), "models", models=few, after=_refused, language="de"),
        Scene("large_models", events, (), "models", spec=spec, models=some, text_size=150, themes=("light",)),
    ]


def _models(window: Window) -> ScriptedModels:
    models = window.ports.models
    assert isinstance(models, ScriptedModels)
    return models


def _checked(window: Window) -> None:
    _models(window).reports[PERSONAPLEX] = ScriptedReport()
    _fill(window)


def _damaged(window: Window) -> None:
    _models(window).reports[PERSONAPLEX] = ScriptedReport(damaged=("model.safetensors",))
    _fill(window)


def _fill(window: Window) -> None:
    assert window.main.settings is not None
    window.main.settings.models.fill()


def _bottom(window: Window) -> None:
    assert window.main.settings is not None
    bar = window.main.settings.models.verticalScrollBar()
    bar.setValue(bar.maximum())


def _downloading(window: Window) -> None:
    assert window.main.settings is not None
    window.main.settings.models.fetch(PERSONAPLEX)
    _models(window).progress(6_120_000_000, 16_700_000_000)
    window.bridge.tick()


def _delete(window: Window) -> None:
    assert window.main.settings is not None
    window.main.settings.models.cards[1].delete.click()


def _refused(window: Window) -> None:
    models = _models(window)
    assert window.main.settings is not None
    page = window.main.settings.models
    page.fetch(PERSONAPLEX)
    models.refused = ScriptedRefused(PERSONAPLEX)
    models.token = ScriptedToken()
    models.finish(
        f"Hugging Face does not give out {PERSONAPLEX} without signing in: check the name, accept the licence at "
        f"https://huggingface.co/{PERSONAPLEX} if there is one, give your token in Settings, Models (or run "
        "`hf auth login`), and try again."
    )
    window.bridge.tick()
    _bottom(window)
