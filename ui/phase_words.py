"""The phases of the conversation in words: in the header, and as the hint in an empty transcript.

Owns the two tables. Pure data; the words are for `tr`.
"""

from __future__ import annotations

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
