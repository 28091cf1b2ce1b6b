"""Sound devices as the user knows them: by name and host API, grouped, without repetitions, the default first.

Owns identity, listing and resolution, as pure functions over the lists that PortAudio gives. Must not open anything or
keep a device number beyond one opening: numbers shift whenever something is plugged in. Called on the devices thread,
and by `parley devices`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

DIRECTIONS = ("input", "output")

# Best first. On Windows one endpoint shows through four host APIs, and the older three are wrappers of the first or
# lack its resampling; they are offered only when the better ones are absent.
HOST_APIS = (
    "Core Audio",
    "Windows WASAPI",
    "PulseAudio",
    "ALSA",
    "JACK Audio Connection Kit",
    "ASIO",
    "Windows DirectSound",
    "MME",
    "Windows WDM-KS",
    "OSS",
)
WINDOWS_FAMILY = ("Windows WASAPI", "Windows DirectSound", "MME", "Windows WDM-KS")

# ALSA lists its plugins beside devices; nobody chooses these by hand.
ALSA_PLUGINS = re.compile(
    r"(sysdefault|front|rear|center_lfe|side|surround\d\d|iec958|spdif|hdmi|dmix|dsnoop|null|lavrate|samplerate"
    r"|speex|speexrate|upmix|vdownmix|a52|jack|oss|usbstream|modem|phoneline)(:.*)?$"
)
ALSA_NUMBERS = re.compile(r"\s*\(hw:\d+,\d+\)")  # the card's number, which changes with the order of plugging in
MME_LENGTH = 31  # MME cuts names off here


@dataclass(frozen=True)
class DeviceRef:
    """A device as saved in the settings. An empty name means "whatever the system's default is"."""

    name: str = ""
    host_api: str = ""


SYSTEM_DEFAULT = DeviceRef()


@dataclass(frozen=True)
class DeviceRow:
    """A device as listed, for one direction."""

    name: str
    host_api: str
    channels: int
    rate_hz: float
    is_default: bool = False
    duplicate: bool = False  # the same hardware through a lesser host API, or a plugin: shown only on request


@dataclass(frozen=True)
class Device:
    """A row with what is needed to open it now. index: PortAudio's number, valid until the next initialisation."""

    index: int
    row: DeviceRow


class DeviceLists(NamedTuple):
    """What is there and what is chosen. revision grows with every change; note: a sentence when something is wrong."""

    revision: int = 0
    inputs: tuple[DeviceRow, ...] = ()
    outputs: tuple[DeviceRow, ...] = ()
    input_choice: DeviceRef = SYSTEM_DEFAULT
    output_choice: DeviceRef = SYSTEM_DEFAULT
    note: str = ""


class Resolved(NamedTuple):
    """The device to open; fallback: the one asked for is not there, so this is the default in its place."""

    device: Device
    fallback: bool


def found_devices(
    devices: Sequence[Mapping[str, Any]], host_apis: Sequence[Mapping[str, Any]], direction: str
) -> tuple[Device, ...]:
    """All devices of a direction, the default first, duplicates last, else by host API and name.

    devices, host_apis: as `sounddevice.query_devices()` and `query_hostapis()` give them.
    """
    default = _default_index(devices, host_apis, direction)
    present = {_api_name(device, host_apis) for device in devices if _channels(device, direction) > 0}
    taken: dict[str, int] = {}  # plain name -> rank of the best host API that offers it
    for device in devices:
        if _channels(device, direction) > 0:
            plain = plain_name(device["name"])
            rank = _rank(_api_name(device, host_apis))
            taken[plain] = min(rank, taken.get(plain, rank))
    found = []
    for index, device in enumerate(devices):
        if _channels(device, direction) < 1:
            continue
        api = _api_name(device, host_apis)
        duplicate = index != default and (
            _rank(api) > taken[plain_name(device["name"])]
            or _is_lesser_on_windows(api, present)
            or (api == "ALSA" and ALSA_PLUGINS.match(device["name"]) is not None)
        )
        row = DeviceRow(
            name=device["name"],
            host_api=api,
            channels=_channels(device, direction),
            rate_hz=float(device["default_samplerate"]),
            is_default=index == default,
            duplicate=duplicate,
        )
        found.append(Device(int(device.get("index", index)), row))
    return tuple(sorted(found, key=_order))


def resolve(found: Sequence[Device], ref: DeviceRef) -> Resolved | None:
    """The device that `ref` means among those found (see `found_devices`), or the default when it is not there.

    In this order: the same name and host API; the same hardware under another number or host API; the default. None:
    there is no device at all.
    """
    if not found:
        return None
    if not ref.name:
        return Resolved(_default(found), fallback=False)
    for device in found:
        if (device.row.name, device.row.host_api) == (ref.name, ref.host_api):
            return Resolved(device, fallback=False)
    plain = plain_name(ref.name)
    same = [device for device in found if plain_name(device.row.name) == plain]
    for device in sorted(same, key=lambda device: (device.row.host_api != ref.host_api, _rank(device.row.host_api))):
        return Resolved(device, fallback=False)
    return Resolved(_default(found), fallback=True)


def is_there(found: Sequence[Device], ref: DeviceRef) -> bool:
    """Whether this very device is among those found, also under another number."""
    same = (plain_name(ref.name), ref.host_api)
    return any((plain_name(device.row.name), device.row.host_api) == same for device in found)


def plain_name(name: str) -> str:
    """What stays the same of a device's name across host APIs and replugging."""
    return ALSA_NUMBERS.sub("", name).strip().casefold()[:MME_LENGTH].rstrip()


def opening_rates(row: DeviceRow) -> tuple[float, ...]:
    """Sample rates to try, in this order: the device's own first, since anything else is resampled twice."""
    usual = (48000.0, 44100.0, 24000.0, 32000.0, 16000.0, 96000.0, 8000.0)
    # ALSA's doors to a sound server report a fixed 44,100 Hz whatever the hardware behind the server runs at.
    is_server = row.host_api == "ALSA" and row.name in ("default", "pulse", "pipewire")
    first = usual[:2] if is_server else (row.rate_hz,)
    return tuple(dict.fromkeys(rate for rate in (*first, *usual) if math.isfinite(rate) and rate > 0))


def _default(found: Sequence[Device]) -> Device:
    return next((device for device in found if device.row.is_default), found[0])


def _default_index(devices: Sequence[Mapping[str, Any]], host_apis: Sequence[Mapping[str, Any]], direction: str) -> int:
    """The default of the best host API that has one; never a device that is merely called "default". -1: none."""
    for api in sorted(host_apis, key=lambda api: _rank(api["name"])):
        index = int(api[f"default_{direction}_device"])
        if 0 <= index < len(devices) and _channels(devices[index], direction) > 0:
            return index
    return -1


def _channels(device: Mapping[str, Any], direction: str) -> int:
    return int(device[f"max_{direction}_channels"])


def _api_name(device: Mapping[str, Any], host_apis: Sequence[Mapping[str, Any]]) -> str:
    number = device["hostapi"]
    return str(host_apis[number]["name"]) if 0 <= number < len(host_apis) else "unknown"


def _rank(api: str) -> int:
    return HOST_APIS.index(api) if api in HOST_APIS else len(HOST_APIS)


def _is_lesser_on_windows(api: str, present: set[str]) -> bool:
    if api not in WINDOWS_FAMILY:
        return False
    return any(better in present for better in WINDOWS_FAMILY[: WINDOWS_FAMILY.index(api)])


def _order(device: Device) -> tuple[bool, bool, int, str]:
    row = device.row
    return (not row.is_default, row.duplicate, _rank(row.host_api), row.name.casefold())
