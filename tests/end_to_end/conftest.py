"""The rig for tests marked `sound`. They are skipped with a reason where its tools are missing, but fail there in a
full run, so that a set-up that forgot them is noticed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.rig import Processes, Screen, SoundServer, missing_tools


@pytest.fixture(scope="session")
def processes() -> Iterator[Processes]:
    missing = missing_tools()
    if missing and "PARLEY_TESTS_FULL" not in os.environ:
        pytest.skip("not installed: " + ", ".join(missing))
    assert not missing, "not installed: " + ", ".join(missing)
    processes = Processes()
    yield processes
    processes.end_all()


@pytest.fixture(scope="session")
def sound(processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> SoundServer:
    # A short path: a socket's name may have 107 characters.
    return SoundServer(Path(tmp_path_factory.mktemp("snd")), processes)


@pytest.fixture(scope="session")
def screen(processes: Processes) -> Screen:
    return Screen(processes)
