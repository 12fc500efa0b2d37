"""A stand-in for the hub's HTTP on the loopback: what `huggingface_hub` asks of it, and what goes wrong."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """The files that it has, its manners, and what was asked of it."""

    files: dict[str, bytes] = field(default_factory=dict)
    """``owner/repo/file`` -> content."""
    url: str = ""
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path, and the range; in order."""
    keys: list[str] = field(default_factory=list)
    """Each ``Authorization`` that was sent."""
    cut_at: list[int] = field(default_factory=list)
    """How many bytes the next answers send before the connection breaks; one is used up by each."""
    gated: bool = False
    ranges: bool = True
    elsewhere: bool = False
    """Send people to another path for the bytes, as the hub does."""
    promised: dict[str, str] = field(default_factory=dict)
    """Checksums that are not the content's."""
    chunk_s: float = 0.0
    """Wait so long after each 64 kB."""
    statuses: list[int] = field(default_factory=list)
    """What the next answers are in place of the right ones."""


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """The hub, answering at `hub.url`."""

    class Handler(_Handler):
        served = hub

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    served: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        pass

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, with_body: bool) -> None:
        hub = self.served
        path = self.path.partition("?")[0]
        hub.asked.append((self.command, path, self.headers.get("Range", "")))
        hub.keys += [self.headers["Authorization"]] if "Authorization" in self.headers else []
        if hub.statuses:
            self._say(hub.statuses.pop(0), b"", {})
        elif path.startswith("/api/models/"):
            self._list(path.removeprefix("/api/models/"))
        elif path.startswith("/elsewhere/"):
            self._file(path.removeprefix("/elsewhere/"), with_body, moved=True)
        elif "/resolve/" in path:
            repo, _, rest = path.strip("/").partition("/resolve/")
            self._file(f"{repo}/{rest.partition('/')[2]}", with_body, moved=False)
        else:
            self._file(path.strip("/"), with_body, moved=True)

    def _list(self, path: str) -> None:
        repo = "/".join(path.split("/")[:2])
        names = [name.removeprefix(f"{repo}/") for name in self.served.files if name.startswith(f"{repo}/")]
        if not names:
            self._say(404, b"", {"X-Error-Code": "RepoNotFound"})
            return
        told = [{"type": "file", "path": name, "size": 1, "oid": COMMIT} for name in names]
        self._say(200, json.dumps(told).encode(), {"Content-Type": "application/json"})

    def _file(self, name: str, with_body: bool, moved: bool) -> None:
        hub = self.served
        if hub.gated:
            self._say(403, b"", {"X-Error-Code": "GatedRepo"})
            return
        content = hub.files.get(name)
        if content is None:
            known = any(one.startswith("/".join(name.split("/")[:2]) + "/") for one in hub.files)
            self._say(404, b"", {"X-Error-Code": "EntryNotFound" if known else "RepoNotFound"})
            return
        etag = hub.promised.get(name) or hashlib.sha256(content).hexdigest()
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        if hub.elsewhere and not moved:
            linked = {"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(len(content))}
            self._say(302, b"", {**headers, **linked, "Location": f"{hub.url}/elsewhere/{name}"})
            return
        start = 0
        wanted = self.headers.get("Range", "")
        if wanted and hub.ranges:
            start = int(wanted.removeprefix("bytes=").partition("-")[0])
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self.send_response(206 if start else 200)
        for key, value in {**headers, "Content-Length": str(len(content) - start)}.items():
            self.send_header(key, value)
        self.end_headers()
        if with_body:
            self._send(content[start:])

    def _send(self, body: bytes) -> None:
        hub = self.served
        cut = hub.cut_at.pop(0) if hub.cut_at else None
        body = body if cut is None else body[:cut]
        try:
            for place in range(0, len(body), 65_536):
                self.wfile.write(body[place : place + 65_536])
                self.wfile.flush()
                time.sleep(hub.chunk_s)
        except OSError:
            pass
        if cut is not None:
            self.close_connection = True

    def _say(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body if self.command == "GET" else b"")
