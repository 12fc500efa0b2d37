"""The real server, which tells what it holds: run as a program by `bench soak` and `bench fuzz`.

It answers two more requests than `bowerbird serve`, `HOLDINGS` and `TEXTS`. On SIGUSR1 it writes to stderr
what its threads and tasks are at.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import signal
import sys
from contextlib import suppress
from typing import Any

import psutil  # type: ignore[import-untyped]

from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.serve import leave, log_to_stderr
from bowerbird.lsp.server import create_server

HOLDINGS = "bowerbird/bench/holdings"
TEXTS = "bowerbird/bench/texts"
PROGRAM = ("-P", "-m", "bowerbird.cli.bench.soak.watched")
"""Behind Python's own name."""


def own_bytes(process: psutil.Process) -> int:
    """Resident memory that no file stands behind; raises `psutil.Error`.

    What is mapped from a file (the index on disk, the model's weights, libraries) is the system's to take
    back, and comes and goes as it is looked at: with it no growth could be told.
    """
    info = process.memory_info()
    if hasattr(info, "shared"):  # Linux: in files, and shared with others
        return int(info.rss - info.shared)
    if hasattr(info, "private"):  # Windows
        return int(info.private)
    return int(process.memory_full_info().uss)


def holdings(server: BowerbirdServer, *_: Any) -> dict[str, Any]:
    """Memory in bytes, tasks, threads, open files, documents, and the children's memory by process id.

    Of each process its own memory, as `own_bytes` has it, and all that is resident.
    """
    gc.collect()
    process = psutil.Process()
    children: dict[str, tuple[int, int]] = {}
    for child in process.children(recursive=True):
        try:
            children[str(child.pid)] = (own_bytes(child), child.memory_info().rss)
        except psutil.Error:  # it ended meanwhile
            continue
    return {
        "server_bytes": own_bytes(process),
        "server_resident_bytes": process.memory_info().rss,
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


def tell_where_on_signal() -> None:
    """On SIGUSR1, where there is one, tell the stacks of all threads, then those of all tasks.

    The threads' come even where no Python code can run any more.
    """
    if sys.platform != "win32":
        signal.signal(signal.SIGUSR1, _tell_tasks)
        faulthandler.register(signal.SIGUSR1, file=sys.stderr, all_threads=True, chain=True)


def _tell_tasks(*_: object) -> None:
    with suppress(RuntimeError):  # no loop runs
        for task in asyncio.all_tasks():
            task.print_stack(limit=8, file=sys.stderr)


def main() -> None:
    """Serve an editor on stdin and stdout."""
    log_to_stderr()
    server = watched_server()
    tell_where_on_signal()
    server.start_io()
    leave(server.exit_code)


if __name__ == "__main__":
    main()
