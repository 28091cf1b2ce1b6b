"""`parley doctor`: everything that a talk needs, line by line: what is right, what is wrong, what to do.

Owns the order of the examinations, the verdict and the two forms of the report. It works with any part of the program
missing, since it runs when something is. The same text serves as the diagnostics of a bug report: it holds no prompt,
no transcript and no token. Main thread, or a worker for the window. Nothing here may hang: the sound system has ten
seconds, the kernel compiler, which on a card is tried in a process of its own, two minutes; it takes a few seconds.
"""

from __future__ import annotations

import json
import shutil
import textwrap
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from app import checks
from app.checks import NOTE, RIGHT, TALK, WINDOW, WRONG, Finding, first_line
from app.config import load
from app.errors import UserError
from app.graphics_card import list_cards
from app.memory import gib
from app.paths import user_config_file

SOUND_SECONDS = 10  # a driver may hang for ever
_MARKS = {RIGHT: "right", WRONG: "WRONG", NOTE: "note"}


class Report(NamedTuple):
    """All findings, the fit table of the 7B model, and what can be done with this computer as it is."""

    findings: tuple[Finding, ...]
    fit: dict[str, tuple[int, dict[int, bool]]]

    @property
    def can_talk(self) -> bool:
        """Through files: `parley talk`."""
        return not any(TALK in finding.blocks for finding in self.findings)

    @property
    def can_talk_live(self) -> bool:
        """In the window, with microphone and loudspeaker."""
        return self.can_talk and not any(WINDOW in finding.blocks for finding in self.findings)


def run_doctor(config_file: Path | None, overrides: Iterable[str], as_json: bool) -> int:
    """Examine, print. Exit status 0 when a talk is possible at all, else 1."""
    report = examine(config_file, overrides)
    print(report_json(report) if as_json else report_text(report))
    return 0 if report.can_talk else 1


def examine(config_file: Path | None = None, overrides: Iterable[str] = ()) -> Report:
    """Every examination, each on its own: one that fails is a finding and not the end."""
    torch = checks.read_torch()
    cards = list_cards()
    overrides = tuple(overrides)
    examinations: tuple[tuple[str, Callable[[], list[Finding]]], ...] = (
        ("program", checks.check_program),
        ("settings", lambda: _settings(config_file, overrides)),
        ("torch", lambda: checks.check_torch(torch, cards)),
        ("packages", checks.check_packages),
        ("modes", lambda: checks.check_modes(torch)),
        ("memory", lambda: checks.check_memory(torch, cards)),
        ("model", lambda: checks.check_bundled_model(torch)),
        ("model", checks.check_downloaded_models),
        ("sound", _sound),
        ("words", lambda: _recogniser(config_file, overrides)),
        ("window", checks.check_window),
    )
    findings = tuple(finding for area, look in examinations for finding in _guarded(area, look))
    return Report(findings, checks.fit_rows())


def report_text(report: Report, width: int | None = None) -> str:
    """For people: one entry a finding, remedies under it, the verdict last."""
    width = width or max(60, min(110, shutil.get_terminal_size((100, 24)).columns))
    lines: list[str] = []
    for finding in report.findings:
        head = f"{_MARKS[finding.state]:<6}{finding.area:<10}"
        lines += textwrap.wrap(finding.sentence, width, initial_indent=head, subsequent_indent=" " * len(head))
        if finding.remedy:
            lines += textwrap.wrap(
                f"To do: {finding.remedy}", width, initial_indent=" " * len(head), subsequent_indent=" " * len(head)
            )
    return "\n".join([*lines, "", *fit_lines(report), "", *textwrap.wrap(verdict(report), width)])


def fit_lines(report: Report) -> list[str]:
    """The fit table: one line a precision, one column a card size; then what KV in 8 bits saves."""
    sizes = list(next(iter(report.fit.values()))[1])
    lines = ["A 7B model on a card of".ljust(32) + "".join(f"{size} GB".rjust(7) for size in sizes)]
    for precision, (needed, fits) in report.fit.items():
        head = f"  in {precision}, {gib(needed)}"
        lines.append(head.ljust(32) + "".join(("fits" if fits[size] else "no").rjust(7) for size in sizes))
    return [*lines, f"  {checks.kv_sentence()}"]


def verdict(report: Report) -> str:
    """One sentence."""
    if report.can_talk_live:
        return "This computer can talk: live in the window (parley), and through files (parley talk)."
    if report.can_talk:
        return "This computer can talk through files (parley talk); for a live talk, mend what is marked WRONG."
    return "This computer cannot talk yet: mend what is marked WRONG."


def report_json(report: Report) -> str:
    """For programs: the verdicts and all findings."""
    return json.dumps(
        {
            "can_talk": report.can_talk,
            "can_talk_live": report.can_talk_live,
            "findings": [{**finding._asdict(), "blocks": list(finding.blocks)} for finding in report.findings],
            "fit": [
                {"precision": precision, "needed_bytes": needed, "cards_gib": {str(size): fits[size] for size in fits}}
                for precision, (needed, fits) in report.fit.items()
            ],
        },
        indent=1,
    )


def _settings(config_file: Path | None, overrides: tuple[str, ...]) -> list[Finding]:
    path = config_file or user_config_file()
    try:
        return checks.check_settings(path, load(config_file, overrides), "")
    except UserError as error:
        return checks.check_settings(path, None, str(error))


def _recogniser(config_file: Path | None, overrides: tuple[str, ...]) -> list[Finding]:
    try:
        wish = load(config_file, overrides, forgiving=True).config.transcript
    except UserError:  # told by the settings' own examination
        return []
    return checks.check_recogniser(wish.model) if wish.user else []


def _sound() -> list[Finding]:
    """Asks on a thread of its own, which is left behind when the driver does not come back."""
    answers: list[Any] = []

    def ask() -> None:
        from app.portaudio import list_devices

        answers.append(list_devices())

    thread = threading.Thread(target=ask, name="sound", daemon=True)
    thread.start()
    thread.join(SOUND_SECONDS)
    if not answers:
        sentence = f"The sound system did not answer within {SOUND_SECONDS} s."
        return [Finding("sound", WRONG, sentence, "restart its sound server or the computer", (WINDOW,))]
    return checks.check_sound(answers[0])


def _guarded(area: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        return look()
    except UserError as error:
        return [Finding(area, WRONG, str(error))]
    except Exception as error:
        return [Finding(area, WRONG, f"This could not be examined: {type(error).__name__}: {first_line(error)}")]
