"""The examinations of `parley doctor`: each looks at one part of the computer and says what is right and what is wrong.

Owns the judgements and their sentences, as functions over facts that a test can make up; gathering the facts is apart
and never raises. Every part may be missing: torch, a driver, PortAudio, Qt, the model. Main thread; torch comes late.
"""

from __future__ import annotations

import importlib
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from app import desktop, memory
from app.errors import UserError
from app.graphics_card import INSTALL_CUDA, Card, unsupported_card
from app.messages import PRECISIONS
from app.paths import packaged, project_file, user_cache_folder, user_log_folder
from app.version import version

RIGHT, WRONG, NOTE = "right", "wrong", "note"
TALK, WINDOW = "talk", "window"  # what a fault stands in the way of: any talk, or only a live one
PACKAGES = ("numpy", "safetensors", "sentencepiece", "soundfile", "samplerate")
SETUP = "install Parley again" if packaged() else "run packaging/launch.py again to complete the set-up"


class Finding(NamedTuple):
    """One line of the report. `blocks`: what cannot be done until it is mended."""

    area: str
    state: str  # right | wrong | note
    sentence: str
    remedy: str = ""
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Torch:
    """What torch says about itself. error: why it cannot be imported."""

    error: str = ""
    version: str = ""
    cuda: str | None = None  # CUDA version of the build, None for a build without
    available: bool = False
    architectures: tuple[str, ...] = ()
    devices: tuple[tuple[str, tuple[int, int]], ...] = ()  # name and compute capability
    threads: int = 0


def read_torch() -> Torch:
    """Import torch and ask. Whatever goes wrong becomes `error`."""
    try:
        import torch

        available = torch.cuda.is_available()
        numbers = range(torch.cuda.device_count()) if available else range(0)
        return Torch(
            version=torch.__version__,
            cuda=torch.version.cuda,
            available=available,
            architectures=tuple(torch.cuda.get_arch_list()),
            devices=tuple((torch.cuda.get_device_name(n), torch.cuda.get_device_capability(n)) for n in numbers),
            threads=torch.get_num_threads(),
        )
    except Exception as error:
        return Torch(error=first_line(error))


def check_program() -> list[Finding]:
    """The program's version and the system it runs on."""
    system = f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count() or 1} processor cores"
    python = f"Python {platform.python_version()}"
    logs = f"logs of failures go to {user_log_folder()}"
    return [Finding("program", RIGHT, f"Parley {version()} with {python} on {system}; {logs}.")]


def check_torch(torch: Torch, cards: Sequence[Card]) -> list[Finding]:
    """The build of torch against the cards that the driver shows (user report R5)."""
    if torch.error:
        return [Finding("torch", WRONG, f"torch cannot be used: {torch.error}", SETUP, (TALK, WINDOW))]
    build = f"built for CUDA {torch.cuda}" if torch.cuda else "built without CUDA"
    findings = [Finding("torch", RIGHT, f"torch {torch.version}, {build}, {torch.threads} threads.")]
    for card in cards:
        size = f"{memory.gib(card.free)} free of {memory.gib(card.total)}"
        findings.append(Finding("card", RIGHT, f"{card.name}, driver {card.driver}, {size}."))
    if not cards and not torch.available:
        return [*findings, Finding("card", NOTE, "No NVIDIA graphics card answers: models run on the processor.")]
    if torch.cuda is None:
        sentence = f"torch {torch.version} was built without CUDA, so the {cards[0].name} lies idle."
        return [*findings, Finding("card", WRONG, sentence, f"install a build that uses it: {INSTALL_CUDA}")]
    if not torch.available:
        sentence = (
            f"torch {torch.version} (CUDA {torch.cuda}) cannot reach the {cards[0].name}: "
            f"driver {cards[0].driver} is too old for it, or is not loaded."
        )
        remedy = f"update the NVIDIA driver and restart, or install a build for this driver: {INSTALL_CUDA}"
        return [*findings, Finding("card", WRONG, sentence, remedy)]
    for name, capability in torch.devices:
        problem = unsupported_card(name, capability, torch.architectures, torch.version)
        if problem:
            findings.append(Finding("card", WRONG, problem, "until then: --set model.device=cpu", (TALK, WINDOW)))
        else:
            known = f"compute capability {capability[0]}.{capability[1]}"
            findings.append(Finding("card", RIGHT, f"torch can use the {name} ({known})."))
    return findings


