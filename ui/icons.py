"""The window's icons, drawn for this program as strokes on a 24 x 24 grid and tinted with the theme.

Owns the drawings and their rendering; knows nothing else. Drawn here rather than taken from the system, whose icon
themes are missing on Windows and macOS and on small Linux desktops. Qt thread only.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_FRAME = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g fill="none" stroke="{colour}" '
    'stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round">{body}</g></svg>'
)
_MICROPHONE = (
    '<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3M8.5 21h7"/>'
)
DRAWINGS = {
    "start": '<path d="M8 5.5v13l10.5-6.5z" fill="{colour}"/>',
    "stop": '<rect x="6.5" y="6.5" width="11" height="11" rx="2" fill="{colour}"/>',
    "microphone": _MICROPHONE,
    "muted": _MICROPHONE + '<path d="M4 3.5l16 17"/>',
    "speaker": '<path d="M4 9.5v5h3.5l5 4v-13l-5 4z"/><path d="M16 9a4.2 4.2 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11"/>',
    "new": '<path d="M12 5.5v13M5.5 12h13"/>',
    "settings": '<path d="M4 7h8M18 7h2M4 17h2M12 17h8"/>'
    '<circle cx="15" cy="7" r="2.6"/><circle cx="9" cy="17" r="2.6"/>',
    "copy": '<rect x="9" y="9" width="11" height="11" rx="2"/>'
    '<path d="M15 5.5V5a1.5 1.5 0 0 0-1.5-1.5H5A1.5 1.5 0 0 0 3.5 5v8.5A1.5 1.5 0 0 0 5 15h.5"/>',
    "save": '<path d="M12 3.5v11M7.5 10.5l4.5 4.5 4.5-4.5"/>'
    '<path d="M4.5 17v2a1.5 1.5 0 0 0 1.5 1.5h12a1.5 1.5 0 0 0 1.5-1.5v-2"/>',
    "close": '<path d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>',
    "warning": '<path d="M12 4L2.8 19.5h18.4z"/><path d="M12 10v4.5M12 17.1v.1"/>',
    "error": '<circle cx="12" cy="12" r="8.8"/><path d="M12 7.5v5.5M12 16.4v.1"/>',
    "info": '<circle cx="12" cy="12" r="8.8"/><path d="M12 11v5.5M12 7.6v.1"/>',
    "engine": '<rect x="6.5" y="6.5" width="11" height="11" rx="2"/>'
    '<path d="M10 3.5v3M14 3.5v3M10 17.5v3M14 17.5v3M3.5 10h3M3.5 14h3M17.5 10h3M17.5 14h3"/>',
    "models": '<path d="M12 3.2l8 4.3-8 4.3-8-4.3z"/><path d="M4 12l8 4.3 8-4.3M4 16.5l8 4.3 8-4.3"/>',
    "voice": '<path d="M4 10v4M8 6.5v11M12 3.5v17M16 7.5v9M20 10v4"/>',
    "appearance": '<circle cx="12" cy="12" r="8.5"/><path d="M12 3.5v17a8.5 8.5 0 0 0 0-17z" fill="{colour}"/>',
    "record": '<circle cx="12" cy="12" r="8.5"/><circle cx="12" cy="12" r="3.6" fill="{colour}"/>',
    "details": '<path d="M4 4v16h16M8.5 16v-4M13 16V7.5M17.5 16v-6"/>',
    "refresh": '<path d="M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.8 3.5v4h-4"/>',
}


def svg(name: str, colour: str) -> QByteArray:
    """A drawing in a colour, as SVG text."""
    body = DRAWINGS[name].replace("{colour}", colour)
    return QByteArray(_FRAME.replace("{colour}", colour).replace("{body}", body).encode())


@lru_cache(maxsize=256)
def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """A drawing `size` logical pixels square for a screen of the given pixel ratio."""
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(svg(name, colour)).render(painter, QRectF(0, 0, picture.width(), picture.height()))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


def icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """A drawing as an icon, sharp at one and two pixels per point; `disabled`: colour when it cannot be used."""
    made = QIcon()
    for ratio in (1.0, 2.0):
        made.addPixmap(pixmap(name, colour, 20, ratio))
        if disabled:
            made.addPixmap(pixmap(name, QColor(disabled).name(), 20, ratio), QIcon.Mode.Disabled)
    return made


def program_icon(path: Path | None) -> QIcon:
    """The program's own icon from its SVG file; an empty icon when there is no file."""
    return QIcon(str(path)) if path is not None and path.is_file() else QIcon()
