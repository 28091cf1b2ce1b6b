"""The published 7B from files: load, prime, talk in both modes, unload, on a card, with random weights.

    python -m tests.gpu.full_size --folder EMPTY_FOLDER [--steps 16] [--frames 200]

Writes a checkpoint of the full sizes in the published layout into the folder (17 GB with the 16 depth steps of
PersonaPlex's file, 15 with 8), then starts twice in processes of their own (the files are dropped from the system's
cache before; a folder in memory stays there) and prints for each a JSON line: seconds to read the files alone; to start
Python and CUDA, to load, to capture; all of that until the first frame is answered, as a multiple of the reading, and
the time allowed for it (1.5 times the reading and 5 s). In the first start kernels may still have to be built.

Then it loads as the program does once more and prints one JSON line: seconds of each part, peaks of host memory
(private pages: mapped file pages are the system's) and of the card against the loaded bytes, frame times, the time to
prime a persona of 400 frames for the first and second time, and what unloading gives back. The folder is left as it is.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file

from engine.config import MIMI, MOSHI_7B, LMConfig, MimiConfig
from engine.duplex import Duplex
from engine.layout import CODEBOOKS, USAGE, Piece, lm_pieces, mimi_pieces
from engine.persona import build_prompt, voice_from_codes
from engine.sampling import SamplingValues
from tests.checkpoints import MIMI_NAME, MODEL_NAME, TOKENIZER_NAME, tokenizer_bytes


def write_files(
    folder: Path, steps: int, lm: LMConfig = MOSHI_7B, mimi: MimiConfig = MIMI, device: str = "cuda"
) -> float:
    """A random checkpoint of these sizes; returns its GB. Tensors are drawn on the card, which is quicker."""
    generator = torch.Generator(device).manual_seed(1)

    def drawn(piece: Piece, dtype: torch.dtype) -> torch.Tensor:
        if piece.parameter == USAGE or math.prod(piece.shape) == max(piece.shape, default=1):  # vectors of any rank
            value = 0.0 if piece.key.endswith(".bias") else 0.1 if "scale" in piece.key else 1.0
            return torch.full(piece.shape, value, dtype=dtype)
        fan_in = piece.shape[-1] if piece.parameter == CODEBOOKS else math.prod(piece.shape[1:])
        return torch.empty(piece.shape, device=device).normal_(0, fan_in**-0.5, generator=generator).to(dtype).cpu()

    folder.mkdir(parents=True, exist_ok=True)
    language = {piece.key: drawn(piece, torch.bfloat16) for piece in lm_pieces(lm, steps)}
    save_file(language, folder / MODEL_NAME)
    codec = {piece.key: drawn(piece, torch.float32) for piece in mimi_pieces(mimi, 32)}
    save_file(codec, folder / MIMI_NAME)
    (folder / TOKENIZER_NAME).write_bytes(tokenizer_bytes())
    names = {"moshi_name": MODEL_NAME, "mimi_name": MIMI_NAME, "tokenizer_name": TOKENIZER_NAME}
    (folder / "config.json").write_text(json.dumps(names))
    return sum((folder / name).stat().st_size for name in (MODEL_NAME, MIMI_NAME)) / 1e9


class HostPeak:
    """The largest amount of private memory of this process between entering and leaving, in bytes (Linux)."""

    def __enter__(self) -> HostPeak:
        self._start = self.peak = self._private()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def grown(self) -> int:
        return self.peak - self._start

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            self.peak = max(self.peak, self._private())

    @staticmethod
    def _private() -> int:
        lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return int(lines["RssAnon"].split()[0]) * 1024


def forget_files(folder: Path) -> None:
    """Out of the system's cache, as after a start of the computer; files in memory stay where they are."""
    for name in (MODEL_NAME, MIMI_NAME):
        file = os.open(folder / name, os.O_RDONLY)
        try:
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(file)


def read_files(folder: Path) -> float:
    """Seconds to read the weights once and do nothing with them."""
    forget_files(folder)
    block = memoryview(bytearray(64 << 20))
    began = time.perf_counter()
    for name in (MODEL_NAME, MIMI_NAME):
        with (folder / name).open("rb", buffering=0) as file:
            while file.readinto(block):
                pass
    return time.perf_counter() - began


