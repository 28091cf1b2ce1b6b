"""What can go wrong with an engine, in words, and what each fault is called.

Owns the sentences and remedies of faults, and what makes one of them the end of the process's use of the graphics card.
Must not know phases or threads. Pure; called by the engine thread through the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app import messages as say
from app.errors import UserError
from app.notices import LOAD_AGAIN, SOUND_SETTINGS, VOICE_SETTINGS

# What was being attempted, when a command's work goes wrong; a frame's is "talk".
ATTEMPTS: dict[type, str] = {
    say.LoadModel: "load",
    say.StartTalk: "start",
    say.NewTalk: "start",
    say.SetMode: "mode",
    say.SetSampling: "sampling",
}

REMEDIES = {"load": LOAD_AGAIN, "talk": LOAD_AGAIN, "voice": VOICE_SETTINGS, "sound": SOUND_SETTINGS}

NUMBERS_RESET = (
    "The model's numbers fell apart, which sounds like a roar or never ends in silence, so the talk was begun anew: "
    "the model has forgotten it. If this comes again, load the model again or choose another precision."
)
NUMBERS_FAIL = (
    "The model's numbers fall apart as soon as a talk begins: load the model again, or choose another precision."
)

NOT_RECOVERED = (
    "The engine stopped on an error of which nothing more could be found out, most likely because the computer's "
    "memory ran out: close other programs, then load the model again."
)

STICKY = (
    "The graphics card's driver gave this program up after an error in its work, and nothing can run on the card until "
    "Parley starts again. Settings and the words of this window are kept."
)


class EngineFailure(Exception):
    """The engine answers and is of no use. The text is the sentence for the user."""


@contextmanager
def talk_is_kept() -> Iterator[None]:
    """A new talk without sound is none. What is said of it stays true once there is sound again."""
    try:
        yield
    except UserError as error:
        kept = UserError(f"No new talk was begun, because the sound could not be opened again: {error}")
        kept.remedy = error.remedy
        raise kept from error


def is_sticky(error: Exception) -> bool:
    """Does the error end the process's use of the card (CUDA's own errors do, running out of memory does not)?"""
    from engine.faults import device_lost

    return device_lost(error)


def unforeseen(error: Exception, device: str) -> str:
    """An error that nobody made a sentence of, in a sentence. device: as in ModelInfo."""
    from engine.faults import memory_sentence, out_of_memory

    if out_of_memory(error):
        return memory_sentence("the engine was at work", device)
    first_line = next(iter(str(error).splitlines()), "")
    return f"The engine stopped on an unexpected error ({type(error).__name__}: {first_line}); the log has its details."
