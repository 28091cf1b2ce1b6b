"""Triton kernels at the ends of a frame that read and write the host's memory: sound in, results out; and time stamps.

Pinned memory of the host has an address on the card too. One kernel that stores all results there is over before five
copies of them have been started one after another, and as part of a graph it needs no start of its own. The plain
PyTorch is `engine.answer.HostEnds` with copies. Imports Triton: import this module late.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from engine.kernels_linear import launch_options, wait_for_inputs

LARGEST = tl.constexpr(3.4028234663852886e38)  # of float32


@triton.jit
def take_in_kernel(source, out, N: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(source + at, mask=at < N, other=0.0), mask=at < N)


@triton.jit
def hand_out_kernel(
    sound, spoken, heard, numbers, host_sound, host_spoken, host_heard, host_wrong,
    N: tl.constexpr, SPOKEN: tl.constexpr, HEARD: tl.constexpr, NUMBERS: tl.constexpr, BLOCK: tl.constexpr,
    TOKENS: tl.constexpr, SUMMED: tl.constexpr,
):  # fmt: skip
    """The first program has the tokens and the numbers, the others the sound; each counts what is no finite number."""
    if tl.program_id(0) == 0:
        index = tl.arange(0, TOKENS)
        tl.store(host_spoken + index, tl.load(spoken + index, mask=index < SPOKEN, other=0), mask=index < SPOKEN)
        tl.store(host_heard + index, tl.load(heard + index, mask=index < HEARD, other=0), mask=index < HEARD)
        each = tl.arange(0, SUMMED)
        number = tl.load(numbers + each, mask=each < NUMBERS, other=0.0).to(tl.float32)
        tl.store(host_wrong, tl.sum(tl.where(tl.abs(number) <= LARGEST, 0, 1), axis=0))
    else:
        at = (tl.program_id(0) - 1) * BLOCK + tl.arange(0, BLOCK)
        samples = tl.load(sound + at, mask=at < N, other=0.0)
        tl.store(host_sound + at, tl.minimum(tl.maximum(samples, -1.0), 1.0), mask=at < N)
        tl.store(host_wrong + tl.program_id(0), tl.sum(tl.where(tl.abs(samples) <= LARGEST, 0, 1), axis=0))


@triton.jit
def stamp_kernel(stamps, host, index: tl.constexpr, LAST: tl.constexpr, PDL: tl.constexpr):
    """stamps[index] = the card's clock, ns, once all before is done. The LAST one takes all of them to the host."""
    wait_for_inputs(PDL)
    now = tl.extra.cuda.globaltimer()
    if LAST:
        for earlier in tl.static_range(index):
            tl.store(host + earlier, tl.load(stamps + earlier))
        tl.store(host + index, now)
    else:
        tl.store(stamps + index, now)


def take_in(source: Tensor, out: Tensor) -> None:
    """source [n] float32, of the host and pinned -> out [n]."""
    size, block = out.shape[0], 512
    take_in_kernel[(triton.cdiv(size, block),)](source, out, size, block, num_warps=4)


def hand_out(
    sound: Tensor, spoken: Tensor, heard: Tensor, numbers: Tensor, host_sound: Tensor, host_spoken: Tensor,
    host_heard: Tensor, host_wrong: Tensor, block: int,
) -> None:  # fmt: skip
    """sound [n] float32, clipped to [-1, 1], spoken [1 + own] and heard [Q] int64 -> memory of the host, pinned, of the
    same shapes; host_wrong [1 + blocks of the sound] int64: how many of numbers [D], and of each block of samples
    before they were clipped, are not finite."""
    sizes = sound.shape[0], spoken.shape[0], heard.shape[0], numbers.shape[0]
    tokens, summed = triton.next_power_of_2(max(sizes[1:3])), triton.next_power_of_2(sizes[3])
    hand_out_kernel[(1 + triton.cdiv(sizes[0], block),)](
        sound, spoken, heard, numbers, host_sound, host_spoken, host_heard, host_wrong, *sizes, block, tokens,
        summed, num_warps=4,
    )  # fmt: skip


def stamp(stamps: Tensor, host: Tensor, index: int, *, pdl: int) -> None:
    """stamps [n] int64 on the card; the last index brings them to host [n], pinned."""
    last = index == stamps.shape[0] - 1
    stamp_kernel[(1,)](stamps, host, index, last, pdl, num_warps=1, **launch_options(pdl))