def start(folder: Path, precision: str) -> dict[str, float]:
    """One start in this fresh process; "at": when it was ready, by the system's clock."""
    began = time.perf_counter()
    torch.zeros(1, device="cuda")
    cuda = time.perf_counter() - began
    began = time.perf_counter()
    duplex = Duplex.load(folder, device="cuda", precision=precision)
    torch.cuda.synchronize()
    loaded = time.perf_counter() - began
    began = time.perf_counter()
    duplex.prepare("graph")
    duplex.set_mode("graph")
    duplex.step(np.zeros(1920, np.float32))
    return {"at": time.time(), "CUDA s": cuda, "load s": loaded, "capture s": time.perf_counter() - began}


def starts(folder: Path, precision: str) -> None:
    """Two starts in new processes, each beside the time to read the files alone."""
    for which in ("first start", "start"):
        read = read_files(folder)
        forget_files(folder)
        command = [sys.executable, "-m", "tests.gpu.full_size", "--folder", str(folder), "--start", precision]
        began = time.time()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        parts = json.loads(done.stdout.splitlines()[-1])
        ready, allowed = parts.pop("at") - began, 1.5 * read + 5
        parts = {"Python and imports s": ready - sum(parts.values()), **parts}
        line = {"read s": read, **parts, "ready s": ready, "ready / read": ready / read, "allowed s": allowed}
        print(which, json.dumps({name: round(value, 2) for name, value in line.items()}), flush=True)


def frame_times(duplex: Duplex, frames: int) -> dict[str, float]:
    noise = (np.random.default_rng(0).standard_normal(1920) * 0.1).astype(np.float32)
    times = []
    for _ in range(frames + 10):
        began = time.perf_counter()
        duplex.step(noise)
        times.append((time.perf_counter() - began) * 1000)
    times = sorted(times[10:])
    return {"p50": round(statistics.median(times), 3), "p99": round(times[int(len(times) * 0.99)], 3)}


def measure(folder: Path, frames: int) -> dict[str, Any]:
    torch.zeros(1, device="cuda")
    free, _ = torch.cuda.mem_get_info()
    with HostPeak() as host:
        began = time.perf_counter()
        duplex = Duplex.load(folder, device="cuda", precision="bfloat16")
        torch.cuda.synchronize()
        loaded = time.perf_counter() - began
    result: dict[str, Any] = {
        "load s": round(loaded, 2),
        "host peak MB": round(host.grown / 1e6),
        "card peak GB": round(torch.cuda.max_memory_allocated() / 1e9, 3),
        "loaded GB": round(duplex.weights_bytes / 1e9, 3),
        "plain path because": duplex.plain_reason,
    }
    began = time.perf_counter()
    duplex.prepare("graph")
    result["capture s"] = round(time.perf_counter() - began, 2)
    duplex.set_sampling(SamplingValues())
    seconds = []
    codes = np.random.default_rng(1).integers(0, 2048, (60, 8)).tolist()
    words = list(np.random.default_rng(2).integers(4, 30_000, 400 - 60 - 12))
    prompt = build_prompt(duplex.lm_config, duplex.prompt_codes, voice_from_codes(duplex.lm_config, codes), words)
    assert prompt is not None and prompt.frames == 400, "60 frames of voice, 328 of text, twice 6 of silence"
    for mode in ("graph", "eager"):
        duplex.set_mode(mode)
        for _ in range(2):
            duplex.reset(1)
            torch.cuda.synchronize()
            began = time.perf_counter()
            duplex.prime(prompt)
            torch.cuda.synchronize()
            seconds.append(round(time.perf_counter() - began, 4))
        result[mode] = frame_times(duplex, frames)
    result["prime 400 frames s (graph twice, eager twice)"] = seconds
    duplex.unload()
    result["left GB"] = round((free - torch.cuda.mem_get_info()[0]) / 1e9, 3)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--steps", type=int, choices=(8, 16), default=16)
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument(
        "--start", metavar="PRECISION", help="only start, from files that are there, and print its parts"
    )
    options = parser.parse_args()
    if options.start:
        print(json.dumps(start(options.folder, options.start)))
        return 0
    began = time.perf_counter()
    size = write_files(options.folder, options.steps)
    print(f"{size:.2f} GB written in {time.perf_counter() - began:.0f} s", flush=True)
    torch.cuda.empty_cache()
    starts(options.folder, "bfloat16")
    torch.cuda.reset_peak_memory_stats()
    print(json.dumps(measure(options.folder, options.frames)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
