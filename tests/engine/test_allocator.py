"""Threads that come and go leave few pools of memory behind, as glibc itself counts them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.allocator import MOST_POOLS

THREADS = 12  # more than the allocator opens before it looks at any limit
POOLS = """
import ctypes, sys, tempfile, threading
from engine.allocator import keep_to_few_pools
if sys.argv[1] == "few":
    keep_to_few_pools()
together = threading.Barrier(int(sys.argv[2]))
def work():
    kept = bytearray(5000)  # too large for Python's own pools
    together.wait()
threads = [threading.Thread(target=work) for _ in range(together.parties)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as told:
    file = ctypes.c_void_p(libc.fopen(told.name.encode(), b"w"))
    libc.malloc_info(0, file)
    libc.fclose(file)
    print(told.read().count(b"<heap "))
"""


def has_pools() -> bool:
    import ctypes

    return sys.platform.startswith("linux") and hasattr(ctypes.CDLL(None), "mallopt")


@pytest.mark.skipif(not has_pools(), reason="asks glibc")
def test_many_threads_share_few_pools() -> None:
    root = Path(__file__).resolve().parents[2]

    def pools(which: str) -> int:
        command = [sys.executable, "-c", POOLS, which, str(THREADS)]
        return int(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout)

    assert pools("as they come") > MOST_POOLS, "the measure sees pools"
    assert pools("few") <= MOST_POOLS
