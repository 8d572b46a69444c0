"""The four requests of the Hugging Face hub that fetching a model makes, on 127.0.0.1.

GET  /api/models/ORG/NAME[/revision/REV]    the commit
GET  /api/models/ORG/NAME/tree/COMMIT       the files, with sizes and hashes
HEAD /ORG/NAME/resolve/COMMIT/FILE          size, hash and commit of one file
GET  /ORG/NAME/resolve/COMMIT/FILE          its content, also from a byte on
"""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

COMMIT = "c0ffee00" * 5


@dataclass
class TinyHub:
    """What the hub serves: folders by id, and gated ids.

    Everything is answered with `status` if it is set; the next `busy` requests with 429, and so is
    the first that begins as one of `busy_for`. Files end after `cut_after` bytes, as often as
    `cuts` says (None: always). Files named in `shorter` arrive with a byte less than was announced,
    those in `damaged` with other content of the same size. `requests` is what was asked, in order,
    with the first byte where that is not 0.
    """

    models: dict[str, Path] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    status: int = 0
    busy: int = 0
    busy_for: set[str] = field(default_factory=set)
    shorter: set[str] = field(default_factory=set)
    cut_after: int | None = None
    cuts: int | None = None
    damaged: set[str] = field(default_factory=set)
    requests: list[str] = field(default_factory=list)
    url: str = ""


class _Handler(BaseHTTPRequestHandler):
    hub: TinyHub

    def do_HEAD(self) -> None:
        self.answer(with_body=False)

    def do_GET(self) -> None:
        self.answer(with_body=True)

    def answer(self, *, with_body: bool) -> None:
        start = self.start()
        asked = f"{self.command} {self.path}" + (f" from {start}" if start else "")
        self.hub.requests.append(asked)
        match = re.match(r"/(?:api/models/)?([\w.-]+/[\w.-]+)(?:/(\w+)/([^?]+))?", self.path)
        name = match[1] if match else ""
        if self.is_busy(asked):
            self.refuse(429, "")
        elif self.hub.status:
            self.refuse(self.hub.status, "")
        elif name in self.hub.gated:
            self.refuse(403, "GatedRepo")
        elif match is None or name not in self.hub.models:
            self.refuse(404, "RepoNotFound")
        elif match[2] == "resolve":
            self.file(self.hub.models[name] / match[3].partition("/")[2], with_body)
        elif match[2] in ("revision", "tree") and match[3] not in ("main", COMMIT):
            self.refuse(404, "RevisionNotFound")
        else:
            listing = match[2] == "tree"
            self.json(_tree(self.hub.models[name]) if listing else {"id": name, "sha": COMMIT})

    def refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        if status == 429:
            self.send_header("Retry-After", "0")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def json(self, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def file(self, path: Path, with_body: bool) -> None:
        content = path.read_bytes()
        etag = _sha256(content) if is_large(path) else _hash(content)
        if with_body and path.name in self.hub.shorter:
            content = content[:-1]
        start = self.start()
        self.send_response(206 if start else 200)
        self.send_header("ETag", f'"{etag}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(content) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        if with_body:
            if path.name in self.hub.damaged:
                content = bytes(len(content))
            self.wfile.write(content[start : self.end(len(content))])

    def is_busy(self, asked: str) -> bool:
        for one in self.hub.busy_for:
            if asked.startswith(one):
                self.hub.busy_for.remove(one)
                return True
        is_busy = self.hub.busy > 0
        self.hub.busy -= is_busy
        return is_busy

    def start(self) -> int:
        return int(re.sub(r"\D", "", self.headers.get("Range", "0").partition("-")[0]))

    def end(self, size: int) -> int | None:
        if self.hub.cut_after is None or self.hub.cut_after >= size or self.hub.cuts == 0:
            return None
        if self.hub.cuts is not None:
            self.hub.cuts -= 1
        return self.hub.cut_after

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


def _tree(folder: Path) -> list[dict[str, Any]]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [
        {
            "type": "file",
            "path": str(path.relative_to(folder)),
            "size": path.stat().st_size,
            "oid": _hash(path.read_bytes()),
            **({"lfs": _large(path)} if is_large(path) else {}),
        }
        for path in files
    ]


def is_large(path: Path) -> bool:
    """Whether the hub keeps a file outside git, and so names it by its SHA-256."""
    return path.suffix == ".safetensors"


def _large(path: Path) -> dict[str, Any]:
    return {
        "oid": _sha256(path.read_bytes()),
        "size": path.stat().st_size,
        "pointerSize": 134,
    }


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _hash(content: bytes) -> str:
    """Git's name of a blob."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@contextmanager
def serving(hub: TinyHub) -> Iterator[TinyHub]:
    """Serve `hub` on a free port while the block runs; `hub.url` is where."""
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
