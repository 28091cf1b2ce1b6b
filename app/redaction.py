"""What never reaches a log or a report: access tokens, passwords in addresses, and whose home folder it is.

Owns the patterns and the log's formatter. Works on finished text, so that whatever a library put into an error's words
passes through too. Pure functions, any thread; must not import torch or Qt.
"""

from __future__ import annotations

import functools
import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path

HIDDEN = "[hidden]"
USER = "[user]"
_SHORTEST_NAME = 3  # a shorter one would be found in what is nobody's name
_SECRET_NAMES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN")
_PATTERNS = (
    re.compile(r"\bhf_[A-Za-z0-9]{6,}"),
    re.compile(r"\b(?:gh[pousr]_|github_pat_|sk-)[A-Za-z0-9_-]{16,}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_.-]+"),  # a JSON web token
    re.compile(r"(?i)(?<=bearer )[^\s'\",;]+"),
    re.compile(r"(?i)(?<=basic )[A-Za-z0-9+/=]{8,}"),
    re.compile(r"(?<=://)[^/\s@'\"]+(?=@)"),  # name and password before a host
)
# A name that says what follows, as in addresses, headers and printed dictionaries.
_NAMED = re.compile(
    r"(?i)\b((?:[a-z_-]*token|api[_-]?key|password|passwd|secret|x-amz-(?:signature|credential|security-token)|signature"
    r"|key-pair-id|policy)[\"']?\s*[=:]\s*[\"']?)([^\s&\"',;}]{4,})"
)


def redact(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text without secrets; the home folder is written "~", its owner's name in other paths "[user]". environment:
    where tokens are set, os.environ."""
    held = os.environ if environment is None else environment
    for name in _SECRET_NAMES:
        if len(held.get(name, "")) >= 4:
            text = text.replace(held[name], HIDDEN)
    for pattern in _PATTERNS:
        text = pattern.sub(HIDDEN, text)
    text = _NAMED.sub(lambda found: found[1] + HIDDEN, text)
    for pattern, shown in _home_patterns(_home()):
        text = pattern.sub(shown, text)
    return text


def _home() -> str:
    """The home folder; "" where it is too short to say whose it is."""
    try:
        home = str(Path.home())
    except RuntimeError:
        return ""
    return home if len(home) > 5 else ""


@functools.lru_cache(maxsize=4)
def _home_patterns(home: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The home folder, also by the name that it has behind links, and the user's name in other paths, such as those of
    plugged-in disks, printed values (with doubled backslashes) and addresses."""
    if not home:
        return ()
    begin, end = r"(?:(?<=[/\\])|(?<=%2F)|(?<=%5C))", r"(?![\w-])"
    name = os.path.basename(home.rstrip("/\\"))
    patterns = [(re.compile(re.escape(path) + end), "~") for path in {home, os.path.realpath(home)} if len(path) > 5]
    if len(name) >= _SHORTEST_NAME:
        patterns.append((re.compile(f"(?i){begin}{re.escape(name)}{end}"), USER))
    return tuple(patterns)


class RedactingFormatter(logging.Formatter):
    """A log line, with its traceback, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))
