"""How the program takes memory and gives it back, for those parts of it that know no engine.

Sound sessions are built of many short-lived threads and buffers, PortAudio's and the sound server's among them; what
they free stays in the allocator's pools, twenty megabytes after some minutes, until somebody asks for it.
"""

from __future__ import annotations


def give_back_freed() -> None:
    """To be called while no sound is open: other threads may wait for memory meanwhile. Never raises; does nothing
    where the system has no such call."""
    from engine.allocator import give_back_freed as give_back

    give_back()


def keep_to_few_pools() -> None:
    """Once, before there are threads. Never raises; does nothing where the system has no such call."""
    from engine.allocator import keep_to_few_pools as keep

    keep()
