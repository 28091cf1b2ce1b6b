"""A small hub on this computer that can break off, refuse and keep silent, for tests that download."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.download import Hub
from app.hub import MIMI_NAME, MODEL_NAME, TOKENIZER_NAME

REPOSITORY = "someone/a-model"
REVISION = "0123456789abcdef0123456789abcdef01234567"
MODEL = bytes(range(256)) * 12_000  # 3 MB
FILES = {
    "config.json": json.dumps({"dim": 64, "mimi_config_name": "mimi_config.json"}).encode(),
    "mimi_config.json": b'{"sample_rate": 24000}',
    TOKENIZER_NAME: b"tokenizer" * 100,
    MIMI_NAME: b"codec" * 1000,
    "voices.tgz": b"voices" * 10,
    MODEL_NAME: MODEL,
    "README.md": b"# not needed",
    "dist.tgz": b"not needed either",
}


WHO = {"name": "ada", "type": "user", "auth": {"type": "access_token", "accessToken": {"displayName": "parley"}}}


@dataclass
class FakeHub:
    """What the server has and how it behaves; everything asked of it is written down."""

    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    published: dict[str, bytes] = field(default_factory=dict)  # what a file is said to be, where it is another
    revision: str = REVISION
    needs_token: str = ""
    known_token: str = ""  # the one that the hub knows an account for
    status: int = 0  # answer to everything
    cuts: list[int] = field(default_factory=list)  # of each next answer for the weights only so many bytes are sent
    silent_after: int = -1  # bytes of the weights after which the server says no more
    ranges: bool = True
    listing: bytes | None = None  # what is answered in the list's place
    surplus: dict[str, int] = field(default_factory=dict)  # bytes of a file beyond its size, and beyond what is said
    sent: int = 0  # of the surplus
    asked: list[tuple[str, str, str]] = field(default_factory=list)  # path, Range, Authorization
    quiet: threading.Event = field(default_factory=threading.Event)

    def names(self) -> list[str]:
        return [path.rsplit("/", 1)[-1] for path, _, _ in self.asked]


def handler(state: FakeHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            token = self.headers.get("Authorization", "")
            state.asked.append((path, self.headers.get("Range", ""), token))
            if state.status:
                self.answer(state.status, b"{}")
            elif path == "/api/whoami-v2":
                known = token == f"Bearer {state.known_token}" and state.known_token
                self.answer(200 if known else 401, json.dumps(WHO if known else {"error": token}).encode())
            elif state.needs_token and token != f"Bearer {state.needs_token}":
                self.answer(403 if token else 401, b"{}")
            elif path == f"/api/models/{REPOSITORY}":
                self.answer(200, json.dumps(self.info()).encode() if state.listing is None else state.listing)
            elif path.startswith(f"/{REPOSITORY}/resolve/{state.revision}/"):
                self.file(path.rsplit("/", 1)[-1])
            else:
                self.answer(404, b"{}")

        def info(self) -> dict[str, Any]:
            siblings = []
            for name, content in state.files.items():
                said = state.published.get(name, content)
                git = hashlib.sha1(b"blob %d\0" % len(said) + said, usedforsecurity=False).hexdigest()
                entry: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": git}
                if name.endswith(".safetensors"):
                    digest = hashlib.sha256(said).hexdigest()
                    entry["lfs"] = {"sha256": digest, "size": len(content), "pointerSize": 130}
                siblings.append(entry)
            return {"id": REPOSITORY, "modelId": REPOSITORY, "sha": state.revision, "siblings": siblings, "tags": []}

        def file(self, name: str) -> None:
            if name not in state.files:
                return self.answer(404, b"{}")
            content, wanted = state.files[name], self.headers.get("Range", "")
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and state.ranges else 0
            body = content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) + state.surplus.get(name, 0)))
            self.end_headers()
            if name in state.surplus:
                self.more(body, state.surplus[name])
            elif name == MODEL_NAME and state.cuts:
                self.wfile.write(body[: state.cuts.pop(0)])
                self.close_connection = True
            elif name == MODEL_NAME and state.silent_after >= 0:
                self.wfile.write(body[: state.silent_after])
                self.wfile.flush()
                state.quiet.wait(20)
                self.close_connection = True
            else:
                self.wfile.write(body)

        def more(self, body: bytes, surplus: int) -> None:
            self.wfile.write(body)
            try:
                while state.sent < surplus:
                    self.wfile.write(bytes(1 << 16))
                    state.sent += 1 << 16
            except OSError:
                self.close_connection = True

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[FakeHub, Hub]]:
    """A hub of our own; neither the user's token nor the user's Hugging Face cache is seen."""
    from huggingface_hub import constants

    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "hub-home" / "token"))
    monkeypatch.setattr(constants, "HF_STORED_TOKENS_PATH", str(tmp_path / "hub-home" / "stored_tokens"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "shared-cache"))
    monkeypatch.setattr("app.download.time.sleep", lambda _: None)
    state = FakeHub()
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler(state))
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield state, Hub(REPOSITORY, endpoint=f"http://127.0.0.1:{http.server_address[1]}", wait_s=5)
    state.quiet.set()
    http.shutdown()
    http.server_close()
