"""What a voice, or a persona preset, may be called: one judgement for the window, the folder and the command line.

Owns the rule of user report U10: whatever a person would call it, spaces and accents included, as long as every system
can keep a file of that name in one folder. Pure functions; any thread.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

LONGEST = 80
_FORBIDDEN = '\\/:*?"<>|'
_DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))}


def name_problem(name: str, taken: Iterable[str] = ()) -> str:
    """ "" for a good name, else one sentence. taken: names that are in use; letter case does not tell them apart."""
    name = name.strip()
    if not name:
        return "Give it a name."
    if len(name) > LONGEST:
        return f"The name has {len(name)} characters; give it at most {LONGEST}."
    bad = [sign for sign in name if sign in _FORBIDDEN]
    if bad:
        return f"A name cannot hold the sign {bad[0]}"
    if any(unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp") for sign in name):
        return "The name holds a sign that cannot be seen; type it anew."
    if name.startswith(".") or name.endswith("."):
        return "A name cannot begin or end with a point."
    if name.split(".")[0].strip().lower() in _DEVICES:
        return f"Windows keeps the name {name} for itself; choose another one."
    if same_name(name) in {same_name(other) for other in taken}:
        return f"There is already one called {name}; choose another name."
    return ""


def same_name(name: str) -> str:
    """Equal for names that some system could not tell apart."""
    return unicodedata.normalize("NFC", name.strip()).casefold()
