"""The program's icon in the forms that systems want, drawn from assets/icons/parley.svg: PNG, .ico and .icns.

Needs PySide6 and no display. The two containers are written here; both hold plain PNG pictures.
"""

from __future__ import annotations

import struct
from pathlib import Path

PNG_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 256)
ICNS_TYPES = {"ic11": 32, "ic12": 64, "ic07": 128, "ic13": 256, "ic08": 256, "ic14": 512, "ic09": 512, "ic10": 1024}


def png(svg: Path, size: int) -> bytes:
    """The drawing, size x size pixels, on a clear ground."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    picture = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(0)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(svg)).render(painter)
    painter.end()
    held = QByteArray()
    buffer = QBuffer(held)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    return held.data()


def ico(pictures: dict[int, bytes]) -> bytes:
    """Windows: size in pixels (256 at most) -> PNG."""
    table, at, rows = b"", 6 + 16 * len(pictures), sorted(pictures.items())
    for size, picture in rows:
        edge = size % 256  # 0 means 256
        table += struct.pack("<BBBBHHII", edge, edge, 0, 0, 1, 32, len(picture), at)
        at += len(picture)
    return struct.pack("<HHH", 0, 1, len(rows)) + table + b"".join(picture for _, picture in rows)


def icns(pictures: dict[str, bytes]) -> bytes:
    """macOS: type of ICNS_TYPES -> PNG."""
    body = b"".join(kind.encode() + struct.pack(">I", 8 + len(picture)) + picture for kind, picture in pictures.items())
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def write(svg: Path, folder: Path) -> None:
    """parley.ico, parley.icns and parley-<size>.png into the folder."""
    drawn = {size: png(svg, size) for size in {*PNG_SIZES, *ICO_SIZES, *ICNS_TYPES.values()}}
    folder.mkdir(parents=True, exist_ok=True)
    for size in PNG_SIZES:
        (folder / f"parley-{size}.png").write_bytes(drawn[size])
    (folder / "parley.ico").write_bytes(ico({size: drawn[size] for size in ICO_SIZES}))
    (folder / "parley.icns").write_bytes(icns({kind: drawn[size] for kind, size in ICNS_TYPES.items()}))
