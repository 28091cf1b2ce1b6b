"""The phases of the conversation in words: in the header, and as the hint in an empty transcript.

Owns the tables and which hint suits which model. Pure data; the words are for `tr`.
"""

from __future__ import annotations

from app.messages import ModelInfo
from ui.words import marked

PHASE_WORDS = {
    "idle": marked("No model loaded"),
    "loading": marked("Loading the model"),
    "ready": marked("Ready to talk"),
    "priming": marked("Preparing the voice and persona"),
    "talking": marked("Talking"),
    "building": marked("Building a mode"),
    "failed": marked("Stopped by a fault"),
    "closed": marked("Closed"),
}
HINTS = {
    "idle": marked("Load a model to begin."),
    "loading": marked("You can talk as soon as the model is loaded."),
    "ready": marked("Press Start talk and speak. The model's words appear here."),
    "priming": marked("The talk begins in a moment."),
    "talking": marked("Listening. The model's words appear here."),
    "building": marked("The talk goes on when the mode is built."),
    "failed": marked("The message above says what went wrong."),
    "closed": "",
}
# The bundled model knows a few things only, so that a newcomer is told what to ask.
BUNDLED_HINTS = {
    "ready": marked(
        "Press Start talk and speak English. This small model knows a few things. Try: what is seven plus five? "
        "What is the capital of Italy? What is the opposite of hot? Tell me a story about a robot."
    ),
    "talking": marked("Listening. Try: what is seven plus five? The model's words appear here."),
}


def hint(phase: str, info: ModelInfo | None) -> str:
    """What stands in an empty transcript, not yet translated; "" for nothing."""
    bundled = info is not None and info.source == "mini" and info.trained
    return (BUNDLED_HINTS.get(phase) if bundled else None) or HINTS[phase]
