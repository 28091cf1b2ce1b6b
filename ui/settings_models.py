"""Settings, Models: what is on this computer, downloading, checking, deleting, and which one to talk with.

Owns the page's sections and what follows each deed; the work is the models port's, the model in use is the session's.
Looks at the disk when it is shown and after every deed, never with a beat. Qt thread only.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ui.ask_rows import ConfirmRow
from ui.bridge import Bridge
from ui.figures import format_bytes
from ui.hub_access import HubAccess
from ui.labels import set_tone, text_label, wrapped_label
from ui.model_card import ModelCard, VariantRow
from ui.model_ports import VariantLike
from ui.model_work import ModelWork
from ui.ports import Ports
from ui.scrolling import bring_into_view
from ui.session import Session
from ui.settings_page import Page
from ui.theme import Theme
from ui.words import tr, translated


class ModelsPage(Page):
    """The models."""

    def __init__(self, session: Session, bridge: Bridge, ports: Ports, theme: Theme):
        super().__init__(tr("Models"))
        self._session = session
        self._bridge = bridge
        self._models = ports.models
        self._offered = tuple(source for source in ports.model_sources if source != "mini")
        self._shown: object = None  # the inventory that the cards stand for
        self._busy = False
        self.cards: list[ModelCard] = []
        self.orphans: list[VariantRow] = []
        self.work = ModelWork(session, ports.models, theme)
        self.waiting = text_label(tr("Looking at the disk"), "small", "muted")
        self.confirm = ConfirmRow()
        self.source = QComboBox()
        self.source.setEditable(True)
        self.source.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.source.setAccessibleName(tr("Model's id on Hugging Face, owner/name"))
        self.download = QPushButton(tr("&Download"))
        self.download.setProperty("kind", "primary")
        self.why = wrapped_label("", "small", "muted")
        self.room = wrapped_label("", "small", "muted")
        self.access = HubAccess(bridge, ports.models)
        self._arrange()
        self._connect()
        self.fill()

    def _arrange(self) -> None:
        self.column.addWidget(self.work)
        column = self.section(tr("On this computer"))
        self._cards = QVBoxLayout()
        self._cards.setSpacing(8)
        column.addWidget(self.waiting)
        column.addWidget(self.confirm)
        column.addLayout(self._cards)
        self._orphans_box = QWidget()
        orphans = QVBoxLayout(self._orphans_box)
        orphans.setContentsMargins(0, 4, 0, 0)
        orphans.setSpacing(4)
        orphans.addWidget(text_label(tr("Converted from models that are not here any more"), "label"))
        self.orphan_question = ConfirmRow()
        self._orphans = QVBoxLayout()
        orphans.addLayout(self._orphans)
        orphans.addWidget(self.orphan_question)
        column.addWidget(self._orphans_box)
        column = self.section(tr("Download a model"))
        row = QHBoxLayout()
        label = text_label(tr("&Model"), "body")
        label.setBuddy(self.source)
        row.addWidget(label)
        row.addWidget(self.source, 1)
        row.addWidget(self.download)
        column.addLayout(row)
        column.addWidget(self.why)
        column.addWidget(self.room)
        column = self.section(tr("Models with a licence"))
        column.addWidget(self.access)
        self.column.addStretch(1)

    def _connect(self) -> None:
        session = self._session
        self.source.editTextChanged.connect(lambda _text: self._judge())
        line = self.source.lineEdit()
        assert line is not None
        line.setPlaceholderText(tr("owner/name, as on Hugging Face"))
        line.returnPressed.connect(self._download_typed)
        self.download.clicked.connect(self._download_typed)
        self.access.said.connect(self.say)
        self.access.again.connect(self.fetch)
        self._bridge.ticked.connect(self._follow)
        session.spec_changed.connect(self._show_states)
        session.refused.connect(lambda _refusal: self._propose())
        session.phase_changed.connect(lambda _phase: self._load_ended())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.look()

    def hideEvent(self, event: QHideEvent) -> None:
        """A token that was typed and not given stays nowhere."""
        self.access.token.clear()
        super().hideEvent(event)

    # ------------------------------------------------------------------ what is there

    def look(self) -> None:
        """Read the disk, and show what is there."""
        self._bridge.when_done(self._models.look(), self._looked)

    def _looked(self, sentence: str) -> None:
        if sentence:
            self.say(sentence)
        self.fill()

    def fill(self) -> None:
        """Show what the port knows."""
        inventory = self._models.inventory
        if inventory != self._shown:
            self._shown = inventory
            self._make_cards()
            self._make_orphans(tuple(inventory.orphans))
            self._offer()
        self.waiting.setVisible(not self.cards)
        words = tr(
            "Downloads go to {folder}, where {free} are free. What ends early goes on where it stopped; once a model "
            "is here, nothing more is fetched."
        )
        self.room.setText(words.format(folder=inventory.folder, free=format_bytes(inventory.free)))
        self.access.show_state()
        self._show_states()
        self._judge()

    def _make_cards(self) -> None:
        focused = next((card.model.source for card in self.cards if card.isAncestorOf(self.focusWidget() or self)), "")
        _empty(self._cards)
        self.cards = []
        for model in self._models.inventory.models:
            card = ModelCard(model)
            source = model.source
            card.use_wanted.connect(lambda source=source: self.use(source))
            card.download_wanted.connect(lambda source=source: self.fetch(source))
            card.check_wanted.connect(lambda source=source: self._do(self._models.check(source)))
            card.repair_wanted.connect(lambda source=source: self._do(self._models.repair(source)))
            card.delete_wanted.connect(lambda source=source: self._do(self._models.delete(source)))
            card.variant_delete_wanted.connect(self._delete_variant)
            self.cards.append(card)
            self._cards.addWidget(card)
            if source == focused:
                card.use.setFocus()

    def _make_orphans(self, orphans: tuple[VariantLike, ...]) -> None:
        _empty(self._orphans)
        self.orphans = [VariantRow(variant, self.orphan_question, self._delete_variant) for variant in orphans]
        for row in self.orphans:
            self._orphans.addWidget(row)
        self._orphans_box.setVisible(bool(orphans))

    def _offer(self) -> None:
        """Offer what is not here; what is being typed stays."""
        here = {model.source for model in self._models.inventory.models if model.whole}
        typed = self.source.currentText() if self.source.count() else ""
        missing = [source for source in self._offered if source not in here]
        self.source.blockSignals(True)
        self.source.clear()
        self.source.addItems(missing)
        self.source.setEditText(typed if typed and typed not in here else missing[0] if missing else "")
        self.source.blockSignals(False)

    def _propose(self) -> None:
        """A load was refused, perhaps for want of its model: name that one for download."""
        source = (self._session.refused_spec or self._session.spec).source
        if not self.isVisible() and not self._models.problem(source):  # nobody's typing is overwritten
            self.source.setEditText(source)

    def _show_states(self) -> None:
        chosen = self._session.spec.source
        for card in self.cards:
            report = self._models.reports.get(card.model.source)
            card.show_state(card.model.source == chosen, self._busy, report)

    def _judge(self) -> None:
        """Say at once why something cannot be downloaded."""
        source = self.source.currentText().strip()
        problem = translated(self._models.problem(source))
        self.access.name("" if problem else source)
        busy = tr("Something is being downloaded or checked; wait for it, or cancel it.") if self._busy else ""
        self.download.setEnabled(not problem and not busy)
        self.download.setToolTip(problem or busy)
        self.download.setAccessibleDescription(problem or busy)
        self.why.setText(problem)
        self.why.setVisible(bool(problem and source))
        set_tone(self.why, "near")

    def _follow(self) -> None:
        """Show what is under way; when something has begun or ended, the whole page follows."""
        self.work.follow()
        if self.work.busy != self._busy:
            self._busy = self.work.busy
            self.fill()

    def _load_ended(self) -> None:
        if self._session.phase != "loading" and self.isVisible():
            self.look()  # a load may have downloaded or converted something

    # ------------------------------------------------------------------ deeds

    def use(self, source: str) -> None:
        """Talk with this model from now on; in a talk that is asked first."""
        spec = replace(self._session.spec, source=source)
        if not self._session.talking:
            self._session.set_spec(spec)
            return
        question = tr("Loading another model ends the talk that is running.")
        self.confirm.ask(question, tr("&Load now"), lambda: self._session.set_spec(spec))

    def _download_typed(self) -> None:
        source = self.source.currentText().strip()
        if self.download.isEnabled():
            self.fetch(source)

    def fetch(self, source: str) -> None:
        """Download a model, or go on with it."""
        self.say("")
        self._bridge.when_done(self._models.download(source), lambda sentence: self._fetched(source, sentence))
        self._follow()

    def _fetched(self, source: str, sentence: str) -> None:
        self.fill()
        refused = self._models.refused
        if not sentence or refused is None or refused.source != source:
            self.say(sentence)
            return
        self.say(tr("{model} was not given out; what to do stands under “Models with a licence”.").format(model=source))
        bring_into_view(self.access)
        self.access.open_model.setFocus()

    def _delete_variant(self, name: str) -> None:
        self._do(self._models.delete_variant(name))

    def _do(self, answer: Future[str]) -> None:
        self.say("")

        def finished(sentence: str) -> None:
            self.fill()
            self.say(sentence)

        self._bridge.when_done(answer, finished)
        self._follow()


def _empty(layout: QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
