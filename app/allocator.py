"""Memory that was freed goes back to the system, for those parts of the program that know no engine.

Sound sessions are built of many short-lived threads and buffers, PortAudio's and the sound server's among them; what
they free stays in the allocator's pools, twenty megabytes after some minutes, until somebody asks for it. To be called
while no sound is open: other threads may wait for memory meanwhile.
"""

from __future__ import annotations


def give_back_freed() -> None:
    """Never raises; does nothing where the system has no such call."""
    from engine.allocator import give_back_freed as give_back

    give_back()