def check_modes(torch: Torch) -> list[Finding]:
    """Which engine modes this computer can do, in the engine's own words. On a card a kernel is built and run, as at
    every load: what is there may still not work."""
    if torch.error:
        return []
    from engine.graphs import compile_unavailable_reason, graph_unavailable_reason
    from engine.toolchain import TRITON, missing_for_triton, triton_failure

    device = "cuda" if torch.available else "cpu"
    no_kernels = triton_failure() if torch.available else None
    findings = [Finding("modes", RIGHT, "eager mode works everywhere.")]
    for mode, reason in (
        ("graph", graph_unavailable_reason(device)),
        ("compiled", compile_unavailable_reason(device) or no_kernels),
    ):
        if reason is None:
            findings.append(Finding("modes", RIGHT, f"{mode} mode is possible."))
        else:
            findings.append(Finding("modes", NOTE, f"{mode} mode is not possible: {reason}"))
    if no_kernels:
        sentence = f"Every mode is slower than it could be, without fused kernels: {no_kernels}"
        remedy = f"pip install {TRITON}" if TRITON in (missing_for_triton() or "") else ""
        findings.append(Finding("modes", NOTE, sentence, remedy))
    elif torch.available:
        findings.append(Finding("modes", RIGHT, "Fused kernels can be built: a test kernel ran on the card."))
    return findings


def check_memory(torch: Torch, cards: Sequence[Card]) -> list[Finding]:
    """Whether the full-size model fits here, now."""
    from engine.config import MIMI, MOSHI_7B

    findings = []
    if torch.available:
        for card in cards:
            best = [p for p in real_precisions() if memory.estimate(MOSHI_7B, MIMI, p).to_come <= card.free]
            told = f"it fits in {', '.join(best)}" if best else "no precision offered fits"
            sentence = f"A 7B model on the {card.name} now, with {memory.gib(card.free)} free: {told}."
            findings.append(Finding("memory", NOTE, sentence))
    elif not torch.error:
        findings += _processor_memory()
    return findings


def kv_sentence() -> str:
    """What keeping past frames in 8 bits takes off every precision in the fit table but float32, where it is more."""
    from engine.config import MIMI, MOSHI_7B

    full, small = (memory.estimate(MOSHI_7B, MIMI, "bfloat16", kv=kv).rings for kv in ("full", "int8"))
    return f"With model.kv=int8 each takes {memory.gib(full - small)} less (float32 three times that)."


def fit_rows() -> dict[str, tuple[int, dict[int, bool]]]:
    """For each precision: bytes that a 7B model needs on a card, and on which card sizes (GiB) it fits."""
    from engine.config import MIMI, MOSHI_7B

    table = memory.fit_table(MOSHI_7B, MIMI, real_precisions())
    return {name: (memory.estimate(MOSHI_7B, MIMI, name).needed, fits) for name, fits in table.items()}


def _processor_memory() -> list[Finding]:
    import torch

    from engine.config import MIMI, MOSHI_7B
    from engine.free_memory import free_memory

    answer = free_memory(torch.device("cpu"))
    if answer is None:
        return [Finding("memory", NOTE, "How much memory is free cannot be found out on this system.")]
    needed = memory.estimate(MOSHI_7B, MIMI, "bfloat16", "cpu").to_come
    told = "would fit, though far too slow to talk with" if needed <= answer[0] else "does not fit"
    free = f"{memory.gib(answer[0])} free of {memory.gib(answer[1])}"
    sentence = f"This computer has {free}: a 7B model in bfloat16 {told}."
    return [Finding("memory", NOTE, sentence)]


def real_precisions() -> list[str]:
    """The precisions offered, without "auto"."""
    return [precision for precision in PRECISIONS if precision != "auto"]


def check_packages(wanted: Iterable[str] = PACKAGES) -> list[Finding]:
    """Packages without which not even a talk through files is possible."""
    findings = []
    for name in wanted:
        try:
            importlib.import_module(name)
        except Exception as error:
            sentence = f"The Python package {name} cannot be used: {first_line(error)}"
            remedy = SETUP if packaged() else f"{SETUP}, or: pip install {name}"
            findings.append(Finding("packages", WRONG, sentence, remedy, (TALK, WINDOW)))
    return findings or [Finding("packages", RIGHT, "All packages that a talk needs can be imported.")]


def check_sound(lists: Any) -> list[Finding]:
    """lists: `app.devices.DeviceLists`, as `list_devices` gives them."""
    findings = []
    for word, rows in (("microphones", lists.inputs), ("loudspeakers", lists.outputs)):
        shown = [row for row in rows if not row.duplicate] or list(rows)
        if shown:
            default = next((row for row in shown if row.is_default), shown[0])
            findings.append(
                Finding("sound", RIGHT, f"{len(shown)} {word}; the default is {default.name} ({default.host_api}).")
            )
    if lists.note:
        findings.append(Finding("sound", WRONG, lists.note, blocks=(WINDOW,)))
    return findings


