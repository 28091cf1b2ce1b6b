"""The access token for models whose licence has to be accepted: kept where Hugging Face's own tools keep it.

Owns no copy: the token goes from the window to the hub's library, which asks the hub whose it is and writes it into
its own private file; from there every program of that library takes it. It is never in Parley's settings, logs or
reports. Waits for the network, so that a thread of its own calls it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from json import JSONDecodeError
from pathlib import Path

from app.download import sentence
from app.errors import UserError

ENVIRONMENT = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
_TOKEN = re.compile(r"[\x21-\x7e]{8,512}")


@dataclass(frozen=True)
class TokenState:
    """kept: there is one that downloads will use. from_environment: it comes from a variable, which is the user's to
    unset. file: where the hub's library keeps it."""

    kept: bool = False
    from_environment: bool = False
    file: Path = Path()


def token_state() -> TokenState:
    """Reads the hub's file; asks nothing of the network."""
    from huggingface_hub import constants, get_token

    given = any(os.environ.get(name, "").strip() for name in ENVIRONMENT)
    return TokenState(get_token() is not None, given, Path(constants.HF_TOKEN_PATH))


def keep_token(text: str) -> None:
    """Ask the hub whether it knows the token, and let its library keep it. Raises UserError with one sentence."""
    from huggingface_hub import login

    token = text.strip()
    if not _TOKEN.fullmatch(token):
        raise UserError("That is no access token: copy the whole of it, it begins with hf_.")
    try:
        login(token=token, add_to_git_credential=False)
    except Exception as error:
        # without the cause: a library's own words about a token have no business in a report
        raise UserError(_refusal(error)) from None


def forget_token() -> None:
    """Remove what the hub's library keeps. Raises UserError."""
    from huggingface_hub import constants

    try:
        for name in ("HF_TOKEN_PATH", "HF_STORED_TOKENS_PATH"):  # the second one came with later versions
            place = getattr(constants, name, None)
            if place is not None:
                Path(place).unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"The token could not be removed ({error.strerror or error}).") from error


def _refusal(error: Exception) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    unread = isinstance(error, JSONDecodeError)  # a ValueError too: what answered was no hub
    if status in (401, 403) or (isinstance(error, ValueError) and not unread):
        return "Hugging Face does not know this token: copy the whole of it, or make a new one."
    said = sentence(error, "the token")
    if said is None or status is not None:
        return "Hugging Face did not answer as expected, so the token was not kept: try again later."
    if isinstance(error, OSError) and error.filename is not None:
        return f"The token could not be kept in Hugging Face's own file ({error.strerror or error})."
    return "Hugging Face cannot be reached, so the token was not kept: check the internet connection and try again."
