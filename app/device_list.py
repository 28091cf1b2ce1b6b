"""`parley devices`: microphones and loudspeakers, by the names that the settings know.

Owns the two forms of the list. Asking the sound system belongs to `app.portaudio`. Main thread.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from app.devices import DeviceLists, DeviceRow
from app.errors import UserError


def print_devices(every: bool, as_json: bool, lists: DeviceLists | None = None) -> int:
    """every: the same hardware through lesser sound systems too. Raises UserError when there is nothing to list."""
    if lists is None:
        from app.portaudio import list_devices

        lists = list_devices()
    if as_json:
        print(json.dumps(_as_json(lists, every), indent=1))
    elif not lists.inputs and not lists.outputs:
        raise UserError(lists.note)
    else:
        print(as_text(lists, every))
    return 0 if lists.inputs or lists.outputs else 2


def as_text(lists: DeviceLists, every: bool) -> str:
    """Two lists with the default marked, what is missing, and how to choose."""
    lines: list[str] = []
    for title, rows in (("Microphones", lists.inputs), ("Loudspeakers", lists.outputs)):
        shown = _shown(rows, every)
        lines.append(f"{title}:")
        lines += [_line(row) for row in shown] or ["  none"]
        hidden = len(rows) - len(shown)
        if hidden:
            lines.append(f"  ({hidden} more of the same hardware with --all)")
    if lists.note:
        lines.append(lists.note)
    example = _example((*_shown(lists.inputs, every), *_shown(lists.outputs, every)))
    lines.append(f'To use one: parley --set "audio.input.name={example}", or in the window under Settings, Audio.')
    return "\n".join(lines)


def _line(row: DeviceRow) -> str:
    mark = "*" if row.is_default else " "
    channels = f"{row.channels} channel{'' if row.channels == 1 else 's'}"
    return f"{mark} {row.name}  [{row.host_api}, {channels}, {row.rate_hz:g} Hz{', default' if row.is_default else ''}]"


def _shown(rows: Sequence[DeviceRow], every: bool) -> list[DeviceRow]:
    return [row for row in rows if every or not row.duplicate]


def _example(rows: Sequence[DeviceRow]) -> str:
    return rows[0].name if rows else "NAME"


def _as_json(lists: DeviceLists, every: bool) -> dict[str, object]:
    return {
        "inputs": [asdict(row) for row in _shown(lists.inputs, every)],
        "outputs": [asdict(row) for row in _shown(lists.outputs, every)],
        "note": lists.note,
    }
