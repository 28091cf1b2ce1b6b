"""What stands ready while the window is open, for when something goes wrong that nobody foresaw.

Owns the run's crash reports and where they get their facts, the watchdog over the engine, and the wish to start the
program again. Made by the main thread; reports may be written by any.
"""

from __future__ import annotations

import logging
from pathlib import Path

from app import relaunch
from app.config import Settings
from app.conversation import Conversation
from app.crash_report import CrashReports
from app.diagnostics import LastLines, model_lines
from app.messages import Trouble
from app.notices import OPEN_REPORTS
from app.watchdog import Watchdog

log = logging.getLogger("parley")


class Rescue:
    def __init__(self, settings: Settings, conversation: Conversation, kept: LastLines) -> None:
        self._conversation = conversation
        self._settings = settings
        self.reports = CrashReports(
            settings=settings.differences,
            model=lambda: model_lines(conversation),
            log_lines=lambda: tuple(kept.lines),
            frames=conversation.history.tail,
            transcript=self._words,
        )
        self.watchdog = Watchdog(
            conversation, lambda where: self.reports.write(where, "a frame that does not come back")
        )
        if said := self.reports.of_the_last_run(kept.crash):
            conversation.tell(Trouble("program", said, OPEN_REPORTS))
        conversation.on_failure = lambda error, attempt: self.reports.write(error, f"the engine ({attempt})")
        # Of the process before, when this one is its restart, or of one whose restart never came about.
        self.place = relaunch.take() or relaunch.left_behind()
        self.wanted = False
        self._next_place: Path | None = None

    def want(self, place: str) -> bool:
        """Start the program again, at this place, once the window is closed; "" = at none. False: the place cannot be
        kept, and nothing is begun, since its words would be lost."""
        path = relaunch.save(place) if place else None
        if place and path is None:
            return False
        self.wanted, self._next_place = True, path
        return True

    def start_again(self) -> bool:
        return relaunch.start_again(self._next_place)

    def tell(self, path: Path | None) -> None:
        """An error that nobody caught was written down. The window may go on; it says what to do."""
        log.error("an unexpected error was written to %s", path)
        where = f"a report of it is in {path}" if path else "its report could not be written"
        sentence = f"Something went wrong that should not, and {where}. If the window acts oddly, close and open it."
        self._conversation.tell(Trouble("program", sentence, OPEN_REPORTS))

    def _words(self) -> str:
        return self._conversation.transcript.text() if self._settings.config.report.transcript else ""
