"""The choice between graph, eager and compiled as radio buttons over the mode actions.

Owns nothing but the binding: every group of radio buttons, in whichever window, mirrors the same three actions, so
they cannot part. Qt thread only.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QBoxLayout, QButtonGroup, QRadioButton, QVBoxLayout, QWidget

from ui.actions import Actions
from ui.labels import wrapped_label
from ui.words import tr


class ModeRadios(QWidget):
    """A radio button per mode. explain: each mode's description, or why it cannot be used, stands under it."""

    def __init__(self, actions: Actions, explain: bool = False):
        super().__init__()
        self.buttons: dict[str, QRadioButton] = {}
        self.reasons = {}
        self._group = QButtonGroup(self)
        self.setAccessibleName(tr("Engine mode"))
        direction = QBoxLayout.Direction.TopToBottom if explain else QBoxLayout.Direction.LeftToRight
        layout = QBoxLayout(direction, self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10 if explain else 14)
        for mode, action in actions.modes.items():
            button = QRadioButton()
            button.setObjectName(f"radio_{mode}")
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self.buttons[mode] = button
            self._group.addButton(button)
            if explain:
                self.reasons[mode] = wrapped_label("", "small", "muted")
                layout.addLayout(_under(button, self.reasons[mode]))
            else:
                layout.addWidget(button)
            self._bind(mode, button, action)

    def _bind(self, mode: str, button: QRadioButton, action: QAction) -> None:
        def follow() -> None:
            name = action.text().replace("&", "")
            button.setText(name)
            button.setEnabled(action.isEnabled())
            button.setToolTip(action.toolTip())
            button.setAccessibleName(tr("{mode} mode").format(mode=name))
            button.setAccessibleDescription(action.statusTip())
            if mode in self.reasons:
                self.reasons[mode].setText(action.statusTip())
            if button.isChecked() != action.isChecked():
                self._group.setExclusive(False)
                button.setChecked(action.isChecked())
                self._group.setExclusive(True)

        # clicked, not toggled: only a person's choice asks the engine, the engine's answer merely shows
        button.clicked.connect(lambda _checked=False: action.trigger())
        action.changed.connect(follow)
        follow()


def _under(button: QRadioButton, reason: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(1)
    column.addWidget(button)
    reason.setContentsMargins(26, 0, 0, 0)
    column.addWidget(reason)
    return column
