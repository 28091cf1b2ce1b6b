"""From the results of all cases to the figures of the table: `evaluation.json` and `evaluation.md`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from training import bars, cases, checkpoints

Results = dict[str, dict[str, Any]]


def run(options: argparse.Namespace) -> None:
    """`python -m training figures`."""
    found = cases.results(options.out)
    codec = options.out / "codec.json"
    figures = collected(found, json.loads(codec.read_text())["figures"] if codec.is_file() else {})
    figures["conditions"] = options.conditions or conditions(found)
    figures["presets"] = presets(found, options.out, dict(options.preset))
    checkpoints.write_json(figures, options.out / "evaluation.json")
    text = "\n\n".join(part for part in (bars.table(figures), bars.by_kind(figures), bars.presets(figures)) if part)
    (options.out / "evaluation.md").write_text(text + "\n")
    print(text)


def presets(found: Results, usual: Path, folders: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """The talks' figures in other precisions, each beside the usual one's on the very same cases."""
    compared = {}
    for name, folder in folders.items():
        other = cases.results(folder)
        if folder.resolve() == usual.resolve() or not other:
            raise ValueError(f"{folder} has no results of its own for {name}.")
        same = {case: found[case] for case in other if case in found}
        compared[name] = {"usual": collected(same, {}), "preset": collected({case: other[case] for case in same}, {})}
    return compared


def conditions(found: Results) -> str:
    """How the cases were held, in a sentence."""
    talks = _of(found, "talk")
    return (
        f"{len(talks)} held-out dialogues and {len(found) - len(talks)} shorter cases, in voices, phrasings and "
        "names that training never saw, through the program's own conversation on a processor with its own "
        "sampling. A reply is right when its text is word for word the wanted one. Waiting counts from the last voiced "
        "10 ms of the question, and a reply is heard one frame after the frame that it answers."
    )


def collected(found: Results, codec: dict[str, Any]) -> dict[str, Any]:
    """Keys as in `training.bars`; absent where nothing was judged. `cases`: of how many each is made."""
    made: dict[str, tuple[float, int]] = {}
    _talks(_of(found, "talk"), made)
    _manners(found, made)
    _human(_of(found, "human"), made)
    _codec(codec, made)
    turns = [turn for talk in _of(found, "talk") for turn in talk["turns"]]
    kinds = sorted({turn["kind"] for turn in turns})
    by_kind = {kind: [turn["right"] for turn in turns if turn["kind"] == kind] for kind in kinds}
    return {key: round(value, 3) for key, (value, _) in made.items()} | {
        "cases": {key: count for key, (_, count) in made.items()},
        "by_kind": {kind: {"right": round(_share(marks), 1), "of": len(marks)} for kind, marks in by_kind.items()},
    }


def _of(found: Results, kind: str) -> list[dict[str, Any]]:
    return [result for name, result in found.items() if name.partition("/")[0] == kind]


def _share(marks: Iterable[bool]) -> float:
    listed = list(marks)
    return 100 * sum(listed) / max(1, len(listed))


def percentile(values: Sequence[float], part: float) -> float:
    """The value that `part` of them (0 to 1) do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def _talks(talks: list[dict[str, Any]], made: dict[str, tuple[float, int]]) -> None:
    turns = [turn for talk in talks for turn in talk["turns"]]
    persona = [turn for turn in turns if turn["kind"] == "persona"]
    for key, chosen in (("right", turns), ("persona_right", persona)):
        if chosen:
            made[key] = _share(turn["right"] for turn in chosen), len(chosen)
    if turns:
        made["early"] = _share(turn["early"] for turn in turns), len(turns)
        made["answered"] = _share(turn["waited"] is not None for turn in turns), len(turns)
    waits = [turn["waited"] for turn in turns if turn["waited"] is not None and not turn["early"]]
    if waits:
        made["wait_p50"], made["wait_p95"] = (
            (percentile(waits, 0.5), len(waits)),
            (percentile(waits, 0.95), len(waits)),
        )
    for key, name in (("heard_word_error", "heard_errors"), ("heard_word_error_second", "heard_second_errors")):
        heard = [turn for turn in turns if name in turn]
        if heard:
            made[key] = 100 * sum(turn[name] for turn in heard) / sum(turn["words"] for turn in heard), len(heard)
    voiced = [talk for talk in talks if "nearest" in talk]
    if voiced:
        made["voice_right"] = _share(talk["nearest"] == talk["voice"] for talk in voiced), len(voiced)
    frames = [talk["frame_ms"] for talk in talks if "frame_ms" in talk]
    if frames:
        made["frame_ms_p50"] = percentile(frames, 0.5), len(frames)


def _manners(found: Results, made: dict[str, tuple[float, int]]) -> None:
    quiet, pauses = _of(found, "quiet"), _of(found, "pause")
    if quiet:
        made["speaks_in_quiet"] = _share(case["speaks"] for case in quiet), len(quiet)
    if pauses:
        made["false_starts"] = _share(case["early"] for case in pauses), len(pauses)
    barged = [case for case in _of(found, "barge") if case["interrupted"]]
    if barged:
        silent = [case["silent_after"] for case in barged]
        made["barge_silent_p50"] = percentile(silent, 0.5), len(barged)
        made["barge_silent_p95"] = percentile(silent, 0.95), len(barged)
        made["barge_answered"] = _share(case["right"] for case in barged), len(barged)


def _human(asked: list[dict[str, Any]], made: dict[str, tuple[float, int]]) -> None:
    if asked:
        made["human_right"] = _share(case["right"] for case in asked), len(asked)
        made["human_answered"] = _share(case["waited"] is not None for case in asked), len(asked)


def _codec(codec: dict[str, Any], made: dict[str, tuple[float, int]]) -> None:
    for group, values in codec.items():
        if values:
            count = int(values["clips"])
            made[f"codec_word_error_{group}"] = values["decoded_wer"] - values["original_wer"], count
            made[f"codec_mos_drop_{group}"] = values["original_mos"] - values["decoded_mos"], count
