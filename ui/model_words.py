"""A model on this computer in words: where it is, what it takes, what a check found.

Owns the words only. Qt thread only.
"""

from __future__ import annotations

from ui.figures import format_bytes
from ui.model_ports import BUNDLED, FOLDER, OWN, SHARED, ModelLike, ReportLike, VariantLike
from ui.words import marked, tr, translated

PLACES = {
    BUNDLED: marked("Comes with Parley"),
    OWN: marked("Downloaded"),
    SHARED: marked("In Hugging Face's own cache"),
    FOLDER: marked("A folder of yours"),
}
WHY_KEPT = {
    SHARED: marked("Other programs use it too, and Hugging Face's own tools delete it."),
    FOLDER: marked("Parley deletes nothing there."),
}


def state_words(model: ModelLike) -> str:
    """Such as "Downloaded, 15.6 GB"."""
    place = tr(PLACES[model.place])
    if model.whole:
        return f"{place}, {format_bytes(model.size)}"
    words = tr("{done} of {total} are here; the rest can be fetched at any time")
    return words.format(done=format_bytes(model.done), total=format_bytes(model.total))


def variant_words(variant: VariantLike) -> str:
    return tr("Converted to {precision}, {size}").format(precision=variant.precision, size=format_bytes(variant.size))


def report_words(report: ReportLike) -> tuple[str, str]:
    """What a check found, and the tone for it."""
    if report.damaged:
        names = ", ".join(report.damaged)
        return tr("Damaged, other than it was published: {names}.").format(names=names), "over"
    if report.fault:
        return tr("It cannot be used: {reason}").format(reason=translated(report.fault)), "over"
    if report.unusable:
        words = tr("Sound, but the converted {names} does not fit it: delete that, and it is made anew when needed.")
        return words.format(names=", ".join(report.unusable)), "near"
    if report.compared == report.files:
        words = tr("Sound: all {count} files are as published, and every tensor fits.")
        return words.format(count=report.files), ""
    if report.compared:
        words = tr("Sound: {compared} of {count} files are as published, and every tensor fits.")
        return words.format(compared=report.compared, count=report.files), ""
    return tr("Every tensor fits; there are no published checksums to compare its files with."), ""
