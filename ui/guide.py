"""The first-run guide: microphone, loudspeaker, model; shown once, and from the menu whenever one wants.

Owns the three steps and their order; everything in them is chosen at once, so that closing the guide loses nothing.
Not modal. Qt thread only.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ui import icons
from ui import ports as keys
from ui.bridge import Bridge
from ui.device_box import DeviceBox
from ui.labels import set_tone, text_label, wrapped_label
from ui.ports import ModelFitLike, Ports
from ui.record_and_listen import RecordAndListen
from ui.scrolling import VerticalScroll
from ui.session import Session
from ui.theme import Theme
from ui.words import tr, translated

CHECK_S = 5.0
WIDTH, HEIGHT = 620, 480  # the four models that are offered stand in it without a scroll bar
VERDICT_TONES = {"fits": "", "slow": "near", "too large": "over"}
VERDICT_MARKS = {"fits": "\N{HEAVY CHECK MARK}", "slow": "!", "too large": "!!"}


class Step(QWidget):
    """One page: a title, an invitation, and room for controls."""

    def __init__(self, theme: Theme, picture: str, title: str, invitation: str):
        super().__init__()
        self._theme = theme
        self._picture = picture
        self._icon = QLabel()
        self.title = title
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(12)
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self._icon)
        top.addWidget(text_label(title, "title"), 1)
        self.column.addLayout(top)
        self.column.addWidget(wrapped_label(invitation))
        theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self._icon.setPixmap(icons.pixmap(self._picture, self._theme.colours.accent, 32, self.devicePixelRatioF()))

    def labelled(self, name: str, box: QWidget) -> None:
        """A row of a label and its control."""
        label = QLabel(name)
        label.setBuddy(box)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(box, 1)
        self.column.addLayout(row)


class MicrophoneStep(Step):
    """The microphone, recorded and heard."""

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme):
        super().__init__(
            theme,
            "microphone",
            tr("Can the model hear you?"),
            tr("Choose your microphone, say a sentence, and listen to it."),
        )
        self.box = DeviceBox(bridge, ports.devices, "input", tr("Microphone"))
        self.check = RecordAndListen(
            session, bridge, ports.check, theme, CHECK_S, tr("Press Record and speak as you would in a talk.")
        )
        self.trouble = wrapped_label("", "small", "over")
        self.box.answered.connect(self._answered)
        self.trouble.hide()
        self.labelled(tr("&Microphone"), self.box)
        self.column.addWidget(self.trouble)
        self.column.addWidget(self.check)
        self.column.addStretch(1)

    def _answered(self, sentence: str) -> None:
        self.trouble.setText(translated(sentence))
        self.trouble.setVisible(bool(sentence))


class SpeakerStep(Step):
    """The loudspeaker and a test sound."""

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme):
        super().__init__(
            theme,
            "speaker",
            tr("Can you hear the model?"),
            tr("Headphones are best. On loudspeakers the model may hear itself; the echo is then removed."),
        )
        self._session = session
        self._bridge = bridge
        self._check = ports.check
        self._playing = False
        self._reason = ""
        self.box = DeviceBox(bridge, ports.devices, "output", tr("Loudspeaker"))
        self.play = QPushButton(tr("&Play the test sound"))
        self.words = wrapped_label(tr("Three soft notes, rising."), "small", "muted")
        self.box.answered.connect(lambda sentence: self._say(translated(sentence), "over") if sentence else None)
        self.play.clicked.connect(self._play)
        session.phase_changed.connect(lambda _phase: self._show_button())
        self.labelled(tr("Loud&speaker"), self.box)
        row = QHBoxLayout()
        row.addWidget(self.play)
        row.addWidget(self.words, 1)
        self.column.addLayout(row)
        self.column.addStretch(1)
        self._show_button()

    def _play(self) -> None:
        if self._playing:
            self._check.stop()
            return
        self._playing = True
        self._say(tr("Playing"), "")
        self._show_button()
        self._bridge.when_done(self._check.play_chime(), self._played)

    def _played(self, sentence: str) -> None:
        self._playing = False
        heard = tr("Heard nothing? Turn up the volume, or choose another loudspeaker above, and play it again.")
        self._say(translated(sentence) or heard, "over" if sentence else "")
        self._show_button()

    def _show_button(self) -> None:
        free = not self._session.talking
        self.play.setEnabled(free)
        self.play.setText(tr("&Stop") if self._playing else tr("&Play the test sound"))
        reason = "" if free else tr("A talk is running; end it to play the test sound.")
        self.play.setToolTip(reason)
        self.play.setAccessibleDescription(reason)
        if reason != self._reason:
            self._reason = reason
            self._say(reason or tr("Three soft notes, rising."), "near" if reason else "muted")

    def _say(self, words: str, tone: str) -> None:
        self.words.setText(words)
        set_tone(self.words, tone)


class ModelStep(Step):
    """The models on offer with what each costs."""

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme):
        super().__init__(
            theme,
            "engine",
            tr("Which model?"),
            tr("A model is downloaded once, when it is first chosen; then nothing is fetched."),
        )
        self._session = session
        self._bridge = bridge
        self._fits = ports.fits
        self._group = QButtonGroup(self)
        self.choices: dict[str, QRadioButton] = {}
        self.costs: dict[str, QLabel] = {}
        self.waiting = text_label(tr("Looking at this computer"), "small", "muted")
        self._list = QVBoxLayout()
        self._list.setSpacing(10)
        self.column.addWidget(self.waiting)
        self.column.addLayout(self._list)
        self.more = QPushButton(tr("&More about models\N{HORIZONTAL ELLIPSIS}"))
        self.more.setToolTip(tr("Which models are here, downloads, licences"))
        self.more.clicked.connect(lambda: session.page_wanted.emit("models"))
        row = QHBoxLayout()
        row.addWidget(self.more)
        row.addStretch(1)
        self.column.addLayout(row)
        self.column.addStretch(1)
        session.spec_changed.connect(self._show_choice)

    def look(self) -> None:
        """Ask what fits; the first time only."""
        if not self.choices:
            self._bridge.when_done(self._fits.look(), self._looked)

    def _looked(self, sentence: str) -> None:
        self.waiting.setText(translated(sentence))
        self.waiting.setVisible(bool(sentence))
        for fit in self._fits.rows():
            if fit.source not in self.choices:
                self._add(fit)
        self._show_choice()

    def _add(self, fit: ModelFitLike) -> None:
        button = QRadioButton(translated(fit.title))
        said, takes = translated(fit.about), translated(fit.cost)
        cost = wrapped_label(f"{VERDICT_MARKS[fit.verdict]}  {takes}", "small", VERDICT_TONES[fit.verdict])
        about = wrapped_label(said, "small", "muted")
        button.setAccessibleDescription(f"{said} {takes}")
        self._group.addButton(button)
        self.choices[fit.source], self.costs[fit.source] = button, cost
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(button)
        for label in (about, cost):
            label.setContentsMargins(26, 0, 0, 0)
            column.addWidget(label)
        self._list.addLayout(column)

    def _show_choice(self) -> None:
        chosen = self.choices.get(self._session.spec.source)
        self._group.setExclusive(False)
        for button in self.choices.values():
            button.setChecked(button is chosen)
        self._group.setExclusive(True)

    def take(self) -> None:
        """Load what was chosen, where it is another model than the one that is chosen already."""
        for source, button in self.choices.items():
            if button.isChecked() and source != self._session.spec.source:
                self._session.set_spec(replace(self._session.spec, source=source))


class GuideWindow(QWidget):
    """Three steps with Back and Next."""

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme):
        super().__init__(None, Qt.WindowType.Window)
        self._settings = ports.settings
        self._check = ports.check
        self.microphone = MicrophoneStep(session, bridge, ports, theme)
        self.speaker = SpeakerStep(session, bridge, ports, theme)
        self.model = ModelStep(session, bridge, ports, theme)
        self.steps = (self.microphone, self.speaker, self.model)
        self.stack = QStackedWidget()
        self.progress = text_label("", "small", "muted")
        self.later = QPushButton(tr("La&ter"))
        self.back = QPushButton(tr("&Back"))
        self.next = QPushButton()
        self.next.setProperty("kind", "primary")
        self.setWindowTitle(tr("Welcome to Parley"))
        self._arrange()
        self.later.clicked.connect(self.close)
        self.back.clicked.connect(lambda: self.show_step(self.stack.currentIndex() - 1))
        self.next.clicked.connect(self._forward)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        self.show_step(0)
        self.resize(WIDTH, HEIGHT)

    def _arrange(self) -> None:
        for step in self.steps:
            self.stack.addWidget(step)
        card = QFrame()
        card.setProperty("card", True)
        inner = QVBoxLayout(card)
        inner.setContentsMargins(22, 18, 22, 18)
        inner.addWidget(self.stack)
        row = QHBoxLayout()
        row.addWidget(self.progress)
        row.addStretch(1)
        for button in (self.later, self.back, self.next):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 12)
        column.setSpacing(12)
        column.addWidget(VerticalScroll(card), 1)
        column.addLayout(row)

    def open(self, over: QWidget | None = None) -> None:
        """Show it from the first step on, and remember that it was shown. over: the window in whose middle it is laid,
        where the system lets a program choose."""
        if over is not None and not self.isVisible():
            middle = QRect(QPoint(0, 0), self.size())
            middle.moveCenter(over.frameGeometry().center())
            self.move(middle.topLeft())
        self.show_step(0)
        self._settings.set(keys.GUIDE_SEEN, True)
        self.show()
        self.raise_()
        self.activateWindow()

    def show_step(self, number: int) -> None:
        self.stack.setCurrentIndex(number)
        last = number == len(self.steps) - 1
        self.progress.setText(tr("Step {number} of {count}").format(number=number + 1, count=len(self.steps)))
        self.progress.setAccessibleDescription(self.steps[number].title)
        self.back.setEnabled(number > 0)
        self.next.setText(tr("&Done") if last else tr("&Next"))
        if last:
            self.model.look()
        self.next.setFocus()

    def _forward(self) -> None:
        number = self.stack.currentIndex()
        if number < len(self.steps) - 1:
            self.show_step(number + 1)
            return
        self.model.take()
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._check.stop()
        super().closeEvent(event)
