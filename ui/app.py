"""Running the window: application object, theme, session, bridge, and the end.

Owns the order in which the window's parts come to life; `app.main` calls `run_window` with a conversation that already
has its thread, and closes that conversation afterwards. Main thread only.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from ui import icons
from ui import ports as keys
from ui.bridge import Bridge
from ui.language import speak
from ui.main_window import MainWindow
from ui.ports import ConversationPort, Ports
from ui.session import Session
from ui.theme import THEMES, Theme


@dataclass(frozen=True)
class Window:
    """The window with what keeps it alive."""

    main: MainWindow
    session: Session
    bridge: Bridge
    theme: Theme
    ports: Ports


def make_window(application: QApplication, conversation: ConversationPort, ports: Ports) -> Window:
    """Build everything and show nothing yet."""
    theme_name, text_size = ports.settings.get(keys.THEME), ports.settings.get(keys.TEXT_SIZE)
    theme = Theme(
        application,
        theme_name if isinstance(theme_name, str) and theme_name in THEMES else "system",
        text_size if isinstance(text_size, int) else 100,
        bool(ports.settings.get(keys.REDUCED_MOTION)),
    )
    session = Session(conversation, ports)
    bridge = Bridge(conversation, session)
    return Window(MainWindow(session, bridge, ports, theme), session, bridge, theme, ports)


def run_window(conversation: ConversationPort, ports: Ports, arguments: Sequence[str] = ()) -> int:
    """Show the window and stay until it is closed. Returns the exit status. The caller closes the conversation."""
    application = QApplication([sys.argv[0], *arguments])
    application.setApplicationName("Parley")
    application.setApplicationDisplayName("Parley")
    application.setApplicationVersion(ports.version)
    application.setDesktopFileName("parley")
    application.setWindowIcon(icons.program_icon(ports.icon))
    speak(application, str(ports.settings.get(keys.LANGUAGE)))
    window = make_window(application, conversation, ports)
    # Python looks at signals only between its own instructions; the bridge's beat gives it the chance. The closing is
    # left to the event loop: before that runs, it would close a window that is shown afterwards, or end nothing.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, lambda _number, _frame: QTimer.singleShot(0, window.main.leaving.end))
    application.commitDataRequest.connect(lambda *_: window.main.leaving.session_ends())
    window.main.show()
    window.main.rescue.return_to_place()
    window.bridge.start()
    window.session.begin(load=ports.load_at_start)
    if not ports.settings.get(keys.GUIDE_SEEN):
        window.main.errands.open_guide()
    return application.exec()
