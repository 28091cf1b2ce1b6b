"""Triton kernels at the ends of a frame that read and write the host's memory: sound in, results out.

Pinned memory of the host has an address on the card too. One kernel that stores all results there is over before five
copies of them have been started one after another, and as part of a graph it needs no start of its own. The plain
PyTorch is `engine.answer.HostEnds` with copies. Imports Triton: import this module late.
"""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def take_in_kernel(source, out, N: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(source + at, mask=at < N, other=0.0), mask=at < N)


@triton.jit
def hand_out_kernel(
    sound, spoken, heard, numbers, host_sound, host_spoken, host_heard, host_checksum,
    N: tl.constexpr, SPOKEN: tl.constexpr, HEARD: tl.constexpr, NUMBERS: tl.constexpr, BLOCK: tl.constexpr,
    TOKENS: tl.constexpr, SUMMED: tl.constexpr,
):  # fmt: skip
    """The first program has the tokens and the sum of the numbers, the others the sound."""
    if tl.program_id(0) == 0:
        index = tl.arange(0, TOKENS)
        tl.store(host_spoken + index, tl.load(spoken + index, mask=index < SPOKEN, other=0), mask=index < SPOKEN)
        tl.store(host_heard + index, tl.load(heard + index, mask=index < HEARD, other=0), mask=index < HEARD)
        each = tl.arange(0, SUMMED)
        tl.store(host_checksum, tl.sum(tl.load(numbers + each, mask=each < NUMBERS, other=0.0).to(tl.float32), axis=0))
    else:
        at = (tl.program_id(0) - 1) * BLOCK + tl.arange(0, BLOCK)
        tl.store(host_sound + at, tl.load(sound + at, mask=at < N, other=0.0), mask=at < N)


def take_in(source: Tensor, out: Tensor) -> None:
    """source [n] float32, of the host and pinned -> out [n]."""
    size, block = out.shape[0], 512
    take_in_kernel[(triton.cdiv(size, block),)](source, out, size, block, num_warps=4)


def hand_out(
    sound: Tensor, spoken: Tensor, heard: Tensor, numbers: Tensor, host_sound: Tensor, host_spoken: Tensor,
    host_heard: Tensor, host_checksum: Tensor,
) -> None:  # fmt: skip
    """sound [n] float32, spoken [1 + own] and heard [Q] int64 and the float32 sum of numbers [D] -> memory of the host,
    pinned, of the same shapes."""
    sizes, block = (sound.shape[0], spoken.shape[0], heard.shape[0], numbers.shape[0]), 512
    tokens, summed = triton.next_power_of_2(max(sizes[1:3])), triton.next_power_of_2(sizes[3])
    hand_out_kernel[(1 + triton.cdiv(sizes[0], block),)](
        sound, spoken, heard, numbers, host_sound, host_spoken, host_heard, host_checksum, *sizes, block, tokens,
        summed, num_warps=4,
    )  # fmt: skip
