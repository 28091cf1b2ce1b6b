"""One frame of the peers' own code beside ours: same card, same run, same random weights of the full size.

    python -m tests.gpu.bench_peers --folder EMPTY_FOLDER [--personaplex CHECKOUT] [--frames 200] [--out FILE]

Peers: the installed `moshi` package, and a checkout of PersonaPlex given by its path (the folder that holds
`moshi/moshi`). Each runs in a process of its own, with and without its CUDA graphs, through the loop of its server:
PCM to the card, encode, step, decode, PCM and text token back; PersonaPlex with its second codec, too. Checkpoints of
the published layouts are written into the folder first (8 depth steps, 16 GB, and for PersonaPlex 16, 17 GB; a folder
in memory is quickest). Peers attend to all 3,000 slots whatever is filled; ours is measured with half of them filled.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.checkpoints import MIMI_NAME, MODEL_NAME

_SETTLE = 12  # frames before counting: peers capture their graphs in the first few


def timed(step: Callable[[np.ndarray], None], frames: int) -> dict[str, float]:
    """Milliseconds of a frame on the host's clock, PCM in to PCM out."""
    noise = (np.random.default_rng(0).standard_normal(1920) * 0.1).astype(np.float32)
    times = []
    for _ in range(_SETTLE + frames):
        began = time.perf_counter()
        step(noise)
        times.append((time.perf_counter() - began) * 1000)
    times = sorted(times[_SETTLE:])
    return {"p50 ms": round(statistics.median(times), 2), "p99 ms": round(times[int(len(times) * 0.99)], 2)}


@torch.no_grad()
def run_peer(folder: Path, personaplex: bool, frames: int, device: str = "cuda", **sizes: Any) -> dict[str, float]:
    """The loop of the peer's server over whichever `moshi` is on the path. `sizes`: for its loaders, if not 7B."""
    if importlib.util.find_spec("sphn") is None:
        sys.modules["sphn"] = types.ModuleType("sphn")  # PersonaPlex imports it at the top; it only reads files with it
    from moshi.models import LMGen, loaders

    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    codec_sizes, model_sizes = sizes.get("codec", {}), sizes.get("model", {})
    codecs = [loaders.get_mimi(folder / MIMI_NAME, device=device, **codec_sizes) for _ in range(1 + personaplex)]
    model = loaders.get_moshi_lm(folder / MODEL_NAME, device=device, dtype=dtype, **model_sizes)
    model.eval()
    extra = {"audio_silence_frame_cnt": 6, "sample_rate": 24_000, "device": device, "frame_rate": 12.5}
    generator = LMGen(model, **(extra if personaplex else {}))
    for part in (*codecs, generator):
        part.streaming_forever(1)

    def step(pcm: np.ndarray) -> None:
        chunk = torch.from_numpy(pcm)[None, None].to(device)
        heard, *_ = [codec.encode(chunk) for codec in codecs]
        for index in range(heard.shape[-1]):
            tokens = generator.step(heard[:, :, index : index + 1])
            if tokens is not None:
                spoken, *_ = [codec.decode(tokens[:, 1:9]) for codec in codecs]
                spoken.cpu()
                tokens[0, 0, 0].item()

    return timed(step, frames)


def run_ours(folder: Path, mode: str, frames: int, device: str = "cuda") -> dict[str, float]:
    from engine.duplex import Duplex
    from engine.sampling import SamplingValues

    duplex = Duplex.load(folder, device=device, precision="bfloat16" if device == "cuda" else "float32")
    duplex.prepare(mode)
    duplex.set_mode(mode)
    duplex.set_sampling(SamplingValues())
    duplex.reset(seed=1)
    half = duplex.context // 2
    with torch.inference_mode():
        duplex.state["tokens.position"].fill_(half - half % duplex.state["tokens.ring"].shape[-1])
    return timed(lambda pcm: duplex.step(pcm) and None, frames)


def files_for(folder: Path, personaplex: bool) -> Path:
    """Where a peer's files are: PersonaPlex asks for all 16 depth steps, Moshi's loader for no more than 8."""
    return folder / ("personaplex" if personaplex else "moshi")


def _child(options: argparse.Namespace, *arguments: str, path: Path | None = None, graphs: bool = True) -> Any:
    """Run one measurement in a process of its own and read its last line."""
    environment = dict(os.environ)
    if path is not None:
        environment["PYTHONPATH"] = os.pathsep.join(x for x in (str(path), environment.get("PYTHONPATH")) if x)
    if not graphs:
        environment["NO_CUDA_GRAPH"] = "1"
    files = files_for(options.folder, arguments[0] == "personaplex")
    command = [sys.executable, "-W", "ignore", "-m", "tests.gpu.bench_peers", "--folder", str(files),
               "--frames", str(options.frames), "--child", *arguments]  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no word"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def _measure_all(options: argparse.Namespace) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def row(who: str, result: dict[str, float]) -> None:
        rows.append({"who": who, **result})
        print(json.dumps(rows[-1]), flush=True)
        if options.out:
            options.out.write_text(json.dumps(rows, indent=1))

    for graphs, said in ((True, "its CUDA graphs"), (False, "no graphs")):
        if importlib.util.find_spec("moshi") is not None:
            row(f"moshi, {said}", _child(options, "moshi", graphs=graphs))
        if options.personaplex:
            path = options.personaplex / "moshi"
            row(f"PersonaPlex, {said}", _child(options, "personaplex", path=path, graphs=graphs))
    for mode in ("graph", "eager"):
        row(f"Parley, {mode}", _child(options, mode))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--personaplex", type=Path, help="a checkout of PersonaPlex")
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--out", type=Path, help="write the rows as JSON")
    parser.add_argument("--child", choices=("moshi", "personaplex", "graph", "eager"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child in ("graph", "eager"):
        print(json.dumps(run_ours(options.folder, options.child, options.frames)))
    elif options.child:
        print(json.dumps(run_peer(options.folder, options.child == "personaplex", options.frames)))
    else:
        from tests.gpu.full_size import write_files

        for personaplex in (False, True) if options.personaplex else (False,):
            files = files_for(options.folder, personaplex)
            if not (files / MODEL_NAME).is_file():
                print(f"{write_files(files, 16 if personaplex else 8):.2f} GB written", flush=True)
        print(torch.cuda.get_device_name(), "PyTorch", torch.__version__, flush=True)
        _measure_all(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
