"""Brings the window's translations up to date: python packaging/translate.py [--check].

Owns the way from the sources to what the program loads. Every text within `tr("...")` or `marked("...")` in `ui/` is
looked for in the .ts files of `ui/translations`, which people edit: new texts are added there as unfinished, those that
are gone are taken out, and translations stay. Then PySide6's lrelease compiles each to the .qm beside it. --check
changes nothing and fails when something would.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as Xml

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "ui" / "translations"
CONTEXT = "Parley"
LANGUAGES = ("de",)


def texts() -> list[str]:
    """Every text for people in the window's sources, sorted."""
    found = set()
    for path in sorted((ROOT / "ui").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            first = node.args[0]
            if node.func.id in ("tr", "marked") and isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(first.value)
    return sorted(found)


def translations(path: Path) -> dict[str, str]:
    """Source -> translation of a .ts file; unfinished ones are not there."""
    if not path.is_file():
        return {}
    found = {}
    for message in Xml.parse(path).getroot().iter("message"):  # noqa: S314 - our own file
        translation = message.find("translation")
        if translation is not None and translation.get("type") != "unfinished" and translation.text:
            found[message.findtext("source") or ""] = translation.text
    return found


def ts_text(language: str, wanted: list[str], known: dict[str, str]) -> str:
    """The .ts file for these texts."""
    root = Xml.Element("TS", version="2.1", language=language, sourcelanguage="en")
    context = Xml.SubElement(root, "context")
    Xml.SubElement(context, "name").text = CONTEXT
    for text in wanted:
        message = Xml.SubElement(context, "message")
        Xml.SubElement(message, "source").text = text
        translation = Xml.SubElement(message, "translation")
        if text in known:
            translation.text = known[text]
        else:
            translation.set("type", "unfinished")
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def compiled(ts: Path) -> bytes:
    """The .qm of a .ts file. Raises CalledProcessError."""
    import PySide6

    folder = Path(PySide6.__file__).parent
    program = next((folder / name for name in ("lrelease", "lrelease.exe") if (folder / name).is_file()), None)
    if program is None:
        raise SystemExit("PySide6's lrelease is not installed: pip install PySide6-Essentials")
    with tempfile.TemporaryDirectory() as place:
        qm = Path(place) / "made.qm"
        subprocess.run([str(program), "-silent", str(ts), "-qm", str(qm)], check=True)
        return qm.read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(description="Bring the window's translations up to date.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when something would change")
    check = parser.parse_args().check
    wanted, stale = texts(), []
    for language in LANGUAGES:
        ts, qm = FOLDER / f"parley_{language}.ts", FOLDER / f"parley_{language}.qm"
        known = translations(ts)
        text = ts_text(language, wanted, known)
        if not ts.is_file() or ts.read_text(encoding="utf-8") != text:
            stale.append(ts.name)
            if not check:
                ts.write_text(text, encoding="utf-8", newline="\n")
        made = compiled(ts)
        if not qm.is_file() or qm.read_bytes() != made:
            stale.append(qm.name)
            if not check:
                qm.write_bytes(made)
        missing = [text for text in wanted if text not in known]
        print(f"{language}: {len(wanted) - len(missing)} of {len(wanted)} texts translated")
        for text in missing:
            print(f"  missing: {text!r}")
    if stale:
        print(("out of date: " if check else "written: ") + ", ".join(stale))
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
