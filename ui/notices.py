"""The strips below the header: trouble in words with one remedy, progress of a load or a build, untrained weights.

Owns their words and looks; what stands is the session's. Qt thread only.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from app.messages import LoadProgressed, ModeBuilding, Trouble
from ui import icons
from ui.actions import Actions
from ui.figures import MODE_WORDS, format_bytes, format_clock
from ui.labels import action_button, restyle, text_label, wrapped_label
from ui.progress_card import STEPS, Pace, ProgressCard
from ui.remedies import carry_out
from ui.session import Session
from ui.theme import Theme
from ui.words import marked, tr, translated

PARTS = (  # as a load names them
    marked("download"),
    marked("language model"),
    marked("codec"),
    marked("warm-up"),
    marked("building compiled mode"),
)
CALM = ("waiting",)  # what is as it was wished for, and said so that nobody wonders
IN_STEPS = ("warm-up", "building compiled mode")  # progress counted in steps, not in bytes
UNTRAINED = marked(
    "These weights are untrained: they exercise the program from end to end, and the answer is noise rather than "
    "speech. Choose a trained model in Settings, Engine."
)
# What the bundled model says of itself in its config.json, marked so that it can be translated.
BUNDLED_LIMITS = marked(
    "The bundled model is young: two of three answers are right, and names that it does not know become others."
)


class Notice(QFrame):
    """A strip with an icon and a sentence. kind: "info" | "warning" | "error"."""

    def __init__(self, theme: Theme, kind: str, sentence: str = ""):
        super().__init__()
        self._theme = theme
        self.kind = kind
        self.icon = QLabel()
        self.sentence = wrapped_label(sentence)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(12, 8, 12, 8)
        self.row.setSpacing(10)
        self.row.addWidget(self.icon)
        self.row.addWidget(self.sentence, 1)
        theme.changed.connect(self.restyle)
        self.set_kind(kind)

    def set_kind(self, kind: str) -> None:
        self.kind = kind
        restyle(self, "notice", kind)
        self.restyle()

    def restyle(self) -> None:
        colours = self._theme.colours
        colour = {"info": colours.accent, "warning": colours.amber, "error": colours.red}[self.kind]
        self.icon.setPixmap(icons.pixmap(self.kind, colour, 20, self.devicePixelRatioF()))


class Banner(Notice):
    """The one slot for trouble: the gravest of what stands, the newest first."""

    def __init__(self, theme: Theme, session: Session):
        super().__init__(theme, "warning")
        self._session = session
        self.trouble: Trouble | None = None
        self.more = text_label("", "small", "muted")
        self.button = QPushButton()
        self.button.setObjectName("remedy")
        self.button.clicked.connect(self._remedy)
        self.close_button = QToolButton()
        self.close_button.setProperty("kind", "flat")
        self.close_button.setAccessibleName(tr("Dismiss this message"))
        self.close_button.setToolTip(tr("Dismiss this message"))
        self.close_button.clicked.connect(self._dismiss)
        for widget in (self.more, self.button, self.close_button):
            self.row.addWidget(widget)
        session.troubles_changed.connect(self.show_trouble)
        theme.changed.connect(self._restyle_close)
        self._restyle_close()
        self.show_trouble()

    def show_trouble(self) -> None:
        troubles = self._session.troubles
        fatal = [trouble for trouble in troubles if trouble.fatal]
        trouble = (fatal or troubles or [None])[-1]  # type: ignore[list-item]
        changed = trouble is not self.trouble
        self.trouble = trouble
        self.setVisible(trouble is not None)
        if trouble is None:
            return
        self.set_kind("error" if trouble.fatal else "info" if trouble.kind in CALM else "warning")
        sentence = translated(trouble.sentence)
        self.sentence.setText(sentence)
        self.setAccessibleName(sentence)
        self.button.setText(tr(trouble.remedy) if trouble.remedy else "")
        self.button.setVisible(bool(trouble.remedy))
        others = len(troubles) - 1
        self.more.setText(tr("{count} more").format(count=others))
        self.more.setVisible(others > 0)
        if changed:  # screen readers say it without being asked
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def _remedy(self) -> None:
        if self.trouble is not None:
            carry_out(self.trouble, self._session)

    def _dismiss(self) -> None:
        if self.trouble is not None:
            self._session.dismiss(self.trouble)

    def _restyle_close(self) -> None:
        self.close_button.setIcon(icons.icon("close", self._theme.colours.muted))


class Progress(ProgressCard):
    """How far a load or a build is, with the way out of it; without a model, the way to one."""

    def __init__(self, theme: Theme, session: Session, actions: Actions, clock: Callable[[], float] = time.monotonic):
        super().__init__()
        self._session = session
        self._theme = theme
        self._pace = Pace(clock)
        self.cancel = action_button(actions.cancel_load)
        self.load = action_button(actions.load)
        self.arrange(self.cancel, self.load)
        session.phase_changed.connect(self._phase)
        session.troubles_changed.connect(lambda: self._phase(session.phase) if session.phase == "failed" else None)
        session.progressed.connect(self.show_load)
        session.building.connect(self.show_building)
        self._phase(session.phase)

    def _phase(self, phase: str) -> None:
        unloaded = phase == "idle" or (phase == "failed" and not self._session.troubles)
        self.setVisible(unloaded or phase in ("loading", "building"))
        self.cancel.setVisible(phase in ("loading", "building"))
        self.load.setVisible(unloaded)
        self.bar.setVisible(not unloaded)
        self._pace.begin()
        if unloaded:
            self._show(tr("No model is loaded"), tr("{model} is chosen").format(model=self._session.spec.source), 0, 1)
        elif phase == "loading":
            self._show(tr("Loading {model}").format(model=self._session.spec.source), tr("starting the engine"), 0, 0)
        elif phase == "building":
            self._show(tr("Building the mode"), "", 0, 0)

    def show_load(self, event: LoadProgressed) -> None:
        done, total = event.done_bytes, event.total_bytes
        if event.what in IN_STEPS:
            detail = tr("{done} of {total}").format(done=done, total=total)
        elif total > 0:
            sizes = tr("{done} of {total}").format(done=format_bytes(done), total=format_bytes(total))
            detail = sizes + self._time_left(event)
        else:
            detail = format_bytes(done) if done else ""
        heading = tr("Loading {model}: {part}").format(model=self._session.spec.source, part=tr(event.what))
        self._show(heading, detail, done, total)

    def show_building(self, event: ModeBuilding) -> None:
        pause = (
            tr("the talk is paused and goes on afterwards")
            if self._session.talking
            else tr("it takes a while, once after each start")
        )
        steps = tr("{done} of {total}").format(done=event.done, total=event.total) + ", " if event.total else ""
        self._show(
            tr("Building the {mode} mode").format(mode=tr(MODE_WORDS[event.mode])),
            steps + pause,
            event.done,
            event.total,
        )

    def _show(self, heading: str, detail: str, done: int, total: int) -> None:
        self.heading.setText(heading)
        self.detail.setText(detail)
        self.bar.setAccessibleDescription(f"{heading}, {detail}" if detail else heading)
        if total <= 0 and self._theme.reduced_motion:
            self.bar.setRange(0, 1)  # still; the words say what is being done
            self.bar.setValue(0)
        elif total <= 0:
            self.bar.setRange(0, 0)  # busy: the end is not known
        else:
            self.bar.setRange(0, STEPS)
            self.bar.setValue(min(STEPS, done * STEPS // total))

    def _time_left(self, event: LoadProgressed) -> str:
        pace = self._pace.of(event.what, event.done_bytes)
        if pace is None:
            return ""
        seconds = (event.total_bytes - event.done_bytes) / pace
        words = tr(", about {time} left").format(time=format_clock(seconds + 0.5))
        return words if seconds >= 1 else ""


def untrained_notice(theme: Theme, session: Session) -> QWidget:
    """Stands as long as the loaded weights are untrained or say what they cannot do; it cannot be dismissed."""
    notice = Notice(theme, "info", tr(UNTRAINED))
    notice.setObjectName("untrained")
    notice.setAccessibleName(tr(UNTRAINED))

    def follow() -> None:
        info = session.info
        sentence = "" if info is None else tr(info.limits if info.trained else UNTRAINED)
        if sentence:
            notice.sentence.setText(sentence)
            notice.setAccessibleName(sentence)
        notice.setVisible(bool(sentence))

    session.info_changed.connect(follow)
    follow()
    return notice
