"""Brings the window's translations up to date: python packaging/translate.py [--check].

Owns the way from the sources to what the program loads. Every text within `tr("...")` or `marked("...")` in `ui/` is
looked for in the .ts files of `ui/translations`, which people edit: new texts are added there as unfinished, those that
are gone are taken out, and translations stay. The sentences of `app/` and `engine/` (packaging/sentences.py) stand
there in a context of their own. Then PySide6's lrelease compiles each to the .qm beside it, with a list of the
sentences that have a translation, among which `ui/words.py` finds the one that it is to show. --check changes nothing
and fails when something would; what is not translated yet is counted.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

from sentences import sentences

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "ui" / "translations"
CONTEXT, SENTENCES = "Parley", "Sentences"  # these and the next two as in ui/words.py
LANGUAGE, TEMPLATES = "language", "templates"
LANGUAGES = ("de",)
Table = Mapping[str, Sequence[str]]


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


def sentence_texts() -> list[str]:
    """The templates of the sentences of app/ and engine/, sorted; what the window translates itself is not there."""
    own = set(texts())
    return [text for text in sentences(ROOT) if text not in own or text[0].islower()]


def translations(path: Path, context: str = CONTEXT) -> dict[str, str]:
    """Source -> translation of one context of a .ts file; unfinished ones are not there."""
    if not path.is_file():
        return {}
    found = {}
    for group in Xml.parse(path).getroot().iter("context"):  # noqa: S314 - our own file
        for message in group.iter("message") if group.findtext("name") == context else ():
            translation = message.find("translation")
            if translation is not None and translation.get("type") != "unfinished" and translation.text:
                found[message.findtext("source") or ""] = translation.text
    return found


def ts_tree(language: str, wanted: Table, known: Mapping[str, Mapping[str, str]]) -> Xml.Element:
    """The .ts file for these texts. wanted: of each context; known: likewise, with their translations."""
    root = Xml.Element("TS", version="2.1", language=language, sourcelanguage="en")
    for name, group in wanted.items():
        context = Xml.SubElement(root, "context")
        Xml.SubElement(context, "name").text = name
        for text in group:
            _message(context, text, known[name].get(text))
    return root


def _message(context: Xml.Element, text: str, translated: str | None) -> None:
    message = Xml.SubElement(context, "message")
    Xml.SubElement(message, "source").text = text
    translation = Xml.SubElement(message, "translation")
    if translated is None:
        translation.set("type", "unfinished")
    translation.text = translated


def ts_text(root: Xml.Element) -> str:
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def with_list(root: Xml.Element, language: str, known: Mapping[str, str]) -> Xml.Element:
    """The same with what a .qm cannot be asked for: which language it is, and which sentences it has."""
    whole = copy.deepcopy(root)
    context = next(group for group in whole.iter("context") if group.findtext("name") == SENTENCES)
    _message(context, LANGUAGE, language)
    _message(context, TEMPLATES, "\n".join(text for text in sorted(known)))
    return whole


def compiled(text: str) -> bytes:
    """The .qm of a .ts file's text. Raises CalledProcessError."""
    import PySide6

    folder = Path(PySide6.__file__).parent
    program = next((folder / name for name in ("lrelease", "lrelease.exe") if (folder / name).is_file()), None)
    if program is None:
        raise SystemExit("PySide6's lrelease is not installed: pip install PySide6-Essentials")
    with tempfile.TemporaryDirectory() as place:
        ts, qm = Path(place) / "made.ts", Path(place) / "made.qm"
        ts.write_text(text, encoding="utf-8", newline="\n")
        subprocess.run([str(program), "-silent", str(ts), "-qm", str(qm)], check=True)
        return qm.read_bytes()


def _put(path: Path, content: bytes) -> None:
    """As a new file: a window that runs in the language has mapped the old one, and would end if that changed."""
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(content)
    os.replace(beside, path)


def main() -> int:
    parser = argparse.ArgumentParser(description="Bring the window's translations up to date.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when something would change")
    check = parser.parse_args().check
    wanted = {CONTEXT: texts(), SENTENCES: sentence_texts()}
    stale = []
    for language in LANGUAGES:
        ts, qm = FOLDER / f"parley_{language}.ts", FOLDER / f"parley_{language}.qm"
        held = {context: translations(ts, context) for context in wanted}
        known = {name: {text: held[name][text] for text in wanted[name] if text in held[name]} for name in wanted}
        tree = ts_tree(language, wanted, known)
        text = ts_text(tree)
        if not ts.is_file() or ts.read_text(encoding="utf-8") != text:
            stale.append(ts.name)
            if not check:
                ts.write_text(text, encoding="utf-8", newline="\n")
        made = compiled(ts_text(with_list(tree, language, known[SENTENCES])))
        if not qm.is_file() or qm.read_bytes() != made:
            stale.append(qm.name)
            if not check:
                _put(qm, made)
        for name, group in wanted.items():
            print(f"{language}, {name}: {len(known[name])} of {len(group)} texts translated")
            for text in group:
                if text not in known[name]:
                    print(f"  missing: {text!r}")
    if stale:
        print(("out of date: " if check else "written: ") + ", ".join(stale))
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