def check_window() -> list[Finding]:
    """Qt, its libraries and a display."""
    problem = desktop.window_problem()
    if problem:
        return [Finding("window", WRONG, problem, blocks=(WINDOW,))]
    try:
        import PySide6.QtWidgets
    except Exception as error:
        return [Finding("window", WRONG, f"Qt cannot be loaded: {first_line(error)}", SETUP, (WINDOW,))]
    return [Finding("window", RIGHT, f"Qt {PySide6.__version__} and a display are here.")]


def check_bundled_model(torch: Torch) -> list[Finding]:
    """The model that comes with the program: all files there, and whether it was trained."""
    try:
        folder = project_file("assets/mini")
    except UserError as error:
        return [Finding("model", WRONG, str(error), "or name another model: --set model.source=FOLDER", (TALK, WINDOW))]
    if torch.error:
        return [Finding("model", NOTE, f"The bundled model is in {folder}; without torch it cannot be checked.")]
    from engine import weights
    from engine.errors import EngineError

    try:
        files = weights.find(folder)
    except EngineError as error:
        sentence = f"The bundled model cannot be used: {error}"
        return [Finding("model", WRONG, sentence, "install Parley again", (TALK, WINDOW))]
    size = sum(path.stat().st_size for path in (files.model, files.mimi, files.tokenizer))
    kind = "trained" if files.trained else "untrained: it makes sounds, but no sense"
    return [Finding("model", RIGHT, f"The bundled model is complete ({size / 1e6:.0f} MB, {kind}).")]


def check_downloaded_models(own: Path | None = None, shared: Path | None = None) -> list[Finding]:
    """Models that this program downloaded, and those of Moshi's format that others left in Hugging Face's cache.

    own, shared: the two folders, where not the usual ones.
    """
    try:
        from huggingface_hub import scan_cache_dir
        from huggingface_hub.errors import CacheNotFound
    except ImportError:
        sentence = "The Python package huggingface_hub is missing, so no model can be downloaded."
        return [Finding("model", WRONG, sentence, SETUP)]
    folder = own or user_cache_folder() / "models"
    findings = _downloads(folder)
    try:
        repositories = scan_cache_dir(shared).repos
    except (CacheNotFound, OSError, ValueError):
        repositories = frozenset()
    for repository in sorted(repositories, key=lambda found: found.repo_id):
        names = {file.file_name for revision in repository.revisions for file in revision.files}
        if any(name.startswith("tokenizer-") and name.endswith(".safetensors") for name in names):
            whole = "complete" if "model.safetensors" in names else "its weights are not downloaded yet"
            size = f"{repository.size_on_disk / 1e9:.1f} GB"
            sentence = f"{repository.repo_id} is in Hugging Face's cache ({size}, {whole})."
            findings.append(Finding("model", RIGHT, sentence))
    return findings or [Finding("model", NOTE, f"No larger model was downloaded yet; downloads go to {folder}.")]


def _downloads(folder: Path) -> list[Finding]:
    from app.hub import MANIFEST, manifest

    findings = []
    for model in sorted(path.parent for path in folder.glob(f"*/{MANIFEST}")):
        wanted = manifest(model).get("files")
        if not wanted:
            continue
        try:
            sizes = {name: (model / name).stat().st_size for name in wanted if (model / name).exists()}
        except OSError:
            continue
        whole = "complete" if sizes == wanted else "not complete: the next start goes on with it"
        name, size = model.name.replace("--", "/", 1), sum(wanted.values()) / 1e9
        findings.append(Finding("model", RIGHT, f"{name} was downloaded ({size:.1f} GB, {whole})."))
    return findings


def check_recogniser(chosen: str = "") -> list[Finding]:
    """Whether what the user says can be written down. chosen: the setting transcript.model."""
    from app.recogniser import find_model

    try:
        folder = find_model(chosen)
    except UserError as error:
        return [Finding("words", NOTE, str(error))]
    return [Finding("words", RIGHT, f"What you say is written down too, with the model in {folder}.")]


def check_settings(path: Path, settings: Any, error: str) -> list[Finding]:
    """path: the user's file; settings: what was loaded from it, None when `error` says why not."""
    if settings is None:
        remedy = "mend what was typed" if error.startswith("--set") else "mend the file or rename it"
        return [Finding("settings", WRONG, error, remedy, (TALK, WINDOW))]
    if not path.exists():
        return [Finding("settings", RIGHT, f"The program's own settings are in force; yours would be in {path}.")]
    notes = [Finding("settings", NOTE, note) for note in settings.notes]
    return [Finding("settings", RIGHT, f"Your settings in {path} are read."), *notes]


def first_line(error: BaseException) -> str:
    """An exception for the end of a sentence."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".") + "."
