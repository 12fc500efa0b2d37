"""The real server, which tells what it holds: run as a program by `bench soak` and `bench fuzz`.

It answers two more requests than `bowerbird serve`, `HOLDINGS` and `TEXTS`.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import psutil  # type: ignore[import-untyped]

from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.serve import leave, log_to_stderr
from bowerbird.lsp.server import create_server

HOLDINGS = "bowerbird/bench/holdings"
TEXTS = "bowerbird/bench/texts"
PROGRAM = ("-P", "-m", "bowerbird.cli.bench.soak.watched")
"""Behind Python's own name."""


def holdings(server: BowerbirdServer, *_: Any) -> dict[str, Any]:
    """Memory in bytes, tasks, threads, open files, documents, and the children's memory by process id."""
    gc.collect()
    process = psutil.Process()
    children: dict[str, int] = {}
    for child in process.children(recursive=True):
        try:
            children[str(child.pid)] = child.memory_info().rss
        except psutil.Error:  # it ended meanwhile
            continue
    return {
        "server_bytes": process.memory_info().rss,
        "children": children,
        "tasks": len(asyncio.all_tasks()),
        "threads": process.num_threads(),
        "files": process.num_fds() if hasattr(process, "num_fds") else process.num_handles(),
        "documents": sum(1 for _ in server.documents),
    }


def texts(server: BowerbirdServer, *_: Any) -> dict[str, str]:
    """What the open documents say, by URI."""
    return {document.uri: "".join(document.lines) for document in server.documents}


def watched_server() -> BowerbirdServer:
    """A server as `bowerbird serve` has it, with the two requests more."""
    server = create_server()
    server.feature(HOLDINGS)(holdings)
    server.feature(TEXTS)(texts)
    return server


def main() -> None:
    """Serve an editor on stdin and stdout."""
    log_to_stderr()
    server = watched_server()
    server.start_io()
    leave(server.exit_code)


if __name__ == "__main__":
    main()
