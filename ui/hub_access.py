"""The way to models that are given only to those who have accepted their licence: step by step, and the token.

Owns the guidance and the field for the token, which goes to Hugging Face's own store and is wiped from the field at
once; the window keeps none. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from ui.ask_rows import ConfirmRow
from ui.bridge import Bridge
from ui.labels import set_tone, text_label, wrapped_label
from ui.model_ports import ModelsPort
from ui.words import tr

HUB = "https://huggingface.co"
TOKEN_PAGE = f"{HUB}/settings/tokens"


class HubAccess(QWidget):
    """`said` carries a sentence for the page ("" takes it away); `again` asks for the refused model once more."""

    said = Signal(str)
    again = Signal(str)

    def __init__(self, bridge: Bridge, models: ModelsPort):
        super().__init__()
        self._bridge = bridge
        self._models = models
        self._source = ""  # of the model whose page is opened: the one that was refused, or is named for download
        self._named = ""
        self.refusal = wrapped_label("", "label", "near")
        self.steps = wrapped_label("")
        self.open_model = QPushButton(tr("Open the model's &page"))
        self.open_tokens = QPushButton(tr("Open the &token page"))
        self.again_button = QPushButton(tr("Try &again"))
        self.token = QLineEdit()
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setPlaceholderText("hf_\N{HORIZONTAL ELLIPSIS}")
        self.token.setAccessibleName(tr("Access token of Hugging Face"))
        self.keep = QPushButton(tr("&Save"))
        self.state = wrapped_label("", "small", "muted")
        self.forget = QPushButton(tr("For&get it\N{HORIZONTAL ELLIPSIS}"))
        self.confirm = ConfirmRow()
        self._arrange()
        self.open_model.clicked.connect(lambda: self._open(f"{HUB}/{self._source}"))
        self.open_tokens.clicked.connect(lambda: self._open(TOKEN_PAGE))
        self.again_button.clicked.connect(lambda: self.again.emit(self._source))
        self.token.textChanged.connect(lambda text: self.keep.setEnabled(bool(text.strip())))
        self.token.returnPressed.connect(self._keep)
        self.keep.clicked.connect(self._keep)
        self.forget.clicked.connect(self._ask_forget)
        self.keep.setEnabled(False)
        self.show_state()

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.refusal)
        column.addWidget(self.steps)
        pages = QHBoxLayout()
        for button in (self.open_model, self.open_tokens, self.again_button):
            pages.addWidget(button)
        pages.addStretch(1)
        column.addLayout(pages)
        row = QHBoxLayout()
        label = text_label(tr("Tok&en"), "body")
        label.setBuddy(self.token)
        row.addWidget(label)
        row.addWidget(self.token, 1)
        row.addWidget(self.keep)
        column.addLayout(row)
        below = QHBoxLayout()
        below.addWidget(self.state, 1)
        below.addWidget(self.forget)
        column.addLayout(below)
        column.addWidget(self.confirm)

    def name(self, source: str) -> None:
        """The model that is named for download; "" for none."""
        if source != self._named:
            self._named = source
            self.show_state()

    def show_state(self) -> None:
        """Show what the port knows: whether a token is kept, and which model was refused."""
        refused, token = self._models.refused, self._models.token
        self._source = refused.source if refused is not None else self._named
        self.refusal.setVisible(refused is not None)
        self.open_model.setVisible(bool(self._source))
        self.again_button.setVisible(refused is not None)
        if refused is not None and refused.signed_in:
            words = tr("{model} was refused: the account of your token has not accepted its licence.")
        else:
            words = tr("{model} was refused: it asks for an account and an accepted licence.")
        self.refusal.setText(words.format(model=self._source))
        self.open_model.setToolTip(f"{HUB}/{self._source}")
        self.steps.setText(
            tr(
                "Some models are given only to those who have accepted their licence, once:\n"
                "1. Sign in at huggingface.co, open the model's page there and accept the licence.\n"
                "2. Make a token of the kind “Read” on the token page, and copy it.\n"
                "3. Paste it here. Hugging Face's own store keeps it, for its other tools too; Parley keeps none."
            )
        )
        if token.from_environment:
            said = tr("A token is given by the variable HF_TOKEN, and that one is used.")
        elif token.kept:
            said = tr("A token is kept in {file}.").format(file=token.file)
        else:
            said = tr("No token is kept on this computer.")
        self.state.setText(said)
        self.forget.setVisible(token.kept and not token.from_environment)

    # ------------------------------------------------------------------ deeds

    def _open(self, page: str) -> None:
        if not QDesktopServices.openUrl(QUrl(page)):
            self.said.emit(tr("No browser could be opened; the page is {page}").format(page=page))

    def _keep(self) -> None:
        text = self.token.text()
        if not text.strip():
            return
        self.token.clear()
        self._wait(tr("Asking Hugging Face about the token"))
        self._bridge.when_done(self._models.keep_token(text), self._kept)

    def _kept(self, sentence: str) -> None:
        self.said.emit(sentence)
        self.show_state()
        if not sentence and self.again_button.isVisible():
            self.again_button.setFocus()

    def _ask_forget(self) -> None:
        question = tr("Remove the token? Hugging Face's other tools on this computer lose it too.")
        self.confirm.ask(question, tr("&Remove it"), self._forget)

    def _forget(self) -> None:
        self._wait(tr("Removing the token"))
        self._bridge.when_done(self._models.forget_token(), self._kept)

    def _wait(self, words: str) -> None:
        self.said.emit("")
        self.state.setText(words)
        set_tone(self.state, "muted")
