"""Texts that a user asked to keep: written whole or not at all, and never without a word.

Owns the order of checks and the work in the background, so that a slow disk or a network folder holds nobody up. Any
thread may call it. Must not know Qt or what the texts say.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Thread

from app.errors import UserError
from app.paths import typed_path
from app.recording import check_writable, write_whole


def write_text(path: Path, text: str) -> Future[str]:
    """Write UTF-8 text to `path`, "~" allowed, in a thread of its own. Comes true with "" or one sentence."""
    return in_background(lambda: write_now(typed_path(path), text), "text file")


def in_background(work: Callable[[], object], name: str) -> Future[str]:
    """Do `work` in a thread of its own. Comes true with "", or with the sentence of the UserError that ended it."""
    answer: Future[str] = Future()

    def run() -> None:
        try:
            work()
            answer.set_result("")
        except UserError as error:
            answer.set_result(str(error))
        except Exception as error:
            answer.set_exception(error)

    Thread(target=run, name=name, daemon=True).start()
    return answer


def write_now(path: Path, text: str) -> None:
    """Write UTF-8 text to `path` in this thread. Raises UserError."""
    check_writable(path)
    content = text.encode("utf-8", errors="replace")  # half a character, as a model may speak it, is no reason to fail
    write_whole(path, lambda temporary: temporary.write_bytes(content))
    if not path.is_file() or path.stat().st_size != len(content):  # some network folders lose files silently
        raise UserError(f"{path} was written but is not there; choose another folder.")
