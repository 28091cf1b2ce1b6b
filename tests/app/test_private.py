"""A talk keeps to itself: nothing listens, nothing is asked of the network, and one thread alone reaches CUDA."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from app.audio import WavAudio
from app.conversation import Conversation
from app.messages import LoadModel, ModelSpec, PersonaChoice, SetMode, StartTalk, TalkEnded, Trouble
from app.voices import VoiceFolder
from tests.checkpoints import write_checkpoint
from tests.sockets import listening


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("model"), lm={"context": 100, "num_layers": 1})


def conversation(tmp_path: Path, on_answer: Callable[..., Any] | None = None) -> Conversation:
    """The real parts, with a recording as the microphone."""
    ends = WavAudio(np.zeros(6 * 1920, np.float32))
    return Conversation(ends, voices=VoiceFolder(tmp_path / "voices", tmp_path / "cache"), on_answer=on_answer)


def load(folder: Path) -> LoadModel:
    return LoadModel(ModelSpec(str(folder), device="cpu", threads=1))


def over(talk: Conversation, seen: list[Any]) -> bool:
    seen += talk.events()
    return any(isinstance(event, TalkEnded) or (isinstance(event, Trouble) and event.fatal) for event in seen)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_nothing_listens_and_nothing_is_asked_of_the_network(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """User reports S2 and L13: from the load to the end of the talk, with every file at hand and no token."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the network was asked")

    for name in ("getaddrinfo", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    before, during = listening(), []
    talk = conversation(tmp_path, lambda *_: during.append(listening()))
    seen: list[Any] = []
    for command in (load(folder), StartTalk(PersonaChoice("", "you are kind."))):
        talk.send(command)
    talk.run(until_idle=True)
    assert over(talk, seen)
    assert TalkEnded("input ended") in seen
    assert during == [before] * 6
    with socket.create_server(("127.0.0.1", 0)), socket.socket(type=socket.SOCK_DGRAM) as hearing:
        hearing.bind(("127.0.0.1", 0))
        assert len(listening() - before) == 2, "a door would be seen"


def test_cuda_is_asked_by_the_engine_thread_only(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """User report G4: a call of another thread that waits for the whole device would end a graph's capture."""
    callers: dict[str, set[str]] = {}

    def noted(name: str) -> None:
        real = getattr(torch.cuda, name)

        def call(*arguments: Any, **named: Any) -> Any:
            callers.setdefault(name, set()).add(threading.current_thread().name)
            return real(*arguments, **named)

        monkeypatch.setattr(torch.cuda, name, call)

    for name in ("synchronize", "mem_get_info", "empty_cache", "is_available", "current_stream", "device_count"):
        noted(name)
    talk, seen = conversation(tmp_path), []
    talk.start_thread()
    for command in (load(folder), SetMode("graph"), StartTalk()):
        talk.send(command)
    waiting = threading.Event()
    for _ in range(3000):
        if over(talk, seen):
            break
        talk.history.tail(10)
        waiting.wait(0.01)
    talk.close()
    assert TalkEnded("input ended") in seen
    assert callers, "the engine asks at least whether there is a GPU"
    assert set().union(*callers.values()) == {"engine"}, callers
