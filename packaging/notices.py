"""The licences of everything that the packaged program carries, from the metadata of what was installed.

Owns finding out which distributions the collected files belong to, and the text THIRD-PARTY-NOTICES.txt. Used by
parley.spec within PyInstaller; standard library only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata as installed
from pathlib import Path

LICENCES = Path(__file__).resolve().parent / "licences"
_LICENCE_FILE = re.compile(r"(licen[cs]es?|copying|notice|copyright|authors|third[-_]?party)([-_.].*)?", re.I)
_FOLDERS = re.compile(r"(site|dist)-packages[/\\]([^/\\]+)")
# Wheels that hold no licence's text although their licence wants it to go along, or that hold a library whose does.
WITHOUT_TEXT = {
    "pyside6-essentials": ("LGPL-3", "GPL-3"),
    "shiboken6": ("LGPL-3", "GPL-3"),
    "soundfile": ("LGPL-2.1",),  # libsndfile
    "sentencepiece": ("Apache-2.0",),
}
_HEAD = """\
Third-party notices of Parley

This program contains the software below, each under its own licence. Parley itself is under the MIT licence (LICENSE).
Libraries under the LGPL (Qt, PySide6, libsndfile) are files of their own in this folder, and may be replaced by other
builds of the same version; their sources are at https://download.qt.io and https://github.com/libsndfile/libsndfile.
The program starts with code of PyInstaller (GPL-2.0, with an exception for programs that are started by it).
"""


def distributions(modules: Iterable[str], sources: Iterable[str]) -> list[installed.Distribution]:
    """What the modules (dotted names) and files (absolute paths) belong to, each once, by name."""
    tops = {name.split(".")[0] for name in modules}
    tops |= {match[2].split(".")[0] for match in map(_FOLDERS.search, sources) if match}
    owners = installed.packages_distributions()
    names = {normal(name) for top in tops for name in owners.get(top, ())}
    return [installed.distribution(name) for name in sorted(names - {"parley"})]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def metadata(packages: Iterable[installed.Distribution], folder: Path, version: str) -> list[tuple[str, str, str]]:
    """Name and version of each and of Parley, written to the folder: for `--version` and reports. PyInstaller's rows.

    Not the installers' own records, which name the folders of the computer that the program was built on.
    """
    rows = []
    known = {package.metadata["Name"]: package.version for package in packages}
    for name, number in sorted({**known, "parley": version}.items()):
        place = f"{re.sub(r'[-_.]+', '_', name)}-{number}.dist-info/METADATA"
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n", encoding="utf-8")
        rows.append((place, str(path), "DATA"))
    return rows


def text(packages: Iterable[installed.Distribution], binaries: Iterable[str]) -> str:
    """The whole file. binaries: absolute paths of the libraries that go along."""
    packages = list(packages)
    parts = [_HEAD, chapter(f"Python {sys.version.split()[0]}", "PSF-2.0", python_licence())]
    parts += [
        chapter(f"{package.metadata['Name']} {package.version}", licence_name(package), licence_texts(package))
        for package in packages
    ]
    parts += [chapter(*found) for found in system_licences(binaries)]
    wanted = {name for package in packages for name in WITHOUT_TEXT.get(normal(package.metadata["Name"]), ())}
    parts += [
        chapter(f"The text of {name}", "", (LICENCES / f"{name}.txt").read_text("utf-8")) for name in sorted(wanted)
    ]
    return "\n".join(parts)


def chapter(title: str, licence: str, body: str) -> str:
    line = "=" * 100
    return "\n".join(filter(None, (line, title, licence and f"Licence: {licence}", line, "", body.strip(), "")))


def licence_name(package: installed.Distribution) -> str:
    """As its metadata names it: an SPDX expression, a word, or the classifier."""
    said: Mapping[str, str] = package.metadata  # type: ignore[assignment]
    for field in ("License-Expression", "License"):
        value = (said.get(field) or "").strip()
        if value and "\n" not in value:
            return value
    classifiers = package.metadata.get_all("Classifier") or []
    named = [value.rsplit("::", 1)[-1].strip() for value in classifiers if value.startswith("License ::")]
    return ", ".join(named) or "not named in its metadata"


def licence_texts(package: installed.Distribution) -> str:
    """Every licence and notice that it was installed with; else what stands in its metadata."""
    found: dict[str, str] = {}
    for entry in package.files or ():
        inside = ".dist-info/" in entry.as_posix() and "/licenses/" in entry.as_posix()
        if inside or _LICENCE_FILE.fullmatch(entry.name):
            path = Path(str(entry.locate()))
            if path.is_file() and path.suffix not in (".py", ".pyc", ".h"):
                found.setdefault(path.read_text("utf-8", errors="replace").strip(), entry.as_posix())
    if found:
        return "\n\n".join(f"--- {where}\n\n{body}" for body, where in found.items())
    held = package.metadata.get("License") or ""
    texts = ", ".join(WITHOUT_TEXT.get(normal(package.metadata["Name"]), ()))
    urls = package.metadata.get_all("Project-URL") or []
    home = package.metadata.get("Home-page") or next(iter(urls), "").rsplit(", ", 1)[-1]
    return "\n".join(filter(None, (held, texts and f"Its text is at the end of this file: {texts}.", home)))


def python_licence() -> str:
    """The licence file of the Python that is packaged."""
    base = Path(sys.base_prefix)
    stdlib = Path(os.__file__).parent
    places = (stdlib / "LICENSE.txt", base / "LICENSE.txt", base / "LICENSE",
              Path(f"/usr/share/doc/python{sys.version_info[0]}.{sys.version_info[1]}/copyright"))  # fmt: skip
    for path in places:
        if path.is_file():
            return path.read_text("utf-8", errors="replace")
    return "https://docs.python.org/3/license.html"


def system_licences(binaries: Iterable[str]) -> list[tuple[str, str, str]]:
    """(package, "", text) for libraries taken from a Debian-like system, from its own copyright files."""
    outside = sorted({path for path in binaries if not _FOLDERS.search(path) and not path.startswith(sys.base_prefix)})
    packages = {package for path in outside for package in owning_packages(path)}
    found = []
    for package in sorted(packages):
        notice = Path("/usr/share/doc") / package / "copyright"
        if notice.is_file():
            found.append((f"{package} (a system library)", "", notice.read_text("utf-8", errors="replace")))
    return found


def owning_packages(path: str) -> list[str]:
    """Debian's package with this file, found under its real name or that of /usr moved together; [] elsewhere."""
    real = str(Path(path).resolve())
    for name in dict.fromkeys((path, real, real.removeprefix("/usr"), "/usr" + real)):
        try:
            done = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        except OSError:
            return []
        if done.returncode == 0:
            return [line.split(":")[0] for line in done.stdout.splitlines() if ": " in line]
    return []
