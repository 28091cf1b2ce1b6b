"""The strip that shows the download or check under way: how far it is, how long it takes, and Cancel.

Owns the words of progress. A download that a load of the engine brought about is shown as well, and its Cancel is the
load's. Qt thread only.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtWidgets import QPushButton

from app.messages import LoadProgressed
from ui.figures import format_bytes, format_clock
from ui.model_ports import CHECKING, DOWNLOADING, ModelsPort
from ui.progress_card import STEPS, Pace, ProgressCard
from ui.session import Session
from ui.theme import Theme
from ui.words import marked, tr

HEADINGS = {DOWNLOADING: marked("Downloading {model}"), CHECKING: marked("Checking {model}")}


class ModelWork(ProgressCard):
    """Visible while there is something to show. `busy`: the port itself is at work, and takes nothing else."""

    def __init__(
        self,
        session: Session,
        models: ModelsPort,
        theme: Theme,
        clock: Callable[[], float] = time.monotonic,
    ):
        super().__init__()
        self._session = session
        self._models = models
        self._theme = theme
        self._pace = Pace(clock)
        self._shown: tuple[str, int, int] | None = None
        self._stopping = False
        self._load: LoadProgressed | None = None
        self.cancel = QPushButton(tr("&Cancel"))
        self.arrange(self.cancel)
        self.cancel.clicked.connect(self._cancel)
        session.progressed.connect(self._loading)
        session.phase_changed.connect(self._phase)
        self.follow()

    @property
    def busy(self) -> bool:
        return bool(self._models.work.doing)

    def follow(self) -> None:
        """Show the work; the page calls it with every beat."""
        work, load = self._models.work, self._load
        if work.doing:
            self._show(work.doing, work.source, work.done, work.total)
        elif load is not None:
            self._show(DOWNLOADING, self._session.spec.source, load.done_bytes, load.total_bytes)
        elif self._shown is not None or not self.isHidden():
            self._shown = None
            self._pace.begin()
            self._stopping = False
            self.hide()

    def _loading(self, event: LoadProgressed) -> None:
        self._load = event if event.what == "download" else None

    def _phase(self, phase: str) -> None:
        if phase != "loading":
            self._load = None

    def _cancel(self) -> None:
        self._stopping = True
        self.cancel.setEnabled(False)
        self.detail.setText(tr("stopping"))
        if self.busy:
            self._models.stop()
        else:
            self._session.cancel_load()

    def _show(self, doing: str, source: str, done: int, total: int) -> None:
        heading = tr(HEADINGS[doing]).format(model=source)
        if (heading, done, total) == self._shown:
            return
        self._shown = (heading, done, total)
        self.heading.setText(heading)
        self.cancel.setEnabled(not self._stopping)
        self.cancel.setAccessibleName(f"{tr('Cancel')}: {heading}")
        if not self._stopping:
            asking = tr("asking Hugging Face") if doing == DOWNLOADING else ""
            self.detail.setText(self._sizes(heading, done, total) if total > 0 else asking)
        self.bar.setAccessibleDescription(f"{heading}, {self.detail.text()}")
        if total <= 0 and not self._theme.reduced_motion:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, STEPS)
            self.bar.setValue(min(STEPS, done * STEPS // max(1, total)))
        self.show()

    def _sizes(self, heading: str, done: int, total: int) -> str:
        words = tr("{done} of {total}").format(done=format_bytes(done), total=format_bytes(total))
        rate = self._pace.of(heading, done)
        if rate is None:
            return words
        left = format_clock((total - done) / rate + 0.5)
        return tr("{sizes}, {rate} a second, about {time} left").format(
            sizes=words, rate=format_bytes(round(rate)), time=left
        )
