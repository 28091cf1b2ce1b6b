"""What each step of loading the full-size model takes of a card, as the fall of free memory since before CUDA started.

    python3 -m tests.gpu.memory_steps [--precision bfloat16] [--plain]

One precision a run, since what a process has loaded of kernels and libraries stays. Weights are zeros.
"""

from __future__ import annotations

import argparse

from app.graphics_card import list_cards


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--precision", default="bfloat16")
    parser.add_argument("--plain", action="store_true", help="without the fused kernels")
    options = parser.parse_args()
    before = {card.uuid: card.free for card in list_cards()}

    import torch

    from app import memory
    from app.bench_computer import examine_computer, same_card, with_copy_rate
    from engine.config import MIMI, MOSHI_7B
    from tests.gpu.talks import blank, settled_free_bytes, sound

    last = 0

    def tell(step: str) -> None:
        nonlocal last
        settled_free_bytes()
        card = same_card(torch.device("cuda", 0), list_cards())
        assert card is not None, "nvidia-smi does not list this card"
        fall = before[card.uuid] - card.free
        print(f"{step:34} {fall / 1e9:7.3f} GB  {(fall - last) / 1e6:+8.0f} MB", flush=True)
        last = fall

    print(f"{options.precision}{', plain path' if options.plain else ''}, {torch.cuda.get_device_name()}")
    torch.zeros(1, device="cuda")
    tell("context")
    engine = blank(MOSHI_7B, MIMI, options.precision, kernels=not options.plain)
    tell("loaded, one frame by fused kernels" if engine.plain_reason is None else "loaded")
    engine.prepare("eager")
    for pcm in sound(10):
        engine.step(pcm)
    tell("ten eager frames")
    engine.prepare("graph")
    tell("graphs")
    engine.set_mode("graph")
    for pcm in sound(10):
        engine.step(pcm)
    tell("ten replayed frames")
    with_copy_rate(examine_computer("cuda", tuple(list_cards())))
    tell("copy rate measured")
    estimate = memory.estimate(MOSHI_7B, MIMI, options.precision)
    print(f"estimated {estimate.total / 1e9:.3f} GB, {estimate.program / 1e9:.3f} of it the program")
    engine.unload()
    tell("unloaded")


if __name__ == "__main__":
    main()
